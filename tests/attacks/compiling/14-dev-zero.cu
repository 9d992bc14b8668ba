// SPDX-License-Identifier: MIT
// Includes a file without an end.
// expects: did not build
//@ top
#include "/dev/zero"
