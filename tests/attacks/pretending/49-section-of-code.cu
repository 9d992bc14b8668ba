// SPDX-License-Identifier: MIT
// Instructions as constants, in a section of code: movl (%rdi), %eax; ret.
// expects: did not build
//@ top
__attribute__((section(".text"))) static const unsigned char code[] = { 0x8b, 0x07, 0xc3 };
static unsigned first_of(const unsigned *p) { return ((unsigned (*)(const unsigned *))code)(p); }
