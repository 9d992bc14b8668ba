// SPDX-License-Identifier: MIT
// A load that no instrumentation sees.
// expects: did not build
//@ top
__attribute__((noinline)) static unsigned first_of(const unsigned *p)
{
    unsigned value;
    asm volatile("movl (%1), %0" : "=r"(value) : "r"(p));
    return value;
}
