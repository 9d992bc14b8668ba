/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A chunk is known by its pixels: a copy's place in the host buffers says which
 * it moves, whatever device memory, stream or order it uses. Kernels' arguments
 * are in no log, so a chunk's kernel is any that its copy out waits for and
 * that waits for its copy in; that it worked on the right pixels, the output
 * says. Steps of chains are known by what they cost: STEP_NS.
 */
#include <stdlib.h>
#include <string.h>

#include "grader/check.h"

#include "chains.h"
#include "lesson.h"

#define ENGINES_BUSY (ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_KERNEL) | ENGINE_BIT(ENGINE_D2H))
#define SHARE 900               /* of the reference's, in thousandths */
#define LOAD 1500               /* of the reference's, in thousandths: what the busiest engine has to do */
#define FEW_CHUNKS 5            /* of part c: below, their number is the likely cause */

static const char *const part_id[] = { "a", "b", "c", "d" };

/* Parts a, b, c are the slots 0, 1, 2. */
static int slot_of(const char *part)
{
    return part[0] - part_id[SLOT_A][0];
}

/* ---- inputs and outputs ---- */

/* A number that no number of chunks divides which anybody is likely to choose. */
static uint64_t awkward(struct random *r, uint64_t low, uint64_t high)
{
    uint64_t n = 0;
    for (uint64_t divisor = 2; divisor <= 64; divisor++)
        if (n % divisor == 0) {
            n = random_between(r, low, high);
            divisor = 1;
        }
    return n;
}

static void prepare(struct exchange *x, struct random *r)
{
    uint64_t n[] = {
        [SLOT_A] = awkward(r, 1000000, 1040000),
        [SLOT_B] = awkward(r, 1000000, 1040000),
        [SLOT_C] = awkward(r, 1800000, 1850000),
        [SLOT_D] = CHAINS * (random_between(r, 50, 127) * 2 + 1),
    };
    for (int slot = SLOT_A; slot <= SLOT_D; slot++) {
        float *value = exchange_add_input(x, n[slot] * sizeof *value);
        for (uint64_t i = 0; i < n[slot]; i++)
            value[i] = random_float(r);
        exchange_add_output(x, n[slot] * sizeof *value);
    }
    exchange_add_output(x, SLOT_D * sizeof(struct buffers));
}

static uint32_t pixels(const struct evidence *e, int slot)
{
    size_t bytes;
    exchange_input(e->exchange, slot, &bytes);
    return (uint32_t)(bytes / sizeof(float));
}

static float brightened(float pixel)
{
    return 2 * pixel + 1;
}

/* ---- the timeline: what moved which pixels ---- */

struct copy { uint32_t node, first, end; };     /* pixels first .. end - 1 */

/* The copies of a part on that engine to or from its host buffer, in order of
 * issue; the caller frees *out. */
static size_t copies(const struct evidence *e, int slot, enum engine engine, struct copy **out)
{
    const struct timeline *t = e->yours[0].timeline;
    const struct buffers *where = exchange_output(e->exchange, SLOT_BUFFERS, NULL);
    uint64_t base = engine == ENGINE_H2D ? where[slot].in : where[slot].out;
    uint64_t size = pixels(e, slot) * sizeof(float);
    struct selection s = in_part(&e->yours[0], part_id[slot], 0);
    size_t count = 0;
    *out = calloc(t->span_count + 1, sizeof **out);
    for (uint32_t node = 0; *out && node < t->span_count; node++) {
        const struct span *span = &t->spans[node];
        const struct call *c = &t->calls[span->call];
        uint64_t at = engine == ENGINE_H2D ? c->src : c->dst;
        if (span->call < s.first_call || span->call >= s.end_call || span->engine != engine
            || c->kind != CALL_COPY || at < base || at - base >= size || c->bytes < sizeof(float))
            continue;
        uint64_t end = at - base + (c->bytes < size ? c->bytes : size);
        (*out)[count++] = (struct copy){
            node, (uint32_t)((at - base) / sizeof(float)),
            (uint32_t)((end < size ? end : size) / sizeof(float)),
        };
    }
    return count;
}

/* ---- judges of parts a, b, c ---- */

static bool pinned(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;                 /* one function makes the buffers of all */
    for (int slot = SLOT_A; slot <= SLOT_C; slot++)
        for (enum engine engine = ENGINE_H2D; engine <= ENGINE_D2H; engine++) {
            struct copy *list;
            size_t count = copies(e, slot, engine, &list);
            const struct timeline *t = e->yours[0].timeline;
            const struct call *c = NULL;
            for (size_t i = 0; i < count && !c; i++) {
                const struct call *made = &t->calls[t->spans[list[i].node].call];
                if ((engine == ENGINE_H2D ? made->src_kind : made->dst_kind) == MEM_PAGEABLE)
                    c = made;
            }
            free(list);
            if (!c)
                continue;
            f->call = (uint32_t)(c - t->calls);
            expected(f, "the host buffers of all copies are pinned memory");
            seen(f, "the copy %s of part %s %s pageable memory", engine == ENGINE_H2D ? "in" : "out",
                 part_id[slot], engine == ENGINE_H2D ? "reads" : "writes");
            return why(f, "A copy engine cannot reach pageable memory, which the system may move at any time: the "
                       "driver copies it through a buffer of its own, and the host has to help. Let host_buffer() "
                       "take the memory with cudaMallocHost().");
        }
    return true;
}

static bool in_order(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = slot_of(part);
    const struct view *v = &e->yours[0];
    struct copy *in, *out;
    struct chain *k;
    size_t ins = copies(e, slot, ENGINE_H2D, &in), outs = copies(e, slot, ENGINE_D2H, &out);
    size_t count = chains_of(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), &k);
    const struct copy *bad_in = NULL, *bad_out = NULL;
    for (size_t i = 0; i < outs && !bad_out; i++)
        for (size_t j = 0; j < ins && !bad_out; j++)
            if (in[j].first < out[i].end && out[i].first < in[j].end
                && !chain_between(v->order, k, count, in[j].node, out[i].node))
                bad_in = &in[j], bad_out = &out[i];
    if (!outs) {
        expected(f, "copies from the device into `out`");
        seen(f, "none in part %s", part);
        why(f, "The brightened pixels have to travel back: cudaMemcpyAsync() with cudaMemcpyDeviceToHost.");
    } else if (bad_out) {
        f->call = v->timeline->spans[bad_out->node].call;
        expected(f, "for pixels %u to %u: copy in, then the kernel, then copy out, each bound to wait for the one "
                 "before", bad_out->first, bad_out->end - 1);
        seen(f, "no kernel that waits for the copy in (line %u) and that this copy out waits for",
             v->timeline->calls[v->timeline->spans[bad_in->node].call].line);
        why(f, "Nothing orders two streams: when the answer is right all the same, that was luck. Put the three "
            "operations of a chunk in one stream, or record an event after one and let the next one's stream wait "
            "for it (cudaStreamWaitEvent).");
    }
    bool ok = outs && !bad_out;
    free(in);
    free(out);
    free(k);
    return ok;
}

static bool waited(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = slot_of(part);
    static const char *const function[] = { "depth_first()", "breadth_first()", "pipeline()" };
    const struct view *v = &e->yours[0];
    size_t end = in_part(v, part, 0).end_call;
    struct copy *out;
    size_t outs = copies(e, slot, ENGINE_D2H, &out), missing = 0, first = 0;
    for (size_t i = 0; i < outs; i++)
        if (!order_before_call(v->order, out[i].node, v->timeline->calls, end, GUARANTEED) && !missing++)
            first = i;
    if (missing) {
        f->call = v->timeline->spans[out[first].node].call;
        expected(f, "when %s returns, all of `out` has arrived", function[slot]);
        seen(f, "it returns without having waited for %zu of %zu copies out; the first is that of pixels %u to %u",
             missing, outs, out[first].first, out[first].end - 1);
        why(f, "cudaMemcpyAsync() only queues the copy, and cudaStreamDestroy() waits for nothing: wait for every "
            "stream with cudaStreamSynchronize() before you return.");
    }
    free(out);
    return !missing;
}

/* Whose value is at pixel `at`, brightened or not, the next one agreeing; ANY for nobody's. */
static uint32_t owner(const float *in, const float *out, uint32_t n, uint32_t at)
{
    for (uint32_t i = 0; at + 1 < n && i + 1 < n; i++)
        if ((out[at] == in[i] && out[at + 1] == in[i + 1])
            || (out[at] == brightened(in[i]) && out[at + 1] == brightened(in[i + 1])))
            return i;
    return ANY;
}

/* With the order inside of chunks settled, two that meet are of different chunks. */
static bool own_pixels(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_hazards(e, f, part)
        || why(f, "A chunk's pixels are its own. Where operations of two chunks meet, one of them was given an offset or "
               "a count that is not its chunk's: the same first belongs in in + first, device + first, out + first and "
               "in the launch.");
}

static bool right_pixels(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = slot_of(part);
    uint32_t n = pixels(e, slot), wrong = 0, first = 0, last = 0;
    const float *in = exchange_input(e->exchange, slot, NULL), *out = exchange_output(e->exchange, slot, NULL);
    for (uint32_t i = 0; i < n; i++)
        if (!(out[i] == brightened(in[i]))) {
            first = wrong++ ? first : i;
            last = i;
        }
    if (!wrong)
        return true;

    struct copy *list;
    size_t count = copies(e, slot, ENGINE_D2H, &list);
    for (size_t i = 0; i < count; i++)
        if (list[i].first <= first && first < list[i].end)
            f->call = e->yours[0].timeline->spans[list[i].node].call;
    free(list);

    float got = out[first];
    uint32_t whose = owner(in, out, n, first);
    expected(f, "out[i] = 2 * in[i] + 1 for all %u pixels", n);
    if (got != got)
        seen(f, "%u wrong, from pixel %u to pixel %u; pixel %u was never written", wrong, first, last, first);
    else
        seen(f, "%u wrong, from pixel %u to pixel %u; pixel %u should be %.9g and is %.9g", wrong, first, last, first,
             (double)brightened(in[first]), (double)got);
    if (got != got)
        return why(f, "No copy out brought these pixels. %s", last == n - 1 && first > n / 2
                   ? "They are the tail: n does not divide by your number of chunks, and the last one has to take what "
                     "is left." : "Do first and count of all chunks together cover 0 to n?");
    if (got - got != 0)
        return why(f, "What came back was never filled: the kernel and the copy out worked on device memory that no "
                   "copy in had reached. Do all three use the chunk's own offset: in + first, device + first, "
                   "out + first?");
    if (got == in[first])
        return why(f, "The pixel came back as it went in: no kernel reached it. Is the grid rounded down, so that the "
                   "chunk's last pixels have no thread, or is the kernel's range another chunk's?");
    if (got == brightened(brightened(in[first])))
        return why(f, "It was brightened twice: two launches share this pixel. The kernel wants a chunk's first pixel "
                   "and its count, not its end.");
    if (whose != ANY)
        return why(f, "That came from pixel %u: one of the offsets is not the chunk's. The same first belongs in "
                   "in + first, device + first, out + first and in the kernel.", whose);
    return why(f, "Is that what brighten() makes of this pixel, once, and is nothing done to it afterwards?");
}

/* Nothing left out, nothing done twice, nothing done by the host instead. */
static bool all_work(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = slot_of(part);
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    uint64_t n = pixels(e, slot), moved[2] = { 0, 0 }, copied[2] = { 0, 0 }, threads = 0, foreign = 0;
    for (size_t node = 0; node < t->span_count; node++) {
        const struct span *span = &t->spans[node];
        const struct call *c = &t->calls[span->call];
        if (span->call < s.first_call || span->call >= s.end_call)
            continue;
        if (span->engine == ENGINE_H2D || span->engine == ENGINE_D2H) {
            moved[span->engine == ENGINE_D2H] += span->bytes;
            copied[span->engine == ENGINE_D2H]++;
        } else if (span->engine == ENGINE_KERNEL) {
            threads += (uint64_t)span->blocks * c->block[0] * c->block[1] * c->block[2];
            foreign += strcmp(timeline_string(t, span->name), "brighten") != 0;
        }
    }
    uint64_t bytes = n * sizeof(float);
    uint64_t spare = BLOCK * (copied[0] > copied[1] ? copied[0] : copied[1]);
    if (moved[0] == bytes && moved[1] == bytes && !foreign && threads >= n && threads < n + spare)
        return true;
    expected(f, "%llu bytes in, brighten() with one thread for each of %llu pixels, %llu bytes out",
             (unsigned long long)bytes, (unsigned long long)n, (unsigned long long)bytes);
    seen(f, "%llu bytes in, %llu threads%s, %llu bytes out", (unsigned long long)moved[0],
         (unsigned long long)threads, foreign ? ", some in other kernels" : "", (unsigned long long)moved[1]);
    return why(f, "Every pixel travels in once, is brightened once by the device and travels back once: that is the "
               "work that the lesson spreads over the engines. More or less of it is another exercise.");
}

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

static unsigned busy_share(const struct view *v, const char *part)
{
    enum engine which;
    return measure_busy_share(v->timeline, in_part(v, part, ENGINES_BUSY), &which);
}

/* Where the busiest engine needs too long for the same work: an engine that
 * starts over and over is busy too. */
static bool few_enough(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = slot_of(part);
    struct copy *in;
    size_t chunks = copies(e, slot, ENGINE_H2D, &in);
    free(in);
    for (size_t i = 0; i < e->views; i++) {
        int64_t mine = busiest(&e->yours[i], part), theirs = busiest(&e->reference[i], part);
        if (mine * 1000 <= theirs * LOAD)
            continue;
        f->view = i;
        expected(f, "the busiest engine of the %s has at most %d.%d times as much to do as in the reference solution",
                 e->yours[i].card->title, LOAD / 1000, LOAD % 1000 / 100);
        seen(f, "%lld.%lld times as much, for the same pixels in %zu chunks", (long long)(mine / theirs),
             (long long)(mine * 10 / theirs % 10), chunks);
        return why(f, "Every copy and every launch costs a fixed time on top of its bytes, on the engine and for the "
                   "host that queues it. Take fewer and larger chunks.");
    }
    return true;
}

static bool busy(const struct evidence *e, struct finding *f, const char *part)
{
    int slot = slot_of(part);
    struct copy *in, *out;
    size_t chunks = copies(e, slot, ENGINE_H2D, &in), outs = copies(e, slot, ENGINE_D2H, &out);
    uint32_t first_out = outs ? e->yours[0].timeline->spans[out[0].node].call : ANY;
    free(in);
    free(out);

    size_t worst = e->views;
    for (size_t i = 0, least = 1000; i < e->views; i++) {
        unsigned theirs = busy_share(&e->reference[i], part);
        unsigned ratio = theirs ? busy_share(&e->yours[i], part) * 1000 / theirs : 1000;
        if (ratio < share_asked(&e->yours[i], SHARE) && ratio < least) {
            least = ratio;
            worst = i;
        }
    }
    if (worst == e->views)
        return few_enough(e, f, part);

    const struct view *v = &e->yours[worst];
    busy_as_reference(e, worst, part, ENGINES_BUSY, SHARE, f);
    uint32_t wait = wait_in_between(v, in_part(v, part, ENGINES_BUSY));
    f->call = wait;
    if (wait != ANY)
        return why(f, "The host waits here while there is work that it has not queued yet, and nothing else can start "
                   "meanwhile. %s",
                   v->timeline->calls[wait].kind == CALL_COPY ? "Take cudaMemcpyAsync(), in the chunk's stream."
                                                              : "Queue everything first, wait once at the end.");
    if (streams_used(v, in_part(v, part, ENGINES_BUSY)) < 2)
        return why(f, "Everything is in one stream, and a stream does one thing after another: chunks need streams of "
                   "their own to overlap.");
    f->call = in_default_stream(v, in_part(v, part, ENGINES_BUSY));
    if (f->call != ANY)
        return why(f, "This is in the default stream, which waits for all streams made by cudaStreamCreate() and which "
                   "they all wait for. A launch names its stream in its fourth parameter.");
    if (chunks < (slot == SLOT_C ? FEW_CHUNKS : STREAMS))
        return why(f, "%zu chunks: the first copy in and the last copy out overlap with nothing, and the larger the "
                   "chunk, the longer they are. Take more and smaller ones.", chunks);
    f->call = first_out;
    if (v->card->copy_engines == 1)
        return why(f, "This card has one copy engine, which takes copies in the order of issue: a copy out that waits "
                   "for its kernel holds up all copies issued after it. Queue the copies in that could go before it.");
    if (v->card->copies_signal_in_queue)
        return why(f, "On this card a copy out starts only when the kernels issued before it have all started, even "
                   "those of other chunks. Queue a chunk's copy out before the kernels of later chunks.");
    return why(f, "Look in the timeline for the moments in which the busiest engine rests, and ask what it waits for.");
}

/* ---- the table ---- */

#define NAME_ORDER "each chunk is copied in, brightened and copied out in an order that is guaranteed"
#define NAME_WAIT "everything has arrived when the function returns"
#define NAME_HAZARD "no two chunks touch the same pixels"
#define NAME_OUTPUT "every pixel is brightened once"
#define NAME_WORK "the device does all of the work, and no more than the work"
#define NAME_LEAKS "every stream, event and buffer is given back"
#define READ_CHUNKS "Chunks"
#define READ_ORDERS "Depth first, breadth first"
#define READ_QUEUES "Shared queues"
#define READ_CALLS "The calls"

#define HINTS_ORDER READ_CALLS, { \
    "What makes this chunk's kernel wait for its copy in, and its copy out for the kernel?", \
    "One stream per chunk does that without a further word", \
    "One stream for all three: cudaMemcpyAsync(..., cudaMemcpyHostToDevice, stream[k]), brighten<<<blocks(count), " \
    "BLOCK, 0, stream[k]>>>(...), cudaMemcpyAsync(..., cudaMemcpyDeviceToHost, stream[k])." }
#define HINTS_WAIT READ_CALLS, { \
    "Which call makes the host wait until the last copy out is done?", \
    "your next line after it", \
    "CHECK(cudaStreamSynchronize(stream[k])) for every stream, in a loop of its own behind those that queue." }
#define HINTS_HAZARD READ_CHUNKS, { \
    "Which pixels does each launch work on, and what has brought them there?", \
    "then no pixel is lost and none is done twice", \
    "The same first and count in all three of a chunk's calls: cudaMemcpyAsync() to device + first, brighten<<<...>>>(device, " \
    "first, count), cudaMemcpyAsync() from device + first." }
#define HINTS_OUTPUT READ_CHUNKS, { \
    "Which pixels does each of the three operations of the last chunk touch?", \
    "then no pixel is lost and none is done twice", \
    "int first = k * n / chunks, count = (k + 1) * n / chunks - first; copy from in + first to device + first, " \
    "brighten<<<...>>>(device, first, count), copy from device + first to out + first." }
#define HINTS_WORK READ_CHUNKS, { \
    "Add up the bytes of your copies: is it four for each pixel, each way?", \
    "It belongs in every address", \
    "For each chunk one cudaMemcpyAsync() of count * sizeof(float) bytes each way, and one brighten<<<>>>() of count pixels." }
#define HINTS_LEAKS READ_CALLS, { \
    "Which call gives back what cudaStreamCreate() made?", \
    "two per chunk, never destroyed", \
    "CHECK(cudaStreamDestroy(stream[k])) for every stream, cudaEventDestroy() for every event, before you return." }
#define ASK_BUSY "What could run at this moment, and behind what does it stand?"

static const struct check checks[] = {
    { "pinned", "a", HYGIENE, 4, "the host buffers are pinned", NULL, pinned, "Pinned memory", {
      "Which memory can a copy engine reach by itself?", "For overlap both ends of a copy must be memory",
      "cudaMallocHost(&buffer, n * sizeof(float)) in host_buffer(), cudaFreeHost(buffer) in free_host_buffer()." } },
    { "a-order", "a", ORDER, 3, NAME_ORDER, NULL, in_order, HINTS_ORDER },
    { "a-wait", "a", ORDER, 3, NAME_WAIT, "a-order", waited, HINTS_WAIT },
    { "a-hazard", "a", HAZARD, 1, NAME_HAZARD, "a-order a-wait", own_pixels, HINTS_HAZARD },
    { "a-output", "a", OUTPUT, 3, NAME_OUTPUT, "a-hazard", right_pixels, HINTS_OUTPUT },
    { "a-work", "a", HYGIENE, 2, NAME_WORK, "a-output", all_work, HINTS_WORK },
    { "a-busy", "a", OVERLAP, 7, "depth first overlaps as it should, on all five cards", "pinned a-work", busy,
      READ_ORDERS, { ASK_BUSY, "By chunk, *depth first*, as above",
      "One loop over the STREAMS chunks. In it, all in stream[k]: cudaMemcpyAsync() in, brighten<<<>>>(), "
      "cudaMemcpyAsync() out. No call in it that waits." } },
    { "a-leaks", "a", HYGIENE, 2, NAME_LEAKS, NULL, judge_leaks, HINTS_LEAKS },

    { "b-order", "b", ORDER, 3, NAME_ORDER, NULL, in_order, HINTS_ORDER },
    { "b-wait", "b", ORDER, 3, NAME_WAIT, "b-order", waited, HINTS_WAIT },
    { "b-hazard", "b", HAZARD, 1, NAME_HAZARD, "b-order b-wait", own_pixels, HINTS_HAZARD },
    { "b-output", "b", OUTPUT, 3, NAME_OUTPUT, "b-hazard", right_pixels, HINTS_OUTPUT },
    { "b-work", "b", HYGIENE, 2, NAME_WORK, "b-output", all_work, HINTS_WORK },
    { "b-busy", "b", OVERLAP, 9, "breadth first overlaps as it should, on all five cards", "pinned b-work", busy,
      READ_ORDERS, { ASK_BUSY, "and by kind, *breadth first*",
      "Three loops over the same chunks: cudaMemcpyAsync() in for all, brighten<<<>>>() for all, cudaMemcpyAsync() out "
      "for all; chunk k always in stream[k]." } },
    { "b-leaks", "b", HYGIENE, 2, NAME_LEAKS, NULL, judge_leaks, HINTS_LEAKS },

    { "c-order", "c", ORDER, 3, NAME_ORDER, NULL, in_order, HINTS_ORDER },
    { "c-wait", "c", ORDER, 3, NAME_WAIT, "c-order", waited, HINTS_WAIT },
    { "c-hazard", "c", HAZARD, 1, NAME_HAZARD, "c-order c-wait", own_pixels, HINTS_HAZARD },
    { "c-output", "c", OUTPUT, 4, NAME_OUTPUT, "c-hazard", right_pixels, HINTS_OUTPUT },
    { "c-work", "c", HYGIENE, 2, NAME_WORK, "c-output", all_work, HINTS_WORK },
    { "c-chunks", "c", OVERLAP, 4, "the chunks are large enough to be worth their starting", "pinned c-work", few_enough,
      "How many chunks", { "How long does the copy of one chunk take, and how much of that is starting it?",
      "Choose by size rather than number",
      "A cudaMemcpyAsync() of about 1 MB: six to eight chunks for an image of this size." } },
    { "c-busy", "c", OVERLAP, 11, "the busiest engine is never idle for long, on all five cards", "c-chunks", busy,
      "An order for both", { "On the card that the report names: which operation could run already, and behind what does it stand?",
      "How far ahead do the copies in have to be",
      "One loop, one chunk ahead: in round k queue the cudaMemcpyAsync() in of chunk k, then brighten<<<>>>() and the "
      "cudaMemcpyAsync() out of chunk k - 1." } },
    { "c-leaks", "c", HYGIENE, 2, NAME_LEAKS, NULL, judge_leaks, HINTS_LEAKS },

    { "d-order", "d", ORDER, 3, "the three steps of each chain are in a guaranteed order", NULL, chains_order,
      READ_CALLS, { "What makes a chain's second step wait for its first?",
      "because a stream is a FIFO",
      "chain_step<<<1, BLOCK, 0, stream[chain]>>>(rows, count, chain, step): one stream for each chain." } },
    { "d-wait", "d", ORDER, 3, "all steps are done when the function returns", "d-order", chains_wait,
      READ_CALLS, { "Which call makes the host wait for the last step?",
      "your next line after it",
      "CHECK(cudaStreamSynchronize(stream[chain])) for every chain, behind the last launch." } },
    { "d-output", "d", OUTPUT, 3, "every row has gone through its three steps", "d-order d-wait", chains_output,
      READ_QUEUES, { "Which row and which step did each launch get?",
      "each with three kernels of one block",
      "chain_step<<<1, BLOCK, 0, stream[chain]>>>(rows, count, chain, step) with steps 0, 1 and 2 of every chain, in "
      "that order." } },
    { "d-work", "d", HYGIENE, 2, "each step of each chain is one launch of one block", "d-output", chains_work,
      READ_QUEUES, { "How many launches are 32 chains of three?",
      "each with three kernels of one block",
      "chain_step<<<1, BLOCK, 0, stream[chain]>>>(...), CHAINS * STEPS times." } },
    { "d-width", "d", OVERLAP, 9, "all chains run at once on cards with eight hardware queues", "d-work", chains_width,
      READ_QUEUES, { "Which kernel stands at the head of a queue while others behind it could run?",
      "all the first kernels are at the front",
      "The loop over the steps outside, the loop over the chains inside, chain_step<<<1, BLOCK, 0, stream[chain]>>>() in it." } },
    { "d-leaks", "d", HYGIENE, 2, NAME_LEAKS, NULL, judge_leaks, HINTS_LEAKS },
};

static const struct part parts[] = {
    { "a", "depth first", "buffers depth_first" },
    { "b", "breadth first", "breadth_first" },
    { "c", "pipeline", "pipeline" },
    { "d", "chains", "chains" },
};

static const char *const cards[] = { "h200", "rtx2070s", "c1060", "c2050", "k20c", NULL };

const struct lesson lesson_06 = {
    .number = 6, .folder = "06-overlap", .title = "Overlap",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .cards = cards,
};
