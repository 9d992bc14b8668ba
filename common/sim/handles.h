/* SPDX-License-Identifier: MIT */
/*
 * handles.h - numbers that stand for objects: what the program gets to hold.
 *
 * They are no addresses, no two objects ever have the same, and one that was
 * taken back or made up is known as such. `first` tells kinds of objects apart:
 * a number from 1 to 15, other than those of streams (0) and events (8).
 */
#ifndef SIM_HANDLES_H
#define SIM_HANDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct handles {
    uintptr_t first;
    void **list;                /* NULL: taken back */
    size_t count, capacity;
};

void *handle_give(struct handles *h, void *object);
/* NULL: it is no handle of this kind, or no longer. */
void *handle_find(const struct handles *h, const void *handle);
/* Was it one at some time? */
bool handle_was(const struct handles *h, const void *handle);
void handle_take_back(struct handles *h, const void *handle);

#endif
