/* SPDX-License-Identifier: MIT */
#include "grader/batch/feedback.h"

#include <stdlib.h>
#include <string.h>

#include "grader/batch/ledger.h"
#include "grader/batch/written.h"
#include "grader/environment.h"
#include "grader/export/field.h"
#include "grader/export/told.h"

static void list_one(struct written *w, const char *name, const json_t *entry, enum told level)
{
    (void)entry, (void)level;
    written_add(w, name);
}

static void write_one(struct written *w, const char *name, const json_t *entry, enum told level)
{
    char *path = ledger_path(w->out, "feedback/%s", name), *text = told_lesson(entry, level);
    ledger_write(path, text, strlen(text));
    free(text);
    free(path);
}

static void each_file(struct written *w, const json_t *results,
                      void (*what)(struct written *w, const char *name, const json_t *entry, enum told level))
{
    enum told level = told_level(results);
    size_t i, k;
    json_t *student, *entry;
    json_array_foreach(json_object_get(results, "students"), i, student) {
        char *folder = ledger_name(field_text(student, "id"));
        json_array_foreach(json_object_get(student, "lessons"), k, entry) {
            char *name;
            if (asprintf(&name, "%s/%s.txt", folder, field_text(entry, "lesson")) < 0)
                environment("no memory left");
            what(w, name, entry, level);
            free(name);
        }
        free(folder);
    }
}

void feedback_write(const char *out, const json_t *results)
{
    struct written w;
    written_begin(&w, out, "feedback");
    each_file(&w, results, list_one);
    written_ready(&w);
    each_file(&w, results, write_one);
    written_end(&w);
}
