// SPDX-License-Identifier: MIT
// A function of its own under the name of mprotect().
// expects: refused
// says: mprotect
//@ top
#include <stddef.h>
extern "C" __attribute__((used)) int mine(void *, size_t, int) asm("mprotect");
int mine(void *, size_t, int) { return 0; }
