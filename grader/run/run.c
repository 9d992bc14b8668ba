/* SPDX-License-Identifier: MIT */
#include "grader/run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "grader/base/environment.h"

/* On a card each thread's stack counts in full: a thousand of 8 MiB, and what else it has. */
#define DATA_ON_CARD ((uint64_t)12 << 30)

static void take_frame(void *context, const void *bytes, size_t count)
{
    struct run *r = context;
    log_read(&r->reader, &r->log, bytes, count);
}

/* Placing its blocks one by one is what a replay takes long for. */
bool run_has_too_many_blocks(const struct timeline *log, struct block_count *count)
{
    for (; count->calls < log->call_count; count->calls++)
        if (log->calls[count->calls].kind == CALL_LAUNCH)
            count->blocks += blocks_of_call(&log->calls[count->calls]);
    return count->blocks > RUN_BLOCKS_MAX;
}

bool run_is_short(const struct run *r)
{
    return r->log.call_count < RUN_CALLS_MAX / 10 && r->counted.blocks < RUN_BLOCKS_MAX / 100;
}

static bool read_log(void *context, const void *bytes, size_t count)
{
    struct run *r = context;
    if (r->key[0] == '\0')
        take_frame(context, bytes, count);
    else
        authlog_read(&r->verifier, bytes, count, take_frame, r);
    if (r->verifier.broken && !r->reader.error)
        r->reader.error = "something else wrote into it";
    return r->log.call_count < RUN_CALLS_MAX
           && !run_has_too_many_blocks(&r->log, &r->counted);
}

static bool start(struct run *r, const char *program, const char *const *environment,
                  struct exchange *x, const uint64_t *poison, int64_t time_limit_ms,
                  const char *folder)
{
    r->program = program;
    timeline_init(&r->log);
    log_reader_init(&r->reader);
    r->output = exchange_poison(x, poison);
    if (r->output < 0)
        return false;
    _Static_assert(CHILD_FD_LOG == 3 && CHILD_FD_INPUT == 4 && CHILD_FD_OUTPUT == 5
                       && CHILD_FD_TAIL == 8,
                   "as the environments say");
    struct sandbox_entry entry;
    struct child_plan plan = {
        .argv = (const char *const[]){ program, NULL }, .environment = environment,
        .folder = folder, .wall_ms = time_limit_ms, .doing = "running",
        .output_cap = RUN_OUTPUT_CAP, .input = x->authenticated,
        .output = r->output, .limited = true, .log = read_log, .context = r,
        .data = r->on_card ? DATA_ON_CARD : 0, .has_tail = r->has_tail,
    };
    if (r->sandbox)
        sandbox_enter(r->sandbox, &entry, &plan, r->on_card ? SANDBOX_ON_CARD : SANDBOX_PROGRAM);
    return child_start(&r->child, &plan);
}

static void make_key(struct run *r)
{
    uint64_t key[2];
    if (getrandom(key, sizeof key, 0) != sizeof key)
        die("no random numbers: %s", strerror(errno));
    int head = snprintf(r->key, sizeof r->key, "%s=", EXCHANGE_KEY);
    snprintf(r->key + head, sizeof r->key - (size_t)head, "%016" PRIx64 "%016" PRIx64, key[0],
             key[1]);
    authlog_init(&r->verifier.authlog, r->key + head);
}

#define EXCHANGE EXCHANGE_LOG "=3", EXCHANGE_INPUT "=4", EXCHANGE_OUTPUT "=5"

bool run_start(struct run *r, const char *program, const char *card, const char *hazards,
               const char *other, struct exchange *x, const uint64_t *poison, int64_t time_limit_ms,
               const char *folder, const struct sandbox *sandbox)
{
    *r = (struct run){ .output = -1, .sandbox = sandbox };
    make_key(r);
    bool is_file = strchr(card, '/');
    char *inside = is_file && sandbox ? sandbox_give(sandbox, card, "profile.card") : NULL;
    snprintf(r->card, sizeof r->card, "SIM_PROFILE=%s", inside ? inside : card);
    free(inside);
    snprintf(r->hazards, sizeof r->hazards, "SIM_HAZARDS=%s", hazards);
    const char *environment[] = {
        "PATH=/usr/local/bin:/usr/bin:/bin",
        "LC_ALL=C.UTF-8",
        r->card,
        "CUDA_MODULE_LOADING=EAGER",
        "SIM_WAKEUPS=worst",
        "SIM_LISTS=turned",
        r->hazards,
        EXCHANGE,
        r->key,
        NULL,
        NULL,
        NULL,
    };
    size_t count = sizeof environment / sizeof *environment - 3;
    r->has_tail = !sandbox;
    environment[count++] = sandbox ? EXCHANGE_GUARD "=1" : EXCHANGE_TAIL "=8";
    if (other)
        environment[count++] = other;
    return start(r, program, environment, x, poison, time_limit_ms, folder);
}

void run_card_environment(const char *variables[GPU_VARIABLES + 1],
                          char text[GPU_VARIABLES][PATH_MAX + 32])
{
    static const char *const wanted[] = { "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
                                          "LD_LIBRARY_PATH" };
    size_t count = 0;
    variables[count++] = "PATH=/usr/local/bin:/usr/bin:/bin";
    variables[count++] = "LC_ALL=C.UTF-8";
    variables[count++] = "CUDA_MODULE_LOADING=EAGER";
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const char *value = getenv(wanted[i]);
        int room = PATH_MAX + 32;
        if (value && snprintf(text[i], (size_t)room, "%s=%s", wanted[i], value) < room)
            variables[count++] = text[i];
    }
    variables[count] = NULL;
}

bool run_start_on_card(struct run *r, const char *program, const char *recorder, const char *cupti,
                       struct exchange *x, uint64_t seed, int64_t time_limit_ms, const char *folder,
                       const struct sandbox *sandbox)
{
    static const char *const exchange[] = { EXCHANGE };
    char text[GPU_VARIABLES][PATH_MAX + 32], injection[PATH_MAX + 32], library[PATH_MAX + 32];
    const char *environment[GPU_VARIABLES + 9];
    size_t count = 0;
    *r = (struct run){ .output = -1, .sandbox = sandbox, .on_card = true };
    run_card_environment(environment, text);
    while (environment[count])
        count++;
    snprintf(injection, sizeof injection, "CUDA_INJECTION64_PATH=%s", recorder);
    environment[count++] = injection;
    snprintf(library, sizeof library, "WORKBOOK_CUPTI=%s", cupti);
    environment[count++] = library;
    for (size_t i = 0; i < sizeof exchange / sizeof *exchange; i++)
        environment[count++] = exchange[i];
    if (sandbox) {
        make_key(r);
        environment[count++] = r->key;
    }
    environment[count] = NULL;
    return start(r, program, environment, x, &seed, time_limit_ms, folder);
}

void run_need_sandbox(const struct run *r)
{
    if (r->sandbox && !r->reader.begun && strncmp(r->child.output, "bwrap: ", 7) == 0)
        die("the sandbox cannot work: %.*s", (int)strcspn(r->child.output, "\n"), r->child.output);
}

void run_finish(struct run *r, struct exchange *x, size_t number)
{
    if (!exchange_take(x, number, r->output))
        die("cannot read what the program left: no memory");
}

void run_cut_unended(struct timeline *log)
{
    for (size_t i = log->call_count; i-- > 0;)
        if (log->calls[i].kind == CALL_PART) {
            bool ended = log->calls[i].name == 0;
            if (!ended && log->call_count - i > RUN_UNENDED_CALLS)
                log->call_count = i + RUN_UNENDED_CALLS;
            return;
        }
}

void run_fini(struct run *r)
{
    child_fini(&r->child);
    timeline_fini(&r->log);
    log_reader_fini(&r->reader);
    if (r->output >= 0)
        close(r->output);
}
