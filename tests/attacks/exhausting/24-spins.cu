// SPDX-License-Identifier: MIT
// Does not come back.
// expects: timed out
// says: in part b
//@ in overlap
    for (volatile int spin = 1; spin;) { }
