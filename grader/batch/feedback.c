/* SPDX-License-Identifier: MIT */
#include "grader/batch/feedback.h"

#include <stdlib.h>
#include <string.h>

#include "grader/batch/ledger.h"
#include "grader/export/field.h"
#include "grader/export/told.h"

void feedback_write(const char *out, const json_t *results)
{
    enum told level = told_level(results);
    size_t i, k;
    json_t *student, *entry;
    json_array_foreach(json_object_get(results, "students"), i, student) {
        char *folder = ledger_name(field_text(student, "id"));
        json_array_foreach(json_object_get(student, "lessons"), k, entry) {
            char *path = ledger_path(out, "feedback/%s/%s.txt", folder, field_text(entry, "lesson"));
            char *text = told_lesson(entry, level);
            ledger_write(path, text, strlen(text));
            free(text);
            free(path);
        }
        free(folder);
    }
}
