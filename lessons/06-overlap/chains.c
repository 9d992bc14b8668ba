/* SPDX-License-Identifier: MIT */
/* Judges of part d. A step of a chain is known by what it costs, STEP_NS; on a real card, by how
 * long it took: that is up to two microseconds more, on an H200 one. */
#include "grader/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "lesson.h"

#define SHARE 900               /* of the reference's width, in thousandths */
#define NUMBER_OF_STEPS (CHAINS * STEPS)

static float stepped(float value)
{
    for (int step = 0; step < STEPS; step++)
        value = 2 * (value + (float)step);
    return value;
}

/* Which step of which chain took so long? -1 for none. */
static int step_of(int64_t ns)
{
    int64_t number = (ns - STEP_NS(0, 0)) / STEP_APART;
    return ns >= STEP_NS(0, 0) && number < NUMBER_OF_STEPS ? (int)number : -1;
}

/* The node of each step, NO_NODE where it never started; returns how many kernels the part has. */
static size_t steps(const struct view *v, const char *part, uint32_t node[NUMBER_OF_STEPS])
{
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    size_t count = 0;
    bool declared = false;
    for (int i = 0; i < NUMBER_OF_STEPS; i++)
        node[i] = NO_NODE;
    for (size_t i = s.first_call; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_COST || c->node >= t->span_count
            || t->spans[c->node].call < s.first_call || t->spans[c->node].call >= s.end_call)
            continue;
        declared = true;
        if (step_of(c->cost) >= 0)
            node[step_of(c->cost)] = c->node;
    }
    EACH_SPAN(k, v, s) {
        const struct span *span = &t->spans[k];
        count++;
        if (!declared && span->end != TIME_NEVER && step_of(span->end - span->start) >= 0)
            node[step_of(span->end - span->start)] = k;
    }
    return count;
}

/* A launch of the part, the first; where there is none, the function. */
static void blame_launch(const struct view *v, struct finding *f, const char *part)
{
    f->call = call_number(
        v, next_kernel(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), "chain_step", 0));
    f->function = "chains()";
}

bool chains_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    uint32_t node[NUMBER_OF_STEPS];
    size_t count = steps(v, part, node);
    for (int i = 0; i < NUMBER_OF_STEPS; i++)
        if (node[i] == NO_NODE) {
            expected(f, "steps 0, 1 and 2 of all %d chains run", CHAINS);
            seen(f, "step %d of chain %d never ran; there were %zu launches", i % STEPS, i / STEPS,
                 count);
            blame_launch(v, f, part);
            return why(f,
                       "Each of the %d chains needs three launches of chain_step(), one block each. Its arguments are the rows, a "
                       "row's length, the chain's number and the step's number. Both numbers begin with 0.",
                       CHAINS);
        }
    for (int i = 0; i < NUMBER_OF_STEPS; i++) {
        int chain = i / STEPS, step = i % STEPS;
        if (step == 0 || hb_before(v->order, node[i - 1], node[i], GUARANTEED))
            continue;
        f->call = v->timeline->spans[node[i]].call;
        expected(f, "step %d of chain %d is bound to wait for step %d of chain %d", step, chain,
                 step - 1, chain);
        if (hb_before(v->order, node[i], node[i - 1], GUARANTEED)) {
            seen(f, "it is the other way round: step %d is bound to wait for step %d", step - 1,
                 step);
            return why(f,
                       "A stream does its work in the order in which it was queued: launch step %d of a chain before "
                       "step %d.",
                       step - 1, step);
        }
        char names[2][16];
        snprintf(names[0], sizeof names[0], "step %d", step - 1);
        snprintf(names[1], sizeof names[1], "step %d", step);
        seen(f, "nothing makes it wait");
        return why_unordered(v, f, node[i - 1], names[0], node[i], names[1],
                             "Nothing orders two streams. Steps that run in the right order nevertheless do so by luck. Give each chain "
                             "one stream for all of its steps.");
    }
    return true;
}

bool chains_wait(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    size_t end = in_part(v, part, 0).end_call, missing = 0;
    uint32_t first = ANY;
    struct chain *k;
    size_t count = chains_of(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), &k);
    for (size_t i = 0; i < count; i++)
        if (!hb_before_call(v->order, k[i].node, v->timeline->calls, end, GUARANTEED) && !missing++)
            first = k[i].node;
    free(k);
    if (!missing)
        return true;
    expected(f, "when chains() returns, all steps are done");
    seen(f, "it returns without having waited for %zu of %zu kernels", missing, count);
    f->call = v->timeline->spans[first].call;
    return why_unwaited(v, f, first, end,
                        "A launch only queues the kernel, and cudaStreamDestroy() does not wait. Wait for every "
                        "stream that has kernels before you return.");
}

bool chains_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct timeline *t = e->yours[0].timeline;
    uint32_t node[NUMBER_OF_STEPS];
    steps(&e->yours[0], part, node);
    size_t bytes;
    const float *in = exchange_input(e->exchange, SLOT_D, &bytes),
                *out = exchange_output(e->exchange, SLOT_D, NULL);
    uint32_t n = (uint32_t)(bytes / sizeof(float)), count = n / CHAINS;
    for (uint32_t i = 0; i < n; i++)
        if (!(out[i] == stepped(in[i]))) {
            expected(f, "every row has gone through steps 0, 1 and 2");
            seen(f, "row %u, element %u should be %.9g and is %.9g", i / count, i % count,
                 (double)stepped(in[i]), (double)out[i]);
            for (int k = 0; k < NUMBER_OF_STEPS; k++)
                if (node[k] != NO_NODE && t->spans[node[k]].blocks != 1) {
                    f->call = t->spans[node[k]].call;
                    return why(f,
                               "This launch has %u blocks, and each of them does the whole row. A step is one block.",
                               t->spans[node[k]].blocks);
                }
            for (int k = 0; k < NUMBER_OF_STEPS; k++) {
                const struct call *c =
                    node[k] != NO_NODE ? call_of_node(&e->yours[0], node[k]) : NULL;
                uint64_t threads = c ? (uint64_t)c->block[0] : count;
                if (threads >= count)
                    continue;
                f->call = t->spans[node[k]].call;
                return why(f,
                           "This launch has %llu %s in its block, and a row has %u elements, each for a thread: %s. The second launch parameter "
                           "is BLOCK.",
                           (unsigned long long)threads, threads == 1 ? "thread" : "threads", count,
                           threads == 1 ? "only the first is done" : "the last ones are left out");
            }
            blame_launch(&e->yours[0], f, part);
            return why(f,
                       "A step was left out, done twice or done on another row. The arguments of chain_step() are the rows, a row's "
                       "length, the chain's number and the step's number.");
        }
    return true;
}

bool chains_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct timeline *t = e->yours[0].timeline;
    uint32_t node[NUMBER_OF_STEPS];
    size_t count = steps(&e->yours[0], part, node), large = 0;
    for (int i = 0; i < NUMBER_OF_STEPS; i++)
        large += node[i] != NO_NODE && t->spans[node[i]].blocks != 1;
    if (count == NUMBER_OF_STEPS && !large)
        return true;
    expected(f, "%d launches of one block each", NUMBER_OF_STEPS);
    seen(f, "%zu launches, %zu of them of more than one block", count, large);
    return why(f,
               "Each step of each chain is one launch of one block. You choose the order, not the work.");
}

/* Two steps in one stream are in order, whatever the chains are; so are the two ends of a wait that
 * a stream or the host makes. */
bool chains_apart(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct span *spans = v->timeline->spans;
    uint32_t node[NUMBER_OF_STEPS];
    steps(v, part, node);
    for (int i = 0; i < NUMBER_OF_STEPS; i++)
        for (int j = 0; j < NUMBER_OF_STEPS; j++) {
            bool graph = (call_of_node(v, node[i])->flags & GRAPH_NODE) != 0;
            if (i / STEPS == j / STEPS || (!graph && spans[node[i]].stream == spans[node[j]].stream)
                || !hb_before(v->order, node[i], node[j], GUARANTEED))
                continue;
            expected(f, "no chain waits for another");
            seen(f, "step %d of chain %d is bound to wait for step %d of chain %d", j % STEPS,
                 j / STEPS, i % STEPS, i / STEPS);
            struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
            uint32_t between = stream_wait_between(v, s, node[i], node[j]),
                     stray = in_default_stream(v, s);
            f->call = spans[node[j]].call;
            if (between != ANY) {
                f->call = between;
                return why(f,
                           "This wait makes a chain's stream wait for another chain's. A stream's own order is all that a chain needs.");
            }
            if (stray != ANY) {
                f->call = stray;
                return why(f,
                           "This is in the default stream, which waits for all streams made by cudaStreamCreate() and makes them all wait. "
                           "A launch names its stream in its fourth parameter.");
            }
            between = measure_longest_wait(v->timeline, spans[node[i]].call, spans[node[j]].call);
            if (between == ANY)
                return why(f,
                           "No row has to do with another. A stream for each chain orders the chain's steps and nothing else.");
            f->call = between;
            return why(f,
                       "The host waits here before it queues the steps that follow, and with it they all wait. Queue everything, then wait.");
        }
    return true;
}

bool chains_width(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t i = 0; i < e->views; i++) {
        const struct view *v = &e->yours[i];
        if (v->card->queues < 8 || v->card->concurrent_grids < CHAINS)
            continue;
        struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
        unsigned mine = average_width(v, s),
                 theirs = average_width(&e->reference[i],
                                        in_part(&e->reference[i], part, ENGINE_BIT(ENGINE_KERNEL)));
        if ((uint64_t)mine * 1000 >= (uint64_t)theirs * share_asked(v, SHARE))
            continue;
        f->view = i;
        expected(f, "on the %s about %u chains at once, as in the reference solution",
                 v->card->title, (theirs + 500) / 1000);
        seen(f, "%u.%u at once on average", mine / 1000, mine % 1000 / 100);
        uint32_t wait = wait_in_between(v, s);
        unsigned streams = streams_used(v, s);
        if (wait != ANY) {
            f->call = wait;
            return why(f,
                       "The host waits here while chains are not queued yet. Queue everything, then wait.");
        }
        blame_launch(v, f, part);
        if (streams < CHAINS)
            return why(
                f, "%u stream%s for %d chains: chains that share a stream run one after another.",
                streams, streams == 1 ? "" : "s", CHAINS);
        return why(f,
                   "%d streams share %d hardware queues, and a queue hands out kernels in the order in which they were queued. "
                   "While a chain's second step waits at the head of a queue, every chain behind it waits as well. Which order "
                   "never puts a step that has to wait ahead of one that could already run?",
                   CHAINS, (int)v->card->queues);
    }
    return true;
}
