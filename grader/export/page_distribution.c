/* SPDX-License-Identifier: MIT */
/* How the points of a class are distributed: of each lesson and in all. */
#include "grader/export/class_page.h"

#include <stdlib.h>

#include "grader/report/html.h"
#include "trace/record/memory.h"

#define BINS 10u

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
static struct spread spread_of_class(const struct class_page *p, const json_t *lesson,
                                     size_t number)
{
    size_t n = json_array_size(p->students), count = 0;
    double *percent = memory_resize(NULL, (n + 1) * sizeof *percent);
    for (size_t i = 0; i < n; i++) {
        const json_t *student = json_array_get(p->students, i);
        const json_t *entry = json_array_get(json_object_get(student, "lessons"), number);
        double max = field_number(entry, "max");
        if (!lesson && json_is_number(json_object_get(student, "total")))
            percent[count++] = field_number(student, "total");
        else if (lesson && !class_page_ungraded(entry) && max > 0)
            percent[count++] = 100 * field_number(entry, "score") / max;
    }
    struct spread s = spread_of(percent, count);
    memory_resize(percent, 0);
    return s;
}

static void put_bars(FILE *to, const struct spread *s)
{
    fputs(
        "<svg class=\"bars\" role=\"img\" viewBox=\"0 0 100 28\" width=\"100\" height=\"28\" aria-label=\"",
        to);
    for (unsigned i = 0; i < BINS; i++)
        if (s->bin[i] > 0)
            fprintf(to, "%u to %u %%: %u; ", i * 100 / BINS, (i + 1) * 100 / BINS, s->bin[i]);
    fputs("\">", to);
    for (unsigned i = 0; i < BINS; i++) {
        unsigned height = s->most > 0 ? (26 * s->bin[i] + s->most - 1) / s->most : 0;
        fprintf(
            to,
            "<rect x=\"%u\" y=\"%u\" width=\"8\" height=\"%u\"><title>%u to %u %%: %u</title></rect>",
            i * 10 + 1, 27 - height, height + 1, i * 100 / BINS, (i + 1) * 100 / BINS, s->bin[i]);
    }
    fputs("</svg>", to);
}

static void put_statuses(const struct class_page *p, size_t number)
{
    static const char *const words[] = { "passed",        "wrong",     "not attempted",
                                         "did not build", "timed out", "crashed",
                                         "refused",       "not run",   "excused" };
    const char *between = "";
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t count = 0, i;
        json_t *student;
        json_array_foreach(p->students, i, student)
            count += field_is(json_array_get(json_object_get(student, "lessons"), number), "status",
                              words[k]);
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
        html_format(p->to, "%02d %s", (int)field_number(lesson, "number"),
                    field_text(lesson, "title"));
    else
        fputs("Total", p->to);
    fprintf(p->to, "</b><span class=\"soft\">median %.0f&nbsp;%%, mean %.0f&nbsp;%%</span>",
            s.median, s.mean);
    put_bars(p->to, &s);
    fputs("<span>", p->to);
    if (lesson)
        put_statuses(p, number);
    fputs("</span></li>\n", p->to);
}

void class_page_put_distribution(const struct class_page *p)
{
    size_t i;
    json_t *lesson;
    fputs(
        "<section class=\"box\" aria-labelledby=\"distribution\"><h2 id=\"distribution\">Distribution</h2>\n<ul class=\"spreads\">\n",
        p->to);
    put_spread(p, NULL, 0);
    json_array_foreach(p->lessons, i, lesson)
        put_spread(p, lesson, i);
    fputs(
        "</ul>\n<p class=\"soft\">The bars: how many students reached 0 to 10&nbsp;%, 10 to 20&nbsp;% … of the points.</p></section>\n",
        p->to);
}
