/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 01: when did the launch return, did the host compute
 * meanwhile, and which call met the error?
 *
 * The moments of (a) are the program's own readings of its clock. A reading
 * taken where part (a) begins ties that clock to the timeline; what is compared
 * is then a share of the kernel's length, so that it holds on any card.
 */
#include <string.h>

#include "grader/check.h"
#include "slots.h"

#define ELEMENTS_MIN 9000
#define ELEMENTS_MAX 36000
#define BAD_THREADS 2048        /* a block: more than any card takes */
#define ILLEGAL_ADDRESS 700     /* cudaErrorIllegalAddress */
#define OVERLAP_PERMILLE 1150   /* (b): of the longer of kernel and host work */

enum { NOWHERE, AT_LAUNCH, AT_WAIT };   /* enum place of lesson.h */
static const char *const place_name[] = { "NOWHERE", "AT_LAUNCH", "AT_WAIT" };

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    struct task *task = exchange_add_input(x, sizeof *task);
    /* Odd, and no multiple of any block size. */
    task->n = random_odd(r, ELEMENTS_MIN, ELEMENTS_MAX);
    task->a_kernel_ns = (int64_t)random_between(r, 1500000, 3000000);
    task->b_kernel_ns = (int64_t)random_between(r, 1500000, 3000000);
    task->b_host_ns = task->b_kernel_ns * (int64_t)random_between(r, 700, 1400) / 1000;
    task->c_kernel_ns = (int64_t)random_between(r, 100000, 200000);

    /* Two bad launches, at least one good one behind them, and the fault at the end. */
    for (int k = 0; k < JOBS; k++)
        task->threads[k] = 32 * (int64_t)random_between(r, 2, 8);
    int first = (int)random_between(r, 0, JOBS - 3), second = (int)random_between(r, 0, JOBS - 4);
    second += second >= first;
    task->threads[first] = task->threads[second] = BAD_THREADS;
    task->wild = 4 * random_between(r, 64, 8192);

    exchange_add_elements(x, r, task->n);
    exchange_add_output(x, sizeof(struct answer));
    exchange_add_output(x, task->n * sizeof(uint32_t));
    exchange_add_output(x, task->n * sizeof(uint32_t));
}

static const struct task *task_of(const struct evidence *e)
{
    return exchange_input(e->exchange, 0, NULL);
}

static const struct answer *answer_of(const struct evidence *e)
{
    return exchange_output(e->exchange, 0, NULL);
}

static uint32_t scrambled(uint32_t x)
{
    return 1664525u * x + 1013904223u;
}

/* ---- what the timeline says of a part ---- */

/* Everything in ns of the timeline. A part with no finished kernel has kernel_busy 0. */
struct scene {
    const struct timeline *t;
    size_t first, end;          /* the part's calls */
    uint32_t launch;            /* its first launch that succeeded, ANY for none */
    struct interval kernel;     /* first start to last end */
    int64_t kernel_busy;
    int64_t device_end;         /* of the last kernel or copy */
};

static struct scene scene_of(const struct view *v, const char *part)
{
    struct scene s = { .t = v->timeline, .launch = ANY };
    measure_part(v->timeline, part, &s.first, &s.end);
    for (size_t k = s.first; k < s.end && s.launch == ANY; k++)
        if (s.t->calls[k].kind == CALL_LAUNCH && s.t->calls[k].status == 0)
            s.launch = (uint32_t)k;
    struct interval device = { 0, 0 };
    measure_extent(s.t, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), &s.kernel);
    measure_extent(s.t, in_part(v, part, ENGINES_DEVICE), &device);
    s.kernel_busy = measure_busy(s.t, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)));
    s.device_end = device.end;
    return s;
}

/* The call among [first, end) that held the host up longest; ANY when none did. *ns is how long. */
static uint32_t longest_wait(const struct scene *s, size_t first, size_t end, int64_t *ns)
{
    uint32_t call = measure_longest_wait(s->t, first, end);
    *ns = call == ANY ? 0 : s->t->calls[call].end - s->t->calls[call].begin;
    return call;
}

static const char *name_of(const struct scene *s, uint32_t call)
{
    return timeline_string(s->t, s->t->calls[call].name);
}

static int percent(int64_t part, int64_t whole)
{
    return whole > 0 ? (int)(part * 100 / whole) : 0;
}

/* ---- (a) and (b): the work is what was asked for ---- */

static const char *error_name(int32_t error)
{
    static const struct { int32_t error; const char *name; } names[] = {
        { 0, "cudaSuccess" }, { 1, "cudaErrorInvalidValue" }, { 9, "cudaErrorInvalidConfiguration" },
        { 600, "cudaErrorNotReady" }, { ILLEGAL_ADDRESS, "cudaErrorIllegalAddress" },
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].error == error)
            return names[k].name;
    return "another error";
}

static bool judge_kernel(const struct evidence *e, struct finding *f, const char *part, int64_t ns)
{
    struct scene s = scene_of(&e->yours[0], part);
    if (s.launch == ANY) {
        expected(f, "scramble is launched once, over all %lld elements", (long long)task_of(e)->n);
        for (size_t k = s.first; k < s.end; k++) {
            const struct call *c = &s.t->calls[k];
            if (c->block[0] == 0)
                continue;
            f->call = (uint32_t)k;
            seen(f, "the launch was refused with %s: grid %u, block %u", error_name(c->status), c->grid[0], c->block[0]);
            return why(f, "A block has 1 to %lld threads on this card, and a grid at least one block.",
                       (long long)e->yours[0].card->threads_per_block);
        }
        why(f, "Launch it with scramble<<<blocks, threads>>>(data, n, kernel_ns).");
        return seen(f, "nothing was launched in part (%s)", part);
    }
    f->call = s.launch;
    if (s.kernel_busy < ns * 9 / 10) {
        expected(f, "the kernel takes kernel_ns = %lld ns", (long long)ns);
        why(f, "Hand kernel_ns on to scramble as it is.");
        return seen(f, "it took %lld ns", (long long)s.kernel_busy);
    }
    return true;
}

static bool judge_elements(const struct evidence *e, struct finding *f, const char *part, int slot)
{
    const struct task *task = task_of(e);
    const uint32_t *input = exchange_input(e->exchange, 1, NULL);
    const uint32_t *output = exchange_output(e->exchange, slot, NULL);
    struct scene s = scene_of(&e->yours[0], part);
    int64_t wrong = 0, first = -1;
    bool twice = false, untouched = false;

    for (int64_t i = 0; i < task->n; i++)
        if (output[i] != scrambled(input[i])) {
            wrong++;
            if (first < 0) {
                first = i;
                twice = output[i] == scrambled(scrambled(input[i]));
                untouched = output[i] == input[i];
            }
        }
    if (wrong == 0)
        return true;
    f->call = s.launch;
    expected(f, "each of the %lld elements went through scramble once: element %lld is %u", (long long)task->n,
             (long long)first, scrambled(input[first]));
    seen(f, "%lld %s wrong, the first is element %lld: %u%s", (long long)wrong, wrong == 1 ? "is" : "are",
         (long long)first, output[first],
         twice ? ", which is what two launches make of it" : untouched ? ", as it was before" : "");
    if (twice)
        return why(f, "The kernel works in place. A launch to warm up is a launch: it changes the data.");
    if (untouched && first > 0)
        return why(f, "n = %lld is no multiple of the block size. n / threads rounds down and leaves the tail out: "
                   "round up, as blocks_for() does.", (long long)task->n);
    return why(f, "Launch once, over all n elements, and copy all n * sizeof(unsigned) bytes.");
}

static bool judge_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct task *task = task_of(e);
    bool first = part[0] == 'a';
    return judge_kernel(e, f, part, first ? task->a_kernel_ns : task->b_kernel_ns)
        && judge_elements(e, f, part, first ? 1 : 2);
}

/* Is every kernel and copy of the part waited for, by a rule, before the part ends? */
static bool judge_waited(const struct evidence *e, struct finding *f, const char *part)
{
    const char *before_what = part[0] == 'a' ? "m->done is taken" : "`result` is read";
    const struct view *v = &e->yours[0];
    struct scene s = scene_of(v, part);
    struct selection all = in_part(v, part, ENGINES_DEVICE);

    for (uint32_t k = next_span(v, all, 0); k != ANY; k = next_span(v, all, k + 1)) {
        if (order_before_call(v->order, k, s.t->calls, s.end, GUARANTEED))
            continue;
        bool slept = false;
        for (size_t c = s.t->spans[k].call + 1; c < s.end; c++)
            slept |= s.t->calls[c].kind == CALL_HOST_WORK && strcmp(name_of(&s, (uint32_t)c), "host_work") != 0;
        f->call = s.t->spans[k].call;
        expected(f, "a call that waits for the device stands before %s", before_what);
        seen(f, "nothing waited for %s in part (%s)", timeline_string(s.t, s.t->spans[k].name), part);
        return slept ? why(f, "A sleep is a guess: it is long enough here and too short on a slower card. "
                           "Ask to be told: cudaDeviceSynchronize() returns when the work is done.")
                     : why(f, "The launch only asks for the work. cudaDeviceSynchronize() returns when it is done.");
    }
    return true;
}

/* ---- (a) ---- */

/* A reading of the program's clock, as a time of the timeline. */
static int64_t moment(const struct evidence *e, const struct scene *s, int64_t reading)
{
    return (int64_t)((uint64_t)reading - (uint64_t)answer_of(e)->part_a) + s->t->calls[s->first].end;
}

static bool judge_returned(const struct evidence *e, struct finding *f, const char *part)
{
    const struct answer *a = answer_of(e);
    struct scene s = scene_of(&e->yours[0], part);
    const struct call *launch = &s.t->calls[s.launch];
    int64_t before = moment(e, &s, a->before), returned = moment(e, &s, a->returned);
    int64_t held;

    f->call = s.launch;
    expected(f, "before and returned stand right round the launch: hardly any of the kernel's length lies between");
    if (a->before == 0 || a->returned == 0) {
        why(f, "Both are readings of now_ns(), one on the line before the launch and one on the line after it.");
        return seen(f, "m->%s was never filled in", a->before == 0 ? "before" : "returned");
    }
    if (before > launch->begin + s.kernel_busy / 50 || before < launch->begin - s.kernel_busy / 4) {
        why(f, "Take m->before with now_ns() on the line before the launch.");
        return seen(f, "before was taken %s the launch", before < launch->begin ? "long before" : "after");
    }
    if (returned <= before) {
        why(f, "Take m->returned with now_ns() on the line after the launch: the launch itself takes a little time.");
        return seen(f, "returned is not later than before");
    }
    if (returned - launch->end > s.kernel_busy / 4) {
        uint32_t wait = longest_wait(&s, s.launch + 1, s.end, &held);
        seen(f, "returned lies %d %% of the kernel's length after the launch came back",
             percent(returned - launch->end, s.kernel_busy));
        if (wait == ANY || s.t->calls[wait].begin >= returned)
            return why(f, "Something stands between the launch and now_ns(). Take m->returned on the very next line.");
        f->call = wait;
        return why(f, "%s stands between the launch and now_ns(), and waits for the kernel. The launch itself came "
                   "back long before. Take m->returned on the line right after it.", name_of(&s, wait));
    }
    return true;
}

static bool judge_done(const struct evidence *e, struct finding *f, const char *part)
{
    const struct answer *a = answer_of(e);
    struct scene s = scene_of(&e->yours[0], part);
    int64_t late = moment(e, &s, a->done) - s.kernel.end;
    int64_t held;

    f->call = longest_wait(&s, s.launch, s.end, &held);
    expected(f, "done lies at the kernel's end");
    if (a->done == 0) {
        why(f, "Take m->done with now_ns() on the line after the wait.");
        return seen(f, "m->done was never filled in");
    }
    if (late < -s.kernel_busy / 50) {
        why(f, "done was read before the program waited. Wait first, then take m->done.");
        return seen(f, "done lies %d %% of the kernel's length before the kernel's end", percent(-late, s.kernel_busy));
    }
    if (late > s.kernel_busy / 4) {
        why(f, "Something else was done before the clock was read. Take m->done on the line right after the wait.");
        return seen(f, "done lies %d %% of the kernel's length after the kernel's end", percent(late, s.kernel_busy));
    }
    return true;
}

/* ---- (b) ---- */

struct host_work { uint32_t first; int64_t begin, end, ns; };

static struct host_work host_work_of(const struct scene *s)
{
    struct host_work w = { ANY, 0, 0, 0 };
    for (size_t k = s->first; k < s->end; k++) {
        const struct call *c = &s->t->calls[k];
        if (c->kind != CALL_HOST_WORK || strcmp(name_of(s, (uint32_t)k), "host_work") != 0)
            continue;
        if (w.first == ANY) {
            w.first = (uint32_t)k;
            w.begin = c->begin;
        }
        w.end = c->end;
        w.ns += c->end - c->begin;
    }
    return w;
}

static bool judge_work(const struct evidence *e, struct finding *f, const char *part)
{
    int64_t ns = task_of(e)->b_host_ns;
    struct scene s = scene_of(&e->yours[0], part);
    struct host_work w = host_work_of(&s);

    expected(f, "host_work(host_ns) is called once: %lld ns", (long long)ns);
    f->call = w.first;
    if (w.first == ANY) {
        why(f, "The host has work of its own in this part. Call host_work(host_ns).");
        return seen(f, "it was not called in part (b)");
    }
    if (w.ns < ns * 99 / 100 || w.ns > ns * 11 / 10) {
        why(f, "host_ns is in nanoseconds, and so is what host_work() takes: hand it on as it is.");
        return seen(f, "the host worked for %lld ns", (long long)w.ns);
    }
    return true;
}

static bool judge_overlap(const struct evidence *e, struct finding *f, const char *part)
{
    struct scene s = scene_of(&e->yours[0], part);
    struct host_work w = host_work_of(&s);
    int64_t begin = s.t->calls[s.launch].begin < w.begin ? s.t->calls[s.launch].begin : w.begin;
    int64_t total = (s.device_end > w.end ? s.device_end : w.end) - begin;
    int64_t longer = s.kernel_busy > w.ns ? s.kernel_busy : w.ns;
    int64_t both = (s.kernel.end < w.end ? s.kernel.end : w.end) - (s.kernel.start > w.begin ? s.kernel.start : w.begin);
    int64_t held;

    if (total * 1000 <= longer * OVERLAP_PERMILLE)
        return true;
    expected(f, "kernel and host_work() together take at most 1.15 times the longer of the two");
    seen(f, "they took %lld.%02lld times the longer: %d %% of the kernel ran while the host worked",
         (long long)(total / longer), (long long)(total * 100 / longer % 100), percent(both > 0 ? both : 0, s.kernel_busy));
    f->call = w.first;
    if (w.begin < s.t->calls[s.launch].begin)
        return why(f, "host_work() was called before the launch: the device had nothing to do. Ask first, then work.");
    uint32_t wait = longest_wait(&s, s.launch, w.first, &held);
    if (wait == ANY)
        return why(f, "Call host_work() right after the kernel and the copy are queued.");
    f->call = wait;
    bool copy = s.t->calls[wait].kind == CALL_COPY;
    return why(f, "%s stands between the launch and host_work() and held the host for %d %% of the kernel's length: %s",
               name_of(&s, wait), percent(held, s.kernel_busy),
               copy ? "a copy to the host returns when the bytes are there, so it waits for the kernel first. "
                      "Queue it with cudaMemcpyAsync(), or make it after host_work()."
                    : "it returns when the kernel is done. Work first, then wait.");
}

static bool judge_sum(const struct evidence *e, struct finding *f, const char *part)
{
    const struct task *task = task_of(e);
    const uint32_t *input = exchange_input(e->exchange, 1, NULL);
    struct scene s = scene_of(&e->yours[0], part);
    uint64_t sum = 0, early = 0;
    int64_t held;

    for (int64_t i = 0; i < task->n; i++) {
        sum += scrambled(input[i]);
        early += input[i];
    }
    if (answer_of(e)->sum == sum)
        return true;
    f->call = longest_wait(&s, s.launch, s.end, &held);
    expected(f, "the sum of the %lld new elements: %llu", (long long)task->n, (unsigned long long)sum);
    seen(f, "%llu%s", (unsigned long long)answer_of(e)->sum,
         answer_of(e)->sum == early ? ", the sum of what `result` held before" : "");
    return answer_of(e)->sum == early
        ? why(f, "`result` was read before the copy was done. The elements arrived later, when nobody looked any more: "
              "wait first, then read.")
        : why(f, "All n elements belong to it, and the sum needs 64 bits.");
}

/* ---- (c) ---- */

static bool is_bad(const struct task *task, int job)
{
    return task->threads[job] == BAD_THREADS;
}

/* The launch of a job, refused or not: no other call has a block. ANY if it made none. */
static uint32_t launch_of(const struct scene *s, int job)
{
    int depth = 0, label = -1;
    for (size_t k = s->first; k < s->end; k++) {
        const struct call *c = &s->t->calls[k];
        if (c->kind == CALL_LABEL && c->name != 0)
            label += depth++ == 0;
        else if (c->kind == CALL_LABEL)
            depth--;
        else if (c->block[0] != 0 && depth > 0 && label == job)
            return (uint32_t)k;
    }
    return ANY;
}

static bool judge_jobs(const struct evidence *e, struct finding *f, const char *part)
{
    const struct task *task = task_of(e);
    struct scene s = scene_of(&e->yours[0], part);

    for (int k = 0; k < JOBS; k++) {
        f->call = launch_of(&s, k);
        if (f->call != ANY && s.t->calls[f->call].block[0] == task->threads[k])
            continue;
        expected(f, "job %d launches scramble with its %lld threads a block", k + 1, (long long)task->threads[k]);
        if (f->call == ANY)
            seen(f, "it launched nothing");
        else
            seen(f, "it launched with %u", s.t->calls[f->call].block[0]);
        return why(f, "Launch scramble<<<blocks, job->threads>>> each time, also where you expect it to be refused. What a "
                   "card refuses, and with which error, is for the card to say.");
    }
    return true;
}

static bool judge_launch_error(const struct evidence *e, struct finding *f, const char *part)
{
    struct scene s = scene_of(&e->yours[0], part);

    for (int k = 0; k < JOBS; k++) {
        if (!is_bad(task_of(e), k))
            continue;
        f->call = launch_of(&s, k);
        int32_t error = s.t->calls[f->call].status, got = answer_of(e)->report[k].error;
        if (got == error)
            continue;
        expected(f, "job %d asks for %d threads a block: the report says %s", k + 1, BAD_THREADS, error_name(error));
        seen(f, "the report says %s", error_name(got));
        return got == 0
            ? why(f, "A launch returns nothing, so its error is easily lost, and a wait succeeds: nothing was queued. "
                  "Ask cudaGetLastError() right after the launch.")
            : why(f, "Something else set the last error. Ask cudaGetLastError() right after the launch, once.");
    }
    return true;
}

static bool judge_fine(const struct evidence *e, struct finding *f, const char *part)
{
    const struct answer *a = answer_of(e);
    struct scene s = scene_of(&e->yours[0], part);

    for (int k = 0; k < JOBS - 1; k++) {
        if (is_bad(task_of(e), k) || (a->report[k].error == 0 && a->report[k].place == NOWHERE))
            continue;
        f->call = launch_of(&s, k);
        expected(f, "nothing is wrong with job %d: NOWHERE, cudaSuccess", k + 1);
        seen(f, "the report says %s, %s", place_name[a->report[k].place], error_name(a->report[k].error));
        return k > 0 && is_bad(task_of(e), k - 1)
            ? why(f, "That is the error of job %d before it. cudaPeekAtLastError() leaves the error where it is; "
                  "cudaGetLastError() takes it away.", k)
            : why(f, "An error must be looked at where it is made, and taken away by cudaGetLastError(): else the next "
                  "job is blamed for it.");
    }
    return true;
}

static bool judge_fault(const struct evidence *e, struct finding *f, const char *part)
{
    struct scene s = scene_of(&e->yours[0], part);
    int32_t got = answer_of(e)->report[JOBS - 1].error;

    if (got == ILLEGAL_ADDRESS)
        return true;
    f->call = launch_of(&s, JOBS - 1);
    expected(f, "job %d writes to an address that nobody gave it: the report says cudaErrorIllegalAddress", JOBS);
    seen(f, "the report says %s", error_name(got));
    return why(f, "The launch went well: the kernel failed later, when it ran. Only a call that waits for it can tell "
               "you: look at what cudaDeviceSynchronize() returns.");
}

static bool judge_place(const struct evidence *e, struct finding *f, const char *part)
{
    struct scene s = scene_of(&e->yours[0], part);

    for (int k = 0; k < JOBS; k++) {
        bool at_launch = is_bad(task_of(e), k);
        int place = at_launch ? AT_LAUNCH : k == JOBS - 1 ? AT_WAIT : NOWHERE, got = answer_of(e)->report[k].place;
        if (place == got)
            continue;
        f->call = launch_of(&s, k);
        expected(f, "the error of job %d is met %s", k + 1, place_name[place]);
        seen(f, "the report says %s", place_name[got]);
        return at_launch
            ? why(f, "The launch was refused at once; the wait after it had nothing to wait for. "
                  "Ask cudaGetLastError() before you wait, not after.")
            : why(f, "The launch was accepted. The kernel failed while it ran, and the wait brought the news.");
    }
    return true;
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "when did it return, when was it done?", "moments" },
    { "b", "work while the kernel runs", "overlap" },
    { "c", "which call met the error?", "errors" },
};

#define ASK_GRID "How many elements does your grid cover, and how often?"
#define PARAGRAPH_GRID "The first is where the commonest slip is"
#define ASK_LEAKS "What did you create that nobody destroys?"
#define PARAGRAPH_LEAKS "Pair them when you write them"
#define CALL_LEAKS "A cudaEventDestroy() for each cudaEventCreate() and a cudaFree() for each cudaMalloc(), before you return."

static const struct check checks[] = {
    { "a-output", "a", OUTPUT, 1, "the kernel ran once, over every element", NULL, judge_output,
      "The four parameters of a launch", { ASK_GRID, PARAGRAPH_GRID,
      "scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns), once." } },
    { "a-returned", "a", ORDER, 2, "before and returned stand right round the launch", "a-output", judge_returned,
      "Asking and getting", { "What stands between the launch and your second look at the clock?",
      "The order is in the queue. Nothing need have happened yet.",
      "m->before = now_ns() on the line before the launch, m->returned = now_ns() on the line after it." } },
    { "a-wait", "a", ORDER, 2, "the kernel was waited for", "a-output", judge_waited,
      "Which calls wait", { "Which line of yours knows that the kernel has ended?",
      "when everything queued has ended",
      "CHECK(cudaDeviceSynchronize()) behind the launch, before m->done is taken." } },
    { "a-done", "a", ORDER, 2, "done was taken at the kernel's end", "a-wait", judge_done,
      "Asking and getting", { "Had the wait come back when you looked at the clock?",
      "the work has ended, and you have waited to know it",
      "CHECK(cudaDeviceSynchronize()), and on the very next line m->done = now_ns()." } },
    { "a-leaks", "a", HYGIENE, 1, "all that part (a) made was given back", NULL, judge_leaks,
      "What to give back", { ASK_LEAKS, PARAGRAPH_LEAKS, CALL_LEAKS } },

    { "b-output", "b", OUTPUT, 1, "every element is right", NULL, judge_output,
      "The four parameters of a launch", { ASK_GRID, PARAGRAPH_GRID,
      "scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns) once, then "
      "cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost)." } },
    { "b-work", "b", OUTPUT, 1, "the host did its work", NULL, judge_work,
      "Work between asking and getting", { "How long did host_work() take, and in which unit?",
      "do your own work,",
      "host_work(host_ns), once: what it takes and what you are given are both nanoseconds." } },
    { "b-overlap", "b", OVERLAP, 4, "the host worked while the kernel ran", "b-output b-work", judge_overlap,
      "Work between asking and getting", { "What was the device doing when host_work() began, and what had held you up?",
      "wait, as late as you can",
      "In this order: scramble<<<>>>(), cudaMemcpyAsync(), host_work(host_ns), cudaDeviceSynchronize()." } },
    { "b-wait", "b", ORDER, 2, "kernel and copy were waited for", "b-output", judge_waited,
      "Which calls wait", { "Which line of yours knows that the copy has ended?",
      "reading or overwriting the host side too early",
      "CHECK(cudaDeviceSynchronize()) after host_work(host_ns): one wait is enough for the kernel and the copy." } },
    { "b-sum", "b", OUTPUT, 1, "the sum is that of the finished result", "b-output b-wait", judge_sum,
      "Asking and getting", { "What did `result` hold at the moment you read it?",
      "the result is not there",
      "CHECK(cudaDeviceSynchronize()), and only behind it the loop that adds up all n of result[i], in 64 bits." } },
    { "b-hazard", "b", HAZARD, 1, "the host keeps to its own memory", "b-wait b-sum", judge_hazards,
      "Asking and getting", { "In whose memory is what this line reads?",
      "in that memory, and means nothing to the host",
      "sum += result[i], which cudaMemcpyAsync() has brought: `data` is memory of the device." } },
    { "b-leaks", "b", HYGIENE, 1, "all that part (b) made was given back", NULL, judge_leaks,
      "What to give back", { ASK_LEAKS, PARAGRAPH_LEAKS, CALL_LEAKS } },

    { "c-jobs", "c", OUTPUT, 1, "each job was launched as it stands", NULL, judge_jobs,
      "Where an error comes up", { "Who decides what a card refuses?",
      "So compare with `cudaSuccess`, and print the name.",
      "scramble<<<blocks, job->threads>>>(job->data, job->n, job->kernel_ns), for every job." } },
    { "c-launch", "c", OUTPUT, 2, "a refused launch is reported", "c-jobs", judge_launch_error,
      "Where an error comes up", { "A launch returns nothing: whom can you ask how it went?",
      "The launch knows that at once",
      "r->error = cudaGetLastError() on the line behind the launch; if it is not cudaSuccess, AT_LAUNCH, and return." } },
    { "c-fine", "c", OUTPUT, 1, "a job that went well is reported so", "c-jobs", judge_fine,
      "Where an error comes up", { "Whose error is still lying there when the next job begins?",
      "looks and leaves it there",
      "cudaGetLastError() behind every launch, not cudaPeekAtLastError(): it takes the error away." } },
    { "c-fault", "c", OUTPUT, 2, "a fault that shows later is reported", "c-jobs c-fine", judge_fault,
      "Where an error comes up", { "When did the kernel run, and who was told how it went?",
      "The next call that waits brings the news",
      "r->error = cudaDeviceSynchronize(); if it is not cudaSuccess, r->place = AT_WAIT." } },
    { "c-place", "c", OUTPUT, 2, "the call that met the error is named", "c-launch c-fine c-fault", judge_place,
      "Where an error comes up", { "Could this call have known of that error?",
      "what a waiting call returns",
      "First cudaGetLastError(), right behind the launch: AT_LAUNCH. Then what cudaDeviceSynchronize() returns: AT_WAIT." } },
};

const struct lesson lesson_01 = {
    .number = 1,
    .folder = "01-sync-vs-async",
    .title = "Two moments: sync and async",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare,
};
