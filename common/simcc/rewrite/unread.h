/* SPDX-License-Identifier: MIT */
/*
 * unread.h - does a program look at what a call of the runtime returns?
 */
#ifndef SIMCC_REWRITE_UNREAD_H
#define SIMCC_REWRITE_UNREAD_H

#include "simcc/rewrite/tokens.h"

/* May a statement begin here: after ; { } else do if (…)? */
bool begins_statement(const struct tokens *t, size_t token);

/*
 * Does nobody look at what this call returns, whose name is that token, which begins at `first` and ends at `close`? It is a statement of
 * its own, cast to void or not: call(…); (void)call(…); (call(…)); or a variable's first value that nobody reads:
 * cudaError_t e = call(…); where e is not named again in its block but in (void)e; or as what a later statement of that block assigns to.
 */
bool is_unread(const struct tokens *t, size_t name, size_t first, size_t close);

#endif
