/* SPDX-License-Identifier: MIT */
/*
 * replay.h - a log replayed while it is read: the timeline comes in pieces.
 *
 * model_replay needs all of a log and leaves all of its timeline. Here bytes of
 * the log come in, and pieces of the same timeline go out, calls, spans and
 * migrations each in their order; put together they are what model_replay
 * leaves.
 *
 * A piece ends where the program has waited for all that it had queued: by
 * cudaDeviceSynchronize, or stream by stream. What came before is let go of. So
 * memory does not grow with the length of the log: it takes what the program
 * queues between two such moments (some thousand calls at least, about 500 bytes
 * a call), and a record for each stream and host thread, for each event that is
 * not destroyed, and for each string. A program that always has something under
 * way, or whose threads are never all idle, makes one large piece.
 *
 * Order of use: replay_new, replay_read with all bytes, replay_end.
 */
#ifndef MODEL_REPLAY_H
#define MODEL_REPLAY_H

#include "model/card.h"
#include "trace/record/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers in it (a call's node, a span's call, a migration's) are the piece's own; the first of
 * each is that many in the whole. Its spans begin at first_span: those before it were in earlier
 * pieces, and their calls are gone. */
struct replay_piece {
    const struct timeline *t;
    size_t first_span;
    uint64_t calls_before, spans_before;
    bool last;                  /* only in it, spans may never end */
};

/* Puts the piece after those before it: in the end `whole` is what model_replay leaves. */
void replay_put_together(struct timeline *whole, const struct replay_piece *p);

struct replay;

/* `piece` is called from replay_read and replay_end; what it is given is valid until it returns. */
struct replay *replay_new(const struct card *card,
                          void (*piece)(void *context, const struct replay_piece *p),
                          void *context);
/* Any number of bytes at a time. */
void replay_read(struct replay *r, const void *bytes, size_t count);
/* The last piece; frees it. NULL, or why the bytes were no log; pieces are then of what came
 * before. */
const char *replay_end(struct replay *r);

#ifdef __cplusplus
}
#endif
#endif
