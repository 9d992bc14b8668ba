/* SPDX-License-Identifier: MIT */
/*
 * symbol.h - the __device__ and __constant__ variables of the program: device
 * memory that it did not allocate.
 *
 * Each makes itself known before main (rewrite.h). Those that are in templates
 * or functions do not.
 */
#ifndef SIM_SYMBOL_H
#define SIM_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

struct symbol {
    char *at;
    size_t bytes;
};

/* The one that `address` lies in; NULL for none. */
const struct symbol *symbol_find(const void *address);

#endif
