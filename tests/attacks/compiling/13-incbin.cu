// SPDX-License-Identifier: MIT
// Lets the assembler take a file of the machine's into the program.
// expects: did not build
//@ top
asm(".section .rodata\nsecret: .incbin \"@CANARY@\"\n.byte 0\n.text");
extern "C" const char secret[];
#include <cstdio>
//@ in overlap
    puts(secret);
