/* SPDX-License-Identifier: MIT */
/*
 * log.h - the compact binary form of a timeline's calls: a stream.
 *
 * A child process writes it while it runs; the grader reads it as it comes and
 * trusts nothing in it. Layout: the 8 bytes LOG_MAGIC, then records. A record
 * is a varint length and that many bytes: a varint of the call's kind plus one
 * (0: a string, whose bytes follow, and which takes the next string number), a
 * varint mask of the fields that are not zero, and those fields as varints
 * (signed ones zigzag), in the order of struct call. Ends anywhere: a log that
 * was cut off is readable up to there.
 */
#ifndef TRACE_RECORD_LOG_H
#define TRACE_RECORD_LOG_H

#include "trace/record/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LOG_MAGIC "CSWLOG1\n"
#define LOG_RECORD_MAX 4096     /* a longer string is cut off */

/* Writing. `put` takes all of the bytes; it owns what to do when it cannot. */
struct log_writer {
    void (*put)(void *context, const void *bytes, size_t count);
    void *context;
    size_t strings;             /* strings of the timeline that are written already */
};
void log_begin(struct log_writer *w);
/* Writes the strings that are new in `t` and then the call. */
void log_write(struct log_writer *w, const struct timeline *t, const struct call *c);

/* Reading. Bytes may come in any pieces. Every call read is appended to `t`
 * with its strings; nothing but t->calls and t's strings changes. */
struct log_reader {
    unsigned char partial[LOG_RECORD_MAX + 16];
    size_t partial_count;
    bool begun;
    uint32_t *string_number;    /* by number in the log: the number in `t` */
    size_t string_count, string_capacity;
    const char *error;          /* NULL, or why the bytes are no log; nothing is read after it */
};
void log_reader_init(struct log_reader *r);
void log_reader_fini(struct log_reader *r);
void log_read(struct log_reader *r, struct timeline *t, const void *bytes, size_t count);

#ifdef __cplusplus
}
#endif
#endif
