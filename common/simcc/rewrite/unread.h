/* SPDX-License-Identifier: MIT */
/*
 * unread.h - does a program look at what a call of the runtime returns?
 */
#ifndef SIMCC_REWRITE_UNREAD_H
#define SIMCC_REWRITE_UNREAD_H

#include "simcc/rewrite/tokens.h"

/*
 * Is the result of a call ignored? The call reaches from token `first` to `close`, and `name` is
 * the token of its name. It is ignored where the call is a statement by itself, cast to void or not
 * (call(…); (void)call(…); (call(…));), and where it initialises a variable that is never read:
 * cudaError_t e = call(…); and then, in the same block, nothing but (void)e; or an assignment to e.
 * Several calls that |, + or == join are ignored together, and those that a comma joins, each.
 */
bool is_unread(const struct tokens *t, size_t name, size_t first, size_t close);

/*
 * Is the call a cudaStreamQuery() or cudaEventQuery() that is asked for nothing but
 * cudaErrorNotReady? Then an error counts as "done". So it is where its answer is compared with
 * that and not kept, and where it is kept in a variable that the function compares with that and
 * nothing else; prints, and goes on; or looks at for one error of all.
 */
bool is_half_read(const struct tokens *t, size_t name, size_t first, size_t close);

/*
 * Is the call a cudaGetLastError() or cudaPeekAtLastError() whose error ends the function, a void
 * one, without being reported: if (cudaGetLastError() != cudaSuccess) return;?
 */
bool is_swallowed(const struct tokens *t, size_t name, size_t first, size_t close);

#endif
