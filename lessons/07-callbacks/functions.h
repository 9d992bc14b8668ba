/* SPDX-License-Identifier: MIT */
/* functions.h - questions to a view about functions that streams call, and about the driver's labels. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "grader/check.h"

/* The function, a node, in which the call was made; ANY for none. */
uint32_t function_of_call(const struct view *v, size_t call);

/* Does whoever makes the call know that `node` is done, because something made it so? He is in a function behind it; or
 * has waited for it; or a function behind it has run by then and may have told him: to take a lock or a semaphore
 * that is free holds nobody up, and no log shows it. */
bool function_known(const struct view *v, uint32_t node, size_t call);

/* How much of the shorter of the two, the part's work on the device and what the host does under this label, ran
 * beside the other, in thousandths. */
unsigned label_beside_device(const struct view *v, const char *part, const char *what);

#endif
