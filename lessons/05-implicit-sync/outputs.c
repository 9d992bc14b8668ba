/* SPDX-License-Identifier: MIT */
/*
 * Judge of part (b): what was handed over, and what is in the archive, is right.
 *
 * DESIGN
 * A wrong element is looked at for what it may be: as it came in, another frame's gain, or a right
 * one to which an earlier frame's is added. Then the call is shown that is likely to be at fault.
 */
#include "judges.h"

/* The first copy or memset that is neither of whole frames nor of gains; ANY for none. */
static uint32_t odd_copy(const struct view *v, const char *part, uint64_t frame)
{
    struct selection s = in_part(v, part, ENGINES_DEVICE & ~ENGINE_BIT(ENGINE_KERNEL));
    uint32_t node = next_span(v, s, 0);
    while (node != ANY
           && (call_of_node(v, node)->bytes % frame == 0
               || (call_of_node(v, node)->bytes % sizeof(uint32_t) == 0
                   && call_of_node(v, node)->bytes < frame / 100)))
        node = next_span(v, s, node + 1);
    return node;
}

/* The copy of that engine which brings frame k home, or to the archive: the k-th; ANY for none. */
static uint32_t copy_of_frame(const struct view *v, const char *part, enum engine engine, int64_t k)
{
    struct selection s = in_part(v, part, ENGINE_BIT(engine));
    uint32_t node = next_span(v, s, 0);
    while (k-- > 0 && node != ANY)
        node = next_span(v, s, node + 1);
    return node;
}

/* The first copy into the archive that is not behind the one before it, where there is one for each
 * frame; ANY for none. */
static uint32_t misplaced(const struct view *v, const char *part, int64_t count, uint64_t frame)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2D));
    uint32_t first = next_span(v, s, 0), found = ANY;
    uint64_t k = 0;
    EACH_SPAN(node, v, s) {
        if (found == ANY
            && call_of_node(v, node)->dst != call_of_node(v, first)->dst + k * frame)
            found = node;
        k++;
    }
    return (int64_t)k == count ? found : ANY;
}

/* The first copy of a gain that begins inside another gain; ANY for none. */
static uint32_t astride(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    uint32_t first = ANY;
    EACH_SPAN(node, v, s) {
        if (call_of_node(v, node)->bytes != sizeof(uint32_t))
            continue;
        first = first == ANY ? node : first;
        if ((call_of_node(v, node)->dst - call_of_node(v, first)->dst) % sizeof(uint32_t) != 0)
            return node;
    }
    return ANY;
}

/* A copy that brings the right bytes to the wrong place. */
static bool blame_place(const struct view *v, struct finding *f, const char *part,
                        const struct sizes *sizes)
{
    uint64_t frame = (uint64_t)sizes->n * sizeof(uint32_t);
    uint32_t gain = astride(v, part), copy = misplaced(v, part, sizes->count, frame);
    if (gain == ANY && copy == ANY)
        return false;
    f->call = v->timeline->spans[gain != ANY ? gain : copy].call;
    f->sure = true;
    why(f, gain != ANY
               ? "This gain overlaps another lane's: each has 4 bytes. The offset of cudaMemcpyToSymbolAsync() counts bytes: number * "
                 "sizeof(unsigned)."
               : "This frame is not put behind the one before it. Frame k begins k * n elements behind the beginning of the archive.");
    return true;
}

/* The earlier frame whose finished element is in this one's, added to what is wanted; -1: none. */
static int64_t left_over(const uint32_t *out, int64_t i, int64_t n, uint32_t wanted)
{
    for (int64_t k = i / n; k-- > 0;)
        if (out[k * n + i % n] != 0 && out[i] == wanted + out[k * n + i % n])
            return k;
    return -1;
}

/* The frame that stands in this one's place, whole and right; -1: none. */
static int64_t other_frame(const uint32_t *out, const uint32_t *in, const uint32_t *gain,
                           const struct sizes *sizes)
{
    for (int64_t k = 0; k < sizes->count; k++) {
        int64_t i = 0;
        while (i < sizes->n && out[i] == gain[k] * in[k * sizes->n + i] + 1)
            i++;
        if (i == sizes->n)
            return k;
    }
    return -1;
}

/* Where frame k was handed over. */
static size_t handed_at(const struct view *v, const char *part, int64_t k)
{
    struct selection s = in_part(v, part, 0);
    size_t call = s.first_call;
    while (call < s.end_call && label_number(v, call, HAND_OVER) != k)
        call++;
    return call;
}

/* The call that last filled the memory which frame k was copied home from; ANY: none did. */
static uint32_t last_clearing(const struct view *v, const char *part, int64_t k)
{
    uint32_t copy = copy_of_frame(v, part, ENGINE_D2H, k), last = ANY;
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    for (uint32_t node = next_span(v, s, 0); copy != ANY && node < copy && node != ANY;
         node = next_span(v, s, node + 1))
        if (filled(v, node) && filled(v, node) == emptied(v, copy))
            last = v->timeline->spans[node].call;
    return last;
}

static bool inputs_left(const struct evidence *e, struct finding *f)
{
    const struct answers *a = exchange_output(e->exchange, OUT_ANSWERS, NULL);
    if (a->changed == 0)
        return true;
    f->call = ANY;
    f->function = "develop";
    f->word = "in gain";
    expected(f, "f->in and f->gain hold afterwards what they held before");
    seen(f, "%lld of their elements are different ones", (long long)a->changed);
    return why(
        f, "Both are the caller's, and const: copy from them, and write to memory of your own.");
}

#define MORE_FRAMES \
    "The first call was right. What has a fixed size, or is kept in variables of the whole program? There are f->count frames."

/* The last call by which the program asks the device in [first, end), if many of them only ask:
 * of those that a program makes too many of few are kept. ANY: there are not many. */
static uint32_t asks_often(const struct view *v, size_t first, size_t end)
{
    uint32_t last = ANY;
    size_t asked = 0;
    for (size_t i = first; i < end; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind != CALL_STREAM_QUERY && c->kind != CALL_EVENT_QUERY)
            continue;
        last = (uint32_t)i;
        asked++;
    }
    return 5 * asked > end - first ? last : ANY;
}

/* Of another call, with more frames. */
static bool frames_again(const struct evidence *e, struct finding *f)
{
    enum { ALL = FRAMES_AGAIN * ELEMENTS_AGAIN };
    const uint32_t *in = exchange_input(e->exchange, IN_ELEMENTS, NULL),
                   *out = exchange_output(e->exchange, OUT_AGAIN, NULL);
    bool ran = part_ran(&e->yours[0], AGAIN_B);
    size_t first, end;
    if (!ran && measure_part(e->yours[0].timeline, AGAIN_B, &first, &end)) {
        f->call = ANY;
        f->function = "develop";
        f->word = "count";
        expected(f, "called again, with %d frames of %d elements, develop() works as before",
                 FRAMES_AGAIN, ELEMENTS_AGAIN);
        f->call = asks_often(&e->yours[0], first, end);
        seen(f, "the program ended in it");
        if (f->call != ANY)
            return why(
                f,
                "The first lines of this verdict say how. Many of its calls only asked the device whether something is done, as this one does, "
                "and a program that makes too many calls is stopped. cudaStreamSynchronize(lane->stream) waits without asking.");
        return why(f, MORE_FRAMES);
    }
    for (int i = 0; ran && i < 2 * ALL; i++) {
        uint32_t wanted = in[i % ALL / ELEMENTS_AGAIN] * in[i % ALL] + 1;
        if (out[i] == wanted)
            continue;
        f->call = ANY;
        f->function = "develop";
        f->word = "count";
        expected(f, "called again, with %d frames of %d elements: element %d of frame %d is %u %s",
                 FRAMES_AGAIN, ELEMENTS_AGAIN, i % ELEMENTS_AGAIN, i % ALL / ELEMENTS_AGAIN, wanted,
                 i < ALL ? "when it is handed over" : "in the archive");
        seen(f, "%u", out[i]);
        return why(f,
                   MORE_FRAMES);
    }
    return !ran
           || takes_what_is_asked(&e->yours[0], f, in_part(&e->yours[0], AGAIN_B, 0),
                                  ALL * sizeof *in);
}

bool frames_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct sizes *sizes = sizes_of(e);
    const uint32_t *in = exchange_input(e->exchange, IN_ELEMENTS, NULL),
                   *gain = exchange_input(e->exchange, IN_GAINS, NULL);
    for (int slot = OUT_FRAMES; slot <= OUT_ARCHIVE; slot++) {
        const uint32_t *out = exchange_output(e->exchange, slot, NULL);
        for (int64_t i = 0; i < sizes->n * sizes->count; i++) {
            uint32_t wanted = gain[i / sizes->n] * in[i] + 1;
            if (out[i] == wanted)
                continue;
            struct view const *v = &e->yours[0];
            uint32_t odd = odd_copy(v, part, (uint64_t)sizes->n * sizeof(uint32_t));
            uint32_t node = next_kernel(v, in_part(v, part, 0), "develop_frame", 0);
            for (int64_t k = i / sizes->n; k > 0 && node != ANY; k--)
                node = next_kernel(v, in_part(v, part, 0), "develop_frame", node + 1);
            f->call = node == ANY ? ANY : v->timeline->spans[node].call;
            expected(f, "%s: element %lld of frame %lld is %u",
                     slot == OUT_FRAMES ? "handed over" : "in the archive",
                     (long long)(i % sizes->n), (long long)(i / sizes->n), wanted);
            seen(f, "%u", out[i]);
            if (odd != ANY) {
                f->call = v->timeline->spans[odd].call;
                return why(f, "This %s %llu bytes. A frame has %llu, and a gain %zu.",
                           call_of_node(v, odd)->kind == CALL_SET ? "memset covers" : "copy moves",
                           (unsigned long long)call_of_node(v, odd)->bytes,
                           (unsigned long long)sizes->n * sizeof(uint32_t), sizeof(uint32_t));
            }
            if (out[i] == in[i]) {
                uint32_t copy = copy_of_frame(
                    v, part, slot == OUT_ARCHIVE ? ENGINE_D2D : ENGINE_D2H, i / sizes->n);
                f->call = copy != ANY ? v->timeline->spans[copy].call : f->call;
                return why(f,
                           "That is the element as it came in. develop_frame() writes to lane->out: is that what this copies, and has it "
                           "been written?");
            }
            if (slot == OUT_ARCHIVE
                && next_span(v, in_part(v, part, ENGINE_BIT(ENGINE_D2D)), 0) == ANY)
                return why(f,
                           "No cudaMemcpyAsync() or cudaMemcpy() of this part copies inside the device: what brings a frame to the archive?");
            int64_t frame = i / sizes->n,
                    other = slot == OUT_FRAMES
                                ? other_frame(out + frame * sizes->n, in, gain, sizes)
                                : -1;
            if (other >= 0) {
                blame_label(f, handed_at(v, part, frame), f->call);
                f->sure = true;
                return why(f,
                           "That is frame %lld, whole and right, handed over as frame %lld. Frame k is in the `result` of the lane that it went "
                           "through: are the lanes taken in the same order when frames are queued and when they are handed over?",
                           (long long)other, (long long)frame);
            }
            int64_t left = left_over(out, i, sizes->n, wanted);
            if (left >= 0) {
                uint32_t clearing = last_clearing(v, part, i / sizes->n);
                f->call = clearing != ANY ? clearing : f->call;
                f->sure = true;
                return why(f,
                           clearing != ANY
                               ? "That is right for this frame, and frame %lld's is added to it: the buffer was filled here for that frame, or "
                                 "before it, and not again since. develop_frame() adds to what it finds, so each frame needs zeros first: cudaMemsetAsync()."
                               : "That is right for this frame, and frame %lld's is added to it: nothing fills the buffer with zeros. "
                                 "develop_frame() adds to what it finds, so each frame needs zeros first: cudaMemsetAsync().",
                           (long long)left);
            }
            if (blame_place(v, f, part, sizes))
                return false;
            for (int64_t k = 0; k < sizes->count; k++)
                if (k != i / sizes->n && out[i] == gain[k] * in[i] + 1)
                    return why(f,
                               "That is what frame %lld's gain makes of it. Was the gain still the lane's own when the kernel ran?",
                               (long long)k);
            return why(f,
                       "Zeros in the buffer, the frame's elements, the lane's gain, then the kernel, then both copies: "
                       "which of them was missing or came at another time?");
        }
    }
    return inputs_left(e, f) && frames_again(e, f);
}
