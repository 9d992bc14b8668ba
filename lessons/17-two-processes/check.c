/* SPDX-License-Identifier: MIT */
/* check.c - lesson 17: its inputs, its checks. The judges are in open.c (a), frames.c (b) and
 * share.c (c). */
#include "judges.h"

/* ---- inputs ---- */

static void prepare(struct exchange *x, struct random *r)
{
    struct sizes s = { .n = random_odd(r, 3000, 6000) };
    for (int f = 0; f < FRAMES; f++) {
        bool late = random_between(r, 0, 1) == 1;       /* one of the two hosts comes later */
        s.other_pause[f] = late ? (int64_t)random_between(r, 300000, 900000) : 0;
        s.own_pause[f] = late ? 0 : (int64_t)random_between(r, 0, 400000);
    }
    for (int k = 0; k < ROUNDS; k++) {
        /* Many, and then so few that room for many is far too much. */
        s.share[k] = k == 0 ? random_odd(r, 1500, 2500) : random_odd(r, 33, 99);
        s.seed[k] = (int64_t)random_between(r, 1, 1000000);
        s.late[k] = (int64_t)random_between(r, 200000, 500000);
    }
    *(struct sizes *)exchange_add_input(x, sizeof s) = s;
    exchange_add_elements(x, r, s.n * FRAMES);
    exchange_add_elements(x, r, s.n * RING);
    exchange_add_output(x, sizeof(struct answers));
    exchange_add_output(x, (size_t)(s.n * RING) * sizeof(uint32_t));
    exchange_add_output(x, (size_t)(s.n * FRAMES) * sizeof(uint32_t));
    for (int k = 0; k < ROUNDS; k++)
        exchange_add_output(x, (size_t)s.share[k] * sizeof(uint32_t));
}

/* ---- the tables ---- */

static const struct part parts[] = {
    { "a", "what the other process has", "open close" },
    { "b", "frame by frame", "take" },
    { "c", "something for the other process", "share fill unshare" },
};

#define READ_HANDLES "Handles"
#define READ_HOSTS "The hosts have to talk"
#define READ_ENDS "Who may give back what, and when"

JUDGE(judge_ring_events);
JUDGE(judge_ring_frames);
JUDGE(judge_ring_closed);
JUDGE(judge_frame_work);
JUDGE(judge_frame_come);
JUDGE(judge_slot_back);
JUDGE(judge_frame_output);
JUDGE(judge_frame_pace);
JUDGE(judge_share_opened);
JUDGE(judge_share_ready);
JUDGE(judge_share_pace);
JUDGE(judge_share_output);
JUDGE(judge_share_kept);

static const struct check checks[] = {
    { .id = "a-events", .part = "a", .kind = OUTPUT, .points = 9, .name = "each event is the other process's of that name",
      .judge = judge_ring_events, .read = READ_HANDLES,
      .hints = { "What is in the offer, and what do you need instead?", "is an event of this process that stands for",
                 "cudaIpcOpenEventHandle(&r->full[k], o->full[k]), and the same for empty, for each k." } },
    { .id = "a-frames", .part = "a", .kind = OUTPUT, .points = 7, .name = "r->frames is the other process's memory",
      .judge = judge_ring_frames, .read = READ_HANDLES,
      .hints = { "Whose address would a pointer in the offer be?", "another address in each process",
                 "cudaIpcOpenMemHandle((void **)&r->frames, o->frames, cudaIpcMemLazyEnablePeerAccess)." } },
    { .id = "a-done", .part = "a", .kind = ORDER, .points = 6, .name = "all work is done before the memory is closed",
      .judge = judge_ring_closed, .read = READ_ENDS,
      .hints = { "What may still be running when ring_close() is called?", "Before you close memory",
                 "cudaStreamSynchronize(r->stream) first in ring_close()." } },
    { .id = "a-leaks", .part = "a", .kind = HYGIENE, .points = 3, .name = "what was opened is closed", .judge = judge_leaks,
      .read = READ_ENDS,
      .hints = { "What did ring_open() open, and which call closes each?", "Before you close memory",
                 "cudaEventDestroy() for all events, cudaIpcCloseMemHandle(r->frames), cudaStreamDestroy(r->stream)." } },
    { RACES("a", 5, "*", READ_ENDS, "Before you close memory") },
    { ERRORS("a", 2, "*") },

    { .id = "b-work", .part = "b", .kind = OUTPUT, .points = 3, .name = "each frame is examined once, in the stream that waits for it", .judge = judge_frame_work,
      .read = READ_HOSTS,
      .hints = { "How often is ring_take() called, and how often examine()?", "In the exercise the other process",
                 "One examine<<<>>>() in each call of ring_take()." } },
    { .id = "b-full", .part = "b", .kind = ORDER, .points = 11, .name = "a frame is read when it has come", .needs = "b-work a-events",
      .judge = judge_frame_come, .read = READ_HOSTS,
      .hints = { "Which record does a wait wait for, if the event is recorded later?", "waits for the latest record that there is",
                 "await_queued(frame), and then cudaStreamWaitEvent(r->stream, r->full[k], 0)." } },
    { .id = "b-empty", .part = "b", .kind = ORDER, .points = 11, .name = "a slot goes back when its frame has been read",
      .needs = "b-work a-events", .judge = judge_slot_back, .read = READ_HOSTS,
      .hints = { "What does the other process do as soon as it is told?", "Record first, tell afterwards",
                 "cudaEventRecord(r->empty[k], r->stream) after the launch, and then tell_taken(frame)." } },
    { .id = "b-output", .part = "b", .kind = OUTPUT, .points = 6, .name = "every element of every result is right, and the slots are read only",
      .needs = "b-full b-empty a-frames", .judge = judge_frame_output, .read = READ_HOSTS,
      .hints = { "Which slot is frame 4 in, and where does that slot begin?", "In the exercise the other process",
                 "examine<<<...>>>(result, r->frames + (size_t)(frame % SLOTS) * r->n, r->n)." } },
    { .id = "b-pace", .part = "b", .kind = OVERLAP, .points = 9, .name = "ring_take() waits for nothing on the device",
      .needs = "b-work", .judge = judge_frame_pace, .read = READ_HOSTS,
      .hints = { "Who has to know that a frame has been read: your host, or the other process's stream?", "no host waits for the device",
                 "No cudaStreamSynchronize() in ring_take(): the record of empty[k] is enough." } },
    { .id = "b-leaks", .part = "b", .kind = HYGIENE, .points = 1, .name = "part (b) gives back what it made", .needs = "a-leaks",
      .judge = judge_leaks, .read = READ_ENDS,
      .hints = { "What does ring_take() make?", "Before you close memory", "ring_take() needs nothing that ring_open() has not made." } },
    { RACES("b", 3, "* a-hazard", READ_HOSTS, "no host waits for the device") },
    { ERRORS("b", 1, "* a-errors") },

    { .id = "c-open", .part = "c", .kind = OUTPUT, .points = 4, .name = "the other process can open both", .judge = judge_share_opened,
      .read = READ_HANDLES,
      .hints = { "Which memory and which events have handles?", "has a handle if",
                 "cudaMalloc(), an event with cudaEventInterprocess | cudaEventDisableTiming, and a handle of each in the ticket." } },
    { .id = "c-ready", .part = "c", .kind = ORDER, .points = 6, .name = "the other process's wait is for the work that fills x",
      .judge = judge_share_ready, .read = READ_HOSTS,
      .hints = { "What has to be true when the other process is told?", "Record first, tell afterwards",
                 "produce<<<>>>(), cudaEventRecord(s->ready, s->stream), tell_ready()." } },
    { .id = "c-kept", .part = "c", .kind = ORDER, .points = 5, .name = "x and ready are there until the other process has closed them",
      .judge = judge_share_kept, .read = READ_ENDS,
      .hints = { "Who else has x open when share_close() is called?", "undefined to free memory",
                 "await_closed() first in share_close(), and cudaEventDestroy(s->ready) and cudaFree(s->x) after it." } },
    { .id = "c-output", .part = "c", .kind = OUTPUT, .points = 3, .name = "the other process reads every element",
      .needs = "c-open c-ready c-kept", .judge = judge_share_output, .read = READ_HOSTS,
      .hints = { "Does the launch fill all of x?", "In the exercise the other process",
                 "produce<<<blocks, THREADS, 0, s->stream>>>(s->x, s->n, seed)." } },
    { .id = "c-pace", .part = "c", .kind = OVERLAP, .points = 1, .name = "share_fill() waits for nothing", .needs = "c-ready",
      .judge = judge_share_pace, .read = READ_HOSTS,
      .hints = { "Who has to know that x is full: your host, or the other process's stream?", "no host waits for the device",
                 "No cudaStreamSynchronize() in share_fill(): the record of s->ready is enough." } },
    { .id = "c-leaks", .part = "c", .kind = HYGIENE, .points = 1, .name = "part (c) gives back what it made", .judge = judge_leaks,
      .read = READ_ENDS,
      .hints = { "What did share_open() make?", "undefined to free memory",
                 "cudaEventDestroy(s->ready), cudaFree(s->x), cudaStreamDestroy(s->stream)." } },
    { RACES("c", 2, "* a-hazard b-hazard", READ_HOSTS, "no host waits for the device") },
    { ERRORS("c", 1, "* a-errors b-errors") },
};

/* Two cards on which a handover was not measured: there another process costs nothing more. */
static const char *const cards[] = { "k20c", "rtx3090", NULL };

const struct lesson lesson_17 = {
    .number = 17,
    .folder = "17-two-processes",
    .title = "Two processes",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .cards = cards, .processes = true,
};
