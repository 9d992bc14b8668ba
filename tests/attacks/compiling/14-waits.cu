// SPDX-License-Identifier: MIT
// Includes what the compiler itself is about to write, and waits for that.
// expects: did not build
// says: The compiler was stopped: it waited for something
//@ top
#include "/proc/self/fd/1"
