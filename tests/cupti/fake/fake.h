/* SPDX-License-Identifier: MIT */
/* fake.h - what program.c tells the driver and the CUPTI that fake.c pretends to be. */
#ifndef FAKE_H
#define FAKE_H

#include "cupti.h"

#define FAKE_RECORDS 64
/* A graph with another one inside it. */
#define FAKE_OUTER ((CUgraph)0x8800)

struct fake {
    /* Given at the next flush. */
    union {
        CUpti_Activity any;
        CUpti_ActivityKernel10 kernel;
        CUpti_ActivityMemcpy6 copy;
        CUpti_ActivityUnifiedMemoryCounter3 pages;
    } records[FAKE_RECORDS];
    size_t record_count, dropped;
    unsigned flushes;           /* so far; each takes flush_us */
    unsigned flush_us;
    unsigned long long enabled; /* kinds of activity, a bit each */
    int lost;                   /* the device is */
    CUpti_TimestampCallbackFunc clock;
    uint32_t (*memory_kind)(CUdeviceptr at);    /* 0 pageable, 1 pinned, 2 device, 3 managed */
    CUstream capturing;
    CUDA_HOST_NODE_PARAMS host_node;
    size_t set_width;           /* elements that a graph's memset sets; 0: 100 */
};
extern struct fake fake;

/* What CUPTI does when the program makes a call. */
void fake_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data);

/* ---- read_log.c ---- */

/* Prints the log on standard input, a line for each call, then "whole" or why it is not; an
 * authenticated one with WORKBOOK_KEY. What a program's status is. */
int read_log(void);

#endif
