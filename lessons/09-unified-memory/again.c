/* SPDX-License-Identifier: MIT */
/*
 * (a) and (c), called again.
 *
 * DESIGN
 * For programs that have a grid, an array or a number of probes which is enough for the first call
 * and not for every one. No page is counted: only that nothing is touched that is not the program's
 * own, and that what comes of it is right.
 */
#include "pages.h"

static const struct again *again_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_AGAIN, NULL);
}

bool grid_again(const struct evidence *e, struct finding *f)
{
    const struct view *v = &e->yours[0];
    uint64_t n = (uint64_t)again_of(e)->n;
    uint32_t node = kernel_named(v, in_part(v, AGAIN "a", 0), "calibrate", NULL);
    if (node == ANY)
        return true;
    expected(f, "called again, with %llu elements: a thread for each", (unsigned long long)n);
    seen(f, "%llu threads",
         (unsigned long long)v->timeline->spans[node].blocks * call_of_node(v, node)->block[0]);
    return has_threads_for(v, f, node, n);
}

#define OTHER_SIZES \
    "The first call was right. Is any size or number fixed that should come from the arguments of this call?"

/* The learner's function of a part, and what says how much it has to do. */
struct second {
    const char *part, *function, *word;
    const uint32_t *out, *gain; /* gain: NULL for (a) */
    int64_t n;
};

bool right_again(const struct evidence *e, struct finding *f, char part)
{
    const struct again *again = again_of(e);
    const uint32_t *in = exchange_input(e->exchange, SLOT_PLATE, NULL);
    uint32_t gain[16];
    struct second s = { AGAIN "a", "calibrate_all", "n",
                        exchange_output(e->exchange, OUT_AGAIN, NULL), NULL, again->n };
    if (part == 'c') {
        gains_of(&again->plate, in, gain);
        s = (struct second){ AGAIN "c", "control", "probes",
                             exchange_output(e->exchange, OUT_PLATE_AGAIN, NULL), gain,
                             again->cells };
    }
    if (!comes_through(e, f, part == 'a' ? "a" : "c", s.part, s.function, s.word, OTHER_SIZES))
        return false;
    bool ran = part_ran(&e->yours[0], s.part);
    for (int64_t i = 0; ran && i < s.n; i++) {
        uint32_t right = wanted(in, (uint64_t)i, s.gain);
        if (s.out[i] == right)
            continue;
        f->call = ANY;
        f->function = s.function;
        f->word = s.word;
        if (part == 'a')
            expected(f, "called again, with %lld elements, element %lld is %u", (long long)s.n,
                     (long long)i, right);
        else
            expected(f,
                     "called again, with %lld probes of %lld cells and %lld rounds, cell %lld is %u",
                     (long long)again->plate.probes, (long long)s.n,
                     (long long)again->plate.rounds, (long long)i, right);
        seen(f, "%u", s.out[i]);
        return why(f, OTHER_SIZES);
    }
    return true;
}
