/* SPDX-License-Identifier: MIT */
#include "grader/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grader/batch/files/ledger.h"
#include "grader/batch/files/manifest.h"
#include "grader/base/environment.h"
#include "grader/batch/results/field.h"
#include "grader/base/atomic_file.h"

#define ROW(name, path, scope, use) { #name, path, scope, use, export_##name },
const struct export_format export_formats[] = { EXPORT_FORMATS(ROW) };
const size_t export_format_count = sizeof export_formats / sizeof *export_formats;

const struct export_format *export_find(const char *name)
{
    for (size_t i = 0; i < export_format_count; i++)
        if (strcmp(export_formats[i].name, name) == 0)
            return &export_formats[i];
    return NULL;
}

/* A file of a format's: of the class, a lesson or a student. */
struct output { const struct export_format *format; const struct export_of *of; const char *name; };

/* Under OUT/exports; the caller's. */
static char *path_of(const struct output *o)
{
    const char *path = o->format->path, *percent = strchr(path, '%');
    return formatted("%.*s%s%s", percent ? (int)(percent - path) : (int)strlen(path), path,
                     percent ? o->name : "", percent ? percent + 2 : "");
}

static void list_one(struct manifest *w, const struct output *o)
{
    char *name = path_of(o);
    manifest_add(w, name);
    free(name);
}

static void write_one(struct manifest *w, const struct output *o)
{
    char *name = path_of(o), *path = ledger_path(w->out, "exports/%s", name);
    struct atomic_file file;
    bool good = atomic_file_open(&file, path);
    if (good) {
        o->format->write(file.out, o->of);
        good = atomic_file_close(&file, true);
    }
    if (!good)
        die("cannot write %s: %s", path, strerror(errno));
    free(name);
    free(path);
}

/* Does it for every file that there is to be. */
static void each_output(struct manifest *w, const json_t *results,
                        void (*what)(struct manifest *w, const struct output *o))
{
    size_t i;
    json_t *one;
    for (size_t k = 0; k < export_format_count; k++) {
        const struct export_format *f = &export_formats[k];
        struct export_of of = { .results = results };
        if (f->scope == OF_CLASS)
            what(w, &(struct output){ f, &of, NULL });
        if (f->scope == OF_LESSON)
            json_array_foreach(json_object_get(results, "lessons"), i, one) {
                of.lesson = field_text(one, "lesson");
                what(w, &(struct output){ f, &of, of.lesson });
            }
        if (f->scope == OF_STUDENT)
            json_array_foreach(json_object_get(results, "students"), i, one) {
                char *folder = ledger_name(field_text(one, "id"));
                of.student = one;
                what(w, &(struct output){ f, &of, folder });
                free(folder);
            }
    }
}

void export_all(const char *out, const json_t *results)
{
    struct manifest w;
    manifest_begin(&w, out, "exports");
    each_output(&w, results, list_one);
    manifest_ready(&w);
    each_output(&w, results, write_one);
    manifest_end(&w);
}
