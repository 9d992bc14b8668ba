/* SPDX-License-Identifier: MIT */
/* cut_names.c - where statements end, and what a kernel's names mean. */
#include "simcc/rewrite/cut/cut.h"

#include "simcc/rewrite/declaration.h"
#include "simcc/rewrite/disjoint/disjoint.h"

void cut_no(struct cutter *c)
{
    c->ok = false;
}

/* ---- statements ---- */

static size_t behind_brackets(const struct tokens *t, size_t i)
{
    size_t open = token_behind(t, i - 1);
    return token_is(t, open, "(") ? token_close(t, open) + 1 : t->count + 1;
}

size_t cut_statement_end(const struct tokens *t, size_t from)
{
    size_t i = token_behind(t, from - 1);
    if (i >= t->count)
        return t->count + 1;
    if (token_is(t, i, "{"))
        return token_close(t, i) + 1;
    if (token_is(t, i, "if")) {
        i = behind_brackets(t, i + 1 + token_is(t, i + 1, "constexpr"));
        if (i >= t->count)
            return t->count + 1;
        i = cut_statement_end(t, i);
        size_t next = token_behind(t, i - 1);
        return i < t->count && token_is(t, next, "else") ? cut_statement_end(t, next + 1) : i;
    }
    if (token_is(t, i, "for") || token_is(t, i, "while") || token_is(t, i, "switch")) {
        i = behind_brackets(t, i + 1);
        return i >= t->count ? t->count + 1 : cut_statement_end(t, i);
    }
    if (token_is(t, i, "do"))
        i = cut_statement_end(t, i + 1);
    while (i < t->count && !token_is(t, i, ";"))
        i = token_opens(t, i) ? token_close(t, i) + 1 : i + 1;
    return i + 1;
}

bool cut_meets(const struct tokens *t, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (token_is(t, i, "__syncthreads"))
            return true;
    return false;
}

/* ---- names ---- */

static bool is_member(const struct tokens *t, size_t token)
{
    static const char *const before[] = { ".", "->", "::", NULL };
    return token_is_any(t, token_before(t, token), before);
}

size_t cut_local_at(const struct cutter *c, size_t token)
{
    if (token_is_name(c->t, token) && !is_member(c->t, token))
        for (size_t i = 0; i < c->local_count; i++)
            if (c->locals[i].from <= token && token < c->locals[i].to
                && token_is_same(c->t, c->locals[i].name, token))
                return i;
    return c->local_count;
}

struct cut_local *cut_add(struct cutter *c, size_t name, size_t to, enum cut_kind kind)
{
    static const char *const taken[] = { "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize",
                                         "__syncthreads", NULL };
    static struct cut_local none;
    bool again = false;
    for (size_t i = 0; i < c->local_count; i++)
        again |= token_is_same(c->t, c->locals[i].name, name) && c->locals[i].from < to
                 && name < c->locals[i].to;
    if (again || !token_is_name(c->t, name) || c->local_count == CUT_LOCALS
        || is_type(c->t, name) || is_constant(c->r, name) || token_is_any(c->t, name, taken)) {
        cut_no(c);
        return &none;
    }
    struct cut_local *l = &c->locals[c->local_count++];
    *l = (struct cut_local){ .name = name, .from = name, .to = to, .kind = kind };
    return l;
}

/* ---- types ---- */

bool cut_is_integer_word(const struct tokens *t, size_t token)
{
    static const char *const more[] = { "char", "short", "bool", "signed", "int8_t",
                                        "uint8_t", "int16_t", "uint16_t", "uint", "ulong",
                                        "ushort", "uchar", "ptrdiff_t", "intptr_t",
                                        "uintptr_t", NULL };
    return token_is_any(t, token, disjoint_integers) || token_is_any(t, token, more);
}

bool cut_is_type_word(const struct tokens *t, size_t token)
{
    return is_type(t, token) || cut_is_integer_word(t, token);
}

bool cut_is_vector_word(const struct tokens *t, size_t token)
{
    static const char *const types[] = { "float2", "float3", "float4", "int2", "int3", "int4",
                                         "uint2", "uint3", "uint4", "double2", "uchar4", NULL };
    return token_is_any(t, token, types);
}

/* typedef unsigned int name; using name = float; anywhere. */
static bool is_name_of_number(const struct tokens *t, size_t name)
{
    for (size_t i = 1; i + 1 < t->count; i++) {
        if (!token_is_same(t, i, name))
            continue;
        size_t first = i - 1, type = i + 2;
        if (token_is(t, i - 1, "using") && token_is(t, i + 1, "=")) {
            while (cut_is_type_word(t, type))
                type++;
            return type > i + 2 && token_is(t, type, ";");
        }
        while (first > 0 && cut_is_type_word(t, first))
            first--;
        if (first < i - 1 && token_is(t, first, "typedef") && token_is(t, i + 1, ";"))
            return true;
    }
    return false;
}

bool cut_is_plain_word(const struct cutter *c, size_t token)
{
    size_t local = cut_local_at(c, token);
    if (local < c->local_count)
        return c->locals[local].kind == CUT_TYPE;
    return cut_is_type_word(c->t, token) || cut_is_vector_word(c->t, token)
           || is_name_of_number(c->t, token);
}

static const char *const declarator_words[] = { "*", "const", "__restrict__", "__restrict", NULL };

bool cut_is_declaration(const struct cutter *c, size_t from)
{
    const struct tokens *t = c->t;
    size_t local = cut_local_at(c, from), next = token_behind(t, from);
    if (!token_is_name(t, from))
        return false;
    if (token_is(t, from, "const") || token_is(t, from, "constexpr") || cut_is_type_word(t, from))
        return true;
    if (local < c->local_count)
        return c->locals[local].kind == CUT_TYPE;
    return token_is_name(t, next) || token_is(t, next, "*") || token_is(t, next, "&")
           || token_is(t, next, "::");
}

/* The words before the first declarator. */
static size_t read_type(struct cutter *c, size_t from, struct cut_local *out)
{
    const struct tokens *t = c->t;
    size_t i = from;
    bool typed = false;
    out->integer = true;
    for (; token_is_name(t, i); i = token_behind(t, i)) {
        size_t next = token_behind(t, i);
        if (token_is(t, i, "const") || token_is(t, i, "constexpr")) {
            out->constant = true;
        } else if (cut_is_type_word(t, i)) {
            out->integer &= cut_is_integer_word(t, i);
            out->automatic |= token_is(t, i, "auto");
            typed = true;
        } else if (!typed && token_is(t, i, "std") && token_is(t, next, "::")) {
            i = next;
        } else if (!typed) {
            out->integer = false;
            typed = true;
        } else {
            break;
        }
    }
    if (!typed)
        cut_no(c);
    out->type = from;
    out->type_end = i;
    return i;
}

/* * const name [2][3] = …; its end: the , or ; after it. */
static size_t read_declarator(struct cutter *c, size_t from, size_t end, struct cut_local *out)
{
    const struct tokens *t = c->t;
    size_t i = from;
    for (; token_is_any(t, i, declarator_words); i = token_behind(t, i)) {
        if (token_is(t, i, "*"))
            out->pointer = true, out->constant = false;
        else if (token_is(t, i, "const"))
            out->constant = true;
    }
    out->declarator = from;
    out->name = i;
    i = out->dims = token_behind(t, i);
    for (; token_is(t, i, "["); i = token_behind(t, token_close(t, i)))
        out->dimensions++;
    out->dims_end = i;
    if (token_is(t, i, "=")) {
        out->init = token_behind(t, i);
        out->init_end = i = find_outside(t, out->init, end, ",");
        if (token_is(t, out->init, "{"))
            out->init_end = i = token_behind(t, token_close(t, out->init));
        else if (out->dimensions > 0)
            cut_no(c);
    }
    if (!token_is_name(t, out->name) || (i != end && !token_is(t, i, ",")))
        cut_no(c);
    return i;
}

void cut_read_declaration(struct cutter *c, size_t from, size_t end, size_t to, size_t head)
{
    struct cut_local type = { .head = head };
    size_t i = read_type(c, from, &type);
    while (c->ok) {
        struct cut_local l = type;
        i = read_declarator(c, i, end, &l);
        if (!c->ok)
            return;
        struct cut_local *kept = cut_add(c, l.name, to, CUT_INNER);
        if (!c->ok)
            return;
        l.from = l.name, l.to = to, l.kind = CUT_INNER;
        *kept = l;
        if (head == 0) {
            if (c->node_count == CUT_NODES) {
                cut_no(c);
                return;
            }
            c->nodes[c->node_count++] = (struct cut_node){
                .kind = CUT_DECLARES, .from = l.declarator, .to = i, .local = c->local_count - 1
            };
        }
        if (i == end)
            return;
        i = token_behind(c->t, i);
    }
}

/* ---- parameters ---- */

/* const T *__restrict__ a: its last word is the name. */
static void read_parameter(struct cutter *c, size_t from, size_t end)
{
    static const char *const strange[] = { "&", "(", "[", "=", ".", "{", "volatile", NULL };
    const struct tokens *t = c->t;
    size_t name = t->count, angles = 0;
    bool integer = true, number = true, pointer = false;
    for (size_t i = from; i < end; i = token_behind(t, i)) {
        angles += token_is(t, i, "<");
        angles -= angles > 0 && token_is(t, i, ">");
        if (token_is_any(t, i, strange))
            cut_no(c);
        pointer |= angles == 0 && token_is(t, i, "*");
        name = i;
    }
    for (size_t i = from; i < name && name < t->count; i = token_behind(t, i)) {
        integer &= cut_is_integer_word(t, i) || token_is(t, i, "const");
        number &= cut_is_type_word(t, i) || token_is(t, i, "const");
    }
    enum cut_kind kind = pointer ? CUT_POINTER : integer ? CUT_INTEGER : CUT_OTHER;
    cut_add(c, name, c->end, kind)->integer = number;
}

/* typename T, int N = 16 */
static void read_template_parameter(struct cutter *c, size_t from, size_t end)
{
    static const char *const types[] = { "typename", "class", NULL };
    const struct tokens *t = c->t;
    size_t name = token_before(t, find_outside(t, from, end, "="));
    bool integer = true;
    for (size_t i = from; i < name; i = token_behind(t, i))
        integer &= cut_is_integer_word(t, i);
    cut_add(c, name, c->end,
            token_is_any(t, from, types) && token_behind(t, from) == name ? CUT_TYPE
            : integer && name > from                                      ? CUT_NUMBER
                                                                          : CUT_OTHER);
}

/* [from, close): what stands between commas, each. */
static void read_each(struct cutter *c, size_t from, size_t close,
                      void (*read)(struct cutter *c, size_t from, size_t end))
{
    size_t angles = 0;
    for (size_t begin = from = token_behind(c->t, from - 1); c->ok && from <= close;
         from = token_behind(c->t, from)) {
        angles += token_is(c->t, from, "<");
        angles -= angles > 0 && from < close && token_is(c->t, from, ">");
        if (from < close && (angles > 0 || !token_is(c->t, from, ",")))
            continue;
        if (begin < from)
            read(c, begin, from);
        begin = token_behind(c->t, from);
    }
}

void cut_read_parameters(struct cutter *c, size_t word, size_t open)
{
    const struct tokens *t = c->t;
    size_t template = declaration_before(t, word, "template");
    if (template == t->count) {
        size_t last = token_before(t, word);
        while (last < t->count
               && (token_is(t, last, "static") || token_is(t, last, "inline")
                   || t->list[last].kind == TOKEN_STRING || token_is(t, last, "extern")))
            last = token_before(t, last);
        if (token_is(t, last, ">"))
            cut_no(c);                      /* a template, after a line marker */
    } else {
        size_t angle = template + 1, end = declaration_angle_end(t, angle);
        if (!token_is(t, angle, "<") || end > word) {
            cut_no(c);
            return;
        }
        read_each(c, angle + 1, end - 1, read_template_parameter);
    }
    size_t close = token_close(t, open);
    if (!(token_behind(t, open) == close)
        && !(token_is(t, open + 1, "void") && open + 2 == close))
        read_each(c, open + 1, close, read_parameter);
    if (token_behind(t, close) != c->body || end_of(c->r, c->body) == start_of(c->r, c->body + 1))
        cut_no(c);
}
