/* SPDX-License-Identifier: MIT */
/* Judges of what came of parts a, b and c: the output, pixel by pixel, and whether the device did
 * all of the work, once. */
#include "chunks.h"

#include <stdlib.h>
#include <string.h>

static float brightened(float pixel)
{
    return 2 * pixel + 1;
}

/* The pixel whose value, brightened or not, lies at `at`, with its neighbour's after it; ANY: no
 * pixel's. */
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

static size_t copies_out(const struct evidence *e, int slot)
{
    struct copy *out;
    size_t count = chunks_copies(e, slot, ENGINE_D2H, &out);
    free(out);
    return count;
}

static size_t launches_of(const struct evidence *e, const char *part)
{
    size_t launches;
    kernel_named(&e->yours[0], in_part(&e->yours[0], part, 0), "brighten", &launches);
    return launches;
}

/* With the order inside of chunks settled, two that meet are of different chunks. */
bool chunks_right_pixels(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = chunks_slot(part);
    uint32_t n = chunks_pixels(e, slot), wrong = 0, first = 0, last = 0;
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
    f->function = chunks_function[slot];
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
    f->looped = got != got && f->call != ANY ? f->call : 0;
    f->argument = f->looped != 0 && wrong < largest / 2 ? 3 : 0;    /* of the copy: its size */
    if (got != got)
        return why(
            f, "No copy out brought these pixels. %s",
            last < n - 1 || wrong < n - first
                ? "Do first and count of all chunks together cover 0 to n?"
            : wrong < largest / 2
                ? "They are the tail: n is not a multiple of your number of chunks, and the last chunk has to take what is left."
                : "The last chunk has to end at pixel n: is its copy out queued?");
    if (got - got != 0 && nearest > 0 && copy != ANY)
        return why(f,
                   "No copy in brought these pixels to the device: there are %zu copies in, %zu launches of brighten() and %zu copies out. Is the "
                   "copy in of the chunk that begins at pixel %u queued? Each chunk needs all three.",
                   count, launches_of(e, part), copies_out(e, slot), first);
    if (got - got != 0)
        return why(f,
                   "These pixels came from device memory that no copy in had filled. Does the copy in bring all of the chunk, count * "
                   "sizeof(float) bytes, and do all three use its own offset: in + first, device + first, out + first?");
    if (got == in[first])
        return why(f,
                   "The pixel came back as it went in: no kernel reached it. Is the grid rounded down, or the count that brighten() is given "
                   "smaller than the chunk's, so that its last pixels are left? Or is the kernel's range another chunk's?");
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

/* The call that queued the last operation of the part; ANY for none. */
static uint32_t last_queued(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    uint32_t last = ANY;
    EACH_SPAN(node, v, s)
        last = v->timeline->spans[node].call;
    return last;
}

/* The host writes pixels of `out` that a copy had brought, or was to bring: what it wrote before a
 * copy, the copy has replaced. Only the simulator sees it. */
static bool by_host(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    struct copy *out;
    int slot = chunks_slot(part);
    size_t outs = chunks_copies(e, slot, ENGINE_D2H, &out);
    bool found = false;
    for (uint32_t i = 0; i < t->call_count && !found; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_HAZARD || !(c->flags & HAZARD_BY_HOST)
            || (size_t)c->cost <= s.first_call || (size_t)c->cost > s.end_call)
            continue;
        for (size_t k = 0; k < outs && !found; k++) {
            const struct call *copy = call_of_node(v, out[k].node);
            found = t->spans[out[k].node].call < (size_t)c->cost && copy->dst < c->dst + c->bytes
                    && c->dst < copy->dst + copy->bytes;
        }
        f->call = found ? i : f->call;
    }
    free(out);
    if (!found)
        return false;
    f->function = chunks_function[slot];
    expected(f, "the device brightens every pixel, and `out` holds what the copies brought");
    seen(f, "the host writes pixels of `out` that a copy out brings");
    return !why(f,
                "Brightening is the device's work: brighten() in every chunk. What has arrived in `out` is the answer, and the host has nothing "
                "to compute.");
}

/* Nothing left out, nothing done twice, nothing done by the host instead. */
bool chunks_all_work(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = chunks_slot(part);
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    uint64_t n = chunks_pixels(e, slot), moved[2] = { 0, 0 }, copied[2] = { 0, 0 }, threads = 0,
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
        bool in = chunks_moves(span, c, ENGINE_H2D), out = chunks_moves(span, c, ENGINE_D2H);
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
        return !by_host(e, f, part);
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
    f->function = chunks_function[slot];
    if (setter != ANY && !foreign && moved[0] == bytes && moved[1] == bytes) {
        f->call = setter;
        return why(f,
                   "This sets pixels on the device. The copies in bring all of them, so nothing has to be set, or cleared, before or after.");
    }
    return why(f,
               "Every pixel travels in once, is brightened once by the device and travels back once. That is the work that this "
               "lesson spreads over the engines, no more and no less.");
}
