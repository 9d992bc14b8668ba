/* SPDX-License-Identifier: MIT */
#include "grader/batch/pool.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader/batch/stage.h"
#include "grader/batch/walls.h"
#include "grader/build.h"
#include "grader/child.h"
#include "grader/environment.h"
#include "grader/terminal.h"
#include "grader/text.h"
#include "trace/memory.h"

#define WORKERS_MAX 250
#define PATIENCE_MS 120000      /* beyond what a submission may take, for a grader on a busy machine */
#define TICK_MS 1000
#define SAY_EVERY 10            /* s, where there is no terminal */

struct worker { struct child child; const struct job *job; };

struct progress_of { size_t done, total; time_t begun, said; };

static void start(struct worker *w, const struct plan *p, const struct job *j, const char *stage)
{
    char number[24], temporary[4200], *self = project_path("build/bin/batch");
    snprintf(number, sizeof number, "%zu", (size_t)(j - p->jobs));
    snprintf(temporary, sizeof temporary, "TMPDIR=%s/tmp", stage);
    struct child_plan plan = {
        .argv = (const char *const[]){ self, "--work", p->out, "--job", number, "--stage", stage, NULL },
        .environment = (const char *const[]){ "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", temporary, NULL },
        .wall_ms = 2 * BUILD_LIMIT_MS + p->time_limit_ms + PATIENCE_MS, .output_cap = 4096, .input = -1, .output = -1,
    };
    w->job = j;
    if (!child_start(&w->child, &plan))
        environment("cannot start a worker: %s", strerror(errno));
    free(self);
}

/* Why it is not run, one line, for whoever looks for its attempt. */
static void finish(struct worker *w, const struct plan *p)
{
    const struct child *c = &w->child;
    bool good = WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0 && job_done(p, w->job);
    if (!good) {
        char why[400], *path = job_attempt(p, w->job, "trouble"), *said = text_harmless(c->output, strcspn(c->output, "\n"));
        if (c->timed_out)
            snprintf(why, sizeof why, "the grader was stopped: it took far too long");
        else if (WIFSIGNALED(c->status))
            snprintf(why, sizeof why, "the grader ended by signal %d: %.300s", WTERMSIG(c->status), said);
        else
            snprintf(why, sizeof why, "%.300s", said[0] == '\0' ? "the grader ended without a word" : strncmp(said, "batch: ", 7) == 0 ? said + 7 : said);
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
        snprintf(left, sizeof left, more >= 90 ? ", %ld min left" : ", %ld s left", more >= 90 ? (more + 30) / 60 : more);
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

static void try_walls(const struct plan *p, const char *stage)
{
    struct sandbox box;
    char why[400];
    walls_open(&box, stage, true, p->memory);
    if (!walls_hold(&box, why, sizeof why))
        environment("this machine builds no sandbox (%s): strangers' work is not run here. --no-sandbox (NO_SANDBOX=1) runs it "
                    "without walls: for people whom you trust", why);
    close(box.filter_compiler);
    close(box.filter_program);
}

bool pool_run(const struct plan *p, size_t share, size_t shares, size_t workers)
{
    static struct worker pool[WORKERS_MAX];
    struct child *running[WORKERS_MAX];
    struct progress_of state = { .begun = time(NULL), .said = time(NULL) };
    size_t next = share;
    for (size_t i = share; i < p->count; i += shares)
        state.total += !job_done(p, &p->jobs[i]);
    if (state.total == 0)
        return true;
    const char *stage = stage_make(p->out);
    if (p->walls)
        try_walls(p, stage);
    workers = workers < WORKERS_MAX ? workers : WORKERS_MAX;
    for (;;) {
        size_t busy = 0;
        for (size_t i = 0; i < workers; i++) {
            if (pool[i].job != NULL && pool[i].child.gone) {
                finish(&pool[i], p);
                state.done++;
            }
            while (pool[i].job == NULL && next < p->count) {
                if (!job_done(p, &p->jobs[next]))
                    start(&pool[i], p, &p->jobs[next], stage);
                next += shares;
            }
            if (pool[i].job != NULL)
                running[busy++] = &pool[i].child;
        }
        show(&state);
        if (busy == 0)
            break;
        if (!child_wait_any(running, busy, TICK_MS))
            return false;
    }
    terminal_bar(stderr, -1, 0, "");
    return true;
}
