// SPDX-License-Identifier: MIT
// Has the assembler repeat an instruction without an end.
// expects: did not build
//@ top
asm(".rept 2000000000\n nop\n .endr");
