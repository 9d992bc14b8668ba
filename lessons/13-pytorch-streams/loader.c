/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * The k-th model() that was queued is batch k's. A copy's batch is known from the
 * bytes that were copied before it, in the order of issue: a batch may come in
 * several copies.
 */
#include "judges.h"

uint32_t next_from_host(const struct view *v, struct selection s, uint32_t from)
{
    s.engines = ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_D2D);
    uint32_t node = next_span(v, s, from);
    while (node != ANY
           && (call_of_node(v, node)->kind != CALL_COPY
               || call_of_node(v, node)->src_kind == MEM_DEVICE))
        node = next_span(v, s, node + 1);
    return node;
}

/* Was each model() given memory of the device? */
static bool reads_device(const struct evidence *e, struct finding *f)
{
    const uint32_t *host = exchange_output(e->exchange, OUT_HOST, NULL);
    const struct view *v = &e->yours[0];
    uint32_t node = next_kernel(v, inside(v, 0), "model", 0);
    for (int64_t k = 0; k < sizes_of(e)->batches && node != ANY;
         k++, node = next_kernel(v, inside(v, 0), "model", node + 1)) {
        if (!host[k])
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f,
                 "model() of batch %lld reads the batch in the device's memory, to which it was copied",
                 (long long)k);
        seen(f, "it was given host memory");
        return why(f,
                   "A kernel can read pinned memory, but each load then crosses the bus, and the copy was for nothing. Pass the buffer that "
                   "cudaMemcpyAsync() filled: l->x[b].");
    }
    return true;
}

/* The copy that brings batch k, of n elements, as a whole; ANY if it comes in pieces or not at all.
 */
static uint32_t copy_of(const struct view *v, struct selection copies, int64_t n, int64_t k)
{
    uint64_t bytes = 0, batch = (uint64_t)n * sizeof(uint32_t);
    for (uint32_t node = next_from_host(v, copies, 0); node != ANY;
         node = next_from_host(v, copies, node + 1)) {
        uint64_t size = v->timeline->spans[node].bytes;
        if (bytes <= (uint64_t)k * batch && bytes + size >= (uint64_t)(k + 1) * batch)
            return node;
        bytes += size;
    }
    return ANY;
}

static bool holds(const struct view *v, uint32_t copy, uint64_t at)
{
    uint64_t dst = call_of_node(v, copy)->dst;
    return at >= dst && at < dst + v->timeline->spans[copy].bytes;
}

/* Is anything copied from memory of the device to such memory? Then a batch may be read where no
 * copy of the host's has put it. */
static bool copies_on_device(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2D));
    EACH_SPAN(node, v, s)
        if (call_of_node(v, node)->src_kind == MEM_DEVICE)
            return true;
    return false;
}

/* Was model() given the memory to which another batch was copied, and not its own? */
static bool reads_own_batch(const struct evidence *e, struct finding *f, const char *part)
{
    const uint64_t *given = exchange_output(e->exchange, OUT_GIVEN, NULL);
    const struct view *v = &e->yours[0];
    struct selection copies = in_part(v, part, 0);
    uint32_t node = next_kernel(v, inside(v, 0), "model", 0);
    int64_t count = copies_on_device(v, part) ? 0 : sizes_of(e)->batches;
    for (int64_t k = 0; k < count && node != ANY;
         k++, node = next_kernel(v, inside(v, 0), "model", node + 1)) {
        uint32_t own = copy_of(v, copies, sizes_of(e)->batch, k), other = ANY;
        if (own == ANY || given[k] == 0 || holds(v, own, given[k]))
            continue;
        for (int64_t j = 0; j < count && other == ANY; j++) {
            other = copy_of(v, copies, sizes_of(e)->batch, j);
            other = other != ANY && holds(v, other, given[k]) ? other : ANY;
        }
        if (other == ANY)
            continue;
        f->call = v->timeline->spans[node].call;
        f->sure = true;
        expected(f, "model() of batch %lld reads the memory to which that batch was copied",
                 (long long)k);
        seen(f, "it was given the other buffer");
        return why(f,
                   "The copy of line %u has put this batch elsewhere. A batch is copied, and then read, in the same one of the two "
                   "buffers.",
                   call_of_node(v, own)->line);
    }
    return true;
}

bool loader_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct sizes *sizes = sizes_of(e);
    uint64_t wanted = (uint64_t)(sizes->batch * sizes->batches) * sizeof(uint32_t), bytes = 0;
    size_t count;
    uint32_t stray = ANY;
    kernel_named(v, inside(v, 0), "model", &count);
    EACH_KERNEL(node, v, inside(v, 0), "model")
        if (v->timeline->spans[node].stream != legacy_stream(v) && stray == ANY)
            stray = node;
    if (count != (size_t)sizes->batches || stray != ANY) {
        blame_count(v, f, inside(v, 0), "model", "loader_run");
        if (stray != ANY)
            f->call = v->timeline->spans[stray].call;
        expected(f, "model() runs once for each of the %lld batches, in `current`",
                 (long long)sizes->batches);
        if (stray == ANY)
            seen(f, "it ran %zu times", count);
        else
            seen(f, "this one is in another stream");
        if (stray == ANY)
            return why(f,
                       "Each batch goes through model() once: how many turns does the loop make, and how many launches are in one?");
        return why(f,
                   "The caller of loader_run() reads the state in `current`. The side stream is only for the copies: model<<<…, current>>>.");
    }
    if (!in_given_stream(v, f, OTHER_LOADER, "model", "ahead", "current") || !reads_device(e, f))
        return false;
    struct selection copies = in_part(v, part, 0);
    /* The first copy that is not of one batch, or of the rest of one: */
    uint64_t batch = (uint64_t)sizes->batch * sizeof(uint32_t);
    uint32_t last = ANY, odd = ANY;
    for (uint32_t node = next_from_host(v, copies, 0); node != ANY;
         node = next_from_host(v, copies, node + 1)) {
        bytes += v->timeline->spans[node].bytes;
        odd = odd == ANY && v->timeline->spans[node].bytes % batch != 0 ? node : odd;
        last = node;
    }
    if (bytes == wanted)
        return reads_own_batch(e, f, part);
    last = odd != ANY ? odd : last;
    f->call = call_number(v, last);
    f->function = "loader_run";
    f->word = "cudaMemcpyAsync";
    expected(f, "each batch is copied to the device once, %llu bytes in all",
             (unsigned long long)wanted);
    seen(f, "%llu bytes are", (unsigned long long)bytes);
    return why(f,
               "cudaMemcpyAsync() takes n * sizeof(unsigned) bytes for each of l->count batches, once each.");
}

uint32_t pins_in_run(const struct view *v)
{
    struct selection run = inside(v, 0);
    for (size_t i = run.first_call; i < run.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_REGISTER || (c->kind == CALL_MALLOC && c->dst_kind == MEM_PINNED))
            return (uint32_t)i;
    }
    return ANY;
}

/* The first batch that the second run had as it was before the caller overwrote it, in memory that
 * is not pinned, after loader_open(): all from then on were read afterwards. -1: none was, or the
 * state says something else. */
static int64_t first_read_late(const struct evidence *e)
{
    const uint32_t *in = exchange_input(e->exchange, IN_BATCHES, NULL),
                   *out = exchange_output(e->exchange, OUT_OTHER, NULL);
    int64_t n = sizes_of(e)->few, count = count_of_other(sizes_of(e)->batches, 0);
    for (int64_t first = 0; first < count; first++) {
        int64_t i = 0;
        for (bool same = true; i < n && same; i += same) {
            uint32_t state = STATE;
            for (int64_t k = 0; k < count; k++)
                state = 3 * state + (k < first ? in[k * n + i] : LEFT_BYTE * 0x01010101u);
            same = out[i] == state;
        }
        if (i == n)
            return first;
    }
    return -1;
}

/* Pinned memory of that many bytes or more that the part takes; ANY: none. */
static uint32_t pinned_memory(const struct view *v, const char *part, uint64_t bytes)
{
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_MALLOC && c->dst_kind == MEM_PINNED && c->status == 0
            && c->bytes >= bytes && !is_in_driver(v->timeline, c))
            return (uint32_t)i;
    }
    return ANY;
}

bool loader_pinned(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    for (uint32_t node = next_from_host(v, s, 0); node != ANY;
         node = next_from_host(v, s, node + 1)) {
        enum memory_kind kind = (enum memory_kind)call_of_node(v, node)->src_kind;
        if (kind == MEM_MANAGED) {
            f->call = v->timeline->spans[node].call;
            expected(f, "batches are copied from pinned memory");
            seen(f, "this copy reads managed memory");
            return why(f,
                       "Pages of managed memory lie on one side or the other, and come to the device one by one when something there reads them. "
                       "Take memory from cudaMallocHost(), which stays on the host and which a copy engine reads by itself.");
        }
        if (kind != MEM_PAGEABLE)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "batches are copied from pinned memory");
        seen(f, "this copy reads pageable memory");
        uint32_t pinned = pinned_memory(v, part, call_of_node(v, node)->bytes);
        if (pinned != ANY)
            return why(f,
                       "Line %u takes pinned memory, and this copy does not read that: it reads memory that is not pinned, and the host "
                       "stages it. Copy from the pinned memory, which loader_open() fills with the batches.",
                       v->timeline->calls[pinned].line);
        return why(f,
                   "The host stages such a copy, whatever its name says: non_blocking=True alone does not help. Put the batches "
                   "into memory from cudaMallocHost(), or pin them with cudaHostRegister(), before the loop. That is "
                   "pin_memory=True.");
    }
    int64_t late = pins_in_run(v) == ANY ? first_read_late(e) : -1;
    if (late < 0)
        return true;
    f->function = "loader_run";
    f->word = "memcpy";
    expected(f,
             "the batches are in pinned memory when loader_open() returns, and loader_run() only queues");
    seen(f,
         "the caller overwrote `batches`, which was not pinned, after loader_open(), and from batch %lld on model() was given the new bytes",
         (long long)late);
    return why(f,
               "So the host still reads the batches in loader_run(), and a host that copies is not free to queue. Copy all of them to memory "
               "from cudaMallocHost() in loader_open(), or pin them there with cudaHostRegister(). Each batch then has its own place, and no "
               "refill has to wait for a copy.");
}

/* Does the last model() of another run wait for all copies? */
static bool waits_in_other(const struct view *v, struct finding *f, int run)
{
    struct selection again = in_label(v, OTHER_LOADER, run, 0), from_host = again;
    from_host.engines = ENGINE_BIT(ENGINE_H2D);
    uint32_t last = ANY;
    EACH_KERNEL(node, v, again, "model")
        last = node;
    for (uint32_t node = next_span(v, from_host, 0); node != ANY && last != ANY;
         node = next_span(v, from_host, node + 1)) {
        if (hb_before(v->order, node, last, GUARANTEED))
            continue;
        f->call = v->timeline->spans[last].call;
        expected(f, "model() is bound to wait for its copy, whichever stream `current` is");
        seen(f, "with %s as `current` nothing makes it wait for the copy in line %u",
             current_of_other(run), call_of_node(v, node)->line);
        return why_unordered(v, f, node, "the copy", last, "model()", NO_WAIT, "the copy",
                             "model()");
    }
    return true;
}

bool loader_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct sizes *sizes = sizes_of(e);
    struct selection copies = in_part(v, part, 0);
    uint64_t bytes = 0, batch = (uint64_t)sizes->batch * sizeof(uint32_t);
    for (uint32_t node = next_from_host(v, copies, 0); node != ANY;
         node = next_from_host(v, copies, node + 1)) {
        /* The last batch that it brings something of: who waits for that waits for all before. */
        uint64_t k = bytes / batch;
        uint32_t model = next_kernel(v, inside(v, 0), "model", 0);
        bytes += v->timeline->spans[node].bytes;
        for (uint64_t i = 0; i < k && model != ANY; i++)
            model = next_kernel(v, inside(v, 0), "model", model + 1);
        if (model == ANY || hb_before(v->order, node, model, GUARANTEED))
            continue;
        f->call = v->timeline->spans[model].call;
        expected(f, "model() of batch %llu is bound to wait for the copy of that batch",
                 (unsigned long long)k);
        seen(f, "nothing makes it wait for the copy in line %u", call_of_node(v, node)->line);
        return why_unordered(v, f, node, "the copy", model, "model()", NO_WAIT, "the copy",
                             "model()");
    }
    bool right = true;
    for (int run = 0; run < OTHER_RUNS && right; run++)
        right = waits_in_other(v, f, run);
    return right;
}

bool loader_host(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    (void)part;
    bool right = only_queues(v, inside(v, 0), f, "loader_run()");
    for (int run = 0; run < OTHER_RUNS && right; run++)
        right = only_queues(v, in_label(v, OTHER_RUN, run, 0), f, "loader_run()");
    return right;
}

/* A copy of batch `next` into the memory of an earlier batch, whose model() is `model`. */
struct reuse { int64_t batch, next; uint32_t model, copy; };

/* Finds the first such copy that is `early`. */
static bool find_reuse(const struct view *v, struct selection copies, struct selection models,
                       int64_t n, int64_t count,
                       bool (*early)(const struct view *v, uint32_t copy, uint32_t model),
                       struct reuse *r)
{
    r->model = next_kernel(v, models, "model", 0);
    for (r->batch = 0; r->batch < count && r->model != ANY;
         r->batch++, r->model = next_kernel(v, models, "model", r->model + 1)) {
        uint32_t own = copy_of(v, copies, n, r->batch);
        for (r->next = r->batch + 1; r->next < count && own != ANY; r->next++) {
            r->copy = copy_of(v, copies, n, r->next);
            if (r->copy != ANY && r->copy != own
                && call_of_node(v, r->copy)->dst == call_of_node(v, own)->dst
                && early(v, r->copy, r->model))
                return true;
        }
    }
    return false;
}

static bool queued_before(const struct view *v, uint32_t copy, uint32_t model)
{
    return v->timeline->spans[copy].call <= v->timeline->spans[model].call;
}

static bool unordered_after(const struct view *v, uint32_t copy, uint32_t model)
{
    return !hb_before(v->order, model, copy, GUARANTEED);
}

/* Is a batch overwritten by the copy of another, which was queued before its model()? Says so. */
static bool why_overwritten(const struct evidence *e, struct finding *f, int64_t count)
{
    const struct view *v = &e->yours[0];
    struct reuse r;
    if (!find_reuse(v, in_label(v, LOADER, -1, 0), inside(v, 0), sizes_of(e)->batch, count,
                    queued_before, &r))
        return false;
    f->call = v->timeline->spans[r.copy].call;
    f->sure = true;
    why(f,
        "This is the copy of batch %lld, and goes to the memory of batch %lld before model() of batch %lld is queued, in line %u: "
        "nothing can make the copy wait for a model() that is not in the queue yet. With two buffers one batch is copied ahead.",
        (long long)r.next, (long long)r.batch, (long long)r.batch, call_of_node(v, r.model)->line);
    return true;
}

/* Is a batch of another run copied over one while nothing makes the copy wait for the model() that
 * reads that? Says why. */
static bool why_not_freed(const struct evidence *e, struct finding *f, int run)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_label(v, OTHER_LOADER, run, 0);
    struct reuse r;
    if (!find_reuse(v, s, s, sizes_of(e)->few, count_of_other(sizes_of(e)->batches, run),
                    unordered_after, &r))
        return false;
    f->call = v->timeline->spans[r.copy].call;
    f->sure = true;
    seen(f,
         "with %s as `current` nothing makes the copy of batch %lld wait for model() of batch %lld, "
         "which reads the same memory",
         current_of_other(run), (long long)r.next, (long long)r.batch);
    why_unordered(v, f, r.model, "model()", r.copy, "the copy",
                  "The copy may overwrite what model() still reads.");
    return true;
}

/* The first batch from which on all elements of a batch were the same number; -1: there is none. */
static int64_t first_alike(const uint32_t *in, const uint32_t *out, int64_t n, int64_t count)
{
    for (int64_t first = 0; first < count; first++) {
        int64_t i = 0;
        for (uint32_t rest = 0; i < n; i++) {
            uint32_t state = STATE;             /* if all from `first` on were 0 */
            for (int64_t k = 0; k < count; k++)
                state = 3 * state + (k < first ? in[k * n + i] : 0);
            rest = i == 0 ? out[0] - state : rest;
            if (out[i] - state != rest)
                break;
        }
        if (i == n)
            return first;
    }
    return -1;
}

/* Is the state what it would be had it begun with zeros? Then the learner's memset that came before
 * model() is named. */
static bool why_cleared(const struct view *v, struct finding *f, struct selection s,
                        const uint32_t *in, const uint32_t *out, int64_t n, int64_t count)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t state = 0;
        for (int64_t k = 0; k < count; k++)
            state = 3 * state + in[k * n + i];
        if (out[i] != state)
            return false;
    }
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (v->timeline->calls[i].kind == CALL_SET
            && !is_in_driver(v->timeline, &v->timeline->calls[i])) {
            f->call = (uint32_t)i;
            break;
        }
    return !why(f,
                "That is what the batches make of zeros, and the caller's state does not begin with zeros: model() goes on with what is there. "
                "Do not clear it.");
}

/* The state of one run: of another one, or, where that is negative, of the part's. */
static bool went_through(const struct evidence *e, struct finding *f, int other,
                         const uint32_t *out, int64_t n, int64_t count)
{
    const uint32_t *in = exchange_input(e->exchange, IN_BATCHES, NULL);
    struct selection s = in_label(&e->yours[0], other < 0 ? LOADER : OTHER_LOADER, other, 0);
    const struct view *v = &e->yours[0];
    for (int64_t i = 0; i < n; i++) {
        uint32_t state = STATE;
        for (int64_t k = 0; k < count; k++)
            state = 3 * state + in[k * n + i];
        if (out[i] == state)
            continue;
        f->call = call_number(v, kernel_named(v, s, "model", NULL));
        expected(f,
                 "all %lld batches went through model(), in their order: element %lld of the state is %u",
                 (long long)count, (long long)i, state);
        seen(f, "%u", out[i]);
        size_t ran;
        kernel_named(v, s, "model", &ran);
        if (ran != (size_t)count) {
            blame_count(v, f, s, "model", "loader_run");
            expected(f, "model() runs once for each of the %lld batches", (long long)count);
            seen(f, "it ran %zu times", ran);
            return why(f, "Each loader has a `count` of its own, and this one's is %lld.",
                       (long long)count);
        }
        if (other < 0 ? why_overwritten(e, f, count) : why_not_freed(e, f, other))
            return false;
        if (why_cleared(v, f, s, in, out, n, count))
            return false;
        int64_t first = first_alike(in, out, n, count);
        if (first >= 0 && pinned_memory(v, "c", 1) != ANY) {
            f->call = ANY;
            f->function = "loader_open";
            f->word = "memcpy";
            return why(f,
                       "From batch %lld on model() was given the same number in each element: nothing has put these batches into the pinned "
                       "memory. loader_open() fills it with all of them, l->count * n * sizeof(unsigned) bytes.",
                       (long long)first);
        }
        struct selection copies = s;
        copies.engines = ENGINE_BIT(ENGINE_H2D);
        if (why_other_batch(v, f, copies, n, count))
            return false;
        return why(f,
                   "Batch k is the n elements from k * n on, and model(state, batch, n) takes all of them. Where you copy from pinned "
                   "memory of your own, loader_open() fills it with all l->count batches.");
    }
    return true;
}

bool loader_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct sizes *sizes = sizes_of(e);
    const uint32_t *more = exchange_output(e->exchange, OUT_OTHER, NULL);
    (void)part;
    if (!went_through(e, f, -1, exchange_output(e->exchange, OUT_STATE, NULL), sizes->batch,
                      sizes->batches))
        return false;
    /* An answer that pins or waits in loader_run() may get other batches in the other runs, and
     * another check says why. */
    const struct view *v = &e->yours[0];
    bool right = true, other = pins_in_run(v) == ANY && standstill(v, inside(v, 0)) == ANY;
    for (int run = 0; run < OTHER_RUNS && other && right; run++) {
        int64_t count = count_of_other(sizes->batches, run);
        right = went_through(e, f, run, more + run * sizes->few, sizes->few, count)
                && takes_what_is_asked(v, f, in_label(v, OTHER_LOADER, run, 0),
                                       (uint64_t)(sizes->few * count) * sizeof(uint32_t));
    }
    return right;
}
