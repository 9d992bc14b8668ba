/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * scramble() takes as long as its share is: how much a device was given shows
 * in how long it worked, and who computes all of it on each shows in the sum.
 */
#include <stdio.h>

#include "judges.h"

#define SUM_PERMILLE 1100       /* of the time that the reference's kernels take in all */

static struct selection run_calls(const struct view *v, int k, uint32_t engines)
{
    char label[32];
    struct selection s = { engines, ANY, ANY, 0, 0 };
    snprintf(label, sizeof label, "%s%d", RUN, k);
    measure_label(v->timeline, label, &s.first_call, &s.end_call);
    return s;
}

static int64_t time_of(const struct view *v, struct selection s, uint32_t device, size_t *kernels)
{
    int64_t sum = 0;
    s.device = device;
    *kernels = 0;
    EACH_KERNEL(node, v, s, "scramble") {
        sum += v->timeline->spans[node].end - v->timeline->spans[node].start;
        ++*kernels;
    }
    return sum;
}

#define SCRAMBLE_NS 16          /* lesson.h */

/* How many elements that device was given, by what its kernels declared; -1: that is not known
 * here. */
static int64_t share_of(const struct view *v, struct selection s, uint32_t device, uint32_t *last)
{
    int64_t sum = 0;
    s.device = device;
    EACH_KERNEL(node, v, s, "scramble") {
        int64_t cost = declared_cost(v, node);
        if (cost < 0)
            return -1;
        *last = node;
        sum += cost / SCRAMBLE_NS;
    }
    return sum;
}

/* Do the shares of a run differ by one element at most? Where n * d is computed in int, they do: it
 * would take 2 GB of elements on four devices to see that. */
static bool shares_alike(const struct view *v, int k, struct finding *f)
{
    int64_t least = INT64_MAX, most = -1;
    uint32_t largest = ANY, smallest = 0;
    for (uint32_t device = 0; device < devices_of(v); device++) {
        uint32_t last = ANY;
        int64_t share = share_of(v, run_calls(v, k, 0), device, &last);
        if (share < 0)
            return true;
        if (share > most)
            largest = last;
        if (share < least)
            smallest = device;
        most = share > most ? share : most;
        least = share < least ? share : least;
    }
    if (most - least <= 1)
        return true;
    f->call = call_number(v, largest);
    expected(f, "the shares of the devices differ by one element at most");
    seen(f, "run %d: one device has %lld elements, and device %u has %lld", k, (long long)most,
         smallest, (long long)least);
    return why(f,
               "Devices that are alike end together only with equal shares. With first = n * d / count and end = n * (d + 1) / count, in long "
               "long, sizes differ by one element.");
}

/* Does each element travel to one device only? */
static bool travels_once(const struct evidence *e, const struct view *v, int k, struct finding *f)
{
    struct selection s = run_calls(v, k, ENGINE_BIT(ENGINE_H2D));
    uint64_t all = (uint64_t)sizes_of(e)->team[k] * sizeof(uint32_t), bytes = 0;
    EACH_SPAN(node, v, s) {
        bytes += v->timeline->spans[node].bytes;
        f->call = v->timeline->spans[node].call;
    }
    if (bytes <= all) {
        f->call = ANY;
        return true;
    }
    expected(f, "each element is sent to one device: %llu bytes go from the host to the devices",
             (unsigned long long)all);
    seen(f, "run %d: %llu bytes", k, (unsigned long long)bytes);
    return why(f,
               "A device needs its own share and no more. What is sent besides takes as much time on the bus as what is needed.");
}

bool team_work(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    for (size_t view = 0; view < e->views; view++)
        for (int k = 0; k < RUNS; k++) {
            const struct view *v = &e->yours[view];
            size_t kernels;
            f->view = view;
            for (uint32_t device = 0; device < devices_of(v); device++) {
                time_of(v, run_calls(v, k, 0), device, &kernels);
                if (kernels > 0)
                    continue;
                uint32_t stray = next_kernel(v, run_calls(v, k, 0), "scramble", 0);
                /* The second on the device of the first. */
                for (uint32_t node = stray, next; node != ANY; node = next)
                    if ((next = next_kernel(v, run_calls(v, k, 0), "scramble", node + 1)) != ANY
                        && v->timeline->spans[next].device == v->timeline->spans[node].device)
                        stray = next;
                f->call = stray == ANY ? ANY : maker_of(v, stray);
                f->function = "team_run";
                f->word = "scramble";
                expected(f, "scramble() runs on each of the %u devices", devices_of(v));
                seen(f, "run %d: it does not run on device %u", k, device);
                time_of(v, run_calls(v, k, 0), ANY, &kernels);
                if (kernels < devices_of(v)) {
                    f->call = ANY;
                    return why(f,
                               "It is launched %zu %s in this run. Launch it once for each device, in the stream of that device's lane.",
                               kernels, kernels == 1 ? "time" : "times");
                }
                return why(f,
                           "A kernel runs on the device of its stream, and a stream belongs to the device that was current when it "
                           "was made. Make each lane with its own device current: cudaSetDevice(d).");
            }
            int64_t mine = time_of(v, run_calls(v, k, 0), ANY, &kernels);
            int64_t theirs = time_of(&e->reference[view], run_calls(&e->reference[view], k, 0), ANY,
                                     &(size_t){ 0 });
            if (mine * 1000 <= theirs * time_asked(v, SUM_PERMILLE)) {
                if (!shares_alike(v, k, f) || !travels_once(e, v, k, f))
                    return false;
                continue;
            }
            uint32_t first = next_kernel(v, run_calls(v, k, 0), "scramble", 0);
            f->call = v->timeline->spans[first].call;
            f->argument = 2;                    /* of scramble(): n */
            expected(f,
                     "the work is shared out: all the kernels of a run take as long as one that does all the elements");
            seen(f, "run %d: they take %lld.%02lld x as long", k, (long long)(mine / theirs),
                 (long long)(mine * 100 / theirs % 100));
            return why(f,
                       "Each device needs n / count elements and no more. A scramble() of all n on each device does the whole work "
                       "several times.");
        }
    return true;
}

static bool waits_for_a_device(const struct view *v, struct selection s)
{
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (v->timeline->calls[i].kind == CALL_DEVICE_SYNC)
            return true;
    return false;
}

bool team_wait(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    for (size_t view = 0; view < e->views; view++)
        for (int k = 0; k < RUNS; k++) {
            const struct view *v = &e->yours[view];
            uint32_t node = never_waited_for(v, run_calls(v, k, ENGINES_DEVICE));
            if (node == ANY)
                continue;
            f->view = view;
            f->call = v->timeline->spans[node].call;
            expected(f, "when team_run() returns, every device is done with its share");
            seen(f, "run %d: nothing waited for %s, on device %u", k, node_name(v, node).text,
                 v->timeline->spans[node].device);
            struct selection s = run_calls(v, k, ENGINES_DEVICE);
            return why_unwaited(
                v, f, node, s.end_call,
                waits_for_a_device(v, s)
                    ? "cudaDeviceSynchronize() waits only for the current device. Wait for each stream with "
                      "cudaStreamSynchronize(), which takes a stream of any device."
                    : "Wait for each stream before team_run() returns, with cudaStreamSynchronize(), which takes a stream of any "
                      "device. A thread of your own that has only queued work has not waited for it.");
        }
    return true;
}

/* A copy of a run's from or to the host, and where it begins; the elements that scramble() was
 * given on its device. */
struct piece { uint32_t node; uint64_t at, bytes; int64_t scrambled; };

enum { PIECES = 64 };

/* Those of one direction, in the order of their addresses; 0: there are none, or too many. */
static size_t pieces_of(const struct view *v, struct selection s, bool to_host, struct piece *piece)
{
    size_t count = 0;
    s.engines = ENGINE_BIT(to_host ? ENGINE_D2H : ENGINE_H2D);
    EACH_SPAN(node, v, s) {
        const struct call *c = call_of_node(v, node);
        const struct span *span = &v->timeline->spans[node];
        struct selection on = s;
        uint32_t last;
        size_t k = count++;
        if (count > PIECES)
            return 0;
        on.engines = ENGINE_BIT(ENGINE_KERNEL);
        struct piece p = { node, to_host ? c->dst : c->src, span->bytes,
                           share_of(v, on, span->device, &last) };
        for (; k > 0 && piece[k - 1].at > p.at; k--)
            piece[k] = piece[k - 1];
        piece[k] = p;
    }
    return count;
}

/* Are the shares of `in` that go out, or of `out` that come home, not all n elements once? Says
 * where the first does not begin where the one before it ends. */
static bool why_shares(const struct view *v, struct finding *f, struct selection s, int64_t n)
{
    struct piece piece[PIECES];
    for (int to_host = 0; to_host < 2; to_host++) {
        size_t count = pieces_of(v, s, to_host, piece);
        const char *array = to_host ? "out" : "in";
        for (size_t k = 0; k < count; k++) {
            const struct piece *p = &piece[k], *next = k + 1 < count ? p + 1 : NULL;
            uint64_t end = p->at + p->bytes,
                     wanted = next ? next->at : piece[0].at + (uint64_t)n * sizeof(uint32_t);
            uint32_t device = v->timeline->spans[p->node].device;
            if (end == wanted)
                continue;
            f->call = v->timeline->spans[p->node].call;
            f->argument = 3;                    /* of a copy: its size */
            f->sure = true;
            if (p->scrambled > 0 && p->bytes == (uint64_t)p->scrambled)
                why(f,
                    "This copies %llu bytes, and the %lld elements that scramble() is given on device %u are %llu: a copy takes its "
                    "size in bytes, 4 for each element.",
                    (unsigned long long)p->bytes, (long long)p->scrambled, device,
                    (unsigned long long)p->scrambled * sizeof(uint32_t));
            else if (next && next->at == p->at) {
                f->argument = 0;
                why(f,
                    "The shares of device %u and device %u begin at the same element of `%s`. That of device d begins at "
                    "`%s` + first, with first = n * d / count.",
                    device, v->timeline->spans[next->node].device, array, array);
            } else if (!next)
                why(f,
                    "The end of the last share is %s that of `%s`, by %lld of its elements. With first = n * d / count and end = n * (d + 1) / count, "
                    "in long long, each share begins where the one before ends, and the last one ends at n.",
                    end < wanted ? "before" : "after", array,
                    (long long)((end < wanted ? wanted - end : end - wanted) / sizeof(uint32_t)));
            else
                why(f,
                    "The share of device %u ends %s element %lld of `%s`, where the next one begins. With first = n * d / count and end "
                    "= n * (d + 1) / count, in long long, each share begins where the one before ends.",
                    device, end < wanted ? "before" : "after",
                    (long long)((wanted - piece[0].at) / sizeof(uint32_t)), array);
            return true;
        }
    }
    return false;
}

/* Is it what scramble() makes of n elements, and nothing more? The first element that is not;
 * `room`: all are. */
static int64_t first_wrong(const uint32_t *out, const uint32_t *in, int64_t n, int64_t room)
{
    for (int64_t i = 0; i < room; i++)
        if (out[i] != (i < n ? 1664525u * in[i] + 1013904223u : UNWRITTEN))
            return i;
    return room;
}

bool small_room(const struct evidence *e, size_t view, struct finding *f, const char *opens)
{
    const struct view *v = &e->yours[view];
    struct selection s = { ENGINES_DEVICE, ANY, ANY, 0, 0 };
    if (!measure_label(v->timeline, opens, &s.first_call, &s.end_call)
        || takes_what_is_asked(v, f, s, (uint64_t)sizes_of(e)->few * sizeof(uint32_t)))
        return true;
    f->view = view;
    return false;
}

/* Are the small team's runs right, and is nothing written after the last element of any run? */
static bool small_output(const struct evidence *e, size_t view, struct finding *f)
{
    const struct sizes *sizes = sizes_of(e);
    const uint32_t *in = exchange_input(e->exchange, IN_TEAM, NULL);
    const uint32_t *small = exchange_output_of(e->exchange, view, OUT_SMALL_TEAM, NULL);
    const uint32_t *full = exchange_output_of(e->exchange, view, OUT_TEAM, NULL);
    for (int k = 0; k < SMALL_RUNS + RUNS; k++) {
        bool is_small = k < SMALL_RUNS;
        int64_t n = !is_small ? sizes->team[k - SMALL_RUNS]
                    : k == 0  ? 1
                              : sizes->few,
                room = is_small ? FEW : sizes->team[0];
        const uint32_t *out = is_small ? small + k * FEW : full + (k - SMALL_RUNS) * room;
        int64_t wrong = first_wrong(out, in, n, room);
        if (wrong == room)
            continue;
        f->view = view;
        f->function = "team_run";
        if (wrong < n)
            expected(f, "a second team, of up to %lld elements, is given %lld: element %lld is %u",
                     (long long)sizes->few, (long long)n, (long long)wrong,
                     1664525u * in[wrong] + 1013904223u);
        else
            expected(f, "with n = %lld nothing is written after out[%lld]", (long long)n,
                     (long long)(n - 1));
        seen(f, "with %u %s: out[%lld] is %u", devices_of(&e->yours[view]),
             devices_of(&e->yours[view]) == 1 ? "device" : "devices", (long long)wrong, out[wrong]);
        struct selection s = small_run(&e->yours[view], "b", k, 0);
        if (is_small && next_kernel(&e->yours[view], s, "scramble", 0) == ANY) {
            f->returns = true;
            return why(f,
                       "No scramble() was launched in this call. Its n is small, so that the share of a device may be empty: that "
                       "device has nothing to do, but the others have.");
        }
        return why(f,
                   "Each call has its own n, which may be 1, and each team its own lanes. A device whose share is empty has nothing to do, "
                   "but the others have.");
    }
    return small_room(e, view, f, SMALL_TEAM);
}

bool why_wrong_side(const struct view *v, struct finding *f, struct selection s, const char *kernel,
                    enum engine engine)
{
    const struct span *spans = v->timeline->spans;
    for (s.device = 0; s.device < devices_of(v); s.device++) {
        s.engines = ENGINE_BIT(engine);
        uint32_t copy = next_span(v, s, 0);
        s.engines = ENGINE_BIT(ENGINE_KERNEL);
        uint32_t node = next_kernel(v, s, kernel, 0);
        bool home = engine == ENGINE_D2H;
        if (node == ANY || copy == ANY || (spans[copy].call < spans[node].call) != home)
            continue;
        f->call = spans[copy].call;
        f->sure = true;
        why(f,
            home
                ? "This copy home is queued before %s() of line %u, so it brings what was there before that kernel. Queue it afterwards."
                : "This copy is queued after %s() of line %u, so that kernel works on what was there before. Queue the copy first.",
            kernel, call_of_node(v, node)->line);
        return true;
    }
    return false;
}

bool team_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct sizes *sizes = sizes_of(e);
    const uint32_t *in = exchange_input(e->exchange, IN_TEAM, NULL);
    for (size_t view = 0; view < e->views; view++)
        for (int k = 0; k < RUNS; k++) {
            const uint32_t *out = exchange_output_of(e->exchange, view, OUT_TEAM, NULL);
            int64_t wrong = 0, first = 0, n = sizes->team[k];
            out += k * sizes->team[0];
            for (int64_t i = 0; i < n; i++)
                if (out[i] != 1664525u * in[i] + 1013904223u && !wrong++)
                    first = i;
            if (!wrong && (k < RUNS - 1 || small_output(e, view, f)))
                continue;
            if (!wrong)
                return false;
            const struct view *v = &e->yours[view];
            f->view = view;
            f->call = call_number(v, next_kernel(v, full_runs(v, part, 0), "scramble", 0));
            expected(f,
                     "each of the %lld elements went through scramble() once: element %lld is %u",
                     (long long)n, (long long)first, 1664525u * in[first] + 1013904223u);
            seen(f, "run %d, with %u %s: %lld wrong, the first is element %lld: %u", k,
                 devices_of(v), devices_of(v) == 1 ? "device" : "devices", (long long)wrong,
                 (long long)first, out[first]);
            struct selection run = run_calls(v, k, 0);
            if (why_shares(v, f, run, n) || why_wrong_side(v, f, run, "scramble", ENGINE_D2H)
                || why_wrong_side(v, f, run, "scramble", ENGINE_H2D))
                return false;
            return why(f,
                       "The copies bring each element out and home once. Is scramble() given all elements of the share, and the memory "
                       "to which they were copied?");
        }
    return true;
}

bool team_together(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        if (devices_of(v) < 2 || together(e, view, part, f))
            continue;
        f->call = ANY;
        for (int k = 0; k < RUNS && f->call == ANY; k++)
            f->call = wait_in_between(v, run_calls(v, k, ENGINE_BIT(ENGINE_KERNEL)));
        if (f->call != ANY)
            return why(f,
                       "Here the host waits for one device before it has given the next one its share. Queue the work of all "
                       "devices first, then wait for each.");
        for (int k = 0; k < RUNS; k++) {
            struct selection s = run_calls(v, k, 0);
            uint32_t one = next_kernel(v, s, "scramble", 0),
                     two = one == ANY ? ANY : next_kernel(v, s, "scramble", one + 1);
            if (two == ANY || !hb_before(v->order, one, two, GUARANTEED))
                continue;
            f->call = v->timeline->spans[two].call;
            return why(f,
                       "On device %u scramble() is bound to wait for that on device %u. The shares need nothing of each other.",
                       v->timeline->spans[two].device, v->timeline->spans[one].device);
        }
        return why(f,
                   "They begin and end together when their shares are equal: n / count elements each, and one more for some.");
    }
    return true;
}

bool team_left(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return current_left(e, f, false);
}
