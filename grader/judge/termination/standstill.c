/* SPDX-License-Identifier: MIT */
#include "grader/judge/termination/standstill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/check.h"
#include "grader/judge/termination/message.h"
#include "grader/judge/termination/turn.h"
#include "grader/run/functions.h"
#include "grader/run/loops.h"
#include "grader/run/program_line.h"
#include "trace/record/memory.h"

/* A line of the program that made a call, for submission_uncalled(). */
static bool made_one(const void *run, unsigned line)
{
    const struct run *r = run;
    for (size_t i = 0; i < r->log.call_count; i++)
        if (r->log.calls[i].line == line && !is_in_driver(&r->log, &r->log.calls[i]))
            return true;
    return false;
}

/* The thread's sentence, with the line of the learner's where it waits: "thread 1 waits for a mutex
 * at work/x.cu:12 (after …)". `held_since`: the line where it has locked that mutex itself. */
static void tell_waiter(char *text, size_t size, const struct run *r, const struct call *c,
                        const struct submission *yours, unsigned *first, unsigned *held_since)
{
    const char *message = timeline_string(&r->log, c->message), *newline = strchr(message, '\n');
    unsigned found = newline && yours ? program_line_listed(r, yours, newline) : 0;
    int length = newline ? (int)(newline - message) : (int)strlen(message);
    char *clean = text_harmless(message, (size_t)length), *rest = strstr(clean, ", which");
    bool for_thread = strstr(clean, " to end") != NULL,
         alone = strstr(clean, "which it already holds");
    rest = rest ? rest : strstr(clean, " (");
    rest = rest ? rest : clean + strlen(clean);
    unsigned locked = 0;
    char held[40] = "";
    const char *bar = newline ? strchr(newline, '|') : NULL;
    if (bar && yours)
        program_lines(r, yours, &(uint64_t){ strtoull(bar + 1, NULL, 16) }, 1, &locked);
    if (locked != 0)
        snprintf(held, sizeof held, ", locked in line %u", locked);
    const char *after = strstr(rest, " (");
    after = after ? after : rest + strlen(rest);
    if (found == 0)
        snprintf(text, size, "%s", clean);
    else
        snprintf(text, size, "%.*s at %s:%u%.*s%s%s", (int)(rest - clean), clean, yours->path,
                 found, (int)(after - rest), rest, held, after);
    memory_resize(clean, 0);
    if ((*first == 0 && !for_thread) || (alone && found != 0))
        *first = found;
    if (alone)
        *held_since = locked;
}

static const char UNLOCKS[] = "pthread_mutex_unlock unlock";

#define ADD(...) message_add(s->hint, sizeof s->hint, __VA_ARGS__)

/* The lines where the file makes such calls, if they are few. */
static void add_lines(struct standstill *s, const struct submission *yours, const char *names)
{
    enum { FEW = 4 };
    unsigned line[FEW];
    size_t count = yours && names ? submission_call_lines(yours, names, line, FEW) : 0;
    for (size_t i = 0; i < count && count <= FEW; i++)
        ADD("%s line %u",
            i == 0          ? " The file makes such calls in"
            : i + 1 < count ? ", in"
                            : " and in",
            line[i]);
    if (count > 0 && count <= FEW)
        ADD(".");
}

/* Does a function end in these lines? Its brace stands at the line's beginning. */
static bool function_ends(const struct submission *yours, unsigned from, unsigned to)
{
    unsigned line = 1;
    for (size_t i = 0; i + 1 < yours->bytes && line < to; i++)
        if (yours->text[i] == '\n' && ++line > from && yours->text[i + 1] == '}')
            return true;
    return false;
}

/* The first of such calls below the line of the same function where a mutex was locked that the
 * thread still holds. False: there is none. */
static bool add_line_below(struct standstill *s, const struct submission *yours, const char *names,
                           unsigned since)
{
    enum { MOST = 64 };
    unsigned line[MOST], below = 0;
    size_t count = submission_call_lines(yours, names, line, MOST);
    for (size_t i = 0; i < count && i < MOST; i++)
        if (line[i] > since && (below == 0 || line[i] < below))
            below = line[i];
    if (below == 0 || function_ends(yours, since, below))
        return false;
    ADD(" The next such call below line %u, where the thread has locked it, is in line %u.", since,
        below);
    return true;
}

/* Has something been queued or begun that could wake a thread: a function, or another thread? */
static bool could_be_woken(const struct timeline *log)
{
    for (size_t i = log->call_count; i-- > 0 && log->calls[i].kind != CALL_PART;)
        if (log->calls[i].kind == CALL_HOST_FUNC || log->calls[i].kind == CALL_THREAD_BEGIN)
            return true;
    return false;
}

/* Has the device been given something to do that a function could have come after? */
static bool has_worked(const struct timeline *log)
{
    for (size_t i = log->call_count; i-- > 0 && log->calls[i].kind != CALL_PART;)
        if (log->calls[i].kind == CALL_COPY || log->calls[i].kind == CALL_LAUNCH)
            return true;
    return false;
}

/* A function that finds what was meant for another one wakes no thread, or the wrong one. */
static bool add_turn_variable(struct standstill *s, const struct run *r,
                              const struct submission *yours)
{
    char name[80];
    struct turn_calls part = { &r->log, r->log.call_count, r->log.call_count, yours->path };
    while (part.first > 0 && r->log.calls[part.first - 1].kind != CALL_PART)
        part.first--;           /* the part in which the run stood still */
    const struct reached reached = { turn_is_queued, &part };
    unsigned line = submission_turn_variable(yours, TURN_CALLS, &reached, name, sizeof name);
    if (line != 0) {
        ADD(" ");
        ADD(TURN_SAYS, line, name);
    }
    return line != 0;
}

/* What could have ended the wait. */
static void add_questions(struct standstill *s, const struct timeline *log,
                          const struct submission *yours)
{
    if (strstr(s->waits, "that no sem_init() has made")) {
        ADD(" sem_init() gives each semaphore the count that it begins with, before a thread or a function uses it.");
        add_lines(s, yours, "sem_init");
        return;
    }
    bool counts =
        strstr(s->waits, "waits for a semaphore") || strstr(s->waits, "waits for a condition");
    if (counts && !could_be_woken(log)) {
        if (has_worked(log)) {
            ADD(" In this part work was queued, but no host function after it, and no thread started: nothing raises the count that it "
                "waits for. cudaLaunchHostFunc() queues a function that can, when its turn comes in the stream.");
            return;
        }
        ADD(" In this part no host function had been queued by then, and no thread started: nothing could wake it, and it should not have had to wait. What "
            "does the count that it waits for begin with?");
        return;
    }
    static const struct { const char *wait, *question, *calls;
    } questions[] = {
        { "waits for a semaphore",
          "Which sem_post() should have come, from a thread or from a function that cudaLaunchHostFunc() "
          "queues, and why did it not?",
          "sem_post" },
        { "waits for a condition",
          "Which pthread_cond_signal(), pthread_cond_broadcast(), notify_one() or notify_all() should have come, "
          "from a thread or from a function that cudaLaunchHostFunc() queues, and does each thread check again what it waits for?",
          "pthread_cond_signal pthread_cond_broadcast notify_one notify_all" },
        { "future",
          "Which set_value() of the promise, or store and notify_one() or notify_all() of the atomic variable, should have come, from "
          "a thread or from a function that cudaLaunchHostFunc() queues?",
          NULL },
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (strstr(s->waits, questions[i].wait)) {
            ADD(" %s", questions[i].question);
            add_lines(s, yours, questions[i].calls);
        }
}

/* A thread that has ended wakes nobody: where it last waited, and what of its function was never
 * reached. */
static void add_ended(struct standstill *s, const struct run *r, const struct submission *yours)
{
    size_t i = r->log.call_count;
    while (i > 0 && r->log.calls[i - 1].kind != CALL_THREAD_END)
        i--;
    if (i == 0)
        return;
    const struct call *c = &r->log.calls[i - 1];
    const uint64_t address[] = { c->src, c->dst_pitch, c->src_pitch, c->bytes };
    unsigned line[] = { 0, 0, 0, 0 }, where = 0;
    program_lines(r, yours, address, 4, line);
    for (int k = 0; k < 4 && where == 0; k++)
        where = line[k];
    if (where != 0)
        ADD(" Thread %u has ended; its last %s was in line %u.", c->thread,
            where == line[3] ? "lock" : "wait", where);
    char name[80], called[80];
    const struct reached reached = { made_one, r };
    bool uncalled = submission_uncalled(yours, &reached, name, sizeof name) != 0;
    unsigned unreached =
        uncalled ? submission_unreached(yours, name, &reached, called, sizeof called) : 0;
    if (unreached != 0 && strstr(s->waits, "waits for a condition"))
        ADD(" %s() has not come to line %u (%s).", name, unreached, called);
}

/* Is a host function running that began after its part had ended? Only code inside a part queues
 * any. */
static bool is_left_function(const struct timeline *t)
{
    bool inside = false, left = false;
    for (size_t i = 0; i < t->call_count; i++) {
        if (t->calls[i].kind == CALL_PART)
            inside = *timeline_string(t, t->calls[i].name) != '\0';
        else if (t->calls[i].kind == CALL_FUNCTION_BEGIN)
            left = !inside;
        else if (t->calls[i].kind == CALL_FUNCTION_END)
            left = false;
    }
    return left;
}

void standstill_find(struct standstill *s, const struct run *r, const struct submission *yours)
{
    size_t used = 0, listed = 0;
    unsigned held_since = 0;
    *s = (struct standstill){ .line = 0 };
    for (size_t i = 0; i < r->log.call_count && listed < STANDSTILL_WAITERS; i++) {
        if (r->log.calls[i].kind != CALL_DEADLOCK)
            continue;
        char one[700];
        tell_waiter(one, sizeof one, r, &r->log.calls[i], yours, &s->line, &held_since);
        int n = snprintf(s->waits + used, sizeof s->waits - used, "%s%s", listed++ > 0 ? "; " : "",
                         one);
        used = n > 0 && used + (size_t)n < sizeof s->waits ? used + (size_t)n : sizeof s->waits - 1;
    }
    ADD("No thread is left that could end that: on a GPU the program would hang.");
    if (!yours || !add_turn_variable(s, r, yours))
        add_questions(s, &r->log, yours);
    if (yours)
        add_ended(s, r, yours);
    if (strstr(s->waits, "waits for a mutex") && is_left_function(&r->log)) {
        ADD(" The function that waits began after the part had ended. What it uses, including the mutex, may be gone with the function of yours that "
            "queued it: wait for the stream before you return.");
    } else if (strstr(s->waits, "waits for a mutex")) {
        ADD(" Where is the mutex given back (pthread_mutex_unlock()) before it is asked for?");
        if (!yours || held_since == 0 || !add_line_below(s, yours, UNLOCKS, held_since))
            add_lines(s, yours, UNLOCKS);
    }
}
