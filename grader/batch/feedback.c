/* SPDX-License-Identifier: MIT */
#include "grader/batch/feedback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/batch/ledger.h"
#include "grader/environment.h"
#include "grader/lessons.h"

static const char *text(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s != NULL ? s : "";
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* A check's own words: they are the lesson's. */
static void tell_check(FILE *out, const json_t *check)
{
    const json_t *finding = json_object_get(check, "finding");
    const char *outcome = text(check, "outcome");
    bool failed = strcmp(outcome, "failed") == 0;
    fprintf(out, "  %-14s part %s: %s\n", outcome, text(check, "part"), text(check, "name"));
    if (!failed)
        return;
    if (json_is_object(finding) && json_integer_value(json_object_get(finding, "line")) > 0)
        fprintf(out, "                 look at line %lld\n", (long long)json_integer_value(json_object_get(finding, "line")));
    if (text(check, "hint")[0] != '\0')
        fprintf(out, "                 %s\n", text(check, "hint"));
    if (text(check, "read")[0] != '\0')
        fprintf(out, "                 Read \"%s\" in the chapter.\n", text(check, "read"));
}

/* Is what the verdict says of the end known from the file alone, or only where it was? */
static void tell_end(FILE *out, const json_t *entry, const json_t *verdict)
{
    const json_t *ending = json_object_get(verdict, "ending");
    const char *status = text(entry, "status");
    if (strcmp(status, "did not build") == 0)
        fprintf(out, "\n%s\n", text(verdict, "compiler"));
    else if (strcmp(status, "refused") == 0 && !json_is_object(ending))
        fprintf(out, "Why: %s\n", text(entry, "reason"));
    else if (strcmp(status, "not run") == 0 || (strcmp(status, "not attempted") == 0 && !json_is_object(verdict)))
        fprintf(out, "%s\n", strcmp(status, "not run") == 0 ? "It could not be graded yet; that is not your fault." : text(entry, "reason"));
    if (!json_is_object(ending))
        return;
    fprintf(out, "It ended %s", strcmp(text(ending, "how"), "timed out") == 0 ? "because it was stopped: it took too long" : "too early");
    const char *part = text(ending, "part");
    if (strlen(part) == 1)
        fprintf(out, ", in part %s", part);
    if (json_integer_value(json_object_get(ending, "line")) > 0)
        fprintf(out, ", at or after line %lld", (long long)json_integer_value(json_object_get(ending, "line")));
    fputs(".\n", out);
}

static void tell_parts(FILE *out, const json_t *entry)
{
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(entry, "parts"), i, part)
        fprintf(out, "  part %s: %.12g of %.12g\n", text(part, "id"), number(part, "points"), number(part, "max"));
}

static void tell(FILE *out, const json_t *entry, const char *level)
{
    const json_t *verdict = json_object_get(entry, "verdict");
    const struct lesson *lesson = lesson_find(text(entry, "lesson"));
    size_t i;
    json_t *check;
    fprintf(out, "Lesson %02d: %s\n%s: %.12g of %.12g points", lesson->number, lesson->title, text(entry, "status"),
            number(entry, "score"), number(entry, "max"));
    if (number(entry, "late_percent") > 0)
        fprintf(out, " (%.12g %% off: handed in late)", number(entry, "late_percent"));
    fputc('\n', out);
    if (strcmp(level, "score") == 0)
        return;
    tell_parts(out, entry);
    tell_end(out, entry, verdict);
    bool judged = strcmp(text(entry, "status"), "did not build") != 0 && strcmp(text(entry, "status"), "refused") != 0;
    json_array_foreach(json_object_get(verdict, "checks"), i, check)
        if (judged && (strcmp(level, "all") == 0 || strcmp(text(check, "outcome"), "passed") != 0))
            tell_check(out, check);
}

void feedback_write(const char *out, const json_t *results)
{
    size_t i, k;
    json_t *student, *entry;
    json_array_foreach(json_object_get(results, "students"), i, student) {
        char *folder = ledger_name(text(student, "id"));
        json_array_foreach(json_object_get(student, "lessons"), k, entry) {
            char *path = ledger_path(out, "feedback/%s/%s.txt", folder, text(entry, "lesson")), *bytes;
            size_t count;
            FILE *to = open_memstream(&bytes, &count);
            if (to == NULL)
                environment("no memory left");
            tell(to, entry, text(results, "feedback"));
            fclose(to);
            ledger_write(path, bytes, count);
            free(bytes);
            free(path);
        }
        free(folder);
    }
}
