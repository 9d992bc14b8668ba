/* SPDX-License-Identifier: MIT */
/* How random programs are made. */
#include "program.h"

#include <string.h>

static uint64_t state;
static int below(int n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int)((state >> 11) % (uint64_t)n);
}

void random_begin(uint64_t seed)
{
    state = seed;
}

static struct bytes some_bytes(int buffer)
{
    int from = below(BYTES - 8), length = 1 + below(below(4) ? 24 : BYTES - from - 1);
    int to = from + length < BYTES ? from + length : BYTES;
    return (struct bytes){ buffer, from, to, below(3) ? 1 : 2 };
}

static struct act some_step(void)
{
    struct act s = { .what = (enum what[]){ KERNEL, KERNEL, KERNEL, COPY, COPY, SET, FUNCTION, HOST,
                                            HOST }[below(9)],
                     .thread = below(THREADS), .stream = below(STREAMS), .write = below(2),
                     .ns = 1000 * (1 + below(60)) };
    static const int reachable[] = { 0, 1, 2, 3, 4, 5 }, of_host[] = { 3, 4, 5 };
    bool by_host = s.what == HOST || s.what == FUNCTION;
    if (s.stream == OF_FIRST)
        s.thread = 0;
    s.at = some_bytes(by_host ? of_host[below(3)] : s.what == SET ? below(3) : reachable[below(6)]);
    if (s.what == SET || s.what == COPY)
        s.at.step = 1;
    if (s.what == COPY) {
        int most = BYTES - (s.at.to - s.at.from) + 1;
        s.source = (struct bytes){ below(BUFFERS), below(most), 0, 1 };
        if (s.source.buffer == s.at.buffer)
            s.source.buffer = (s.source.buffer + 1) % BUFFERS;
        s.source.to = s.source.from + s.at.to - s.at.from;
        if (s.source.buffer != PAGEABLE && below(6) == 0)
            s.at.buffer = PAGEABLE;
        s.blocking = below(4) == 0 && on_host(s.at.buffer) != on_host(s.source.buffer);
        if (s.blocking)
            s.stream = 0;
    }
    return s;
}

static void insert(struct program *p, int at, struct act s)
{
    memmove(p->steps + at + 1, p->steps + at, (size_t)(p->count - at) * sizeof s);
    p->steps[at] = s;
    p->count++;
}

/* What makes all that `to` does from `at` on come after what `from` has done by then. */
static void insert_meeting(struct program *p, int at, int from, int to)
{
    int edge = ++p->edges, object = below(OBJECTS);
    if (from == to)
        return;
    if ((from == 0 || to == 0) && below(4) == 0) {
        insert(p, at, (struct act){ .what = RENEW, .object = from + to, .edge = edge });
        return;
    }
    static const enum what ways[][2] = { { MEET, MEET }, { STORE, LOAD }, { POST, TAKE } };
    const enum what *way = ways[below(3)];
    insert(p, at, (struct act){ .what = way[1], .thread = to, .object = object, .edge = edge });
    insert(p, at, (struct act){ .what = way[0], .thread = from, .object = object, .edge = edge });
}

/* What makes all that comes at `at` in `stream` (-1: the host) by `thread` wait for what `first`
 * has queued. */
static void insert_edge(struct program *p, int at, int first_stream, int stream, int thread)
{
    int edge = ++p->edges, event = below(EVENTS), way = below(stream < 0 ? 3 : 6);
    int by = first_stream == OF_FIRST || stream == OF_FIRST ? 0
             : below(2)                                     ? below(THREADS)
                                                            : thread;
    struct act record = {
        .what = RECORD, .thread = by, .stream = first_stream, .event = event, .edge = edge
    };
    if (way < 3)
        insert_meeting(p, at, by, thread);
    if (way == 0) {
        insert(p, at,
               (struct act){
                   .what = FINISH_STREAM, .thread = by, .stream = first_stream, .edge = edge });
        return;
    }
    if (way == 1 && below(2)) {
        insert(p, at, (struct act){ .what = FINISH_DEVICE, .thread = by, .edge = edge });
        return;
    }
    bool by_host = way < 3;
    insert(p, at,
           by_host
               ? (struct act){ .what = FINISH_EVENT, .thread = by, .event = event, .edge = edge }
               : (struct act){
                     .what = WAIT, .thread = by, .stream = stream, .event = event, .edge = edge });
    insert(p, at, record);
}

static int stream_of(const struct program *p, int i)
{
    while (p->steps[i].what == GRAPH_KERNEL)
        i++;
    return p->steps[i].stream;
}

/* Orders the steps from `begin` on after all before them that they conflict with. False: no room.
 */
static bool put_in_order(struct program *p, int begin)
{
    static struct known k;
    for (int i = begin; i < p->count; i++)
        for (int a = 0; a < i; a++) {
            know(&k, p, &(struct without){ 0 });
            if (!hazard_between(&k, p, a, i))
                continue;
            if (a >= begin) {                   /* both are nodes of the graph that is being made */
                p->steps[i].after |= 1u << (a - begin - 1);
                continue;
            }
            if (p->count + 4 > MOST)
                return false;
            int before = p->count;
            if (p->steps[a].what == HOST)
                insert_meeting(p, begin, p->steps[a].thread, p->steps[i].thread);
            else
                insert_edge(p, begin, stream_of(p, a),
                            p->steps[i].what == HOST ? -1 : stream_of(p, i), p->steps[i].thread);
            begin += p->count - before;
            i = begin;
            a = -1;
        }
    return true;
}

static void add_noise(struct program *p)
{
    struct act s = { .what = (enum what[]){ RECORD, WAIT, WORK, FINISH_STREAM }[below(4)],
                     .thread = below(THREADS), .stream = below(STREAMS), .event = below(EVENTS),
                     .ns = 1000 * below(40) };
    if (s.stream == OF_FIRST)
        s.thread = 0;
    if (s.what != FINISH_STREAM || below(4) == 0)
        p->steps[p->count++] = s;
}

static void add_graph(struct program *p)
{
    int stream = below(STREAMS), nodes = 2 + below(3),
        thread = stream == OF_FIRST ? 0 : below(THREADS);
    p->steps[p->count++] = (struct act){ .what = GRAPH_BEGIN, .thread = thread };
    for (int i = 0; i < nodes; i++) {
        struct act s = { .what = GRAPH_KERNEL, .thread = thread, .at = some_bytes(below(6)),
                         .write = below(2), .ns = 1000 * (1 + below(60)),
                         .after = i > 0 && below(3) == 0 ? 1u << below(i) : 0 };
        p->steps[p->count++] = s;
    }
    p->steps[p->count++] = (struct act){ .what = GRAPH_END, .thread = thread, .stream = stream };
}

void make(struct program *p)
{
    int wanted = 6 + below(14);
    *p = (struct program){ 0 };
    for (int i = 0; i < wanted && p->count < MOST - 40; i++) {
        int begin = p->count;
        struct program saved = *p;
        if (below(10) == 0)
            add_graph(p);
        else
            p->steps[p->count++] = some_step();
        if (!put_in_order(p, begin))
            *p = saved;
        while (below(3) == 0)
            add_noise(p);
    }
}

static int hazards_of(const struct program *p, const struct without *w, struct known *k)
{
    int count = 0;
    know(k, p, w);
    for (int b = 0; b < p->count; b++)
        for (int a = 0; a < b; a++)
            count += hazard_between(k, p, a, b) > 0;
    return count;
}

bool choose_edge(const struct program *p, struct without *w, struct known *k)
{
    int nodes = 0;
    struct without all[MOST * 4];
    int count = 0, first_node = 0;
    for (int edge = 1; edge <= p->edges; edge++)
        all[count++] = (struct without){ .edge = edge };
    for (int i = 0; i < p->count; i++) {
        if (p->steps[i].what == GRAPH_BEGIN)
            first_node = i + 1;
        for (nodes = 0; p->steps[i].what == GRAPH_KERNEL && nodes < i - first_node; nodes++)
            if (p->steps[i].after >> nodes & 1)
                all[count++] = (struct without){ .node = i, .after = 1u << nodes };
    }
    while (count > 0) {
        int chosen = below(count);
        *w = all[chosen];
        if (hazards_of(p, w, k) > 0)
            return true;
        all[chosen] = all[--count];
    }
    return false;
}
