// SPDX-License-Identifier: MIT
// Chooses a function while the program is loaded, before anything is watched.
// expects: refused
// says: before anything is watched
//@ top
static int one() { return 1; }
extern "C" int (*choose())() { return one; }
extern "C" __attribute__((ifunc("choose"), used)) int chosen();
