/* SPDX-License-Identifier: MIT */
#include "grader/batch/results/older.h"

#include "grader/batch/results/field.h"

/* What a gradebook was told before entries had a "grade" (results.h). */
static const char *older_grade(const json_t *entry, const char *missing)
{
    if (field_is(entry, "status", "excused"))
        return "excused";
    if (field_is(entry, "status", "not run"))
        return "none";
    if (!field_is(entry, "status", "not attempted") || field_number(entry, "attempt") > 0)
        return "points";
    return strcmp(missing, "zero") == 0      ? "points"
           : strcmp(missing, "excused") == 0 ? "excused"
                                             : "none";
}

void older_complete(json_t *results)
{
    size_t i, k;
    json_t *student, *entry;
    json_array_foreach(json_object_get(results, "students"), i, student)
        json_array_foreach(json_object_get(student, "lessons"), k, entry)
            if (!json_object_get(entry, "grade"))
                json_object_set_new(
                    entry, "grade",
                    json_string(older_grade(entry, field_text(results, "missing"))));
}
