/* SPDX-License-Identifier: MIT */
/*
 * The second calls: of (a), with few elements, and of (c), with more and smaller batches.
 *
 * DESIGN
 * They are for programs that have room for as many elements, or for as many batches, as the first
 * calls had.
 */
#include "again.h"
#include "slots.h"

bool trip_again(const struct evidence *e, struct finding *f)
{
    const struct view *v = &e->yours[0];
    size_t bytes;
    const uint32_t *in = exchange_input(e->exchange, SLOT_TRIP, &bytes),
                   *out = exchange_output(e->exchange, OUT_TRIP_AGAIN, NULL);
    in += bytes / sizeof *in - TRIP_AGAIN;
    if (!comes_through(e, f, "a", TRIP_PART, "trip_begin", "n",
                       "The first trip was right. Does a size not come from n, or does something of the first trip remain?"))
        return false;
    if (!part_ran(v, TRIP_PART))
        return true;
    for (int i = 0; i < TRIP_AGAIN; i++) {
        if (out[i] == mixed(in[i]))
            continue;
        f->call = ANY;
        f->function = "trip_begin";
        f->word = "n";
        expected(f, "on a second trip, of %d elements, element %d comes back as %u", TRIP_AGAIN, i,
                 mixed(in[i]));
        seen(f, "%u", out[i]);
        return why(f,
                   "The first trip was right. Does a size not come from n, or does a static or global variable keep something that the second trip should "
                   "make anew?");
    }
    return takes_what_is_asked(v, f, in_part(v, TRIP_PART, 0), TRIP_AGAIN * sizeof *in);
}

bool total_again(const struct evidence *e, struct finding *f)
{
    const struct sizes *sizes = exchange_input(e->exchange, SLOT_SIZES, NULL);
    const uint32_t *batch = exchange_input(e->exchange, SLOT_BATCHES, NULL),
                   *got = exchange_output(e->exchange, OUT_AGAIN, NULL);
    int64_t n = sizes->n / SMALLER, count = sizes->count + MORE_BATCHES;
    if (!comes_through(e, f, "c", AGAIN, "absorb_all", "count",
                       "b->count says how many batches there are. Does your program have room for only a fixed number of them?"))
        return false;
    bool ran = part_ran(&e->yours[0], AGAIN);
    for (int64_t i = 0; ran && i < n; i++) {
        uint32_t total = 0;
        for (int64_t k = 0; k < count; k++)
            total = 3 * total + batch[k * n + i];
        if (got[i] == total)
            continue;
        f->call = ANY;
        f->function = "absorb_all";
        f->word = "count";
        expected(f,
                 "called again, with %lld batches of %lld elements, element %lld of the total is %u",
                 (long long)count, (long long)n, (long long)i, total);
        seen(f, "%u", got[i]);
        return why(f,
                   "The first call was right. Is there a size or a number of batches that does not come from b->n and b->count, or a static variable that keeps something of that call?");
    }
    return true;
}

bool came_back(const struct view *v, struct finding *f, const char *part)
{
    uint32_t in = next_span(v, in_part(v, part, ENGINE_BIT(ENGINE_H2D)), 0),
             out = next_span(v, in_part(v, part, ENGINE_BIT(ENGINE_D2H)), 0);
    if (in == ANY || out == ANY || call_of_node(v, out)->dst == call_of_node(v, in)->src)
        return true;
    f->call = v->timeline->spans[out].call;
    f->sure = true;
    return why(f,
               "This copy puts the elements into other memory than that from which the copy to the device reads them, and `out` got them as they "
               "were sent. Let trip_end() take them from where this copy puts them.");
}
