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
#include <string.h>

static const char *const chunks_part[] = { "a", "b", "c" };

static uint32_t pixels(const struct evidence *e, int slot)
{
    size_t bytes;
    exchange_input(e->exchange, slot, &bytes);
    return (uint32_t)(bytes / sizeof(float));
}

static float brightened(float pixel)
{
    return 2 * pixel + 1;
}

/* ---- the timeline: what moved which pixels ---- */

/* Does it copy in, or out? A copy of managed memory, wherever that is at the moment, is taken for
 * one of the host's. */
static bool copies(const struct span *span, const struct call *c, enum engine engine)
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
    uint64_t size = pixels(e, slot) * sizeof(float);
    struct selection s = in_part(&e->yours[0], chunks_part[slot], 0);
    size_t count = 0;
    *out = calloc(t->span_count + 1, sizeof **out);
    for (uint32_t node = 0; *out && node < t->span_count; node++) {
        const struct span *span = &t->spans[node];
        const struct call *c = &t->calls[span->call];
        uint64_t at = engine == ENGINE_H2D ? c->src : c->dst;
        if (span->call < s.first_call || span->call >= s.end_call || !copies(span, c, engine)
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
                registered_part(t, c, base, pixels(e, slot) * sizeof(float));
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
    return true;
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

static const char *const function_of[] = { "depth_first()", "breadth_first()", "pipeline()" };

/* The call that queued the last operation of the part; ANY for none. */
static uint32_t last_queued(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    uint32_t last = ANY;
    EACH_SPAN(node, v, s)
        last = v->timeline->spans[node].call;
    return last;
}

/* The part's first copy that reads `out`; ANY: none. */
static uint32_t copy_from_out(const struct evidence *e, int slot)
{
    const struct view *v = &e->yours[0];
    uint64_t base = buffer_base(e, slot, ENGINE_D2H), size = pixels(e, slot) * sizeof(float);
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
        f->function = function_of[slot];
    } else if (bad_out) {
        f->call = v->timeline->spans[bad_out->node].call;
        expected(f,
                 "for pixels %u to %u: copy in, then the kernel, then copy out, each bound to wait for the one "
                 "before",
                 bad_out->first, bad_out->end - 1);
        seen(f,
             "no kernel waits for the copy in (line %u) and is waited for by the copy out (line %u)",
             call_of_node(v, bad_in->node)->line, call_of_node(v, bad_out->node)->line);
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
        expected(f, "when %s returns, all of `out` has arrived", function_of[slot]);
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

/* Whose value is at pixel `at`, brightened or not, the next one agreeing; ANY for nobody's. */
static uint32_t owner(const float *in, const float *out, uint32_t n, uint32_t at)
{
    for (uint32_t i = 0; at + 1 < n && i + 1 < n; i++)
        if ((out[at] == in[i] && out[at + 1] == in[i + 1])
            || (out[at] == brightened(in[i]) && out[at + 1] == brightened(in[i + 1])))
            return i;
    return ANY;
}

/* The last kernel that node `copy` is bound to wait for; `copy` itself where there is none. */
static uint32_t kernel_before(const struct view *v, const char *part, uint32_t copy)
{
    uint32_t last = copy;
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    EACH_SPAN(node, v, s)
        if (hb_before(v->order, node, copy, GUARANTEED))
            last = node;
    return last;
}

/* A copy out that begins with the pixels of a copy in and moves a quarter of its bytes: elements,
 * given for bytes. */
static bool is_short(const struct evidence *e, struct finding *f, int slot)
{
    struct copy *in, *out;
    const struct view *v = &e->yours[0];
    size_t ins = chunks_copies(e, slot, ENGINE_H2D, &in),
           outs = chunks_copies(e, slot, ENGINE_D2H, &out);
    bool found = false;
    for (size_t i = 0; i < ins && !found; i++)
        for (size_t j = 0; j < outs && !found; j++) {
            const struct call *a = call_of_node(v, in[i].node), *b = call_of_node(v, out[j].node);
            if (in[i].first != out[j].first || b->bytes * sizeof(float) != a->bytes)
                continue;
            found = true;
            f->call = v->timeline->spans[out[j].node].call;
            why(f,
                "This copy out moves %llu bytes, and its chunk's copy in (line %u) moves %llu. A copy's size is in bytes: count * sizeof(float).",
                (unsigned long long)b->bytes, a->line, (unsigned long long)a->bytes);
        }
    free(in);
    free(out);
    return found;
}

/* The kernels that pixel `at` went through on its way from its copy in to its copy out; *last is
 * the last of them. */
static size_t kernels_of(const struct evidence *e, const char *part, uint32_t at, uint32_t *last)
{
    struct copy *in, *out;
    const struct view *v = &e->yours[0];
    int slot = chunks_slot(part);
    size_t ins = chunks_copies(e, slot, ENGINE_H2D, &in),
           outs = chunks_copies(e, slot, ENGINE_D2H, &out), count = 0;
    uint32_t from = ANY, to = ANY;
    for (size_t i = 0; i < ins; i++)
        from = in[i].first <= at && at < in[i].end ? in[i].node : from;
    for (size_t i = 0; i < outs; i++)
        to = out[i].first <= at && at < out[i].end ? out[i].node : to;
    free(in);
    free(out);
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    for (uint32_t node = next_span(v, s, 0); node != ANY && from != ANY && to != ANY;
         node = next_span(v, s, node + 1))
        if (hb_before(v->order, from, node, GUARANTEED)
            && hb_before(v->order, node, to, GUARANTEED)) {
            *last = node;
            count++;
        }
    return count;
}

/* With the order inside of chunks settled, two that meet are of different chunks. */
bool chunks_right_pixels(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = chunks_slot(part);
    uint32_t n = pixels(e, slot), wrong = 0, first = 0, last = 0;
    const float *in = exchange_input(e->exchange, slot, NULL),
                *out = exchange_output(e->exchange, slot, NULL);
    for (uint32_t i = 0; i < n; i++)
        if (!(out[i] == brightened(in[i]))) {
            first = wrong++ ? first : i;
            last = i;
        }
    if (!wrong)
        return true;

    const struct buffers *where = exchange_output(e->exchange, SLOT_BUFFERS, NULL);
    if (where[slot].in == where[slot].out) {
        f->function = "host_buffer";
        expected(f, "`in` and `out` are two buffers");
        seen(f, "host_buffer() returned the same address for both");
        f->sure = true;
        return why(f,
                   "The driver calls host_buffer() twice, fills the first buffer with pixels and clears the second, before part %s begins its "
                   "work. Here that clears the pixels. Each call has to return memory of its own.",
                   part);
    }

    struct copy *list;
    float got = out[first];
    size_t count = chunks_copies(e, slot, got == got && got - got != 0 ? ENGINE_H2D : ENGINE_D2H,
                                 &list);    /* not filled: a copy in */
    uint32_t largest = 0, nearest = UINT32_MAX, copy = ANY;
    f->function = function_of[slot];
    for (size_t i = 0; i < count; i++) {
        uint32_t away = first < list[i].first  ? list[i].first - first
                        : first >= list[i].end ? first - list[i].end + 1
                                               : 0;
        largest = list[i].end - list[i].first > largest ? list[i].end - list[i].first : largest;
        if (away < nearest)
            nearest = away, copy = list[i].node;
    }
    free(list);
    if (copy != ANY && got == in[first])
        copy = kernel_before(&e->yours[0], part, copy);
    f->call = copy == ANY ? ANY : e->yours[0].timeline->spans[copy].call;

    uint32_t whose = owner(in, out, n, first);
    expected(f, "out[i] = 2 * in[i] + 1 for all %u pixels", n);
    if (got != got)
        seen(f, "%u wrong, from pixel %u to pixel %u; pixel %u was never written", wrong, first,
             last, first);
    else
        seen(f, "%u wrong, from pixel %u to pixel %u; pixel %u should be %.9g and is %.9g", wrong,
             first, last, first, (double)brightened(in[first]), (double)got);
    if (got != got && is_short(e, f, slot))
        return false;
    if (got != got)
        return why(
            f, "No copy out brought these pixels. %s",
            last < n - 1 || wrong < n - first
                ? "Do first and count of all chunks together cover 0 to n?"
            : wrong < largest / 2
                ? "They are the tail: n is not a multiple of your number of chunks, and the last chunk has to take what is left."
                : "The last chunk has to end at pixel n: is its copy out queued?");
    if (got - got != 0)
        return why(f,
                   "These pixels came from device memory that no copy in had filled. Does the copy in bring all of the chunk, count * "
                   "sizeof(float) bytes, and do all three use its own offset: in + first, device + first, out + first?");
    if (got == in[first])
        return why(f,
                   "The pixel came back as it went in: no kernel reached it. Is the grid rounded down, so that the chunk's last "
                   "pixels have no thread? Or is the kernel's range another chunk's?");
    uint32_t again = ANY;
    if (got == brightened(brightened(in[first])) && kernels_of(e, part, first, &again) == 2) {
        f->call = e->yours[0].timeline->spans[again].call;
        return why(f,
                   "It was brightened twice: two launches of brighten() come between this pixel's copy in and its copy out, and this is the "
                   "second. A chunk needs one.");
    }
    if (got == brightened(brightened(in[first])))
        return why(f,
                   "It was brightened twice: two launches share this pixel. The kernel takes a chunk's first pixel and its count, "
                   "not its end.");
    if (whose != ANY)
        return why(f,
                   "That came from pixel %u: one of the offsets is not the chunk's. Use the same first in in + first, device + "
                   "first, out + first and in the kernel.",
                   whose);
    return why(f,
               "Does brighten() work on this pixel exactly once, and does nothing change it afterwards?");
}

/* Nothing left out, nothing done twice, nothing done by the host instead. */
bool chunks_all_work(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = chunks_slot(part);
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    uint64_t n = pixels(e, slot), moved[2] = { 0, 0 }, copied[2] = { 0, 0 }, threads = 0,
             foreign = 0, set = 0;
    uint32_t setter = ANY, elsewhere = ANY;
    const struct buffers *where = exchange_output(e->exchange, SLOT_BUFFERS, NULL);
    uint64_t given = where[slot].device;
    struct { uint64_t first, end; } device = { UINT64_MAX, 0 };     /* the pixels' place there */
    struct copy *list;
    for (size_t i = chunks_copies(e, slot, ENGINE_H2D, &list); i-- > 0;) {
        const struct call *c = &t->calls[t->spans[list[i].node].call];
        device.first = c->dst < device.first ? c->dst : device.first;
        device.end = c->dst + c->bytes > device.end ? c->dst + c->bytes : device.end;
        if (c->dst < given || c->dst + c->bytes > given + n * sizeof(float))
            elsewhere = t->spans[list[i].node].call;
    }
    free(list);
    if (elsewhere != ANY) {
        f->call = elsewhere;
        expected(f, "the pixels go through `device`, the caller's memory");
        seen(f, "this copy in goes to other memory");
        return why(f,
                   "Room for all pixels is there already: device + first is the place of the chunk that begins at pixel first. Taking memory and "
                   "giving it back costs time, and may wait for the device.");
    }
    for (size_t node = 0; node < t->span_count; node++) {
        const struct span *span = &t->spans[node];
        const struct call *c = &t->calls[span->call];
        if (span->call < s.first_call || span->call >= s.end_call)
            continue;
        bool in = copies(span, c, ENGINE_H2D), out = copies(span, c, ENGINE_D2H);
        if (in || out) {
            moved[out] += span->bytes;
            copied[out]++;
        } else if (span->engine == ENGINE_MEMSET && c->dst < device.end
                   && device.first < c->dst + c->bytes) {
            set += c->bytes;
            setter = setter == ANY ? span->call : setter;
        } else if (span->engine == ENGINE_KERNEL) {
            threads += (uint64_t)span->blocks * c->block[0] * c->block[1] * c->block[2];
            foreign += strcmp(timeline_string(t, span->name), "brighten") != 0;
        }
    }
    uint64_t bytes = n * sizeof(float);
    uint64_t spare = BLOCK * (copied[0] > copied[1] ? copied[0] : copied[1]);
    if (moved[0] == bytes && moved[1] == bytes && !foreign && !set && threads >= n
        && threads < n + spare)
        return true;
    expected(f, "%llu bytes in, brighten() with one thread for each of %llu pixels, %llu bytes out",
             (unsigned long long)bytes, (unsigned long long)n, (unsigned long long)bytes);
    seen(f, "%llu bytes in, %llu threads%s, %llu bytes out%s", (unsigned long long)moved[0],
         (unsigned long long)threads, foreign ? ", some in other kernels" : "",
         (unsigned long long)moved[1], set ? ", and pixels set on the device (cudaMemset)" : "");
    f->call = last_queued(v, part);
    s.engines = ENGINES_DEVICE;
    EACH_SPAN(node, v, s) {
        enum engine engine = t->spans[node].engine;
        if (engine
            == (moved[0] != bytes   ? ENGINE_H2D
                : moved[1] != bytes ? ENGINE_D2H
                                    : ENGINE_KERNEL)) {
            f->call = t->spans[node].call;
            break;
        }
    }
    f->function = function_of[slot];
    if (setter != ANY && !foreign && moved[0] == bytes && moved[1] == bytes) {
        f->call = setter;
        return why(f,
                   "This sets pixels on the device. The copies in bring all of them, so nothing has to be set, or cleared, before or after.");
    }
    return why(f,
               "Every pixel travels in once, is brightened once by the device and travels back once. That is the work that this "
               "lesson spreads over the engines, no more and no less.");
}
