/* SPDX-License-Identifier: MIT */
/* share.c - part (c): the other process opens, waits, reads, and nothing goes before it is done. */
#include "judges.h"

#include <string.h>

static struct selection round_calls(const struct view *v, const char *part, int round)
{
    return label_calls(v, in_part(v, part, 0), ROUND, round);
}

bool judge_share_opened(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->runs; view++) {
        const struct answers *a = answers_of(e, view);
        for (int k = 0; k < 2 * ROUNDS; k++) {
            bool x = k % 2 == 0;
            if ((x ? a->opened_x : a->opened_ready)[k / 2] == 0)
                continue;
            struct selection s = round_calls(&e->yours[view], part, k / 2);
            for (size_t i = s.first_call; i < s.end_call; i++)
                if (is_learners(&e->yours[view], i)
                    && strcmp(timeline_string(e->yours[view].timeline,
                                              e->yours[view].timeline->calls[i].name),
                              x ? "cudaIpcGetMemHandle" : "cudaIpcGetEventHandle")
                           == 0)
                    f->call = (uint32_t)i;
            f->view = view;
            f->sure = true;
            f->function = "share_open";
            f->word = x ? "cudaIpcGetMemHandle" : "cudaIpcGetEventHandle";
            expected(f,
                     "the other process can open `x` and `ready` from the ticket, in each round");
            seen(f, "in round %d the handle of `%s` could not be opened", k / 2, x ? "x" : "ready");
            return why(f, "%s() writes the handle into the ticket.", f->word);
        }
    }
    return true;
}

bool judge_share_ready(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    for (int round = 0; round < ROUNDS; round++) {
        struct selection s = round_calls(v, part, round);
        size_t count;
        uint32_t node = kernel_named(v, s, "produce", &count), told = last_label(v, s, READY, -1);
        f->function = "share_fill";
        expected(f, "`ready` is recorded after produce(), and then tell_ready() says so");
        if (count != 1) {
            f->word = "produce";
            seen(f, "in round %d produce() was launched %zu times", round, count);
            return why(f, "One launch fills all n elements.");
        }
        struct selection early = { s.engines, s.stream, s.device, s.first_call,
                                   told == ANY ? s.first_call : told };
        uint32_t first = last_label(v, early, READY, -1);
        if (first != ANY) {
            blame_label(f, first, v->timeline->spans[node].call);
            seen(f, "in round %d tell_ready() is called here, and once more later", round);
            return why(
                f,
                "The other process goes on at the first tell_ready(): it queues its wait before `ready` is recorded, and so waits for "
                "nothing. Call it once in a round, after the record.");
        }
        struct records r = records_after(v, s, node, known_event(v, s, 0), told);
        if (r.found)
            continue;
        if (is_astray(v, s, node))
            return in_own_stream(v, f, node, "produce", "s->stream", "share_open");
        f->call = r.beside != ANY  ? r.beside
                  : r.late != ANY  ? r.late
                  : r.early != ANY ? r.early
                  : r.other != ANY ? r.other
                                   : t->spans[node].call;
        if (told == ANY) {
            f->call = ANY;
            f->word = "tell_ready";
            seen(f, "tell_ready() was not called");
            return why(f, "The other process waits until it is told.");
        }
        if (r.beside != ANY) {
            seen(f, "another thread calls tell_ready(), and nothing makes it wait for this record");
            return why(f, TOLD_BESIDE);
        }
        if (r.late != ANY) {
            seen(f, "this record came after tell_ready()");
            return why(
                f,
                "By then the other process may have queued its wait, for an event that was never recorded: it waits for nothing. "
                "Record first, tell afterwards.");
        }
        if (r.early != ANY) {
            seen(f, "nothing makes this record wait for %s", node_name(v, node).text);
            return why(
                f,
                "An event stands for what was queued before it in its own stream. Record it in s->stream, after the launch.");
        }
        if (r.other != ANY) {
            seen(f, "this records another event than the one that share_open() gave to the caller");
            return why(f, "The other process has opened s->ready, and can wait for nothing else.");
        }
        seen(f, "no event was recorded");
        return why(
            f,
            "cudaEventRecord(s->ready, s->stream) after the launch is all that the other process's stream can wait for.");
    }
    return true;
}

bool judge_share_pace(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int round = 0; round < ROUNDS; round++) {
        struct selection s = round_calls(v, part, round);
        uint32_t fill = last_label(v, s, FILL, -1);
        f->call = fill == ANY ? ANY : waits_between(v, fill, label_end(v, fill));
        if (f->call == ANY)
            continue;
        expected(f, "share_fill() waits for nothing");
        seen(f, "this call holds the host up, or asks whether the device is done, in round %d",
             round);
        return why(
            f,
            "The other process's stream waits for `ready`: neither host has to wait for produce().");
    }
    uint32_t node = kernel_named(v, round_calls(v, part, 0), "produce", NULL);
    return in_own_stream(v, f, node, "produce", "s->stream", "share_open");
}

/* Does the learner's process write anything but by produce()? */
static bool writes_otherwise(const struct view *v, const char *part)
{
    for (int round = 0; round < ROUNDS; round++)
        if (copies_or_sets(v, round_calls(v, part, round)))
            return true;
    return false;
}

/* Where x is, as its handle was asked for; 0: not known. */
static uint64_t shared_address(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    uint64_t x = 0;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (strcmp(timeline_string(t, t->calls[i].name), "cudaIpcGetMemHandle") == 0
            && is_learners(v, i))
            x = t->calls[i].dst;
    return x;
}

/* Where x is not the beginning of what was allocated, the call that asked for its handle; ANY. */
static uint32_t handle_inside(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    uint64_t x = shared_address(v, s);
    uint32_t handle = ANY;
    bool inside = false;
    for (size_t i = s.first_call; x != 0 && i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        if (!is_learners(v, i) || c->status != 0)
            continue;
        inside = inside || (c->kind == CALL_MALLOC && x > c->dst && x - c->dst < c->bytes);
        if (c->dst == x && strcmp(timeline_string(t, c->name), "cudaIpcGetMemHandle") == 0)
            handle = (uint32_t)i;
    }
    return inside ? handle : ANY;
}

/* The call that asked for a handle of memory that the learner has not allocated in this round; ANY:
 * none did. */
static uint32_t handle_of_other(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    uint64_t x = shared_address(v, s);
    uint32_t handle = ANY;
    for (size_t i = s.first_call; x != 0 && i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        if (!is_learners(v, i) || c->status != 0)
            continue;
        if (c->kind == CALL_MALLOC && x - c->dst < c->bytes)
            return ANY;
        if (c->dst == x && strcmp(timeline_string(t, c->name), "cudaIpcGetMemHandle") == 0)
            handle = (uint32_t)i;
    }
    return handle;
}

bool judge_share_output(const struct evidence *e, struct finding *f, const char *part)
{
    /* What it reads then comes of the race, and the check of races names both lines: the launch
     * is right. */
    struct finding race = { .call = ANY };
    if (writes_otherwise(&e->yours[0], part) && !judge_hazards(e, &race, part))
        return true;
    const struct view *v = &e->yours[0];
    for (size_t view = 0; view < e->runs; view++)
        for (int round = 0; round < ROUNDS; round++) {
            const uint32_t *out = exchange_output_of(e->exchange, view, OUT_SHARED + round, NULL);
            uint32_t n = (uint32_t)sizes_of(e)->share[round],
                     seed = (uint32_t)sizes_of(e)->seed[round];
            for (uint32_t i = 0; i < n; i++) {
                if (out[i] == 2654435761u * i + seed)
                    continue;
                uint32_t node = kernel_named(v, round_calls(v, part, round), "produce", NULL);
                f->view = view;
                f->call = node == ANY ? ANY : v->timeline->spans[node].call;
                expected(f, "the other process reads %u as element %u of round %d",
                         2654435761u * i + seed, i, round);
                seen(f, "it read %u", out[i]);
                uint32_t handle = handle_inside(v, round_calls(v, part, round));
                if (handle != ANY) {
                    f->call = handle;
                    return why(f,
                               "s->x is not the beginning of what cudaMalloc() has allocated. The handle stands for the whole allocation: the "
                               "other process gets its beginning, whichever address in it was given. Let x be an allocation of its own.");
                }
                handle = handle_of_other(v, round_calls(v, part, round));
                if (handle != ANY) {
                    f->call = handle;
                    return why(f,
                               "This handle is of memory that share_open() has not allocated in this round, and produce() fills s->x. Each call fills "
                               "in its own `*s` and `*t`: is anything of an earlier call in a static or global variable?");
                }
                return why(f, "Does the launch get x, all %u elements and the seed of this round?",
                           n);
            }
        }
    return takes_what_is_asked(v, f, round_calls(v, part, ROUNDS - 1),
                               (uint64_t)sizes_of(e)->share[ROUNDS - 1] * sizeof(uint32_t));
}

/* Is this call, of the learner's, one that frees x? */
static bool frees(const struct timeline *t, const struct call *c, uint64_t x)
{
    return c->kind == CALL_FREE && c->status == 0 && c->dst_kind == MEM_DEVICE
           && !is_in_driver(t, c) && (x == 0 || x - c->dst < c->bytes);
}

bool judge_share_kept(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    for (int round = 0; round < ROUNDS; round++) {
        struct selection s = round_calls(v, part, round);
        uint32_t closed = last_label(v, s, CLOSED, -1), ready = known_event(v, s, 0);
        uint64_t x = shared_address(v, s);
        size_t end = closed == ANY ? s.end_call : label_end(v, closed);
        for (size_t i = s.first_call; i < end; i++) {
            bool event = t->calls[i].kind == CALL_EVENT_DESTROY && is_learners(v, i)
                         && t->calls[i].event == ready;
            if (!event && !frees(t, &t->calls[i], x))
                continue;
            f->call = (uint32_t)i;
            expected(
                f,
                "x and `ready` are there until the other process has closed them: await_closed() comes before %s()",
                event ? "cudaEventDestroy" : "cudaFree");
            seen(f,
                 closed == ANY ? "await_closed() was not called in round %d"
                               : "await_closed() comes after this call, in round %d",
                 round);
            return why(
                f,
                event
                    ? "The reference calls what the other process does with its event undefined once the one that it stands for "
                      "is destroyed."
                    : "The reference calls it undefined to free memory that another process has open, and cudaFree() does not wait "
                      "for the other process.");
        }
    }
    return true;
}
