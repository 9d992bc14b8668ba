// SPDX-License-Identifier: MIT
// Waits at once, and writes a call into the log that would say otherwise.
// expects: refused
// says: something else wrote into it
//@ top
#include <cstdio>
/* No library function that could be refused or watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0)
{
    long result;
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    asm volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
    return result;
}
//@ in overlap
    /* A record as the format has it: its length, a kind, no field; a stranger knows all of that. */
    unsigned char record[] = { 2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, plain[] = { 2, 9, 0 };
    raw(1, 3, (long)plain, sizeof plain);
    raw(1, 3, (long)record, sizeof record);
