/* SPDX-License-Identifier: MIT */
/*
 * managed_range.h - what the program has said of managed memory, page by page:
 * cudaMemAdvise, and where it was last told to go. What follows from it: residency.h.
 */
#ifndef SIM_MEMORY_MANAGED_RANGE_H
#define SIM_MEMORY_MANAGED_RANGE_H

#include "sim/sim.h"

struct advised_location {       /* type cudaMemLocationTypeInvalid: none */
    int type, id;
};

/* Of memory that is managed. */
void range_advise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                  struct cudaMemLocation location);
void range_prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location);
struct range_advice { bool read_mostly, by_device, prefers_host; };
/* Of the page at this address; nothing is remembered for asking. */
struct range_advice range_advice_of(uintptr_t at);
/* What all pages of [pointer, pointer + bytes) have in common. */
struct range_common {
    bool read_mostly, by_host;
    uint8_t by_devices;
    struct advised_location preferred, prefetched;
};
struct range_common range_common_of(const void *pointer, size_t bytes);

/* The memory that begins here is given back. */
void range_remove(const void *pointer);

#endif
