/* SPDX-License-Identifier: MIT */
/* The wait and the output of all parts; (a): an explicit program, ported. */
#include "pages.h"

/* The host function, a node, in which the call was made; ANY for none. */
static uint32_t function_around(const struct view *v, size_t call)
{
    const struct timeline *t = v->timeline;
    for (size_t i = call; i-- > 0;)
        if (t->calls[i].thread == t->calls[call].thread && t->calls[i].kind == CALL_FUNCTION_BEGIN)
            return t->calls[i].node;
        else if (t->calls[i].thread == t->calls[call].thread
                 && t->calls[i].kind == CALL_FUNCTION_END)
            return ANY;
    return ANY;
}

/* Work of the part on the device that is queued before `call` (in a function: before that) and that
 * nothing waited for by then; ANY for none. A function waits for what comes before it in its
 * stream. */
static uint32_t unwaited(const struct view *v, struct selection s, size_t call)
{
    uint32_t last = ANY, function = function_around(v, call);
    EACH_SPAN(node, v, s)
        if (v->timeline->spans[node].call
                < (function == ANY ? call : v->timeline->spans[function].call)
            && !(function != ANY && hb_before(v->order, node, function, GUARANTEED))
            && !hb_before_call(v->order, node, v->timeline->calls, call, GUARANTEED))
            last = node;
    return last;
}

bool managed_waited(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const char *reader = part[0] == 'c' ? STEER : TAKE;
    struct selection s = in_part(v, part, ENGINES_DEVICE), before = s;
    before.engines &= ~ENGINE_BIT(ENGINE_H2D); /* what goes to the device the host does not read */
    size_t read = label_next(v, s, reader, 0);
    uint32_t node = ANY;
    for (; read < s.end_call && (node = unwaited(v, before, read)) == ANY;
         read = label_next(v, s, reader, read + 1))
        ;
    bool last = node == ANY;
    if (last && (node = never_waited_for(v, s)) == ANY)
        return true;
    f->call = v->timeline->spans[node].call;
    bool prefetched = call_of_node(v, node)->kind == CALL_PREFETCH;
    if (last) {
        expected(f, "none of your work is running when the function returns");
        seen(f, "nothing has waited for %s", node_name(v, node).text);
        uint32_t copied = part[0] == 'c' ? plate_copied(e, part) : ANY;
        if (copied != ANY) {
            f->call = copied;
            return why(f,
                       "This copies the plate, and it need not be copied at all. Managed memory is the device's as well: prefetch p->cell, and give "
                       "it to step() and collect(). Then there is no such copy to wait for.");
        }
    } else {
        expected(f,
                 "the host reads after the work that it depends on: something has waited for that before %s()",
                 reader);
        seen(f, "%s() reads, and nothing has waited for %s", reader, node_name(v, node).text);
    }
    if (prefetched)
        return why_unwaited(v, f, node, last ? s.end_call : read,
                            "A prefetch is work in a stream, like a copy: the call only queues it. Queue it first, then wait for both with "
                            "one cudaDeviceSynchronize().");
    return why_unwaited(v, f, node, last ? s.end_call : read,
                        "The pointer is valid at any time, but the data is not. The cudaMemcpy() of an explicit program was also a "
                        "wait. Put cudaDeviceSynchronize(), cudaStreamSynchronize() or cudaEventSynchronize() in its place.");
}

/* Do the first elements come of these gains? */
static bool comes_of(const uint32_t *in, const uint32_t *out, const uint32_t *gain)
{
    enum { FIRST = 8 };
    uint64_t i = 0;
    while (i < FIRST && out[i] == wanted(in, i, gain))
        i++;
    return i == FIRST;
}

/* A copy to the host that is the only one of its round and brings less than the probes; ANY: there
 * is none. */
static uint32_t copied_short(const struct view *v, const struct settings *s)
{
    struct selection all = in_part(v, "c", 0);
    uint32_t found = ANY;
    int64_t copies = 0;
    for (size_t i = all.first_call; i < all.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind != CALL_COPY || is_in_driver(v->timeline, c)
            || (c->dst_kind != MEM_PAGEABLE && c->dst_kind != MEM_PINNED))
            continue;
        copies++;
        if (found == ANY && c->bytes < (uint64_t)s->probes * sizeof(uint32_t))
            found = (uint32_t)i;
    }
    return copies == s->rounds ? found : ANY;
}

/* Which cells has the controller of (c) been given, to come to these? False: that is not known. */
static bool why_gains(const struct evidence *e, struct finding *f, const uint32_t *in,
                      const uint32_t *out)
{
    const struct view *v = &e->yours[0];
    const struct settings *s = settings_of(e);
    struct selection part = in_part(v, "c", 0);
    size_t steered = label_next(v, part, STEER, 0);
    uint32_t stepped = pages_last_launch(v, "c", "step", steered),
             collected = pages_last_launch(v, "c", "collect", steered), gain[16];
    if (collected != ANY && stepped != ANY && collected < stepped) {
        f->call = collected;
        why(f,
            "In a round collect() is queued before step() (line %u), so steer() gets the cells as they were before the round. Collect after "
            "step().",
            v->timeline->calls[stepped].line);
        return true;
    }
    uint32_t shorter = copied_short(v, s);
    if (shorter != ANY) {
        f->call = shorter;
        why(f,
            "This copy brings %llu bytes, and p->probes elements of four bytes are %lld. A size is in bytes.",
            (unsigned long long)v->timeline->calls[shorter].bytes,
            (long long)s->probes * (long long)sizeof(uint32_t));
        return true;
    }
    int64_t n = (int64_t)(bytes_of(e, "c") / sizeof *in);
    for (int64_t round = 0; round <= s->rounds; round++)
        gain[round] = round < s->rounds ? (uint32_t)s->gain | 1 : 0;
    if (comes_of(in, out, gain)) {
        f->call = ANY;
        f->function = "control";
        f->word = "steer";
        why(f,
            "All %lld rounds had the gain of the first. What steer() returns is the gain of the next round: it has to come to the next step().",
            (long long)s->rounds);
        return true;
    }
    f->call = collected != ANY ? collected : f->call;
    for (int64_t probes = 0; probes < s->probes; probes++) {
        gains_with(s, in, gain, probes, s->stride);
        if (comes_of(in, out, gain)) {
            why(f,
                "The gains are those of %lld probes and of zeros in place of the others. All p->probes cells have to come to steer(): %lld.",
                (long long)probes, (long long)s->probes);
            return true;
        }
    }
    for (int64_t stride = 0; stride <= 2 * s->stride && (s->probes - 1) * stride < n; stride++) {
        gains_with(s, in, gain, s->probes, stride);
        if (stride != s->stride && comes_of(in, out, gain)) {
            why(f,
                "The gains are those of the cells 0, %lld, %lld, … Probe k is cell k * p->stride, and p->stride is %lld.",
                (long long)stride, (long long)(2 * stride), (long long)s->stride);
            return true;
        }
    }
    return false;
}

/* A copy of the plate in rows that are not the probes' cells; ANY: there is none. */
static uint32_t copied_in_rows(const struct evidence *e, const char *part)
{
    const struct settings *s = exchange_input(e->exchange, SLOT_SETTINGS, NULL);
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    const struct view *v = &e->yours[0];
    struct selection all = in_part(v, part, 0);
    for (size_t i = all.first_call; i < all.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_COPY && c->rows > 1 && c->src >= places->plate
            && c->src - places->plate < bytes_of(e, part)
            && c->src_pitch != (uint64_t)s->stride * sizeof(uint32_t))
            return (uint32_t)i;
    }
    return ANY;
}

/* What PASSES of accumulate() make of it, in memory that was zero, the first of that number. */
static uint32_t summed(uint32_t in, uint32_t from)
{
    uint32_t out = 0;
    for (uint32_t pass = from; pass < from + PASSES; pass++)
        out = (pass == 0 ? 0 : 3 * out) + in + pass;
    return out;
}

bool managed_output(const struct evidence *e, struct finding *f, const char *part)
{
    static const char *const kernel[] = { "calibrate", "accumulate", "step" };
    const struct view *v = &e->yours[0];
    const uint32_t *in = exchange_input(e->exchange, slot_of(part), NULL);
    const uint32_t *out = exchange_output(e->exchange, slot_of(part), NULL);
    uint64_t n = bytes_of(e, part) / sizeof *in, wrong = 0, first = 0;
    uint32_t gain[16], right = 0;
    if (part[0] == 'c')
        gains_of(settings_of(e), in, gain);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t want =
            part[0] == 'b' ? summed(in[i], 0) : wanted(in, i, part[0] == 'c' ? gain : NULL);
        if (out[i] != want && !wrong++) {
            first = i;
            right = want;
        }
    }
    if (!wrong)
        return part[0] == 'b' || right_again(e, f, part[0]);
    f->call = pages_last_launch(v, part, kernel[slot_of(part)], v->timeline->call_count);
    expected(f, "each of the %llu elements is right: element %llu is %u", (unsigned long long)n,
             (unsigned long long)first, right);
    seen(f, "%llu %s wrong, the first is element %llu: %u", (unsigned long long)wrong,
         wrong == 1 ? "is" : "are", (unsigned long long)first, out[first]);
    if (part[0] == 'b' && out[first] == summed(in[first], 1))
        return why(f,
                   "The passes were numbered from 1. Pass 0 sets `out`; the others add to what is there, and so the first of them added to memory that was never set.");
    if (first > 0 && wrong == n - first)
        return why(f,
                   "The %llu elements before that one are right. %s() does as many as its argument n says: does it get all %llu, each time?",
                   (unsigned long long)first, kernel[slot_of(part)], (unsigned long long)n);
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    if (part[0] == 'a' && places->array[0] == places->array[1] && out[first] == in[first]) {
        f->call = ANY;
        f->function = "calibrate_all";
        f->word = "take_results";
        return why(f,
                   "These are the readings as they were put in: take_results() is given the array that put_readings() got, and the kernel leaves "
                   "that as it is. Give it the other one.");
    }
    if (part[0] == 'c' && why_gains(e, f, in, out))
        return false;
    uint32_t rows = part[0] == 'c' ? copied_in_rows(e, part) : ANY;
    if (rows != ANY) {
        const struct settings *s = exchange_input(e->exchange, SLOT_SETTINGS, NULL);
        f->call = rows;
        return why(f,
                   "This copies cells that lie %llu bytes apart. The cells of the probes are p->stride elements of four bytes apart, %lld bytes.",
                   (unsigned long long)v->timeline->calls[rows].src_pitch,
                   (long long)s->stride * (long long)sizeof(uint32_t));
    }
    return why(
        f,
        part[0] == 'c'
            ? "Is the gain of each round what steer() computed from all the cells that step() had just made?"
        : out[first] == 0
            ? "Nothing wrote there. Do the kernel's arguments and the pointer that take_results() gets name the same array?"
            : "Which array did the kernel read, which did it write, and how often?");
}

static const char *kind_named(int64_t kind)
{
    static const char *const names[] = { "pageable host memory", "pinned host memory",
                                         "device memory", "managed memory" };
    return kind >= 0 && kind < 4 ? names[kind] : "not there";
}

#define KIND_MANAGED 3          /* cudaMemoryTypeManaged */

/* The call of the program's with which it took the memory at that address; ANY for none. */
static uint32_t taken_by(const struct view *v, uint64_t address)
{
    const struct timeline *t = v->timeline;
    for (size_t call = 0; call < t->call_count; call++)
        if (t->calls[call].kind == CALL_MALLOC && t->calls[call].dst <= address
            && address < t->calls[call].dst + t->calls[call].bytes)
            return (uint32_t)call;
    return ANY;
}

/* Does that call take as much as `bytes` ask for? Both arrays may come from one call, and a size
 * may be rounded up to whole pages. */
static bool room_for(const struct view *v, struct finding *f, uint32_t call, uint64_t bytes)
{
    if (v->timeline->calls[call].bytes <= 2 * bytes + PAGE)
        return true;
    f->call = call;
    expected(f, "an array has room for n elements: %llu bytes", (unsigned long long)bytes);
    seen(f, "this takes %llu bytes", (unsigned long long)v->timeline->calls[call].bytes);
    return why(f,
               "That size does not come from n: it is far more than this n needs, and a large enough n runs past its end. Ask cudaMallocManaged() for "
               "n * sizeof(unsigned) bytes.");
}

bool managed_arrays(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    struct selection s = in_part(v, part, 0);
    expected(f,
             "the host writes and reads the memory that the kernel uses: managed, and nothing is copied");
    for (size_t call = s.first_call; call < s.end_call; call++)
        if (v->timeline->calls[call].kind == CALL_COPY) {
            f->call = (uint32_t)call;
            seen(f, "a copy of %llu bytes", (unsigned long long)v->timeline->calls[call].bytes);
            return why(f,
                       "Memory from cudaMallocManaged() has one address for both sides. Its pages go where they are touched. You "
                       "need neither the copies nor the second array.");
        }
    for (int which = 0; which < 2; which++) {
        if (places->kind[which] == KIND_MANAGED)
            continue;
        f->call = taken_by(v, places->array[which]);
        if (f->call == ANY)
            f->call = pages_last_launch(v, part, "calibrate", v->timeline->call_count);
        seen(f, "what %s gets is %s", which ? TAKE "()" : PUT "()",
             kind_named(places->kind[which]));
        return why(f,
                   "Take both arrays from cudaMallocManaged() and give the same pointers to the host's functions and to the "
                   "kernel.");
    }
    f->call = pages_last_launch(v, part, "calibrate", v->timeline->call_count);
    const uint32_t *in = exchange_input(e->exchange, slot_of(part), NULL),
                   *out = exchange_output(e->exchange, slot_of(part), NULL);
    uint64_t right = 0, n = bytes_of(e, part) / sizeof *in;
    while (right < n && out[right] == wanted(in, right, NULL))
        right++;
    if (places->array[0] == places->array[1]
        && right == n) { /* else the wrong one of two was taken */
        expected(f, "readings and results have an array each");
        seen(f, "%s and %s get the same one", PUT "()", TAKE "()");
        return why(f,
                   "The kernel overwrites the readings with the results. Take two arrays, and give both to calibrate().");
    }
    for (int which = 0; which < 2; which++) {
        uint32_t taken = taken_by(v, places->array[which]);
        if (taken != ANY && !room_for(v, f, taken, bytes_of(e, part)))
            return false;
        if (taken != ANY)
            continue;
        f->call = ANY;
        f->function = "calibrate_all";
        f->word = which ? TAKE : PUT;
        expected(f,
                 "the arrays have room for n elements, and calibrate_all() allocates and frees them");
        seen(f, "no call allocated what %s gets", which ? TAKE "()" : PUT "()");
        return why(f,
                   "A __managed__ variable has the size that was written into the program, and keeps it: a larger n runs over its end. "
                   "cudaMallocManaged() takes n * sizeof(unsigned) bytes.");
    }
    return true;
}

bool managed_grid(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    uint64_t n = bytes_of(e, part) / sizeof(uint32_t);
    unsigned put = label_count(v, s, PUT), take = label_count(v, s, TAKE);
    size_t launches;
    uint32_t node = kernel_named(v, s, "calibrate", &launches);
    if (node == ANY || put != 1 || take != 1 || launches != 1) {
        f->call = call_number(v, node);
        for (size_t call = s.first_call; call < s.end_call && node == ANY && f->call == ANY; call++)
            if (v->timeline->calls[call].kind == CALL_LAUNCH
                && v->timeline->calls[call].status != 0)
                f->call = (uint32_t)call;
        expected(f, "put_readings(), calibrate() on the device, take_results(): once each");
        seen(f, "put_readings(): %u, calibrate(): %zu, take_results(): %u", put, launches, take);
        return why(f,
                   "Keep what the explicit program does, and remove only its copies. A refused launch does not count: call "
                   "cudaGetLastError().");
    }
    const struct call *c = call_of_node(v, node);
    unsigned long long threads = (unsigned long long)v->timeline->spans[node].blocks * c->block[0];
    expected(f, "%llu elements, and a thread for each", (unsigned long long)n);
    seen(f, "%llu threads", threads);
    return has_threads_for(v, f, node, n) && fits_elements(v, f, node, n, 0) && grid_again(e, f);
}
