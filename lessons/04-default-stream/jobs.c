/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A job's operations are those that its thread queued between the driver's two
 * labels, or one that it has begun for the job: threads' calls stand in the log
 * side by side, and each call says whose it is.
 */
#include "grader/check.h"

#include <string.h>

#include "slots.h"

#define OVERLAP_PERMILLE 850    /* of the reference's, on the same card */

struct job { size_t begin, end; uint32_t thread,
             caller; };     /* calls [begin, end) of that thread; who called do_job() */

/* The device memory of that job: the driver has taken it for one job after the other, before the
 * part; NULL: it cannot be told. */
static const struct call *memory_of_job(const struct view *v, int number)
{
    const struct timeline *t = v->timeline;
    int left = JOB_COUNT;
    for (size_t i = in_part(v, "c", 0).first_call; i-- > 0;)
        if (t->calls[i].kind == CALL_MALLOC && t->calls[i].dst_kind == MEM_DEVICE
            && is_in_driver(t, &t->calls[i]) && --left == number)
            return &t->calls[i];
    return NULL;
}

/* The job's first operation on these engines from span `from` on; ANY for none. */
static uint32_t next_of(const struct view *v, const struct job *job, uint32_t engines,
                        uint32_t from)
{
    struct selection s = { engines, ANY, ANY, job->begin, job->end };
    uint32_t node = next_span(v, s, from);
    while (node != ANY && call_of_node(v, node)->thread != job->thread)
        node = next_span(v, s, node + 1);
    return node;
}

static bool is_of_job(const struct view *v, const struct job *job, uint32_t node)
{
    uint32_t call = call_number(v, node);
    return call >= job->begin && call < job->end && call_of_node(v, node)->thread == job->thread;
}

/* The thread that does the job for the one that called do_job(): where that queues nothing itself,
 * the one that copies to the job's memory, or out of it. */
static uint32_t worker_of(const struct view *v, const struct job *job, int number)
{
    const struct call *memory = memory_of_job(v, number);
    struct selection s = { ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_D2H), ANY, ANY, job->begin,
                           job->end };
    if (!memory || next_of(v, job, ENGINES_DEVICE, 0) != ANY)
        return job->thread;
    EACH_SPAN(node, v, s) {
        const struct call *c = call_of_node(v, node);
        uint64_t at = v->timeline->spans[node].engine == ENGINE_H2D ? c->dst : c->src;
        if (at >= memory->dst && at < memory->dst + memory->bytes)
            return c->thread;
    }
    return job->thread;
}

static bool find_job(const struct view *v, int number, struct job *job)
{
    char begin[] = JOB "0", end[] = JOB_DONE "0";
    size_t ignored;
    begin[sizeof JOB - 1] = end[sizeof JOB_DONE - 1] = (char)('0' + number);
    if (!measure_label(v->timeline, begin, &job->begin, &ignored)
        || !measure_label(v->timeline, end, &job->end, &ignored))
        return false;
    job->thread = job->caller = v->timeline->calls[job->begin].thread;
    job->thread = worker_of(v, job, number);
    return true;
}

static uint32_t kernel_of(const struct view *v, const struct job *job, const char *name,
                          size_t *count)
{
    uint32_t first = ANY;
    *count = 0;
    for (uint32_t node = next_of(v, job, ENGINE_BIT(ENGINE_KERNEL), 0); node != ANY;
         node = next_of(v, job, ENGINE_BIT(ENGINE_KERNEL), node + 1))
        if (strcmp(timeline_string(v->timeline, v->timeline->spans[node].name), name) == 0
            && (*count)++ == 0)
            first = node;
    return first;
}

static uint32_t elements(const struct evidence *e)
{
    size_t bytes;
    exchange_input(e->exchange, IN_JOBS, &bytes);
    return (uint32_t)(bytes / JOB_COUNT / sizeof(uint32_t));
}

/* Does a thread of no job launch one of the kernels, too? */
static bool launched_beside(const struct view *v, struct finding *f, const char *part,
                            const char *kernel)
{
    struct selection s = in_part(v, part, 0);
    EACH_KERNEL(node, v, s, kernel) {
        struct job job;
        bool of_job = false;
        for (int number = 0; number < JOB_COUNT; number++)
            of_job |=
                find_job(v, number, &job) && call_of_node(v, node)->thread == job.thread;
        if (of_job)
            continue;
        f->call = v->timeline->spans[node].call;
        seen(f, "an extra thread launched %s(), for a job that another thread does",
             kernel);
        why(f, "Once for each job: every thread calls do_job().");
        return true;
    }
    return false;
}

bool judge_job_work(const struct evidence *e, struct finding *f, const char *part)
{
    static const char *const kernels[] = { "wash", "rinse" };
    static const uint32_t engines[] = { ENGINE_H2D, ENGINE_D2H };
    const struct view *v = &e->yours[0];
    for (int number = 0; number < JOB_COUNT; number++) {
        struct job job;
        if (!find_job(v, number, &job))
            continue;
        expected(f,
                 "each job goes to the device, through wash() and rinse(), and back, all of its n elements once");
        for (int k = 0; k < 2; k++) {
            size_t launches;
            uint32_t node = kernel_of(v, &job, kernels[k], &launches);
            if (launches == 1)
                continue;
            f->call = call_number(v, node);
            seen(f, "the thread of job %d launched %s() %zu times", number, kernels[k], launches);
            return why(
                f,
                launches
                    ? "Once for each job: every thread calls do_job()."
                    : "No launch of it in do_job() reached the device: there is none, or it was refused. "
                      "CHECK(cudaGetLastError()) after it would tell you.");
        }
        for (int k = 0; k < 2; k++) {
            uint64_t moved = 0, all = elements(e) * sizeof(uint32_t);
            f->call = ANY;
            for (uint32_t node = next_of(v, &job, ENGINE_BIT(engines[k]), 0); node != ANY;
                 node = next_of(v, &job, ENGINE_BIT(engines[k]), node + 1)) {
                moved += v->timeline->spans[node].bytes;
                f->call = v->timeline->spans[node].call;
            }
            if (moved == all)
                continue;
            seen(f, "the thread of job %d copied %llu bytes %s; its n elements are %llu bytes",
                 number, (unsigned long long)moved, k == 0 ? "to the device" : "back",
                 (unsigned long long)all);
            f->function = "do_job";
            f->word = "cudaMemcpyAsync";
            return why(
                f,
                f->call == ANY
                    ? "There is no such copy: no cudaMemcpyAsync() or cudaMemcpy() of this thread makes one."
                    : "A size in bytes is n * sizeof(unsigned), and n need not be a multiple of anything.");
        }
    }
    return !launched_beside(v, f, part, kernels[0]) && !launched_beside(v, f, part, kernels[1]);
}

/* Every operation on `engines` before every one on `others`, kernels by name (NULL: copies). */
static bool in_turn(const struct view *v, struct finding *f, const struct job *job, uint32_t engine,
                    const char *name, uint32_t engine2, const char *name2)
{
    const struct timeline *t = v->timeline;
    for (uint32_t a = next_of(v, job, ENGINE_BIT(engine), 0); a != ANY;
         a = next_of(v, job, ENGINE_BIT(engine), a + 1))
        for (uint32_t b = next_of(v, job, ENGINE_BIT(engine2), 0); b != ANY;
             b = next_of(v, job, ENGINE_BIT(engine2), b + 1)) {
            if ((name && strcmp(timeline_string(t, t->spans[a].name), name) != 0)
                || (name2 && strcmp(timeline_string(t, t->spans[b].name), name2) != 0)
                || hb_before(v->order, a, b, GUARANTEED))
                continue;
            f->call = t->spans[b].call;
            expected(f,
                     "in each job: copy in, wash(), rinse(), copy out, each bound to wait for the one before");
            seen(f, "nothing makes %s wait for %s", node_name(v, b).text, node_name(v, a).text);
            return why_unordered(v, f, a, node_name(v, a).text, b, node_name(v, b).text,
                                 "The two are in different streams. A call that names no stream uses a default stream: the thread's "
                                 "own, or the one for all threads, which non-blocking streams ignore. Put all four operations of a job "
                                 "into one stream.");
        }
    return true;
}

bool judge_job_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    (void)part;
    for (int number = 0; number < JOB_COUNT; number++) {
        struct job job;
        if (find_job(v, number, &job)
            && (!in_turn(v, f, &job, ENGINE_H2D, NULL, ENGINE_KERNEL, "wash")
                || !in_turn(v, f, &job, ENGINE_KERNEL, "wash", ENGINE_KERNEL, "rinse")
                || !in_turn(v, f, &job, ENGINE_KERNEL, "rinse", ENGINE_D2H, NULL)))
            return false;
    }
    return true;
}

/* Is the node bound to be done when do_job() returns? That one thread waits for another to end is
 * in no log of a real card: there the other's own waits count. */
static bool job_has_waited(const struct view *v, const struct job *job, uint32_t node)
{
    const struct call *calls = v->timeline->calls;
    if (job->thread == job->caller || !on_real_card(v))
        return hb_before_call(v->order, node, calls, job->end, GUARANTEED);
    for (size_t i = job->begin; i < job->end; i++) {
        bool waits = calls[i].kind == CALL_STREAM_SYNC || calls[i].kind == CALL_EVENT_SYNC
                     || calls[i].kind == CALL_DEVICE_SYNC;
        if (waits && calls[i].thread == job->thread && calls[i].node != NO_NODE
            && hb_before(v->order, node, calls[i].node, GUARANTEED))
            return true;
    }
    return false;
}

bool judge_job_wait(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    (void)part;
    for (int number = 0; number < JOB_COUNT; number++) {
        struct job job;
        if (!find_job(v, number, &job))
            continue;
        uint32_t last = ANY;
        for (uint32_t node = next_of(v, &job, ENGINES_DEVICE, 0); node != ANY;
             node = next_of(v, &job, ENGINES_DEVICE, node + 1))
            if (!job_has_waited(v, &job, node))
                last = node;
        if (last != ANY) {
            f->call = v->timeline->spans[last].call;
            expected(f, "when do_job() returns, its thread has waited for all that it queued");
            seen(f, "in the thread of job %d nothing has waited for %s", number,
                 node_name(v, last).text);
            return why_unwaited(v, f, last, job.end,
                                "Wait for the stream that the job is in, with cudaStreamSynchronize(), after the "
                                "copy back. A wait for a default stream does not cover a non-blocking one, and cudaStreamDestroy() does "
                                "not wait.");
        }
    }
    return true;
}

bool judge_job_output(const struct evidence *e, struct finding *f, const char *part)
{
    const uint32_t *in = exchange_input(e->exchange, IN_JOBS, NULL),
                   *out = exchange_output(e->exchange, OUT_JOBS, NULL);
    const struct view *v = &e->yours[0];
    uint32_t n = elements(e);
    (void)part;
    for (uint32_t i = 0; i < n * JOB_COUNT; i++) {
        uint32_t wanted = 9 * (1664525u * in[i] + 1013904223u) + 7;
        if (out[i] == wanted)
            continue;
        struct job job;
        size_t count;
        if (find_job(v, (int)(i / n), &job))
            f->call = call_number(v, kernel_of(v, &job, "rinse", &count));
        expected(f, "element %u of the %u of job %u is %u", i % n, n, i / n, wanted);
        seen(f, "%u", out[i]);
        return why(f,
                   "Which memory, and how many elements, does each of the four operations name? The job is this thread's "
                   "alone: nothing in it may be shared with another.");
    }
    return true;
}

/* How long the job's thread makes streams before its first kernel. */
static int64_t making_streams(const struct view *v, const struct job *job, uint32_t first)
{
    int64_t time = 0;
    for (size_t i = job->begin; i < v->timeline->spans[first].call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_STREAM_CREATE && c->thread == job->thread)
            time += c->end - c->begin;
    }
    return time;
}

/*
 * How many kernels of the jobs run at once, on average. A real card's driver makes one stream after
 * another, whoever asks: on an H200 four threads had theirs after 0.05 to 1 ms, not all at the same
 * time, where a job's kernels take 1.8. That is not the job's doing, and it counts as if it had
 * begun by so much earlier.
 */
static unsigned width_of_jobs(const struct view *v, const char *part)
{
    const uint32_t kernels = ENGINE_BIT(ENGINE_KERNEL);
    if (!on_real_card(v))
        return average_width(v, in_part(v, part, kernels));
    int64_t sum = 0, start = TIME_NEVER, end = 0;
    for (int k = 0; k < JOB_COUNT; k++) {
        struct job job;
        uint32_t first = find_job(v, k, &job) ? next_of(v, &job, kernels, 0) : ANY;
        int64_t early = first != ANY ? making_streams(v, &job, first) : 0;
        for (uint32_t node = first; node != ANY; node = next_of(v, &job, kernels, node + 1)) {
            const struct span *span = &v->timeline->spans[node];
            if (span->end == TIME_NEVER)
                continue;
            sum += span->end - span->start;
            start = span->start - early < start ? span->start - early : start;
            end = span->end - early > end ? span->end - early : end;
        }
    }
    return end > start ? (unsigned)(sum * 1000 / (end - start)) : 0;
}

/* An operation, or an event's record, that a job puts into the legacy default stream. */
struct barrier {
    uint32_t node, other;       /* the work of another job to which it is bound */
    int job, other_job;
};

/* The first one that has to wait for work of another job, or lets that wait; false: there is none.
 * On another day the threads come in another order, and what ran side by side takes turns. */
static bool find_barrier(const struct view *v, struct barrier *b)
{
    const struct timeline *t = v->timeline;
    struct job jobs[JOB_COUNT];
    int count = 0;
    while (count < JOB_COUNT && find_job(v, count, &jobs[count]))
        count++;
    for (b->node = 0; b->node < t->span_count; b->node++) {
        for (b->job = 0; b->job < count; b->job++)
            if (is_of_job(v, &jobs[b->job], b->node))
                break;
        if (b->job == count || t->spans[b->node].engine == ENGINE_WAIT
            || !(timeline_stream_flags(t, t->spans[b->node].stream) & STREAM_LEGACY))
            continue;
        for (b->other_job = 0; b->other_job < count; b->other_job++)
            for (b->other = b->other_job == b->job
                                ? ANY
                                : next_of(v, &jobs[b->other_job], ENGINES_DEVICE, 0);
                 b->other != ANY;
                 b->other = next_of(v, &jobs[b->other_job], ENGINES_DEVICE, b->other + 1))
                if (hb_before(v->order, b->other, b->node, GUARANTEED)
                    || hb_before(v->order, b->node, b->other, GUARANTEED))
                    return true;
    }
    return false;
}

/* The call in which a job's thread waits for work of another job before all of its own is queued:
 * the device's order knows nothing of it where the streams are separate. That the jobs end together
 * in this run is luck. ANY: there is none. */
static uint32_t waits_for_others(const struct view *v, struct barrier *b)
{
    const struct timeline *t = v->timeline;
    struct job jobs[JOB_COUNT];
    int count = 0;
    while (count < JOB_COUNT && find_job(v, count, &jobs[count]))
        count++;
    for (b->job = 0; b->job < count; b->job++)
        for (b->node = next_of(v, &jobs[b->job], ENGINES_DEVICE, 0); b->node != ANY;
             b->node = next_of(v, &jobs[b->job], ENGINES_DEVICE, b->node + 1))
            for (b->other_job = 0; b->other_job < count; b->other_job++)
                for (b->other = b->other_job == b->job
                                    ? ANY
                                    : next_of(v, &jobs[b->other_job], ENGINE_BIT(ENGINE_KERNEL), 0);
                     b->other != ANY; b->other = next_of(v, &jobs[b->other_job],
                                                         ENGINE_BIT(ENGINE_KERNEL), b->other + 1)) {
                    uint32_t wait = unpromised_wait(v, b->other, call_number(v, b->node));
                    if (wait != ANY && wait >= jobs[b->job].begin
                        && strncmp(timeline_string(t, t->calls[wait].name), "cuda", 4) == 0)
                        return wait;
                }
    return ANY;
}

#define BARRIER "This is in the legacy default stream, which all threads share. It waits for all that is in the blocking " \
    "streams, other jobs' too, and what is queued in them later waits for it. Put it into the job's own stream, or leave it out%s."

bool judge_job_overlap(const struct evidence *e, struct finding *f, const char *part)
{
    struct barrier b;
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view], *r = &e->reference[view];
        unsigned mine = width_of_jobs(v, part), theirs = width_of_jobs(r, part);
        unsigned asked = theirs * share_asked(v, OVERLAP_PERMILLE) / 10000;
        /* With one queue for all streams the order of issue counts, which is lesson 06. */
        if (v->card->queues < 2 || mine * 1000 >= theirs * share_asked(v, OVERLAP_PERMILLE))
            continue;
        struct selection s = in_part(v, part, ENGINES_DEVICE);
        f->view = view;
        expected(f,
                 "at least %u.%02u kernels of the four jobs run at once, on average (the reference solution: %u.%02u)",
                 asked / 100, asked % 100, theirs / 1000, theirs / 10 % 100);
        seen(f, "%u.%02u on average%s", mine / 1000, mine / 10 % 100,
             mine < 1100 ? ": one after another" : "");
        f->call = in_default_stream(v, s);
        if (f->call != ANY && streams_used(v, s) > 1)
            return why(f,
                       "This is in the legacy default stream, which all threads share: what they put there runs one after another. Put "
                       "it into the stream of the rest of the job.");
        if (f->call != ANY)
            return why(f,
                       "This is in the legacy default stream, and all threads share that one. Name no stream, and put the line `// "
                       "build: --default-stream per-thread` on top of the file: then each thread has its own. (A #define there "
                       "comes too late: nvcc has read its headers before your first line.)");
        if (streams_used(v, s) < JOB_COUNT) {
            f->call = v->timeline->spans[next_span(v, s, 0)].call;
            return why(f,
                       "Four threads use fewer than four streams, and a stream is one queue, whichever thread fills it. Let each "
                       "call of do_job() make its own, or name cudaStreamPerThread.");
        }
        if (find_barrier(v, &b)) {
            f->call = call_number(v, b.node);
            return why(f, BARRIER, "");
        }
        f->call = measure_longest_wait(v->timeline, s.first_call, s.end_call);
        return why(f,
                   "The streams are separate, and yet the jobs hold each other up. What do the threads share: a lock, an event, a wait "
                   "for the whole device?");
    }
    const struct view *v = &e->yours[0];
    if (!find_barrier(v, &b)) {
        uint32_t wait = on_real_card(v) ? ANY : waits_for_others(v, &b);
        if (wait == ANY)
            return true;
        f->call = wait;
        expected(f, "no job waits for another one before all of its own work is queued");
        seen(f, "in %s the thread of job %d waits for %s, of job %d, and queues %s afterwards",
             timeline_string(v->timeline, v->timeline->calls[wait].name), b.job,
             node_name(v, b.other).text, b.other_job, node_name(v, b.node).text);
        return why(f,
                   "This call waits for what other streams have to do, the other jobs' work too. Were another job a long one, this one would stand "
                   "still meanwhile. Only because all take the same time did they overlap. Wait for the job's own stream alone, and make "
                   "calls like this one before the first launch or leave them out.");
    }
    bool waits = hb_before(v->order, b.other, b.node, GUARANTEED);
    f->call = call_number(v, b.node);
    expected(f, "no job is bound to wait for another one");
    seen(f, waits ? "%s, of job %d, is bound to wait for %s, of job %d"
                  : "%s, of job %d, is waited for by %s, of job %d",
         node_name(v, b.node).text, b.job, node_name(v, b.other).text, b.other_job);
    return why(f, BARRIER, ". Only because the threads came in this order did the kernels overlap");
}
