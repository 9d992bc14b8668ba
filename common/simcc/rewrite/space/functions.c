/* SPDX-License-Identifier: MIT */
/* functions.c - the functions that a program declares: at namespace scope and in classes, not in
 * other functions. What is not certainly a function is passed over. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "simcc/rewrite/declaration.h"
#include "simcc/rewrite/rewrite.h"
#include "simcc/rewrite/space/inside.h"
#include "trace/record/memory.h"

enum { DEPTH = 100 };           /* of classes and namespaces in each other */

struct reader {
    struct rewriter *r;
    const struct tokens *t;
    struct reading at;
};

struct scope {
    bool in_class, templated, specialised, lone;
    size_t depth;
};

/* ---- where ---- */

static void pass_marker(struct reading *at, size_t token)
{
    const char *text = at->t->text + at->t->list[token].at;
    struct marker marker;
    if (!marker_read(text, text + at->t->list[token].length, &marker))
        return;
    size_t file = space_file(at->s, marker.path, marker.length);
    /* A system header's line in a file of the program, which is neither begun nor come back to: a
     * macro that a system header defines. */
    bool in_macro =
        file == at->place.file && !at->system && !marker.begins && !marker.returns;
    at->system = marker.system && !in_macro
                 && !path_is_theirs(marker.path, marker.length, at->theirs);
    at->place.line = marker.line - 1;
    at->place.file = file;
}

struct place place_of(struct reading *at, size_t token)
{
    for (; at->token <= token && at->token < at->t->count; at->token++) {
        const struct token *next = &at->t->list[at->token];
        for (; at->byte < next->at; at->byte++)
            at->place.line += at->t->text[at->byte] == '\n';
        if (next->kind == TOKEN_MARKER) {
            pass_marker(at, at->token);
            at->byte = next->at + next->length;
        }
    }
    return at->place;
}

/* ---- statements ---- */

/* After the ; that ends it. */
static size_t statement_end(const struct tokens *t, size_t i, size_t until)
{
    for (; i < until && !token_is(t, i, ";"); i++)
        if (token_opens(t, i))
            i = token_close(t, i);
    return i < until ? i + 1 : until;
}

/* requires (T t) { t.x; } after requires, && or ||: the } of this expression; `i` itself where the
 * word begins a condition, after which a body may follow. */
static size_t requirement_end(const struct tokens *t, size_t i)
{
    static const char *const operators[] = { "requires", "&", "|", "!", NULL };
    size_t open = token_behind(t, i);
    if (token_is(t, open, "(") && token_is_any(t, token_before(t, i), operators))
        open = token_behind(t, token_close(t, open));
    return token_is(t, i, "requires") && token_is(t, open, "{") ? token_close(t, open) : i;
}

/* After what may be a declaration with a body, or with a ; */
static size_t pass_over(const struct tokens *t, size_t i, size_t until)
{
    for (; i < until && !token_is(t, i, ";"); i++) {
        i = requirement_end(t, i);
        if (token_is(t, i, "{")) {
            i = token_close(t, i);
            return token_is(t, token_behind(t, i), ";") ? token_behind(t, i) + 1 : i + 1;
        }
        if (token_opens(t, i))
            i = token_close(t, i);
    }
    return i < until ? i + 1 : until;
}

static bool takes_brackets(const struct tokens *t, size_t i)
{
    static const char *const words[] = { "noexcept", "explicit", "throw", NULL };
    return (declaration_is_attribute(t, i) || token_is_any(t, i, words)) && token_is(t, i + 1, "(");
}

/* ---- a function ---- */

/* What follows the parameters of a function: const noexcept(…) override -> int, up to its ;
 * { : or =. t->count: it is something else. */
static size_t behind_parameters(const struct tokens *t, size_t close)
{
    bool type = false;
    for (size_t i = close + 1; i < t->count; i++) {
        static const char *const ends[] = { ";", "{", ":", "=", NULL },
                                 *const others[] = { "requires", "try", "asm", "__asm__", NULL };
        if (token_is_any(t, i, ends))
            return i;
        if (token_is(t, i, "->"))
            type = true;
        else if (takes_brackets(t, i))
            i = token_close(t, i + 1);
        else if (token_is(t, i, "[") && token_is(t, i + 1, "["))
            i = token_close(t, i);
        else if (type && token_is(t, i, "<"))
            i = declaration_angle_end(t, i) - 1;
        else if (token_is_any(t, i, others)
                 || !(token_is_name(t, i) || token_is(t, i, "&") || t->list[i].kind == TOKEN_MARKER
                      || (type && (token_is(t, i, "*") || token_is(t, i, "::")))))
            return t->count;
    }
    return t->count;
}

static size_t count_parameters(const struct tokens *t, size_t open, size_t close)
{
    size_t count = close > open + 1 && !(close == open + 2 && token_is(t, open + 1, "void"));
    for (size_t i = open + 1; i < close; i++) {
        if (token_opens(t, i))
            i = token_close(t, i);
        else if (token_is(t, i, "<")) {
            size_t end = declaration_angle_end(t, i);
            i = end <= close ? end - 1 : i;
        }
        count += token_is(t, i, ",");
    }
    return count;
}

/* A letter for each type of a number, * and &; ? for anything else. */
static void read_types(const struct tokens *t, size_t open, size_t close, char *types, size_t room)
{
    static const char *const numbers[] = { "float", "double", "char", "bool", NULL },
                             *const integers[] = { "int",    "short",  "long", "unsigned",
                                                   "signed", "size_t", NULL };
    size_t used = 0;
    bool typed = false;
    for (size_t i = open + 1; i < close && used + 2 < room; i++) {
        bool last = token_is(t, i + 1, ",") || token_is(t, i + 1, ")");
        char letter = '\0';
        if (token_is(t, i, ","))
            typed = false;
        else if (token_is_any(t, i, numbers))
            letter = t->text[t->list[i].at];
        else if (token_is_any(t, i, integers))
            letter = typed ? '\0' : 'i';
        else if (token_is(t, i, "*") || token_is(t, i, "&"))
            letter = t->text[t->list[i].at];
        else if (!token_is(t, i, "const") && !(typed && last && token_is_name(t, i)))
            letter = '?';
        typed = typed || letter;
        if (letter)
            types[used++] = letter;
    }
    types[used] = used + 2 < room ? '\0' : '?';
    types[used + 1 < room ? used + 1 : used] = '\0';
}

static bool has_word(const struct tokens *t, size_t from, size_t until, const char *word)
{
    for (size_t i = from; i < until; i++)
        if (token_is(t, i, word))
            return true;
    return false;
}

/* The words in front of a function's name. */
static void read_words(struct function *f, const struct tokens *t, size_t first,
                       const struct scope *in)
{
    static const char *const unmarkable[] = { "constexpr", "consteval", "deprecated", "unavailable",
                                              "device", "host", "global", "main", "new", "delete",
                                              NULL };
    bool device = has_word(t, first, f->open, "__device__"),
         host = has_word(t, first, f->open, "__host__");
    f->kernel = has_word(t, first, f->open, "__global__");
    f->worded = device || host || f->kernel;
    f->side = f->kernel || (device && !host) ? DEVICE_SIDE : device ? BOTH_SIDES : HOST_SIDE;
    f->lone = in->lone || (!in->in_class && has_word(t, first, f->open, "static"))
              || has_word(t, first, f->open, "inline") || has_word(t, first, f->open, "__inline__");
    f->markable = !f->qualified;
    for (size_t i = first; i < f->open; i++)
        if (token_is_any(t, i, unmarkable))
            f->markable = false;
    /* It runs on either side, as far as its arguments are known. */
    if (has_word(t, first, f->open, "constexpr") || has_word(t, first, f->open, "consteval"))
        f->side = BOTH_SIDES;
}

/* Where a declaration may have an attribute: after extern "C" and [[…]], and in no line marker. */
static size_t mark_at(const struct tokens *t, size_t first)
{
    for (;;) {
        size_t next = token_behind(t, first);
        if (token_is(t, first, "friend"))
            first = next;
        else if (token_is(t, first, "extern") && token_starts(t, next, "\""))
            first = token_behind(t, next);
        else if (token_is(t, first, "[") && token_is(t, first + 1, "["))
            first = token_behind(t, token_close(t, first));
        else
            return first;
    }
}

/* A function's name before its ( at `open`: f, f<int>, operator+. t->count: it is none. */
static size_t name_before(const struct tokens *t, size_t first, size_t open)
{
    for (size_t i = first; i < open; i++)
        if (token_is(t, i, "operator"))
            return i;
    size_t name = open - 1;
    if (token_is(t, name, ">")) {
        size_t angle = token_open(t, name);
        if (angle == SIZE_MAX || angle <= first)
            return t->count;
        name = angle - 1;
    }
    return token_is_name(t, name) && name >= first ? name : t->count;
}

/* `first`: of the declaration; the ( of its parameters is at `open`. Returns what comes after it.
 */
static size_t read_function(struct reader *d, size_t first, size_t open, size_t until,
                            const struct scope *in)
{
    static const char *const no_types[] = { "return", "else", "new", "case", "throw", "do", NULL };
    const struct tokens *t = d->t;
    size_t close = token_close(t, open), name = name_before(t, first, open),
           end = close < until ? behind_parameters(t, close) : t->count;
    if (end == t->count || name == t->count)
        return pass_over(t, first, until);
    size_t before = token_is(t, name - 1, "~") && name > first ? name - 1 : name;
    bool qualified = before > first && token_is(t, before - 1, "::"),
         is_operator = token_is(t, name, "operator"),
         typed = before > first && !token_is_any(t, before - 1, no_types);
    if (!in->in_class && !typed && !qualified && !is_operator)
        return pass_over(t, first, until);
    struct function f = { .qualified = qualified, .in_class = in->in_class,
                          .templated = in->templated, .specialised = in->specialised,
                          .open = open, .mark = mark_at(t, first),
                          .parameters = count_parameters(t, open, close) };
    read_types(t, open, close, f.types, sizeof f.types);
    read_words(&f, t, first, in);
    /* auto parameters make a template of it. */
    f.templated = f.templated || has_word(t, open, close, "auto");
    size_t name_end = is_operator ? open : name + 1;
    f.name =
        space_name(d->at.s, t->text + t->list[before].at,
                   t->list[name_end - 1].at + t->list[name_end - 1].length - t->list[before].at);
    f.lines.file = place_of(&d->at, first).file;
    f.lines.from = d->at.place.line;
    size_t last = end;
    if (token_is(t, end, "=")) {        /* default, delete, 0 */
        f.markable = f.markable && token_is(t, token_behind(t, end), "0");
        f.side = token_is(t, token_behind(t, end), "0") ? f.side : BOTH_SIDES;
        last = statement_end(t, end, until) - 1;
    } else if (!token_is(t, end, ";")) {
        f.body = declaration_body(t, open);
        f.close = f.body < until ? token_close(t, f.body) : until;
        if (f.close >= until)
            return until;
        f.body_line = place_of(&d->at, f.body).line;
        f.twofold = token_is(t, f.body + 4, "sim_on_device");
        last = f.close;
    }
    if (f.close == 0 && has_word(t, first, name, "friend"))
        f.markable = false;
    if (f.kernel && in->in_class && !has_word(t, first, name, "friend"))
        refuse(d->r, name, "%.*s is a kernel: a kernel cannot be a member of a class",
               (int)t->list[name].length, t->text + t->list[name].at);
    f.lines.until = place_of(&d->at, last).line;
    MEMORY_GROW(d->at.s->functions, d->at.s->function_count, d->at.s->function_capacity);
    d->at.s->functions[d->at.s->function_count++] = f;
    return last + 1;
}

/* ---- scopes ---- */

static void read_scope(struct reader *d, size_t from, size_t until, struct scope in);

/* namespace a { … }, extern "C" { … }: reads it, and returns what comes after. 0: it is neither. */
static size_t read_outer(struct reader *d, size_t first, size_t until, struct scope in)
{
    const struct tokens *t = d->t;
    size_t i = first + token_is(t, first, "inline");
    bool is_namespace = token_is(t, i, "namespace");
    if (!is_namespace && !(token_is(t, i, "extern") && token_starts(t, i + 1, "\"")
                           && token_is(t, i + 2, "{")))
        return 0;
    in.lone = in.lone || (is_namespace && token_is(t, i + 1, "{"));
    while (i < until && !token_is(t, i, "{") && !token_is(t, i, ";"))
        i++;
    if (!token_is(t, i, "{"))
        return i + 1;
    size_t close = token_close(t, i);
    in.depth++;
    read_scope(d, i + 1, close < until ? close : until, in);
    return close + 1;
}

/* template __global__ void k<int>(int *); makes a GPU's code of it. */
static void instantiate(struct spaces *s, const struct tokens *t, size_t from, size_t until)
{
    for (size_t i = from; i < until; i++) {
        size_t name = token_is_name(t, i)
                          ? space_known(s, t->text + t->list[i].at, t->list[i].length)
                          : SIZE_MAX;
        for (size_t k = 0; name != SIZE_MAX && k < s->function_count; k++)
            s->functions[k].emitted |= s->functions[k].name == name && s->functions[k].kernel;
    }
}

/* What is no function, variable or class: after it. 0: it may be one of these. */
static size_t read_other(struct spaces *s, const struct tokens *t, size_t first, size_t until)
{
    static const char *const words[] = { "using", "typedef", "static_assert", "_Static_assert",
                                         "asm", "__asm__", "enum", "concept", NULL },
                             *const access[] = { "public", "protected", "private", NULL };
    if (token_is_any(t, first, access) && token_is(t, first + 1, ":"))
        return first + 2;
    if (token_is(t, first, "template") && !token_is(t, first + 1, "<"))
        instantiate(s, t, first, statement_end(t, first, until));
    else if (!token_is_any(t, first, words))
        return token_is(t, first, ";") || token_is(t, first, "}") ? first + 1 : 0;
    return statement_end(t, first, until);
}

/* The { of a class: its members; after its ; */
static size_t read_class(struct reader *d, size_t open, size_t until, struct scope in)
{
    size_t close = token_close(d->t, open);
    in.in_class = true;
    in.specialised = false;
    in.depth++;
    read_scope(d, open + 1, close < until ? close : until, in);
    return close < until ? statement_end(d->t, close + 1, until) : until;
}

static size_t read_declaration(struct reader *d, size_t first, size_t until, struct scope in)
{
    const struct tokens *t = d->t;
    size_t other = read_outer(d, first, until, in);
    other = other ? other : read_other(d->at.s, t, first, until);
    if (other)
        return other;
    bool is_class = false, is_base = false;
    for (size_t i = first; i < until; i++) {
        if (t->list[i].kind == TOKEN_MARKER)
            continue;
        if (token_is(t, i, "template") && token_is(t, i + 1, "<")) {
            size_t end = declaration_angle_end(t, i + 1);
            in.specialised = end == i + 3;
            in.templated = in.templated || !in.specialised;
            first = token_behind(t, end - 1); /* a mark goes after it */
            i = end - 1;
        } else if (token_is(t, i, "requires")) {
            return pass_over(t, i, until);
        } else if (takes_brackets(t, i)) {
            i = token_close(t, i + 1);
        } else if (token_is(t, i, "[") && token_is(t, i + 1, "[")) {
            i = token_close(t, i);
        } else if (token_is(t, i, "struct") || token_is(t, i, "class") || token_is(t, i, "union")) {
            is_class = true;
        } else if (token_is(t, i, "operator")) {
            size_t open = i + (token_is(t, i + 1, "(") && token_is(t, i + 2, ")") ? 3 : 1);
            while (open < until && !token_is(t, open, "(") && !token_is(t, open, ";"))
                open++;
            return open < until && token_is(t, open, "(")
                       ? read_function(d, first, open, until, &in)
                       : pass_over(t, i, until);
        } else if (token_is(t, i, "<") && i > first) {
            i = declaration_angle_end(t, i) - 1;
        } else if (token_is(t, i, "(")) {
            return i > first ? read_function(d, first, i, until, &in) : pass_over(t, i, until);
        } else if (token_is(t, i, ":") && is_class) {
            is_base = true;
        } else if (token_is(t, i, "{")) {
            return is_class ? read_class(d, i, until, in) : statement_end(t, i, until);
        } else if (token_is(t, i, "=") || token_is(t, i, "[") || token_is(t, i, ";")
                   || token_is(t, i, "}") || (token_is(t, i, ",") && !is_base)
                   || (token_is(t, i, ":") && !is_class)) {
            return token_is(t, i, "}") ? i + 1 : statement_end(t, i, until);
        }
    }
    return until;
}

static void read_scope(struct reader *d, size_t from, size_t until, struct scope in)
{
    const struct tokens *t = d->t;
    for (size_t i = from; i < until && in.depth < DEPTH;) {
        place_of(&d->at, i);
        if (d->at.system || t->list[i].kind == TOKEN_MARKER)
            do
                i++;
            while (d->at.system && i < until && t->list[i].kind != TOKEN_MARKER);
        else {
            size_t next = read_declaration(d, i, until, in);
            i = next > i ? next : i + 1;
        }
    }
}

void space_functions(struct rewriter *r, struct spaces *s)
{
    struct reader d = { r, &r->tokens, { .t = &r->tokens, .s = s, .theirs = r->theirs } };
    d.at.place = (struct place){ space_file(s, "", 0), 1 };
    read_scope(&d, 0, r->tokens.count, (struct scope){ 0 });
}
