/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * What the host does with the pool's buffers the driver says in labels, at the
 * moment when it does it; a copy is known by the buffer that its source lies in.
 */
#include "again.h"
#include "slots.h"

/* Which buffer a label speaks of; -1: it is another label. The learner may write labels, too. */
static long buffer_of(const struct view *v, size_t call, const char *what)
{
    long number = label_number(v, call, what);
    return number < POOL_BUFFERS ? number : -1;
}

/* Has the host spun since that copy was queued, and a function that comes after the copy run
 * meanwhile? The function may have ended the spin through an atomic variable, which no log shows.
 * If it did not, the run with a slower device shows the mistake. */
static bool may_know(const struct view *v, uint32_t copy, size_t call)
{
    const struct call *calls = v->timeline->calls;
    bool spun = false, ran = false;
    for (size_t i = v->timeline->spans[copy].call; i < call; i++) {
        spun |= calls[i].kind == CALL_HOST_WORK && calls[i].flags & CALL_POLLS
                && calls[i].thread == calls[call].thread;
        ran |= calls[i].kind == CALL_FUNCTION_BEGIN
               && hb_before(v->order, copy, calls[i].node, GUARANTEED);
    }
    return spun && ran;
}

/* The first copy out of that buffer, queued before `call`, that nothing the host waited for has
 * ended by then; ANY for none. */
static uint32_t still_read(const struct evidence *e, struct selection copies, long buffer,
                           size_t call)
{
    const struct view *v = &e->yours[0];
    const struct pool *pool = exchange_output(e->exchange, SLOT_POOL, NULL);
    const struct sizes *sizes = exchange_input(e->exchange, SLOT_SIZES, NULL);
    uint64_t from = pool->buffer[buffer], to = from + (uint64_t)sizes->n * sizeof(uint32_t);
    EACH_SPAN(node, v, copies) {
        const struct call *c = call_of_node(v, node);
        if (v->timeline->spans[node].call < call && c->src < to && from < c->src + c->bytes
            && !hb_before_call(v->order, node, v->timeline->calls, call, GUARANTEED)
            && !may_know(v, node, call))
            return node;
    }
    return ANY;
}

/* The call before `call` by which that buffer went back to the pool, if it was made in another
 * thread than the copy: then that is what is wrong, and not the packing. ANY: there is none. */
static uint32_t given_elsewhere(const struct view *v, uint32_t copy, long buffer, size_t call)
{
    const struct call *calls = v->timeline->calls;
    uint32_t queued = v->timeline->spans[copy].call;
    for (size_t i = call; i-- > queued;)
        if (buffer_of(v, i, GIVE_BACK) == buffer)
            return calls[i].thread != calls[queued].thread ? (uint32_t)i : ANY;
    return ANY;
}

static bool judge_lifetime(const struct evidence *e, struct finding *f, const char *part,
                           const char *what)
{
    const struct view *v = &e->yours[0];
    struct selection copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    for (size_t call = copies.first_call; call < copies.end_call; call++) {
        long buffer = buffer_of(v, call, what);
        uint32_t node = buffer < 0 ? ANY : still_read(e, copies, buffer, call);
        if (node == ANY)
            continue;
        uint32_t elsewhere = given_elsewhere(v, node, buffer, call);
        bool given = what[0] == 'g';
        if (!given && elsewhere != ANY && still_read(e, copies, buffer, elsewhere) != ANY)
            continue;           /* judge_give_back() says so */
        const struct call *calls = v->timeline->calls;
        if (calls[call].thread != calls[copies.first_call].thread) {
            blame_label(f, call, v->timeline->spans[node].call);
            expected(f,
                     "take(), pack() and give_back() are called by the thread that called absorb_all()");
            seen(f, "%s() is called by another thread, or by a host function in a stream",
                 given ? "give_back" : "pack");
            return why(f,
                       "The pool keeps its list without a lock, so two threads must not use it at once.");
        }
        blame_label(f, call, v->timeline->spans[node].call);
        expected(f, given ? "a buffer goes back to the pool when no queued copy needs it any more"
                          : "a buffer is packed again when the copy of what it holds is done");
        seen(f, "%s() while the copy of line %u from the buffer may still be in the queue",
             given ? "give_back" : "pack", call_of_node(v, node)->line);
        return why_unwaited(v, f, node, call,
                            "The queue holds the buffer's address and not its contents. The engine reads the buffer when "
                            "the copy's turn comes, and finds %s. Wait for the stream between the two: cudaStreamSynchronize(), or "
                            "cudaEventSynchronize() for an event recorded after the copy.",
                            given ? "another user's data" : "the next batch");
    }
    return true;
}

/* A wait for one buffer's copy may come after the other's, too, if the number of batches is odd: so
 * both are judged. */
bool judge_refill(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_lifetime(e, f, part, PACK) && judge_lifetime(e, f, AGAIN, PACK);
}

bool judge_give_back(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_lifetime(e, f, part, GIVE_BACK) && judge_lifetime(e, f, AGAIN, GIVE_BACK);
}

/* Copies into the slot and kernels take turns, in the order of issue. */
bool judge_turns(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_KERNEL));
    uint32_t before = ANY;
    for (uint32_t node = next_span(v, s, 0); node != ANY;
         before = node, node = next_span(v, s, node + 1)) {
        if (before == ANY || hb_before(v->order, before, node, GUARANTEED))
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f,
                 "copies into the slot and kernels take turns: each is bound to wait for the one before");
        seen(f, "nothing makes %s wait for %s", node_name(v, node).text, node_name(v, before).text);
        return why_unordered(v, f, before, node_name(v, before).text, node, node_name(v, node).text,
                             "There is one slot on the device, and each copy overwrites what the kernel reads. Within one stream the "
                             "order is kept for you.");
    }
    return true;
}

/* Was each absorb() given memory of the device? */
static bool absorbs_slot(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct sizes *sizes = exchange_input(e->exchange, SLOT_SIZES, NULL);
    const uint32_t *host = exchange_output(e->exchange, SLOT_HOST, NULL);
    uint32_t node = next_kernel(v, in_part(v, part, 0), "absorb", 0);
    for (int64_t k = 0; k < sizes->count && node != ANY; k++) {
        if (host[k]) {
            f->call = v->timeline->spans[node].call;
            expected(f, "absorb() number %lld reads the slot, to which its batch was copied",
                     (long long)k + 1);
            seen(f, "it was given host memory");
            return why(f,
                       "A kernel can read pinned memory, but each load then crosses the bus, the copy was for nothing, and the buffer is "
                       "in use until the kernel has ended. Pass b->slot.");
        }
        node = next_kernel(v, in_part(v, part, 0), "absorb", node + 1);
    }
    return true;
}

bool judge_total(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct sizes *sizes = exchange_input(e->exchange, SLOT_SIZES, NULL);
    const uint32_t *batch = exchange_input(e->exchange, SLOT_BATCHES, NULL);
    const uint32_t *got = exchange_output(e->exchange, SLOT_BATCHES, NULL);
    int64_t wrong = 0, first = 0, launches = 0;
    uint32_t wanted = 0;
    if (!absorbs_slot(e, f, part))
        return false;
    for (int64_t i = 0; i < sizes->n; i++) {
        uint32_t total = 0;
        for (int64_t k = 0; k < sizes->count; k++)
            total = 3 * total + batch[k * sizes->n + i];
        if (got[i] != total && !wrong++) {
            first = i;
            wanted = total;
        }
    }
    if (!wrong)
        return total_again(e, f);
    EACH_KERNEL(node, v, in_part(v, part, 0), "absorb") {
        f->call = v->timeline->spans[node].call;
        launches++;
    }
    expected(f,
             "%lld batches are absorbed, each once and in their order: element %lld of the total is %u",
             (long long)sizes->count, (long long)first, wanted);
    seen(f,
         "%lld of %lld elements are wrong, the first is element %lld: %u; absorb() ran %lld times",
         (long long)wrong, (long long)sizes->n, (long long)first, got[first], (long long)launches);
    uint32_t kernel = next_kernel(v, in_part(v, part, 0), "absorb", 0),
             copy = next_span(v, in_part(v, part, ENGINE_BIT(ENGINE_H2D)), 0);
    if (launches == sizes->count && copy != ANY && hb_before(v->order, kernel, copy, GUARANTEED)) {
        f->call = v->timeline->spans[kernel].call;
        return why(f,
                   "The first absorb() is queued before the first copy to the slot, of line %u, so it takes what the slot held at the "
                   "beginning, and each later one takes the batch before its own. Queue the copy first, then absorb().",
                   call_of_node(v, copy)->line);
    }
    if (launches != sizes->count)
        blame_count(v, f, in_part(v, part, 0), "absorb", "absorb_all()");
    return why(
        f,
        launches == sizes->count
            ? "Does pack() get each batch's own number, from 0 up, and does the whole batch, n * sizeof(unsigned) bytes, "
              "reach the slot before it is absorbed?"
            : "Pack, copy and absorb once for each of b->count batches.");
}

/* Did the host ask whether something was done, and was it not? */
static bool polls(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    for (size_t k = s.first_call; k < s.end_call; k++) {
        const struct call *c = &v->timeline->calls[k];
        if ((c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY) && c->status != 0)
            return true;
    }
    return false;
}

bool judge_neighbour(const struct evidence *e, struct finding *f, const char *part)
{
    /* How often it had to ask where even the reference waits for the neighbour says nothing of
     * another card. */
    if (!part_ends_before(&e->reference[0], part, "neighbour") && polls(&e->yours[0], part))
        return true;
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        /* The oldest card runs one kernel at a time: there the reference has to wait as well. */
        if (part_ends_before(v, part, "neighbour")
            || !part_ends_before(&e->reference[view], part, "neighbour"))
            continue;
        struct selection s = in_part(v, part, ENGINES_DEVICE);
        f->view = view;
        f->call = measure_longest_wait(v->timeline, s.first_call, s.end_call);
        expected(f,
                 "absorb_all() returns while the neighbour's kernel is still running: it waits only for its own stream");
        const struct call *c = f->call == ANY ? NULL : &v->timeline->calls[f->call];
        if (c)
            seen(f,
                 "it returned after that kernel had ended; %s() in line %u held it up for %lld.%02lld ms",
                 timeline_string(v->timeline, c->name), c->line,
                 (long long)(c->end - c->begin) / 1000000,
                 (long long)(c->end - c->begin) % 1000000 / 10000);
        else
            seen(f, "it returned after that kernel had ended");
        uint32_t shared = in_default_stream(v, s);
        if (c && c->kind == CALL_DEVICE_SYNC)
            return why(f,
                       "cudaDeviceSynchronize() waits for everything on the device, other people's streams too. "
                       "cudaStreamSynchronize() waits for one stream.");
        if (c && (c->kind == CALL_FREE || c->kind == CALL_UNREGISTER))
            return why(f,
                       "Freeing memory waits for the whole device. Keep the memory until a wait does not matter.");
        if (shared != ANY) {
            f->call = shared;
            return why(f,
                       "This is in the default stream, which waits for every stream made by cudaStreamCreate(), the neighbour's as "
                       "well. Put it into a stream of your own.");
        }
        const struct call *made =
            c && c->kind == CALL_STREAM_SYNC ? timeline_stream_made(v->timeline, c->stream) : NULL;
        if (made && (made->flags & STREAM_LEGACY))
            return why(f,
                       "This waits for the default stream, and so for every stream made by cudaStreamCreate(), the neighbour's as well. Wait for "
                       "your own stream alone.");
        return why(f, "What do you wait for here, and whose work is it?");
    }
    return true;
}

bool judge_pool(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    size_t taken[POOL_BUFFERS] = { 0 };
    for (size_t call = s.first_call; call < s.end_call; call++) {
        long took = buffer_of(v, call, TAKE), gave = buffer_of(v, call, GIVE_BACK);
        if (took >= 0)
            taken[took] = call;
        if (gave >= 0)
            taken[gave] = 0;
    }
    for (int k = 0; k < POOL_BUFFERS; k++) {
        if (!taken[k])
            continue;
        f->function = "absorb_all()";
        f->word = "give_back";
        expected(f, "every buffer that you take goes back to the pool");
        seen(f, "buffer %d was taken and not given back", k);
        return why(f,
                   "A pool that gets nothing back is soon empty. Call give_back() when the last copy out of the buffer is done.");
    }
    return true;
}

