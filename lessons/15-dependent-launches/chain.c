/* SPDX-License-Identifier: MIT */
/* (a): a chain of small kernels. */
#include "judges.h"

#include <stdlib.h>
#include <string.h>

bool judge_layers(const struct evidence *e, struct finding *f, const char *part)
{
    return has_launches(&e->yours[0], f, part, "layer", settings_of(e)->layers, settings_of(e)->n,
                        "forward");
}

bool judge_in_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    uint32_t one = next_span(v, s, 0), two = ANY;
    for (int64_t k = 1; one != ANY && (two = next_span(v, s, one + 1)) != ANY; one = two, k++) {
        if (is_after(v, one, two))
            continue;
        f->call = v->timeline->spans[two].call;
        expected(f, "each layer comes after the one before it, in an order that is guaranteed");
        seen(f, "nothing makes layer %lld wait for layer %lld", (long long)k, (long long)k - 1);
        return why_unordered(
            v, f, one, "the layer before", two, "this layer",
            "All layers belong in one stream, the caller's. It orders them, and a dependent launch keeps that order from its "
            "wait on.");
    }
    uint32_t row = copied_before(v, part), first = next_span(v, s, 0);
    if (row != ANY && first != ANY && !hb_before(v->order, row, first, GUARANTEED)) {
        f->call = v->timeline->spans[first].call;
        expected(f,
                 "layer 0 comes after what the caller had queued in `stream`: a copy, which makes row 0");
        seen(f, "nothing makes layer 0 wait for that copy");
        return why(f,
                   "The kernels are not in the stream that forward() is given, and their stream waits for nothing in it. Launch them "
                   "in the caller's stream.");
    }
    uint32_t home = copied_after(v, part);
    if (home == ANY || one == ANY || hb_before(v->order, one, home, GUARANTEED))
        return true;
    f->call = v->timeline->spans[one].call;
    expected(f, "the last row is complete when the caller's stream has done what was queued in it");
    seen(f, "the caller's copy of it does not wait for the last layer");
    return why(
        f, "The kernels are not in the stream that forward() is given. Launch them in that one.");
}

bool judge_forward_queues(const struct evidence *e, struct finding *f, const char *part)
{
    return only_queued(e, f, part, "forward");
}

bool judge_beneath(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
        uint32_t one = next_span(v, s, 0), two;
        for (; one != ANY && (two = next_span(v, s, one + 1)) != ANY; one = two) {
            if (begins_beneath(v, f, one, two))
                continue;
            f->view = view;
            return expected(f, "a layer begins before the one ahead of it has ended");
        }
    }
    return true;
}

bool judge_chain_pace(const struct evidence *e, struct finding *f, const char *part)
{
    size_t view = 0;
    if (as_fast(e, f, part, 1060, "the chain takes", &view))
        return true;
    if (f->sure)
        return false;
    blame_in(f, "layer", "cudaGridDependencySynchronize");
    return why(f,
               "Each layer begins early, but waits in cudaGridDependencySynchronize() before its load() is done, or it may begin only when too "
               "little time is left for all of its load(). load() reads nothing that another layer writes: let it come before the wait, and the trigger "
               "before load().");
}

uint32_t *row_after(const struct evidence *e, int64_t layers)
{
    size_t bytes;
    const uint32_t *in = exchange_input(e->exchange, IN_X, &bytes),
                   *weights = exchange_input(e->exchange, IN_WEIGHTS, NULL);
    uint32_t *x = malloc(bytes), *next = malloc(bytes);
    if (!x || !next)
        abort();
    memcpy(x, in, bytes);
    for (int64_t k = 0, n = settings_of(e)->n; k < layers; k++) {
        for (int64_t i = 0; i < n; i++)
            next[i] = weights[k * n + i] * x[i] + x[(i + 1) % n];
        memcpy(x, next, bytes);
    }
    free(next);
    return x;
}

bool judge_last_row(const struct evidence *e, struct finding *f, const char *part)
{
    const struct settings *s = settings_of(e);
    const uint32_t *got = exchange_output(e->exchange, part[0] == 'a' ? OUT_X : OUT_REPLAY, NULL);
    uint32_t *x = row_after(e, s->layers);
    int64_t i = 0, n = s->n;
    while (i < n && got[i] == x[i])
        i++;
    if (i < n) {
        expected(f, "element %lld of the last row is %u", (long long)i, x[i]);
        seen(f, "it is %u", got[i]);
        f->function = part[0] == 'a' ? "layer" : "replay_open";
        why(f,
            "Layer k takes load(own, net, k) and apply(net, k, own), once each, with THREADS numbers of shared memory as `own`, for k from 0 to "
            "net->layers - 1.");
        blame_short(e, f, part);
    }
    free(x);
    return i == n;
}
