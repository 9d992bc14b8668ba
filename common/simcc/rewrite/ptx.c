/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * An asm of the device's code is one instruction of PTX, with operands %0, %1 …,
 * [%2+4], {%0, %1} or a constant. It becomes an expression of C++ that says the
 * same: the tables below tell which. What is in none of them is refused by name.
 */
#include "simcc/rewrite/edit.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record/memory.h"

enum { PTX_OPERANDS = 16, PTX_LENGTH = 512 };

struct ptx {
    char text[PTX_LENGTH];              /* the instruction, without its ; */
    char *opcode;                       /* in it */
    char *given[PTX_OPERANDS];          /* in it: as they are written there */
    size_t given_count;
    char *values[PTX_OPERANDS];         /* malloc: the expressions that %0, %1 … stand for */
    const char *constraints[PTX_OPERANDS];  /* in the program */
    size_t value_count;
};

/* ---- reading ---- */

/* The string at a token, escapes and quotes taken away, is added to `out`. */
static void add_string(char *out, const struct tokens *t, size_t token)
{
    const char *at = t->text + t->list[token].at, *end = at + t->list[token].length - 1;
    size_t n = strlen(out);
    while (at < end && *at != '"')
        at++;
    for (at++; at < end && n + 1 < PTX_LENGTH; at++) {
        if (*at == '\\' && at + 1 < end) {
            at++;
            out[n++] = *at == 'n' || *at == 't' ? ' ' : *at;
        } else {
            at += *at == '%' && at + 1 < end && at[1] == '%';
            out[n++] = *at;
        }
    }
    out[n] = '\0';
}

static char *copy_tokens(const struct rewriter *r, size_t from, size_t until)
{
    const struct tokens *t = &r->tokens;
    char *text = strndup(t->text + start_of(r, from), end_of(r, until) - start_of(r, from));
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return text;
}

/* : "=r"(x), "=f"(y) : "r"(z) — from the first : on. False: it is something else. */
static bool read_values(const struct rewriter *r, size_t at, size_t close, struct ptx *p)
{
    const struct tokens *t = &r->tokens;
    for (unsigned colons = 0; at < close; at++) {
        if (token_is(t, at, "::"))
            colons += 2;
        else if (token_is(t, at, ":"))
            colons++;
        else if (colons > 2)
            break;                      /* clobbers */
        else if (t->list[at].kind == TOKEN_STRING && token_is(t, at + 1, "(") && p->value_count < PTX_OPERANDS) {
            size_t end = token_close(t, at + 1);
            if (end >= close || end == at + 2)
                return false;
            p->constraints[p->value_count] = t->text + start_of(r, at) + 1;
            p->values[p->value_count++] = copy_tokens(r, at + 2, end - 1);
            at = end;
        } else if (!token_is(t, at, ",") && t->list[at].kind != TOKEN_MARKER) {
            return false;
        }
    }
    return true;
}

static char *trim(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    for (size_t n = strlen(s); n > 0 && isspace((unsigned char)s[n - 1]);)
        s[--n] = '\0';
    return s;
}

/* One instruction: its opcode and what is given to it. */
static bool read_instruction(struct ptx *p)
{
    char *text = trim(p->text);
    if (*text == '{' && text[strlen(text) - 1] == '}') {
        text[strlen(text) - 1] = '\0';
        text = trim(text + 1);
    }
    size_t n = strlen(text);
    if (n > 0 && text[n - 1] == ';')
        text[--n] = '\0';
    p->opcode = text = trim(text);
    if (strchr(text, ';') || *text == '\0')
        return false;
    text += strcspn(text, " \t");
    if (*text == '\0')
        return true;
    *text++ = '\0';
    int depth = 0;
    char *from = text;
    for (;; text++) {
        depth += (*text == '{' || *text == '[') - (*text == '}' || *text == ']');
        if (*text != '\0' && (*text != ',' || depth > 0))
            continue;
        bool last = *text == '\0';
        *text = '\0';
        if (p->given_count == PTX_OPERANDS)
            return false;
        p->given[p->given_count++] = trim(from);
        if (last)
            return true;
        from = text + 1;
    }
}

/* ---- operands as C++ ---- */

/* What an operand stands for, as text in `out`; false: none that is known. */
static bool operand(const struct ptx *p, const char *given, char *out, size_t size)
{
    char *end;
    if (*given == '%' && isdigit((unsigned char)given[1])) {
        size_t number = strtoul(given + 1, &end, 10);
        return *end == '\0' && number < p->value_count && snprintf(out, size, "(%s)", p->values[number]) < (int)size;
    }
    if (given[0] == '0' && (given[1] == 'f' || given[1] == 'F') && strlen(given) == 10)
        return snprintf(out, size, "__sim::__ptx_float(0x%s)", given + 2) < (int)size;
    strtoull(given + (*given == '-'), &end, 0);
    return isdigit((unsigned char)given[*given == '-']) && (*end == '\0' || *end == 'U') && snprintf(out, size, "%s", given) < (int)size;
}

/* The operand's value as one of this type: bits stay bits. */
static bool value_as(const struct ptx *p, const char *given, const char *type, char *out, size_t size)
{
    char plain[PTX_LENGTH];
    return operand(p, given, plain, sizeof plain) && snprintf(out, size, "::__sim::__ptx_in<%s>(%s)", type, plain) < (int)size;
}

/* [%1] or [%1+16]: an address. A 32-bit one is of shared memory, which has none here. */
static bool address(const struct ptx *p, const char *given, char *out, size_t size)
{
    char *end;
    if (given[0] != '[' || given[1] != '%')
        return false;
    size_t number = strtoul(given + 2, &end, 10);
    while (*end == ' ')
        end++;
    long offset = *end == '+' ? strtol(end + 1, &end, 0) : 0;
    return *end == ']' && number < p->value_count && p->constraints[number][0] == 'l' &&
           snprintf(out, size, "((char*)(%s)+%ld)", p->values[number], offset) < (int)size;
}

static const char *type_of(const char *opcode)
{
    static const char *const types[][2] = {
        { "u8", "unsigned char" }, { "s8", "signed char" }, { "b8", "unsigned char" }, { "u16", "unsigned short" }, { "s16", "short" },
        { "b16", "unsigned short" }, { "u32", "unsigned" }, { "s32", "int" }, { "b32", "unsigned" }, { "f32", "float" },
        { "u64", "unsigned long long" }, { "s64", "long long" }, { "b64", "unsigned long long" }, { "f64", "double" },
    };
    const char *last = strrchr(opcode, '.');
    for (size_t i = 0; last && i < sizeof types / sizeof *types; i++)
        if (strcmp(last + 1, types[i][0]) == 0)
            return types[i][1];
    return NULL;
}

static bool begins(const char *opcode, const char *with)
{
    size_t n = strlen(with);
    return strncmp(opcode, with, n) == 0 && (opcode[n] == '.' || opcode[n] == '\0');
}

/* The piece of the opcode is there: .v4 */
static bool has(const char *opcode, const char *piece)
{
    const char *at = strstr(opcode, piece);
    size_t n = strlen(piece);
    return at && (at[n] == '.' || at[n] == '\0');
}

/* ---- instructions ---- */

static bool special_register(const struct ptx *p, char *out, size_t size)
{
    static const char *const registers[][2] = {
        { "%tid.x", "threadIdx.x" }, { "%tid.y", "threadIdx.y" }, { "%tid.z", "threadIdx.z" },
        { "%ntid.x", "blockDim.x" }, { "%ntid.y", "blockDim.y" }, { "%ntid.z", "blockDim.z" },
        { "%ctaid.x", "blockIdx.x" }, { "%ctaid.y", "blockIdx.y" }, { "%ctaid.z", "blockIdx.z" },
        { "%nctaid.x", "gridDim.x" }, { "%nctaid.y", "gridDim.y" }, { "%nctaid.z", "gridDim.z" },
        { "%lanemask_eq", "(1u<<::sim_lane())" }, { "%lanemask_lt", "((1u<<::sim_lane())-1)" },
        { "%lanemask_le", "((2u<<::sim_lane())-1)" }, { "%lanemask_gt", "(~0u<<::sim_lane()<<1)" },
        { "%lanemask_ge", "(~0u<<::sim_lane())" }, { "%globaltimer_lo", "(unsigned)::sim_register_globaltimer()" },
        { "%nwarpid", "64" }, { "%nsmid", "::sim_register_nsmid()" },
    };
    char to[PTX_LENGTH];
    if (!begins(p->opcode, "mov") || p->given_count != 2 || !operand(p, p->given[0], to, sizeof to))
        return false;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (strcmp(p->given[1], registers[i][0]) == 0)
            return snprintf(out, size, "%s=%s", to, registers[i][1]) < (int)size;
    return false;
}

/* Those that compute: $t is the type, $1 $2 $3 what is given. */
static bool computes(const struct ptx *p, char *out, size_t size)
{
    static const struct { const char *opcode, *value; } table[] = {
        { "mov", "$1" }, { "cvta", "$1" },
        { "add", "($t)$1+($t)$2" }, { "sub", "($t)$1-($t)$2" }, { "mul.lo", "($t)$1*($t)$2" }, { "mul.wide.u32", "(unsigned long long)$1*$2" },
        { "mul.wide.s32", "(long long)(int)$1*(int)$2" }, { "mul.wide.u16", "(unsigned)$1*$2" }, { "mul.wide.s16", "(int)(short)$1*(short)$2" },
        { "mul.hi.u32", "::__umulhi($1,$2)" }, { "mul.hi.s32", "::__mulhi($1,$2)" }, { "mul.hi.u64", "::__umul64hi($1,$2)" }, { "mul.hi.s64", "::__mul64hi($1,$2)" },
        { "mul.wide", NULL }, { "mul.hi", NULL }, { "mad.lo", "($t)$1*($t)$2+($t)$3" }, { "mul", "($t)$1*($t)$2" }, { "div", "($t)$1/($t)$2" }, { "rem", "($t)$1%($t)$2" },
        { "fma.rn.f32", "__builtin_fmaf($1,$2,$3)" }, { "fma.rn.f64", "__builtin_fma($1,$2,$3)" },
        { "and", "($t)$1&($t)$2" }, { "or", "($t)$1|($t)$2" }, { "xor", "($t)$1^($t)$2" }, { "not", "~($t)$1" }, { "neg", "-($t)$1" },
        { "abs", "($t)$1<0?-($t)$1:($t)$1" }, { "min", "($t)$1<($t)$2?($t)$1:($t)$2" }, { "max", "($t)$1>($t)$2?($t)$1:($t)$2" },
        { "shl", "__sim::__ptx_shl<$t>($1,$2)" }, { "shr", "__sim::__ptx_shr<$t>($1,$2)" },
        { "bfe", "__sim::__ptx_bfe<$t>($1,$2,$3)" }, { "bfi", "__sim::__ptx_bfi<$t>($1,$2,$3,$4)" },
        { "lop3.b32", "__sim::__ptx_lop3($1,$2,$3,$4)" }, { "prmt.b32", "::__byte_perm($1,$2,$3)" },
        { "shf.l.wrap.b32", "::__funnelshift_l($1,$2,$3)" }, { "shf.r.wrap.b32", "::__funnelshift_r($1,$2,$3)" },
        { "shf.l.clamp.b32", "::__funnelshift_lc($1,$2,$3)" }, { "shf.r.clamp.b32", "::__funnelshift_rc($1,$2,$3)" },
        { "popc.b32", "::__popc($1)" }, { "popc.b64", "::__popcll($1)" }, { "clz.b32", "::__clz($1)" }, { "clz.b64", "::__clzll($1)" },
        { "brev.b32", "::__brev($1)" }, { "brev.b64", "::__brevll($1)" },
        { "ex2.approx", "__builtin_exp2f($1)" }, { "lg2.approx", "__builtin_log2f($1)" }, { "sin.approx", "__builtin_sinf($1)" },
        { "cos.approx", "__builtin_cosf($1)" }, { "rcp", "1/($t)$1" }, { "sqrt", "__builtin_sqrt(($t)$1)" }, { "rsqrt", "1/__builtin_sqrt(($t)$1)" },
    };
    const char *type = type_of(p->opcode);
    const char *value = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (begins(p->opcode, table[i].opcode)) {
            value = table[i].value;
            break;
        }
    static const char *const carries[] = { ".cc", ".sat", ".x2", ".f16", ".bf16", ".rz", ".rm", ".rp" };
    for (size_t i = 0; i < sizeof carries / sizeof *carries; i++)
        if (has(p->opcode, carries[i]))
            return false;
    char to[PTX_LENGTH];
    if (!type || !value || p->given_count < 2 || !operand(p, p->given[0], to, sizeof to))
        return false;
    size_t n = (size_t)snprintf(out, size, "::__sim::__ptx_out(%s,", to);
    for (; *value; value++) {
        char text[PTX_LENGTH] = { *value, '\0' };
        bool stands_for = *value == '$';
        value += stands_for;
        if (stands_for && *value == 't')
            snprintf(text, sizeof text, "%s", type);
        else if (stands_for && ((size_t)(*value - '0') >= p->given_count || !value_as(p, p->given[*value - '0'], type, text, sizeof text)))
            return false;
        n += (size_t)snprintf(out + n, n < size ? size - n : 0, "%s", text);
    }
    return n + 2 < size && snprintf(out + n, size - n, ")") > 0;
}

/* ld and st, of one value or of {%0, %1 …}, through whatever cache. */
static bool moves(const struct ptx *p, char *out, size_t size)
{
    bool loads = begins(p->opcode, "ld") || begins(p->opcode, "ldu"), stores = begins(p->opcode, "st");
    const char *type = type_of(p->opcode);
    char where[PTX_LENGTH];
    if (!(loads || stores) || !type || p->given_count != 2 || !address(p, p->given[loads], where, sizeof where))
        return false;
    char list[PTX_LENGTH], *rest = list;
    const char *values = p->given[stores];
    bool many = *values == '{';
    snprintf(list, sizeof list, "%.*s", many ? (int)strlen(values) - 2 : (int)strlen(values), values + many);
    if (many != (has(p->opcode, ".v2") || has(p->opcode, ".v4")))
        return false;
    size_t n = (size_t)snprintf(out, size, "(");
    int i = 0;
    for (char *one; (one = strsep(&rest, ",")) != NULL; i++) {
        char value[PTX_LENGTH];
        one = trim(one);
        if (!(loads ? operand(p, one, value, sizeof value) : value_as(p, one, type, value, sizeof value)) || n >= size)
            return false;
        n += (size_t)(loads ? snprintf(out + n, size - n, "%s::__sim::__ptx_out(%s,((%s volatile*)%s)[%d])", i ? "," : "", value, type, where, i)
                            : snprintf(out + n, size - n, "%s((%s volatile*)%s)[%d]=%s", i ? "," : "", type, where, i, value));
    }
    return n + 2 < size && snprintf(out + n, size - n, ")") > 0;
}

static bool is_atomic(const struct ptx *p, char *out, size_t size)
{
    static const char *const names[][2] = { { ".add", "Add" }, { ".min", "Min" }, { ".max", "Max" }, { ".and", "And" }, { ".or", "Or" },
                                            { ".xor", "Xor" }, { ".exch", "Exch" } };
    bool answers = begins(p->opcode, "atom");
    const char *type = type_of(p->opcode), *name = NULL;
    char to[PTX_LENGTH] = "", where[PTX_LENGTH], value[PTX_LENGTH];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has(p->opcode, names[i][0]))
            name = names[i][1];
    if (!(answers || begins(p->opcode, "red")) || !type || !name || p->given_count != 2u + answers ||
        (answers && !operand(p, p->given[0], to, sizeof to)) || !address(p, p->given[answers], where, sizeof where) ||
        !value_as(p, p->given[answers + 1], type, value, sizeof value))
        return false;
    return snprintf(out, size, answers ? "::__sim::__ptx_out(%s,::atomic%s((%s*)%s,%s))" : "%s::atomic%s((%s*)%s,%s)", to, name, type, where, value) <
           (int)size;
}

static bool orders(const struct ptx *p, char *out, size_t size)
{
    static const char *const none[] = { "prefetch", "prefetchu", "discard", "applypriority", "griddepcontrol" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (begins(p->opcode, none[i]))
            return snprintf(out, size, "((void)0)") > 0;
    char value[PTX_LENGTH];
    if (begins(p->opcode, "membar") || begins(p->opcode, "fence"))
        return snprintf(out, size, "::__threadfence()") > 0;
    if ((begins(p->opcode, "bar.sync") || begins(p->opcode, "barrier.sync")) && p->given_count == 1 && strcmp(p->given[0], "0") == 0)
        return snprintf(out, size, "::__syncthreads()") > 0;
    if (begins(p->opcode, "bar.warp.sync") && p->given_count == 1 && operand(p, p->given[0], value, sizeof value))
        return snprintf(out, size, "::__syncwarp(%s)", value) < (int)size;
    if (begins(p->opcode, "nanosleep") && p->given_count == 1 && operand(p, p->given[0], value, sizeof value))
        return snprintf(out, size, "::__nanosleep(%s)", value) < (int)size;
    return false;
}

bool ptx_rewrite(struct rewriter *r, size_t word, size_t open)
{
    const struct tokens *t = &r->tokens;
    struct ptx p = { 0 };
    size_t close = token_close(t, open), at = open + 1;
    char whole[PTX_LENGTH], out[4 * PTX_LENGTH];
    for (; at < close && (t->list[at].kind == TOKEN_STRING || t->list[at].kind == TOKEN_MARKER); at++)
        if (t->list[at].kind == TOKEN_STRING)
            add_string(p.text, t, at);
    snprintf(whole, sizeof whole, "%s", p.text);
    char *empty = trim(whole);
    bool known = *empty == '\0';
    if (known)
        snprintf(out, sizeof out, "((void)0)");         /* asm volatile("" ::: "memory") */
    if (!known && close < t->count && read_values(r, at, close, &p) && read_instruction(&p))
        known = special_register(&p, out, sizeof out) || computes(&p, out, sizeof out) || moves(&p, out, sizeof out) ||
                is_atomic(&p, out, sizeof out) || orders(&p, out, sizeof out);
    if (known)
        edit(r, start_of(r, word), end_of(r, close) - start_of(r, word), "%s", out);
    else
        refuse(r, word, "simcc has no PTX instruction like this one: %.60s (book, \"What it does not do\")", empty);
    for (size_t i = 0; i < p.value_count; i++)
        free(p.values[i]);
    return known;
}
