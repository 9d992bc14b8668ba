/* SPDX-License-Identifier: MIT */
#include "grader/batch/files/manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/batch/files/ledger.h"

/* Sets of names are objects: { name: true }. */
static void add_all(json_t *set, const json_t *list)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
        if (json_is_string(one))
            json_object_set_new(set, json_string_value(one), json_true());
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void write_list(const struct manifest *w, json_t *set)
{
    size_t count = 0;
    const char *name, **names = calloc(json_object_size(set) + 1, sizeof *names);
    json_t *value, *list = json_array();
    if (!names)
        die("no memory left");
    json_object_foreach(set, name, value)
        names[count++] = name;
    qsort(names, count, sizeof *names, compare);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(names[i]));
    ledger_write_json(w->list, list);
    json_decref(list);
    free(names);
}

void manifest_begin(struct manifest *w, const char *out, const char *folder)
{
    *w = (struct manifest){ .list = ledger_path(out, "batch/written-%s.json", folder), .out = out,
                            .folder = folder, .before = json_object(), .now = json_object() };
    json_t *list = ledger_read_json(w->list);
    add_all(w->before, list);
    json_decref(list);
}

void manifest_add(struct manifest *w, const char *name)
{
    if (json_object_set_new(w->now, name, json_true()) != 0)
        die("no memory left");
}

void manifest_ready(struct manifest *w)
{
    json_t *both = json_copy(w->before);
    json_object_update(both, w->now);
    write_list(w, both);
    json_decref(both);
}

/* Nobody's list leads out of the folder. */
static bool is_inside(const char *name)
{
    return name[0] != '\0' && name[0] != '/' && strncmp(name, "../", 3) != 0
           && !strstr(name, "/../");
}

static void remove_file(const struct manifest *w, const char *name)
{
    char *path = formatted("%s/%s/%s", w->out, w->folder, name);
    struct stat s;
    if (lstat(path, &s) == 0 && S_ISREG(s.st_mode) && unlink(path) != 0)
        die("cannot remove %s: %s", path, strerror(errno));
    for (char *slash; strchr(name, '/') && (slash = strrchr(path, '/'));) {
        *slash = '\0';          /* its folder, if it was the last in it */
        if (strlen(path) <= strlen(w->out) + 1 + strlen(w->folder) || rmdir(path) != 0)
            break;
    }
    free(path);
}

void manifest_end(struct manifest *w)
{
    const char *name;
    json_t *value;
    json_object_foreach(w->before, name, value)
        if (!json_object_get(w->now, name) && is_inside(name))
            remove_file(w, name);
    write_list(w, w->now);
    json_decref(w->before);
    json_decref(w->now);
    free(w->list);
}
