/* SPDX-License-Identifier: MIT */
#include "grader/sandbox/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/environment.h"

const char *backend_name(enum backend backend)
{
    return backend == SIMULATOR ? "simulator" : backend == CUDA ? "cuda" : "both";
}

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

/* $NVCC, which may have options after the program's name; $PATH; where the toolkit usually is. */
static bool find_nvcc(char *nvcc, size_t size)
{
    const char *option = getenv("NVCC"), *path = getenv("PATH");
    char name[PATH_MAX] = "nvcc";
    if (option && option[0] != '\0')
        snprintf(name, sizeof name, "%.*s", (int)strcspn(option, " "), option);
    if (strchr(name, '/'))
        return snprintf(nvcc, size, "%s", option) < (int)size && is_program(name);
    for (const char *at = path ? path : ""; *at != '\0'; at += at[0] == ':') {
        size_t length = strcspn(at, ":");
        char full[2 * PATH_MAX];
        snprintf(full, sizeof full, "%.*s/%s", (int)length, at, name);
        if (length > 0 && is_program(full))
            return snprintf(nvcc, size, "%.*s/%s", (int)length, at,
                            option && option[0] != '\0' ? option : name)
                   < (int)size;
        at += length;
    }
    snprintf(nvcc, size, "/usr/local/cuda/bin/nvcc");
    return (!option || option[0] == '\0') && is_program(nvcc);
}

/* CUPTI is the toolkit's that nvcc is of. */
static void find_cupti(struct machine *m)
{
    static const char *const folders[] = { "lib64", "extras/CUPTI/lib64", "lib" };
    char program[PATH_MAX], real[PATH_MAX];
    snprintf(program, sizeof program, "%.*s", (int)strcspn(m->nvcc, " "), m->nvcc);
    m->cupti[0] = '\0';
    if (!realpath(program, real))
        return;
    for (int level = 0; level < 2; level++) {       /* bin/nvcc */
        char *slash = strrchr(real, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        int n = snprintf(m->cupti, sizeof m->cupti, "%s/%s/libcupti.so", real, folders[i]);
        if (n < (int)sizeof m->cupti && access(m->cupti, R_OK) == 0)
            return;
    }
    m->cupti[0] = '\0';
}

/* The driver's door: Linux, WSL. */
static bool has_gpu(void)
{
    return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
}

bool backend_named(enum backend *backend, const char *name)
{
    static const struct { const char *name; enum backend backend; } names[] = {
        { "sim", SIMULATOR }, { "simulator", SIMULATOR }, { "cuda", CUDA }, { "both", BOTH },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0) {
            *backend = names[i].backend;
            return true;
        }
    return false;
}

void machine_choose(struct machine *m, const char *option)
{
    bool asked = option && option[0] != '\0';
    *m = (struct machine){ .backend = BOTH };
    if (asked && !backend_named(&m->backend, option))
        die("BACKEND wants sim, cuda or both, not '%s'", option);
    if (m->backend == SIMULATOR)
        return;
    bool nvcc = find_nvcc(m->nvcc, sizeof m->nvcc), gpu = has_gpu();
    if (nvcc && (gpu || asked)) {
        find_cupti(m);
        return;
    }
    if (nvcc)
        snprintf(m->why, sizeof m->why,
                 "Judged on the simulator alone: there is nvcc, but no NVIDIA driver is loaded "
                 "(/dev/nvidiactl is missing). BACKEND=sim leaves this out.");
    else if (gpu || asked)
        snprintf(m->why, sizeof m->why,
                 "Judged on the simulator alone: there is no nvcc. Put the CUDA toolkit's bin "
                 "folder into PATH, or say NVCC=/where/nvcc/is.");
    if (m->backend == CUDA)
        die("there is no nvcc: put the CUDA toolkit's bin folder into PATH, or say NVCC=/where/nvcc/is "
            "(BACKEND=sim judges on the simulator)");
    m->backend = SIMULATOR;
}
