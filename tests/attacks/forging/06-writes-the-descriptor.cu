// SPDX-License-Identifier: MIT
// Writes into the descriptor that the log goes to.
// expects: refused
// says: something else wrote into it
//@ top
#include <unistd.h>
//@ in overlap
    if (write(3, "PASS PASS PASS PASS PASS PASS\n", 30) < 0) { }
