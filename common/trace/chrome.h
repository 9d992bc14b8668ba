/* SPDX-License-Identifier: MIT */
/*
 * chrome.h - the timeline as Chrome Trace Event JSON, streamed out.
 *
 * Opens in Perfetto and in chrome://tracing. One process per device and one
 * for the host; a thread per stream (a second lane where a stream's spans
 * overlap). ts and dur are microseconds with exactly three decimals, written
 * from integer nanoseconds: nothing is rounded. Flows lead from the call to
 * what it caused. Strings are escaped; memory is constant.
 */
#ifndef TRACE_CHROME_H
#define TRACE_CHROME_H

#include <stdio.h>

#include "trace/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* False when a write failed (errno says why). */
bool chrome_write(FILE *out, const struct timeline *t);

#ifdef __cplusplus
}
#endif
#endif
