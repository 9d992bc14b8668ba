/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Every measure collects the selected spans as intervals, sorts them by start
 * and merges those that touch; what is left are short sums over sorted lists.
 */
#include "trace/record/measure.h"

#include <string.h>

#include "trace/record/memory.h"

static bool selected(const struct span *span, const struct selection *s)
{
    if (span->start == TIME_NEVER || span->end == TIME_NEVER || span->engine >= ENGINE_KINDS)
        return false;
    if (!(s->engines & ENGINE_BIT(span->engine)))
        return false;
    if (span->call < s->first_call || span->call >= s->end_call)
        return false;
    bool on_device = span->engine != ENGINE_WAIT;
    return (s->device == ANY || (on_device && s->device == span->device))
           && (s->stream == ANY || (on_device && s->stream == span->stream));
}

static bool starts_before(struct interval a, struct interval b)
{
    return a.start != b.start ? a.start < b.start : a.end < b.end;
}

/* Lets the element at `root` of a heap with the latest on top sink to its place. */
static void sink(struct interval *heap, size_t root, size_t count)
{
    struct interval moving = heap[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && starts_before(heap[child], heap[child + 1]))
            child++;
        if (!starts_before(moving, heap[child]))
            break;
        heap[root] = heap[child];
    }
    heap[root] = moving;
}

static void sort(struct interval *list, size_t count)
{
    size_t ordered = 1;
    while (ordered < count && !starts_before(list[ordered], list[ordered - 1]))
        ordered++;
    if (ordered >= count)
        return;
    for (size_t root = count / 2; root-- > 0;)
        sink(list, root, count);
    for (size_t last = count; last-- > 1;) {
        struct interval latest = list[0];
        list[0] = list[last];
        list[last] = latest;
        sink(list, 0, last);
    }
}

/* The selected spans, in no order; the caller frees *out. */
static size_t collect(const struct timeline *t, const struct selection *s, struct interval **out)
{
    size_t count = 0, capacity = 0;
    *out = NULL;
    for (size_t i = 0; i < t->span_count; i++) {
        if (!selected(&t->spans[i], s))
            continue;
        *out = memory_grow(*out, count, &capacity, sizeof **out);
        (*out)[count++] = (struct interval){ t->spans[i].start, t->spans[i].end };
    }
    return count;
}

size_t measure_intervals(const struct timeline *t, struct selection s, struct interval **out)
{
    size_t count = collect(t, &s, out);
    struct interval *list = *out;
    sort(list, count);
    size_t merged = 0;
    for (size_t i = 0; i < count; i++) {
        if (merged && list[i].start <= list[merged - 1].end) {
            if (list[merged - 1].end < list[i].end)
                list[merged - 1].end = list[i].end;
        } else {
            list[merged++] = list[i];
        }
    }
    return merged;
}

int64_t measure_busy(const struct timeline *t, struct selection s)
{
    struct interval *list;
    size_t count = measure_intervals(t, s, &list);
    int64_t busy = 0;
    for (size_t i = 0; i < count; i++)
        busy += list[i].end - list[i].start;
    memory_resize(list, 0);
    return busy;
}

bool measure_extent(const struct timeline *t, struct selection s, struct interval *out)
{
    bool any = false;
    *out = (struct interval){ 0, 0 };
    for (size_t i = 0; i < t->span_count; i++) {
        const struct span *span = &t->spans[i];
        if (!selected(span, &s))
            continue;
        if (!any || span->start < out->start)
            out->start = span->start;
        if (!any || span->end > out->end)
            out->end = span->end;
        any = true;
    }
    return any;
}

int64_t measure_overlap(const struct timeline *t, struct selection a, struct selection b)
{
    struct interval *one, *two;
    size_t one_count = measure_intervals(t, a, &one), two_count = measure_intervals(t, b, &two);
    int64_t both = 0;
    for (size_t i = 0, j = 0; i < one_count && j < two_count;) {
        int64_t start = one[i].start > two[j].start ? one[i].start : two[j].start;
        int64_t end = one[i].end < two[j].end ? one[i].end : two[j].end;
        if (start < end)
            both += end - start;
        if (one[i].end < two[j].end)
            i++;
        else
            j++;
    }
    memory_resize(one, 0);
    memory_resize(two, 0);
    return both;
}

unsigned measure_peak(const struct timeline *t, struct selection s)
{
    struct interval *starts, *ends;
    size_t count = 0, all = collect(t, &s, &starts);
    for (size_t i = 0; i < all; i++)
        if (starts[i].start < starts[i].end)
            starts[count++] = starts[i];
    ends = memory_resize(NULL, (count + 1) * sizeof *ends);
    for (size_t i = 0; i < count; i++)
        ends[i] = (struct interval){ starts[i].end, starts[i].end };
    sort(starts, count);
    sort(ends, count);
    unsigned peak = 0;
    for (size_t begun = 0, ended = 0; begun < count; begun++) {
        while (ends[ended].start <= starts[begun].start)
            ended++;
        if (begun + 1 - ended > peak)
            peak = (unsigned)(begun + 1 - ended);
    }
    memory_resize(starts, 0);
    memory_resize(ends, 0);
    return peak;
}

/* part / whole in thousandths, rounded down; 0 <= part <= whole. */
static unsigned permille(int64_t part, int64_t whole)
{
    if (part > INT64_MAX / 1000) /* more than a hundred days: the last three digits do not matter */
        return (unsigned)(part / (whole / 1000));
    return whole ? (unsigned)(part * 1000 / whole) : 0;
}

unsigned measure_busy_share(const struct timeline *t, struct selection s, enum engine *which)
{
    struct interval extent;
    int64_t most = -1;
    enum engine busiest = ENGINE_NONE;
    measure_extent(t, s, &extent);
    for (unsigned engine = 0; engine < ENGINE_KINDS; engine++) {
        struct selection one = s;
        one.engines &= ENGINE_BIT(engine);
        struct interval unused;
        if (!measure_extent(t, one, &unused))
            continue;
        int64_t busy = measure_busy(t, one);
        if (busy > most) {
            most = busy;
            busiest = (enum engine)engine;
        }
    }
    if (which)
        *which = busiest;
    return most < 0 ? 0 : permille(most, extent.end - extent.start);
}

uint32_t measure_longest_wait(const struct timeline *t, size_t first_call, size_t end_call)
{
    struct selection waits = { ENGINE_BIT(ENGINE_WAIT), ANY, ANY, first_call, end_call };
    int64_t longest = 0;
    uint32_t call = ANY;
    for (size_t i = 0; i < t->span_count; i++) {
        const struct span *span = &t->spans[i];
        if (selected(span, &waits) && span->end - span->start > longest) {
            longest = span->end - span->start;
            call = span->call;
        }
    }
    return call;
}

static bool counts(const struct timeline *t, const struct migration *m, unsigned which,
                   size_t first_call, size_t end_call)
{
    bool of_host = m->node == NO_NODE;
    unsigned bits = (m->to_host ? MIGRATIONS_TO_HOST : MIGRATIONS_TO_DEVICE)
                    | (of_host ? MIGRATIONS_OF_HOST : MIGRATIONS_OF_KERNELS);
    size_t call = of_host || m->node >= t->span_count ? m->call : t->spans[m->node].call;
    return (which & bits) == bits && call >= first_call && call < end_call;
}

struct migration_sum measure_migrations(const struct timeline *t, unsigned which, size_t first_call,
                                        size_t end_call)
{
    struct migration_sum sum = { 0, 0, 0, 0 };
    for (size_t i = 0; i < t->migration_count; i++) {
        const struct migration *m = &t->migrations[i];
        if (!counts(t, m, which, first_call, end_call))
            continue;
        sum.faults += m->fault;
        sum.moves += m->bytes > 0;
        sum.bytes += m->bytes;
        sum.time += m->start != TIME_NEVER && m->end != TIME_NEVER ? m->end - m->start : 0;
    }
    return sum;
}

/* Is the text of string `number` the same as `text`? */
static bool is_text(const struct timeline *t, uint32_t number, const char *text)
{
    const char *string = timeline_string(t, number);
    while (*string && *string == *text)
        string++, text++;
    return *string == *text;
}

bool measure_part(const struct timeline *t, const char *part, size_t *first_call, size_t *end_call)
{
    for (size_t i = 0; i < t->part_count && t->parts[i] < t->call_count; i++) {
        if (!is_text(t, t->calls[t->parts[i]].name, part))
            continue;
        *first_call = t->parts[i];
        *end_call = i + 1 < t->part_count && t->parts[i + 1] < t->call_count ? t->parts[i + 1]
                                                                           : t->call_count;
        return true;
    }
    return false;
}

/* May `c` close the label that `opened` opens, or one between the two? */
static bool in_one_nest(const struct call *opened, const struct call *c)
{
    if (c->kind != opened->kind || c->flags != opened->flags)
        return false;
    return c->flags & RANGE_FREE ? c->src == opened->src
                                 : c->thread == opened->thread && c->message == opened->message;
}

bool measure_label(const struct timeline *t, const char *label, size_t *first_call,
                   size_t *end_call)
{
    size_t first = 0;
    while (first < t->call_count
           && !((t->calls[first].kind == CALL_LABEL
                 || (t->calls[first].kind == CALL_RANGE && !(t->calls[first].flags & RANGE_MARK)))
                && is_text(t, t->calls[first].name, label)))
        first++;
    if (first == t->call_count)
        return false;
    size_t end = first + 1;
    for (unsigned open = 1; end < t->call_count; end++)
        if (in_one_nest(&t->calls[first], &t->calls[end])
            && (open += t->calls[end].name != 0 ? 1u : -1u) == 0)
            break;
    *first_call = first;
    *end_call = end;
    return true;
}

/* Is the thread the next to do something, and does it not wait again? Then it has trusted the wake:
 * no other thread can have made its condition true. A report of a hazard is no deed of a thread. */
static bool trusts_wake(const struct timeline *t, size_t wake)
{
    for (size_t i = wake + 1; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind == CALL_THREAD_WAKE || c->kind == CALL_HAZARD)
            continue;
        return c->thread == t->calls[wake].thread && c->kind != CALL_SPURIOUS
               && !(c->kind == CALL_HOST_WORK
                    && strcmp(timeline_string(t, c->name), LOST_TURN) == 0);
    }
    return false;
}

size_t measure_trusted_wake(const struct timeline *t, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (t->calls[i].kind == CALL_SPURIOUS && t->calls[i].message != 0 && trusts_wake(t, i))
            return i;
    return end;
}
