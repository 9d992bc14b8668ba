/* SPDX-License-Identifier: MIT */
/* One student's grades as the platforms want them that run an autograder for each submission. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/export/escape.h"
#include "grader/export/export.h"
#include "grader/batch/results/field.h"
#include "grader/batch/results/disclosure.h"
#include "grader/lessons.h"

#define TEXT_MOST 8000u         /* bytes of one text: PrairieLearn takes a megabyte of results */

/* Gives the text to the JSON: cut at the end of a line where it is long. */
static json_t *text_json(char *text)
{
    size_t n = strlen(text);
    if (n > TEXT_MOST) {
        n = TEXT_MOST;
        while (n > 0 && text[n - 1] != '\n')
            n--;
    }
    while (n > 0 && text[n - 1] == '\n')
        n--;
    json_t *value = json_stringn(text, n);
    free(text);
    return value ? value : json_string("");
}

static void dump(FILE *out, json_t *all, size_t flags)
{
    char *text = json_text(all, flags | JSON_REAL_PRECISION(12));
    fprintf(out, "%s\n", text);
    free(text);
}

/* What is added up over the student's lessons. */
struct sum { double score, max; bool not_run; };

static struct sum sum_up(const json_t *student)
{
    struct sum s = { 0, 0, false };
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(student, "lessons"), i, entry) {
        s.score += field_number(entry, "score");
        s.max += field_number(entry, "max");
        s.not_run |= strcmp(field_text(entry, "status"), "not run") == 0;
    }
    s.score = round(s.score * 1000) / 1000;
    s.max = round(s.max * 1000) / 1000;
    return s;
}

static const struct lesson *lesson_of(const json_t *entry)
{
    const struct lesson *lesson = lesson_find(field_text(entry, "lesson"));
    if (!lesson)
        die("results.json has a lesson that this workbook has not: %s",
            field_text(entry, "lesson"));
    return lesson;
}

/* Title of a part, by its place; "" where the lesson has no such part any more. */
static const char *part_title(const struct lesson *lesson, const char *id)
{
    for (size_t i = 0; i < lesson->part_count; i++)
        if (strcmp(lesson->parts[i].id, id) == 0)
            return lesson->parts[i].title;
    return "";
}

/* Something is due for each part; at the level of points alone, for each lesson. */
struct item {
    const json_t *entry, *part;     /* part NULL: of the whole lesson */
    char name[300], number[16];
    double points, max;
    bool passed;
};

static struct item item_of(const json_t *entry, const json_t *part)
{
    const struct lesson *lesson = lesson_of(entry);
    const json_t *from = part ? part : entry;
    struct item i = { .entry = entry,
                      .part = part,
                      .points = field_number(from, part ? "points" : "score"),
                      .max = field_number(from, "max") };
    i.passed = i.points >= i.max;
    if (part) {
        const char *id = field_text(part, "id");
        snprintf(i.name, sizeof i.name, "Lesson %02d, part %s: %s", lesson->number, id,
                 part_title(lesson, id));
        snprintf(i.number, sizeof i.number, "%d.%.8s", lesson->number, id);
    } else {
        snprintf(i.name, sizeof i.name, "Lesson %02d: %s", lesson->number, lesson->title);
        snprintf(i.number, sizeof i.number, "%d", lesson->number);
    }
    return i;
}

/* Calls `add` for each. */
static void each_item(const json_t *student, enum disclosure level,
                      void (*add)(json_t *to, const struct item *i, enum disclosure level),
                      json_t *to)
{
    size_t i, k;
    json_t *entry, *part;
    json_array_foreach(json_object_get(student, "lessons"), i, entry) {
        struct item item = item_of(entry, NULL);
        if (level == DISCLOSURE_SCORE) {
            add(to, &item, level);
            continue;
        }
        json_array_foreach(json_object_get(entry, "parts"), k, part) {
            item = item_of(entry, part);
            add(to, &item, level);
        }
    }
}

static char *item_text(const struct item *i, enum disclosure level)
{
    return i->part ? disclosure_part(i->entry, field_text(i->part, "id"), level)
                   : disclosure_rest(i->entry, level);
}

/* As the student knows the path: without the folder that bears the student's name, and a lesson's
 * number. */
static const char *own_path(const char *path, const char *student)
{
    size_t n = strlen(student);
    if (strncmp(path, student, n) != 0 || path[n] != '/')
        return path;
    path += n + 1;
    return strspn(path, "0123456789") == 2 && path[2] == '/' ? path + 3 : path;
}

/* For each lesson: its line of status, and how it ended; and what the student handed in that is not
 * graded. */
static json_t *outlines(const json_t *results, const json_t *student, enum disclosure level)
{
    char *all;
    size_t count, i;
    json_t *entry;
    FILE *out = open_text(&all, &count);
    json_array_foreach(json_object_get(student, "lessons"), i, entry) {
        char *head = disclosure_lesson(entry, DISCLOSURE_SCORE),
             *tail = disclosure_end(entry, level);
        fprintf(out, "%s%s", head, tail);
        free(head);
        free(tail);
    }
    json_array_foreach(json_object_get(results, "strays"), i, entry)
        if (field_is(entry, "student", field_text(student, "id")))
            fprintf(out, "Not graded: %s (%s)\n",
                    own_path(field_text(entry, "path"), field_text(student, "id")),
                    field_text(entry, "why"));
    fclose(out);
    return text_json(all);
}

/* ---- Gradescope ---- */

static void add_gradescope(json_t *to, const struct item *i, enum disclosure level)
{
    json_array_append_new(to, json_pack("{s:s s:s s:f s:f s:s s:o s:s s:s}", "name", i->name,
                                        "number", i->number, "score", i->points, "max_score",
                                        i->max, "status", i->passed ? "passed" : "failed", "output",
                                        text_json(item_text(i, level)), "output_format", "text",
                                        "visibility", "visible"));
}

static json_t *gradescope_board(const json_t *student)
{
    json_t *list = json_array(), *entry;
    size_t i;
    json_array_foreach(json_object_get(student, "lessons"), i, entry) {
        char name[64];
        const json_t *share = json_object_get(entry, "share");
        snprintf(name, sizeof name, "Lesson %02d, share of the reference",
                 lesson_of(entry)->number);
        json_array_append_new(list, json_pack("{s:s s:f s:s}", "name", name, "value",
                                              json_number_value(share), "order", "desc"));
    }
    return list;
}

/* The score on top is with what lateness costs; the tests are without. */
void export_gradescope(FILE *out, const struct export_of *of)
{
    enum disclosure level = disclosure_level(of->results);
    json_t *tests = json_array();
    each_item(of->student, level, add_gradescope, tests);
    dump(out,
         json_pack("{s:f s:o s:s s:s s:o s:o}", "score", sum_up(of->student).score, "output",
                   outlines(of->results, of->student, level), "output_format", "text",
                   "stdout_visibility", "hidden", "tests", tests, "leaderboard",
                   gradescope_board(of->student)),
         JSON_INDENT(1));
}

/* ---- Autolab ---- */

/* A stage's test: passed, and if not, why not. */
static void add_autolab(json_t *to, const struct item *i, enum disclosure level)
{
    char stage[32], name[32];
    const struct lesson *lesson = lesson_of(i->entry);
    snprintf(stage, sizeof stage, "Lesson %02d", lesson->number);
    if (!json_object_get(to, stage)) {
        json_array_append_new(json_object_get(to, "stages"), json_string(stage));
        json_object_set_new(to, stage, json_object());
    }
    snprintf(name, sizeof name, "%s%.8s", i->part ? "Part " : "All parts",
             i->part ? field_text(i->part, "id") : "");
    json_t *test = json_pack("{s:b}", "passed", i->passed);
    char *text = item_text(i, level);
    if (!i->passed && text[0] != '\0')
        json_object_set_new(test, "hint", text_json(text));
    else
        free(text);
    json_object_set_new(json_object_get(to, stage), name, test);
}

/* Two lines, the last of the driver's. A problem's name has no colon: Autolab would rewrite what
 * stands before it. */
void export_autolab(FILE *out, const struct export_of *of)
{
    enum disclosure level = disclosure_level(of->results);
    json_t *feedback = json_pack("{s:s s:[]}", "_presentation", "semantic", "stages"),
           *scores = json_object(), *entry;
    size_t i;
    each_item(of->student, level, add_autolab, feedback);
    json_array_foreach(json_object_get(of->student, "lessons"), i, entry) {
        char problem[32];
        snprintf(problem, sizeof problem, "Lesson %02d", lesson_of(entry)->number);
        json_object_set_new(scores, problem, json_real(field_number(entry, "score")));
    }
    dump(out, feedback, JSON_COMPACT);
    dump(out, json_pack("{s:o s:[f]}", "scores", scores, "scoreboard", sum_up(of->student).score),
         0);
}

/* ---- GitHub Classroom ---- */

static void add_classroom(json_t *to, const struct item *i, enum disclosure level)
{
    bool ran = strcmp(field_text(i->entry, "status"), "not run") != 0;
    json_array_append_new(
        to, json_pack("{s:s s:s s:f s:o s:s s:s s:i s:i}", "name", i->name, "status",
                      !ran        ? "error"
                      : i->passed ? "pass"
                                  : "fail",
                      "score", i->points, "message", text_json(item_text(i, level)), "test_code",
                      "", "filename", field_text(json_object_get(i->entry, "verdict"), "file"),
                      "line_no", 0, "duration", 0));
}

void export_classroom(FILE *out, const struct export_of *of)
{
    struct sum s = sum_up(of->student);
    json_t *tests = json_array();
    each_item(of->student, disclosure_level(of->results), add_classroom, tests);
    json_t *all = json_pack("{s:i s:s s:I s:o}", "version", 1, "status",
                            s.not_run          ? "error"
                            : s.score >= s.max ? "pass"
                                               : "fail",
                            "max_score", (json_int_t)ceil(s.max), "tests", tests);
    char *text = json_text(all, JSON_COMPACT | JSON_REAL_PRECISION(12));
    char *coded = base64(text, strlen(text));
    fprintf(out, "%s\n", coded);
    free(coded);
    free(text);
}

/* ---- PrairieLearn ---- */

static void add_prairielearn(json_t *to, const struct item *i, enum disclosure level)
{
    json_array_append_new(to, json_pack("{s:s s:s s:f s:f s:s s:o}", "name", i->name, "description",
                                        field_text(i->entry, "status"), "points", i->points,
                                        "max_points", i->max, "message", "", "output",
                                        text_json(item_text(i, level))));
}

/* What could not be graded costs nobody an attempt. */
void export_prairielearn(FILE *out, const struct export_of *of)
{
    enum disclosure level = disclosure_level(of->results);
    struct sum s = sum_up(of->student);
    json_t *tests = json_array();
    each_item(of->student, level, add_prairielearn, tests);
    dump(out,
         json_pack("{s:b s:f s:s s:o s:[] s:o}", "gradable", !s.not_run, "score",
                   s.max > 0 ? fmin(1, fmax(0, s.score / s.max)) : 0.0, "message",
                   s.not_run ? "It could not be graded yet; that is not your fault." : "", "output",
                   outlines(of->results, of->student, level), "images", "tests", tests),
         JSON_INDENT(1));
}
