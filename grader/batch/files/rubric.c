/* SPDX-License-Identifier: MIT */
#include "grader/batch/files/rubric.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/batch/files/dates.h"
#include "grader/judge/judge.h"
#include "grader/lessons.h"
#include "trace/record/memory.h"

#define DAY 86400

static const char *const feedback_words[] = { "all", "failures", "score", NULL };
static const char *const regrade_words[] = { "latest", "best", "first", NULL };
static const char *const missing_words[] = { "empty", "zero", "excused", NULL };
static const char *const time_words[] = { "known", "files", NULL };

const char *missing_name(enum missing m) { return missing_words[m]; }
const char *feedback_name(enum feedback f) { return feedback_words[f]; }
const char *regrade_name(enum regrade r) { return regrade_words[r]; }

/* ---- reading ---- */

struct reading { struct rubric *r; char *trouble; size_t size; };

#define WRONG(in, ...) (snprintf((in)->trouble, (in)->size, __VA_ARGS__), false)

static bool read_word(struct reading *in, const char *key, json_t *value, const char *const words[],
                      int *which)
{
    for (*which = 0; words[*which]; ++*which)
        if (json_is_string(value) && strcmp(json_string_value(value), words[*which]) == 0)
            return true;
    return words[2] ? WRONG(in, "\"%s\" is one of \"%s\", \"%s\", \"%s\"", key, words[0], words[1],
                            words[2])
                    : WRONG(in, "\"%s\" is \"%s\" or \"%s\"", key, words[0], words[1]);
}

/* A number from 0 to `most`, in thousandths. */
static bool read_thousandths(struct reading *in, const char *key, json_t *value, double most,
                             int64_t *out)
{
    double n = json_is_number(value) ? json_number_value(value) : -1;
    if (!(n >= 0 && n <= most))
        return WRONG(in, "\"%s\" is a number from 0 to %g", key, most);
    *out = (int64_t)(n * 1000 + 0.5);
    return true;
}

static bool read_span(struct reading *in, const char *key, json_t *value, int64_t *out)
{
    return (json_is_string(value) && date_span(json_string_value(value), out))
           || WRONG(in, "\"%s\" is a span of time, as \"15m\", \"2h\" or \"7d\"", key);
}

static bool read_zone(struct reading *in, json_t *value)
{
    int hours, minutes, used = 0;
    char sign;
    if (!json_is_string(value)
        || sscanf(json_string_value(value), "%c%2d:%2d%n", &sign, &hours, &minutes, &used) != 3
        || json_string_value(value)[used] != '\0' || (sign != '+' && sign != '-'))
        return WRONG(in, "\"late.zone\" is the time east of Greenwich, as \"+01:00\"");
    in->r->has_zone = true;
    in->r->zone = (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

static bool read_late(struct reading *in, json_t *late)
{
    const char *key;
    json_t *value;
    if (!json_is_object(late))
        return WRONG(in, "\"late\" is an object");
    in->r->most = 1000;
    int which = 0;
    json_object_foreach(late, key, value) {
        bool good;
        if (strcmp(key, "grace") == 0)
            good = read_span(in, "late.grace", value, &in->r->grace);
        else if (strcmp(key, "until") == 0)
            good = read_span(in, "late.until", value, &in->r->until);
        else if (strcmp(key, "per_day") == 0)
            good = read_thousandths(in, "late.per_day", value, 100, &in->r->per_day);
        else if (strcmp(key, "most") == 0)
            good = read_thousandths(in, "late.most", value, 100, &in->r->most);
        else if (strcmp(key, "times") == 0)
            good = read_word(in, "late.times", value, time_words, &which);
        else if (strcmp(key, "zone") == 0)
            good = read_zone(in, value);
        else
            good = WRONG(
                in, "\"late\" knows grace, per_day, most, until, times and zone, not \"%s\"", key);
        if (!good)
            return false;
        if (strcmp(key, "times") == 0)
            in->r->file_times = which == 1;
        if (strcmp(key, "per_day") == 0)
            in->r->per_day /= 100;
        if (strcmp(key, "most") == 0)
            in->r->most /= 100;
    }
    return true;
}

static bool read_parts(struct reading *in, struct rubric_lesson *l, json_t *parts)
{
    const char *key;
    json_t *value;
    if (!json_is_object(parts))
        return WRONG(in, "\"parts\" is an object");
    memory_zero(l->part, l->lesson->part_count * sizeof *l->part);
    json_object_foreach(parts, key, value) {
        size_t i = 0;
        while (i < l->lesson->part_count && strcmp(l->lesson->parts[i].id, key) != 0)
            i++;
        if (i == l->lesson->part_count)
            return WRONG(in, "lesson %02d has no part \"%s\"", l->lesson->number, key);
        if (!read_thousandths(in, key, value, 1e6, &l->part[i]))
            return false;
    }
    return true;
}

static int64_t sum(const struct rubric_lesson *l)
{
    int64_t all = 0;
    for (size_t i = 0; i < l->lesson->part_count; i++)
        all += l->part[i];
    return all;
}

/* Shares `points` out as the parts have them now; what rounding leaves goes to the last. */
static void scale(struct rubric_lesson *l, int64_t points)
{
    int64_t all = sum(l), given = 0, before = 0;
    for (size_t i = 0; i < l->lesson->part_count && all > 0; i++) {
        before += l->part[i];
        int64_t upto = (int64_t)((__int128)points * before / all);
        l->part[i] = upto - given;
        given = upto;
    }
}

static bool read_lesson(struct reading *in, const char *name, json_t *lesson)
{
    const struct lesson *known = lesson_find(name);
    if (!known)
        return WRONG(in, "there is no lesson \"%s\"", name);
    struct rubric_lesson *l = (struct rubric_lesson *)rubric_lesson(in->r, known);
    const char *key;
    json_t *value;
    int64_t points = -1;
    if (!json_is_object(lesson))
        return WRONG(in, "lesson \"%s\" is an object", name);
    l->wanted = true;
    json_object_foreach(lesson, key, value) {
        bool good;
        if (strcmp(key, "points") == 0)
            good = read_thousandths(in, "points", value, 1e6, &points);
        else if (strcmp(key, "weight") == 0)
            good = read_thousandths(in, "weight", value, 1e6, &l->weight);
        else if (strcmp(key, "due") == 0)
            good =
                (json_is_string(value) && date_read(json_string_value(value), &l->due))
                || WRONG(in,
                         "\"due\" is a date as \"2026-12-01\" or \"2026-12-01T23:59:00+01:00\" (or Z)");
        else if (strcmp(key, "parts") == 0)
            good = read_parts(in, l, value);
        else
            good = WRONG(in, "a lesson has points, weight, due and parts, not \"%s\"", key);
        if (!good)
            return false;
    }
    if (points >= 0)
        scale(l, points);
    l->points = sum(l);
    return points <= 0 || l->points > 0
           || WRONG(in, "lesson \"%s\" has points, and its parts have none", name);
}

static bool read_lessons(struct reading *in, json_t *all)
{
    const char *key;
    json_t *value;
    if (!json_is_object(all))
        return WRONG(in, "\"lessons\" is an object");
    for (size_t i = 0; i < lesson_count; i++)
        in->r->lessons[i].wanted = false;
    json_object_foreach(all, key, value)
        if (!read_lesson(in, key, value))
            return false;
    return true;
}

static bool read_text(struct reading *in, const char *key, json_t *value, char *out, size_t size)
{
    if (!json_is_string(value) || strlen(json_string_value(value)) >= size)
        return WRONG(in, "\"%s\" is a text of less than %zu bytes", key, size);
    snprintf(out, size, "%s", json_string_value(value));
    return true;
}

static bool read_all(struct reading *in, json_t *all)
{
    struct rubric *r = in->r;
    const char *key;
    json_t *value;
    int which = 0;
    json_object_foreach(all, key, value) {
        bool good = true;
        if (strcmp(key, "title") == 0) {
            good = read_text(in, key, value, r->title, sizeof r->title);
        } else if (strcmp(key, "card") == 0) {
            good = read_text(in, key, value, r->card, 200);
        } else if (strcmp(key, "seed") == 0) {
            good = (json_is_integer(value) && json_integer_value(value) >= 0)
                   || WRONG(in, "\"seed\" is a whole number, 0 or more");
            r->has_seed = good;
            r->seed = good ? (uint64_t)json_integer_value(value) : 0;
        } else if (strcmp(key, "feedback") == 0) {
            good = read_word(in, key, value, feedback_words, &which);
            r->feedback = good ? (enum feedback)which : r->feedback;
        } else if (strcmp(key, "regrade") == 0) {
            good = read_word(in, key, value, regrade_words, &which);
            r->regrade = good ? (enum regrade)which : r->regrade;
        } else if (strcmp(key, "missing") == 0) {
            good = read_word(in, key, value, missing_words, &which);
            r->missing = good ? (enum missing)which : r->missing;
        } else if (strcmp(key, "late") == 0) {
            good = read_late(in, value);
        } else if (strcmp(key, "lessons") == 0) {
            good = read_lessons(in, value);
        } else {
            good = WRONG(in,
                         "a rubric has title, seed, card, feedback, regrade, missing, late and lessons, not \"%s\"",
                         key);
        }
        if (!good)
            return false;
    }
    return true;
}

static void begin(struct rubric *r)
{
    *r = (struct rubric){ .feedback = FEEDBACK_FAILURES, .most = 1000 };
    r->lessons = memory_resize(NULL, (lesson_count + 1) * sizeof *r->lessons);
    for (size_t i = 0; i < lesson_count; i++) {
        const struct lesson *lesson = lessons[i];
        struct rubric_lesson *l = &r->lessons[i];
        *l = (struct rubric_lesson){ .lesson = lesson, .wanted = true, .weight = 1000 };
        l->part = memory_resize(NULL, (lesson->part_count + 1) * sizeof *l->part);
        memory_zero(l->part, lesson->part_count * sizeof *l->part);
        for (size_t k = 0; k < lesson->check_count; k++)
            l->part[part_index(lesson, lesson->checks[k].part)] += 1000 * lesson->checks[k].points;
        l->points = sum(l);
    }
}

/* A file lies where the rubric says, as seen from the rubric. */
static void find_card(struct rubric *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = strlen(r->card), folder = slash ? (size_t)(slash - path) + 1 : 0;
    bool is_file = strchr(r->card, '/') || (n > 5 && strcmp(r->card + n - 5, ".card") == 0);
    if (!is_file || r->card[0] == '/' || folder + n >= sizeof r->card)
        return;
    memmove(r->card + folder, r->card, n + 1);
    memcpy(r->card, path, folder);
}

bool rubric_read(struct rubric *r, const char *path, char *trouble, size_t trouble_size)
{
    begin(r);
    if (!path)
        return true;
    json_error_t error;
    json_t *all = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    char why[400];
    struct reading in = { r, why, sizeof why };
    bool good = all && json_is_object(all) && read_all(&in, all);
    if (!all && error.line > 0)
        snprintf(trouble, trouble_size, "%s:%d: %s", path, error.line, error.text);
    else if (!all)
        snprintf(trouble, trouble_size, "%s", error.text);
    else if (!good)
        snprintf(trouble, trouble_size, "%s: %s", path,
                 json_is_object(all) ? why : "a rubric is a JSON object");
    json_decref(all);
    if (good)
        find_card(r, path);
    return good;
}

void rubric_fini(struct rubric *r)
{
    for (size_t i = 0; i < lesson_count; i++)
        memory_resize(r->lessons[i].part, 0);
    memory_resize(r->lessons, 0);
}

const struct rubric_lesson *rubric_lesson(const struct rubric *r, const struct lesson *lesson)
{
    size_t i = 0;
    while (r->lessons[i].lesson != lesson)
        i++;
    return &r->lessons[i];
}

/* ---- counting ---- */

int64_t rubric_part_score(const struct rubric_lesson *l, size_t part, int earned, int most)
{
    return most > 0 ? (2 * l->part[part] * earned + most) / (2 * most) : 0;
}

int64_t rubric_penalty(const struct rubric *r, const struct rubric_lesson *l, int64_t when,
                       bool marked)
{
    int64_t days = marked ? 1 : 0;
    if (l->due != 0 && when > l->due + r->grace) {
        if (r->until != 0 && when > l->due + r->until)
            return 1000;
        days = (when - l->due - r->grace + DAY - 1) / DAY;
    }
    int64_t lost = (days < 1000000 ? days : 1000000) * r->per_day;
    return lost < r->most ? lost : r->most;
}
