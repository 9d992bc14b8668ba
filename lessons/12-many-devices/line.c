/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * The k-th press() and the k-th polish() that were queued are batch k's. How
 * its bytes get across is free, but for the detour: what is counted are bytes
 * from and to the host.
 */
#include <string.h>

#include "judges.h"

#define STAGES 2
static const char *const kernel_of[STAGES] = { "press", "polish" };

/* Where batches of this seed are pressed and polished on that machine; the small line has it the
 * other way round. */
static uint32_t device_of(const struct evidence *e, size_t view, int stage, bool small)
{
    uint32_t last = devices_of(&e->yours[view]) - 1;
    return ((stage == 0) == (sizes_of(e)->swapped != 0)) != small ? last : 0;
}

/* Is that stream at work on the other stage, too, while the stage has one on its own device? */
static bool in_the_others_stream(const struct view *v, struct selection s, uint32_t stray,
                                 int stage)
{
    s.stream = v->timeline->spans[stray].stream;
    return next_kernel(v, s, kernel_of[!stage], 0) != ANY;
}

/* Is each of that many batches at each stage once, on the device of that stage? */
static bool batches_at_work(const struct evidence *e, size_t view, struct selection s,
                            int64_t batches, bool small, struct finding *f)
{
    const struct view *v = &e->yours[view];
    for (int stage = 0; stage < STAGES; stage++) {
        uint32_t device = device_of(e, view, stage, small), stray = ANY;
        size_t there = 0, all;
        kernel_named(v, s, kernel_of[stage], &all);
        EACH_KERNEL(node, v, s, kernel_of[stage]) {
            there += v->timeline->spans[node].device == device;
            if (v->timeline->spans[node].device != device && stray == ANY)
                stray = node;
        }
        if (there == (size_t)batches && stray == ANY)
            continue;
        f->view = view;
        blame_count(v, f, s, kernel_of[stage], "line_run");
        if (small)
            expected(f,
                     "in a second line, with device[0] = %u and device[1] = %u, %s() runs once for each of %lld %s, on device %u",
                     device_of(e, view, 0, true), device_of(e, view, 1, true), kernel_of[stage],
                     (long long)batches, batches == 1 ? "batch" : "batches", device);
        else
            expected(f, "%s() runs once for each of the %lld batches, on device %u",
                     kernel_of[stage], (long long)batches, device);
        if (stray == ANY) {
            seen(f, "it runs %zu times", all);
            return why(f,
                       "Each batch is pressed once and polished once: is %s() launched in each turn of the loop?",
                       kernel_of[stage]);
        }
        f->call = v->timeline->spans[stray].call;
        if (in_the_others_stream(v, s, stray, stage)) {
            seen(f, "the one in line %u runs on device %u, in the stream of %s()",
                 call_of_node(v, stray)->line, v->timeline->spans[stray].device, kernel_of[!stage]);
            return why(f,
                       "A kernel runs on the device of its stream. Each device has a stream of its own: l->stream[%d] is for %s().",
                       stage, kernel_of[stage]);
        }
        f->call = maker_of(v, stray);
        seen(f, "the one in line %u runs on device %u, where its stream was made",
             call_of_node(v, stray)->line, v->timeline->spans[stray].device);
        return why(f,
                   "A kernel runs on the device of its stream, and a stream is made on the device that is current: "
                   "cudaSetDevice(l->device[%d]) comes before cudaStreamCreate().",
                   stage);
    }
    return true;
}

bool line_work(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        if (!batches_at_work(e, view, full_runs(v, part, 0), sizes_of(e)->batches, false, f))
            return false;
        for (int k = 0; k < SMALL_RUNS; k++)
            if (!batches_at_work(e, view, small_run(v, part, k, 0), batches_of_small(k), true, f))
                return false;
    }
    return true;
}

bool line_way(const struct evidence *e, struct finding *f, const char *part)
{
    static const struct { uint32_t engine; const char *direction; } sides[] = {
        { ENGINE_D2H, "to the host" }, { ENGINE_H2D, "from the host" },
    };
    uint64_t wanted = (uint64_t)(sizes_of(e)->batch * sizes_of(e)->batches) * sizeof(uint32_t);
    for (size_t view = 0; view < e->views; view++)
        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
            const struct view *v = &e->yours[view];
            struct selection s = full_runs(v, part, ENGINE_BIT(sides[k].engine));
            uint64_t bytes = 0;
            uint32_t detour = ANY, between = ANY;
            uint32_t press = next_kernel(v, full_runs(v, part, 0), kernel_of[0], 0),
                     polish = next_kernel(v, full_runs(v, part, 0), kernel_of[1], 0);
            EACH_SPAN(node, v, s) {
                bytes += v->timeline->spans[node].bytes;
                if (between == ANY && node > press && node < polish)
                    between = node;
                /* The one that is on the other stage's device, if any is. */
                if (v->timeline->spans[node].device == device_of(e, view, (int)k, false)
                    && detour == ANY)
                    detour = node;
            }
            if (bytes <= wanted || devices_of(v) < 2)
                continue;
            f->view = view;
            f->call = call_number(v, detour != ANY ? detour : between);
            expected(f, "each batch goes %s once: %llu bytes in all", sides[k].direction,
                     (unsigned long long)wanted);
            seen(f, "%llu bytes go %s", (unsigned long long)bytes, sides[k].direction);
            return why(f,
                       "The bytes make a detour through host memory. cudaMemcpyPeerAsync() copies from one device to the other, and "
                       "where there is no direct path the driver finds another.");
        }
    return true;
}

/* The first copy between devices that does not go directly, where neither device reaches the other;
 * ANY: there is none. */
static uint32_t through_the_host(const struct view *v, struct selection s, const int32_t reaches[2])
{
    EACH_SPAN(node, v, s) {
        const struct call *c = call_of_node(v, node);
        if (call_between_devices(c) && !(c->flags & COPY_DIRECT) && !reaches[0] && !reaches[1])
            return node;
    }
    return ANY;
}

/* A call that failed, and whose error stayed until line_open() or line_run() was back. */
static bool no_error_left(const struct evidence *e, struct finding *f, size_t view,
                          const char *part)
{
    const struct view *v = &e->yours[view];
    struct selection s = in_part(v, part, 0), line = { 0 };
    if (answers_of(e, view)->error == 0)
        return true;
    measure_label(v->timeline, LINE, &line.first_call, &line.end_call);
    for (size_t i = s.first_call; i < line.end_call; i++)
        if (v->timeline->calls[i].status == answers_of(e, view)->error
            && strcmp(timeline_string(v->timeline, v->timeline->calls[i].name),
                      "cudaDeviceEnablePeerAccess")
                   == 0)
            f->call = (uint32_t)i;
    if (f->call == ANY)                         /* what another error does is another check's */
        return true;
    f->view = view;
    expected(f, "no call fails unnoticed");
    return seen(f, "%s failed with error %d, and nothing checked it",
                timeline_string(v->timeline, v->timeline->calls[f->call].name),
                v->timeline->calls[f->call].status)
           || why(f,
                  "Put CHECK() around each call. Enable peer access once for each direction: the second time is "
                  "cudaErrorPeerAccessAlreadyEnabled.");
}

/* An answer that asks in the other direction than it enables passes: on the cards here two devices
 * reach each other in both directions or in none. */
bool line_peers(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        const struct answers *a = answers_of(e, view);
        f->view = view;
        if (!devices_named(v, in_part(v, part, 0), f))
            return false;
        bool can = a->can_reach[0] || a->can_reach[1];
        uint32_t node =
            through_the_host(v, full_runs(v, part, ENGINE_BIT(ENGINE_PEER)), a->reaches);
        if (!no_error_left(e, f, view, part))
            return false;
        bool small = node == ANY;
        for (int k = 0; k < SMALL_RUNS && node == ANY; k++)
            node = through_the_host(v, small_run(v, part, k, ENGINE_BIT(ENGINE_PEER)),
                                    a->small_reaches);
        if (devices_of(v) < 2 || !can || node == ANY)
            continue;
        f->view = view;
        expected(f,
                 "where one device can reach the other's memory, copies between them go directly");
        seen(f,
             "the copy of line %u%s is staged through the host: neither device was made the other's peer",
             call_of_node(v, node)->line,
             small ? ", of a second line, with the devices the other way round," : "");
        f->call = ANY;
        f->function = "line_open";
        f->word = "cudaDeviceEnablePeerAccess cudaDeviceCanAccessPeer";
        if (small)
            return why(f,
                       "Each line has devices of its own, and access that was enabled for one pair, in one direction, serves no other. "
                       "line_open() asks and enables for the line that it is given.");
        return why(f,
                   "Where the two devices differ, ask cudaDeviceCanAccessPeer(&can, device, peer). If it can, make the device "
                   "current and call cudaDeviceEnablePeerAccess(peer, 0). Once is enough, in one direction.");
    }
    return true;
}

bool line_order(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        struct selection s = full_runs(v, part, 0);
        uint32_t press = ANY, polish = ANY;
        for (int64_t k = 0; k < sizes_of(e)->batches; k++) {
            press = next_kernel(v, s, kernel_of[0], press == ANY ? 0 : press + 1);
            polish = next_kernel(v, s, kernel_of[1], polish == ANY ? 0 : polish + 1);
            if (hb_before(v->order, press, polish, GUARANTEED))
                continue;
            f->view = view;
            expected(f, "polish() of batch %lld is bound to wait for press() of that batch",
                     (long long)k);
            seen(f, "nothing makes it wait");
            return why_unordered(v, f, press, "press()", polish, "polish()", NULL);
        }
    }
    return true;
}

/* A copy from one device to the other that no polish() waits for. */
static bool stray_copy(const struct view *v, struct selection s, uint32_t node)
{
    if (!(ENGINE_BIT(v->timeline->spans[node].engine)
          & (ENGINE_BIT(ENGINE_PEER) | ENGINE_BIT(ENGINE_D2D))))
        return false;
    EACH_KERNEL(k, v, s, "polish")
        if (hb_before(v->order, node, k, GUARANTEED))
            return false;
    return true;
}

bool line_wait(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        struct selection s = full_runs(v, part, ENGINES_DEVICE);
        measure_label(v->timeline, LINE, &s.first_call, &s.end_call);
        uint32_t node = never_waited_for(v, s);
        int small = 0;
        for (; node == ANY && small < SMALL_RUNS; small++)
            node = never_waited_for(v, s = small_run(v, part, small, ENGINES_DEVICE));
        if (node == ANY)
            continue;
        f->view = view;
        f->call = v->timeline->spans[node].call;
        if (small > 0)
            expected(f, "when line_run() returns, `out` is complete, also after %s",
                     small == 1 ? "a single batch" : "two batches");
        else
            expected(f, "when line_run() returns, `out` is complete");
        seen(f, "nothing waited for %s, on device %u", node_name(v, node).text,
             v->timeline->spans[node].device);
        if (stray_copy(v, s, node))
            return why(f,
                       "polish() does not wait for this copy, which is in another stream: what polish() reads, and `out`, come out right only by "
                       "luck. Queue the copy in the stream of polish(), which has waited for press() already.");
        return why_unwaited(v, f, node, s.end_call,
                            "Wait for the last stream of the line with cudaStreamSynchronize() after the loop: "
                            "that stream has waited for everything before it. cudaDeviceSynchronize() waits "
                            "only for the current device.");
    }
    return true;
}

static uint32_t finished(uint32_t x)
{
    x = 3 * x + 1;
    return x ^ x >> 7;
}

/* Do the copies of all batches bring fewer bytes to the devices, or home, than n elements have?
 * Says so of the first that has the fewest. */
static bool why_short(const struct view *v, struct finding *f, struct selection s, int64_t n,
                      int64_t batch)
{
    uint64_t all = (uint64_t)n * sizeof(uint32_t);
    for (int to_host = 0; to_host < 2; to_host++) {
        uint64_t bytes = 0, least = UINT64_MAX;
        uint32_t call = ANY;
        s.engines = ENGINE_BIT(to_host ? ENGINE_D2H : ENGINE_H2D);
        EACH_SPAN(node, v, s) {
            bytes += v->timeline->spans[node].bytes;
            if (v->timeline->spans[node].bytes < least) {
                least = v->timeline->spans[node].bytes;
                call = v->timeline->spans[node].call;
            }
        }
        if (call == ANY || bytes >= all)
            continue;
        f->call = call;
        f->sure = true;
        why(f,
            "The copies to the %s bring %llu bytes in all, and the %lld elements of all batches are %llu. This one brings %llu%s",
            to_host ? "host" : "devices", (unsigned long long)bytes, (long long)n,
            (unsigned long long)all, (unsigned long long)least,
            least == (uint64_t)batch ? ": a copy takes its size in bytes, 4 for each element."
                                     : ".");
        return true;
    }
    return false;
}

/* The copies of batches from or to the host: is one of them not a batch behind the one before? Says
 * so. */
static bool why_misplaced(const struct view *v, struct finding *f, struct selection s,
                          int64_t batch)
{
    uint64_t bytes = (uint64_t)batch * sizeof(uint32_t);
    for (int to_host = 0; to_host < 2; to_host++) {
        uint64_t first = 0, count = 0;
        s.engines = ENGINE_BIT(to_host ? ENGINE_D2H : ENGINE_H2D);
        EACH_SPAN(node, v, s) {
            const struct call *c = call_of_node(v, node);
            uint64_t at = to_host ? c->dst : c->src;
            if (v->timeline->spans[node].bytes != bytes)
                return false;           /* a batch in several copies */
            first = count == 0 ? at : first;
            if (at == first + count++ * bytes)
                continue;
            f->call = v->timeline->spans[node].call;
            f->sure = true;
            why(f,
                "Batch %llu is at `%s` + %llu * n elements, %llu bytes after batch 0. This copy goes %s a place %llu bytes %s batch 0.",
                (unsigned long long)count - 1, to_host ? "out" : "in",
                (unsigned long long)count - 1, (unsigned long long)((count - 1) * bytes),
                to_host ? "to" : "from",
                (unsigned long long)(at < first ? first - at : at - first),
                at < first ? "before" : "after");
            return true;
        }
    }
    return false;
}

bool line_output(const struct evidence *e, struct finding *f, const char *part)
{
    size_t bytes;
    const uint32_t *in = exchange_input(e->exchange, IN_LINE, &bytes);
    int64_t n = (int64_t)(bytes / sizeof *in), batch = sizes_of(e)->batch, few = sizes_of(e)->few;
    for (size_t view = 0; view < e->views; view++) {
        const uint32_t *out = exchange_output_of(e->exchange, view, OUT_LINE, NULL);
        const struct view *v = &e->yours[view];
        int64_t wrong = 0, first = 0;
        for (int64_t i = 0; i < n; i++)
            if (out[i] != finished(in[i]) && !wrong++)
                first = i;
        const uint32_t *small = exchange_output_of(e->exchange, view, OUT_SMALL_LINE, NULL);
        for (int64_t i = 0; !wrong && i < SMALL_BATCHES * FEW; i++) {
            uint32_t wanted = i < SMALL_BATCHES * few ? finished(in[i]) : UNWRITTEN;
            if (small[i] == wanted)
                continue;
            f->view = view;
            f->function = "line_run";
            expected(f, "a second line: element %lld of batch %lld is %u", (long long)(i % few),
                     (long long)(i / few), wanted);
            seen(f, "%u; its batches have %lld elements, and it ran with one batch, then with %d",
                 small[i], (long long)few, batches_of_small(1));
            return why(f,
                       "A line may be of any length, and the next one begins afresh: does anything keep a value from the line "
                       "before that line_open() or line_run() was given anew?");
        }
        if (!wrong && !small_room(e, view, f, SMALL_LINE))
            return false;
        if (!wrong)
            continue;
        f->view = view;
        f->call = call_number(v, next_kernel(v, full_runs(v, part, 0), kernel_of[1], 0));
        struct selection line = full_runs(v, part, 0);
        expected(f, "element %lld of batch %lld is %u", (long long)(first % batch),
                 (long long)(first / batch), finished(in[first]));
        seen(f, "%u; with %u %s %lld of %lld elements are wrong", out[first], devices_of(v),
             devices_of(v) == 1 ? "device" : "devices", (long long)wrong, (long long)n);
        if (why_short(v, f, line, n, batch) || why_misplaced(v, f, line, batch)
            || why_wrong_side(v, f, line, kernel_of[1], ENGINE_D2H)
            || why_wrong_side(v, f, line, kernel_of[0], ENGINE_H2D))
            return false;
        return why(f,
                   "Do both kernels and each copy cover all n elements of the batch, and are the two kernels called with n?");
    }
    return true;
}

/* The latest record of the event that call `wait` waits for; ANY for none. */
static uint32_t record_of(const struct timeline *t, uint32_t wait)
{
    for (uint32_t i = wait; i-- > 0;)
        if (t->calls[i].kind == CALL_EVENT_RECORD && t->calls[i].status == 0
            && t->calls[i].event == t->calls[wait].event)
            return i;
    return ANY;
}

/* A press() waits for the polish() of the batch before: blames the record that comes after polish()
 * in its stream, or else the wait. */
static bool why_takes_turns(const struct view *v, struct finding *f, struct selection s)
{
    const struct timeline *t = v->timeline;
    EACH_KERNEL(polish, v, s, "polish") {
        uint32_t press = next_kernel(v, s, "press", polish + 1);
        if (press == ANY || !hb_before(v->order, polish, press, GUARANTEED))
            continue;
        f->call = stream_wait_between(v, s, polish, press);
        uint32_t record = f->call == ANY ? ANY : record_of(t, f->call);
        if (record == ANY || record < t->spans[polish].call
            || t->calls[record].stream != t->spans[polish].stream)
            break;
        unsigned wait = t->calls[f->call].line;
        s.engines = ENGINE_BIT(ENGINE_PEER) | ENGINE_BIT(ENGINE_D2D);
        s.stream = t->spans[press].stream;
        EACH_SPAN(across, v, s)
            if (across > press)
                return why(f,
                           "With this wait press() waits for the polish() of the batch before. It need not: the copy of line %u, in its own stream, has "
                           "taken that batch away. What overwrites the batch that is polished is that copy: queue this wait just before the copy, behind press().",
                           call_of_node(v, across)->line);
        f->call = record;
        return why(f,
                   "The wait of line %u is for this record, which comes after polish() in its stream: press() of the next batch waits "
                   "for polish(). It may begin when the batch has been copied away: record the event right after that copy.",
                   wait);
    }
    return why(f,
               "While one device polishes, the other has to press the next batch. It may begin when the previous batch has been "
               "copied away, and need not wait for polish().");
}

bool line_together(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        if (devices_of(v) < 2 || together(e, view, part, f))
            continue;
        struct selection run = full_runs(v, part, ENGINE_BIT(ENGINE_KERNEL));
        measure_label(v->timeline, LINE, &run.first_call, &run.end_call);
        f->call = wait_in_between(v, run);
        if (f->call != ANY)
            return why(f,
                       "Here the host waits between two batches, and both devices run out of work. Order them with an event and "
                       "cudaStreamWaitEvent(), and let the host wait once, at the end.");
        return why_takes_turns(v, f, full_runs(v, part, 0));
    }
    return true;
}

bool line_left(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return current_left(e, f, true);
}
