/* SPDX-License-Identifier: MIT */
/*
 * state.h - the inside of the model. From the bottom: events.c (what is due),
 * fifo.c, thrash.c (pages to and fro), operation.c (what waits for what, beginning, ending),
 * queues.c, command.c (what needs no engine), transfer.c (copy engines), link.c (between devices),
 * sms.c and grids.c (blocks), device.c (events), model.c (host side), prune.c, replay.c.
 *
 * An operation goes WAITING -> READY (it arrived and all its edges are done)
 * -> RUNNING -> DONE. All times ns.
 */
#ifndef MODEL_STATE_H
#define MODEL_STATE_H

#include "model/model.h"

/* ---- events.c: what is due, in (time, sequence) order ---- */

/* PASSES: an end that was planned, and then another; nothing happens. FUNCTION_WAKES: its host
 * thread is there for it. FUNCTION_ENDS is the last at its time, whenever it was pushed: a replay
 * knows of it when the function begins, a program that runs when it is there. BLOCKS_END: a part of
 * their time is over (model.h). SYNCED: blocks that wait for the kernel before go on. */
enum event_kind { ARRIVES, BECOMES_READY, BLOCKS_END, SYNCED, OPERATION_ENDS, FUNCTION_WAKES,
                  FUNCTION_ENDS, TRANSFER_ENDS, DISPATCHES, PASSES };

struct event {
    int64_t time;
    uint64_t sequence;
    uint32_t kind, node;
    uint32_t count; /* BLOCKS_END: their placement; TRANSFER_ENDS: which plan of the transfer */
};

struct events {
    struct event *heap;
    size_t count, capacity;
    /* In order, from `first_arrival` on; those that come out of it are in the heap. */
    struct event *arrivals;
    size_t first_arrival, arrival_count, arrival_capacity;
    uint64_t sequence;
};

void events_push(struct events *e, int64_t time, enum event_kind kind, uint32_t node,
                 uint32_t count);
/* Time of the earliest, TIME_NEVER for none. */
int64_t events_next(const struct events *e);
/* The earliest; there must be one. */
struct event events_pop(struct events *e);
/* Nothing will happen at the times of those that are left. */
void events_pass(struct events *e);
void events_fini(struct events *e);

/* ---- operations ---- */

enum operation_state { WAITING, READY, RUNNING, DONE };

/* Between those of one kind, what waits for another begins when that ends. KIND_COMMAND: what the
 * front end does itself, without a kernel: small copies, small memsets. */
enum kind { KIND_COMPUTE, KIND_COMMAND, KIND_UP, KIND_DOWN, KIND_FUNCTION, KIND_PEER };

enum { SM_WORDS = 6 };          /* of 32 bits: SMs that a call can name (call.h) */

struct sm {
    int32_t threads, blocks;    /* free */
    int32_t shared, carve_out;  /* bytes: free, and in all; of an SM that is idle, nothing */
};

/* Of a placement. */
struct placement_part {
    uint32_t blocks, part; /* how many there are, and the part of their time that they are in */
    bool triggered;
    uint32_t waits;             /* their kernel, while they wait for the one before; else NO_NODE */
};

/* Some of a device's SMs, a bit each: those of a green context. `any` false: all of them. */
struct sm_set {
    bool any;
    uint32_t word[SM_WORDS];
};

struct sms {
    uint32_t count;
    int32_t threads, blocks;    /* that an SM has room for */
    struct sm *list;
    uint32_t *room;             /* scratch: blocks that still fit, by SM */
    uint16_t *placed;           /* blocks by placement and SM */
    uint32_t placements, capacity;
    uint32_t *free;             /* placements that are over */
    uint32_t free_count;
    struct placement_part *parts;   /* by placement: owned by grids.c */
};

struct operation {
    uint8_t state;
    bool arrived;
    bool after_kernel;          /* depends on a kernel, directly or through markers */
    uint8_t kind;               /* enum kind */
    bool takes_kind;            /* of what it waited for last: a marker */
    bool waited;                /* a host function: for something of another kind */
    bool in_graph;
    bool begins_graph;          /* no other node of its graph comes before it */
    bool with_command;          /* a copy that the host writes into the command */
    bool was_free;              /* its stream was known to be idle */
    bool late;                  /* a prefetch that had to wait for its stream */
    bool by_engine;             /* a copy or prefetch that needs a copy engine */
    bool queued_to_signal; /* those on cards with copies_signal_in_queue: they go through the kernel
                              queue */
    bool stands;                /* in a hardware queue, until it is its first and ready */
    bool in_channel;            /* a copy that stands in a channel until its engine takes it */
    bool open;                  /* a host function that says itself when it ends */
    bool touches_pages; /* a kernel; a memset or copy of managed memory, which has a kernel's faults
                           [M] */
    bool lasts; /* such a one: its effects have been, its pages are still under way */
    uint32_t missing;           /* edges that are not done yet */
    /* Of those, the ones from outside of its queue, and those of the marks that come before it
     * without another operation between: all are counted where the first of them is. */
    uint32_t outside, outside_at;
    uint32_t first_dependent,
        last_dependent; /* into links, in the order they were queued; NO_NODE for none */
    int64_t ready;              /* earliest start as far as it is known */
    int64_t over; /* its end, where the call that queues it can tell; else TIME_NEVER */
    int32_t priority;
    uint32_t queue;             /* or channel, of one that stands in it */
    /* Kernels. */
    int64_t cost;               /* ns a block */
    uint32_t blocks_waiting, blocks_running;
    uint32_t blocks_untriggered;    /* that have neither triggered nor ended */
    bool followed;              /* a dependent launch comes after it */
    bool dependent;             /* it is one: its rest is the node after it */
    bool is_rest;
    struct block_needs needs;   /* of a block */
    uint32_t first_migration;   /* of its own; NO_NODE: none yet */
    int64_t pages_at;           /* when its next page moves; TIME_NEVER: before that */
    /* Copies: work left in ns x duplex_permille, as of `measured`. */
    int64_t work, measured;
    int64_t hold;               /* it keeps its engine for so long before it goes on */
    uint32_t plan;
};

struct link { uint32_t node, next; enum strength strength; };

/* A growing list used as a FIFO; entries before `head` are gone. */
struct fifo {
    uint32_t *node;
    size_t head, count, capacity;
};

/* Operations that come one at a time, in the order in which they got ready. */
struct server {
    struct fifo waiting;
    uint32_t served;            /* NO_NODE for none */
};

enum { LANES = 2 };             /* host to device, device to host */
enum queue_kind { QUEUE_KERNELS, QUEUE_UP, QUEUE_DOWN, QUEUE_KINDS };
enum { NO_QUEUE = CARD_QUEUES, GRAPH_CHANNEL = CARD_QUEUES, CHANNELS };

struct device {
    /* Owned by queues.c. */
    struct fifo queues[CARD_QUEUES];    /* in order of issue */
    unsigned queue_count;
    uint32_t queues_ready;      /* a bit for each whose first is READY */
    struct fifo channels[LANES][CHANNELS]; /* of copies, in order of issue; the last has those of
                                              graphs that are ready */
    uint64_t channels_ready[LANES];
    unsigned last_channel[LANES];   /* whose copy was the last */
    uint32_t queues_given[QUEUE_KINDS]; /* to streams, so far */

    struct fifo graph_kernels;  /* those that are ready */
    int64_t branch_time;        /* when the latest would have been, if none had been before it */
    int64_t branches;           /* that many became ready at that time */
    struct fifo copies[LANES]; /* of cards that have them in order of issue; with one copy engine,
                                  only the first is used */
    uint32_t transfer[LANES];   /* the copy under way each way, NO_NODE for none */
    struct server link;         /* copies from this device's memory to another's */
    struct server functions;    /* one host thread runs those of all the device's streams [M] */
    uint32_t *grids; /* dispatched kernels with blocks left to place, by priority and age */
    size_t grid_count, grid_capacity;
    int64_t grids_running;
    struct sms sms;
    bool loaded;                /* a launch has loaded code before */
    bool pooled;                /* a pool has grown before */
    uint64_t written[CARD_QUEUES];  /* bytes that went with the command so far, by queue */
};

struct host_thread {
    int64_t now;
    uint32_t wait;              /* node of the wait that it is in, NO_NODE for none */
    uint32_t call;              /* the call that waits */
    size_t edges_done;          /* of the wait's edges, the first that many */
    /* The same query in a row: its kind, its stream or event, how often, and since when. */
    struct { uint32_t kind, of, times; int64_t since; } asks;
};

struct stream_state {
    uint32_t device;
    uint32_t queue[QUEUE_KINDS];    /* NO_QUEUE: it has had no work of that kind */
    int32_t priority;
    struct sm_set sms;          /* where its kernels may run */
    int64_t awake;              /* until then the driver still waits for late prefetches */
};

/* In managed memory. */
struct thrashed_piece {
    uint64_t address;
    int64_t since;              /* on this side; TIME_NEVER: not known */
    unsigned quick;             /* so often in a row it changed sides soon after the time before */
    bool on_host;
    bool waits;                 /* who wants its pages back has to wait */
};
enum { PIECES = 4096 };

struct engine_state {
    struct events events;
    int64_t now;                /* of the device: time of the last event */
    struct operation *operations;   /* by node; a wait's is DONE from the start */
    size_t operation_count, operation_capacity;
    size_t ended;               /* operations, so far */
    struct link *links;
    size_t link_count, link_capacity;
    struct stream_state *streams;   /* by stream number */
    size_t stream_count, stream_capacity;
    struct host_thread *threads;    /* owned by thread.c */
    size_t thread_count, thread_capacity;
    bool node_awaits;           /* the next node of a graph waits for one of its own */
    int64_t
        graph_known; /* when the device knows of the graph that is being launched, less start_ns */
    size_t threads_beside;      /* announced beside the first, and not ended */
    size_t open_waits;
    struct device devices[HB_DEVICES];
    struct thrashed_piece pieces[PIECES];
};

/* ---- model.c ---- */
/* Takes all steps of the device up to this time. */
void model_run(struct model *m, int64_t time);

/* ---- prune.c ---- */
/* Is nothing under way, on the device or in a wait? */
bool model_is_idle(const struct model *m);
/* Of an idle model: takes all calls and migrations out of the timeline, and those spans, out of the
 * order too, that nothing can ask for any more. What streams, events and threads still refer to
 * stays, with new numbers from 0 in the order that it had. The calls of those spans are gone. */
void model_prune(struct model *m);

/* ---- thread.c: host time, and waits for the device ---- */
struct host_thread *thread_of(struct engine_state *e, uint32_t *number);
/* Before a call of the thread: its own wait is over, and while others wait the device has got to
 * its present. */
void thread_catches_up(struct model *m, const struct call *c);
/* CALL_THREAD_*, CALL_FUNCTION_*: begin and end of the call, into it. */
void thread_changes(struct model *m, struct call *c);
/* The thread is in the wait of this call from now on, until its edges are done. */
void thread_waits(struct model *m, uint32_t thread, uint32_t wait, size_t call);

/* ---- sms.c: where blocks lie ---- */
/* What the call that makes a stream names of this card's SMs. A card that has none of those: all.
 */
struct sm_set sm_set_of(const struct card *card, const struct call *c);
/* Takes the SMs of `held` out; false: none is left. */
bool sm_set_without(struct sm_set *set, const struct sm_set *held, uint32_t count);
void sm_set_join(struct sm_set *set, const struct sm_set *more);
void sms_init(struct sms *s, const struct card *card);
void sms_fini(struct sms *s);
/* Places as many of `want` blocks as there is room for on the SMs of that set, and returns how
 * many; all at once leave with sms_leave. */
uint32_t sms_place(struct sms *s, const struct block_needs *needs, uint32_t want,
                   const struct sm_set *where, uint32_t *number);
/* Returns how many they were. */
uint32_t sms_leave(struct sms *s, const struct block_needs *needs, uint32_t number);

/* ---- fifo.c ---- */
void fifo_push(struct fifo *f, uint32_t node);
/* In front of those that were issued later. */
void fifo_push_in_order(struct fifo *f, uint32_t node);
static inline bool fifo_empty(const struct fifo *f)
{
    return f->head == f->count;
}
static inline uint32_t fifo_front(const struct fifo *f)
{
    return f->node[f->head];
}
static inline void fifo_pop(struct fifo *f)
{
    f->head++;
}
void fifo_fini(struct fifo *f);

/* ---- operation.c ---- */
static inline struct operation *operation(const struct model *m, uint32_t node)
{
    return &m->state->operations[node];
}
/* Is it an event with a time? */
static inline bool is_timed_event(const struct model *m, uint32_t node)
{
    const struct call *c = &m->timeline->calls[m->timeline->spans[node].call];
    return c->kind == CALL_EVENT_RECORD && !(c->flags & EVENT_NO_TIMING);
}
/* Is there something outside of its queue that it waits for? */
static inline bool waits_outside(const struct model *m, uint32_t node)
{
    return operation(m, operation(m, node)->outside_at)->outside > 0;
}
/* Takes over the edges of the node: what they wait for wakes it. */
void operation_depends(struct model *m, uint32_t node);
/* Is all that it waits for known to be over by then, with no look at the device? */
bool operation_is_free(const struct model *m, uint32_t node, int64_t time);
/* If it has arrived and nothing is missing, it becomes ready: now or at its time. */
void operation_proceeds(struct model *m, uint32_t node);
/* It begins now: sets its span, asks the hook what it costs. */
int64_t operation_begins(struct model *m, uint32_t node);
/* It is about to end. True: pages that it touched move first, it ends later. */
bool operation_lasts(struct model *m, uint32_t node);
/* This migration of the timeline, whose `end` is how long it takes, is the kernel's. */
void operation_moves_pages(struct model *m, uint32_t node, size_t migration);
/* How long a trigger, or the end of a kernel, takes to get to a dependent launch. */
int64_t dependent_time(const struct card *card);
/* The kernel's blocks have begun (BEGUN) or triggered, all of them: dependent launches may begin.
 */
void operation_lets(struct model *m, uint32_t node, enum strength what);
/* It ends now: sets its span, runs the hook, wakes what waits for it. */
void operation_ends(struct model *m, uint32_t node);

/* ---- queues.c: hardware queues, and copies' channels ---- */
/* Empty ones, that many. */
void queues_init(struct device *d, unsigned count);
void queues_fini(struct device *d);
/* The one of a stream, which gets it now if it has none. */
unsigned queue_of(struct model *m, uint32_t stream, enum queue_kind which);
/* Does it go through a hardware queue? */
bool stands_in_queue(const struct model *m, uint32_t node);
/* How much later `node` knows that `before` is over, which is outside of its queue: while other
 * queues ask for such things, too. */
int64_t queue_turns(const struct model *m, uint32_t node, uint32_t before);
/* Another may be the first now, or the first may have become ready. */
void queue_update(struct model *m, struct device *d, unsigned q);
void channel_update(struct model *m, struct device *d, unsigned lane, unsigned channel);
/* Into its channel, op->queue. */
void channel_add(struct model *m, struct device *d, unsigned lane, uint32_t node);
/* The next to go, out of its channel; NO_NODE for none. It must begin now. */
uint32_t channel_take(struct model *m, struct device *d, unsigned lane);

/* ---- host_time.c ---- */
/* What each kind of call costs the host, by itself; what is not there costs nothing. It remembers
 * what a first one costs more. */
int64_t call_cost(struct model *m, const struct call *c, bool is_free);
/* What a query costs beyond that which is one of many in a row, and notes it: see host_time.c. */
int64_t asking_cost(struct host_thread *t, const struct call *c);
/* When the device knows of it: of what takes the host long, before the call is over. */
int64_t queued_at(const struct model *m, const struct call *c, bool is_free);
/* Does it matter to the call whether its stream is idle? */
bool minds_idleness(const struct card *card, const struct call *c);
bool loads_lazily(const struct card *card);

/* ---- command.c ---- */
/* ns for that many bytes at MB/s. */
int64_t time_at(uint64_t bytes, int64_t speed);
/* Does the host write this copy into the command, so that it needs no copy engine? `is_free`: its
 * stream is idle. */
bool goes_with_command(const struct card *card, const struct call *c, bool is_free);
/* Is this memset no kernel? */
bool is_small_set(const struct card *card, const struct call *c);
/* How long the device takes for what is in the command. */
int64_t command_time(const struct card *card, const struct call *c, bool is_free);
/* How long the call takes that writes it; asked once of each. */
int64_t command_cost(struct model *m, const struct call *c);

/* ---- thrash.c: pages that go to and fro ---- */
/* Pages from `address` on come to the device. */
void thrash_to_device(struct model *m, uint64_t address, int64_t time);
/* Of a move: how long the host waits before it; 0 where it is not the host's. Asked once of each.
 */
int64_t thrash_to_host(struct model *m, const struct call *c);
/* The memory is given back. */
void thrash_clear(struct model *m, const struct call *c);

/* ---- transfer.c ---- */
/* Bytes of a prefetch that are not there yet. */
uint64_t prefetched_bytes(const struct call *c);
/* How long the host takes to prepare that many bytes of a prefetch to the device. */
int64_t prefetch_share(const struct card *card, uint64_t bytes);
/* How long after the call the first of them move. */
int64_t prefetch_begins(const struct card *card, uint64_t bytes);
/* Does the call of a prefetch do its work? To the host on cards with prefetch_home. */
bool moves_in_call(const struct card *card, const struct call *c, bool is_free);
/* How long this copy or memset takes on its engine with nothing beside it; of a prefetch its pages
 * alone. */
int64_t transfer_time(const struct card *card, const struct span *s, const struct call *c);
/* What a copy's caller spends on setting its source aside; 0 where it is not. */
int64_t staging_time(const struct card *card, const struct call *c);
/* Engine of a copy or prefetch: 0 or 1, of LANES. */
unsigned lane_of(const struct card *card, uint32_t engine);
void transfer_queue(struct model *m, struct device *d, uint32_t node);
void transfer_dispatch(struct model *m, struct device *d);
/* Frees the engine. */
void transfer_leaves(struct model *m, struct device *d, uint32_t node);

/* ---- link.c: copies from one device to another ---- */
/* The copy begins, alone on its way. */
void link_begins(struct model *m, struct server *link, uint32_t node);
/* TRANSFER_ENDS is due: frees the way. False: the plan was an old one, nothing ends. */
bool link_ends(struct model *m, struct server *link, uint32_t node, uint32_t plan);

/* ---- grids.c: kernels that place blocks ---- */
/* The kernel has left its queue. */
void grids_add(struct model *m, struct device *d, uint32_t node);
/* Blocks of the most urgent, oldest grid first; one that does not fit whole keeps later ones out of
 * the SMs that it may use. */
void grids_place(struct model *m, struct device *d);
/* BLOCKS_END is due. */
void grids_leave(struct model *m, struct device *d, uint32_t node, uint32_t placement);
/* SYNCED is due. */
void grids_go_on(struct model *m, struct device *d, uint32_t node);

/* ---- device.c ---- */

/* Makes the operation of node `node` for call `c`; its span is there already. `is_free`: all that
 * it waits for is known to be over. */
void device_add(struct model *m, uint32_t node, const struct call *c, int64_t arrival,
                bool is_free);
/* Handles the earliest event. */
void device_step(struct model *m);

#endif
