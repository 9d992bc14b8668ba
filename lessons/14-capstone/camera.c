/* SPDX-License-Identifier: MIT */
/*
 * (a): what the camera's thread waits for.
 *
 * DESIGN
 * A room may be waited for in a function's semaphore or in an event: neither is bound to be of the
 * latest frame, but where there is one room alone. Polls are counted where they take time: a thread
 * may ask once before it sleeps.
 */
#include <string.h>

#include "judges.h"

/* Is the call inside the label `what`, whatever its number, in its own thread? */
static bool inside(const struct view *v, size_t call, const char *what)
{
    for (size_t i = call; i-- > 0 && v->timeline->calls[i].kind != CALL_PART;)
        if (v->timeline->calls[i].thread == v->timeline->calls[call].thread
            && label_number(v, i, what) >= 0)
            return label_end(v, i) > call;
    return false;
}

static bool is_of_threads(const struct call *c)
{
    return c->kind == CALL_THREAD_WAKE || c->kind == CALL_THREAD_BEGIN;
}

/* The learner's call in plant_room() by which the camera polls: it asks a second time, or lets time
 * pass; ANY for none. */
static uint32_t poll_for_room(const struct view *v, struct selection s, uint32_t thread)
{
    const struct timeline *t = v->timeline;
    bool asked = false;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        if (c->thread != thread)
            continue;
        if (c->kind == CALL_LABEL)
            asked = false;
        bool asks = (c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY) && c->status != 0;
        if ((!asks && c->kind != CALL_HOST_WORK) || is_in_driver(t, c) || inside(v, i, FRAME)
            || inside(v, i, FILL))
            continue;
        if (asked || c->kind == CALL_HOST_WORK)
            return (uint32_t)i;
        asked = true;
    }
    return ANY;
}

uint64_t room_of(const struct view *v, int frame)
{
    uint32_t node = next_span(v, calls_in(v, FRAME, frame, ENGINE_BIT(ENGINE_H2D)), 0);
    while (node != ANY && call_of_node(v, node)->thread != camera(v))
        node = next_span(v, calls_in(v, FRAME, frame, ENGINE_BIT(ENGINE_H2D)), node + 1);
    return node == ANY ? 0 : call_of_node(v, node)->src;
}

/* Something of that frame which the camera has waited for when this call returns, and had not
 * before; ANY. */
static uint32_t waited_for(const struct view *v, int frame, size_t call)
{
    struct selection s = calls_in(v, FRAME, frame, ENGINES_DEVICE);
    size_t then = call + 1;
    while (then < v->timeline->call_count && v->timeline->calls[then].thread != camera(v))
        then++;
    for (uint32_t node = next_span(v, s, 0); then < v->timeline->call_count && node != ANY;
         node = next_span(v, s, node + 1))
        if (call_of_node(v, node)->thread == camera(v)
            && hb_before_call(v->order, node, v->timeline->calls, then, GUARANTEED)
            && !hb_before_call(v->order, node, v->timeline->calls, call, GUARANTEED))
            return node;
    return ANY;
}

/* The call by which plant_room() waits for a frame that is still in another room: the latest. ANY
 * for none. */
static uint32_t wait_for_latest(const struct evidence *e, const struct view *v, uint32_t *node)
{
    const struct timeline *t = v->timeline;
    for (int k = 1; k < sizes_of(e)->frames; k++) {
        struct selection before = calls_in(v, FRAME, k - 1, 0), fill = calls_in(v, FILL, k, 0);
        if (room_of(v, k) == 0 || room_of(v, k - 1) == 0 || room_of(v, k) == room_of(v, k - 1))
            continue;
        for (size_t i = before.end_call; i < fill.first_call; i++)
            if (t->calls[i].thread == camera(v) && !is_of_threads(&t->calls[i])
                && longest_wait_of(v, (struct selection){ 0, ANY, ANY, i, i + 1 }, camera(v)) != ANY
                && (*node = waited_for(v, k - 1, i)) != ANY)
                return (uint32_t)i;
    }
    return ANY;
}

/* The desk's wait for the device while the camera's thread stands still until the desk goes on: a
 * lock is held meanwhile. ANY. */
static uint32_t wait_of_desk(const struct view *v, struct selection s, uint32_t thread,
                             uint32_t desk)
{
    const struct timeline *t = v->timeline;
    for (size_t k = 0; k < t->span_count; k++) {
        const struct span *stands = &t->spans[k];
        const struct call *c = &t->calls[stands->call];
        if (stands->engine != ENGINE_WAIT || c->kind != CALL_THREAD_WAKE || c->thread != thread
            || c->src != desk || stands->call < s.first_call || stands->call >= s.end_call)
            continue;
        for (size_t i = 0; i < t->span_count; i++) {
            const struct span *waits = &t->spans[i];
            if (waits->engine == ENGINE_WAIT && t->calls[waits->call].thread == desk
                && !is_of_threads(&t->calls[waits->call]) && waits->start < stands->end
                && waits->end > stands->start)
                return waits->call;
        }
    }
    return ANY;
}

static bool frame_queues(const struct evidence *e, struct finding *f)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    int64_t longest = 0;
    for (int k = 0; k < sizes_of(e)->frames; k++) {
        uint32_t wait = longest_wait_of(v, calls_in(v, FRAME, k, 0), camera(v));
        if (wait == ANY || t->calls[wait].end - t->calls[wait].begin <= longest)
            continue;
        longest = t->calls[wait].end - t->calls[wait].begin;
        f->call = wait;
    }
    for (int k = 0; k < sizes_of(e)->frames && f->call == ANY; k++)
        f->call = woken_in(v, calls_in(v, FRAME, k, 0), camera(v));
    if (f->call == ANY)
        return true;
    expected(f, "plant_frame() queues, and returns");
    if (longest > 0)
        seen(f, "the host waits here for %lld us", (long long)longest / 1000);
    else
        seen(f, "the host is held up here");
    return why(
        f,
        "While plant_frame() waits, the camera fills no room and nothing is queued. The camera's thread waits for a room, in plant_room(), "
        "and for nothing else.");
}

bool plant_queues(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    uint32_t desk = v->timeline->calls[calls_in(v, REQUEST, 1, 0).first_call].thread, node = ANY;
    f->call = wait_of_desk(v, s, camera(v), desk);
    if (f->call != ANY) {
        expected(f, "the camera's thread waits for a room and for nothing else");
        seen(f, "it stands still while the desk's thread waits for the device in this line");
        return why(
            f,
            "plant_room() or plant_frame() does not go on until the desk's thread does, as at a lock that is held over this wait. Hold "
            "no lock while the device is waited for.");
    }
    if (!frame_queues(e, f))
        return false;
    f->call = poll_for_room(v, s, camera(v));
    if (f->call != ANY) {
        const char *name = timeline_string(v->timeline, v->timeline->calls[f->call].name);
        if (v->timeline->calls[f->call].line == 0) {
            f->call = ANY;
            f->function = "plant_room";
            f->word = "sem_trywait nanosleep sleep_for usleep yield";
        }
        expected(f, "plant_room() sleeps until there is a room");
        seen(f, "it polls, or lets time pass: %s",
             strcmp(name, "a condition") == 0 ? "a wait for a condition, with a time limit" : name);
        return why(
            f,
            "A thread that polls keeps a processor busy, and notices late. Let it sleep in sem_wait() or pthread_cond_wait() until "
            "what gives the room back wakes it.");
    }
    f->call = wait_for_latest(e, v, &node);
    if (f->call == ANY)
        return true;
    expected(f, "the camera's thread waits for a room and for nothing else");
    seen(
        f,
        "plant_room() waits here for %s, of the frame that was queued last and lies in another room",
        node_name(v, node).text);
    return why(
        f,
        "The next room may be free long before. Wait for what uses that room, and for no later frame.");
}
