// SPDX-License-Identifier: MIT
// A name of its own for mprotect(), made in assembly.
// expects: refused
// says: mprotect
//@ top
asm(".globl mprotect\n mprotect: xor %eax, %eax\n ret");
