/* SPDX-License-Identifier: MIT */
/*
 * rows.h - what each call of the runtime means to the timeline: tables, and the parameters of each
 * call read.
 *
 * calls.c asks; all functions run with the lock and with record_busy set.
 */
#ifndef CUPTI_ROWS_H
#define CUPTI_ROWS_H

#include "recorder.h"

/* What a row's functions get. */
struct made {
    struct call *c;
    const void *params;
    bool per_thread;            /* stream 0 is this thread's own */
    cudaStream_t stream;        /* that it names, as the program has it */
};

struct row {
    const char *name;           /* without _ptsz, _ptds, _v2 */
    enum call_kind kind;
    uint32_t flags;
    void (*enter)(struct made *m);      /* may be NULL */
    void (*leave)(struct made *m);      /* when it has succeeded */
    void (*failed)(struct made *m);     /* takes back what `enter` did */
};

/* Each ends with a row without a name. */
extern const struct row rows_of_work[]; /* launches, copies, memsets, prefetches, host functions */
extern const struct row rows_of_order[];        /* streams, events, graphs */
extern const struct row rows_of_memory[];       /* what is taken and given back */

/* The call is about this stream of the program's. */
void row_stream(struct made *m, cudaStream_t stream);
/* Is any stream being captured? */
bool captures_any(void);
/* Does work that is queued into this stream go into a graph? */
bool goes_into_graph(cudaStream_t stream);

/* Of a row's function: the call's parameters, as generated_cuda_runtime_api_meta.h has them. */
#define PARAMS(type) const type##_params *p = (const type##_params *)m->params
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

#endif
