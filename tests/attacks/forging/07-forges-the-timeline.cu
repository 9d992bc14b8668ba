// SPDX-License-Identifier: MIT
// Waits at once, and writes a call into the log that would say otherwise.
// expects: refused
// says: something else wrote into it
//@ top
#include <cstdio>
#include <unistd.h>
/* The kernel's calls, past the functions of the library that are watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) { return syscall(n, a, b, c, d, e); }
//@ in overlap
    /* A record as the format has it: its length, a kind, no field; a stranger knows all of that. */
    unsigned char record[] = { 2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, plain[] = { 2, 9, 0 };
    raw(1, 3, (long)plain, sizeof plain);
    raw(1, 3, (long)record, sizeof record);
