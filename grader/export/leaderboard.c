/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "grader/export/escape.h"
#include "grader/batch/results/field.h"
#include "grader/export/page.h"
#include "grader/report/html.h"
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

static void put_share(FILE *to, const json_t *share)
{
    fputs("<td class=\"number\" data-v=\"", to);
    csv_number(to, json_is_number(share) ? json_number_value(share) : -1);
    if (json_is_number(share))
        fprintf(to, "\">%.1f&nbsp;%%</td>", 100 * json_number_value(share));
    else
        fputs("\">–</td>", to);
}

static void put_standing(FILE *to, const struct standing *p, size_t line, bool names)
{
    size_t i;
    json_t *entry;
    double bar = p->share < 1 ? p->share : 1;
    fprintf(to, "<tr data-n=\"%zu\"><td class=\"number\" data-v=\"%zu\">%zu</td><th scope=\"row\">",
            line, p->rank, p->rank);
    if (names)
        page_name(to, p->student, line);
    else
        fprintf(to, "Student&nbsp;%zu", line);
    fputs("</th>", to);
    put_share(to, json_object_get(p->student, "share"));
    fprintf(
        to,
        "<td><svg class=\"share\" aria-hidden=\"true\" viewBox=\"0 0 100 10\" width=\"100\" height=\"10\">"
        "<rect class=\"rest\" width=\"100\" height=\"10\"/><rect width=\"%.0f\" height=\"10\"/></svg></td>",
        100 * bar);
    json_array_foreach(json_object_get(p->student, "lessons"), i, entry)
        put_share(to, json_object_get(entry, "share"));
    fputs("</tr>\n", to);
}

static void put_rank_column(FILE *to, const char *title, bool number)
{
    fprintf(to,
            "<th scope=\"col\"%s><button type=\"button\" class=\"sort\" data-number=\"%d\"><span>",
            number ? " class=\"number\"" : "", number);
    html_text(to, title);
    fputs("</span></button></th>", to);
}

/* Numbered by place: a number that stays would let anybody follow a student from one board to the
 * next. */
void page_leaderboard(FILE *to, const json_t *results, bool names)
{
    struct standing *list;
    size_t count = rank(results, &list), i;
    const char *title = field_text(results, "title");
    json_t *lesson;
    char heading[300];
    snprintf(heading, sizeof heading, "%s%sLeaderboard", title, title[0] != '\0' ? ": " : "");
    page_begin(to, heading, "The CUDA Streams Workbook", names, true);
    fputs(
        "<p class=\"soft\">How much of the reference solution's pace was reached: its time on the simulated card over the "
        "submission's, where a part passed; 100 % is as fast as ours. Parts that did not pass count 0.</p>\n"
        "<section class=\"box\"><div class=\"scroll tall\" tabindex=\"0\" role=\"group\" aria-label=\"Leaderboard\"><table id=\"students\">\n"
        "<thead><tr>",
        to);
    put_rank_column(to, "Rank", true);
    put_rank_column(to, "Student", false);
    put_rank_column(to, "Share", true);
    fputs("<td></td>", to);
    json_array_foreach(json_object_get(results, "lessons"), i, lesson) {
        char number[16];
        snprintf(number, sizeof number, "%02d", (int)field_number(lesson, "number"));
        put_rank_column(to, number, true);
    }
    fputs("</tr></thead>\n<tbody>\n", to);
    for (i = 0; i < count; i++)
        put_standing(to, &list[i], i + 1, names);
    fputs("</tbody></table></div>\n", to);
    if (count == 0)
        fputs("<p>No share has been measured yet.</p>\n", to);
    fputs("</section>\n", to);
    page_end(to);
    memory_resize(list, 0);
}
