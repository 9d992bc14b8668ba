/* SPDX-License-Identifier: MIT */
/* frames.c - part (b): each frame is read when it has come, and its slot goes back when it is read.
 */
#include "judges.h"

/* The number that the record has for r->full[k] or r->empty[k]; ANY: it is not there. */
static uint32_t event_number(const struct view *v, int k, bool full)
{
    struct selection a = in_part(v, "a", 0),
                     s = { 0, ANY, ANY, a.end_call, v->timeline->call_count };
    return known_event(v, s, 2 * k + !full);
}

static struct selection frame_calls(const struct view *v, const char *part, int frame)
{
    return label_calls(v, in_part(v, part, 0), FRAME, frame);
}

static uint32_t examine_of(const struct view *v, const char *part, int frame)
{
    return kernel_named(v, frame_calls(v, part, frame), "examine", NULL);
}

/* Where the record has the slot of that frame: in the memory that was opened last; 0: not known. */
static uint64_t slot_of(const struct view *v, const struct selection *s, int frame, uint64_t bytes)
{
    for (size_t i = s->first_call; i-- > 0;) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_REGISTER && c->status == 0 && c->dst_kind == MEM_DEVICE
            && !is_in_driver(v->timeline, c))
            return c->dst + (uint64_t)(frame % RING) * bytes;
    }
    return 0;
}

/* What reads the frame in its slot: a copy of the whole slot that examine() is bound to wait for,
 * or else examine() itself. (Does examine() read the slot after such a copy, it is a race with the
 * other process's next copy.) */
static uint32_t reader_of(const struct evidence *e, const struct view *v, const char *part,
                          int frame)
{
    struct selection s = frame_calls(v, part, frame);
    uint64_t bytes = (uint64_t)sizes_of(e)->n * sizeof(uint32_t),
             slot = slot_of(v, &s, frame, bytes);
    uint32_t node = examine_of(v, part, frame);
    for (size_t i = s.first_call; slot != 0 && i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_COPY && c->status == 0 && c->node != NO_NODE && c->src == slot
            && c->bytes == bytes && is_learners(v, i)
            && hb_before(v->order, c->node, node, GUARANTEED))
            return c->node;
    }
    return node;
}

/* The learner's copy of the frame's slot that is in another stream than its examine(), and comes
 * after no copy of the other process's; ANY: there is none. */
static uint32_t copy_elsewhere(const struct evidence *e, const struct view *v, const char *part,
                               int frame)
{
    struct selection s = frame_calls(v, part, frame);
    uint64_t slot = slot_of(v, &s, frame, (uint64_t)sizes_of(e)->n * sizeof(uint32_t));
    uint32_t node = examine_of(v, part, frame);
    for (size_t i = s.first_call; node != ANY && slot != 0 && i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_COPY && c->node != NO_NODE && c->src == slot && is_learners(v, i)
            && v->timeline->spans[c->node].stream != v->timeline->spans[node].stream)
            return c->node;
    }
    return ANY;
}

bool judge_frame_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int frame = 0; frame < FRAMES; frame++) {
        struct selection s = frame_calls(v, part, frame);
        size_t count;
        kernel_named(v, s, "examine", &count);
        if (count == 1) {
            uint32_t node = examine_of(v, part, frame);
            if (is_astray(v, s, node))
                return in_own_stream(v, f, node, "examine", "r->stream", "ring_open");
            continue;
        }
        expected(f, "ring_take() queues examine() once for each frame");
        seen(f, "for frame %d %zu times", frame, count);
        blame_count(v, f, s, "examine", "ring_take");
        f->sure = true;
        return why(
            f, "One launch examines all n elements of a frame, in its own call of ring_take().");
    }
    return true;
}

static const char *reading(const struct view *v, uint32_t node)
{
    return call_of_node(v, node)->kind == CALL_COPY ? "the copy of" : "examine() of";
}

/* ---- the frame has come ---- */

/* Does this call wait for an event, as far as the program looks at the answer? */
static bool waits_for_event(const struct call *c)
{
    return c->status == 0
           && (c->kind == CALL_STREAM_WAIT || c->kind == CALL_EVENT_SYNC
               || (c->kind == CALL_EVENT_QUERY && !(c->flags & CALL_UNREAD)));
}

/* Does it make `node` wait, too: by its stream, or by the host? */
static bool holds_back(const struct view *v, size_t wait, uint32_t node)
{
    const struct call *c = &v->timeline->calls[wait];
    if (wait > v->timeline->spans[node].call)
        return false;
    return c->kind != CALL_STREAM_WAIT || hb_before(v->order, c->node, node, GUARANTEED);
}

static bool why_not_come(const struct view *v, struct finding *f, struct selection s, uint32_t node,
                         int frame, uint32_t told, uint32_t event)
{
    uint32_t early = ANY, beside = ANY, other = ANY;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (!is_learners(v, i) || !waits_for_event(c))
            continue;
        if (c->event != event)
            other = (uint32_t)i;
        else if (told != ANY && i < told)
            early = (uint32_t)i;
        else
            beside = (uint32_t)i;
    }
    if (told == ANY && beside != ANY) {
        f->call = beside;
        return why(
            f,
            "ring_take() never calls await_queued(%d): when this is called, the event may not have been recorded for this frame yet. "
            "A wait is for the record that is there when it is queued, the one of the frame before, or none.",
            frame);
    }
    if (early != ANY) {
        f->call = early;
        return why(
            f,
            "This comes before await_queued(%d): the event may not have been recorded for this frame yet, and a wait is for the "
            "record that is there when it is queued, the one of the frame before, or none.",
            frame);
    }
    if (beside != ANY) {
        f->call = beside;
        return why(f, v->timeline->spans[node].call < beside
                          ? "This comes after the launch, which does not wait for it."
                          : "This makes a stream wait that examine() is not in.");
    }
    if (other != ANY) {
        f->call = other;
        return why(
            f,
            "This waits for another event. Frame %d is in slot %d, so that it has come when full[%d] is done.",
            frame, frame % RING, frame % RING);
    }
    if (told == ANY)
        return why(f, "ring_take() never calls await_queued(%d), and never waits for full[%d].",
                   frame, frame % RING);
    return why(
        f,
        "await_queued() returns when the copy is queued, not when it is done. cudaStreamWaitEvent(r->stream, r->full[%d], 0) "
        "makes the stream wait for it.",
        frame % RING);
}

bool judge_frame_come(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int frame = 0; frame < FRAMES; frame++) {
        struct selection s = frame_calls(v, part, frame);
        uint32_t node = reader_of(e, v, part, frame), event = event_number(v, frame % RING, true),
                 opened = last_label(v, s, QUEUED, frame),
                 told = opened == ANY ? ANY : (uint32_t)label_end(v, opened);
        bool found = false;
        for (size_t i = told; told != ANY && i < s.end_call && !found; i++)
            found = is_learners(v, i) && waits_for_event(&v->timeline->calls[i])
                    && v->timeline->calls[i].event == event && called_before(v, told, i)
                    && holds_back(v, i, node);
        if (found)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "%s frame %d waits for full[%d], after await_queued(%d) has returned",
                 reading(v, node), frame, frame % RING, frame);
        seen(f, "nothing makes %s wait for the other process's copy", node_name(v, node).text);
        return why_not_come(v, f, s, node, frame, told, event);
    }
    return true;
}

/* ---- the slot goes back ---- */

/* The later frame whose ring_take() itself, and no thread or host function, makes that call; -1:
 * none does. */
static int taken_with(const struct view *v, const char *part, int frame, uint32_t call)
{
    const struct timeline *t = v->timeline;
    for (int later = frame + 1; later < FRAMES; later++) {
        struct selection s = frame_calls(v, part, later);
        uint32_t node = examine_of(v, part, later);
        if (call >= s.first_call && call < s.end_call && node != ANY
            && t->calls[call].thread == t->calls[t->spans[node].call].thread)
            return later;
    }
    return -1;
}

bool judge_slot_back(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    for (int frame = 0; frame < FRAMES; frame++) {
        struct selection s = frame_calls(v, part, frame);
        uint32_t node = reader_of(e, v, part, frame), told = last_label(v, s, TAKEN, frame);
        struct records r =
            records_after(v, s, node, event_number(v, frame % RING, false), told);
        if (r.found)
            continue;
        f->call = t->spans[node].call;
        f->function = told == ANY ? "ring_take" : NULL;
        f->word = told == ANY ? "tell_taken" : NULL;
        expected(
            f, "empty[%d] is recorded after %s frame %d, and then tell_taken(%d) says so",
            frame % RING, reading(v, node), frame, frame);
        if (told == ANY) {
            f->call = ANY;
            struct selection rest = in_part(v, part, 0);
            rest.first_call = s.end_call;
            uint32_t late = last_label(v, rest, TAKEN, frame);
            int with = late == ANY ? -1 : taken_with(v, part, frame, late);
            if (with >= 0) {
                seen(f, "tell_taken(%d) was called in ring_take() of frame %d", frame, with);
                return why(
                    f,
                    "Until the other process is told, it cannot queue its next copy into the slot, and after the last frame there is no later call. "
                    "Call tell_taken(frame) in ring_take() of that same frame, as soon as the record is queued: the event makes the other process's "
                    "copy wait.");
            }
            if (late != ANY) {
                seen(f, "tell_taken(%d) was called after ring_take() had returned", frame);
                return why(
                    f,
                    "It was called by a host function or a thread for which ring_take() did not wait. Until the other process is told, it cannot queue its next copy into "
                    "the slot. Call tell_taken() as soon as the record is queued: the event then makes the other process's copy wait.");
            }
            seen(f, "tell_taken(%d) was not called in ring_take()", frame);
            return why(f, "The other process does not know that it may fill the slot again.");
        }
        if (r.beside != ANY) {
            f->call = r.beside;
            seen(f,
                 "another thread calls tell_taken(%d), and nothing makes it wait for this record",
                 frame);
            return why(f, TOLD_BESIDE);
        }
        if (r.late != ANY) {
            f->call = r.late;
            seen(f, "this record came after tell_taken(%d)", frame);
            return why(
                f,
                "By then the other process may have made its stream wait for the record of the frame before. Record first, tell "
                "afterwards.");
        }
        if (r.early != ANY) {
            f->call = r.early;
            seen(f, "nothing makes this record wait for %s", node_name(v, node).text);
            return why(
                f,
                "An event stands for what was queued before it in its own stream. Record it in r->stream, after the launch.");
        }
        seen(f, "empty[%d] was not recorded", frame % RING);
        if (r.other != ANY) {
            f->call = r.other;
            return why(f, "This records another event. Frame %d is in slot %d.", frame,
                       frame % RING);
        }
        return why(
            f,
            "The other process waits for that event before it copies the next frame into the slot: nothing else tells it that this "
            "one has been read.");
    }
    return true;
}

/* ---- results, pace ---- */

/* Does ring_take() write anything but by examine()? */
static bool writes_more(const struct view *v, const char *part)
{
    for (int frame = 0; frame < FRAMES; frame++)
        if (copies_or_sets(v, frame_calls(v, part, frame)))
            return true;
    return false;
}

/* Is what the other process has in its slots still what it put there? */
static bool only_read(const struct evidence *e, struct finding *f, const char *part)
{
    struct finding race = { .call = ANY };
    for (size_t view = 0; view < e->runs; view++) {
        uint32_t i = (uint32_t)answers_of(e, view)->written - 1, n = (uint32_t)sizes_of(e)->n;
        /* After a race there may be anything, and the check of races names both lines. */
        if (i == UINT32_MAX || !judge_hazards(e, &race, part))
            continue;
        uint32_t node = examine_of(&e->yours[view], part, (int)(i / n));
        f->view = view;
        f->call = node == ANY ? ANY : e->yours[view].timeline->spans[node].call;
        expected(f, "frame %u is in its slot as the other process put it there", i / n);
        seen(f, "element %u of it has been written to", i % n);
        return why(
            f,
            "The slots are the other process's memory, and you only read them: examine() of a frame writes into `result`.");
    }
    return true;
}

/* Where in the input the elements are from which examine() makes these `count` numbers: an index
 * into the elements of RING slots as they were at first and FRAMES frames; -1: nowhere. */
static int64_t number_of(const struct evidence *e, const uint32_t *x, int64_t count)
{
    const int64_t n = sizes_of(e)->n;
    const uint32_t *slots = exchange_input(e->exchange, IN_SLOTS, NULL),
                   *frames = exchange_input(e->exchange, IN_FRAMES, NULL);
    for (int64_t at = 0; at < (RING + FRAMES) * n; at++) {
        int64_t k = 0;
        const uint32_t *from = at < RING * n ? slots + at : frames + at - RING * n;
        int64_t rest = (at < RING * n ? RING : RING + FRAMES) * n - at;
        while (k < count && k < rest && x[k] == 3 * from[k] + 1)
            k++;
        if (k == count)
            return at;
    }
    return -1;
}

/* Was examine() given another element or slot than it should have been? Says which. */
static bool why_elsewhere(const struct evidence *e, struct finding *f, const uint32_t *out,
                          int64_t frame, int64_t element)
{
    enum { ALIKE = 4 };         /* four equal numbers in a row are no coincidence */
    const int64_t n = sizes_of(e)->n,
                  at = element + ALIKE <= n ? number_of(e, out + frame * n + element, ALIKE) : -1;
    if (at < 0)
        return false;
    int64_t slot = at < RING * n ? at / n : (at / n - RING) % RING, first = at % n;
    if (first == element && slot == frame % RING)
        return false;
    if (first == element)
        why(f,
            "That is what slot %lld gives, and frame %lld is in slot %lld: r->frames + frame %% SLOTS * n.",
            (long long)slot, (long long)frame, (long long)(frame % RING));
    else
        why(f,
            "That is what element %lld of slot %lld gives: examine() was given another address than that of slot %lld, which is "
            "r->frames + frame %% SLOTS * n. The elements of the slots before it are counted, not the slots.",
            (long long)first, (long long)slot, (long long)(frame % RING));
    return true;
}

/* The address that this examine() was given; 0: not known, as on a card. */
static uint64_t given_to(const struct view *v, uint32_t node)
{
    for (size_t i = 0; node != ANY && i < v->timeline->call_count; i++)
        if (v->timeline->calls[i].kind == CALL_COST && v->timeline->calls[i].node == node)
            return v->timeline->calls[i].dst;
    return 0;
}

/* Was it given another address than the slot's? */
static bool why_given(const struct evidence *e, struct finding *f, const struct view *v,
                      const char *part, int frame)
{
    const uint64_t bytes = (uint64_t)sizes_of(e)->n * sizeof(uint32_t),
                   at = (uint64_t)(frame % RING) * bytes;
    struct selection s = frame_calls(v, part, frame);
    uint64_t frames = slot_of(v, &s, 0, bytes), given = given_to(v, examine_of(v, part, frame));
    if (frames == 0 || given < frames || given == frames + at)
        return false;
    unsigned long long offset = given - frames;
    if (at > 0 && offset == at * sizeof(uint32_t))
        why(f,
            "examine() was given byte %llu of r->frames, and slot %d begins at byte %llu, element %llu: the offset is %zu times too large. "
            "Offsets from an unsigned * count elements, not bytes: r->frames + frame %% SLOTS * n.",
            offset, frame % RING, (unsigned long long)at, (unsigned long long)at / sizeof(uint32_t),
            sizeof(uint32_t));
    else if (offset < RING * bytes || offset % bytes == 0)
        why(f,
            "examine() was given byte %llu of r->frames, and frame %d is in slot %d, which begins at byte %llu: r->frames + frame %% SLOTS * n.",
            offset, frame, frame % RING, (unsigned long long)at);
    else
        return false;
    return true;
}

/* The learner's first copy or memset into the slots; ANY: there is none. */
static uint32_t slot_written(const struct evidence *e, const struct view *v, const char *part)
{
    const uint64_t bytes = (uint64_t)sizes_of(e)->n * sizeof(uint32_t);
    struct selection s = in_part(v, part, 0);
    uint64_t frames = slot_of(v, &s, 0, bytes);
    for (size_t i = s.first_call; frames != 0 && i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if ((c->kind == CALL_COPY || c->kind == CALL_SET) && is_learners(v, i) && c->bytes > 0
            && c->dst - frames < RING * bytes)
            return (uint32_t)i;
    }
    return ANY;
}

bool judge_frame_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const uint32_t *in = exchange_input(e->exchange, IN_FRAMES, NULL);
    for (size_t view = 0; view < e->runs; view++) {
        const uint32_t *out = exchange_output_of(e->exchange, view, OUT_RESULTS, NULL);
        uint32_t n = (uint32_t)sizes_of(e)->n;
        for (uint32_t i = 0; i < n * FRAMES; i++) {
            if (out[i] == 3 * in[i] + 1)
                continue;
            uint32_t node = examine_of(v, part, (int)(i / n));
            f->view = view;
            f->sure =
                !writes_more(v, part); /* then a race on the slots comes of the same mistake */
            f->call = node == ANY ? ANY : v->timeline->spans[node].call;
            expected(f, "element %u of frame %u's result is %u", i % n, i / n, 3 * in[i] + 1);
            seen(f, "it is %u", out[i]);
            uint32_t written = slot_written(e, v, part);
            if (written != ANY) {
                f->call = written;
                return why(
                    f,
                    "This writes into a slot. The slots are the other process's memory, and you only read them: what you write goes into "
                    "memory of your own.");
            }
            if (node != ANY && reader_of(e, v, part, (int)(i / n)) != node)
                return why(
                    f,
                    "ring_take() copies this frame, and gives the slot back after the copy. Does examine() read the copy? The slot may have "
                    "the next frame in it by then.");
            uint32_t copy = copy_elsewhere(e, v, part, (int)(i / n));
            if (copy != ANY) {
                f->call = v->timeline->spans[copy].call;
                return why(
                    f,
                    "This copy reads the slot, and it is not in the stream that waits for the frame: nothing makes it wait for the other "
                    "process's copy. Copy in r->stream (cudaMemcpyAsync), after cudaStreamWaitEvent().");
            }
            if (why_elsewhere(e, f, out, i / n, i % n)
                || why_given(e, f, v, part, (int)(i / n)))
                return false;
            return why(
                f,
                "Does the launch get all n elements, and the slot of this frame: r->frames + frame %% SLOTS * n?");
        }
    }
    return only_read(e, f, part);
}

bool judge_frame_pace(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int frame = 0; frame < FRAMES; frame++) {
        struct selection s = frame_calls(v, part, frame);
        f->call = waits_between(v, s.first_call, s.end_call);
        if (f->call == ANY)
            continue;
        expected(f, "ring_take() waits for the other process alone, and for nothing on the device");
        seen(f, "this call holds the host up, or asks whether the device is done, in frame %d",
             frame);
        return why(
            f,
            "While the host waits, it queues nothing, and the device has nothing to do when it is done. The stream waits for "
            "full[%d], and empty[%d] tells the other process when the frame has been read.",
            frame % RING, frame % RING);
    }
    return in_own_stream(v, f, examine_of(v, part, 0), "examine", "r->stream", "ring_open");
}
