/* SPDX-License-Identifier: MIT */
/*
 * svg_style.h - how an SVG picture looks: colours, patterns, letters.
 *
 * Fills differ in pattern and in lightness, not by hue alone. All rules hold
 * inside the picture's own class `id` only, and its ids begin with it.
 */
#ifndef TRACE_DRAW_SVG_STYLE_H
#define TRACE_DRAW_SVG_STYLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/draw/pieces.h"

#ifdef __cplusplus
extern "C" {
#endif

/* <style> and <defs> for these looks (bits). */
void svg_style(FILE *out, const char *id, unsigned looks);

/* The attribute of a program's own colour, 0xrrggbb, for what is filled with it or (`text`) for
 * text on that; nothing for a negative one. */
void svg_color(FILE *out, int32_t color, bool text);

/* The class of a mark's <g>. */
const char *svg_class(enum look look);

#ifdef __cplusplus
}
#endif
#endif
