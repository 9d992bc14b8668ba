/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * The k-th model() that was queued is batch k's. A copy's batch is known from the
 * bytes that were copied before it, in the order of issue: a batch may come in
 * several copies.
 */
#include "judges.h"

static struct selection inside(const struct view *v, uint32_t engines)
{
    return in_label(v, LOADER, -1, engines);
}

bool loader_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct sizes *sizes = sizes_of(e);
    uint64_t wanted = (uint64_t)(sizes->batch * sizes->batches) * sizeof(uint32_t), bytes = 0;
    size_t count;
    uint32_t node = kernel_named(v, inside(v, 0), "model", &count), stray = ANY;
    for (; node != ANY; node = next_kernel(v, inside(v, 0), "model", node + 1))
        if (v->timeline->spans[node].stream != legacy_stream(v) && stray == ANY)
            stray = node;
    if (count != (size_t)sizes->batches || stray != ANY) {
        blame_count(v, f, inside(v, 0), "model", "loader_run");
        if (stray != ANY)
            f->call = v->timeline->spans[stray].call;
        expected(f, "model() runs once for each of the %lld batches, in `current`", (long long)sizes->batches);
        if (stray == ANY)
            seen(f, "it ran %zu times", count);
        else
            seen(f, "this one is in another stream");
        if (stray == ANY)
            return why(f, "Each batch goes through model() once: how many turns does the loop make, and how many launches are in one?");
        return why(f, "The caller of loader_run() reads the state in `current`. The side stream is only for the copies: model<<<…, current>>>.");
    }
    if (!in_given_stream(v, f, OTHER_LOADER, "model"))
        return false;
    struct selection copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    /* The first copy that is not of one batch, or of the rest of one: */
    uint64_t batch = (uint64_t)sizes->batch * sizeof(uint32_t);
    uint32_t last = ANY, odd = ANY;
    for (node = next_span(v, copies, 0); node != ANY; node = next_span(v, copies, node + 1)) {
        bytes += v->timeline->spans[node].bytes;
        odd = odd == ANY && v->timeline->spans[node].bytes % batch != 0 ? node : odd;
        last = node;
    }
    if (bytes == wanted)
        return true;
    last = odd != ANY ? odd : last;
    f->call = last == ANY ? ANY : v->timeline->spans[last].call;
    f->function = "loader_run";
    f->word = "cudaMemcpyAsync";
    expected(f, "each batch is copied to the device once, %llu bytes in all", (unsigned long long)wanted);
    seen(f, "%llu bytes are", (unsigned long long)bytes);
    return why(f, "cudaMemcpyAsync() takes n * sizeof(unsigned) bytes for each of l->count batches, once each.");
}

bool loader_pinned(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
        if (call_of_node(v, node)->src_kind != MEM_PAGEABLE)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "batches are copied from pinned memory");
        seen(f, "this copy reads pageable memory");
        return why(f, "The host stages such a copy, whatever its name says: non_blocking=True alone does not help. Put the batches "
                   "into memory from cudaMallocHost(), or pin them with cudaHostRegister(), before the loop. That is "
                   "pin_memory=True.");
    }
    return true;
}

bool loader_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct sizes *sizes = sizes_of(e);
    struct selection copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    uint64_t bytes = 0, batch = (uint64_t)sizes->batch * sizeof(uint32_t);
    for (uint32_t node = next_span(v, copies, 0); node != ANY; node = next_span(v, copies, node + 1)) {
        /* The last batch that it brings something of: who waits for that waits for all before. */
        uint64_t k = bytes / batch;
        uint32_t model = next_kernel(v, inside(v, 0), "model", 0);
        bytes += v->timeline->spans[node].bytes;
        for (uint64_t i = 0; i < k && model != ANY; i++)
            model = next_kernel(v, inside(v, 0), "model", model + 1);
        if (model == ANY || hb_before(v->order, node, model, GUARANTEED))
            continue;
        f->call = v->timeline->spans[model].call;
        expected(f, "model() of batch %llu is bound to wait for the copy of that batch", (unsigned long long)k);
        seen(f, "nothing makes it wait for the copy in line %u", call_of_node(v, node)->line);
        return why_unordered(v, f, node, "the copy", model, "model()", NO_WAIT, "the copy", "model()");
    }
    struct selection again = in_label(v, OTHER_LOADER, -1, 0), from_host = again;
    from_host.engines = ENGINE_BIT(ENGINE_H2D);
    uint32_t last = ANY;
    for (uint32_t node = next_kernel(v, again, "model", 0); node != ANY; node = next_kernel(v, again, "model", node + 1))
        last = node;
    for (uint32_t node = next_span(v, from_host, 0); node != ANY && last != ANY; node = next_span(v, from_host, node + 1)) {
        if (hb_before(v->order, node, last, GUARANTEED))
            continue;
        f->call = v->timeline->spans[last].call;
        expected(f, "model() is bound to wait for its copy, whichever stream `current` is");
        seen(f, "with a `current` that is not the default stream nothing makes it wait for the copy in line %u", call_of_node(v, node)->line);
        return why_unordered(v, f, node, "the copy", last, "model()", NO_WAIT, "the copy", "model()");
    }
    return true;
}

bool loader_host(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return only_queues(&e->yours[0], inside(&e->yours[0], 0), f, "loader_run()");
}

bool loader_output(const struct evidence *e, struct finding *f, const char *part)
{
    const uint32_t *in = exchange_input(e->exchange, IN_BATCHES, NULL), *out = exchange_output(e->exchange, OUT_STATE, NULL);
    const struct view *v = &e->yours[0];
    int64_t n = sizes_of(e)->batch, count = sizes_of(e)->batches;
    (void)part;
    for (int64_t i = 0; i < n; i++) {
        uint32_t state = 0;
        for (int64_t k = 0; k < count; k++)
            state = 3 * state + in[k * n + i];
        if (out[i] == state)
            continue;
        uint32_t node = kernel_named(v, inside(v, 0), "model", NULL);
        f->call = node == ANY ? ANY : v->timeline->spans[node].call;
        expected(f, "all %lld batches went through model(), in their order: element %lld of the state is %u", (long long)count,
                 (long long)i, state);
        seen(f, "%u", out[i]);
        return why(f, "Batch k is the n elements from k * n on, and model(state, batch, n) takes all of them.");
    }
    return true;
}

bool loader_ahead(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct which copy = { ENGINE_H2D, NULL }, model = { ENGINE_KERNEL, "model" };
    if (beside_as_reference(e, f, part, copy, model, "the copies"))
        return true;
    expected(f, "the next batch is copied while model() works on this one");
    struct selection run = inside(v, 0);
    for (size_t i = run.first_call; i < run.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind != CALL_REGISTER && (c->kind != CALL_MALLOC || c->dst_kind != MEM_PINNED))
            continue;
        f->call = (uint32_t)i;
        return why(f, "While the host pins memory it queues nothing: %lld us here. Pin once, in loader_open().",
                   (long long)((c->end - c->begin) / 1000));
    }
    uint32_t shared = in_default_stream(v, inside(v, ENGINE_BIT(ENGINE_H2D)));
    if (shared != ANY) {
        f->call = shared;
        return why(f, "The copy is in `current`, and so is model(), and a stream does one after the other. A free host does not help "
                   "when the device is not free. Copy in a second stream.");
    }
    for (size_t i = 0; i < v->timeline->call_count; i++) {
        const struct call *c = &v->timeline->calls[i];
        struct selection s = inside(v, ENGINE_BIT(ENGINE_H2D));
        s.stream = c->stream;
        if (c->kind != CALL_STREAM_CREATE || (c->flags & (STREAM_NON_BLOCKING | STREAM_LEGACY)) || next_span(v, s, 0) == ANY)
            continue;
        f->call = (uint32_t)i;
        return why(f, "The copies are in a blocking stream, and `current` is the legacy default stream: each waits for the other. "
                   "torch.cuda.Stream() makes streams with cudaStreamNonBlocking.");
    }
    f->call = last_stream_wait(v, run, legacy_stream(v), ANY);
    f->function = "loader_run";
    return why(f, "The copy waits for the model, or the model for more than its own batch. Two buffers: batch k + 1 goes into the one "
               "that the model does not read, and `current` waits for one batch at a time.");
}
