/* SPDX-License-Identifier: MIT */
#include "sim/poll/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host/host_function.h"
#include "sim/host/scheduler.h"
#include "sim/poll/poll.h"
#include "sim/real.h"

enum { POLLS_MOST = 1 << 20, FILES_MOST = 1024, CALLS = 101, SAYS_NOTHING = 102 };

enum outcome { IN_COPY, GETS_ON, STAYS, NOT_KNOWN };

/* How long a copy may take: for the polls, and then, in us of processor time, to its next call. */
struct limits { int64_t seconds, going_on_us; };

/* Copies and the process have it in common. */
struct report { uint32_t polls; };

/* ---- in a copy ---- */

static _Noreturn void leave(int status)
{
    for (;;)
        real()->syscall(SYS_exit_group, status);
}

static void says_nothing(void)
{
    leave(SAYS_NOTHING);
}

static const struct task *copied;

static void gives(const struct task *to)
{
    if (to != copied && !to->function)
        says_nothing();
}

static void calls(void)
{
    leave(CALLS);
}

static void lead_nowhere(void)
{
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0)
        says_nothing();
    for (int file = 0; file < FILES_MOST; file++)
        if (file != nowhere && fcntl(file, F_GETFD) >= 0)
            dup2(nowhere, file);
}

/* The kernel ends the process `us` from now, by what the timer counts; 0: not any more. */
static void end_after(int timer, int number, int64_t us)
{
    const struct itimerval left = { .it_value = { us / 1000000, us % 1000000 } };
    sigset_t set;
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    setitimer(timer, &left, NULL);
}

/* The next system call but what a signal's handler returns by is the end. */
static void end_at_system_call(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        says_nothing();
}

static uint32_t poll_times(uint32_t most)
{
    uint32_t polls = 0;
    while (polls < most && poll_once())
        polls++;
    return polls;
}

static void begin_copy(struct report *report, uint32_t polls, struct limits limits)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
    lead_nowhere();
    copied = scheduler_self();
    scheduler_gives = gives;
    end_after(ITIMER_REAL, SIGALRM, 20 * (limits.seconds * 1000000 + limits.going_on_us));
    end_after(ITIMER_VIRTUAL, SIGVTALRM, limits.seconds * 1000000);
    if (!host_functions_in_copy())
        says_nothing();
    report->polls = poll_times(polls);
    end_after(ITIMER_VIRTUAL, SIGVTALRM, 0);
    scheduler_called = calls;
    end_after(ITIMER_PROF, SIGPROF, limits.going_on_us);
    end_at_system_call();
}

/* ---- in the process ---- */

static enum outcome await(pid_t copy)
{
    int status;
    while (real()->syscall(SYS_wait4, copy, &status, __WALL, NULL) != copy)
        if (errno != EINTR)
            return NOT_KNOWN;
    if ((WIFEXITED(status) && WEXITSTATUS(status) == CALLS)
        || (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS))
        return GETS_ON;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? STAYS : NOT_KNOWN;
}

/* No signal tells the program that the copy has ended, and none of the C library's locks is
 * taken. */
static enum outcome try_out(struct report *report, uint32_t polls, struct limits limits)
{
    pid_t copy = (pid_t)real()->syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
    if (copy < 0)
        return NOT_KNOWN;
    if (copy > 0)
        return await(copy);
    begin_copy(report, polls, limits);
    return IN_COPY;
}

/* It gets on after `enough` polls, and not after none: the fewest after which it does. */
static uint32_t fewest(struct report *report, uint32_t enough, struct limits limits)
{
    uint32_t few = 0;
    while (enough - few > 1) {
        uint32_t polls = few + (enough - few) / 2;
        switch (try_out(report, polls, limits)) {
        case IN_COPY:   return TRIAL_IN_COPY;
        case GETS_ON:   enough = polls; break;
        case STAYS:     few = polls; break;
        case NOT_KNOWN: return 0;
        }
    }
    return enough;
}

static uint32_t with_report(struct report *report, int64_t seconds)
{
    const struct limits all = { seconds < 4 ? 2 : seconds / 2, seconds * 50000 },
                        none = { all.seconds, 8 * all.going_on_us },
                        some = { all.seconds, 2 * all.going_on_us };
    enum outcome outcome = try_out(report, POLLS_MOST, all);
    uint32_t enough = report->polls;
    if (outcome == GETS_ON && enough > 0) {
        outcome = try_out(report, 0, none);
        if (outcome == STAYS)
            return fewest(report, enough, some);
    }
    return outcome == IN_COPY ? TRIAL_IN_COPY : 0;
}

uint32_t trial_polls(int64_t seconds)
{
    struct report *report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED)
        return 0;
    uint32_t polls = with_report(report, seconds);
    if (polls != TRIAL_IN_COPY)
        munmap(report, sizeof *report);
    return polls;
}
