// SPDX-License-Identifier: MIT
// Has a constructor that comes before the simulator's.
// expects: refused
// says: before anything is watched
//@ top
static volatile int early;
__attribute__((constructor(101))) static void first() { early = 1; }
