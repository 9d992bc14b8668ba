/* SPDX-License-Identifier: MIT */
/* (b) and (c): is each result what the kernel makes of its element? */
#include "batch.h"

static uint32_t crunched(uint32_t x) { return 1664525u * x + 1013904223u; }
static uint32_t replied(uint32_t x) { return 5 * x + 1; }

/* Elements, and the kernel that each of them goes through. */
struct set {
    int in, out;                /* slots */
    uint32_t (*result)(uint32_t);
    const char *what, *kernel, *why;
};

static bool judge_set(const struct evidence *e, struct finding *f, const char *part, size_t view,
                      const struct set *s)
{
    const struct view *v = &e->yours[view];
    size_t bytes;
    const uint32_t *in = exchange_input(e->exchange, s->in, &bytes);
    const uint32_t *out = exchange_output_of(e->exchange, view, s->out, NULL);
    uint32_t n = (uint32_t)(bytes / sizeof *in), wrong = 0, first = 0;
    for (uint32_t i = 0; i < n; i++)
        if (out[i] != s->result(in[i]) && !wrong++)
            first = i;
    if (wrong == 0)
        return true;
    f->view = view;
    f->call = call_number(v, next_kernel(v, in_part(v, part, 0), s->kernel, 0));
    expected(f, "each of the %u elements of %s went through %s() once: element %u is %u", n,
             s->what, s->kernel, first, s->result(in[first]));
    seen(f, "%u %s wrong, the first is element %u: %u", wrong, wrong == 1 ? "is" : "are", first,
         out[first]);
    if (wrong == 1 && first == n - 1 && s->out == OUT_BULK)
        return why(f,
                   "Only the last element is wrong: crunch() has to get b->n, all elements, and b->tiles, all tiles.");
    size_t of = (size_t)sizes_of(e)->request;
    if (s->in == IN_BATCH && batch_why_items(e, view, f, part))
        return false;
    if (s->in == IN_REQUESTS
        && why_short_copy(v, f, request_calls(v, (int)(first / of), 0), of * sizeof *in))
        return false;
    return why(f, "%s",
               out[first] == s->result(s->result(in[first])) ? "It went through the kernel twice."
                                                             : s->why);
}

static bool judge_sets(const struct evidence *e, struct finding *f, const char *part,
                       const struct set *bulk, const struct set *requests)
{
    for (size_t view = 0; view < e->views; view++)
        if (!judge_set(e, f, part, view, bulk) || !judge_set(e, f, part, view, requests))
            return false;
    return true;
}

bool judge_output(const struct evidence *e, struct finding *f, const char *part)
{
    static const struct set bulk = {
        IN_BULK,
        OUT_BULK,
        crunched,
        "the bulk",
        "crunch",
        "Does each block get its own tile? A launch does the tiles first, first + 1, …, one for each of its blocks."
    };
    static const struct set requests = {
        IN_REQUESTS, OUT_REQUESTS,
        replied,     "the requests",
        "reply",     "Do the kernel and both copies cover all n elements of the request?"
    };
    return judge_sets(e, f, part, &bulk, &requests);
}

bool judge_results(const struct evidence *e, struct finding *f, const char *part)
{
    static const struct set batch = {
        IN_BATCH,
        OUT_BATCH,
        batch_ground,
        "the batch",
        "grind",
        "Do the launches cover all items, from 0 to b->items - 1? Block k of a launch does `each` items, from first + k * each."
    };
    static const struct set comers = {
        IN_COMERS,
        OUT_COMERS,
        replied,
        "the requests",
        "reply",
        "Is each request handed out with its own answer, and only after answer() has returned?"
    };
    return judge_sets(e, f, part, &batch, &comers);
}
