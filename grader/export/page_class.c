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
#include "grader/export/escape.h"
#include "grader/report/html.h"
#include "trace/record/memory.h"

/* ---- checks that fail most ---- */

#define FAILURES_SHOWN 8u
#define MESSAGES_SHOWN 3u

static void put_failure(const struct class_page *p, const struct failure *f)
{
    const json_t *lesson = json_array_get(p->lessons, f->lesson);
    fprintf(p->to, "<li><div class=\"count\"><b>%zu</b> of %zu</div><div><b>", f->failed,
            f->judged);
    html_text(p->to, f->name);
    fputs("</b> <span class=\"soft\">", p->to);
    html_format(p->to, "lesson %02d, part %s", (int)field_number(lesson, "number"), f->part);
    fputs("</span>", p->to);
    for (size_t i = 0; i < f->message_count && i < MESSAGES_SHOWN; i++) {
        fprintf(p->to, "<p class=\"message\">%zu&nbsp;×&nbsp;", f->messages[i].count);
        html_text(p->to, f->messages[i].text);
        fputs("</p>", p->to);
    }
    if (f->message_count > MESSAGES_SHOWN)
        fprintf(p->to, "<p class=\"message\">and %zu other messages</p>",
                f->message_count - MESSAGES_SHOWN);
    fputs("<details class=\"failing\" data-who=\"", p->to);
    for (size_t i = 0; i < f->failed; i++)
        fprintf(p->to, "%s%zu:%zu", i > 0 ? " " : "", f->who[i], f->lesson);
    fputs("\" hidden><summary>whose</summary><p></p></details></div></li>\n", p->to);
}

static void put_failures(const struct class_page *p)
{
    struct failure *list;
    size_t count = common_failures(p->results, &list);
    fputs(
        "<section class=\"box\" aria-labelledby=\"failures\"><h2 id=\"failures\">Checks that fail most</h2>\n",
        p->to);
    fputs(count == 0 ? "<p>None failed.</p>\n"
                     : "<p class=\"soft\">Of those submissions in which the check was judged.</p>\n"
                       "<ol class=\"failures\">\n",
          p->to);
    for (size_t i = 0; i < count; i++) {
        if (i == FAILURES_SHOWN)
            fprintf(p->to, "</ol>\n<details><summary>%zu more</summary>\n<ol class=\"failures\">\n",
                    count - i);
        put_failure(p, &list[i]);
    }
    fputs(count == 0 ? "" : count > FAILURES_SHOWN ? "</ol></details>\n" : "</ol>\n", p->to);
    fputs("</section>\n", p->to);
    common_failures_free(list, count);
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

static void put_column(FILE *to, const char *title, const char *more, const char *class)
{
    fprintf(
        to,
        "<th scope=\"col\" class=\"%s\"><button type=\"button\" class=\"sort\" data-number=\"%d\"><span>",
        class, strcmp(class, "number") == 0 || strcmp(class, "points") == 0);
    html_text(to, title);
    fputs("</span>", to);
    if (more[0] != '\0') {
        fputs("<small>", to);
        html_text(to, more);
        fputs("</small>", to);
    }
    fputs("</button></th>", to);
}

static void put_grade(const struct class_page *p, const json_t *entry, size_t student,
                      size_t lesson)
{
    const char *tag = json_is_object(json_object_get(entry, "verdict"))
                              || !field_is(entry, "status", "not attempted")
                          ? "button"
                          : "span";
    fputs("<td data-v=\"", p->to);
    csv_number(p->to, class_page_ungraded(entry) ? -1 : field_number(entry, "score"));
    fprintf(p->to, "\"><%s class=\"grade %s\"", tag, status_class(entry));
    if (tag[0] == 'b')
        fprintf(p->to, " type=\"button\" data-k=\"%zu:%zu\"", student, lesson);
    fputs(">", p->to);
    fputs("<b>", p->to);
    if (!class_page_ungraded(entry))
        csv_number(p->to, field_number(entry, "score"));
    else if (tag[0] == 's')
        fputs("–", p->to);
    fputs("</b>", p->to);
    fprintf(p->to, "<small>%s", tag[0] == 's' ? "nothing" : field_text(entry, "status"));
    if (field_number(entry, "late_percent") > 0)
        fputs(", late", p->to);
    fprintf(p->to, "</small></%s></td>", tag);
}

static void put_student(const struct class_page *p, const json_t *student, size_t number)
{
    size_t i;
    json_t *entry;
    fprintf(p->to, "<tr data-n=\"%zu\"><th scope=\"row\">", p->numbers[number]);
    page_name(p->to, student, p->numbers[number]);
    fputs("</th>", p->to);
    if (p->sections) {
        fputs("<td class=\"section\">", p->to);
        html_text(p->to, field_text(student, "section"));
        fputs("</td>", p->to);
    }
    fputs("<td class=\"number\" data-v=\"", p->to);
    bool has_total = json_is_number(json_object_get(student, "total"));
    csv_number(p->to, has_total ? field_number(student, "total") : -1);
    fputs("\">", p->to);
    if (has_total)
        fprintf(p->to, "%.1f&nbsp;%%</td>", field_number(student, "total"));
    else
        fputs("–</td>", p->to);
    json_array_foreach(json_object_get(student, "lessons"), i, entry)
        put_grade(p, entry, number, i);
    fputs("</tr>\n", p->to);
}

static void put_grades(const struct class_page *p)
{
    size_t i;
    json_t *one;
    fputs(
        "<section class=\"box\" aria-labelledby=\"grades\"><h2 id=\"grades\">Grades</h2>\n"
        "<noscript><p>To sort them and to open submissions this page needs its script.</p></noscript>\n"
        "<div class=\"controls\" hidden><label>Find <input type=\"search\" id=\"find\" autocomplete=\"off\"></label>\n"
        "<label>Show <select id=\"only\"><option value=\"\">all</option><option>wrong</option><option>not attempted</option>"
        "<option>did not build</option><option>timed out</option><option>crashed</option><option>refused</option>"
        "<option>not run</option><option>late</option></select></label> <span id=\"shown\" role=\"status\"></span></div>\n"
        "<div class=\"scroll tall\" tabindex=\"0\" role=\"group\" aria-labelledby=\"grades\"><table id=\"students\">\n<thead><tr>",
        p->to);
    put_column(p->to, "Student", "", "name");
    if (p->sections)
        put_column(p->to, "Section", "", "section");
    put_column(p->to, "Total", "", "number");
    json_array_foreach(p->lessons, i, one) {
        char title[32], more[64];
        snprintf(title, sizeof title, "%02d", (int)field_number(one, "number"));
        snprintf(more, sizeof more, "of %.12g", field_number(one, "max"));
        put_column(p->to, title, more, "points");
    }
    fputs("</tr></thead>\n<tbody>\n", p->to);
    json_array_foreach(p->students, i, one)
        put_student(p, one, i);
    fputs(
        "</tbody></table></div>\n<p class=\"soft\">Press a grade to see what came of the submission, and its timelines.</p></section>\n",
        p->to);
}

/* ---- all ---- */

void page_class(FILE *to, const json_t *results, const char *out)
{
    struct class_page p = { .to = to, .results = results,
                            .lessons = json_object_get(results, "lessons"),
                            .students = json_object_get(results, "students"), .out = out,
                            .numbers = page_numbers(results) };
    const char *title = field_text(results, "title");
    size_t i, strays = json_array_size(json_object_get(results, "strays"));
    json_t *one;
    json_array_foreach(p.students, i, one)
        p.sections |= field_text(one, "section")[0] != '\0';
    class_page_plan_pictures(&p);
    page_begin(to, title[0] != '\0' ? title : "A class",
               "The CUDA Streams Workbook: grades, for the instructor", true, false);
    fprintf(
        to,
        "<nav aria-label=\"On this page\"><a href=\"#distribution\">Distribution</a> <a href=\"#failures\">Checks that fail</a> "
        "<a href=\"#grades\">Grades</a></nav>\n<p class=\"soft\">%zu students, %zu lessons, card ",
        json_array_size(p.students), json_array_size(p.lessons));
    html_format(to, "%s%s, workbook %s.", field_text(results, "card"),
                field_is(results, "backend", "simulator") ? ""
                : field_is(results, "backend", "both")    ? " and a GPU"
                                                          : ", on a GPU",
                field_text(results, "workbook"));
    if (strays > 0)
        fprintf(to, " %zu file%s left out: results.json names %s, with the reason%s.", strays,
                strays == 1 ? " was" : "s were", strays == 1 ? "it" : "each",
                strays == 1 ? "" : "s");
    fputs("</p>\n", to);
    class_page_put_distribution(&p);
    put_failures(&p);
    put_grades(&p);
    class_page_put_submissions(&p);
    page_end(to);
    memory_resize(p.numbers, 0);
}
