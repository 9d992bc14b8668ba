/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 07: did the stream call, in time, with data that was still
 * there, and did nobody wait who had better things to do?
 *
 * DESIGN
 * What the host does, and in which function, the driver's labels say. Shares
 * of overlap are judged on the card that the program ran on: whom a function
 * wakes, and when, is settled in the log, and a replay on another card would
 * not change it. What functions and parts have in common is in functions.c,
 * part (b) in ring.c.
 */
#include <string.h>

#include "grader/check.h"

#include "functions.h"
#include "ring.h"
#include "slots.h"

/* Of the reference's, on the same card. Two streams in turn, functions in both, leave the device idle now and then: 816. */
#define OVERLAP_PERMILLE 700
#define MOST_CHUNKS 64

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { random_odd(r, 4000, 6000), (int64_t)random_between(r, 9, 13), random_odd(r, 4000, 8000) };
    uint64_t chunks = random_between(r, 8, 10);
    uint64_t n = (chunks - 1) * (uint64_t)s.chunk + random_between(r, 1, (uint64_t)s.chunk - 1);
    exchange_add_elements(x, r, n);
    exchange_add_elements(x, r, s.n * s.count);
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;

    exchange_add_output(x, chunks * sizeof(uint32_t));
    exchange_add_output(x, (uint64_t)s.n * sizeof(uint32_t));
    exchange_add_output(x, sizeof(struct places));
}

/* ---- (a): the chunks ---- */

struct field { int64_t n, chunk, chunks; uint64_t home; };

static struct field field_of(const struct evidence *e)
{
    size_t bytes;
    exchange_input(e->exchange, SLOT_HARVEST, &bytes);
    const struct sizes *sizes = exchange_input(e->exchange, SLOT_SIZES, NULL);
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    int64_t n = (int64_t)(bytes / sizeof(uint32_t));
    return (struct field){ n, sizes->chunk, (n + sizes->chunk - 1) / sizes->chunk, places->home };
}

/* Every element comes home once, behind a kernel. */
static bool judge_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct field field = field_of(e);
    struct selection home = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    size_t launches;
    uint64_t moved = 0;
    if (kernel_named(v, in_part(v, part, 0), "ripen", &launches) == ANY || (int64_t)launches != field.chunks) {
        expected(f, "each of %lld chunks goes through ripen() on the device", (long long)field.chunks);
        seen(f, "ripen() ran %zu times", launches);
        return why(f, "A launch for each chunk, with its own address and size: h->device + c * h->chunk, chunk_size(h, c).");
    }
    for (uint32_t node = next_span(v, home, 0); node != ANY; node = next_span(v, home, node + 1)) {
        moved += v->timeline->spans[node].bytes;
        struct selection ripe = in_part(v, part, 0);
        uint32_t kernel = next_kernel(v, ripe, "ripen", 0);
        while (kernel != ANY && !order_before(v->order, kernel, node, GUARANTEED))
            kernel = next_kernel(v, ripe, "ripen", kernel + 1);
        if (kernel != ANY)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "a chunk comes home when it is ripe: its copy is bound to wait for ripen()");
        seen(f, "nothing makes this copy wait for any kernel");
        return why(f, "Put the copy into the stream of the kernel whose chunk it brings home.");
    }
    if (moved == (uint64_t)field.n * sizeof(uint32_t))
        return true;
    expected(f, "%lld bytes come home", (long long)field.n * (long long)sizeof(uint32_t));
    seen(f, "%llu bytes did", (unsigned long long)moved);
    return why(f, "A size in bytes is n * sizeof(unsigned), and the last chunk has fewer elements: chunk_size(h, c).");
}

/* The call that queued the function in which this one was made, else the call itself. */
static uint32_t queued_by(const struct view *v, size_t call)
{
    uint32_t function = function_of_call(v, call);
    return function == ANY ? (uint32_t)call : v->timeline->spans[function].call;
}

static bool strange_number(struct finding *f, long number, struct field field)
{
    expected(f, "each of the %lld chunks is finished once: numbers 0 to %lld", (long long)field.chunks,
             (long long)field.chunks - 1);
    seen(f, "finish(%ld), called by the function that was queued here", number);
    if (number == LEFT_ON_STACK)
        return why(f, "The number was a variable on the stack of harvest_begin(), which has returned: others use that memory now. "
                   "The stream keeps the address and not what is in it. Keep a number for each chunk in h->number.");
    if (number == LEFT_ON_HEAP)
        return why(f, "The number's memory was freed before the function ran, and others use it now. The stream keeps the address "
                   "and not what is in it. Free it in harvest_end(), behind the wait.");
    return why(f, "The stream keeps the address that you gave and not what is in it: the function reads it when it runs. Is the "
               "memory still yours then, and does it still hold the number of this chunk?");
}

/* Each chunk is finished once: what a function finds at its address is what was meant for it. */
static bool judge_numbers(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    const struct view *v = &e->yours[0];
    struct field field = field_of(e);
    unsigned times[MOST_CHUNKS] = { 0 };
    uint32_t last = ANY, again = ANY;
    for (size_t i = 0; i < v->timeline->call_count; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind != CALL_LABEL || strncmp(timeline_string(v->timeline, c->name), FINISH, strlen(FINISH)) != 0)
            continue;
        long number = label_number(v, i, FINISH);
        last = queued_by(v, i);
        if (number < 0 || number >= field.chunks) {
            f->call = last;
            return strange_number(f, number, field);
        }
        if (++times[number] == 2 && again == ANY)
            again = last;
    }
    for (long number = 0; number < field.chunks; number++) {
        if (times[number] == 1)
            continue;
        f->call = again != ANY ? again : last;
        expected(f, "each of the %lld chunks is finished once", (long long)field.chunks);
        if (times[number] > 0)
            seen(f, "finish(%ld) was called %u times", number, times[number]);
        else
            seen(f, "finish(%ld) was never called", number);
        if (again != ANY)
            return why(f, "Do all functions get the same address? Each reads it when it runs, long after your loop has gone on, "
                       "and finds what stands there by then. Keep one for each chunk in h->number.");
        return why(f, "Queue a function that calls finish() behind the copy of each chunk, the last one too, and wait for them "
                   "in harvest_end().");
    }
    return true;
}

/* The copies that bring a chunk home, known by where they put it, come before it is finished. */
static bool judge_arrived(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct field field = field_of(e);
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    for (size_t i = s.first_call; i < v->timeline->call_count; i++) {
        long number = label_number(v, i, FINISH);
        uint64_t from = field.home + (uint64_t)number * (uint64_t)field.chunk * sizeof(uint32_t);
        uint64_t end = field.home + (uint64_t)field.n * sizeof(uint32_t), to = from + (uint64_t)field.chunk * sizeof(uint32_t);
        to = to < end ? to : end;
        for (uint32_t node = number < 0 ? ANY : next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
            const struct call *copy = call_of_node(v, node);
            if (copy->dst >= to || copy->dst + copy->bytes <= from || function_known(v, node, i))
                continue;
            f->call = v->timeline->spans[node].call;
            expected(f, "a chunk is finished when it is home, because something made it so");
            uint32_t queued = queued_by(v, i);
            if (queued != (uint32_t)i)
                seen(f, "nothing makes the function that line %u queued wait for this copy, and it finishes chunk %ld",
                     v->timeline->calls[queued].line, number);
            else
                seen(f, "chunk %ld is finished by a thread that has not waited for this copy", number);
            return why(f, "A function waits for what its own stream has before it. In another stream it needs an event, recorded "
                       "behind the copy: cudaEventRecord(h->arrived, h->work), cudaStreamWaitEvent(h->after, h->arrived, 0), then "
                       "cudaLaunchHostFunc().");
        }
    }
    return true;
}

static bool judge_sums(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct field field = field_of(e);
    const uint32_t *in = exchange_input(e->exchange, SLOT_HARVEST, NULL), *got = exchange_output(e->exchange, SLOT_HARVEST, NULL);
    for (int64_t c = 0; c < field.chunks; c++) {
        uint32_t sum = 0;
        for (int64_t i = c * field.chunk; i < field.n && i < (c + 1) * field.chunk; i++)
            sum = 31 * sum + (1664525u * in[i] + 1013904223u);
        if (got[c] == sum)
            continue;
        uint32_t node = next_kernel(v, in_part(v, part, 0), "ripen", 0);
        f->call = node == ANY ? ANY : v->timeline->spans[node].call;
        expected(f, "the sum of chunk %lld is %u: each of its elements went through ripen() once and was home when it was finished",
                 (long long)c, sum);
        seen(f, "the sum is %u", got[c]);
        return why(f, "Does each of the operations name its own chunk: h->device + c * h->chunk, h->home + c * h->chunk, "
                   "chunk_size(h, c) elements?");
    }
    return true;
}

/* ---- (a): who waits ---- */

static uint32_t label_named(const struct view *v, const char *name)
{
    for (size_t i = 0; i < v->timeline->call_count; i++)
        if (v->timeline->calls[i].kind == CALL_LABEL && strcmp(timeline_string(v->timeline, v->timeline->calls[i].name), name) == 0)
            return (uint32_t)i;
    return ANY;
}

/* Does the call hold its thread up, or let it work or ask? */
static bool stands_still(const struct call *c)
{
    switch (c->kind) {
    case CALL_STREAM_SYNC: case CALL_DEVICE_SYNC: case CALL_EVENT_SYNC:
    case CALL_STREAM_QUERY: case CALL_EVENT_QUERY: case CALL_HOST_WORK:
        return true;
    default:
        return false;
    }
}

/* harvest_begin() only queues: its thread neither waits nor works until it returns. */
static bool judge_begin(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    size_t first, end;
    uint32_t own = label_named(v, OWN_WORK);
    if (!measure_part(t, part, &first, &end) || own == ANY)
        return true;
    uint32_t held = ANY;
    for (size_t i = first; i < own && held == ANY; i++)
        if (t->calls[i].thread == t->calls[own].thread && stands_still(&t->calls[i]))
            held = (uint32_t)i;
    for (size_t node = 0; node < t->span_count; node++) {
        uint32_t call = t->spans[node].call;
        const struct call *c = &t->calls[call];
        if (t->spans[node].engine == ENGINE_WAIT && c->thread == t->calls[own].thread && call >= first && call < own && call < held
            && c->kind != CALL_THREAD_BEGIN && c->kind != CALL_THREAD_WAKE)
            held = call;
    }
    if (held == ANY)
        return true;
    f->call = held;
    expected(f, "harvest_begin() queues everything and returns: its caller has work of its own");
    seen(f, t->calls[held].kind == CALL_HOST_WORK ? "the caller's own thread spends its time here"
            : "this call holds the caller up, or asks, before harvest_begin() returns");
    return why(f, "Who is called does not need to wait. Queue a function behind each copy with cudaLaunchHostFunc(): it finishes "
               "the chunk in a thread that is not yours. Waiting is for harvest_end().");
}

/* A kernel or copy that has to wait for the function because it stands behind it in its stream; ANY for none. */
static uint32_t held_up(const struct view *v, struct selection s, uint32_t function)
{
    s.stream = v->timeline->spans[function].stream;
    return next_span(v, s, function + 1);
}

static bool judge_beside(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    unsigned mine = label_beside_device(v, part, FINISH), theirs = label_beside_device(&e->reference[0], part, FINISH);
    if (mine * 1000 >= theirs * OVERLAP_PERMILLE)
        return true;
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    expected(f, "while the host finishes a chunk the device is at work on the next one");
    seen(f, "%u %% of the shorter of the two ran beside the other (%u %% in the reference solution)", mine / 10, theirs / 10);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        if (label_number(v, i, FINISH) < 0)
            continue;
        uint32_t function = function_of_call(v, i), behind = function == ANY ? ANY : held_up(v, s, function);
        if (behind != ANY) {
            f->call = t->spans[function].call;
            return why(f, "This function works for %d us, and line %u, next in the same stream, waits for it. Queue functions "
                       "that take their time in a stream of their own (h->after), behind an event; or let them wake a thread "
                       "that does the work.", (int)((t->spans[function].end - t->spans[function].start) / 1000),
                       call_of_node(v, behind)->line);
        }
        f->call = queued_by(v, i);
    }
    return why(f, "The chunks are finished late, when the device has nothing left to do. Finish each when it arrives.");
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "each chunk as it arrives", "arrived begin end" },
    { "b", "a staging ring", "empty feed" },
};

#define READ_END "A bell at the end"
#define READ_INSIDE "What a function may do"
#define READ_DATA "The address you leave"
#define READ_HELD "Who is held up"
#define READ_RING "A ring of buffers"
#define READ_WOKEN "Waking a thread"
#define READ_CALLS "The calls"

#define INSIDE "functions make no CUDA call", NULL, judge_function_calls, READ_INSIDE, { \
    "Who is waiting while your function runs?", "must make no call of the runtime", \
    "Take the call out: nothing but finish(), sem_post(), pthread_cond_signal() and work of the host's in the function." }
#define LEAKS "all that was made is given back", NULL, judge_leaks, READ_CALLS, { \
    "Which call gives back what cudaStreamCreate() made?", "does not wait for functions either", \
    "A cudaStreamDestroy() for each cudaStreamCreate(), a cudaEventDestroy() for each cudaEventCreateWithFlags()." }

static const struct check checks[] = {
    { "a-inside", "a", HYGIENE, 7, INSIDE },
    { "a-work", "a", OUTPUT, 4, "every chunk ripens and comes home", "a-inside", judge_work, READ_END, {
      "Which elements does each launch, each copy name?", "behind a copy, it runs when the bytes are there",
      "ripen<<<BLOCKS, THREADS, 0, h->work>>>(device, n) and cudaMemcpyAsync() of n * sizeof *home bytes, for each chunk." } },
    { "a-begin", "a", OVERLAP, 5, "harvest_begin() only queues", NULL, judge_begin, READ_END, {
      "Who calls finish(), if not you?", "the driver calls the function, in a thread of its own",
      "cudaLaunchHostFunc(h->after, chunk_arrived, &h->number[c]) in place of cudaStreamSynchronize() and finish(c)." } },
    { "a-data", "a", ORDER, 8, "each function finds what was meant for it", "a-work", judge_numbers, READ_DATA, {
      "What stands at that address when the function runs?", "The cure is a place for each function",
      "h->number[c] = c; cudaLaunchHostFunc(..., &h->number[c]); and free(h->number) in harvest_end(), behind the wait." } },
    { "a-arrived", "a", ORDER, 7, "a chunk is finished when it is home", "a-data", judge_arrived, READ_HELD, {
      "Which copies stand before this function in its stream?", "gets an event to wait for",
      "cudaEventRecord(h->arrived, h->work), cudaStreamWaitEvent(h->after, h->arrived, 0), then cudaLaunchHostFunc(h->after, ...)." } },
    { "a-end", "a", ORDER, 4, "all chunks are finished when harvest_end() returns", "a-arrived", judge_function_ends, READ_CALLS, {
      "In which stream is the last function?", "its functions included",
      "CHECK(cudaStreamSynchronize(h->after)) as the first line of harvest_end()." } },
    { "a-output", "a", OUTPUT, 4, "the sums of the chunks are right", "a-end", judge_sums, READ_END, {
      "Which elements does each launch, each copy name?", "behind a copy, it runs when the bytes are there",
      "h->device + c * h->chunk, h->home + c * h->chunk, chunk_size(h, c) elements." } },
    { "a-beside", "a", OVERLAP, 8, "the device goes on while the host finishes", "a-begin a-arrived a-end", judge_beside, READ_HELD, {
      "What stands behind the function in its stream?", "Put the functions into a stream of their own",
      "cudaLaunchHostFunc(h->after, ...) behind an event, so that no kernel stands behind a function." } },
    { "a-leaks", "a", HYGIENE, 3, LEAKS },

    { "b-turns", "b", ORDER, 4, "each batch is absorbed before the next one comes to the inbox", NULL, judge_ring_turns, READ_RING, {
      "What makes the next copy wait until this batch is absorbed?", "One stream carries it all",
      "cudaMemcpyAsync(..., stream) and absorb<<<BLOCKS, THREADS, 0, stream>>>(): the same stream for both." } },
    { "b-inside", "b", HYGIENE, 4, INSIDE },
    { "b-ring", "b", ORDER, 13, "no slot is filled while its copy may still be under way", "b-inside", judge_ring_overrun, READ_RING, {
      "How does the host know that the slot's last copy is done?", "A slot is empty when the copy out of it is done",
      "Take one from the count of empty slots before fill(), sleeping while it is 0; let a function behind each copy add one." } },
    { "b-end", "b", ORDER, 4, "all is done when feed_all() returns", "b-inside", judge_function_ends, READ_CALLS, {
      "What is in the stream behind the last copy?", "its functions included",
      "CHECK(cudaStreamSynchronize(stream)) behind the loop." } },
    { "b-output", "b", OUTPUT, 6, "the total is right", "b-turns b-ring b-end", judge_ring_total, READ_RING, {
      "Which batch was in the slot when it was copied?", "One stream carries it all",
      "For k = 0 to f->count - 1: fill(slot, k), cudaMemcpyAsync() from that slot, absorb<<<>>>(f->total, f->inbox, f->n)." } },
    { "b-woken", "b", ORDER, 10, "the host sleeps until the stream wakes it", "b-inside b-ring", judge_ring_woken, READ_WOKEN, {
      "What does your thread do while no slot is empty?", "A semaphore is a count with a bed beside it",
      "sem_wait(&empty) before fill(), sem_post(&empty) in the function; sem_init(&empty, 0, RING) at the beginning." } },
    { "b-beside", "b", OVERLAP, 6, "the host fills while the device absorbs", "b-ring b-woken", judge_ring_beside, READ_RING, {
      "How many batches may the host be ahead?", "all three are empty",
      "sem_init(&empty, 0, RING), and f->ring[k % RING] for batch k." } },
    { "b-leaks", "b", HYGIENE, 3, LEAKS },
};

const struct lesson lesson_07 = {
    .number = 7,
    .folder = "07-callbacks",
    .title = "When the stream calls you",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare,
    .simulated = "a-arrived a-end b-woken",     /* what one host thread knows from another is in no record */
};
