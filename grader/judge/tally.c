/* SPDX-License-Identifier: MIT */
#include "grader/judge/tally.h"

void tally_add(struct tally *tally, const struct verdict *v)
{
    for (size_t i = 0; i < v->lesson->check_count; i++) {
        tally[i].passed += v->results[i].outcome == PASSED;
        tally[i].failed += v->results[i].outcome == FAILED;
    }
}

/* So many of the pairs have to pass. */
static unsigned enough(const struct check *c)
{
    return c->kind == OVERLAP ? 2 : PAIRS_MOST / 2 + 1;
}

bool tally_is_open(const struct tally *tally, const struct verdict *v)
{
    for (size_t i = 0; i < v->lesson->check_count; i++) {
        unsigned passes = enough(v->results[i].check);
        bool settled = tally[i].passed >= passes || tally[i].failed > PAIRS_MOST - passes;
        bool failed_before = v->simulated && v->simulated->results[i].outcome != PASSED;
        if (tally[i].failed > 0 && !settled && !failed_before)
            return true;
    }
    return false;
}

void tally_settle(const struct tally *tally, struct verdict *v)
{
    for (size_t i = 0; i < v->lesson->check_count; i++) {
        struct result *r = &v->results[i];
        if (r->outcome == NOT_ATTEMPTED || tally[i].passed + tally[i].failed == 0)
            continue;
        bool few = tally[i].passed < enough(r->check) && tally[i].failed >= tally[i].passed;
        enum outcome outcome = tally[i].failed > 0 && few ? FAILED : PASSED;
        if (outcome == FAILED && r->outcome != FAILED)
            r->finding.call = ANY;
        r->outcome = outcome;
    }
    judge_settle(v);
}
