/* SPDX-License-Identifier: MIT */
/*
 * stdio.h - as much of it as drawing asks for, where there is no C library.
 *
 * A FILE is memory that grows; it is what the figure hands to the page. world.c
 * has the functions of this and its neighbours; what they do not offer does not
 * compile.
 */
#ifndef FIGURE_WASM_STDIO_H
#define FIGURE_WASM_STDIO_H

#include <stdarg.h>
#include <stddef.h>

typedef struct world_file FILE;

FILE *open_memstream(char **text, size_t *length);
int fclose(FILE *file);
int fputc(int c, FILE *file);
int fputs(const char *text, FILE *file);
/* Know %c %s %d %u %x %% with l, ll, z, a width, * and leading zeros. */
int fprintf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
