/* SPDX-License-Identifier: MIT */
/* open.c - part (a): what the other process offers is opened, and closed when it is no longer in
 * use. */
#include "judges.h"

#include <string.h>

enum { THREADS_MOST = 256 };    /* calls of threads beyond these count as unordered */

struct selection inside_label(const struct view *v, const char *text, uint32_t engines)
{
    struct selection s = { engines, ANY, ANY, 0, 0 };
    measure_label(v->timeline, text, &s.first_call, &s.end_call);
    return s;
}

uint32_t last_label(const struct view *v, struct selection s, const char *what, int64_t number)
{
    const struct timeline *t = v->timeline;
    uint32_t last = ANY;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (t->calls[i].kind == CALL_LABEL
            && (number >= 0 ? label_number(v, i, what) == number
                            : strcmp(timeline_string(t, t->calls[i].name), what) == 0))
            last = (uint32_t)i;
    return last;
}

uint32_t known_event(const struct view *v, struct selection s, int at)
{
    const struct timeline *t = v->timeline;
    bool known = false;
    for (size_t i = s.first_call; i < s.end_call && at >= 0; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind == CALL_LABEL)
            known = strcmp(timeline_string(t, c->name), KNOWN) == 0;
        else if (known && c->kind == CALL_EVENT_QUERY && c->thread == t->calls[s.first_call].thread
                 && at-- == 0)
            return c->event;
    }
    return ANY;
}

uint32_t made_event(const struct view *v, uint32_t event, size_t before)
{
    const struct timeline *t = v->timeline;
    uint32_t made = ANY;
    for (size_t i = 0; event != ANY && i < before; i++) {
        const struct call *c = &t->calls[i];
        bool opens = strcmp(timeline_string(t, c->name), "cudaIpcOpenEventHandle") == 0;
        if (c->kind == CALL_EVENT_CREATE && c->status == 0
            && (opens ? c->src : c->event) == event)
            made = (uint32_t)i;
    }
    return made == ANY || is_in_driver(t, &t->calls[made]) ? ANY : made;
}

bool is_learners(const struct view *v, size_t call)
{
    return !is_in_driver(v->timeline, &v->timeline->calls[call]);
}

bool called_before(const struct view *v, size_t first, size_t then)
{
    const struct call *calls = v->timeline->calls;
    if (calls[first].thread == calls[then].thread)
        return first < then;
    bool knows[THREADS_MOST] = { false };
    for (size_t i = first; i < then; i++) {
        const struct call *c = &calls[i];
        bool hears = c->kind == CALL_THREAD_BEGIN || c->kind == CALL_THREAD_WAKE;
        if (c->thread < THREADS_MOST
            && (i == first || (hears && c->src < THREADS_MOST && knows[c->src])))
            knows[c->thread] = true;
    }
    return calls[then].thread < THREADS_MOST && knows[calls[then].thread];
}

bool copies_or_sets(const struct view *v, struct selection s)
{
    for (size_t i = s.first_call; i < s.end_call; i++) {
        uint32_t kind = v->timeline->calls[i].kind;
        if (is_learners(v, i) && (kind == CALL_COPY || kind == CALL_SET))
            return true;
    }
    return false;
}

static bool holds_host_up(const struct view *v, size_t call)
{
    const struct call *c = &v->timeline->calls[call];
    switch (c->kind) {
    case CALL_STREAM_SYNC: case CALL_DEVICE_SYNC: case CALL_EVENT_SYNC:
    case CALL_STREAM_QUERY: case CALL_EVENT_QUERY: case CALL_HOST_WORK:
        return true;
    case CALL_THREAD_WAKE: {
        /* What the driver has waited for is no wait of the learner's. */
        uint32_t by = woken_by_device(v, call);
        return by != ANY && !is_in_driver(v->timeline, &v->timeline->calls[by]);
    }
    case CALL_THREAD_BEGIN:
        return false;
    default:
        return c->node != NO_NODE && hb_is_wait(v->order, c->node);
    }
}

uint32_t waits_between(const struct view *v, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        if (is_learners(v, i) && holds_host_up(v, i))
            return (uint32_t)i;
    return ANY;
}

bool is_astray(const struct view *v, struct selection s, uint32_t node)
{
    const struct timeline *t = v->timeline;
    if (node == ANY || !(timeline_stream_flags(t, t->spans[node].stream) & STREAM_LEGACY))
        return false;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        if ((c->kind == CALL_STREAM_WAIT || c->kind == CALL_EVENT_RECORD) && is_learners(v, i)
            && !(timeline_stream_flags(t, c->stream) & STREAM_LEGACY))
            return true;
    }
    return false;
}

bool in_own_stream(const struct view *v, struct finding *f, uint32_t node, const char *kernel,
                   const char *stream, const char *function)
{
    const struct timeline *t = v->timeline;
    uint32_t in = node == ANY ? ANY : t->spans[node].stream;
    if (node == ANY || timeline_stream_flags(t, in) & STREAM_NON_BLOCKING)
        return true;
    f->call = ANY;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && t->calls[i].stream == in
            && !is_in_driver(t, &t->calls[i]) && t->calls[i].line != 0)
            f->call = (uint32_t)i;
    f->call = f->call != ANY ? f->call : t->spans[node].call;
    f->sure = true;
    if (timeline_stream_flags(t, in) & STREAM_LEGACY) {
        expected(f, "%s() is launched into %s", kernel, stream);
        seen(f, "%s() is in the default stream", kernel);
        return why(f,
                   "A launch that names no stream is in the default stream. %s is the fourth parameter between <<< and >>>.",
                   stream);
    }
    f->function = function;
    f->word = "cudaStreamCreateWithFlags";
    expected(f, "%s is a stream of cudaStreamNonBlocking", stream);
    seen(f, "%s() is in a stream that waits for the default stream, and makes it wait", kernel);
    return why(f, "cudaStreamCreateWithFlags(&%s, cudaStreamNonBlocking) makes one that does not.",
               stream);
}

uint32_t closed_before(const struct view *v, uint32_t node, size_t from, size_t end)
{
    const struct call *calls = v->timeline->calls;
    for (size_t i = from; i < end; i++)
        if (calls[i].kind == CALL_UNREGISTER && calls[i].status == 0
            && !hb_before_call(v->order, node, calls, i, GUARANTEED))
            return (uint32_t)i;
    return ANY;
}

struct records records_after(const struct view *v, struct selection s, uint32_t node,
                             uint32_t event, uint32_t told)
{
    struct records r = { false, ANY, ANY, ANY, ANY };
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind != CALL_EVENT_RECORD || c->status != 0 || !is_learners(v, i))
            continue;
        if (c->event != event)
            r.other = (uint32_t)i;
        else if (!hb_before(v->order, node, c->node, GUARANTEED))
            r.early = (uint32_t)i;
        else if (told != ANY && called_before(v, i, told))
            r.found = true;
        else if (told == ANY || called_before(v, told, i))
            r.late = (uint32_t)i;
        else
            r.beside = (uint32_t)i;
    }
    return r;
}

bool judge_ring_events(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->runs; view++) {
        struct selection s = in_part(&e->yours[view], part, 0);
        const struct answers *a = answers_of(e, view);
        for (int k = 0; k < 2 * RING; k++) {
            bool full = k % 2 == 0;
            if ((full ? a->full : a->empty)[k / 2] == NOT_READY)
                continue;
            const char *name = full ? "full" : "empty";
            f->view = view;
            f->call = made_event(&e->yours[view], known_event(&e->yours[view], s, k), s.end_call);
            f->function = "ring_open";
            f->word = "cudaIpcOpenEventHandle";
            f->sure = true;
            expected(f, "r->%s[%d] and the other process's event of that name are one event", name,
                     k / 2);
            seen(
                f,
                full
                    ? "the other process recorded its own after a kernel that was running, and r->%s[%d] was not pending"
                    : "r->%s[%d] was recorded after a kernel that was running, and the other process's was not pending",
                name, k / 2);
            return why(
                f,
                "cudaIpcOpenEventHandle() makes r->%s[k] stand for the event whose handle is o->%s[k].",
                name, name);
        }
    }
    return true;
}

bool judge_ring_frames(const struct evidence *e, struct finding *f, const char *part)
{
    size_t bytes;
    const uint32_t *in = exchange_input(e->exchange, IN_SLOTS, &bytes);
    (void)part;
    for (size_t view = 0; view < e->runs; view++) {
        const uint32_t *out = exchange_output_of(e->exchange, view, OUT_SLOTS, NULL);
        uint32_t n = (uint32_t)(bytes / sizeof *in), i = 0;
        while (i < n && in[i] == out[i])
            i++;
        if (i == n)
            continue;
        f->view = view;
        f->function = "ring_open";
        f->word = "cudaIpcOpenMemHandle";
        f->sure = true;
        expected(f, "r->frames is the memory of the other process: element %u of its %u is %u", i,
                 n, in[i]);
        seen(f, "element %u from r->frames on is %u", i, out[i]);
        return why(f, "cudaIpcOpenMemHandle() gives the address at which this process reaches it.");
    }
    return true;
}

/* Part (b): is each examine(), in whatever stream, done before the memory that it reads is closed?
 */
static bool frames_done(const struct evidence *e, struct finding *f)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, "b", ENGINES_DEVICE);
    uint32_t close = last_label(v, s, CLOSE, -1);
    EACH_KERNEL(node, v, s, "examine") {
        if (is_astray(v, s, node))
            continue;           /* part (b) says so of its launch */
        f->call = close == ANY ? ANY : closed_before(v, node, close, label_end(v, close));
        if (f->call == ANY)
            continue;
        expected(f, "each examine() is done when the memory that it reads is closed");
        seen(f, "nothing had waited for %s", node_name(v, node).text);
        return why_unwaited(
            v, f, node, f->call,
            "The reference does not promise that closing waits for work that uses the memory. Wait first, for each stream that "
            "has a frame, with cudaStreamSynchronize().");
    }
    return true;
}

bool judge_ring_closed(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, ENGINES_DEVICE), close = inside_label(v, CLOSE, 0);
    uint32_t held = ANY;
    EACH_KERNEL(node, v, s, "hold")
        if (t->spans[node].call < close.first_call
            && t->calls[t->spans[node].call].thread == t->calls[close.first_call].thread)
            held = node;
    f->function = "ring_close";
    f->word = "cudaStreamSynchronize";
    uint32_t early = held == ANY ? ANY
                                 : closed_before(v, held, close.first_call, close.end_call);
    if (early != ANY) {
        f->call = early;
        expected(f, "the work in r->stream is done when the memory is closed");
        seen(f, "nothing had waited for the kernel that the caller put into r->stream");
        return why_unwaited(
            v, f, held, early,
            "The reference does not promise that closing waits for work that uses the memory. Wait first, with "
            "cudaStreamSynchronize().");
    }
    if (held == ANY || hb_before_call(v->order, held, t->calls, close.end_call, GUARANTEED))
        return frames_done(e, f);
    expected(f, "all work in r->stream is done when ring_close() returns");
    seen(f, "nothing has waited for the kernel that the caller put into it");
    return why_unwaited(v, f, held, close.end_call,
                        "Destroying a stream waits for nothing. Call cudaStreamSynchronize() first.");
}
