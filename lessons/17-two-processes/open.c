/* SPDX-License-Identifier: MIT */
/* open.c - part (a): what the other process offers is opened, and closed when it is no longer in
 * use. */
#include "judges.h"

#include <string.h>

enum { NOT_READY = 600 };       /* cudaErrorNotReady */

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
        if (t->calls[i].kind == CALL_LABEL && t->calls[i].thread == t->calls[s.first_call].thread
            && (number >= 0 ? label_number(v, i, what) == number
                            : strcmp(timeline_string(t, t->calls[i].name), what) == 0))
            last = (uint32_t)i;
    return last;
}

bool judge_ring_events(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    for (size_t view = 0; view < e->runs; view++) {
        const struct answers *a = answers_of(e, view);
        for (int k = 0; k < 2 * RING; k++) {
            bool full = k % 2 == 0;
            if ((full ? a->full : a->empty)[k / 2] == NOT_READY)
                continue;
            const char *name = full ? "full" : "empty";
            f->view = view;
            f->function = "ring_open";
            f->word = "cudaIpcOpenEventHandle";
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
        expected(f, "r->frames is the memory of the other process: element %u of its %u is %u", i,
                 n, in[i]);
        seen(f, "element %u from r->frames on is %u", i, out[i]);
        return why(f, "cudaIpcOpenMemHandle() gives the address at which this process reaches it.");
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
    for (size_t i = close.first_call; held != ANY && i < close.end_call; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_UNREGISTER || c->status != 0
            || hb_before_call(v->order, held, t->calls, i, GUARANTEED))
            continue;
        f->call = (uint32_t)i;
        expected(f, "the work in r->stream is done when the memory is closed");
        seen(f, "nothing had waited for the kernel that the caller put into r->stream");
        return why(
            f,
            "The reference does not promise that closing waits for work that uses the memory. Wait first, with "
            "cudaStreamSynchronize().");
    }
    if (held == ANY || hb_before_call(v->order, held, t->calls, close.end_call, GUARANTEED))
        return true;
    expected(f, "all work in r->stream is done when ring_close() returns");
    seen(f, "nothing has waited for the kernel that the caller put into it");
    return why(f, "To destroy a stream waits for nothing. Call cudaStreamSynchronize() first.");
}
