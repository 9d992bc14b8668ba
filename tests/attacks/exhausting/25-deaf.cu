// SPDX-License-Identifier: MIT
// Ignores SIGTERM and spins.
// expects: timed out
// says: in part b
//@ top
#include <csignal>
//@ in overlap
    for (int s = 1; s < 32; s++)
        signal(s, SIG_IGN);
    for (volatile int spin = 1; spin;) { }
