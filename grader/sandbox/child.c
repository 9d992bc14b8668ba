/* SPDX-License-Identifier: MIT */
#include "grader/sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/terminal.h"
#include "grader/sandbox/become.h"
#include "grader/sandbox/inside.h"
#include "trace/record/log_tail.h"
#include "trace/record/memory.h"

#define CHILDREN_MAX 256
#define PATIENCE_MS 2000        /* nobody is told of shorter waits */
#define POLL_MS 500
#define PIPE_BYTES (1 << 20)

static pid_t living[CHILDREN_MAX];     /* groups that must be gone when grade is */

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void kill_living(void)
{
    for (size_t i = 0; i < CHILDREN_MAX; i++)
        if (living[i] != 0)
            kill(-living[i], SIGKILL);
}

static void remember(pid_t pid, pid_t instead_of)
{
    static bool registered;
    if (!registered) {
        registered = true;
        atexit(kill_living);
    }
    for (size_t i = 0; i < CHILDREN_MAX; i++)
        if (living[i] == instead_of) {
            living[i] = pid;
            return;
        }
}

static bool make_tail(struct child *c)
{
    c->tail = memfd_create("tail", MFD_CLOEXEC);
    return c->tail >= 0 && ftruncate(c->tail, sizeof(struct log_tail)) == 0;
}

bool child_start(struct child *c, const struct child_plan *plan)
{
    *c = (struct child){ .output_pipe = -1, .log_pipe = -1, .inside_pipe = -1, .tail = -1,
                         .output_cap = plan->output_cap, .log = plan->log, .context = plan->context,
                         .gone = true };
    c->output = memory_resize(NULL, 1);
    c->output[0] = '\0';
    c->confined = plan->confinement;
    c->memory = c->confined ? plan->confinement->memory : 0;
    int output[2] = { -1, -1 }, log[2] = { -1, -1 }, inside[2] = { -1, -1 }, report[2] = { -1, -1 };
    if (pipe2(output, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0
        || (plan->log && pipe2(log, O_CLOEXEC) != 0)
        || (c->confined && pipe2(inside, O_CLOEXEC) != 0)
        || (plan->has_tail && !make_tail(c)))
        return false;
    if (c->confined && c->memory != 0)
        control_group_make(&c->group, c->memory);
    pid_t parent = getpid();
    c->pid = fork();
    if (c->pid == 0) {
        child_become(plan, &c->group, output[1], log[1], inside[1], c->tail, &report[1], parent);
        int problem = errno;
        ssize_t sent = write(report[1], &problem, sizeof problem);
        _exit(sent == sizeof problem ? 127 : 126);
    }
    int problem = c->pid < 0 ? errno : 0;
    close(output[1]);
    close(report[1]);
    if (log[1] >= 0)
        close(log[1]);
    if (inside[1] >= 0)
        close(inside[1]);
    if (c->pid > 0) {
        remember(c->pid, 0);
        ssize_t n;
        while ((n = read(report[0], &problem, sizeof problem)) < 0 && errno == EINTR)
            ;
        if (n == sizeof problem) {
            waitpid(c->pid, NULL, 0);
            remember(0, c->pid);
        } else {
            problem = 0;
        }
    }
    close(report[0]);
    c->output_pipe = output[0];
    c->log_pipe = log[0];
    fcntl(c->log_pipe, F_SETPIPE_SZ, PIPE_BYTES);       /* as large as it may be */
    c->inside_pipe = inside[0];
    if (problem != 0) {
        control_group_remove(&c->group);
        errno = problem;
        return false;
    }
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    if (log[0] >= 0)
        fcntl(log[0], F_SETFL, O_NONBLOCK);
    if (inside[0] >= 0)
        fcntl(inside[0], F_SETFL, O_NONBLOCK);
    c->gone = false;
    c->doing = plan->doing;
    c->idle_ms = plan->idle_ms;
    c->started = now_ms();
    c->wall_ms = plan->wall_ms;
    c->deadline = c->started + plan->wall_ms;
    return true;
}

static void keep_output(struct child *c, const char *bytes, size_t n)
{
    size_t room = c->output_cap - c->output_count;
    if (n > room) {
        n = room;
        c->output_cut = true;
    }
    c->output = memory_resize(c->output, c->output_count + n + 1);
    memory_copy(c->output + c->output_count, bytes, n);
    c->output_count += n;
    c->output[c->output_count] = '\0';
}

/* With a sandbox, its first process: all in it have ended when bubblewrap has buried that one.
 * Again: the whole group. */
static void end(struct child *c)
{
    if (c->inside > 0 && !c->terminating && kill(c->inside, SIGKILL) == 0)
        c->terminating = true;
    else
        kill(-c->pid, SIGKILL);
}

static void take_log(struct child *c, const char *bytes, size_t n)
{
    if (!c->flooded && !c->log(c->context, bytes, n)) {
        c->flooded = true;
        end(c);
    }
}

/* Reads what a pipe holds, not waiting for more; closes it at its end. At most `pieces` pieces, so
 * that one child cannot keep us from the others. Was there anything? */
static bool drain(struct child *c, int *pipe, int pieces)
{
    char bytes[65536];
    bool found = false;
    while (*pipe >= 0 && pieces-- > 0) {
        ssize_t n = read(*pipe, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        found |= n > 0;
        if (n <= 0) {
            close(*pipe);
            *pipe = -1;
        } else if (pipe == &c->output_pipe) {
            keep_output(c, bytes, (size_t)n);
        } else {
            c->log_count += (uint64_t)n;
            take_log(c, bytes, (size_t)n);
        }
    }
    return found;
}

/* Is it gone? With `flags` 0, waits for that. */
static bool reap(struct child *c, int flags)
{
    struct rusage used;
    if (wait4(c->pid, &c->status, flags, &used) != c->pid)
        return false;
    c->cpu_ms = ((int64_t)used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000
                + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
    return true;
}

/* What it wrote to the log and has not sent. Its memory may hold anything. */
static void take_tail(struct child *c)
{
    uint64_t end, at = c->log_count;
    char bytes[LOG_TAIL_BYTES];
    if (c->tail < 0 || pread(c->tail, &end, sizeof end, 0) != sizeof end || end < at
        || end - at > sizeof bytes
        || pread(c->tail, bytes, sizeof bytes, offsetof(struct log_tail, bytes)) != sizeof bytes)
        return;
    while (at < end) {
        size_t from = at % sizeof bytes,
               n = end - at < sizeof bytes - from ? end - at : sizeof bytes - from;
        take_log(c, bytes + from, n);
        at += n;
    }
}

static void close_pipes(struct child *c)
{
    int *const pipes[] = { &c->log_pipe, &c->output_pipe, &c->inside_pipe, &c->tail };
    for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++) {
        if (*pipes[i] >= 0)
            close(*pipes[i]);
        *pipes[i] = -1;
    }
}

/* What is left in the pipes of a child that is gone. Something it started may hold them open: no
 * waiting. */
static void bury(struct child *c)
{
    kill(-c->pid, SIGKILL);
    remember(0, c->pid);
    c->gone = true;
    c->too_large |= control_group_was_full(&c->group);
    control_group_remove(&c->group);
    if (c->confined && WIFEXITED(c->status) && WEXITSTATUS(c->status) > 128
        && WEXITSTATUS(c->status) < 128 + 64)
        c->status = WEXITSTATUS(c->status)
                    - 128; /* bubblewrap says as a shell does what ended the program */
    drain(c, &c->log_pipe, 64);
    take_tail(c);
    drain(c, &c->output_pipe, 64);
    close_pipes(c);
}

/* In a sandbox: who is there, how much they have, and do they do anything? */
static void look_inside(struct child *c, int64_t now)
{
    if (c->inside == 0)
        c->inside = inside_first(c->inside_pipe);
    if (c->inside == 0 || c->terminating)
        return;
    if (c->memory != 0 && inside_memory(c->inside) > c->memory) {
        c->too_large = true;
        end(c);
    } else if (c->idle_ms != 0 && now - c->polled >= CHILD_POLL_MS) {
        c->polled = now;
        c->idle_polls = inside_is_busy(c->inside) ? 0 : c->idle_polls + 1;
        c->idle = c->idle_polls * CHILD_POLL_MS >= c->idle_ms;
        if (c->idle)
            end(c);
    }
}

/* On a busy machine it takes longer until a child has had its time: what it waited for a processor
 * is not counted. */
static void extend(struct child *c)
{
    int64_t waited = inside_waited_ms(c->inside > 0 ? c->inside : c->pid),
            most = (BUSY_MOST - 1) * c->wall_ms;
    c->deadline = c->started + c->wall_ms + (waited < most ? waited : most);
}

/* Ends what has had its time. Returns ms until it has to be looked at again. */
static int64_t keep_time(struct child *c, int64_t now)
{
    if (c->kill_at == 0 && now >= c->deadline)
        extend(c);
    if (c->kill_at == 0 && now >= c->deadline) {
        c->timed_out = true;
        c->kill_at = now + CHILD_GRACE_MS;
        if (c->inside > 0)
            inside_signal(c->inside, SIGTERM);
        else if (!c->confined)
            kill(c->pid, SIGTERM);
    } else if (c->kill_at != 0 && now >= c->kill_at) {
        end(c);
        c->kill_at = now + CHILD_GRACE_MS;
    }
    int64_t left = (c->kill_at != 0 ? c->kill_at : c->deadline) - now;
    return c->confined && left > CHILD_POLL_MS ? CHILD_POLL_MS : left;
}

/* How far is the first of those that have something to say? Returns whether a bar stands there now.
 */
static bool show_waiting(struct child *const *children, size_t count, int64_t now)
{
    for (size_t i = 0; i < count; i++) {
        const struct child *c = children[i];
        if (c->gone || !c->doing || now - c->started < PATIENCE_MS)
            continue;
        int64_t spent = (now - c->started) / 1000, most = (c->deadline - c->started + 999) / 1000;
        char what[80];
        snprintf(what, sizeof what, "%lld of %lld s, %s", (long long)spent, (long long)most,
                 c->doing);
        terminal_bar(stderr, spent, most, what);
        return true;
    }
    return false;
}

static void woken(int signal_number)
{
    (void)signal_number;
}

/* Until `until` is gone, or all are; `any` one, or `give_up` comes; 0: never. */
static bool watch_children(struct child *const *children, size_t count, const struct child *until,
                           bool any, int64_t give_up)
{
    sigset_t held, before, during;
    sigemptyset(&held);
    for (size_t i = 0; i < 4; i++)
        sigaddset(&held, (int[]){ SIGCHLD, SIGINT, SIGTERM, SIGHUP }[i]);
    sigprocmask(SIG_BLOCK, &held, &before);
    during = before;
    for (size_t i = 0; i < 4; i++)
        sigdelset(&during, (int[]){ SIGCHLD, SIGINT, SIGTERM, SIGHUP }[i]);
    sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = woken }, NULL);

    bool shown = false;
    while (interrupt_seen() == 0) {
        struct pollfd fds[2 * CHILDREN_MAX];
        size_t waiting = 0, buried = 0;
        bool found = false;
        nfds_t fd_count = 0;
        int64_t now = now_ms(), timeout = 60000;
        for (size_t i = 0; i < count; i++) {
            struct child *c = children[i];
            if (c->gone)
                continue;
            found |= drain(c, &c->log_pipe, 16);
            found |= drain(c, &c->output_pipe, 16);
            if (reap(c, WNOHANG)) {
                bury(c);
                buried++;
                continue;
            }
            if (c->confined)
                look_inside(c, now);
            int64_t left = keep_time(c, now);
            timeout = left < timeout ? left : timeout;
            if (c->log_pipe >= 0)
                fds[fd_count++] = (struct pollfd){ c->log_pipe, POLLIN, 0 };
            if (c->output_pipe >= 0)
                fds[fd_count++] = (struct pollfd){ c->output_pipe, POLLIN, 0 };
            waiting++;
        }
        if (waiting == 0 || (until && until->gone) || (any && (buried > 0 || now >= give_up)))
            break;
        if (any && give_up - now < timeout)
            timeout = give_up - now;
        shown |= show_waiting(children, count, now);
        timeout = timeout < POLL_MS ? timeout : POLL_MS;
        /* Of a child that speaks more is to come: it is let speak, and not asked for every word. */
        if (found || timeout <= 0)
            timeout = 1;
        struct timespec t = { timeout / 1000, timeout % 1000 * 1000000 };
        ppoll(fds, found ? 0 : fd_count, &t, &during);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (shown)
        terminal_bar(stderr, -1, 0, "");
    if (interrupt_seen() == 0)
        return true;
    for (size_t i = 0; i < count; i++)
        if (!children[i]->gone) {
            end(children[i]);
            reap(children[i], 0);
            bury(children[i]);
        }
    return false;
}

bool child_wait(struct child *const *children, size_t count, const struct child *until)
{
    return watch_children(children, count, until, false, 0);
}

bool child_wait_any(struct child *const *children, size_t count, int64_t ms)
{
    return watch_children(children, count, NULL, true, now_ms() + ms);
}

bool child_run(struct child *c, const struct child_plan *plan)
{
    if (!child_start(c, plan))
        return false;
    if (!child_wait((struct child *[]){ c }, 1, NULL))
        interrupt_leave();
    return true;
}

bool child_succeeded(const struct child *c)
{
    return WIFEXITED(c->status) && WEXITSTATUS(c->status) == 0;
}

void child_fini(struct child *c)
{
    if (!c->gone) {
        end(c);
        reap(c, 0);
        bury(c);
    }
    close_pipes(c);
    c->output = memory_resize(c->output, 0);
}
