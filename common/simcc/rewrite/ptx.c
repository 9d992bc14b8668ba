/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * An asm of the device's code has instructions of PTX, with operands %0, %1 …, [%2+4], {%0, %1}, a
 * constant or a register that a .reg before them names. Each becomes an expression of C++ that says
 * the same (ptx_operations.c). One alone stands for the asm; several stand in a block, in which
 * registers are variables. What is not known is refused by name.
 */
#include "simcc/rewrite/ptx/ptx.h"

#include "simcc/rewrite/edit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* What lies between a string's quotes, or a raw string's brackets. */
static const char *string_inside(const struct tokens *t, size_t token, const char **end, bool *raw)
{
    const char *at = t->text + t->list[token].at;
    *end = at + t->list[token].length - 1;
    *raw = false;
    for (; at < *end && *at != '"'; at++)
        *raw |= *at == 'R';
    for (at++; *raw && at < *end && at[-1] != '('; at++)
        --*end;                         /* of R"xx(…)xx" */
    return at;
}

/* The string at a token, escapes and quotes taken away, is added to `out`. Lines end there, for the
 * sake of comments. */
static void add_string(char *out, const struct tokens *t, size_t token)
{
    const char *end, *at;
    bool raw;
    size_t n = strlen(out);
    for (at = string_inside(t, token, &end, &raw); at < end && n + 1 < PTX_LENGTH; at++) {
        if (*at == '\\' && at + 1 < end && !raw) {
            at++;
            out[n++] = *at == 'n' ? '\n' : *at == 't' || *at == 'r' ? ' ' : *at;
        } else {
            at += *at == '%' && at + 1 < end && at[1] == '%';
            out[n++] = *at;
        }
    }
    out[n] = '\0';
}

/* Comments, and whatever is no blank but white, become blanks. */
static void drop_comments(char *text)
{
    for (char *at = text, *end; *at; at++) {
        bool line = strncmp(at, "//", 2) == 0, block = strncmp(at, "/*", 2) == 0;
        if (line || block) {
            end = line ? strchr(at, '\n') : strstr(at + 2, "*/");
            end = !end ? at + strlen(at) : line ? end : end + 2;
            memset(at, ' ', (size_t)(end - at));
        }
        if (isspace((unsigned char)*at))
            *at = ' ';
    }
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
        else if (t->list[at].kind == TOKEN_STRING && token_is(t, at + 1, "(")
                 && p->value_count < PTX_OPERANDS) {
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

/* Cuts a list at its commas, those in brackets apart. False: it has too many. */
static bool read_list(char *text, char **list, size_t most, size_t *count)
{
    int depth = 0;
    for (char *from = text;; text++) {
        depth += (*text == '{' || *text == '[') - (*text == '}' || *text == ']');
        if (*text != '\0' && (*text != ',' || depth > 0))
            continue;
        bool last = *text == '\0';
        *text = '\0';
        if (*count == most)
            return false;
        list[(*count)++] = ptx_trim(from);
        if (last)
            return true;
        from = text + 1;
    }
}

/* What a register of the type is in C++; NULL: not known. Numbers of 16 bits are kept as their bits
 * (ptx_operations.c). */
static const char *register_type(const char *type)
{
    static const char *const others[][2] = { { ".pred", "bool" }, { ".f16", "unsigned short" },
                                             { ".f16x2", "unsigned" } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(type, others[i][0]) == 0)
            return others[i][1];
    return ptx_type(type + 1);
}

/* .reg .pred p, q; what follows is C++'s. False: not known. */
static bool declare(struct ptx *p, char *text, char *out, size_t size)
{
    char *type = ptx_trim(text), name[PTX_LENGTH];
    text = type + strcspn(type, " ");
    if (*type != '.' || *text == '\0')
        return false;
    *text++ = '\0';
    const char *is = register_type(type);
    size_t first = p->register_count, n = (size_t)snprintf(out, size, "%s ", is ? is : "");
    if (!is || !read_list(text, p->registers, PTX_REGISTERS, &p->register_count))
        return false;
    for (size_t i = first; i < p->register_count; i++) {
        char one[PTX_LENGTH];
        unsigned count = ptx_registers_of(p->registers[i]);
        for (unsigned k = 0; k < (count > 0 ? count : 1); k++) {
            size_t stem = strcspn(p->registers[i], "<");
            snprintf(one, sizeof one, count > 0 ? "%.*s%u" : "%.*s", (int)stem, p->registers[i], k);
            if (!ptx_register(p, one, name, sizeof name))
                return false;
            int more = snprintf(out + n, size - n, "%s%s", i > first || k > 0 ? "," : "", name);
            if (more < 0 || n + (size_t)more >= size)
                return false;
            n += (size_t)more;
        }
    }
    return n + 2 < size && snprintf(out + n, size - n, ";") > 0;
}

/* One statement, without its ; as one of C++, with it. */
static bool translate(struct ptx *p, char *text, char *out, size_t size)
{
    char condition[PTX_LENGTH] = "", expression[4 * PTX_LENGTH];
    if (strncmp(text, ".reg", 4) == 0 && isspace((unsigned char)text[4]))
        return declare(p, text + 5, out, size);
    if (*text == '@') {
        char *end = text + strcspn(text, " ");
        if (*end == '\0')
            return false;
        *end = '\0';
        if (!ptx_condition(p, text + 1, condition, sizeof condition))
            return false;
        text = ptx_trim(end + 1);
    }
    p->opcode = text;
    p->given_count = 0;
    text += strcspn(text, " ");
    if (*text != '\0') {
        *text++ = '\0';
        if (!read_list(text, p->given, PTX_OPERANDS, &p->given_count))
            return false;
    }
    if (!ptx_operation(p, expression, sizeof expression))
        return false;
    return snprintf(out, size, *condition ? "if(%s)%s;" : "%.0s%s;", condition, expression)
           < (int)size;
}

/* All of them. `failed`: the one that is not known, as it was written. */
static bool translate_all(struct ptx *p, char *out, size_t size, char *failed)
{
    char *rest = p->text, *text, one[4 * PTX_LENGTH], all[8 * PTX_LENGTH] = "";
    size_t count = 0, n = 0;
    for (; (text = strsep(&rest, ";"));) {
        text = ptx_trim(text);
        while (*text == '{' || (*text == '}' && text[1] == '\0'))
            text = ptx_trim(text + 1);              /* a block's own */
        size_t length = strlen(text);
        if (length > 0 && text[length - 1] == '}' && !strchr(text, '{'))
            text[length - 1] = '\0', text = ptx_trim(text);
        if (*text == '\0')
            continue;
        snprintf(failed, PTX_LENGTH, "%s;", text);
        count++;
        if (!translate(p, text, one, sizeof one) || n + strlen(one) >= sizeof all)
            return false;
        n += (size_t)snprintf(all + n, sizeof all - n, "%s", one);
    }
    bool alone = count == 1 && p->register_count == 0 && !p->carries && strncmp(all, "if(", 3) != 0;
    if (alone)
        return snprintf(out, size, "%.*s", (int)n - 1, all) < (int)size;
    const char *carry = !p->carries ? ""
                        : p->takes_carry || p->gives_carry
                            ? "unsigned &__ptx_cc=::__sim::__ptx_flag();"
                            : "unsigned __ptx_cc=0;";
    return snprintf(out, size, "({%s%s})", carry, *all ? all : ";") < (int)size;
}

bool ptx_rewrite(struct rewriter *r, size_t word, size_t open)
{
    const struct tokens *t = &r->tokens;
    struct ptx p = { 0 };
    size_t close = token_close(t, open), at = open + 1;
    char failed[PTX_LENGTH] = "", out[9 * PTX_LENGTH];
    for (; at < close && (t->list[at].kind == TOKEN_STRING || t->list[at].kind == TOKEN_MARKER);
         at++)
        if (t->list[at].kind == TOKEN_STRING)
            add_string(p.text, t, at);
    drop_comments(p.text);
    snprintf(failed, sizeof failed, "%s", ptx_trim(p.text));
    bool known = *failed == '\0';
    if (known)
        snprintf(out, sizeof out, "((void)0)");         /* asm volatile("" ::: "memory") */
    else
        known = close < t->count && read_values(r, at, close, &p)
                && translate_all(&p, out, sizeof out, failed);
    if (known)
        edit(r, start_of(r, word), end_of(r, close) - start_of(r, word), "%s", out);
    else
        refuse(r, word,
               "simcc has no PTX instruction like this one: %.60s (book, \"What it does not do\")",
               failed);
    for (size_t i = 0; i < p.value_count; i++)
        free(p.values[i]);
    return known;
}
