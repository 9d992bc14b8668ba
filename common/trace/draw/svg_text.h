/* SPDX-License-Identifier: MIT */
/*
 * svg_text.h - texts and numbers of an SVG picture. For draw_svg.c alone.
 */
#ifndef TRACE_DRAW_SVG_TEXT_H
#define TRACE_DRAW_SVG_TEXT_H

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SVG_LETTER = 7 };        /* pixels that a letter takes, about */
enum { SVG_TEXT = 400 };        /* bytes of what is written on a mark */

/* A text of any origin, harmless between tags and in quotes. */
void svg_escaped(FILE *out, const char *s);

/* What of it fits into `room` pixels, with "…" where it is cut off. */
void svg_cut_text(const char *s, unsigned room, char out[SVG_TEXT]);

/* A number of hundredths as an attribute. */
void svg_hundredths(FILE *out, const char *name, unsigned value);

/* ", 4 MiB" */
void svg_bytes(FILE *out, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
