/* SPDX-License-Identifier: MIT */
/*
 * (b): how long the archive's rounds take.
 *
 * DESIGN
 * A round lasts from its archive_begin until archive_end returns: what the caller does between two
 * rounds is not the archive's.
 */
#include "judges.h"

/* Longer than cudaMallocAsync() takes where the pool has memory to lend (0.4 us on the simulated
 * H200), shorter than where it takes memory from the device (83 us). */
enum { LENDING_NS = 10000 };

enum { MACHINE_DEVICES = 2 };

/* The steps come in their order: each is looked for from the one before on. */
static struct selection next_step(const struct view *v, struct selection before, int64_t k)
{
    return calls_from(v, before.first_call, STEP, (int)k, 0);
}

/* How long all rounds take together; 0: they were not all there. */
static int64_t rounds_take(const struct evidence *e, const struct view *v)
{
    const struct script *script = script_of(e);
    int64_t time = 0, began = 0;
    struct selection s = { 0 };
    for (int64_t k = 0; k < script->count; k++) {
        s = next_step(v, s, k);
        if (s.end_call <= s.first_call || s.end_call >= v->timeline->call_count)
            return 0;
        if (script->step[k].what == BEGIN)
            began = v->timeline->calls[s.first_call].end;
        if (script->step[k].what == END)
            time += v->timeline->calls[s.end_call].begin - began;
    }
    return time;
}

static bool need_not_wait(int32_t what)
{
    return what == BEGIN || what == RETOUCH || what == BLEND;
}

/* The call that waits longest in a step which need not wait, or else the first wake of its thread
 * there; ANY for none. */
static uint32_t needless_wait(const struct evidence *e, const struct view *v)
{
    const struct script *script = script_of(e);
    uint32_t found = ANY, woken = ANY;
    struct selection s = { 0 };
    for (int64_t k = 0; k < script->count; k++) {
        if (!need_not_wait(script->step[k].what))
            continue;
        s = next_step(v, s, k);
        uint32_t thread = v->timeline->calls[s.first_call].thread,
                 wait = longest_wait_of(v, s, thread);
        woken = woken == ANY ? woken_in(v, s, thread) : woken;
        if (wait != ANY
            && (found == ANY
                || v->timeline->calls[wait].end - v->timeline->calls[wait].begin
                       > v->timeline->calls[found].end - v->timeline->calls[found].begin))
            found = wait;
    }
    return found != ANY ? found : woken;
}

/* A device on which no pass() runs, although there is one; ANY for none. */
static uint32_t idle_device(const struct view *v, const char *part)
{
    for (uint32_t device = 0; device < (uint32_t)v->card->devices; device++) {
        struct selection s = in_part(v, part, 0);
        s.device = device;
        if (next_kernel(v, s, "pass", 0) == ANY)
            return device;
    }
    return ANY;
}

/* The first launch of a pass() that is not a graph's, if most are not; ANY. */
static uint32_t launched_singly(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    uint32_t first = ANY;
    size_t count = 0, all = 0;
    for (uint32_t node = next_kernel(v, s, "pass", 0); node != ANY;
         node = next_kernel(v, s, "pass", node + 1)) {
        all++;
        if (call_of_node(v, node)->flags & GRAPH_NODE)
            continue;
        first = first == ANY ? v->timeline->spans[node].call : first;
        count++;
    }
    return 2 * count > all ? first : ANY;
}

/* What pools have lent on each device: how much at the same time in earlier rounds, which they own,
 * and how often in this round, given back or not, which is the most that they may need. */
struct lent { int most[MACHINE_DEVICES], now[MACHINE_DEVICES], in_round[MACHINE_DEVICES]; };

static void round_is_over(struct lent *lent, struct lent *round)
{
    for (int d = 0; d < MACHINE_DEVICES; d++)
        if (round->most[d] > lent->most[d])
            lent->most[d] = round->most[d];
    *round = (struct lent){ 0 };
}

/* The first allocation in a stream that takes the host long though its pool had lent as much in a
 * round before; ANY for none. */
static uint32_t slow_allocation(const struct evidence *e, const struct view *v)
{
    const struct script *script = script_of(e);
    const struct timeline *t = v->timeline;
    struct lent lent = { 0 }, round = { 0 };
    struct selection s = { 0 };
    for (int64_t k = 0; k < script->count; k++) {
        s = next_step(v, s, k);
        for (size_t i = s.first_call; i < s.end_call && i < t->call_count; i++) {
            const struct call *c = &t->calls[i];
            if (!(c->flags & CALL_ASYNC) || c->device >= MACHINE_DEVICES)
                continue;
            if (c->kind == CALL_FREE)
                round.now[c->device]--;
            if (c->kind != CALL_MALLOC)
                continue;
            if (++round.in_round[c->device] <= lent.most[c->device]
                && c->end - c->begin > LENDING_NS)
                return (uint32_t)i;
            if (++round.now[c->device] > round.most[c->device])
                round.most[c->device] = round.now[c->device];
        }
        if (script->step[k].what == END)
            round_is_over(&lent, &round);
    }
    return ANY;
}

static const char *machine(const struct view *v)
{
    return v->card->devices < 2   ? "one device"
           : v->card->peer_access ? "two devices that reach each other's memory"
                                  : "two devices that cannot reach each other's memory";
}

static bool keeps_pace(const struct evidence *e, struct finding *f, const char *part,
                       unsigned permille)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        int64_t mine = rounds_take(e, v), theirs = rounds_take(e, &e->reference[view]);
        if (mine > 0 && mine * 1000 <= theirs * time_asked(v, permille))
            continue;
        uint32_t idle = idle_device(v, part), single = launched_singly(v, part);
        f->view = view;
        expected(
            f,
            "with %s the %d rounds take at most %u.%02u times as long as in the reference solution: %lld us",
            machine(v), ROUNDS, time_asked(v, permille) / 1000, time_asked(v, permille) % 1000 / 10,
            (long long)theirs * time_asked(v, permille) / 1000000);
        seen(f, "%lld us", (long long)mine / 1000);
        if (idle != ANY)
            return why(
                f,
                "Device %u has nothing to do. Sheets are independent of each other until they are blended: which of them can be "
                "retouched there?",
                idle);
        if (single != ANY) {
            f->call = single;
            return why(
                f,
                "Each pass is a launch of its own here. A launch takes the host nearly as long as a pass takes the device, and "
                "with two devices longer: they wait for the host. What is the same each time can be prepared once.");
        }
        return why(
            f,
            "Look in the timeline for a device that waits while there is work. What is it that its next kernel waits for: a "
            "sheet, a stream that it shares with others, the host?");
    }
    return true;
}

bool archive_queues(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    for (size_t view = 0; view < e->views; view++) {
        f->view = view;
        f->call = needless_wait(e, &e->yours[view]);
        if (f->call == ANY)
            continue;
        const struct call *c = &e->yours[view].timeline->calls[f->call];
        expected(f, "archive_begin(), archive_retouch() and archive_blend() queue, and return");
        if (c->kind == CALL_THREAD_WAKE)
            seen(f, "the host is held up here");
        else
            seen(f, "the host waits here for %lld us", (long long)(c->end - c->begin) / 1000);
        return why(
            f,
            "While it waits, nothing is queued for any device. Only archive_show(), archive_edit() and archive_end() have "
            "anything to wait for.");
    }
    return true;
}

bool archive_begins(const struct evidence *e, struct finding *f, const char *part)
{
    return keeps_pace(e, f, part, 1670);
}

/* Do pools keep what they have lent? Judged on the simulator alone: on a card a call may take long
 * for any reason. */
static bool pools_keep(const struct evidence *e, struct finding *f)
{
    if (e->recorded)
        return true;
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        uint32_t call = slow_allocation(e, v);
        if (call == ANY)
            continue;
        const struct call *c = &v->timeline->calls[call];
        f->view = view;
        f->call = call;
        expected(f, "with %s no round takes memory from a device that a pool has had before",
                 machine(v));
        seen(f, "this call takes the host %lld us: its pool has nothing left to lend",
             (long long)(c->end - c->begin) / 1000);
        return why(
            f,
            "When the host waits, a pool gives back to the device what is free in it, except for as much as "
            "cudaMemPoolAttrReleaseThreshold says, and that is 0 at first. Set it, or allocate in archive_open().");
    }
    return true;
}

bool archive_keeps_up(const struct evidence *e, struct finding *f, const char *part)
{
    return pools_keep(e, f) && keeps_pace(e, f, part, 1180);
}

/* ---- when a round is over ---- */

/* Has the host waited for all that the calls from `first` on have queued when this archive_end()
 * returns? */
static bool round_is_done(const struct view *v, struct finding *f, size_t first,
                          struct selection end)
{
    struct selection s = { ENGINES_DEVICE, ANY, ANY, first, end.end_call };
    uint32_t node = never_waited_for(v, s);
    if (node == ANY
        || all_waited_for(
            v, f, s, "all that a round has queued is done when archive_end() returns",
            "archive_end() waits for all that was queued in the round, on every device: for what archive_begin() has queued, too, "
            "though no sheet may have been retouched there."))
        return true;
    if (f->call == v->timeline->spans[node].call) {
        f->call = ANY;
        f->function = "archive_end";
        f->word = "cudaStreamSynchronize cudaDeviceSynchronize cudaEventSynchronize";
    }
    return false;
}

bool archive_ends(const struct evidence *e, struct finding *f, const char *part)
{
    const struct script *script = script_of(e);
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        size_t first = in_part(v, part, 0).first_call;
        f->view = view;
        for (int k = 0; k < script->count; k++)
            if (script->step[k].what == END
                && !round_is_done(v, f, first, calls_in(v, STEP, k, ENGINES_DEVICE)))
                return false;
        struct selection other = in_part(v, OTHER_ARCHIVE, 0);
        if (part_ran(v, OTHER_ARCHIVE)
            && !round_is_done(v, f, other.first_call, label_calls(v, other, OTHER_END, 0)))
            return false;
    }
    f->view = 0;
    return true;
}
