// SPDX-License-Identifier: MIT
// A macro takes away what a kernel costs, on two lines.
// expects: did not build
//@ top
#undef \
kernel_cost
#def\
ine kernel_cost(ns) (void)0
