/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/edit.h"

#include <string.h>

/* Does a cast to void * stand before this token: (void *) or reinterpret_cast<const void *>( ? */
static bool is_cast_to_void(const struct tokens *t, size_t token)
{
    size_t i = token;
    if (i > 0 && token_is(t, i - 1, "("))
        i--;
    return i > 3 && (token_is(t, i - 1, ")") || token_is(t, i - 1, ">")) && token_is(t, i - 2, "*")
           && (token_is(t, i - 3, "void") || token_is(t, i - 3, "const"));
}

void address_kernel(struct rewriter *r, size_t name)
{
    const struct tokens *t = &r->tokens;
    size_t first = name, last = name;
    while (first > 1 && token_is(t, first - 1, "::") && token_is_name(t, first - 2))
        first -= 2;
    if (first > 0 && (token_is(t, first - 1, "::") || token_is(t, first - 1, "&")))
        first--;
    if (!is_cast_to_void(t, first))
        return;
    if (token_is(t, name + 1, "<")) {
        size_t depth = 0;
        do {
            last++;
            depth += token_is(t, last, "<") - token_is(t, last, ">");
        } while (depth > 0 && last < t->count && !token_is(t, last, ";"));
    }
    if (last >= t->count || token_is(t, last, ";") || token_is(t, last + 1, "("))
        return;
    edit(r, start_of(r, first), 0, "::__sim::__address(");
    edit(r, end_of(r, last), 0, ")");
}

/* ---- a kernel that names itself ---- */

struct spelling { char text[2048]; size_t used; };

static void join(struct spelling *s, const char *at, size_t length)
{
    if (s->used + length >= sizeof s->text) {
        s->used = sizeof s->text;       /* too long: nothing is made known */
        return;
    }
    memcpy(s->text + s->used, at, length);
    s->used += length;
}

static void spell(struct spelling *s, const struct tokens *t, size_t token)
{
    size_t end = t->list[token].at + t->list[token].length;
    join(s, t->text + t->list[token].at, t->list[token].length);
    if (token + 1 >= t->count || t->list[token + 1].at != end)
        join(s, " ", 1);
}

static bool is_too_long(const struct spelling *s)
{
    return s->used == sizeof s->text;
}

/* After token `i`, which may open a bracket, and before `end`. */
static size_t past(const struct tokens *t, size_t i, size_t end)
{
    bool opens = token_opens(t, i);
    size_t next = opens ? token_close(t, i) + 1 : i + 1;
    return next < end ? next : end;
}

/* The , or the end of a list that the element at `i` reaches to. */
static size_t end_of_element(const struct tokens *t, size_t i, size_t end)
{
    size_t depth = 0;
    for (; i < end && !(depth == 0 && token_is(t, i, ",")); i = past(t, i, end)) {
        depth += token_is(t, i, "<");
        depth -= depth > 0 && token_is(t, i, ">");
    }
    return i;
}

/* The types of the parameters, which may have their names, and not their defaults. */
static void spell_parameters(struct spelling *s, const struct tokens *t, size_t open, size_t close)
{
    for (size_t i = open + 1; i < close; i++) {
        if (token_is(t, i, "="))
            i = end_of_element(t, i, close);
        if (i < close && t->list[i].kind != TOKEN_MARKER)
            spell(s, t, i);
    }
}

static bool is_type_word(const struct tokens *t, size_t i)
{
    static const char *const words[] = { "typename", "class", "int", "unsigned", "long", "short",
                                         "char", "bool", "size_t", "auto" };
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (token_is(t, i, words[w]))
            return true;
    return false;
}

/* The names of a template's parameters: T, N, Rest... False: one has none. Those without a name
 * that have a default, at the end, need none. */
static bool spell_names(struct spelling *s, const struct tokens *t, size_t open, size_t close)
{
    bool left_out = false;
    for (size_t i = open + 1, end; i < close; i = end + 1) {
        end = end_of_element(t, i, close);
        size_t value = i, last = i, depth = 0;
        bool pack = false;
        for (; value < end && !(depth == 0 && token_is(t, value, "="));
             value = past(t, value, end)) {
            depth += token_is(t, value, "<");
            depth -= depth > 0 && token_is(t, value, ">");
            pack |= depth == 0 && token_is(t, value, ".");
            last = t->list[value].kind == TOKEN_MARKER ? last : value;
        }
        bool named = last > i && token_is_name(t, last) && !is_type_word(t, last)
                     && !token_is(t, last - 1, "::");
        if (!named && value == end)
            return false;
        left_out |= !named;
        if (left_out && named)
            return false;
        if (named && i > open + 1)
            join(s, ",", 1);
        if (named)
            join(s, t->text + t->list[last].at, t->list[last].length);
        if (named && pack)
            join(s, "...", 3);
    }
    return true;
}

/* The > that closes this <; t->count: none. */
static size_t angle_close(const struct tokens *t, size_t open)
{
    size_t depth = 0;
    for (size_t i = open; i < t->count && !token_is(t, i, ";"); i = past(t, i, t->count)) {
        depth += token_is(t, i, "<");
        depth -= depth > 0 && token_is(t, i, ">");
        if (depth == 0)
            return i;
    }
    return t->count;
}

/* Where the declaration begins that has this name. */
static size_t declaration_start(const struct tokens *t, size_t name)
{
    size_t from = name;
    while (from > 0 && !token_is(t, from - 1, ";") && !token_is(t, from - 1, "}")
           && !token_is(t, from - 1, "{") && t->list[from - 1].kind != TOKEN_MARKER)
        from--;
    return from;
}

/* What the kernel's template gives it in its body: <T, N>. False: that cannot be said. */
static bool spell_arguments(struct spelling *s, const struct tokens *t, size_t name, size_t open)
{
    size_t word = declaration_start(t, name), templates = 0;
    while (word < name && !token_is(t, word, "template"))
        word++;
    for (size_t i = word; i < name; i++)
        templates += token_is(t, i, "template") && token_is(t, i + 1, "<");
    if (templates == 0)
        return true;
    size_t first = token_is(t, name + 1, "<") ? name + 1 : word + 1, close = angle_close(t, first);
    if (templates > 1 || close >= (first > name ? open : name))
        return false;
    spell(s, t, first);
    if (first > name) {                 /* template <> … k<int>( */
        for (size_t i = first + 1; i < close; i++)
            spell(s, t, i);
    } else if (!spell_names(s, t, first, close)) {
        return false;
    }
    spell(s, t, close);
    return true;
}

/* Has a parameter the kernel's own name? */
static bool is_hidden(const struct tokens *t, size_t name, size_t open, size_t close)
{
    for (size_t i = open + 1; i < close; i++)
        if (token_is_same(t, i, name))
            return true;
    return false;
}

/* A kernel that is in launches, and nowhere else in its source: nothing has its address, but a
 * graph that it was captured in, when that is asked. Making it known takes
 * g++ 1.8 ms, and the kernel itself 4 to 5. */
static bool is_only_launched(const struct tokens *t, size_t name)
{
    bool launched = false;
    for (size_t i = 0; i < t->count; i++) {
        if (i != name && token_is_same(t, i, name) && !token_three(t, i + 1, "<"))
            return false;
        launched |= i != name && token_is_same(t, i, name);
        if (token_is(t, i, "cudaGraphKernelNodeGetParams"))
            return false;
    }
    return launched;
}

void address_known(struct rewriter *r, size_t name, size_t open, size_t body)
{
    const struct tokens *t = &r->tokens;
    size_t close = token_close(t, open);
    if (r->judged && is_only_launched(t, name))
        return;
    struct spelling parameters = { .used = 0 }, arguments = { .used = 0 };
    if (is_hidden(t, name, open, close) || !spell_arguments(&arguments, t, name, open))
        return;
    spell_parameters(&parameters, t, open, close);
    if (is_too_long(&parameters) || is_too_long(&arguments))
        return;
    edit(r, end_of(r, body), 0, "(void)&::__sim::__known<void(*)(%.*s),%.*s%.*s>::__is;",
         (int)parameters.used, parameters.text, (int)t->list[name].length,
         t->text + start_of(r, name), (int)arguments.used, arguments.text);
    edit_foremost(r);
}

/* ---- values that are cast ---- */

/* The cast value that stands from `value` to before `end`; kernels' names are address_kernel's. */
static void address_value(struct rewriter *r, size_t value, size_t end)
{
    const struct tokens *t = &r->tokens;
    if (value >= end || !is_cast_to_void(t, value) || !token_is_name(t, value)
        || is_one_of(r, &r->kernels, value))
        return;
    edit(r, start_of(r, value), 0, "::__sim::__address(");
    edit(r, end_of(r, end - 1), 0, ")");
}

/* The first token from `i` on that ends an expression: outside of brackets, `most` at the latest.
 */
static size_t end_of_value(const struct tokens *t, size_t i, size_t most)
{
    for (; i < most && !token_is(t, i, ",") && !token_is(t, i, ";") && !token_is(t, i, "}")
           && !token_is(t, i, ")");
         i++)
        if (token_opens(t, i))
            i = token_close(t, i);
    return i < most ? i : most;
}

void address_in_field(struct rewriter *r, size_t field)
{
    const struct tokens *t = &r->tokens;
    bool assigned = field > 0 && (token_is(t, field - 1, ".") || token_is(t, field - 1, "->"))
                    && token_is(t, field + 1, "=");
    size_t value = field + 2;
    if (!assigned || token_is(t, value, "="))
        return;
    if (token_is(t, value, "reinterpret_cast")) {
        while (value < t->count && !token_is(t, value, "(") && !token_is(t, value, ";"))
            value++;
        if (token_is(t, value, "("))
            address_value(r, value + 1, token_close(t, value));
    } else if (token_is(t, value, "(")) {
        value = token_close(t, value) + 1;
        address_value(r, value, end_of_value(t, value, t->count));
    }
}

/* Is it one of the calls that want a kernel? What they are given is known nowhere else. */
static bool takes_kernel(const struct tokens *t, size_t call)
{
    return token_starts(t, call, "cudaLaunch") || token_starts(t, call, "cudaFunc")
           || token_starts(t, call, "cudaOccupancy");
}

void address_in_call(struct rewriter *r, size_t call)
{
    const struct tokens *t = &r->tokens;
    if (!takes_kernel(t, call))
        return;
    size_t open = call + 1, close = token_close(t, open), end;
    for (size_t i = open; i < close; i = end) {
        end = end_of_value(t, i + 1, close);
        size_t value = token_is(t, i + 1, "(") ? token_close(t, i + 1) + 1 : end;
        address_value(r, value, end);
    }
}
