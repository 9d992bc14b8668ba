/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 13: does a stream wait for what it needs, and for nothing
 * else; does memory stay until its last reader is done; are the copies ahead?
 */
#include <stdio.h>
#include <string.h>

#include "judges.h"

#define BESIDE_PERMILLE 850     /* of the reference's, on the same card */

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { .x = random_odd(r, 20000, 30000), .block = random_odd(r, 9000, 15000), .batch = random_odd(r, 30000, 50000),
                       .blocks = (int64_t)random_between(r, 6, 9), .batches = (int64_t)random_between(r, 6, 9) };
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, RUNS * s.x);
    exchange_add_elements(x, r, RUNS * s.x);
    exchange_add_elements(x, r, s.block * s.blocks);
    exchange_add_elements(x, r, s.batch * s.batches);
    exchange_add_output(x, (size_t)(RUNS * s.x) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(RUNS * s.x) * sizeof(uint32_t));
    exchange_add_output(x, RUNS * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.blocks * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.batch * sizeof(uint32_t));
}

/* ---- what the parts share ---- */

struct selection in_label(const struct view *v, const char *what, int number, uint32_t engines)
{
    struct selection s = { engines, ANY, ANY, 0, 0 };
    char label[32];
    snprintf(label, sizeof label, number < 0 ? "%s" : "%s%d", what, number);
    measure_label(v->timeline, label, &s.first_call, &s.end_call);
    return s;
}

uint32_t legacy_stream(const struct view *v)
{
    const struct timeline *t = v->timeline;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && (t->calls[i].flags & STREAM_LEGACY))
            return t->calls[i].stream;
    return ANY;
}

bool why_no_wait(const struct view *v, struct finding *f, uint32_t before, const char *before_name, uint32_t after,
                 const char *after_name)
{
    const struct span *first = &v->timeline->spans[before], *then = &v->timeline->spans[after];
    why_unordered(v, f, before, before_name, after, after_name);
    if (f->call != first->call && f->call != then->call)
        return false;
    f->call = then->call;
    return why(f, "Two streams have no order between them, and a non-blocking stream has none with the default stream either. Between "
               "%s and %s the stream of the second has to wait for that of the first: cudaEventRecord() there and "
               "cudaStreamWaitEvent() here, which is what wait_stream() does.", before_name, after_name);
}

static bool is(const struct view *v, const struct span *span, struct which w)
{
    return span->engine == w.engine && span->end != TIME_NEVER
        && (w.name == NULL || strcmp(timeline_string(v->timeline, span->name), w.name) == 0);
}

unsigned share_beside(const struct view *v, struct selection s, struct which a, struct which b)
{
    const struct span *spans = v->timeline->spans;
    int64_t all = 0, beside = 0;
    s.engines = ENGINE_BIT(a.engine) | ENGINE_BIT(b.engine);
    for (uint32_t i = next_span(v, s, 0); i != ANY; i = next_span(v, s, i + 1)) {
        if (!is(v, &spans[i], a))
            continue;
        int64_t mine = 0, length = spans[i].end - spans[i].start;
        for (uint32_t k = next_span(v, s, 0); k != ANY; k = next_span(v, s, k + 1)) {
            if (!is(v, &spans[k], b))
                continue;
            int64_t from = spans[i].start > spans[k].start ? spans[i].start : spans[k].start;
            int64_t to = spans[i].end < spans[k].end ? spans[i].end : spans[k].end;
            mine += to > from ? to - from : 0;
        }
        all += length;
        beside += mine < length ? mine : length;
    }
    return all ? (unsigned)(beside * 1000 / all) : 0;
}

bool beside_as_reference(const struct evidence *e, struct finding *f, const char *part, struct which a, struct which b,
                         const char *what)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view], *r = &e->reference[view];
        unsigned mine = share_beside(v, in_part(v, part, 0), a, b), theirs = share_beside(r, in_part(r, part, 0), a, b);
        if (mine * 1000 >= theirs * share_asked(v, BESIDE_PERMILLE))
            continue;
        f->view = view;
        return seen(f, "%u %% of the time of %s passed beside it (%u %% in the reference solution)", mine / 10, what, theirs / 10);
    }
    return true;
}

/* The last wait between two streams that is queued into `stream` in these calls, before call `end`. */
uint32_t last_stream_wait(const struct view *v, struct selection s, uint32_t stream, uint32_t end)
{
    const struct timeline *t = v->timeline;
    for (size_t i = end < s.end_call ? end : s.end_call; i-- > s.first_call;)
        if (t->calls[i].kind == CALL_STREAM_WAIT && t->calls[i].status == 0 && t->calls[i].stream == stream)
            return (uint32_t)i;
    return ANY;
}

uint32_t blocking_stream(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && !(t->calls[i].flags & (STREAM_NON_BLOCKING | STREAM_LEGACY | STREAM_PER_THREAD)))
            return (uint32_t)i;
    return ANY;
}

bool in_given_stream(const struct view *v, struct finding *f, const char *what, const char *name)
{
    struct selection s = in_label(v, what, -1, 0);
    uint32_t mark = kernel_named(v, s, "ahead", NULL);
    if (mark == ANY)
        return true;
    for (uint32_t node = next_kernel(v, s, name, 0); node != ANY; node = next_kernel(v, s, name, node + 1)) {
        if (v->timeline->spans[node].stream == v->timeline->spans[mark].stream)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "%s() runs in `current`, which is not the default stream each time", name);
        seen(f, "the function was given a stream that is not the default stream, and this kernel is in another one");
        return why(f, "The stream is the fourth parameter of a launch: the parameter `current`, and not 0.");
    }
    return true;
}

bool only_queues(const struct view *v, struct selection s, struct finding *f, const char *function)
{
    uint32_t call = first_standstill(v, s);
    if (call == ANY)
        return true;
    f->call = call;
    expected(f, "%s queues its work and returns", function);
    seen(f, "this holds the host up, or polls");
    return why(f, "Streams can wait for each other without the host: an event in one, cudaStreamWaitEvent() in the other. A host that "
               "waits cannot run ahead, and the next step of the program is queued late.");
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "a sum on the side", "wait beside" },
    { "b", "memory that goes back", "audit" },
    { "c", "batches for a model", "open run close" },
};

#define READ_WAIT "Waiting for the other"
#define READ_MEMORY "Memory that goes back"
#define READ_AHEAD "Pinned, and one ahead"
#define READ_CURRENT "The current stream"
#define READ_CALLS "The calls"

JUDGE(side_wait); JUDGE(side_host); JUDGE(side_work); JUDGE(side_input); JUDGE(side_back); JUDGE(side_output);
JUDGE(side_beside);
JUDGE(pool_work); JUDGE(pool_made); JUDGE(pool_back); JUDGE(pool_host); JUDGE(pool_output);
JUDGE(pool_beside); JUDGE(pool_few);
JUDGE(loader_work); JUDGE(loader_pinned); JUDGE(loader_order); JUDGE(loader_host); JUDGE(loader_output);
JUDGE(loader_ahead);

static const struct check checks[] = {
    { "a-wait", "a", ORDER, 6, "wait_stream() makes one stream wait for another", NULL, side_wait, READ_WAIT, {
      "What marks how far a stream has come, and what can wait for that mark?", "two calls of lesson 03",
      "cudaEventRecord(passed, other), then cudaStreamWaitEvent(waiter, passed, 0)." } },
    { "a-host", "a", ORDER, 5, "the host waits for nothing", NULL, side_host, READ_WAIT, {
      "Who needs the result here, the host or a stream?", "The host does not wait",
      "No cudaStreamSynchronize() and no cudaEventSynchronize() in either function: cudaStreamWaitEvent() instead." } },
    { "a-work", "a", OUTPUT, 3, "each kernel runs once, in the stream given for it", NULL, side_work, READ_CURRENT, {
      "In which stream is a launch that names none?", "The caller decides",
      "produce<<<BLOCKS, THREADS, 0, current>>>(x, n), total<<<BLOCKS, THREADS, 0, side>>>(sum, x, n), and the others in `current`." } },
    { "a-input", "a", ORDER, 6, "total() waits for its input", "a-wait a-work", side_input, READ_WAIT, {
      "What tells `side` that x is there?", "The first wait", "wait_stream(side, current) between produce() and total()." } },
    { "a-back", "a", ORDER, 5, "settle() waits for the sum", "a-wait a-work", side_back, READ_WAIT, {
      "What tells `current` that the sum is there, and that x is no longer read?", "The second wait",
      "wait_stream(current, side) between other_work() and settle()." } },
    { "a-output", "a", OUTPUT, 3, "sums and elements are right", "a-input a-back", side_output, READ_WAIT, {
      "Which elements does each kernel take?", "The first wait",
      "total<<<…, side>>>(sum, x, n), and n elements in each of the other three launches." } },
    { "a-beside", "a", OVERLAP, 5, "the sum runs beside the other work", "a-input a-back", side_beside, READ_WAIT, {
      "What comes after each wait in its queue?", "as late as it can",
      "other_work<<<…, current>>>(y, n) before wait_stream(current, side)." } },
    { "a-leaks", "a", HYGIENE, 2, "part (a) gives back what it made", NULL, judge_leaks, READ_CALLS, {
      "Which line destroys the event that wait_stream() made?", "`cudaEventDestroy`",
      "cudaEventDestroy(passed) at the end of wait_stream(): the wait that was queued stays." } },
    { RACES("a", 2, "*", READ_WAIT, "The first wait") },
    { ERRORS("a", 1, "*") },

    { "b-work", "b", OUTPUT, 3, "each batch has a block, is filled in `current` and audited in `side`", NULL, pool_work, READ_MEMORY, {
      "How many tensors does such a loop make?", "hands out the same bytes",
      "cudaMallocAsync() in `current`, fill<<<…, current>>>(), audit<<<…, side>>>(), once for each batch." } },
    { "b-made", "b", ORDER, 4, "audit() waits for fill()", "b-work", pool_made, READ_WAIT, {
      "What tells `side` that the block is filled?", "The first wait", "wait_stream(side, current) between fill() and audit()." } },
    { "b-back", "b", ORDER, 7, "a block is freed after its audit", "b-made", pool_back, READ_MEMORY, {
      "In which stream is the block freed, and what comes before that in its queue?", "safe in its own queue",
      "cudaFreeAsync(block, side), after audit()." } },
    { "b-hazard", "b", HAZARD, 2, "no two accesses to the same bytes without an order", "b-made b-back", judge_hazards, READ_MEMORY, {
      "Which stream may use the block, and from which moment on?", "after the allocation",
      "cudaMallocAsync(…, current), and fill() in the same stream." } },
    { "b-host", "b", ORDER, 2, "the host waits for nothing", NULL, pool_host, READ_MEMORY, {
      "What must wait before the bytes are used again?", "No host has to wait",
      "No cudaStreamSynchronize(), no cudaEventQuery(): cudaFreeAsync() in the right stream." } },
    { "b-output", "b", OUTPUT, 3, "every sum is right", "b-hazard", pool_output, READ_MEMORY, {
      "Which elements, and which sum, belong to batch k?", "hands out the same bytes",
      "fill(block, data + (size_t)k * n, n), audit(&sums[k], block, n)." } },
    { "b-beside", "b", OVERLAP, 6, "the next block is filled while this one is audited", "b-back b-host", pool_beside, READ_MEMORY, {
      "What does `current` wait for before it takes the next block?", "holds up the whole stream",
      "cudaFreeAsync(block, side) and no wait_stream(current, side) in the loop." } },
    { "b-few", "b", HYGIENE, 2, "no more than three blocks are out", NULL, pool_few, READ_MEMORY, {
      "When are the blocks of the first batches freed?", "in the loop", "cudaFreeAsync() once in each turn of the loop." } },
    { "b-leaks", "b", HYGIENE, 2, "part (b) gives back what it made", NULL, judge_leaks, READ_CALLS, {
      "How many blocks did you allocate, and how many did you free?", "`cudaFreeAsync`", "One cudaFreeAsync() for each cudaMallocAsync()." } },
    { ERRORS("b", 1, "*") },

    { "c-work", "c", OUTPUT, 3, "each batch is copied once and goes through the model in `current`", NULL, loader_work, READ_AHEAD, {
      "In which stream does the caller look for the result of loader_run()?", "The model stays",
      "model<<<BLOCKS, THREADS, 0, current>>>(state, l->x[b], l->n), once for each batch." } },
    { "c-pinned", "c", HYGIENE, 5, "batches are copied from pinned memory", NULL, loader_pinned, READ_AHEAD, {
      "Which memory can a copy engine read by itself?", "is a request",
      "cudaMallocHost((void **)&l->pinned, bytes) and memcpy() in loader_open(); copy from l->pinned." } },
    { "c-order", "c", ORDER, 5, "the model waits for its batch", "c-work", loader_order, READ_AHEAD, {
      "What tells `current` that the batch is there?", "One event says",
      "cudaEventRecord(l->ready[b], l->side) after the copy, cudaStreamWaitEvent(current, l->ready[b], 0) before model()." } },
    { "c-hazard", "c", HAZARD, 4, "no batch is overwritten while the model reads it", "c-order", judge_hazards, READ_AHEAD, {
      "When may the next batch be written over this one?", "The other event says",
      "cudaEventRecord(l->free[b], current) after model(), cudaStreamWaitEvent(l->side, l->free[b], 0) before the copy into x[b]." } },
    { "c-host", "c", ORDER, 2, "the host waits for nothing", "c-pinned", loader_host, READ_AHEAD, {
      "What waits for the copy, the host or the model?", "The host waits for nothing",
      "No cudaStreamSynchronize() in loader_run(): cudaStreamWaitEvent()." } },
    { "c-output", "c", OUTPUT, 3, "the state is right", "c-hazard", loader_output, READ_AHEAD, {
      "Which elements belong to batch k?", "The model stays", "l->pinned + (size_t)k * l->n, l->n * sizeof(unsigned) bytes." } },
    { "c-ahead", "c", OVERLAP, 5, "the next batch is copied while the model works", "c-pinned c-order c-host", loader_ahead, READ_AHEAD, {
      "What else is in the stream of the copies?", "takes the gain away",
      "cudaStreamCreateWithFlags(&l->side, cudaStreamNonBlocking), all copies in l->side, the two buffers in turn." } },
    { "c-leaks", "c", HYGIENE, 2, "part (c) gives back what it made", NULL, judge_leaks, READ_CALLS, {
      "How many streams, events and buffers did loader_open() make?", "`cudaFreeHost`",
      "cudaStreamDestroy(), cudaFreeHost(), cudaFree() and cudaEventDestroy() for each in loader_close()." } },
    { ERRORS("c", 1, "*") },
};

static const char *const cards[] = { "h200", "rtx2070s", NULL };

const struct lesson lesson_13 = {
    .number = 13,
    .folder = "13-pytorch-streams",
    .title = "What PyTorch does with streams",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .cards = cards, .pools = true,
};
