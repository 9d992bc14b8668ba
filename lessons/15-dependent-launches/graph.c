/* SPDX-License-Identifier: MIT */
/* (c): runs of the captured chain, and of the audit beside it. */
#include "judges.h"

#include <stdlib.h>
#include <string.h>

bool judge_replays(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct settings *s = settings_of(e);
    size_t layers, audits, all = 0;
    for (int64_t k = 0; k < s->runs; k++) {
        struct selection run = run_of(v, part, k);
        kernel_named(v, run, "layer", &layers);
        kernel_named(v, run, "audit", &audits);
        all += layers + audits;
        if ((int64_t)layers == s->layers && audits == 1) {
            if (!has_all_threads(v, f, run, "layer", s->n)
                || !has_all_threads(v, f, run, "audit", s->n))
                return false;
            continue;
        }
        expected(f, "each run has %lld launches of layer(), and one of audit()",
                 (long long)s->layers);
        seen(f, "run %lld has layer() %zu times, and audit() %zu times", (long long)k, layers,
             audits);
        f->call = second_launch(v, run);
        if (f->call != ANY)
            return why(
                f,
                "This is the second graph launch in one run. One cudaGraphLaunch() is a whole run: every layer and the audit.");
        f->function = "replay_open";
        if (audits == 1)
            blame_count(v, f, run, "layer", "replay_open");
        else
            blame_count(v, f, run, "audit", "replay_open");
        if (audits > 1)
            return why(f,
                       "audit() is for one layer, number `tap`. Each launch between cudaStreamBeginCapture() and cudaStreamEndCapture() is a "
                       "node of its own, and runs in each run.");
        return why(f,
                   "What is queued between cudaStreamBeginCapture() and cudaStreamEndCapture() is one run, and cudaGraphLaunch() starts one.");
    }
    return nothing_else_runs(v, f, part, all, "replay_open");
}

/* A run's kernels but the audit, in the order in which they were captured. */
static uint32_t next_layer(const struct view *v, struct selection run, uint32_t from)
{
    return next_kernel(v, run, "layer", from);
}

bool judge_replay_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    int64_t tap = settings_of(e)->tap;
    for (int64_t r = 0; r < settings_of(e)->runs; r++) {
        struct selection run = run_of(v, part, r);
        uint32_t audited = kernel_named(v, run, "audit", NULL), one = next_layer(v, run, 0), two;
        for (int64_t k = 0; one != ANY; k++, one = two) {
            two = next_layer(v, run, one + 1);
            if (two != ANY && !is_after(v, one, two)) {
                f->call = v->timeline->spans[two].call;
                expected(
                    f, "each layer comes after the one before it, in an order that is guaranteed");
                seen(f, "nothing makes layer %lld of run %lld wait for layer %lld",
                     (long long)k + 1, (long long)r, (long long)k);
                return why_unordered(v, f, one, "the layer before", two, "this layer",
                                     "Capture all layers in one stream.");
            }
            if (k != tap || is_after(v, one, audited))
                continue;
            f->call = v->timeline->spans[audited].call;
            expected(f, "audit() comes after layer %lld, in an order that is guaranteed",
                     (long long)tap);
            seen(f, "nothing makes it wait");
            return why_unordered(
                v, f, one, "the layer", audited, "audit()",
                "Record an event right after the launch of layer `tap`, and let the stream of audit() wait for it.");
        }
        uint32_t home = copied_after(v, part), first = next_layer(v, run, 0);
        if (home == ANY || v->timeline->spans[first].stream == v->timeline->spans[home].stream)
            continue;
        f->call = v->timeline->spans[first].call;
        for (size_t i = run.first_call; i < run.end_call; i++)
            if (v->timeline->calls[i].kind == CALL_GRAPH_LAUNCH)
                f->call = (uint32_t)i;
        expected(f, "a run is work in the caller's stream");
        seen(f, "run %lld is in another stream", (long long)r);
        return why(f,
                   "Call cudaGraphLaunch(r->ready, stream) with the stream that replay_run() is given.");
    }
    return true;
}

/* The captured call of that kind after call `from` of the selection, of that stream or event; ANY:
 * there is none. */
static uint32_t captured(const struct view *v, struct selection s, const char *name,
                         uint32_t stream, uint32_t event, size_t from)
{
    const struct timeline *t = v->timeline;
    for (size_t i = from; i < s.end_call; i++)
        if (i >= s.first_call && t->calls[i].flags & CALL_CAPTURED
            && strcmp(timeline_string(t, t->calls[i].name), name) == 0
            && (stream == ANY || t->calls[i].stream == stream)
            && (event == ANY || t->calls[i].event == event))
            return (uint32_t)i;
    return ANY;
}

/* The captured launch that stands where this node was put into the graph; ANY: not known. */
static uint32_t captured_launch(const struct view *v, struct selection s, uint32_t node)
{
    const struct call *made = call_of_node(v, node);
    uint32_t call = captured(v, s, "cudaLaunchKernel", ANY, ANY, s.first_call);
    while (call != ANY
           && (v->timeline->calls[call].line != made->line
               || v->timeline->calls[call].file != made->file))
        call = captured(v, s, "cudaLaunchKernel", ANY, ANY, call + 1);
    return call;
}

/* The wait by which the layers' stream waits for audit(), which another stream has; ANY: there is
 * none. */
static uint32_t join_of(const struct view *v, const char *part, uint32_t audited)
{
    struct selection s = in_part(v, part, 0);
    uint32_t launch = captured_launch(v, s, audited);
    if (launch == ANY)
        return ANY;
    const struct call *calls = v->timeline->calls;
    uint32_t record = captured(v, s, "cudaEventRecord", calls[launch].stream, ANY, launch + 1);
    uint32_t wait =
        record != ANY ? captured(v, s, "cudaStreamWaitEvent", ANY, calls[record].event, record + 1)
                      : ANY;
    return wait != ANY && calls[wait].stream != calls[launch].stream ? wait : ANY;
}

/* The record of the event for which the audit's stream waits before audit(); ANY: there is none. */
static uint32_t fork_of(const struct view *v, const char *part, uint32_t audited)
{
    struct selection s = in_part(v, part, 0);
    const struct call *calls = v->timeline->calls;
    uint32_t launch = captured_launch(v, s, audited), wait = ANY, record = ANY;
    for (size_t i = launch != ANY ? launch : 0; i-- > s.first_call && wait == ANY;)
        wait = captured(v, s, "cudaStreamWaitEvent", calls[launch].stream, ANY, i) == i
                   ? (uint32_t)i
                   : ANY;
    for (size_t i = wait != ANY ? wait : 0; i-- > s.first_call && record == ANY;)
        record =
            captured(v, s, "cudaEventRecord", ANY, calls[wait].event, i) == i ? (uint32_t)i : ANY;
    return record;
}

bool judge_audit_beside(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    int64_t tap = settings_of(e)->tap;
    struct selection run = run_of(v, part, 0);
    uint32_t audited = kernel_named(v, run, "audit", NULL), node = next_layer(v, run, 0);
    for (int64_t k = 0; node != ANY; k++, node = next_layer(v, run, node + 1)) {
        bool waits = hb_before(v->order, audited, rest_of(v, node), OBSERVED);
        if (!waits && (k != tap + 1 || !hb_before(v->order, rest_of(v, node), audited, OBSERVED)))
            continue;
        uint32_t join = waits ? join_of(v, part, audited) : ANY,
                 fork = waits ? ANY : fork_of(v, part, audited);
        f->call = join != ANY   ? join
                  : fork != ANY ? fork
                                : v->timeline->spans[waits ? node : audited].call;
        expected(f,
                 "audit() waits for no layer after layer %lld, and none of those waits for audit()",
                 (long long)tap);
        seen(f, waits ? "layer %lld waits for audit()" : "audit() waits for layer %lld, too",
             (long long)k);
        if (join != ANY)
            return why(f,
                       "This wait joins the audit's stream to that of the layers, and a layer is captured after it. Join them after the last layer: "
                       "one that is captured after the join waits for two kernels, and no attribute lets it begin early.");
        return waits
                   ? why(f,
                         "In one stream the audit is a link of the chain. Fork before it, with an event that another stream waits for, and join "
                         "that stream with a second event after the last layer. A layer that is captured after the join waits for two "
                         "kernels, and then no attribute lets it begin early.")
               : fork != ANY
                   ? why(f,
                         "The event stands for all that was queued before its record. Record it right after layer `tap`.")
                   : why(f,
                         "audit() waits for no event: it has its place behind all that was captured before it in its stream. Let "
                         "another stream wait for an event that is recorded right after layer `tap`, and launch audit() there.");
    }
    return true;
}

bool judge_a_call_or_two(const struct evidence *e, struct finding *f, const char *part)
{
    return few_calls(
        e, f, part, settings_of(e)->runs, "replay_run",
        "Capture and instantiate once, in replay_open(). A run is one cudaGraphLaunch().");
}

/* Does each layer of each run begin while the one before it is at work? One that does not costs
 * less than the pace shows. */
static bool all_begin_beneath(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        for (int64_t r = 0; r < settings_of(e)->runs; r++) {
            struct selection run = run_of(v, part, r);
            uint32_t one = next_layer(v, run, 0), two;
            for (int64_t k = 1; one != ANY && (two = next_layer(v, run, one + 1)) != ANY;
                 one = two, k++) {
                if (begins_beneath(v, f, one, two))
                    continue;
                f->view = view;
                return expected(f,
                                "layer %lld begins before the one ahead of it has ended, in run %lld as in every other",
                                (long long)k, (long long)r);
            }
        }
    }
    return true;
}

bool judge_replay_pace(const struct evidence *e, struct finding *f, const char *part)
{
    size_t at = 0;
    if (as_fast(e, f, part, 1060, "all runs together take", &at))
        return all_begin_beneath(e, f, part);
    if (f->sure)
        return false;
    const struct view *v = &e->yours[at];
    struct selection run = run_of(v, part, 0);
    uint32_t one = next_layer(v, run, 0), two;
    for (; one != ANY && (two = next_layer(v, run, one + 1)) != ANY; one = two) {
        struct finding found = { .call = ANY };
        if (begins_beneath(v, &found, one, two))
            continue;
        f->call = found.call;
        f->function = found.function;
        f->word = found.word;
        return why(
            f, "A layer begins only when the one before it has ended. %s%s", found.why,
            is_dependent(v, two)
                ? " A node of a graph may begin early where it waits for one kernel and for nothing else."
                : "");
    }
    f->function = "replay_open";
    return why(f, "Each layer begins early. What else is there in a run, or between two of them?");
}

bool judge_audits(const struct evidence *e, struct finding *f, const char *part)
{
    const struct settings *s = settings_of(e);
    const uint32_t *got = exchange_output(e->exchange, OUT_TALLY, NULL);
    uint32_t *x = row_after(e, s->tap + 1);
    int64_t i = 0, n = s->n;
    (void)part;
    while (i < n && got[i] == (uint32_t)s->runs * x[i])
        i++;
    if (i < n) {
        expected(f, "after %lld runs element %lld of the tally is %u", (long long)s->runs,
                 (long long)i, (uint32_t)s->runs * x[i]);
        seen(f, "it is %u", got[i]);
        f->function = "replay_open";
        f->word = "audit";
        why(f, "audit(*net, tap, tally) adds the row that layer `tap` makes, once in each run.");
    }
    free(x);
    return i == n;
}
