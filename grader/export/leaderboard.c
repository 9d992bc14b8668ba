/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "grader/batch/results/field.h"
#include "grader/export/page.h"
#include "grader/report/template.h"
#include "trace/record/memory.h"

struct standing { const json_t *student; double share; size_t number, rank; };

/* Among equals the order of their numbers, which says nothing of who they are. */
static int by_share(const void *a, const void *b)
{
    const struct standing *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Those with a share; returns how many. The caller's. */
static size_t rank(const json_t *results, struct standing **list)
{
    const json_t *students = json_object_get(results, "students");
    size_t *numbers = page_numbers(results), i, count = 0;
    json_t *student;
    *list = memory_resize(NULL, (json_array_size(students) + 1) * sizeof **list);
    json_array_foreach(students, i, student)
        if (json_is_number(json_object_get(student, "share")))
            (*list)[count++] =
                (struct standing){ student, field_number(student, "share"), numbers[i], 0 };
    qsort(*list, count, sizeof **list, by_share);
    for (i = 0; i < count; i++)
        (*list)[i].rank =
            i > 0 && (*list)[i].share == (*list)[i - 1].share ? (*list)[i - 1].rank : i + 1;
    memory_resize(numbers, 0);
    return count;
}

static void view_share(json_t *view, const json_t *share)
{
    bool known = json_is_number(share);
    view_decimal(view, "value", known ? json_number_value(share) : -1);
    if (known)
        view_format(view, "percent", "%.1f", 100 * json_number_value(share));
}

static void view_standing(json_t *view, const struct standing *p, size_t line, bool names)
{
    json_t *shares = view_list(view, "shares"), *entry;
    size_t i;
    view_number(view, "line", line);
    view_number(view, "rank", p->rank);
    view_text(view, "who", names ? page_name(p->student) : "");
    view_share(view_object(view, "share"), json_object_get(p->student, "share"));
    view_format(view, "bar", "%.0f", 100 * (p->share < 1 ? p->share : 1));
    json_array_foreach(json_object_get(p->student, "lessons"), i, entry)
        view_share(view_more(shares), json_object_get(entry, "share"));
}

/* leaderboard.html, embedded. */
extern const char leaderboard_template[];

/* Numbered by place: a number that stays would let anybody follow a student from one board to the
 * next. */
void page_leaderboard(FILE *to, const json_t *results, bool names)
{
    struct standing *list;
    size_t count = rank(results, &list), i;
    const char *title = field_text(results, "title");
    json_t *view = json_object(), *lessons = view_list(view, "lessons"),
           *standings = view_list(view, "standings"), *lesson;
    view_format(view, "title", "%s%sLeaderboard", title, title[0] != '\0' ? ": " : "");
    view_text(view, "kicker", "The CUDA Streams Workbook");
    view_number(view, "names", names);
    view_number(view, "hidden", true);
    json_array_foreach(json_object_get(results, "lessons"), i, lesson)
        view_format(view_more(lessons), "number", "%02d", (int)field_number(lesson, "number"));
    for (i = 0; i < count; i++)
        view_standing(view_more(standings), &list[i], i + 1, names);
    page_write(to, leaderboard_template, view);
    memory_resize(list, 0);
}
