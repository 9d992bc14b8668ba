/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/terminal.h"
#include "grader/base/text.h"
#include "grader/sandbox/child.h"
#include "trace/record/memory.h"

#define ROUNDS 3
#define SHARES_MAX 500          /* Slurm takes arrays of a thousand, unless told otherwise */
#define JOBS_PER_WORKER 4       /* in a task: enough that starting it pays */
#define POLL_EVERY_MS 1000

extern char **environ;

static size_t missing(const struct plan *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++)
        n += !job_done(p, &p->jobs[i]);
    return n;
}

/* One of Slurm's commands, with our environment: SBATCH_PARTITION and its like are heeded. False:
 * it failed; what it said is in `said` either way. */
static bool ask(const char *const argv[], char *said, size_t size)
{
    struct child c;
    struct child_plan plan = { .argv = argv, .environment = (const char *const *)environ,
                               .wall_ms = 60000, .output_cap = 65536, .input = -1, .output = -1 };
    bool good = child_run(&c, &plan) && child_succeeded(&c);
    text_harmless_to(said, size, c.output, c.output_count);
    child_fini(&c);
    return good;
}

/* A word for a shell. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    fputc('\'', out);
}

static char *write_script(const struct plan *p, size_t shares, size_t workers)
{
    char *path = ledger_path(p->out, "batch/array.sh"), *self = project_path("build/bin/batch"),
         *text;
    size_t count;
    FILE *out = open_text(&text, &count);
    fputs("#!/bin/sh\nexec ", out);
    put_quoted(out, self);
    fputs(" --work ", out);
    put_quoted(out, p->out);
    fprintf(out, " --share \"$SLURM_ARRAY_TASK_ID\"/%zu --jobs %zu\n", shares, workers);
    fclose(out);
    ledger_write(path, text, count);
    free(text), free(self);
    return path;
}

/* The array's number. */
static void submit(const struct plan *p, size_t shares, size_t workers, char *id, size_t id_size)
{
    char *script = write_script(p, shares, workers),
         *log = ledger_path(p->out, "batch/slurm-%%a.log");
    char array[64], cpus[64], output[4200], said[1024];
    snprintf(array, sizeof array, "--array=0-%zu", shares - 1);
    snprintf(cpus, sizeof cpus, "--cpus-per-task=%zu", workers);
    snprintf(output, sizeof output, "--output=%s", log);
    const char *const argv[] = { "/usr/bin/env", "sbatch",
                                 "--parsable",   "--job-name=streams-workbook",
                                 array,          cpus,
                                 output,         "--open-mode=truncate",
                                 script,         NULL };
    if (!ask(argv, said, sizeof said))
        die("Slurm takes no work: %.*s", (int)strcspn(said, "\n"),
            said[0] != '\0' ? said : "there is no sbatch here");
    snprintf(id, id_size, "%.*s", (int)strspn(said, "0123456789"), said);
    free(script), free(log);
}

static bool runs_still(const char *id)
{
    char said[4096];
    if (!ask((const char *const[]){ "/usr/bin/env", "squeue", "--noheader", "--format=%i", "--jobs",
                                    id, NULL },
             said, sizeof said))
        return false;           /* it is forgotten: long over */
    return said[strspn(said, " \n")] != '\0';
}

/* Until nothing of the array runs. False: Ctrl-C. */
static bool wait_for(const struct plan *p, const char *id, size_t total)
{
    while (runs_still(id)) {
        char what[80];
        size_t done = total - missing(p);
        snprintf(what, sizeof what, "%zu/%zu, Slurm's array %s", done, total, id);
        terminal_bar(stderr, (int64_t)done, (int64_t)total, what);
        nanosleep(&(struct timespec){ POLL_EVERY_MS / 1000, POLL_EVERY_MS % 1000 * 1000000 }, NULL);
        if (interrupt_seen() != 0) {
            char said[256];
            /* asked of the shell: our own children end with us */
            snprintf(said, sizeof said, "scancel %s", id);
            if (system(said) != 0)
                fprintf(stderr, "could not cancel: %s\n", said);
            return false;
        }
    }
    terminal_bar(stderr, -1, 0, "");
    return true;
}

/* What a task that left work undone said last. */
static void tell_trouble(const struct plan *p, size_t shares)
{
    for (size_t i = 0; i < shares; i++) {
        char *path = ledger_path(p->out, "batch/slurm-%zu.log", i), line[400] = "", last[400] = "";
        FILE *in = fopen(path, "re");
        while (in && fgets(line, sizeof line, in))
            if (strstr(line, ": "))
                snprintf(last, sizeof last, "%.*s", (int)strcspn(line, "\n"), line);
        if (in)
            fclose(in);
        free(path);
        if (last[0] == '\0')
            continue;
        char *clean = text_harmless(last, strlen(last));
        fprintf(stderr, "A task of Slurm's says: %s\n", clean);
        memory_resize(clean, 0);
        return;
    }
}

bool cluster_run(const struct plan *p, size_t workers)
{
    size_t left = missing(p), shares = 0;
    for (int round = 0; round < ROUNDS && left > 0; round++) {
        size_t most = (left + workers * JOBS_PER_WORKER - 1) / (workers * JOBS_PER_WORKER);
        char id[32];
        shares = most < SHARES_MAX ? most : SHARES_MAX;
        submit(p, shares, workers, id, sizeof id);
        if (!wait_for(p, id, left))
            return false;
        left = missing(p);
    }
    if (left > 0)
        tell_trouble(p, shares);
    return true;
}
