/* SPDX-License-Identifier: MIT */
/* (a): is the device split as it was asked for, and does each stream have its side alone? */
#include "judges.h"

#include <stdio.h>
#include <string.h>

struct selection side_request(const struct view *v, int k, uint32_t engines)
{
    char text[32];
    struct selection s = { engines, ANY, ANY, 0, 0 };
    snprintf(text, sizeof text, "%s%d", REQUEST, k);
    measure_label(v->timeline, text, &s.first_call, &s.end_call);
    return s;
}

struct split card_split(const struct card *card)
{
    return split_of((int)card->sms, (int)card->major);
}

int64_t blocks_an_sm(const struct view *v, uint32_t node)
{
    const struct call *c = call_of_node(v, node);
    return card_blocks_per_sm(v->card, (int64_t)c->block[0] * c->block[1] * c->block[2], c->shared);
}

int64_t waves_of(const struct view *v, uint32_t node, int64_t block_ns)
{
    const struct span *s = &v->timeline->spans[node];
    block_ns *= v->card->slower > 0 ? v->card->slower : 1;
    return (s->end - s->start + block_ns / 2) / block_ns;
}

int64_t waves_on(int64_t blocks, int64_t sms, int64_t per_sm)
{
    int64_t wave = sms * per_sm;
    return wave > 0 ? (blocks + wave - 1) / wave : 0;
}

/* Do the sides that were asked for with `asked` SMs have as many as the device gives? */
static bool split_as_asked(const struct evidence *e, struct finding *f, size_t view, int asked,
                           int urgent_sms, int bulk_sms)
{
    const struct split d = card_split(e->yours[view].card);
    int urgent = part_of(d, asked), bulk = d.sms - urgent;
    if (urgent_sms == urgent && bulk_sms == bulk)
        return true;
    f->view = view;
    f->function = "sides_open";
    expected(f, "asked for %d of %d SMs, the urgent side has %d, and the bulk side the other %d",
             asked, d.sms, urgent, bulk);
    seen(f, "urgent_sms is %d, bulk_sms %d", urgent_sms, bulk_sms);
    f->word = urgent_sms != urgent ? "urgent_sms" : "bulk_sms";
    if (urgent_sms == bulk && bulk_sms == urgent)
        return why(
            f,
            "The two sides are exchanged: the group has what was asked for, and the remaining resource has the rest.");
    if (urgent_sms == asked && asked != urgent)
        return why(
            f,
            "This device splits its SMs in multiples of %d, so a group has more than was asked. Its resource says how many: "
            "sm.smCount.",
            d.step);
    if (urgent_sms == urgent)
        return why(
            f,
            "What no group has is in the remaining resource, the fourth argument of cuDevSmResourceSplitByCount(). With more "
            "than one group less remains.");
    if (urgent == asked && urgent_sms > asked)
        return why(f,
                   "This device has a group of just %d SMs. Give cuDevSmResourceSplitByCount() `sms` as it is: it rounds up by "
                   "itself, and only where the device has to.",
                   asked);
    return why(
        f,
        "cuDevSmResourceSplitByCount(&urgent, &groups, &all, &bulk, 0, sms) makes one group of at least `sms` SMs when groups "
        "is 1. Its resource says how many it has: sm.smCount.");
}

bool judge_device_split(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    for (size_t view = 0; view < e->views; view++) {
        const struct answers *a = answers_of(e, view);
        int exact = part_of(card_split(e->yours[view].card), (int)sizes_of(e)->urgent);
        if (!split_as_asked(e, f, view, (int)sizes_of(e)->sms, a->urgent_sms, a->bulk_sms))
            return false;
        if (a->exact_urgent_sms != 0
            && !split_as_asked(e, f, view, exact, a->exact_urgent_sms, a->exact_bulk_sms))
            return false;
    }
    return true;
}

/* The call that made the stream; ANY for the default stream. */
static uint32_t made_by(const struct view *v, uint32_t stream)
{
    const struct call *made = timeline_stream_made(v->timeline, stream);
    return made && made->line != 0 ? (uint32_t)(made - v->timeline->calls) : ANY;
}

/* Is that call known to have made a stream of a green context? */
static bool has_own_sms(const struct view *v, uint32_t call)
{
    const struct call *c = &v->timeline->calls[call];
    for (int k = 0; call != ANY && k < 3; k++)
        if (c->sms_low[k] != 0 || c->sms_high[k] != 0)
            return true;
    return false;
}

/* Does the driver's kernel in that stream take the waves that its side makes it take? */
static bool on_its_side(const struct evidence *e, struct finding *f, const char *part, bool urgent)
{
    const char *name = urgent ? "s->urgent" : "s->bulk";
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        const struct split d = card_split(v->card);
        int64_t sms = part_of(d, (int)sizes_of(e)->sms);
        sms = urgent ? sms : d.sms - sms;
        uint32_t first = next_kernel(v, in_part(v, part, 0), "hold", 0);
        uint32_t node =
            urgent || first == ANY ? first : next_kernel(v, in_part(v, part, 0), "hold", first + 1);
        f->view = view;
        f->function = "sides_open";
        f->word = "cuGreenCtxStreamCreate";
        if (node == ANY)
            return seen(f, "the driver's kernel in %s did not run", name);
        f->call = made_by(v, v->timeline->spans[node].stream);
        const struct span *s = &v->timeline->spans[node];
        int64_t per_sm = blocks_an_sm(v, node), should = waves_on(s->blocks, sms, per_sm),
                took = waves_of(v, node, HOLD_NS);
        if (took == should)
            continue;
        expected(f,
                 "a kernel of %u blocks in %s runs on the %lld SMs of its side, %lld blocks each: in %lld %s",
                 s->blocks, name, (long long)sms, (long long)per_sm, (long long)should,
                 should == 1 ? "wave" : "waves");
        seen(f, "%lld %s", (long long)took, took == 1 ? "wave" : "waves");
        bool whole = took == waves_on(s->blocks, d.sms, per_sm);
        if (whole && !has_own_sms(v, f->call))
            return why(f,
                       "It ran on the whole device. A stream has the SMs of a green context if that context made it: "
                       "cuGreenCtxStreamCreate().");
        if (took == waves_on(s->blocks, d.sms - sms, per_sm))
            return why(f,
                       "It ran on %s. A stream has the SMs of the context that it is made in, and a context those of the resource that it is made "
                       "of: is one of them %s?",
                       whole ? "the other side's SMs, or on all of the device"
                             : "the other side's SMs",
                       whole ? "the other side's, or the device's" : "the other side's");
        return why(f,
                   "A context has the SMs of its descriptor, and a stream those of the context that made it. Which resource is %s's context "
                   "made of?",
                   name);
    }
    return true;
}

bool judge_urgent_side(const struct evidence *e, struct finding *f, const char *part)
{
    return on_its_side(e, f, part, true);
}

bool judge_bulk_side(const struct evidence *e, struct finding *f, const char *part)
{
    return on_its_side(e, f, part, false);
}

/* Is a stream destroyed before the host has waited for what is in it? */
static bool destroyed_early(const struct view *v, struct finding *f, struct selection s)
{
    const struct timeline *t = v->timeline;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        if (t->calls[i].kind != CALL_STREAM_DESTROY || is_in_driver(t, &t->calls[i]))
            continue;
        struct selection mine = s;
        mine.stream = t->calls[i].stream;
        EACH_SPAN(node, v, mine)
            if (t->spans[node].call < i
                && !hb_before_call(v->order, node, t->calls, i, GUARANTEED)) {
                f->call = (uint32_t)i;
                expected(f,
                         "the host has waited for the work of a side when its stream is destroyed");
                if (is_in_driver(t, call_of_node(v, node)))
                    seen(f,
                         "nothing had waited for the work that the caller has put into this one");
                else
                    seen(f, "nothing had waited for %s", node_name(v, node).text);
                why(f,
                    "Destroying a stream waits for nothing, and afterwards no call can name it. Wait first, with cudaStreamSynchronize().");
                return true;
            }
    }
    return false;
}

bool judge_sides_closed(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    f->function = "sides_close";
    f->word = "cudaStreamSynchronize";
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    if (never_waited_for(v, s) == ANY)
        return !destroyed_early(v, f, s);
    return all_waited_for(v, f, s,
                          "all work of both sides is done when sides_close() returns",
                          "Destroying a stream or a context waits for nothing. Call cudaStreamSynchronize() for each stream first, or "
                          "cuStreamSynchronize().");
}

void explain_lost(const struct evidence *e, const struct check *c, struct finding *f)
{
    enum { CONTEXT_IS_DESTROYED = 709 };
    const struct timeline *t = e->yours[0].timeline;
    if (c->judge != judge_leaks)
        return;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].status == CONTEXT_IS_DESTROYED
            && strcmp(timeline_string(t, t->calls[i].name), "cudaStreamDestroy") == 0) {
            f->call = (uint32_t)i;
            why(f,
                "This call fails: the stream's context was destroyed before the stream, and then no call can give the stream back. Destroy "
                "the streams first, and their contexts after them.");
            return;
        }
}

/* ---- (b): what is waited for ---- */

/* The event that was recorded too early for bulk_end() is where the requests need it: then the wait
 * is wrong, not the record. */
static bool why_bulk_unwaited(const struct view *v, struct finding *f, struct selection s)
{
    const struct call *calls = v->timeline->calls;
    const uint32_t record = f->call;
    if (record == ANY || calls[record].kind != CALL_EVENT_RECORD)
        return false;
    uint32_t needed = ANY, waits = ANY;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        if (calls[i].event != calls[record].event)
            continue;
        needed = calls[i].kind == CALL_STREAM_WAIT ? (uint32_t)i : needed;
        waits = calls[i].kind == CALL_EVENT_SYNC ? (uint32_t)i : waits;
    }
    if (needed == ANY || waits == ANY)
        return false;
    f->call = waits;
    return why(f,
               "This event stands for what was in the stream when line %u recorded it, and requests need it there: crunch() came later. Wait "
               "for the bulk's stream, cudaStreamSynchronize(s->bulk), or for another event that is recorded after crunch().",
               calls[record].line);
}

bool judge_side_waits(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int k = 0; k <= REQUESTS; k++) {
        struct selection s = k < REQUESTS ? side_request(v, k, ENGINE_BIT(ENGINE_D2H))
                                          : in_part(v, part, ENGINES_DEVICE);
        if (!all_waited_for(
                v, f, s,
                k < REQUESTS ? "answer() returns when `out` is complete"
                             : "the bulk is done when bulk_end() returns",
                "It returns without a wait. cudaStreamSynchronize() returns when all that is in the stream is done."))
            return k == REQUESTS
                   && (why_bulk_unwaited(v, f, s)
                       || why_returns_early(v, f, never_waited_for(v, s), REQUEST, "answer",
                                            "bulk_end"));
    }
    return true;
}
