/* SPDX-License-Identifier: MIT */
#include "grader/learner/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "grader/base/atomic_file.h"
#include "grader/base/environment.h"
#include "trace/record/memory.h"

#define POINTS_MOST 100000
#define ASIDE_MOST 100          /* unreadable files beside: more than anybody keeps */

void progress_fini(struct progress *p)
{
    for (size_t i = 0; i < p->count; i++)
        memory_resize(p->lessons[i].checks, 0);
    memory_resize(p->lessons, 0);
    *p = (struct progress){ .lessons = NULL };
}

struct progress_lesson *progress_lesson(struct progress *p, const char *folder)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->lessons[i].folder, folder) == 0)
            return &p->lessons[i];
    p->lessons = memory_grow(p->lessons, p->count, &p->capacity, sizeof *p->lessons);
    struct progress_lesson *l = &p->lessons[p->count++];
    *l = (struct progress_lesson){ .checks = NULL };
    snprintf(l->folder, sizeof l->folder, "%s", folder);
    return l;
}

struct progress_check *progress_check(struct progress_lesson *l, const char *id)
{
    for (size_t i = 0; i < l->check_count; i++)
        if (strcmp(l->checks[i].id, id) == 0)
            return &l->checks[i];
    l->checks = memory_grow(l->checks, l->check_count, &l->check_capacity, sizeof *l->checks);
    struct progress_check *c = &l->checks[l->check_count++];
    *c = (struct progress_check){ .known = false };
    snprintf(c->id, sizeof c->id, "%s", id);
    return c;
}

/* ---- reading ---- */

/* Whatever a name is called, in the order of its enum; the count for none. */
static int find_name(const char *name, int count, const char *(*name_of)(int))
{
    int k = 0;
    while (k < count && strcmp(name_of(k), name) != 0)
        k++;
    return k;
}

static const char *status_text(int k)
{
    return status_name((enum status)k);
}

static const char *outcome_text(int k)
{
    return k == OUTCOMES ? "unknown" : outcome_name((enum outcome)k);
}

static bool read_score(struct progress *p, const char *line)
{
    char folder[64], which[8], status[32];
    struct score s = { .known = true };
    int end = -1;
    if (sscanf(line,
               "%63[0-9a-z-] %7s %d/%d version %15s seed %" SCNu64 " card %63[^: ]: %31[a-z ]%n",
               folder, which, &s.points, &s.points_max, s.version, &s.seed, s.card, status, &end)
            != 8
        || end < 0 || line[end] != '\0')
        return false;
    int k = find_name(status, STATUSES, status_text);
    if (k == STATUSES || s.points < 0 || s.points > s.points_max || s.points_max > POINTS_MOST)
        return false;
    s.status = (enum status)k;
    struct progress_lesson *l = progress_lesson(p, folder);
    if (strcmp(which, "best") == 0)
        l->best = s;
    else if (strcmp(which, "last") == 0)
        l->last = s;
    else
        return false;
    return true;
}

static bool read_check(struct progress *p, const char *line)
{
    char folder[64], id[32], outcome[32];
    unsigned hints;
    int end = -1;
    if (sscanf(line, "%63[0-9a-z-] check %31s hints %u: %31[a-z ]%n", folder, id, &hints, outcome,
               &end)
            != 4
        || end < 0 || line[end] != '\0' || hints > HINTS)
        return false;
    int k = find_name(outcome, OUTCOMES + 1, outcome_text);
    if (k > OUTCOMES)
        return false;
    struct progress_check *c = progress_check(progress_lesson(p, folder), id);
    c->known = k != OUTCOMES;
    c->outcome = c->known ? (enum outcome)k : NOT_ATTEMPTED;
    c->hints = hints;
    return true;
}

bool progress_read(struct progress *p, const char *path, unsigned *line)
{
    char *text = NULL;
    size_t size = 0;
    ssize_t n;
    bool good = true;
    *line = 0;
    FILE *in = fopen(path, "re");
    if (!in)
        return errno == ENOENT;
    errno = 0;
    while (good && (n = getline(&text, &size, in)) >= 0) {
        ++*line;
        if (n > 0 && text[n - 1] == '\n')
            text[--n] = '\0';
        good = strlen(text) == (size_t)n && n < 400
               && (n == 0 || text[0] == '#' || read_score(p, text) || read_check(p, text));
    }
    if (good && ferror(in)) {
        *line = 0;
        good = false;
    }
    free(text);
    int problem = errno;
    fclose(in);
    errno = problem;
    return good;
}

/* ---- writing ---- */

static void write_score(FILE *out, const char *folder, const char *which, const struct score *s)
{
    if (s->known)
        fprintf(out, "%s %s %d/%d version %s seed %" PRIu64 " card %s: %s\n", folder, which,
                s->points, s->points_max, s->version, s->seed, s->card, status_name(s->status));
}

static int compare_lessons(const void *one, const void *other)
{
    const struct progress_lesson *const *a = one, *const *b = other;
    return strcmp((*a)->folder, (*b)->folder);
}

bool progress_write(const struct progress *p, const char *path)
{
    struct atomic_file file;
    if (!atomic_file_open(&file, path))
        return false;
    const struct progress_lesson **sorted = memory_resize(NULL, (p->count + 1) * sizeof *sorted);
    for (size_t i = 0; i < p->count; i++)
        sorted[i] = &p->lessons[i];
    qsort(sorted, p->count, sizeof *sorted, compare_lessons);
    fputs("# What you have done in the CUDA Streams Workbook. `make progress` shows it.\n",
          file.out);
    for (size_t i = 0; i < p->count; i++) {
        const struct progress_lesson *l = sorted[i];
        write_score(file.out, l->folder, "best", &l->best);
        write_score(file.out, l->folder, "last", &l->last);
        for (size_t k = 0; k < l->check_count; k++)
            if (l->checks[k].known || l->checks[k].hints != 0)
                fprintf(file.out, "%s check %s hints %u: %s\n", l->folder, l->checks[k].id,
                        l->checks[k].hints,
                        outcome_text(l->checks[k].known ? (int)l->checks[k].outcome : OUTCOMES));
    }
    memory_resize(sorted, 0);
    return atomic_file_close(&file, true);
}

/* ---- the learner's own ---- */

static void keep_unreadable(const char *path, unsigned line)
{
    char name[4200];
    for (int k = 1; k < ASIDE_MOST; k++) {
        snprintf(name, sizeof name, "%s.%d", path, k);
        if (access(name, F_OK) == 0)
            continue;
        if (rename(path, name) == 0) {
            fprintf(stderr,
                    "%s makes no sense in line %u: it is kept as %s, and a new one begun.\n", path,
                    line, name);
            return;
        }
        break;
    }
    fprintf(stderr, "%s makes no sense in line %u and cannot be put aside: %s.\n", path, line,
            strerror(errno));
}

void progress_own(struct progress *p, void (*change)(struct progress *p, void *context),
                  void *context)
{
    char *folder = project_display_path("work"), *path = project_display_path("work/progress");
    unsigned line;
    *p = (struct progress){ .lessons = NULL };
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0)
        flock(lock, LOCK_EX);   /* where a file system has no locks, the last one wins */
    bool good = progress_read(p, path, &line);
    if (!good) {
        progress_fini(p);
        if (line != 0)
            keep_unreadable(path, line);
        else
            fprintf(stderr, "cannot read %s: %s\n", path, strerror(errno));
    }
    if (change && (good || line != 0)) {
        change(p, context);
        if (!progress_write(p, path))
            fprintf(stderr, "cannot write %s: %s: this is not remembered.\n", path,
                    strerror(errno));
    }
    if (lock >= 0)
        close(lock);
    free(folder);
    free(path);
}

/* Is it at least as good? By shares: a lesson may have got more points since. */
static bool beats(const struct score *a, const struct score *b)
{
    return !b->known || (int64_t)a->points * b->points_max >= (int64_t)b->points * a->points_max;
}

void progress_note(struct progress *p, const struct verdict *v)
{
    struct progress_lesson *l = progress_lesson(p, v->lesson->folder);
    l->last = (struct score){ .known = true, .points = v->points, .points_max = v->points_max,
                              .seed = v->seed,
                              .status = v->status };
    snprintf(l->last.version, sizeof l->last.version, "%s", WORKBOOK_VERSION);
    snprintf(l->last.card, sizeof l->last.card, "%s", v->card->name);
    if (beats(&l->last, &l->best))
        l->best = l->last;
    if (v->status == DID_NOT_BUILD)     /* nothing new is known of the checks */
        return;
    for (size_t k = 0; k < l->check_count; k++)
        l->checks[k].known = false;
    for (size_t i = 0; i < v->lesson->check_count; i++) {
        struct progress_check *c = progress_check(l, v->results[i].check->id);
        c->known = true;
        c->outcome = v->results[i].outcome;
    }
}
