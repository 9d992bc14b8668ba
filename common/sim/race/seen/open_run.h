/* SPDX-License-Identifier: MIT */
/*
 * open_run.h - the runs of a thread that may go on, and what is done at most accesses: a look
 * whether one does. Inlined into what the compiler calls (tsan.c); the rest is access_seen.c's.
 */
#ifndef SIM_RACE_SEEN_OPEN_RUN_H
#define SIM_RACE_SEEN_OPEN_RUN_H

#include "sim/race/seen/access_runs.h"

enum {
    OPEN = 1024, AHEAD = 4096, PARKED = 512, PARKED_PIECE = 256, STRIDES = 1024, LEFT = 7,
    PROMISES = 16
};

/* A run that may go on. Most instructions of a program have their own, in a variable of the
 * program's: simcc/instrumented.c knows this struct, and does itself what goes_on does before it
 * calls. The others share a table. */
struct open_run {
    uintptr_t mark; /* its instruction's pc and of what kind it is; 0: there is none */
    uintptr_t from,
        to; /* the instruction has touched each byte of it: to do so again says nothing new */
    uintptr_t known_to; /* up to there all is memory of the device that was written, or there is a
                           promise */
    struct left_run *expected; /* of its instruction's ring: it comes back to that one or to its
                                  `next`; NULL: who knows */
};

/* A run that its instruction has left for another place: the threads of a block follow each other
 * in each turn of a loop whose stride is the grid, and come back to all these places, mostly in the
 * same order. Each instruction keeps some in a ring; what has no room there is parked, by
 * instruction and where it ends. */
struct left_run {
    uintptr_t from, to, known_to;
    struct left_run *next;      /* where its instruction went from here last time, in the ring */
};

/* The run writes what nothing has written (promise.h). */
struct promise {
    uintptr_t *to, *known_to;       /* of an open_run or a left_run */
    uintptr_t marked_to;            /* up to there initialised.h knows of it */
};

extern __thread struct open_runs {
    struct open_run open[OPEN];     /* by pc: those of one loop lie close together */
    struct open_run parked[PARKED];
    bool parked_once[PARKED];       /* since all were closed; those places: */
    uint16_t parked_at[PARKED];
    size_t parked_count;
    struct stride {             /* of an instruction that jumps about: by pc */
        uintptr_t mark;
        uintptr_t end;          /* of its last access */
        uint32_t line;          /* a guess of access_runs_touch's */
        uint16_t jumps, steps;  /* that were no step to what comes next; steps in a row */
        uint8_t left_count, left_last; /* runs in its ring; the one that it came back to last */
        uint8_t missed; /* so often, more or less, it came back to one that had no room there */
        struct open_run *expecting; /* its `expected` is of this ring; NULL: none is */
        bool listed;            /* among those whose rings had runs since all were closed: */
    } strides[STRIDES];
    struct left_run (*left)[LEFT];      /* a ring for each of them; NULL: none has one */
    uint16_t rings[STRIDES];
    size_t ring_count;
    struct open_run **used;         /* the open ones, there and in the program */
    size_t used_count, used_capacity;
    struct promise promises[PROMISES];
    size_t promise_count;
    struct access_runs closed;      /* those that go on no more */
    bool fenced; /* what a kernel stores after a fence may be a flag for the host */
} open_runs;

/* An instruction reads or writes; those that are both, or of several kinds, have a place for each.
 */
static inline __attribute__((always_inline)) struct open_run *run_of(uintptr_t pc, uintptr_t kind)
{
    return &open_runs.open[(pc + (kind & ATOMIC_BIT ? OPEN / 2 : 0)
                            + (kind & UNINITIALISED_BIT ? OPEN / 4 : 0)
                            + ((kind & ATOMIC_BIT) && (kind & WRITES_BIT) ? OPEN / 8 : 0))
                           % OPEN];
}

/* The run of its instruction, or NULL. */
static inline __attribute__((always_inline)) struct open_run *run_in_table(bool write, uintptr_t pc)
{
    struct open_run *run = run_of(pc, 0);
    return __builtin_expect(run->mark == (pc | (write ? WRITES_BIT : 0)), 1) ? run : NULL;
}

/* Changes no register of vectors: look.c. */
#ifdef __x86_64__
#define LIGHT __attribute__((always_inline, target("general-regs-only")))
#else
#define LIGHT __attribute__((always_inline))
#endif

/* Does it follow what was touched before, where nothing is left to be looked at? */
static inline LIGHT bool follows(struct open_run *run, uintptr_t at, size_t bytes)
{
    bool does = run->to == at && at + bytes <= run->known_to;
    if (__builtin_expect(does, 1))
        run->to = at + bytes;
    return does;
}

/* … or touch it again? Only aligned accesses of one size: of a larger one a part may never have
 * been written. */
static inline LIGHT bool goes_on(struct open_run *run, uintptr_t at, size_t bytes)
{
    return follows(run, at, bytes) || (at >= run->from && at + bytes <= run->to);
}

/* JUMPS make an instruction one that strides, and STEPS_ON steps in a row end that. After MISSES it
 * keeps no ring. */
enum { JUMPS = 16, STEPS_ON = 16, MISSES = 32 };

static inline LIGHT struct stride *stride_place(uintptr_t mark)
{
    return &open_runs.strides[(mark ^ mark >> 59) % STRIDES];
}

static inline LIGHT void change_places(struct open_run *own, struct left_run *left)
{
    uintptr_t from = own->from, to = own->to, known_to = own->known_to;
    own->from = left->from;
    own->to = left->to;
    own->known_to = left->known_to;
    left->from = from;
    left->to = to;
    left->known_to = known_to;
}

/* Does the instruction come back to a run of its ring, and go on there? That run stays in the ring:
 * threads that follow each other go to the same places in turn, and the first finds the
 * instruction's own run where it was. Where there is more to be looked at, the run is the
 * instruction's own again. True: and nothing is left to be looked at. */
static inline LIGHT bool comes_back(struct open_run *own, uintptr_t at, size_t bytes,
                                    uintptr_t mark)
{
    struct stride *s = stride_place(mark);
    if (s->mark != mark || own->mark != mark || s->jumps >= JUMPS)
        return false;
    struct left_run *ring = open_runs.left[s - open_runs.strides];
    unsigned i = s->left_last;
    for (unsigned n = s->left_count; n > 0; n--) {
        i = i + 1 < s->left_count ? i + 1 : 0;
        if (at < ring[i].from || at > ring[i].to)
            continue;
        s->left_last = (uint8_t)i;
        if (s->jumps > 0)
            s->jumps--;
        if (s->missed > 0 && s->missed < MISSES)
            s->missed--;
        if (own->expected)
            own->expected->next = &ring[i];
        if (s->jumps == 0 && s->missed == 0) {
            own->expected = &ring[i];
            s->expecting = own;
        }
        if (at + bytes <= ring[i].to)
            return true;
        if (at == ring[i].to && at + bytes <= ring[i].known_to) {
            ring[i].to = at + bytes;
            return true;
        }
        if (open_runs.promise_count == 0)   /* else promises_change does so */
            change_places(own, &ring[i]);
        return false;
    }
    return false;
}

/* Nothing from there on is looked at, unless a kernel touches it: most stacks. */
extern uintptr_t access_end;

/* What goes_on has not settled. `own`: the instruction's run in the program, or NULL. */
void access_see_anew(uintptr_t address, size_t bytes, bool write, bool atomic, const void *pc,
                     struct open_run *own);
/* Reads and writes at once. */
void access_see_update(const volatile void *at, size_t bytes, const void *pc);
/* A volatile variable of the program's own is what threads may well meet by (a flag that is spun
 * on), and one in memory that both sides reach what the host and a kernel meet by: as good as an
 * atomic one between them. In memory of the device it is seen as any other. */
bool access_is_flag(const volatile void *at);
static inline __attribute__((always_inline)) void see(const volatile void *at, size_t bytes,
                                                      bool write, bool atomic, const void *pc)
{
    struct open_run *run = atomic ? NULL : run_in_table(write, (uintptr_t)pc);
    if (!run || !follows(run, (uintptr_t)at, bytes))
        access_see_anew((uintptr_t)at, bytes, write, atomic, pc, NULL);
}

static inline __attribute__((always_inline)) void see_plain(const void *at, size_t bytes,
                                                            bool write, const void *pc)
{
    struct open_run *run = run_in_table(write, (uintptr_t)pc);
    if (!run || !goes_on(run, (uintptr_t)at, bytes))
        access_see_anew((uintptr_t)at, bytes, write, false, pc, NULL);
}

#endif
