// SPDX-License-Identifier: MIT
// A macro takes away what a kernel costs.
// expects: did not build
//@ top
#undef kernel_cost
#define kernel_cost(ns) (void)0
