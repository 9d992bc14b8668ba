/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * What the host does with the slots the driver says in labels, at the moment
 * when it does it; a copy is known by the slot that its source lies in. Who was
 * woken by a function the log says (CALL_THREAD_WAKE); a spin shows as time
 * spent between two fillings.
 */
#include "grader/check.h"

#include "functions.h"
#include "slots.h"

#define RING_PERMILLE 850    /* of the reference's, on the same card */

/* Copies into the inbox and kernels take turns, in the order of issue. */
bool judge_ring_turns(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_KERNEL));
    uint32_t before = ANY;
    for (uint32_t node = next_span(v, s, 0); node != ANY;
         before = node, node = next_span(v, s, node + 1)) {
        if (before == ANY || hb_before(v->order, before, node, GUARANTEED))
            continue;
        expected(
            f,
            "copies into the inbox and kernels take turns: each is bound to wait for the one before");
        seen(f, "nothing makes %s wait for %s", node_name(v, node).text, node_name(v, before).text);
        f->call = v->timeline->spans[node].call;
        return why_unordered(v, f, before, node_name(v, before).text, node, node_name(v, node).text,
                             "There is one inbox on the device. Put copies and kernels into "
                             "the same stream, which keeps the order for you.");
    }
    return true;
}

/* A slot that is filled too early. */
struct overrun {
    uint32_t copy, batch;
    long slot;
    bool seen;
    size_t fill;
};     /* `seen`: the copy had not ended, else it was luck */

/* The first function that is queued after another one for the same copy; ANY for none. */
static uint32_t second_function(const struct view *v, const char *part)
{
    uint32_t second = ANY;
    EACH_SPAN(node, v, in_part(v, part, ENGINE_BIT(ENGINE_H2D)))
    {
        function_after(v, part, node, &second);
        if (second != ANY)
            break;
    }
    return second;
}

/* The first batch that is not filled into the slot after the last batch's, and that slot; -1: they
 * take turns. */
static long out_of_turn(const struct view *v, const char *part, long *slot)
{
    struct selection s = in_part(v, part, 0);
    long batch = 0, last = -1;
    for (size_t call = s.first_call; call < s.end_call; call++) {
        *slot = label_number(v, call, FILL);
        if (*slot < 0 || *slot >= SLOTS)
            continue;
        if (last >= 0 && *slot != (last + 1) % SLOTS)
            return batch;
        last = *slot;
        batch++;
    }
    return -1;
}

static bool why_overrun(const struct view *v, struct finding *f, const char *part,
                        const struct overrun *o)
{
    const char *ahead = o->seen ? "The host is faster than the stream. " : "";
    int used = slots_filled(v, in_part(v, part, 0), SLOTS);
    uint32_t queued, run = functions_run(v, part, o->fill, &queued), most = run + SLOTS;
    if (used < SLOTS)
        return why(
            f,
            "%sOf the %d slots only %d %s filled, so the one that is empty is not always the one that is taken: fill them in turn, "
            "slot k %% RING for batch k.",
            ahead, SLOTS, used, used == 1 ? "is" : "are");
    struct counted c = counted_as_empty(v, part);
    bool too_many = queued > 0 && o->batch + 1 > most && c.waits > 1;
    if (too_many && wait_behind_fill(v, in_part(v, part, 0)) != ANY)
        return why(
            f,
            "%sThe thread fills a slot first, and waits for a function after that, before it queues the copy. A slot that it takes then has "
            "been filled over already: take one off the count before fill().",
            ahead);
    if (too_many && c.same && c.first > SLOTS)
        return why(
            f,
            "%sEach time that the host waited for a function it had begun %u fills more than functions had run. So the count of empty slots began "
            "at %u or more, or a fill took none off it: there are %d.",
            ahead, c.first, c.first, SLOTS);
    if (too_many && c.last > c.first)
        return why(
            f,
            "%sWhen the host first waited for a function it had begun %u fills more than functions had run, and when it last waited %u more. Where it "
            "waits for an empty slot, that difference is what the count began at. Does each function raise the count by one, and each fill take one "
            "off it?",
            ahead, c.first, c.last);
    struct selection s = in_part(v, part, 0);
    if (queued > 0 && o->batch + 1 > most
        && measure_trusted_wake(v->timeline, s.first_call, o->fill) < o->fill)
        return why(f, "%sThis was fill number %u, and %u %s had run by then, which allows %u.",
                   ahead, o->batch + 1, run, run == 1 ? "function" : "functions", most);
    if (queued > 0 && o->batch + 1 > most)
        return why(
            f,
            "%sThis was fill number %u, and %u %s had run by then, which allows %u. Does the count of empty slots begin at %d, does "
            "each function raise it by one, and does the host take one off it before each fill, asleep while there is none?",
            ahead, o->batch + 1, run, run == 1 ? "function" : "functions", most, SLOTS);
    long slot, turn = out_of_turn(v, part, &slot);
    if (turn >= 0)
        return why(
            f,
            "%sThe slots are not filled in turn: batch %ld goes into slot %ld. So the one that is empty is not always the one that is "
            "taken: slot k %% RING for batch k.",
            ahead, turn, slot);
    uint32_t second = second_function(v, part);
    if (second != ANY) {
        f->call = v->timeline->spans[second].call;
        f->instead = 0;
        return why(
            f,
            "This is the second function after one copy: does each of the two say that a slot is empty? One copy empties one slot.");
    }
    return why(
        f,
        "%sTake a slot only when the count of empty slots says that there is one. The function queued after the copy raises the "
        "count.",
        o->seen ? "The host is faster than the stream and has gone once around the ring. " : "");
}

/* The slot of the ring that a copy reads; -1: none of them. */
static long slot_of_copy(const struct evidence *e, const struct call *copy)
{
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    const struct sizes *sizes = exchange_input(e->exchange, SLOT_SIZES, NULL);
    for (int slot = 0; slot < SLOTS; slot++)
        if (copy->src < places->ring[slot] + (uint64_t)sizes->n * sizeof(uint32_t)
            && places->ring[slot] < copy->src + copy->bytes)
            return slot;
    return -1;
}

/* Copies come out of slots, and each slot has something in it by then. */
static bool copies_slots(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
        const struct call *c = call_of_node(v, node);
        long slot = slot_of_copy(e, c);
        if (slot >= 0 && slot_is_filled(v, s, slot, v->timeline->spans[node].call))
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "each batch is copied out of the slot into which it was filled, after that");
        if (slot < 0) {
            seen(f, "this copy reads %s host memory that is none of the slots",
                 memory_kind_name(c->src_kind));
            return why(
                f,
                "The slots are pinned memory, which a copy engine reads while the host goes on. Copy the slot itself, f->ring[k %% RING], "
                "to the inbox.");
        }
        seen(f, "when this copy was queued, nothing had been filled into slot %ld, which it reads",
             slot);
        return why(f, "Call fill() first, and name the same slot in fill() and in the copy.");
    }
    return true;
}

bool judge_ring_overrun(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    const struct sizes *sizes = exchange_input(e->exchange, SLOT_SIZES, NULL);
    struct selection s = in_part(v, part, 0);
    if (!copies_slots(e, f, part))
        return false;
    struct overrun first = { ANY, 0, 0, false, 0 };
    uint32_t batch = 0;
    for (size_t call = s.first_call; call < s.end_call && !first.seen; call++) {
        long slot = label_number(v, call, FILL);
        if (slot < 0 || slot >= SLOTS)
            continue;
        uint32_t copy = copy_still_read(v, part, places->ring[slot],
                                        (uint64_t)sizes->n * sizeof(uint32_t), call);
        bool early = copy != ANY && v->timeline->spans[copy].end > v->timeline->calls[call].begin;
        if (copy != ANY && (first.copy == ANY || early))
            first = (struct overrun){ copy, batch, slot, early, call };
        batch++;
    }
    if (first.copy == ANY)
        return true;
    unsigned line = call_of_node(v, first.copy)->line;
    blame_label(f, first.fill, v->timeline->spans[first.copy].call);
    expected(
        f,
        "a slot is filled again after the copy of what it held, and something enforces that order");
    if (first.seen)
        seen(f, "batch %u was filled into slot %ld when the copy of line %u from it had not ended",
             first.batch, first.slot, line);
    else
        seen(
            f,
            "batch %u was filled into slot %ld after the copy of line %u from it only by luck: no function that runs after the copy "
            "had said so",
            first.batch, first.slot, line);
    if (function_before_copies(v, f, part, ANY)
        || copies_other_slot(v, f, part, places->ring, SLOTS,
                             (uint64_t)sizes->n * sizeof(uint32_t)))
        return false;
    return why_overrun(v, f, part, &first);
}

/* ---- asleep, and woken ---- */

/* Did a function of the part wake a thread that fills? */
static bool is_woken(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind == CALL_THREAD_WAKE && c->node < t->span_count
            && t->spans[c->node].call >= s.first_call && thread_fills(v, s, c->thread))
            return true;
    }
    return false;
}

/* A function of the part that fills a slot itself; ANY for none. */
static uint32_t filling_function(const struct view *v, struct selection s)
{
    for (size_t i = s.first_call; i < s.end_call; i++) {
        uint32_t function = label_number(v, i, FILL) < 0 ? ANY : function_of_call(v, i);
        if (function != ANY)
            return function;
    }
    return ANY;
}

bool judge_ring_woken(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    uint32_t poll = poll_between_fills(v, s);
    if (poll == ANY && is_woken(v, s))
        return true;
    expected(f, "when no slot is empty the host sleeps, and a function of the stream wakes it");
    f->function = "feed_all";
    if (poll != ANY)
        return says_poll(
            v, f, poll, "fillings the host",
            "Let it sleep in sem_wait() or pthread_cond_wait(). The function that the stream calls wakes it.");
    uint32_t function = filling_function(v, s);
    if (function != ANY) {
        f->call = t->spans[function].call;
        seen(f, "this function fills a slot itself, and the host does not sleep");
        return why(
            f,
            "A function holds its stream up while it works, so fill() in it delays the copies queued after it. Let the "
            "function only signal that a slot is empty, and wake the thread that fills.");
    }
    f->call = wait_between_fills(v, s);
    if (f->call != ANY) {
        seen(f, "no function woke it: it waits for the device itself");
        struct selection functions = s;
        functions.engines = ENGINE_BIT(ENGINE_HOST_FUNC);
        uint32_t queued = next_span(v, functions, 0);
        if (queued != ANY)
            return why(
                f,
                "Functions are queued (line %u), and can tell the host that a slot is empty. But the host stops here first, in a CUDA "
                "call: when it goes on, the functions have run, and there is nothing left to sleep for. Take this wait out of the loop. "
                "The host needs only what the function of one slot says.",
                call_of_node(v, queued)->line);
        return why(
            f,
            "The order is right, but this is not what the exercise asks for: nothing else can wake a thread that waits in a "
            "CUDA call. Let a function queued after each copy post a semaphore, and wait for that.");
    }
    seen(f, "no function of the stream woke a thread");
    return why(
        f,
        "Queue a function after each copy with cudaLaunchHostFunc(). It calls sem_post() or pthread_cond_signal(), and the "
        "host waits for that in sem_wait() or pthread_cond_wait().");
}

bool judge_ring_beside(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    unsigned mine = label_beside_device(v, part, FILL),
             theirs = label_beside_device(&e->reference[0], part, FILL);
    if (mine * 1000 >= theirs * share_asked(v, RING_PERMILLE)) {
        int used = slots_filled(v, s, SLOTS);
        if (used == SLOTS)
            return true;
        f->function = "feed_all";
        f->word = "fill";
        expected(f, "the host fills all %d slots of the ring, and may be that many batches ahead",
                 SLOTS);
        seen(f, "it fills %d of them", used);
        return why(
            f,
            "Take the slots in turn, f->ring[k %% RING] for batch k, and let the count of empty ones begin at RING.");
    }
    expected(f, "the host fills slots while the device absorbs what was in others");
    seen(f,
         "%u %% of the shorter of the two ran beside the other (%u %% in the reference solution)",
         mine / 10, theirs / 10);
    f->call = wait_between_fills(v, s);
    if (f->call != ANY)
        return why(
            f,
            "The host waits here for the device between two fillings. With three slots it may be three batches ahead: let it wait "
            "only when none is empty.");
    return why(
        f,
        "How many slots count as empty at the beginning, and how many does the ring have? With three of them the host "
        "may be three batches ahead.");
}

static bool total_again(const struct evidence *e, struct finding *f)
{
    const struct sizes *sizes = exchange_input(e->exchange, SLOT_SIZES, NULL);
    const uint32_t *batch = exchange_input(e->exchange, SLOT_FEED, NULL),
                   *got = exchange_output(e->exchange, SLOT_FEED_AGAIN, NULL);
    int64_t n = sizes->n / SMALLER, count = more_batches(sizes->count);
    struct finding own = { .call = ANY };
    if (!judge_hazards(e, &own, "b"))       /* what comes of that is luck, in either call */
        return true;
    if (!comes_to_its_end(&e->yours[0], f, MORE_FEED, "feed_all", "count",
                          "f->count says how many batches there are. Does your program have room for only a fixed number of them?"))
        return false;
    bool ran = part_ran(&e->yours[0], MORE_FEED);
    for (int64_t i = 0; ran && i < n; i++) {
        uint32_t total = TOTAL_BEFORE;
        for (int64_t k = 0; k < count; k++)
            total = 3 * total + batch[k * n + i];
        if (got[i] == total)
            continue;
        f->call = ANY;
        f->function = "feed_all";
        f->word = "count";
        expected(f,
                 "called again, with %lld batches of %lld elements, element %lld of the total is %u",
                 (long long)count, (long long)n, (long long)i, total);
        seen(f, "%u", got[i]);
        return why(f,
                   "The first call was right. Does a variable keep something of that call, or does a size or a number of batches not come from f->n and f->count?");
    }
    return true;
}

bool judge_ring_total(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct sizes *sizes = exchange_input(e->exchange, SLOT_SIZES, NULL);
    const uint32_t *batch = exchange_input(e->exchange, SLOT_FEED, NULL);
    const uint32_t *got = exchange_output(e->exchange, SLOT_FEED, NULL);
    int64_t wrong = 0, first = 0;
    uint32_t wanted = 0;
    size_t launches;
    if (!reads_inbox(v, f, part, "absorb", exchange_output(e->exchange, SLOT_ABSORBED, NULL),
                     sizes->count))
        return false;
    for (int64_t i = 0; i < sizes->n; i++) {
        uint32_t total = TOTAL_BEFORE;
        for (int64_t k = 0; k < sizes->count; k++)
            total = 3 * total + batch[k * sizes->n + i];
        if (got[i] != total && !wrong++) {
            first = i;
            wanted = total;
        }
    }
    if (!wrong)
        return total_again(e, f);
    uint32_t node = kernel_named(v, in_part(v, part, 0), "absorb", &launches);
    f->call = node == ANY ? ANY : v->timeline->spans[node].call;
    expected(
        f,
        "%lld batches are absorbed, each once and in their order: element %lld of the total is %u",
        (long long)sizes->count, (long long)first, wanted);
    seen(f,
         "%lld of %lld elements are wrong, the first is element %lld: %u; absorb() ran %zu times",
         (long long)wrong, (long long)sizes->n, (long long)first, got[first], launches);
    if (launches != (size_t)sizes->count)
        blame_count(v, f, in_part(v, part, 0), "absorb", "feed_all");
    uint32_t back = next_span(v, in_part(v, part, ENGINE_BIT(ENGINE_D2H)), 0);
    if (launches == (size_t)sizes->count && back != ANY
        && next_span(v, in_part(v, part, ENGINE_BIT(ENGINE_H2D)), 0) == ANY) {
        f->call = v->timeline->spans[back].call;
        return why(
            f,
            "No copy brings anything to the device: this one goes from the inbox to the slot. The destination is the first argument.");
    }
    if (launches == (size_t)sizes->count && wrong < sizes->n && first + wrong == sizes->n)
        return why(
            f,
            "%s: a copy of fewer than f->n * sizeof(unsigned) bytes leaves %s out, or absorb() with fewer than f->n elements.",
            wrong == 1 ? "The wrong element is the last one"
                       : "The wrong elements are the last ones, one after the other",
            wrong == 1 ? "it" : "them");
    return why(
        f,
        launches == (size_t)sizes->count
            ? "Does each batch come to the inbox whole, n * sizeof(unsigned) bytes, out of the slot that it was filled into?"
            : "Fill, copy and absorb once for each of f->count batches.");
}
