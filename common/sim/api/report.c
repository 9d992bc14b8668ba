/* SPDX-License-Identifier: MIT */
/* What a program says of itself: failed calls, labels, ranges, its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/api/api_call.h"
#include "sim/call_log.h"
#include "sim/host/counters.h"
#include "sim/host/note.h"
#include "sim/host/scheduler.h"
#include "sim/kernel/kernel.h"
#include "sim/memory/because.h"
#include "sim/race/abandoned.h"
#include "sim/race/access.h"
#include "sim/real.h"
#include "streams.h"
#include "trace/record/memory.h"

/* Why it failed, where that is known: the status must be that of the thread's latest call that
 * failed. Another call than the one in CHECK's parentheses (a launch before cudaGetLastError) is
 * named. */
static const char *reason(const struct failure *f, const char *call, char *text, size_t size)
{
    const char *name = timeline_string(&sim.timeline, f->name),
               *why = timeline_string(&sim.timeline, f->why);
    const struct call failed = {
        .kind = f->kind, .name = f->name, .file = f->file, .line = f->line
    };
    bool other = f->kind == CALL_LAUNCH || strncmp(call, name, strlen(name)) != 0;
    snprintf(text, size, "%s%s%s", other ? words_of_call(&failed).text : "",
             !other ? "" : f->kind == CALL_LAUNCH ? " was refused: " : " failed: ", why);
    return text;
}

VISIBLE void streams_check(cudaError_t status, const char *call, const char *file, int line)
{
    if (status == cudaSuccess)
        return;
    char message[256];
    snprintf(message, sizeof message, "%s: %s", cudaGetErrorName(status),
             cudaGetErrorString(status));
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, message);
    sim_lock();
    api_asked();
    const struct failure *f = &thread_self()->failure;
    bool known = f->status == status && f->why != 0;
    char why[800];
    if (known)
        fprintf(stderr, "    why: %s\n", reason(f, call, why, sizeof why));
    call_site_push(thread_self(), (struct call_site){ .file = file, .line = line });
    note_at_site(&(struct call){ .kind = CALL_REPORT, .status = (int32_t)status,
                                 .name = call_string(call), .message = call_string(message),
                                 .src = known ? f->record : 0 });
    sim_unlock();
    exit(1);
}

/* ---- labels ---- */

static void label(const char *name)
{
    const struct task *self = scheduler_self();
    note_at_site(&(struct call){ .kind = CALL_LABEL,
                                 .name = call_string(name),
                                 .dst = self ? (uint64_t)(uintptr_t)self->holds : 0 });
}

VISIBLE void label_push(const char *name)
{
    sim_lock();
    label(name);
    sim_unlock();
}

/* The function that was called under the label has returned. */
VISIBLE void label_pop(void)
{
    sim_lock();
    access_frames_gone(__builtin_frame_address(0));
    label("");
    sim_unlock();
}

/* ---- ranges and marks of NVTX ---- */

/* How many ranges are open, by thread and domain. */
struct nest { uint32_t thread, domain; int depth; };

static int *depth_of(uint32_t domain)
{
    static struct nest *nests;
    static size_t count, capacity;
    uint32_t thread = thread_self()->number;
    for (size_t i = count; i-- > 0;)
        if (nests[i].thread == thread && nests[i].domain == domain)
            return &nests[i].depth;
    MEMORY_GROW(nests, count, capacity);
    nests[count] = (struct nest){ .thread = thread, .domain = domain };
    return &nests[count++].depth;
}

/* A range without a name would be taken for the end of another. */
static struct call call_of(const struct sim_range *r, uint32_t flags, const char *unnamed)
{
    uint32_t name = r->__name ? call_string(r->__name) : r->__text;
    if (!*timeline_string(&sim.timeline, name))
        name = call_string(unnamed);
    return (struct call){ .kind = CALL_RANGE,
                          .flags = flags,
                          .name = name,
                          .message = r->__domain,
                          .bytes = r->__color < 0
                                       ? 0
                                       : RANGE_COLORED | ((unsigned)r->__color & 0xffffff) };
}

unsigned sim_range_text(const char *s)
{
    sim_lock();
    uint32_t number = s && *s ? call_string(s) : 0;
    sim_unlock();
    return number;
}

int sim_range_push(const struct sim_range *r)
{
    sim_lock();
    int depth = (*depth_of(r->__domain))++;
    struct call c = call_of(r, 0, "range");
    note_at_site(&c);
    sim_unlock();
    return depth;
}

int sim_range_pop(unsigned domain)
{
    sim_lock();
    int depth = *depth_of(domain) - 1;
    if (depth >= 0) {
        *depth_of(domain) = depth;
        access_frames_gone(__builtin_frame_address(0));
        note_at_site(&(struct call){ .kind = CALL_RANGE, .message = domain });
    }
    sim_unlock();
    return depth;
}

unsigned long long sim_range_start(const struct sim_range *r)
{
    static uint64_t ranges;
    sim_lock();
    uint64_t number = ++ranges;
    struct call c = call_of(r, RANGE_FREE, "range");
    c.src = number;
    note_at_site(&c);
    sim_unlock();
    return number;
}

void sim_range_end(unsigned long long range)
{
    sim_lock();
    note_at_site(&(struct call){ .kind = CALL_RANGE, .flags = RANGE_FREE, .src = range });
    sim_unlock();
}

void sim_range_mark(const struct sim_range *r)
{
    sim_lock();
    struct call c = call_of(r, RANGE_MARK, "mark");
    note_at_site(&c);
    sim_unlock();
}

/* ---- the end ---- */

static bool ended;

/* Whoever wants hazards in the log alone wants the rest there, too. */
static bool only_log(void)
{
    const char *wanted = getenv("SIM_HAZARDS");
    return wanted && strcmp(wanted, "log") == 0;
}

/* A program's own check shows the error's name alone. In a lesson the verdict says more. */
void api_absent(const struct api_call *e, const char *what)
{
    static const char *said;
    if (said == what || only_log() || call_log_is_authenticated())
        return;
    said = what;
    fflush(stdout);
    fprintf(stderr, "note: %s:%u: simcc has no %s (book, \"What it does not do\")\n",
            timeline_string(&sim.timeline, e->call.file), e->call.line, what);
}

static void note_undefined(const struct api_call *e, bool *said, const char *more)
{
    if (*said || only_log() || call_log_is_authenticated())
        return;
    *said = true;
    fflush(stdout);
    fprintf(stderr, "note: %s:%u: %s: %s. %s\n", timeline_string(&sim.timeline, e->call.file),
            e->call.line, timeline_string(&sim.timeline, e->call.name),
            timeline_string(&sim.timeline, e->call.message), more);
}

void api_contrary(const struct api_call *e)
{
    static bool said;
    note_undefined(
        e, &said,
        "A GPU goes by the addresses, and so does simcc; the CUDA reference calls it undefined");
}

void api_short(struct api_call *e, const char *argument, size_t room, size_t wanted,
               const char *type)
{
    static bool said;
    if (room >= wanted)
        return;
    e->call.flags |= ARGUMENT_SHORT;
    because(&e->call, cudaSuccess,
            "the %s, is the address of %zu bytes, and the call takes it for that of a %s, %zu bytes",
            argument, room, type, wanted);
    note_undefined(e, &said, "The bytes that follow it in memory are read or written as well");
}

/* An error that no call told the program of. */
static void tell_unasked(void)
{
    struct failure f;
    if (only_log() || !api_unasked(&f))
        return;
    bool lost = f.status == sim.sticky;
    uint32_t file = lost ? sim.sticky_file : f.file, line = lost ? sim.sticky_line : f.line;
    const char *what = timeline_string(&sim.timeline, lost ? sim.sticky_fault : f.why);
    fflush(stdout);
    fprintf(stderr, "error: ");
    if (line != 0)
        fprintf(stderr, "%s:%u: ", timeline_string(&sim.timeline, file), line);
    if (!lost)
        fprintf(stderr, "%s%s%s", f.kind == CALL_LAUNCH ? "the launch of " : "",
                timeline_string(&sim.timeline, f.name),
                f.kind == CALL_LAUNCH ? " was refused" : " failed");
    fprintf(stderr, "%s%s (%s: %s). The program does not check the error: %s\n",
            !lost && *what ? ": " : "", what, cudaGetErrorName(f.status),
            cudaGetErrorString(f.status),
            lost                    ? "cudaDeviceSynchronize() returns it"
            : f.kind == CALL_LAUNCH ? "cudaGetLastError() returns it, after the launch"
                                    : "the call returns it");
}

/* A program that measures its kernels has to say what they take. In a lesson they all do. */
static void tell_undeclared(void)
{
    const char *name = kernel_undeclared();
    if (!sim.timed || !name || only_log() || call_log_is_authenticated())
        return;
    fflush(stdout);
    fprintf(
        stderr,
        "note: a kernel's virtual time does not depend on how much it computes: kernel %s takes as long for 1 turn of its loop "
        "as for 10,000. kernel_cost(ns) of streams.h, as its first statement, says how long each of its blocks takes\n",
        name);
}

/* counters: of its call, as many as there are. */
static void end(int status, const uint64_t *counter, int counters)
{
    if (ended)      /* or about to: what is still to be done may end the program, too */
        return;
    ended = true;
    access_finish();
    if (status == 0 && call_log_is_authenticated())
        access_report_lost_blocks();
    tell_unasked();
    tell_undeclared();
    if (!only_log() && status == 0 && sim.sticky == cudaSuccess)
        abandoned_tell();
    note(&(struct call){
        .kind = CALL_EXIT, .status = status, .message = note_counters(counter, counters) });
    sim.over = true;
}

/* On an H100 host functions still ran that became due up to 0.2 ms after main had returned, and
 * none after 1 ms: the device goes on until the runtime has been taken down. */
static void exits(int status, void *argument)
{
    enum { TAKEN_DOWN_NS = 300000 };
    uint64_t counter[BLOCK_COUNTERS];
    int counters = counters_before_library(counter, BLOCK_COUNTERS);
    (void)argument;
    if (!ended && !thread_self()->in_function && abandoned_functions()) {
        sim.leaving = true;
        scheduler_block(&ended, "the end", 0,
                        model_now(&sim.model, thread_self()->number) + TAKEN_DOWN_NS);
    }
    end(status, counter, counters);
}

static _Noreturn void leave_from(int status, uint64_t caller)
{
    end(status, &caller, caller != 0);
    real()->syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

static _Noreturn void leave(int status) { leave_from(status, 0); }

__attribute__((constructor(102))) static void begin_report(void)
{
    on_exit(exits, NULL);
    scheduler_leaves = leave;
}

#define CALLER ((uint64_t)(uintptr_t)__builtin_return_address(0) - 1)

void _exit(int status)
{
    leave_from(status, CALLER);
}

void _Exit(int status)
{
    leave_from(status, CALLER);
}

void quick_exit(int status)
{
    leave_from(status, CALLER);
}
