// SPDX-License-Identifier: MIT
// A macro takes away what a kernel costs, after a comment.
// expects: did not build
//@ top
#/* nothing */undef kernel_cost
/* nothing
 */ # define kernel_cost(ns) (void)0
