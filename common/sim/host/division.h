/* SPDX-License-Identifier: MIT */
/*
 * division.h - integer divisions that this machine's processor ends a program for, and a GPU does not.
 *
 * PTX: dividing by zero gives an unspecified value [ptx, div, rem]; here all bits are ones. The least number
 * divided by -1 stays what it is, with nothing left over. A processor without such a trap (aarch64) goes on by itself.
 */
#ifndef SIM_HOST_DIVISION_H
#define SIM_HOST_DIVISION_H

#include <stdbool.h>
#include <ucontext.h>

/* In SIGFPE's handler: gives the division that has trapped its results and goes on after it. False: it is none. */
bool division_pass(ucontext_t *u);
/* An address just past the first division by zero since the last call; NULL: there was none. */
const void *division_by_zero(void);

#endif
