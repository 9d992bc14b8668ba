/* SPDX-License-Identifier: MIT */
/* program_symbols.h - what the linker has written down of the program's functions and variables. */
#ifndef SIM_PROGRAM_SYMBOLS_H
#define SIM_PROGRAM_SYMBOLS_H

#include <link.h>

/* Calls it for each symbol of the program, whose name is valid in the call; in a program that was
 * stripped there are none. */
void program_symbols_each(void (*each)(const ElfW(Sym) *symbol, const char *name));

#endif
