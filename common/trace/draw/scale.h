/* SPDX-License-Identifier: MIT */
/*
 * scale.h - time as people read it, and where it lies on an axis.
 */
#ifndef TRACE_DRAW_SCALE_H
#define TRACE_DRAW_SCALE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TIME_TEXT 64

/* The unit in which to tell times up to `length`, in ns: 1, 10^3, 10^6 or 10^9. */
int64_t time_unit(int64_t length);

/* The smallest round step (1, 2, 5, 10, … ns) of which `length` holds at most `most`. */
int64_t time_step(int64_t length, unsigned most);

/* Exactly, in that unit: "0.25 ms". */
const char *time_text(char out[TIME_TEXT], int64_t ns, int64_t unit);

/* Rounded to three decimals of its own unit: "2.313 ms". */
const char *time_about(char out[TIME_TEXT], int64_t ns);

/* Where on a scale of `size` places is the time `at` of `length`? Rounded to
 * the nearest, so that what touches in time touches in the picture. */
unsigned scale_x(int64_t at, int64_t length, unsigned size);

#ifdef __cplusplus
}
#endif
#endif
