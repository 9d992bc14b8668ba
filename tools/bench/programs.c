/* SPDX-License-Identifier: MIT */
#include "programs.h"

static void give(struct program *p, struct call c)
{
    c.node = NO_NODE;
    p->give(p->context, &c);
}

static uint32_t stream(struct program *p, uint32_t flags)
{
    give(p, (struct call){ .kind = CALL_STREAM_CREATE, .stream = p->streams, .flags = flags });
    return p->streams++;
}

static uint32_t event(struct program *p)
{
    give(p, (struct call){ .kind = CALL_EVENT_CREATE, .event = p->events });
    return p->events++;
}

static void launch(struct program *p, uint32_t in, uint32_t flags)
{
    give(p, (struct call){ .kind = CALL_LAUNCH, .stream = in, .flags = flags, .grid = { 64, 1, 1 },
                           .block = { 256, 1, 1 }, .cost = COST_UNKNOWN });
}

static void copy(struct program *p, uint32_t in, bool to_device)
{
    give(p, (struct call){ .kind = CALL_COPY, .stream = in, .flags = CALL_ASYNC, .bytes = 65536,
                           .src_kind = to_device ? MEM_PINNED : MEM_DEVICE,
                           .dst_kind = to_device ? MEM_DEVICE : MEM_PINNED });
}

static void record(struct program *p, uint32_t in, uint32_t which)
{
    give(p, (struct call){ .kind = CALL_EVENT_RECORD, .stream = in, .event = which });
}

static void wait(struct program *p, uint32_t in, uint32_t which)
{
    give(p, (struct call){ .kind = CALL_STREAM_WAIT, .stream = in, .event = which });
}

static void synchronize(struct program *p)
{
    give(p, (struct call){ .kind = CALL_DEVICE_SYNC });
}

/* One operation of copy, kernel, copy, copy. */
static void one_of_four(struct program *p, uint32_t in, uint32_t turn)
{
    if (turn % 4 == 1)
        launch(p, in, 0);
    else
        copy(p, in, turn % 4 == 0);
}

static void one_stream(struct program *p, uint32_t operations)
{
    uint32_t s = stream(p, 0);
    for (uint32_t i = 0; i < operations; i++)
        one_of_four(p, s, i);
}

static void round_robin(struct program *p, uint32_t operations, uint32_t streams, uint32_t flags)
{
    uint32_t first = p->streams;
    for (uint32_t i = 0; i < streams; i++)
        stream(p, flags);
    for (uint32_t i = 0; i < operations; i++)
        one_of_four(p, first + i % streams, i / streams);
}

static void many_streams(struct program *p, uint32_t operations)
{
    round_robin(p, operations, 64, STREAM_NON_BLOCKING);
}

/* A stream for every eight operations, all alive. */
static void stream_per_task(struct program *p, uint32_t operations)
{
    round_robin(p, operations, operations / 8, STREAM_NON_BLOCKING);
}

/* Kernel, record, wait in the next stream, round a ring of sixteen. */
static void event_chain(struct program *p, uint32_t operations)
{
    uint32_t first = p->streams;
    for (uint32_t i = 0; i < 16; i++)
        stream(p, STREAM_NON_BLOCKING);
    for (uint32_t i = 0; i < operations; i += 3) {
        uint32_t in = first + i / 3 % 16, then = first + (i / 3 + 1) % 16, e = event(p);
        launch(p, in, 0);
        record(p, in, e);
        wait(p, then, e);
    }
}

/* One stream forks into thirty-two and joins them, again and again. */
static void fork_join(struct program *p, uint32_t operations)
{
    enum { BRANCHES = 32, ROUND = 1 + 4 * BRANCHES };
    uint32_t trunk = stream(p, STREAM_NON_BLOCKING), first = p->streams, fork = event(p),
             joins = p->events;
    for (uint32_t i = 0; i < BRANCHES; i++)
        stream(p, STREAM_NON_BLOCKING), event(p);
    for (uint32_t done = 0; done < operations; done += ROUND) {
        record(p, trunk, fork);
        for (uint32_t i = 0; i < BRANCHES; i++) {
            wait(p, first + i, fork);
            launch(p, first + i, 0);
            record(p, first + i, joins + i);
        }
        for (uint32_t i = 0; i < BRANCHES; i++)
            wait(p, trunk, joins + i);
    }
}

/* Blocking streams, and every sixteenth operation in the legacy stream. */
static void legacy_mix(struct program *p, uint32_t operations)
{
    enum { STREAMS = 256 };
    for (uint32_t i = 0; i < STREAMS; i++)
        stream(p, 0);
    for (uint32_t i = 0; i < operations; i++)
        one_of_four(p, i % 16 == 15 ? 0 : 1 + i % STREAMS, i / STREAMS);
}

/* The same with a stream for every eight operations. */
static void legacy_tasks(struct program *p, uint32_t operations)
{
    uint32_t streams = operations / 8;
    for (uint32_t i = 0; i < streams; i++)
        stream(p, 0);
    for (uint32_t i = 0; i < operations; i++)
        one_of_four(p, i % 16 == 15 ? 0 : 1 + i % streams, i / streams);
}

/* A thousand streams, and the host waits for all of them every sixteenth time. */
static void waits(struct program *p, uint32_t operations)
{
    enum { STREAMS = 1000 };
    for (uint32_t i = 0; i < STREAMS; i++)
        stream(p, 0);
    for (uint32_t i = 0; i < operations; i++) {
        one_of_four(p, 1 + i % STREAMS, i / STREAMS);
        if (i % 16 == 15)
            synchronize(p);
    }
}

/* A thousand streams, and every sixteenth launch loads its kernel. */
static void loading(struct program *p, uint32_t operations)
{
    enum { STREAMS = 1000 };
    for (uint32_t i = 0; i < STREAMS; i++)
        stream(p, STREAM_NON_BLOCKING);
    for (uint32_t i = 0; i < operations; i++)
        launch(p, 1 + i % STREAMS, i % 16 == 15 ? LAUNCH_LOADS : 0);
}

/* A graph of twenty nodes: a root, eighteen that wait for it, one that waits for them. */
static void graphs(struct program *p, uint32_t operations)
{
    enum { NODES = 20 };
    uint32_t s = stream(p, STREAM_NON_BLOCKING);
    for (uint32_t i = 0; i < operations; i += NODES) {
        give(p, (struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = s });
        for (uint32_t node = 0; node < NODES; node++) {
            if (node > 0 && node < NODES - 1)
                give(p, (struct call){ .kind = CALL_GRAPH_EDGE, .stream = s, .src = 0 });
            for (uint32_t from = 1; node == NODES - 1 && from < node; from++)
                give(p, (struct call){ .kind = CALL_GRAPH_EDGE, .stream = s, .src = from });
            launch(p, s, GRAPH_NODE);
        }
        give(p, (struct call){ .kind = CALL_GRAPH_END, .stream = s });
    }
}

/* Sixteen host threads, each with a stream that it waits for. */
static void threads(struct program *p, uint32_t operations)
{
    enum { THREADS = 16 };
    for (uint32_t i = 1; i < THREADS; i++)
        give(p, (struct call){ .kind = CALL_THREAD_BEGIN, .thread = i });
    uint32_t first = p->streams;
    for (uint32_t i = 0; i < THREADS; i++)
        stream(p, STREAM_NON_BLOCKING);
    for (uint32_t i = 0; i < operations; i++) {
        uint32_t thread = i % THREADS;
        give(p, (struct call){ .kind = CALL_LAUNCH, .thread = thread, .stream = first + thread,
                               .grid = { 64, 1, 1 }, .block = { 256, 1, 1 },
                               .cost = COST_UNKNOWN });
        if (i / THREADS % 8 == 7)
            give(p, (struct call){
                        .kind = CALL_STREAM_SYNC, .thread = thread, .stream = first + thread });
    }
}

const struct shape shapes[] = {
    { "one stream", one_stream },
    { "64 streams", many_streams },
    { "stream per task", stream_per_task },
    { "event chain", event_chain },
    { "fork and join", fork_join },
    { "legacy, 256 streams", legacy_mix },
    { "legacy, per task", legacy_tasks },
    { "waits, 1000 streams", waits },
    { "loading, 1000 streams", loading },
    { "graphs", graphs },
    { "16 threads", threads },
};
const unsigned shape_count = sizeof shapes / sizeof *shapes;

void program_make(struct program *p, const struct shape *shape, uint32_t operations)
{
    p->streams = p->events = 0;
    stream(p, STREAM_LEGACY);
    shape->make(p, operations);
    synchronize(p);
}
