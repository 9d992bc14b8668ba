/* SPDX-License-Identifier: MIT */
#include "grader/batch/results/summary.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/batch/files/ledger.h"
#include "grader/batch/results/field.h"

#define SHOWN 20                /* of one reason, on a terminal; the file has all */
#define ALL INT_MAX

static int atomic_file_field(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

static void print_intake(FILE *out, const json_t *results)
{
    const json_t *intake = json_object_get(results, "intake");
    json_t *list, *one;
    size_t i;
    int shared = atomic_file_field(intake, "shared");
    fprintf(out, "Files: %d came in", atomic_file_field(intake, "met"));
    if (shared > 0)
        fprintf(out, " + %d for others of a group", shared);
    fprintf(out, " = %d to grade + %d left out + %d beside them (SHA256SUMS and the like)\n",
            atomic_file_field(intake, "graded"), atomic_file_field(intake, "left_out"),
            atomic_file_field(intake, "companions"));
    list = json_object_get(results, "encodings");
    json_array_foreach(list, i, one)
        fprintf(out, "  %d names are not UTF-8: read as %s, which is a guess (%s)\n",
                atomic_file_field(one, "names"), field_text(one, "encoding"),
                field_text(one, "example"));
}

/* Each file with its reason; the same reason no more than that many times. */
static void print_left_out(FILE *out, const json_t *results, int shown)
{
    json_t *list = json_object_get(results, "strays"), *one, *seen = json_object(), *more;
    const char *why;
    size_t i;
    json_array_foreach(list, i, one) {
        why = field_text(one, "why");
        int count = atomic_file_field(seen, why) + 1;
        json_object_set_new(seen, why, json_integer(count));
        if (count <= shown)
            fprintf(out, "  left out: %s (%s)\n", field_text(one, "path"), why);
    }
    json_object_foreach(seen, why, more)
        if (json_integer_value(more) > shown)
            fprintf(out, "  left out: %d more (%s): " SUMMARY_FILE " names them\n",
                    (int)json_integer_value(more) - shown, why);
    json_decref(seen);
}

/* ---- counts of entries by a word ---- */

/* Adds the student to the list that stands under this word. */
static void add_to(json_t *groups, const char *word, const json_t *student, const json_t *entry)
{
    if (!json_object_get(groups, word))
        json_object_set_new(groups, word, json_array());
    json_array_append_new(
        json_object_get(groups, word),
        json_sprintf("%s %.2s", field_text(student, "id"), field_text(entry, "lesson")));
}

static void print_groups(FILE *out, json_t *groups, int shown)
{
    const char *word;
    json_t *list, *one;
    size_t i;
    json_object_foreach(groups, word, list) {
        fprintf(out, "  %-4zu %s", json_array_size(list), word);
        json_array_foreach(list, i, one) {
            if ((int)i >= shown)
                break;
            fprintf(out, "%s%s", i == 0 ? ": " : ", ", json_string_value(one));
        }
        fputs(shown > 0 && (int)json_array_size(list) > shown ? " and others\n" : "\n", out);
    }
}

/* Who says when it was handed in, and whether that counts. */
static const char *time_of(const json_t *entry)
{
    static char text[200];
    bool counts = json_is_true(json_object_get(entry, "time_counts"));
    bool given = json_is_integer(json_object_get(entry, "due"));
    snprintf(text, sizeof text, "%s%s", field_text(entry, "time_from"),
             counts || field_is(entry, "time_from", "unknown") ? ""
             : given
                 ? ", not counted: nothing is taken off, since the due date is the student's own"
                 : ", not counted: nothing is taken off (rubric: \"late\", \"times\")");
    return text;
}

static const char *cause_of(const json_t *entry)
{
    const char *status = field_text(entry, "status");
    if (atomic_file_field(entry, "attempt") == 0 && strcmp(status, "not attempted") == 0)
        return strncmp(field_text(entry, "reason"), "nothing", 7) == 0 ? "nothing was handed in"
            : "what was handed in was left out (see above)";
    return field_number(entry, "late_percent") >= 100 ? "handed in too late"
           : strcmp(status, "not attempted") == 0     ? "handed in as it was given out"
           : strcmp(status, "wrong") == 0             ? "every check failed"
                                                      : status;
}

/* ---- people ---- */

static void print_people(FILE *out, const char *title, json_t *list, int shown)
{
    size_t i;
    json_t *one;
    if (json_array_size(list) == 0)
        return;
    fprintf(out, "%s: %zu\n ", title, json_array_size(list));
    json_array_foreach(list, i, one)
        if ((int)i < shown)
            fprintf(out, "%s%s", i == 0 ? " " : ", ", json_string_value(one));
    fputs((int)json_array_size(list) > shown ? " and others\n" : "\n", out);
}

/* Files without a student, and the students without a file whose work they may be. */
static void print_strangers(FILE *out, const json_t *results, int shown)
{
    json_t *strangers = json_array(), *missing = json_array(), *student, *entry;
    size_t i, k;
    bool rostered = false;
    json_array_foreach(json_object_get(results, "students"), i, student) {
        size_t came = 0;
        bool on = json_is_true(json_object_get(student, "rostered"));
        json_array_foreach(json_object_get(student, "lessons"), k, entry)
            came += atomic_file_field(entry, "attempts") > 0
                    || !field_is(entry, "status", "not attempted");
        rostered |= on;
        if (!on)
            json_array_append(strangers, json_object_get(student, "id"));
        else if (came == 0)
            json_array_append(missing, json_object_get(student, "id"));
    }
    if (rostered) {
        print_people(out, "Not on the roster, so that their grades go to no platform", strangers,
                     shown);
        if (json_array_size(strangers) > 0)
            print_people(out, "On the roster, with nothing handed in", missing, shown);
    }
    print_people(out,
                 "Of earlier batches, with nothing handed in now (to take one out, delete its folder in attempts/)",
                 json_object_get(results, "earlier"), shown);
    json_decref(strangers), json_decref(missing);
}

static void print_all(FILE *out, const json_t *results, int shown)
{
    json_t *zeros = json_object(), *times = json_object(), *encodings = json_object(), *student,
           *entry, *students = json_object_get(results, "students");
    size_t i, k, count = 0, all = 0;
    print_intake(out, results);
    print_left_out(out, results, shown);
    print_strangers(out, results, shown);
    json_array_foreach(students, i, student)
        json_array_foreach(json_object_get(student, "lessons"), k, entry) {
            const char *status = field_text(entry, "status");
            all++;
            if (field_number(entry, "score") <= 0 && field_number(entry, "max") > 0
                && strcmp(status, "excused") != 0 && strcmp(status, "not run") != 0) {
                add_to(zeros, cause_of(entry), student, entry);
                count++;
            }
            if (atomic_file_field(entry, "attempt") > 0)
                add_to(times, time_of(entry), student, entry);
            if (field_text(entry, "encoding")[0] != '\0')
                add_to(encodings, field_text(entry, "encoding"), student, entry);
        }
    if (json_object_size(times) > 0)
        fputs("When files were handed in is known from:\n", out);
    print_groups(out, times, 0);
    json_array_foreach(json_object_get(results, "notes"), i, student)
        fprintf(out, "Note: %s.\n", json_string_value(student));
    if (json_object_size(encodings) > 0)
        fputs("Programs that are not UTF-8 were read as:\n", out);
    print_groups(out, encodings, shown);
    if (count > 0)
        fprintf(out, "Zeros: %zu of %zu grades. Look at them before you hand them out:\n", count,
                all);
    print_groups(out, zeros, shown);
    json_decref(zeros), json_decref(times), json_decref(encodings);
}

void summary_write(const char *folder, const json_t *results)
{
    char *text;
    size_t count;
    FILE *out = open_text(&text, &count);
    print_all(stdout, results, SHOWN);
    print_all(out, results, ALL);
    fclose(out);
    char *path = ledger_path(folder, SUMMARY_FILE);
    ledger_write(path, text, count);
    free(path), free(text);
}
