// SPDX-License-Identifier: MIT
// A constructor says PASS and leaves before main().
// expects: wrong
// says: exited before its first part
//@ top
#include <cstdio>
#include <cstdlib>
__attribute__((constructor)) static void first() { puts("PASS"); fflush(stdout); _Exit(0); }
