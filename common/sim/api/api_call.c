/* SPDX-License-Identifier: MIT */
#include "sim/api/api_call.h"

#include <string.h>

#include "sim/api/watch.h"
#include "sim/call_log.h"
#include "sim/graph/capture.h"
#include "sim/graph/user_object.h"
#include "sim/host/counters.h"
#include "sim/host/note.h"
#include "sim/host/scheduler.h"
#include "sim/include/detail/sim_launch.h"
#include "sim/kernel/child.h"
#include "sim/kernel/effect.h"
#include "sim/host/host_function.h"
#include "sim/kernel/kernel.h"
#include "sim/memory/because.h"
#include "sim/memory/pool.h"
#include "sim/race/access.h"
#include "sim/race/left_threads.h"
#include "sim/stream_table.h"

/* ---- sites ---- */

void call_site_push(struct thread *thread, struct call_site site)
{
    if (thread->site_count == SITES) {      /* left over by calls that never came */
        thread->site_count--;
        memmove(thread->sites, thread->sites + 1, thread->site_count * sizeof *thread->sites);
    }
    thread->sites[thread->site_count++] = site;
}

struct call_site call_site_pop(struct thread *thread)
{
    return thread->site_count > 0 ? thread->sites[--thread->site_count] : (struct call_site){ 0 };
}

void call_site_of(const char *file, int line, int zero_is_per_thread, const void *inside,
                  const void *stack)
{
    if (kernel_runs()) {
        child_site(file, line);
        return;
    }
    /* For the grader, who has the program to look them up in, and authenticated the log; they are
     * others when hazards are looked for. */
    uint64_t caller = call_log_is_authenticated() ? counter_of_caller(inside, stack) : 0;
    call_site_push(thread_self(),
                   (struct call_site){ .file = file, .line = line,
                                        .zero_is_per_thread = zero_is_per_thread,
                                        .caller = caller });
}

void sim_call_site(const char *file, int line, int zero_is_per_thread)
{
    call_site_of(file, line, zero_is_per_thread, __builtin_return_address(0),
                 __builtin_dwarf_cfa());
}

void sim_answer_unread(void)
{
    struct thread *self = thread_self();
    if (!kernel_runs() && self->site_count > 0)
        self->sites[self->site_count - 1].unread = true;
}

void sim_answer_half_read(void)
{
    struct thread *self = thread_self();
    if (!kernel_runs() && self->site_count > 0)
        self->sites[self->site_count - 1].half_read = true;
}

void sim_by_driver_api(void)
{
    struct thread *self = thread_self();
    if (!kernel_runs() && self->site_count > 0)
        self->sites[self->site_count - 1].by_driver_api = true;
}

/* ---- calls ---- */

void sim_gives_up(const char *file, int line, const char *name)
{
    struct thread *self = thread_self();
    if (kernel_runs() || self->in_function)
        return;
    sim_lock();
    sim_call_site(file, line, 0);
    note_at_site(&(struct call){ .kind = CALL_OTHER, .flags = CALL_UNREAD,
                                 .name = call_string(name) });
    sim_unlock();
}

static void put_site(struct call *c, struct call_site site)
{
    if (!site.file)
        return;
    c->file = call_string(site.file);
    c->line = (uint32_t)site.line;
    c->caller = site.caller;
}

/* In a kernel or a host function, where no call of the runtime may be made. */
static bool inside(const struct thread *thread)
{
    return sim.in_effect || thread->in_function;
}

size_t note_at_site(struct call *c)
{
    sim_lock();
    put_site(c, call_site_pop(thread_self()));
    if (!inside(thread_self()))
        access_before_call();
    size_t index = note(c);
    sim_unlock();
    return index;
}

static bool is_query(enum call_kind kind)
{
    return kind == CALL_STREAM_QUERY || kind == CALL_EVENT_QUERY;
}

/* The driver wants the thread's next question late (driver.h). */
static void come_late(struct thread *thread, enum call_kind kind)
{
    if (thread->late_ns <= 0 || !is_query(kind))
        return;
    note(&(struct call){
        .kind = CALL_HOST_WORK, .name = call_string(LOST_TURN), .cost = thread->late_ns });
    thread->late_ns = 0;
}

cudaError_t api_open(struct api_call *e, enum call_kind kind, const char *name)
{
    sim_lock();
    struct thread *thread = thread_self();
    come_late(thread, kind);
    *e = (struct api_call){
        .call = { .kind = kind, .name = call_string(name), .thread = thread->number,
                  .device = (uint32_t)thread->device, .cost = COST_UNKNOWN, .node = NO_NODE },
        .thread = thread,
    };
    thread->site = call_site_pop(thread);
    put_site(&e->call, thread->site);
    if (thread->in_function)
        return because(
            &e->call, cudaErrorNotPermitted, "it is called in the host function that was queued %s",
            words_of_location(&sim.timeline.calls[sim.timeline.spans[thread->function].call]).text);
    if (inside(thread))
        return cudaErrorNotPermitted;
    if (thread->destroys)
        return because(&e->call, cudaErrorNotPermitted,
                       "it is called in the function that destroys a user object");
    access_before_call();
    left_thread_works();
    host_function_look(model_now(&sim.model, thread->number), true);
    thread->in_call = true;
    e->call.message = sim.sticky_why;
    return sim.sticky != cudaSuccess ? sim.sticky : capture_opens(&e->call, kind, name);
}

/* Not inlined, like api_finish: it is called at 110 places, and copies would cost a tenth of the
 * time that this folder takes to compile. */
__attribute__((noinline)) cudaError_t refuse_null(struct api_call *e, cudaError_t status,
                                                  const void *pointer, const char *argument)
{
    return REFUSE(e, status, !pointer, cudaErrorInvalidValue, "the %s, is NULL", argument);
}

cudaError_t refuse_device(struct api_call *e, cudaError_t status, int device, const char *argument)
{
    return REFUSE(e, status, !is_device(device), cudaErrorInvalidDevice,
                  sim.card->devices == 1
                      ? "the %s, is %d; the only device is number 0 (cudaGetDeviceCount says how many there are)"
                      : "the %s, is %d; the devices are numbered from 0 to %d",
                  argument, device, (int)sim.card->devices - 1);
}

/* Calls that are worth knowing as what they are even when they failed. */
static bool keeps_kind(const struct call *c)
{
    return c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY || c->kind == CALL_LAUNCH;
}

/* A graph's node has a device of its own. */
static void prepare(const struct effect *effect, const struct call *c)
{
    if (effect && effect->kind == EFFECT_FUNCTION)
        host_function_prepare(&effect->function, c->flags & GRAPH_NODE
                                                     ? c->device
                                                     : (uint32_t)stream_device(c->stream));
}

/* A host function's call: nothing comes of it, and the log says so. */
static void note_refused(struct api_call *e, cudaError_t status)
{
    e->call.kind = CALL_OTHER;
    e->call.status = (int32_t)status;
    call_log_write(&e->call);
    e->record = call_log_count();
    model_call(&sim.model, &e->call);
    sim_host_goes_on();
}

cudaError_t api_make(struct api_call *e, cudaError_t status, struct effect *effect)
{
    if (inside(e->thread)) {
        effect_drop(effect);
        if (e->thread->in_function)
            note_refused(e, status);
        return status;
    }
    prepare(effect, &e->call);
    if (status == cudaErrorNotReady && sim.sticky != cudaSuccess)
        status = sim.sticky;
    if (status == cudaSuccess || status == cudaErrorNotReady)
        status = capture_takes(&e->call, status, &effect);
    e->call.status = (int32_t)status;
    if (e->thread->site.unread)
        e->call.flags |= CALL_UNREAD;
    if (e->thread->site.by_driver_api)
        e->call.flags |= BY_DRIVER_API;
    if (e->thread->site.half_read && (is_query(e->call.kind) || e->asks_for_error))
        e->call.flags |= QUERY_HALF_READ;
    if (status != cudaSuccess && !keeps_kind(&e->call))
        e->call.kind = CALL_OTHER;
    if (status != cudaSuccess) {
        effect_drop(effect);
        effect = NULL;
    } else if (!(e->call.flags & COPY_CONTRARY) && !call_is_short(&e->call)
               && e->call.kind != CALL_LAUNCH)
        e->call.message = 0;
    scheduler_act(e->thread);
    call_log_write(&e->call);
    e->record = call_log_count();
    effect_expect(effect);
    e->index = model_call(&sim.model, &e->call);
    sim_host_goes_on();
    effect_bind(sim.timeline.calls[e->index].node);
    watch_made(&sim.timeline.calls[e->index]);
    scheduler_wait_for_device();
    access_after_call();
    bool waited = e->call.kind == CALL_STREAM_SYNC || e->call.kind == CALL_DEVICE_SYNC
                  || e->call.kind == CALL_EVENT_SYNC;
    if (waited && status == cudaSuccess) {
        pool_import_sweep();
        pools_synchronized();
    }
    return status != cudaSuccess ? status : sim.sticky;
}

uint32_t api_add(struct api_call *e, const struct call *c, struct effect *effect)
{
    struct call call = *c;
    call.thread = e->call.thread;
    call.node = NO_NODE;
    prepare(effect, &call);
    call_log_write(&call);
    effect_expect(effect);
    size_t index = model_call(&sim.model, &call);
    sim_host_goes_on();
    uint32_t node = sim.timeline.calls[index].node;
    effect_bind(node);
    scheduler_wait_for_device();
    return node;
}

bool api_done(const struct call *query)
{
    scheduler_poll();
    bool done = model_done(&sim.model, query);
    sim_host_goes_on();
    return done;
}

/* What the program was not told of, since it looks at nothing that would tell it. */
static struct { struct failure first; uint32_t thread; bool loss_reported; } unasked;

void api_asked(void)
{
    unasked.loss_reported |= sim.sticky != cudaSuccess;
    if (unasked.thread == thread_self()->number)
        unasked.first.status = cudaSuccess;
}

bool api_unasked(struct failure *failure)
{
    *failure = unasked.first;
    if (sim.sticky != cudaSuccess && !unasked.loss_reported)
        failure->status = sim.sticky;
    return failure->status != cudaSuccess;
}

static void ask_or_keep(const struct api_call *e, bool lost)
{
    if (lost && !e->thread->site.unread)
        unasked.loss_reported = true;
    if (lost || !e->thread->site.unread || unasked.first.status != cudaSuccess)
        return;
    unasked.first = e->thread->failure;
    unasked.thread = e->thread->number;
}

static void keep_failure(const struct api_call *e, cudaError_t status)
{
    const struct call *c = &e->call;
    bool lost = sim.sticky_record > 0 && status == sim.sticky;
    e->thread->last = status;
    e->thread->failure = (struct failure){
        .status = status, .kind = c->kind, .name = c->name, .file = c->file, .line = c->line,
        .why = lost ? sim.sticky_why : c->message, .record = lost ? sim.sticky_record : e->record,
    };
    ask_or_keep(e, lost);
    watch_failed(c);
}

cudaError_t api_close(struct api_call *e, cudaError_t status)
{
    if (status != cudaSuccess && status != cudaErrorNotReady)
        keep_failure(e, status);
    bool outside = !inside(e->thread);
    if (outside)
        e->thread->in_call = false;
    sim_unlock();
    if (outside)
        user_objects_sweep();
    return status;
}

__attribute__((noinline)) cudaError_t api_finish(struct api_call *e, cudaError_t status)
{
    return api_close(e, api_make(e, status, NULL));
}
