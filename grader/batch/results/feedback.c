/* SPDX-License-Identifier: MIT */
#include "grader/batch/results/feedback.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/batch/files/ledger.h"
#include "grader/batch/files/manifest.h"
#include "grader/batch/results/disclosure.h"
#include "grader/batch/results/field.h"

static void list_one(struct manifest *w, const char *name, const json_t *entry,
                     enum disclosure level)
{
    (void)entry, (void)level;
    manifest_add(w, name);
}

static void write_one(struct manifest *w, const char *name, const json_t *entry,
                      enum disclosure level)
{
    char *path = ledger_path(w->out, "feedback/%s", name), *text = disclosure_lesson(entry, level);
    ledger_write(path, text, strlen(text));
    free(text);
    free(path);
}

static void each_file(struct manifest *w, const json_t *results,
                      void (*what)(struct manifest *w, const char *name, const json_t *entry,
                                   enum disclosure level))
{
    enum disclosure level = disclosure_level(results);
    size_t i, k;
    json_t *student, *entry;
    json_array_foreach(json_object_get(results, "students"), i, student) {
        char *folder = ledger_name(field_text(student, "id"));
        json_array_foreach(json_object_get(student, "lessons"), k, entry) {
            char *name = formatted("%s/%s.txt", folder, field_text(entry, "lesson"));
            what(w, name, entry, level);
            free(name);
        }
        free(folder);
    }
}

void feedback_write(const char *out, const json_t *results)
{
    struct manifest w;
    manifest_begin(&w, out, "feedback");
    each_file(&w, results, list_one);
    manifest_ready(&w);
    each_file(&w, results, write_one);
    manifest_end(&w);
}
