/* SPDX-License-Identifier: MIT */
/*
 * figure.h - a device to play with: the model for a page that shows it.
 *
 * Plain numbers in and out, one figure at a time, so that a script can use it
 * from WebAssembly (tools/wasm builds it) as a C program can. In order:
 * figure_begin, calls as a program would make them, then what came of them.
 * Stream 0 is the legacy default stream. Nothing has happened before a
 * figure_sync: the device is carried forward when the host waits.
 */
#ifndef FIGURE_FIGURE_H
#define FIGURE_FIGURE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FIGURE_NAME = 64 };
/* Room for a name that is handed over, FIGURE_NAME bytes with the zero at its
 * end: the card's for figure_begin, the kernel's for figure_launch. */
char *figure_name(void);

/* Forgets the last figure. False: there is no card of that name. */
bool figure_begin(void);

/* The new stream's number; flags as in call.h. */
uint32_t figure_stream(uint32_t flags, int32_t priority);
/* `cost`: ns a block, -1 for the card's own. */
void figure_launch(uint32_t stream, uint32_t blocks, uint32_t threads, int32_t cost);
/* `to`, `from`: enum memory_kind; `async`: the Async spelling. */
void figure_copy(uint32_t stream, uint32_t to, uint32_t from, uint32_t bytes, bool async);
/* The new event's number. */
uint32_t figure_record(uint32_t stream);
void figure_wait(uint32_t stream, uint32_t event);
void figure_work(uint32_t ns);
/* cudaDeviceSynchronize. */
void figure_sync(void);

enum figure_field { FIGURE_ENGINE, FIGURE_STREAM, FIGURE_QUEUED, FIGURE_START, FIGURE_END };
uint32_t figure_spans(void);
/* Of a span: enum engine, its stream, times in ns. */
int64_t figure_span(uint32_t span, uint32_t field);

/* The picture, zero-terminated, good until the next figure_svg or figure_begin. */
const char *figure_svg(int32_t width);

#ifdef __cplusplus
}
#endif
#endif
