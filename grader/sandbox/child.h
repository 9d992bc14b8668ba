/* SPDX-License-Identifier: MIT */
/*
 * child.h - processes that grade starts, watches and ends: compilers and programs.
 *
 * A child has a session of its own, so that all it starts can be killed with
 * it, an environment and descriptors that are given to it and no others, and
 * limits. What it prints (both streams, one pipe) is kept up to a cap; the rest
 * is read and dropped. At its time limit it gets SIGTERM, CHILD_GRACE_MS later its
 * whole group gets SIGKILL. It dies with grade, however grade dies.
 *
 * A confined child is started by a program that builds a sandbox round it
 * (bubblewrap): then limits, signals and the count of memory are for what is
 * inside, all of it, and nothing of that is left when the child is gone. Where
 * the machine allows it, a control group (control_group.h) limits it as well.
 *
 * 1. child_start   2. child_wait, for any number of children at once   3. child_fini
 */
#ifndef GRADER_SANDBOX_CHILD_H
#define GRADER_SANDBOX_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "grader/sandbox/control_group.h"

#define CHILD_GRACE_MS 2000     /* where it was when it was stopped is told then: on a busy machine, too */
/* Numbers of the descriptors that a child finds open besides 0, 1 and 2; -1 in a plan: not given.
 */
enum { CHILD_FD_LOG = 3, CHILD_FD_INPUT = 4, CHILD_FD_OUTPUT = 5, CHILD_FD_FILTER = 6,
       CHILD_FD_INSIDE = 7, CHILD_FD_TAIL = 8 };

struct confinement {
    const char *const *argv;    /* begins the command; the program's own follows */
    int filter; /* a file that is given as CHILD_FD_FILTER, read from its beginning; bubblewrap's
                   --seccomp */
    uid_t uid;                  /* become this user and group first; 0: stay */
    gid_t gid;
    uint64_t memory; /* bytes that all inside may have together; looked at every CHILD_POLL_MS */
    unsigned open_files;        /* at once, of each process */
};
#define CHILD_POLL_MS 100
#define BUSY_MOST 4

struct child_plan {
    const char *const *argv;    /* argv[0] is the program's path */
    const char *const *environment;
    const char *folder;         /* NULL: where grade is */
    int64_t wall_ms; /* not counting what it waits for a processor: at most BUSY_MOST times this */
    unsigned cpu_s; /* of each process, where it is limited (SIGXCPU, and SIGKILL two seconds
                       later); 0: what the wall's time allows on four cores */
    int64_t idle_ms; /* ended when nothing in its sandbox was busy for so long, each time that it
                        was looked at; 0: not */
    const char *doing; /* told to whoever waits longer than two seconds at a terminal: "compiling";
                          NULL: not */
    uint64_t data; /* bytes that each process may ask for, where it is limited, whether anybody
                      looks or not; 0: 4 GiB */
    size_t output_cap;
    int input, output;          /* descriptors to give */
    const struct confinement *confinement; /* NULL: none */
    bool limited; /* a stranger's program: limits of memory, CPU time, file sizes; addresses not
                     random */
    /* Gets what comes through the log pipe, as it comes; false: enough, end the child. NULL: no log
     * pipe. */
    bool (*log)(void *context, const void *bytes, size_t count);
    void *context;
    /* Has it memory for what it has not sent through the log pipe (trace/record/log_tail.h)? It is
     * read once the child is gone. */
    bool has_tail;
};

struct child {
    pid_t pid;
    bool gone;
    int status;                 /* of waitpid, once it is gone */
    int64_t cpu_ms; /* that it and those whom it waited for had a processor; of a sandbox not even
                       those in it */
    bool timed_out, flooded;    /* ended by us: at its time limit; because `log` had enough */
    bool too_large;             /* the same: more memory than its sandbox has */
    bool idle;                  /* ended by us: it waited for something that did not come */
    char *output;               /* zero-terminated */
    size_t output_count, output_cap;
    bool output_cut;
    /* Owned by child.c. */
    int output_pipe, log_pipe, inside_pipe, tail;
    uint64_t log_count;         /* bytes that came through the log pipe */
    bool confined, terminating;
    pid_t inside;               /* bubblewrap's first process in there, 0 before it is known */
    uint64_t memory;
    struct control_group group;
    const char *doing;
    int64_t started, wall_ms, deadline, kill_at, idle_ms, idle_polls, polled;
    bool (*log)(void *context, const void *bytes, size_t count);
    void *context;
};

/* What child_fini takes though it was never started. */
#define CHILD_NONE { .gone = true, .output_pipe = -1, .log_pipe = -1, .inside_pipe = -1, .tail = -1 }

/* False: it could not be started; errno says why. */
bool child_start(struct child *c, const struct child_plan *plan);

/* Watches all `children` until `until` is gone (NULL: until all are). False
 * when Ctrl-C came first: then all of them have been killed. */
bool child_wait(struct child *const *children, size_t count, const struct child *until);
/* The same until any of them is gone, or `ms` have passed. */
bool child_wait_any(struct child *const *children, size_t count, int64_t ms);

/* Starts one and waits for it; Ctrl-C ends the program. False: it could not be started; errno says
 * why. */
bool child_run(struct child *c, const struct child_plan *plan);
/* Has it ended by itself, and well? */
bool child_succeeded(const struct child *c);

/* Kills it and its group if it still runs. */
void child_fini(struct child *c);

#endif
