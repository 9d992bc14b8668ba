/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Which chunk is finished, when and by whom the driver's labels say; a copy is
 * known by where it puts its bytes. Who waits for it is in harvest_caller.c.
 */
#include <string.h>

#include "functions.h"
#include "harvest.h"
#include "slots.h"

/* ---- the chunks ---- */

/* A copy before `node` that puts bytes where it does; ANY for none. */
static uint32_t same_place(const struct view *v, struct selection home, uint32_t node)
{
    const struct call *mine = call_of_node(v, node);
    for (uint32_t other = next_span(v, home, 0); other != ANY && other < node;
         other = next_span(v, home, other + 1)) {
        const struct call *c = call_of_node(v, other);
        if (c->dst < mine->dst + mine->bytes && mine->dst < c->dst + c->bytes)
            return other;
    }
    return ANY;
}

/* Every element comes home once, to its own place, after a kernel. */
bool judge_harvest_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct field field = harvest_field(e);
    struct selection home = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    size_t launches;
    uint64_t moved = 0;
    if (kernel_named(v, in_part(v, part, 0), "ripen", &launches) == ANY
        || (int64_t)launches != field.chunks) {
        expected(f, "each of %lld chunks goes through ripen() on the device",
                 (long long)field.chunks);
        seen(f, "ripen() ran %zu times", launches);
        blame_count(v, f, in_part(v, part, 0), "ripen", "harvest_begin");
        if (launches == 0 && was_captured(v, in_part(v, part, 0), "ripen"))
            return why(f,
                       "It was captured into a graph, and no cudaGraphLaunch() runs that graph.");
        return why(
            f,
            "Launch once for each chunk, with its own address and size: h->device + c * h->chunk, chunk_size(h, c).");
    }
    for (uint32_t node = next_span(v, home, 0); node != ANY; node = next_span(v, home, node + 1)) {
        moved += v->timeline->spans[node].bytes;
        uint32_t other = same_place(v, home, node);
        if (other != ANY) {
            f->call = v->timeline->spans[node].call;
            expected(f, "each chunk is copied back to its own place");
            seen(f, "this copy overwrites what an earlier one brought (line %u)",
                 call_of_node(v, other)->line);
            return why(
                f,
                "Chunk c belongs at h->home + c * h->chunk, and the last one has fewer elements: chunk_size(h, c).");
        }
        struct selection ripe = in_part(v, part, 0);
        uint32_t kernel = next_kernel(v, ripe, "ripen", 0);
        while (kernel != ANY && !hb_before(v->order, kernel, node, GUARANTEED))
            kernel = next_kernel(v, ripe, "ripen", kernel + 1);
        if (kernel != ANY)
            continue;
        uint32_t near = next_kernel(v, ripe, "ripen", 0);
        for (uint32_t next = near; next != ANY && next < node;
             next = next_kernel(v, ripe, "ripen", next + 1))
            near = next;
        f->call = v->timeline->spans[node].call;
        expected(f,
                 "a chunk is copied back after ripen(): its copy is bound to wait for the kernel");
        seen(f, "nothing makes %s wait for any ripen()", node_name(v, node).text);
        return why_unordered(v, f, near, "ripen()", node, "the copy",
                             "Put the copy into the stream of its chunk's kernel.");
    }
    if (moved == (uint64_t)field.n * sizeof(uint32_t))
        return true;
    expected(f, "%lld bytes come home", (long long)field.n * (long long)sizeof(uint32_t));
    seen(f, "%llu bytes did", (unsigned long long)moved);
    return blame_copies(v, f, home, "harvest_begin")
               ? false
               : why(f,
                     "A size in bytes is n * sizeof(unsigned), and the last chunk has fewer elements: chunk_size(h, c).");
}

/* The function that woke the thread of this call last; ANY for none. */
static uint32_t woken_by(const struct view *v, size_t call)
{
    const struct timeline *t = v->timeline;
    for (size_t i = call; i-- > 0;)
        if (t->calls[i].kind == CALL_THREAD_WAKE && t->calls[i].thread == t->calls[call].thread
            && t->calls[i].node < t->span_count
            && t->spans[t->calls[i].node].engine == ENGINE_HOST_FUNC)
            return t->calls[i].node;
    return ANY;
}

/* Without a hazard of the part whatever freed it came before the read in any case: the function, or
 * what comes before that in its stream. */
static bool strange_number(const struct evidence *e, struct finding *f, const char *part,
                           size_t finish, struct field field, const unsigned *times)
{
    const struct view *v = &e->yours[f->view];
    long number = label_number(v, finish, FINISH);
    struct finding hazard = { .call = ANY };
    expected(f, "each of the %lld chunks is finished once: numbers 0 to %lld",
             (long long)field.chunks, (long long)field.chunks - 1);
    if (number >= 0 && number < 2 * (long)field.chunks)
        seen(f, "finish(%ld), called by the function that was queued here", number);
    else        /* whatever lay there: another compiler leaves something else */
        seen(
            f,
            "finish() with a number that no chunk has, called by the function that was queued here");
    if (number == LEFT_ON_STACK)
        return why(
            f,
            "The number was a variable on the stack of harvest_begin(), which has returned, and that memory is used for "
            "other things now. The stream keeps the address and not its contents. Keep a number for each chunk in h->number.");
    if (number == SPOILT_BY_FREE && !on_real_card(v) && judge_hazards(e, &hazard, part)) {
        blame_label(f, finish, f->call);
        return why(
            f,
            "The number was read when its memory had been freed, and nothing else could free it at that moment: the function itself has, or what "
            "came before it. Read the number first, and free its memory after that.");
    }
    if (number == LEFT_ON_HEAP || number == SPOILT_BY_FREE)
        return why(
            f,
            "The number's memory was freed before the function ran, and is used for other things now. The stream keeps the "
            "address and not its contents. Free it in harvest_end(), after the wait.");
    bool from_one = number == field.chunks && times[0] == 0;
    for (long i = 1; i < field.chunks && from_one; i++)
        from_one = times[i] == 1;
    if (from_one) {
        f->argument = 3;            /* of cudaLaunchHostFunc(): where the number is */
        f->sure = true;
        return why(f,
                   "finish() was called with 1 to %ld: these numbers count from 1, and the chunks from 0.",
                   number);
    }
    return why(
        f,
        "The stream keeps the address that you gave and not its contents, and the function reads it when it runs. Was the "
        "number of this chunk ever put there, is the memory still yours then, and does it still hold it?");
}

/* Has every finish() of the part that began ended in it? Else a thread may be at one still, which
 * another check says. */
static bool all_ended(const struct view *v, struct selection s)
{
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (label_number(v, i, FINISH) >= 0 && label_end(v, i) >= s.end_call)
            return false;
    return true;
}

/* A number that is written while a function may read it: more than what is different in a second
 * run, that says why it was a strange one. False, as the finding that it leaves. */
static bool say_unordered_number(const struct evidence *e, struct finding *f, const char *part)
{
    struct finding hazard = { .call = ANY };
    if (on_real_card(&e->yours[0]) || judge_hazards(e, &hazard, part) || hazard.view != f->view)
        return false;
    f->call = hazard.call;
    f->sure = true;
    return why(f,
               "What a function reads has to be written before the function is queued, and to stay until it has run. Here that is not "
               "so: %s",
               hazard.seen);
}

/* Each chunk is finished once: what a function finds at its address is what was meant for it.
 * Functions that run when the part is over find what harvest_end() has left of it: that nobody
 * waited for them is another check's. */
bool judge_harvest_numbers(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct field field = harvest_field(e);
    unsigned times[MOST_CHUNKS] = { 0 };
    uint32_t last = ANY, again = ANY;
    bool thread = false;        /* who finished a chunk again was no function */
    bool twice = false;         /* ... or the function that had finished it */
    uint32_t first_by[MOST_CHUNKS];
    size_t end = in_part(v, part, 0).end_call, i = 0;
    for (; i < end; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind != CALL_LABEL
            || strncmp(timeline_string(v->timeline, c->name), FINISH, strlen(FINISH)) != 0)
            continue;
        long number = label_number(v, i, FINISH);
        last = harvest_queued_by(v, i);
        if (number < 0 || number >= field.chunks) {
            f->call = last;
            return strange_number(e, f, part, i, field, times);
        }
        uint32_t function = function_of_call(v, i);
        if (++times[number] == 1) {
            first_by[number] = function;
        } else if (again == ANY) {
            again = last;
            thread = again == i;
            twice = function != ANY && function == first_by[number];
            if (twice)
                blame_label(f, i, last);
        }
    }
    for (; i < v->timeline->call_count; i++)
        if (strncmp(timeline_string(v->timeline, v->timeline->calls[i].name), FINISH,
                    strlen(FINISH))
            == 0)
            return true;
    for (long number = 0; number < field.chunks; number++) {
        if (times[number] == 1)
            continue;
        if (!twice)
            f->call = again != ANY ? again : last;
        expected(f, "each of the %lld chunks is finished once", (long long)field.chunks);
        if (times[number] > 0)
            seen(f, "finish(%ld) was called %u times", number, times[number]);
        else
            seen(f, "finish(%ld) was never called", number);
        if (thread)
            return why(
                f,
                "The second call came from a thread and not from a function. Does something else finish the chunks that this "
                "thread goes through? Either the functions do it, or one thread that they wake.");
        if (twice)
            return why(
                f,
                "One function made both calls. A function is called once for each cudaLaunchHostFunc(): let it call finish() once.");
        if (again != ANY)
            return why(
                f,
                "Each function reads what is at its address when it runs, long after your loop has gone on. Do all get the same "
                "address? Or is the memory a variable of harvest_begin(), which has returned by then? Keep a number for each chunk in "
                "h->number, in memory that harvest_end() frees.");
        return why(
            f,
            "After the copy of each chunk, the last one too, queue a function that calls finish() (cudaLaunchHostFunc), and wait for "
            "the functions in harvest_end().");
    }
    if (!all_ended(v, in_part(v, part, 0)))
        return true;
    if (!harvest_finished_again(v, f, field, harvest_field_again(e)))
        return say_unordered_number(e, f, part);
    return harvest_stays_inside(e, f, harvest_field_again(e));
}

/* Has the thread that makes this call waited for the device before, or asked it? */
static bool asked_device(const struct view *v, size_t call)
{
    const struct call *calls = v->timeline->calls;
    for (size_t i = 0; i < call; i++)
        if (calls[i].thread == calls[call].thread && calls[i].kind >= CALL_STREAM_SYNC
            && calls[i].kind <= CALL_EVENT_QUERY)
            return true;
    return false;
}

/* The copies that bring a chunk home, known by where they put it, come before it is finished. */
bool judge_harvest_arrived(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct field field = harvest_field(e);
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    for (size_t i = s.first_call; i < v->timeline->call_count; i++) {
        long number = label_number(v, i, FINISH);
        uint64_t from = field.home + (uint64_t)number * (uint64_t)field.chunk * sizeof(uint32_t);
        uint64_t end = field.home + (uint64_t)field.n * sizeof(uint32_t),
                 to = from + (uint64_t)field.chunk * sizeof(uint32_t);
        to = to < end ? to : end;
        for (uint32_t node = number < 0 ? ANY : next_span(v, s, 0); node != ANY;
             node = next_span(v, s, node + 1)) {
            const struct call *copy = call_of_node(v, node);
            if (copy->dst >= to || copy->dst + copy->bytes <= from || function_known(v, node, i))
                continue;
            f->call = v->timeline->spans[node].call;
            expected(f,
                     "a chunk is finished after it has arrived, and something enforces that order");
            uint32_t queued = harvest_queued_by(v, i);
            if (queued == (uint32_t)i) {
                uint32_t woke = woken_by(v, i);
                if (woke != ANY)
                    seen(
                        f,
                        "chunk %ld is finished by a thread that has not waited for %s; the function that line %u queued woke it last",
                        number, node_name(v, node).text, call_of_node(v, woke)->line);
                else
                    seen(f, "chunk %ld is finished by a thread that has not waited for %s", number,
                         node_name(v, node).text);
                struct selection functions = s;
                functions.engines = ENGINE_BIT(ENGINE_HOST_FUNC);
                uint32_t bell = next_span(v, functions, 0);
                if (bell != ANY && !asked_device(v, i)) {
                    blame_label(f, i, v->timeline->spans[node].call);
                    return why(
                        f,
                        "A function is queued that can wake it (line %u), and this finish() came without one. Does the thread wait once before each "
                        "finish(), and does what it waits for begin at nothing? A semaphore that begins at 1 lets it through once too often.",
                        call_of_node(v, bell)->line);
                }
                return why_unwaited(
                    v, f, node, i,
                    "A thread does not see a copy end by itself. Let a function after each copy post a semaphore, and let "
                    "the thread take one post before each finish().");
            }
            seen(
                f,
                "nothing makes the function that line %u queued wait for %s, and it finishes chunk %ld",
                v->timeline->calls[queued].line, node_name(v, node).text, number);
            return why_unordered(
                v, f, node, "the copy", v->timeline->calls[queued].node, "the function",
                "A function waits for what comes before it in its own stream. In another stream it needs an event, "
                "recorded after the copy: cudaEventRecord(h->arrived, h->work), cudaStreamWaitEvent(h->after, "
                "h->arrived, 0), then cudaLaunchHostFunc().");
        }
    }
    return true;
}

/* The sums of one run. */
static bool sums_right(const struct evidence *e, struct finding *f, const char *part,
                       struct field field, int slot)
{
    const struct view *v = &e->yours[0];
    const uint32_t *in = exchange_input(e->exchange, SLOT_HARVEST, NULL),
                   *got = exchange_output(e->exchange, slot, NULL);
    for (int64_t c = 0; c < field.chunks; c++) {
        uint32_t sum = 0;
        for (int64_t i = c * field.chunk; i < field.n && i < (c + 1) * field.chunk; i++)
            sum = 31 * sum + (1664525u * in[i] + 1013904223u);
        if (got[c] == sum)
            continue;
        uint32_t node = next_kernel(v, in_part(v, part, 0), "ripen", 0);
        f->call = node == ANY ? ANY : v->timeline->spans[node].call;
        expected(
            f,
            "the sum of chunk %lld is %u: each of its elements went through ripen() once and had arrived before finish()",
            (long long)c, sum);
        seen(f, "the sum is %u", got[c]);
        return why(
            f,
            "Does each of the operations name its own chunk: h->device + c * h->chunk, h->home + c * h->chunk, "
            "chunk_size(h, c) elements?");
    }
    return true;
}

bool judge_harvest_sums(const struct evidence *e, struct finding *f, const char *part)
{
    struct field field = harvest_field(e);
    size_t first, end;
    return sums_right(e, f, part, field, SLOT_HARVEST)
           && (!harvest_runs_again(&e->yours[0], &first, &end)
               || sums_right(e, f, part, harvest_field_again(e), SLOT_AGAIN));
}
