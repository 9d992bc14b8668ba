/* SPDX-License-Identifier: MIT */
/* Grades as comma-separated values: for a spreadsheet, for Canvas, for Moodle. Lines end as RFC
 * 4180 has it. */
#include <stdlib.h>
#include <string.h>

#include "grader/export/escape.h"
#include "grader/export/export.h"
#include "grader/batch/results/field.h"
#include "grader/batch/results/disclosure.h"

static const char end[] = "\r\n";

/* A grade, or that there is none: an empty cell is no statement, and a zero is one. Canvas and a
 * reader know EX. */
static void put_score(FILE *out, const json_t *entry, const char *excused)
{
    if (field_is(entry, "grade", "excused"))
        fputs(excused, out);
    else if (field_is(entry, "grade", "points"))
        csv_number(out, field_number(entry, "score"));
}

static const json_t *entry_of(const json_t *student, const char *lesson)
{
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(student, "lessons"), i, entry)
        if (strcmp(field_text(entry, "lesson"), lesson) == 0)
            return entry;
    return NULL;
}

/* What the roster has under one of these titles, the first that it has; "" for none. */
static const char *known_as(const json_t *student, const char *const *titles)
{
    const json_t *ids = json_object_get(student, "ids");
    const char *value = "";
    for (; *titles && value[0] == '\0'; titles++)
        value = field_text(ids, *titles);
    return value;
}
#define KNOWN_AS(student, ...) known_as(student, (const char *const[]){ __VA_ARGS__, NULL })

static const char *name_of(const json_t *student)
{
    const char *name = field_text(student, "name");
    return name[0] != '\0' ? name : field_text(student, "id");
}

/* ---- for a spreadsheet ---- */

/* The mark of the order of bytes in front: without it Excel takes UTF-8 for something else. */
void export_gradebook(FILE *out, const struct export_of *of)
{
    size_t i, k;
    json_t *one, *entry;
    fputs("\ufeff\"id\",\"name\",\"email\",\"section\",\"total %\"", out);
    json_array_foreach(json_object_get(of->results, "lessons"), i, one)
        fprintf(out, ",\"%s\",\"%s of\",\"%s status\",\"%s late %%\",\"%s attempt\"",
                field_text(one, "lesson"), field_text(one, "lesson"), field_text(one, "lesson"),
                field_text(one, "lesson"), field_text(one, "lesson"));
    fputs(end, out);
    json_array_foreach(json_object_get(of->results, "students"), i, one) {
        static const char *const fields[] = { "id", "name", "email", "section" };
        for (k = 0; k < sizeof fields / sizeof *fields; k++) {
            csv_text(out, field_text(one, fields[k]));
            fputc(',', out);
        }
        if (json_is_number(json_object_get(one, "total")))
            csv_number(out, field_number(one, "total"));
        json_array_foreach(json_object_get(one, "lessons"), k, entry) {
            fputc(',', out);
            put_score(out, entry, "");
            fputc(',', out);
            csv_number(out, field_number(entry, "max"));
            fputc(',', out);
            csv_text(out, field_text(entry, "status"));
            fputc(',', out);
            csv_number(out, field_number(entry, "late_percent"));
            fprintf(out, ",%d", (int)field_number(entry, "attempt"));
        }
        fputs(end, out);
    }
}

/* A platform knows only the people on its own roster: where there is a roster, others get no line.
 */
static bool has_roster(const json_t *results)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(results, "students"), i, one)
        if (json_is_true(json_object_get(one, "rostered")))
            return true;
    return false;
}

/* ---- Canvas ---- */

/* The assignment that Canvas has for a lesson, by its column in the roster: called as we would call
 * it, as the lesson's folder, or by its title alone, with the number in brackets after it. A title
 * that is not there makes a new assignment. */
static void put_assignment(FILE *out, const json_t *results, const json_t *lesson)
{
    char ours[300], alone[300];
    snprintf(ours, sizeof ours, "Lesson %02d: %s", (int)field_number(lesson, "number"),
             field_text(lesson, "title"));
    snprintf(alone, sizeof alone, "Lesson %02d", (int)field_number(lesson, "number"));
    const char *const names[] = { ours, field_text(lesson, "lesson"), alone,
                                  field_text(lesson, "title") };
    size_t i;
    json_t *column;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        json_array_foreach(json_object_get(results, "columns"), i, column) {
            const char *title = json_string_value(column);
            size_t n = strlen(names[k]);
            if (strncmp(title, names[k], n) == 0 && title[n] == ' '
                && strrchr(title, '(') == title + n + 1) {
                csv_title(out, title);
                return;
            }
        }
    csv_title(out, ours);
}

/* Section is the last of the columns that tell who it is: what follows are assignments. */
void export_canvas(FILE *out, const struct export_of *of)
{
    size_t i, k;
    json_t *one, *entry;
    fputs("Student,ID,SIS User ID,SIS Login ID,Section", out);
    json_array_foreach(json_object_get(of->results, "lessons"), i, one) {
        fputc(',', out);
        put_assignment(out, of->results, one);
    }
    fprintf(out, "%s    Points Possible,,,,", end);
    json_array_foreach(json_object_get(of->results, "lessons"), i, one) {
        fputc(',', out);
        csv_number(out, field_number(one, "max"));
    }
    fputs(end, out);
    bool rostered = has_roster(of->results);
    json_array_foreach(json_object_get(of->results, "students"), i, one) {
        if (rostered && !json_is_true(json_object_get(one, "rostered")))
            continue;
        csv_text(out, name_of(one));
        fputc(',', out);
        csv_text(out, KNOWN_AS(one, "id"));
        fputc(',', out);
        csv_text(out, KNOWN_AS(one, "sis user id", "student id"));
        fputc(',', out);
        const char *login = KNOWN_AS(one, "sis login id", "login id", "login", "username");
        bool nameless = json_object_size(json_object_get(one, "ids")) == 0;
        csv_text(out, login[0] == '\0' && nameless ? field_text(one, "id") : login);
        fputc(',', out);
        csv_text(out, field_text(one, "section"));
        json_array_foreach(json_object_get(one, "lessons"), k, entry) {
            fputc(',', out);
            put_score(out, entry, "EX");
        }
        fputs(end, out);
    }
}

/* ---- Moodle ---- */

/* The columns of a grading worksheet. Moodle takes the grade of a line whose identifier it knows,
 * if its own is not newer than the last of these times, or if its box for that is ticked; "-" is
 * what it writes where there is none yet. */
void export_moodle(FILE *out, const struct export_of *of)
{
    enum disclosure level = disclosure_level(of->results);
    size_t i;
    json_t *one;
    fputs(
        "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can be changed\","
        "\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"",
        out);
    fputs(end, out);
    bool rostered = has_roster(of->results),
         alone = json_array_size(json_object_get(of->results, "lessons")) == 1;
    json_array_foreach(json_object_get(of->results, "students"), i, one) {
        const json_t *entry = entry_of(one, of->lesson);
        if (rostered && !json_is_true(json_object_get(one, "rostered")))
            continue;
        const char *identifier = KNOWN_AS(one, "identifier");
        csv_text(out, identifier[0] != '\0' ? identifier : field_text(one, "id"));
        fputc(',', out);
        csv_text(out, name_of(one));
        fputc(',', out);
        csv_text(out, field_text(one, "email"));
        fprintf(out, ",%s,",
                field_number(entry, "attempt") > 0 ? "\"Submitted for grading\""
                                                   : "\"No submission\"");
        put_score(out, entry, "");
        fputc(',', out);
        csv_number(out, field_number(entry, "max"));
        /* Of one lesson the roster may be its worksheet: Moodle keeps a grade that is newer than
         * this. */
        const char *graded = alone ? field_text(one, "sheet_graded") : "";
        fputs(",Yes,-,", out);
        if (graded[0] != '\0' && strcmp(graded, "-") != 0)
            csv_text(out, graded);
        else
            fputc('-', out);
        fputc(',', out);
        char *text = disclosure_lesson(entry, level);
        csv_text(out, text);
        free(text);
        fputs(end, out);
    }
}
