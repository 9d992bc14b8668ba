/* SPDX-License-Identifier: MIT */
#include "grader/sandbox/card_access.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Under the folder of devices; nvidia0 is a card, nvidia-modeset is for screens. */
static const char *const device_files[] = {
    "nvidiactl", "nvidia[0-9]*", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-caps/nvidia-cap[0-9]*",
    "dxg",
};

static void add_files(struct card_access *a, const char *devices, const char *pattern)
{
    char path[PATH_MAX];
    glob_t found;
    if (snprintf(path, sizeof path, "%s/%s", devices, pattern) >= (int)sizeof path)
        return;
    if (glob(path, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && a->file_count < CARD_FILES; i++)
            a->files[a->file_count++] = strdup(found.gl_pathv[i]);
    globfree(&found);
}

/* What every sandbox has. */
static bool is_in_usr(const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 || strcmp(path, "/usr") == 0;
}

static void add_folder(struct card_access *a, const char *path)
{
    if (is_in_usr(path) || path[0] != '/' || path[1] == '\0')
        return;
    for (size_t i = 0; i < a->folder_count; i++)
        if (strcmp(a->folders[i], path) == 0)
            return;
    if (a->folder_count < CARD_FOLDERS)
        a->folders[a->folder_count++] = strdup(path);
}

/* TOOLKIT/bin/nvcc. */
static bool find_toolkit(const char *nvcc, char toolkit[PATH_MAX])
{
    char header[PATH_MAX + 32], *slash;
    snprintf(toolkit, PATH_MAX, "%s", nvcc);
    for (int level = 0; level < 2; level++) {
        if (!(slash = strrchr(toolkit, '/')) || slash == toolkit)
            return false;
        *slash = '\0';
    }
    snprintf(header, sizeof header, "%s/include/cuda_runtime.h", toolkit);
    return access(header, F_OK) == 0;
}

static void add_toolkit(struct card_access *a, const char *nvcc)
{
    char name[PATH_MAX], real[PATH_MAX], toolkit[PATH_MAX];
    size_t length = strcspn(nvcc, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, nvcc);
    if (name[0] == '\0' || !realpath(name, real)
        || snprintf(a->nvcc, sizeof a->nvcc, "%s%s", real, nvcc + length) >= (int)sizeof a->nvcc)
        return;
    add_folder(a, find_toolkit(real, toolkit) ? toolkit : real);
}

static void add_driver(struct card_access *a)
{
    const char *list = getenv("LD_LIBRARY_PATH");
    char *copy = strdup(list ? list : ""), *rest = copy, library[PATH_MAX];
    for (char *folder; copy && (folder = strtok_r(rest, ":", &rest));)
        if (snprintf(library, sizeof library, "%s/libcuda.so.1", folder) < (int)sizeof library
            && access(library, R_OK) == 0)
            add_folder(a, folder);
    free(copy);
}

void card_access_find(struct card_access *a, const struct machine *m, const char *devices)
{
    *a = (struct card_access){ .file_count = 0 };
    for (size_t i = 0; i < sizeof device_files / sizeof *device_files; i++)
        add_files(a, devices, device_files[i]);
    add_toolkit(a, m->nvcc);
    add_driver(a);
}

void card_access_fini(struct card_access *a)
{
    for (size_t i = 0; i < a->file_count; i++)
        free(a->files[i]);
    for (size_t i = 0; i < a->folder_count; i++)
        free(a->folders[i]);
    a->file_count = a->folder_count = 0;
}
