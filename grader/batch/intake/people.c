/* SPDX-License-Identifier: MIT */
#include "grader/batch/intake/people.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "grader/batch/intake/gradescope.h"
#include "grader/batch/intake/owner.h"
#include "grader/batch/files/dates.h"
#include "trace/record/memory.h"

static char *copy_or_none(const char *s)
{
    return s && s[0] != '\0' ? text_harmless(s, strlen(s)) : NULL;
}

/* ---- which level of folders is the students' ---- */

#define LEVELS 8                /* deeper ones are nobody's */

/* What a level makes of the class. */
struct level { size_t known, deep_enough, names; bool clash; };
struct name { char student[200], number[32]; const struct lesson *lesson; };

static int by_student_name(const void *one, const void *two)
{
    const struct name *a = one, *b = two;
    int order = strcmp(a->student, b->student);
    if (order == 0)
        order = strcmp(a->number, b->number);
    return order != 0 ? order : (a->lesson > b->lesson) - (a->lesson < b->lesson);
}

static bool is_known(const struct owner *o, const struct roster *r)
{
    const struct person *both[2];
    return o->student[0] != '\0'
           && (o->platform != PLATFORM_NONE
               || roster_find(r, o->student, o->number[0] != '\0' ? o->number : NULL, both)
               || both[0]);
}

/* Files that are in folders; `names` has room for all. */
static struct level look_at(const struct intake *in, const struct roster *r, size_t level,
                            struct name *names)
{
    struct level l = { .names = 0 };
    size_t count = 0;
    for (size_t i = 0; i < in->count; i++) {
        const struct handed_in *h = &in->files[i];
        size_t levels = owner_levels(h->outer);
        if (h->student || levels == 0)
            continue;
        struct owner o, last;
        owner_find(&o, h->outer, h->inner, level);
        owner_find(&last, h->outer, h->inner, SIZE_MAX - 1);
        /* By the file: what the last folder calls it is no name of the file's. */
        bool deep = level == OWNER_FILE ? strcmp(o.student, last.student) != 0 : levels > level;
        l.deep_enough += deep;
        l.known += deep && is_known(&o, r);
        memcpy(names[count].student, o.student, sizeof o.student);
        memcpy(names[count].number, o.number, sizeof o.number);
        names[count++].lesson = o.lesson;
    }
    if (count > 0)
        qsort(names, count, sizeof *names, by_student_name);
    for (size_t i = 0; i < count; i++) {
        bool again = i > 0 && strcmp(names[i].student, names[i - 1].student) == 0
                     && strcmp(names[i].number, names[i - 1].number) == 0;
        l.names += !again;
        l.clash |= again && names[i].lesson == names[i - 1].lesson && names[i].lesson;
    }
    return l;
}

/* people.h says by what rule. */
static size_t choose_level(const struct intake *in, const struct roster *r)
{
    size_t folders = 0, deepest = 0, best = OWNER_FILE, most = 0, whole = 0, apart = SIZE_MAX,
           several = SIZE_MAX;
    for (size_t i = 0; i < in->count; i++) {
        size_t levels = !in->files[i].student ? owner_levels(in->files[i].outer) : 0;
        folders += levels > 0;
        deepest = levels > deepest ? levels : deepest;
    }
    deepest = deepest < LEVELS ? deepest : LEVELS;
    struct name *names = memory_resize(NULL, (in->count + 1) * sizeof *names);
    bool wrapped = true;        /* in a folder that is all files' */
    for (size_t level = 0; level < deepest; level++) {
        struct level l = look_at(in, r, level, names);
        if (l.known > most)
            most = l.known, best = level;
        if (l.deep_enough == folders)
            whole = level;
        if (l.names > 1 && l.deep_enough == folders && !l.clash && apart == SIZE_MAX)
            apart = level;
        if (l.names > 1 && several == SIZE_MAX)
            several = level;
        wrapped = wrapped && l.names == 1;
    }
    struct level file = look_at(in, r, OWNER_FILE, names);
    memory_resize(names, 0);
    if (file.known > most)
        most = file.known, best = OWNER_FILE;
    if (2 * most > folders)
        return best;
    if (apart != SIZE_MAX)
        return apart;
    if (wrapped && folders > 1 && file.deep_enough == folders && file.names > 1 && !file.clash)
        return OWNER_FILE;
    return several != SIZE_MAX ? several : whole;
}

/* ---- Gradescope ---- */

static void give_to(struct handed_in *h, const struct gradescope_submission *s,
                    const struct gradescope_person *p, const struct roster *r)
{
    const struct person *both[2],
        *found = roster_find(r, p->name, p->sid[0] != '\0' ? p->sid : NULL, both);
    const char *name = p->name[0] != '\0' ? p->name : p->email[0] != '\0' ? p->email : p->sid;
    if (!found && p->email[0] != '\0' && (found = roster_find(r, p->email, NULL, both)))
        name = found->id;
    h->student = text_harmless(name, strlen(name));
    h->number = copy_or_none(p->sid);
    h->when = s->when;
    h->when_from = s->when != 0 ? WHEN_GRADESCOPE : WHEN_UNKNOWN;
}

static bool is_below(const struct handed_in *h, const char *folder, const char *submission)
{
    size_t n = strlen(folder), m = strlen(submission);
    return strncmp(h->outer, folder, n) == 0 && strncmp(h->outer + n, submission, m) == 0
           && h->outer[n + m] == '/';
}

/* The file is everybody's who handed it in. */
static void share(struct intake *in, size_t file, const struct gradescope_submission *s,
                  const struct roster *r)
{
    struct owner o;
    owner_find(&o, in->files[file].outer, in->files[file].inner, 0);
    in->files[file].lesson = o.lesson;
    in->files[file].lesson_by = o.named ? BY_FILE_NAME : BY_FOLDER;
    for (size_t k = 1; k < s->count; k++) {
        intake_share(in, file);
        give_to(&in->files[in->count - 1], s, &s->people[k], r);
    }
    give_to(&in->files[file], s, &s->people[0], r);
}

/* What one list says of the files below its folder. A list that is about less than half of the
 * files in folders is a student's own, and says nothing. */
static void heed_gradescope(struct intake *in, const struct companion *c, const struct roster *r)
{
    struct gradescope_submission s;
    size_t folders = 0, below = 0, count = in->count;
    for (size_t i = 0; i < count; i++) {
        folders += owner_levels(in->files[i].outer) > 0;
        below += strncmp(in->files[i].outer, c->folder, strlen(c->folder)) == 0;
    }
    if (c->packed || 2 * below <= folders)
        return;
    for (const char *rest = c->text; gradescope_next(&rest, &s);)
        for (size_t i = 0; i < count && s.count > 0; i++)
            if (!in->files[i].student && is_below(&in->files[i], c->folder, s.folder))
                share(in, i, &s, r);
}

/* ---- nbgrader ---- */

/* "2026-11-23 11:46:00.123456 UTC", as nbgrader writes it (timestamp_format in
 * nbgrader/apps/baseapp.py: %Z is UTC unless the instructor says otherwise, and a zone of three
 * letters is no time). */
static bool read_timestamp(const char *text, int64_t *when)
{
    char day[16], clock[16], zone[8] = "", date[48];
    if (sscanf(text, "%15[0-9-] %8[0-9:]%*1[.]%*[0-9] %7s", day, clock, zone) != 3
        && sscanf(text, "%15[0-9-] %8[0-9:] %7s", day, clock, zone) != 3)
        return false;
    snprintf(date, sizeof date, "%sT%s%s", day, clock, strcmp(zone, "UTC") == 0 ? "Z" : zone);
    return date_read(date, when);
}

static void heed_timestamp(struct intake *in, const struct companion *c)
{
    int64_t when;
    if (c->folder[0] == '\0' || !read_timestamp(c->text, &when))     /* it is of no whole class */
        return;
    for (size_t i = 0; i < in->count; i++) {
        struct handed_in *h = &in->files[i];
        bool made_by_student =
            h->packed || h->when_from != WHEN_FILE; /* an archive's, or a platform's folder */
        if (!made_by_student && strncmp(h->path, c->folder, strlen(c->folder)) == 0) {
            h->when = when;
            h->when_from = WHEN_NBGRADER;
        }
    }
}

/* ---- each file ---- */

static void attribute(struct handed_in *h, size_t level)
{
    struct owner o;
    owner_find(&o, h->outer, h->inner, level);
    bool of_platform = o.platform != PLATFORM_NONE; /* whose zips have the time of the download */
    h->student = text_harmless(o.student, strlen(o.student));
    h->number = copy_or_none(o.number);
    h->lesson = o.lesson;
    h->lesson_by = o.named ? BY_FILE_NAME : BY_FOLDER;
    h->late = o.late;
    h->revision = o.revision;
    h->upload = o.upload;
    h->mtime = of_platform ? 0 : h->mtime;
    h->when = h->mtime;
    h->when_from = o.platform == PLATFORM_CANVAS ? WHEN_CANVAS
                   : h->mtime == 0               ? WHEN_UNKNOWN
                                                 : WHEN_FILE;
}

/* What its own name says of a lesson is surer than its regions, and these than its folder. */
static void look_inside(struct handed_in *h)
{
    if (h->lesson_by == BY_FILE_NAME && h->lesson)
        return;
    const struct lesson *inside = h->text ? owner_lesson_inside(h->text) : NULL;
    h->lesson = !h->lesson ? inside : h->lesson;
    h->lesson_by = inside && inside == h->lesson ? BY_REGIONS : BY_FOLDER;
}

static void attribute_stray(struct stray *s, size_t level)
{
    struct owner o;
    if (s->nobodys || s->absent)
        return;
    owner_find(&o, s->outer, s->archive ? "?" : s->inner, level);
    s->student = copy_or_none(o.student);
    s->number = copy_or_none(o.number);
    s->lesson = o.lesson;
}

/* ---- the roster ---- */

/* The one on the roster; NULL: none. *two says that it could be either of two. */
static const struct person *person_of(const struct roster *r, const char *student,
                                      const char *number, char **two)
{
    const struct person *both[2], *p = roster_find(r, student, number, both);
    *two = both[0] ? formatted("two people are called '%s': %s (%s) and %s (%s)", student,
                               both[0]->name ? both[0]->name : "no name", both[0]->id,
                               both[1]->name ? both[1]->name : "no name", both[1]->id)
                   : NULL;
    return p;
}

static void rename_student(char **student, const char *id)
{
    memory_resize(*student, 0);
    *student = memory_resize(NULL, strlen(id) + 1);
    strcpy(*student, id);
}

/* Those on the roster are called as they are there. Who could be two people is nobody: returns how
 * many files are theirs. */
static size_t meet_roster(struct intake *in, const struct roster *r)
{
    size_t ambiguous = 0;
    char *two;
    for (size_t i = 0; i < in->stray_count; i++) {
        struct stray *s = &in->strays[i];
        const struct person *p = s->student ? person_of(r, s->student, s->number, &two) : NULL;
        if (p)
            rename_student(&s->student, p->id);
        else if (s->student)
            free(two);
    }
    for (size_t i = 0; i < in->count;) {
        const struct person *p = person_of(r, in->files[i].student, in->files[i].number, &two);
        if (p) {
            rename_student(&in->files[i].student, p->id);
            in->files[i].rostered = true;
        }
        if (two) {
            fprintf(stderr, "batch: %s: %s: call the file by an id\n", in->files[i].path, two);
            intake_leave_out(in, i, two);
            free(two);
            ambiguous++;
        } else {
            i++;
        }
    }
    return ambiguous;
}

size_t people_find(struct intake *in, const struct roster *roster)
{
    for (size_t k = 0; k < in->companion_count; k++)
        if (in->companions[k].kind == COMPANION_GRADESCOPE)
            heed_gradescope(in, &in->companions[k], roster);
    size_t level = choose_level(in, roster);
    for (size_t i = 0; i < in->count; i++) {
        struct handed_in *h = &in->files[i];
        if (!h->student)
            attribute(h, level);
        look_inside(h);
    }
    for (size_t i = 0; i < in->stray_count; i++)
        attribute_stray(&in->strays[i], level);
    for (size_t i = 0; i < in->count;)
        if (!in->files[i].lesson)
            intake_leave_out(in, i, "no lesson's by its name or its regions");
        else if (in->files[i].student[0] == '\0')
            intake_leave_out(in, i, "no student's by its name");
        else
            i++;
    for (size_t k = 0; k < in->companion_count; k++)
        if (in->companions[k].kind == COMPANION_TIMESTAMP)
            heed_timestamp(in, &in->companions[k]);
    size_t ambiguous = meet_roster(in, roster);
    intake_tell_apart(in);
    return ambiguous;
}
