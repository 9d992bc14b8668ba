/* SPDX-License-Identifier: MIT */
/*
 * allocation.h - which memory is what: device, pinned, managed, or the host's own.
 *
 * Each kind has a range of addresses of its own and the lowest gap that fits is
 * taken, so that the same program gets the same addresses in every run. Between
 * two allocations lies a page that nobody may touch.
 */
#ifndef SIM_MEMORY_ALLOCATION_H
#define SIM_MEMORY_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/include/driver_types.h"
#include "sim/sim.h"
#include "trace/record/call.h"

/* All of the runtime's memory but what is registered lies here. */
#define ALLOCATION_LOW UINT64_C(0x200000000000)
#define ALLOCATION_SPAN (UINT64_C(3) << 40)

/* Pinned and managed memory lies there. */
#define ALLOCATION_COMMON UINT64_C(0x210000000000)

/* The processor's, bytes. */
enum { SYSTEM_PAGE = 4096 };

struct allocation {
    uintptr_t at;
    size_t bytes;
    size_t asked; /* of them the program's: a pool hands out more than was asked for */
    enum memory_kind kind;
    int device;                 /* whose it is; of host memory: that was current when it was made */
    bool registered;            /* the host's own memory, pinned by cudaHostRegister */
    unsigned flags;             /* of cudaHostAlloc and cudaHostRegister */
    uint32_t process;           /* whose thread made it */
    uint32_t serial;            /* no two that ever were have the same */
    uint32_t opened[PROCESSES]; /* how often each has it open (cudaIpcOpenMemHandle) */
    bool freed;                 /* by its owner, while another process had it open */
    const enum cudaMemAccessFlags
        *reach; /* of a pool's memory: how each device reaches it; NULL: as peer.h says */
};

/* NULL: there is no room. */
void *allocation_make(enum memory_kind kind, size_t bytes, int device);
/* False: part of it is pinned already. */
bool allocation_register(void *at, size_t bytes, int device);
/* From the first byte of all registered memory to just past the last; both 0: there is none. */
void allocation_registered(uintptr_t *from, uintptr_t *to);
/* Remembers the flags of what begins at `at`. */
void allocation_set_flags(const void *at, unsigned flags);
/* Its memory is a pool's, which says who reaches it. */
void allocation_set_reach(const void *at, const enum cudaMemAccessFlags *reach);
/* That many bytes of what begins at `at` were asked for. */
void allocation_set_asked(const void *at, size_t asked);
/* One opening more or less of what begins at `at`, by that process: returns how many it has now. */
uint32_t allocation_open(const void *at, uint32_t process, int more);
/* Its owner has freed what begins at `at`: it stays until all openings are closed. */
void allocation_set_freed(const void *at);
/* How often processes have it open, all together. */
uint32_t allocation_openings(const struct allocation *a);
/* Gives back what begins at `at`; registered memory stays the host's. */
void allocation_drop(const void *at);

/* What `address` lies in; NULL: memory that the runtime does not know. Valid until the next change.
 */
const struct allocation *allocation_find(const void *address);
/* The last one that begins at or before `address`; NULL when there is none. */
const struct allocation *allocation_before(const void *address);
/* The next one, where `address` is in none and nearer to its beginning than to the end of the one
 * before; NULL else. */
const struct allocation *allocation_ahead(const void *address);
/* The first one of all; NULL when there is none. */
const struct allocation *allocation_first(void);
/* The one after it; NULL when it is the last. */
const struct allocation *allocation_after(const struct allocation *a);
/* Bytes in use, of one kind and device. */
size_t allocation_total(enum memory_kind kind, int device);
/* Memory that the host and the device both reach. */
bool allocation_is_managed_variable(uintptr_t at);
bool allocation_is_registered(uintptr_t at);
static inline bool allocation_is_common(uintptr_t at)
{
    return at - ALLOCATION_COMMON < ALLOCATION_LOW + ALLOCATION_SPAN - ALLOCATION_COMMON
           || allocation_is_managed_variable(at) || allocation_is_registered(at);
}
/* What the processor may do with its pages: mprotect's. */
void allocation_protect(const struct allocation *a, int protection);

/* Kind of the memory at address[0 .. bytes); MEM_NONE if it is no memory, or not so much of it. */
enum memory_kind memory_kind_of(const void *address, size_t bytes);
/* Where the program's __managed__ variables are; 0 bytes: it has none. */
void managed_variables(uintptr_t *from, size_t *bytes);

#endif
