/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * The tables are HTML: they are there without a script, and thousands of rows are quickly there with one. What a
 * submission shows when it is opened (its words, its pictures) is packed: deflated JSON in base64, one string for each,
 * under "student:lesson". A picture is some 10 kB as it is and 1 to 4 packed. Where all of them would make a page that no
 * telephone opens, only those of parts that did not pass are taken, in the table's order, as many as it bears, and the
 * page says so.
 */
#include "grader/export/page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "grader/batch/files/ledger.h"
#include "grader/base/environment.h"
#include "grader/export/common_failures.h"
#include "grader/export/escape.h"
#include "grader/batch/results/field.h"
#include "grader/batch/results/disclosure.h"
#include "grader/report/html.h"
#include "trace/record/memory.h"

#define PACKED_MOST (48u << 20)         /* bytes of pictures in a page */
#define PACKS_TO 7u                     /* a picture's size over its packed one, at least */
#define BINS 10u

struct class_page {
    FILE *to;
    const json_t *results, *lessons, *students;
    const char *out;
    size_t *numbers;
    bool sections, all_pictures, left_out;
    size_t room;                /* for pictures, where not all are taken */
};

/* No score stands for it. */
static bool has_no_grade(const json_t *entry)
{
    return !field_is(entry, "grade", "points");
}

static const char *status_class(const json_t *entry)
{
    return field_is(entry, "status", "passed") ? "passed" : field_is(entry, "status", "wrong") ? "wrong"
         : field_is(entry, "status", "not attempted") || field_is(entry, "status", "excused") ? "none" : "trouble";
}

/* ---- distribution ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct spread { unsigned bin[BINS], most; double mean, median; size_t count; };

static struct spread spread_of(double *percent, size_t count)
{
    struct spread s = { .count = count };
    double sum = 0;
    qsort(percent, count, sizeof *percent, by_value);
    for (size_t i = 0; i < count; i++) {
        unsigned bin = percent[i] >= 100 ? BINS - 1 : (unsigned)(percent[i] / (100.0 / BINS));
        sum += percent[i];
        if (++s.bin[bin] > s.most)
            s.most = s.bin[bin];
    }
    if (count > 0) {
        s.mean = sum / (double)count;
        s.median = (percent[(count - 1) / 2] + percent[count / 2]) / 2;
    }
    return s;
}

/* Percent of each student's total (lesson NULL), or of a lesson; what has no grade is left out. */
static struct spread spread_of_class(const struct class_page *p, const json_t *lesson, size_t number)
{
    size_t n = json_array_size(p->students), count = 0;
    double *percent = memory_resize(NULL, (n + 1) * sizeof *percent);
    for (size_t i = 0; i < n; i++) {
        const json_t *student = json_array_get(p->students, i);
        const json_t *entry = json_array_get(json_object_get(student, "lessons"), number);
        double max = field_number(entry, "max");
        if (!lesson && json_is_number(json_object_get(student, "total")))
            percent[count++] = field_number(student, "total");
        else if (lesson && !has_no_grade(entry) && max > 0)
            percent[count++] = 100 * field_number(entry, "score") / max;
    }
    struct spread s = spread_of(percent, count);
    memory_resize(percent, 0);
    return s;
}

static void put_bars(FILE *to, const struct spread *s)
{
    fputs("<svg class=\"bars\" role=\"img\" viewBox=\"0 0 100 28\" width=\"100\" height=\"28\" aria-label=\"", to);
    for (unsigned i = 0; i < BINS; i++)
        if (s->bin[i] > 0)
            fprintf(to, "%u to %u %%: %u; ", i * 100 / BINS, (i + 1) * 100 / BINS, s->bin[i]);
    fputs("\">", to);
    for (unsigned i = 0; i < BINS; i++) {
        unsigned height = s->most > 0 ? (26 * s->bin[i] + s->most - 1) / s->most : 0;
        fprintf(to, "<rect x=\"%u\" y=\"%u\" width=\"8\" height=\"%u\"><title>%u to %u %%: %u</title></rect>", i * 10 + 1,
                27 - height, height + 1, i * 100 / BINS, (i + 1) * 100 / BINS, s->bin[i]);
    }
    fputs("</svg>", to);
}

static void put_statuses(const struct class_page *p, size_t number)
{
    static const char *const words[] = { "passed", "wrong", "not attempted", "did not build", "timed out", "crashed", "refused",
                                         "not run", "excused" };
    const char *between = "";
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t count = 0, i;
        json_t *student;
        json_array_foreach(p->students, i, student)
            count += field_is(json_array_get(json_object_get(student, "lessons"), number), "status", words[k]);
        if (count > 0) {
            fprintf(p->to, "%s%zu&nbsp;%s", between, count, words[k]);
            between = ", ";
        }
    }
}

static void put_spread(const struct class_page *p, const json_t *lesson, size_t number)
{
    struct spread s = spread_of_class(p, lesson, number);
    fputs("<li><b>", p->to);
    if (lesson)
        html_format(p->to, "%02d %s", (int)field_number(lesson, "number"), field_text(lesson, "title"));
    else
        fputs("Total", p->to);
    fprintf(p->to, "</b><span class=\"soft\">median %.0f&nbsp;%%, mean %.0f&nbsp;%%</span>", s.median, s.mean);
    put_bars(p->to, &s);
    fputs("<span>", p->to);
    if (lesson)
        put_statuses(p, number);
    fputs("</span></li>\n", p->to);
}

static void put_distribution(const struct class_page *p)
{
    size_t i;
    json_t *lesson;
    fputs("<section class=\"box\" aria-labelledby=\"distribution\"><h2 id=\"distribution\">Distribution</h2>\n<ul class=\"spreads\">\n", p->to);
    put_spread(p, NULL, 0);
    json_array_foreach(p->lessons, i, lesson)
        put_spread(p, lesson, i);
    fputs("</ul>\n<p class=\"soft\">The bars: how many students reached 0 to 10&nbsp;%, 10 to 20&nbsp;% … of the points.</p></section>\n", p->to);
}

/* ---- checks that fail most ---- */

#define FAILURES_SHOWN 8u
#define MESSAGES_SHOWN 3u

static void put_failure(const struct class_page *p, const struct failure *f)
{
    const json_t *lesson = json_array_get(p->lessons, f->lesson);
    fprintf(p->to, "<li><div class=\"count\"><b>%zu</b> of %zu</div><div><b>", f->failed, f->judged);
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
        fprintf(p->to, "<p class=\"message\">and %zu other messages</p>", f->message_count - MESSAGES_SHOWN);
    fputs("<details class=\"failing\" data-who=\"", p->to);
    for (size_t i = 0; i < f->failed; i++)
        fprintf(p->to, "%s%zu:%zu", i > 0 ? " " : "", f->who[i], f->lesson);
    fputs("\" hidden><summary>whose</summary><p></p></details></div></li>\n", p->to);
}

static void put_failures(const struct class_page *p)
{
    struct failure *list;
    size_t count = common_failures(p->results, &list);
    fputs("<section class=\"box\" aria-labelledby=\"failures\"><h2 id=\"failures\">Checks that fail most</h2>\n", p->to);
    fputs(count == 0 ? "<p>None failed.</p>\n" : "<p class=\"soft\">Of those submissions in which the check was judged.</p>\n"
          "<ol class=\"failures\">\n", p->to);
    for (size_t i = 0; i < count; i++) {
        if (i == FAILURES_SHOWN)
            fprintf(p->to, "</ol>\n<details><summary>%zu more</summary>\n<ol class=\"failures\">\n", count - i);
        put_failure(p, &list[i]);
    }
    fputs(count == 0 ? "" : count > FAILURES_SHOWN ? "</ol></details>\n" : "</ol>\n", p->to);
    fputs("</section>\n", p->to);
    common_failures_free(list, count);
}

/* ---- grades ---- */

static void put_column(FILE *to, const char *title, const char *more, const char *class)
{
    fprintf(to, "<th scope=\"col\" class=\"%s\"><button type=\"button\" class=\"sort\" data-number=\"%d\"><span>", class,
            strcmp(class, "number") == 0 || strcmp(class, "points") == 0);
    html_text(to, title);
    fputs("</span>", to);
    if (more[0] != '\0') {
        fputs("<small>", to);
        html_text(to, more);
        fputs("</small>", to);
    }
    fputs("</button></th>", to);
}

static void put_grade(const struct class_page *p, const json_t *entry, size_t student, size_t lesson)
{
    const char *tag = json_is_object(json_object_get(entry, "verdict")) || !field_is(entry, "status", "not attempted") ? "button" : "span";
    fputs("<td data-v=\"", p->to);
    csv_number(p->to, has_no_grade(entry) ? -1 : field_number(entry, "score"));
    fprintf(p->to, "\"><%s class=\"grade %s\"", tag, status_class(entry));
    if (tag[0] == 'b')
        fprintf(p->to, " type=\"button\" data-k=\"%zu:%zu\"", student, lesson);
    fputs(">", p->to);
    fputs("<b>", p->to);
    if (!has_no_grade(entry))
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
    fputs("<section class=\"box\" aria-labelledby=\"grades\"><h2 id=\"grades\">Grades</h2>\n"
          "<noscript><p>To sort them and to open submissions this page needs its script.</p></noscript>\n"
          "<div class=\"controls\" hidden><label>Find <input type=\"search\" id=\"find\" autocomplete=\"off\"></label>\n"
          "<label>Show <select id=\"only\"><option value=\"\">all</option><option>wrong</option><option>not attempted</option>"
          "<option>did not build</option><option>timed out</option><option>crashed</option><option>refused</option>"
          "<option>not run</option><option>late</option></select></label> <span id=\"shown\" role=\"status\"></span></div>\n"
          "<div class=\"scroll tall\" tabindex=\"0\" role=\"group\" aria-labelledby=\"grades\"><table id=\"students\">\n<thead><tr>", p->to);
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
    fputs("</tbody></table></div>\n<p class=\"soft\">Press a grade to see what came of the submission, and its timelines.</p></section>\n",
          p->to);
}

/* ---- submissions, packed ---- */

static char *pictures_path(const struct class_page *p, const json_t *student, const json_t *entry)
{
    char *folder = ledger_name(field_text(student, "id")), *path;
    if (asprintf(&path, "%s/attempts/%s/%s/%s.pictures", p->out, folder, field_text(entry, "lesson"), field_text(entry, "key")) < 0)
        die("no memory left");
    free(folder);
    return path;
}

static bool are_all_bearable(const struct class_page *p)
{
    size_t i, k, sum = 0;
    json_t *student, *entry;
    json_array_foreach(p->students, i, student)
        json_array_foreach(json_object_get(student, "lessons"), k, entry) {
            char *path = pictures_path(p, student, entry);
            struct stat s;
            sum += stat(path, &s) == 0 ? (size_t)s.st_size / PACKS_TO : 0;
            free(path);
        }
    return sum <= PACKED_MOST;
}

static bool part_passed(const json_t *entry, const char *part)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(entry, "parts"), i, one)
        if (field_is(one, "id", part))
            return field_number(one, "points") >= field_number(one, "max");
    return false;
}

/* Of a class that is too large for all. */
static bool has_room(struct class_page *p, const json_t *picture)
{
    size_t bytes = json_string_length(picture) / PACKS_TO;
    p->left_out |= bytes > p->room;
    if (p->left_out)
        return false;
    p->room -= bytes;
    return true;
}

/* The picture of a part, or NULL. */
static json_t *picture_of(struct class_page *p, const json_t *pictures, const json_t *entry, const char *part)
{
    size_t i;
    json_t *one;
    json_array_foreach(pictures, i, one) {
        json_t *picture = json_object_get(one, "svg");
        if (field_is(one, "part", part) && (p->all_pictures || (!part_passed(entry, part) && has_room(p, picture))))
            return picture;
    }
    return NULL;
}

/* Is there a part whose picture is wanted? Else nobody needs to read them. */
static bool wants_pictures(const struct class_page *p, const json_t *entry)
{
    size_t i;
    json_t *one;
    if (p->all_pictures || p->left_out)
        return p->all_pictures;
    json_array_foreach(json_object_get(entry, "parts"), i, one)
        if (!part_passed(entry, field_text(one, "id")))
            return true;
    return false;
}

static json_t *checks_of(const json_t *entry, const char *part)
{
    json_t *list = json_array(), *check;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(entry, "verdict"), "checks"), i, check) {
        if (!field_is(check, "part", part) || !disclosure_check(entry, check, DISCLOSURE_ALL))
            continue;
        char *advice = disclosure_advice(check);
        json_array_append_new(list, json_pack("[s s s]", field_text(check, "outcome"), field_text(check, "name"), advice));
        free(advice);
    }
    return list;
}

static json_t *parts_of(struct class_page *p, const json_t *student, const json_t *entry, size_t lesson)
{
    json_t *list = json_array(), *pictures = NULL, *part;
    size_t i;
    if (p->out && wants_pictures(p, entry)) {
        char *path = pictures_path(p, student, entry);
        pictures = ledger_read_json(path);
        free(path);
    }
    json_array_foreach(json_object_get(json_array_get(p->lessons, lesson), "parts"), i, part) {
        const char *id = field_text(part, "id");
        json_t *picture = picture_of(p, pictures, entry, id);
        json_t *all = json_pack("{s:s s:s s:o s:o s:o}", "id", id, "title", field_text(part, "title"),
            "points", json_real(field_number(json_array_get(json_object_get(entry, "parts"), i), "points")),
            "max", json_real(field_number(part, "max")), "checks", checks_of(entry, id));
        if (picture)
            json_object_set(all, "svg", picture);
        json_array_append_new(list, all);
    }
    json_decref(pictures);
    return list;
}

/* A line on the whole: points, status, lateness, share, attempt. */
static char *head_of(const json_t *entry)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        die("no memory left");
    fprintf(out, "%s, %.12g of %.12g points", field_text(entry, "status"), field_number(entry, "score"), field_number(entry, "max"));
    if (field_number(entry, "late_percent") > 0)
        fprintf(out, " (late: %.12g %% off)", field_number(entry, "late_percent"));
    if (json_is_number(json_object_get(entry, "share")))
        fprintf(out, "; %.1f %% of the reference's pace", 100 * field_number(entry, "share"));
    if (field_number(entry, "attempts") > 1)
        fprintf(out, "; attempt %.0f of %.0f", field_number(entry, "attempt"), field_number(entry, "attempts"));
    if (field_number(entry, "attempt") > 0 && !json_is_true(json_object_get(entry, "current")))
        fputs("; not of the file that lies there now", out);
    fclose(out);
    return text;
}

static void put_packed(struct class_page *p, const json_t *student, const json_t *entry, size_t lesson)
{
    char *termination = disclosure_end(entry, DISCLOSURE_ALL), *head = head_of(entry);
    json_t *all = json_pack("{s:s s:s s:o}", "head", head, "end", termination, "parts", parts_of(p, student, entry, lesson));
    char *text = json_dumps(all, JSON_COMPACT);
    free(termination);
    free(head);
    json_decref(all);
    if (!text)
        die("no memory left");
    uLong size = compressBound(strlen(text));
    Bytef *packed = memory_resize(NULL, size);
    if (compress2(packed, &size, (const Bytef *)text, strlen(text), 9) != Z_OK)
        die("no memory left");
    char *coded = base64(packed, size);
    fputs(coded, p->to);
    free(coded);
    memory_resize(packed, 0);
    free(text);
}

static void put_data(struct class_page *p)
{
    size_t i, k;
    json_t *student, *entry;
    const char *between = "";
    fputs("<script type=\"application/json\" id=\"data\">{", p->to);
    json_array_foreach(p->students, i, student)
        json_array_foreach(json_object_get(student, "lessons"), k, entry) {
            if (field_is(entry, "status", "not attempted") && !json_is_object(json_object_get(entry, "verdict")))
                continue;
            fprintf(p->to, "%s\n\"%zu:%zu\":\"", between, i, k);
            put_packed(p, student, entry, k);
            fputs("\"", p->to);
            between = ",";
        }
    fputs("}</script>\n<script type=\"application/json\" id=\"lessons\">[", p->to);
    json_array_foreach(p->lessons, i, entry)
        fprintf(p->to, "%s\"%02d\"", i > 0 ? "," : "", (int)field_number(entry, "number"));
    fputs("]</script>\n", p->to);
}

static void put_dialog(const struct class_page *p)
{
    fputs("<dialog id=\"submission\" aria-labelledby=\"whose\"><div class=\"bar\"><h2 id=\"whose\"></h2>"
          "<button type=\"button\" id=\"before\">Previous</button><button type=\"button\" id=\"after\">Next</button>"
          "<button type=\"button\" id=\"close\">Close</button></div>\n<p id=\"head\"></p><pre id=\"end\" tabindex=\"0\"></pre>"
          "<div id=\"parts\"></div>", p->to);
    if (!p->all_pictures)
        fprintf(p->to, "<p class=\"soft\">This class is large: timelines are shown of parts that did not pass%s.</p>",
                p->left_out ? ", of as many as the page bears" : "");
    fputs("</dialog>\n", p->to);
}

/* ---- all ---- */

void page_class(FILE *to, const json_t *results, const char *out)
{
    struct class_page p = { .to = to, .results = results, .lessons = json_object_get(results, "lessons"),
                            .students = json_object_get(results, "students"), .out = out, .numbers = page_numbers(results) };
    const char *title = field_text(results, "title");
    size_t i, strays = json_array_size(json_object_get(results, "strays"));
    json_t *one;
    json_array_foreach(p.students, i, one)
        p.sections |= field_text(one, "section")[0] != '\0';
    p.all_pictures = !out || are_all_bearable(&p);
    p.room = PACKED_MOST;
    page_begin(to, title[0] != '\0' ? title : "A class", "The CUDA Streams Workbook: grades, for the instructor", true, false);
    fprintf(to, "<nav aria-label=\"On this page\"><a href=\"#distribution\">Distribution</a> <a href=\"#failures\">Checks that fail</a> "
            "<a href=\"#grades\">Grades</a></nav>\n<p class=\"soft\">%zu students, %zu lessons, card ", json_array_size(p.students),
            json_array_size(p.lessons));
    html_format(to, "%s%s, workbook %s.", field_text(results, "card"), field_is(results, "backend", "simulator") ? ""
                : field_is(results, "backend", "both") ? " and a GPU" : ", on a GPU", field_text(results, "workbook"));
    if (strays > 0)
        fprintf(to, " %zu file%s left out: results.json names %s, with the reason%s.", strays, strays == 1 ? " was" : "s were",
                strays == 1 ? "it" : "each", strays == 1 ? "" : "s");
    fputs("</p>\n", to);
    put_distribution(&p);
    put_failures(&p);
    put_grades(&p);
    put_data(&p);
    put_dialog(&p);
    page_end(to);
    memory_resize(p.numbers, 0);
}
