/* SPDX-License-Identifier: MIT */
/* (b): what is prefetched, and which faults are left. */
#include "pages.h"

bool prefetch_passes(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    size_t launches;
    uint32_t node = kernel_named(v, s, "accumulate", &launches);
    unsigned put = label_count(v, s, PUT), take = label_count(v, s, TAKE);
    uint32_t copy = next_span(v, in_part(v, part, ENGINES_DEVICE), 0);
    while (copy != ANY && call_of_node(v, copy)->kind != CALL_COPY)
        copy = next_span(v, in_part(v, part, ENGINES_DEVICE), copy + 1);
    if (launches == PASSES && put == 1 && take == 1 && copy == ANY)
        return true;
    f->call = copy != ANY   ? v->timeline->spans[copy].call
              : node != ANY ? v->timeline->spans[node].call
                            : ANY;
    expected(f,
             "%d launches of accumulate(), readings put once, results taken once, nothing copied",
             PASSES);
    seen(f, "launches: %zu, put_readings(): %u, take_results(): %u%s", launches, put, take,
         copy == ANY ? "" : "; and this copy");
    return why(f, "The starter has all the work. Add only prefetches.");
}

/* A prefetch of `in` to the device that is queued before the host has written `in`; ANY for none.
 */
static uint32_t sent_unwritten(const struct evidence *e, struct selection s)
{
    const struct view *v = &e->yours[0];
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    size_t put = label_next(v, s, PUT, 0);
    for (size_t call = s.first_call; call < put && call < s.end_call; call++) {
        const struct call *c = &v->timeline->calls[call];
        if (c->kind == CALL_PREFETCH && c->status == 0 && c->dst_kind == MEM_DEVICE
            && c->src < places->in + bytes_of(e, "b") && c->src + c->bytes > places->in)
            return (uint32_t)call;
    }
    return ANY;
}

/* The host writes what is sent. Prefetches and kernels: one of each two has to wait for the other.
 */
bool prefetch_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    if ((f->call = sent_unwritten(e, s)) != ANY) {
        expected(f, "`in` is sent to the device after the host has written it");
        seen(f, "this prefetch of `in` comes before put_readings()");
        return why(f,
                   "The host's writes then bring the pages back, or race with their transfer. Which side the pages are on when the "
                   "kernel begins is luck. Call put_readings() first.");
    }
    EACH_SPAN(a, v, s) {
        if (call_of_node(v, a)->kind != CALL_PREFETCH)
            continue;
        EACH_KERNEL(k, v, s, "accumulate") {
            if (hb_before(v->order, a, k, GUARANTEED) || hb_before(v->order, k, a, GUARANTEED))
                continue;
            f->call = v->timeline->spans[a].call;
            expected(
                f, "kernels and prefetches of the same memory come in an order that is guaranteed");
            seen(f, "nothing orders %s before or after %s", node_name(v, a).text,
                 node_name(v, k).text);
            bool first = v->timeline->spans[a].call < v->timeline->spans[k].call;
            return why_unordered(
                v, f, first ? a : k, first ? "the prefetch" : "accumulate()", first ? k : a,
                first ? "accumulate()" : "the prefetch",
                "They are in two streams. Which of them comes first is luck, and pages may have to travel twice. Give "
                "the prefetch the kernel's stream.");
        }
    }
    return true;
}

#define SMALL_PAGE 4096u        /* what a prefetch takes as a whole */

/* How many of the bytes at `from` a prefetch to the device names which is queued before call `end`;
 * *last: the latest of those. */
static uint64_t sent(const struct view *v, struct selection s, size_t end, uint64_t from,
                     uint64_t bytes, uint32_t *last)
{
    uint64_t there = 0;
    *last = ANY;
    for (uint64_t at = from; at < from + bytes; at += SMALL_PAGE) {
        uint64_t stop = at + SMALL_PAGE < from + bytes ? at + SMALL_PAGE : from + bytes;
        bool found = false;
        for (size_t call = s.first_call; call < end; call++) {
            const struct call *c = &v->timeline->calls[call];
            if (c->kind != CALL_PREFETCH || c->status != 0 || c->dst_kind != MEM_DEVICE
                || c->src >= stop || c->src + c->bytes <= at)
                continue;
            found = true;
            *last = (uint32_t)call;
        }
        there += found ? stop - at : 0;
    }
    return there;
}

/* The first prefetch to the host before call `end`; ANY for none. */
static uint32_t sent_home(const struct view *v, struct selection s, size_t end)
{
    for (size_t call = s.first_call; call < end; call++)
        if (v->timeline->calls[call].kind == CALL_PREFETCH && v->timeline->calls[call].status == 0
            && v->timeline->calls[call].dst_kind != MEM_DEVICE)
            return (uint32_t)call;
    return ANY;
}

/* What of `in` and `out` was not prefetched before the first launch; true: nothing is missing. */
static bool all_sent(const struct evidence *e, struct selection s, uint32_t first,
                     struct finding *f)
{
    const struct view *v = &e->yours[0];
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    const struct { const char *name; uint64_t at; } arrays[] = { { "in", places->in },
                                                                 { "out", places->out } };
    uint64_t bytes = bytes_of(e, "b");
    uint32_t launch = v->timeline->spans[first].call;
    for (int k = 0; k < 2; k++) {
        uint32_t last;
        uint64_t there = sent(v, s, launch, arrays[k].at, bytes, &last);
        if (there >= bytes)
            continue;
        uint32_t home = sent_home(v, s, launch);
        f->call = last != ANY ? last : home != ANY ? home : launch;
        if (last != ANY)
            return why(f,
                       "Of `%s` %llu of %llu KiB were prefetched before the first launch. The size is in bytes: n * sizeof(unsigned).",
                       arrays[k].name, pages_kib(there), pages_kib(bytes));
        if (home != ANY)
            return why(f,
                       "Nothing of `%s` was prefetched to the device before the first launch, and this prefetch sends pages to the host. "
                       "The third argument is the side that needs them next: device 0 before a kernel, cudaCpuDeviceId before "
                       "the host.",
                       arrays[k].name);
        return why(f,
                   "Nothing of `%s` was prefetched to the device before this launch. prefetch(s->%s, bytes, 0, stream) moves what "
                   "the host has written in a few large pieces. Pages that nothing has touched only get their place there, but "
                   "without a prefetch they cause a fault, too.",
                   arrays[k].name, arrays[k].name);
    }
    return true;
}

/* What faults on the device and is no kernel: a memset, a call; ANY for none. */
static uint32_t faulting_set(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    for (size_t i = 0; i < t->migration_count && !on_real_card(v); i++) {
        const struct migration *m = &t->migrations[i];
        uint32_t call =
            !m->fault || m->to_host || m->node >= t->span_count ? ANY : t->spans[m->node].call;
        if (call != ANY && call >= s.first_call && call < s.end_call
            && t->calls[call].kind == CALL_SET)
            return call;
    }
    return ANY;
}

bool prefetch_device(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    struct migration_sum faults =
        pages_migrated(v, part, MIGRATIONS_TO_DEVICE | MIGRATIONS_OF_KERNELS);
    uint64_t prefetched = pages_queued(v, part, false, true), all = bytes_of(e, part);
    if (faults.faults == 0 && prefetched >= all)
        return true;
    uint32_t first = kernel_named(v, s, "accumulate", NULL), node = next_span(v, s, 0);
    f->call = call_number(v, first);
    expected(f,
             "all that the kernels touch is on the device before the first of them runs: no page fault, %llu KiB prefetched",
             pages_kib(all));
    seen(f, "page faults of kernels: %zu, for %llu KiB; %llu KiB prefetched to the device",
         faults.faults, pages_kib(faults.bytes), pages_kib(prefetched));
    uint32_t set = faulting_set(v, s);
    if (set != ANY) {
        f->call = set;
        return why(f,
                   "This memset runs on the device and touches pages that are not there yet: the faults are its own. The first pass sets every "
                   "element of `out`. Take it out, or queue it after the prefetch of what it sets.");
    }
    if (faults.faults > 0 && node != ANY && first != ANY
        && hb_before(v->order, first, node, GUARANTEED)) {
        f->call = v->timeline->spans[node].call;
        return why(f,
                   "This prefetch comes after the kernel, whose faults have brought the pages by then. Queue it before the first "
                   "launch.");
    }
    if (first != ANY && !all_sent(e, s, first, f))
        return false;
    if (faults.faults == 0)
        return why(f,
                   "There is no fault, but not everything is on the device: the kernels read `in` where it is, over the bus, in "
                   "each pass. Advice only announces who will access the memory. prefetch() moves the pages.");
    uint32_t last = pages_last_launch(v, part, "accumulate", v->timeline->call_count),
             home = last == ANY ? ANY : sent_home(v, s, last);
    if (home != ANY) {
        f->call = home;
        return why(f,
                   "Everything was prefetched to the device, but this sends pages back to the host before the last launch, and its "
                   "kernel has to fetch them again. cudaCpuDeviceId is for what the host needs next.");
    }
    return why(f,
               "All of `in` and `out` was prefetched before the first launch. What brought pages back to the host before the "
               "kernels were done: the host itself, or advice?");
}

/* The host's first page fault of the part that brought something; NULL for none. */
static const struct migration *first_touch(const struct view *v, struct selection s)
{
    for (size_t i = 0; i < v->timeline->migration_count; i++) {
        const struct migration *m = &v->timeline->migrations[i];
        if (m->fault && is_touch(m, s))
            return m;
    }
    return NULL;
}

bool prefetch_host(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct migration_sum faults = pages_migrated(v, part, MIGRATIONS_TO_HOST | MIGRATIONS_OF_HOST);
    if (faults.faults == 0)
        return true;
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    size_t take = label_next(v, s, TAKE, 0);
    uint32_t node = next_span(v, s, 0), late = ANY;
    f->call = pages_last_launch(v, part, "accumulate", v->timeline->call_count);
    for (size_t call = f->call == ANY ? s.end_call : f->call; call < take; call++)
        if (v->timeline->calls[call].kind == CALL_PREFETCH
            && v->timeline->calls[call].dst_kind == MEM_DEVICE)
            late = (uint32_t)call;
    expected(f, "what the host reads is on the host when it reads: no page fault");
    seen(f, "page faults of the host: %zu, for %llu KiB; %llu KiB prefetched to the host",
         faults.faults, pages_kib(faults.bytes), pages_kib(pages_queued(v, part, true, true)));
    const struct migration *touch = first_touch(v, s);
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    if (touch && !on_real_card(v) && touch->address < places->in + bytes_of(e, part)
        && places->in < touch->address + touch->bytes) {
        f->call = touch->call;
        return why(f,
                   "The host touches `in` here, which is on the device. After put_readings() nothing on the host needs it.");
    }
    if (touch && touch->call < take) {
        f->call = touch->call;
        return why(f,
                   "The host touches memory here that is on the device, before take_results(). It needs only `out`, and only when that has been "
                   "prefetched to the host.");
    }
    if (node != ANY && v->timeline->spans[node].call > take) {
        f->call = v->timeline->spans[node].call;
        return why(f,
                   "This prefetch comes after take_results(). Queue it after the last kernel, and wait before the host reads.");
    }
    bool early = node != ANY && f->call != ANY && v->timeline->spans[node].call < f->call;
    if (node != ANY && !(early && late != ANY)) {
        f->call = v->timeline->spans[node].call;
        return why(f,
                   "This does not bring all that the host reads, or not after the last kernel: take_results() reads the n * "
                   "sizeof(unsigned) bytes of `out`, as that kernel left them.");
    }
    if (late != ANY) {
        f->call = late;
        return why(f,
                   "This sends pages to the device, where they are already. The third argument is the side that "
                   "needs them next: cudaCpuDeviceId before the host reads.");
    }
    return why(f,
               "After this launch call prefetch(s->out, bytes, cudaCpuDeviceId, stream), and then wait.");
}

/* What takes pages of `out` to the device before the first pass has written them; ANY: nothing
 * does, as the host has touched none of them. */
static uint32_t sent_for_nothing(const struct evidence *e, struct selection s)
{
    const struct view *v = &e->yours[0];
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    uint32_t first = kernel_named(v, s, "accumulate", NULL);
    for (uint32_t node = next_span(v, s, 0); first != ANY && node != ANY && node < first;
         node = next_span(v, s, node + 1)) {
        const struct call *c = call_of_node(v, node);
        if (v->timeline->spans[node].bytes > 0 && c->kind == CALL_PREFETCH && c->src >= places->out
            && c->src < places->out + bytes_of(e, "b"))
            return v->timeline->spans[node].call;
    }
    return ANY;
}

/* The first prefetch that brings home what is not of `out`; ANY: there is none. */
static uint32_t brings_other(const struct evidence *e, struct selection home)
{
    const struct view *v = &e->yours[0];
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    EACH_SPAN(node, v, home) {
        const struct call *c = call_of_node(v, node);
        if (v->timeline->spans[node].bytes > 0 && c->kind == CALL_PREFETCH
            && c->src - places->out >= bytes_of(e, "b"))
            return v->timeline->spans[node].call;
    }
    return ANY;
}

/* A prefetch that goes on where its array ends; ANY for none. Its last page is taken as a whole. */
static uint32_t past_the_end(const struct evidence *e, struct selection s)
{
    const struct view *v = &e->yours[0];
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    const uint64_t arrays[] = { places->in, places->out };
    for (size_t call = s.first_call; call < s.end_call; call++)
        for (int k = 0; k < 2; k++) {
            const struct call *c = &v->timeline->calls[call];
            uint64_t end = arrays[k] + bytes_of(e, "b");
            if (c->kind == CALL_PREFETCH && c->status == 0 && c->src >= arrays[k] && c->src < end
                && c->src + c->bytes >= end + SMALL_PAGE)
                return (uint32_t)call;
        }
    return ANY;
}

/* `in` goes to the device and `out` comes back, each page once. */
bool prefetch_thrift(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    uint64_t all = bytes_of(e, part), room = all + PAGE, moved[2];
    for (int home = 0; home < 2; home++)
        moved[home] = pages_travelled(v, part, home);
    uint32_t past = past_the_end(e, in_part(v, part, ENGINES_DEVICE));
    if (past != ANY) {
        f->call = past;
        expected(f, "a prefetch takes an array of %llu bytes, and ends where that ends",
                 (unsigned long long)all);
        seen(f, "one of %llu bytes", (unsigned long long)v->timeline->calls[past].bytes);
        return why(f,
                   "The memory after the array is not yours to move, and if there is none the call is refused. A size that does not come from n "
                   "is right for one n only. Prefetch s->n * sizeof(unsigned) bytes.");
    }
    if (moved[0] <= room && moved[1] <= room)
        return true;
    bool home = moved[1] > room;
    struct selection s = in_part(v, part, ENGINE_BIT(home ? ENGINE_D2H : ENGINE_H2D));
    uint32_t untouched = home ? ANY : sent_for_nothing(e, in_part(v, part, ENGINES_DEVICE));
    EACH_SPAN(node, v, s)
        if (v->timeline->spans[node].bytes > 0)
            f->call = v->timeline->spans[node].call;
    uint32_t other = home ? brings_other(e, s) : ANY;
    f->call = other != ANY ? other : f->call;
    expected(f, "`in` travels to the device and `out` to the host: %llu KiB each way",
             pages_kib(all));
    seen(f, "%llu KiB to the device, %llu KiB to the host", pages_kib(moved[0]),
         pages_kib(moved[1]));
    if (untouched != ANY) {
        f->call = untouched;
        return why(f,
                   "This sends pages of `out` that lie on the host: the host has touched them, or a prefetch put them there. The first pass sets every element of `out`: "
                   "leave it untouched, and its pages get their place on the device without a transfer.");
    }
    return why(
        f,
        other != ANY
            ? "This brings home what the host does not read. It reads only `out`: anything else that is sent to the host travels in vain."
        : home
            ? "The host reads only `out`, and only once. Anything else that is sent to the host travels in vain."
            : "Each page goes to the device once and stays until the last pass is done.");
}
