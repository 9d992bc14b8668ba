/* SPDX-License-Identifier: MIT */
#include "grader/batch/results/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/batch/work/earlier.h"
#include "grader/batch/work/task.h"
#include "grader/lessons.h"
#include "trace/record/memory.h"

static json_t *points(int64_t thousandths)
{
    return json_real((double)thousandths / 1000);
}

static json_t *text_or_null(const char *s)
{
    return s != NULL ? json_string(s) : json_null();
}

/* ---- attempts ---- */

struct attempt {
    json_t *all;
    char key[LEDGER_KEY];
    bool stale;                 /* judged as it is not judged any more */
    int64_t number, when, penalty, score;       /* score: thousandths, the penalty taken off */
    enum when_from when_from;
    bool late;
};

static void sum_part(const json_t *verdict, const char *part, int *earned, int *most)
{
    size_t i;
    json_t *check;
    *earned = *most = 0;
    json_array_foreach(json_object_get(verdict, "checks"), i, check) {
        const char *its = json_string_value(json_object_get(check, "part"));
        if (its == NULL || strcmp(its, part) != 0)
            continue;
        *earned += (int)json_integer_value(json_object_get(check, "points"));
        *most += (int)json_integer_value(json_object_get(check, "max_points"));
    }
}

static int64_t part_score(const struct rubric_lesson *l, const json_t *verdict, size_t part)
{
    int earned, most;
    sum_part(verdict, l->lesson->parts[part].id, &earned, &most);
    return rubric_part_score(l, part, earned, most);
}

/* What is known of the file that lies there now is known of the attempt at it: its time may have been given since. */
static void find_time(struct attempt *a, const struct job *j)
{
    a->when = json_integer_value(json_object_get(a->all, "handed_in"));
    a->when_from = (enum when_from)json_integer_value(json_object_get(a->all, "time_from"));
    a->late = json_is_true(json_object_get(a->all, "late"));
    if (j == NULL || strcmp(a->key, j->key) != 0 || (j->when_from <= WHEN_FILE && a->when_from >= j->when_from))
        return;
    a->when = j->when;
    a->when_from = j->when_from;
    a->late = j->late;
}

static bool is_time_known(const struct class *c, const struct attempt *a)
{
    return a->when_from > WHEN_FILE || (a->when_from == WHEN_FILE && c->rubric->file_times);
}

static void count_score(struct attempt *a, const struct class *c, const struct rubric_lesson *l, int64_t due)
{
    const json_t *verdict = json_object_get(a->all, "verdict");
    struct rubric_lesson own = *l;
    int64_t score = 0;
    for (size_t i = 0; i < l->lesson->part_count; i++)
        score += part_score(l, verdict, i);
    own.due = due != 0 ? due : l->due;
    a->penalty = rubric_penalty(c->rubric, &own, is_time_known(c, a) ? a->when : 0, a->late);
    a->score = (score * (1000 - a->penalty) + 500) / 1000;
}

/* What the ledger has of a lesson of a student's; returns how many. */
static size_t read_attempts(const struct class *c, const char *folder, const struct rubric_lesson *l, const struct job *j,
                            const struct given_time *given, struct attempt *list)
{
    int64_t last = 0;
    static struct kept_attempt kept[ATTEMPTS_MOST];
    size_t count = attempts_read(c->plan, folder, l->lesson, kept);
    for (size_t i = 0; i < count; i++) {
        const char *file = json_string_value(json_object_get(kept[i].all, "file"));
        char key[LEDGER_KEY] = "";
        struct attempt *a = &list[i];
        *a = (struct attempt){ .all = kept[i].all, .number = json_integer_value(json_object_get(kept[i].all, "number")) };
        memcpy(a->key, kept[i].key, LEDGER_KEY);
        if (file != NULL)
            plan_key(c->plan, key, l->lesson, file);
        a->stale = strcmp(key, a->key) != 0;
        find_time(a, j);
        last = a->number > last ? a->number : last;
    }
    for (size_t i = 0; i < count; i++) {
        if (given->when != 0 && list[i].number == last) {       /* the instructor means the one that came last */
            list[i].when = given->when;
            list[i].when_from = WHEN_GIVEN;
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

static int count_files(const struct attempt *list, size_t count)
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

static const struct attempt *choose_attempt(const struct class *c, const struct job *j, const struct attempt *list, size_t count)
{
    const struct attempt *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct attempt *a = &list[i];
        if (is_superseded(a, list, count))
            continue;
        bool better = best == NULL;
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
        if (c->rubric->regrade == REGRADE_LATEST && j != NULL && strcmp(list[i].key, j->key) == 0)
            best = &list[i];
    return best;
}

/* ---- a lesson of a student's ---- */

static const struct job *find_job(const struct class *c, const char *student, const struct lesson *lesson)
{
    for (size_t i = 0; i < c->plan->count; i++)
        if (!c->plan->jobs[i].earlier && c->plan->jobs[i].lesson == lesson && strcmp(c->plan->jobs[i].student, student) == 0)
            return &c->plan->jobs[i];
    return NULL;
}

static json_t *why_not_run(const struct class *c, const struct job *j)
{
    char *path = job_attempt(c->plan, j, "trouble"), why[512] = "";
    FILE *in = fopen(path, "re");
    if (in != NULL) {
        why[fread(why, 1, sizeof why - 1, in)] = '\0';
        fclose(in);
    }
    free(path);
    json_t *text = why[0] != '\0' ? json_string(why) : NULL;
    return text != NULL ? text : json_string("it has not been graded yet");
}

/* Thousandths of the reference's pace; -1 for none. */
static int64_t part_share(const json_t *verdict, size_t part, const char *id)
{
    const json_t *p = json_array_get(json_object_get(verdict, "parts"), part);
    int64_t yours = json_integer_value(json_object_get(p, "makespan_ns"));
    int64_t reference = json_integer_value(json_object_get(p, "reference_makespan_ns"));
    int earned, most;
    sum_part(verdict, id, &earned, &most);
    if (reference <= 0)
        return -1;
    return yours <= 0 || earned < most ? 0 : (int64_t)((__int128)reference * 1000 / yours);
}

static json_t *share_json(int64_t thousandths)
{
    return thousandths < 0 ? json_null() : points(thousandths);
}

/* *share: the mean of the parts' that have one. */
static json_t *parts_json(const struct rubric_lesson *l, const json_t *verdict, int64_t *share)
{
    json_t *list = json_array();
    int64_t sum = 0, count = 0;
    for (size_t i = 0; i < l->lesson->part_count; i++) {
        int64_t its = part_share(verdict, i, l->lesson->parts[i].id);
        sum += its < 0 ? 0 : its;
        count += its >= 0;
        json_array_append_new(list, json_pack("{s:s s:o s:o s:o}", "id", l->lesson->parts[i].id, "points",
                                              points(part_score(l, verdict, i)), "max", points(l->part[i]), "share",
                                              share_json(its)));
    }
    *share = count > 0 ? sum / count : -1;
    return list;
}

/* Nothing came of it: because nothing came, or because of what came. */
static json_t *why_nothing(const struct class *c, const char *student, const struct lesson *lesson)
{
    for (size_t i = 0; i < c->intake->stray_count; i++) {
        const struct stray *s = &c->intake->strays[i];
        if (s->absent || s->student == NULL || strcmp(s->student, student) != 0 || (s->lesson != NULL && s->lesson != lesson))
            continue;
        json_t *why = json_sprintf("what was handed in was left out: %s (%s)", s->path, s->why);
        return why;
    }
    return json_string("nothing was handed in");
}

static json_t *entry_json(const struct class *c, const char *student, const char *folder, const struct rubric_lesson *l,
                          int64_t *score, int64_t *share, const char **status)
{
    static struct attempt list[ATTEMPTS_MOST];
    const struct job *j = find_job(c, student, l->lesson);
    struct given_time given = times_find(c->times, student, l->lesson);
    size_t count = read_attempts(c, folder, l, j, &given, list);
    const struct attempt *a = given.excused ? NULL : choose_attempt(c, j, list, count);
    json_t *verdict = a != NULL ? json_object_get(a->all, "verdict") : NULL, *reason, *entry;
    json_t *parts = parts_json(l, verdict, share);
    bool not_run = a == NULL && j != NULL && !given.excused;
    const char *word = a != NULL ? json_string_value(json_object_get(a->all, "status")) : given.excused ? "excused"
        : not_run ? "not run" : "not attempted";
    static char kept[32];
    snprintf(kept, sizeof kept, "%s", word != NULL ? word : "not run");
    *status = kept;
    *score = a != NULL ? a->score : 0;
    if (a != NULL)
        reason = json_incref(json_object_get(a->all, "reason"));
    else
        reason = not_run ? why_not_run(c, j) : given.excused ? json_null() : why_nothing(c, student, l->lesson);
    entry = json_pack("{s:s s:s s:o s:o s:o s:o s:o s:o s:b s:o s:o s:i s:i s:o s:b s:o s:o s:O?}", "lesson", l->lesson->folder, "status", kept,
                      "reason", reason, "score", points(*score), "max", points(l->points),
                      "late_percent", points(a != NULL ? a->penalty * 100 : 0),
                      "handed_in", a != NULL && a->when != 0 ? json_integer(a->when) : json_null(),
                      "time_from", a != NULL ? json_string(when_source(a->when_from)) : json_null(),
                      "time_counts", a != NULL && is_time_known(c, a),
                      "due", given.due != 0 ? json_integer(given.due) : json_null(),
                      "encoding", a != NULL ? json_incref(json_object_get(a->all, "encoding")) : json_null(),
                      "attempt", a != NULL ? (int)a->number : 0, "attempts", count_files(list, count),
                      "key", text_or_null(a != NULL ? a->key : NULL),
                      "current", a != NULL && j != NULL && strcmp(a->key, j->key) == 0, "share", share_json(*share),
                      "parts", parts, "verdict", verdict);
    for (size_t i = 0; i < count; i++)
        json_decref(list[i].all);
    return entry;
}

/* ---- students ---- */

struct student { const char *id; const struct person *person; };

static int compare_students(const void *a, const void *b)
{
    return strcmp(((const struct student *)a)->id, ((const struct student *)b)->id);
}

/* Of the roster, and of what was handed in: each once, sorted. The caller's. */
static struct student *students_of(const struct class *c, size_t *count)
{
    size_t capacity = c->roster->count + c->plan->count + 1;
    struct student *list = memory_resize(NULL, capacity * sizeof *list);
    *count = 0;
    for (size_t i = 0; i < c->roster->count; i++)
        list[(*count)++] = (struct student){ c->roster->people[i].id, &c->roster->people[i] };
    for (size_t i = 0; i < c->plan->count; i++) {
        size_t k = 0;
        while (k < *count && strcmp(list[k].id, c->plan->jobs[i].student) != 0)
            k++;
        if (k == *count)
            list[(*count)++] = (struct student){ c->plan->jobs[i].student, NULL };
    }
    qsort(list, *count, sizeof *list, compare_students);
    return list;
}

static void count_one(json_t *counts, const char *status)
{
    json_object_set_new(counts, status, json_integer(json_integer_value(json_object_get(counts, status)) + 1));
}

/* By the roster's own titles, small. */
static json_t *ids_json(const struct person *p)
{
    json_t *all = json_object();
    for (size_t i = 0; p != NULL && i < ROSTER_IDS && p->ids[i] != NULL; i++)
        json_object_set_new(all, p->titles[i], json_string(p->ids[i]));
    return all;
}

static json_t *student_json(const struct class *c, const struct student *s, json_t *counts)
{
    char *folder = ledger_name(s->id);
    json_t *list = json_array();
    int64_t weights = 0, shares = 0, count = 0;
    bool any = false;
    __int128 total = 0;
    for (size_t i = 0; i < lesson_count; i++) {
        const struct rubric_lesson *l = rubric_lesson(c->rubric, lessons[i]);
        int64_t score, share;
        const char *status;
        if (!c->wanted[i])
            continue;
        json_array_append_new(list, entry_json(c, s->id, folder, l, &score, &share, &status));
        count_one(counts, status);
        if (strcmp(status, "excused") == 0)
            continue;
        any |= share >= 0;
        shares += share < 0 ? 0 : share;
        count++;
        weights += l->weight;
        if (l->points > 0)      /* in hundred-thousandths of the lesson */
            total += (__int128)l->weight * score * 100000 / l->points;
    }
    free(folder);
    return json_pack("{s:s s:o s:o s:o s:b s:o s:o s:o s:o}", "id", s->id,
                     "name", text_or_null(s->person != NULL ? s->person->name : NULL),
                     "email", text_or_null(s->person != NULL ? s->person->email : NULL),
                     "section", text_or_null(s->person != NULL ? s->person->section : NULL), "rostered", s->person != NULL,
                     "ids", ids_json(s->person),
                     "total", points(weights > 0 ? (int64_t)((total + weights / 2) / weights) : 0),
                     "share", share_json(any ? shares / count : -1), "lessons", list);
}

/* ---- all ---- */

static json_t *lessons_json(const struct class *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < lesson_count; i++) {
        const struct rubric_lesson *l = rubric_lesson(c->rubric, lessons[i]);
        json_t *parts = json_array();
        for (size_t k = 0; c->wanted[i] && k < lessons[i]->part_count; k++)
            json_array_append_new(parts, json_pack("{s:s s:s s:o}", "id", lessons[i]->parts[k].id, "title",
                                                   lessons[i]->parts[k].title, "max", points(l->part[k])));
        if (c->wanted[i])
            json_array_append_new(list, json_pack("{s:s s:i s:s s:o s:o s:o s:O}", "lesson", lessons[i]->folder, "number",
                lessons[i]->number, "title", lessons[i]->title, "max", points(l->points), "weight", points(l->weight),
                "due", l->due != 0 ? json_integer(l->due) : json_null(), "parts", parts));
        json_decref(parts);
    }
    return list;
}

static json_t *columns_json(const struct roster *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->column_count; i++)
        json_array_append_new(list, json_string(r->columns[i]));
    return list;
}

static json_t *strays_json(const struct intake *in)
{
    json_t *list = json_array();
    for (size_t i = 0; i < in->stray_count; i++)
        json_array_append_new(list, json_pack("{s:s s:s s:o s:o}", "path", in->strays[i].path, "why", in->strays[i].why,
                                              "student", text_or_null(in->strays[i].student), "lesson",
                                              text_or_null(in->strays[i].lesson != NULL ? in->strays[i].lesson->folder : NULL)));
    return list;
}

static json_t *intake_json(const struct intake *in)
{
    size_t left_out = 0;
    for (size_t i = 0; i < in->stray_count; i++)
        left_out += !in->strays[i].absent;
    return json_pack("{s:I s:I s:I s:I}", "met", (json_int_t)in->met, "graded", (json_int_t)in->count, "left_out", (json_int_t)left_out,
                     "companions", (json_int_t)in->companion_count);
}

static json_t *encodings_json(const struct intake *in)
{
    json_t *list = json_array();
    for (size_t i = 0; i < in->guess_count; i++)
        json_array_append_new(list, json_pack("{s:s s:I s:s}", "encoding", in->guesses[i].encoding, "names",
                                              (json_int_t)in->guesses[i].count, "example", in->guesses[i].example));
    return list;
}

json_t *results_make(const struct class *c)
{
    size_t count;
    struct student *list = students_of(c, &count);
    json_t *students = json_array(), *counts = json_object();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(students, student_json(c, &list[i], counts));
    memory_resize(list, 0);
    return json_pack("{s:s s:s s:s s:I s:s s:s s:s s:s s:o s:o s:o s:o s:o s:o s:o}", "workbook", WORKBOOK_VERSION,
                     "backend", backend_name(c->plan->backend), "card", c->plan->card, "seed", (json_int_t)c->plan->seed, "title", c->rubric->title,
                     "feedback", feedback_name(c->rubric->feedback), "regrade", regrade_name(c->rubric->regrade),
                     "missing", missing_name(c->rubric->missing), "intake", intake_json(c->intake), "encodings", encodings_json(c->intake),
                     "counts", counts, "lessons", lessons_json(c), "columns", columns_json(c->roster), "students", students, "strays", strays_json(c->intake));
}
