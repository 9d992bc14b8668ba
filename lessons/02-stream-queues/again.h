/* SPDX-License-Identifier: MIT */
/* again.h - what lesson 02's kernels make of an element, the second calls, and where a trip comes
 * back to (again.c). */
#ifndef AGAIN_H
#define AGAIN_H

#include "grader/check.h"

static inline uint32_t mixed(uint32_t x) { return 1664525u * x + 1013904223u; }
static inline uint32_t left(uint32_t x) { return 5 * x + 1; }
static inline uint32_t right(uint32_t x) { return 9 * x + 7; }

/* Of (a), with few elements; of (c), with more and smaller batches. */
bool trip_again(const struct evidence *e, struct finding *f);
bool total_again(const struct evidence *e, struct finding *f);

/* The elements of (a) came as they were sent: does the copy back put them where they were read?
 * Else says so. */
bool came_back(const struct view *v, struct finding *f, const char *part);

#endif
