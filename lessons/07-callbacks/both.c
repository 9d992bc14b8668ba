/* SPDX-License-Identifier: MIT */
/*
 * (c): two streams, slots for both.
 *
 * DESIGN
 * The driver's labels say which slot is filled when. The destination of a copy
 * says which total it is for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "both.h"
#include "functions.h"

int total_of_copy(const struct evidence *e, const struct view *v, uint32_t node)
{
    const struct call *c = call_of_node(v, node);
    for (int m = 0; m < TOTALS; m++)
        if (touches(c->dst, c->bytes, places_for(e)->inbox[m], slot_bytes(e)))
            return m;
    return -1;
}

/* ---- what was done ---- */

/* Batches k for which no blend() takes ns[k]; where the device does not say what a block takes,
 * none. */
static int64_t batch_without_kernel(const struct evidence *e, const struct view *v,
                                    struct selection s)
{
    const struct plan *p = plan_for(e);
    bool used[MOST_BATCHES] = { false };
    for (uint32_t node = next_kernel(v, s, "blend", 0); node != ANY;
         node = next_kernel(v, s, "blend", node + 1)) {
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
    expected(f, "blend() is launched once for each of %lld batches, with ns[k]",
             (long long)p->count);
    if ((int64_t)launches != p->count) {
        seen(f, "it ran %zu times", launches);
        blame_count(v, f, s, "blend", "feed_both");
        return why(f, "Fill, copy and blend once for each batch from 0 to f->count - 1.");
    }
    int64_t left = batch_without_kernel(e, v, s);
    if (left >= 0) {
        f->call = v->timeline->spans[first].call;
        seen(f, "no launch takes the %lld ns of batch %lld", (long long)p->ns[left],
             (long long)left);
        return why(
            f,
            "The last argument of blend() is what this batch takes the device: f->ns[k] for batch k, unchanged.");
    }
    uint64_t moved = 0;
    struct selection copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    for (uint32_t node = next_span(v, copies, 0); node != ANY;
         node = next_span(v, copies, node + 1))
        moved += call_of_node(v, node)->bytes;
    if (moved >= slot_bytes(e) * (uint64_t)p->count)
        return true;
    expected(f, "%lld batches of %lld elements are copied to the inboxes: %llu bytes",
             (long long)p->count, (long long)p->n,
             (unsigned long long)(slot_bytes(e) * (uint64_t)p->count));
    seen(f, "%llu bytes", (unsigned long long)moved);
    if (blame_copies(v, f, copies, "feed_both"))
        return false;
    return why(
        f,
        "Copy f->n * sizeof(unsigned) bytes for each batch, out of the slot that it was filled into.");
}

/* The inbox to which more is copied than the batches of its total; -1: none. */
static int crowded_inbox(const struct evidence *e, const struct view *v, const char *part)
{
    const struct plan *p = plan_for(e);
    uint64_t bytes[TOTALS] = { 0 };
    EACH_SPAN(node, v, in_part(v, part, ENGINE_BIT(ENGINE_H2D)))
    {
        int m = total_of_copy(e, v, node);
        bytes[m < 0 ? 0 : m] += m < 0 ? 0 : call_of_node(v, node)->bytes;
    }
    for (int64_t k = 0; k < p->count; k++)
        bytes[total_of_batch(e, part, k)] -= slot_bytes(e);
    for (int m = 0; m < TOTALS; m++)
        if ((int64_t)bytes[m] > 0)
            return m;
    return -1;
}

bool judge_both_turns(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    struct chain *kernels;
    size_t count = chains_of(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), &kernels);
    uint32_t before = ANY, after = ANY;
    for (uint32_t node = next_span(v, copies, 0); node != ANY && before == ANY;
         node = next_span(v, copies, node + 1)) {
        const struct call *c = call_of_node(v, node);
        uint32_t last = ANY;
        for (uint32_t other = next_span(v, copies, 0); other < node;
             other = next_span(v, copies, other + 1))
            if (touches(c->dst, c->bytes, call_of_node(v, other)->dst,
                        call_of_node(v, other)->bytes))
                last = other;
        if (last != ANY && !chain_between(v->order, kernels, count, last, node)) {
            before = last;
            after = node;
        }
    }
    if (before != ANY) {
        expected(
            f,
            "the copy of the next batch to an inbox is bound to wait for the blend() of the batch that is there");
        seen(f, "no blend() waits for %s and is waited for by %s", node_name(v, before).text,
             node_name(v, after).text);
        f->call = v->timeline->spans[after].call;
        int crowded = crowded_inbox(e, v, part);
        if (crowded >= 0)
            why(f,
                "More batches are copied to inbox %d than there are for total %d, so others come there as well. Batch k goes to f->inbox[f->to[k]].",
                crowded, crowded);
        else
            why_unchained(
            v, f, kernels, count, before, "the copy", after, "the next copy",
            "Each total has one inbox on the device. Put the copies to it and the launches that read it into the same stream, "
            "which keeps the order for you: a stream for each total.");
    }
    free(kernels);
    return before == ANY;
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

/* How many slots have been filled when that call is made? */
static uint32_t fills_before(const struct view *v, struct selection s, size_t call)
{
    uint32_t count = 0;
    for (size_t i = s.first_call; i < call; i++)
        count += label_number(v, i, FILL) >= 0;
    return count;
}

/* The last time that this slot was filled before that call; ANY: never. */
static uint32_t filled_last(const struct view *v, struct selection s, long slot, size_t call)
{
    uint32_t last = ANY;
    for (size_t i = s.first_call; i < call; i++)
        last = label_number(v, i, FILL) == slot ? (uint32_t)i : last;
    return last;
}

static bool fills_in_time(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct refill first = first_refill(e, part);
    if (first.copy == ANY)
        return true;
    unsigned line = call_of_node(v, first.copy)->line;
    blame_label(f, first.fill, v->timeline->spans[first.copy].call);
    expected(
        f,
        "a slot is filled again after the copy of what it held, and something enforces that order");
    if (!first.seen) {
        seen(
            f,
            "slot %ld was filled after the copy of line %u from it only by luck: no function that runs after the copy had said so",
            first.slot, line);
        return why(
            f,
            "A slot can be filled when a function queued after its last copy has run, or when the host has waited for that "
            "copy.");
    }
    seen(f, "slot %ld was filled when the copy of line %u from it, for total %d, had not ended",
         first.slot, line, total_of_copy(e, v, first.copy));
    if (copy_before_fill(v, f, part, places_for(e)->shared, SHARED, slot_bytes(e))
        || function_before_copies(v, f, part, v->timeline->spans[first.copy].stream)
        || copies_other_slot(v, f, part, places_for(e)->shared, SHARED, slot_bytes(e)))
        return false;
    uint32_t second, function = function_after(v, part, first.copy, &second);
    if (function != ANY && !hb_before(v->order, first.copy, function, GUARANTEED)) {
        f->call = v->timeline->spans[function].call;
        return why_unordered(
            v, f, first.copy, "the copy", function, "the function that was queued next",
            "Nothing makes the function that was queued "
            "next, in line %u, wait for the copy: it says too early that the slot is back.",
            call_of_node(v, function)->line);
    }
    if (second != ANY) {
        blame_label(f, v->timeline->spans[second].call, 0);
        return why(
            f,
            "After this copy two functions are queued, in line %u and in line %u: does each of them say that a slot is back? One copy gives "
            "one slot back.",
            call_of_node(v, function)->line, call_of_node(v, second)->line);
    }
    uint32_t queued, run = functions_run(v, part, first.fill, &queued),
                     filled = fills_before(v, in_part(v, part, 0), first.fill) + 1;
    if (filled > run + SHARED)
        return why(
            f,
            "This was fill number %u, and %u %s had run by then, which allows %u. Do the counts of empty slots begin at %d together, does each "
            "function raise one by one, and is a slot asked for before each fill?",
            filled, run, run == 1 ? "function" : "functions", run + SHARED, SHARED);
    uint32_t last = filled_last(v, in_part(v, part, 0), first.slot, first.fill);
    if (last != ANY
        && v->timeline->calls[last].thread != v->timeline->calls[first.fill].thread)
        return why(
            f,
            "Another thread of the host filled this slot last. Nothing that comes after that copy had said that the slot is back. Do two threads "
            "take the same slots, each with a count of its own, or with one that does not say which slot is back?");
    struct finding hazard = { .call = ANY };
    if (!judge_hazards(e, &hazard, part)
        && hazard_has(&e->yours[hazard.view], &hazard, CALL_HOST_FUNC))
        return why(
            f,
            "A function may have given back another slot than the one that was copied, because what is at its address had changed when it "
            "ran: %s. Leave each function an address of its own, whose contents stay.",
            hazard.seen);
    return why(
        f,
        "Nothing that comes after this copy had said that the slot is back. Had another one come back? The streams give slots "
        "back in the order in which the copies are done, which is not the order in which you filled them. The function that is queued after "
        "a copy can say which slot it stands for.");
}

static bool totals_right(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct plan *p = plan_for(e);
    const uint32_t *batch = exchange_input(e->exchange, SLOT_BATCHES, NULL),
                   *got = exchange_output(
                       e->exchange, strcmp(part, MORE_BOTH) == 0 ? SLOT_TOTALS_AGAIN : SLOT_TOTALS,
                       NULL);
    if (strcmp(part, MORE_BOTH) != 0
        && !reads_inbox(v, f, part, "blend", exchange_output(e->exchange, SLOT_BLENDED, NULL),
                        TOTALS * p->count))
        return false;
    for (int m = 0; m < TOTALS; m++)
        for (int64_t i = 0; i < p->n; i++) {
            uint32_t total = TOTAL_BEFORE;
            for (int64_t k = 0; k < p->count; k++)
                total = total_of_batch(e, part, k) == m ? 3 * total + batch[k * p->n + i] : total;
            if (got[m * p->n + i] == total)
                continue;
            f->call = v->timeline->spans[kernel_named(v, in_part(v, part, 0), "blend", NULL)].call;
            expected(f,
                     "total %d has its batches, each once and in their order: element %lld is %u",
                     m, (long long)i, total);
            seen(f, "%u", got[m * p->n + i]);
            return why(
                f,
                "Batch k is for total f->to[k] alone, by way of inbox[f->to[k]], and is copied out of the slot that it was filled "
                "into. A later batch of the same total counts less, so their order matters.");
        }
    return true;
}

/* ---- functions and threads ---- */

/* Has a thread that fills ever slept before its last filling: until another thread woke it, or in a
 * call that waits? */
static bool has_slept(const struct view *v, struct selection s)
{
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        bool waits = c->kind == CALL_THREAD_WAKE || c->kind == CALL_STREAM_SYNC
                     || c->kind == CALL_DEVICE_SYNC
                     || (c->kind == CALL_EVENT_SYNC && !spins_at_event(v->timeline, i))
                     || (c->kind == CALL_COPY && !(c->flags & CALL_ASYNC));
        if (waits && fills_later(v, s, i))
            return true;
    }
    return false;
}

bool judge_both_asleep(const struct evidence *e, struct finding *f, const char *part)
{
    static const char wake[] =
        "Let it sleep in pthread_cond_wait() or sem_wait() until a function gives a slot back, whichever stream it is of.";
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    uint32_t poll = poll_between_fills(v, s);
    if (poll == ANY && has_slept(v, s))
        return true;
    f->function = "feed_both";
    f->word = "fill";
    expected(f, "while no slot can be filled the host sleeps, and what gives a slot back wakes it");
    if (poll != ANY)
        return says_poll(v, f, poll, "fillings the host", wake);
    seen(f, "no thread that fills has ever slept");
    return why(f, "A thread that polls keeps a processor busy, and notices late. %s", wake);
}

/* ---- the second call ---- */

/* What comes of a hazard in (c) is luck, and who polls there takes a second time as long. */
static bool is_judged_again(const struct evidence *e)
{
    struct finding other = { .call = ANY };
    return judge_hazards(e, &other, "c") && judge_both_asleep(e, &other, "c");
}

bool holds_again(const struct evidence *e, struct finding *f,
                 bool (*judge)(const struct evidence *, struct finding *, const char *))
{
    if (!part_ran(&e->yours[0], MORE_BOTH) || !is_judged_again(e) || judge(e, f, MORE_BOTH))
        return true;
    char text[sizeof f->expected];
    snprintf(text, sizeof text, "%s", f->expected);
    return expected(f, "called again, with each batch for the other total: %s", text);
}

bool judge_both_slots(const struct evidence *e, struct finding *f, const char *part)
{
    return fills_in_time(e, f, part) && holds_again(e, f, fills_in_time);
}

bool judge_both_totals(const struct evidence *e, struct finding *f, const char *part)
{
    if (!totals_right(e, f, part))
        return false;
    if (is_judged_again(e)
        && !comes_to_its_end(
            &e->yours[0], f, MORE_BOTH, "feed_both", "to",
            "The first call was right. Does a variable keep something of that call, or does something depend on which total a batch is for?"))
        return expected(
            f, "feed_both(), called again with each batch for the other total, comes to its end");
    return holds_again(e, f, totals_right);
}
