/* SPDX-License-Identifier: MIT */
/*
 * (c): what the batch costs.
 *
 * DESIGN
 * The time above what the batch has to take is found by what it went to:
 * set-ups, places that stayed empty, an idle device. In each case the largest
 * is named.
 */
#include "batch.h"

#define TIME_PERMILLE 1200      /* of one launch and the requests */

/* What one launch that does all of the batch would take. */
static int64_t batch_alone(const struct evidence *e, const struct view *v)
{
    const struct sizes *s = sizes_of(e);
    return setup_of(s, batch_wave(v))
           + (batch_items(e, v) + batch_wave(v) - 1) / batch_wave(v) * item_of(s, batch_wave(v));
}

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
    struct price p = { .first = batch_next_grind(v, part, 0) };
    int64_t wave = batch_wave(v), last = 0;
    for (uint32_t node = p.first; node != ANY;
         node = batch_next_grind(v, part, node + 1), p.launches++) {
        const struct span *s = &t->spans[node];
        int64_t cost = declared_cost(v, node), waves = (s->blocks + wave - 1) / wave;
        p.setups += waves * setup_of(sizes_of(e), wave);
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
        for (uint32_t node = batch_next_grind(v, part, 0); node != ANY;
             node = batch_next_grind(v, part, node + 1))
            end = t->spans[node].end > end ? t->spans[node].end : end;
        for (int k = 0; k < COMERS; k++)
            if (batch_came(e, v, k) < end)
                own += request_alone(v, &e->reference[view]);
        int64_t took = end - batch_begin(v);
        unsigned asked = time_asked(v, TIME_PERMILLE);
        if (took * 1000 <= own * asked)
            continue;
        struct price p = price_of(e, v, part);
        int64_t hundredths = (took * 100 + own - 1) / own;
        f->view = view;
        f->call = t->spans[p.first].call;
        expected(f,
                 "the batch takes at most %u.%02u x the time of one launch that does it all, and of the requests",
                 asked / 1000, asked / 10 % 100);
        seen(f, "%lld.%02lld x, in %zu %s", (long long)(hundredths / 100),
             (long long)(hundredths % 100), p.launches, p.launches == 1 ? "launch" : "launches");
        if (p.setups >= p.empty && p.setups >= p.idle) {
            batch_say_items(f);
            return why(f,
                       "%lld %% of the time went to setting blocks up: each block takes b->setup_ns, however few its items are. Give "
                       "it as many items as the requests' patience permits.",
                       (long long)(p.setups * 100 / took));
        }
        if (p.empty >= p.idle)
            return why(f,
                       "Places stayed empty for %lld %% of the time. A launch of fewer blocks than b->wave, or of a wave and a half, "
                       "takes as long as one whose last wave is full.",
                       (long long)(p.empty * 100 / took));
        const struct call *next = call_of_node(v, p.after_gap);
        f->call = t->spans[p.after_gap].call;
        if (next->end <= p.gap_from)
            return why(f,
                       "For %lld %% of the time no grind() ran, at most %lld.%02lld ms at once. This launch was queued in time, and "
                       "had to wait for something else. What comes between two launches in their stream?",
                       (long long)(p.idle * 100 / took), (long long)(p.gap / 1000000),
                       (long long)(p.gap / 10000 % 100));
        uint32_t held = batch_held_between(v, part, next->thread, p.gap_from, next->begin);
        f->call = held != ANY ? held : f->call;
        return why(f,
                   "For %lld %% of the time no grind() ran, at most %lld.%02lld ms at once, while the host was here. Queue a launch "
                   "while the one before it runs, so that the device does not wait for the host.",
                   (long long)(p.idle * 100 / took), (long long)(p.gap / 1000000),
                   (long long)(p.gap / 10000 % 100));
    }
    return true;
}
