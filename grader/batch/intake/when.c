/* SPDX-License-Identifier: MIT */
#include "grader/batch/intake/when.h"

#include <string.h>

#include "grader/base/environment.h"
#include "grader/batch/files/dates.h"

/* A cell of a worksheet in which there is a time. */
static const char *time_of(const struct person *p)
{
    return p->submitted && strpbrk(p->submitted, "0123456789") ? p->submitted : NULL;
}

void when_worksheet(struct intake *in, const struct roster *r, const struct rubric *rubric,
                    size_t lessons_wanted, int64_t points)
{
    if (lessons_wanted == 1 && r->sheet_max > 0 && r->sheet_max * 1000 != (double)points)
        intake_note(in,
                    "Moodle's assignment has %g points, and the lesson has %g: Moodle takes no grade above its own, and scales none (rubric: \"points\")",
                    r->sheet_max, (double)points / 1000);
    size_t times = 0, unread = 0;
    const char *first = NULL;
    bool heeded = lessons_wanted == 1 && rubric->has_zone;
    for (size_t k = 0; k < r->count; k++) {
        const char *text = time_of(&r->people[k]);
        int64_t when;
        bool good = text && date_words(text, ORDER_UNKNOWN, rubric->zone, &when);
        times += text != NULL;
        if (text && !good && unread++ == 0)
            first = text;
        for (size_t i = 0; i < in->count && good && heeded; i++)
            if (strcmp(r->people[k].id, in->files[i].student) == 0) {
                in->files[i].when = when;
                in->files[i].when_from = WHEN_MOODLE;
            }
    }
    if (times > 0 && lessons_wanted != 1)
        intake_note(in,
                    "the roster has submission times, which are not used: Moodle's worksheet is of one assignment, and %zu lessons are graded "
                    "(LESSONS=03)",
                    lessons_wanted);
    else if (times > 0 && !rubric->has_zone)
        intake_note(in,
                    "the roster has submission times, which are not used: nothing says which time zone they are in (rubric: \"late\": {\"zone\": "
                    "\"+01:00\"})");
    else if (unread > 0)
        intake_note(in,
                    "%zu of %zu submission times on the roster are not used: they are not dates such as '10 January 2026, 13:05', and the first is '%s'",
                    unread, times, first);
}

static bool is_in_class(const struct intake *in, const struct given_time *g)
{
    bool known = g->rostered;
    for (size_t i = 0; i < in->count && !known; i++)
        known = strcmp(in->files[i].student, g->student) == 0;
    return known;
}

void when_given(struct intake *in, struct times *t, const char *path, size_t lessons_wanted)
{
    size_t strangers = 0;
    const char *first = NULL;
    for (size_t k = 0; k < t->count; k++) {
        if (is_in_class(in, &t->list[k]))
            continue;
        if (!t->is_log)
            die("%s: line %zu: no one is called '%s'", path, t->list[k].line, t->list[k].student);
        if (strangers++ == 0)
            first = t->list[k].student;
    }
    if (strangers > 0)
        intake_note(in, "%s: %zu submissions are by people who are not of the class: %s%s", path,
                    strangers, first, strangers > 1 ? " and others" : "");
    if (t->unread > 0)
        intake_note(in, "%s: %zu times are not used: %s", path, t->unread, t->why);
    t->lessons_wanted = lessons_wanted;
    for (size_t i = 0; i < in->count; i++) {
        struct given_time g = times_find(t, in->files[i].student, in->files[i].lesson);
        if (g.when != 0) {
            in->files[i].when = g.when;
            in->files[i].when_from = t->is_log ? WHEN_LOG : WHEN_GIVEN;
        }
    }
    if (t->vague > 0)
        intake_note(in,
                    "%s: the times of %zu files are not used: its assignments are not called as lessons are (Lesson 03, 03-events), and %zu are graded",
                    path, t->vague, lessons_wanted);
}
