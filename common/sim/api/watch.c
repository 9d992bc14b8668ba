/* SPDX-License-Identifier: MIT */
#include "sim/api/watch.h"

#include <errno.h>
#include <fenv.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim/api/error_text.h"
#include "sim/host/counters.h"
#include "sim/host/scheduler.h"
#include "sim/kernel/grid.h"
#include "sim/poll/poll.h"
#include "sim/poll/trial.h"
#include "sim/race/seen/access_seen.h"
#include "sim/real.h"

enum { FIRST_TELLING = 5, MANY_FAILURES = 1000, QUESTIONS = 16, MANY_ANSWERS = 1000 };

static struct {
    struct { uint32_t name, file, line; int32_t status; uint64_t count; } failed;
    struct {
        struct question {
            uint32_t name, file, line, stream, event;
            int32_t status;
            uint64_t count;
        } list[QUESTIONS];
        unsigned questions;
        uint64_t row;               /* how often they were asked anew */
        bool in_vain;
    } asked;
    struct {
        uint32_t name, file, line;
        unsigned count;
        bool in_vain;
    } slept;  /* since that call */
    /* The handler's: */
    uint64_t seen, seen_row;
    int64_t since;
    int64_t tell_at;
    struct {
        size_t calls;
        int64_t since, seconds, tell_at, first;
    } host; /* since its latest call */
} watched_work;

static void count_answers_anew(void)
{
    watched_work.asked.row++;
    watched_work.asked.questions = 0;
    watched_work.asked.in_vain = false;
}

static bool is_same_question(const struct question *q, const struct question *other)
{
    return q->name == other->name && q->file == other->file && q->line == other->line
           && q->stream == other->stream && q->event == other->event;
}

/* A loop may ask in several places, and of many streams. */
static void count_answer(const struct question *question)
{
    struct question *list = watched_work.asked.list, *end = list + watched_work.asked.questions,
                    *q = list;
    while (q < end && !is_same_question(q, question))
        q++;
    if (q == list + QUESTIONS || (q < end && q->status != question->status)) {
        count_answers_anew();
        q = end = list;
    }
    if (q == end) {
        *q = *question;
        watched_work.asked.questions++;
    }
    if (++q->count % MANY_ANSWERS == 0)
        watched_work.asked.in_vain = scheduler_is_last();
}

void watch_failed(const struct call *c)
{
    bool same = c->name == watched_work.failed.name && c->file == watched_work.failed.file
                && c->line == watched_work.failed.line && c->status == watched_work.failed.status;
    if (!same) {
        watched_work.failed.name = c->name;
        watched_work.failed.file = c->file;
        watched_work.failed.line = c->line;
        watched_work.failed.status = c->status;
        watched_work.failed.count = 0;
        sim.changes++;
        count_answers_anew();
    }
    watched_work.failed.count++;
}

void watch_slept(unsigned count)
{
    watched_work.slept.count = count;
    if (count % MANY_ANSWERS == 0)
        watched_work.slept.in_vain = scheduler_is_last();
}

void watch_made(const struct call *c)
{
    watched_work.slept.in_vain = false;
    watched_work.slept.name = c->name;
    watched_work.slept.file = c->file;
    watched_work.slept.line = c->line;
    bool answers = c->status == cudaSuccess || c->status == cudaErrorNotReady;
    if (answers && (c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY)) {
        watched_work.failed.count = 0;
        count_answer(&(struct question){ c->name, c->file, c->line, c->stream, c->event, c->status,
                                         0 });
    } else if (c->node != NO_NODE) {
        count_answers_anew();
    }
}

/* The program's clock is the model's. */
static int64_t real_seconds(void)
{
    struct timespec t = { 0, 0 };
    real()->syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

static const char *watched_string(uint32_t number)
{
    return timeline_string(&sim.timeline, number);
}

/* Behind the first `used` characters, as much as there is room for; how many there are then. */
__attribute__((format(printf, 4, 5))) static int append(char *text, size_t size, int used,
                                                        const char *format, ...)
{
    va_list arguments;
    size_t room = size - (size_t)used;
    va_start(arguments, format);
    int length = vsnprintf(text + used, room, format, arguments);
    va_end(arguments);
    return length < 0 ? used : (size_t)length < room ? used + length : (int)size - 1;
}

static int say_operation(char *text, size_t size, uint32_t node, const char *head)
{
    const struct call *c = &sim.timeline.calls[sim.timeline.spans[node].call];
    return c->line != 0 ? append(text, size, 0, "%s:%u: %s", watched_string(c->file), c->line, head)
                        : append(text, size, 0, "%s", head);
}

static int say_kernel(char *text, size_t size, int64_t seconds)
{
    uint32_t node = sim.kernel_now;
    const struct call *c = &sim.timeline.calls[sim.timeline.spans[node].call];
    uint64_t begun, count;
    grid_progress(&begun, &count);
    int used = say_operation(text, size, node, "kernel ");
    used = append(
        text, size, used,
        "%s has run for %lld s of real time and has begun %llu of its %llu blocks; it goes on (Ctrl-C ends it). "
        "A kernel here runs from its start to its end before the host or another kernel goes on: one that waits for these never ends.",
        watched_string(c->name), (long long)seconds, (unsigned long long)begun,
        (unsigned long long)count);
    bool slow = access_is_instrumented,
         one = grid_cores() == 1 && count > 1 && sysconf(_SC_NPROCESSORS_ONLN) > 1;
    if (slow || one)
        used =
            append(text, size, used, " Faster:%s%s%s",
                   slow ? " SIM_HAZARDS=0, without the search for hazards" : "",
                   slow && one ? ";" : "", one ? " SIM_CORES=n, on n cores of this machine" : "");
    return used;
}

static int say_failure(char *text, size_t size)
{
    return append(
        text, size, 0, "%s:%u: %s has returned %s %llu times in a row; %s",
        watched_string(watched_work.failed.file), watched_work.failed.line,
        watched_string(watched_work.failed.name),
        error_name((cudaError_t)watched_work.failed.status),
        (unsigned long long)watched_work.failed.count,
        sim.sticky != cudaSuccess
            ? "the device is lost, and it will never return anything else (Ctrl-C ends the program)"
            : "the program goes on (Ctrl-C ends it)");
}

static int say_answer(char *text, size_t size)
{
    const struct question *q = &watched_work.asked.list[0];
    return append(
        text, size, 0,
        "%s:%u: %s has returned %s %llu times in a row, and nothing queued can change its answer; the program goes on (Ctrl-C ends it)",
        watched_string(q->file), q->line, watched_string(q->name),
        error_name((cudaError_t)q->status), (unsigned long long)q->count);
}

static int say_sleep(char *text, size_t size)
{
    int used = watched_work.slept.line == 0
                   ? 0
                   : append(text, size, 0, "%s:%u: since %s here ",
                            watched_string(watched_work.slept.file), watched_work.slept.line,
                            watched_string(watched_work.slept.name));
    return append(
        text, size, used,
        "the host has slept %u times in a row, and nothing queued can change what it waits for; the program goes on (Ctrl-C ends it)",
        watched_work.slept.count);
}

/* Called in a signal handler: no allocation, and one write. */
static void say(char *text, size_t size, int used)
{
    if (used <= 0)
        return;
    used = used < (int)size - 1 ? used : (int)size - 2;
    text[used++] = '\n';
    real()->write(STDERR_FILENO, text, (size_t)used);
}

static void tell_of_work(int64_t seconds)
{
    char text[1000];
    int used = 0;
    if (sim.kernel_now != NO_NODE)
        used = say_kernel(text, sizeof text, seconds);
    else if (sim.function_now != NO_NODE) {
        used = say_operation(text, sizeof text, sim.function_now,
                             "the host function that was queued here");
        used = append(text, sizeof text, used,
                      " has run for %lld s of real time; it goes on (Ctrl-C ends it)",
                      (long long)seconds);
    } else if (watched_work.failed.count >= MANY_FAILURES) {
        used = say_failure(text, sizeof text);
    } else if (watched_work.asked.in_vain) {
        used = say_answer(text, sizeof text);
    } else if (watched_work.slept.in_vain) {
        used = say_sleep(text, sizeof text);
    }
    say(text, sizeof text, used);
}

static bool changes_memory(uint32_t engine)
{
    return engine == ENGINE_KERNEL || engine == ENGINE_HOST_FUNC;
}

/* The first kernel or function that is queued and has not begun, or the first operation; NO_NODE:
 * there is none. */
static uint32_t first_to_come(void)
{
    uint32_t first = NO_NODE;
    for (uint32_t node = 0; node < sim.timeline.span_count; node++) {
        const struct span *s = &sim.timeline.spans[node];
        if (s->engine == ENGINE_NONE || s->engine == ENGINE_WAIT || s->start != TIME_NEVER)
            continue;
        if (changes_memory(s->engine))
            return node;
        first = first == NO_NODE ? node : first;
    }
    return first;
}

static void say_host(uint32_t node, int64_t seconds, const char *rest)
{
    char text[1000];
    const struct span *s = &sim.timeline.spans[node];
    int used = say_operation(text, sizeof text, node, s->engine == ENGINE_KERNEL ? "kernel " : "");
    used = append(
        text, sizeof text, used,
        "%s is queued and has not begun, and the host has called nothing for %lld s of real time; %s",
        watched_string(s->name), (long long)seconds, rest);
    say(text, sizeof text, used);
}

/* A build that does not look at loads cannot see that the host polls memory (poll.h), so no virtual
 * time passes there until a trial shows that it does. Then it polls here. */
static void look_for_polls(uint32_t node, int64_t seconds)
{
    uint32_t polls = trial_polls(seconds);
    if (polls == TRIAL_IN_COPY)
        return;
    if (polls == 0)
        say_host(
            node, seconds,
            "it goes on (Ctrl-C ends it). It was tried out whether its loop waits for what is queued: that is not known. "
            "A loop in which it waits for anything else lets no time pass without the search for hazards "
            "(SIM_HAZARDS=0, --hazards calls), and never ends");
    else if (watched_work.host.first == FIRST_TELLING)
        say_host(
            node, seconds,
            "as was tried out, its loop waits for what is queued, and goes on when that is done. "
            "With the search for hazards (SIM_HAZARDS=0, --hazards calls turn it off) this is seen at once");
    if (polls > 0)
        watched_work.host.first = 1;
    while (polls-- > 0)
        poll_once();
}

/* Kernels round as the host does, and a signal's handler begins with the default. */
static void round_as(const ucontext_t *interrupted)
{
#if defined(__x86_64__)
    fenv_t own;
    fegetenv(&own);
    own.__mxcsr = interrupted->uc_mcontext.fpregs->mxcsr;
    own.__control_word = interrupted->uc_mcontext.fpregs->cwd;
    fesetenv(&own);
#else
    (void)interrupted;
#endif
}

/* On the stack of the thread whose turn it is, as a call of its own would be. It stands in the
 * program's own code, so that it holds none of the C library's locks. */
static void look_at_host_thread(int number, siginfo_t *info, void *context)
{
    int error = errno;
    const struct thread *self = thread_self();
    uint32_t node = first_to_come();
    bool own = node != NO_NODE && !self->in_call && self->locks == 0 && !sim.in_effect
               && watched_work.host.calls == sim.timeline.call_count;
    (void)number;
    (void)info;
    round_as(context);
    if (own && counter_in_program(counter_interrupted(context)))
        look_for_polls(node, watched_work.host.seconds);
    errno = error;
}

static void look_at_host(int64_t now)
{
    bool works = sim.kernel_now == NO_NODE && sim.function_now == NO_NODE;
    if (!works || watched_work.host.calls != sim.timeline.call_count) {
        watched_work.host.calls = sim.timeline.call_count;
        watched_work.host.since = now;
        watched_work.host.tell_at = watched_work.host.first - 1;
        return;
    }
    int64_t seconds = now - watched_work.host.since + 1;
    if (seconds <= watched_work.host.tell_at)
        return;
    watched_work.host.tell_at = 2 * seconds - 1;
    watched_work.host.seconds = seconds;
    int running = scheduler_running();
    real()->syscall(SYS_tgkill, getpid(), running != 0 ? running : getpid(), SIGSTKFLT);
}

static void look_at_work(int number)
{
    (void)number;
    int64_t now = real_seconds();
    if (!access_is_instrumented)
        look_at_host(now);
    if (watched_work.seen != sim.changes || watched_work.seen_row != watched_work.asked.row) {
        watched_work.seen = sim.changes;
        watched_work.seen_row = watched_work.asked.row;
        watched_work.since = now;
        watched_work.tell_at = FIRST_TELLING - 1; /* the first look comes up to a second late */
    }
    int64_t seconds = now - watched_work.since + 1;
    if (seconds <= watched_work.tell_at)
        return;
    watched_work.tell_at = 2 * seconds - 1;
    tell_of_work(seconds);
}

void watch_begin(void)
{
    struct sigaction action = { .sa_handler = look_at_work, .sa_flags = SA_RESTART | SA_ONSTACK };
    struct sigaction on_thread = { .sa_sigaction = look_at_host_thread,
                                   .sa_flags = SA_RESTART | SA_SIGINFO };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM };
    const struct itimerspec each_second = { { 1, 0 }, { 1, 0 } };
    timer_t timer;
    watched_work.host.first = FIRST_TELLING;
    sigaddset(&action.sa_mask, SIGSTKFLT);      /* it comes on the thread's own stack */
    if (sigaction(SIGVTALRM, &action, NULL) == 0 && sigaction(SIGSTKFLT, &on_thread, NULL) == 0
        && timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0)
        timer_settime(timer, 0, &each_second, NULL);
}
