/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 05: does the learner know which calls wait, and is the
 * pipeline rid of those that need not?
 *
 * DESIGN
 * (a) is graded against what the reference solution's run measured on the same
 * machine: no table stands here. (b) knows a frame's operations by the memory
 * that they name. Whatever fills device memory has to come before a kernel, and
 * that before whatever reads it or fills it again; kernels' arguments are in no
 * log, so any kernel will do, and the output says whether it was the right one.
 */
#include <stdlib.h>
#include <string.h>

#include "grader/check.h"
#include "slots.h"

#define WIDTH_PERMILLE 900      /* of the reference's, on the same card */

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { random_odd(r, 9000, 20000), (int64_t)random_between(r, 9, 14) };
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, s.n * s.count);
    uint32_t *gain = exchange_add_elements(x, r, s.count);
    for (int64_t k = 0; k < s.count; k++)
        gain[k] |= 1;

    struct library *library = exchange_add_input(x, sizeof *library);
    for (int k = 0; k < LIBRARY_COUNT; k++) {       /* each in turn, at a place of its own */
        int place = (int)random_between(r, 0, (uint64_t)k);
        library->call[k] = library->call[place];
        library->call[place] = k % LIBRARY_WAYS;
    }

    exchange_add_output(x, sizeof(struct answers));
    exchange_add_output(x, (size_t)(s.n * s.count) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.n * s.count) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)s.count * sizeof(uint64_t));
}

static const struct sizes *sizes_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SIZES, NULL);
}

/* ---- (a) ---- */

static const char *const subject_name[SUBJECT_COUNT] = {
    "cudaMalloc", "cudaFree", "cudaMallocHost", "cudaFreeHost", "cudaMallocAsync with cudaFreeAsync in B", "cudaMemset",
    "cudaMemsetAsync in B", "cudaMemcpy inside the device", "cudaMemcpy from pageable memory",
    "cudaMemcpyAsync from pinned memory in B", "cudaMemcpyToSymbol", "cudaEventRecord in the default stream",
    "LIBRARY", "LIBRARY + 1", "LIBRARY + 2", "LIBRARY + 3", "LIBRARY + 4", "LIBRARY + 5", "LIBRARY + 6", "LIBRARY + 7",
};

/* What the run of the reference measured: the host was held until A's kernel had ended, B's kernel was. */
static bool measured(const struct evidence *e, int subject, bool device)
{
    const struct view *v = &e->reference[0];
    size_t open = 0, end = v->timeline->call_count, close;
    while (open < end && label_number(v, open, SUBJECT) != subject)
        open++;
    for (close = open + 1; close < end && v->timeline->calls[close].kind != CALL_LABEL; close++)
        ;
    struct selection s = { ENGINE_BIT(ENGINE_KERNEL), ANY, ANY, open, close };
    uint32_t in_a = next_kernel(v, s, "long_one", 0), in_b = next_kernel(v, s, "short_one", 0);
    if (in_a == ANY || in_b == ANY)
        return false;
    int64_t done = v->timeline->spans[in_a].end;
    return (device ? v->timeline->spans[in_b].start : call_of_node(v, in_b)->begin) >= done;
}

/* ---- (a): why an answer is wrong ---- */

/* What the driver calls for the subject. */
static const char *call_of(const struct evidence *e, int subject)
{
    static const char *const calls[KNOWN_COUNT] = {
        "cudaMalloc", "cudaFree", "cudaMallocHost", "cudaFreeHost", "cudaMallocAsync", "cudaMemset", "cudaMemsetAsync", "cudaMemcpy",
        "cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyToSymbol", "cudaEventRecord",
    };
    static const char *const library_calls[LIBRARY_WAYS] = {
        [IN_B] = "cudaMemsetAsync", [IN_DEFAULT] = "cudaMemset", [WAITS] = "cudaMemcpy",
    };
    const struct library *library = exchange_input(e->exchange, IN_LIBRARY, NULL);
    return subject < KNOWN_COUNT ? calls[subject] : library_calls[library->call[subject - KNOWN_COUNT]];
}

/* The first call of the subject that the learner's make_call() makes in part (a), one subject after the other; ANY for none. */
static uint32_t call_of_subject(const struct evidence *e, const char *part, int subject)
{
    const struct timeline *t = e->yours[0].timeline;
    struct selection s = in_part(&e->yours[0], part, 0);
    int before = 0;
    for (int k = 0; k < subject; k++)
        before += strcmp(call_of(e, k), call_of(e, subject)) == 0;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (is_in_driver(t, &t->calls[i]) && strcmp(timeline_string(t, t->calls[i].name), call_of(e, subject)) == 0 && before-- == 0)
            return (uint32_t)i;
    return ANY;
}

static bool asks(const struct call *c)
{
    return c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY;
}

static bool waits_for_device(const struct call *c)
{
    return c->kind == CALL_STREAM_SYNC || c->kind == CALL_DEVICE_SYNC || c->kind == CALL_EVENT_SYNC;
}

/* Does the program ask whether something is done between call `wait` and the driver's next? */
static bool asks_before(const struct timeline *t, size_t wait, size_t end)
{
    for (size_t i = wait + 1; i < end && !is_in_driver(t, &t->calls[i]); i++)
        if (asks(&t->calls[i]))
            return true;
    return false;
}

/* Is the question not about the stream of the long kernel? */
static bool asks_elsewhere(const struct timeline *t, struct finding *f, size_t question, uint32_t running)
{
    if (t->calls[question].kind != CALL_STREAM_QUERY || t->calls[question].stream == t->spans[running].stream)
        return false;
    f->call = (uint32_t)question;
    why(f, "This asks about another stream than that of the long kernel. Ask whether A's kernel still runs.");
    return true;
}

/* What is wrong with the experiment on one call, as far as its own calls show: fills f->why and f->call. False: nothing. */
static bool explain_experiment(const struct evidence *e, struct finding *f, const char *part, int subject, bool device)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    uint32_t made = call_of_subject(e, part, subject), running = ANY, behind = ANY, wait = ANY;
    f->function = "classify()";
    f->word = "make_call";
    if (made == ANY) {
        why(f, "%s was never tried: make_call() makes the call, once for each subject.", subject_name[subject]);
        return true;
    }
    size_t next = made + 1;             /* the driver's next call but those that belong to this one */
    while (next < s.end_call && is_in_driver(t, &t->calls[next]))
        next++;
    while (next < s.end_call && !is_in_driver(t, &t->calls[next]))
        next++;
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
        const struct span *span = &t->spans[node];
        if (span->call < made && span->end > t->calls[made].begin)
            running = node;
        if (span->call > made && behind == ANY && (span->call < next || strcmp(timeline_string(t, span->name), "short_one") == 0))
            behind = node;
    }
    if (running == ANY) {
        why(f, "No kernel is running when this call is made, so it has nothing to hold up or to wait for. Launch long_one() into "
               "another stream right before it.");
        return true;
    }
    size_t first = made + 1, end = s.end_call;
    while (first < end && is_in_driver(t, &t->calls[first]))
        first++;
    for (size_t i = first; i < end && !is_in_driver(t, &t->calls[i]); i++) {
        if (waits_for_device(&t->calls[i]) && wait == ANY)
            wait = (uint32_t)i;
        if (!device && wait == i && t->calls[i].end >= t->spans[running].end && asks_before(t, i, end)) {
            f->call = wait;
            why(f, "The host waits here until the long kernel is done, and asks afterwards. Ask whether it still runs as soon as the "
                   "call has returned, before you wait for anything.");
            return true;
        }
        if (!device && asks(&t->calls[i]))
            return asks_elsewhere(t, f, i, running);
    }
    if (!device)
        return false;
    if (behind == ANY || t->spans[behind].start < t->calls[made].begin) {
        why(f, "No kernel is launched into B after this call, so nothing shows whether the device was held up.");
        return true;
    }
    if (t->spans[behind].stream == t->spans[running].stream) {
        f->call = t->spans[behind].call;
        why(f, "This kernel is in the stream of the long one and waits for it in any case. Launch it into B.");
        return true;
    }
    for (size_t i = t->spans[behind].call + 1, waited = 0; i < end && !is_in_driver(t, &t->calls[i]); i++) {
        waited |= waits_for_device(&t->calls[i]) && t->calls[i].end >= t->spans[behind].end;
        if (waits_for_device(&t->calls[i]) && t->calls[i].end >= t->spans[running].end && t->spans[behind].end < t->spans[running].end) {
            f->call = (uint32_t)i;
            why(f, "The host waits here for the long kernel, and asks afterwards: wait for the kernel in B alone, then ask "
                   "whether A's kernel still runs.");
            return true;
        }
        if (asks(&t->calls[i]) && !waited) {
            f->call = (uint32_t)i;
            why(f, "You ask before the kernel in B is done. Wait for B first, then ask whether A's kernel still runs.");
            return true;
        }
        if (asks(&t->calls[i]))
            return asks_elsewhere(t, f, i, running);
    }
    return false;
}

static bool judge_classified(const struct evidence *e, struct finding *f, const char *part, bool device)
{
    const struct answers *a = exchange_output(e->exchange, OUT_ANSWERS, NULL);
    const uint8_t *answer = device ? a->device : a->host;
    int right = 0, first = -1, given = 0;
    for (int k = 0; k < SUBJECT_COUNT; k++)
        given += answer[k] <= 1;
    for (int k = 0; k < SUBJECT_COUNT; k++)
        if ((answer[k] == 1) == measured(e, k, device) && answer[k] <= 1)
            right++;
        else if (first < 0)
            first = k;
    if (first < 0)
        return true;
    bool waits = measured(e, first, device);
    if (device)
        expected(f, "%s: the kernel in B %s, on this machine", subject_name[first],
                 waits ? "starts when A's kernel is done" : "runs while A's kernel runs");
    else
        expected(f, "%s: the call returns %s, on this machine", subject_name[first],
                 waits ? "when A's kernel is done" : "while A's kernel runs");
    seen(f, "your answer is %s; %d of %d answers about the %s are right", answer[first] ? "true" : "false", right,
         SUBJECT_COUNT, device ? "device" : "host");
    if (explain_experiment(e, f, part, first, device))
        return false;
    f->word = device ? "device" : "host";
    if (right == 0 && given == SUBJECT_COUNT)
        return why(f, "All of these answers are the opposite of what is right. A call has waited if A's kernel is done when the question is "
                   "asked: cudaStreamQuery(a) is cudaSuccess then. cudaErrorNotReady says that the kernel still runs.");
    if (call_of_subject(e, part, first) != ANY)
        return why(f, "The call was tried while A's kernel ran. Does a question follow it that tells whether that kernel still runs, "
                   "cudaStreamQuery(a), and is its answer the one that stands in effect[k].%s?", f->word);
    return why(f, "The documentation says which calls may wait. Only a measurement says which do. Put the other calls into the "
               "chapter's program, which measures.");
}

static bool judge_host(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_classified(e, f, part, false);
}

static bool judge_device(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_classified(e, f, part, true);
}

/* ---- (b): the work ---- */

static bool judge_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct sizes *sizes = sizes_of(e);
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    int64_t launches = 0, handed = 0, bytes = sizes->n * sizes->count * (int64_t)sizeof(uint32_t), back = 0;
    for (uint32_t node = next_kernel(v, s, "develop_frame", 0); node != ANY;
         node = next_kernel(v, s, "develop_frame", node + 1))
        launches++;
    s.engines = ENGINE_BIT(ENGINE_D2H);
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1))
        back += (int64_t)v->timeline->spans[node].bytes;
    bool in_turn = true;
    for (size_t call = s.first_call; call < s.end_call; call++)
        if (label_number(v, call, HAND_OVER) >= 0)
            in_turn &= label_number(v, call, HAND_OVER) == handed++;
    if (launches == sizes->count && back == bytes && handed == sizes->count && in_turn)
        return true;
    expected(f, "%lld frames: each developed once, copied back once, handed over once and in turn",
             (long long)sizes->count);
    seen(f, "%lld launches of develop_frame(), %lld of %lld bytes copied back, %lld frames handed over%s",
         (long long)launches, (long long)back, (long long)bytes, (long long)handed, in_turn ? "" : ", out of turn");
    f->function = "develop()";
    f->word = launches != sizes->count ? "develop_frame" : "hand_over";
    if (launches == sizes->count && back != bytes && blame_copies(v, f, s, "develop()"))
        return false;
    return why(f, "Take the waits away, not the work%s.", launches == 0 ? ": nothing launches develop_frame()" : handed == 0
               ? ": nothing calls hand_over()" : "");
}

/* ---- (b): the order ---- */

/* Device memory that an operation fills, reads. */
static uint64_t filled(const struct view *v, uint32_t node)
{
    const struct span *span = &v->timeline->spans[node];
    return span->engine == ENGINE_H2D || span->engine == ENGINE_MEMSET ? call_of_node(v, node)->dst : 0;
}

static uint64_t emptied(const struct view *v, uint32_t node)
{
    const struct span *span = &v->timeline->spans[node];
    return span->engine == ENGINE_D2H || span->engine == ENGINE_D2D ? call_of_node(v, node)->src : 0;
}

/* The last call of this kind about the memory at `place` between two calls, ANY for none. */
static uint32_t last_about(const struct view *v, enum call_kind kind, uint64_t place, size_t first, size_t then)
{
    uint32_t found = ANY;
    for (size_t call = first; call < then; call++)
        if (v->timeline->calls[call].kind == kind && v->timeline->calls[call].dst == place)
            found = (uint32_t)call;
    return found;
}

/* A copy inside the device into memory that is itself copied on: it brings what a kernel is to begin with. */
static bool fills_from_device(const struct view *v, struct selection s, uint32_t node)
{
    if (v->timeline->spans[node].engine != ENGINE_D2D)
        return false;
    for (uint32_t on = next_span(v, s, 0); on != ANY; on = next_span(v, s, on + 1))
        if (emptied(v, on) == call_of_node(v, node)->dst)
            return true;
    return false;
}

static bool judge_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    struct chain *kernels;
    size_t count = chains_of(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), &kernels);
    uint32_t first = ANY, then = ANY, freed = ANY;
    bool kernel_between = true, chained = true;
    for (uint32_t node = next_span(v, s, 0); node != ANY && then == ANY; node = next_span(v, s, node + 1)) {
        uint64_t place = filled(v, node) ? filled(v, node) : emptied(v, node);
        /* The latest one before it that filled this memory, or read it where this one fills. */
        for (uint32_t before = node; place && before-- > 0 && v->timeline->spans[before].call >= s.first_call;) {
            bool fills = filled(v, before) == place, reads = filled(v, node) && emptied(v, before) == place;
            if ((!fills && !reads) || !(ENGINE_BIT(v->timeline->spans[before].engine) & s.engines))
                continue;
            /* What comes after memory was given back is other memory. */
            size_t filled_at = v->timeline->spans[before].call, used_at = v->timeline->spans[node].call;
            freed = last_about(v, CALL_FREE, place, filled_at, used_at);
            if (freed != ANY) {
                if (last_about(v, CALL_MALLOC, place, freed, used_at) == ANY)
                    first = before, then = node;
                break;
            }
            kernel_between = fills;
            chained = fills && !fills_from_device(v, s, node);
            if (chained ? !chain_between(v->order, kernels, count, before, node) : !hb_before(v->order, before, node, GUARANTEED))
                first = before, then = node;
            break;
        }
    }
    if (then == ANY || freed != ANY)
        free(kernels);
    if (then == ANY)
        return true;
    f->call = v->timeline->spans[then].call;
    if (freed != ANY) {
        expected(f, "a buffer is freed after everything that uses it is queued");
        seen(f, "this uses memory that line %u has freed", v->timeline->calls[freed].line);
        return why(f, "cudaFreeAsync() takes its turn in the stream like any other work, and from there on the memory may be handed to "
                   "another allocation. Free it after the last copy.");
    }
    expected(f, kernel_between ? "in a lane: memory is filled, a kernel uses it, and only then is it read or filled again"
                               : "a buffer is filled again when the copies out of it are done");
    seen(f, kernel_between ? "no kernel waits for %s and is waited for by %s" : "nothing orders %s before %s", node_name(v, first).text,
         node_name(v, then).text);
    const char *otherwise = "The calls of one frame belong in one stream, the lane's. Then their order needs no wait. In two streams the "
                            "order is luck.";
    if (chained)
        why_unchained(v, f, kernels, count, first, "what fills the memory", then, "what reads or fills it next", "%s", otherwise);
    else
        why_unordered(v, f, first, "the copy out", then, "what fills the memory again", "%s", otherwise);
    free(kernels);
    return false;
}

static bool judge_handed(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const uint64_t *place = exchange_output(e->exchange, OUT_PLACES, NULL);
    const struct sizes *sizes = sizes_of(e);
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    for (size_t call = s.first_call; call < s.end_call; call++) {
        long frame = label_number(v, call, HAND_OVER);
        if (frame < 0 || frame >= sizes->count)
            continue;
        uint64_t from = place[frame], to = from + (uint64_t)sizes->n * sizeof(uint32_t);
        for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
            const struct call *c = call_of_node(v, node);
            if (v->timeline->spans[node].call > call || c->dst >= to || c->dst + c->bytes <= from
                || hb_before_call(v->order, node, v->timeline->calls, call, GUARANTEED))
                continue;
            blame_label(f, call, v->timeline->spans[node].call);
            expected(f, "a frame is handed over when its copy back is done");
            seen(f, "frame %ld is handed over, and nothing has waited for the copy of line %u into its memory", frame, c->line);
            return why_unwaited(v, f, node, call, "One wait is needed before this: hand_over() reads what the copy brings. Wait for the "
                                "lane's stream with cudaStreamSynchronize(), or for an event recorded after the copy with "
                                "cudaEventSynchronize(), and for nothing else.");
        }
    }
    for (uint32_t node = next_span(v, (struct selection){ ENGINES_DEVICE, ANY, ANY, s.first_call, s.end_call }, 0);
         node != ANY;
         node = next_span(v, (struct selection){ ENGINES_DEVICE, ANY, ANY, s.first_call, s.end_call }, node + 1))
        if (!hb_before_call(v->order, node, v->timeline->calls, s.end_call, GUARANTEED)) {
            f->call = v->timeline->spans[node].call;
            expected(f, "when develop() returns, all is done");
            seen(f, "nothing has waited for %s", node_name(v, node).text);
            return why_unwaited(v, f, node, s.end_call, "Wait for each lane's stream once at the end.");
        }
    return true;
}

/* The first copy or memset that is neither of whole frames nor of gains; ANY for none. */
static uint32_t odd_copy(const struct view *v, const char *part, uint64_t frame)
{
    struct selection s = in_part(v, part, ENGINES_DEVICE & ~ENGINE_BIT(ENGINE_KERNEL));
    uint32_t node = next_span(v, s, 0);
    while (node != ANY && (call_of_node(v, node)->bytes % frame == 0
           || (call_of_node(v, node)->bytes % sizeof(uint32_t) == 0 && call_of_node(v, node)->bytes < frame / 100)))
        node = next_span(v, s, node + 1);
    return node;
}

/* The copy of that engine which brings frame k home, or to the archive: the k-th; ANY for none. */
static uint32_t copy_of_frame(const struct view *v, const char *part, enum engine engine, int64_t k)
{
    struct selection s = in_part(v, part, ENGINE_BIT(engine));
    uint32_t node = next_span(v, s, 0);
    while (k-- > 0 && node != ANY)
        node = next_span(v, s, node + 1);
    return node;
}

static bool judge_frames(const struct evidence *e, struct finding *f, const char *part)
{
    const struct sizes *sizes = sizes_of(e);
    const uint32_t *in = exchange_input(e->exchange, IN_ELEMENTS, NULL), *gain = exchange_input(e->exchange, IN_GAINS, NULL);
    for (int slot = OUT_FRAMES; slot <= OUT_ARCHIVE; slot++) {
        const uint32_t *out = exchange_output(e->exchange, slot, NULL);
        for (int64_t i = 0; i < sizes->n * sizes->count; i++) {
            uint32_t wanted = gain[i / sizes->n] * in[i] + 1;
            if (out[i] == wanted)
                continue;
            struct view const *v = &e->yours[0];
            uint32_t odd = odd_copy(v, part, (uint64_t)sizes->n * sizeof(uint32_t));
            uint32_t node = next_kernel(v, in_part(v, part, 0), "develop_frame", 0);
            for (int64_t k = i / sizes->n; k > 0 && node != ANY; k--)
                node = next_kernel(v, in_part(v, part, 0), "develop_frame", node + 1);
            f->call = node == ANY ? ANY : v->timeline->spans[node].call;
            expected(f, "%s: element %lld of frame %lld is %u", slot == OUT_FRAMES ? "handed over" : "in the archive",
                     (long long)(i % sizes->n), (long long)(i / sizes->n), wanted);
            seen(f, "%u", out[i]);
            if (odd != ANY) {
                f->call = v->timeline->spans[odd].call;
                return why(f, "This copy moves %llu bytes. A frame has %llu, and a gain %zu.", (unsigned long long)call_of_node(v, odd)->bytes,
                           (unsigned long long)sizes->n * sizeof(uint32_t), sizeof(uint32_t));
            }
            if (out[i] == in[i]) {
                uint32_t copy = copy_of_frame(v, part, slot == OUT_ARCHIVE ? ENGINE_D2D : ENGINE_D2H, i / sizes->n);
                f->call = copy != ANY ? v->timeline->spans[copy].call : f->call;
                return why(f, "That is the element as it came in. develop_frame() writes to lane->out: is that what this copies, and has it "
                           "been written?");
            }
            if (slot == OUT_ARCHIVE && next_span(v, in_part(v, part, ENGINE_BIT(ENGINE_D2D)), 0) == ANY)
                return why(f, "No cudaMemcpyAsync() or cudaMemcpy() of this part copies inside the device: what brings a frame to the archive?");
            for (int64_t k = 0; k < sizes->count; k++)
                if (k != i / sizes->n && out[i] == gain[k] * in[i] + 1)
                    return why(f, "That is what frame %lld's gain makes of it. Was the gain still the lane's own when the kernel ran?", (long long)k);
            return why(f, "Zeros in the buffer, the frame's elements, the lane's gain, then the kernel, then both copies: "
                       "which of them was missing or came at another time?");
        }
    }
    return true;
}

/* ---- (b): the waits ---- */

/* Calls that wait for more than they need, with the cure. */
static const struct culprit {
    const char *name;           /* of the call */
    const char *cure;
} culprits[] = {
    { "cudaFree", "cudaFree() waits for the whole device. Allocate once, outside the loop, or take the memory from the stream: "
      "cudaMallocAsync() and cudaFreeAsync()." },
    { "cudaFreeHost", "cudaFreeHost() waits for the whole device. Allocate once, outside the loop." },
    { "cudaHostUnregister", "cudaHostUnregister() waits for the whole device. Pin the memory once, outside the loop." },
    { "cudaMemset", "cudaMemset() goes to the default stream, which waits for every lane and makes every lane wait. Use "
      "cudaMemsetAsync() in the lane's stream." },
    { "cudaMemcpyToSymbol", "cudaMemcpyToSymbol() goes to the default stream and holds the host until it is done. Use "
      "cudaMemcpyToSymbolAsync() in the lane's stream." },
    { "cudaMemcpy", "cudaMemcpy() goes to the default stream, which waits for every lane and makes every lane wait. That holds for a "
      "copy inside the device, too, although the host does not wait for it. Use cudaMemcpyAsync() in the lane's stream." },
    { "cudaDeviceSynchronize", "This waits for everything on the device. Wait for the one lane whose result you need." },
};

/* The first call of the part, before its last launch, that is such a one; ANY for none. */
static uint32_t find_culprit(const struct view *v, const char *part, const struct culprit **which)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    size_t first = s.end_call, last = s.first_call;
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
        last = v->timeline->spans[node].call;
        first = last < first ? last : first;
    }
    for (size_t call = s.first_call; call < last; call++)
        for (size_t k = 0; k < sizeof culprits / sizeof *culprits; k++)
            if (strcmp(timeline_string(v->timeline, v->timeline->calls[call].name), culprits[k].name) == 0
                && (call > first || v->timeline->calls[call].kind == CALL_SET || v->timeline->calls[call].kind == CALL_COPY)) {
                *which = &culprits[k];
                return (uint32_t)call;
            }
    return ANY;
}

/* What was put into the default stream between two launches, ANY for nothing. */
static uint32_t named_no_stream(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    const struct timeline *t = v->timeline;
    uint32_t legacy = ANY, stray = ANY;
    bool queueing = false;
    for (size_t call = 0; call < s.end_call; call++) {
        const struct call *c = &t->calls[call];
        if (c->kind == CALL_STREAM_CREATE && (c->flags & STREAM_LEGACY))
            legacy = c->stream;
        bool launches = call >= s.first_call && c->kind == CALL_LAUNCH;
        if (launches && stray != ANY)
            return stray;
        queueing |= launches;
        if (queueing && stray == ANY && c->stream == legacy && c->kind >= CALL_LAUNCH && c->kind <= CALL_STREAM_WAIT)
            stray = (uint32_t)call;
    }
    return ANY;
}

static bool judge_width(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        /* There the order of issue counts, which is lesson 06. */
        if (v->card->copies_signal_in_queue)
            continue;
        unsigned mine = average_width(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)));
        unsigned theirs = average_width(&e->reference[view], in_part(&e->reference[view], part, ENGINE_BIT(ENGINE_KERNEL)));
        unsigned asked = theirs * share_asked(v, WIDTH_PERMILLE) / 1000;
        if (mine >= asked)
            continue;
        const struct culprit *which;
        f->view = view;
        expected(f, "at least %u.%02u frames are developed at the same time, on average (the reference solution: %u.%02u)",
                 asked / 1000, asked / 10 % 100, theirs / 1000, theirs / 10 % 100);
        seen(f, "%u.%02u", mine / 1000, mine / 10 % 100);
        f->call = find_culprit(v, part, &which);
        if (f->call != ANY)
            return why(f, "%s", which->cure);
        struct selection s = in_part(v, part, ENGINES_DEVICE);
        f->call = named_no_stream(v, part);
        if (f->call != ANY)
            return why(f, "This is in the default stream, which waits for all blocking streams and makes them wait. Name the lane's "
                       "stream: the last argument of a call, the fourth of a launch.");
        f->call = wait_in_between(v, s);
        const struct call *waits = f->call == ANY ? NULL : &v->timeline->calls[f->call];
        if (waits && waits->kind == CALL_COPY && waits->flags & CALL_ASYNC
            && (waits->dst_kind == MEM_PAGEABLE || waits->src_kind == MEM_PAGEABLE))
            return why(f, "This copy holds the host up until it is done, although its name says Async, because its host memory is "
                       "pageable. Take the memory from cudaMallocHost().");
        if (streams_used(v, s) < 2)
            return why(f, "All frames are in one stream. Give each lane its own.");
        if (f->call != ANY)
            return why(f, "The host waits here while frames are still to be queued. Wait for a lane when its turn comes again, "
                       "LANES frames later.");
        return why(f, "Find in the timeline the moment when one kernel runs and the next could.");
    }
    return true;
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "what does each call hold up?", "classify" },
    { "b", "five waits too many", "open close frame" },
};

#define READ_MEASURED "What an H200 does"
#define READ_MEASURE "Measure it"
#define READ_CURES "The cures"
#define READ_NEEDED "The waits that are needed"

static const struct check checks[] = {
    { "a-host", "a", OUTPUT, 18, "which calls hold the host up", NULL, judge_host, READ_MEASURED, {
      "Which of these calls cannot return before something else is done, and what is it?",
      "Two questions, two columns",
      "long_one<<<1, 1, 0, a>>>(), make_call((enum subject)k, b), and at once cudaStreamQuery(a) == cudaSuccess." } },
    { "a-device", "a", OUTPUT, 18, "which calls make other streams wait", NULL, judge_device, READ_MEASURED, {
      "In which stream is the call's own work, and which streams wait for that one?",
      "What goes to the default stream makes the device wait",
      "After make_call(): short_one<<<1, 1, 0, b>>>(), cudaStreamSynchronize(b), then cudaStreamQuery(a) == cudaSuccess." } },
    { "a-leaks", "a", HYGIENE, 1, "all that was made is given back", NULL, judge_leaks, READ_CURES, {
      "What does classify() make to measure with, and where does it go?", "once, outside the loop",
      "cudaStreamDestroy() for both streams, after the loop." } },
    { RACES("a", 2, "*", READ_NEEDED, "One wait in the loop is needed") },
    { ERRORS("a", 1, "*") },

    { "b-work", "b", OUTPUT, 4, "every frame is developed, copied back and handed over once", NULL, judge_work, READ_CURES, {
      "Which call did you take out, and which work was in it?", "Nothing is left out",
      "For each frame: cudaMemsetAsync(), cudaMemcpyToSymbolAsync(), develop_frame<<<>>>(), two cudaMemcpyAsync()." } },
    { "b-order", "b", ORDER, 8, "in a lane, memory is filled, used and read in an order that is guaranteed", "b-work",
      judge_order, READ_CURES, {
      "What makes this operation wait for the one that filled its memory?", "the order of the work is the order of the lines",
      "lane->stream in all five: cudaMemcpyAsync(..., lane->stream), cudaMemsetAsync(..., lane->stream), develop_frame<<<BLOCKS, THREADS, 0, lane->stream>>>()." } },
    { "b-handed", "b", ORDER, 8, "a frame is handed over when it has arrived", "b-order", judge_handed, READ_NEEDED, {
      "When does the host read lane->result, and when has the copy into it ended?", "One wait in the loop is needed",
      "CHECK(cudaStreamSynchronize(lane->stream)) before hand_over()." } },
    { "b-output", "b", OUTPUT, 10, "every element is right, on the host and in the archive", "b-handed", judge_frames,
      READ_CURES, {
      "What was in the buffer, in the lane's gain and in the result when each was used?",
      "the order of the work is the order of the lines",
      "cudaMemsetAsync(), cudaMemcpyToSymbolAsync(), develop_frame<<<>>>(), cudaMemcpyAsync() twice: in this order." } },
    { "b-overlap", "b", OVERLAP, 21, "the lanes do not wait for each other", "b-handed", judge_width, READ_CURES, {
      "Which call between two launches affects more than its own lane?", "Nearly every call that goes to the default",
      "cudaMallocHost() and cudaMalloc() once in open_lane(); cudaMemsetAsync(), cudaMemcpyToSymbolAsync() and "
      "cudaMemcpyAsync() with lane->stream in queue_frame()." } },
    { "b-leaks", "b", HYGIENE, 3, "all that was made is given back", NULL, judge_leaks, READ_CURES, {
      "What does open_lane() take that close_lane() does not give back?", "once, outside the loop",
      "cudaFree(lane->out) and cudaFreeHost(lane->result) in close_lane()." } },
    { RACES("b", 5, "* b-overlap", READ_NEEDED, "One wait in the loop is needed") },
    { ERRORS("b", 1, "*") },
};

static const char *const cards[] = { "h200", "rtx2070s", "k20c", NULL };

const struct lesson lesson_05 = {
    .number = 5,
    .folder = "05-implicit-sync",
    .title = "Implicit synchronization",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .cards = cards,
};
