/* SPDX-License-Identifier: MIT */
/*
 * call.h - one call of the program, as the timeline knows it.
 *
 * The log of calls is what a program did; everything else (spans, order) is
 * derived from it. The simulator and the recorder of a real GPU both write it,
 * the model and the order read it. A call carries what decides when things
 * happen and nothing that only one backend knows.
 *
 * Times are integer nanoseconds from the start of the program. Streams and
 * events are dense numbers that the backend gives: each is announced by
 * CALL_STREAM_CREATE or CALL_EVENT_CREATE before it is used, the default
 * streams too, and no number is used twice. Strings are numbers in the
 * timeline's table (timeline.h); 0 is "".
 */
#ifndef TRACE_RECORD_CALL_H
#define TRACE_RECORD_CALL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum call_kind {
    CALL_NONE,
    /* Calls that queue work on a device. */
    CALL_LAUNCH,        /* kernel, grid, block, shared, cost */
    CALL_COPY,          /* dst, src, bytes, kinds, devices; CALL_ASYNC or not; COPY_DIRECT */
    CALL_SET,           /* dst, bytes, dst_kind; CALL_ASYNC or not */
    CALL_PREFETCH,      /* managed memory: src = address, bytes; dst_kind tells the side */
    CALL_HOST_FUNC,     /* cost: how long the function takes */
    CALL_EVENT_RECORD,  /* event; EVENT_AT_LAUNCH */
    CALL_STREAM_WAIT,   /* event: the stream waits for its latest record */
    /* A graph in a stream: a launch, its nodes, an end; see below. */
    CALL_GRAPH_LAUNCH,
    CALL_GRAPH_EDGE, /* src: the next node waits for this one of the same launch, counted from 0;
                      * with LAUNCH_DEPENDENT for its trigger, if both are kernels; with
                      * EDGE_AT_LAUNCH, too: until all of its blocks have begun */
    CALL_GRAPH_EMPTY, /* a node that does nothing */
    CALL_GRAPH_END,
    /* Calls that wait for the device. */
    CALL_STREAM_SYNC,
    CALL_DEVICE_SYNC,
    CALL_EVENT_SYNC,
    CALL_STREAM_QUERY,  /* status 0: everything was done; it then counts as a wait, if not
                         * CALL_UNREAD */
    CALL_EVENT_QUERY,
    /* Things that come and go. */
    CALL_STREAM_CREATE, /* stream, flags STREAM_*, priority; sms_low, sms_high */
    CALL_STREAM_DESTROY,
    CALL_EVENT_CREATE, /* event, flags EVENT_*; src: the event that an opened one is for */
    CALL_EVENT_DESTROY,
    /* dst, bytes, dst_kind MEM_DEVICE, MEM_PINNED or MEM_MANAGED; with CALL_ASYNC an instant in a
     stream
     * (cudaMallocAsync, cudaFreeAsync), or in NO_STREAM: cudaFree of such memory,
     which waits for nothing. */
    CALL_MALLOC,
    CALL_FREE, /* the same fields; src: the array that it was, 0 for none */
    CALL_REGISTER, /* dst, bytes: pageable memory becomes pinned (dst_kind MEM_PINNED), or memory of
                    * another process is opened (MEM_DEVICE) */
    CALL_UNREGISTER,
    /* Host time. */
    CALL_HOST_WORK, /* cost: host_work(), a sleep */
    CALL_OTHER,         /* any other call of the runtime; dst: the graph, texture or surface object
                         * that it makes, or gives back (0: none, or not known); of
                         * cudaEventElapsedTime: event; src: the second event's number, from 1 (0:
                         * not known) */
    /* What the program says of itself. */
    CALL_PART, /* name: this part of the exercise begins ("" : none) */
    CALL_LABEL,         /* name: a label opens ("" : the innermost closes); dst: the mutex that the
                         * thread holds, the last one; 0: none, or not known */
    CALL_REPORT,        /* CHECK saw status; name = the call's text, message = the error's; src:
                         * number of the call that failed (of the CALL_FAULT, where the device was
                         * lost), from 1: its message says why. 0: not known */
    CALL_COST, /* node's kernel declared `cost` ns a block: known when it starts; dst: an
                * address that it was given, if it said so first (kernel_given); file and line are
                * those of the launch, then */
    CALL_FAULT,         /* node's kernel touched `dst`, not its own; status = the error that comes
                         * of it, message = all that as a reason; name, file, line and caller are
                         * those of the call that queued it */
    CALL_HAZARD,        /* bytes at dst were touched in no order, or as they must not be: node is
                         * the later side's operation, src the earlier one's (NO_NODE: the host, or
                         * none); cost: calls that the log had when the host touched them,
                         * src_pitch: when another host thread did, before; dst_pitch: which
                         * thread of the host touched them, from 1, 0: none, or not known; message
                         * says it all (hazard_text.h) */
    CALL_CRASH,         /* status = signal, src = program counter, bytes, dst_pitch, src_pitch =
                         * from where it had got there, innermost first; dst = address touched;
                         * flags CRASH_*; file, line if known; rows: the line that queued the
                         * function it was in, 0 for none; message: why, where it was no signal of
                         * the processor's but a check of indices or of the C++ library */
    CALL_EXIT, /* status = exit status; message: program counters, from where exit() was called, the
                * innermost first; the last call of a whole log */
    /* Host threads and how time goes from one to another. A thread that is never
     * announced is known from its first call on; the first thread is always there. */
    CALL_THREAD_BEGIN,  /* `thread` is new and begins at the present of thread `src`; node: as for a
                         * wake */
    CALL_THREAD_WAKE,   /* `thread` had to wait (a lock, a join, a condition) for what thread `src`
                         * has just done: it goes on at src's present, and knows what src has waited
                         * for; node: the host function that src is in, NO_NODE for none */
    CALL_THREAD_END,    /* src, dst_pitch, src_pitch: program counters of where it waited last, the
                         * innermost first; bytes: where it locked a mutex last; 0: not known */
    /* The thread that runs host functions: its time is the function's while it runs one. */
    CALL_FUNCTION_BEGIN, /* node's function begins in `thread`, at the start of its span */
    CALL_FUNCTION_WORK, /* cost: it works or sleeps for so long */
    CALL_FUNCTION_END,  /* node's function ends, at the thread's present: its span ends there; cost:
                         * how long it took; dst: the mutex that it locked last; 0: none, or not
                         * known */
    /* Pages of managed memory go to another side: see below. */
    CALL_MIGRATE,
    /* What a recorder on a real GPU adds: see below. */
    CALL_DEVICE, /* a device of the machine */
    CALL_RAN, /* when an operation ran */
    CALL_LOST, /* message: what could not be kept; the log is not whole */
    /* What the environment said. */
    CALL_QUEUES,        /* cost: that many hardware queues the program asked for
                         * (CUDA_DEVICE_MAX_CONNECTIONS); before any stream */
    CALL_DEADLOCK,      /* no thread can ever go on. One for each that waits; message: who waits for
                         * what, and in a second line program counters, where it waits, the
                         * innermost first. CALL_EXIT follows */
    CALL_SPURIOUS,      /* the thread's wait for the condition at dst returned without a signal;
                         * message: program counters, from where it had been called, the innermost
                         * first. With no message: the thread waits for that condition again */
    CALL_POLL,          /* the thread asked, in vain, for what another one may give (sem_trywait):
                         * the device was carried forward to its present */
    CALL_RANGE,         /* name: a range of NVTX opens ("": one closes), or a mark (flags RANGE_*);
                         * message: its domain, "" for the default one; bytes: its colour,
                         * RANGE_COLORED and 0xrrggbb, 0 for none. No label: who judges a program by
                         * its driver's labels need not know of it */
    CALL_KINDS
};

enum memory_kind { MEM_NONE, MEM_PAGEABLE, MEM_PINNED, MEM_DEVICE, MEM_MANAGED };

/*
 * The launch of a graph is one call of the program and several here, one after
 * the other: CALL_GRAPH_LAUNCH, which costs what the program's call costs (src: the executable
 * graph's number, from 1; 0: not known: its launches wait for each other, in whatever streams
 * [reference of cudaGraphLaunch]); then for each node, those that it waits for first, its
 * CALL_GRAPH_EDGEs and a CALL_LAUNCH, COPY, SET, HOST_FUNC, MALLOC, FREE, EVENT_RECORD, STREAM_WAIT
 * or GRAPH_EMPTY with the flag GRAPH_NODE; then CALL_GRAPH_END. All name the stream of the launch.
 * File and line of a node are the place where it was put into the graph. What a program does while
 * a stream captures it is CALL_OTHER with the flag CALL_CAPTURED: it makes no work.
 */

/*
 * CALL_MIGRATE: `bytes` of managed memory from dst on go to dst_kind (MEM_DEVICE, or MEM_PAGEABLE:
 * the host). `node` is whose doing it is: a kernel's, which lasts so much longer; a prefetch's, of
 * which it says what there was to move (MIGRATE_PREFETCH); NO_NODE: the host's, whose thread is
 * held up (file and line are the instruction's, if known). With MIGRATE_FAULT somebody touched a
 * page that was not on his side, with bytes 0 one that was on no side yet, or that he had to
 * himself from then on; MIGRATE_EVICTS: room was needed on the device.
 */

/*
 * A log from a real GPU (cupti/recorder.h) has the same calls, in the order in which they were
 * entered, with the times that the host saw; its clock begins where the recording does. Of the
 * device it says CALL_DEVICE  once for each, at its beginning: device; name; message: versions of
 * driver, runtime and recorder; bytes of memory; machine; flags DEVICE_CONCURRENT_MANAGED,
 * DEVICE_MANAGED; CALL_RAN     begin, end: when it ran, on the same clock; src: number of the call
 * that caused it, from 0, each record of the log but strings counted; bytes; dst_kind, src_kind as
 * the device saw them. A call may have several: its operation goes from the first begin to the last
 * end. They come in any order, each after its call. Of a host function: thread, in which it ran.
 * Operations that are instants (event records, waits of streams, empty nodes) have none. There is
 * no CALL_COST, CALL_THREAD_* or CALL_FUNCTION_* in it. It is whole when it ends with CALL_EXIT,
 * has no CALL_LOST and a CALL_RAN for each operation that is no instant and that the program waited
 * for.
 */

/* call.flags. A bit means what it means for the kinds of call named beside it; logs keep these
 * numbers. */
enum {
    CALL_ASYNC = 1 << 0, /* the Async spelling of a copy or memset */
    STREAM_NON_BLOCKING = 1 << 1, /* cudaStreamNonBlocking */
    STREAM_LEGACY = 1 << 2, /* the legacy default stream of its device */
    STREAM_PER_THREAD = 1 << 3, /* the default stream of one host thread */
    EVENT_NO_TIMING = 1 << 4, /* of CALL_EVENT_RECORD, too */
    EVENT_BLOCKING_SYNC = 1 << 5,
    EVENT_INTERPROCESS = 1 << 6,
    /* The first launch of this kernel: its code is loaded on the way (lazy loading). On CALL_OTHER:
     * this call loads it (cudaFuncGetAttributes), so that no launch needs to. */
    LAUNCH_LOADS = 1 << 7,
    GRAPH_NODE = 1 << 8, /* a node of the graph that is being launched */
    CALL_CAPTURED = 1 << 9, /* went into a graph instead of a stream */
    CALL_POLLS =
        1 << 10, /* the call looked at the device: it was carried forward to the caller's present */
    COPY_DIRECT = 1 << 11, /* between two devices of which one may reach the other's memory: not
                            * through the host */
    MIGRATE_AWAITS = 1 << 11, /* with MIGRATE_FAULT: the pages came with a prefetch, whose end was
                               * `cost` ns later */
    MIGRATE_FAULT = 1 << 12,
    MIGRATE_EVICTS = 1 << 13,
    ARGUMENT_SHORT = 1 << 13, /* of CALL_OTHER: the call reads or writes more of an argument than it
                               * has bytes: `message` */
    MIGRATE_PREFETCH = 1 << 14,
    BY_DRIVER_API = 1 << 14, /* of what orders work, but no copy: cuEventRecord() and its like,
                              * which a card's recorder does not see (cuStreamSynchronize() before
                              * CUDA 12.4) */
    MIGRATE_FIRST = 1 << 15, /* the first fault of its kernel that moves pages */
    MIGRATE_TOGETHER = 1 << 16, /* it comes with the one before: of the same block of threads */
    CALL_CACHE_CONFIG =
        1 << 15, /* CALL_OTHER: another split of L1 cache and shared memory is asked for */
    POOL_GROWS = 1 << 16, /* CALL_MALLOC of a pool: it takes memory from the device for it */
    EDGE_AT_LAUNCH = 1 << 16, /* of CALL_GRAPH_EDGE */
    EVENT_AT_LAUNCH =
        1 << 16, /* of CALL_EVENT_RECORD, with EVENT_NO_TIMING: when all blocks of its stream's
                  * latest kernel have begun, beside the stream's other work */
    QUERY_HALF_READ =
        1 << 16, /* of a query: whatever is not "not yet" counts as "done", an error too; of a
                  * question for the last error: it ends a function without a report */
    /* What is done with a graph (CALL_OTHER, CALL_GRAPH_LAUNCH), whose size `graph` and graph_roots
     * tell: it is made ready, its kernels are brought to the device, it is given back. */
    GRAPH_MADE = 1 << 17,
    GRAPH_LOADED = 1 << 18,
    GRAPH_DROPPED = 1 << 19,
    /* The program does not look at what the call returns; of a launch: <<<…>>> returns nothing. Of
     * a query also: it ends when the answer is "not yet" (CHECK). What was done by then was done by
     * luck: the query is no wait. */
    CALL_UNREAD = 1 << 20,
    COPY_MISNAMED =
        1
        << 21, /* a copy between devices was given the number of a device whose memory it is not */
    LAUNCH_PRIORITY = 1 << 22, /* the launch has a priority of its own, whatever its stream's */
    /* A dependent launch (programmatic stream serialization): the kernel may begin when the one
     before it in its stream allows that.
     * It makes two nodes: the kernel, and its rest,
     which comes after cudaGridDependencySynchronize. */
    LAUNCH_DEPENDENT = 1 << 23,
    /* Of CALL_COST: there, its blocks trigger or wait for the kernel before (enum part_end). */
    COST_TRIGGERS = 1 << 24,
    COST_SYNCS = 1 << 25,
    EVENT_EXTERNAL =
        1 << 26, /* in a capture: the record or wait becomes a node (cudaEventRecordExternal) */
    COPY_CONTRARY = 1 << 27, /* the copy's direction (cudaMemcpyKind) names other sides than its
                              * memory is on: `message` */
    GREEN_MADE = 1 << 28, /* CALL_OTHER: a green context is made (dst) */
    STREAM_OF_OTHER = 1 << 30, /* CALL_STREAM_CREATE: another process's, for whose work no wait for
                                * the device waits */
    VALUE_IN_MEMORY = 1 << 29, /* CALL_HOST_FUNC: no function, but a write of a value or a wait for
                                * one (cuStreamWaitValue32); beside all others */
};

/* call.flags of CALL_DEVICE, which no other kind has. */
enum {
    DEVICE_MANAGED = 1 << 0,
    DEVICE_CONCURRENT_MANAGED = 1 << 1,
};

/* call.flags of CALL_HAZARD: what it is, where it is no two that meet. */
enum {
    HAZARD_JOINED = 1 << 0,     /* a thread was joined twice */
    HAZARD_LOST = 1 << 1, /* `bytes` of the host's memory that `line` allocated were never freed;
                           * cost: calls that the log had then */
    HAZARD_NOT_LOCKED = 1 << 2, /* a mutex was unlocked by a thread that did not hold it */
    HAZARD_ENDED = 1 << 3,      /* a semaphore was used that sem_destroy() had ended */
    HAZARD_LEFT = 1 << 4,       /* a thread was left at work when a part ended */
    HAZARD_BY_HOST = 1 << 5,    /* the host wrote what the device is to make */
    HAZARD_UNWRITTEN = 1 << 6,  /* it was read, and nothing has written it */
    HAZARD_REGISTERED = 1 << 7, /* the host freed its memory that was registered */
};

/* call.flags of CALL_RANGE; with none of them it nests in its thread and domain. */
enum {
    RANGE_FREE = 1 << 0,        /* it need not nest, and any thread may close it; src: its number,
                                 * from 1 */
    RANGE_MARK = 1 << 1,        /* a moment; nothing closes it */
};
#define RANGE_COLORED (UINT64_C(1) << 24)

/* call.flags of CALL_CRASH. */
enum {
    CRASH_IN_FREE = 1 << 0, /* the C library's free() or realloc() met it */
    CRASH_IN_SYSTEM =
        1 << 1, /* told to end (SIGTERM) while it was in a call of the operating system's */
};
/* What freed memory of the host is filled with: each byte; pointers that are read there. */
#define SPOILT_BYTE 0xdd
#define SPOILT_POINTER UINT64_C(0xdddddddddddddddd)

/* The name of a CALL_HOST_WORK in which others had the processor. */
#define LOST_TURN "another thread's turn"
#define NO_NODE UINT32_MAX
#define NO_STREAM UINT32_MAX
#define COST_UNKNOWN (-1)       /* a kernel that declares none: it costs by its geometry */

struct call_graph { uint32_t nodes, kernels, copies; };
struct call_machine { uint32_t multiprocessors, copy_engines,
                      capability; };    /* ten times major plus minor */
struct call_heights { uint32_t dst, src; };

struct call {
    uint32_t kind;              /* enum call_kind */
    uint32_t
        name; /* string: "cudaMemcpyAsync"; a label's text; for CALL_LAUNCH the kernel's name */
    uint32_t file, line;        /* where the program made it; line 0: not known */
    uint32_t thread;            /* host thread, from 0 in order of appearance */
    int32_t status;             /* the cudaError_t it returned */
    int64_t begin, end;         /* host time at entry and return */
    uint32_t device; /* the current one; CALL_FREE, CALL_UNREGISTER: the memory's; GRAPH_NODE: where
                      * it runs */
    uint32_t stream, event;
    uint32_t flags;
    int32_t priority; /* of a stream or launch, as asked for (CALL_STREAM_CREATE, LAUNCH_PRIORITY);
                       * a card clamps it: card_priority */
    uint64_t dst, src, bytes;
    uint32_t dst_kind, src_kind;    /* enum memory_kind */
    uint32_t dst_device, src_device; /* whose memory, where the kind is MEM_DEVICE; GRAPH_NODE of a
                                      * kernel: dst_device is 1 + the number of the stream that it
                                      * was captured in, on whose SMs it runs; 0: on all */
    union {
        uint32_t rows;          /* of a copy or memset; 0: its bytes lie together, else */
        uint32_t cluster;       /* CALL_LAUNCH: blocks of a cluster; 0: it has none */
    };
    uint64_t dst_pitch, src_pitch;  /* a row begins that many bytes after the one before */
    /* Two groups of numbers, which the log has as grid and block. What is in them goes by the kind
     * of the call. */
    union {
        uint32_t grid[3];                   /* CALL_LAUNCH */
        struct call_graph graph; /* GRAPH_MADE, GRAPH_LOADED, GRAPH_DROPPED, CALL_GRAPH_LAUNCH */
        struct call_machine machine;        /* CALL_DEVICE */
        uint32_t slice_rows;                /* CALL_COPY, CALL_SET: call_set_slices; 0: no slices */
        uint32_t sms_low[3]; /* CALL_STREAM_CREATE: SMs that its kernels may use, a bit each; none:
                              * all */
    };
    union {
        uint32_t block[3];                  /* CALL_LAUNCH */
        uint32_t graph_roots;               /* beside `graph`: nodes that wait for none */
        struct call_heights height; /* beside slice_rows: how many rows after the slice before it
                                     * each slice begins */
        uint32_t sms_high[3];               /* beside sms_low: SMs from number 96 on */
    };
    uint32_t shared;            /* bytes of dynamic and static shared memory a block */
    int64_t cost; /* ns: a kernel's per block, a host function's, host work's; CALL_PREFETCH: bytes
                   * that are not on that side when it is called, COST_UNKNOWN for all */
    uint32_t
        message; /* string; of a call of the runtime that failed: why, "" where that is not known;
                  * of a launch by a configuration with attributes: why it may not begin early */
    uint64_t caller; /* program counter: where the function that made the call was called; 0: not
                      * known, or the log is not authenticated */
    uint32_t node; /* first node it made (happens_before.h), NO_NODE for none; CALL_COST,
                    * CALL_FAULT, CALL_HAZARD, CALL_FUNCTION_*, CALL_THREAD_BEGIN, CALL_THREAD_WAKE,
                    * CALL_MIGRATE: whose */
};

/* Of an enum memory_kind: is it the host's, pinned or not? */
static inline int memory_is_of_host(uint32_t kind)
{
    return kind == MEM_PAGEABLE || kind == MEM_PINNED;
}

/* Does the copy go from one device's memory to another's? */
static inline int call_between_devices(const struct call *c)
{
    return c->kind == CALL_COPY && c->dst_kind == MEM_DEVICE && c->src_kind == MEM_DEVICE
           && c->dst_device != c->src_device;
}

/* Does the call take an argument for larger than it is? */
static inline int call_is_short(const struct call *c)
{
    return c->kind == CALL_OTHER && (c->flags & ARGUMENT_SHORT) != 0;
}

/* Does the caller wait in it on every card measured, though the reference does not promise that? A
 * synchronous memset of managed memory, a synchronous copy from or to managed memory with no side
 * that is the host's own, an asynchronous copy to pageable memory. */
static inline int call_waits_unpromised(const struct call *c)
{
    int host = memory_is_of_host(c->dst_kind) || memory_is_of_host(c->src_kind);
    int managed =
        c->dst_kind == MEM_MANAGED || (c->kind == CALL_COPY && c->src_kind == MEM_MANAGED);
    if (c->flags & GRAPH_NODE || (c->kind != CALL_COPY && c->kind != CALL_SET))
        return 0;
    if (c->flags & CALL_ASYNC)
        return c->kind == CALL_COPY && c->dst_kind == MEM_PAGEABLE
               && !memory_is_of_host(c->src_kind);
    return managed && (c->kind == CALL_SET || !host);
}

/* Of a copy or memset of that many rows. */
void call_set_rows(struct call *c, uint64_t rows, uint64_t dst_pitch, uint64_t src_pitch);
/* After call_set_rows, where the rows are those of several slices and a slice begins dst_height
 * (src_height) rows after the one before: `rows` are a slice's. Where the slices lie together there
 * is nothing to say, and nothing is set. */
void call_set_slices(struct call *c, uint64_t rows, uint64_t dst_height, uint64_t src_height);
/* How many rows it has: 1 where its bytes lie together. Row number `row` begins that many bytes
 * after dst, or src. */
uint32_t call_rows(const struct call *c);
uint64_t call_dst_row(const struct call *c, uint32_t row);
uint64_t call_src_row(const struct call *c, uint32_t row);

/* "launch", "copy", … for messages and exports; never NULL. */
const char *call_kind_name(uint32_t kind);
/* "pageable", "pinned", "device", "managed". */
const char *memory_kind_name(uint32_t kind);

#ifdef __cplusplus
}
#endif
#endif
