/* SPDX-License-Identifier: MIT */
/* What is known: sets of steps, one for each stream, event, host thread, lock, flag and semaphore.
 */
#include "program.h"

#include <string.h>

struct orders { set stream[STREAMS], event[EVENTS], thread[THREADS], lock[OBJECTS], flag[OBJECTS],
                semaphore[OBJECTS]; };

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

bool on_host(int buffer)
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

void know(struct known *k, const struct program *p, const struct without *w)
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
        case RECORD:
            o.event[s->event] = o.stream[s->stream] = start(&o, s->stream, s->thread);
            break;
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

int hazard_between(const struct known *k, const struct program *p, int a, int b)
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
