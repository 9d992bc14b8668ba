/* SPDX-License-Identifier: MIT */
/*
 * card.h - a device, as data.
 *
 * One text file a card (cards/NAME.card): lines `key value  # source`, values
 * whole numbers in the key's unit. Only documented properties, measured ones, and, on
 * cards that nobody could measure, one fitted number go in (block_ns: what a block of a
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

#define CARD_TEXT 48
#define CARD_DEVICES 8            /* most in one machine */
#define CARD_QUEUES 32            /* most hardware queues of a device (guide, CUDA_DEVICE_MAX_CONNECTIONS) */

struct card {
    char name[CARD_TEXT];           /* "h200" */
    char title[CARD_TEXT];          /* "NVIDIA H200" */
    int64_t major, minor;           /* compute capability */
    int64_t memory_mib, clock_mhz, l2_kib;

    /* Several of them in one machine: all the same. Cards that are alone need not say so. */
    int64_t devices;                /* how many a program sees: 1 to CARD_DEVICES */
    int64_t peer_access;            /* 1: each can reach every other's memory */
    int64_t peer_atomics;           /* 1: with atomic operations too */
    int64_t peer, peer_staged;      /* MB/s from one to another, directly and through the host */
    int64_t peer_ns, peer_staged_ns;    /* fixed part of such a copy */
    int64_t peer_staged_duplex;     /* permille: both ways at once through the host take so much longer */
    int64_t peer_call, peer_staged_call, peer_staged_mib_ns;    /* host time: directly; through the host, and a MiB of it */
    int64_t peer_depend_ns;         /* an operation that waits for one of another device starts so much later */

    /* Room for blocks. */
    int64_t sms;
    int64_t threads_per_sm, blocks_per_sm;
    int64_t shared_per_sm, shared_per_block;    /* bytes */
    int64_t threads_per_block;                  /* most in a launch */
    int64_t block_ns;               /* a block of a kernel that declares no cost */

    /* What may run at once. */
    int64_t copy_engines;           /* asyncEngineCount; 1: one engine for both directions */
    int64_t concurrent_grids;
    int64_t queues, max_queues;     /* hardware queues: default, most (CUDA_DEVICE_MAX_CONNECTIONS) */
    int64_t copies_in_issue_order;  /* 1: a copy that waits holds up the copies issued after it */
    /* Asynchronous copies of at most so many bytes, all together, from pinned memory to the device, into a stream that
     * is known to be idle, are written into the command by the host: they go through no copy engine and overtake
     * those that wait for one; 0: none do. */
    int64_t inline_bytes;
    int64_t inline_busy;            /* so many go with the command into any stream; 0: none do */
    int64_t inline_pageable;        /* and so many from pageable memory, into any stream; 0: none do */
    int64_t inline_ring;            /* of a queue's the first so many bytes are written at inline_written, later ones at inline_rewritten; 0: all */
    int64_t inline_set_bytes;       /* memsets of at most so many bytes are no kernels; 0: all are */
    int64_t idle_marks;             /* 1: an event without timing is over when the call returns that records it in an idle stream */
    int64_t copies_signal_in_queue; /* 1: work that depends on a kernel queues among the kernels (compute capability 2.x) */
    int64_t priority_least, priority_greatest;
    int64_t managed, concurrent_managed;

    /* Calls that older guides list as implicit synchronisation. 1: no command issued before the call runs
     * beside one of another stream issued after it. */
    int64_t barrier_malloc, barrier_host_alloc, barrier_memset, barrier_d2d, barrier_cache_config;

    /* Bandwidths in MB/s (10^6 bytes a second). */
    int64_t h2d_pinned, d2h_pinned, h2d_pageable, d2h_pageable, d2d, memset;
    int64_t h2d_uncached;           /* as h2d_pageable, what a copy has beyond host_cache; 0: no less */
    int64_t host_cache;             /* MiB that the host has in its caches */
    int64_t staging;                /* the host copies small pageable sources aside so fast, in the call */
    int64_t inline_written, inline_rewritten, inline_read;  /* what goes with the command: the host writes it in the call, the device reads it */
    int64_t duplex_permille;        /* copies both ways at once take so much longer; 1000: not at all */

    /* Device latencies, ns: paid by the operation on its engine or before it. */
    int64_t copy_ns, copy_back_ns;  /* fixed part of a copy to the device, to the host, on its engine */
    int64_t inline_ns;              /* fixed part of what goes with the command: small copies, small memsets */
    int64_t inline_busy_ns;         /* of a pinned copy into a stream that is busy */
    int64_t kernel_ns;              /* fixed part of a kernel, and of a memset or copy inside the device, which are such */
    int64_t graph_ns, graph_kernel_ns;      /* fixed part of a graph that is launched, and of each of its kernels */
    int64_t start_ns;               /* from the host's call to the device knowing of it */
    /* From the end of one operation to the start of one that waits for it: where one of them is a copy between host
     * and device or a host function, and the other is not of its kind. A copy engine is held for so long. */
    int64_t depend_ns;
    int64_t wake_ns;                /* from the end of what a host thread waits for to its return */
    int64_t function_ns;            /* from a host function's turn to its beginning */
    int64_t function_wake_ns;       /* so much later where it had to wait: the thread that calls it has gone to sleep */

    /* Host time of calls, ns; call_launch is also that of memsets and copies inside the device, which are kernels,
     * call_graph that of launching a graph of kernels in a row, however many they are, call_mark that of recording an event without
     * timing, call_stream_create that of destroying a stream, call_host_alloc the part of pinning that its size does
     * not add to. */
    int64_t call_launch, call_graph, call_copy, call_record, call_mark, call_wait, call_query, call_sync, call_malloc,
        call_free, call_host_alloc, call_stream_create, call_event_create, call_other;
    int64_t inline_call, inline_set_call;   /* of what goes with the command, beside its bytes' writing */
    int64_t pin_mib_ns;             /* pinning memory, a MiB */
    /* Graphs. Making one ready: its fixed part, so much more a node, and a root (a node that waits for none) after the
     * first. Its first launch, or its upload: a kernel. Each launch: a root after the first, a copy; of the copies the
     * device knows before the call is over. Destroying one that is ready: a node, a root after the first. 0: nobody measured it. */
    int64_t graph_make, graph_make_node, graph_make_root, graph_load_kernel, graph_call_root, graph_call_copy,
        graph_drop_node, graph_drop_root;
    /* On top of a call that loads code: a program's first kernel, any other's first launch. Both 0: the card
     * loads no kernels lazily. */
    int64_t load_first, load_kernel;

    /* Managed memory: see model.h. */
    int64_t prefetch_call;          /* host time of a prefetch to the device, ns a MiB */
    int64_t prefetch_ns;            /* fixed part of a prefetch, on its engine */
    int64_t prefetch_h2d, prefetch_d2h;     /* MB/s */
    int64_t fault_device, fault_host;   /* ns: a fault of a kernel, of the host, beside the bytes' time */
    int64_t thrash_lapse, thrash_wait;  /* ns: pages that change sides so soon thrash; the host waits so long for 64 KiB of them; 0: it does not */

    /* Host time of cudaMallocAsync; on top of it for the first of a device, and where the pool has to take memory
     * from the device; of cudaFreeAsync. 0 where there are no pools. */
    int64_t pool_call, pool_first, pool_grow, pool_free;
};

/* Reads a card's text. False: *error_line (from 1) and *error say what is wrong with it: an unknown key, a
 * missing one, no number, one that cannot be, given twice. What it accepts, the model can run. */
bool card_parse(struct card *card, const char *text, size_t length, size_t *error_line, const char **error);

/* The keys of a card's file, in its order. */
struct card_key {
    const char *name;
    const char *unit;               /* "MB/s", "ns", …; "" for counts, "text", "0 or 1" */
    const char *group;              /* heading of the keys from here on; NULL: the one before */
    size_t offset;                  /* in struct card: text or int64_t */
};
size_t card_key_count(void);
const struct card_key *card_key_at(size_t index);

/* What a block takes of an SM: no more than that has. From compute capability 8.0 on, an SM's memory is cache but for a carve-out,
 * which is one of some sizes (guide, "Compute Capabilities"), chosen when a block comes to an SM that is idle, and kept until it
 * is idle again. A kernel asks for the least that lets as many of its blocks run as can; its blocks run in no smaller one [M]. */
struct block_needs {
    int32_t threads;            /* of whole warps */
    int32_t shared;             /* bytes, with the system's share */
    int32_t carve_out;          /* bytes: the least that it runs in */
    int32_t chosen;             /* bytes: what an idle SM gets for it */
};
struct block_needs card_block_needs(const struct card *card, int64_t threads, int64_t shared);

/* How many blocks of so many threads and bytes of shared memory fit on an SM: as many as its threads, its
 * shared memory and its own limit allow (guide, "Compute Capabilities"; 1 KiB a block is the system's from
 * 8.0 on). */
int64_t card_blocks_per_sm(const struct card *card, int64_t threads, int64_t shared);
/* Most dynamic shared memory that a block can be allowed by opting in, bytes (the same place). */
int64_t card_most_shared(const struct card *card);
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
