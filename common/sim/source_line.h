/* SPDX-License-Identifier: MIT */
/* source_line.h - which line of the program an instruction belongs to. */
#ifndef SIM_SOURCE_LINE_H
#define SIM_SOURCE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The line of the program that holds the instruction before `pc`: a string of the timeline and a
 * number; false: it cannot be told. */
bool source_line(const void *pc, uint32_t *file, uint32_t *line);
/* The same for the innermost line of the program that is being carried out … */
bool source_line_now(uint32_t *file, uint32_t *line);
/* … or was: to look up where costs a thousand times as much as to remember it. */
struct source_frames { void *frames[10]; size_t count; };
struct source_frames source_frames_now(void);
bool source_line_of(const struct source_frames *f, uint32_t *file, uint32_t *line);

/* An instruction of a function that the program has of the C++ library's headers stands in no line
 * of the program's: the line is the caller's. For what the calling thread does right now before
 * `pc`: `pc` itself, or what source_line takes for it and knows the caller by. */
const void *source_here(const void *pc);

/* Set while the caller looks for frames, which takes locks of the C library's: they order nothing
 * of the program's. */
extern __thread bool source_frames_wanted;

#endif
