/* SPDX-License-Identifier: MIT */
#include "grader/sandbox/become.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define DATA_LIMIT ((rlim_t)4 << 30)
#define FILE_LIMIT ((rlim_t)64 << 20)
#define STACK_LIMIT ((rlim_t)8 << 20)

/* Soft and hard. */
static void limit_apart(int resource, rlim_t soft, rlim_t hard)
{
    struct rlimit now;
    if (getrlimit(resource, &now) == 0 && now.rlim_max != RLIM_INFINITY && now.rlim_max < hard)
        hard = now.rlim_max;
    setrlimit(resource, &(struct rlimit){ soft < hard ? soft : hard, hard });
}

static void limit(int resource, rlim_t value)
{
    limit_apart(resource, value, value);
}

static void limit_child(const struct child_plan *plan)
{
    limit(RLIMIT_CORE, 0);
    /* Not RLIMIT_AS: address space may be reserved and never used. */
    limit(RLIMIT_DATA, plan->data != 0 ? plan->data : DATA_LIMIT);
    limit(RLIMIT_FSIZE, FILE_LIMIT);
    limit(RLIMIT_STACK, STACK_LIMIT);
    /* The soft limit's signal says what it was; SIGKILL follows for a process that ignores it. */
    rlim_t cpu_s = plan->cpu_s != 0 ? (rlim_t)plan->cpu_s : (rlim_t)(4 * plan->wall_ms / 1000 + 2);
    limit_apart(RLIMIT_CPU, cpu_s, cpu_s + 2);
    if (plan->confinement)
        limit(RLIMIT_NOFILE, plan->confinement->open_files);
    personality(ADDR_NO_RANDOMIZE);
}

/* A file of its own: bubblewrap reads it from where the descriptor stands. */
static int open_anew(int file)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static bool become_user(const struct confinement *confinement)
{
    if (confinement->uid == 0)
        return true;
    return setgroups(0, NULL) == 0
           && setresgid(confinement->gid, confinement->gid, confinement->gid) == 0
           && setresuid(confinement->uid, confinement->uid, confinement->uid) == 0;
}

/* The sandbox's command, then the program's. */
static void execute(const struct child_plan *plan)
{
    const char *argv[384];
    size_t n = 0;
    const char *const *outer = plan->confinement ? plan->confinement->argv : NULL;
    for (const char *const *word = outer; word && *word; word++)
        if (n < sizeof argv / sizeof *argv - 1)
            argv[n++] = *word;
    for (const char *const *word = plan->argv; *word; word++)
        if (n < sizeof argv / sizeof *argv - 1)
            argv[n++] = *word;
    argv[n] = NULL;
    execve(argv[0], (char *const *)argv, (char *const *)plan->environment);
}

void child_become(const struct child_plan *plan, const struct control_group *group, int output,
                  int log, int inside, int tail, int *report, pid_t parent)
{
    setsid();
    if (group->path[0] != '\0' && !control_group_enter(group))
        return;
    for (int s = 1; s < 32; s++)
        signal(s, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    /* First out of the way of each other, then to their numbers. */
    int null = open("/dev/null", O_RDONLY);
    int filter = plan->confinement ? open_anew(plan->confinement->filter) : -1;
    int given[] = { null,         output, output, log,  plan->input,
                    plan->output, filter, inside, tail, *report };
    enum { GIVEN = sizeof given / sizeof *given };
    for (int i = 0; i < GIVEN; i++)
        if (given[i] >= 0 && (given[i] = fcntl(given[i], F_DUPFD, 16)) < 0)
            return;
    for (int i = 0; i < GIVEN; i++)
        if (given[i] >= 0)
            dup2(given[i], i);
        else
            close(i);
    *report = GIVEN - 1;
    fcntl(*report, F_SETFD, FD_CLOEXEC);
    close_range(GIVEN, ~0U, 0);
    if (plan->folder && chdir(plan->folder) != 0)
        return;
    if (plan->limited)
        limit_child(plan);
    if (plan->confinement && !become_user(plan->confinement))
        return;
    /* Not before: another user's process forgets it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        execute(plan);
}
