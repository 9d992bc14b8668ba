/* SPDX-License-Identifier: MIT */
/* How the points of a class are distributed: of each lesson and in all. */
#include "grader/export/class_page.h"

#include <stdlib.h>

#include "grader/report/template.h"
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

static void view_bins(json_t *list, const struct spread *s)
{
    for (unsigned i = 0; i < BINS; i++) {
        json_t *view = view_more(list);
        unsigned height = s->most > 0 ? (26 * s->bin[i] + s->most - 1) / s->most : 0;
        view_number(view, "from", i * 100 / BINS);
        view_number(view, "to", (i + 1) * 100 / BINS);
        view_number(view, "count", s->bin[i]);
        view_number(view, "x", i * 10 + 1);
        view_number(view, "y", 27 - height);
        view_number(view, "height", height + 1);
    }
}

static void view_statuses(json_t *list, const struct class_page *p, size_t number)
{
    static const char *const words[] = { "passed",        "wrong",     "not attempted",
                                         "did not build", "timed out", "crashed",
                                         "refused",       "not run",   "excused" };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t count = 0, i;
        json_t *student;
        json_array_foreach(p->students, i, student)
            count += field_is(json_array_get(json_object_get(student, "lessons"), number), "status",
                              words[k]);
        if (count == 0)
            continue;
        const char *between = json_array_size(list) > 0 ? ", " : "";
        json_t *view = view_more(list);
        view_text(view, "between", between);
        view_number(view, "count", count);
        view_text(view, "word", words[k]);
    }
}

static void view_spread(json_t *view, const struct class_page *p, const json_t *lesson,
                        size_t number)
{
    struct spread s = spread_of_class(p, lesson, number);
    json_t *statuses = view_list(view, "statuses");
    if (lesson) {
        view_format(view, "name", "%02d %s", (int)field_number(lesson, "number"),
                    field_text(lesson, "title"));
        view_statuses(statuses, p, number);
    } else {
        view_text(view, "name", "Total");
    }
    view_format(view, "median", "%.0f", s.median);
    view_format(view, "mean", "%.0f", s.mean);
    view_bins(view_list(view, "bins"), &s);
}

void class_page_view_distribution(json_t *view, const struct class_page *p)
{
    json_t *list = view_list(view, "spreads"), *lesson;
    size_t i;
    view_spread(view_more(list), p, NULL, 0);
    json_array_foreach(p->lessons, i, lesson)
        view_spread(view_more(list), p, lesson, i);
}
