/* SPDX-License-Identifier: MIT */
#include "judges.h"

#include <stdio.h>
#include <stdlib.h>

struct selection request_calls(const struct view *v, int k, uint32_t engines)
{
    char label[32];
    struct selection s = { engines, ANY, ANY, 0, 0 };
    snprintf(label, sizeof label, "%s%d", REQUEST, k);
    measure_label(v->timeline, label, &s.first_call, &s.end_call);
    return s;
}

uint32_t own_launch(const struct view *v, const char *kernel)
{
    return next_kernel(v, (struct selection){ 0, ANY, ANY, 0, v->timeline->call_count }, kernel, 0);
}

const struct span *own_span(const struct view *v, const char *kernel)
{
    static const struct span none = { .blocks = 1, .end = 1 };
    uint32_t node = own_launch(v, kernel);
    return node == ANY ? &none : &v->timeline->spans[node];
}

int64_t wave_blocks(const struct view *v)
{
    return own_span(v, "crunch")->blocks;
}

int64_t wave_ns(const struct view *v)
{
    const struct span *s = own_span(v, "crunch");
    return s->end - s->start;
}

static bool has_priorities(const struct view *v)
{
    return v->card->priority_least != v->card->priority_greatest;
}

bool judge_work(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        int64_t tiles = tiles_of(sizes_of(e), wave_blocks(v)), blocks = 0;
        f->view = view;
        f->call = ANY;
        EACH_KERNEL(node, v, in_part(v, part, 0), "crunch") {
            blocks += v->timeline->spans[node].blocks;
            f->call = v->timeline->spans[node].call;
            if (!has_its_shared(v, f, node, own_launch(v, "crunch"), "b->shared"))
                return false;
        }
        if (blocks != tiles) {
            expected(f, "crunch() is launched with as many blocks as there are tiles: %lld",
                     (long long)tiles);
            seen(f, "%lld blocks in part (%s)", (long long)blocks, part);
            return why(
                f,
                blocks
                    ? "One block does one tile. You choose the number of launches, but each tile is done once."
                : has_priorities(v)
                    ? "All of the bulk is work for crunch(), and bulk_begin() queues it."
                    : "The bulk has to be done on every card. On one without priorities no stream goes before another. "
                      "The work is the same.");
        }
        f->call = ANY;
        for (int k = 0; k < REQUESTS; k++) {
            bool to = next_span(v, request_calls(v, k, ENGINE_BIT(ENGINE_H2D)), 0) != ANY;
            bool from = next_span(v, request_calls(v, k, ENGINE_BIT(ENGINE_D2H)), 0) != ANY;
            expected(f, "each request goes to the device, through reply(), and back");
            f->function = "answer";
            if (next_kernel(v, request_calls(v, k, 0), "reply", 0) == ANY) {
                f->word = "reply";
                seen(f, "request %d: reply() was not launched while answer() ran", k);
                return why(
                    f,
                    has_priorities(v)
                        ? "reply() does the work on the device, launched directly or by cudaGraphLaunch(), and "
                          "answer() returns when `out` is complete."
                        : "answer() has to work on every card, even on one without priorities.");
            }
            if (!to || !from) {
                seen(f, "request %d: nothing was copied %s the device while answer() ran", k,
                     to ? "from" : "to");
                uint32_t other =
                    next_span(v, request_calls(v, k, ENGINE_BIT(to ? ENGINE_H2D : ENGINE_D2H)), 0);
                uint32_t second =
                    other == ANY
                        ? ANY
                        : next_span(v,
                                    request_calls(v, k, ENGINE_BIT(to ? ENGINE_H2D : ENGINE_D2H)),
                                    other + 1);
                if (second != ANY) {
                    f->call = v->timeline->spans[to ? second : other].call;
                    return why(f,
                               "Two copies go %s the device, and none %s it: are the first two arguments of this one swapped?",
                               to ? "to" : "from", to ? "from" : "to");
                }
                f->word = "cudaMemcpyAsync";
                return why(f,
                           "reply() works in device memory: cudaMemcpyAsync() brings `in` to `device` before it, and `device` to `out` "
                           "after it.");
            }
        }
    }
    return true;
}

/* Does one copy touch device memory that the other one does? */
static bool meet(const struct call *in, const struct call *out)
{
    return in->dst < out->src + out->bytes && out->src < in->dst + in->bytes;
}

/* A request's copy in before a kernel before its copy out. */
bool judge_order(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    const struct view *v = &e->yours[0];
    for (int k = 0; k < REQUESTS; k++) {
        struct selection ins = request_calls(v, k, ENGINE_BIT(ENGINE_H2D)), outs = ins,
                         kernels = ins;
        outs.engines = ENGINE_BIT(ENGINE_D2H);
        kernels.engines = ENGINE_BIT(ENGINE_KERNEL);
        EACH_SPAN(out, v, outs)
            EACH_SPAN(in, v, ins) {
                struct chain *chain;
                size_t count = chains_of(v, kernels, &chain);
                bool good = !meet(call_of_node(v, in), call_of_node(v, out))
                            || chain_between(v->order, chain, count, in, out);
                if (!good) {
                    f->call = v->timeline->spans[out].call;
                    expected(f,
                             "copy in, reply(), copy out, each bound to wait for the one before");
                    seen(f,
                         "no reply() waits for the copy in (line %u) and is waited for by the copy out (line %u)",
                         call_of_node(v, in)->line, call_of_node(v, out)->line);
                    why_unchained(
                        v, f, chain, count, in, "the copy in", out, "the copy out",
                        "A priority orders nothing. It only says which goes first of the operations that could run. A request's three steps "
                        "belong in one stream.");
                }
                free(chain);
                if (!good)
                    return false;
            }
    }
    return true;
}

bool judge_wait(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int k = 0; k <= REQUESTS; k++) {
        struct selection s = k < REQUESTS ? request_calls(v, k, ENGINE_BIT(ENGINE_D2H))
                                          : in_part(v, part, ENGINES_DEVICE);
        if (!all_waited_for(
                v, f, s,
                k < REQUESTS ? "answer() returns when `out` is complete"
                             : "all work is waited for before service_close() returns",
                "The greatest priority does not promise any time, and cudaStreamDestroy() does not wait. cudaStreamSynchronize() returns "
                "when everything in the stream is done."))
            return k == REQUESTS
                   && why_returns_early(v, f, never_waited_for(v, s), REQUEST, "answer",
                                        "service_close");
    }
    return true;
}
