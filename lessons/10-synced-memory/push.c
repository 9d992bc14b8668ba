/* SPDX-License-Identifier: MIT */
/* (c): a push in a stream that is at something else; (d): devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"

/* The pushes that had something to send: calls of each. */
struct pushes {
    struct stretch steps[STEPS_MAX];
    struct model model[BLOCKS_MAX];
    struct played p;
    int k;
};

static struct pushes *pushes_new(const struct evidence *e, const char *part)
{
    struct pushes *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->p = played_of(e, part);
    s->k = -1;
    for (int k = 0; k < s->p.blocks; k++)
        block_new(&s->model[k]);
    stretches_of(&e->yours[0], part, STEP, s->steps, s->p.steps);
    return s;
}

static bool pushes_next(struct pushes *s)
{
    while (++s->k < s->p.done) {
        const struct turn *step = &s->p.step[s->k];
        struct want w = block_step(&s->model[step->block], step);
        if (step->op == PUSH && w.copies[DEVICE])
            return true;
    }
    return false;
}

/* In which stream was the last busy() launched before `call`? */
static uint32_t stream_of(const struct view *v, const char *part, size_t call)
{
    struct selection s = in_part(v, part, 0);
    uint32_t stream = ANY;
    s.end_call = call;
    EACH_KERNEL(node, v, s, "busy")
        stream = v->timeline->spans[node].stream;
    return stream;
}

bool judge_stream(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct pushes *s = pushes_new(e, part);
    bool good = true;
    while (good && pushes_next(s)) {
        struct stretch calls = s->steps[s->k];
        struct selection copies = { ENGINE_BIT(ENGINE_H2D), ANY, ANY, calls.begin, calls.end };
        uint32_t stream = stream_of(v, part, calls.begin);
        for (uint32_t node = next_span(v, copies, 0); node != ANY && good;
             node = next_span(v, copies, node + 1)) {
            if (v->timeline->spans[node].stream == stream)
                continue;
            good = false;
            f->call = v->timeline->spans[node].call;
            expected(f, "a push is work in the stream that it was given");
            seen(f, "this copy is in another stream");
            why(f,
                "The caller goes on in that stream, and relies on the block having arrived when its next work runs. The last "
                "parameter of cudaMemcpyAsync() is the stream.");
        }
    }
    free(s);
    return good;
}

bool judge_host_goes_on(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct pushes *s = pushes_new(e, part);
    bool good = true;
    while (good && pushes_next(s)) {
        if (!s->p.block[s->p.step[s->k].block].pinned)
            continue;
        struct selection calls = { 0, ANY, ANY, s->steps[s->k].begin, s->steps[s->k].end };
        uint32_t call = first_standstill(v, calls);
        /* To take memory waits for the device on some cards; it has to be taken. */
        while (call != ANY && v->timeline->calls[call].kind == CALL_MALLOC) {
            calls.first_call = call + 1;
            call = first_standstill(v, calls);
        }
        if (call == ANY)
            continue;
        good = false;
        f->call = call;
        expected(f, "synced_push() of a pinned block queues the copy, and returns while it runs");
        seen(f, "%s holds the host up, or asks the device",
             timeline_string(v->timeline, v->timeline->calls[call].name));
        why(f,
            v->timeline->calls[call].kind == CALL_COPY
                ? "cudaMemcpy() returns when the copy is done. cudaMemcpyAsync() with the stream only queues it."
                : "The caller has other work to do meanwhile, and waits for the stream later.");
    }
    free(s);
    return good;
}

/* ---- (d) ---- */

/* The calls of that name in question number `question`, the first and the last; ANY: there is none.
 * The driver makes a device the current one before each question. */
static struct asked { uint32_t first, last; }
calls_in(const struct view *v, struct selection s, int64_t question, const char *call)
{
    struct asked asked = { ANY, ANY };
    const struct timeline *t = v->timeline;
    for (size_t i = s.first_call; i < s.end_call && question >= -1; i++) {
        const char *name = timeline_string(t, t->calls[i].name);
        if (is_in_driver(t, &t->calls[i]))
            question -= strcmp(name, "cudaSetDevice") == 0;
        else if (question == -1 && strcmp(name, call) == 0) {
            asked.first = asked.first == ANY ? (uint32_t)i : asked.first;
            asked.last = (uint32_t)i;
        }
    }
    return asked;
}

/* The call of that name by which question number `question` asks; ANY: it does not. */
static uint32_t asked_by(const struct view *v, struct selection s, int64_t question,
                         const char *call)
{
    return calls_in(v, s, question, call).first;
}

bool judge_right_device(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct right *r = exchange_output_of(e->exchange, view, OUT_RIGHT, NULL);
        for (int64_t k = 0; k < r->count && k < QUESTIONS; k++) {
            bool on =
                r->question[k].memory_on < 0 || r->question[k].memory_on == r->question[k].made_on;
            bool right = r->question[k].current == r->question[k].made_on && on;
            if ((r->question[k].said != 0) == right)
                continue;
            f->view = view;
            char memory[64] = "without device memory";
            if (r->question[k].memory_on >= 0)
                snprintf(memory, sizeof memory, "with memory %son device %d",
                         r->question[k].own ? "of its own " : "", (int)r->question[k].memory_on);
            bool host = r->question[k].host != NOWHERE;
            expected(f,
                     "synced_here() says %s of a block of device %d %s%s%s, while device %d is the current one",
                     right ? "yes" : "no", (int)r->question[k].made_on, memory,
                     !host                                ? ""
                     : r->question[k].host == IN_PINNED ? " and with pinned host memory"
                                                        : " and with host memory of the heap",
                     r->question[k].synced ? ", which is SYNCED" : "",
                     (int)r->question[k].current);
            seen(f, "it says %s", right ? "no" : "yes");
            f->function = "synced_here";
            const struct view *v = &e->yours[view];
            struct selection s = in_part(v, part, 0);
            uint32_t asked = asked_by(v, s, k, "cudaPointerGetAttributes");
            bool of_device = asked_by(v, s, k, "cudaGetDevice") != ANY;
            bool needs =
                r->question[k].memory_on >= 0 && r->question[k].current == r->question[k].made_on;
            bool in_vain = !right && (on ? of_device : asked != ANY);
            if (asked != ANY && right)
                f->call = asked;
            else if (right || (needs && !on))
                f->returns = true;
            if (f->call == ANY)
                f->word = in_vain || right ? "return"
                          : on             ? "cudaGetDevice"
                                           : "cudaPointerGetAttributes";
            if (right && asked != ANY && r->question[k].memory_on >= 0)
                return why(f,
                           "It has asked cudaPointerGetAttributes(): about m->device, and no other pointer? The block may be used when "
                           "attributes.device, which owns that memory, is m->on%s.",
                           host ? ". The host's memory is no part of the question" : "");
            if (right)
                return why(f,
                           "The current device is the one where the block was made, and %s The block's host memory is no part of the "
                           "question, and neither is which side is up to date.",
                           r->question[k].memory_on >= 0
                               ? "it does not ask about the device memory: cudaPointerGetAttributes(&attributes, m->device) says in "
                                 "attributes.device who owns it."
                               : "it has no device memory that could be anywhere else.");
            if (needs && !on && asked == ANY) {
                f->word = "cudaPointerGetAttributes";
                return why(f,
                           "For this block it does not ask about the device memory, which may have been set and belong to another device: "
                           "cudaPointerGetAttributes(&attributes, m->device) tells which, in attributes.device.");
            }
            if (in_vain)
                return why(f,
                           "It asks %s and says yes all the same. It may say yes only if both hold: the current device is m->on, "
                           "and the device memory, if there is some, is memory of m->on.",
                           on ? "which device is current (cudaGetDevice)"
                              : "who owns the device memory (cudaPointerGetAttributes)");
            if (!on)
                return why(f,
                           "Memory that was set may belong to another device. cudaPointerGetAttributes(&attributes, m->device) "
                           "tells which, in attributes.device.");
            return why(f,
                       "Allocations, default streams and launches all go to the current device. Call cudaGetDevice(&current), and "
                       "compare it with m->on.");
        }
    }
    return true;
}

bool judge_stays(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        const struct right *r = exchange_output_of(e->exchange, view, OUT_RIGHT, NULL);
        struct selection s = in_part(v, part, ENGINES_DEVICE);
        uint32_t node = next_span(v, s, 0);
        f->view = view;
        if (r->moved >= 0) {
            f->call = calls_in(v, s, r->moved, "cudaSetDevice").last;
            f->function = "synced_here";
            expected(f,
                     "synced_here() looks, and changes nothing: the current device stays the current one");
            seen(f, "after question %d another device is the current one", (int)r->moved + 1);
            return why(f,
                       "cudaSetDevice() changes the host thread's current device, and its next launch would go to the other device. "
                       "You need not set a device to compare.");
        }
        if (node == ANY)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "synced_here() looks, and changes nothing");
        seen(f, "work for the device");
        return why(
            f, "cudaGetDevice() and cudaPointerGetAttributes() tell you everything that you need.");
    }
    f->view = 0;
    return true;
}
