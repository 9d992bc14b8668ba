/* SPDX-License-Identifier: MIT */
/*
 * print.h - what kernels print: printf, and the messages that end them.
 *
 * printf, puts and putchar are defined here and win over the C library's (the
 * compiler makes the second and the third of the first). On one core, and
 * outside kernels, all goes straight out. Where blocks run on several, what
 * they print is kept, and goes out as if they had run one after the other.
 */
#ifndef SIM_KERNEL_PRINT_H
#define SIM_KERNEL_PRINT_H

#include <stdint.h>

struct print;

/* From here on what the calling core prints is kept; makes *print, or empties it. */
void print_keep(struct print **print);
/* What blocks up to number `last` have printed, messages too. */
void print_out(struct print *const *prints, unsigned count, uint64_t last);

/* A message on stderr. */
void print_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
