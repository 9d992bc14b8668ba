/* SPDX-License-Identifier: MIT */
/*
 * effect.h - what an operation does to memory, kept until the model says that
 * it is due: copies, memsets, kernel bodies, host functions.
 *
 * Bytes from pageable memory that the program may already change while the copy
 * is still under way are taken at the call: the copy has been staged.
 */
#ifndef SIM_KERNEL_EFFECT_H
#define SIM_KERNEL_EFFECT_H

#include "sim/host/host_function.h"
#include "sim/include/detail/sim_launch.h"
#include "sim/sim.h"

enum effect_kind { EFFECT_COPY, EFFECT_SET, EFFECT_KERNEL, EFFECT_FUNCTION, EFFECT_PREFETCH,
                   EFFECT_KINDS };

struct effect {
    enum effect_kind kind;
    /* EFFECT_COPY, EFFECT_SET; EFFECT_PREFETCH has dst, bytes and the side. */
    void *dst;
    const void *src;
    size_t bytes;               /* of a row */
    size_t rows;                /* 0 is 1: no pitches then */
    size_t dst_pitch, src_pitch;    /* from a row's begin to the next one's */
    size_t slice; /* rows of a slice, where a slice begins a height after the one before; 0: there
                     is one slice */
    size_t dst_height, src_height;  /* in rows */
    int value;
    unsigned element;           /* bytes of what the value is set in: 2 or 4; 0 and 1 are a byte */
    int to;                     /* EFFECT_PREFETCH: a device, or SIDE_HOST */
    bool stage;                 /* take the bytes at the call if the copy is not done by then */
    void *staged;
    /* EFFECT_KERNEL, owned by kernel.c. */
    struct sim_kernel kernel;
    dim3 grid, block;
    size_t shared;              /* dynamic, bytes a block */
    struct kernel_parts *parts; /* of a kernel that has some; NULL: none yet (block.h) */
    bool cooperative;           /* all blocks are there at once */
    /* Of a conditional node, in place of a grid: the next of the kernels that it has, one after the
     * other; what lies between them it has done (graph/condition.h). NULL: that was all. The
     * closure is what it has of them. */
    struct effect *(*next)(void *closure);
    bool early; /* in a body: it begins with the trigger of the kernel ahead, and its threads may
                   wait for that */
    bool says;                  /* its threads have called kernel_busy */
    int64_t longer; /* ns: pages that it touched have to come, or make room (residency.h) */
    unsigned *shares; /* how many effects hold the kernel's closure; NULL: this one alone */
    struct host_function function;      /* EFFECT_FUNCTION */
    struct fiber *fiber;        /* begun and not ended: it waits for its virtual end */
    const void *fiber_home;     /* owned by grid.c: whose thread's variables it uses */
};

/* A copy of `model` on the heap. */
struct effect *effect_new(const struct effect *model);
/* One more that does the same: a graph's node does it at each launch. */
struct effect *effect_share(struct effect *effect);
/* NULL is fine. */
void effect_drop(struct effect *effect);

/* A copy or memset that is a part of what the kernel at `node` does: at once. */
void effect_now(struct effect *effect, uint32_t node);

/* In this order around model_call: the effect of the call's operation, then
 * the node that it got (NO_NODE: none). */
void effect_expect(struct effect *effect);
void effect_bind(uint32_t node);

/* The model's hooks. */
int64_t effect_start(void *context, uint32_t node);
int64_t effect_end(void *context, uint32_t node);
enum part_end effect_part_ends(void *context, uint32_t node, unsigned part);
int64_t effect_part_begins(void *context, uint32_t node, unsigned part);

#endif
