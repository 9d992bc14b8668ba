/* SPDX-License-Identifier: MIT */
/*
 * Streams as order knows them, and what is common to those of a device.
 *
 * DESIGN
 * The streams of a device that have had work form a list, those whose latest
 * operation is newest first: a rule that looks at all of them stops where what
 * follows is known already, so that it costs what has been queued since the
 * last time, and not the number of streams.
 */
#include "trace/order/hb_state.h"

#include "trace/record/memory.h"

bool hb_newer(uint32_t node, uint32_t than)
{
    return node != NO_NODE && (than == NO_NODE || node > than);
}

/* Numbers are dense: one that skips some is not believed. */
void hb_announce_stream(struct happens_before *o, const struct call *c)
{
    if (c->stream != o->stream_count || c->device >= HB_DEVICES)
        return;
    MEMORY_GROW(o->streams, o->stream_count, o->stream_capacity);
    o->streams[o->stream_count++] =
        (struct hb_stream){ c->device, c->flags, NO_NODE, NO_NODE, false,
                            NO_NODE,   0,        NO_NODE, NO_NODE, NO_NODE };
    if (c->flags & STREAM_LEGACY)
        o->legacy[c->device] = c->stream;
}

static void take_out(struct happens_before *o, const struct hb_stream *s)
{
    if (s->newer != NO_NODE)
        o->streams[s->newer].older = s->older;
    if (s->older != NO_NODE)
        o->streams[s->older].newer = s->newer;
}

void hb_stream_goes_on(struct happens_before *o, uint32_t stream, uint32_t node, bool kernel)
{
    struct hb_stream *s = &o->streams[stream];
    uint32_t *newest = &o->newest[s->device];
    s->last = node;
    s->kernel_last = false;
    if (kernel)
        s->kernel = node;
    if (*newest == stream || s->flags & STREAM_OF_OTHER)
        return;
    take_out(o, s);
    s->newer = NO_NODE;
    s->older = *newest;
    if (*newest != NO_NODE)
        o->streams[*newest].newer = stream;
    *newest = stream;
}

/* Does the stream take part in its device's legacy barrier? [S] */
static bool meets_legacy(const struct hb_stream *s)
{
    return !(s->flags & STREAM_NON_BLOCKING);
}

void hb_add_device(struct happens_before *o, uint32_t device, bool all, uint32_t than,
                   enum strength strength)
{
    for (uint32_t i = o->newest[device]; i != NO_NODE && hb_newer(o->streams[i].last, than);
         i = o->streams[i].older)
        if (all || meets_legacy(&o->streams[i]))
            hb_add_edge(o, o->streams[i].last, strength);
}

void hb_add_stream(struct happens_before *o, const struct hb_stream *s)
{
    hb_add_edge(o, s->last, GUARANTEED);
    if (meets_legacy(s) && hb_newer(o->visit[s->device], s->last))
        hb_add_edge(o, o->visit[s->device], OBSERVED);
    if (s->flags & STREAM_LEGACY) {
        hb_add_device(o, s->device, false, s->last, GUARANTEED);
        return;
    }
    uint32_t legacy = o->legacy[s->device];
    if (meets_legacy(s) && legacy != NO_NODE && hb_newer(o->streams[legacy].last, s->last))
        hb_add_edge(o, o->streams[legacy].last, GUARANTEED);
}

/* ---- lazy loading ---- */

/* The kernels that a loading one waits for: of each stream the latest, where that is not older than
 * the kernel loaded before, which has waited for all that was there. */
static void gather_loaded(struct happens_before *o, struct hb_loading *loading, uint32_t device)
{
    loading->count = 0;
    for (uint32_t i = o->newest[device]; i != NO_NODE; i = o->streams[i].older) {
        uint32_t kernel = o->streams[i].kernel, before = loading->kernel;
        if (before != NO_NODE && o->streams[i].last < before)
            break;
        if (kernel == NO_NODE || (before != NO_NODE && kernel < before))
            continue;
        MEMORY_GROW(loading->before, loading->count, loading->capacity);
        loading->before[loading->count++] = (struct hb_loaded){ kernel, i };
    }
}

void hb_add_loading(struct happens_before *o, const struct call *c)
{
    struct hb_stream *own = &o->streams[c->stream];
    struct hb_loading *loading = &o->loading[own->device];
    bool loads = c->flags & LAUNCH_LOADS;
    if (loads)
        gather_loaded(o, loading, own->device);
    else if (loading->kernel == own->loading)
        return;
    for (size_t i = 0; i < loading->count; i++)
        if (loading->before[i].stream != c->stream)
            hb_add_edge(o, loading->before[i].kernel, OBSERVED);
    if (loads)
        loading->kernel = (uint32_t)o->node_count;
    own->loading = loading->kernel;
}
