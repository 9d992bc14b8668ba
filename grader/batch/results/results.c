/* SPDX-License-Identifier: MIT */
#include "grader/batch/results/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/batch/results/attempts.h"
#include "grader/lessons.h"
#include "trace/record/memory.h"

static json_t *points(int64_t thousandths)
{
    return json_real((double)thousandths / 1000);
}

static json_t *text_or_null(const char *s)
{
    return s ? json_string(s) : json_null();
}

/* ---- a lesson of a student's ---- */

static const struct job *find_job(const struct class *c, const char *student,
                                  const struct lesson *lesson)
{
    for (size_t i = 0; i < c->plan->count; i++)
        if (!c->plan->jobs[i].earlier && c->plan->jobs[i].lesson == lesson
            && strcmp(c->plan->jobs[i].student, student) == 0)
            return &c->plan->jobs[i];
    return NULL;
}

static json_t *why_not_run(const struct class *c, const struct job *j)
{
    char *path = job_attempt(c->plan, j, "trouble"), why[512] = "";
    FILE *in = fopen(path, "re");
    if (in) {
        why[fread(why, 1, sizeof why - 1, in)] = '\0';
        fclose(in);
    }
    free(path);
    json_t *text = why[0] != '\0' ? json_string(why) : NULL;
    return text ? text : json_string("it has not been graded yet");
}

/* Thousandths of the reference's pace; -1 for none. */
static int64_t part_share(const json_t *verdict, size_t part, const char *id)
{
    const json_t *p = json_array_get(json_object_get(verdict, "parts"), part);
    int64_t yours = json_integer_value(json_object_get(p, "makespan_ns"));
    int64_t reference = json_integer_value(json_object_get(p, "reference_makespan_ns"));
    int earned, most;
    attempt_sum_part(verdict, id, &earned, &most);
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
        json_array_append_new(list, json_pack("{s:s s:o s:o s:o}", "id", l->lesson->parts[i].id,
                                              "points", points(attempt_part_score(l, verdict, i)),
                                              "max", points(l->part[i]), "share", share_json(its)));
    }
    *share = count > 0 ? sum / count : -1;
    return list;
}

static const struct person *on_roster(const struct roster *r, const char *id)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->people[i].id, id) == 0)
            return &r->people[i];
    return NULL;
}

/* Files for the lesson by people who are not on the roster, where there is one. */
static int strangers_files(const struct class *c, const struct lesson *lesson)
{
    int count = 0;
    for (size_t i = 0; i < c->plan->count && c->roster->count > 0; i++) {
        const struct job *j = &c->plan->jobs[i];
        count += !j->earlier && j->lesson == lesson && !on_roster(c->roster, j->student);
    }
    return count;
}

/* Nothing came of it: because nothing came, or because of what came. */
static json_t *why_nothing(const struct class *c, const char *student, const struct lesson *lesson,
                           int strangers)
{
    for (size_t i = 0; i < c->intake->stray_count; i++) {
        const struct stray *s = &c->intake->strays[i];
        if (s->absent || !s->student || strcmp(s->student, student) != 0
            || (s->lesson && s->lesson != lesson))
            continue;
        json_t *why = json_sprintf("what was handed in was left out: %s (%s)", s->path, s->why);
        return why;
    }
    return strangers == 0
               ? json_string("nothing was handed in")
               : json_sprintf(
                     "nothing was handed in under this name, but %d file%s for the lesson came from people who are not on the roster",
                     strangers, strangers == 1 ? "" : "s");
}

/* What a gradebook is told. A zero for nothing is given where it is certain that nothing came: not
 * as long as files for the lesson are nobody's. */
static const char *grade_of(const struct class *c, const char *status, bool attempted,
                            int strangers)
{
    if (strcmp(status, "excused") == 0)
        return "excused";
    if (strcmp(status, "not run") == 0)
        return "none";
    if (strcmp(status, "not attempted") != 0 || attempted)
        return "points";
    return strangers > 0                           ? "none"
           : c->rubric->missing == MISSING_ZERO    ? "points"
           : c->rubric->missing == MISSING_EXCUSED ? "excused"
                                                   : "none";
}

static json_t *entry_json(const struct class *c, const char *student, const char *folder,
                          const struct rubric_lesson *l, int64_t *score, int64_t *share,
                          const char **status, const char **grade)
{
    static struct attempt list[ATTEMPTS_MOST];
    const struct job *j = find_job(c, student, l->lesson);
    struct given_time given = times_find(c->times, student, l->lesson);
    size_t count = attempts_of(c, folder, l, j, &given, list);
    const struct attempt *a = given.excused ? NULL : attempts_choose(c, j, list, count);
    json_t *verdict = a ? json_object_get(a->all, "verdict") : NULL, *reason, *entry;
    json_t *parts = parts_json(l, verdict, share);
    bool not_run = !a && j && !given.excused;
    const char *word = a               ? json_string_value(json_object_get(a->all, "status"))
                       : given.excused ? "excused"
                       : not_run       ? "not run"
                                       : "not attempted";
    static char saved[32];
    snprintf(saved, sizeof saved, "%s", word ? word : "not run");
    *status = saved;
    int strangers = strangers_files(c, l->lesson);
    *grade = grade_of(c, saved, a != NULL, strangers);
    *score = a ? a->score : 0;
    if (a)
        reason = json_incref(json_object_get(a->all, "reason"));
    else
        reason = not_run         ? why_not_run(c, j)
                 : given.excused ? json_null()
                                 : why_nothing(c, student, l->lesson, strangers);
    entry = json_pack(
        "{s:s s:s s:s s:o s:o s:o s:o s:o s:o s:b s:o s:o s:i s:i s:o s:b s:o s:o s:O?}", "lesson",
        l->lesson->folder, "status", saved, "grade", *grade, "reason", reason, "score",
        points(*score), "max", points(l->points), "late_percent", points(a ? a->penalty * 100 : 0),
        "handed_in", a && a->when != 0 ? json_integer(a->when) : json_null(), "time_from",
        a ? json_string(when_source(a->when_from)) : json_null(), "time_counts", a && a->timed,
        "due", given.due != 0 ? json_integer(given.due) : json_null(), "encoding",
        a ? json_incref(json_object_get(a->all, "encoding")) : json_null(), "attempt",
        a ? (int)a->number : 0, "attempts", attempts_count(list, count), "key",
        text_or_null(a ? a->key : NULL), "current", a && j && strcmp(a->key, j->key) == 0, "share",
        share_json(*share), "parts", parts, "verdict", verdict);
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
    size_t capacity = c->roster->count + c->plan->count + c->plan->earlier_count + 1;
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
    for (size_t i = 0; i < c->plan->earlier_count; i++)
        list[(*count)++] = (struct student){ c->plan->earlier[i], NULL };
    qsort(list, *count, sizeof *list, compare_students);
    return list;
}

static void count_one(json_t *counts, const char *status)
{
    json_object_set_new(counts, status,
                        json_integer(json_integer_value(json_object_get(counts, status)) + 1));
}

/* By the roster's own titles, small. */
static json_t *ids_json(const struct person *p)
{
    json_t *all = json_object();
    for (size_t i = 0; p && i < ROSTER_IDS && p->ids[i]; i++)
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
        const char *status, *grade;
        if (!c->wanted[i])
            continue;
        json_array_append_new(list,
                              entry_json(c, s->id, folder, l, &score, &share, &status, &grade));
        count_one(counts, status);
        if (strcmp(status, "excused") == 0)
            continue;
        any |= share >= 0;
        shares += share < 0 ? 0 : share;
        count++;
        if (strcmp(grade, "points") != 0)
            continue;
        weights += l->weight;
        if (l->points > 0)      /* in hundred-thousandths of the lesson */
            total += (__int128)l->weight * score * 100000 / l->points;
    }
    free(folder);
    return json_pack("{s:s s:o s:o s:o s:b s:o s:o s:o s:o s:o}", "id", s->id, "name",
                     text_or_null(s->person ? s->person->name : NULL), "email",
                     text_or_null(s->person ? s->person->email : NULL), "section",
                     text_or_null(s->person ? s->person->section : NULL), "rostered",
                     s->person != NULL, "ids", ids_json(s->person), "sheet_graded",
                     text_or_null(s->person ? s->person->graded : NULL), "total",
                     weights > 0 ? points((int64_t)((total + weights / 2) / weights)) : json_null(),
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
            json_array_append_new(parts,
                                  json_pack("{s:s s:s s:o}", "id", lessons[i]->parts[k].id, "title",
                                            lessons[i]->parts[k].title, "max", points(l->part[k])));
        if (c->wanted[i])
            json_array_append_new(
                list, json_pack("{s:s s:i s:s s:o s:o s:o s:O}", "lesson", lessons[i]->folder,
                                "number", lessons[i]->number, "title", lessons[i]->title, "max",
                                points(l->points), "weight", points(l->weight), "due",
                                l->due != 0 ? json_integer(l->due) : json_null(), "parts", parts));
        json_decref(parts);
    }
    return list;
}

static json_t *strings_json(char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(texts[i]));
    return list;
}

static json_t *strays_json(const struct intake *in)
{
    json_t *list = json_array();
    for (size_t i = 0; i < in->stray_count; i++)
        json_array_append_new(
            list,
            json_pack("{s:s s:s s:o s:o}", "path", in->strays[i].path, "why", in->strays[i].why,
                      "student", text_or_null(in->strays[i].student), "lesson",
                      text_or_null(in->strays[i].lesson ? in->strays[i].lesson->folder : NULL)));
    return list;
}

static json_t *intake_json(const struct intake *in)
{
    size_t left_out = 0;
    for (size_t i = 0; i < in->stray_count; i++)
        left_out += !in->strays[i].absent;
    return json_pack("{s:I s:I s:I s:I s:I}", "met", (json_int_t)in->met, "shared",
                     (json_int_t)in->shared, "graded", (json_int_t)in->count, "left_out",
                     (json_int_t)left_out, "companions", (json_int_t)in->companion_count);
}

static json_t *encodings_json(const struct intake *in)
{
    json_t *list = json_array();
    for (size_t i = 0; i < in->guess_count; i++)
        json_array_append_new(list, json_pack("{s:s s:I s:s}", "encoding", in->guesses[i].encoding,
                                              "names", (json_int_t)in->guesses[i].count, "example",
                                              in->guesses[i].example));
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
    return json_pack(
        "{s:s s:s s:s s:I s:s s:s s:s s:s s:o s:o s:o s:o s:o s:o s:o s:o s:o}", "workbook",
        WORKBOOK_VERSION, "backend", backend_name(c->plan->backend), "card", c->plan->card, "seed",
        (json_int_t)c->plan->seed, "title", c->rubric->title, "feedback",
        feedback_name(c->rubric->feedback), "regrade", regrade_name(c->rubric->regrade), "missing",
        missing_name(c->rubric->missing), "intake", intake_json(c->intake), "encodings",
        encodings_json(c->intake), "counts", counts, "lessons", lessons_json(c), "columns",
        strings_json(c->roster->columns, c->roster->column_count), "students", students, "earlier",
        strings_json(c->plan->earlier, c->plan->earlier_count), "notes",
        strings_json(c->intake->notes, c->intake->note_count), "strays", strays_json(c->intake));
}
