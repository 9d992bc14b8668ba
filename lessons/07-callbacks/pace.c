/* SPDX-License-Identifier: MIT */
/*
 * (c): how long it takes.
 *
 * DESIGN
 * How long it has to take is known beforehand: the sum of the kernels of the
 * total that has more to do. What is lost above that is looked for where this
 * total's stream stood still longest: was a slot free then, and for which one
 * did the host wait?
 */
#include "both.h"
#include "functions.h"

#define PACE_PERMILLE 1200
#define MS_OF(ns) (long long)((ns) / 1000000), (long long)((ns) / 10000 % 100)

/* The total with more to do; *ns: how much. */
static int busier_total(const struct evidence *e, const char *part, int64_t *ns)
{
    const struct plan *p = plan_for(e);
    int64_t sum[TOTALS] = { 0 };
    for (int64_t k = 0; k < p->count; k++)
        sum[total_of_batch(e, part, k)] += p->ns[k];
    *ns = sum[0] > sum[1] ? sum[0] : sum[1];
    return sum[0] > sum[1] ? 0 : 1;
}

/* Where no batch for `total` was on the device: from the end of a kernel to the next copy to the
 * inbox. */
struct standstill { struct interval when; uint32_t copy; int total; };

/* The end of the last kernel before `copy` in its stream; -1: there is none. */
static int64_t kernel_end_before(const struct view *v, struct selection kernels, uint32_t copy)
{
    const struct span *spans = v->timeline->spans;
    int64_t end = -1;
    kernels.stream = spans[copy].stream;
    for (uint32_t node = next_span(v, kernels, 0); node != ANY;
         node = next_span(v, kernels, node + 1))
        if (spans[node].end <= spans[copy].start && spans[node].end > end)
            end = spans[node].end;
    return end;
}

static struct standstill longest_standstill(const struct evidence *e, const char *part, int total)
{
    const struct view *v = &e->yours[0];
    struct selection copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D)),
                     kernels = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    struct standstill longest = { { 0, 0 }, ANY, 0 };
    struct interval all;
    measure_extent(v->timeline, in_part(v, part, ENGINES_DEVICE), &all);
    for (uint32_t node = next_span(v, copies, 0); node != ANY;
         node = next_span(v, copies, node + 1)) {
        int64_t before = kernel_end_before(v, kernels, node),
                from = before < 0 ? all.start : before;
        int64_t to = v->timeline->spans[node].start;
        if (total_of_copy(e, v, node) == total
            && (longest.copy == ANY || to - from > longest.when.end - longest.when.start))
            longest = (struct standstill){ { from, to }, node, total };
    }
    return longest;
}

/* The fill() for that copy; ANY for none. */
static size_t fill_for(const struct evidence *e, struct selection s, uint32_t copy)
{
    const struct view *v = &e->yours[0];
    const struct call *c = call_of_node(v, copy);
    for (size_t i = v->timeline->spans[copy].call; i-- > s.first_call;) {
        long slot = label_number(v, i, FILL);
        if (slot >= 0 && slot < SHARED
            && touches(c->src, c->bytes, places_for(e)->shared[slot], slot_bytes(e)))
            return i;
    }
    return ANY;
}

/* Does this slot hold what is still to be copied at that time? For which total, then; -1: it can be
 * filled. */
static int slot_holds(const struct evidence *e, const char *part, int slot, int64_t time)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0), copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    for (uint32_t node = next_span(v, copies, 0); node != ANY;
         node = next_span(v, copies, node + 1)) {
        const struct call *c = call_of_node(v, node);
        if (!touches(c->src, c->bytes, places_for(e)->shared[slot], slot_bytes(e))
            || v->timeline->spans[node].end <= time)
            continue;
        size_t fill = fill_for(e, s, node);
        if (fill != ANY && v->timeline->calls[fill].begin <= time)
            return total_of_copy(e, v, node);
    }
    return -1;
}

/* Between two fillings, a wait for the whole device; ANY for none. */
static uint32_t device_wait(const struct view *v, struct selection s)
{
    size_t last = last_fill(v, s);
    for (size_t i = s.first_call; i < last; i++)
        if (v->timeline->calls[i].kind == CALL_DEVICE_SYNC
            && !is_in_driver(v->timeline, &v->timeline->calls[i]))
            return (uint32_t)i;
    return ANY;
}

/* A blend() that is bound to wait for one of another stream, with the wait that makes it so: a
 * call; ANY for none. */
static uint32_t wait_of_other_total(const struct view *v, struct selection kernels, uint32_t *later,
                                    uint32_t *earlier)
{
    const struct span *spans = v->timeline->spans;
    for (uint32_t one = next_span(v, kernels, 0); one != ANY; one = next_span(v, kernels, one + 1))
        for (uint32_t other = next_span(v, kernels, one + 1); other != ANY;
             other = next_span(v, kernels, other + 1)) {
            bool bound = spans[one].stream != spans[other].stream
                         && hb_before(v->order, one, other, GUARANTEED);
            uint32_t wait = bound ? stream_wait_between(v, kernels, one, other) : ANY;
            if (wait == ANY)
                continue;
            *later = other;
            *earlier = one;
            return wait;
        }
    return ANY;
}

/* The batch that total number `total` comes to next, as that call is made, and the last one that
 * has been copied for the other total; false: that one's number is not higher. */
static bool filled_ahead(const struct evidence *e, const char *part, size_t call, int total,
                         long *next, long *ahead)
{
    const struct view *v = &e->yours[0];
    const struct plan *p = plan_for(e);
    size_t copied[TOTALS] = { 0, 0 };
    EACH_SPAN(node, v, in_part(v, part, ENGINE_BIT(ENGINE_H2D)))
    {
        int m = total_of_copy(e, v, node);
        if (m >= 0 && v->timeline->spans[node].call < call)
            copied[m]++;
    }
    *next = *ahead = -1;
    for (int64_t k = 0; k < p->count; k++) {
        int m = total_of_batch(e, part, k);
        if (m == total && copied[m]-- == 0)
            *next = (long)k;
        else if (m != total && copied[m] > 0 && copied[m]-- == 1)
            *ahead = (long)k;
    }
    return *next >= 0 && *ahead > *next;
}

/* Where a function is queued that comes right after a blend() in its stream; ANY: nowhere. */
static uint32_t behind_blend(const struct view *v, const char *part)
{
    const struct span *spans = v->timeline->spans;
    struct selection others =
        in_part(v, part,
                ENGINE_BIT(ENGINE_HOST_FUNC) | ENGINE_BIT(ENGINE_KERNEL) | ENGINE_BIT(ENGINE_H2D));
    EACH_SPAN(node, v, in_part(v, part, ENGINE_BIT(ENGINE_HOST_FUNC)))
    {
        uint32_t before = ANY;
        EACH_SPAN(other, v, others)
            if (spans[other].stream == spans[node].stream && spans[other].call < spans[node].call
                && (before == ANY || spans[other].call > spans[before].call))
                before = other;
        if (before != ANY && spans[before].engine == ENGINE_KERNEL)
            return spans[node].call;
    }
    return ANY;
}

/* The slot that the thread of that call filled before it; -1: none since that time. */
static long filled_before(const struct view *v, struct selection s, size_t call, int64_t since)
{
    for (size_t i = call; i-- > s.first_call;)
        if (v->timeline->calls[i].thread == v->timeline->calls[call].thread
            && label_number(v, i, FILL) >= 0)
            return v->timeline->calls[i].begin > since ? label_number(v, i, FILL) : -1;
    return -1;
}

/* Where the thread of that fill() waited for a whole stream, for most of the time since then; ANY:
 * it did not. */
static uint32_t waits_for_stream(const struct view *v, struct selection s, size_t fill,
                                 int64_t since)
{
    const struct call *calls = v->timeline->calls;
    int64_t all = calls[fill].begin - since;
    s.engines = ENGINE_BIT(ENGINE_WAIT);
    s.end_call = fill;
    EACH_SPAN(node, v, s)
    {
        const struct span *wait = &v->timeline->spans[node];
        int64_t from = wait->start > since ? wait->start : since;
        if (calls[wait->call].kind == CALL_STREAM_SYNC
            && calls[wait->call].thread == calls[fill].thread && wait->end - from > all / 2)
            return wait->call;
    }
    return ANY;
}

/* The stream stood still, and the next batch for it was filled late. */
static bool why_filled_late(const struct evidence *e, struct finding *f, const char *part,
                            const struct standstill *still, size_t fill)
{
    int total = still->total;
    const struct view *v = &e->yours[0];
    int64_t middle = still->when.start + (v->timeline->calls[fill].begin - still->when.start) / 2;
    long next = label_number(v, fill, FILL);
    int can = -1, others = 0;
    for (int slot = 0; slot < SHARED; slot++) {
        int holds = slot_holds(e, part, slot, middle);
        can = holds < 0 && slot != next ? slot : can;
        others += holds == 1 - total;
    }
    blame_label(f, fill, v->timeline->spans[still->copy].call);
    int used = slots_filled(v, in_part(v, part, 0), SHARED);
    if (used < SHARED)
        return why(
            f,
            "For %lld.%02lld ms total %d had nothing to do. Of the %d slots only %d %s ever filled. All are empty at first, so all belong "
            "where the host takes one from.",
            MS_OF(still->when.end - still->when.start), total, SHARED, used,
            used == 1 ? "was" : "were");
    long late, ahead;
    if (others == SHARED && filled_ahead(e, part, fill, total, &late, &ahead))
        return why(
            f,
            "For %lld.%02lld ms total %d had nothing to do: all %d slots held batches for total %d, and batch %ld for it had been filled, but "
            "not batch %ld for total %d. It is enough to fill the batches in the order of their numbers.",
            MS_OF(still->when.end - still->when.start), total, SHARED, 1 - total, ahead, late,
            total);
    if (others == SHARED)
        return why(
            f,
            "For %lld.%02lld ms total %d had nothing to do: all %d slots held batches for total %d. Those come back only one by one, "
            "as their long blend()s end. Leave slots for the other total.",
            MS_OF(still->when.end - still->when.start), total, SHARED, 1 - total);
    uint32_t wait = waits_for_stream(v, in_part(v, part, 0), fill, still->when.start);
    if (wait != ANY && (can >= 0 || slot_holds(e, part, (int)next, middle) < 0)) {
        f->call = wait;
        f->instead = 0;
        return why(
            f,
            "For %lld.%02lld ms total %d had nothing to do, and slot %ld could have been filled. The host waits here for all that is in a "
            "stream, and fills nothing meanwhile. Let it wait only when it has no slot to fill.",
            MS_OF(still->when.end - still->when.start), total, can >= 0 ? (long)can : next);
    }
    if (slot_holds(e, part, (int)next, middle) >= 0 && can >= 0)
        return why(
            f,
            "For %lld.%02lld ms total %d had nothing to do, and slot %d could have been filled. The host waited for slot %ld, whose "
            "batch for total %d waited for a long blend(). Slots do not come back in the order in which they went out: take any that "
            "has.",
            MS_OF(still->when.end - still->when.start), total, can, next, 1 - total);
    long first = filled_before(v, in_part(v, part, 0), fill, middle);
    if (slot_holds(e, part, (int)next, middle) < 0 && first >= 0
        && slot_holds(e, part, (int)first, middle) == 1 - total)
        return why(
            f,
            "For %lld.%02lld ms total %d had nothing to do, and slot %ld could have been filled. The host waited for slot %ld, which held a batch for "
            "total %d, and filled that one first. Slots are alike: take any that has come back, for either total.",
            MS_OF(still->when.end - still->when.start), total, next, first, 1 - total);
    uint32_t behind = behind_blend(v, part);
    if (behind != ANY) {
        f->call = behind;
        f->instead = 0;
        return why(
            f,
            "For %lld.%02lld ms total %d had nothing to do. This function comes after a blend(). If it gives the slot back, it does so too late: "
            "the copy before that blend() has already emptied the slot. Queue the function right after that copy.",
            MS_OF(still->when.end - still->when.start), total);
    }
    f->call = wait_between_fills(v, in_part(v, part, 0));
    f->instead = 0;
    if (f->call == ANY)
        blame_label(f, fill, v->timeline->spans[still->copy].call);
    return why(
        f,
        "For %lld.%02lld ms total %d had nothing to do, and meanwhile the host filled slots for the other total, or waited. Let "
        "it wait only when it has no slot to fill, and do not fill for one total alone.",
        MS_OF(still->when.end - still->when.start), total);
}

/* Of a blend() with more blocks than the reference solution's not all run at once: it takes longer
 * than its time. */
static bool why_blocks(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0], *theirs = &e->reference[0];
    struct selection s = in_part(v, part, 0);
    uint32_t mine = kernel_named(v, s, "blend", NULL),
             other = kernel_named(theirs, in_part(theirs, part, 0), "blend", NULL);
    if (mine == ANY || other == ANY)
        return false;
    const struct span *m = &v->timeline->spans[mine], *o = &theirs->timeline->spans[other];
    int64_t cost = declared_cost(v, mine);
    if (cost <= 0 || m->blocks <= o->blocks || m->end - m->start < 3 * cost / 2)
        return false;
    f->call = m->call;
    why(f,
        "This launch has %u blocks, %u in the reference solution, and not all of them run at the same time: it takes %lld.%02lld ms where "
        "a block takes %lld.%02lld ms. In <<<BLOCKS, THREADS, 0, stream>>> the number of blocks comes first.",
        m->blocks, o->blocks, MS_OF(m->end - m->start), MS_OF(cost));
    return true;
}

static bool keeps_pace(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    int64_t least, took = part_makespan(v, part);
    int total = busier_total(e, part, &least);
    unsigned asked = time_asked(v, PACE_PERMILLE);
    /* Where the reference takes longer, this card's streams hold each other up, and nothing that a
     * program does changes that. */
    if (took * 1000 <= least * asked
        || part_makespan(&e->reference[0], part) * 1000 > least * asked)
        return true;
    f->function = "feed_both";
    f->word = "fill";
    expected(
        f,
        "feed_both() takes at most %u.%02u times as long as the blend()s of total %d, which has more to do: %lld.%02lld ms",
        asked / 1000, asked / 10 % 100, total, MS_OF(least * asked / 1000));
    seen(f, "%lld.%02lld ms, %lld.%02lld times as long as total %d's blend()s", MS_OF(took),
         (long long)(took / least), (long long)(took * 100 / least % 100), total);
    struct selection kernels = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    struct standstill still = longest_standstill(e, part, total),
                      other = longest_standstill(e, part, 1 - total);
    if (still.when.end - still.when.start < (took - least) / 8
        && other.when.end - other.when.start > took - least)
        still = other;
    size_t fill = still.copy == ANY ? ANY : fill_for(e, s, still.copy);
    f->call = v->timeline->spans[kernel_named(v, s, "blend", NULL)].call;
    uint32_t wait = wait_in_between(v, kernels), all = device_wait(v, s);
    if (all != ANY) {
        f->call = all;
        return why(
            f,
            "The host waits here for both totals, and fills nothing meanwhile. Wait for the one copy that has to be done.");
    }
    bool in_turn = average_width(v, kernels) < 1010, one_stream = streams_used(v, kernels) == 1;
    uint32_t later = ANY, earlier = ANY,
             event = in_turn ? wait_of_other_total(v, kernels, &later, &earlier) : ANY;
    uint32_t stray =
        in_turn && !one_stream ? in_default_stream(v, in_part(v, part, ENGINES_DEVICE)) : ANY;
    if (event != ANY) {
        f->call = event;
        return why(
            f,
            "No two blend()s ever ran at the same time: this wait makes %s, which is in another stream, wait for %s. The two totals need "
            "nothing of each other.",
            node_name(v, later).text, node_name(v, earlier).text);
    }
    if (stray != ANY) {
        f->call = stray;
        return why(
            f,
            "No two blend()s ever ran at the same time: this is in the default stream, which waits for all streams made by "
            "cudaStreamCreate() and makes them all wait. Give each total a stream of its own.");
    }
    if (in_turn && !one_stream && wait != ANY
        && v->timeline->calls[wait].kind != CALL_THREAD_WAKE) {
        f->call = wait;
        return why(
            f,
            "No two blend()s ever ran at the same time: the host waits here for one batch before it fills the next. Let it wait "
            "only when it has no slot to fill.");
    }
    if (in_turn && one_stream)
        return why(
            f,
            "No two blend()s ever ran at the same time, although the two totals need nothing of each other. Give each total a "
            "stream of its own, and let neither wait for the other.");
    if (fill != ANY
        && v->timeline->calls[fill].begin
               > still.when.start + (still.when.end - still.when.start) / 2)
        return why_filled_late(e, f, part, &still, fill);
    if (why_blocks(e, f, part))
        return false;
    if (still.copy != ANY)
        f->call = v->timeline->spans[still.copy].call;
    return why(
        f,
        "For %lld.%02lld ms total %d had nothing to do, although its next batch was filled. What did this copy wait for, or the "
        "kernel after it? Is there a long function before it in its stream?",
        MS_OF(still.when.end - still.when.start), still.total);
}

bool judge_both_pace(const struct evidence *e, struct finding *f, const char *part)
{
    return keeps_pace(e, f, part) && holds_again(e, f, keeps_pace);
}
