/* SPDX-License-Identifier: MIT */
#include "grader/run.h"

#include <stdio.h>
#include <unistd.h>

#include "grader/environment.h"

static bool read_log(void *context, const void *bytes, size_t count)
{
    struct run *r = context;
    log_read(&r->reader, &r->log, bytes, count);
    return r->log.call_count < RUN_CALLS_MAX;
}

bool run_start(struct run *r, const char *program, const char *card, const char *hazards, struct exchange *x,
               uint64_t seed, int64_t time_limit_ms, const char *folder, const struct sandbox *sandbox)
{
    struct sandbox_entry entry;
    *r = (struct run){ .program = program, .sandbox = sandbox };
    timeline_init(&r->log);
    log_reader_init(&r->reader);
    snprintf(r->card, sizeof r->card, "SIM_PROFILE=%s", card);
    snprintf(r->hazards, sizeof r->hazards, "SIM_HAZARDS=%s", hazards);
    r->output = exchange_poison(x, seed);
    if (r->output < 0)
        return false;
    const char *const environment[] = {
        "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", r->card, "CUDA_MODULE_LOADING=EAGER", r->hazards,
        EXCHANGE_LOG "=3", EXCHANGE_INPUT "=4", EXCHANGE_OUTPUT "=5", NULL,
    };
    _Static_assert(CHILD_FD_LOG == 3 && CHILD_FD_INPUT == 4 && CHILD_FD_OUTPUT == 5, "as the environment says");
    struct child_plan plan = {
        .argv = (const char *const[]){ program, NULL }, .environment = environment, .folder = folder,
        .wall_ms = time_limit_ms, .doing = "running", .output_cap = RUN_OUTPUT_CAP, .input = x->sealed,
        .output = r->output, .limited = true, .log = read_log, .context = r,
    };
    if (sandbox != NULL)
        sandbox_enter(sandbox, &entry, &plan, false);
    return child_start(&r->child, &plan);
}

void run_finish(struct run *r, struct exchange *x, size_t number)
{
    if (!exchange_take(x, number, r->output))
        environment("cannot read what the program left: no memory");
}

void run_fini(struct run *r)
{
    child_fini(&r->child);
    timeline_fini(&r->log);
    log_reader_fini(&r->reader);
    if (r->output >= 0)
        close(r->output);
}
