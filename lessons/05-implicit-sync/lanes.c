/* SPDX-License-Identifier: MIT */
/* The judge of part (b)'s overlap: as many frames at once as the reference solution develops on the
 * same card, and otherwise the call that makes one lane wait for another. */
#include <string.h>

#include "judges.h"

#define WIDTH_PERMILLE 900      /* of the reference's, on the same card */

#define OF_ALL_LANES "This is about all blocking streams, every lane's among them: the default stream counts as done only when " \
    "they all are. Name the lane's stream."

/* Calls that wait for more than they need, with the cure. */
static const struct culprit {
    const char *name;           /* of the call */
    const char *cure;
} culprits[] = {
    { "cudaFree",
      "cudaFree() waits for the whole device. Allocate once, outside the loop, or take the memory from the stream: "
      "cudaMallocAsync() and cudaFreeAsync()." },
    { "cudaFreeHost",
      "cudaFreeHost() waits for the whole device. Allocate once, outside the loop." },
    { "cudaHostUnregister",
      "cudaHostUnregister() waits for the whole device. Pin the memory once, outside the loop." },
    { "cudaMemset",
      "cudaMemset() goes to the default stream, which waits for every lane and makes every lane wait. Use "
      "cudaMemsetAsync() in the lane's stream." },
    { "cudaMemcpyToSymbol",
      "cudaMemcpyToSymbol() goes to the default stream and holds the host until it is done. Use "
      "cudaMemcpyToSymbolAsync() in the lane's stream." },
    { "cudaMemcpy",
      "cudaMemcpy() goes to the default stream, which waits for every lane and makes every lane wait. That holds for a "
      "copy inside the device, too, although the host does not wait for it. Use cudaMemcpyAsync() in the lane's stream." },
    { "cudaDeviceSynchronize",
      "This waits for everything on the device. Wait for the one lane whose result you need." },
};

/* The first call of the part, before its last launch, that is such a one; ANY for none. */
static uint32_t find_culprit(const struct view *v, const char *part, const struct culprit **which)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    size_t first = s.end_call, last = s.first_call;
    EACH_SPAN(node, v, s) {
        last = v->timeline->spans[node].call;
        first = last < first ? last : first;
    }
    for (size_t call = s.first_call; call < last; call++)
        for (size_t k = 0; k < sizeof culprits / sizeof *culprits; k++)
            if (strcmp(timeline_string(v->timeline, v->timeline->calls[call].name),
                       culprits[k].name)
                    == 0
                && (call > first || v->timeline->calls[call].kind == CALL_SET
                    || v->timeline->calls[call].kind == CALL_COPY)) {
                *which = &culprits[k];
                return (uint32_t)call;
            }
    return ANY;
}

/* What was put into the default stream between two launches, ANY for nothing. */
static uint32_t named_no_stream(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    const struct timeline *t = v->timeline;
    uint32_t legacy = ANY, stray = ANY;
    bool queueing = false;
    for (size_t call = 0; call < s.end_call; call++) {
        const struct call *c = &t->calls[call];
        if (c->kind == CALL_STREAM_CREATE && (c->flags & STREAM_LEGACY))
            legacy = c->stream;
        bool launches = call >= s.first_call && c->kind == CALL_LAUNCH;
        if (launches && stray != ANY)
            return stray;
        queueing |= launches;
        if (queueing && stray == ANY && c->stream == legacy && queues_in_stream(c))
            stray = (uint32_t)call;
    }
    return ANY;
}

/* A wait for the default stream, or a question about it, that comes before the last launch: it is
 * about all lanes. ANY for none. */
static uint32_t waits_for_default(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    const struct timeline *t = v->timeline;
    uint32_t first = ANY;
    for (size_t call = s.first_call; call < s.end_call; call++) {
        const struct call *c = &t->calls[call];
        if (c->kind == CALL_LAUNCH && first != ANY)
            return first;
        if (first == ANY && (c->kind == CALL_STREAM_SYNC || c->kind == CALL_STREAM_QUERY)
            && c->status == 0 && timeline_stream_flags(t, c->stream) & STREAM_LEGACY)
            first = (uint32_t)call;
    }
    return ANY;
}

/* The first of more allocations than there are lanes, of one line, after the first launch; ANY for
 * none. */
static uint32_t allocates_each_time(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    const struct timeline *t = v->timeline;
    uint32_t launch = next_span(v, s, 0), first = ANY;
    int count = 0;
    for (size_t call = call_number(v, launch); launch != ANY && call < s.end_call; call++) {
        const struct call *c = &t->calls[call];
        if (c->kind != CALL_MALLOC || c->flags & CALL_ASYNC || c->status != 0
            || (first != ANY && c->line != t->calls[first].line))
            continue;
        first = first == ANY ? (uint32_t)call : first;
        count++;
    }
    return count > FRAME_LANES ? first : ANY;
}

/* What keeps lanes apart on the device, however late the host waits. */
static bool blame_width(const struct view *v, struct finding *f, struct selection s)
{
    enum { BLOCKS = 8 };            /* of lesson.h */
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        bool waits = c->kind == CALL_STREAM_WAIT && c->status == 0,
             large = c->kind == CALL_LAUNCH && c->status == 0 && c->grid[0] > BLOCKS;
        if (!waits && !large)
            continue;
        f->call = (uint32_t)i;
        if (waits)
            why(f,
                "This makes one stream wait for an event of another. If that is another lane's, the frames run one after the other: "
                "what a frame needs is in its own lane, and needs no event.");
        else
            why(f,
                "This launch has %u blocks, and BLOCKS is %d: each takes DEVELOP_NS, and together they leave no room for the "
                "kernels of other lanes.",
                c->grid[0], BLOCKS);
        return true;
    }
    return false;
}

/* Has another thread than the one of that launch waited for the frame before? Where each lane has a
 * thread, such a wait came first by chance, and a lock that both have taken makes an order of it.
 */
static bool waited_elsewhere(const struct view *v, uint32_t node, size_t launch)
{
    const struct call *calls = v->timeline->calls;
    for (size_t i = v->timeline->spans[node].call + 1u; i < launch; i++) {
        if (calls[i].thread == calls[launch].thread
            || (calls[i].kind != CALL_STREAM_SYNC && calls[i].kind != CALL_EVENT_SYNC))
            continue;
        size_t next = i + 1;
        while (next < v->timeline->call_count && calls[next].thread != calls[i].thread)
            next++;
        if (next < v->timeline->call_count
            && hb_before_call(v->order, node, calls, next, GUARANTEED))
            return true;
    }
    return false;
}

/* Has the host waited for a frame before LANES frames after it were queued? Then fewer are under
 * way, if only at times. A question that happens to find it done is no wait on a real card. */
static bool waits_early(const struct view *v, struct finding *f, const char *part)
{
    struct selection s = in_part(v, part, 0);
    uint32_t recent[FRAME_LANES - 1];
    size_t frames = 0;
    for (uint32_t node = next_kernel(v, s, "develop_frame", 0); node != ANY && !on_real_card(v);
         node = next_kernel(v, s, "develop_frame", node + 1)) {
        size_t launch = v->timeline->spans[node].call;
        for (size_t k = 0; k < FRAME_LANES - 1 && k < frames; k++) {
            /* Threads may launch in another order than that of the lanes. */
            bool own = call_of_node(v, recent[k])->stream == call_of_node(v, node)->stream;
            if (own || !hb_before_call(v->order, recent[k], v->timeline->calls, launch, GUARANTEED)
                || waited_elsewhere(v, recent[k], launch))
                continue;
            size_t wait = v->timeline->spans[recent[k]].call;
            while (
                wait < launch
                && !hb_before_call(v->order, recent[k], v->timeline->calls, wait + 1, GUARANTEED))
                wait++;
            f->call = (uint32_t)wait;
            expected(f,
                     "%d frames are under way: the host waits for one when the lane's turn comes again",
                     FRAME_LANES);
            size_t waited = frames - 1 - (frames - 1 - k) % (FRAME_LANES - 1);
            seen(f, "before it queues frame %zu it has waited for frame %zu", frames, waited);
            const struct call *c = &v->timeline->calls[wait];
            bool all = timeline_stream_flags(v->timeline, c->stream) & STREAM_LEGACY
                       && (c->kind == CALL_STREAM_SYNC || c->kind == CALL_STREAM_QUERY);
            why(f,
                all ? OF_ALL_LANES
                    : "The host waits here for another lane than the one whose turn it is. That lane's frame is not needed yet.");
            return true;
        }
        recent[frames++ % (FRAME_LANES - 1)] = node;
    }
    return false;
}

bool lanes_width(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        /* There the order of issue counts, which is lesson 06. */
        if (v->card->copies_signal_in_queue)
            continue;
        unsigned mine = average_width(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)));
        unsigned theirs = average_width(
            &e->reference[view], in_part(&e->reference[view], part, ENGINE_BIT(ENGINE_KERNEL)));
        unsigned asked = theirs * share_asked(v, WIDTH_PERMILLE) / 1000;
        if (mine >= asked && waits_early(v, f, part)) {
            f->view = view;
            return false;
        }
        if (mine >= asked)
            continue;
        const struct culprit *which;
        f->view = view;
        expected(f,
                 "at least %u.%02u frames are developed at the same time, on average (the reference solution: %u.%02u)",
                 asked / 1000, asked / 10 % 100, theirs / 1000, theirs / 10 % 100);
        seen(f, "%u.%02u", mine / 1000, mine / 10 % 100);
        f->call = find_culprit(v, part, &which);
        if (f->call != ANY)
            return why(f, "%s", which->cure);
        struct selection s = in_part(v, part, ENGINES_DEVICE);
        f->call = named_no_stream(v, part);
        if (f->call != ANY)
            return why(f,
                       "This is in the default stream, which waits for all blocking streams and makes them wait. Name the lane's "
                       "stream: the last argument of a call, the fourth of a launch.");
        f->call = waits_for_default(v, part);
        if (f->call != ANY)
            return why(f, OF_ALL_LANES);
        f->call = allocates_each_time(v, part);
        if (f->call != ANY)
            return why(f,
                       "%s() is called again for each frame. It takes the host long, and meanwhile nothing is queued. Allocate once, "
                       "outside the loop.",
                       timeline_string(v->timeline, v->timeline->calls[f->call].name));
        f->call = wait_in_between(v, s);
        const struct call *waits = f->call == ANY ? NULL : &v->timeline->calls[f->call];
        if (waits && waits->kind == CALL_COPY && waits->flags & CALL_ASYNC
            && (waits->dst_kind == MEM_PAGEABLE || waits->src_kind == MEM_PAGEABLE))
            return why(f,
                       "This copy holds the host up until it is done, although its name says Async, because its host memory is "
                       "pageable. Take the memory from cudaMallocHost().");
        if (streams_used(v, s) < 2)
            return why(f, "All frames are in one stream. Give each lane its own.");
        if (blame_width(v, f, s))
            return false;
        if (f->call != ANY)
            return why(f,
                       "The host waits here while frames are still to be queued. Wait for a lane when its turn comes again, "
                       "LANES frames later.");
        return why(f, "Find in the timeline the moment when one kernel runs and the next could.");
    }
    return true;
}
