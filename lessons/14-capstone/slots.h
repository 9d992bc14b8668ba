/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct sizes; input 1: the frames' elements, one frame after the other; input 2: the
 * requests'. Input 3: struct script; input 4: new elements of sheets, one edit after the other;
 * input 5: the tables, one round after the other. Output 0: struct answers; output 1: the pages,
 * `longest` elements each; output 2: the requests' results, `request` elements each; output 3: the
 * sheets as they were shown, one after the other. Output 4: the page and the answer of OTHER_PLANT;
 * output 5: the two sheets of OTHER_ARCHIVE.
 *
 * Labels: FILL and its number while the camera writes a frame, FRAME and its number round
 * plant_frame, SEAL and the page's in seal(), REQUEST and its number round plant_answer, CLOSE
 * round plant_close. Request 0 goes to a plant of its own; both plant_open are a part, OPENS,
 * before (a), which begins with the camera; before them the driver runs one wave of develop()
 * alone: the first develop() of the log. STEP and its number round each call of part (b); before
 * that part the driver runs pass() once on each device, as it has to be launched.
 *
 * OTHER_PLANT, after (a), has one frame and one request. On machines with devices that reach each
 * other the request is far longer than those of (a); on those with one device the frame is; all
 * others are shorter. OTHER_ARCHIVE, after (b), has far more sheets, on one device most, and larger
 * ones: more than a program has room for that takes numbers of its own. Their elements are those of
 * the frames, the requests and the edits, from the first on. The last sheet is retouched and then
 * blended into the first. Then archive_end(), in the label OTHER_END: of two devices one had
 * nothing to retouch, and so no pass has waited for what archive_begin() has queued there.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define FRAMES_MOST 32
#define REQUESTS 20

#define OPENS "a, before the camera"
#define OTHER_PLANT "a, another plant"
#define OTHER_ARCHIVE "b, another archive"
#define OTHER_END "the other archive's round ends"
#define OTHER_SHEETS(devices) ((devices) == 1 ? 131 : 35)
#define OTHER_SHEET 5001
#define FILL "fill frame "
#define FRAME "frame "
#define SEAL "seal page "
#define REQUEST "request "
#define CLOSE "the plant closes"
#define FILL_NS 20000

/* Elements of each frame, of each request; of the other plant's longer one of the two and of its
 * shorter one; host work before each request, ns; blocks of a frame beyond four waves, in
 * thousandths of a wave. */
struct sizes {
    int64_t frames, longest, frame[FRAMES_MOST], request, other_long, other_short, pause[REQUESTS],
        tail;
};
/* other_frame, other_request: elements of the other plant's; other_sheets: of the other archive.
 * order: pages as they were sealed, from 1; 0: none any more; length: with how many elements.
 * at_close: how many were when plant_close returned. changed: the first request whose `in` is not
 * what it was, counted from 1. */
struct answers {
    uint64_t sealing; /* the address of what seal() writes first */
    int32_t sealed, order[2 * FRAMES_MOST], length[2 * FRAMES_MOST], at_close, changed, other_frame,
        other_request, other_sheets;
};

/* What the caller of part (b) does, one after the other. */
#define STEP "step "
#define STEPS_MOST 128
#define SHEETS 8
#define ROUNDS 2
#define PASS_COUNT 12           /* lesson.h knows them as PASSES and TABLE */
#define TABLE_ELEMENTS 65536
#define LOOK_NS 5000            /* what the caller takes to read a sheet, or to write one */
enum what { BEGIN, EDIT, RETOUCH, BLEND, SHOW, END };
struct script_step { int32_t what, sheet, from; };
struct script { int64_t n, count, edits, shows; struct script_step step[STEPS_MOST]; };

/* A sheet when the caller has edited it: an element that has been written before, and a new number.
 */
static inline uint32_t edited(uint32_t before, uint32_t number)
{
    return 7 * before + number;
}

enum { IN_SIZES, IN_FRAMES, IN_REQUESTS, IN_SCRIPT, IN_EDITS, IN_TABLES };
enum { OUT_ANSWERS, OUT_PAGES, OUT_REQUESTS, OUT_SHOWN, OUT_OTHER_PLANT, OUT_OTHER_ARCHIVE,
       OUT_FEWER };

/* The other plant gets a second request, of fewer elements than the longest. What is behind them
 * stays as it was: UNWRITTEN. */
static inline int fewer_than(int request) { return (request + 1) / 2; }
#define UNWRITTEN_BYTE 0xa5
#define UNWRITTEN (UNWRITTEN_BYTE * 0x01010101u)

/* Blocks of develop() on a card where a wave has that many. */
static inline int64_t tiles_of(const struct sizes *s, int64_t wave)
{
    return 4 * wave + wave * s->tail / 1000;
}

#endif
