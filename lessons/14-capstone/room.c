/* SPDX-License-Identifier: MIT */
/* (a): why a room is still in use when the camera has it. */
#include <stdio.h>

#include "judges.h"

uint32_t function_that_seals(const struct view *v, int page)
{
    const struct timeline *t = v->timeline;
    size_t i = calls_in(v, SEAL, page, 0).first_call;
    if (i >= t->call_count)
        return ANY;
    for (uint32_t thread = t->calls[i].thread; i-- > 0;)
        if (t->calls[i].thread == thread
            && (t->calls[i].kind == CALL_FUNCTION_BEGIN || t->calls[i].kind == CALL_FUNCTION_END))
            return t->calls[i].kind == CALL_FUNCTION_BEGIN ? t->calls[i].node : ANY;
    return ANY;
}

/* What the camera has met in a room, as the child has seen it first in part (a): the operation, and
 * the call before which the camera touched those bytes. False: no such thing. */
static bool met_in_room(const struct view *v, uint32_t *node, size_t *when)
{
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, "a", 0);
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_HAZARD || c->node != NO_NODE || c->src >= t->span_count
            || c->cost <= (int64_t)s.first_call || c->cost > (int64_t)s.end_call
            || c->dst_pitch != camera(v) + 1ull || !is_in_driver(t, c))
            continue;
        *node = (uint32_t)c->src;
        *when = (size_t)c->cost;
        return true;
    }
    return false;
}

/* The number in the last label `what` that the camera opened before that call; -1: there is none.
 */
static long last_of_camera(const struct view *v, const char *what, size_t before)
{
    long number = -1;
    for (size_t i = before; i-- > 0 && number < 0;)
        if (v->timeline->calls[i].thread == camera(v))
            number = label_number(v, i, what);
    return number;
}

/* The function that was queued before `node` for the same frame, in its stream, where none comes
 * after it: it gives the room back too early. ANY: there is none. */
static uint32_t function_ahead(const struct view *v, uint32_t node)
{
    const struct span *spans = v->timeline->spans;
    long frame = last_of_camera(v, FRAME, spans[node].call);
    if (frame < 0)
        return ANY;
    uint32_t ahead = ANY;
    EACH_SPAN(other, v, calls_in(v, FRAME, (int)frame, ENGINE_BIT(ENGINE_HOST_FUNC))) {
        if (spans[other].stream != spans[node].stream || other >= node)
            return ANY;
        ahead = other;
    }
    return ahead;
}

/* Where a thread of the learner's own seals that frame's page and has not waited for `node`, before
 * that call; ANY. */
static uint32_t sealed_unawaited(const struct view *v, long frame, uint32_t node, size_t before)
{
    const struct timeline *t = v->timeline;
    size_t label = frame < 0 ? t->call_count : calls_in(v, SEAL, (int)frame, 0).first_call;
    return label > 0 && label < before && function_that_seals(v, (int)frame) == ANY
                   && !hb_before_call(v->order, node, t->calls, label, GUARANTEED)
               ? (uint32_t)label
               : ANY;
}

/* The first frame that lies in the same room as the one before it; 0: there is none. */
static int same_room_again(const struct evidence *e)
{
    const struct view *v = &e->yours[0];
    for (int k = 1; k < sizes_of(e)->frames; k++)
        if (room_of(v, k) != 0 && room_of(v, k) == room_of(v, k - 1))
            return k;
    return 0;
}

/* That frame's copy in, or the one that brings its result home. */
static uint32_t copy_of_frame(const struct view *v, int frame, enum engine way)
{
    struct selection s = calls_in(v, FRAME, frame, ENGINE_BIT(way));
    EACH_SPAN(node, v, s)
        if (call_of_node(v, node)->thread == camera(v))
            return node;
    return ANY;
}

uint32_t same_place_again(const struct view *v, int frame, enum engine way)
{
    uint32_t before = copy_of_frame(v, frame - 1, way), after = copy_of_frame(v, frame, way);
    return before != ANY && after != ANY && room_of(v, frame) != room_of(v, frame - 1)
                   && call_of_node(v, before)->dst == call_of_node(v, after)->dst
               ? after
               : ANY;
}

/* Do a frame and the one before it lie in two rooms, and go to one place, on the device or at the
 * host, which is where the hazard is? */
bool explain_one_place(const struct evidence *e, struct finding *f)
{
    static const enum engine ways[] = { ENGINE_H2D, ENGINE_D2H };
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, "a", 0);
    const struct call *hazard = NULL;
    for (size_t i = s.first_call; i < s.end_call && !hazard; i++)
        hazard = t->calls[i].kind == CALL_HAZARD && t->calls[i].bytes > 0 ? &t->calls[i] : NULL;
    if (!hazard || hazard->src >= t->span_count || hazard->node >= t->span_count
        || last_of_camera(v, FRAME, t->spans[hazard->src].call)
               == last_of_camera(v, FRAME, t->spans[hazard->node].call))
        return false;
    for (int k = 1; k < sizes_of(e)->frames; k++)
        for (int way = 0; way < 2; way++) {
            uint32_t after = same_place_again(v, k, ways[way]);
            const struct call *c = call_of_node(v, after);
            if (after == ANY || hazard->dst - c->dst >= c->bytes)
                continue;
            f->call = t->spans[after].call;
            why(f,
                "This brings frame %d to the place to which frame %d was brought, though the two lie in different rooms, and may both be under "
                "way. With each room goes a place of its own, on the device and for the result.",
                k, k - 1);
            return true;
        }
    return false;
}

bool explain_seals(const struct evidence *e, struct finding *f)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, "a", 0);
    size_t i = s.first_call;
    while (i < s.end_call && (t->calls[i].kind != CALL_HAZARD || t->calls[i].bytes == 0))
        i++;
    if (i < s.end_call && t->calls[i].dst != answers_of(e)->sealing)
        return false;           /* something else is told first */
    for (size_t label = i; label < s.end_call; label++) {
        long page = label_number(v, label, SEAL);
        if (page < 0 || t->calls[label].thread != t->calls[i].thread)
            continue;
        uint32_t function = function_that_seals(v, (int)page);
        if (function != ANY) {
            f->call = v->timeline->spans[function].call;
            why(f,
                "The function that is queued here seals page %ld, and nothing makes it wait for the function that seals the page before. Functions of several streams "
                "are called in any order: put all of them into one stream, or let the stream of each wait for an event that is recorded after "
                "the function before.",
                page);
            return true;
        }
        blame_label(f, (uint32_t)label, ANY);
        why(f,
            "Page %ld is sealed here, and nothing makes that wait for the page before: if they came in order, and one at a time, that was "
            "luck. Let one thread seal all pages, or let each wait for the one before.",
            page);
        return true;
    }
    return false;
}

void explain_room(const struct evidence *e, struct finding *f)
{
    const struct view *v = &e->yours[0];
    uint32_t node = ANY, found;
    size_t when = 0;
    char again[120] = "";
    bool met = met_in_room(v, &node, &when);
    long frame = met ? last_of_camera(v, FRAME, v->timeline->spans[node].call) : -1;
    if (met && (found = function_ahead(v, node)) != ANY) {
        f->call = v->timeline->spans[found].call;
        why(f,
            "This function comes before %s in its stream: when it gives the room back, that room is still in use. Queue it after "
            "all that uses the room.",
            node_name(v, node).text);
        return;
    }
    if (met && frame >= 0 && node == function_that_seals(v, (int)frame)) {
        f->call = v->timeline->spans[node].call;
        why(f,
            "The function that is queued here seals page %ld, and the camera has the room before that function is done. Let the function "
            "give the room back when seal() has returned, as the last thing that it does, and let nothing else give it back before.",
            frame);
        return;
    }
    if (met && (found = sealed_unawaited(v, frame, node, when)) != ANY) {
        blame_label(f, found, v->timeline->spans[node].call);
        why(f,
            "The thread that seals page %ld here has not waited for %s. Let it wait for an event that is recorded after the last work "
            "of the frame (cudaEventSynchronize) before it seals the page and gives the room back.",
            frame, node_name(v, node).text);
        return;
    }
    f->call = ANY;
    f->function = "plant_room";
    f->word = "return";
    int same = same_room_again(e);
    if (same > 0)
        snprintf(again, sizeof again,
                 " It has returned the same room for frame %d as for frame %d.", same, same - 1);
    else
        f->word = "pthread_cond_wait wait sem_wait acquire";
    why(f,
        "The camera fills the room that plant_room() has returned, and that room is still in use.%s plant_room() has to sleep until "
        "the work that uses the room is done: in sem_wait() or pthread_cond_wait(), for example, until a function or a thread after "
        "that work wakes it.",
        again);
}
