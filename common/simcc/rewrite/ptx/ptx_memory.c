/* SPDX-License-Identifier: MIT */
/* Instructions of PTX that read and write memory: ld and st, atom and red, cp.async; isspacep. */
#include "simcc/rewrite/ptx/ptx.h"

#include <stdio.h>
#include <string.h>

/* ld and st, of one value or of {%0, %1 …}, through whatever cache. */
static bool moves(const struct ptx *p, char *out, size_t size)
{
    bool loads = ptx_begins(p->opcode, "ld") || ptx_begins(p->opcode, "ldu"),
         stores = ptx_begins(p->opcode, "st");
    const char *type = ptx_type_of(p->opcode);
    char where[PTX_LENGTH];
    if (!(loads || stores) || !type || p->given_count != 2
        || !ptx_address(p, p->given[loads], where, sizeof where))
        return false;
    char list[PTX_LENGTH], *rest = list;
    const char *values = p->given[stores];
    bool many = *values == '{';
    snprintf(list, sizeof list, "%.*s", many ? (int)strlen(values) - 2 : (int)strlen(values),
             values + many);
    if (many != (ptx_has(p->opcode, ".v2") || ptx_has(p->opcode, ".v4")))
        return false;
    size_t n = (size_t)snprintf(out, size, "(");
    int i = 0;
    for (char *one; (one = strsep(&rest, ",")); i++) {
        char value[PTX_LENGTH];
        one = ptx_trim(one);
        if (!(loads ? ptx_operand(p, one, value, sizeof value)
                    : ptx_value_as(p, one, type, value, sizeof value))
            || n >= size)
            return false;
        n += (size_t)(loads ? snprintf(out + n, size - n,
                                       "%s::__sim::__ptx_out(%s,((%s volatile*)%s)[%d])",
                                       i ? "," : "", value, type, where, i)
                            : snprintf(out + n, size - n, "%s((%s volatile*)%s)[%d]=%s",
                                       i ? "," : "", type, where, i, value));
    }
    /* A loop may wait for what another thread stores: it lets that one go on. */
    const char *looks = ptx_has(p->opcode, ".nc") ? ")"
                        : loads                   ? ",::__sim::__polled(true))"
                                                  : ",::__sim::__polled(false))";
    return n + strlen(looks) < size && snprintf(out + n, size - n, "%s", looks) > 0;
}

/* What C++ calls an operation on memory, for the types that PTX has it for. */
static const struct atomic { const char *piece, *name, *types; } atomics[] = {
    { ".add", "Add", "u32 s32 u64 s64 f32 f64" }, { ".min", "Min", "u32 s32 u64 s64" },
    { ".max", "Max", "u32 s32 u64 s64" },
    { ".and", "And", "b32 b64 u32 u64 s32 s64" }, { ".or", "Or", "b32 b64 u32 u64 s32 s64" },
    { ".xor", "Xor", "b32 b64 u32 u64 s32 s64" },
    { ".exch", "Exch", "b32 b64 u32 u64 s32 s64 f32" }, { ".inc", "Inc", "u32" },
    { ".dec", "Dec", "u32" }, { ".cas", "CAS", "b16 b32 b64 u32 u64 s32 s64" },
};

static const struct atomic *atomic_of(const char *opcode)
{
    const char *type = strrchr(opcode, '.');
    for (size_t i = 0; type && i < sizeof atomics / sizeof *atomics; i++)
        if (ptx_has(opcode, atomics[i].piece))
            return strstr(atomics[i].types, type + 1) ? &atomics[i] : NULL;
    return NULL;
}

/* The type that C++ has the function for: long long only to compare. */
static const char *atomic_type(const struct ptx *p, const struct atomic *a)
{
    bool compares = strcmp(a->name, "Min") == 0 || strcmp(a->name, "Max") == 0;
    return !compares && ptx_has(p->opcode, ".s64") ? "unsigned long long" : ptx_type_of(p->opcode);
}

static bool is_atomic(const struct ptx *p, char *out, size_t size)
{
    bool answers = ptx_begins(p->opcode, "atom");
    const struct atomic *a = answers || ptx_begins(p->opcode, "red") ? atomic_of(p->opcode) : NULL;
    if (!a)
        return false;
    bool swaps = strcmp(a->name, "CAS") == 0;
    const char *type = atomic_type(p, a), *const *given = (const char *const *)p->given + answers;
    char to[PTX_LENGTH] = "", where[PTX_LENGTH], value[PTX_LENGTH], other[PTX_LENGTH] = "",
         call[4 * PTX_LENGTH];
    if (p->given_count != 2u + answers + swaps
        || (answers && !ptx_operand(p, p->given[0], to, sizeof to))
        || !ptx_address(p, given[0], where, sizeof where)
        || !ptx_value_as(p, given[1], type, value, sizeof value)
        || (swaps && !ptx_value_as(p, given[2], type, other, sizeof other)))
        return false;
    snprintf(call, sizeof call, "::atomic%s((%s*)%s,%s%s%s)", a->name, type, where, value,
             swaps ? "," : "", other);
    return snprintf(out, size, answers ? "::__sim::__ptx_out(%s,%s)" : "%s%s", to, call)
           < (int)size;
}

/* cp.async.cg.shared.global [%0], [%1], 16, %2; made at once, as all asynchronous copies of threads
 * are. */
static bool copies(const struct ptx *p, char *out, size_t size)
{
    static const char *const none[] = { "cp.async.commit_group", "cp.async.wait_group",
                                        "cp.async.wait_all" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (strcmp(p->opcode, none[i]) == 0)
            return snprintf(out, size, "((void)0)") > 0;
    bool all = ptx_begins(p->opcode, "cp.async.cg"),
         shared = strstr(p->opcode, ".shared.global") || strstr(p->opcode, ".shared::cta.global");
    char to[PTX_LENGTH], from[PTX_LENGTH], bytes[PTX_LENGTH], given[PTX_LENGTH];
    if (!(all || ptx_begins(p->opcode, "cp.async.ca")) || !shared
        || ptx_has(p->opcode, ".L2::cache_hint") || p->given_count < 3 || p->given_count > 4
        || !ptx_address_of(p, p->given[0], true, to, sizeof to)
        || !ptx_address_of(p, p->given[1], false, from, sizeof from)
        || !ptx_operand(p, p->given[2], bytes, sizeof bytes))
        return false;
    snprintf(given, sizeof given, "%s", bytes);
    bool ignores = p->given_count == 4 && ptx_condition(p, p->given[3], given, sizeof given);
    if (p->given_count == 4 && !ignores && !ptx_operand(p, p->given[3], given, sizeof given))
        return false;
    return snprintf(out, size,
                    ignores ? "::__sim::__ptx_copy_async<%d>(%s,%s,%s,%s?0:16)"
                            : "::__sim::__ptx_copy_async<%d>(%s,%s,%s,%s)",
                    all, to, from, bytes, given)
           < (int)size;
}

/* isspacep.shared p, %1; */
static bool asks_for_space(const struct ptx *p, char *out, size_t size)
{
    static const char *const spaces[][2] = { { "global", "Global" },
                                             { "shared", "Shared" },
                                             { "shared::cta", "Shared" },
                                             { "local", "Local" },
                                             { "const", "Constant" } };
    char to[PTX_LENGTH], value[PTX_LENGTH];
    if (!ptx_begins(p->opcode, "isspacep") || p->given_count != 2
        || !ptx_register(p, p->given[0], to, sizeof to)
        || !ptx_value_as(p, p->given[1], "unsigned long long", value, sizeof value))
        return false;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strcmp(p->opcode + strlen("isspacep."), spaces[i][0]) == 0)
            return snprintf(out, size, "%s=::__is%s((const void*)%s)", to, spaces[i][1], value)
                   < (int)size;
    return false;
}

bool ptx_memory(const struct ptx *p, char *out, size_t size)
{
    return moves(p, out, size) || is_atomic(p, out, size) || copies(p, out, size)
           || asks_for_space(p, out, size);
}
