/* SPDX-License-Identifier: MIT */
/*
 * family - random programs about streams, whose hazards are known beforehand.
 *
 *   family SEED COUNT PLAYER     makes COUNT programs in which all that conflicts is ordered, and each once more
 *                                without one of the edges that it needs; has PLAYER (family/player.cu) do them all,
 *                                and compares what it says with what is known. Status 1: a hazard missed, or a false one.
 *   family SEED COUNT            prints the programs as one source file
 *
 * What is known comes from sets alone, one for each stream, event, host thread, lock,
 * flag and semaphore: of the operations that are over when the next one begins there. No code is
 * shared with common/trace/order/happens_before.c or vector_clocks.c. Of two accesses to a byte, one
 * of which a third one follows and stands for, either the pair or that of the
 * third is enough (trace/order/hazard.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exchange.h"
#include "trace/record/log.h"
#include "trace/order/happens_before.h"

enum { BUFFERS = 7, PINNED = 3, MANAGED = 5, PAGEABLE = 6, BYTES = 256, STREAMS = 6, EVENTS = 4, MOST = 120, THREADS = 3, OBJECTS = 2,
       OF_FIRST = 5 /* a stream of the first thread */ };
__extension__ typedef unsigned __int128 set;          /* of steps of one program */
#define ONE(i) ((set)1 << (i))

enum what { KERNEL, COPY, SET, FUNCTION, HOST, GRAPH_KERNEL, RECORD, WAIT, GRAPH_BEGIN, GRAPH_END, WORK,
            FINISH_STREAM, FINISH_EVENT, FINISH_DEVICE, MEET, STORE, LOAD, POST, TAKE, RENEW };

struct bytes { int buffer, from, to, step; };

struct act {
    enum what what;
    int thread, stream, event;
    int object;                         /* RENEW: the thread */
    struct bytes at, source;
    int write, blocking;
    unsigned after;                     /* GRAPH_KERNEL: earlier nodes */
    long long ns;
    int edge;                           /* it belongs to this edge; 0: to none */
};

struct program { struct act steps[MOST]; int count, edges; };

/* One edge that is left out: by number, or a node's dependency. */
struct without { int edge, node; unsigned after; };

static uint64_t state;
static int below(int n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int)((state >> 11) % (uint64_t)n);
}

/* ---- what is known ---- */

struct known {
    set before[MOST];
    bool acts[MOST];
    unsigned char touches[MOST][BUFFERS][BYTES];        /* 1 read, 2 written */
};

struct orders { set stream[STREAMS], event[EVENTS], thread[THREADS], lock[OBJECTS], flag[OBJECTS], semaphore[OBJECTS]; };

static bool blocking_stream(int s)
{
    return s == 1 || s == 2 || s == 5;
}

static set start(const struct orders *o, int s, int thread)
{
    set before = o->stream[s] | o->thread[thread];
    if (s == 0)
        before |= o->stream[1] | o->stream[2] | o->stream[5];
    return blocking_stream(s) ? before | o->stream[0] : before;
}

static void mark(struct known *k, int i, struct bytes b, int how)
{
    for (int at = b.from; at < b.to; at += b.step)
        k->touches[i][b.buffer][at] |= (unsigned char)how;
}

static bool on_host(int buffer)
{
    return buffer == PINNED || buffer == PINNED + 1 || buffer == PAGEABLE;
}

static bool holds_host(const struct act *s)
{
    bool to = on_host(s->at.buffer), from = on_host(s->source.buffer);
    return s->what == COPY && ((to && from) || ((to || from) && s->blocking));
}

static set everything(const struct orders *o)
{
    set all = 0;
    for (int s = 0; s < STREAMS; s++)
        all |= o->stream[s];
    return all;
}

static void know(struct known *k, const struct program *p, const struct without *w)
{
    struct orders o = { 0 };
    int first_node = 0;
    memset(k, 0, sizeof *k);
    for (int i = 0; i < p->count; i++) {
        const struct act *s = &p->steps[i];
        set *host = &o.thread[s->thread];
        if (s->edge != 0 && s->edge == w->edge)
            continue;
        switch (s->what) {
        case KERNEL: case FUNCTION: case SET: case COPY:
            k->acts[i] = true;
            k->before[i] = start(&o, s->stream, s->thread);
            o.stream[s->stream] = k->before[i] | ONE(i);
            mark(k, i, s->at, s->what == COPY || s->what == SET || s->write ? 2 : 1);
            if (s->what == COPY && s->source.buffer != PAGEABLE)
                mark(k, i, s->source, 1);
            if (holds_host(s))
                *host |= o.stream[s->stream];
            break;
        case HOST:
            k->acts[i] = true;
            k->before[i] = *host;
            mark(k, i, s->at, s->write ? 2 : 1);
            *host |= ONE(i);
            break;
        case GRAPH_BEGIN:
            first_node = i + 1;
            break;
        case GRAPH_KERNEL:
            k->acts[i] = true;
            mark(k, i, s->at, s->write ? 2 : 1);
            break;
        case GRAPH_END: {
            set begin = start(&o, s->stream, s->thread);
            for (int node = first_node; node < i; node++) {
                unsigned after = p->steps[node].after & ~(node == w->node ? w->after : 0);
                k->before[node] = after ? 0 : begin;
                for (int n = 0; n < node - first_node; n++)
                    if (after >> n & 1)
                        k->before[node] |= k->before[first_node + n] | ONE(first_node + n);
                o.stream[s->stream] |= begin | k->before[node] | ONE(node);
            }
            break;
        }
        case RECORD: o.event[s->event] = o.stream[s->stream] = start(&o, s->stream, s->thread); break;
        case WAIT: o.stream[s->stream] = start(&o, s->stream, s->thread) | o.event[s->event]; break;
        case FINISH_STREAM:
            *host |= o.stream[s->stream];
            if (s->stream == 0)
                *host |= o.stream[1] | o.stream[2] | o.stream[5];
            break;
        case FINISH_EVENT: *host |= o.event[s->event]; break;
        case FINISH_DEVICE: *host |= everything(&o); break;
        case MEET: o.lock[s->object] = *host |= o.lock[s->object]; break;
        case STORE: o.flag[s->object] |= *host; break;
        case LOAD: *host |= o.flag[s->object]; break;
        case POST: o.semaphore[s->object] |= *host; break;
        case TAKE: *host |= o.semaphore[s->object]; break;
        case RENEW: o.thread[s->object] = *host |= o.thread[s->object]; break;
        case WORK: break;
        }
    }
}

static bool unordered(const struct known *k, int a, int b)
{
    return a != b && !(k->before[a] >> b & 1) && !(k->before[b] >> a & 1);
}

static bool clash(int a, int b)
{
    return a && b && ((a | b) & 2);
}

/* Of a pair: 0 none, 1 a hazard that others may stand for, 2 one that must be named. */
static int hazard_between(const struct known *k, const struct program *p, int a, int b)
{
    int found = 0;
    if (!k->acts[a] || !k->acts[b] || !unordered(k, a, b))
        return 0;
    for (int buffer = 0; buffer < BUFFERS; buffer++)
        for (int x = 0; x < BYTES; x++) {
            if (!clash(k->touches[a][buffer][x], k->touches[b][buffer][x]))
                continue;
            bool stood_for = false;
            for (int c = 0; c < p->count && !stood_for; c++) {
                int how = k->acts[c] ? k->touches[c][buffer][x] : 0;
                for (int side = 0; side < 2 && how; side++) {
                    int one = side ? b : a, other = side ? a : b;
                    stood_for |= (k->before[c] >> one & 1) && unordered(k, c, other)
                                 && ((how & 2) || !(k->touches[one][buffer][x] & 2));
                }
            }
            if (!stood_for)
                return 2;
            found = 1;
        }
    return found;
}

/* ---- making programs ---- */

static struct bytes some_bytes(int buffer)
{
    int from = below(BYTES - 8), length = 1 + below(below(4) ? 24 : BYTES - from - 1);
    int to = from + length < BYTES ? from + length : BYTES;
    return (struct bytes){ buffer, from, to, below(3) ? 1 : 2 };
}

static struct act some_step(void)
{
    struct act s = { .what = (enum what[]){ KERNEL, KERNEL, KERNEL, COPY, COPY, SET, FUNCTION, HOST, HOST }[below(9)],
                      .thread = below(THREADS), .stream = below(STREAMS), .write = below(2), .ns = 1000 * (1 + below(60)) };
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

/* What makes all that comes at `at` in `stream` (-1: the host) by `thread` wait for what `first` has queued. */
static void insert_edge(struct program *p, int at, int first_stream, int stream, int thread)
{
    int edge = ++p->edges, event = below(EVENTS), way = below(stream < 0 ? 3 : 6);
    int by = first_stream == OF_FIRST || stream == OF_FIRST ? 0 : below(2) ? below(THREADS) : thread;
    struct act record = { .what = RECORD, .thread = by, .stream = first_stream, .event = event, .edge = edge };
    if (way < 3)
        insert_meeting(p, at, by, thread);
    if (way == 0) {
        insert(p, at, (struct act){ .what = FINISH_STREAM, .thread = by, .stream = first_stream, .edge = edge });
        return;
    }
    if (way == 1 && below(2)) {
        insert(p, at, (struct act){ .what = FINISH_DEVICE, .thread = by, .edge = edge });
        return;
    }
    bool by_host = way < 3;
    insert(p, at, by_host ? (struct act){ .what = FINISH_EVENT, .thread = by, .event = event, .edge = edge }
                          : (struct act){ .what = WAIT, .thread = by, .stream = stream, .event = event, .edge = edge });
    insert(p, at, record);
}

static int stream_of(const struct program *p, int i)
{
    while (p->steps[i].what == GRAPH_KERNEL)
        i++;
    return p->steps[i].stream;
}

/* Orders the steps from `begin` on after all before them that they conflict with. False: no room. */
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
                insert_edge(p, begin, stream_of(p, a), p->steps[i].what == HOST ? -1 : stream_of(p, i),
                            p->steps[i].thread);
            begin += p->count - before;
            i = begin;
            a = -1;
        }
    return true;
}

static void add_noise(struct program *p)
{
    struct act s = { .what = (enum what[]){ RECORD, WAIT, WORK, FINISH_STREAM }[below(4)], .thread = below(THREADS),
                      .stream = below(STREAMS), .event = below(EVENTS), .ns = 1000 * below(40) };
    if (s.stream == OF_FIRST)
        s.thread = 0;
    if (s.what != FINISH_STREAM || below(4) == 0)
        p->steps[p->count++] = s;
}

static void add_graph(struct program *p)
{
    int stream = below(STREAMS), nodes = 2 + below(3), thread = stream == OF_FIRST ? 0 : below(THREADS);
    p->steps[p->count++] = (struct act){ .what = GRAPH_BEGIN, .thread = thread };
    for (int i = 0; i < nodes; i++) {
        struct act s = { .what = GRAPH_KERNEL, .thread = thread, .at = some_bytes(below(6)), .write = below(2),
                          .ns = 1000 * (1 + below(60)), .after = i > 0 && below(3) == 0 ? 1u << below(i) : 0 };
        p->steps[p->count++] = s;
    }
    p->steps[p->count++] = (struct act){ .what = GRAPH_END, .thread = thread, .stream = stream };
}

static void make(struct program *p)
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

/* An edge without which there are hazards; false: none is needed. */
static bool choose_edge(const struct program *p, struct without *w, struct known *k)
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

/* ---- programs as text ---- */

static const char *const words[] = {
    [KERNEL] = "kernel", [COPY] = "copy", [SET] = "set", [FUNCTION] = "function", [HOST] = "host",
    [GRAPH_KERNEL] = "graph_kernel", [RECORD] = "record", [WAIT] = "wait", [GRAPH_BEGIN] = "graph_begin",
    [GRAPH_END] = "graph_end", [WORK] = "host_work", [FINISH_STREAM] = "finish_stream",
    [FINISH_EVENT] = "finish_event", [FINISH_DEVICE] = "finish_device",
    [MEET] = "meet", [STORE] = "store", [LOAD] = "load", [POST] = "post", [TAKE] = "take", [RENEW] = "renew",
};

/* Its arguments in order: i id, s stream, e event, a bytes, f source, w write, k blocking, n ns, d dependencies, o object. */
static const char *const arguments[] = {
    [KERNEL] = "isawn", [COPY] = "safk", [SET] = "sa", [FUNCTION] = "isaw", [HOST] = "aw", [GRAPH_KERNEL] = "idawn",
    [RECORD] = "es", [WAIT] = "se", [GRAPH_BEGIN] = "", [GRAPH_END] = "s", [WORK] = "n", [FINISH_STREAM] = "s",
    [FINISH_EVENT] = "e", [FINISH_DEVICE] = "", [MEET] = "o", [STORE] = "o", [LOAD] = "o", [POST] = "o", [TAKE] = "o",
    [RENEW] = "o",
};

static void print_bytes(FILE *out, struct bytes b, bool source)
{
    fprintf(out, source ? "{%d, %d, %d, %d}" : "%d %d %d %d", b.buffer, b.from, b.to, b.step);
}

static void print_step(FILE *out, int program, int id, const struct act *s, unsigned after, bool source)
{
    if (source)
        fprintf(out, "    on(%d, [] { name(%d, %d), %s(", s->thread, program, id, words[s->what]);
    else
        fprintf(out, "%d %s %d %d", s->thread, words[s->what], program, id);
    bool any = false;
    for (const char *a = arguments[s->what]; *a; a++) {
        if (*a == 'i' && !source)
            continue;                   /* it stands in front already */
        fputs(!source ? " " : any ? ", " : "", out);
        any = true;
        switch (*a) {
        case 'i': fprintf(out, "%d", id); break;
        case 's': fprintf(out, "%d", s->stream); break;
        case 'e': fprintf(out, "%d", s->event); break;
        case 'a': print_bytes(out, s->at, source); break;
        case 'f': print_bytes(out, s->source, source); break;
        case 'w': fprintf(out, "%d", s->write); break;
        case 'k': fprintf(out, "%d", s->blocking); break;
        case 'n': fprintf(out, "%lld", s->ns); break;
        case 'd': fprintf(out, "%u", after); break;
        case 'o': fprintf(out, "%d", s->object); break;
        }
    }
    fputs(source ? "); });\n" : "\n", out);
}

static void print_program(FILE *out, int number, const struct program *p, const struct without *w, bool source)
{
    for (int i = 0; i < p->count; i++)
        if (p->steps[i].edge == 0 || p->steps[i].edge != w->edge)
            print_step(out, number, i, &p->steps[i], p->steps[i].after & ~(i == w->node ? w->after : 0), source);
    print_step(out, number, p->count, &(struct act){ .what = FINISH_DEVICE }, 0, source);
    for (int thread = 0; thread < 2 * THREADS; thread++)        /* all know what all have done */
        print_step(out, number, p->count, &(struct act){ .what = MEET, .thread = thread % THREADS }, 0, source);
}

/* ---- what the player says ---- */

static void play(const char *player, FILE *script, struct timeline *t)
{
    int ends[2];
    char buffer[65536], descriptor[20];
    struct log_reader reader;
    if (pipe(ends) != 0)
        exit(2);
    pid_t child = fork();
    if (child == 0) {
        snprintf(descriptor, sizeof descriptor, "%d", ends[1]);
        setenv(EXCHANGE_LOG, descriptor, 1);
        setenv("SIM_HAZARDS", "log", 1);
        close(ends[0]);
        dup2(fileno(script), 0);
        execl(player, player, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    log_reader_init(&reader);
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        log_read(&reader, t, buffer, (size_t)n);
    log_reader_fini(&reader);
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    if (status != 0) {
        printf("# the player ended with status %#x\n", (unsigned)status);
        exit(1);
    }
}

struct place { int program, step; };

/* Of each node, by the label before its call. */
static struct place *places_of(const struct timeline *t, struct place *of_call)
{
    struct happens_before o;
    struct place now = { -1, 0 }, *places = calloc(2 * t->call_count + 1, sizeof *places);
    hb_init(&o);
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind == CALL_LABEL && c->name != 0)
            sscanf(timeline_string(t, c->name), "%d %d", &now.program, &now.step);
        of_call[i] = now;
        size_t before = o.node_count;
        hb_call(&o, c);
        for (size_t node = before; node < o.node_count; node++)
            places[node] = (struct place){ now.program, c->flags & GRAPH_NODE ? (int)c->shared : now.step };
    }
    hb_fini(&o);
    return places;
}

struct pair { int program, a, b; };

/* Is it in memory that steps are about? What the player keeps for itself its threads use in an order that is not shown. */
static bool is_of_steps(const struct timeline *t, uint64_t at)
{
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if ((c->kind == CALL_MALLOC || c->kind == CALL_COPY || c->kind == CALL_REGISTER) && at - c->dst < c->bytes)
            return true;
        if (c->kind == CALL_COPY && at - c->src < c->bytes)
            return true;
    }
    return false;
}

static int by_pair(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct pair));
}

static size_t said(const struct timeline *t, struct pair *pairs)
{
    struct place *of_call = calloc(t->call_count + 1, sizeof *of_call), *of_node = places_of(t, of_call);
    size_t count = 0;
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_HAZARD || !is_of_steps(t, c->dst))
            continue;
        uint64_t host_first = c->node == NO_NODE ? c->src_pitch : (uint64_t)c->cost;
        struct place a = c->src == NO_NODE ? of_call[host_first - 1] : of_node[c->src];
        struct place b = c->node == NO_NODE ? of_call[c->cost - 1] : of_node[c->node];
        pairs[count++] = a.step < b.step ? (struct pair){ b.program, a.step, b.step }
                                         : (struct pair){ a.program, b.step, a.step };
    }
    free(of_call);
    free(of_node);
    qsort(pairs, count, sizeof *pairs, by_pair);
    return count;
}

/* ---- comparing ---- */

struct tally { int programs, pairs, missed, wrong, between_threads; };

static void compare(struct tally *tally, int number, const struct program *p, const struct known *k,
                    const struct pair *pairs, size_t count)
{
    int missed = tally->missed, wrong = tally->wrong;
    tally->programs++;
    for (int b = 0; b < p->count; b++)
        for (int a = 0; a < b; a++) {
            struct pair pair = { number, a, b };
            int known = hazard_between(k, p, a, b);
            bool named = bsearch(&pair, pairs, count, sizeof pair, by_pair);
            tally->pairs += known == 2;
            tally->missed += known == 2 && !named;
            tally->wrong += !known && named;
            if ((known == 2 && !named) || (!known && named))
                printf("# program %d: steps %d and %d are %s\n", number, a, b, named ? "no hazard" : "a hazard");
        }
    for (size_t i = 0; i < count; i++)
        tally->wrong += pairs[i].program == number && pairs[i].b >= p->count;
    if (tally->missed > missed || tally->wrong > wrong)
        print_program(stdout, number, p, &(struct without){ 0 }, false);
}

static bool is_between_threads(const struct program *p, const struct without *w)
{
    for (int i = 0; i < p->count; i++)
        if (w->edge != 0 && p->steps[i].edge == w->edge && p->steps[i].what >= MEET)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    state = 0x9e3779b97f4a7c15u * ((uint64_t)atoll(argv[1]) + 1);
    int count = atoi(argv[2]);
    bool source = argc == 3;
    struct program *programs = calloc((size_t)count, sizeof *programs);
    struct without *without = calloc((size_t)count, sizeof *without);
    static struct known k;
    FILE *script = source ? stdout : tmpfile();
    if (source)
        puts("#include \"operations.h\"\nint main()\n{\n    begin();");
    for (int i = 0; i < count; i++) {
        do
            make(&programs[i]);
        while (!choose_edge(&programs[i], &without[i], &k));
        print_program(script, 2 * i, &programs[i], &(struct without){ 0 }, source);
        print_program(script, 2 * i + 1, &programs[i], &without[i], source);
    }
    if (source) {
        puts("    finish();\n    return 0;\n}");
        return 0;
    }
    rewind(script);

    struct timeline t;
    timeline_init(&t);
    play(argv[3], script, &t);
    struct pair *pairs = calloc(t.call_count + 1, sizeof *pairs);
    size_t pair_count = said(&t, pairs);
    struct tally ordered = { 0 }, broken = { 0 };
    for (int i = 0; i < count; i++) {
        know(&k, &programs[i], &(struct without){ 0 });
        compare(&ordered, 2 * i, &programs[i], &k, pairs, pair_count);
        know(&k, &programs[i], &without[i]);
        broken.between_threads += is_between_threads(&programs[i], &without[i]);
        compare(&broken, 2 * i + 1, &programs[i], &k, pairs, pair_count);
    }
    printf("# %d ordered programs: %d false; %d with an edge too few (%d between threads): %d hazards, %d missed, %d false\n",
           ordered.programs, ordered.wrong, broken.programs, broken.between_threads, broken.pairs, broken.missed,
           broken.wrong);
    return ordered.wrong + broken.missed + broken.wrong > 0 || broken.pairs < broken.programs / 2
           || (count >= 100 && broken.between_threads < broken.programs / 20);
}
