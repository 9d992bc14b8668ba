/* SPDX-License-Identifier: MIT */
/*
 * symbol.h - the __device__ and __constant__ variables of the program: device
 * memory that it did not allocate.
 *
 * Each makes itself known before main (rewrite.h). Those that are in templates
 * or functions do not. Each device has values of its own; they are at the one
 * address, whichever device it is that they are for.
 */
#ifndef SIM_MEMORY_SYMBOL_H
#define SIM_MEMORY_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/card.h"

struct symbol {
    char *at;
    size_t bytes;
    const char *name;
    bool constant;
    /* Values of devices that are not at hand; NULL: there is one device. */
    char *saved[CARD_DEVICES];
};

void symbol_add(void *at, size_t bytes, const char *name, bool constant);
/* A __managed__ variable: it is a symbol for the calls that take one, and managed memory else. */
void symbol_add_managed(void *at, size_t bytes, const char *name);
const struct symbol *symbol_find_managed(const void *at);
/* The one that `address` lies in; NULL for none. */
const struct symbol *symbol_find(const void *address);
/* The device's variable at this address, of those that can be written; NULL for none. */
const struct symbol *symbol_writable(uint64_t at);
/* The one that `address` lies in, of either kind; NULL for none. */
const struct symbol *symbol_around(const void *address);
/* Behind the variable in which an access begins, its first byte that is in no variable; 0: there is
 * none. What lies in the next variable may have been meant for that one. */
uintptr_t symbol_past(uintptr_t from, uintptr_t to);
/* The one that a program names by this address, of either kind; NULL for none. */
const struct symbol *symbol_known(const void *symbol);

/* From here on the variables have this device's values. */
void symbols_become(int device);

#endif
