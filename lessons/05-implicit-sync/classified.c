/* SPDX-License-Identifier: MIT */
/*
 * Judges of part (a): what does each call hold up?
 *
 * DESIGN
 * Graded against what the reference solution's run measured on the same machine: no table of
 * answers stands here. A wrong answer is explained by the learner's own experiment on that call,
 * which the log shows: the kernel that ran, what was waited for, and when it was asked whether that
 * kernel was done.
 */
#include <string.h>

#include "judges.h"

static const char *const subject_name[SUBJECT_COUNT] = {
    "cudaMalloc", "cudaFree", "cudaMallocHost", "cudaFreeHost",
    "cudaMallocAsync with cudaFreeAsync in B", "cudaMemset",
    "cudaMemsetAsync in B", "cudaMemcpy inside the device", "cudaMemcpy from pageable memory",
    "cudaMemcpyAsync from pinned memory in B", "cudaMemcpyToSymbol",
    "cudaEventRecord in the default stream",
    "LIBRARY", "LIBRARY + 1", "LIBRARY + 2", "LIBRARY + 3", "LIBRARY + 4", "LIBRARY + 5",
    "LIBRARY + 6", "LIBRARY + 7",
};

/* What the run of the reference measured: the host was held until A's kernel had ended, B's kernel
 * was. */
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

/* ---- why an answer is wrong ---- */

/* What the driver calls for the subject. */
static const char *call_of(const struct evidence *e, int subject)
{
    static const char *const calls[KNOWN_COUNT] = {
        "cudaMalloc", "cudaFree", "cudaMallocHost", "cudaFreeHost", "cudaMallocAsync", "cudaMemset",
        "cudaMemsetAsync", "cudaMemcpy",
        "cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyToSymbol", "cudaEventRecord",
    };
    static const char *const library_calls[LIBRARY_WAYS] = {
        [IN_B] = "cudaMemsetAsync", [IN_DEFAULT] = "cudaMemset", [WAITS] = "cudaMemcpy",
    };
    const struct library *library = exchange_input(e->exchange, IN_LIBRARY, NULL);
    return subject < KNOWN_COUNT ? calls[subject]
                                 : library_calls[library->call[subject - KNOWN_COUNT]];
}

/* The first call of the subject that the program's make_call() makes in part (a), one subject after
 * the other; ANY for none. */
static uint32_t call_of_subject(const struct evidence *e, const struct view *v, const char *part,
                                int subject)
{
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    int before = 0;
    for (int k = 0; k < subject; k++)
        before += strcmp(call_of(e, k), call_of(e, subject)) == 0;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (is_in_driver(t, &t->calls[i])
            && strcmp(timeline_string(t, t->calls[i].name), call_of(e, subject)) == 0
            && before-- == 0)
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
static bool asks_elsewhere(const struct timeline *t, struct finding *f, size_t question,
                           uint32_t running)
{
    if (t->calls[question].kind != CALL_STREAM_QUERY
        || t->calls[question].stream == t->spans[running].stream)
        return false;
    f->call = (uint32_t)question;
    why(f,
        "This asks about another stream than that of the long kernel. Ask whether A's kernel still runs.");
    return true;
}

/* Is the subject a call in stream B? */
static bool belongs_in_b(const struct evidence *e, int subject)
{
    static const int in_b[] = { 4, 6, 9 };      /* of enum subject: those whose name says so */
    const struct library *library = exchange_input(e->exchange, IN_LIBRARY, NULL);
    bool is_in_b = subject >= KNOWN_COUNT && library->call[subject - KNOWN_COUNT] == IN_B;
    for (size_t k = 0; k < sizeof in_b / sizeof *in_b; k++)
        is_in_b = is_in_b || subject == in_b[k];
    return is_in_b;
}

/* And was it made in the default stream? */
static bool missed_b(const struct evidence *e, const struct timeline *t, int subject, uint32_t made)
{
    return belongs_in_b(e, subject)
           && (timeline_stream_flags(t, t->calls[made].stream) & STREAM_LEGACY);
}

/* The long kernel that runs in the stream in which call `made` is made; ANY for none. */
static uint32_t runs_in_its_stream(const struct view *v, struct selection s, uint32_t made)
{
    const struct timeline *t = v->timeline;
    s.stream = t->calls[made].stream;
    for (uint32_t node = next_kernel(v, s, "long_one", 0); node != ANY;
         node = next_kernel(v, s, "long_one", node + 1))
        if (t->spans[node].call < made && t->spans[node].end > t->calls[made].begin)
            return node;
    return ANY;
}

/* What is wrong with the experiment on one call, as far as its own calls show: fills f->why and
 * f->call. False: nothing. */
static bool explain_experiment(const struct evidence *e, struct finding *f, const char *part,
                               int subject, bool device)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    uint32_t made = call_of_subject(e, v, part, subject), running = ANY, behind = ANY, wait = ANY;
    f->function = "classify()";
    f->word = "make_call";
    if (made == ANY)
        return false;
    if (missed_b(e, t, subject, made)) {
        f->call = made;
        why(f,
            "This call belongs in B, and make_call() was given no stream: 0 is the default stream, which waits for A's kernel. Give it b.");
        return true;
    }
    size_t next = made + 1; /* the driver's next call but those that belong to this one */
    while (next < s.end_call && is_in_driver(t, &t->calls[next]))
        next++;
    while (next < s.end_call && !is_in_driver(t, &t->calls[next]))
        next++;
    EACH_SPAN(node, v, s) {
        const struct span *span = &t->spans[node];
        if (span->call < made && span->end > t->calls[made].begin)
            running = node;
        if (span->call > made && behind == ANY
            && strcmp(timeline_string(t, span->name), "long_one") != 0
            && (span->call < next || strcmp(timeline_string(t, span->name), "short_one") == 0))
            behind = node;
    }
    if (running == ANY) {
        why(f,
            "No kernel is running when this call is made, so it has nothing to hold up or to wait for. Launch long_one() into "
            "another stream right before it.");
        return true;
    }
    if (strcmp(timeline_string(t, t->spans[running].name), "short_one") == 0) {
        f->call = t->spans[running].call;
        why(f,
            "short_one() is over at once: the call can neither wait for it nor be seen not to. Launch long_one() before the call.");
        return true;
    }
    size_t first = made + 1, end = s.end_call;
    while (first < end && is_in_driver(t, &t->calls[first]))
        first++;
    for (size_t i = first; i < end && !is_in_driver(t, &t->calls[i]); i++) {
        if (waits_for_device(&t->calls[i]) && wait == ANY)
            wait = (uint32_t)i;
        if (!device && wait == i && t->calls[i].end >= t->spans[running].end
            && asks_before(t, i, end)) {
            f->call = wait;
            why(f,
                "The host waits here until the long kernel is done, and has not asked before. Ask whether it still runs as soon as the "
                "call has returned, before you wait for anything.");
            return true;
        }
        if (!device && asks(&t->calls[i]))
            return asks_elsewhere(t, f, i, running);
    }
    if (!device)
        return false;
    if (behind == ANY || t->spans[behind].start < t->calls[made].begin) {
        why(f,
            "No kernel is launched into B after this call, so nothing shows whether the device was held up.");
        return true;
    }
    if (t->spans[behind].stream == t->spans[running].stream) {
        f->call = t->spans[behind].call;
        why(f,
            "This kernel is in the stream of the long one and waits for it in any case. Launch it into B.");
        return true;
    }
    struct selection launch = { ENGINE_BIT(ENGINE_KERNEL), ANY, ANY, t->spans[behind].call,
                                t->spans[behind].call + 1 };
    if (in_default_stream(v, launch) != ANY) {
        f->call = t->spans[behind].call;
        why(f,
            "This kernel is in the default stream, which waits for the long one in any case (lesson 04). Launch it into B.");
        return true;
    }
    for (size_t i = t->spans[behind].call + 1, waited = 0;
         i < end && !is_in_driver(t, &t->calls[i]); i++) {
        waited |= waits_for_device(&t->calls[i]) && t->calls[i].end >= t->spans[behind].end;
        if (waits_for_device(&t->calls[i]) && t->calls[i].end >= t->spans[running].end
            && t->spans[behind].end < t->spans[running].end) {
            f->call = (uint32_t)i;
            if (asks_before(t, i, end))
                why(f,
                    "The host waits here for the long kernel, and asks afterwards: wait for the kernel in B alone, then ask "
                    "whether A's kernel still runs.");
            else
                why(f,
                    "The host waits here for the long kernel, and no question comes before: an answer that nothing has measured is a guess. "
                    "When the kernel in B is done, ask whether A's kernel still runs, and wait for A only then.");
            return true;
        }
        if (asks(&t->calls[i]) && !waited) {
            f->call = (uint32_t)i;
            why(f,
                "You ask before the kernel in B is done. Wait for B first, then ask whether A's kernel still runs.");
            return true;
        }
        if (asks(&t->calls[i]))
            return asks_elsewhere(t, f, i, running);
    }
    return false;
}

/* The call that made a stream of the program's which the default stream leaves alone; ANY for none.
 */
static uint32_t non_blocking(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_STREAM_CREATE && c->flags & STREAM_NON_BLOCKING && c->status == 0
            && !is_in_driver(v->timeline, c))
            return (uint32_t)i;
    }
    return ANY;
}

/* How many calls of that name the program's make_call() makes in the part. */
static size_t calls_named(const struct view *v, const char *part, const char *name)
{
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    size_t count = 0;
    for (size_t i = s.first_call; i < s.end_call; i++)
        count += is_in_driver(t, &t->calls[i])
                 && strcmp(timeline_string(t, t->calls[i].name), name) == 0;
    return count;
}

/* Does a kernel of the part's run when call `made` is made? */
static bool kernel_runs(const struct view *v, struct selection s, uint32_t made)
{
    const struct timeline *t = v->timeline;
    EACH_SPAN(node, v, s)
        if (t->spans[node].call < made && t->spans[node].end > t->calls[made].begin)
            return true;
    return false;
}

/* Are all calls before subject k made, and neither it nor any after it? Then f says so and shows
 * the loop. */
static bool ends_early(const struct evidence *e, struct finding *f, const char *part, int k)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    if (k == 0)
        return false;
    for (int other = 0; other < SUBJECT_COUNT; other++)
        if (call_of_subject(e, &e->reference[0], part, other) != ANY
            && (call_of_subject(e, v, part, other) != ANY) != (other < k))
            return false;
    EACH_KERNEL(node, v, s, "long_one")
        f->looped = v->timeline->spans[node].call;
    why(f,
        "Each call before it was made, and none from it on. There are SUBJECTS of them, and the last LIBRARY_CALLS are a library's: does "
        "the loop go up to SUBJECTS - 1?");
    return true;
}

/* A call that is made more often than it should; -1: none is. */
static int tried_again(const struct evidence *e, const char *part)
{
    for (int k = 0; k < SUBJECT_COUNT; k++)
        if (calls_named(&e->yours[0], part, call_of(e, k))
            > calls_named(&e->reference[0], part, call_of(e, k)))
            return k;
    return -1;
}

static bool judge_classified(const struct evidence *e, struct finding *f, const char *part,
                             bool device);

/* In streams of which the default stream does not know nothing is seen of what it does: where that
 * is why an answer is wrong, it is the one mistake of both columns. */
static bool seen_by_streams(const struct evidence *e, struct finding *f, const char *part)
{
    uint32_t made = non_blocking(&e->yours[0], part);
    for (int device = 0; device <= 1 && made != ANY; device++) {
        struct finding column = { .call = ANY };
        if (!judge_classified(e, &column, part, device) && column.call == made) {
            *f = column;
            return false;
        }
    }
    return true;
}

bool classified_tried(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    for (int k = 0; k < SUBJECT_COUNT; k++) {
        if (call_of_subject(e, &e->reference[0], part, k) == ANY)
            continue;
        uint32_t made = call_of_subject(e, v, part, k);
        uint32_t running =
            made == ANY || !belongs_in_b(e, k) ? ANY : runs_in_its_stream(v, s, made);
        /* Where a program makes each call more than once, it is not known which was the trial. */
        bool once = calls_named(v, part, call_of(e, k))
                    == calls_named(&e->reference[0], part, call_of(e, k));
        if (made != ANY && once && !kernel_runs(v, s, made)) {
            f->call = made;
            f->function = "classify()";
            f->word = "make_call";
            expected(f, "each call is made while a kernel runs in another stream");
            seen(f, "no kernel was running when %s was made", subject_name[k]);
            return why(f,
                       "The call has nothing to hold up or to wait for then. Launch long_one() into another stream right before it. What a "
                       "book says is no measurement of this machine.");
        }
        if (made != ANY && running == ANY)
            continue;
        f->call = made;
        f->function = "classify()";
        f->word = "make_call";
        if (running != ANY) {
            expected(f, "each call is made while a kernel runs in another stream");
            seen(f, "%s was made in the stream in which long_one() ran (line %u)", subject_name[k],
                 call_of_node(v, running)->line);
            return why(f,
                       "In that stream it comes after the kernel in any case, whatever it does to others. B is a stream in which nothing "
                       "runs: give make_call() that one.");
        }
        expected(f, "each call is made, and what it does on this machine is seen");
        int again = tried_again(e, part);
        if (again >= 0) {
            seen(f, "%s was never tried, and %s more than once", subject_name[k],
                 subject_name[again]);
            return why(f,
                       "make_call() makes the call that its first argument names. Is that the subject of this turn of the loop, and another one "
                       "in each turn?");
        }
        seen(f, "%s was never tried", subject_name[k]);
        f->word = "make_call SUBJECTS";
        if (ends_early(e, f, part, k))
            return false;
        return why(f,
                   "What another machine does, or what a book says, is no measurement of this one. make_call() makes the call, once for each "
                   "subject.");
    }
    return seen_by_streams(e, f, part);
}

/* The second call, in which the library's calls have changed places. */
static bool classified_again(const struct evidence *e, struct finding *f, bool device)
{
    const struct answers *a = exchange_output(e->exchange, OUT_ANSWERS, NULL);
    const uint8_t *answer = device ? a->device_again : a->host_again;
    const struct library *library = exchange_input(e->exchange, IN_LIBRARY, NULL);
    bool ran = part_ran(&e->yours[0], AGAIN);
    for (int k = 0; ran && k < SUBJECT_COUNT; k++) {
        int same = k < KNOWN_COUNT ? k : KNOWN_COUNT + (k - KNOWN_COUNT + 1) % LIBRARY_COUNT;
        bool waits = k == library->slow || measured(e, same, device);
        if ((answer[k] == 1) == waits || lost_the_processor(&e->yours[0], AGAIN))
            continue;
        f->function = "classify()";
        f->word = "static";
        expected(f, "called again, with %s: %s %s %s",
                 k == library->slow ? "calls that wait where they did not before"
                                    : "another library",
                 subject_name[k], waits ? "holds up" : "does not hold up",
                 device ? "the kernel in B" : "the host");
        seen(f, "your answer is %s", answer[k] ? "true" : "false");
        return why(f,
                   "The first call was right. Is each call measured again in the second one, or does an answer of the first remain?");
    }
    return true;
}

static bool judge_classified(const struct evidence *e, struct finding *f, const char *part,
                             bool device)
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
        return classified_again(e, f, device);
    if (lost_the_processor(&e->yours[0], part))
        return true;
    bool waits = measured(e, first, device);
    if (device)
        expected(f, "%s: the kernel in B %s, on this machine", subject_name[first],
                 waits ? "starts when A's kernel is done" : "runs while A's kernel runs");
    else
        expected(f, "%s: the call returns %s, on this machine", subject_name[first],
                 waits ? "when A's kernel is done" : "while A's kernel runs");
    seen(f, "your answer is %s; %d of %d answers about the %s are right",
         answer[first] ? "true" : "false", right, SUBJECT_COUNT, device ? "device" : "host");
    if (explain_experiment(e, f, part, first, device))
        return false;
    f->word = device ? "device" : "host";
    if (right == 0 && given == SUBJECT_COUNT)
        return why(f,
                   "All of these answers are the opposite of what is right. A call has waited if A's kernel is done when the question is "
                   "asked: cudaStreamQuery(a) is cudaSuccess then. cudaErrorNotReady says that the kernel still runs.");
    f->call = non_blocking(&e->yours[0], part);
    if (f->call != ANY)
        return why(f,
                   "The default stream waits for blocking streams and makes them wait, and this one is not of those: what a call in the default "
                   "stream does cannot be seen in it. Make both streams with cudaStreamCreate().");
    uint32_t tried = call_of_subject(e, &e->yours[0], part, first);
    if (tried != ANY)
        return why_tried(&e->yours[0], f, part, tried, waits, measured(e, first, false));
    return why(f,
               "The documentation says which calls may wait. Only a measurement says which do. Put the other calls into the "
               "chapter's program, which measures.");
}

bool classified_host(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_classified(e, f, part, false);
}

bool classified_device(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_classified(e, f, part, true);
}
