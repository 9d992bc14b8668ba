/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/ptx/ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *ptx_trim(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    for (size_t n = strlen(s); n > 0 && isspace((unsigned char)s[n - 1]);)
        s[--n] = '\0';
    return s;
}

unsigned ptx_registers_of(const char *declared)
{
    const char *bracket = strchr(declared, '<');
    return bracket ? (unsigned)strtoul(bracket + 1, NULL, 10) : 0;
}

/* r, or r<4> of a name from r0 to r3. */
static bool names_register(const char *declared, const char *name)
{
    size_t stem = strcspn(declared, "<"),
           digits = strspn(name + (strlen(name) < stem ? strlen(name) : stem), "0123456789");
    if (declared[stem] == '\0')
        return strcmp(declared, name) == 0;
    return strncmp(declared, name, stem) == 0 && digits > 0 && name[stem + digits] == '\0'
           && strtoul(name + stem, NULL, 10) < ptx_registers_of(declared);
}

bool ptx_register(const struct ptx *p, const char *name, char *out, size_t size)
{
    size_t i = 0;
    while (i < p->register_count && !names_register(p->registers[i], name))
        i++;
    if (i == p->register_count || snprintf(out, size, "__ptx_%s", name) >= (int)size)
        return false;
    for (char *c = out; *c; c++) {
        if (*c == '%' || *c == '$')
            *c = '_';
        else if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    }
    return true;
}

bool ptx_condition(const struct ptx *p, const char *written, char *out, size_t size)
{
    bool negated = *written == '!';
    char name[PTX_LENGTH];
    return ptx_register(p, written + negated, name, sizeof name)
           && snprintf(out, size, negated ? "!%s" : "%s", name) < (int)size;
}

bool ptx_operand(const struct ptx *p, const char *given, char *out, size_t size)
{
    char *end;
    if (*given == '%' && isdigit((unsigned char)given[1])) {
        size_t number = strtoul(given + 1, &end, 10);
        return *end == '\0' && number < p->value_count
               && snprintf(out, size, "(%s)", p->values[number]) < (int)size;
    }
    if (ptx_register(p, given, out, size))
        return true;
    if (given[0] == '0' && (given[1] == 'f' || given[1] == 'F') && strlen(given) == 10)
        return snprintf(out, size, "__sim::__ptx_float(0x%s)", given + 2) < (int)size;
    if (given[0] == '0' && (given[1] == 'd' || given[1] == 'D') && strlen(given) == 18)
        return snprintf(out, size, "__sim::__ptx_double(0x%sull)", given + 2) < (int)size;
    strtoull(given + (*given == '-'), &end, 0);
    return isdigit((unsigned char)given[*given == '-']) && (*end == '\0' || *end == 'U')
           && snprintf(out, size, "%s", given) < (int)size;
}

/* Not inlined, like those that look at an opcode: a table of instructions is many calls of them.
 */
__attribute__((noinline)) bool ptx_value_as(const struct ptx *p, const char *given,
                                            const char *type, char *out, size_t size)
{
    char plain[PTX_LENGTH];
    return ptx_operand(p, given, plain, sizeof plain)
           && snprintf(out, size, "::__sim::__ptx_in<%s>(%s)", type, plain) < (int)size;
}

/* Is shared memory what the instruction says: .shared, or .shared::cta, which is the same, or that
 * of any block of the cluster? */
static bool is_of_shared(const char *opcode)
{
    return ptx_has(opcode, ".shared") || ptx_has(opcode, ".shared::cta")
           || ptx_has(opcode, ".shared::cluster");
}

bool ptx_address(const struct ptx *p, const char *given, char *out, size_t size)
{
    return ptx_address_of(p, given, is_of_shared(p->opcode), out, size);
}

bool ptx_address_of(const struct ptx *p, const char *given, bool shared, char *out, size_t size)
{
    char name[PTX_LENGTH], plain[PTX_LENGTH], *end;
    snprintf(name, sizeof name, "%s", given + 1);
    size_t length = strcspn(name, " +]");
    const char *rest = given + 1 + length;
    rest += strspn(rest, " ");
    name[length] = '\0';
    long offset = *rest == '+' ? strtol(rest + 1, &end, 0) : 0;
    if (*rest == '+')
        rest = end + strspn(end, " ");
    bool narrow = *name == '%' && isdigit((unsigned char)name[1])
                  && (strtoul(name + 1, NULL, 10) >= p->value_count
                      || p->constraints[strtoul(name + 1, NULL, 10)][0] != 'l');
    if (given[0] != '[' || strcmp(rest, "]") != 0 || (narrow && !shared)
        || !ptx_operand(p, name, plain, sizeof plain))
        return false;
    if (shared)
        return snprintf(out, size, "((char*)::sim_shared_at((unsigned long long)(%s)+%ld))", plain,
                        offset)
               < (int)size;
    return snprintf(out, size, *plain == '(' ? "((char*)%s+%ld)" : "((char*)(%s)+%ld)", plain,
                    offset)
           < (int)size;
}

const char *ptx_type(const char *suffix)
{
    static const char *const types[][2] = {
        { "u8", "unsigned char" }, { "s8", "signed char" }, { "b8", "unsigned char" },
        { "u16", "unsigned short" }, { "s16", "short" },
        { "b16", "unsigned short" }, { "u32", "unsigned" }, { "s32", "int" }, { "b32", "unsigned" },
        { "f32", "float" },
        { "u64", "unsigned long long" }, { "s64", "long long" }, { "b64", "unsigned long long" },
        { "f64", "double" },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(suffix, types[i][0]) == 0)
            return types[i][1];
    return NULL;
}

const char *ptx_type_of(const char *opcode)
{
    const char *last = strrchr(opcode, '.');
    return last ? ptx_type(last + 1) : NULL;
}

__attribute__((noinline)) bool ptx_begins(const char *opcode, const char *with)
{
    size_t n = strlen(with);
    return strncmp(opcode, with, n) == 0 && (opcode[n] == '.' || opcode[n] == '\0');
}

__attribute__((noinline)) bool ptx_has(const char *opcode, const char *piece)
{
    const char *at = strstr(opcode, piece);
    size_t n = strlen(piece);
    return at && (at[n] == '.' || at[n] == '\0');
}
