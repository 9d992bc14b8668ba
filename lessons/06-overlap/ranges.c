/* SPDX-License-Identifier: MIT */
/*
 * Two chunks that meet in the same bytes lack no order: one of them has a range that is not its
 * own. Which call says so: the copies' ranges are in the log, and where they are right and a kernel
 * is one of the two that met, the kernel's is wrong.
 */
#include "chunks.h"

#include <stdlib.h>

/* Where the driver's memory on the device begins, if a copy has its other end there; else 0. */
static uint64_t device_base(const struct timeline *t, uint32_t copy, uint64_t at)
{
    for (size_t i = copy; i-- > 0;)
        if (t->calls[i].kind == CALL_MALLOC && t->calls[i].status == 0 && at >= t->calls[i].dst
            && at - t->calls[i].dst < t->calls[i].bytes)
            return is_in_driver(t, &t->calls[i]) ? t->calls[i].dst : 0;
    return 0;
}

/* Two copies of one direction that move the same pixels, or one whose places on the two sides do
 * not agree. */
static bool copies_disagree(const struct view *v, struct finding *f, const struct copy *list,
                            size_t count, bool in)
{
    const struct timeline *t = v->timeline;
    const char *direction = in ? "in" : "out";
    for (size_t i = 0; i < count; i++) {
        const struct call *c = call_of_node(v, list[i].node);
        uint64_t at = in ? c->dst : c->src, base = device_base(t, t->spans[list[i].node].call, at);
        uint64_t first = (at - base) / sizeof(float);
        if (base == 0 || first == list[i].first)
            continue;
        f->call = t->spans[list[i].node].call;
        why(f,
            "This copy %s moves pixels %u to %u of `%s`, and on the device it begins at pixel %llu. A chunk's first pixel belongs in every "
            "address: in + first, device + first, out + first.",
            direction, list[i].first, list[i].end - 1, direction, (unsigned long long)first);
        return true;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            uint32_t first = list[i].first > list[j].first ? list[i].first : list[j].first;
            uint32_t end = list[i].end < list[j].end ? list[i].end : list[j].end;
            if (first >= end)
                continue;
            f->call = t->spans[list[j].node].call;
            f->looped = call_of_node(v, list[i].node)->line == call_of_node(v, list[j].node)->line
                            ? f->call
                            : 0;
            why(f,
                "Two copies %s move pixels %u to %u: that of pixels %u to %u (line %u) and that of pixels %u to %u (line %u). Each chunk has "
                "to begin where the one before it ends: look at first and count.",
                direction, first, end - 1, list[i].first, list[i].end - 1,
                call_of_node(v, list[i].node)->line, list[j].first, list[j].end - 1,
                call_of_node(v, list[j].node)->line);
            return true;
        }
    return false;
}

static bool is_kernel(const struct view *v, struct selection s, uint64_t node)
{
    const struct timeline *t = v->timeline;
    return node < t->span_count && t->spans[node].engine == ENGINE_KERNEL
           && t->spans[node].call >= s.first_call && t->spans[node].call < s.end_call;
}

/* The kernel that met another operation of the part, the first that the run has seen; ANY for none.
 */
static uint32_t kernel_met(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_HAZARD || c->src >= t->span_count || c->node >= t->span_count)
            continue;
        if (is_kernel(v, s, c->node))
            return c->node;
        if (is_kernel(v, s, c->src))
            return (uint32_t)c->src;
    }
    return ANY;
}

/* That hazard of a kernel's is with a copy in of the part, and the kernel was launched in that
 * chunk's turn: then it works on the pixels that are its own, in a stream which does not wait for
 * the copy. The copy's span; ANY: it is not so. */
static uint32_t copy_not_awaited(const struct view *v, struct selection s, const struct copy *in,
                                 size_t ins, uint32_t kernel)
{
    const struct timeline *t = v->timeline;
    size_t turn = 0;
    EACH_SPAN(node, v, s)
        turn += t->spans[node].call < t->spans[kernel].call;
    if (turn >= ins || t->spans[in[turn].node].stream == t->spans[kernel].stream)
        return ANY;
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind == CALL_HAZARD
            && ((c->node == kernel && c->src == in[turn].node)
                || (c->src == kernel && c->node == in[turn].node)))
            return in[turn].node;
    }
    return ANY;
}

void chunks_explain(const struct evidence *e, const struct check *c, struct finding *f)
{
    int slot = chunks_slot(c->part);
    if (c->kind != HAZARD || slot < SLOT_A || slot > SLOT_C)
        return;
    const struct view *v = &e->yours[f->view];
    struct copy *in, *out;
    f->function = chunks_function[slot];        /* whose loop is shown, where that is at fault */
    size_t ins = chunks_copies(e, slot, ENGINE_H2D, &in),
           outs = chunks_copies(e, slot, ENGINE_D2H, &out), kernels = 0;
    struct selection s = in_part(v, c->part, ENGINE_BIT(ENGINE_KERNEL));
    EACH_SPAN(node, v, s)
        kernels++;
    if (copies_disagree(v, f, in, ins, true) || copies_disagree(v, f, out, outs, false)) {
        f->sure = true;
    } else if (kernels == ins && kernels == outs && kernel_met(v, s) != ANY) {
        uint32_t node = kernel_met(v, s);
        f->call = v->timeline->spans[node].call;
        f->sure = true;
        uint32_t copy = copy_not_awaited(v, s, in, ins, node);
        if (copy != ANY)
            why(f,
                "This launch works on the pixels of the copy in of line %u, but in another stream, which does not wait for that copy. Put the "
                "three operations of a chunk in one stream.",
                call_of_node(v, copy)->line);
        else
            why(f,
            "Each copy moves its own chunk's pixels. It is a launch of brighten() that works on another chunk's. Its arguments are where the "
            "image begins on the device, the chunk's first pixel and how many it has: (device, first, count).");
    }
    free(in);
    free(out);
}
