/* SPDX-License-Identifier: MIT */
/*
 * utf8.h - reading text that somebody else wrote.
 */
#ifndef TRACE_RECORD_UTF8_H
#define TRACE_RECORD_UTF8_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define UTF8_BAD 0xfffdu        /* what stands for bytes that are no UTF-8 */

/* The code point at *s, which moves on after it; 0 at the end, where *s stays.
 * A byte that begins no well-formed sequence is UTF8_BAD by itself. */
uint32_t utf8_next(const char **s);

/* Its bytes, zero-terminated. */
void utf8_put(char out[5], uint32_t point);

/* What stands for it in HTML, XML and SVG, between tags and in quoted attributes; NULL: it stands
 * for itself. */
const char *utf8_entity(uint32_t point);

#ifdef __cplusplus
}
#endif
#endif
