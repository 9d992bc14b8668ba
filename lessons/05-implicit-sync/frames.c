/* SPDX-License-Identifier: MIT */
/*
 * Judges of part (b): every frame is developed, in an order that is guaranteed, and handed over
 * when it is there.
 *
 * DESIGN
 * A frame's operations are known by the memory that they name. Whatever fills device memory has to
 * come before a kernel, and that before whatever reads it or fills it again; kernels' arguments are
 * in no log, so any kernel will do, and the output says whether it was the right one.
 */
#include <stdlib.h>

#include "judges.h"

/* ---- the work ---- */

/* Fewer threads than BLOCKS blocks of THREADS have do a frame's work one after the other; more
 * blocks leave no room for other lanes, which lanes_width() says. */
static bool grids_are_given(const struct view *v, struct finding *f, const char *part)
{
    struct selection s = in_part(v, part, 0);
    EACH_KERNEL(node, v, s, "develop_frame") {
        const struct call *c = call_of_node(v, node);
        unsigned long long threads = c->block[0] * c->block[1] * c->block[2],
                           blocks = v->timeline->spans[node].blocks;
        if (c->kind != CALL_LAUNCH || threads * blocks >= FRAME_BLOCKS * FRAME_THREADS)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "develop_frame() has BLOCKS blocks of THREADS: %d threads in all",
                 FRAME_BLOCKS * FRAME_THREADS);
        seen(f, "%llu %s of %llu threads", blocks, blocks == 1 ? "block" : "blocks", threads);
        return why(f,
                   "The first launch parameter is BLOCKS, the second THREADS, the fourth the lane's stream.");
    }
    return true;
}

bool frames_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct sizes *sizes = sizes_of(e);
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    int64_t launches = 0, handed = 0, bytes = sizes->n * sizes->count * (int64_t)sizeof(uint32_t),
            back = 0;
    EACH_KERNEL(node, v, s, "develop_frame")
        launches++;
    s.engines = ENGINE_BIT(ENGINE_D2H);
    EACH_SPAN(node, v, s)
        back += (int64_t)v->timeline->spans[node].bytes;
    bool in_turn = true;
    for (size_t call = s.first_call; call < s.end_call; call++)
        if (label_number(v, call, HAND_OVER) >= 0)
            in_turn &= label_number(v, call, HAND_OVER) == handed++;
    if (launches == sizes->count && back == bytes && handed == sizes->count && in_turn)
        return grids_are_given(v, f, part);
    expected(f, "%lld frames: each developed once, copied back once, handed over once and in turn",
             (long long)sizes->count);
    seen(f,
         "%lld launches of develop_frame(), %lld of %lld bytes copied back, %lld frames handed over%s",
         (long long)launches, (long long)back, (long long)bytes, (long long)handed,
         in_turn ? "" : ", out of turn");
    f->function = "develop()";
    f->word = launches != sizes->count ? "develop_frame" : "hand_over";
    if (launches == sizes->count && back != bytes && blame_copies(v, f, s, "develop()"))
        return false;
    if (launches == sizes->count && back == bytes && in_turn && handed > 0
        && handed < sizes->count) {
        f->sure = true;
        return why(f,
                   "hand_over() is not called for frame %lld. When the last frame is queued, others are still under way: the loop goes on "
                   "until each of them has been waited for and handed over.",
                   (long long)handed);
    }
    if (launches == sizes->count && back == bytes && handed == sizes->count)
        return why(f,
                   "All of the work is done, but the frames are not handed over in their order: frame 0 first, then frame 1, and so on. One thread is "
                   "enough to queue frames and to hand them over.");
    return why(f, "Take the waits away, not the work%s.",
               launches == 0 ? ": nothing launches develop_frame()"
               : handed == 0 ? ": nothing calls hand_over()"
                             : "");
}

/* ---- the order ---- */

uint64_t filled(const struct view *v, uint32_t node)
{
    const struct span *span = &v->timeline->spans[node];
    return span->engine == ENGINE_H2D || span->engine == ENGINE_MEMSET ? call_of_node(v, node)->dst
                                                                       : 0;
}

uint64_t emptied(const struct view *v, uint32_t node)
{
    const struct span *span = &v->timeline->spans[node];
    return span->engine == ENGINE_D2H || span->engine == ENGINE_D2D ? call_of_node(v, node)->src
                                                                    : 0;
}

/* The last call of this kind about the memory at `place` between two calls, ANY for none. */
static uint32_t last_about(const struct view *v, enum call_kind kind, uint64_t place, size_t first,
                           size_t then)
{
    uint32_t found = ANY;
    for (size_t call = first; call < then; call++)
        if (v->timeline->calls[call].kind == kind && v->timeline->calls[call].dst == place)
            found = (uint32_t)call;
    return found;
}

/* A copy inside the device into memory that is itself copied on: it brings what a kernel is to
 * begin with. */
static bool fills_from_device(const struct view *v, struct selection s, uint32_t node)
{
    if (v->timeline->spans[node].engine != ENGINE_D2D)
        return false;
    EACH_SPAN(on, v, s)
        if (emptied(v, on) == call_of_node(v, node)->dst)
            return true;
    return false;
}

/* Is the kernel launched next after that operation, or last before it, in its stream? */
static bool has_kernel(const struct view *v, struct selection s, uint32_t node, bool after)
{
    uint32_t nearest = ANY;
    EACH_KERNEL(k, v, s, "develop_frame")
        if (after ? k > node && nearest == ANY : k < node)
            nearest = k;
    return nearest != ANY && v->timeline->spans[nearest].stream == v->timeline->spans[node].stream;
}

/* Do both nodes use the same memory, each with a kernel of its own stream? */
static bool are_two_lanes(const struct view *v, struct selection s, uint32_t first, uint32_t then)
{
    const struct span *spans = v->timeline->spans;
    uint64_t place = filled(v, first) ? filled(v, first) : emptied(v, first);
    return spans[first].stream != spans[then].stream && place && place == filled(v, then)
           && has_kernel(v, s, first, filled(v, first)) && has_kernel(v, s, then, true);
}

/* The kernel after which, in the same stream and right after it, `fills` fills the memory: what it
 * has made is gone. ANY: it is not so. */
static uint32_t kernel_overwritten(const struct view *v, struct selection s, uint32_t fills)
{
    const struct span *spans = v->timeline->spans;
    uint32_t last = ANY;
    for (uint32_t node = next_span(v, s, 0); node != ANY && node < fills;
         node = next_span(v, s, node + 1))
        if (spans[node].stream == spans[fills].stream)
            last = node;
    return last != ANY && spans[last].engine == ENGINE_KERNEL ? last : ANY;
}

/* From pageable memory the old number mostly arrives, because the call has taken it by then;
 * nothing promises that (chapter 02). A frame's pieces are each in a place of their own, so of two
 * small copies from one place the second brings what was written there since the first. */
static bool sources_stay(const struct view *v, struct finding *f, const char *part, uint64_t frame)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    EACH_SPAN(node, v, s) {
        const struct call *c = call_of_node(v, node);
        if (c->src_kind != MEM_PAGEABLE || c->bytes >= frame)
            continue;
        for (uint32_t then = next_span(v, s, node + 1); then != ANY;
             then = next_span(v, s, then + 1)) {
            const struct call *next = call_of_node(v, then);
            uint32_t call = v->timeline->spans[then].call;
            if (next->src_kind != MEM_PAGEABLE || next->bytes >= frame
                || next->src >= c->src + c->bytes || c->src >= next->src + next->bytes
                || hb_before_call(v->order, node, v->timeline->calls, call, GUARANTEED))
                continue;
            f->call = call;
            expected(f, "what a copy reads stays as it is until the host has waited for that copy");
            seen(f,
                 "this copy and %s, of an earlier frame, read the same %llu bytes of pageable memory, and nothing has waited for that one",
                 node_name(v, node).text, (unsigned long long)next->bytes);
            return why(f,
                       "The earlier frame's number was overwritten, or its variable had ended, before the copy was bound to be done. That the "
                       "call had taken the number by then is a habit, which nothing promises (lesson 02, \"The queue holds addresses\"). "
                       "Copy from memory that stays: &f->gain[k], which is pinned.");
        }
    }
    return true;
}

bool frames_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    struct chain *kernels;
    size_t count = chains_of(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), &kernels);
    uint32_t first = ANY, then = ANY, freed = ANY;
    bool kernel_between = true, chained = true;
    for (uint32_t node = next_span(v, s, 0); node != ANY && then == ANY;
         node = next_span(v, s, node + 1)) {
        uint64_t place = filled(v, node) ? filled(v, node) : emptied(v, node);
        /* The latest one before it that filled this memory, or read it where this one fills. */
        for (uint32_t before = node;
             place && before-- > 0 && v->timeline->spans[before].call >= s.first_call;) {
            bool fills = filled(v, before) == place,
                 reads = filled(v, node) && emptied(v, before) == place;
            if ((!fills && !reads) || !(ENGINE_BIT(v->timeline->spans[before].engine) & s.engines))
                continue;
            /* What comes after memory was given back is other memory. */
            size_t filled_at = v->timeline->spans[before].call,
                   used_at = v->timeline->spans[node].call;
            freed = last_about(v, CALL_FREE, place, filled_at, used_at);
            if (freed != ANY) {
                if (last_about(v, CALL_MALLOC, place, freed, used_at) == ANY)
                    first = before, then = node;
                break;
            }
            kernel_between = fills;
            chained = fills && !fills_from_device(v, s, node);
            if (chained ? !chain_between(v->order, kernels, count, before, node)
                        : !hb_before(v->order, before, node, GUARANTEED))
                first = before, then = node;
            break;
        }
    }
    if (then == ANY || freed != ANY)
        free(kernels);
    if (then == ANY)
        return sources_stay(v, f, part, (uint64_t)sizes_of(e)->n * sizeof(uint32_t));
    f->call = v->timeline->spans[then].call;
    if (freed != ANY) {
        expected(f, "a buffer is freed after everything that uses it is queued");
        seen(f, "this uses memory that line %u has freed", v->timeline->calls[freed].line);
        return why(f,
                   "cudaFreeAsync() takes its turn in the stream like any other work, and from there on the memory may be handed to "
                   "another allocation. Free it after the last copy.");
    }
    expected(
        f,
        kernel_between
            ? "in a lane: memory is filled, a kernel uses it, and only then is it read or filled again"
            : "a buffer is filled again when the copies out of it are done");
    seen(f,
         kernel_between ? "no kernel waits for %s and is waited for by %s"
                        : "nothing orders %s before %s",
         node_name(v, first).text, node_name(v, then).text);
    const char *otherwise =
        "The calls of one frame belong in one stream, the lane's. Then their order needs no wait. In two streams the "
        "order is luck.";
    if (are_two_lanes(v, s, first, then))
        why(f,
            "Two lanes use the same memory here, and each has a stream of its own. A lane needs a buffer of its own, and a gain of its own: "
            "lane_gain[number].");
    else if (chained && kernel_overwritten(v, s, first) != ANY) {
        f->call = v->timeline->spans[first].call;
        why(f,
            "This fills the memory after %s, and what the kernel has made there is lost. Fill it before the kernel is launched.",
            node_name(v, kernel_overwritten(v, s, first)).text);
    } else if (chained)
        why_unchained(v, f, kernels, count, first, "what fills the memory", then,
                      "what reads or fills it next", "%s", otherwise);
    else
        why_unordered(v, f, first, "the copy out", then, "what fills the memory again", "%s",
                      otherwise);
    free(kernels);
    return false;
}

/* A copy into the memory of copy `node`, of another stream, that the host has waited for when it
 * makes that call; ANY for none. */
static uint32_t waited_into(const struct view *v, struct selection s, uint32_t node, size_t call)
{
    const struct span *spans = v->timeline->spans;
    for (uint32_t own = next_span(v, s, 0); own != ANY && spans[own].call < call;
         own = next_span(v, s, own + 1))
        if (call_of_node(v, own)->dst == call_of_node(v, node)->dst
            && spans[own].stream != spans[node].stream
            && hb_before_call(v->order, own, v->timeline->calls, call, GUARANTEED))
            return own;
    return ANY;
}

/* An earlier copy into the same memory, in the same stream, that the host has waited for by then:
 * the frame was there, and copy `node` of the lane's next one was queued before it was handed over.
 * ANY: there is none. */
static uint32_t arrived_before(const struct view *v, struct selection s, uint32_t node, size_t call)
{
    const struct span *spans = v->timeline->spans;
    uint32_t last = ANY;
    for (uint32_t own = next_span(v, s, 0); own != ANY && spans[own].call < spans[node].call;
         own = next_span(v, s, own + 1))
        if (call_of_node(v, own)->dst == call_of_node(v, node)->dst
            && spans[own].stream == spans[node].stream)
            last = own;
    return last != ANY && hb_before_call(v->order, last, v->timeline->calls, call, GUARANTEED)
               ? last
               : ANY;
}

bool frames_handed(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const uint64_t *place = exchange_output(e->exchange, OUT_PLACES, NULL);
    const struct sizes *sizes = sizes_of(e);
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    for (size_t call = s.first_call; call < s.end_call; call++) {
        long frame = label_number(v, call, HAND_OVER);
        if (frame < 0 || frame >= sizes->count)
            continue;
        uint64_t from = place[frame], to = from + (uint64_t)sizes->n * sizeof(uint32_t);
        EACH_SPAN(node, v, s) {
            const struct call *c = call_of_node(v, node);
            if (v->timeline->spans[node].call > call || c->dst >= to || c->dst + c->bytes <= from
                || hb_before_call(v->order, node, v->timeline->calls, call, GUARANTEED))
                continue;
            blame_label(f, call, v->timeline->spans[node].call);
            expected(f, "a frame is handed over when its copy back is done");
            seen(f,
                 "frame %ld is handed over, and nothing has waited for the copy of line %u into its memory",
                 frame, c->line);
            uint32_t own = waited_into(v, s, node, call);
            if (own != ANY) {
                f->call = ANY;      /* where the memory is handed over nothing is wrong */
                f->instead = 0;
                f->function = "open_lane";
                f->word = "->result";
                return why(f,
                           "The copy of line %u into the same memory, in another stream, has been waited for; this one brings another lane's frame "
                           "there. Each lane needs a `result` of its own.",
                           call_of_node(v, own)->line);
            }
            if (arrived_before(v, s, node, call) != ANY) {
                seen(f,
                     "frame %ld had arrived, and the lane's next copy into the same memory (line %u) was queued before it is handed over",
                     frame, c->line);
                f->sure = true;
                return why(f,
                           "The wait is there. But what is queued into `result` after it may overwrite the frame while hand_over() reads "
                           "it. First hand over, then queue the lane's next frame.");
            }
            return why_unwaited(v, f, node, call,
                                "One wait is needed before this: hand_over() reads what the copy brings. Wait for the "
                                "lane's stream with cudaStreamSynchronize(), or for an event recorded after the copy with "
                                "cudaEventSynchronize(), and for nothing else.");
        }
    }
    s.engines = ENGINES_DEVICE;
    EACH_SPAN(node, v, s)
        if (!hb_before_call(v->order, node, v->timeline->calls, s.end_call, GUARANTEED)) {
            struct selection own = s;
            own.first_call = f->call = v->timeline->spans[node].call;
            own.end_call = f->call + 1;
            bool in_default = in_default_stream(v, own) != ANY;
            expected(f, "when develop() returns, all is done");
            seen(f, "nothing has waited for %s", node_name(v, node).text);
            if (in_default)
                return why(f,
                           "This is in the default stream, which nothing waits for at the end. Put it into the lane's stream: "
                           "that is waited for before its frame is handed over.");
            return why_unwaited(v, f, node, s.end_call,
                                "Wait for each lane's stream once at the end.");
        }
    return true;
}
