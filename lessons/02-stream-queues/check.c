/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 02: was it queued in a stream of one's own, did it overlap,
 * and did the memory live long enough?
 *
 * DESIGN
 * Kernels' arguments are in no log. Which elements a copy moves is known from
 * its device address; which kernel worked on them, from the order: one that
 * waits for the copy in and that the copy out waits for. What runs at once is in
 * overlap.c, part (c) in buffers.c.
 */
#include <stdlib.h>

#include "again.h"
#include "slots.h"

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    int64_t n[] = { random_odd(r, 200000, 260000), random_odd(r, 100000, 180000),
                    random_odd(r, 100000, 180000) };
    struct sizes c = { random_odd(r, 15000, 30000), (int64_t)random_between(r, 5, 8) };
    for (int slot = SLOT_TRIP; slot <= SLOT_RIGHT; slot++)
        exchange_add_elements(x, r, n[slot]);
    exchange_add_elements(x, r, c.n * c.count);
    *(struct sizes *)exchange_add_input(x, sizeof c) = c;

    for (int slot = SLOT_TRIP; slot <= SLOT_RIGHT; slot++)
        exchange_add_output(x, (uint64_t)n[slot] * sizeof(uint32_t));
    exchange_add_output(x, (uint64_t)c.n * sizeof(uint32_t));
    exchange_add_output(x, sizeof(struct pool));
    exchange_add_output(x, (uint64_t)c.count * sizeof(uint32_t));
    exchange_add_output(x, TRIP_AGAIN * sizeof(uint32_t));
    exchange_add_output(x, (uint64_t)(c.n / SMALLER) * sizeof(uint32_t));
}

/* What goes through which kernel, and comes back where. */
struct task {
    int slot;
    const char *kernel;
    uint32_t (*result)(uint32_t);
    const char *what;
};

/* The last has no kernel. */
static const struct task trip_task[] = {
    { .slot = SLOT_TRIP, .kernel = "mix", .result = mixed, .what = "the trip" }, { 0 },
};
static const struct task chain_tasks[] = {
    { .slot = SLOT_LEFT, .kernel = "left_step", .result = left, .what = "the left chain" },
    { .slot = SLOT_RIGHT, .kernel = "right_step", .result = right, .what = "the right chain" },
    { 0 },
};

static const struct task *tasks_of(const char *part)
{
    return part[0] == 'a' ? trip_task : chain_tasks;
}

static uint32_t elements(const struct evidence *e, int slot)
{
    size_t bytes;
    exchange_input(e->exchange, slot, &bytes);
    return (uint32_t)(bytes / sizeof(uint32_t));
}

/* ---- (a) and (b): the work, its order, its result ---- */

/* A copy whose size is none of those that are left; ANY: there is none, or each of them is some
 * task's. */
static uint32_t odd_copy(const struct evidence *e, struct selection s, const char *part)
{
    const struct view *v = &e->yours[0];
    unsigned taken = 0;
    EACH_SPAN(node, v, s) {
        const struct task *task = tasks_of(part);
        unsigned bit = 1;
        for (; task->kernel; task++, bit <<= 1)
            if (!(taken & bit)
                && v->timeline->spans[node].bytes
                       == (uint64_t)elements(e, task->slot) * sizeof(uint32_t))
                break;
        if (!task->kernel)
            return v->timeline->spans[node].call;
        taken |= bit;
    }
    return ANY;
}

/* The part's first copy from host memory to host memory; ANY: none. */
static uint32_t copy_in_host_memory(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_COPY && c->status == 0 && memory_is_of_host(c->src_kind)
            && memory_is_of_host(c->dst_kind))
            return (uint32_t)i;
    }
    return ANY;
}

/* Every element travels once in each direction and the kernel runs on the device. */
static bool judge_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    uint64_t moved[2] = { 0, 0 }, all = 0;
    uint32_t more = ANY;
    for (const struct task *task = tasks_of(part); task->kernel; task++) {
        all += elements(e, task->slot) * sizeof(uint32_t);
        if (next_kernel(v, in_part(v, part, 0), task->kernel, 0) != ANY)
            continue;
        expected(f, "%s goes through %s() on the device", task->what, task->kernel);
        seen(f, "%s() was not launched in part (%s), or its launch was refused", task->kernel,
             part);
        return why(f,
                   "Launch it with %s<<<BLOCKS, THREADS, 0, stream>>>(…), and call cudaGetLastError() after it.",
                   task->kernel);
    }
    for (int back = 0; back < 2; back++) {
        struct selection s = in_part(v, part, ENGINE_BIT(back ? ENGINE_D2H : ENGINE_H2D));
        EACH_SPAN(node, v, s)
            if ((moved[back] += v->timeline->spans[node].bytes) > all && more == ANY)
                more = node;
    }
    if (moved[0] == all && moved[1] == all)
        return true;
    expected(f, "%llu bytes travel to the device and as many back", (unsigned long long)all);
    seen(f, "%llu bytes to the device, %llu back", (unsigned long long)moved[0],
         (unsigned long long)moved[1]);
    if (more != ANY && (moved[0] == 0 || moved[1] == 0)) {
        struct selection wrong =
            in_part(v, part, ENGINE_BIT(moved[0] == 0 ? ENGINE_D2H : ENGINE_H2D));
        uint32_t first = next_span(v, wrong, 0);
        f->call = v->timeline->spans[moved[0] == 0 ? first : more].call;
        return why(f,
                   "Nothing is copied %s the device, and this copy goes the other way: the first argument is where the bytes go, the second where "
                   "they come from. Are they swapped here?",
                   moved[0] == 0 ? "to" : "from");
    }
    if (more != ANY) {
        f->call = v->timeline->spans[more].call;
        return why(f,
                   "Every element travels once each way, and this copy is one too many. Once the elements are in host memory, "
                   "memcpy() can move them further.");
    }
    f->call = copy_in_host_memory(v, part);
    if (f->call != ANY)
        return why(f,
                   "This copy has host memory at both ends, whatever its direction says. Where one end has to be the device's, is it given the "
                   "chain's `in` or `out`, or the host's buffer, in place of `device`?");
    struct selection s = in_part(v, part, ENGINE_BIT(moved[0] != all ? ENGINE_H2D : ENGINE_D2H));
    if (blame_copies(v, f, s,
                     part[0] == 'b'    ? "two_chains"
                     : moved[0] != all ? "trip_begin"
                                       : NULL))
        return false;
    uint32_t odd = odd_copy(e, s, part);
    f->call = odd != ANY ? odd : f->call;
    return why(
        f, "A size in bytes is n * sizeof(unsigned), and n need not be a multiple of anything.");
}

/* Does one copy touch device memory that the other one does? */
static bool meet(const struct call *in, const struct call *out)
{
    return in->dst < out->src + out->bytes && out->src < in->dst + in->bytes;
}

/* The copy in, a kernel after it and copy `out` are one stream's, and the copy out is of other
 * memory than the copy in has filled; ANY: there is no such copy in. */
static uint32_t own_in(const struct view *v, struct selection ins, const struct chain *kernels,
                       size_t count, uint32_t out)
{
    ins.stream = v->timeline->spans[out].stream;
    EACH_SPAN(in, v, ins)
        if (!meet(call_of_node(v, in), call_of_node(v, out))
            && chain_between(v->order, kernels, count, in, out))
            return in;
    return ANY;
}

/* Copy in before a kernel before copy out, for all copies that meet. */
static bool judge_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection ins = in_part(v, part, ENGINE_BIT(ENGINE_H2D)),
                     outs = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    struct chain *kernels;
    size_t count = chains_of(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), &kernels);
    uint32_t bad_in = ANY, bad_out = ANY;
    for (uint32_t out = next_span(v, outs, 0); out != ANY && bad_out == ANY;
         out = next_span(v, outs, out + 1))
        for (uint32_t in = next_span(v, ins, 0); in != ANY && bad_out == ANY;
             in = next_span(v, ins, in + 1))
            if (meet(call_of_node(v, in), call_of_node(v, out))
                && !chain_between(v->order, kernels, count, in, out))
                bad_in = in, bad_out = out;
    if (bad_out != ANY) {
        f->call = v->timeline->spans[bad_out].call;
        expected(f, "copy in, kernel, copy out, each bound to wait for the one before");
        seen(f,
             "no kernel waits for the copy in (line %u) and is waited for by the copy out (line %u)",
             call_of_node(v, bad_in)->line, call_of_node(v, bad_out)->line);
        uint32_t own = own_in(v, ins, kernels, count, bad_out);
        const struct span *in = &v->timeline->spans[bad_in], *back = &v->timeline->spans[bad_out];
        bool of_other = own != ANY && in->stream != back->stream;
        /* The memory and the size are both the other chain's, the stream alone is not. */
        if (of_other && back->bytes == in->bytes && back->bytes != v->timeline->spans[own].bytes)
            why(f,
                "This copies what line %u has brought to the device, from its memory and as many bytes, but in the stream of line %u. "
                "Put the copy back of each chain into the stream of its copy in.",
                call_of_node(v, bad_in)->line, call_of_node(v, own)->line);
        else if (of_other)
            why(f,
                "The order in this stream is right, but this copies out of the other chain's memory, which line %u fills. What its own chain "
                "has worked on is what line %u fills.",
                call_of_node(v, bad_in)->line, call_of_node(v, own)->line);
        else
            why_unchained(
            v, f, kernels, count, bad_in, "the copy in", bad_out, "the copy out",
            "Within a stream everything happens in the order in which you queued it. Between two streams no order is promised, "
            "whatever the order of your lines. Put all three into the same stream.");
    }
    free(kernels);
    return bad_out == ANY;
}

/* The last call of the program's in which the host waits, after span `node` was queued; ANY for
 * none. */
static uint32_t last_wait(const struct view *v, struct selection s, uint32_t node)
{
    for (size_t i = s.end_call; i-- > v->timeline->spans[node].call;) {
        const struct call *c = &v->timeline->calls[i];
        if ((c->kind == CALL_STREAM_SYNC || c->kind == CALL_EVENT_SYNC) && c->status == 0
            && !is_in_driver(v->timeline, c))
            return (uint32_t)i;
    }
    return ANY;
}

static bool judge_wait(const struct evidence *e, struct finding *f, const char *part)
{
    static const char *const wanted[] = { "all work is waited for before `out` is read",
                                          "all work is waited for before two_chains() returns",
                                          "all work is waited for before absorb_all() returns" };
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    if (all_waited_for(v, f, s, wanted[part[0] - 'a'],
                       "The call only queued it, and cudaStreamDestroy() does not wait. "
                       "cudaStreamSynchronize() returns when everything in the stream is done."))
        return true;
    uint32_t node = never_waited_for(v, s), wait = last_wait(v, s, node);
    const struct call *c = wait == ANY ? NULL : &v->timeline->calls[wait],
                      *blamed = f->call == ANY ? NULL : &v->timeline->calls[f->call];
    if (c && c->kind == CALL_STREAM_SYNC && blamed == call_of_node(v, node)
        && c->stream != v->timeline->spans[node].stream)
        return why(f,
                   "The wait of line %u is for another stream than the one that this is in: each waits for its own alone. Put it into that "
                   "stream, or wait for its own, too.",
                   c->line);
    if (!c || c->kind != CALL_EVENT_SYNC || !blamed || blamed->kind != CALL_EVENT_RECORD
        || c->event != blamed->event)
        return false;
    f->call = wait;
    return why(f,
               "The event that this waits for was recorded in line %u, before %s: it stands for what was queued until then. Wait for the "
               "stream, with cudaStreamSynchronize(), or for an event that is recorded afterwards.",
               blamed->line, node_name(v, node).text);
}

/* The call of the last copy to the device that the kernel is bound to wait for; ANY for none. */
static uint32_t last_copy_before(const struct view *v, const char *part, uint32_t kernel)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    uint32_t call = ANY;
    for (uint32_t node = next_span(v, s, 0); kernel != ANY && node != ANY;
         node = next_span(v, s, node + 1))
        if (hb_before(v->order, node, kernel, GUARANTEED))
            call = v->timeline->spans[node].call;
    return call;
}

static bool judge_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (const struct task *task = tasks_of(part); task->kernel; task++) {
        const uint32_t *in = exchange_input(e->exchange, task->slot, NULL);
        const uint32_t *out = exchange_output(e->exchange, task->slot, NULL);
        uint32_t n = elements(e, task->slot), wrong = 0, first = 0;
        for (uint32_t i = 0; i < n; i++)
            if (out[i] != task->result(in[i]) && !wrong++)
                first = i;
        if (!wrong)
            continue;
        uint32_t node = next_kernel(v, in_part(v, part, 0), task->kernel, 0), got = out[first];
        f->call = call_number(v, node);
        expected(f, "each of the %u elements of %s went through %s() once: element %u is %u", n,
                 task->what, task->kernel, first, task->result(in[first]));
        seen(f, "%u %s wrong, the first is element %u: %u%s", wrong, wrong == 1 ? "is" : "are",
             first, got, got == in[first] ? ", unchanged" : "");
        if (got == task->result(UINT32_MAX))
            return why(f,
                       "The copy to the device read `in` after you had returned and its owner had overwritten it. The "
                       "queue holds an address: memcpy() the elements into pinned memory of your own first.");
        if (got == task->result(task->result(in[first])))
            return why(f, "It went through the kernel twice.");
        for (const struct task *other = tasks_of(part); other->kernel; other++)
            if (other != task && got == other->result(in[first]))
                return why(f, "That is what %s() makes of it, but %s goes through %s().",
                           other->kernel, task->what, task->kernel);
        for (const struct task *other = tasks_of(part); other->kernel; other++)
            if (other != task && first < elements(e, other->slot)
                && got
                       == task->result(((const uint32_t *)exchange_input(e->exchange, other->slot,
                                                                         NULL))[first])) {
                f->call = last_copy_before(v, part, node);
                return why(f,
                           "That is what %s() makes of an element of %s: does the copy to the device come from its own chain's `in`?",
                           task->kernel, other->what);
            }
        if (part[0] == 'a' && got != in[first] && first == n / (uint32_t)sizeof *in
            && wrong >= n - first - first / 2) {
            f->call = ANY;
            f->function = "trip_end";
            f->word = "memcpy";
            return why(f,
                       "Only the first n bytes are right, not all n elements. The device and both copies handled all of them, but memcpy() takes a size in "
                       "bytes, n * sizeof(unsigned), as cudaMemcpyAsync() does.");
        }
        if (part[0] == 'a' && wrong < n && got != in[first]) {
            f->call = ANY;
            f->function = "trip_end";
            f->word = "memcpy";
            return why(f,
                       "This is not the element, nor what mix() makes of it, and both copies moved %u elements. Do what fills t->host in trip_begin() and what "
                       "fills `out` in trip_end() take all of them, n * sizeof(unsigned) bytes, from and to the right places?",
                       n);
        }
        if (part[0] == 'a' && got == in[first] && !came_back(v, f, part))
            return false;
        return why(
            f, wrong < n
                   ? "Does each of the three operations cover all n elements, the last ones too?"
                   : "What was in host memory when you read it? Had you waited for the copy back?");
    }
    return part[0] != 'a' || trip_again(e, f);
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "a round trip", "begin end" },
    { "b", "two chains", "chains" },
    { "c", "buffers that come back", "batches" },
};

#define READ_LINE "What a stream promises"
#define READ_TRIP "A round trip"
#define READ_TWO "Two at once"
#define READ_CALLS "The calls"
#define READ_ADDRESSES "The queue holds addresses"

#define NAME_WORK "every element travels there and back, and the device does the work"
#define NAME_OUTPUT "every element came back right"
#define LEAKS .name = "all that was made is given back", .judge = judge_leaks, .read = READ_CALLS, .hints = { \
    "Which call gives back what cudaStreamCreate() made?", "it is still done", \
    "A cudaStreamDestroy() for each cudaStreamCreate(), a cudaFreeHost() for each cudaMallocHost(), when their work is done." }

JUDGE(judge_own_stream); JUDGE(judge_pinned); JUDGE(judge_free_host); JUDGE(judge_overlap);
JUDGE(judge_refill);
JUDGE(judge_give_back);
JUDGE(judge_turns);
JUDGE(judge_total);
JUDGE(judge_neighbour);
JUDGE(judge_pool);

static const struct check checks[] = {
    { .id = "a-work", .part = "a", .kind = OUTPUT, .points = 3, .name = NAME_WORK,
      .judge = judge_work, .read = READ_TRIP,
      .hints = { "How many bytes are n elements?", "You name the stream",
                 "cudaMemcpyAsync() of n * sizeof *in bytes each way, and between them mix<<<BLOCKS, THREADS, 0, t->stream>>>(t->device, n)." } },
    { .id = "a-stream", .part = "a", .kind = ORDER, .points = 4,
      .name = "the trip has a stream of its own", .needs = "a-work", .judge = judge_own_stream,
      .read = READ_TRIP, .hints = { "Which stream is this in, when none is named?",
                 "goes to the default stream, and waits",
                 "cudaStreamCreate(&t->stream), then t->stream in every copy and launch of the trip." } },
    { .id = "a-order", .part = "a", .kind = ORDER, .points = 4,
      .name = "copy in, kernel, copy out: in an order that is guaranteed", .needs = "a-work a-stream",
      .judge = judge_order, .read = READ_LINE,
      .hints = { "What makes the kernel wait for the copy in?", "Within a stream",
                 "t->stream in all three: the last argument of both cudaMemcpyAsync(), the fourth parameter of the launch." } },
    { .id = "a-pinned", .part = "a", .kind = HYGIENE, .points = 4,
      .name = "the host's end of the copies is pinned", .needs = "a-work", .judge = judge_pinned,
      .read = "Why pinned", .hints = { "What carries these bytes, and can it reach them by itself?",
                 "You get it from `cudaMallocHost`",
                 "cudaMallocHost((void **)&t->host, bytes) in trip_begin(), cudaFreeHost(t->host) in trip_end()." } },
    { .id = "a-wait", .part = "a", .kind = ORDER, .points = 4, .name = "the trip is waited for",
      .needs = "a-order", .judge = judge_wait, .read = READ_CALLS,
      .hints = { "Which line of yours knows that the copy back has ended?",
                 "all of it before your next line",
                 "CHECK(cudaStreamSynchronize(t->stream)) as the first line of trip_end()." } },
    { .id = "a-output", .part = "a", .kind = OUTPUT, .points = 4, .name = NAME_OUTPUT,
      .needs = "a-order a-wait", .judge = judge_output, .read = READ_ADDRESSES,
      .hints = { "Whose memory did the copy engine read, and when?",
                 "Between queueing and waiting, do not write",
                 "memcpy(t->host, in, bytes) before you queue; cudaStreamSynchronize(t->stream) before memcpy(out, t->host, bytes)." } },
    { .id = "a-host", .part = "a", .kind = OVERLAP, .points = 5,
      .name = "the host is free while the trip is under way", .needs = "a-order a-stream a-pinned",
      .judge = judge_free_host, .read = READ_TRIP,
      .hints = { "Which call held up trip_begin()?", "queued in a few microseconds",
                 "No cudaStreamSynchronize() and no cudaMemcpy() in trip_begin(): the wait is the first line of trip_end()." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 3, LEAKS },
    { RACES("a", 4, "* a-pinned", READ_ADDRESSES, "Between queueing and waiting, do not write") },
    { ERRORS("a", 1, "*") },

    { .id = "b-work", .part = "b", .kind = OUTPUT, .points = 3, .name = NAME_WORK,
      .judge = judge_work, .read = READ_TWO,
      .hints = { "How many bytes are n elements, in each of the chains?",
                 "own stream, for all three operations",
                 "For each chain cudaMemcpyAsync() of its own n * sizeof(unsigned) bytes each way, and its kernel." } },
    { .id = "b-order", .part = "b", .kind = ORDER, .points = 4,
      .name = "in each chain the order is guaranteed", .needs = "b-work", .judge = judge_order,
      .read = READ_TWO, .hints = { "What makes this kernel wait for its own copy in?",
                 "A kernel that strays into the other errand's stream",
                 "cudaMemcpyAsync(..., one) and left_step<<<BLOCKS, THREADS, 0, one>>>() for the left chain, the other stream for the right one." } },
    { .id = "b-wait", .part = "b", .kind = ORDER, .points = 4, .name = "both chains are waited for",
      .needs = "b-work", .judge = judge_wait, .read = READ_TWO,
      .hints = { "Which lines of yours know that both copies back have ended?",
                 "Wait for both streams at the end",
                 "CHECK(cudaStreamSynchronize(one)) and CHECK(cudaStreamSynchronize(two)), after everything that queues." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 4, .name = NAME_OUTPUT,
      .needs = "b-order b-wait", .judge = judge_output, .read = READ_TWO,
      .hints = { "Which memory, and how many elements, does each operation of this chain name?",
                 "own stream, for all three operations",
                 "left_step<<<...>>>(left->device, left->n), right_step<<<...>>>(right->device, right->n)." } },
    { .id = "b-overlap", .part = "b", .kind = OVERLAP, .points = 8,
      .name = "the two kernels run at the same time", .needs = "b-order", .judge = judge_overlap,
      .read = READ_TWO, .hints = { "What does the second chain wait for?",
                 "Queue everything before you wait for anything",
                 "Two cudaStreamCreate(), a stream for each chain, all six operations queued, and only then cudaStreamSynchronize()." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 2, LEAKS },
    { RACES("b", 4, "*", READ_ADDRESSES, "Between queueing and waiting, do not write") },
    { ERRORS("b", 1, "*") },

    { .id = "c-turns",
      .part = "c",
      .kind = ORDER,
      .points = 3, .name = "each batch is absorbed before the next one comes to the slot",
      .judge = judge_turns, .read = READ_ADDRESSES,
      .hints = { "What makes the next copy wait until this batch is absorbed?",
                 "memory the queue itself protects",
                 "cudaMemcpyAsync(..., stream) and absorb<<<BLOCKS, THREADS, 0, stream>>>(): the same stream for both." } },
    { .id = "c-refill",
      .part = "c",
      .kind = ORDER, .points = 5, .name = "no buffer is packed while a copy may still read it",
      .judge = judge_refill, .read = READ_ADDRESSES,
      .hints = { "When does the engine read the buffer: at your call, or later?",
                 "copy four bytes from this address",
                 "CHECK(cudaStreamSynchronize(stream)) between the cudaMemcpyAsync() of a batch and the next pack() into that buffer." } },
    { .id = "c-give", .part = "c", .kind = ORDER, .points = 6,
      .name = "no buffer is given back while a copy may still read it", .judge = judge_give_back,
      .read = READ_ADDRESSES, .hints = { "Which copy still needs the buffer at this moment?",
                                         "Freeing is worse",
                 "CHECK(cudaStreamSynchronize(stream)) before give_back(buffer)." } },
    { .id = "c-wait", .part = "c", .kind = ORDER, .points = 3,
      .name = "the last batch is absorbed when the function returns", .judge = judge_wait,
      .read = READ_CALLS, .hints = { "What is still in the stream after the last copy?",
                 "all of it before your next line",
                 "CHECK(cudaStreamSynchronize(stream)) after the loop." } },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 4, .name = "the total is right",
      .needs = "c-turns c-refill c-give c-wait", .judge = judge_total, .read = READ_ADDRESSES,
      .hints = { "Which batch was in the slot at each launch?", "memory the queue itself protects",
                 "For k = 0 to b->count - 1: pack(buffer, k), cudaMemcpyAsync() to b->slot, absorb<<<>>>(b->total, b->slot, b->n)." } },
    { .id = "c-own", .part = "c", .kind = OVERLAP, .points = 5,
      .name = "other streams are not waited for", .judge = judge_neighbour, .read = READ_CALLS,
      .hints = { "Whose work does this call wait for?", "waits for other people's work as well",
                 "cudaStreamSynchronize(stream) in place of cudaDeviceSynchronize(), and your stream in every copy and launch." } },
    { .id = "c-pool", .part = "c", .kind = HYGIENE, .points = 2,
      .name = "every buffer goes back to the pool", .judge = judge_pool, .read = READ_ADDRESSES,
      .hints = { "Where is the buffer now?", "Between queueing and waiting, do not write",
                 "give_back(buffer), once for each take(), after the wait." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 2, LEAKS },
    { RACES("c", 3, "*", READ_ADDRESSES, "Between queueing and waiting, do not write") },
    { ERRORS("c", 1, "*") },
};

static const char *const cards[] = { "h200", "rtx2070s", "k20c", NULL };

const struct lesson lesson_02 = {
    .number = 2,
    .folder = "02-stream-queues",
    .title = "Streams: queues of your own",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .cards = cards,
};
