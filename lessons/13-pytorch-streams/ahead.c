/* SPDX-License-Identifier: MIT */
/* (c): is the next batch copied while the model works? */
#include "judges.h"

/* The first wait of the model's stream for the copy. */
static uint32_t wait_of_model(const struct view *v, struct selection s, uint32_t copy,
                              uint32_t model)
{
    s.engines = ENGINE_BIT(ENGINE_NONE);
    s.stream = v->timeline->spans[model].stream;
    EACH_SPAN(wait, v, s)
        if (call_of_node(v, wait)->kind == CALL_STREAM_WAIT
            && hb_before(v->order, copy, wait, GUARANTEED)
            && hb_before(v->order, wait, model, GUARANTEED))
            return v->timeline->spans[wait].call;
    return ANY;
}

/* The wait by which a batch is copied after model() of the batch before, or model() begins after
 * the copy of the next batch: says so of the first one, and returns true. */
static bool why_in_turn(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[f->view];
    struct selection copies = in_part(v, part, 0);
    uint64_t bytes = 0, batch = (uint64_t)sizes_of(e)->batch * sizeof(uint32_t);
    uint32_t before = ANY;      /* the last copy of the batch before */
    for (uint32_t node = next_from_host(v, copies, 0); node != ANY;
         node = next_from_host(v, copies, node + 1)) {
        uint64_t k = bytes / batch;
        bytes += v->timeline->spans[node].bytes;
        uint32_t model =
            next_kernel(v, inside(v, 0), "model", 0); /* of the batch before this one */
        for (uint64_t i = 0; i + 1 < k && model != ANY; i++)
            model = next_kernel(v, inside(v, 0), "model", model + 1);
        if (k > 0 && model != ANY && before != ANY) {
            bool copy_waits = hb_before(v->order, model, node, GUARANTEED),
                 model_waits = hb_before(v->order, node, model, GUARANTEED);
            uint32_t wait = copy_waits    ? stream_wait_between(v, copies, model, node)
                            : model_waits ? wait_of_model(v, copies, node, model)
                                          : ANY;
            if (wait != ANY) {
                f->call = wait;
                if (model_waits)
                    why(f,
                        "With this wait model() of batch %llu waits for the copy of batch %llu as well, which was queued before it. Let `current` "
                        "wait for an event recorded after its own batch's copy.",
                        (unsigned long long)k - 1, (unsigned long long)k);
                else if (call_of_node(v, node)->dst == call_of_node(v, before)->dst)
                    why(f,
                        "With this wait the copy of batch %llu waits for model() of batch %llu, and it has to: both batches go to the same memory. "
                        "Take two buffers in turn, and let a copy wait for the model of the batch before last.",
                        (unsigned long long)k, (unsigned long long)k - 1);
                else
                    why(f,
                        "With this wait the copy of batch %llu waits for model() of batch %llu, which reads the other buffer. A copy waits for "
                        "the last model that read the buffer it writes: that of the batch before last.",
                        (unsigned long long)k, (unsigned long long)k - 1);
                return true;
            }
        }
        before = node;
    }
    return false;
}

bool loader_ahead(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct which copy = { ENGINE_H2D, NULL }, model = { ENGINE_KERNEL, "model" };
    uint32_t pins = pins_in_run(v);
    bool beside = beside_as_reference(e, f, part, copy, model, "the copies");
    if (beside && pins == ANY)
        return true;
    expected(f, "the next batch is copied while model() works on this one");
    struct selection run = inside(v, 0);
    if (pins != ANY) {
        if (beside) { /* all at once, before the first copy: the host is held up all the same */
            expected(f,
                     "loader_run() queues its work and returns: nothing in it holds the host up");
            seen(f, "it pins memory here");
        }
        f->call = pins;
        return why(f,
                   "While the host pins memory it queues nothing: %lld us here. Pin once, in loader_open().",
                   (long long)((v->timeline->calls[pins].end - v->timeline->calls[pins].begin)
                               / 1000));
    }
    struct selection copies = inside(v, ENGINE_BIT(ENGINE_H2D)),
                     functions = inside(v, ENGINE_BIT(ENGINE_HOST_FUNC));
    if (next_span(v, copies, 0) == ANY) {
        copies = in_part(v, part, copies.engines);
        f->call = call_number(v, next_span(v, copies, 0));
        f->function = "loader_run";
        return why(f,
                   "All batches are on the device before loader_run() begins, so no copy runs beside model(). Copy each batch in "
                   "loader_run(), while model() works on the batch before.");
    }
    functions.stream = legacy_stream(v);
    uint32_t function = next_span(v, functions, 0);
    if (function != ANY) {
        f->call = v->timeline->spans[function].call;
        return why(f,
                   "This puts a host function into `current`. No model() runs while it does, so what was copied in that time "
                   "overlapped with nothing. Leave it out.");
    }
    uint32_t shared = in_default_stream(v, inside(v, ENGINE_BIT(ENGINE_H2D)));
    if (shared != ANY) {
        f->call = shared;
        return why(f,
                   "The copy and model() are both in `current`, and a stream does one after the other. A free host does not help "
                   "when the device is not free. Copy in a second stream.");
    }
    for (size_t i = 0; i < v->timeline->call_count; i++) {
        const struct call *c = &v->timeline->calls[i];
        struct selection s = inside(v, ENGINE_BIT(ENGINE_H2D));
        s.stream = c->stream;
        if (c->kind != CALL_STREAM_CREATE || (c->flags & (STREAM_NON_BLOCKING | STREAM_LEGACY))
            || next_span(v, s, 0) == ANY)
            continue;
        f->call = (uint32_t)i;
        return why(f,
                   "The copies are in a blocking stream, and `current` is the legacy default stream: each waits for the other. "
                   "torch.cuda.Stream() makes streams with cudaStreamNonBlocking.");
    }
    if (why_in_turn(e, f, part))
        return false;
    f->call = last_stream_wait(v, run, legacy_stream(v), ANY);
    f->function = "loader_run";
    return why(f,
               "The copy waits for the model, or the model for more than its own batch. Two buffers: batch k + 1 goes into the one "
               "that the model does not read, and `current` waits for one batch at a time.");
}
