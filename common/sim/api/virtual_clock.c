/* SPDX-License-Identifier: MIT */
/*
 * The host's clocks and sleeps are the model's: the C library's names, defined
 * here, win over its own (std::chrono reads them too).
 *
 * Reading the clock is free. But a program that reads it again and again and does nothing
 * else waits for time to pass: after FREE_POLLS readings each costs it time, and
 * lets the device run up to then. After FREE_WORKS pieces of work or sleeps in a
 * row each further one does so, too: it takes time already, and one alone is no way to wait.
 */
#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "sim/api/api_call.h"
#include "sim/api/watch.h"
#include "sim/call_log.h"
#include "sim/host/note.h"
#include "sim/host/scheduler.h"
#include "sim/host/wall_clock.h"
#include "sim/kernel/device_clock.h"
#include "sim/kernel/kernel.h"
#include "sim/race/left_threads.h"
#include "streams.h"

static const int64_t second = 1000000000;

static void host_works(int64_t ns, const char *name)
{
    sim_lock();
    if (ns < 0)
        ns = 0;
    struct thread *thread = thread_self();
    if (!sim.in_effect) {
        thread->works = thread->work_acts == thread->task->acts ? thread->works + 1 : 0;
        bool spins = thread->works >= FREE_WORKS;
        if (spins)
            scheduler_poll();
        note_at_site(
            &(struct call){ .kind = thread->in_function ? CALL_FUNCTION_WORK : CALL_HOST_WORK,
                            .flags = spins ? CALL_POLLS : 0, .name = call_string(name),
                            .cost = ns });
        thread->work_acts = thread->task->acts;
        watch_slept(thread->works);
    }
    sim_unlock();
}

static int64_t poll_clock(void)
{
    sim_lock();
    struct thread *thread = thread_self();
    if (thread->clock_call != sim.timeline.call_count) {
        thread->clock_call = sim.timeline.call_count;
        thread->clock_polls = 0;
    }
    if (!sim.in_effect && ++thread->clock_polls > FREE_POLLS) {
        scheduler_poll();
        note(&(struct call){ .kind = thread->in_function ? CALL_FUNCTION_WORK : CALL_HOST_WORK,
                                   .flags = CALL_POLLS, .name = call_string("clock"),
                                   .cost = POLL_NS });
        thread->clock_call = sim.timeline.call_count;
    }
    int64_t now = model_now(&sim.model, thread->number);
    sim_unlock();
    return now;
}

VISIBLE void host_work(long long ns)
{
    sim_lock();
    left_thread_works();
    host_works(ns, "host_work");
    sim_unlock();
}

VISIBLE long long now_ns(void)
{
    return poll_clock();
}

/* ---- the C library's clocks ---- */

/* Looks before and after a kernel time it. */
static int64_t look_at_clock(void)
{
    static uint64_t last = UINT64_MAX;
    int64_t now = poll_clock();
    sim.timed |= last < sim.changes;
    last = sim.changes;
    return now;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    int64_t ns = wall_clock_base(id) + look_at_clock();
    *t = (struct timespec){ ns / second, ns % second };
    return 0;
}

int timespec_get(struct timespec *t, int base)
{
    clock_gettime(CLOCK_REALTIME, t);
    return base;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    (void)zone;
    int64_t ns = WALL_CLOCK_BEGIN + look_at_clock();
    *t = (struct timeval){ ns / second, ns % second / 1000 };
    return 0;
}

time_t time(time_t *t)
{
    time_t now = (WALL_CLOCK_BEGIN + look_at_clock()) / second;
    if (t)
        *t = now;
    return now;
}

clock_t clock(void)
{
    sim_lock();
    int64_t now =
        kernel_runs() ? device_clock_cycles() : look_at_clock() / (second / CLOCKS_PER_SEC);
    sim_unlock();
    return now;
}

/* ---- sleeps ---- */

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    if (wanted->tv_nsec < 0 || wanted->tv_nsec >= second || wanted->tv_sec < 0) {
        errno = EINVAL;
        return -1;
    }
    host_works(wanted->tv_sec * second + wanted->tv_nsec, "sleep");
    if (left)
        *left = (struct timespec){ 0, 0 };
    return 0;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *wanted, struct timespec *left)
{
    int64_t ns = wanted->tv_sec * second + wanted->tv_nsec;
    if (flags & TIMER_ABSTIME)
        ns -= wall_clock_base(id) + poll_clock();
    host_works(ns, "sleep");
    if (left && !(flags & TIMER_ABSTIME))
        *left = (struct timespec){ 0, 0 };
    return 0;
}

int usleep(useconds_t us)
{
    host_works((int64_t)us * 1000, "sleep");
    return 0;
}

unsigned sleep(unsigned seconds)
{
    host_works(seconds * second, "sleep");
    return 0;
}
