/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 04: who waits for the default stream, what runs beside it,
 * and do four threads have one each?
 *
 * DESIGN
 * (a) is graded against what the reference's run measured on the same card (pairs.c): no
 * table stands here. A pair is asked with an event, which needs no engine of
 * the card's: that it waits is the streams' doing. Part (c) is in jobs.c.
 */
#include <stdlib.h>

#include "grader/check.h"

#include "slots.h"

#define OVERLAP_PERMILLE 850    /* of the reference's, on the same card */

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    int64_t photo = random_odd(r, 9000, 16000), job = random_odd(r, 5000, 9000);
    exchange_add_elements(x, r, photo);
    exchange_add_elements(x, r, job * JOB_COUNT);
    struct given *given = exchange_add_input(x, sizeof *given);
    given->as[0] = (int64_t)random_between(r, 0, GIVEN_WAYS - 1);
    given->as[1] = (given->as[0] + (int64_t)random_between(r, 1, GIVEN_WAYS - 1))
                   % GIVEN_WAYS;     /* not both the same */
    exchange_add_output(x, sizeof(struct table));
    exchange_add_output(x, (uint64_t)photo * sizeof(uint32_t));
    exchange_add_output(x, (uint64_t)job * JOB_COUNT * sizeof(uint32_t));
}

/* ---- (b): the work and its order ---- */

enum { DEVELOP, BLUR, GRAIN, MERGE, STEPS };
static const char *const kernel_name[STEPS] = { "develop", "blur", "make_grain", "merge" };
static const char *const call_name[STEPS] = { "develop()", "vendor_blur()", "make_grain()",
                                              "merge()" };

static uint32_t step(const struct view *v, const char *part, int which)
{
    return kernel_named(v, in_part(v, part, 0), kernel_name[which], NULL);
}

static bool judge_photo_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int which = 0; which < STEPS; which++) {
        size_t launches;
        uint32_t node = kernel_named(v, in_part(v, part, 0), kernel_name[which], &launches);
        if (launches == 1)
            continue;
        EACH_KERNEL(again, v, in_part(v, part, 0), kernel_name[which])
            node = again;           /* the one too many */
        f->call = call_number(v, node);
        f->sure = launches > 1;
        f->function = "print_photo";
        f->word = which == BLUR ? "vendor_blur" : kernel_name[which];
        expected(f,
                 "develop(), vendor_blur(), make_grain() and merge() run once each, on the device");
        seen(f, "%s ran %zu times", call_name[which], launches);
        return why(
            f,
            launches > 0
                ? "Each is one step of the same photo. A step that is done twice changes the result."
            : which == BLUR
                ? "The vendor's function launches its own kernel: call it from the host, once."
                : "Neither <<<>>> nor cudaLaunchKernel() has launched it. If there is such a call, was it refused? "
                  "CHECK(cudaGetLastError()) after a launch tells you.");
    }
    return true;
}

/* Is `after` bound to wait for `before`? Says why not. */
static bool bound(const struct view *v, struct finding *f, const char *part, int before, int after)
{
    uint32_t first = step(v, part, before), then = step(v, part, after);
    if (first == ANY || then == ANY || hb_before(v->order, first, then, GUARANTEED))
        return true;
    const struct timeline *t = v->timeline;
    expected(f, "%s is bound to wait for %s", call_name[after], call_name[before]);
    seen(f, "nothing makes it wait: the two touch the same memory in no guaranteed order");
    f->call = t->spans[after == BLUR ? first : then].call;
    if (after == BLUR && t->spans[then].call < t->spans[first].call)
        return why(f,
                   "vendor_blur() is called before this launch, and nothing can make it wait for what is queued later. Launch develop() "
                   "first.");
    if (after == BLUR)
        return why_unordered(v, f, first, call_name[before], then, call_name[after],
                             "This is in a non-blocking stream, which the default stream ignores. Record an event after develop(), and "
                             "let the default stream wait for it before you call the vendor's function: "
                             "cudaStreamWaitEvent(cudaStreamLegacy, event, 0).");
    uint32_t kind = timeline_stream_flags(t, t->spans[first].stream)
                    & (STREAM_LEGACY | STREAM_PER_THREAD);
    if (before == GRAIN && kind != 0) {
        f->call = t->spans[first].call;
        return why(f,
                   "make_grain() is in the %s default stream here, and merge() is in another stream. Put it into merge()'s stream, with the "
                   "fourth launch parameter: there it runs beside the blur, and merge() comes after it.",
                   kind & STREAM_LEGACY ? "legacy" : "per-thread");
    }
    static const char *const cure =
        "This is in a non-blocking stream, which ignores the default stream. Record an event after vendor_blur(), "
        "cudaEventRecord(event, cudaStreamLegacy), and let this stream wait for it with cudaStreamWaitEvent().";
    uint32_t grain = step(v, part, GRAIN);
    why_unordered(v, f, first, call_name[before], then, call_name[after],
                  before != BLUR ? NULL : "%s", cure);
    /* The record by which merge() waits for the grain is not the blur's that went astray. */
    bool for_grain = before == BLUR && grain != ANY && f->call < t->call_count
                     && t->calls[f->call].kind == CALL_EVENT_RECORD
                     && t->calls[f->call].stream == t->spans[grain].stream
                     && t->spans[grain].stream != t->spans[then].stream
                     && hb_before(v->order, grain, then, GUARANTEED);
    if (!for_grain)
        return false;
    f->call = t->spans[then].call;
    return why(f, "%s", cure);
}

static bool judge_before(const struct evidence *e, struct finding *f, const char *part)
{
    return bound(&e->yours[0], f, part, DEVELOP, BLUR);
}

static bool judge_after(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    return bound(v, f, part, BLUR, MERGE) && bound(v, f, part, GRAIN, MERGE);
}

/* ---- (b): the host ---- */

static bool judge_host(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, ENGINES_DEVICE), until = s;
    until.end_call = s.first_call;
    EACH_SPAN(node, v, s)
        if (t->spans[node].call > until.end_call)
            until.end_call = t->spans[node].call;
    f->call = first_standstill(v, until);
    if (f->call == ANY)
        return true;
    expected(f, "the host queues everything, and waits once at the end");
    seen(f, "it waits in %s before the last kernel is queued",
         timeline_string(t, t->calls[f->call].name));
    return why(f,
               "The order may be right this way, but the host pays for it: it cannot queue what comes next. With "
               "cudaStreamWaitEvent() a stream waits on the device, and the host goes on.");
}

static bool judge_wait(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    uint32_t left = never_waited_for(v, s);
    if (left == ANY)
        return true;
    f->call = v->timeline->spans[step(v, part, MERGE)].call;
    expected(f, "when print_photo() returns, all is done");
    seen(f, "nothing has waited for %s", node_name(v, left).text);
    return why_unwaited(v, f, left, s.end_call,
                        "Wait for the stream that merge() is in, with cudaStreamSynchronize(). Waiting for the "
                        "default stream covers blocking streams only, and cudaStreamDestroy() does not wait.");
}

#define POISON 0x5a5a5a5au        /* what the driver's memory holds before print_photo() */

/* The step that has left that element of the print out: with its memory as it was before, the
 * others make this value of it. STEPS: none. */
static int step_left_out(uint32_t raw, uint32_t value)
{
    uint32_t image = 3 * raw + 1, blurred = image ^ image << 3, grain = raw ^ raw >> 7;
    const uint32_t without[STEPS] = {
        [DEVELOP] = 5 * (POISON ^ POISON << 3) + grain,
        [BLUR] = 5 * image + grain,
        [GRAIN] = 5 * blurred + POISON,
        [MERGE] = POISON,
    };
    int left_out = 0;
    while (left_out < STEPS && without[left_out] != value)
        left_out++;
    return left_out;
}

static bool judge_print(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    size_t bytes;
    const uint32_t *raw = exchange_input(e->exchange, IN_RAW, &bytes),
                   *print = exchange_output(e->exchange, OUT_PRINT, NULL);
    uint32_t n = (uint32_t)(bytes / sizeof *raw), wrong = 0, first = 0, wanted = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t image = 3 * raw[i] + 1, blurred = image ^ image << 3,
                 right = 5 * blurred + (raw[i] ^ raw[i] >> 7);
        if (print[i] != right && !wrong++) {
            first = i;
            wanted = right;
        }
    }
    if (!wrong)
        return true;
    if (part_ran(v, part) && !part_ran(v, AGAIN)) {
        f->function = "print_photo";
        f->word = "static";
        expected(f, "print_photo() is right each time that it is called");
        seen(f,
             "a second call, which the driver makes when the first one has been judged, did not finish");
        return why(f,
                   "What the first call left in a static or global variable may be gone or used up in the second. Begin each call afresh.");
    }
    f->call = call_number(v, step(v, part, MERGE));
    expected(f,
             "each of the %u elements of `print` is merged from the blurred image and the grain: element %u is %u",
             n, first, wanted);
    seen(f, "%u %s wrong, the first is element %u: %u", wrong, wrong == 1 ? "is" : "are", first,
         print[first]);
    int left_out = wrong < n ? step_left_out(raw[first], print[first]) : STEPS;
    if (left_out < STEPS) {
        f->call = call_number(v, step(v, part, left_out));
        return why(f,
                   "That is what the other three steps make of the element without %s: this one has not got that far. Does it cover all n "
                   "elements, the last ones too?",
                   call_name[left_out]);
    }
    return why(
        f,
        wrong < n
            ? "Does each of the four cover all n elements, the last ones too?"
            : "Which memory does each of the four name? See lesson.h for what it reads and writes.");
}

/* ---- (b): does anything run beside the blur? ---- */

/* How much of the shorter of blur and grain ran beside the other, in thousandths. */
static unsigned beside_blur(const struct view *v, const char *part)
{
    struct selection one[2];
    int64_t length[2];
    for (int k = 0; k < 2; k++) {
        uint32_t node = step(v, part, k == 0 ? BLUR : GRAIN);
        if (node == ANY)
            return 0;
        uint32_t call = v->timeline->spans[node].call;
        one[k] = (struct selection){ ENGINE_BIT(ENGINE_KERNEL), ANY, ANY, call, call + 1 };
        length[k] = measure_busy(v->timeline, one[k]);
    }
    int64_t shorter = length[0] < length[1] ? length[0] : length[1];
    return shorter > 0 ? (unsigned)(measure_overlap(v->timeline, one[0], one[1]) * 1000 / shorter)
                       : 0;
}

static bool judge_overlap(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        unsigned mine = beside_blur(v, part), theirs = beside_blur(&e->reference[view], part);
        /* With one queue for all streams the order of issue counts, which is lesson 06. */
        if (v->card->queues < 2 || mine * 1000 >= theirs * share_asked(v, OVERLAP_PERMILLE))
            continue;
        uint32_t grain = step(v, part, GRAIN), blur = step(v, part, BLUR);
        const struct call *made =
            timeline_stream_made(v->timeline, v->timeline->spans[grain].stream);
        uint32_t flags = made ? made->flags : 0;
        f->view = view;
        f->call = v->timeline->spans[grain].call;
        expected(f, "make_grain() runs beside the blur");
        seen(f,
             "%u %% of the shorter of the two ran beside the other (%u %% in the reference solution)",
             mine / 10, theirs / 10);
        if (flags & STREAM_LEGACY)
            return why(f,
                       "This is in the default stream, before or after the blur. Put it into a stream made by "
                       "cudaStreamCreateWithFlags(.., cudaStreamNonBlocking).");
        if (flags & STREAM_PER_THREAD)
            return why(f,
                       "This is in the per-thread default stream, which the legacy one treats as a blocking stream. Put it into a "
                       "stream made with cudaStreamNonBlocking.");
        if (!(flags & STREAM_NON_BLOCKING))
            return why(f,
                       "This is in a blocking stream, made in line %u: it waits for the default stream, and the default stream for it. "
                       "cudaStreamCreateWithFlags(.., cudaStreamNonBlocking) makes one that does not.",
                       made ? made->line : 0);
        if (hb_before(v->order, blur, grain, GUARANTEED))
            return why(f,
                       "Its stream waits for the blur before this is queued, and need not. Queue this first, then the wait.");
        if (hb_before(v->order, grain, blur, GUARANTEED))
            return why(f,
                       "The default stream waits for this, too, because the event that it waits for was recorded after it. Record "
                       "the event after develop(), and queue this afterwards.");
        return why(f,
                   "Only the order in which they were queued keeps them apart. Queue one right after the other.");
    }
    return true;
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "who waits for whom?", "held" },
    { "b", "beside the vendor's blur", "photo" },
    { "c", "four threads", "build job" },
};

#define READ_BARRIER "A barrier across streams"
#define READ_OUT "Non-blocking streams"
#define READ_THREAD "The per-thread default stream"
#define READ_MEASURE "Measure it"
#define READ_LIBRARY "A library behind your back"
#define READ_CALLS "The calls"

#define CALL_MEASURE "In is_held(): long_one<<<1, 1, 0, first>>>(), cudaEventRecord(event, second), cudaEventSynchronize(event); " \
    "held is cudaStreamQuery(first) == cudaSuccess."
#define LEAKS .name = "all that was made is given back", .judge = judge_leaks

JUDGE(judge_alone);
JUDGE(judge_legacy);
JUDGE(judge_non_blocking);
JUDGE(judge_per_thread);
JUDGE(judge_blocking);
JUDGE(judge_job_work); JUDGE(judge_job_order); JUDGE(judge_job_wait); JUDGE(judge_job_output);
JUDGE(judge_job_overlap);

static const struct check checks[] = {
    { .id = "a-alone",
      .part = "a",
      .kind = ORDER,
      .points = 4, .name = "each stream is tried while nothing of an earlier pair runs",
      .judge = judge_alone, .read = READ_MEASURE,
      .hints = { "What may still be running when the next pair's kernel is launched?",
                 "waiting for an earlier pair's kernel",
                 "CHECK(cudaDeviceSynchronize()) at the end of is_held()." } },
    { .id = "a-blocking", .part = "a", .kind = OUTPUT, .points = 4,
      .name = "each stream and itself, two blocking streams, streams of unknown kinds",
      .needs = "a-alone", .judge = judge_blocking, .read = READ_MEASURE,
      .hints = { "What is promised within a stream, and what between two?",
                 "The diagonal is lesson 02", CALL_MEASURE } },
    { .id = "a-legacy",
      .part = "a",
      .kind = OUTPUT,
      .points = 5,
      .name = "the legacy default stream and blocking streams",
      .needs = "a-blocking",
      .judge = judge_legacy,
      .read = READ_BARRIER,
      .hints = { "A blocking stream is busy, and you queue into the default stream: what starts when? And the other way round?",
                 "it waits for everything queued before", CALL_MEASURE } },
    { .id = "a-non-blocking", .part = "a", .kind = OUTPUT, .points = 6,
      .name = "a non-blocking stream and all others", .needs = "a-blocking",
      .judge = judge_non_blocking, .read = READ_OUT,
      .hints = { "For which stream does a non-blocking stream wait, other than itself?",
                 "It waits for no other stream", CALL_MEASURE } },
    { .id = "a-per-thread",
      .part = "a",
      .kind = OUTPUT,
      .points = 5,
      .name = "the per-thread default stream and all others",
      .needs = "a-blocking",
      .judge = judge_per_thread,
      .read = READ_THREAD,
      .hints = { "Which of the streams that you have made does the per-thread default stream resemble?",
                 "legacy default stream it is a blocking", CALL_MEASURE } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 1,
      LEAKS,
      .read = READ_CALLS,
      .hints = { "How many events has is_held() made when all pairs are measured, and how many are left?",
                 "is given back like any other",
                 "cudaEventDestroy(event) before is_held() returns." } },
    { RACES("a", 2, NULL, READ_MEASURE, "The diagonal is lesson 02") },
    { ERRORS("a", 1, "*") },

    { .id = "b-work", .part = "b", .kind = OUTPUT, .points = 2,
      .name = "develop, blur, grain and merge run once each", .judge = judge_photo_work,
      .read = READ_LIBRARY, .hints = { "Which of the four is missing, or there twice?",
                                       "three of the four steps have",
                 "develop<<<>>>(), vendor_blur(), make_grain<<<>>>() and merge<<<>>>(), once each." } },
    { .id = "b-before", .part = "b", .kind = HAZARD, .points = 5,
      .name = "the blur finds the image developed", .needs = "b-work", .judge = judge_before,
      .read = READ_LIBRARY, .hints = { "What makes the vendor's stream wait for develop()?",
                                       "Into the library's stream",
                 "cudaEventRecord(developed, mine) and cudaStreamWaitEvent(cudaStreamLegacy, developed, 0), before vendor_blur()." } },
    { .id = "b-after", .part = "b", .kind = HAZARD, .points = 5,
      .name = "merge finds the image blurred and the grain made", .needs = "b-before",
      .judge = judge_after, .read = READ_LIBRARY,
      .hints = { "What makes the stream of merge() wait for the vendor's, and for make_grain()?",
                 "Out of the library's stream",
                 "cudaEventRecord(blurred, cudaStreamLegacy) after vendor_blur(), cudaStreamWaitEvent(mine, blurred, 0) before merge()." } },
    { .id = "b-host", .part = "b", .kind = ORDER, .points = 4,
      .name = "the host waits once, when all is queued", .judge = judge_host, .read = READ_LIBRARY,
      .hints = { "What waits here, the host or a stream? And what ought to?",
                 "The host has no part in it",
                 "cudaStreamWaitEvent() in place of cudaDeviceSynchronize(), cudaStreamSynchronize() or cudaEventSynchronize()." } },
    { .id = "b-wait", .part = "b", .kind = ORDER, .points = 2,
      .name = "the print is complete on return", .needs = "b-after", .judge = judge_wait,
      .read = READ_CALLS, .hints = { "Which line of yours knows that merge() has ended?",
                 "blocking streams of the device, not the non-blocking ones",
                 "CHECK(cudaStreamSynchronize(mine)) after everything that queues." } },
    { .id = "b-hazard", .part = "b", .kind = HAZARD, .points = 3,
      .name = "no two steps touch the same memory without an order", .needs = "b-wait",
      .judge = judge_hazards, .read = READ_LIBRARY,
      .hints = { "Which memory does each of the four steps write, and which other step names it?",
                 "three of the four steps have",
                 "The blur has p->image for itself while make_grain<<<...>>>(p->grain, p->raw, p->n) runs." } },
    { .id = "b-output",
      .part = "b", .kind = OUTPUT, .points = 3, .name = "every element of the print is right",
      .needs = "b-hazard", .judge = judge_print, .read = READ_LIBRARY,
      .hints = { "Which memory, and how many elements, does each of the four steps name?",
                 "three of the four steps have",
                 "develop<<<...>>>(p->image, p->raw, p->n), vendor_blur(p->image, p->n), make_grain<<<...>>>(p->grain, p->raw, p->n), "
                 "merge<<<...>>>(p->print, p->image, p->grain, p->n)." } },
    { .id = "b-overlap",
      .part = "b",
      .kind = OVERLAP,
      .points = 16,
      .name = "the grain is made beside the blur",
      .needs = "b-after b-host",
      .judge = judge_overlap,
      .read = READ_LIBRARY,
      .hints = { "In which kind of stream is make_grain(), and what comes before it in that stream?",
                 "So the flag comes first",
                 "cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking); make_grain<<<>>>() before the cudaStreamWaitEvent() for the blur." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 1,
      LEAKS,
      .read = READ_CALLS,
      .hints = { "Which call gives back what cudaStreamCreateWithFlags() and cudaEventCreate() made?",
                 "is given back like any other",
                 "cudaStreamDestroy() for your stream, cudaEventDestroy() for each event." } },
    { ERRORS("b", 1, "*") },

    { .id = "c-work",
      .part = "c",
      .kind = OUTPUT,
      .points = 2, .name = "each job is washed and rinsed, and travels once each way",
      .judge = judge_job_work, .read = READ_THREAD,
      .hints = { "How many bytes are n elements, and what happens to them on the device?",
                 "Each errand is complete in itself",
                 "cudaMemcpyAsync() of n * sizeof(unsigned) bytes each way, wash<<<>>>() and rinse<<<>>>() in between." } },
    { .id = "c-order", .part = "c", .kind = ORDER, .points = 2,
      .name = "in each job the order is guaranteed", .needs = "c-work", .judge = judge_job_order,
      .read = READ_THREAD, .hints = { "Are all four operations of a job in the same stream?",
                 "Each errand is complete in itself",
                 "The same stream in both cudaMemcpyAsync() and both launches, or none in any of them and the build line." } },
    { .id = "c-wait", .part = "c", .kind = ORDER, .points = 2,
      .name = "each job is done when its function returns", .needs = "c-order",
      .judge = judge_job_wait, .read = READ_THREAD,
      .hints = { "Which line of the thread knows that its copy back has ended?",
                 "thread waits only for its own",
                 "CHECK(cudaStreamSynchronize(stream)) after the copy back, with the stream that the job is in." } },
    { .id = "c-hazard",
      .part = "c", .kind = HAZARD, .points = 3, .name = "no two jobs touch the same memory",
      .needs = "c-wait", .judge = judge_hazards, .read = READ_THREAD,
      .hints = { "What in do_job() is static or global, and so belongs to all threads?",
                 "Each errand is complete in itself",
                 "job->device in both cudaMemcpyAsync() and both launches: each job brings its own." } },
    { .id = "c-output",
      .part = "c", .kind = OUTPUT, .points = 3, .name = "every element of every job is right",
      .needs = "c-hazard", .judge = judge_job_output, .read = READ_THREAD,
      .hints = { "Which memory, and how many elements, does each operation name?",
                 "Each errand is complete in itself",
                 "wash<<<...>>>(job->device, job->n), then rinse<<<...>>>(job->device, job->n)." } },
    { .id = "c-overlap",
      .part = "c", .kind = OVERLAP, .points = 16, .name = "the four jobs run at once",
      .needs = "c-order", .judge = judge_job_overlap, .read = READ_THREAD,
      .hints = { "Which stream is the default stream of this file, and how many of them are there?",
                 "means is chosen for each compiled file",
                 "`// build: --default-stream per-thread` in the first ten lines; or cudaStreamPerThread in every cudaMemcpyAsync(), "
                 "launch and wait." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 1,
      LEAKS,
      .read = READ_CALLS,
      .hints = { "Which call gives back what cudaStreamCreate() made?",
                 "is given back like any other",
                 "A cudaStreamDestroy() for each cudaStreamCreate(); cudaStreamPerThread needs none." } },
    { ERRORS("c", 1, "*") },
};

static const char *const cards[] = { "h200", "rtx2070s", "k20c", NULL };

const struct lesson lesson_04 = {
    .number = 4,
    .folder = "04-default-stream",
    .title = "The default stream: legacy and per-thread",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .cards = cards,
};
