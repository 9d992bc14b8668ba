/* SPDX-License-Identifier: MIT */
/*
 * sim.h - the simulator of this process: one model, one log, its host threads.
 *
 * [H] here and in the other files is a comment of cuda_runtime_api.h 13.0, [G] the CUDA Programming
 * Guide, [M] measured on an H200.
 *
 * Built before main and before any constructor of the program, from the
 * environment: SIM_PROFILE (the card), SIM_MEMORY_MIB (its memory, if it is to have less),
 * SIM_SLOWER=n (the device takes n times as long) and SIM_WIDER=1 (all streams have queues of their
 * own; card_varied.h), CUDA_DEVICE_MAX_CONNECTIONS (queues), CUDA_LAUNCH_BLOCKING,
 * CUDA_MODULE_LOADING, SIM_HAZARDS (access.h), SIM_WAKEUPS (scheduler.h), SIM_TURNS (turns.h),
 * SIM_LISTS (graph_lists.c), SIM_CORES (core.h), SIM_FIBERS (block.c), WORKBOOK_LOG (where calls
 * are written, trace/record/log.h).
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <stdbool.h>

#include "model/model.h"
#include "sim/include/cuda_runtime_api.h"

struct sim_kernel;

/* Where the program makes a call, and what stream 0 means there. */
struct call_site {
    const char *file;           /* NULL: not known */
    int line;
    bool zero_is_per_thread;
    bool unread;                /* nobody looks at what the call returns (CALL_UNREAD) */
    bool half_read; /* an error counts as "done" (QUERY_HALF_READ) */
    bool by_driver_api;
    uint64_t caller; /* program counter: where the function that makes the call was called */
};

struct sim {
    struct timeline timeline;
    struct happens_before order;
    struct model model;
    const struct card *card;
    bool launch_blocking;
    bool eager_loading;
    cudaError_t sticky;         /* every call returns it: the device is lost */
    uint32_t sticky_why;        /* string: what was done that lost it, */
    size_t sticky_record;       /* and the number in the log of the CALL_FAULT that says so */
    uint32_t sticky_fault;      /* string: the same, and no more than that; of this place: */
    uint32_t sticky_file, sticky_line;
    /* What goes on, for who asks from a signal handler: nodes, NO_NODE for none, and how often that
     * has changed. */
    volatile uint32_t kernel_now, function_now;
    volatile uint64_t changes;
    bool in_effect;             /* a kernel body or a host function runs */
    void (*before_host)(void); /* what is to be done before the program's host code goes on; NULL:
                                  nothing */
    bool timed; /* the program has measured the time between events, or looked at a clock before and
                   after a kernel */
    bool two_processes;         /* a second one has begun (driver.h) */
    bool leaving;               /* main has returned: what kernels print from now on is lost */
    bool over; /* the program has ended: what comes after it (a leak checker) takes no turns */
};
extern struct sim sim;

/* The program's host code goes on, unless it is a kernel that has made the call. */
static inline void sim_host_goes_on(void)
{
    if (sim.before_host && !sim.in_effect)
        sim.before_host();
}

/* Is there one of this number? */
static inline bool is_device(int device)
{
    return device >= 0 && device < sim.card->devices;
}

enum { SITES = 16, CONFIGURATIONS = 16, PROCESSES = 2 };

struct task;

/* A host thread, numbered in order of creation. */
struct thread {
    uint32_t number;
    bool known;
    struct task *task;          /* scheduler.h; NULL: the simulator has not begun it */
    bool destroys; /* it runs the function that destroys a user object (user_object.h) */
    bool in_function;           /* it runs a host function of a stream: */
    uint32_t function;          /* of this node */
    uint32_t locking; /* the function, from 1, in which it locked a mutex last; 0: in none */
    unsigned locks;             /* sim_lock less sim_unlock */
    uint32_t process;           /* which of the program's it belongs to: 0, or 1 (driver.h) */
    int device;                 /* the current one */
    int64_t late_ns; /* for so long it loses the processor before its next question (driver.h) */
    cudaError_t last;           /* what cudaGetLastError gives */
    /* Its latest call that failed, for CHECK, which sees no more than a status. Owned by
     * api_call.c. */
    struct failure {
        cudaError_t status;
        uint32_t kind, name, file, line, why;
        size_t record; /* its number in the log, from 1; of a lost device, that of the fault. 0: it
                          is not there */
    } failure;
    uint32_t per_thread_stream[CARD_DEVICES];   /* numbers of its default streams; 0 for none yet */
    /* Owned by api_call.c: sites of calls that are about to be made, and of the one being made. */
    struct call_site sites[SITES];
    unsigned site_count;
    struct call_site site;
    bool in_call;
    int capture_mode;           /* cudaThreadExchangeStreamCaptureMode; owned by capture.c */
    /* Owned by virtual_clock.c. */
    size_t clock_call;          /* calls there were at the last reading of the clock */
    unsigned clock_polls;       /* readings since then */
    uint64_t work_acts;         /* task->acts at the end of its last work or sleep */
    unsigned works;             /* how many of those in a row before it */
    /* Owned by launch.c. */
    struct configuration {
        dim3 grid, block;
        size_t shared;
        cudaStream_t stream;
        bool cooperative, own_priority, dependent;
        int priority;
        unsigned cluster[3];    /* as the launch has it; 0: it says nothing */
        struct call_site site;
        const struct cudaLaunchConfig_st *attributes; /* what the rest was made from; NULL: it has
                                                         none */
    } configurations[CONFIGURATIONS];
    unsigned configuration_count;
    cudaError_t launched;       /* what became of the latest launch */
    /* Owned by kernel_table.c. */
    struct sim_kernel *asked;   /* a kernel is called to learn which it is: here */
};
/* The calling thread's. */
struct thread *thread_self(void);
/* The calling thread is the simulator's own, and does what is this one's to do. */
void thread_works_for(struct thread *host);
/* For who makes a thread: its number; for the new thread: that is what it is. */
uint32_t thread_number(void);
void thread_becomes(uint32_t number, struct task *task, uint32_t process);
/* Called by each thread that comes, if it is set. */
extern void (*thread_arrives)(void);

/* All of the above belongs to the task whose turn it is (scheduler.h). Between these
 * two, which nest, it is passed on by waits alone; after the last, those whose
 * time is lower go first. */
void sim_lock(void);
void sim_unlock(void);

/* A number from 1 to `most` that the environment holds under this name; 0 for none. */
unsigned environment_number(const char *name, unsigned most);

/* Ends the program with one line on stderr and status 2. */
_Noreturn void sim_trouble(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
