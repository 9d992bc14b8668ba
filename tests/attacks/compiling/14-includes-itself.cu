// SPDX-License-Identifier: MIT
// Includes itself without an end.
// expects: did not build
//@ top
#include __FILE__
