/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A chunk is known by its pixels: a copy's place in the host buffers says which
 * it moves, whatever device memory, stream or order it uses. Kernels' arguments
 * are in no log, so a chunk's kernel is any that its copy out waits for and
 * that waits for its copy in; that it worked on the right pixels, the output
 * says.
 */
#include "chunks.h"

#include <stdlib.h>

const char *const chunks_function[] = { "depth_first()", "breadth_first()", "pipeline()" };
static const char *const chunks_part[] = { "a", "b", "c" };

uint32_t chunks_pixels(const struct evidence *e, int slot)
{
    size_t bytes;
    exchange_input(e->exchange, slot, &bytes);
    return (uint32_t)(bytes / sizeof(float));
}

/* ---- the timeline: what moved which pixels ---- */

bool chunks_moves(const struct span *span, const struct call *c, enum engine engine)
{
    return c->kind == CALL_COPY
           && (span->engine == engine
               || (engine == ENGINE_H2D ? c->src_kind : c->dst_kind) == MEM_MANAGED);
}

size_t chunks_copies(const struct evidence *e, int slot, enum engine engine, struct copy **out)
{
    const struct timeline *t = e->yours[0].timeline;
    const struct buffers *where = exchange_output(e->exchange, SLOT_BUFFERS, NULL);
    uint64_t base = engine == ENGINE_H2D ? where[slot].in : where[slot].out;
    uint64_t size = chunks_pixels(e, slot) * sizeof(float);
    struct selection s = in_part(&e->yours[0], chunks_part[slot], 0);
    size_t count = 0;
    *out = calloc(t->span_count + 1, sizeof **out);
    for (uint32_t node = 0; *out && node < t->span_count; node++) {
        const struct span *span = &t->spans[node];
        const struct call *c = &t->calls[span->call];
        uint64_t at = engine == ENGINE_H2D ? c->src : c->dst;
        if (span->call < s.first_call || span->call >= s.end_call || !chunks_moves(span, c, engine)
            || at < base || at - base >= size || c->bytes < sizeof(float))
            continue;
        uint64_t end = at - base + (c->bytes < size ? c->bytes : size);
        (*out)[count++] = (struct copy){
            node, (uint32_t)((at - base) / sizeof(float)),
            (uint32_t)((end < size ? end : size) / sizeof(float)),
        };
    }
    return count;
}

/* ---- the judges ---- */

static uint64_t buffer_base(const struct evidence *e, int slot, enum engine engine)
{
    const struct buffers *where = exchange_output(e->exchange, SLOT_BUFFERS, NULL);
    return engine == ENGINE_H2D ? where[slot].in : where[slot].out;
}

/* The call that pinned a part of the host buffer which begins at `base`, before call `c`; NULL for
 * none. */
static const struct call *registered_part(const struct timeline *t, const struct call *c,
                                          uint64_t base, uint64_t size)
{
    while (c-- > t->calls)
        if (c->kind == CALL_REGISTER && c->status == 0 && c->dst < base + size
            && base < c->dst + c->bytes)
            return c;
    return NULL;
}

bool chunks_pinned(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;                 /* one function makes the buffers of all */
    for (int slot = SLOT_A; slot <= SLOT_C; slot++)
        for (enum engine engine = ENGINE_H2D; engine <= ENGINE_D2H; engine++) {
            struct copy *list;
            size_t count = chunks_copies(e, slot, engine, &list);
            const struct timeline *t = e->yours[0].timeline;
            const struct call *c = NULL;
            unsigned kind = MEM_NONE;
            for (size_t i = 0; i < count && !c; i++) {
                const struct call *made = &t->calls[t->spans[list[i].node].call];
                kind = engine == ENGINE_H2D ? made->src_kind : made->dst_kind;
                if (kind == MEM_PAGEABLE || kind == MEM_MANAGED)
                    c = made;
            }
            free(list);
            if (!c)
                continue;
            f->call = (uint32_t)(c - t->calls);
            expected(f, "the host buffers of all copies are pinned memory");
            seen(f, "the copy %s of part %s %s %s memory", engine == ENGINE_H2D ? "in" : "out",
                 chunks_part[slot], engine == ENGINE_H2D ? "reads" : "writes",
                 kind == MEM_MANAGED ? "managed" : "pageable");
            uint64_t base = buffer_base(e, slot, engine);
            const struct call *pinned =
                registered_part(t, c, base, chunks_pixels(e, slot) * sizeof(float));
            if (pinned && pinned->dst >= base)
                return why(f,
                           "%s() pins %llu bytes from the buffer's byte %llu on (line %u), and this copy reaches beyond them. A copy engine can "
                           "reach only the pinned bytes. The size is in bytes: n * sizeof(float).",
                           timeline_string(t, pinned->name), (unsigned long long)pinned->bytes,
                           (unsigned long long)(pinned->dst - base), pinned->line);
            if (kind == MEM_MANAGED)
                return why(f,
                           "Managed memory moves between host and device, a few pages at a time, when one of the two touches it. A "
                           "copy engine needs a host buffer that stays where it is. Let host_buffer() allocate with "
                           "cudaMallocHost().");
            return why(f,
                       "A copy engine cannot reach pageable memory, which the system may move at any time. The driver copies it "
                       "through a buffer of its own, and the host has to help. Let host_buffer() allocate with cudaMallocHost().");
        }
    const struct view *v = &e->yours[0];
    EACH_SPAN(node, v, in_part(v, SMALL_PART, ENGINE_BIT(ENGINE_H2D))) {
        if (call_of_node(v, node)->src_kind != MEM_PAGEABLE
            && call_of_node(v, node)->src_kind != MEM_MANAGED)
            continue;
        f->function = "host_buffer";
        f->word = "malloc";
        f->sure = true;
        expected(f, "all host buffers are pinned memory");
        seen(f, "one of %d floats is not", SMALL_BUFFER);
        return why(f,
                   "The buffers of the three images are. What a copy engine can reach does not depend on a buffer's size.");
    }
    return takes_what_is_asked(v, f, in_part(v, SMALL_PART, 0), SMALL_BUFFER * sizeof(float));
}

/* Does another copy of the list move some of the same pixels? Then an offset or a count is wrong,
 * and what meets there says nothing of a chunk's order: the pixels' own checks tell. */
static bool moved_twice(const struct copy *list, size_t count, size_t i)
{
    for (size_t other = 0; other < count; other++)
        if (other != i && list[other].first < list[i].end && list[i].first < list[other].end)
            return true;
    return false;
}

/* The part's first copy that reads `out`; ANY: none. */
static uint32_t copy_from_out(const struct evidence *e, int slot)
{
    const struct view *v = &e->yours[0];
    uint64_t base = buffer_base(e, slot, ENGINE_D2H), size = chunks_pixels(e, slot) * sizeof(float);
    struct selection s = in_part(v, chunks_part[slot], 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_COPY && c->status == 0 && c->src >= base && c->src - base < size)
            return (uint32_t)i;
    }
    return ANY;
}

bool chunks_in_order(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = chunks_slot(part);
    const struct view *v = &e->yours[0];
    struct copy *in, *out;
    struct chain *k;
    size_t ins = chunks_copies(e, slot, ENGINE_H2D, &in),
           outs = chunks_copies(e, slot, ENGINE_D2H, &out);
    size_t count = chains_of(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), &k);
    const struct copy *bad_in = NULL, *bad_out = NULL;
    for (size_t i = 0; i < outs && !bad_out; i++)
        for (size_t j = 0; j < ins && !bad_out; j++)
            if (in[j].first < out[i].end && out[i].first < in[j].end
                && !chain_between(v->order, k, count, in[j].node, out[i].node)
                && !moved_twice(in, ins, j) && !moved_twice(out, outs, i))
                bad_in = &in[j], bad_out = &out[i];
    uint32_t backward = outs ? ANY : copy_from_out(e, slot);
    if (backward != ANY) {
        f->call = backward;
        expected(f, "copies from the device into `out`");
        seen(f, "none in part %s; this copy reads `out`", part);
        why(f,
            "It goes the other way, from `out` to the device. The first argument is where the bytes go, the second where they come from: out + "
            "first, device + first and cudaMemcpyDeviceToHost.");
    } else if (!outs) {
        expected(f, "copies from the device into `out`");
        seen(f, "none in part %s", part);
        why(f,
            "The brightened pixels have to travel back, with cudaMemcpyAsync() and cudaMemcpyDeviceToHost.");
        f->word = "cudaMemcpyAsync";
        f->function = chunks_function[slot];
    } else if (bad_out) {
        f->call = v->timeline->spans[bad_out->node].call;
        expected(f,
                 "for pixels %u to %u: copy in, then the kernel, then copy out, each bound to wait for the one "
                 "before",
                 bad_out->first, bad_out->end - 1);
        seen(f,
             "no kernel waits for the copy in (line %u) and is waited for by the copy out (line %u)",
             call_of_node(v, bad_in->node)->line, call_of_node(v, bad_out->node)->line);
        size_t launches;
        kernel_named(v, in_part(v, part, 0), "brighten", &launches);
        if (launches < ins) {
            f->call = ANY;
            f->function = chunks_function[slot];
            f->word = "brighten";
            why(f,
                "For %zu copies in there are %zu launches of brighten(): is one of them for these pixels? Each chunk needs a launch of its own, "
                "between its copy in and its copy out.",
                ins, launches);
        } else
            why_unchained(
            v, f, k, count, bad_in->node, "the copy in", bad_out->node, "the copy out",
            "Nothing orders two streams. If the result is right nevertheless, that was luck. Put the three operations of a "
            "chunk in one stream, in this order, or record an event after one and let the next one's stream wait for it "
            "(cudaStreamWaitEvent).");
    }
    bool ok = outs && !bad_out;
    free(in);
    free(out);
    free(k);
    return ok;
}

bool chunks_waited(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = chunks_slot(part);
    const struct view *v = &e->yours[0];
    size_t end = in_part(v, part, 0).end_call;
    struct copy *out;
    size_t outs = chunks_copies(e, slot, ENGINE_D2H, &out), missing = 0, first = 0;
    for (size_t i = 0; i < outs; i++)
        if (!hb_before_call(v->order, out[i].node, v->timeline->calls, end, GUARANTEED)
            && !missing++)
            first = i;
    if (missing) {
        f->call = v->timeline->spans[out[first].node].call;
        expected(f, "when %s returns, all of `out` has arrived", chunks_function[slot]);
        seen(f,
             "it returns without having waited for %zu of %zu copies out; the first is that of pixels %u to %u",
             missing, outs, out[first].first, out[first].end - 1);
        why_unwaited(v, f, out[first].node, end,
                     "cudaMemcpyAsync() only queues the copy, and cudaStreamDestroy() does not wait. Wait "
                     "for every stream with cudaStreamSynchronize() before you return.");
    }
    free(out);
    return !missing;
}
