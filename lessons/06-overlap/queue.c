/* SPDX-License-Identifier: MIT */
/*
 * Parts a and b: is the image cut as asked, and queued in the order asked? The order of the calls
 * tells. Operations of a graph, and those that several host threads queue, have none: they are
 * counted.
 */
#include "chunks.h"

#include <stdio.h>
#include <stdlib.h>

/* The copies of a part, each kind in the order of issue, and its kernels. */
struct queued {
    const struct view *v;
    struct copy *in, *out;
    uint32_t kernel[STREAMS], last_kernel;
    size_t ins, outs, kernels;  /* how many there are; `kernel` has the first STREAMS of them */
};

static uint32_t call_of(const struct queued *q, uint32_t node)
{
    return q->v->timeline->spans[node].call;
}

static unsigned line_of(const struct queued *q, uint32_t node)
{
    return call_of_node(q->v, node)->line;
}

static bool share_pixels(struct copy a, struct copy b)
{
    return a.first < b.end && b.first < a.end;
}

static bool counted(const struct queued *q, struct finding *f)
{
    if (q->ins == STREAMS && q->outs == STREAMS)
        return true;
    expected(f, "the image goes in STREAMS chunks: %d copies in and %d copies out", STREAMS,
             STREAMS);
    seen(f, "%zu in, %zu out", q->ins, q->outs);
    if (q->ins > 0 && q->outs > 0)
        f->call = call_of(q, q->ins != STREAMS ? q->in[0].node : q->out[0].node);
    return why(f,
               "Chunk k begins at pixel k * n / STREAMS and ends where chunk k + 1 begins, for k from 0 to STREAMS - 1. How many chunks "
               "there are is yours to choose in part c.");
}

/* One thread queues everything, and not as a graph. */
static bool has_an_order(const struct queued *q, const char *part)
{
    struct selection s = in_part(q->v, part, ENGINES_DEVICE);
    uint32_t first = next_span(q->v, s, 0);
    EACH_SPAN(node, q->v, s)
        if (call_of_node(q->v, node)->flags & GRAPH_NODE
            || call_of_node(q->v, node)->thread != call_of_node(q->v, first)->thread)
            return false;
    return true;
}

/* `early` is queued before `late`, and ought not to be. */
static bool is_early(const struct queued *q, struct finding *f, uint32_t early,
                     const char *early_name, uint32_t late, const char *late_name,
                     const char *order)
{
    f->call = call_of(q, early);
    seen(f, "%s (line %u) is queued before %s (line %u)", early_name, line_of(q, early), late_name,
         line_of(q, late));
    return why(f, "%s", order);
}

static bool by_chunk(const struct queued *q, struct finding *f)
{
    expected(f, "all of one chunk is queued before the next one");
    for (size_t i = 0; i < STREAMS; i++)
        for (size_t j = 0; j < STREAMS; j++)
            for (size_t k = 0; k < 2 * STREAMS && share_pixels(q->in[i], q->out[j]); k++) {
                struct copy other = k < STREAMS ? q->in[k] : q->out[k - STREAMS];
                uint32_t at = call_of(q, other.node);
                if (share_pixels(other, q->in[i]) || at < call_of(q, q->in[i].node)
                    || at > call_of(q, q->out[j].node))
                    continue;
                char early[64], late[64];
                snprintf(early, sizeof early, "the copy %s of pixels %u to %u",
                         k < STREAMS ? "in" : "out", other.first, other.end - 1);
                snprintf(late, sizeof late, "the copy out of pixels %u to %u", q->out[j].first,
                         q->out[j].end - 1);
                return is_early(q, f, other.node, early, q->out[j].node, late,
                                "Depth first is one loop over the chunks. In each round it queues the copy in, brighten() and the copy out of "
                                "that chunk.");
            }
    return true;
}

static bool by_kind(const struct queued *q, struct finding *f)
{
    static const char order[] =
        "Breadth first is three loops over the same chunks: the first queues all copies in, the second all kernels, "
        "the third all copies out.";
    if (q->kernels == 0)
        return true;
    if (q->kernels < STREAMS) {
        f->call = call_of(q, q->kernel[0]);
        expected(f, "brighten() is launched for each of the %d chunks", STREAMS);
        seen(f, "%zu %s for all of them", q->kernels, q->kernels == 1 ? "launch" : "launches");
        return why(f,
                   "A launch that has pixels of several chunks waits for the copies in of all of them, and their copies out wait for it: "
                   "none of these copies can overlap it. %s",
                   order);
    }
    uint32_t first_kernel = q->kernel[0], last_kernel = q->last_kernel;
    expected(f,
             "all copies in are queued before the first kernel, and all kernels before the first copy out");
    if (call_of(q, q->in[STREAMS - 1].node) > call_of(q, first_kernel))
        return is_early(q, f, first_kernel, "brighten()", q->in[STREAMS - 1].node,
                        "the last copy in", order);
    if (call_of(q, q->out[0].node) < call_of(q, last_kernel))
        return is_early(q, f, q->out[0].node, "the first copy out", last_kernel,
                        "the last brighten()", order);
    for (size_t k = 0; k < STREAMS && q->kernels == STREAMS; k++)
        if (!share_pixels(q->in[k], q->out[k])
            || !hb_before(q->v->order, q->in[k].node, q->kernel[k], GUARANTEED)
            || !hb_before(q->v->order, q->kernel[k], q->out[k].node, GUARANTEED)) {
            bool copy = hb_before(q->v->order, q->in[k].node, q->kernel[k], GUARANTEED);
            f->call = call_of(q, copy ? q->out[k].node : q->kernel[k]);
            expected(f, "each of the three loops takes the chunks in the same order");
            seen(f,
                 "of the copies in, number %zu is that of pixels %u to %u; of the %s, number %zu is another chunk's",
                 k + 1, q->in[k].first, q->in[k].end - 1, copy ? "copies out" : "kernels", k + 1);
            return why(f,
                       "On some cards all copies share a queue. There a copy out that waits for a late kernel holds up the copies after it.");
        }
    return true;
}

/* A copy in needs nothing that another chunk does. */
static bool apart(const struct queued *q, struct finding *f, const char *part)
{
    struct selection s = in_part(q->v, part, ENGINE_BIT(ENGINE_KERNEL) | ENGINE_BIT(ENGINE_D2H));
    const struct span *spans = q->v->timeline->spans;
    for (size_t i = 0; i < STREAMS; i++)
        EACH_SPAN(node, q->v, s) {
            uint32_t copy = q->in[i].node, wait;
            if (spans[node].stream == spans[copy].stream
                || !hb_before(q->v->order, node, copy, GUARANTEED)
                || (wait = stream_wait_between(q->v, s, node, copy)) == ANY)
                continue;
            f->call = wait;
            expected(f, "no copy in waits for another chunk's kernel or copy out");
            seen(f, "the copy in of pixels %u to %u (line %u) is bound to wait for %s",
                 q->in[i].first, q->in[i].end - 1, line_of(q, copy), node_name(q->v, node).text);
            return why(f,
                       "This wait makes one chunk wait for another. Each chunk has pixels of its own, in `in`, on the device and in `out`: its "
                       "copy in needs nothing that another chunk does.");
        }
    return true;
}

bool chunks_queued(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = chunks_slot(part);
    struct queued q = { .v = &e->yours[0] };
    q.ins = chunks_copies(e, slot, ENGINE_H2D, &q.in);
    q.outs = chunks_copies(e, slot, ENGINE_D2H, &q.out);
    struct selection s = in_part(q.v, part, ENGINE_BIT(ENGINE_KERNEL));
    EACH_SPAN(node, q.v, s) {
        if (q.kernels < STREAMS)
            q.kernel[q.kernels] = node;
        q.last_kernel = node;
        q.kernels++;
    }
    bool ok = counted(&q, f)
              && (!has_an_order(&q, part)
                  || ((slot == SLOT_A ? by_chunk(&q, f) : by_kind(&q, f)) && apart(&q, f, part)));
    free(q.in);
    free(q.out);
    return ok;
}
