/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Which streams the driver gave is known from its own kernels: ahead() and
 * behind(), before and after each wait_stream() that it calls.
 */
#include <stdio.h>

#include "judges.h"

/* The last ahead() before and the first behind() after the driver's call number k. */
static void around(const struct view *v, int k, uint32_t *ahead, uint32_t *behind)
{
    struct selection inside = in_label(v, WAITS, k, 0), s = in_part(v, "a", 0);
    struct selection before = s, after = s;
    before.end_call = inside.first_call;
    after.first_call = inside.end_call;
    *ahead = ANY;
    EACH_KERNEL(node, v, before, "ahead")
        *ahead = node;
    *behind = next_kernel(v, after, "behind", 0);
}

static uint32_t side_stream(const struct view *v)
{
    uint32_t ahead, behind;
    around(v, 0, &ahead, &behind);
    return behind == ANY ? ANY : v->timeline->spans[behind].stream;
}

static uint32_t current_stream(const struct view *v, int run)
{
    static const int given[RUNS] = { 1, 2, 4 };  /* the driver's call that has it as `waiter` */
    uint32_t ahead, behind;
    around(v, given[run], &ahead, &behind);
    return behind == ANY ? ANY : v->timeline->spans[behind].stream;
}

/* Is `later` bound to wait for `before` because of what these calls have queued? Where the host
 * waits in them, that is another check's. */
static bool is_held_up(const struct view *v, struct finding *f, struct selection inside,
                       uint32_t before, uint32_t later)
{
    if (before == ANY || later == ANY || standstill(v, inside) != ANY
        || !hb_before(v->order, before, later, GUARANTEED))
        return false;
    f->call = last_stream_wait(v, inside, v->timeline->spans[later].stream, ANY);
    f->function = "wait_stream";
    return true;
}

/* Does a third stream go on in call k, which is in no relation to the two? */
static bool third_goes_on(const struct view *v, struct finding *f, int k)
{
    struct selection inside = in_label(v, WAITS, k, 0), after = in_part(v, "a", 0);
    after.first_call = inside.end_call;
    uint32_t ahead, behind, apart = next_kernel(v, after, "apart", 0);
    around(v, k, &ahead, &behind);
    if (!is_held_up(v, f, inside, ahead, apart))
        return true;
    expected(f, "wait_stream(waiter, other) holds up `waiter`, and no third stream");
    seen(f,
         "a kernel that is queued to a third stream afterwards is bound to wait for one in `other`");
    return why(f,
               "No third stream is needed in between, and whatever is queued there later waits, too. Let `waiter` itself wait for the event: "
               "cudaStreamWaitEvent(waiter, passed, 0).");
}

/* Does `other` go on in call k? */
static bool other_goes_on(const struct view *v, struct finding *f, int k)
{
    struct selection inside = in_label(v, WAITS, k, 0), before = in_part(v, "a", 0), after = before;
    before.end_call = inside.first_call;
    after.first_call = inside.end_call;
    uint32_t queued = ANY, later = next_kernel(v, after, "ahead", 0);
    EACH_KERNEL(node, v, before, "behind")
        queued = node;
    if (!is_held_up(v, f, inside, queued, later))
        return true;
    expected(f, "wait_stream(waiter, other) holds up `waiter`, and not `other`");
    seen(f, "a kernel that is queued to `other` afterwards is bound to wait for one in `waiter`");
    return why(f,
               "Only what is queued to `waiter` has to wait. One event is enough, recorded in `other`, and one cudaStreamWaitEvent(), whose "
               "stream is `waiter`. If `other` waits as well, the two streams can no longer run beside each other.");
}

bool side_wait(const struct evidence *e, struct finding *f, const char *part)
{
    static const char *const who[WAIT_COUNT] = {
        "a side stream, for the legacy default stream",
        "the legacy default stream, for a side stream", "one stream for another",
        "a side stream, for stream 0", "stream 0, for a side stream",
    };
    const struct view *v = &e->yours[0];
    (void)part;
    static const int order[WAIT_COUNT] = { 2, 1, 0, 3, 4 };     /* the plainest case first */
    for (int tried = 0; tried < WAIT_COUNT; tried++) {
        int k = order[tried];
        uint32_t ahead, behind;
        around(v, k, &ahead, &behind);
        if (ahead != ANY && behind != ANY && hb_before(v->order, ahead, behind, GUARANTEED))
            continue;
        expected(f,
                 "after wait_stream(waiter, other) a kernel in `waiter` is bound to wait for one in `other`");
        seen(f, "nothing makes it wait (%s)", who[k]);
        if (ahead == ANY || behind == ANY)
            return false;
        f->call = v->timeline->spans[behind].call;
        why_unordered(v, f, ahead, "the kernel in `other`", behind, "the kernel in `waiter`",
                      NO_WAIT, "the kernel in `other`", "the kernel in `waiter`");
        struct selection inside = in_label(v, WAITS, k, 0);
        if (f->call >= inside.first_call && f->call < inside.end_call)
            return false;
        f->call = ANY;                          /* a line of the driver's */
        f->function = "wait_stream";
        return why(f, NO_WAIT, "the kernel in `other`", "the kernel in `waiter`");
    }
    for (int k = 0; k < WAIT_COUNT; k++)
        if (!other_goes_on(v, f, k) || !third_goes_on(v, f, k))
            return false;
    return true;
}

bool side_host(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    (void)part;
    for (int k = 0; k < WAIT_COUNT; k++)
        if (!only_queues(v, in_label(v, WAITS, k, 0), f, "wait_stream()"))
            return false;
    for (int k = 0; k < RUNS; k++)
        if (!only_queues(v, in_label(v, RUN, k, 0), f, "sum_beside()"))
            return false;
    return true;
}

bool side_work(const struct evidence *e, struct finding *f, const char *part)
{
    static const struct { const char *name; bool side; } kernels[] = {
        { "produce", false }, { "total", true }, { "other_work", false }, { "settle", false },
    };
    const struct view *v = &e->yours[0];
    (void)part;
    for (int run = 0; run < RUNS; run++)
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            size_t count;
            uint32_t node = kernel_named(v, in_label(v, RUN, run, 0), kernels[k].name, &count);
            uint32_t wanted = kernels[k].side ? side_stream(v) : current_stream(v, run);
            if (count == 1 && v->timeline->spans[node].stream == wanted)
                continue;
            f->call = call_number(v, node);
            expected(f, "%s() runs once in each call of sum_beside(), in `%s`", kernels[k].name,
                     kernels[k].side ? "side" : "current");
            f->function = "sum_beside";
            f->word = kernels[k].name;
            if (count != 1) {
                seen(f, "call %d: it ran %zu times", run, count);
                return why(f,
                           "Each of the four kernels is launched once: produce(), total(), other_work() and settle().");
            } else
                seen(f, "call %d: it is in another stream", run);
            return why(f,
                       "The stream is the fourth parameter of a launch. Use the one that the caller gave: %s. A launch that names "
                       "none goes to the default stream, which `current` is in some calls only.",
                       kernels[k].side ? "`side`" : "`current`");
        }
    return true;
}

static const char *const with_current[RUNS] = { "", ", with a third stream as `current`",
                                                ", with stream 0 as `current`" };

static bool in_order(const struct evidence *e, struct finding *f, const char *first,
                     const char *then, const char *what)
{
    const struct view *v = &e->yours[0];
    for (int run = 0; run < RUNS; run++) {
        uint32_t one = kernel_named(v, in_label(v, RUN, run, 0), first, NULL);
        uint32_t two = kernel_named(v, in_label(v, RUN, run, 0), then, NULL);
        char name[2][32];
        if (hb_before(v->order, one, two, GUARANTEED))
            continue;
        snprintf(name[0], sizeof name[0], "%s()", first);
        snprintf(name[1], sizeof name[1], "%s()", then);
        f->call = v->timeline->spans[two].call;
        expected(f, "%s", what);
        seen(f, "call %d%s: nothing makes %s wait for %s", run, with_current[run], name[1],
             name[0]);
        return why_unordered(v, f, one, name[0], two, name[1], NO_WAIT, name[0], name[1]);
    }
    return true;
}

bool side_input(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return in_order(e, f, "produce", "total", "total() adds up what produce() has made of x");
}

bool side_back(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return in_order(
        e, f, "total", "settle",
        "settle() begins after total(): it needs the sum, and overwrites the elements that were summed");
}

/* The launch that a wrong element shows to have missed it; ANY: it may be any of them. What
 * produce(), settle() and other_work() make of an element, and what it was, differ; a sum that is
 * wrong while each element is right is total()'s. */
static const char *missed_by(uint32_t x, uint32_t out, uint32_t sum)
{
    uint32_t made = 1664525u * x + 1013904223u;
    return out == x || out == (x ^ sum) ? "produce" : out == made && sum != 0 ? "settle" : NULL;
}

/* One wrong element: which, of what, wanted, found. */
static bool wrong_element(const struct view *v, struct finding *f, int run, const char *kernel,
                          const char *what, int64_t at, uint32_t wanted, uint32_t got)
{
    uint32_t node = !kernel ? ANY : kernel_named(v, in_label(v, RUN, run, 0), kernel, NULL);
    f->call = call_number(v, node);
    f->function = "sum_beside";
    expected(f, "call %d: element %lld of %s is %u", run, (long long)at, what, wanted);
    seen(f, "%u", got);
    if (node != ANY)
        return why(f,
                   "This element looks as if %s() had left it out, or had been given other memory. Pass all n elements, as the declaration "
                   "says.",
                   kernel);
    return why(f,
               "Does each kernel get all n elements, and does each get the right arguments: total(sum, x, n), other_work(y, n), "
               "settle(x, sum, n)?");
}

bool side_output(const struct evidence *e, struct finding *f, const char *part)
{
    const uint32_t *x = exchange_input(e->exchange, IN_X, NULL),
                   *y = exchange_input(e->exchange, IN_Y, NULL);
    const uint32_t *out_x = exchange_output(e->exchange, OUT_X, NULL),
                   *out_y = exchange_output(e->exchange, OUT_Y, NULL);
    const uint32_t *out_sum = exchange_output(e->exchange, OUT_SUM, NULL);
    const struct view *v = &e->yours[0];
    const int64_t most = sizes_of(e)->x;
    (void)part;
    for (int run = 0; run < RUNS; run++, x += most, y += most, out_x += most, out_y += most) {
        const int64_t n = elements_of_run(sizes_of(e), run);
        uint32_t sum = 0, got = out_sum[run];
        for (int64_t i = 0; i < n; i++)
            sum += 1664525u * x[i] + 1013904223u;
        for (int64_t i = 0; i < n; i++) {
            if (out_x[i] != ((1664525u * x[i] + 1013904223u) ^ got))
                return wrong_element(v, f, run, missed_by(x[i], out_x[i], got), "x", i,
                                     (1664525u * x[i] + 1013904223u) ^ sum, out_x[i]);
            if (out_y[i] != 5 * y[i] + 1)
                return wrong_element(v, f, run, "other_work", "y", i, 5 * y[i] + 1, out_y[i]);
        }
        if (got != sum)
            return wrong_element(v, f, run, "total", "the sum", 0, sum, got);
    }
    return true;
}

bool side_beside(const struct evidence *e, struct finding *f, const char *part)
{
    struct which sum = { ENGINE_KERNEL, "total" }, other = { ENGINE_KERNEL, "other_work" };
    if (beside_as_reference(e, f, part, sum, other, "total()"))
        return true;
    expected(f, "total() runs in `side` while other_work() runs in `current`");
    const struct view *v = &e->yours[f->view];
    for (int run = 0; run < RUNS; run++) {
        struct selection s = in_label(v, RUN, run, 0);
        uint32_t one = kernel_named(v, s, "total", NULL),
                 two = kernel_named(v, s, "other_work", NULL);
        if (one == ANY || two == ANY)
            continue;
        bool other_waits = hb_before(v->order, one, two, GUARANTEED);
        if (!other_waits && !hb_before(v->order, two, one, GUARANTEED))
            continue;
        uint32_t waits = other_waits ? two : one;
        f->call = last_stream_wait(v, s, v->timeline->spans[waits].stream,
                                   v->timeline->spans[waits].call);
        f->function = "sum_beside";
        uint32_t made = kernel_named(v, s, "produce", NULL);
        if (!other_waits && made != ANY && hb_before(v->order, two, made, GUARANTEED)) {
            f->call = v->timeline->spans[two].call;
            return why(f,
                       "other_work() is queued before produce(), and total() waits for both. sum_beside() queues produce() first: other_work() "
                       "is what `current` does while `side` adds up.");
        }
        return why(f,
                   "%s() is bound to wait for %s(), and needs no result of it. Everything queued in a stream after a wait waits, "
                   "too. Let `side` wait right after produce(), and let `current` wait as late as it can: after other_work().",
                   other_waits ? "other_work" : "total", other_waits ? "total" : "other_work");
    }
    return why(f,
               "Everything queued in a stream after a wait waits, too, whether it needs to or not. Let `side` wait right after "
               "produce(), and let `current` wait as late as it can: after other_work().");
}
