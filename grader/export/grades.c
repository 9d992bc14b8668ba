/* SPDX-License-Identifier: MIT */
/* grades.json: what results.json says, less what students must not know; and its schema. */
#include <stdlib.h>

#include "grader/export/escape.h"
#include "grader/export/export.h"
#include "grader/batch/results/disclosure.h"

/* Copies what stands there under these names. */
static json_t *some_of(const json_t *from, const char *const *keys)
{
    json_t *to = json_object();
    for (; *keys; keys++)
        json_object_set(to, *keys, json_object_get(from, *keys));
    return to;
}
#define SOME_OF(from, ...) some_of(from, (const char *const[]){ __VA_ARGS__, NULL })

static json_t *disclosure_checks(const json_t *entry, enum disclosure level)
{
    json_t *list = json_array(), *check;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(entry, "verdict"), "checks"), i, check)
        if (disclosure_check(entry, check, level)) {
            char *advice = disclosure_advice(check);
            json_t *its = SOME_OF(check, "id", "part", "kind", "name", "outcome");
            json_object_set_new(its, "advice", json_string(advice));
            json_array_append_new(list, its);
            free(advice);
        }
    return list;
}

static json_t *disclosure_grade(const json_t *entry, enum disclosure level)
{
    json_t *grade = SOME_OF(entry, "lesson", "status", "grade", "score", "max", "late_percent",
                            "handed_in", "attempt", "attempts", "current", "share");
    if (level == DISCLOSURE_SCORE)
        return grade;
    char *termination = disclosure_end(entry, level);
    json_object_set(grade, "parts", json_object_get(entry, "parts"));
    json_object_set_new(grade, "ending", json_string(termination));
    json_object_set_new(grade, "checks", disclosure_checks(entry, level));
    free(termination);
    return grade;
}

void export_grades(FILE *out, const struct export_of *of)
{
    enum disclosure level = disclosure_level(of->results);
    json_t *all = SOME_OF(of->results, "workbook", "backend", "card", "title", "feedback",
                          "regrade", "counts", "lessons");
    json_t *students = json_array(), *student, *entry;
    size_t i, k;
    json_object_set_new(all, "feedback", json_string(disclosure_level_name(level)));
    json_array_foreach(json_object_get(of->results, "students"), i, student) {
        json_t *one =
                   SOME_OF(student, "id", "name", "email", "section", "rostered", "total", "share"),
               *grades = json_array();
        json_array_foreach(json_object_get(student, "lessons"), k, entry)
            json_array_append_new(grades, disclosure_grade(entry, level));
        json_object_set_new(one, "lessons", grades);
        json_array_append_new(students, one);
    }
    json_object_set_new(all, "students", students);
    char *text = json_text(all, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    fprintf(out, "%s\n", text);
    free(text);
}

/* grader/export/grades.schema.json, embedded. */
extern const char grades_schema[];

void export_schema(FILE *out, const struct export_of *of)
{
    (void)of;
    fputs(grades_schema, out);
}
