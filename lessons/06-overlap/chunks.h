/* SPDX-License-Identifier: MIT */
/* chunks.h - judges of lesson 06's parts a, b, c: an image in chunks. */
#ifndef CHUNKS_H
#define CHUNKS_H

#include "grader/check.h"
#include "lesson.h"

/* Slots SLOT_A to SLOT_C. */
static inline int chunks_slot(const char *part)
{
    return part[0] - 'a';
}

/* "depth_first()", ...: by slot. */
extern const char *const chunks_function[];
/* How many there are in the slot's image. */
uint32_t chunks_pixels(const struct evidence *e, int slot);

/* Does it copy in, or out? A copy of managed memory, wherever that is at the moment, is taken for
 * one of the host's. */
bool chunks_moves(const struct span *span, const struct call *c, enum engine engine);

struct copy { uint32_t node, first, end; };     /* pixels first .. end - 1 */
/* The copies of a part on that engine to or from its host buffer, in order of issue; the caller
 * frees *out. */
size_t chunks_copies(const struct evidence *e, int slot, enum engine engine, struct copy **out);

/* Of a hazard between chunks: which call's range is not its chunk's (struct lesson, explain). */
void chunks_explain(const struct evidence *e, const struct check *c, struct finding *f);

#endif
