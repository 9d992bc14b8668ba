/* SPDX-License-Identifier: MIT */
/*
 * card.h - a device, as data.
 *
 * One text file a card (cards/NAME.card): lines `key value  # source`, values
 * whole numbers in the key's unit. Only documented properties, measured ones, and, on
 * cards that could not be measured, one fitted number go in (block_ns: what a block of a
 * kernel that declares no cost takes). A first line `like NAME` takes what the file does
 * not say from the built-in card NAME; the name is a card's own. All files in cards/ are
 * built into the programs; card_find() knows them by name.
 */
#ifndef MODEL_CARD_H
#define MODEL_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CARD_TEXT 64
#define CARD_DEVICES 8            /* most in one machine */
#define CARD_QUEUES 32            /* most hardware queues of a device (guide, CUDA_DEVICE_MAX_CONNECTIONS) */

/* The keys of a card, in the order of its file: KEY(field, unit, heading of the keys from here on
 * or NULL). A unit is one of card.c's kinds, with "device " before it where it is what the device
 * takes for its work, which a slower one takes longer for (card_varied.h). What is OPTIONAL and not
 * said is 0; texts come first. A key is a row here, what the model makes of it, and its value in
 * facts/NAME.json. */
#define CARD_KEYS(TEXT, KEY, OPTIONAL) \
    TEXT(name)                                              /* "h200" */ \
    TEXT(title)                                             /* "NVIDIA H200" */ \
    KEY(major, "", NULL)                                    /* compute capability */ \
    KEY(minor, "count", NULL) \
    KEY(memory_mib, "MiB", NULL) \
    KEY(clock_mhz, "MHz", NULL) \
    OPTIONAL(memory_mhz, "MHz", NULL)                       /* the memory's clock; it transfers on both edges. 0: not known */ \
    OPTIONAL(memory_bus, "count", NULL)                     /* its width, bits; 0: not known */ \
    KEY(l2_kib, "KiB", NULL) \
    OPTIONAL(l2_persisting, "KiB", NULL)                    /* of it, that can be set aside (persistingL2CacheMaxSize); 0: none */ \
    OPTIONAL(l2_window, "KiB", NULL)                        /* the largest access policy window; 0: there are none */ \
    \
    KEY(sms, "", "Room for blocks.") \
    KEY(threads_per_sm, "", NULL) \
    KEY(blocks_per_sm, "", NULL) \
    KEY(shared_per_sm, "bytes", NULL) \
    KEY(shared_per_block, "bytes", NULL) \
    KEY(threads_per_block, "", NULL)                        /* most in a launch */ \
    KEY(block_ns, "device ns", NULL)                        /* a block of a kernel that declares no cost */ \
    OPTIONAL(gpc_tpcs, "digits", NULL)                      /* for each GPC a digit, how many TPCs (of two SMs) it has: a cluster fits into one GPC; 0: not known */ \
    \
    KEY(copy_engines, "", "What may run at once.")          /* asyncEngineCount; 1: one engine for both directions */ \
    KEY(concurrent_grids, "", NULL) \
    KEY(queues, "queues", NULL)                             /* hardware queues by default */ \
    KEY(max_queues, "queues", NULL)                         /* and most of them (CUDA_DEVICE_MAX_CONNECTIONS) */ \
    KEY(copies_in_issue_order, "0 or 1", NULL)              /* 1: a copy that waits holds up the copies issued after it */ \
    /* Asynchronous copies of at most that many bytes, all together, from pinned memory to the device, into a stream that is known \
     * to be idle, are written into the command by the host: they go through no copy engine and overtake those that wait for \
     * one; 0: none do. */ \
    KEY(inline_bytes, "size", NULL) \
    OPTIONAL(inline_busy, "size", NULL)                     /* that many go with the command into any stream; 0: none do */ \
    OPTIONAL(inline_pageable, "size", NULL)                 /* and that many from pageable memory, into any stream; 0: none do */ \
    OPTIONAL(inline_ring, "size", NULL)                     /* the first that many bytes of a queue's are written at inline_written, later \
                                                             * ones at inline_rewritten; 0: all */ \
    OPTIONAL(inline_set_bytes, "size", NULL)                /* memsets of at most that many bytes are no kernels; 0: all are */ \
    OPTIONAL(idle_marks, "0 or 1", NULL)                    /* 1: an event without timing is over when the call returns that records \
                                                             * it in an idle stream */ \
    KEY(copies_signal_in_queue, "0 or 1", NULL)             /* 1: work that depends on a kernel queues among the kernels (compute \
                                                             * capability 2.x) */ \
    KEY(priority_least, "priority", NULL) \
    KEY(priority_greatest, "priority", NULL) \
    KEY(managed, "0 or 1", NULL) \
    KEY(concurrent_managed, "0 or 1", NULL) \
    \
    /* Calls that older guides list as implicit synchronisation. 1: no command issued before the call runs beside one of another \
     * stream issued after it. */ \
    KEY(barrier_malloc, "0 or 1", "Calls that are barriers between streams.") \
    KEY(barrier_host_alloc, "0 or 1", NULL) \
    KEY(barrier_memset, "0 or 1", NULL) \
    KEY(barrier_d2d, "0 or 1", NULL) \
    KEY(barrier_cache_config, "0 or 1", NULL) \
    \
    KEY(h2d_pinned, "device MB/s", "Bandwidths, MB/s.")     /* 10^6 bytes a second */ \
    KEY(d2h_pinned, "device MB/s", NULL) \
    KEY(h2d_pageable, "device MB/s", NULL) \
    OPTIONAL(h2d_uncached, "device MB/s", NULL)             /* as h2d_pageable, what a copy has beyond host_cache; 0: no less */ \
    OPTIONAL(host_cache, "MiB", NULL)                       /* that the host has in its caches */ \
    OPTIONAL(inline_written, "MB/s", NULL)                  /* what goes with the command: the host writes it in the call, */ \
    OPTIONAL(inline_rewritten, "MB/s", NULL)                /* into memory that the queue has used before, */ \
    OPTIONAL(inline_read, "device MB/s", NULL)              /* and the device reads it */ \
    KEY(d2h_pageable, "device MB/s", NULL) \
    KEY(d2d, "device MB/s", NULL) \
    KEY(memset, "device MB/s", NULL) \
    KEY(staging, "MB/s", NULL)                              /* how fast the host copies small pageable sources aside, in the call */ \
    KEY(duplex_permille, "permille", NULL)                  /* how much longer copies both ways at once take; 1000: not at all */ \
    \
    /* Paid by the operation on its engine or before it. */ \
    KEY(copy_ns, "device ns", "Latencies of the device, ns.") /* fixed part of a copy to the device, on its engine */ \
    KEY(copy_back_ns, "device ns", NULL)                    /* to the host */ \
    OPTIONAL(inline_ns, "device ns", NULL)                  /* of what goes with the command: small copies, small memsets */ \
    OPTIONAL(inline_busy_ns, "device ns", NULL)             /* of a pinned copy into a stream that is busy */ \
    KEY(kernel_ns, "device ns", NULL)                       /* of a kernel, and of a memset or copy inside the device, which are such */ \
    OPTIONAL(set_ns, "device ns", NULL)                     /* on top of that, of a memset or copy inside the device; 0: no more */ \
    OPTIONAL(dependent_ns, "device ns", NULL)               /* from a kernel's trigger to the beginning of a dependent launch after it, \
                                                             * and from its end to what waits for that in there; 0: as kernel_ns */ \
    KEY(graph_ns, "device ns", NULL)                        /* of a graph that is launched */ \
    KEY(graph_kernel_ns, "device ns", NULL)                 /* and of each of its kernels */ \
    KEY(start_ns, "ns", NULL)                               /* from the host's call to the device knowing of it */ \
    /* From the end of one operation to the start of one that waits for it: where one of them is a copy between host and device \
     * or a host function, and the other is not of its kind. A copy engine is held for so long. */ \
    KEY(depend_ns, "device ns", NULL) \
    OPTIONAL(quick_depend_ns, "device ns", NULL)            /* as depend_ns, in a stream, where neither is a kernel: copies each way, what goes with the command; 0: as depend_ns, and a copy with the command is of the kind of what it waits for */ \
    OPTIONAL(record_ns, "device ns", NULL)                  /* an event with a time: how long after it what waits for it begins; 0: not measured, as depend_ns in its stream */ \
    OPTIONAL(turn_ns, "device ns", NULL)                    /* hardware queues that wait for something outside of them look for it in turn, each for so long; 0: all at once */ \
    KEY(wake_ns, "ns", NULL)                                /* from the end of what a host thread waits for to its return */ \
    KEY(function_ns, "ns", NULL)                            /* from a host function's turn to its beginning */ \
    KEY(function_wake_ns, "ns", NULL)                       /* how much later where it had to wait: the thread that calls it has gone \
                                                             * to sleep */ \
    \
    KEY(call_launch, "ns", "Host time of calls, ns.")       /* memsets and copies inside the device, too, which are kernels */ \
    OPTIONAL(call_d2d, "ns", NULL)                          /* on top of that, of a copy inside the device */ \
    KEY(call_graph, "ns", NULL)                             /* launching a graph of kernels in a row, however many they are */ \
    KEY(call_copy, "ns", NULL) \
    OPTIONAL(inline_call, "ns", NULL)                       /* of what goes with the command, beside its bytes' writing */ \
    OPTIONAL(inline_set_call, "ns", NULL) \
    KEY(call_record, "ns", NULL) \
    KEY(call_mark, "ns", NULL)                              /* recording an event without timing */ \
    KEY(call_wait, "ns", NULL) \
    KEY(call_query, "ns", NULL) \
    KEY(call_sync, "ns", NULL) \
    KEY(call_malloc, "ns", NULL) \
    KEY(call_free, "ns", NULL) \
    KEY(call_host_alloc, "ns", NULL)                        /* the part of pinning that its size does not add to */ \
    KEY(call_stream_create, "ns", NULL)                     /* and destroying one */ \
    KEY(call_event_create, "ns", NULL) \
    KEY(call_other, "ns", NULL) \
    KEY(pin_mib_ns, "ns", NULL)                             /* pinning memory, a MiB */ \
    /* Graphs. Making one ready: its fixed part, what each node adds, and a root (a node that waits for none) after the first. Its \
     * first launch, or its upload: a kernel. Each launch: a root after the first, a copy; of the copies the device knows before the \
     * call is over. Destroying one that is ready: a node, a root after the first. 0: not measured. */ \
    OPTIONAL(graph_make, "ns", NULL) \
    OPTIONAL(graph_make_node, "ns", NULL) \
    OPTIONAL(graph_make_root, "ns", NULL) \
    OPTIONAL(graph_load_kernel, "ns", NULL) \
    OPTIONAL(graph_call_root, "ns", NULL) \
    OPTIONAL(graph_call_copy, "ns", NULL) \
    OPTIONAL(graph_drop_node, "ns", NULL) \
    OPTIONAL(graph_drop_root, "ns", NULL) \
    OPTIONAL(process_ns, "device ns", NULL)                 /* how much later an operation starts that waits for one of another process */ \
    OPTIONAL(green_make, "ns", NULL)                        /* making a green context, on top of call_other */ \
    /* On top of a call that loads code. Both 0: the card loads no kernels lazily. */ \
    KEY(load_first, "ns", NULL)                             /* a program's first kernel */ \
    KEY(load_kernel, "ns", NULL)                            /* any other's first launch */ \
    \
    /* See model.h. */ \
    KEY(prefetch_call, "ns", "Managed memory: a prefetch's host time a MiB, its fixed part, its MB/s, a fault beside the bytes' time, ns.") \
    KEY(prefetch_ns, "device ns", NULL)                     /* to the device: before pages move; to the host: on its engine */ \
    KEY(prefetch_h2d, "device MB/s", NULL) \
    KEY(prefetch_d2h, "device MB/s", NULL) \
    KEY(fault_device, "device ns", NULL)                    /* a kernel's fault */ \
    KEY(fault_host, "ns", NULL)                             /* the host's */ \
    OPTIONAL(fault_first, "device ns", NULL)                /* on top of fault_device, the first of a kernel that moves pages */ \
    OPTIONAL(fault_more, "device ns", NULL)                 /* in its place, one that comes together with another of the same block of \
                                                             * threads; 0: as fault_device */ \
    OPTIONAL(prefetch_home, "ns", NULL)                     /* the call of a prefetch to the host, on top of call_copy */ \
    OPTIONAL(prefetch_late, "device ns", NULL)              /* how much later a prefetch begins whose stream was busy, */ \
    OPTIONAL(prefetch_wake, "device ns", NULL)              /* and on top of that, unless one of its stream has come so late */ \
    OPTIONAL(prefetch_awake, "device ns", NULL)             /* and was over less than so long ago */ \
    OPTIONAL(thrash_lapse, "ns", NULL)                      /* pages that change sides so soon thrash; */ \
    OPTIONAL(thrash_wait, "ns", NULL)                       /* the host waits so long for 64 KiB of them; 0: it does not */ \
    \
    /* 0 where there are no pools. */ \
    KEY(pool_call, "ns", "Memory of pools: cudaMallocAsync, and on top of it the first one, and one for which the pool grows; cudaFreeAsync, ns.") \
    KEY(pool_first, "ns", NULL)                             /* of a device */ \
    KEY(pool_grow, "ns", NULL)                              /* where the pool has to take memory from the device */ \
    KEY(pool_free, "ns", NULL) \
    \
    /* All the same. Cards that are alone need not say so. */ \
    OPTIONAL(devices, "devices", "Several in one machine.") /* how many a program sees: 1 to CARD_DEVICES */ \
    OPTIONAL(peer_access, "0 or 1", NULL)                   /* 1: each can reach every other's memory */ \
    OPTIONAL(peer_atomics, "0 or 1", NULL)                  /* 1: with atomic operations too */ \
    OPTIONAL(peer, "device MB/s", NULL)                     /* from one to another, directly */ \
    OPTIONAL(peer_staged, "device MB/s", NULL)              /* and through the host */ \
    OPTIONAL(peer_ns, "device ns", NULL)                    /* fixed part of such a copy */ \
    OPTIONAL(peer_staged_ns, "device ns", NULL) \
    OPTIONAL(peer_staged_duplex, "permille", NULL)          /* how much longer both ways at once through the host take */ \
    OPTIONAL(peer_call, "ns", NULL)                         /* host time: directly; */ \
    OPTIONAL(peer_staged_call, "ns", NULL)                  /* through the host, */ \
    OPTIONAL(peer_staged_mib_ns, "ns", NULL)                /* and a MiB of it */ \
    OPTIONAL(peer_depend_ns, "device ns", NULL)             /* how much later an operation starts that waits for one of another device */

struct card {
#define CARD_TEXT_FIELD(field) char field[CARD_TEXT];
#define CARD_FIELD(field, unit, group) int64_t field;
    CARD_KEYS(CARD_TEXT_FIELD, CARD_FIELD, CARD_FIELD)
    int64_t slower; /* no key: kernels take that many times what they declare; 0: what they declare
                       (card_varied.h) */
#undef CARD_TEXT_FIELD
#undef CARD_FIELD
};

/* Reads a card's text. False: *error_line (from 1) and *error say what is wrong with it: an unknown
 * key, a missing one, no number, one that cannot be, given twice. What it accepts, the model can
 * run. */
bool card_parse(struct card *card, const char *text, size_t length, size_t *error_line,
                const char **error);

/* The keys of a card's file, in its order. */
struct card_key {
    const char *name;
    const char *unit;               /* "MB/s", "device ns", …; "" for counts, "text", "0 or 1" */
    const char *group;              /* heading of the keys from here on; NULL: the one before */
    size_t offset;                  /* in struct card: text or int64_t */
};
size_t card_key_count(void);
const struct card_key *card_key_at(size_t index);
/* Does it say what the device takes for its work? *unit: its unit without that word. */
bool card_key_of_device(const struct card_key *key, const char **unit);

/* What a block takes of an SM: no more than that has. From compute capability 8.0 on, an SM's
 * memory is cache but for a carve-out, which is one of some sizes (guide, "Compute Capabilities"),
 * chosen when a block comes to an SM that is idle, and kept until it is idle again. A kernel asks
 * for the least that lets as many of its blocks run as can; its blocks run in no smaller one [M].
 */
struct block_needs {
    int32_t threads;            /* of whole warps */
    int32_t shared;             /* bytes, with the system's share */
    int32_t carve_out;          /* bytes: the least that it runs in */
    int32_t chosen;             /* bytes: what an idle SM gets for it */
    uint32_t cluster;           /* blocks that find a place together; 1 where it has no clusters */
    uint32_t most;              /* of its blocks at once, where it has */
};
struct block_needs card_block_needs(const struct card *card, int64_t threads, int64_t shared);

/* How many blocks of that many threads and bytes of shared memory fit on an SM: as many as its
 * threads, its shared memory and its own limit allow (guide, "Compute Capabilities"; 1 KiB a block
 * is the system's from 8.0 on). */
int64_t card_blocks_per_sm(const struct card *card, int64_t threads, int64_t shared);
/* How many clusters of that many such blocks there can be at once: each lies in one GPC, and has no
 * more blocks than that has SMs (measured on an H200: card.h's gpc_tpcs says what its answers for
 * clusters of 1 to 16 blocks have in common). */
int64_t card_clusters(const struct card *card, int64_t threads, int64_t shared, int64_t blocks);
/* The same, where an SM takes `per_sm` of them. */
int64_t card_clusters_of(const struct card *card, int64_t per_sm, int64_t blocks);
/* Most dynamic shared memory that a block can be allowed by opting in, bytes (the same place). */
int64_t card_most_shared(const struct card *card);

/* Kinds of fences that do not wait for each other. */
unsigned card_sync_domains(const struct card *card);
enum { CARD_RESERVED_SHARED = 1024 };   /* the system's share of each block's, from 8.0 on */
/* What a stream gets that is asked for with this priority: the nearest that the card has. */
int32_t card_priority(const struct card *card, int32_t asked);

/* The built-in cards; the first is h200. */
size_t card_count(void);
const struct card *card_at(size_t index);
/* NULL when there is none of that name. */
const struct card *card_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
