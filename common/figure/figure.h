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

/* Forgets the last figure. `copy_engines`, `queues`: other ones than the card has; 0: its own.
 * False: there is no card of that name. */
bool figure_begin(int32_t copy_engines, int32_t queues);
/* How many blocks of that many threads the card has at once: a wave. */
uint32_t figure_wave(uint32_t threads);

/* The new stream's number; flags as in call.h. */
uint32_t figure_stream(uint32_t flags, int32_t priority);
/* `cost`: ns a block, -1 for the card's own. */
void figure_launch(uint32_t stream, uint32_t blocks, uint32_t threads, int32_t cost);
/* `to`, `from`: enum memory_kind; `async`: the Async spelling. */
void figure_copy(uint32_t stream, uint32_t to, uint32_t from, uint32_t bytes, bool async);
/* The new event's number. */
uint32_t figure_record(uint32_t stream);
void figure_wait(uint32_t stream, uint32_t event);
void figure_set(uint32_t stream, uint32_t bytes, bool async);
/* cudaMalloc and cudaFree, or of pinned memory: enum memory_kind. */
void figure_allocate(uint32_t kind, uint32_t bytes);
void figure_free(uint32_t kind, uint32_t bytes);
void figure_work(uint32_t ns);
/* cudaDeviceSynchronize; cudaStreamSynchronize. */
void figure_sync(void);
void figure_sync_stream(uint32_t stream);
/* What follows is a part of the figure with that name (figure_name) for the picture: it is drawn
 * alone. */
void figure_show(void);

/*
 * One piece of managed memory, of that many blocks of 2 MiB, which the host was
 * the first to touch. A kernel, a prefetch, the host go through all of it; what
 * is on the other side comes over as residency.h has it, six faults a block.
 */
void figure_managed(uint32_t blocks);
void figure_managed_launch(uint32_t stream, uint32_t grid, uint32_t threads, int32_t cost);
void figure_managed_prefetch(uint32_t stream, bool to_host);
void figure_managed_touch(void);

enum figure_field { FIGURE_ENGINE, FIGURE_STREAM, FIGURE_QUEUED, FIGURE_START, FIGURE_END };
uint32_t figure_spans(void);
/* The first that is drawn. */
uint32_t figure_first_span(void);
/* Host time since figure_show, ns. */
int64_t figure_now(void);
/* From the first operation of the device to the last, and what the picture's axis spans, in ns. */
int64_t figure_length(void);
int64_t figure_drawn(void);
/*
 * Engines are sets of bits, 1 << enum engine: a card with one copy engine has one for H2D and D2H
 * together. The engine that serves such a kind, the one that works longest (0: none does), and how
 * long at least one of a set works, in ns.
 */
uint32_t figure_engine(uint32_t engine);
uint32_t figure_busiest(void);
int64_t figure_busy(uint32_t engines);
/* Faults on managed memory, of kernels and of the host. */
uint32_t figure_faults(void);
/* Of a span: enum engine, its stream, times in ns. */
int64_t figure_span(uint32_t span, uint32_t field);

/* The picture, zero-terminated, good until the next figure_svg or figure_begin. Its axis spans at
 * least `length` ns, so that two pictures can be compared. */
const char *figure_svg(int32_t width, int64_t length);

#ifdef __cplusplus
}
#endif
#endif
