/* SPDX-License-Identifier: MIT */
#include "sim/crash/arithmetic.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sim/sim.h"
#include "sim/visible.h"

static __thread struct arithmetic first;

static void note_first(const void **what, const void *at)
{
    if (!*what)
        *what = at;
}

struct arithmetic arithmetic_take(void)
{
    struct arithmetic taken = first;
    first = (struct arithmetic){ NULL, NULL };
    return taken;
}

void arithmetic_put(struct arithmetic a)
{
    first = a;
}

/* ---- conversions ---- */

struct checked_conversion {
    const char *file;
    uint32_t line, column;
    const struct checked_type *from, *to;
};

/* The number that is converted; false: one of another size than float and double. */
static bool read_number(const struct checked_type *from, uintptr_t value, double *number)
{
    uint32_t bits = (uint32_t)value;
    float narrow;
    memcpy(&narrow, &bits, sizeof narrow);
    if (from->kind != CHECKED_FLOATING || (from->form != 32 && from->form != 64))
        return false;
    if (from->form == 64)
        memcpy(number, &value, sizeof *number);
    else
        *number = (double)narrow;
    return true;
}

/* To 8 and 16 bits a GPU converts as this machine does, by a number of 32 bits whose low bits count
 * [nvcc]: 0 for NaN and what is too small. That one is without a sign for an integer without a
 * sign, and here always has one. */
static bool is_alike(const struct checked_conversion *c, uintptr_t value)
{
    double number;
    bool negates = c->to->form & 1;
    unsigned bits = 1U << (c->to->form >> 1 & 7);
    if (c->to->kind != CHECKED_INTEGER || bits > 16 || !read_number(c->from, value, &number)
        || number >= (double)INT32_MAX + 1)
        return false;
    uint32_t here = number > (double)INT32_MIN - 1 ? (uint32_t)(int32_t)number : 0;
    return negates || number > 0 || (here & ((1U << bits) - 1)) == 0;
}

/* What g++'s check of conversions calls, -fsanitize=float-cast-overflow. Conversions that the
 * program writes do as a GPU does (simcc/rewrite/arithmetic.c), and never come here. */
VISIBLE void __ubsan_handle_float_cast_overflow(const struct checked_conversion *c, uintptr_t value)
{
    if (sim.kernel_now != NO_NODE && !is_alike(c, value))
        note_first(&first.without_room, __builtin_return_address(0));
}

/* ---- divisions ---- */

#ifdef __x86_64__

/* The processor's numbers of its registers, in the order of encoding. */
static const int numbers[] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                               REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                               REG_R12, REG_R13, REG_R14, REG_R15 };

/* div or idiv: F6 or F7, whose operand is a register or lies in memory. */
struct division {
    unsigned size;              /* bytes of its operand */
    bool is_signed;
    uint64_t divisor;
    const unsigned char *end;
};

static greg_t *register_of(ucontext_t *u, unsigned number)
{
    return &u->uc_mcontext.gregs[numbers[number]];
}

static int32_t read_offset(const unsigned char *at, unsigned bytes)
{
    int32_t offset = 0;
    if (bytes == 1)
        return (signed char)*at;
    memcpy(&offset, at, sizeof offset);
    return offset;
}

/* The address that the bytes after the opcode stand for; *at moves after them. */
static uint64_t address_of(ucontext_t *u, const unsigned char **at, unsigned rex, uint64_t segment)
{
    unsigned form = **at >> 6, low = **at & 7;
    uint64_t address = segment;
    bool relative = form == 0 && low == 5;
    ++*at;
    if (low == 4) {
        unsigned scale = **at >> 6, index = (**at >> 3 & 7) | (rex & 2) << 2, base = **at & 7;
        ++*at;
        if (index != 4)
            address += (uint64_t)*register_of(u, index) << scale;
        if (base == 5 && form == 0)
            form = 2;           /* an offset, and no register */
        else
            address += (uint64_t)*register_of(u, base | (rex & 1) << 3);
    } else if (!relative) {
        address += (uint64_t)*register_of(u, low | (rex & 1) << 3);
    }
    unsigned bytes = relative || form == 2 ? 4 : form;
    if (bytes > 0)
        address += (uint64_t)(int64_t)read_offset(*at, bytes);
    *at += bytes;
    return relative ? address + (uint64_t)(uintptr_t)*at : address;
}

static bool is_prefix(unsigned char byte)
{
    return byte == 0x66 || byte == 0x67 || (byte & 0xe7) == 0x26 || byte == 0x64 || byte == 0x65
           || byte == 0xf2 || byte == 0xf3;
}

static bool read_division(ucontext_t *u, struct division *d)
{
    const unsigned char *at = (const unsigned char *)(uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    unsigned rex = 0;
    bool half = false, foreign = false;
    for (; is_prefix(*at); at++) {
        half |= *at == 0x66;
        foreign |= *at == 0x64 || *at == 0x65 || *at == 0x67;
    }
    if ((*at & 0xf0) == 0x40)
        rex = *at++;
    bool small = *at == 0xf6;
    unsigned which = at[1] >> 3 & 7;
    if ((*at != 0xf6 && *at != 0xf7) || (which != 6 && which != 7) || foreign)
        return false;
    at++;
    d->is_signed = which == 7;
    d->size = small ? 1 : rex & 8 ? 8 : half ? 2 : 4;
    d->divisor = 0;
    if (*at >> 6 == 3) {
        unsigned number = (*at & 7) | (rex & 1) << 3;
        bool high = small && rex == 0 && number >= 4;       /* AH, CH, DH, BH */
        d->divisor = (uint64_t)*register_of(u, high ? number - 4 : number) >> (high ? 8 : 0);
        at++;
    } else {
        memcpy(&d->divisor, (const void *)(uintptr_t)address_of(u, &at, rex, 0), d->size);
    }
    d->end = at;
    return true;
}

/* The low bytes of a register; those of 4 clear the rest, as the processor does. */
static void put(greg_t *at, uint64_t value, unsigned bytes, unsigned shift)
{
    uint64_t mask = (bytes == 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * bytes) - 1) << shift;
    uint64_t keep = bytes == 4 ? 0 : (uint64_t)*at & ~mask;
    *at = (greg_t)(keep | (value << shift & mask));
}

bool arithmetic_pass_division(ucontext_t *u)
{
    struct division d;
    if (!read_division(u, &d))
        return false;
    uint64_t mask = d.size == 8 ? ~UINT64_C(0) : (UINT64_C(1) << 8 * d.size) - 1;
    bool zero = (d.divisor & mask) == 0;
    if (!zero && (!d.is_signed || (d.divisor & mask) != mask))
        return false;           /* a quotient that has no room: no division of C++ */
    if (zero)
        note_first(&first.by_zero, d.end);
    uint64_t quotient = zero ? ~UINT64_C(0) : UINT64_C(1) << (8 * d.size - 1),
             rest = zero ? ~UINT64_C(0) : 0;
    put(register_of(u, 0), quotient, d.size, 0);
    if (d.size == 1)
        put(register_of(u, 0), rest, 1, 8);
    else
        put(register_of(u, 2), rest, d.size, 0);
    u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)d.end;
    return true;
}

#else

bool arithmetic_pass_division(ucontext_t *u)
{
    (void)u;
    return false;
}

#endif
