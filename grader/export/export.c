/* SPDX-License-Identifier: MIT */
#include "grader/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grader/batch/ledger.h"
#include "grader/environment.h"
#include "grader/export/field.h"
#include "grader/whole.h"

const struct export_format export_formats[] = {
    { "gradebook", "gradebook.csv", OF_CLASS, export_gradebook },
    { "canvas", "canvas.csv", OF_CLASS, export_canvas },
    { "moodle", "moodle/%s.csv", OF_LESSON, export_moodle },
    { "grades", "grades.json", OF_CLASS, export_grades },
    { "schema", "grades.schema.json", OF_CLASS, export_schema },
    { "junit", "junit.xml", OF_CLASS, export_junit },
    { "gradescope", "gradescope/%s.json", OF_STUDENT, export_gradescope },
    { "autolab", "autolab/%s.txt", OF_STUDENT, export_autolab },
    { "classroom", "classroom/%s.txt", OF_STUDENT, export_classroom },
    { "prairielearn", "prairielearn/%s.json", OF_STUDENT, export_prairielearn },
};
const size_t export_format_count = sizeof export_formats / sizeof *export_formats;

const struct export_format *export_find(const char *name)
{
    for (size_t i = 0; i < export_format_count; i++)
        if (strcmp(export_formats[i].name, name) == 0)
            return &export_formats[i];
    return NULL;
}

/* name: a file's, safe; NULL where the format has one file. */
static void write_one(const char *out, const struct export_format *f, const struct export_of *of, const char *name)
{
    char *inside = NULL;
    const char *percent = strchr(f->path, '%');
    if (asprintf(&inside, "%.*s%s%s", percent != NULL ? (int)(percent - f->path) : (int)strlen(f->path), f->path,
                 percent != NULL ? name : "", percent != NULL ? percent + 2 : "") < 0)
        environment("no memory left");
    char *path = ledger_path(out, "exports/%s", inside);
    struct whole file;
    bool good = whole_open(&file, path);
    if (good) {
        f->write(file.out, of);
        good = whole_close(&file, true);
    }
    if (!good)
        environment("cannot write %s: %s", path, strerror(errno));
    free(inside);
    free(path);
}

void export_all(const char *out, const json_t *results)
{
    size_t i;
    json_t *one;
    for (size_t k = 0; k < export_format_count; k++) {
        const struct export_format *f = &export_formats[k];
        struct export_of of = { .results = results };
        if (f->scope == OF_CLASS)
            write_one(out, f, &of, NULL);
        if (f->scope == OF_LESSON)
            json_array_foreach(json_object_get(results, "lessons"), i, one) {
                of.lesson = field_text(one, "lesson");
                write_one(out, f, &of, of.lesson);
            }
        if (f->scope == OF_STUDENT)
            json_array_foreach(json_object_get(results, "students"), i, one) {
                char *folder = ledger_name(field_text(one, "id"));
                of.student = one;
                write_one(out, f, &of, folder);
                free(folder);
            }
    }
}
