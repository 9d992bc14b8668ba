/* SPDX-License-Identifier: MIT */
/* ptx.h - an instruction of PTX in an asm, between the file that reads it (../ptx.c) and those that
 * know it (first ptx_operations.c). */
#ifndef SIMCC_REWRITE_PTX_PTX_H
#define SIMCC_REWRITE_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>

enum { PTX_OPERANDS = 32, PTX_LENGTH = 2048, PTX_REGISTERS = 64 };

struct ptx {
    char text[PTX_LENGTH];              /* all of the asm */
    char *values[PTX_OPERANDS];         /* malloc: the expressions that %0, %1 … stand for */
    const char *constraints[PTX_OPERANDS];  /* in the program */
    size_t value_count;
    char *registers[PTX_REGISTERS];     /* in the text: names that .reg gives */
    size_t register_count;
    bool carries;                       /* an instruction so far has used the carry */
    bool takes_carry, gives_carry;      /* the first reads the carry; the last sets it */
    /* The instruction at hand, in the text. */
    char *opcode;
    char *given[PTX_OPERANDS];          /* as they are written there */
    size_t given_count;
};

/* The text without blanks around it. */
char *ptx_trim(char *s);
/* The name in C++ of a register of this asm, in `out`. */
bool ptx_register(const struct ptx *p, const char *name, char *out, size_t size);
/* How many r<4> declares; 0: it is the name of one. */
unsigned ptx_registers_of(const char *declared);
/* What an operand stands for, as text in `out`; false: none that is known. */
bool ptx_operand(const struct ptx *p, const char *given, char *out, size_t size);
/* The operand's value as one of this C++ type: bits stay bits. */
bool ptx_value_as(const struct ptx *p, const char *given, const char *type, char *out, size_t size);
/* [%1], [%1+16] or [a]: an address, in the window of shared memory where the instruction says so.
 * Others have 64 bits. */
bool ptx_address(const struct ptx *p, const char *given, char *out, size_t size);
bool ptx_address_of(const struct ptx *p, const char *given, bool shared, char *out, size_t size);
/* The C++ type of a suffix, u32, and of an opcode's last one. NULL: there is none. */
const char *ptx_type(const char *suffix);
const char *ptx_type_of(const char *opcode);
/* The opcode begins so, or has such a piece: .v4 */
bool ptx_begins(const char *opcode, const char *with);
bool ptx_has(const char *opcode, const char *piece);
/* The instruction at hand as an expression in `out`. False: it is not known. */
bool ptx_operation(struct ptx *p, char *out, size_t size);
/* … if it is one on memory. */
bool ptx_memory(const struct ptx *p, char *out, size_t size);
/* … if it is one that threads meet by, and not from an object in memory, or that orders or ends
 * what they do. */
bool ptx_order(const struct ptx *p, char *out, size_t size);
/* … if it is one of the video instructions. */
bool ptx_video(const struct ptx *p, char *out, size_t size);
/* A register as the condition of an instruction: p, !p. */
bool ptx_condition(const struct ptx *p, const char *written, char *out, size_t size);

#endif
