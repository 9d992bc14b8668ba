/* SPDX-License-Identifier: MIT */
/* JUnit XML: a suite for each lesson of each student, a case for each check that is told. */
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/export/escape.h"
#include "grader/export/export.h"
#include "grader/batch/results/field.h"
#include "grader/batch/results/disclosure.h"

/* No time stands anywhere: how long grading took says nothing of anybody. */
struct suite { FILE *out; const char *student, *lesson; unsigned tests, failures, errors,
               skipped; };

static void begin_case(struct suite *s, const char *name)
{
    fputs("    <testcase classname=\"", s->out);
    xml_text(s->out, s->student);
    fputc('.', s->out);
    xml_text(s->out, s->lesson);
    fputs("\" name=\"", s->out);
    xml_text(s->out, name);
    fputs("\"", s->out);
    s->tests++;
}

static void end_case(struct suite *s, const char *element, const char *message, const char *text)
{
    fprintf(s->out, ">\n      <%s message=\"", element);
    xml_text(s->out, message);
    fputs("\"", s->out);
    if (strcmp(element, "skipped") != 0)
        fprintf(s->out, " type=\"%s\"", element);
    fputs(">", s->out);
    xml_text(s->out, text);
    fprintf(s->out, "</%s>\n    </testcase>\n", element);
}

static void put_check(struct suite *s, const json_t *check)
{
    const char *outcome = field_text(check, "outcome");
    char name[600];
    snprintf(name, sizeof name, "part %s: %s", field_text(check, "part"),
             field_text(check, "name"));
    begin_case(s, name);
    if (strcmp(outcome, "passed") == 0) {
        fputs("/>\n", s->out);
        return;
    }
    if (strcmp(outcome, "failed") == 0) {
        char *advice = disclosure_advice(check);
        end_case(s, "failure", "not so", advice);
        free(advice);
        s->failures++;
    } else {
        end_case(s, "skipped", outcome, "");
        s->skipped++;
    }
}

/* The lesson as a whole: how it ended. */
static void put_whole(struct suite *s, const json_t *entry, enum disclosure level)
{
    const char *status = field_text(entry, "status");
    char points[80];
    snprintf(points, sizeof points, "%.12g of %.12g points", field_number(entry, "score"),
             field_number(entry, "max"));
    begin_case(s, points);
    char *text = disclosure_end(entry, level);
    if (strcmp(status, "passed") == 0) {
        fputs("/>\n", s->out);
    } else if (strcmp(status, "wrong") == 0) {
        end_case(s, "failure", status, text);
        s->failures++;
    } else if (strncmp(status, "not ", 4) == 0) {
        end_case(s, "skipped", status, text);
        s->skipped++;
    } else {
        end_case(s, "error", status, text);
        s->errors++;
    }
    free(text);
}

static void put_suite(FILE *out, const json_t *student, const json_t *entry, enum disclosure level)
{
    char *cases;
    size_t count, i;
    json_t *check;
    struct suite s = { .out = open_text(&cases, &count), .student = field_text(student, "id"),
                       .lesson = field_text(entry, "lesson") };
    put_whole(&s, entry, level);
    json_array_foreach(json_object_get(json_object_get(entry, "verdict"), "checks"), i, check)
        if (disclosure_check(entry, check, level))
            put_check(&s, check);
    fclose(s.out);
    fputs("  <testsuite name=\"", out);
    xml_text(out, s.student);
    fputs(" ", out);
    xml_text(out, s.lesson);
    fprintf(out,
            "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n%s  </testsuite>\n",
            s.tests, s.failures, s.errors, s.skipped, cases);
    free(cases);
}

void export_junit(FILE *out, const struct export_of *of)
{
    enum disclosure level = disclosure_level(of->results);
    size_t i, k;
    json_t *student, *entry;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"", out);
    xml_text(out, field_text(of->results, "title"));
    fputs("\">\n", out);
    json_array_foreach(json_object_get(of->results, "students"), i, student)
        json_array_foreach(json_object_get(student, "lessons"), k, entry)
            put_suite(out, student, entry, level);
    fputs("</testsuites>\n", out);
}
