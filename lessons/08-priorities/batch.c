/* SPDX-License-Identifier: MIT */
/*
 * (c): the batch in launches, and the requests that come meanwhile.
 *
 * DESIGN
 * When a request came is an input, counted from the label CLOCK; when it was
 * answered the driver's labels say. What kept it is found by its stages: until
 * the host queued it, until reply() began, until the host handed it out. The
 * time above what the batch has to take is found by what it went to: set-ups,
 * places that stayed empty, an idle device. In each case the largest is named.
 *
 * Few requests come at the worst moment, just after a launch has been queued. So
 * what one would find then is added up as well: the launches that no call has said
 * to be done, whatever the clock says. That needs no request, and no tolerance.
 */
#include "judges.h"

#include <stdio.h>

#define LATE_PERMILLE 1100      /* of patience_ns */
#define TIME_PERMILLE 1150      /* of one launch and the requests */

/* ---- the part ---- */

static uint32_t next_grind(const struct view *v, const char *part, uint32_t from)
{
    return next_kernel(v, in_part(v, part, 0), "grind", from);
}

static int64_t wave_of(const struct view *v)
{
    return v->timeline->spans[own_launch(v, "grind")].blocks;
}

static int64_t items_here(const struct evidence *e, const struct view *v)
{
    return items_of(sizes_of(e), wave_of(v));
}

/* The call at which the driver's label opens, or from which the arrivals count; ANY for none. */
static uint32_t mark(const struct view *v, const char *what, int k)
{
    char text[40];
    size_t first, end;
    snprintf(text, sizeof text, k < 0 ? "%s" : "%s%d", what, k);
    return measure_label(v->timeline, text, &first, &end) ? (uint32_t)first : ANY;
}

static int64_t begin_of(const struct view *v)
{
    return v->timeline->calls[mark(v, CLOCK, -1)].end;
}

static int64_t came(const struct evidence *e, const struct view *v, int k)
{
    return begin_of(v) + arrival_of(sizes_of(e), wave_of(v), k);
}

/* How much longer request k took. */
static int64_t late_by(const struct evidence *e, const struct view *v, const struct view *reference, int k)
{
    return v->timeline->calls[mark(v, HANDED_OUT, k)].begin - came(e, v, k) - request_alone(v, reference);
}

/* The copy that brings the answer of request k home; ANY for none. */
static uint32_t copy_home(const struct evidence *e, size_t view, const char *part, int k)
{
    const struct view *v = &e->yours[view];
    const struct places *places = exchange_output_of(e->exchange, view, OUT_PLACES, NULL);
    uint64_t from = places->out[k], to = from + (uint64_t)sizes_of(e)->request * sizeof(uint32_t);
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    uint32_t last = ANY;
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1))
        if (call_of_node(v, node)->dst < to && from < call_of_node(v, node)->dst + call_of_node(v, node)->bytes)
            last = node;
    return last;
}

/* The reply() that this copy waits for; ANY for none. */
static uint32_t reply_before(const struct view *v, const char *part, uint32_t copy)
{
    uint32_t last = ANY;
    for (uint32_t node = next_kernel(v, in_part(v, part, 0), "reply", 0); copy != ANY && node != ANY;
         node = next_kernel(v, in_part(v, part, 0), "reply", node + 1))
        if (hb_before(v->order, node, copy, GUARANTEED))
            last = node;
    return last;
}

/* The label under which the last of all requests was handed out; ANY: they were not. */
static uint32_t last_handed_out(const struct view *v)
{
    uint32_t last = 0;
    for (int k = 0; k < COMERS; k++) {
        uint32_t out = mark(v, HANDED_OUT, k);
        if (out == ANY)
            return ANY;
        last = out > last ? out : last;
    }
    return last;
}

/* ---- what was done ---- */

bool judge_grinds(const struct evidence *e, struct finding *f, const char *part)
{
    const struct sizes *sizes = sizes_of(e);
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        int64_t items = items_here(e, v), item = item_of(sizes, wave_of(v)), done = 0, rounded_up = 0, largest = 0;
        bool known = true;          /* how many items a block does; on a card no kernel says */
        f->view = view;
        f->call = ANY;
        for (uint32_t node = next_grind(v, part, 0); node != ANY; node = next_grind(v, part, node + 1)) {
            int64_t cost = declared_cost(v, node), each = cost < 0 ? items : (cost - sizes->setup_ns) / item;
            f->call = v->timeline->spans[node].call;
            known = known && cost >= 0;
            if (!has_its_shared(v, f, node, own_launch(v, "grind"), "b->shared"))
                return false;
            if (cost >= 0 && (each < 1 || cost != sizes->setup_ns + each * item)) {
                expected(f, "a block of grind() takes setup_ns, and item_ns for each of its items");
                seen(f, "%lld ns", (long long)cost);
                return why(f, "Pass *b to grind() unchanged, and at least 1 as `each`.");
            }
            int64_t its = v->timeline->spans[node].blocks * each;
            done += its;
            rounded_up += each - 1;
            largest = its > largest ? its : largest;
        }
        if (done < items) {
            size_t launches;
            kernel_named(v, in_part(v, part, 0), "grind", &launches);
            expected(f, "grind() is launched for all %lld items of the batch", (long long)items);
            seen(f, "%zu %s, for %lld items", launches, launches == 1 ? "launch" : "launches", (long long)done);
            f->function = "grind_all";
            f->word = "grind";
            uint32_t last = last_handed_out(v);
            if (f->call != ANY && last != ANY && f->call < last) {
                f->call = ANY;
                f->word = "while";
                return why(f, "No launch came after the last request had been handed out. Does the loop end when all requests are answered? "
                           "It has to go on until the last item is queued, too.");
            }
            return why(f, "A launch does as many items as it has blocks, times `each`. The next launch begins with the item after "
                       "those, and the last one takes what is left, rounded up to a whole block.");
        }
        if (known && done > items + rounded_up + largest) {
            expected(f, "each of the %lld items of the batch is done once", (long long)items);
            seen(f, "the launches of grind() do %lld items", (long long)done);
            return why(f, "Some are done more than once. Is a launch made twice, or does it begin with items that another one does? The next launch "
                       "begins at first + blocks * each.");
        }
        size_t replies = 0;
        for (uint32_t node = next_kernel(v, in_part(v, part, 0), "reply", 0); node != ANY;
             node = next_kernel(v, in_part(v, part, 0), "reply", node + 1), replies++)
            if (!has_its_shared(v, f, node, own_launch(v, "reply"), "r->shared"))
                return false;
        f->call = ANY;
        size_t taken = 0;
        while (taken < COMERS && mark(v, TAKEN, (int)taken) != ANY)
            taken++;
        if (replies < taken) {
            expected(f, "each request that was taken goes through reply()");
            seen(f, "%zu %s taken, and reply() was launched %zu times in part (%s)", taken, taken == 1 ? "was" : "were", replies, part);
            f->function = "grind_all";
            f->word = "answer";
            return why(f, "answer() of part (b) does that. Give it each request that request_came() has brought.");
        }
    }
    return true;
}

/* Does the caller know that `node` is done? A host function after it may have told a thread, and no log shows how. */
static bool is_known(const struct view *v, uint32_t node, uint32_t call)
{
    if (hb_before_call(v->order, node, v->timeline->calls, call, GUARANTEED))
        return true;
    for (size_t i = 0; i < call; i++)
        if (v->timeline->calls[i].kind == CALL_FUNCTION_BEGIN && hb_before(v->order, node, v->timeline->calls[i].node, GUARANTEED))
            return true;
    return false;
}

bool judge_handed(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++)
        for (int k = 0; k < COMERS; k++) {
            const struct view *v = &e->yours[view];
            uint32_t taken = mark(v, TAKEN, k), out = mark(v, HANDED_OUT, k), copy = copy_home(e, view, part, k);
            f->view = view;
            f->function = "grind_all";
            expected(f, "each of the %d requests is handed out, after its answer has come home", COMERS);
            if (out == ANY) {
                f->word = taken == ANY ? "request_came" : "hand_out";
                seen(f, taken == ANY ? "request %d came, and was never taken" : "request %d was taken, and never handed out", k + 1);
                return why(f, taken == ANY ? "b->requests requests come, and some are late. Go on asking for them when the last launch is "
                                             "queued."
                                           : "When answer() has returned, the answer is there. Give it to hand_out().");
            }
            f->word = "hand_out";
            if (copy == ANY) {
                seen(f, "nothing was copied to `out` of request %d", k + 1);
                return why(f, "answer() of part (b) brings the answer home. Call it before hand_out().");
            }
            if (is_known(v, copy, out))
                continue;
            f->call = v->timeline->spans[copy].call;
            seen(f, "nothing had waited for %s when request %d was handed out", node_name(v, copy).text, k + 1);
            return why_unwaited(v, f, copy, out, "The call only queues the copy. The answer is there when a call that waits for it "
                                "has returned, as in answer().");
        }
    const struct view *v = &e->yours[0];
    uint32_t node = never_waited_for(v, in_part(v, part, ENGINES_DEVICE));
    if (node == ANY)
        return true;
    f->view = 0;
    f->call = v->timeline->spans[node].call;
    expected(f, "the batch is done when grind_all() returns");
    seen(f, "nothing waited for %s", node_name(v, node).text);
    return why_unwaited(v, f, node, in_part(v, part, 0).end_call, "The last launches are queued, and may still run. Call "
                        "cudaStreamSynchronize() for each stream that has some, before grind_all() returns.");
}

/* ---- how late ---- */

/* What one launch that does all of the batch would take. */
static int64_t batch_alone(const struct evidence *e, const struct view *v)
{
    const struct sizes *s = sizes_of(e);
    return s->setup_ns + (items_here(e, v) + wave_of(v) - 1) / wave_of(v) * item_of(s, wave_of(v));
}

/* The stream's priority, 0 where nothing is known of it. */
static int priority_of(const struct view *v, uint32_t node)
{
    const struct timeline *t = v->timeline;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && t->calls[i].stream == t->spans[node].stream)
            return card_priority(v->card, t->calls[i].priority);
    return 0;
}

/* The call that held the host longest in that time: of this thread, or ANY. */
static uint32_t held_between(const struct view *v, const char *part, uint32_t thread, int64_t from, int64_t to)
{
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    uint32_t longest = ANY;
    int64_t most = 0;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        int64_t low = c->begin > from ? c->begin : from, high = c->end < to ? c->end : to;
        if (c->kind != CALL_LABEL && c->kind != CALL_PART && (thread == ANY || c->thread == thread) && high - low > most) {
            most = high - low;
            longest = (uint32_t)i;
        }
    }
    return longest;
}

/* The record of an event in the batch's stream with no launch of the batch before it; ANY for none. */
static uint32_t record_before_launch(const struct view *v, const char *part)
{
    const struct timeline *t = v->timeline;
    uint32_t first = next_grind(v, part, 0);
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_NONE));
    s.stream = first == ANY ? ANY : t->spans[first].stream;
    for (uint32_t node = first == ANY ? ANY : next_span(v, s, 0); node != ANY && node < first; node = next_span(v, s, node + 1))
        if (call_of_node(v, node)->kind == CALL_EVENT_RECORD)
            return t->spans[node].call;
    return ANY;
}

/* The request's kernel was queued after launches of the batch. */
static bool why_behind(const struct evidence *e, const struct view *v, struct finding *f, const char *part, int k, uint32_t reply)
{
    const struct timeline *t = v->timeline;
    int64_t queued = t->calls[t->spans[reply].call].begin, patience = sizes_of(e)->patience_ns, waves = 0;
    int64_t unasked = queued - came(e, v, k), behind = t->spans[reply].start - queued;
    uint32_t first = ANY;
    size_t ahead = 0;
    for (uint32_t node = next_grind(v, part, 0); node != ANY; node = next_grind(v, part, node + 1))
        if (t->spans[node].call < t->spans[reply].call && t->spans[node].end > queued) {
            waves = (t->spans[node].blocks + wave_of(v) - 1) / wave_of(v);
            first = first == ANY ? node : first;
            ahead++;
        }
    f->call = t->spans[reply].call;
    if (first == ANY)
        return why(f, "Look in the timeline for what reply() waited for.");
    f->call = t->spans[first].call;
    int64_t cost = declared_cost(v, first);
    if (cost > patience * LATE_PERMILLE / 1000)
        return why(f, "Each block of this launch takes %lld.%lld ms, longer than a request may wait. Blocks that run are not "
                   "interrupted, and reply() has no place beside them: no priority helps here. Give a block fewer items.",
                   (long long)(cost / 1000000), (long long)(cost / 100000 % 10));
    const char *what = v->card->queues == 1 ? "This card has one hardware queue for all streams, and no priorities"
        : v->card->priority_least == v->card->priority_greatest ? "This card has no priorities"
        : priority_of(v, reply) >= priority_of(v, first) ? "The request's stream has no greater priority than the batch's"
        : NULL;
    if (what && ahead > 1 && waves > 1)
        return why(f, "%s: what is queued first goes first. When the request was queued, %zu launches of the batch were queued and not done, and "
                   "each has up to %lld waves of blocks, one after the other. Make launches of b->wave blocks, and queue the next one only when "
                   "the request could wait for all that is queued.", what, ahead, (long long)waves);
    uint32_t too_early = ahead > 1 ? record_before_launch(v, part) : ANY;
    if (what && too_early != ANY) {
        f->call = too_early;
        return why(f, "%s: what is queued first goes first. When the request was queued, %zu launches of the batch were queued and not done. "
                   "This event is recorded before any launch: an event says that what was queued before its record is done. Record it after the "
                   "launch that it stands for.", what, ahead);
    }
    if (what && ahead > 1)
        return why(f, "%s: what is queued first goes first. When the request was queued, %zu launches of the batch were queued "
                   "and not done. Queue the next one only when the request could wait for all that is queued.", what, ahead);
    if (what && waves > 1)
        return why(f, "%s: what is queued first goes first, and this one launch has %lld waves of blocks. Make launches of b->wave "
                   "blocks, and queue the next one only when the request could wait for all that is queued.", what,
                   (long long)waves);
    return why(f, "The request was queued %lld.%02lld ms after it had come, and waited %lld.%02lld ms more for blocks of this launch, "
               "which are not interrupted. Add up what a request may have to wait for: until the host asks, and until what nothing "
               "overtakes is done. Together that is b->patience_ns at most.", (long long)(unasked / 1000000),
               (long long)(unasked / 10000 % 100), (long long)(behind / 1000000), (long long)(behind / 10000 % 100));
}

static bool why_impatient(const struct evidence *e, size_t view, struct finding *f, const char *part, int k)
{
    const struct view *v = &e->yours[view];
    const struct timeline *t = v->timeline;
    uint32_t copy = copy_home(e, view, part, k), reply = reply_before(v, part, copy), out = mark(v, HANDED_OUT, k);
    if (reply == ANY)
        return why(f, "Look in the timeline for what the request waited for.");
    int64_t queued = t->calls[t->spans[reply].call].begin;
    int64_t unasked = queued - came(e, v, k), behind = t->spans[reply].start - queued;
    int64_t after = t->calls[out].begin - t->spans[copy].end;
    if (after > unasked && after > behind) {
        f->call = held_between(v, part, t->calls[out].thread, t->spans[copy].end, t->calls[out].begin);
        return why(f, "The answer was home %lld.%lld ms earlier.%s Wait for the request's own stream alone, and hand it out at once.",
                   (long long)(after / 1000000), (long long)(after / 100000 % 10), f->call != ANY ? " Meanwhile the host was here." : "");
    }
    if (unasked > behind) {
        f->call = held_between(v, part, t->calls[t->spans[reply].call].thread, came(e, v, k), queued);
        int64_t held = f->call == ANY ? 0 : t->calls[f->call].end - t->calls[f->call].begin;
        if (2 * held >= unasked)
            return why(f, "The request was queued %lld.%lld ms after it had come. The host was held up here, and cannot take a request "
                       "meanwhile. Wait for less at a time, or ask cudaEventQuery() and request_came() in turn.",
                       (long long)(unasked / 1000000), (long long)(unasked / 100000 % 10));
        f->call = ANY;
        f->function = "grind_all";
        f->word = "request_came";
        return why(f, "The request was queued %lld.%lld ms after it had come, though no call held the host up for as long. Ask "
                   "request_came() in the loop that queues the batch, and answer what it brings at once.",
                   (long long)(unasked / 1000000), (long long)(unasked / 100000 % 10));
    }
    return why_behind(e, v, f, part, k, reply);
}

/* Does the part's reply() go before blocks of the batch that are queued and do not run yet? */
static bool overtakes(const struct view *v, const char *part)
{
    uint32_t reply = next_kernel(v, in_part(v, part, 0), "reply", 0), grind = next_grind(v, part, 0);
    return v->card->queues != 1 && reply != ANY && grind != ANY && priority_of(v, reply) < priority_of(v, grind);
}

/* Launches of the batch that are queued at one moment, and not known to be done. */
struct queued {
    size_t launches, over;      /* over: that many were done by then, but no call had said so */
    size_t known;               /* and those that are known to be done */
    int64_t ns;                 /* of blocks, one after the other on each place */
};

/* What a request would find that came when launch `node` had been queued. */
static struct queued queued_with(const struct view *v, const char *part, uint32_t node)
{
    const struct timeline *t = v->timeline;
    uint32_t call = t->spans[node].call;
    struct queued q = { .launches = 0 };
    for (uint32_t other = next_grind(v, part, 0); other != ANY; other = next_grind(v, part, other + 1)) {
        if (t->spans[other].call > call)
            continue;
        if (is_known(v, other, call)) {
            q.known++;
            continue;
        }
        q.launches++;
        q.ns += declared_cost(v, other) * t->spans[other].blocks / wave_of(v);
        q.over += t->spans[other].end <= t->calls[call].begin;
    }
    return q;
}

/* Would a request have waited too long that had come at a worse moment? */
static bool judge_queued(const struct evidence *e, struct finding *f, const char *part, size_t view)
{
    const struct view *v = &e->yours[view];
    int64_t patience = sizes_of(e)->patience_ns, setup = sizes_of(e)->setup_ns;
    bool goes_first = overtakes(v, part);
    for (uint32_t node = next_grind(v, part, 0); node != ANY; node = next_grind(v, part, node + 1)) {
        int64_t cost = declared_cost(v, node);
        if (cost < 0)
            return true;        /* a real card: no kernel says what it costs */
        struct queued q = goes_first ? (struct queued){ .launches = 1, .ns = cost } : queued_with(v, part, node);
        if (q.ns <= patience)
            continue;
        f->view = view;
        f->call = v->timeline->spans[node].call;
        expected(f, "a request may come just after a launch: it then has at most b->patience_ns of the batch ahead of it, %lld.%02lld ms",
                 (long long)(patience / 1000000), (long long)(patience / 10000 % 100));
        int64_t hundredths = (q.ns + 9999) / 10000;
        if (cost > patience) {
            seen(f, "each block of this launch takes %lld.%02lld ms", (long long)(hundredths / 100), (long long)(hundredths % 100));
            return why(f, "Blocks that run are not interrupted, and reply() has no place beside them: no priority helps here. Give a block fewer items.");
        }
        seen(f, "with this launch %zu %s queued that no call had said to be done: %lld.%02lld ms", q.launches, q.launches == 1 ? "was" : "were",
             (long long)(hundredths / 100), (long long)(hundredths % 100));
        if (q.over > 0 || (q.known == 0 && q.launches > 2))
            return why(f, "The program had not asked by then whether any of these launches is done. How long they should take does not tell: "
                       "requests come in between, and no real device is that exact. Record an event after each launch, and queue the next one when "
                       "cudaEventQuery() says that an earlier launch is done.");
        if (q.ns - (int64_t)q.launches * setup <= patience)
            return why(f, "The items of these launches take b->patience_ns at most, and each of their blocks takes b->setup_ns besides. Take the "
                       "set-up off before you divide by b->item_ns.");
        return why(f, "Give each block fewer items, or queue fewer launches at a time: together they take b->patience_ns at most.");
    }
    return true;
}

bool judge_patience(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++)
        for (int k = 0; k < COMERS; k++) {
            const struct view *v = &e->yours[view];
            int64_t late = late_by(e, v, &e->reference[view], k), patience = sizes_of(e)->patience_ns;
            /* On a real card launches, questions and waits take longer, and not the same each time. */
            if (late * 1000 <= patience * (on_real_card(v) ? 2000 : LATE_PERMILLE))
                continue;
            int64_t best = late_by(e, &e->reference[view], &e->reference[view], k);
            f->view = view;
            expected(f, "beside the batch a request takes at most b->patience_ns longer than on an idle device: %lld.%02lld ms",
                     (long long)(patience / 1000000), (long long)(patience / 10000 % 100));
            seen(f, "request %d took %lld.%02lld ms longer (%lld.%02lld in the reference solution)", k + 1, (long long)(late / 1000000),
                 (long long)(late / 10000 % 100), (long long)(best / 1000000), (long long)(best / 10000 % 100));
            return why_impatient(e, view, f, part, k);
        }
    for (size_t view = 0; view < e->views; view++)
        if (!judge_queued(e, f, part, view))
            return false;
    return true;
}

/* ---- and at what price ---- */

/* Where the batch's time went, beyond what it has to take. */
struct price {
    int64_t setups;             /* of blocks, one after the other on a place */
    int64_t empty;              /* a last wave that is not full: places without a block */
    int64_t idle, gap;          /* no grind() runs; the longest such time */
    int64_t gap_from;
    uint32_t after_gap;         /* the launch that ends it */
    size_t launches;
    uint32_t first;             /* launch */
};

static struct price price_of(const struct evidence *e, const struct view *v, const char *part)
{
    const struct timeline *t = v->timeline;
    struct price p = { .first = next_grind(v, part, 0) };
    int64_t wave = wave_of(v), last = 0;
    for (uint32_t node = p.first; node != ANY; node = next_grind(v, part, node + 1), p.launches++) {
        const struct span *s = &t->spans[node];
        int64_t cost = declared_cost(v, node), waves = (s->blocks + wave - 1) / wave;
        p.setups += waves * sizes_of(e)->setup_ns;
        p.empty += cost < 0 ? 0 : (waves * wave - s->blocks) * cost / wave;
        if (last != 0 && s->start > last) {
            p.idle += s->start - last;
            if (s->start - last > p.gap) {
                p.gap = s->start - last;
                p.gap_from = last;
                p.after_gap = node;
            }
        }
        last = s->end > last ? s->end : last;
    }
    return p;
}

bool judge_price(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        const struct timeline *t = v->timeline;
        int64_t end = 0, own = batch_alone(e, v);
        for (uint32_t node = next_grind(v, part, 0); node != ANY; node = next_grind(v, part, node + 1))
            end = t->spans[node].end > end ? t->spans[node].end : end;
        for (int k = 0; k < COMERS; k++)
            if (came(e, v, k) < end)
                own += request_alone(v, &e->reference[view]);
        int64_t took = end - begin_of(v);
        unsigned asked = time_asked(v, TIME_PERMILLE);
        if (took * 1000 <= own * asked)
            continue;
        struct price p = price_of(e, v, part);
        int64_t hundredths = (took * 100 + own - 1) / own;
        f->view = view;
        f->call = t->spans[p.first].call;
        expected(f, "the batch takes at most %u.%02u x the time of one launch that does it all, and of the requests", asked / 1000,
                 asked / 10 % 100);
        seen(f, "%lld.%02lld x, in %zu %s", (long long)(hundredths / 100), (long long)(hundredths % 100), p.launches,
             p.launches == 1 ? "launch" : "launches");
        if (p.setups >= p.empty && p.setups >= p.idle)
            return why(f, "%lld %% of the time went to setting blocks up: each block takes b->setup_ns, however few its items are. Give "
                       "it as many items as the requests' patience permits.", (long long)(p.setups * 100 / took));
        if (p.empty >= p.idle)
            return why(f, "Places stayed empty for %lld %% of the time. A launch of fewer blocks than b->wave, or of a wave and a half, "
                       "takes as long as one whose last wave is full.", (long long)(p.empty * 100 / took));
        const struct call *next = call_of_node(v, p.after_gap);
        f->call = t->spans[p.after_gap].call;
        if (next->end <= p.gap_from)
            return why(f, "For %lld %% of the time no grind() ran, at most %lld.%02lld ms at once. This launch was queued in time, and "
                       "had to wait for something else. What comes between two launches in their stream?",
                       (long long)(p.idle * 100 / took), (long long)(p.gap / 1000000), (long long)(p.gap / 10000 % 100));
        uint32_t held = held_between(v, part, next->thread, p.gap_from, next->begin);
        f->call = held != ANY ? held : f->call;
        return why(f, "For %lld %% of the time no grind() ran, at most %lld.%02lld ms at once, and the host was here. Queue a launch "
                   "while the one before it runs, so that the device does not wait for the host.", (long long)(p.idle * 100 / took),
                   (long long)(p.gap / 1000000), (long long)(p.gap / 10000 % 100));
    }
    return true;
}
