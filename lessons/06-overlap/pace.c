/* SPDX-License-Identifier: MIT */
#include "chunks.h"

#include <stdlib.h>
#include <string.h>

#define ENGINES_BUSY (ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_KERNEL) | ENGINE_BIT(ENGINE_D2H))
#define SHARE 900               /* on a real card: the busy share, of the reference's, in thousandths */
#define LONGER 1100             /* on a simulated one: the time, of the reference's, in thousandths … */
/* … of part c, where the number of chunks is free: 4 (1.150 on a K20c) to 14 (1.151 on an H200), as
 * the reference does it; 3 take 1.265, and 15 take 1.176, with every seed. */
#define PIPELINE_LONGER 1160
#define LOAD 1500               /* of the reference's, in thousandths: what the busiest engine has to do */
#define FEW_CHUNKS 4            /* of part c: below, their number is the likely cause */
#define ENOUGH_CHUNKS 7         /* of part c, as many as the reference has: below, it may be one */
#define MANY_CHUNKS 14          /* of part c: above, their number is */

/* How long the busiest engine of the part works on a card, ns. */
static int64_t busiest(const struct view *v, const char *part)
{
    int64_t most = 0;
    for (enum engine engine = ENGINE_KERNEL; engine <= ENGINE_D2H; engine++) {
        int64_t time = measure_busy(v->timeline, in_part(v, part, ENGINE_BIT(engine)));
        most = time > most ? time : most;
    }
    return most;
}

/* Of part c: streams may specialise, and then all kernels are in one, where no chunk's blocks fill
 * the last wave of the one before. With as many chunks as may be, that is no fault of the order:
 * how much longer the kernels take than the reference's, ns. */
static int64_t waves_in_one_stream(const struct evidence *e, size_t view, const char *part)
{
    const struct view *yours = &e->yours[view];
    struct selection s = in_part(yours, part, ENGINE_BIT(ENGINE_KERNEL));
    size_t launches;
    kernel_named(yours, s, "brighten", &launches);
    if (chunks_slot(part) != SLOT_C || launches < FEW_CHUNKS || launches > MANY_CHUNKS
        || streams_used(yours, s) != 1)
        return 0;
    int64_t mine = measure_busy(yours->timeline, s),
            theirs = measure_busy(
                e->reference[view].timeline,
                in_part(&e->reference[view], part, ENGINE_BIT(ENGINE_KERNEL)));
    return mine > theirs ? mine - theirs : 0;
}

static int64_t limit_of(const char *part)
{
    return chunks_slot(part) == SLOT_C ? PIPELINE_LONGER : LONGER;
}

/* The time that is asked for on a simulated card, ns. */
static int64_t time_asked_of(const struct evidence *e, size_t view, const char *part)
{
    return part_makespan(&e->reference[view], part) * limit_of(part) / 1000
           + waves_in_one_stream(e, view, part);
}

/* How long the part takes on a card, in thousandths of what may be asked: on a simulated one in
 * time, which is the same every time; on a real one, where it is not, by the share that the busiest
 * engine works. */
static int64_t slowness(const struct evidence *e, size_t view, const char *part)
{
    const struct view *yours = &e->yours[view];
    enum engine which;
    if (on_real_card(yours)) {
        unsigned mine = busy_share(yours, part, ENGINES_BUSY, &which),
                 theirs = busy_share(&e->reference[view], part, ENGINES_BUSY, &which);
        return mine > 0 ? (int64_t)theirs * share_asked(yours, SHARE) / mine : INT32_MAX;
    }
    int64_t asked = time_asked_of(e, view, part);
    return asked > 0 ? part_makespan(yours, part) * 1000 / asked : 0;
}

/* Where the busiest engine needs too long for the same work: an engine that
 * starts over and over is busy too. With as many chunks as may be, their number is not to blame. */
bool chunks_few_enough(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = chunks_slot(part);
    struct copy *in, *out;
    size_t chunks = chunks_copies(e, slot, ENGINE_H2D, &in),
           home = chunks_copies(e, slot, ENGINE_D2H, &out);
    free(in);
    free(out);
    for (size_t i = 0; i < e->views && (chunks > MANY_CHUNKS || home > MANY_CHUNKS); i++) {
        int64_t mine = busiest(&e->yours[i], part), theirs = busiest(&e->reference[i], part);
        if (mine * 1000 <= theirs * LOAD || slowness(e, i, part) <= 1000)
            continue;
        f->view = i;
        expected(f,
                 "the busiest engine of the %s has at most %d.%d times as much to do as in the reference solution",
                 e->yours[i].card->title, LOAD / 1000, LOAD % 1000 / 100);
        seen(f, "%lld.%02lld times as much, for the same pixels in %zu chunks",
             (long long)(mine / theirs), (long long)(mine * 100 / theirs % 100), chunks);
        f->function = chunks_function[slot];
        return why(f,
                   "Every copy and every launch has a fixed cost on top of its work, for the engine and for the host that queues it. "
                   "Take fewer and larger chunks.");
    }
    return true;
}

/* What was asked of that card, and what it did instead. */
static void say_time(const struct evidence *e, struct finding *f, size_t view, const char *part)
{
    const struct view *yours = &e->yours[view];
    if (on_real_card(yours)) {
        busy_as_reference(e, view, part, ENGINES_BUSY, SHARE, f);
        return;
    }
    int64_t mine = part_makespan(yours, part), asked = time_asked_of(e, view, part);
    int64_t limit = limit_of(part);
    enum engine which = ENGINE_NONE;
    unsigned share = busy_share(yours, part, ENGINES_BUSY, &which);
    f->view = view;
    expected(f,
             "on the %s the image takes at most %lld.%02lld times as long as in the reference solution%s: %lld.%03lld ms",
             yours->card->title, (long long)(limit / 1000), (long long)(limit % 1000 / 10),
             waves_in_one_stream(e, view, part) > 0
                 ? ", and what kernels lose that are all in one stream"
                 : "",
             (long long)(asked / 1000000), (long long)(asked / 1000 % 1000));
    seen(f, "%lld.%03lld ms; the busiest engine (%s) works for %u.%u %% of that",
         (long long)(mine / 1000000), (long long)(mine / 1000 % 1000), engine_name(which),
         share / 10, share % 10);
}

static bool too_large(struct finding *f, int slot, size_t ins, size_t outs)
{
    f->function = chunks_function[slot];
    return why(f,
               "Chunks copied in: %zu, copied out: %zu. The first copy in and the last copy out overlap with nothing, and "
               "the larger the chunk, the longer they are. Take more and smaller ones.",
               ins, outs);
}

/* How many host threads queue spans of the selection? */
static size_t threads_that_queue(const struct view *v, struct selection s)
{
    enum { MOST = 64 };
    uint32_t thread[MOST];
    size_t count = 0;
    for (uint32_t node = next_span(v, s, 0); node != ANY && count < MOST;
         node = next_span(v, s, node + 1)) {
        size_t i = 0;
        while (i < count && thread[i] != call_of_node(v, node)->thread)
            i++;
        if (i == count)
            thread[count++] = call_of_node(v, node)->thread;
    }
    return count;
}

/* Does the part ask the device what it is? */
static bool asks_device(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    bool asks = false;
    for (size_t i = s.first_call; i < s.end_call && !asks; i++) {
        const char *name = timeline_string(v->timeline, v->timeline->calls[i].name);
        asks = v->timeline->calls[i].kind == CALL_OTHER
               && (strncmp(name, "cudaGetDeviceProperties", 23) == 0
                   || strcmp(name, "cudaDeviceGetAttribute") == 0);
    }
    return asks;
}

/* Parts a and b: does the one thread that queues the chunks stop, or ask, before the last of them
 * is queued? A wait that comes late enough costs nothing on these cards, and it is a wait. */
static bool goes_on(const struct view *v, struct finding *f, const char *part)
{
    struct selection s = in_part(v, part, ENGINES_BUSY), all = s;
    uint32_t first = next_span(v, s, 0), last = first;
    if (first == ANY || threads_that_queue(v, s) > 1)
        return true;
    EACH_SPAN(node, v, s) {
        last = v->timeline->spans[node].call > v->timeline->spans[last].call ? node : last;
        first = v->timeline->spans[node].call < v->timeline->spans[first].call ? node : first;
    }
    all.first_call = v->timeline->spans[first].call + 1;
    all.end_call = v->timeline->spans[last].call;
    uint32_t call = first_standstill(v, all);
    if (call == ANY)
        return true;
    f->call = call;
    expected(f, "the host waits for nothing until all chunks are queued");
    seen(f, "%s, and after it the %s of line %u is queued",
         timeline_string(v->timeline, v->timeline->calls[call].name),
         call_kind_name(call_of_node(v, last)->kind), call_of_node(v, last)->line);
    return why(f,
               "What is not queued cannot start, however soon the wait is over. Queue everything first, and wait once at the end.");
}

/* The wait in a stream by which a copy in comes after the kernel or the copy out of another chunk;
 * ANY: none. */
static uint32_t wait_for_other_chunk(const struct evidence *e, const char *part)
{
    const struct view *v = &e->yours[0];
    struct copy *in;
    size_t ins = chunks_copies(e, chunks_slot(part), ENGINE_H2D, &in);
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL) | ENGINE_BIT(ENGINE_D2H));
    uint32_t wait = ANY;
    for (size_t i = 0; i < ins && wait == ANY; i++)
        for (uint32_t node = next_span(v, s, 0); node != ANY && wait == ANY;
             node = next_span(v, s, node + 1))
            if (hb_before(v->order, node, in[i].node, GUARANTEED))
                wait = stream_wait_between(v, s, node, in[i].node);
    free(in);
    return wait;
}

/* Do the additional chunks themselves cost the time? They do if the busiest engine's work beyond
 * the reference's is at least half of what the part takes longer. */
static bool number_costs(const struct evidence *e, size_t view, const char *part)
{
    int64_t more = busiest(&e->yours[view], part) - busiest(&e->reference[view], part),
            longer =
                part_makespan(&e->yours[view], part) - part_makespan(&e->reference[view], part);
    return on_real_card(&e->yours[view]) || 2 * more >= longer;
}

static bool too_many(struct finding *f, size_t ins)
{
    f->call = ANY;
    return why(f,
               "Chunks copied in: %zu. Every copy and every launch has a fixed cost on top of its work, for the engine and "
               "for the host that queues it. Take fewer and larger ones.",
               ins);
}

/* Is the first kernel bound to wait for the last copy in, or the first copy out for the last
 * kernel, though each chunk needs only its own? Says by which call. */
static bool waits_for_all_before(const struct view *v, struct finding *f, const char *part)
{
    static const enum engine engines[] = { ENGINE_H2D, ENGINE_KERNEL, ENGINE_D2H };
    for (int k = 0; k < 2; k++) {
        uint32_t last = ANY, first = next_span(v, in_part(v, part, ENGINE_BIT(engines[k + 1])), 0);
        EACH_SPAN(node, v, in_part(v, part, ENGINE_BIT(engines[k])))
            last = node;
        if (last == ANY || first == ANY || !hb_before(v->order, last, first, GUARANTEED))
            continue;
        uint32_t wait = stream_wait_between(v, in_part(v, part, 0), last, first);
        if (wait == ANY)
            continue;
        f->call = wait;
        why(f,
            "An event stands for all that is in its stream before it: with this wait the first %s comes after the last %s, of line %u. Record an event "
            "after each chunk's %s, and let that chunk's %s wait for it.",
            k == 0 ? "brighten()" : "copy out", k == 0 ? "copy in" : "brighten()",
            call_of_node(v, last)->line, k == 0 ? "copy in" : "brighten()",
            k == 0 ? "brighten()" : "copy out");
        return true;
    }
    return false;
}

bool chunks_busy(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = chunks_slot(part);
    struct copy *in, *out;
    size_t ins = chunks_copies(e, slot, ENGINE_H2D, &in),
           outs = chunks_copies(e, slot, ENGINE_D2H, &out);
    uint32_t first_out = outs ? e->yours[0].timeline->spans[out[0].node].call : ANY,
             late_in = ANY;         /* the first copy in that is queued after it */
    struct copy largest = { 0 };
    uint32_t pixels = 0;
    for (size_t i = 0; i < ins; i++) {
        largest = in[i].end - in[i].first > largest.end - largest.first ? in[i] : largest;
        pixels = in[i].end > pixels ? in[i].end : pixels;
        uint32_t call = e->yours[0].timeline->spans[in[i].node].call;
        late_in = late_in == ANY && first_out != ANY && call > first_out ? call : late_in;
    }
    free(in);
    free(out);

    size_t worst = e->views;
    int64_t most = 1000;
    for (size_t i = 0; i < e->views; i++)
        if (slowness(e, i, part) > most) {
            most = slowness(e, i, part);
            worst = i;
        }
    if (worst == e->views)
        return slot == SLOT_C || goes_on(&e->yours[0], f, part);

    const struct view *v = &e->yours[worst];
    say_time(e, f, worst, part);
    uint32_t wait = wait_in_between(v, in_part(v, part, ENGINES_BUSY));
    f->call = wait;
    if (wait != ANY)
        return why(f,
                   "The host waits here while there is work that it has not queued yet, and what is not queued cannot start. %s",
                   v->timeline->calls[wait].kind == CALL_COPY
                       ? "Take cudaMemcpyAsync(), in the chunk's stream."
                       : "Queue everything first, and wait once at the end.");
    unsigned streams = streams_used(v, in_part(v, part, ENGINES_BUSY));
    f->call = first_out;
    if (streams < 2)
        return why(f,
                   "Everything is in one stream, and a stream does one thing after another. Chunks need different streams to "
                   "overlap.");
    uint32_t stray = in_default_stream(v, in_part(v, part, ENGINES_BUSY));
    f->call = stray;
    if (stray != ANY)
        return why(f,
                   "This is in the default stream, which waits for all streams made by cudaStreamCreate() and makes them all wait. "
                   "%s",
                   v->timeline->calls[stray].kind == CALL_COPY
                       ? "cudaMemcpyAsync() names its stream in its last parameter."
                       : "A launch names its stream in its fourth parameter.");
    f->function = chunks_function[slot];
    bool many = slot == SLOT_C && ins > MANY_CHUNKS;
    if (many && number_costs(e, worst, part))
        return too_many(f, ins);
    size_t few = slot == SLOT_C ? FEW_CHUNKS : STREAMS;
    if (ins < few || outs < few)
        return too_large(f, slot, ins, outs);
    if (slot != SLOT_C && largest.end - largest.first > pixels / STREAMS * 5 / 4) {
        f->call = v->timeline->spans[largest.node].call;
        return why(f,
                   "This copy in moves %u of the %u pixels: the chunks are of different sizes, and the other engines wait for the largest. "
                   "Chunk k begins at pixel k * n / STREAMS.",
                   largest.end - largest.first, pixels);
    }
    f->call = first_out;
    if (streams == 2 && (v->card->copy_engines > 1 || late_in == ANY))
        return why(f,
                   "There are two streams, and each does one thing after another, so at most two things are done at a "
                   "time. Take a stream for each chunk, or one for each engine.");
    const char *played =
        asks_device(v, part)
            ? " The program ran on another card, and its calls were replayed on this one: whatever it "
              "asked the device, that card answered. One order has to suit all."
            : "";
    played = worst < e->runs ? "" : played;
    size_t threads = threads_that_queue(v, in_part(v, part, ENGINES_BUSY));
    if (threads > 1 && (v->card->copy_engines == 1 || v->card->copies_signal_in_queue))
        return why(f,
                   "%zu host threads queue the chunks, in whatever order they come to run. On this card the order of the calls decides: %s Queue "
                   "all chunks from one thread, in an order that you choose.",
                   threads,
                   v->card->copy_engines == 1
                       ? "it has one copy engine, and a copy out that waits for its kernel holds up all copies queued after it."
                       : "a copy out starts only when the kernels queued before it have all started, even those of other chunks.");
    uint32_t chained = slot == SLOT_C ? wait_for_other_chunk(e, part) : ANY;
    if (chained != ANY) {
        f->call = chained;
        return why(f,
                   "With this cudaStreamWaitEvent() a chunk's copy in waits for another chunk's kernel or copy out. No chunk needs anything of "
                   "another: an event orders what one chunk does in two streams.");
    }
    if (v->card->copy_engines == 1 && late_in != ANY) {
        f->call = late_in;
        return why(f,
                   "This card has one copy engine, which takes copies in the order of issue: the copy out of line %u waits for its kernel, and holds "
                   "up this copy in, which was issued after it. Queue the copies in that could run meanwhile before it.%s",
                   v->timeline->calls[first_out].line, played);
    }
    if (many)
        return too_many(f, ins);
    if (v->card->copy_engines == 1)
        return why(f,
                   "This card has one copy engine, which takes copies in the order of issue: a copy out that waits for its kernel "
                   "holds up all copies issued after it. Queue the copies in that could run meanwhile before it.%s",
                   played);
    if (v->card->copies_signal_in_queue)
        return why(f,
                   "On this card a copy out starts only when the kernels issued before it have all started, even "
                   "those of other chunks. Queue a chunk's copy out before the kernels of later chunks.%s",
                   played);
    if (slot == SLOT_C && (ins < ENOUGH_CHUNKS || outs < ENOUGH_CHUNKS)) {
        f->call = ANY;
        return too_large(f, slot, ins, outs);
    }
    if (waits_for_all_before(v, f, part))
        return false;
    return why(f,
               "Look in the timeline for the times when the busiest engine is idle. What does it wait for?");
}
