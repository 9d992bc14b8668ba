/* SPDX-License-Identifier: MIT */
/*
 * seal.h - a stream of bytes that only who knows a key can write to.
 *
 * The simulator shares its process with the program that it watches, and both
 * can write to the descriptor of the log. With a seal, the log travels in
 * frames: four bytes of length (little-endian), that many bytes, eight bytes
 * SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF") of the frame's number and its bytes. What anybody else
 * writes there damages the stream, and cannot be taken for calls.
 *
 * What it cannot do: keep the key from a program that searches the process's
 * memory for it.
 */
#ifndef TRACE_SEAL_H
#define TRACE_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SEAL_FRAME_MAX 16384u   /* bytes in a frame */
#define SEAL_HEAD 4u
#define SEAL_TAIL 8u
#define SEAL_KEY_TEXT 33        /* 32 hexadecimal digits and the end */

struct seal { uint64_t key[2], frames; };

/* False: that is no key. */
bool seal_init(struct seal *s, const char *text);

/* Writes a frame with `count` bytes to `frame`, which has room for SEAL_HEAD + count + SEAL_TAIL; returns its size. */
size_t seal_frame(struct seal *s, const void *bytes, size_t count, unsigned char *frame);

/* Reading: frames may come in any pieces. */
struct seal_reader {
    struct seal seal;
    unsigned char partial[SEAL_HEAD + SEAL_FRAME_MAX + SEAL_TAIL];
    size_t partial_count;
    bool broken;                /* something else was written there; nothing is read after it */
};
/* Gives what each whole frame holds to `take`. */
void seal_read(struct seal_reader *r, const void *bytes, size_t count,
               void (*take)(void *context, const void *bytes, size_t count), void *context);

#ifdef __cplusplus
}
#endif
#endif
