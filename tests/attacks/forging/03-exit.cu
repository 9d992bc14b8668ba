// SPDX-License-Identifier: MIT
// Leaves with status 0 inside the exercise.
// expects: wrong
// says: exited in part b
//@ top
#include <cstdlib>
//@ in overlap
    exit(0);
