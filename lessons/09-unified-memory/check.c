/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 09: is one pointer enough, did the host wait before it
 * looked, and which pages travelled why?
 *
 * DESIGN
 * No time is judged: page faults are counted, and bytes by direction, whoever
 * moved them (faults, prefetches, copies). What the host does with memory the
 * driver says in labels, at the moment when it does it.
 */
#include <string.h>

#include "grader/check.h"

#include "slots.h"

#define PAGE 65536u             /* a page may come along with each thing that has to travel */
#define PASSES 3                /* lesson.h */

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    /* Odd: the tail is no whole block. */
    uint64_t n[] = { random_odd(r, 60000, 90000), random_odd(r, 140000, 200000), 0 };
    struct settings s = { (int64_t)random_between(r, 17, 23), random_odd(r, 12000, 15000),
                          (int64_t)random_between(r, 5, 7), (int64_t)(random_next(r) | 1) & UINT32_MAX };
    n[SLOT_PLATE] = (uint64_t)(s.probes * s.stride) + random_between(r, 1, 5000);
    for (int slot = SLOT_CALIBRATE; slot <= SLOT_PLATE; slot++)
        exchange_add_elements(x, r, n[slot]);
    *(struct settings *)exchange_add_input(x, sizeof s) = s;
    for (int slot = SLOT_CALIBRATE; slot <= SLOT_PLATE; slot++)
        exchange_add_output(x, n[slot] * sizeof(uint32_t));
    exchange_add_output(x, sizeof(struct places));
}

static int slot_of(const char *part)
{
    return part[0] - 'a';
}

static uint64_t bytes_of(const struct evidence *e, const char *part)
{
    size_t bytes;
    exchange_input(e->exchange, slot_of(part), &bytes);
    return bytes;
}

static const struct settings *settings_of(const struct evidence *e)
{
    return exchange_input(e->exchange, SLOT_SETTINGS, NULL);
}

/* ---- questions ---- */

/* The first label of that text in the part at or after call `from`; the part's end for none. */
static size_t next_label(const struct view *v, struct selection s, const char *text, size_t from)
{
    for (size_t call = from > s.first_call ? from : s.first_call; call < s.end_call; call++)
        if (v->timeline->calls[call].kind == CALL_LABEL
            && strcmp(timeline_string(v->timeline, v->timeline->calls[call].name), text) == 0)
            return call;
    return s.end_call;
}

static unsigned labels(const struct view *v, struct selection s, const char *text)
{
    unsigned count = 0;
    for (size_t call = next_label(v, s, text, 0); call < s.end_call; call = next_label(v, s, text, call + 1))
        count++;
    return count;
}

/* The part's last kernel of that name before `end`, as a call; ANY for none. */
static uint32_t last_launch(const struct view *v, const char *part, const char *kernel, size_t end)
{
    struct selection s = in_part(v, part, 0);
    uint32_t last = ANY;
    for (uint32_t node = next_kernel(v, s, kernel, 0); node != ANY; node = next_kernel(v, s, kernel, node + 1))
        if (v->timeline->spans[node].call < end)
            last = v->timeline->spans[node].call;
    return last;
}

/* Bytes that calls of the part brought to one side: by copies and prefetches. */
static uint64_t queued_bytes(const struct view *v, const char *part, bool to_host, bool prefetches_only)
{
    struct selection s = in_part(v, part, ENGINE_BIT(to_host ? ENGINE_D2H : ENGINE_H2D));
    uint64_t bytes = 0;
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1))
        if (!prefetches_only || call_of_node(v, node)->kind == CALL_PREFETCH)
            bytes += v->timeline->spans[node].bytes;
    return bytes;
}

static struct migration_sum migrated(const struct view *v, const char *part, unsigned which)
{
    struct selection s = in_part(v, part, 0);
    return measure_migrations(v->timeline, which, s.first_call, s.end_call);
}

/* All bytes that travelled to one side in the part, whoever moved them. */
static uint64_t travelled(const struct view *v, const char *part, bool to_host)
{
    unsigned which = (to_host ? MIGRATIONS_TO_HOST : MIGRATIONS_TO_DEVICE) | MIGRATIONS_OF_KERNELS | MIGRATIONS_OF_HOST;
    return queued_bytes(v, part, to_host, false) + migrated(v, part, which).bytes;
}

static unsigned long long kib(uint64_t bytes)
{
    return (bytes + 1023) / 1024;
}

/* ---- all parts: the wait, the output ---- */

/* Work of the part on the device that is queued before `call` and which nobody waited for by then; ANY for none. */
static uint32_t unwaited(const struct view *v, struct selection s, size_t call)
{
    uint32_t last = ANY;
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1))
        if (v->timeline->spans[node].call < call
            && !order_before_call(v->order, node, v->timeline->calls, call, GUARANTEED))
            last = node;
    return last;
}

static bool judge_wait(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const char *reader = part[0] == 'c' ? STEER : TAKE;
    struct selection s = in_part(v, part, ENGINES_DEVICE), before = s;
    before.engines &= ~ENGINE_BIT(ENGINE_H2D);      /* what goes to the device the host does not read */
    size_t read = next_label(v, s, reader, 0);
    uint32_t node = ANY;
    for (; read < s.end_call && (node = unwaited(v, before, read)) == ANY; read = next_label(v, s, reader, read + 1))
        ;
    bool last = node == ANY;
    if (last && (node = never_waited_for(v, s)) == ANY)
        return true;
    f->call = v->timeline->spans[node].call;
    bool prefetched = call_of_node(v, node)->kind == CALL_PREFETCH;
    if (last) {
        expected(f, "nothing of yours is running when the function returns");
        seen(f, "nothing has waited for this");
    } else {
        expected(f, "the host reads when the work that it reads from is done: something has waited for it before %s()", reader);
        seen(f, "%s() reads, and nothing has waited for this %s", reader, prefetched ? "prefetch" : "kernel");
    }
    if (prefetched)
        return why(f, "A prefetch is work in a stream, like a copy: the call only asks for it. Queue it first, then wait for both "
                   "with one cudaDeviceSynchronize().");
    return why(f, "The pointer is good at any time, the data behind it is not. The cudaMemcpy() of an explicit program was a wait "
               "as well: put cudaDeviceSynchronize() where it stood.");
}

/* What element `i` is to be: `gain` as gains_of() gives it for (c), NULL for (a). */
static uint32_t wanted(const uint32_t *in, uint64_t i, const uint32_t *gain)
{
    if (gain == NULL)
        return 2654435761u * in[i] + (uint32_t)i;
    uint32_t x = in[i];
    for (; *gain != 0; gain++)  /* a gain is odd */
        x = *gain * x + 1;
    return x;
}

/* The gain of each round, 0 behind the last. */
static void gains_of(const struct evidence *e, const uint32_t *in, uint32_t *gain)
{
    const struct settings *s = settings_of(e);
    uint32_t next = (uint32_t)s->gain;
    for (int64_t round = 0; round < s->rounds; round++) {
        gain[round] = next | 1;
        gain[round + 1] = 0;
        next = 1;
        for (int64_t k = 0; k < s->probes; k++)
            next = 5 * next + wanted(in, (uint64_t)(k * s->stride), gain);
    }
}

static bool judge_output(const struct evidence *e, struct finding *f, const char *part)
{
    static const char *const kernel[] = { "calibrate", "accumulate", "step" };
    const struct view *v = &e->yours[0];
    const uint32_t *in = exchange_input(e->exchange, slot_of(part), NULL);
    const uint32_t *out = exchange_output(e->exchange, slot_of(part), NULL);
    uint64_t n = bytes_of(e, part) / sizeof *in, wrong = 0, first = 0;
    uint32_t gain[16], right = 0;
    if (part[0] == 'c')
        gains_of(e, in, gain);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t want = part[0] == 'b' ? 13 * in[i] : wanted(in, i, part[0] == 'c' ? gain : NULL);
        if (out[i] != want && !wrong++) {
            first = i;
            right = want;
        }
    }
    if (!wrong)
        return true;
    f->call = last_launch(v, part, kernel[slot_of(part)], v->timeline->call_count);
    expected(f, "each of the %llu elements is right: element %llu is %u", (unsigned long long)n, (unsigned long long)first, right);
    seen(f, "%llu %s wrong, the first is element %llu: %u", (unsigned long long)wrong, wrong == 1 ? "is" : "are",
         (unsigned long long)first, out[first]);
    return why(f, part[0] == 'c' ? "Is the gain of each round what steer() said of the cells that step() had just made, all of them?"
               : out[first] == 0 ? "Nobody wrote there. Do the kernel's arguments and the pointer that take_results() gets name the same array?"
                                 : "Which array did the kernel read, which did it write, and how often?");
}

/* ---- (a) ---- */

static const char *kind_named(int64_t kind)
{
    static const char *const names[] = { "ordinary memory of the host", "pinned memory of the host", "device memory", "managed memory" };
    return kind >= 0 && kind < 4 ? names[kind] : "not there";
}

#define KIND_MANAGED 3          /* cudaMemoryTypeManaged */

static bool judge_managed(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    struct selection s = in_part(v, part, 0);
    expected(f, "the host writes and reads the memory that the kernel uses: managed, and nothing is copied");
    for (size_t call = s.first_call; call < s.end_call; call++)
        if (v->timeline->calls[call].kind == CALL_COPY) {
            f->call = (uint32_t)call;
            seen(f, "a copy of %llu bytes", (unsigned long long)v->timeline->calls[call].bytes);
            return why(f, "Memory from cudaMallocManaged() has one address for both sides. Its pages go where they are touched: "
                       "the copies are not needed, and neither is the second array.");
        }
    for (int which = 0; which < 2; which++) {
        if (places->kind[which] == KIND_MANAGED)
            continue;
        f->call = last_launch(v, part, "calibrate", v->timeline->call_count);
        seen(f, "what %s gets is %s", which ? TAKE "()" : PUT "()", kind_named(places->kind[which]));
        return why(f, "Take both arrays from cudaMallocManaged() and give the same pointers to the host's functions and to the "
                   "kernel.");
    }
    return true;
}

static bool judge_grid(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    uint64_t n = bytes_of(e, part) / sizeof(uint32_t);
    unsigned put = labels(v, s, PUT), take = labels(v, s, TAKE);
    size_t launches;
    uint32_t node = kernel_named(v, s, "calibrate", &launches);
    if (node == ANY || put != 1 || take != 1 || launches != 1) {
        f->call = node == ANY ? ANY : v->timeline->spans[node].call;
        for (size_t call = s.first_call; call < s.end_call && node == ANY && f->call == ANY; call++)
            if (v->timeline->calls[call].kind == CALL_LAUNCH && v->timeline->calls[call].status != 0)
                f->call = (uint32_t)call;
        expected(f, "put_readings(), calibrate() on the device, take_results(): once each");
        seen(f, "put_readings(): %u, calibrate(): %zu, take_results(): %u", put, launches, take);
        return why(f, "What the explicit program does stays: only its copies go. A launch that was refused counts as none: ask "
                   "cudaGetLastError().");
    }
    const struct call *c = call_of_node(v, node);
    uint64_t blocks = (uint64_t)c->grid[0], threads = c->block[0];
    if (blocks * threads >= n)
        return true;
    f->call = v->timeline->spans[node].call;
    expected(f, "%llu elements, and a thread for each", (unsigned long long)n);
    seen(f, "%llu blocks of %llu threads are %llu: the last %llu elements have none", (unsigned long long)blocks,
         (unsigned long long)threads, (unsigned long long)(blocks * threads), (unsigned long long)(n - blocks * threads));
    return why(f, "Whole numbers divide downwards, and what is left over gets no block. Round up: (n + THREADS - 1) / THREADS; the "
               "kernel's own `if` sends the surplus threads home.");
}

/* ---- (b) ---- */

static bool judge_passes(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    size_t launches;
    uint32_t node = kernel_named(v, s, "accumulate", &launches);
    unsigned put = labels(v, s, PUT), take = labels(v, s, TAKE);
    uint32_t copy = next_span(v, in_part(v, part, ENGINES_DEVICE), 0);
    while (copy != ANY && call_of_node(v, copy)->kind != CALL_COPY)
        copy = next_span(v, in_part(v, part, ENGINES_DEVICE), copy + 1);
    if (launches == PASSES && put == 1 && take == 1 && copy == ANY)
        return true;
    f->call = copy != ANY ? v->timeline->spans[copy].call : node != ANY ? v->timeline->spans[node].call : ANY;
    expected(f, "%d launches of accumulate(), readings put once, results taken once, nothing copied", PASSES);
    seen(f, "launches: %zu, put_readings(): %u, take_results(): %u%s", launches, put, take, copy == ANY ? "" : "; and this copy");
    return why(f, "The starter has all the work. Only prefetches are to be added.");
}

/* Prefetches and kernels: one of each two has to wait for the other. */
static bool judge_prefetch_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    for (uint32_t a = next_span(v, s, 0); a != ANY; a = next_span(v, s, a + 1)) {
        if (call_of_node(v, a)->kind != CALL_PREFETCH)
            continue;
        for (uint32_t k = next_kernel(v, s, "accumulate", 0); k != ANY; k = next_kernel(v, s, "accumulate", k + 1)) {
            if (order_before(v->order, a, k, GUARANTEED) || order_before(v->order, k, a, GUARANTEED))
                continue;
            f->call = v->timeline->spans[a].call;
            expected(f, "kernels and prefetches of the same memory come in an order that is guaranteed");
            seen(f, "nothing puts this prefetch before or behind the kernel of line %u", call_of_node(v, k)->line);
            return why(f, "They are in two streams. Which of them is first is then luck, and pages may have to travel twice. Give the "
                       "prefetch the kernel's stream.");
        }
    }
    return true;
}

static bool judge_device_faults(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    struct migration_sum faults = migrated(v, part, MIGRATIONS_TO_DEVICE | MIGRATIONS_OF_KERNELS);
    uint64_t prefetched = queued_bytes(v, part, false, true), all = bytes_of(e, part);
    if (faults.faults == 0 && prefetched >= all)
        return true;
    uint32_t first = kernel_named(v, s, "accumulate", NULL), node = next_span(v, s, 0);
    f->call = first == ANY ? ANY : v->timeline->spans[first].call;
    expected(f, "all that the kernels touch is on the device before the first of them runs: no page fault, %llu KiB prefetched",
             kib(all));
    seen(f, "page faults of kernels: %zu, for %llu KiB; %llu KiB prefetched to the device", faults.faults,
         kib(faults.bytes), kib(prefetched));
    if (node != ANY && first != ANY && order_before(v->order, first, node, GUARANTEED)) {
        f->call = v->timeline->spans[node].call;
        return why(f, "This prefetch stands behind the kernel, whose faults have brought the pages by then. Queue it before the first "
                   "launch.");
    }
    if (prefetched >= all)
        return why(f, "`in` is there, `out` is not: a page that nobody has touched makes a fault, too, when the kernel writes it. "
                   "Prefetch it as well: nothing travels, it only gets its place.");
    if (faults.faults == 0)
        return why(f, "No fault, and not everything here: the kernels read `in` where it is, over the bus, pass after pass. Advice "
                   "says who will come by; prefetch() moves the pages.");
    if (node != ANY)
        return why(f, "Not all of it was prefetched. The size is in bytes: n * sizeof(unsigned), for `in` and for `out`.");
    for (size_t call = s.first_call; first != ANY && call < v->timeline->spans[first].call; call++)
        if (v->timeline->calls[call].kind == CALL_PREFETCH) {
            f->call = (uint32_t)call;
            return why(f, "This sends pages to the host, where they are already. The third argument of prefetch() is the side that "
                       "needs them next: device 0 before a kernel, cudaCpuDeviceId before the host.");
        }
    return why(f, "prefetch(s->in, bytes, 0, stream) before the first launch brings the pages in a few large pieces. A fault "
               "brings a small one, and threads stand still for it.");
}

static bool judge_host_faults(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct migration_sum faults = migrated(v, part, MIGRATIONS_TO_HOST | MIGRATIONS_OF_HOST);
    if (faults.faults == 0)
        return true;
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    size_t take = next_label(v, s, TAKE, 0);
    uint32_t node = next_span(v, s, 0), late = ANY;
    f->call = last_launch(v, part, "accumulate", v->timeline->call_count);
    for (size_t call = f->call == ANY ? s.end_call : f->call; call < take; call++)
        if (v->timeline->calls[call].kind == CALL_PREFETCH && v->timeline->calls[call].dst_kind == MEM_DEVICE)
            late = (uint32_t)call;
    expected(f, "what the host reads is there when it reads: no page fault");
    seen(f, "page faults of the host: %zu, for %llu KiB; %llu KiB prefetched to the host", faults.faults,
         kib(faults.bytes), kib(queued_bytes(v, part, true, true)));
    if (node != ANY && v->timeline->spans[node].call > take) {
        f->call = v->timeline->spans[node].call;
        return why(f, "This prefetch stands behind take_results(). Queue it behind the last kernel and wait, before the host reads.");
    }
    if (node != ANY) {
        f->call = v->timeline->spans[node].call;
        return why(f, "Not all that the host reads came along: take_results() reads the n * sizeof(unsigned) bytes of `out`, as the last "
                   "kernel left them.");
    }
    if (late != ANY) {
        f->call = late;
        return why(f, "This sends pages to the device, where they are already. The third argument of prefetch() is the side that "
                   "needs them next: cudaCpuDeviceId before the host reads.");
    }
    return why(f, "Behind this launch, prefetch(s->out, bytes, cudaCpuDeviceId, stream), and the wait behind that.");
}

/* `in` goes to the device and `out` comes back, each page once. */
static bool judge_thrift(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    uint64_t all = bytes_of(e, part), room = all + PAGE, moved[2];
    for (int home = 0; home < 2; home++)
        moved[home] = travelled(v, part, home);
    if (moved[0] <= room && moved[1] <= room)
        return true;
    bool home = moved[1] > room;
    struct selection s = in_part(v, part, ENGINE_BIT(home ? ENGINE_D2H : ENGINE_H2D));
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1))
        if (v->timeline->spans[node].bytes > 0)
            f->call = v->timeline->spans[node].call;
    expected(f, "`in` travels to the device and `out` to the host: %llu KiB each way", kib(all));
    seen(f, "%llu KiB to the device, %llu KiB to the host", kib(moved[0]), kib(moved[1]));
    return why(f, home ? "The host reads `out` alone, and once. Whatever else is sent home travels for nobody."
                       : "Each page goes to the device once and stays until the last pass is done.");
}

/* ---- (c) ---- */

static bool judge_rounds(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    size_t steps;
    uint32_t node = kernel_named(v, s, "step", &steps);
    unsigned steered = labels(v, s, STEER);
    int64_t rounds = settings_of(e)->rounds;
    if ((int64_t)steps == rounds && steered == rounds)
        return true;
    f->call = node == ANY ? ANY : v->timeline->spans[node].call;
    expected(f, "%lld rounds: step() and steer() once in each", (long long)rounds);
    seen(f, "step(): %zu, steer(): %u", steps, steered);
    return why(f, "The starter's loop has all the rounds: only what travels is to change.");
}

/* The line where the host touched pages of the device's for the first time, or the copy that brought most; ANY for none. */
static uint32_t who_brought(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    uint64_t most = PAGE;
    uint32_t blamed = ANY;
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1))
        if (v->timeline->spans[node].bytes > most) {
            most = v->timeline->spans[node].bytes;
            blamed = v->timeline->spans[node].call;
        }
    for (size_t i = 0; i < v->timeline->migration_count && blamed == ANY; i++) {
        const struct migration *m = &v->timeline->migrations[i];
        if (m->to_host && m->node == NO_NODE && m->bytes > 0 && m->call >= s.first_call && m->call < s.end_call)
            blamed = m->call;
    }
    return blamed;
}

static bool judge_home(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct settings *s = settings_of(e);
    uint64_t home = travelled(v, part, true);
    if (home <= (uint64_t)(s->rounds + 2) * PAGE)
        return true;
    f->call = who_brought(v, part);
    bool fault = f->call != ANY && v->timeline->calls[f->call].kind == CALL_MIGRATE;
    expected(f, "what comes home in a round are %lld numbers, a page at the most", (long long)s->probes);
    seen(f, "%llu KiB a round, on average (the plate has %llu); page faults of the host: %zu", kib(home / (uint64_t)s->rounds),
         kib(bytes_of(e, part)), migrated(v, part, MIGRATIONS_TO_HOST | MIGRATIONS_OF_HOST).faults);
    if (fault)
        return why(f, "To look at one cell the host has to have its page, and the next kernel has to fetch it back. Let collect() put the "
                   "cells into a small array on the device, and read that.");
    return why(f, "The host needs a few cells and not the plate. Let collect() put them into a small array on the device, and bring that "
               "home.");
}

static bool judge_stays(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    uint64_t plate = bytes_of(e, part), moved = travelled(v, part, false);
    uint64_t most = plate + (uint64_t)(settings_of(e)->rounds + 2) * PAGE;
    if (moved >= plate && moved <= most)
        return true;
    expected(f, "the plate travels to the device once, %llu KiB, and stays there", kib(plate));
    seen(f, "%llu KiB went to the device", kib(moved));
    if (moved < plate) {
        f->call = last_launch(v, part, "step", v->timeline->call_count);
        return why(f, "Where was the plate when step() ran? A kernel that reaches over to the host for each element makes no faults, and "
                   "pays for the way each time. prefetch(p->cell, …, 0, stream) before the loop.");
    }
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1))
        if (v->timeline->spans[node].bytes > PAGE)
            f->call = v->timeline->spans[node].call;
    return why(f, "Nobody on the host needs the plate, so nobody has to bring it back. Before the loop, and only there.");
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "one array instead of two", "calibrate" },
    { "b", "no page fault left", "prefetch" },
    { "c", "only what the host needs", "control" },
};

#define READ_ONE "One address, two places"
#define READ_WAIT "Yours, mine, not yet"
#define READ_PREFETCH "Sent for and sent back"
#define READ_THRASH "Ping-pong"
#define READ_MISTAKES "A program, ported"

#define LEAKS "all that was made is given back", NULL, judge_leaks, READ_MISTAKES, { \
      "What did you take that has no line which gives it back?", "It goes back with `cudaFree`", \
      "cudaFree() for each cudaMallocManaged(), behind the last wait." }
#define NAME_OUTPUT "every element is right"

static const struct check checks[] = {
    { "a-managed", "a", HYGIENE, 8, "host and kernel use the same memory", NULL, judge_managed, READ_ONE, {
      "How many arrays does the explicit program have, and how many are needed when both sides may use one?",
      "the same pointer on both sides",
      "cudaMallocManaged((void **)&in, bytes) and the same for `out`; no cudaMemcpy()." } },
    { "a-grid", "a", OUTPUT, 8, "every element has a thread", NULL, judge_grid, READ_MISTAKES, {
      "What is 10,000 divided by 128, in C, times 128?", "rounds down",
      "calibrate<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, out, n)." } },
    { "a-wait", "a", ORDER, 10, "the results are read when they are there", "a-grid", judge_wait, READ_WAIT, {
      "Which line of the explicit program made the host wait, and where is it now?", "was also the wait",
      "CHECK(cudaDeviceSynchronize()) before take_results()." } },
    { "a-output", "a", OUTPUT, 6, NAME_OUTPUT, "a-managed a-grid a-wait", judge_output, READ_ONE, {
      "Which array does the kernel write, and which one does the host read?", "the same pointer on both sides",
      "calibrate<<<...>>>(in, out, n), then take_results(out, n)." } },
    { "a-leaks", "a", HYGIENE, 2, LEAKS },

    { "b-work", "b", OUTPUT, 3, "all passes are made, nothing is copied", NULL, judge_passes, READ_PREFETCH, {
      "What does a prefetch change in a program, and what not?", "A prefetch changes nothing",
      "PASSES times accumulate<<<BLOCKS, THREADS>>>(), as in the starter." } },
    { "b-order", "b", ORDER, 3, "prefetches and kernels come in a guaranteed order", "b-work", judge_prefetch_order,
      READ_PREFETCH, {
      "In which stream is the prefetch, and in which one is the kernel?", "It takes its turn in a stream",
      "prefetch(s->in, bytes, 0, stream) with the stream of accumulate<<<BLOCKS, THREADS, 0, stream>>>()." } },
    { "b-wait", "b", ORDER, 5, "the results are read when they are there", "b-work", judge_wait, READ_WAIT, {
      "What is still in the stream when take_results() begins to read?", "was also the wait",
      "CHECK(cudaDeviceSynchronize()) behind the last prefetch, before take_results()." } },
    { "b-output", "b", OUTPUT, 4, NAME_OUTPUT, "b-wait b-order", judge_output, READ_PREFETCH, {
      "What did the last pass leave in `out`?", "A prefetch changes nothing",
      "accumulate<<<BLOCKS, THREADS>>>(s->in, s->out, s->n, pass), pass from 0 to PASSES - 1." } },
    { "b-device", "b", HYGIENE, 8, "no kernel has a page fault", "b-order", judge_device_faults, READ_PREFETCH, {
      "On which side is each page of `in` and of `out` when the first kernel starts?", "a page that nobody has touched",
      "CHECK(prefetch(s->in, bytes, 0, NULL)) and CHECK(prefetch(s->out, bytes, 0, NULL)) before the first launch." } },
    { "b-home", "b", HYGIENE, 7, "the host has no page fault", "b-wait b-order", judge_host_faults, READ_PREFETCH, {
      "On which side is `out` when take_results() reads it?", "And home again",
      "CHECK(prefetch(s->out, bytes, cudaCpuDeviceId, NULL)) behind the last launch, before cudaDeviceSynchronize()." } },
    { "b-thrift", "b", HYGIENE, 4, "nothing else travels", "b-device b-home", judge_thrift, READ_PREFETCH, {
      "Who reads this page after it has arrived?", "And home again",
      "To the device prefetch() for `in` and `out`, home for `out` alone." } },

    { "c-work", "c", OUTPUT, 2, "every round is made", NULL, judge_rounds, READ_THRASH, {
      "How often is step() launched, how often is steer() asked?", "What the host needs",
      "One step<<<BLOCKS, THREADS>>>() and one steer() for each round." } },
    { "c-wait", "c", ORDER, 6, "the controller reads what is there", "c-work", judge_wait, READ_WAIT, {
      "What has to be done before steer() may read?", "was also the wait",
      "CHECK(cudaDeviceSynchronize()) behind collect() and the prefetch(), before steer()." } },
    { "c-hazard", "c", HAZARD, 4, "host and device do not touch the same bytes at once", "c-wait", judge_hazards, READ_WAIT, {
      "Who else may be at these bytes when this line runs?", "Between launch and wait",
      "CHECK(cudaDeviceSynchronize()) before the host reads or writes what a kernel uses." } },
    { "c-output", "c", OUTPUT, 4, NAME_OUTPUT, "c-hazard", judge_output, READ_THRASH, {
      "Which gain did each round have, and from which cells did it come?", "What the host needs",
      "collect<<<1, THREADS>>>(probe, p->cell, p->probes, p->stride) behind step(), and gain = steer(probe, p->probes)." } },
    { "c-home", "c", HYGIENE, 8, "only the probes come home", "c-work", judge_home, READ_THRASH, {
      "How many bytes does steer() read, and how many come home for it?", "What the host needs",
      "collect<<<1, THREADS>>>() into a small array from cudaMallocManaged(), and steer() with that." } },
    { "c-stays", "c", HYGIENE, 6, "the plate travels once", "c-home", judge_stays, READ_THRASH, {
      "Where is the plate while the rounds go on?", "What the host needs",
      "CHECK(prefetch(p->cell, p->n * sizeof *p->cell, 0, NULL)) once, before the loop." } },
    { "c-leaks", "c", HYGIENE, 2, LEAKS },
};

static const char *const cards[] = { "h200", "rtx2070s", NULL };

const struct lesson lesson_09 = {
    .number = 9,
    .folder = "09-unified-memory",
    .title = "One pointer for both sides",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .cards = cards, .concurrent_managed = true,
};
