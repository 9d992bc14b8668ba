/* SPDX-License-Identifier: MIT */
/*
 * block.h - the blocks of a core's share of a grid, and the threads of a block, one after the
 * other.
 *
 * They start as plain calls on one stack, all blocks on the same. When one comes to a barrier (or
 * to its warp) the block is promoted: that thread keeps the stack, those after it get one each, and
 * the block goes on warp by warp. Which thread runs when depends on the program alone. A kernel
 * that is cut at its barriers (simcc/rewrite/cut) needs no stacks: there a block is one call.
 *
 * A barrier waits for the threads that have not ended, as since Volta [G]. One
 * that can never be complete ends the kernel with a message.
 */
#ifndef SIM_KERNEL_BLOCK_H
#define SIM_KERNEL_BLOCK_H

#include "sim/device_variables.h"
#include "sim/fiber/fiber_resume.h"
#include "sim/include/detail/sim_step.h"
#include "sim/kernel/child.h"
#include "sim/kernel/effect.h"

enum { BLOCK_THREADS = 1024, BLOCK_WARPS = BLOCK_THREADS / WARP, BARRIERS = 16,
       AHEAD = 4, NOWHERE = -1 };

enum device_thread_state { DEVICE_THREAD_NEW, DEVICE_THREAD_READY, DEVICE_THREAD_RESTS,
                           DEVICE_THREAD_STEPS, DEVICE_THREAD_AT_BARRIER, DEVICE_THREAD_IN_WARP,
                           DEVICE_THREAD_WAITS, DEVICE_THREAD_ENDED, DEVICE_THREAD_STATES };

/* One thread of the block. What each stop needs comes first: a line of the cache. */
struct device_thread {
    struct fiber *fiber;        /* NULL: it has not begun, or has ended */
    struct fiber_context context;       /* where that has stopped */
    struct uint3 at;            /* its threadIdx */
    /* What it waits for: a barrier's or a warp operation's kind, and where. */
    int line;
    const char *file;
    /* Owned by step.c: in how many branches and turns of loops it is; stops since it stored
     * something, the first of those that its state is compared with, how many there are from one
     * such state to the next; it only waits for others. */
    int depth;
    uint32_t period, idle, idle_then;
    uint8_t kind;
    bool waits, before, polled;
    bool stopped;               /* since it last polled a clock, or may have; owned by spin.c */
    /* Owned by parts.c: it has triggered or waited for the kernel ahead since its last kernel_cost;
     * calls of that which count: the first, and each after such a mark. */
    bool marked;
    uint8_t costs;
    uint64_t state_now, state_then;
    const void *pc;             /* where it stopped last */
    const struct wanted *wanted;        /* on its stack */
    /* Owned by device_clock.c, valid if `round` is the block's: ns since the kernel began; since
     * when it does nothing but poll, and how often it did. */
    uint64_t round;
    int64_t elapsed, polling_since;
    uint32_t polls;
} __attribute__((aligned(64)));

/* A thread waits while that word has, of the bits of `mask`, these. */
struct wanted {
    const volatile unsigned long long *word;
    unsigned long long mask, value;
};

/* The threads that are at a barrier: where the first of them is, whether another is elsewhere, what
 * they have said; then the answer to all. Owned by block.c. */
struct arrivals {
    unsigned count;
    uint32_t kind;
    int line, passes; /* the line, of a __syncthreads() where one that comes there, too, has nothing
                         to look at; NOWHERE: there is none */
    bool apart;
    const char *file;
    int said, answer;
};

/* Kernels that the grid's blocks on this core have launched. Owned by child.c. */
struct children {
    struct child *list;
    size_t count, capacity;
    struct sim_configuration how; /* of the launch that the thread is making, which stands there: */
    const char *file;
    int line;
    cudaError_t error;
};

/* A shuffle that read a lane which takes no part in it: the first of a core's. line 0: there was
 * none. */
struct warp_gap {
    uint64_t number;            /* of the block */
    uint32_t kind;
    unsigned lane, source;
    bool ended;                 /* the source has */
    const char *file;
    int line;
};

/* A barrier that threads of one block came to in two places: the first of a core's. line 0: there
 * was none. */
struct apart {
    uint64_t number;            /* of the block */
    const char *file, *other_file;
    int line, other_line;
};

/* What threads may do for the sake of dependent launches (parts.c). */
enum mark { MARK_TRIGGER, MARK_SYNC, MARKS };

/* The block that a core runs. */
struct block {
    const struct effect *effect;
    uint64_t number, end;       /* its own, and where the core's share ends: owned by grid.c */
    struct uint3 at;            /* its blockIdx */
    bool (*take)(struct block *); /* sets number and end to the next share; false: there is none.
                                     Owned by grid.c */
    unsigned count;             /* threads */
    unsigned live;              /* that have not ended */
    unsigned running;           /* the one that runs, once the block is promoted */
    uint64_t round;             /* a number of its own for each block that runs */
    cudaError_t error;          /* why it was given up: owned by kernel.c */
    /* Which threads are in which state, a bit each, by warp; each is in one. Those that its last
     * warp has not have ended. */
    uint32_t in[DEVICE_THREAD_STATES][BLOCK_WARPS];
    struct arrivals arrivals;
    struct device_thread *threads;
    unsigned room;              /* for that many */
    struct lane *lanes;         /* owned by warp.c, as is gap */
    struct warp_gap gap;
    struct apart apart;         /* owned by block.c */
    struct named {
        unsigned long long met;
        unsigned here;
    } named[BARRIERS]; /* barriers by number: owned by block.c */
    struct tiles *tiles; /* of several warps, by size; NULL: there were none. Owned by warp.c */
    struct children children;
    /* Owned by device_clock.c: what the slowest thread of this core's blocks took, ns; whether
     * somebody in the block polled or slept. */
    int64_t spent;
    bool polls;
    bool whole; /* its threads run in loops from barrier to barrier, and none can stop */
    bool stands; /* all its threads wait for what other blocks, kernels or the host do; owned by
                    stand.c */
    struct spins *spins;        /* owned by spin.c */
    /* Owned by shared.c: variables that the block has reached. */
    struct reached {
        struct sim_shared *variable;
        char *at;
        size_t bytes;
        unsigned window;
    } *reached;
    size_t reached_count, reached_capacity;
    char *put_by; /* what they hold while another block runs, unless the block has a place for that:
                   */
    char *slot;
    struct block **cluster; /* those of its cluster, by rank, and how many; they are there at once.
                               Owned by cooperative.c */
    unsigned cluster_size;
    bool shares_stacks; /* owned by parts.c; with others like it: */
    char *on_stacks;    /* what it has there, while another one runs */
    bool slot_used; /* another block of its cluster has asked for its memory before it began: what
                       it finds is there */
    bool begun; /* owned by cooperative.c, as are these: when it stopped last, did all its threads
                 * wait at a barrier of several blocks, and at which? */
    bool meets;
    enum sim_barrier meets_at;
    /* Owned by parts.c: has a thread of the block made the mark; in how many blocks of the core one
     * has, and when the latest did; was there a wait in one that had not triggered? */
    struct marks {
        bool here[MARKS];
        uint64_t blocks[MARKS];
        int64_t latest[MARKS];
        bool sync_first;
    } marks;
    struct print *print;        /* what was printed on this core; NULL: that goes straight out */
};
/* The calling thread's. Host threads, of which one runs at a time, have one in common. */
extern __thread struct block *block;
/* The calling thread is none: it gets its own. */
void block_apart(void);
/* The block that runs has room for its threads. */
void block_make_room(void);
/* Of a block that has ended: all that it owns. */
void block_free(struct block *b);

static inline bool device_thread_is(const struct block *b, unsigned number,
                                    enum device_thread_state state)
{
    return b->in[state][number / WARP] >> number % WARP & 1;
}

/* The thread is in one state of the block that runs, and from now on in the other. */
static inline void device_thread_moves(unsigned number, enum device_thread_state from,
                                       enum device_thread_state to)
{
    uint32_t bit = 1u << number % WARP;
    block->in[from][number / WARP] &= ~bit;
    block->in[to][number / WARP] |= bit;
}

/* … those of a warp, as many as are in the first; true: some are. */
static inline bool device_threads_move(unsigned warp, enum device_thread_state from,
                                       enum device_thread_state to)
{
    uint32_t those = block->in[from][warp];
    block->in[from][warp] = 0;
    block->in[to][warp] |= those;
    return those != 0;
}

/* ---- from one thread to the next; inline, as fiber_context.h says why ---- */

/* That thread is the one that runs from here on. */
static inline __attribute__((always_inline)) void
device_thread_begins(const struct device_thread *s, unsigned number)
{
    block->running = number;
    threadIdx = s->at;
    sim_depth = s->depth;
}

/* What comes after the thread that begins is brought nearer: the block has AHEAD threads more than
 * there are. */
static inline __attribute__((always_inline)) void
device_thread_expects(const struct device_thread *s)
{
    fiber_expect(&s[AHEAD / 2].context);
    __builtin_prefetch(&s[AHEAD], 1);
}

/* `s`, which runs, stops; `then`, of that number, which has stopped, goes on in its place: the
 * caller switches contexts. Not where step.h may have to see the stop: one that merely waits has
 * been idle. */
static inline __attribute__((always_inline)) void
device_thread_passes(struct device_thread *s, const struct device_thread *then, unsigned number)
{
    s->depth = sim_depth;
    device_thread_begins(then, number);
    device_thread_expects(then);
    fiber_passes(then->fiber);
}

/* ---- block.c, device_thread.c ---- */

/* Runs the blocks from block->number to block->end and the shares that follow (grid.h), or on from
 * where `fiber` was stopped by kernel_cost. Returns the fiber if the first thread stopped there
 * (again), else NULL. Inside guard_run. */
struct fiber *blocks_run(const struct effect *effect, struct fiber *fiber);
/* After guard_run was left: forgets the threads that were stopped. */
void block_drop(void);

/* The block of this number alone, up to its end or a barrier of several blocks; a fiber as for
 * blocks_run. */
struct fiber *block_run(uint64_t number, struct fiber *fiber);
/* Do all its threads that have not ended wait at such a barrier, of several blocks? */
bool block_meets(enum sim_barrier kind);
/* On from there, to its end or the next. */
void block_go_on(void);

/* … or till it stands again, waiting for others. True: a thread has got on. */
bool block_try_again(void);

/* ---- stand.c ---- */

/* The block that runs waits for others, with all its threads; `block` is another one, of the same
 * core, from here on. */
void stand_by(void);
/* Those that stand go on, in turn, until all have ended. Where that can never be, the kernel ends
 * with a message. */
void stand_go_on(void);
/* Ends the kernel: the block that runs waits in vain. */
_Noreturn void stand_in_vain(void);
/* The same: its thread that runs polls there. */
_Noreturn void stand_for_ever(const void *pc);
/* Do both threads wait at one place? */
bool device_threads_meet(const struct device_thread *a, const struct device_thread *b);
/* Does a thread of the block that runs wait for a word? */
bool block_waits(void);
/* Ends the kernel: the threads of the block that runs wait for each other. */
_Noreturn void stand_stuck(void);
/* After guard_run was left: forgets those that stand; `block`, that has failed, is the core's. */
void stand_drop(void);

/* ---- cooperative.c ---- */

/* As blocks_run, for a grid whose blocks are all there at once, or those of each cluster: one after
 * the other, from one barrier of the grid or the cluster to the next. */
struct fiber *cooperative_run(const struct effect *effect, struct fiber *fiber);
/* As block_drop, of all blocks. */
void cooperative_drop(void);
/* Is the grid one of those? */
bool cooperative_is(const struct effect *effect);

/* Where threads of a stopped block wait in cudaGridDependencySynchronize, or in kernel_cost, they
 * may go on there, and block_try_again lets them run; in a part, their clocks begin anew.
 */
void block_leaves_part(void);
void block_begins_part(void);

/* Has a thread of the block that runs stopped? */
bool block_promoted(void);
/* The number of the thread that runs. */
unsigned block_thread(void);
/* The thread that runs is about to stop (fiber_stop), or may have to: its device thread, in a
 * promoted block. Called outside a kernel, the program ends: `name` is for kernels. */
struct device_thread *block_stop(const char *name);
/* Stops it. Its state has been set; it goes on when that is DEVICE_THREAD_READY again. */
void device_thread_stop(struct device_thread *s);
/* Stops the thread that runs at a barrier or a part's end; returns what it is answered. Likewise.
 */
int block_stop_at(const char *name, enum sim_barrier kind, bool says, const char *file, int line);
/* Moves what the launch needs of a finished block (time, children, a gap in a warp) to its core's
 * struct. */
void block_gather(struct block *core, struct block *b);
/* The struct of a block that has ended, or a new one; and back again, for the next. Each thread
 * keeps its own. */
struct block *block_spare(void);
void block_keep(struct block *b);
/* Of the running block: no thread has arrived at a barrier. */
static inline void block_forget_arrivals(void)
{
    block->arrivals.count = 0;
    block->arrivals.passes = NOWHERE;
}
/* If it shares stacks: it has stopped, and another one is to run; it runs again. */
void stacks_leave(void);
void stacks_return(void);
/* Forgets where the threads of the block that runs have stopped. */
void block_drop_threads(void);

/* ---- parts.c: kernels that trigger dependent launches, and dependent launches ---- */

/* What blocks do next, inside guard_run. */
enum part_stage {
    STAGE_TO_SYNC, /* those that begin now go on to where they wait */
    STAGE_FIRST_BLOCK, /* the first goes on to its next kernel_cost */
    STAGE_TO_END, /* all do, and those begin that have not */
    STAGE_IN_BODY, /* of a conditional node, and the only one: from begin to end, and what it waits
                      for has ended */
};

struct kernel_parts {
    /* Of a block's time: those whose costs are known, whose ends are. */
    unsigned costs, ends;
    int64_t cost[KERNEL_PARTS];
    enum part_end end[KERNEL_PARTS];
    bool made[MARKS];           /* marks that have become a part's end */
    /* Blocks. */
    bool dependent;             /* their threads wait for the kernel ahead, */
    bool waits;                 /* now: */
    bool synced;                /* no longer */
    bool declared;              /* what they take is for kernel_cost to say */
    bool says;                  /* its threads have said it with kernel_busy */
    bool over;                  /* all has run */
    enum part_stage stage;
    uint8_t stops;              /* of the first block in kernel_cost */
    bool next_known;            /* the first block has come to its next kernel_cost: */
    int64_t next;
    uint64_t begun, count;
    struct block **held;        /* that have begun and not ended, in order */
    size_t held_count, held_capacity;
    uint32_t home; /* the number of the host thread whose variables and stacks they use */
};

/* At the beginning of a kernel, by the thread that runs it from now on. */
struct kernel_parts *parts_new(bool dependent, uint64_t blocks);
/* NULL is fine. */
void parts_free(struct kernel_parts *p);

/* Runs the stage; inside guard_run. `node`: the kernel. */
void parts_run(const struct effect *effect, uint32_t node);
/* After guard_run was left: nothing goes on any more. */
void parts_drop(struct effect *effect);

/* A stage begins: the first block has made no mark in it. */
void parts_stage_begins(void);
/* Adds a part of that cost, ns; says how the last one ends. */
void parts_add(struct kernel_parts *p, uint32_t node, int64_t cost);
void parts_end(struct kernel_parts *p, uint32_t node, enum part_end end);
/* The last part, as yet of no cost, ends where the first block has made marks in this stage: adds a
 * part of no cost after each. */
void parts_take_marks_of_first(struct kernel_parts *p, uint32_t node);
/* Of all blocks, since the clock began; what is left of `spent` after them. */
int64_t parts_take_marks(struct kernel_parts *p, uint32_t node, const struct marks *marks,
                         int64_t spent);

/* Of kernel_cost: stops the thread where a part of the first block's time begins. `is_first_call`:
 * of the block's first thread. */
void parts_stop_at_cost(const struct effect *effect, int64_t ns, bool is_first_call);

/* Marks: a block begins; the core's blocks have made none; those of a finished block, or of another
 * core, are this one's. */
static inline void marks_begin(struct block *b)
{
    b->marks.here[MARK_TRIGGER] = b->marks.here[MARK_SYNC] = false;
}
static inline void marks_clear(struct block *core)
{
    core->marks = (struct marks){ .sync_first = false };
}
static inline void marks_gather(struct block *core, struct block *b)
{
    for (int m = 0; m < MARKS; m++) {
        core->marks.blocks[m] += b->marks.blocks[m];
        if (b->marks.latest[m] > core->marks.latest[m])
            core->marks.latest[m] = b->marks.latest[m];
        b->marks.blocks[m] = 0;
        b->marks.latest[m] = 0;
    }
    core->marks.sync_first |= b->marks.sync_first;
}

/* ---- shared.c ---- */

/* As much as any card has for a block. */
/* A block begins: no variable has been reached, dynamic memory is filled with 0xff. */
void shared_begin(size_t dynamic);
/* There is no block any more. */
void shared_end(void);
/* Another block is to run; this one runs again, with the variables that it had. */
void shared_leave(void);
void shared_return(void);
/* The place of one of the blocks that are there at once. */
char *shared_slot(uint64_t number);
/* The calling thread gets dynamic shared memory of its own. */
void shared_apart(void);

#endif
