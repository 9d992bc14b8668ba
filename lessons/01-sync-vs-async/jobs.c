/* SPDX-License-Identifier: MIT */
/* (c): which call met the error, and what was it? */
#include "judges.h"

#include <string.h>

#define NOT_REPORTED \
    "This call returned the error, and it did not get into the report. Is it kept in r->error, and does nothing overwrite it later?"

enum { NOWHERE, AT_LAUNCH, AT_WAIT };   /* enum place of lesson.h */

/* The report is a stranger's: it may say anything. */
static bool is_place(int32_t place)
{
    return place >= NOWHERE && place <= AT_WAIT;
}

static const char *place_name(int32_t place)
{
    static const char *const names[] = { "NOWHERE", "AT_LAUNCH", "AT_WAIT" };
    return is_place(place) ? names[place] : "none of the three places";
}

/* What the program writes to name it. */
static const char *place_word(int32_t place)
{
    return is_place(place) ? place_name(place) : "place";
}

static bool is_bad(const struct task *task, int job)
{
    return task->threads[job] == BAD_THREADS || task->elements[job] == 0;
}

/* Of a job: a thread that part (d) left may file letters at that time. */
static bool is_label(const struct call *c)
{
    return c->kind == CALL_LABEL && c->thread == 0;
}

/* The calls of a job: from its label to the end of that, or of the part. */
static struct selection calls_of(const struct scene *s, int job)
{
    struct selection calls = { 0, ANY, ANY, s->end, s->end };
    int depth = 0, label = -1;
    for (size_t k = s->first; k < s->end; k++) {
        const struct call *c = &s->t->calls[k];
        if (!is_label(c))
            continue;
        bool opens = c->name != 0;
        label += opens && depth == 0;
        depth += opens ? 1 : -1;
        if (label == job && opens && depth == 1)
            calls.first_call = k;
        if (label == job && depth == 0) {
            calls.end_call = k;
            return calls;
        }
    }
    return calls;
}

/* The launch of a job, refused or not: no other call has a block. ANY if it made none. */
static uint32_t launch_of(const struct scene *s, int job)
{
    struct selection calls = calls_of(s, job);
    for (size_t k = calls.first_call; k < calls.end_call; k++)
        if (s->t->calls[k].block[0] != 0)
            return (uint32_t)k;
    return ANY;
}

/* A launch by a thread that the job has begun, after the job; ANY: there is none. */
static uint32_t launched_afterwards(const struct scene *s, int job)
{
    struct selection calls = calls_of(s, job);
    for (size_t i = calls.first_call; i < calls.end_call; i++)
        for (size_t k = calls.end_call;
             s->t->calls[i].kind == CALL_THREAD_BEGIN && k < s->t->call_count; k++)
            if (s->t->calls[k].thread == s->t->calls[i].thread && s->t->calls[k].block[0] != 0)
                return (uint32_t)k;
    return ANY;
}

/* How many launches it made. */
static size_t launches_of(const struct scene *s, int job)
{
    size_t count = 0;
    for (size_t k = launch_of(s, job); k < s->end && !is_label(&s->t->calls[k]); k++)
        count += s->t->calls[k].block[0] != 0;
    return count;
}

static bool asks_for_error(const struct scene *s, size_t k)
{
    const char *name = scene_name(s, (uint32_t)k);
    return strcmp(name, "cudaGetLastError") == 0 || strcmp(name, "cudaPeekAtLastError") == 0;
}

/* The call of the job that met its error: for one that is refused the question after the launch,
 * else the first call that returned `error`. ANY if there is none. */
static uint32_t met_error(const struct scene *s, int job, int32_t error)
{
    uint32_t launch = launch_of(s, job);
    bool refused = launch != ANY && s->t->calls[launch].status == error;
    for (size_t k = launch == ANY ? s->end : launch + 1;
         k < s->end && !is_label(&s->t->calls[k]); k++) {
        if (s->t->calls[k].line != 0
            && (refused ? asks_for_error(s, k) : s->t->calls[k].status == error))
            return (uint32_t)k;
    }
    return ANY;
}

/* The call of the job that returned the fault's error to a program that looks at it: the one during
 * which the kernel failed, or a question later; ANY: there is none. */
static uint32_t fault_returned_by(const struct scene *s, int job)
{
    uint32_t launch = launch_of(s, job), last = ANY;
    bool failed = false;
    for (size_t k = launch == ANY ? s->end : launch + 1;
         k < s->end && !is_label(&s->t->calls[k]); k++) {
        const struct call *c = &s->t->calls[k];
        bool looks = c->line != 0 && !(c->flags & CALL_UNREAD);
        if (c->kind == CALL_FAULT) {
            failed = true;
            if (last != ANY)
                return last;
        } else if (c->line != 0) {
            last = looks && !asks_for_error(s, k) ? (uint32_t)k : ANY;
            if (failed && looks && asks_for_error(s, k))
                return (uint32_t)k;
        }
    }
    return ANY;
}

/* Has the host waited for that launch when the driver fetches the elements? Where it has not,
 * another check says so. */
static bool is_fetched_late(const struct view *v, const struct scene *s, uint32_t launch)
{
    uint32_t fetched =
        next_span(v, (struct selection){ ENGINE_BIT(ENGINE_D2H), ANY, ANY, launch, s->end }, 0);
    uint32_t node = s->t->calls[launch].node;
    return fetched != ANY && node != NO_NODE
           && hb_before_call(v->order, node, s->t->calls, s->t->spans[fetched].call, GUARANTEED);
}

/* What the jobs that went well have made of the elements. */
static bool elements_of_jobs(const struct evidence *e, struct finding *f, const struct scene *s)
{
    const struct task *task = task_of(e);
    const uint32_t *input = exchange_input(e->exchange, 1, NULL),
                   *output = exchange_output(e->exchange, 5, NULL);
    int64_t good = 0;
    uint32_t last = ANY;
    for (int k = 0; k < JOBS - 1; k++)
        if (!is_bad(task, k)) {
            good++;
            last = launch_of(s, k);
            if (!is_fetched_late(&e->yours[0], s, last))
                return true;
        }
    for (int64_t i = 0; i < task->n; i++) {
        uint32_t wanted = input[i];
        for (int64_t k = 0; k < good; k++)
            wanted = scrambled(wanted);
        if (output[i] == wanted)
            continue;
        f->call = last;
        expected(f, "each of the %lld jobs that go well takes every element through scramble once",
                 (long long)good);
        seen(f, "after them element %lld is %u and not %u", (long long)i, output[i], wanted);
        return why(f,
                   "Launch scramble over all job->n elements of job->data: blocks_for(job->n, job->threads) blocks, and job->n.");
    }
    return true;
}

bool jobs_launched(const struct evidence *e, struct finding *f, const char *part)
{
    const struct task *task = task_of(e);
    struct scene s = launch_scene(&e->yours[0], part);

    for (int k = 0; k < JOBS; k++) {
        f->call = launch_of(&s, k);
        const struct call *c = f->call == ANY ? NULL : &s.t->calls[f->call];
        uint64_t blocks = c ? (uint64_t)c->grid[0] * c->grid[1] * c->grid[2] : 0;
        if (c && c->block[0] == task->threads[k]
            && blocks * c->block[0] < (uint64_t)task->elements[k]) {
            expected(f, "job %d launches scramble over all its %lld elements", k + 1,
                     (long long)task->n);
            seen(f, "%llu blocks of %u threads: %llu of them", (unsigned long long)blocks,
                 c->block[0], (unsigned long long)(blocks * c->block[0]));
            return why(f,
                       "The number of blocks is n, divided by the threads that a block of this launch has, and rounded up: "
                       "blocks_for(n, threads). C's n / threads rounds down.");
        }
        if (c && launches_of(&s, k) > 1) {
            expected(f, "job %d launches scramble once", k + 1);
            seen(f, "it was launched %zu times", launches_of(&s, k));
            return why(f,
                       "The kernel works in place: another launch changes the data once more. Launch it once for each job.");
        }
        if (c && c->block[0] == task->threads[k]) {
            if (c->node != NO_NODE
                && !costs_as_given(&e->yours[0], f, c->node, task->c_kernel_ns, "job->kernel_ns"))
                return false;
            continue;
        }
        expected(f, "job %d launches scramble with its %lld threads a block", k + 1,
                 (long long)task->threads[k]);
        uint32_t late = f->call == ANY ? launched_afterwards(&s, k) : ANY;
        if (late != ANY) {
            f->call = late;
            f->sure = true;
            seen(f, "when run_job() returned it had launched nothing");
            return why(f,
                       "A thread that run_job() begins came here only then. Join it (join() of a std::thread, pthread_join()) before the "
                       "function looks for errors: it reports what the launch has met.");
        }
        if (f->call == ANY)
            seen(f, "it launched nothing");
        else
            seen(f, "it launched with %u", s.t->calls[f->call].block[0]);
        return why(f,
                   "Launch scramble<<<blocks, job->threads>>> each time, even where you expect it to be refused. The card decides "
                   "what it refuses, and with which error.");
    }
    return elements_of_jobs(e, f, &s);
}

bool jobs_refused(const struct evidence *e, struct finding *f, const char *part)
{
    struct scene s = launch_scene(&e->yours[0], part);

    for (int k = 0; k < JOBS; k++) {
        if (!is_bad(task_of(e), k))
            continue;
        f->call = launch_of(&s, k);
        int32_t error = s.t->calls[f->call].status, got = answer_of(e)->report[k].error;
        if (got == error)
            continue;
        if (task_of(e)->elements[k] == 0)
            expected(f, "job %d has no elements, and its grid no blocks: the report says %s", k + 1,
                     launch_error(error));
        else
            expected(f, "job %d asks for %d threads a block: the report says %s", k + 1,
                     BAD_THREADS, launch_error(error));
        seen(f, "the report says %s", launch_error(got));
        f->function = "run_job";
        f->word = "cudaGetLastError";
        f->sure = true;
        uint32_t asked = got == 0 ? met_error(&s, k, error) : ANY;
        if (asked != ANY) {
            f->call = asked;
            return why(f, NOT_REPORTED);
        }
        return got == 0
                   ? why(f,
                         "A launch returns nothing, so its error is easily lost. A wait then succeeds, because nothing was queued. Call "
                         "cudaGetLastError() right after the launch.")
                   : why(f,
                         "That is not the launch's error. Call cudaGetLastError() right after the launch, once, and report what it returns.");
    }
    return true;
}

/* The part's first call of cudaDeviceReset() before that call; ANY: there is none. */
static uint32_t reset_before(const struct scene *s, uint32_t call)
{
    for (size_t k = s->first; k < s->t->call_count && k < call; k++)
        if (strcmp(scene_name(s, (uint32_t)k), "cudaDeviceReset") == 0)
            return (uint32_t)k;
    return ANY;
}

/* What a job has met is not left to whoever asks next. */
static bool leaves_no_error(const struct evidence *e, struct finding *f, const struct scene *s)
{
    for (int k = 0; k < JOBS - 1; k++) {
        int32_t left = answer_of(e)->left[k];
        if (left == 0 || answer_of(e)->report[k].error == 0)
            continue;           /* who has not looked at it has not reported it: jobs_refused */
        f->call = met_error(s, k, left);
        f->function = "run_job";
        f->word = "cudaPeekAtLastError";
        f->sure = true;
        expected(f, "no error is pending when job %d has returned", k + 1);
        seen(f, "%s is", launch_error(left));
        return why(f,
                   "cudaPeekAtLastError() leaves the error in place, and the next call that asks gets it. cudaGetLastError() clears it.");
    }
    return true;
}

bool jobs_fine(const struct evidence *e, struct finding *f, const char *part)
{
    const struct answer *a = answer_of(e);
    struct scene s = launch_scene(&e->yours[0], part);

    for (int k = 0; k < JOBS - 1; k++) {
        if (is_bad(task_of(e), k) || (a->report[k].error == 0 && a->report[k].place == NOWHERE))
            continue;
        expected(f, "nothing is wrong with job %d: NOWHERE, cudaSuccess", k + 1);
        seen(f, "the report says %s, %s", place_name(a->report[k].place),
             launch_error(a->report[k].error));
        f->function = "run_job";
        f->word = "error";
        f->sure = true;
        if (a->report[k].error == 0) {
            f->word = place_word(a->report[k].place);
            if (!is_place(a->report[k].place))
                return why(f,
                           "There was no error, and r->place was never set. NOWHERE says that there was none.");
            return why(f,
                       "There was no error, and still r->place is %s. Only an error that is not cudaSuccess has a place.",
                       place_name(a->report[k].place));
        }
        f->call = met_error(&s, k, NOT_READY);
        if (a->report[k].error == NOT_READY && f->call != ANY)
            return why(f,
                       "cudaErrorNotReady is no error: %s() says with it that the work is not done yet. Ask again until it says "
                       "something else, or wait.",
                       scene_name(&s, f->call));
        f->call = reset_before(&s, launch_of(&s, k));
        if (f->call != ANY)
            return why(f,
                       "cudaDeviceReset() throws away all that the process has on the device: the caller's memory, too, which this job's "
                       "kernel works on. A refused launch has harmed nothing, and cudaGetLastError() has cleared its error. Leave the "
                       "reset out.");
        f->call = launch_of(&s, k);
        return k > 0 && is_bad(task_of(e), k - 1)
                       && a->report[k].error == s.t->calls[launch_of(&s, k - 1)].status
                   ? why(f,
                         "That is the error of the earlier job %d. cudaPeekAtLastError() leaves the error in place. cudaGetLastError() "
                         "clears it.",
                         k)
                   : why(f,
                         "Look at an error where it arises, and clear it with cudaGetLastError(). Otherwise the next job is blamed for it.");
    }
    return leaves_no_error(e, f, &s);
}

bool jobs_fault(const struct evidence *e, struct finding *f, const char *part)
{
    struct scene s = launch_scene(&e->yours[0], part);
    int32_t got = answer_of(e)->report[JOBS - 1].error;

    if (got == ILLEGAL_ADDRESS)
        return true;
    f->call = launch_of(&s, JOBS - 1);
    f->sure = true;
    expected(f,
             "job %d writes to an address outside any allocation: the report says cudaErrorIllegalAddress",
             JOBS);
    seen(f, "the report says %s", launch_error(got));
    uint32_t returned = fault_returned_by(&s, JOBS - 1);
    if (returned != ANY) {
        f->call = returned;
        return why(f, NOT_REPORTED);
    }
    return why(f,
               "The launch succeeded, and the kernel failed later, when it ran. Only a call that waits for it can tell you. Look at "
               "what cudaDeviceSynchronize() returns.");
}

/* The launch of the job after the fault is refused, and the error has the fault's name. */
static bool tells_fault_again(const struct evidence *e, struct finding *f)
{
    const struct answer *a = answer_of(e);
    if (!part_ran(&e->yours[0], LATER "c")
        || (a->after.place == AT_LAUNCH && a->after.error == ILLEGAL_ADDRESS))
        return true;
    f->function = "run_job";
    f->word = a->after.place == AT_LAUNCH ? "cudaError" : place_word(a->after.place);
    f->sure = true;
    expected(f,
             "one more job, after the fault of job %d, is met AT_LAUNCH with cudaErrorIllegalAddress",
             JOBS);
    seen(f, "the report says %s, %s", place_name(a->after.place), launch_error(a->after.error));
    struct scene s = launch_scene(&e->yours[0], "c");
    f->call = reset_before(&s, (uint32_t)s.t->call_count);
    if (f->call != ANY)
        return why(f,
                   "cudaDeviceReset() does not repair the device after such a fault: only a new process does. It throws away what the "
                   "caller has there, and the next job meets another error. Leave it out. The report is all that is wanted.");
    return why(f,
               "After such a fault every launch is refused, with the fault's error. Which error a job has, and where, only the calls say: "
               "what cudaGetLastError() returns after the launch, and then what cudaDeviceSynchronize() returns.");
}

bool jobs_place(const struct evidence *e, struct finding *f, const char *part)
{
    struct scene s = launch_scene(&e->yours[0], part);

    for (int k = 0; k < JOBS; k++) {
        bool at_launch = is_bad(task_of(e), k);
        int place = at_launch       ? AT_LAUNCH
                    : k == JOBS - 1 ? AT_WAIT
                                    : NOWHERE,
            got = answer_of(e)->report[k].place;
        if (place == got)
            continue;
        expected(f, "the error of job %d is met %s", k + 1, place_name(place));
        seen(f, "the report says %s", place_name(got));
        f->function = "run_job";
        f->word = got == NOWHERE ? "place" : place_word(got);
        f->sure = true;
        if (got == NOWHERE) {
            f->call = met_error(&s, k, answer_of(e)->report[k].error);
            return why(f,
                       "The report has the error, but not the place where it was found. Set r->place as well.");
        }
        f->call = at_launch && got == AT_WAIT ? launch_of(&s, k)
                  : k == JOBS - 1             ? fault_returned_by(&s, k)
                                              : ANY;
        return at_launch
                   ? why(f,
                         "The launch was refused at once, and nothing was queued that a wait could wait for. The error is met by the first "
                         "cudaGetLastError() after the launch: ask before you wait, and say AT_LAUNCH.")
                   : why(f,
                         "The launch was accepted. The kernel failed while it ran, and the wait reported it.");
    }
    return tells_fault_again(e, f);
}
