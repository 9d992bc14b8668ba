/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/pool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "grader/base/environment.h"
#include "grader/base/terminal.h"
#include "grader/base/text.h"
#include "grader/batch/jobs/device.h"
#include "grader/batch/jobs/sandbox_policy.h"
#include "grader/batch/jobs/stage.h"
#include "grader/batch/jobs/task.h"
#include "grader/grade/gpu.h"
#include "grader/run/build.h"
#include "grader/sandbox/child.h"
#include "trace/record/memory.h"

#define WORKERS_MAX 250
#define PATIENCE_MS 120000      /* beyond what a submission may take, for a grader on a busy machine */
#define TICK_MS 1000
#define SAY_EVERY 10            /* s, where there is no terminal */

struct worker { struct child child; const struct job *job; };

struct progress_of { size_t done, total; time_t begun, said; };

/* What a submission may take at most. On a card it may have to wait for those of all other workers.
 */
static int64_t most_ms(const struct plan *p, size_t workers)
{
    int64_t run = p->time_limit_ms + CHILD_GRACE_MS,
            most = 2 * BUILD_SANDBOX_MS + p->time_limit_ms + PATIENCE_MS;
    if (p->backend & CUDA)
        most += BUILD_SANDBOX_MS + (int64_t)workers * (PROBE_LIMIT_MS + 2 * PAIRS_MOST * run);
    return most;
}

static void start(struct worker *w, const struct plan *p, const struct job *j, const char *stage,
                  size_t workers)
{
    char number[24], temporary[4200], *self = project_path("build/bin/batch");
    snprintf(number, sizeof number, "%zu", (size_t)(j - p->jobs));
    snprintf(temporary, sizeof temporary, "TMPDIR=%s/tmp", stage);
    const char *environment_of[16] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8",
                                       temporary };
    if (p->backend & CUDA)
        device_environment(environment_of, sizeof environment_of / sizeof *environment_of - 1);
    struct child_plan plan = {
        .argv = (const char *const[]){ self, "--work", p->out, "--job", number, "--stage", stage,
                                       NULL },
        .environment = environment_of, .wall_ms = most_ms(p, workers), .output_cap = 4096,
        .input = -1, .output = -1,
    };
    w->job = j;
    if (!child_start(&w->child, &plan))
        die("cannot start a worker: %s", strerror(errno));
    free(self);
}

/* Why it is not run, one line, for whoever looks for its attempt. */
static void finish(struct worker *w, const struct plan *p)
{
    const struct child *c = &w->child;
    bool good = child_succeeded(c) && job_done(p, w->job);
    if (!good) {
        char why[400], *path = job_attempt(p, w->job, "trouble"),
                       *said = text_harmless(c->output, strcspn(c->output, "\n"));
        if (c->timed_out)
            snprintf(why, sizeof why, "the grader was stopped: it took far too long");
        else if (WIFSIGNALED(c->status))
            snprintf(why, sizeof why, "the grader ended by signal %d: %.300s", WTERMSIG(c->status),
                     said);
        else
            snprintf(why, sizeof why, "%.300s",
                     said[0] == '\0'                    ? "the grader ended without a word"
                     : strncmp(said, "batch: ", 7) == 0 ? said + 7
                                                        : said);
        ledger_write(path, why, strlen(why));
        memory_resize(said, 0);
        free(path);
    }
    child_fini(&w->child);
    w->job = NULL;
}

static void show(struct progress_of *s)
{
    time_t now = time(NULL), spent = now - s->begun;
    char left[64] = "";
    if (s->done > 0 && spent > 2) {
        long more = (long)((double)spent * (double)(s->total - s->done) / (double)s->done + 0.5);
        snprintf(left, sizeof left, more >= 90 ? ", %ld min left" : ", %ld s left",
                 more >= 90 ? (more + 30) / 60 : more);
    }
    char what[100];
    snprintf(what, sizeof what, "%zu/%zu%s", s->done, s->total, left);
    if (terminal_bar(stderr, (int64_t)s->done, (int64_t)s->total, what))
        return;
    if (now - s->said >= SAY_EVERY) {
        fprintf(stderr, "%s\n", what);
        s->said = now;
    }
}

static void try_sandbox(const struct plan *p, const char *stage)
{
    struct sandbox box;
    char why[400];
    sandbox_policy_open(&box, stage, true, p->memory, NULL);
    if (!sandbox_policy_holds(&box, why, sizeof why))
        die("this machine builds no sandbox (%s): strangers' work is not run here. --no-sandbox (NO_SANDBOX=1) runs it "
            "without one: only for people whom you trust",
            why);
    sandbox_policy_close(&box);
    if (!control_group_parent())
        printf(
            "No control group of version 2 can be made here: memory is looked at every %d ms instead.\n",
            CHILD_POLL_MS);
}

/* ---- the same file of several students ---- */

static int by_key(const void *a, const void *b)
{
    const struct job *left = *(const struct job *const *)a, *right = *(const struct job *const *)b;
    int order = strcmp(left->key, right->key);
    return order != 0 ? order : left < right ? -1 : left > right;
}

/* For each job of the share the first one with the same key, by number; the caller's. */
static size_t *find_originals(const struct plan *p, size_t share, size_t shares)
{
    const struct job **sorted = memory_resize(NULL, (p->count + 1) * sizeof *sorted);
    size_t *originals = memory_resize(NULL, (p->count + 1) * sizeof *originals), count = 0,
           first = 0;
    for (size_t i = share; i < p->count; i += shares)
        sorted[count++] = &p->jobs[i];
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, by_key);
    for (size_t i = 0; i < count; i++) {
        first = i > 0 && strcmp(sorted[i]->key, sorted[first]->key) == 0 ? first : i;
        originals[sorted[i] - p->jobs] = (size_t)(sorted[first] - p->jobs);
    }
    memory_resize(sorted, 0);
    return originals;
}

/* ---- the pool ---- */

struct queue {
    const struct plan *plan;
    const char *stage;
    const size_t *originals;
    bool copies;                /* their turn: the originals are done, or could not be */
    size_t next, share, shares, workers;
};

/* Gives the worker a job; false where there is none left. */
static bool next_job(struct queue *q, struct worker *w, struct progress_of *state)
{
    const struct plan *p = q->plan;
    for (; q->next < p->count; q->next += q->shares) {
        const struct job *j = &p->jobs[q->next], *original = &p->jobs[q->originals[q->next]];
        if (q->copies == (j == original) || job_done(p, j))
            continue;
        if (j != original && job_done(p, original) && task_take(p, j, original)) {
            state->done++;
            continue;
        }
        start(w, p, j, q->stage, q->workers);
        q->next += q->shares;
        return true;
    }
    return false;
}

static bool empty_queue(struct queue *q, struct progress_of *state)
{
    static struct worker pool[WORKERS_MAX];
    struct child *running[WORKERS_MAX];
    q->next = q->share;
    for (;;) {
        size_t busy = 0;
        for (size_t i = 0; i < q->workers; i++) {
            if (pool[i].job && pool[i].child.gone) {
                finish(&pool[i], q->plan);
                state->done++;
            }
            if (pool[i].job || next_job(q, &pool[i], state))
                running[busy++] = &pool[i].child;
        }
        show(state);
        if (busy == 0)
            return true;
        if (!child_wait_any(running, busy, TICK_MS))
            return false;
    }
}

bool pool_run(const struct plan *p, size_t share, size_t shares, size_t workers)
{
    struct progress_of state = { .begun = time(NULL), .said = time(NULL) };
    for (size_t i = share; i < p->count; i += shares)
        state.total += !job_done(p, &p->jobs[i]);
    if (state.total == 0)
        return true;
    size_t *originals = find_originals(p, share, shares);
    bool on_card = (p->backend & CUDA) != 0;
    if (on_card)
        device_need(p);
    struct queue q = { .plan = p, .stage = stage_make(p->out, on_card), .originals = originals,
                       .share = share, .shares = shares,
                       .workers = workers < WORKERS_MAX ? workers : WORKERS_MAX };
    if (p->confined)
        try_sandbox(p, q.stage);
    if (on_card)
        device_find(p, q.stage);
    bool whole = empty_queue(&q, &state);
    q.copies = true;
    whole = whole && empty_queue(&q, &state);
    if (whole)
        terminal_bar(stderr, -1, 0, "");
    memory_resize(originals, 0);
    return whole;
}
