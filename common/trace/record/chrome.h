/* SPDX-License-Identifier: MIT */
/*
 * chrome.h - the timeline as Chrome Trace Event JSON, streamed out.
 *
 * Opens in Perfetto and in chrome://tracing. One process per device and one
 * for the host; a thread per stream (a second lane where a stream's spans
 * overlap), and per domain of NVTX beside a host thread's own. ts and dur are
 * microseconds with exactly three decimals, written from integer nanoseconds:
 * nothing is rounded. Flows lead from the call to what it caused. Strings are
 * escaped. A timeline may come in pieces; memory is a number for each stream,
 * thread and domain.
 */
#ifndef TRACE_RECORD_CHROME_H
#define TRACE_RECORD_CHROME_H

#include <stdio.h>

#include "trace/record/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* False when a write failed (errno says why). */
bool chrome_write(FILE *out, const struct timeline *t);

/* The same in pieces: chrome_begin, chrome_add for each, chrome_end, which frees it. Calls, spans
 * from `first_span` on and migrations of a piece are those that follow what came before; spans that
 * never end, or calls, are in the last alone. */
struct chrome_writer;
struct chrome_writer *chrome_begin(FILE *out);
void chrome_add(struct chrome_writer *w, const struct timeline *t, size_t first_span);
/* False when a write failed (errno says why). */
bool chrome_end(struct chrome_writer *w);

#ifdef __cplusplus
}
#endif
#endif
