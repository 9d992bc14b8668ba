/* SPDX-License-Identifier: MIT */
/*
 * (c): two streams, slots for both.
 *
 * DESIGN
 * Which slot is filled when the driver's labels say; which total a copy is for
 * its destination does. How long all has to take is known beforehand: the sum of
 * the kernels of that total which has more to do. What is lost above that is
 * looked for where this total's stream stood still longest: was a slot free
 * then, and for which one did the host wait?
 */
#include "grader/check.h"

#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "slots.h"

#define PACE_PERMILLE 1200

static const struct plan *plan_for(const struct evidence *e)
{
    return exchange_input(e->exchange, SLOT_PLAN, NULL);
}

static const struct places *places_for(const struct evidence *e)
{
    return exchange_output(e->exchange, SLOT_PLACES, NULL);
}

static uint64_t slot_bytes(const struct evidence *e)
{
    return (uint64_t)plan_for(e)->n * sizeof(uint32_t);
}

static bool touches(uint64_t from, uint64_t bytes, uint64_t other, uint64_t other_bytes)
{
    return from < other + other_bytes && other < from + bytes;
}

/* For which total is this copy? -1: for none. */
static int total_of_copy(const struct evidence *e, const struct view *v, uint32_t node)
{
    const struct call *c = call_of_node(v, node);
    for (int m = 0; m < TOTALS; m++)
        if (touches(c->dst, c->bytes, places_for(e)->inbox[m], slot_bytes(e)))
            return m;
    return -1;
}

/* ---- what was done ---- */

/* Batches k for which no blend() takes ns[k]; where the device does not say what a block takes, none. */
static int64_t batch_without_kernel(const struct evidence *e, const struct view *v, struct selection s)
{
    const struct plan *p = plan_for(e);
    bool used[MOST_BATCHES] = { false };
    for (uint32_t node = next_kernel(v, s, "blend", 0); node != ANY; node = next_kernel(v, s, "blend", node + 1)) {
        int64_t cost = declared_cost(v, node), k = 0;
        if (cost < 0)
            return -1;
        while (k < p->count && (used[k] || p->ns[k] != cost))
            k++;
        if (k < p->count)
            used[k] = true;
    }
    for (int64_t k = 0; k < p->count; k++)
        if (!used[k])
            return k;
    return -1;
}

bool judge_both_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct plan *p = plan_for(e);
    struct selection s = in_part(v, part, 0);
    size_t launches;
    uint32_t first = kernel_named(v, s, "blend", &launches);
    f->function = "feed_both";
    f->word = "blend";
    expected(f, "blend() is launched once for each of %lld batches, with ns[k]", (long long)p->count);
    if ((int64_t)launches != p->count) {
        seen(f, "it ran %zu times", launches);
        blame_count(v, f, s, "blend", "feed_both");
        return why(f, "Fill, copy and blend once for each batch from 0 to f->count - 1.");
    }
    int64_t left = batch_without_kernel(e, v, s);
    if (left >= 0) {
        f->call = v->timeline->spans[first].call;
        seen(f, "no launch takes the %lld ns of batch %lld", (long long)p->ns[left], (long long)left);
        return why(f, "The last argument of blend() is what this batch takes the device: f->ns[k] for batch k, unchanged.");
    }
    uint64_t moved = 0;
    struct selection copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    for (uint32_t node = next_span(v, copies, 0); node != ANY; node = next_span(v, copies, node + 1))
        moved += call_of_node(v, node)->bytes;
    if (moved >= slot_bytes(e) * (uint64_t)p->count)
        return true;
    expected(f, "%lld batches of %lld elements are copied to the inboxes: %llu bytes", (long long)p->count, (long long)p->n,
             (unsigned long long)(slot_bytes(e) * (uint64_t)p->count));
    seen(f, "%llu bytes", (unsigned long long)moved);
    if (blame_copies(v, f, copies, "feed_both"))
        return false;
    return why(f, "Copy f->n * sizeof(unsigned) bytes for each batch, out of the slot that it was filled into.");
}

bool judge_both_turns(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    struct chain *kernels;
    size_t count = chains_of(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), &kernels);
    uint32_t before = ANY, after = ANY;
    for (uint32_t node = next_span(v, copies, 0); node != ANY && before == ANY; node = next_span(v, copies, node + 1)) {
        const struct call *c = call_of_node(v, node);
        uint32_t last = ANY;
        for (uint32_t other = next_span(v, copies, 0); other < node; other = next_span(v, copies, other + 1))
            if (touches(c->dst, c->bytes, call_of_node(v, other)->dst, call_of_node(v, other)->bytes))
                last = other;
        if (last != ANY && !chain_between(v->order, kernels, count, last, node)) {
            before = last;
            after = node;
        }
    }
    free(kernels);
    if (before == ANY)
        return true;
    expected(f, "the copy of the next batch to an inbox is bound to wait for the blend() of the batch that is there");
    seen(f, "nothing makes this copy wait for a blend() that comes after the copy of line %u", call_of_node(v, before)->line);
    f->call = v->timeline->spans[after].call;
    return why(f, "Each total has one inbox on the device. Put the copies to it and the launches that read it into the same stream, which "
               "keeps the order for you: a stream for each total.");
}

/* ---- slots ---- */

/* A slot that is filled too early. `seen`: the copy had not ended, else it was luck. */
struct refill { uint32_t copy; long slot; bool seen; size_t fill; };

static struct refill first_refill(const struct evidence *e, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    struct refill first = { ANY, 0, false, 0 };
    for (size_t call = s.first_call; call < s.end_call && !first.seen; call++) {
        long slot = label_number(v, call, FILL);
        if (slot < 0 || slot >= SHARED)
            continue;
        uint32_t copy = copy_still_read(v, part, places_for(e)->shared[slot], slot_bytes(e), call);
        bool early = copy != ANY && v->timeline->spans[copy].end > v->timeline->calls[call].begin;
        if (copy != ANY && (first.copy == ANY || early))
            first = (struct refill){ copy, slot, early, call };
    }
    return first;
}

bool judge_both_slots(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct refill first = first_refill(e, part);
    if (first.copy == ANY)
        return true;
    unsigned line = call_of_node(v, first.copy)->line;
    blame_label(f, first.fill, v->timeline->spans[first.copy].call);
    expected(f, "a slot is filled again after the copy of what it held, and something enforces that order");
    if (!first.seen) {
        seen(f, "slot %ld was filled after the copy of line %u from it only by luck: no function that runs after the copy had said so",
             first.slot, line);
        return why(f, "A slot can be filled when a function queued after its last copy has run, or when the host has waited for that "
                   "copy.");
    }
    seen(f, "slot %ld was filled when the copy of line %u from it, for total %d, had not ended", first.slot, line,
         total_of_copy(e, v, first.copy));
    return why(f, "Nothing that comes after this copy had said that the slot is back. Had another one come back? The streams give slots "
               "back in the order in which the copies are done, which is not the order in which you filled them. The function that is queued after "
               "a copy can say which slot it stands for.");
}

bool judge_both_totals(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct plan *p = plan_for(e);
    const uint32_t *batch = exchange_input(e->exchange, SLOT_BATCHES, NULL), *got = exchange_output(e->exchange, SLOT_TOTALS, NULL);
    for (int m = 0; m < TOTALS; m++)
        for (int64_t i = 0; i < p->n; i++) {
            uint32_t total = 0;
            for (int64_t k = 0; k < p->count; k++)
                total = p->to[k] == m ? 3 * total + batch[k * p->n + i] : total;
            if (got[m * p->n + i] == total)
                continue;
            f->call = v->timeline->spans[kernel_named(v, in_part(v, part, 0), "blend", NULL)].call;
            expected(f, "total %d has its batches, each once and in their order: element %lld is %u", m, (long long)i, total);
            seen(f, "%u", got[m * p->n + i]);
            return why(f, "Batch k is for total f->to[k] alone, by way of inbox[f->to[k]], and is copied out of the slot that it was filled "
                       "into. A later batch of the same total counts less, so their order matters.");
        }
    return true;
}

/* ---- functions and threads ---- */

/* Waiting for a lock is no more than its holder makes it; waiting for anything else is waiting for what another thread does. */
static bool waits_for_thread(const struct view *v, const struct call *c)
{
    return c->kind == CALL_THREAD_WAKE && strcmp(timeline_string(v->timeline, c->name), "a mutex") != 0
        && strcmp(timeline_string(v->timeline, c->name), "a reader-writer lock") != 0;
}

bool judge_both_short(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        bool fills = label_number(v, i, FILL) >= 0, works = c->kind == CALL_FUNCTION_WORK, waits = waits_for_thread(v, c);
        uint32_t function = fills || works || waits ? function_of_call(v, i) : ANY;
        if (function == ANY)
            continue;
        f->call = v->timeline->spans[function].call;
        expected(f, "a function that a stream calls says which slot has come back, and returns");
        if (waits) {
            seen(f, "this one waits for %s, which another thread brings about", timeline_string(v->timeline, c->name));
            return why(f, "Its stream stands still until it returns, and the functions of the other stream may wait behind it. Let a "
                       "thread of your own do the waiting.");
        }
        seen(f, fills ? "this one fills a slot itself" : "this one works or sleeps");
        return why(f, "Its stream stands still until it returns, and the functions of the other stream may wait behind it. Let a thread of "
                   "your own fill the slot: the function only says which one has come back.");
    }
    return true;
}

/* Has a thread that fills ever slept before its last filling: until another thread woke it, or in a call that waits? */
static bool has_slept(const struct view *v, struct selection s)
{
    size_t last = last_fill(v, s);
    for (size_t i = s.first_call; i < last; i++) {
        const struct call *c = &v->timeline->calls[i];
        bool waits = c->kind == CALL_THREAD_WAKE || c->kind == CALL_STREAM_SYNC || c->kind == CALL_DEVICE_SYNC
            || c->kind == CALL_EVENT_SYNC || (c->kind == CALL_COPY && !(c->flags & CALL_ASYNC));
        if (waits && thread_fills(v, s, c->thread))
            return true;
    }
    return false;
}

bool judge_both_asleep(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    uint32_t poll = poll_between_fills(v, s);
    if (poll == ANY && has_slept(v, s))
        return true;
    f->call = poll;
    f->function = "feed_both";
    f->word = "fill";
    expected(f, "while no slot can be filled the host sleeps, and what gives a slot back wakes it");
    if (poll == ANY)
        seen(f, "no thread that fills has ever slept");
    else
        seen(f, "between two fillings the host polls, or lets time pass: %s",
             timeline_string(v->timeline, v->timeline->calls[poll].name));
    return why(f, "A thread that polls keeps a processor busy, and notices late. Let it sleep in pthread_cond_wait() or sem_wait() until a "
               "function gives a slot back, whichever stream it is of.");
}

/* ---- and no longer than it has to take ---- */

#define MS_OF(ns) (long long)((ns) / 1000000), (long long)((ns) / 10000 % 100)

/* The total with more to do; *ns: how much. */
static int busier_total(const struct evidence *e, int64_t *ns)
{
    const struct plan *p = plan_for(e);
    int64_t sum[TOTALS] = { 0 };
    for (int64_t k = 0; k < p->count; k++)
        sum[p->to[k]] += p->ns[k];
    *ns = sum[0] > sum[1] ? sum[0] : sum[1];
    return sum[0] > sum[1] ? 0 : 1;
}

/* Where no batch for `total` was on the device: from the end of a kernel to the next copy to the inbox. */
struct standstill { struct interval when; uint32_t copy; int total; };

/* The end of the last kernel before `copy` in its stream; -1: there is none. */
static int64_t kernel_end_before(const struct view *v, struct selection kernels, uint32_t copy)
{
    const struct span *spans = v->timeline->spans;
    int64_t end = -1;
    kernels.stream = spans[copy].stream;
    for (uint32_t node = next_span(v, kernels, 0); node != ANY; node = next_span(v, kernels, node + 1))
        if (spans[node].end <= spans[copy].start && spans[node].end > end)
            end = spans[node].end;
    return end;
}

static struct standstill longest_standstill(const struct evidence *e, const char *part, int total)
{
    const struct view *v = &e->yours[0];
    struct selection copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D)), kernels = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    struct standstill longest = { { 0, 0 }, ANY, 0 };
    struct interval all;
    measure_extent(v->timeline, in_part(v, part, ENGINES_DEVICE), &all);
    for (uint32_t node = next_span(v, copies, 0); node != ANY; node = next_span(v, copies, node + 1)) {
        int64_t before = kernel_end_before(v, kernels, node), from = before < 0 ? all.start : before;
        int64_t to = v->timeline->spans[node].start;
        if (total_of_copy(e, v, node) == total && (longest.copy == ANY || to - from > longest.when.end - longest.when.start))
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
        if (slot >= 0 && slot < SHARED && touches(c->src, c->bytes, places_for(e)->shared[slot], slot_bytes(e)))
            return i;
    }
    return ANY;
}

/* Does this slot hold what is still to be copied at that time? For which total, then; -1: it can be filled. */
static int slot_holds(const struct evidence *e, const char *part, int slot, int64_t time)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0), copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    for (uint32_t node = next_span(v, copies, 0); node != ANY; node = next_span(v, copies, node + 1)) {
        const struct call *c = call_of_node(v, node);
        if (!touches(c->src, c->bytes, places_for(e)->shared[slot], slot_bytes(e)) || v->timeline->spans[node].end <= time)
            continue;
        size_t fill = fill_for(e, s, node);
        if (fill != ANY && v->timeline->calls[fill].begin <= time)
            return total_of_copy(e, v, node);
    }
    return -1;
}

/* The stream stood still, and the next batch for it was filled late. */
static bool why_filled_late(const struct evidence *e, struct finding *f, const char *part, const struct standstill *still, size_t fill)
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
    if (others == SHARED)
        return why(f, "For %lld.%02lld ms total %d had nothing to do: all %d slots held batches for total %d. Those come back only one by one, "
                   "as their long blend()s end. Leave slots for the other total.", MS_OF(still->when.end - still->when.start), total, SHARED,
                   1 - total);
    if (slot_holds(e, part, (int)next, middle) >= 0 && can >= 0)
        return why(f, "For %lld.%02lld ms total %d had nothing to do, and slot %d could have been filled. The host waited for slot %ld, whose "
                   "batch for total %d waited for a long blend(). Slots do not come back in the order in which they went out: take any that "
                   "has.", MS_OF(still->when.end - still->when.start), total, can, next, 1 - total);
    f->call = wait_between_fills(v, in_part(v, part, 0));
    f->instead = 0;
    if (f->call == ANY)
        blame_label(f, fill, v->timeline->spans[still->copy].call);
    return why(f, "For %lld.%02lld ms total %d had nothing to do, and meanwhile the host filled slots for the other total, or waited. Let "
               "it wait only when it has no slot to fill, and do not fill for one total alone.",
               MS_OF(still->when.end - still->when.start), total);
}

bool judge_both_pace(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    int64_t least, took = part_makespan(v, part);
    int total = busier_total(e, &least);
    unsigned asked = time_asked(v, PACE_PERMILLE);
    /* Where the reference takes longer, this card's streams hold each other up, and nothing that a program does changes that. */
    if (took * 1000 <= least * asked || part_makespan(&e->reference[0], part) * 1000 > least * asked)
        return true;
    f->function = "feed_both";
    f->word = "fill";
    expected(f, "all takes at most %u.%02u times what blend() takes for total %d, which has more to do: %lld.%02lld ms", asked / 1000,
             asked / 10 % 100, total, MS_OF(least * asked / 1000));
    seen(f, "%lld.%02lld ms, %lld.%02lld times as long as total %d's blend()s", MS_OF(took), (long long)(took / least),
         (long long)(took * 100 / least % 100), total);
    struct selection kernels = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    struct standstill still = longest_standstill(e, part, total), other = longest_standstill(e, part, 1 - total);
    if (still.when.end - still.when.start < (took - least) / 8 && other.when.end - other.when.start > took - least)
        still = other;
    size_t fill = still.copy == ANY ? ANY : fill_for(e, s, still.copy);
    f->call = v->timeline->spans[kernel_named(v, s, "blend", NULL)].call;
    uint32_t wait = wait_in_between(v, kernels);
    bool in_turn = average_width(v, kernels) < 1010, one_stream = streams_used(v, kernels) == 1;
    if (in_turn && !one_stream && wait != ANY) {
        f->call = wait;
        return why(f, "No two blend()s ever ran at the same time: the host waits here for one batch before it fills the next. Let it wait "
                   "only when it has no slot to fill.");
    }
    if (in_turn && one_stream)
        return why(f, "No two blend()s ever ran at the same time, although the two totals need nothing of each other. Give each total a "
                   "stream of its own, and let neither wait for the other.");
    if (fill != ANY && v->timeline->calls[fill].begin > still.when.start + (still.when.end - still.when.start) / 2)
        return why_filled_late(e, f, part, &still, fill);
    if (still.copy != ANY)
        f->call = v->timeline->spans[still.copy].call;
    return why(f, "For %lld.%02lld ms total %d had nothing to do, although its next batch was filled. What did this copy wait for, or the "
               "kernel after it? Is there a long function before it in its stream?", MS_OF(still.when.end - still.when.start), still.total);
}
