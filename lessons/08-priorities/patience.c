/* SPDX-License-Identifier: MIT */
/*
 * (c): how long a request waits for the batch.
 *
 * DESIGN
 * What kept a request is found by its stages: until the host queued it, until
 * reply() began, until the host handed it out. The longest is named.
 *
 * Few requests come at the worst moment, just after a launch has been queued. So
 * what one would find then is added up as well: the launches that no call has said
 * to be done, whatever the clock says. That needs no request, and no tolerance. Where a call holds
 * the host up, what a request would wait for that came meanwhile is added up by the clock.
 */
#include "batch.h"

#define LATE_PERMILLE 1100      /* of patience_ns */
#define ASKED_PERMILLE 1040     /* of it, where no request tells */

/* The stream's priority, 0 where nothing is known of it. */
static int priority_of(const struct view *v, uint32_t node)
{
    const struct timeline *t = v->timeline;
    const struct call *made = timeline_stream_made(t, t->spans[node].stream);
    return made ? card_priority(v->card, made->priority) : 0;
}

/* The record of an event in the batch's stream with no launch of the batch before it; ANY for none.
 */
static uint32_t record_before_launch(const struct view *v, const char *part)
{
    const struct timeline *t = v->timeline;
    uint32_t first = batch_next_grind(v, part, 0);
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_NONE));
    s.stream = first == ANY ? ANY : t->spans[first].stream;
    for (uint32_t node = first == ANY ? ANY : next_span(v, s, 0); node != ANY && node < first;
         node = next_span(v, s, node + 1))
        if (call_of_node(v, node)->kind == CALL_EVENT_RECORD)
            return t->spans[node].call;
    return ANY;
}

void batch_say_items(struct finding *f)
{
    f->call = ANY;
    f->function = "grind_all";
    f->word = "->item_ns grind";
}

/* The request's kernel was queued after launches of the batch. */
static bool why_behind(const struct evidence *e, const struct view *v, struct finding *f,
                       const char *part, int k, uint32_t reply)
{
    const struct timeline *t = v->timeline;
    int64_t queued = t->calls[t->spans[reply].call].begin,
            patience = patience_of(sizes_of(e), batch_wave(v)), waves = 0;
    int64_t unasked = queued - batch_came(e, v, k), behind = t->spans[reply].start - queued;
    uint32_t first = ANY;
    size_t ahead = 0;
    for (uint32_t node = batch_next_grind(v, part, 0); node != ANY;
         node = batch_next_grind(v, part, node + 1))
        if (t->spans[node].call < t->spans[reply].call && t->spans[node].end > queued) {
            waves = (t->spans[node].blocks + batch_wave(v) - 1) / batch_wave(v);
            first = first == ANY ? node : first;
            ahead++;
        }
    f->call = t->spans[reply].call;
    if (first == ANY)
        return why(f, "Look in the timeline for what reply() waited for.");
    f->call = t->spans[first].call;
    int64_t cost = declared_cost(v, first);
    if (cost > patience * LATE_PERMILLE / 1000) {
        batch_say_items(f);
        return why(
            f,
            "Each block of the launch of line %u takes %lld.%lld ms, longer than a request may wait. Blocks that run are not "
            "interrupted, and reply() has no place beside them: no priority helps here. Give a block fewer items.",
            call_of_node(v, first)->line, (long long)(cost / 1000000),
            (long long)(cost / 100000 % 10));
    }
    const char *what =
        v->card->queues == 1 ? "This card has one hardware queue for all streams, and no priorities"
        : v->card->priority_least == v->card->priority_greatest ? "This card has no priorities"
        : priority_of(v, reply) >= priority_of(v, first)
            ? "The request's stream has no greater priority than the batch's"
            : NULL;
    if (what && ahead > 1 && waves > 1)
        return why(f,
                   "%s: what is queued first goes first. When the request was queued, %zu launches of the batch were queued but not done, and "
                   "each has up to %lld waves of blocks, one after the other. Make launches of b->wave blocks, and queue the next one only when "
                   "the request could wait for all that is queued.",
                   what, ahead, (long long)waves);
    uint32_t too_early = ahead > 1 ? record_before_launch(v, part) : ANY;
    if (what && too_early != ANY) {
        f->call = too_early;
        return why(f,
                   "%s: what is queued first goes first. When the request was queued, %zu launches of the batch were queued but not done. "
                   "This event is recorded before any launch: an event says that what was queued before its record is done. Record it after the "
                   "launch that it stands for.",
                   what, ahead);
    }
    if (what && ahead == 2 && 2 * cost > patience) {
        batch_say_items(f);
        return why(f,
                   "%s: what is queued first goes first. When the request was queued, two launches of the batch were queued but not done, and "
                   "each takes %lld.%02lld ms. Give each block fewer items, until both fit into b->patience_ns, or queue a launch only when none is queued.",
                   what, (long long)(cost / 1000000), (long long)(cost / 10000 % 100));
    }
    if (what && ahead > 1)
        return why(f,
                   "%s: what is queued first goes first. When the request was queued, %zu launches of the batch were queued "
                   "but not done. Queue the next one only when the request could wait for all that is queued.",
                   what, ahead);
    if (what && waves > 1)
        return why(f,
                   "%s: what is queued first goes first, and this one launch has %lld waves of blocks. Make launches of b->wave "
                   "blocks, and queue the next one only when the request could wait for all that is queued.",
                   what, (long long)waves);
    return why(f,
               "The request was queued %lld.%02lld ms after it had come, and waited %lld.%02lld ms more for blocks of this launch, "
               "which are not interrupted. Add up the two waits of a request: until the host asks for it, and until the work that "
               "nothing overtakes is done. Together they may take b->patience_ns.",
               (long long)(unasked / 1000000), (long long)(unasked / 10000 % 100),
               (long long)(behind / 1000000), (long long)(behind / 10000 % 100));
}

/* A copy that had brought the same bytes home before this one did; ANY for none. */
static uint32_t answered_again(const struct view *v, const char *part, uint32_t copy)
{
    const struct call *last = call_of_node(v, copy);
    EACH_SPAN(node, v, in_part(v, part, ENGINE_BIT(ENGINE_D2H)))
        if (node != copy && call_of_node(v, node)->dst == last->dst
            && call_of_node(v, node)->bytes == last->bytes)
            return node;
    return ANY;
}

/* Blames the call that held this thread up for at least half of that time. False: none did. */
static bool held_for_most(const struct view *v, struct finding *f, const char *part,
                          uint32_t thread, int64_t from, int64_t to)
{
    f->call = batch_held_between(v, part, thread, from, to);
    if (f->call == ANY)
        return false;
    const struct call *c = &v->timeline->calls[f->call];
    return 2 * (c->end - c->begin) >= to - from;
}

static bool why_impatient(const struct evidence *e, size_t view, struct finding *f,
                          const char *part, int k)
{
    const struct view *v = &e->yours[view];
    const struct timeline *t = v->timeline;
    uint32_t copy = batch_copy_home(e, view, part, k), reply = batch_reply_before(v, part, copy),
             out = batch_mark(v, HANDED_OUT, k);
    if (reply == ANY)
        return why(f, "Look in the timeline for what the request waited for.");
    uint32_t again = answered_again(v, part, copy);
    if (again != ANY) {
        f->call = t->spans[copy].call;
        return why(f,
                   "The answer of this request had come home before: line %u copied it to `out`, and this does so again. Call answer() once for "
                   "each request.",
                   call_of_node(v, again)->line);
    }
    int64_t queued = t->calls[t->spans[reply].call].begin;
    int64_t unasked = queued - batch_came(e, v, k), behind = t->spans[reply].start - queued;
    int64_t after = t->calls[out].begin - t->spans[copy].end;
    if (after > unasked && after > behind) {
        if (held_for_most(v, f, part, t->calls[out].thread, t->spans[copy].end,
                          t->calls[out].begin))
            return why(f,
                       "The answer had reached the host %lld.%lld ms earlier. Meanwhile the host was here. Wait for the request's own stream "
                       "alone, and hand it out at once.",
                       (long long)(after / 1000000), (long long)(after / 100000 % 10));
        f->call = ANY;
        f->function = "grind_all";
        f->word = "hand_out";
        return why(f,
                   "The answer had reached the host %lld.%lld ms earlier, and no call held the host up for as long. Hand each answer out when "
                   "answer() has returned, before other work is queued or another request is asked for.",
                   (long long)(after / 1000000), (long long)(after / 100000 % 10));
    }
    if (unasked > behind) {
        if (held_for_most(v, f, part, t->calls[t->spans[reply].call].thread, batch_came(e, v, k),
                          queued))
            return why(f,
                       "The request was queued %lld.%lld ms after it had come. The host was held up here, and cannot take a request "
                       "meanwhile. Wait for less at a time, or ask cudaEventQuery() and request_came() in turn.",
                       (long long)(unasked / 1000000), (long long)(unasked / 100000 % 10));
        f->call = ANY;
        f->function = "grind_all";
        f->word = "request_came";
        return why(f,
                   "The request was queued %lld.%lld ms after it had come, though no call held the host up for as long. Ask "
                   "request_came() in the loop that queues the batch, and answer what it brings at once.",
                   (long long)(unasked / 1000000), (long long)(unasked / 100000 % 10));
    }
    return why_behind(e, v, f, part, k, reply);
}

/* Does the part's reply() go before blocks of the batch that are queued and do not run yet? */
static bool overtakes(const struct view *v, const char *part)
{
    uint32_t reply = next_kernel(v, in_part(v, part, 0), "reply", 0),
             grind = batch_next_grind(v, part, 0);
    return v->card->queues != 1 && reply != ANY && grind != ANY
           && priority_of(v, reply) < priority_of(v, grind);
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
    for (uint32_t other = batch_next_grind(v, part, 0); other != ANY;
         other = batch_next_grind(v, part, other + 1)) {
        if (t->spans[other].call > call)
            continue;
        if (batch_is_known(v, other, call)) {
            q.known++;
            continue;
        }
        q.launches++;
        q.ns += declared_cost(v, other) * t->spans[other].blocks / batch_wave(v);
        q.over += t->spans[other].end <= t->calls[call].begin;
    }
    return q;
}

/* Would a request have waited too long that had come at a worse moment? */
static bool judge_queued(const struct evidence *e, struct finding *f, const char *part, size_t view)
{
    const struct view *v = &e->yours[view];
    int64_t patience = patience_of(sizes_of(e), batch_wave(v)),
            setup = setup_of(sizes_of(e), batch_wave(v));
    bool goes_first = overtakes(v, part);
    for (uint32_t node = batch_next_grind(v, part, 0); node != ANY;
         node = batch_next_grind(v, part, node + 1)) {
        int64_t cost = declared_cost(v, node);
        if (cost < 0)
            return true;        /* a real card: no kernel says what it costs */
        struct queued q =
            goes_first ? (struct queued){ .launches = 1, .ns = cost } : queued_with(v, part, node);
        if (q.ns <= patience)
            continue;
        f->view = view;
        f->call = v->timeline->spans[node].call;
        expected(f,
                 "a request may come just after a launch: it then has at most b->patience_ns of the batch ahead of it, %lld.%02lld ms",
                 (long long)(patience / 1000000), (long long)(patience / 10000 % 100));
        int64_t hundredths = (q.ns + 9999) / 10000;
        if (cost > patience) {
            batch_say_items(f);
            seen(f, "each block of the launch of line %u takes %lld.%02lld ms",
                 call_of_node(v, node)->line, (long long)(hundredths / 100),
                 (long long)(hundredths % 100));
            return why(f,
                       "Blocks that run are not interrupted, and reply() has no place beside them: no priority helps here. Give a block fewer items.");
        }
        seen(f,
             "with the launch of line %u %zu %s queued that no call had reported done: %lld.%02lld ms",
             call_of_node(v, node)->line, q.launches, q.launches == 1 ? "was" : "were",
             (long long)(hundredths / 100), (long long)(hundredths % 100));
        f->sure = q.over > 0 || (q.known == 0 && q.launches > 2);
        if (f->sure)
            return why(f,
                       "The program had not asked by then whether any of these launches is done. Their expected time is not enough: "
                       "requests come in between, and no real device is that exact. Record an event after each launch, and queue the next one when "
                       "cudaEventQuery() says that an earlier launch is done.");
        if (q.launches <= 2)
            batch_say_items(f);
        if (q.ns - (int64_t)q.launches * setup <= patience)
            return why(f,
                       "Each block takes b->setup_ns, and b->item_ns for each of its %lld items. Is the set-up taken "
                       "off half of b->patience_ns before that is divided by b->item_ns, and is the result rounded down?",
                       (long long)((cost - setup) / item_of(sizes_of(e), batch_wave(v))));
        return why(f,
                   "Give each block fewer items, or queue fewer launches at a time: together they take b->patience_ns at most.");
    }
    return true;
}

/* How long what is ahead of a request lasts that is queued at that call. */
static int64_t ahead_at(const struct view *v, const char *part, uint32_t call, bool goes_first)
{
    const struct timeline *t = v->timeline;
    int64_t now = t->calls[call].begin, over = now;
    for (uint32_t node = batch_next_grind(v, part, 0); node != ANY;
         node = batch_next_grind(v, part, node + 1)) {
        const struct span *s = &t->spans[node];
        if (s->call < call && s->end > over && (!goes_first || s->start <= now))
            over = s->end;
    }
    return over - now;
}

static bool is_taken_at(const struct view *v, uint32_t call)
{
    for (int k = 0; k < COMERS; k++)
        if (batch_mark(v, TAKEN, k) == call)
            return true;
    return false;
}

static uint32_t last_taken(const struct view *v)
{
    uint32_t last = 0;
    for (int k = 0; k < COMERS; k++) {
        uint32_t taken = batch_mark(v, TAKEN, k);
        last = taken != ANY && taken > last ? taken : last;
    }
    return last;
}

/* Would a request have waited too long that had come just after the host had asked in vain? */
static bool judge_asked(const struct evidence *e, struct finding *f, const char *part, size_t view)
{
    const struct view *v = &e->yours[view];
    const struct timeline *t = v->timeline;
    int64_t patience = patience_of(sizes_of(e), batch_wave(v));
    bool goes_first = overtakes(v, part);
    uint32_t asked = ANY, last = last_taken(v);
    for (uint32_t i = batch_mark(v, CLOCK, -1); i < last; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind == CALL_LABEL && is_taken_at(v, i))
            asked = ANY;
        if (c->kind != CALL_HOST_WORK || !is_in_driver(t, c))
            continue;           /* in request_came(), and nowhere else */
        int64_t unasked = asked != ANY ? c->begin - t->calls[asked].end : 0;
        /* What is short is no wait: judge_queued has the rest. */
        int64_t behind = unasked > patience / 8 ? ahead_at(v, part, i, goes_first) : 0;
        if ((unasked + behind) * 1000 > patience * ASKED_PERMILLE) {
            f->view = view;
            f->call = batch_held_between(v, part, c->thread, t->calls[asked].end, c->begin);
            expected(f,
                     "a request may come just after the host has asked: until it asks again, and the work that nothing overtakes is done, at "
                     "most b->patience_ns pass, %lld.%02lld ms",
                     (long long)(patience / 1000000), (long long)(patience / 10000 % 100));
            seen(f,
                 "%lld.%02lld ms until it asks again, and then %lld.%02lld ms of the batch ahead",
                 (long long)(unasked / 1000000), (long long)(unasked / 10000 % 100),
                 (long long)(behind / 1000000), (long long)(behind / 10000 % 100));
            return why(f,
                       "The host is held up here, and cannot take a request meanwhile. Wait for less at a time, or ask cudaEventQuery() and "
                       "request_came() in turn.");
        }
        asked = i;
    }
    return true;
}

bool judge_patience(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++)
        for (int k = 0; k < COMERS; k++) {
            const struct view *v = &e->yours[view];
            int64_t late = batch_late_by(e, v, &e->reference[view], k),
                    patience = patience_of(sizes_of(e), batch_wave(v));
            /* On a real card launches, questions and waits take longer, and not the same each time.
             */
            if (late * 1000 <= patience * (on_real_card(v) ? 2000 : LATE_PERMILLE))
                continue;
            int64_t best = batch_late_by(e, &e->reference[view], &e->reference[view], k);
            f->view = view;
            expected(f,
                     "beside the batch a request takes at most b->patience_ns longer than on an idle device: %lld.%02lld ms",
                     (long long)(patience / 1000000), (long long)(patience / 10000 % 100));
            seen(f, "request %d took %lld.%02lld ms longer (%lld.%02lld in the reference solution)",
                 k + 1, (long long)(late / 1000000), (long long)(late / 10000 % 100),
                 (long long)(best / 1000000), (long long)(best / 10000 % 100));
            return why_impatient(e, view, f, part, k);
        }
    for (size_t view = 0; view < e->views; view++)
        if (!judge_queued(e, f, part, view)
            || (!on_real_card(&e->yours[view]) && !judge_asked(e, f, part, view)))
            return false;
    return true;
}
