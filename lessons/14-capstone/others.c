/* SPDX-License-Identifier: MIT */
/*
 * A plant and an archive of other sizes.
 *
 * DESIGN
 * They are for programs that have room for what the first ones asked for and not for what a job
 * says: no time is judged there, only that nothing is touched that is not the program's own, and
 * that what comes of it is right.
 */
#include <stdlib.h>
#include <string.h>

#include "judges.h"

#define SIZES "Something that is right for the first one is wrong for this one. Does anything have a fixed size, live in a global variable, or get read from `*j` after the open call has returned?"

/* The launch of `kernel` in that part, for the place. */
static uint32_t launch_in(const struct view *v, const char *part, const char *kernel)
{
    uint32_t node = next_kernel(v, in_part(v, part, 0), kernel, 0);
    return node == ANY ? ANY : v->timeline->spans[node].call;
}

bool other_leaks(const struct evidence *e, struct finding *f, const char *part)
{
    return !part_ran(&e->yours[0], part) || judge_leaks(e, f, part);
}

/* Was nothing touched there that is not the program's own, and did it come to its end? `size`: what
 * the job says, for the place; `sizes`: for the message. */
static bool came_through(const struct evidence *e, struct finding *f, const char *part,
                         const char *function, const char *size, const char *sizes)
{
    for (size_t view = 0; view < e->runs; view++) {
        size_t first, end;
        if (!measure_part(e->yours[view].timeline, part, &first, &end)
            || part_ran(&e->yours[view], part))
            continue;
        if (!judge_hazards(e, f, part))
            return false;
        f->view = view;
        f->function = function;
        f->word = size;
        expected(f, "another one, whose job says other sizes, works as the first one does");
        seen(f, "the program ended in it");
        return why(f, "Take all sizes from the job, %s. " SIZES, sizes);
    }
    return judge_hazards(e, f, part);
}

/* One of the two that there are, whatever the program has written there. */
static int length_of(const struct sizes *s, int32_t said)
{
    return (int)(said == s->other_long ? s->other_long : s->other_short);
}

/* How long were they on a machine? Both 0 where the program has not come so far. */
static void other_lengths(const struct evidence *e, size_t view, int *frame, int *request)
{
    const struct answers *a = exchange_output_of(e->exchange, view, OUT_ANSWERS, NULL);
    const struct sizes *s = sizes_of(e);
    bool ran = part_ran(&e->yours[view], OTHER_PLANT);
    *frame = ran ? length_of(s, a->other_frame) : 0;
    *request = ran ? length_of(s, a->other_request) : 0;
}

bool other_page_right(const struct evidence *e, struct finding *f)
{
    const uint32_t *in = exchange_input(e->exchange, IN_FRAMES, NULL);
    if (!came_through(e, f, OTHER_PLANT, "plant_open", "frame", "j->frame and j->request"))
        return false;
    for (size_t view = 0; view < e->runs; view++) {
        const uint32_t *out = exchange_output_of(e->exchange, view, OUT_OTHER_PLANT, NULL);
        int n, request;
        other_lengths(e, view, &n, &request);
        for (int i = 0; i < n; i++) {
            uint32_t wanted = 1664525u * in[i] + 1013904223u;
            if (out[i] == wanted)
                continue;
            f->view = view;
            f->call = launch_in(&e->yours[view], OTHER_PLANT, "gather");
            expected(f, "in another plant, element %d of the page of a frame of %d is %u", i, n,
                     wanted);
            seen(f, "%u", out[i]);
            return why(f, "A plant has room for j->frame elements. " SIZES);
        }
    }
    return true;
}

/* The last launch of that kernel among the part's calls; ANY: there is none. */
static uint32_t last_launch_in(const struct view *v, const char *part, const char *kernel)
{
    uint32_t call = ANY;
    EACH_KERNEL(node, v, in_part(v, part, 0), kernel)
        call = v->timeline->spans[node].call;
    return call;
}

/* A request of fewer elements than the longest, which has that many. */
static bool fewer_answered(const struct evidence *e, struct finding *f, size_t view, int longest)
{
    const uint32_t *in = exchange_input(e->exchange, IN_FRAMES, NULL),
                   *out = exchange_output_of(e->exchange, view, OUT_FEWER, NULL);
    int n = fewer_than(longest);
    for (int i = 0; i < longest; i++) {
        if (out[i] == (i < n ? 5 * in[i] + 1 : UNWRITTEN))
            continue;
        f->view = view;
        f->call = last_launch_in(&e->yours[view], OTHER_PLANT, "reply");
        f->function = "plant_answer";
        expected(f, i < n ? "element %d of the answer to a request of %d is %u"
                          : "element %d of `out` stays as it was after a request of %d: %u",
                 i, n, i < n ? 5 * in[i] + 1 : UNWRITTEN);
        seen(f, "%u", out[i]);
        return why(f,
                   "A request has the n elements of its call, and j->request is how many the longest has. Here j->request is %d.",
                   longest);
    }
    return true;
}

bool other_answer_right(const struct evidence *e, struct finding *f)
{
    const uint32_t *in = exchange_input(e->exchange, IN_FRAMES, NULL);
    for (size_t view = 0; view < e->runs; view++) {
        const uint32_t *out = exchange_output_of(e->exchange, view, OUT_OTHER_PLANT, NULL);
        int n, frame;
        other_lengths(e, view, &frame, &n);
        out += frame;
        for (int i = 0; i < n; i++) {
            if (out[i] == 5 * in[i] + 1)
                continue;
            f->view = view;
            f->call = launch_in(&e->yours[view], OTHER_PLANT, "reply");
            expected(f, "in another plant, element %d of the answer to a request of %d is %u", i, n,
                     5 * in[i] + 1);
            seen(f, "%u", out[i]);
            return why(f, "A plant answers requests of up to j->request elements. " SIZES);
        }
        if (!fewer_answered(e, f, view, n))
            return false;
    }
    return true;
}

/* The first sheet and the last, one after the other; the caller's, to be given to free(). */
static uint32_t *right_others(const struct evidence *e)
{
    uint32_t *sheets = calloc(2 * OTHER_SHEET, sizeof *sheets);
    if (!sheets)
        abort();
    memcpy(sheets, exchange_input(e->exchange, IN_EDITS, NULL), 2 * OTHER_SHEET * sizeof *sheets);
    archive_retouched(sheets + OTHER_SHEET, exchange_input(e->exchange, IN_TABLES, NULL),
                      OTHER_SHEET, AS_ASKED);
    for (int i = 0; i < OTHER_SHEET; i++)
        sheets[i] = 3 * sheets[i] + sheets[OTHER_SHEET + i];
    return sheets;
}

bool other_sheets_right(const struct evidence *e, struct finding *f)
{
    if (!came_through(e, f, OTHER_ARCHIVE, "archive_open", "sheets", "j->sheets"))
        return false;
    uint32_t *right = right_others(e);
    bool is_right = true;
    for (size_t view = 0; view < e->views && is_right; view++) {
        const uint32_t *out = exchange_output_of(e->exchange, view, OUT_OTHER_ARCHIVE, NULL);
        bool ran = part_ran(&e->yours[view], OTHER_ARCHIVE);
        for (int i = 0; ran && i < 2 * OTHER_SHEET; i++) {
            if (out[i] == right[i])
                continue;
            const struct answers *a =
                exchange_output_of(e->exchange, view, OUT_ANSWERS, NULL);
            int sheets = a->other_sheets;
            f->view = view;
            f->call = launch_in(&e->yours[view], OTHER_ARCHIVE,
                                i < OTHER_SHEET ? "blend" : "pass");
            expected(
                f, "in another archive, of %d sheets of %d elements, element %d of sheet %d is %u",
                sheets, OTHER_SHEET, i % OTHER_SHEET, i < OTHER_SHEET ? 0 : sheets - 1, right[i]);
            seen(f, "%u", out[i]);
            is_right = why(f, "An archive has j->sheets sheets of j->n elements. " SIZES);
            break;
        }
    }
    free(right);
    return is_right;
}

/* What is made for blendings is made only where there are several devices. */
bool archive_leaks(const struct evidence *e, struct finding *f, const char *part)
{
    struct evidence one = *e;
    for (size_t view = 0; view < e->views; view++, one.yours++, one.reference++) {
        f->view = view;
        if (!judge_leaks(&one, f, part) || !other_leaks(&one, f, OTHER_ARCHIVE))
            return false;
    }
    return true;
}
