/* SPDX-License-Identifier: MIT */
/*
 * authenticated_log.h - a stream of bytes that only who knows a key can write to.
 *
 * The simulator shares its process with the program that it watches, and both
 * can write to the descriptor of the log. Authenticated, the log travels in
 * frames: four bytes of length (little-endian), that many bytes, eight bytes
 * SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF") of the frame's number and
 * its bytes. What anybody else writes there damages the stream, and cannot be taken for calls.
 *
 * What it cannot do: keep the key from a program that searches the process's memory for it, or make
 * a program write down a call. What such a one writes still has to have times that a replay comes
 * to (judge_is_timely): a call that was left out shows by the times of those after it. It does not
 * show if the program puts the process's memory back as it was before the call, which takes the
 * call back as well (tests/attacks/pretending/49-looks-ahead.cu).
 */
#ifndef TRACE_RECORD_AUTHENTICATED_LOG_H
#define TRACE_RECORD_AUTHENTICATED_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AUTHLOG_FRAME_MAX 16384u   /* bytes in a frame */
#define AUTHLOG_HEAD 4u
#define AUTHLOG_TAIL 8u
#define AUTHLOG_KEY_TEXT 33        /* 32 hexadecimal digits and the end */

struct authlog { uint64_t key[2], frames; };

/* False: that is no key. */
bool authlog_init(struct authlog *s, const char *text);

/* Writes a frame with `count` bytes to `frame`, which has room for AUTHLOG_HEAD + count +
 * AUTHLOG_TAIL; returns its size. */
size_t authlog_frame(struct authlog *s, const void *bytes, size_t count, unsigned char *frame);

/* Reading: frames may come in any pieces. */
struct authlog_reader {
    struct authlog authlog;
    unsigned char partial[AUTHLOG_HEAD + AUTHLOG_FRAME_MAX + AUTHLOG_TAIL];
    size_t partial_count;
    bool broken;                /* something else was written there; nothing is read after it */
};
/* Gives what each whole frame holds to `take`. */
void authlog_read(struct authlog_reader *r, const void *bytes, size_t count,
                  void (*take)(void *context, const void *bytes, size_t count), void *context);

#ifdef __cplusplus
}
#endif
#endif
