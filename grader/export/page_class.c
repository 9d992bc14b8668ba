/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * The tables are HTML: they are there without a script, and thousands of rows are quickly there
 * with one.
 */
#include "grader/export/page.h"

#include <string.h>

#include "grader/export/class_page.h"
#include "grader/export/common_failures.h"
#include "grader/report/template.h"
#include "trace/record/memory.h"

/* class.html, embedded. */
extern const char class_template[];

/* ---- checks that fail most ---- */

#define FAILURES_SHOWN 8u
#define MESSAGES_SHOWN 3u

static void view_failure(json_t *view, const struct class_page *p, const struct failure *f)
{
    const json_t *lesson = json_array_get(p->lessons, f->lesson);
    json_t *messages = view_list(view, "messages"), *who = view_list(view, "who");
    view_number(view, "failed", f->failed);
    view_number(view, "judged", f->judged);
    view_text(view, "name", f->name);
    view_format(view, "lesson", "%02d", (int)field_number(lesson, "number"));
    view_text(view, "part", f->part);
    for (size_t i = 0; i < f->message_count && i < MESSAGES_SHOWN; i++) {
        json_t *message = view_more(messages);
        view_number(message, "count", f->messages[i].count);
        view_text(message, "text", f->messages[i].text);
    }
    view_number(view, "others", f->message_count - json_array_size(messages));
    for (size_t i = 0; i < f->failed; i++)
        view_format(view_more(who), "key", "%s%zu:%zu", i > 0 ? " " : "", f->who[i], f->lesson);
}

static void view_failures(json_t *view, const struct class_page *p)
{
    struct failure *failures;
    size_t count = common_failures(p->results, &failures);
    json_t *list = view_list(view, "failures");
    for (size_t i = 0; i < count; i++) {
        json_t *one = view_more(list);
        view_failure(one, p, &failures[i]);
        view_number(one, "more", i == FAILURES_SHOWN ? count - i : 0);
    }
    view_number(view, "any", count);
    view_number(view, "folded", count > FAILURES_SHOWN);
    common_failures_free(failures, count);
}

/* ---- grades ---- */

static const char *status_class(const json_t *entry)
{
    return field_is(entry, "status", "passed")  ? "passed"
           : field_is(entry, "status", "wrong") ? "wrong"
           : field_is(entry, "status", "not attempted") || field_is(entry, "status", "excused")
               ? "none"
               : "trouble";
}

/* `more`, below the title, and how it is sorted. */
static void view_column(json_t *list, const char *title, const char *class, bool number,
                        const char *more)
{
    json_t *view = view_more(list);
    view_text(view, "title", title);
    view_text(view, "class", class);
    view_number(view, "number", number);
    view_text(view, "more", more);
}

static void view_columns(json_t *list, const struct class_page *p)
{
    size_t i;
    json_t *lesson;
    view_column(list, "Student", "name", false, "");
    if (p->sections)
        view_column(list, "Section", "section", false, "");
    view_column(list, "Total", "number", true, "");
    json_array_foreach(p->lessons, i, lesson) {
        char title[32], more[64];
        snprintf(title, sizeof title, "%02d", (int)field_number(lesson, "number"));
        snprintf(more, sizeof more, "of %.12g", field_number(lesson, "max"));
        view_column(list, title, "points", true, more);
    }
}

static void view_grade(json_t *view, const json_t *entry, size_t student, size_t lesson)
{
    bool graded = !class_page_ungraded(entry), opens = class_page_opens(entry);
    view_decimal(view, "value", graded ? field_number(entry, "score") : -1);
    view_text(view, "class", status_class(entry));
    if (opens)
        view_format(view, "key", "%zu:%zu", student, lesson);
    if (graded)
        view_decimal(view, "score", field_number(entry, "score"));
    else
        view_text(view, "score", opens ? "" : "–");
    view_text(view, "status", field_text(entry, "status"));
    view_number(view, "late", field_number(entry, "late_percent") > 0);
}

static void view_student(json_t *view, const struct class_page *p, const json_t *student,
                         size_t number)
{
    json_t *grades = view_list(view, "grades"), *entry;
    size_t i;
    bool has_total = json_is_number(json_object_get(student, "total"));
    view_number(view, "alias", p->numbers[number]);
    view_text(view, "who", page_name(student));
    view_text(view, "section", field_text(student, "section"));
    view_decimal(view, "value", has_total ? field_number(student, "total") : -1);
    if (has_total)
        view_format(view, "total", "%.1f", field_number(student, "total"));
    json_array_foreach(json_object_get(student, "lessons"), i, entry)
        view_grade(view_more(grades), entry, number, i);
}

/* ---- all ---- */

static void view_head(json_t *view, const struct class_page *p)
{
    const json_t *results = p->results;
    const char *title = field_text(results, "title");
    size_t strays = json_array_size(json_object_get(results, "strays"));
    view_text(view, "title", title[0] != '\0' ? title : "A class");
    view_text(view, "kicker", "The CUDA Streams Workbook: grades, for the instructor");
    view_number(view, "names", true);
    view_number(view, "student_count", json_array_size(p->students));
    view_number(view, "lesson_count", json_array_size(p->lessons));
    view_format(view, "card", "%s%s", field_text(results, "card"),
                field_is(results, "backend", "simulator") ? ""
                : field_is(results, "backend", "both")    ? " and a GPU"
                                                          : ", on a GPU");
    view_text(view, "workbook", field_text(results, "workbook"));
    view_number(view, "strays", strays);
    view_number(view, "one", strays == 1);
}

void page_class(FILE *to, const json_t *results, const char *out)
{
    struct class_page p = { .results = results, .lessons = json_object_get(results, "lessons"),
                            .students = json_object_get(results, "students"), .out = out,
                            .numbers = page_numbers(results) };
    json_t *view = json_object(), *students = view_list(view, "students"), *one;
    size_t i;
    json_array_foreach(p.students, i, one)
        p.sections |= field_text(one, "section")[0] != '\0';
    class_page_plan_pictures(&p);
    view_head(view, &p);
    class_page_view_distribution(view, &p);
    view_failures(view, &p);
    view_number(view, "sections", p.sections);
    view_columns(view_list(view, "columns"), &p);
    json_array_foreach(p.students, i, one)
        view_student(view_more(students), &p, one, i);
    class_page_view_submissions(view, &p);
    page_write(to, class_template, view);
    memory_resize(p.numbers, 0);
}
