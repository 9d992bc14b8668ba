/* SPDX-License-Identifier: MIT */
/*
 * arithmetic.h - arithmetic of kernels that a GPU goes on after, with a result that means nothing.
 *
 * PTX: dividing an integer by zero gives an unspecified value [ptx, div, rem]; here all bits are
 * ones. The least number divided by -1 stays what it is, with nothing left over. This machine's
 * processor ends a program for both; one without such a trap (aarch64) goes on by itself. A
 * floating-point number that becomes an integer which has no room for it is seen by g++'s check of
 * conversions.
 */
#ifndef SIM_CRASH_ARITHMETIC_H
#define SIM_CRASH_ARITHMETIC_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* What g++'s checks say of a type, as libubsan has it: an integer's form is a bit for its sign and
 * the logarithm of its bits above that, a floating-point number's its bits. */
enum { CHECKED_INTEGER, CHECKED_FLOATING };
struct checked_type {
    uint16_t kind, form;
    char name[];                /* in quotation marks: 'int [4]' */
};

/* In SIGFPE's handler: gives the division that has trapped its results and goes on after it. False:
 * it is none. */
bool arithmetic_pass_division(ucontext_t *u);

/* Addresses just past the calling thread's first division by zero, and its first conversion without
 * room, since they were taken last; NULL: there was none. */
struct arithmetic { const void *by_zero, *without_room; };
struct arithmetic arithmetic_take(void);
/* Those are its first ones, from now on. */
void arithmetic_put(struct arithmetic a);

#endif
