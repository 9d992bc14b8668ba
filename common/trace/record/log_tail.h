/* SPDX-License-Identifier: MIT */
/*
 * log_tail.h - the end of a stream of bytes, in memory that its writer and its reader share.
 *
 * A system call for each record of a log is a tenth of what a small program
 * takes. So its writer puts the stream's bytes here first, and sends many at
 * once through the pipe. However the writer ends, the reader finds here what
 * was not sent: the bytes of the stream from the number that came through the
 * pipe up to `end`. `end` grows when the bytes are there, so nothing else has
 * to be said at the same time.
 */
#ifndef TRACE_RECORD_LOG_TAIL_H
#define TRACE_RECORD_LOG_TAIL_H

#include <stdint.h>

#define LOG_TAIL_BYTES (64u << 10)      /* a power of two, and more than a frame has */
#define LOG_TAIL_SENT (32u << 10)       /* so many are sent at once */

struct log_tail {
    uint64_t end;                           /* bytes of the stream */
    unsigned char bytes[LOG_TAIL_BYTES];    /* number n is at n % LOG_TAIL_BYTES */
};

#endif
