/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "grader/base/text.h"
#include "grader/check.h"
#include "trace/record/memory.h"

static bool is_named(const struct timeline *t, const struct call *c, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(timeline_string(t, c->name), *names) == 0)
            return true;
    return false;
}

static bool gives_error(const struct timeline *t, const struct call *c)
{
    static const char *const names[] = { "cudaGetLastError", "cudaPeekAtLastError", NULL };
    return c->kind == CALL_OTHER && is_named(t, c, names);
}

/* A destructor has nobody to tell. */
static bool gives_back(const struct timeline *t, const struct call *c)
{
    static const char *const names[] = { "cudaGraphDestroy", "cudaGraphExecDestroy",
                                         "cudaMemPoolDestroy", "cuGreenCtxDestroy", NULL };
    return c->kind == CALL_FREE || c->kind == CALL_UNREGISTER || c->kind == CALL_STREAM_DESTROY
           || c->kind == CALL_EVENT_DESTROY || is_named(t, c, names);
}

/* Does the thread ask for the launch's error before the part ends? */
static bool asked_for(const struct timeline *t, size_t launch, size_t end)
{
    for (size_t i = launch + 1; i < end; i++)
        if (t->calls[i].thread == t->calls[launch].thread && gives_error(t, &t->calls[i])
            && (t->calls[i].flags & (CALL_UNREAD | QUERY_HALF_READ)) == 0)
            return true;
    return false;
}

/* Is the next thing that the thread does with the runtime to ask for the error of call i? */
static bool asked_next(const struct timeline *t, size_t i)
{
    for (size_t k = i + 1; k < t->call_count; k++) {
        const struct call *c = &t->calls[k];
        if (c->thread == t->calls[i].thread && c->line != 0 && c->kind != CALL_HOST_WORK
            && c->kind != CALL_LABEL && c->kind != CALL_RANGE && c->kind != CALL_COST)
            return gives_error(t, c) && (c->flags & CALL_UNREAD) == 0;
    }
    return false;
}

/* The first call that asks for the launch's error and whose answer the program does not look at;
 * ANY for none. */
static uint32_t asked_in_vain(const struct timeline *t, size_t launch, size_t end)
{
    for (size_t i = launch + 1; i < end; i++)
        if (t->calls[i].thread == t->calls[launch].thread && gives_error(t, &t->calls[i]))
            return (uint32_t)i;
    return ANY;
}

static bool goes_unseen(const struct timeline *t, size_t i, size_t end)
{
    const struct call *c = &t->calls[i];
    if ((c->flags & CALL_UNREAD) == 0 || (c->flags & (GRAPH_NODE | CALL_CAPTURED)) != 0)
        return false;           /* what spoils a capture its end tells */
    if (is_in_driver(t, c))
        return false;
    if (c->kind == CALL_LAUNCH)
        return !asked_for(t, i, end);
    bool runtime = strncmp(timeline_string(t, c->name), "cuda", 4) == 0; /* keeps its last error */
    return c->kind != CALL_STREAM_QUERY && c->kind != CALL_EVENT_QUERY && !gives_error(t, c)
           && !gives_back(t, c) && !(runtime && asked_next(t, i));
}

/* Is it a call of CUDA's whose answer the program looks at, so that it ends there if the device is
 * lost? One that gives something back may return an earlier error, as the reference says, and is
 * not there for that: where it is the only one, nobody has looked. */
static bool would_tell(const struct timeline *t, const struct call *c)
{
    return (c->flags & (CALL_UNREAD | QUERY_HALF_READ | GRAPH_NODE)) == 0 && !is_in_driver(t, c)
           && strncmp(timeline_string(t, c->name), "cu", 2) == 0 && !gives_back(t, c);
}

/* A question whose answer ended a wait, though an error would have ended it, too, and no call of
 * the same thread's tells of that before the part is over; ANY for none. */
static uint32_t taken_for_done(const struct timeline *t, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const struct call *c = &t->calls[i];
        bool query = c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY;
        if (!query || (c->flags & QUERY_HALF_READ) == 0 || c->status != 0 || is_in_driver(t, c))
            continue;
        size_t later = i + 1;
        while (later < end
               && (t->calls[later].thread != c->thread || !would_tell(t, &t->calls[later])))
            later++;
        if (later == end)
            return (uint32_t)i;
    }
    return ANY;
}

/* Where the part is, with the calls that were made since the part before it ended, and, if it is
 * the last, since it ended itself. */
static bool part_and_around(const struct timeline *t, const char *part, size_t *first, size_t *end)
{
    if (!measure_part(t, part, first, end))
        return false;
    while (*first > 0 && t->calls[*first - 1].kind != CALL_PART)
        --*first;
    size_t next = *end;
    while (next < t->call_count && !(t->calls[next].kind == CALL_PART && t->calls[next].name != 0))
        next++;
    if (next == t->call_count)
        *end = next;
    return true;
}

const char *check_chapter(const struct check *c, const char *own)
{
    return c->judge == judge_errors ? "01-sync-vs-async" : own;
}

/* The simulator's own words on a call that is undefined. */
static void see_reason(const struct timeline *t, size_t call, struct finding *f)
{
    const char *reason = timeline_string(t, t->calls[call].message);
    char *harmless = text_harmless(reason, strlen(reason));
    f->call = (uint32_t)call;
    seen(f, "%s: %s", timeline_string(t, t->calls[call].name), harmless);
    memory_resize(harmless, 0);
}

static bool contrary(const struct timeline *t, size_t copy, struct finding *f)
{
    see_reason(t, copy, f);
    expected(f, "a copy's direction (cudaMemcpyKind) says on which sides its memory is");
    return why(f,
               "The CUDA reference calls such a copy undefined. A GPU goes by the addresses, so it may go well: do not count on it. Are the "
               "arguments swapped, or is it the direction that is wrong?");
}

static bool too_short(const struct timeline *t, size_t call, struct finding *f)
{
    see_reason(t, call, f);
    expected(f, "what a call reads or writes is as large as it takes it to be");
    return why(f,
               "The parameter is a void *, so the compiler accepts any address. The call also uses the bytes that follow the variable in "
               "memory, and works only by luck. Give the variable the type that the call expects.");
}

static bool errors_end_no_wait(const struct timeline *t, size_t first, size_t end,
                               struct finding *f)
{
    f->call = taken_for_done(t, first, end);
    if (f->call == ANY)
        return true;
    const char *asked = timeline_string(t, t->calls[f->call].name);
    expected(f, "the program tells an error from the answer that all is done");
    seen(f,
         "an error of %s() counts as \"done\", and no later call of this part is bound to tell of it",
         asked);
    return why(f,
               "Whatever is neither cudaErrorNotReady nor cudaSuccess is an error. It ends this wait, and what the work should have "
               "made is used all the same. Keep the answer, and look at it after the wait: while ((status = %s(...)) == "
               "cudaErrorNotReady) ...; CHECK(status);",
               asked);
}

static bool errors_of_run(const struct timeline *t, struct finding *f, const char *part)
{
    static const char *const waits[] = { "sem_timedwait", "sem_clockwait", "try_acquire_for",
                                         "try_acquire_until", "wait_for", "wait_until", NULL };
    size_t first = 0, end = t->call_count;
    if (!part_and_around(t, part, &first, &end))
        return true;
    for (size_t k = first; k < end; k++)
        if (t->calls[k].flags & COPY_CONTRARY && !is_in_driver(t, &t->calls[k]))
            return contrary(t, k, f);
        else if (call_is_short(&t->calls[k]) && !is_in_driver(t, &t->calls[k]))
            return too_short(t, k, f);
    size_t i = first;
    while (i < end && !goes_unseen(t, i, end))
        i++;
    if (i == end)
        return errors_end_no_wait(t, first, end, f);
    f->call = (uint32_t)i;
    const char *called = timeline_string(t, t->calls[i].name);
    char *name = text_harmless(called, strlen(called));
    if (t->calls[i].kind == CALL_LAUNCH) {
        expected(f, "after each launch the program asks for its error");
        uint32_t unread = asked_in_vain(t, i, end);
        if (unread != ANY && t->calls[unread].flags & QUERY_HALF_READ)
            seen(f,
                 "after the launch of %s() it asks, and an error ends the function without a word",
                 name);
        else
            seen(f, "after the launch of %s() it never does", name);
        if (unread != ANY)
            why(f,
                t->calls[unread].flags & QUERY_HALF_READ
                    ? "A launch returns nothing. If it is refused, the kernel does not run. %s() in line %u asks, and clears the error or "
                      "passes it over: the function returns then without a word. Put it into CHECK()."
                    : "A launch returns nothing. If it is refused, the kernel does not run and nothing tells you. %s() in line %u asks, and "
                      "the program does not look at the answer: put it into CHECK().",
                timeline_string(t, t->calls[unread].name), t->calls[unread].line);
        else
            why(f,
                "If the launch is refused, the kernel does not run and nothing tells you. <<<...>>> returns nothing: put "
                "CHECK(cudaGetLastError()), or CHECK(cudaPeekAtLastError()), after it. A call that launches returns an error: put it into CHECK().");
    } else if (is_named(t, &t->calls[i], waits)) {
        expected(f, "the program looks at what a wait returns that gives up after a while");
        seen(f, "it does not look at what %s() returns", name);
        why(f,
            "When the time is over it returns, too, and nothing has happened that you could rely on: no slot is empty, no work is "
            "done. Wait without a limit, or look at what it returns, and wait again.");
    } else {
        expected(f, "the program checks what each runtime call returns");
        seen(f, "it does not check what %s() returns", name);
        why(f, "If the call fails, the program goes on as if nothing had happened: CHECK(%s(...)).",
            name);
    }
    memory_resize(name, 0);
    return false;
}

/* Where a lesson is run on several cards, each run has calls of its own: on one of them the last
 * launch may come after the last question, and on another before it. */
bool judge_errors(const struct evidence *e, struct finding *f, const char *part)
{
    size_t run = 0;
    do {
        f->view = run;
        if (!errors_of_run(e->yours[run].timeline, f, part))
            return false;
    } while (++run < e->runs);
    f->view = 0;
    return true;
}
