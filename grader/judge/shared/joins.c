/* SPDX-License-Identifier: MIT */
#include "grader/judge/shared/joins.h"

#include <stdio.h>
#include <string.h>

bool thread_is_joined(const struct timeline *t, uint32_t thread)
{
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_THREAD_WAKE && t->calls[i].src == thread
            && strcmp(timeline_string(t, t->calls[i].name), "the end of a thread") == 0)
            return true;
    return false;
}

bool thread_ends(const struct view *v, size_t call, size_t end)
{
    const struct call *calls = v->timeline->calls;
    for (size_t i = call; i < end; i++)
        if (calls[i].kind == CALL_THREAD_END && calls[i].thread == calls[call].thread)
            return true;
    return false;
}

size_t thread_unjoined(const struct timeline *t, const char *message)
{
    /* Asked of each hazard: a program that polls has as many of them as calls, and none names a
     * thread. */
    for (size_t i = strstr(message, ": thread ") ? 0 : t->call_count; i < t->call_count; i++) {
        char name[40];
        if (t->calls[i].kind != CALL_THREAD_BEGIN)
            continue;
        snprintf(name, sizeof name, ": thread %u (", t->calls[i].thread);
        if (strstr(message, name) && !thread_is_joined(t, t->calls[i].thread))
            return i;
    }
    return t->call_count;
}

#define JOIN "Nothing had waited for that thread to end: pthread_join() does, or join() of a std::thread. Join it before the " \
    "function returns."

/* Is that what a thread does of itself, in the learner's code or on its behalf? */
static bool is_work(const struct call *c)
{
    return c->kind != CALL_THREAD_BEGIN && c->kind != CALL_THREAD_WAKE && c->kind != CALL_THREAD_END
           && c->kind != CALL_COST && c->kind != CALL_HAZARD;
}

/* The learner's last call in the part by that thread; ANY: it made none, or stream functions run
 * in it. */
static uint32_t last_call_of(const struct timeline *t, struct selection s, uint32_t thread)
{
    uint32_t last = ANY;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        if (t->calls[i].thread != thread)
            continue;
        if (t->calls[i].kind == CALL_FUNCTION_BEGIN)
            return ANY;
        if (is_work(&t->calls[i]) && t->calls[i].line != 0 && !is_in_driver(t, &t->calls[i]))
            last = (uint32_t)i;
    }
    return last;
}

/* A call of that thread's in the part that waits for what `call` has queued, after it: for its
 * stream, or, in the thread that queued it, for anything. ANY: none does. */
static uint32_t waits_in(const struct timeline *t, struct selection s, uint32_t thread,
                         uint32_t call)
{
    bool itself = t->calls[call].thread == thread;
    for (size_t i = call; i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        if (c->thread == thread
            && (c->kind == CALL_STREAM_SYNC ? itself || c->stream == t->calls[call].stream
                                            : itself
                                                  && (c->kind == CALL_EVENT_SYNC
                                                      || c->kind == CALL_DEVICE_SYNC)))
            return (uint32_t)i;
    }
    return ANY;
}

/* Is there work left for that thread when the part is over? One that sleeps for good, or has only
 * to return, has none. */
static bool has_more(const struct timeline *t, struct selection s, uint32_t thread)
{
    for (size_t i = s.end_call; i < t->call_count; i++)
        if (t->calls[i].thread == thread && is_work(&t->calls[i]))
            return true;
    return false;
}

/* The learner's first call by that thread, where it comes after the part; ANY: it makes none, or
 * one before, or stream functions run in it. */
static uint32_t first_call_after(const struct timeline *t, struct selection s, uint32_t thread)
{
    uint32_t first = ANY;
    for (size_t i = s.first_call; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->thread == thread && c->kind == CALL_FUNCTION_BEGIN)
            return ANY;
        if (first == ANY && c->thread == thread && is_work(c) && c->line != 0)
            first = (uint32_t)i;
    }
    return first != ANY && first >= s.end_call && !is_in_driver(t, &t->calls[first]) ? first : ANY;
}

bool why_left_thread(const struct evidence *e, const struct check *c, struct finding *f)
{
    const struct timeline *t = e->yours[f->view].timeline;
    struct selection s = in_part(&e->yours[f->view], c->part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        if (t->calls[i].kind != CALL_THREAD_BEGIN)
            continue;
        uint32_t thread = t->calls[i].thread, last = last_call_of(t, s, thread);
        bool blamed = f->call < t->call_count && t->calls[f->call].thread == thread;
        if (thread_is_joined(t, thread) || c->kind == OVERLAP || (c->kind == HYGIENE && !blamed))
            continue;
        uint32_t late = last == ANY && c->kind != HAZARD ? first_call_after(t, s, thread) : ANY;
        if (late != ANY) {
            f->call = late;
            why(f,
                "A thread that the program has begun came here only when this part was over. " JOIN);
            return true;
        }
        if (last == ANY)
            continue;
        uint32_t wait =
            c->kind == ORDER && f->call < s.end_call ? waits_in(t, s, thread, f->call) : ANY;
        if (has_more(t, s, thread)) {
            f->call = last;
            why(f,
                "A thread that the program has begun was here when this part was over, and had more to do. " JOIN);
            return true;
        }
        if (wait != ANY) {
            why(f, "%s waits for it, in line %u, and no other thread knows when. " JOIN,
                blamed ? "The thread that queued this" : "A thread that the program has begun",
                t->calls[wait].line);
            return true;
        }
    }
    return false;
}
