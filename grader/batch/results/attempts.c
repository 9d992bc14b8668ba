/* SPDX-License-Identifier: MIT */
#include "grader/batch/results/attempts.h"

#include <stdlib.h>
#include <string.h>

void attempt_sum_part(const json_t *verdict, const char *part, int *earned, int *most)
{
    size_t i;
    json_t *check;
    *earned = *most = 0;
    json_array_foreach(json_object_get(verdict, "checks"), i, check) {
        const char *its = json_string_value(json_object_get(check, "part"));
        if (!its || strcmp(its, part) != 0)
            continue;
        *earned += (int)json_integer_value(json_object_get(check, "points"));
        *most += (int)json_integer_value(json_object_get(check, "max_points"));
    }
}

int64_t attempt_part_score(const struct rubric_lesson *l, const json_t *verdict, size_t part)
{
    int earned, most;
    attempt_sum_part(verdict, l->lesson->parts[part].id, &earned, &most);
    return rubric_part_score(l, part, earned, most);
}

/* What is known of the file that lies there now is known of the attempt at it: its time may have
 * been given since. */
static void find_time(struct attempt *a, const struct job *j)
{
    a->when = json_integer_value(json_object_get(a->all, "handed_in"));
    a->when_from = (enum when_from)json_integer_value(json_object_get(a->all, "time_from"));
    a->late = json_is_true(json_object_get(a->all, "late"));
    if (!j || strcmp(a->key, j->key) != 0
        || (j->when_from <= WHEN_FILE && a->when_from >= j->when_from))
        return;
    a->when = j->when;
    a->when_from = j->when_from;
    a->late = j->late;
}

/* What Canvas marks as late was late for the date that Canvas has: of a date that the instructor
 * gave here it says nothing. */
static bool is_time_known(const struct class *c, const struct attempt *a, int64_t own_due)
{
    return a->when_from == WHEN_CANVAS
               ? own_due == 0
               : a->when_from > WHEN_FILE || (a->when_from == WHEN_FILE && c->rubric->file_times);
}

static void count_score(struct attempt *a, const struct class *c, const struct rubric_lesson *l,
                        int64_t due)
{
    const json_t *verdict = json_object_get(a->all, "verdict");
    struct rubric_lesson own = *l;
    int64_t score = 0;
    for (size_t i = 0; i < l->lesson->part_count; i++)
        score += attempt_part_score(l, verdict, i);
    own.due = due != 0 ? due : l->due;
    a->timed = is_time_known(c, a, due);
    a->penalty = rubric_penalty(c->rubric, &own, a->timed ? a->when : 0,
                                a->late && a->when_from == WHEN_CANVAS && a->timed);
    a->score = (score * (1000 - a->penalty) + 500) / 1000;
}

size_t attempts_of(const struct class *c, const char *folder, const struct rubric_lesson *l,
                   const struct job *j, const struct given_time *given, struct attempt *list)
{
    int64_t last = 0;
    static struct saved_attempt saved[ATTEMPTS_MOST];
    size_t count = attempts_read(c->plan, folder, l->lesson, saved);
    for (size_t i = 0; i < count; i++) {
        const char *file = json_string_value(json_object_get(saved[i].all, "file"));
        char key[LEDGER_KEY] = "";
        struct attempt *a = &list[i];
        *a = (struct attempt){ .all = saved[i].all,
                               .number =
                                   json_integer_value(json_object_get(saved[i].all, "number")) };
        memcpy(a->key, saved[i].key, LEDGER_KEY);
        if (file)
            plan_key(c->plan, key, l->lesson, file);
        a->stale = strcmp(key, a->key) != 0;
        find_time(a, j);
        last = a->number > last ? a->number : last;
    }
    for (size_t i = 0; i < count; i++) {
        if (given->when != 0
            && list[i].number == last) {       /* the instructor means the one that came last */
            list[i].when = given->when;
            list[i].when_from = c->times->is_log ? WHEN_LOG : WHEN_GIVEN;
        }
        count_score(&list[i], c, l, given->due);
    }
    return count;
}

/* A verdict of before counts only where there is none of now on the same file. */
static bool is_superseded(const struct attempt *a, const struct attempt *list, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count && a->stale && !found; i++)
        found = !list[i].stale && list[i].number == a->number;
    return found;
}

int attempts_count(const struct attempt *list, size_t count)
{
    int files = 0;
    for (size_t i = 0; i < count; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = list[k].number == list[i].number;
        files += !seen;
    }
    return files;
}

/* a before b? */
static bool earlier(const struct attempt *a, const struct attempt *b)
{
    return a->number != b->number ? a->number < b->number : strcmp(a->key, b->key) < 0;
}

const struct attempt *attempts_choose(const struct class *c, const struct job *j,
                                      const struct attempt *list, size_t count)
{
    const struct attempt *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct attempt *a = &list[i];
        if (is_superseded(a, list, count))
            continue;
        bool better = !best;
        if (!better && c->rubric->regrade == REGRADE_FIRST)
            better = earlier(a, best);
        else if (!better && c->rubric->regrade == REGRADE_BEST && a->score != best->score)
            better = a->score > best->score;
        else if (!better)
            better = earlier(best, a);
        if (better)
            best = a;
    }
    for (size_t i = 0; i < count; i++)
        if (c->rubric->regrade == REGRADE_LATEST && j && strcmp(list[i].key, j->key) == 0)
            best = &list[i];
    return best;
}
