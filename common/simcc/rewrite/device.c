/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/edit.h"

#include <stdio.h>
#include <string.h>

#include "simcc/rewrite/declaration.h"
#include "trace/record/memory.h"

void device_brace(struct rewriter *r, size_t token)
{
    if (token_is(&r->tokens, token, "{")) {
        bool body = !declaration_is_outer(&r->tokens, token);
        r->braces = memory_grow(r->braces, r->brace_count, &r->brace_capacity, sizeof *r->braces);
        r->braces[r->brace_count++] = body;
        r->bodies += body;
    } else if (r->brace_count > 0) {
        r->bodies -= r->braces[--r->brace_count];
    }
}

/* __shared__ alignas(16) T x: it has to stand before `static`, and goes where the variable becomes
 * a pointer. */
static void move_alignment(struct rewriter *r, size_t word, size_t outside)
{
    const struct tokens *t = &r->tokens;
    size_t from = word + 1, close = token_is(t, from, "alignas") && token_is(t, from + 1, "(")
                                        ? token_close(t, from + 1)
                                        : t->count;
    if (close == t->count)
        return;
    size_t is_static = declaration_before(t, word, "static"),
           first = is_static != t->count ? is_static : word;
    if (outside == t->count)
        edit(r, start_of(r, first), 0, "%.*s ", (int)(end_of(r, close) - start_of(r, from)),
             t->text + start_of(r, from));
    for (size_t i = from; i <= close; i++)
        drop(r, i, "");
}

/* Does the scope ask for &x itself, and not for &x[i] or the like? Then x has to be an array. */
static bool is_asked_for(const struct tokens *t, size_t name, size_t from)
{
    char spelling[128];
    snprintf(spelling, sizeof spelling, "%.*s", (int)t->list[name].length,
             t->text + t->list[name].at);
    size_t depth = 1;
    for (size_t i = from; i < t->count && depth > 0; i++) {
        depth += token_is(t, i, "{");
        depth -= token_is(t, i, "}");
        if (token_is(t, i, spelling) && token_is(t, i - 1, "&") && !token_is(t, i + 1, "[")
            && !token_is(t, i + 1, ".") && !token_is(t, i + 1, "->"))
            return true;
    }
    return false;
}

/* extern __shared__ T x[]; a pointer, at the word `extern`. Where &x is asked for it is an array of
 * no known length, by reference. */
static void dynamic_shared(struct rewriter *r, size_t outside, const struct declaration *d)
{
    drop(r, outside, r->bodies > 0 ? "" : r->one_core ? "static" : "static thread_local");
    for (size_t i = 0; i < d->count; i++) {
        size_t name = d->names[i];
        size_t close =
            token_is(&r->tokens, name + 1, "[") ? token_close(&r->tokens, name + 1) : name;
        if (close == r->tokens.count)
            return;
        bool rows = token_is(&r->tokens, close + 1, "[");
        if (r->bodies > 0 && !rows && close == name + 2 && is_asked_for(&r->tokens, name, d->end)) {
            edit(r, start_of(r, name), 0, "(&");
            edit(r, end_of(r, name), 0, ")");
            edit(r, end_of(r, close), 0, "=::__sim::__dynamic_shared()");
            continue;
        }
        edit(r, start_of(r, name), 0, rows ? "(*const " : "*const ");
        edit(r, end_of(r, name), 0, rows ? ")" : "");
        for (size_t k = name + 1; k <= close; k++)
            drop(r, k, "");
        edit(r, rows ? start_of(r, d->end) : end_of(r, close), 0, "=::__sim::__dynamic_shared()");
    }
}

/* A block reaches a variable of a function where the function declares it. Which blocks use one
 * that stands outside of all functions is not known: all of them reach it, as they begin. */
static void reached_variable(struct rewriter *r, size_t token, size_t end, const char *store)
{
    int length = (int)r->tokens.list[token].length;
    const char *name = r->tokens.text + start_of(r, token);
    edit(r, end_of(r, end), 0,
         "static_assert(sizeof(%.*s)<=49152,\"more __shared__ memory than a block has\");"
         "%s struct sim_shared sim_%.*s;",
         length, name, store, length, name);
    if (r->bodies == 0)
        edit(r, end_of(r, end), 0,
             "static const int sim_outer_%.*s __attribute__((unused))=::sim_shared_outer([]{",
             length, name);
    edit(r, end_of(r, end), 0,
         "if(!sim_%.*s.__reached)::sim_shared_reach(&sim_%.*s,(void*)&%.*s,sizeof(%.*s));%s",
         length, name, length, name, length, name, length, name, r->bodies == 0 ? "});" : "");
}

static bool is_template(const struct tokens *t, size_t word)
{
    size_t is_static = declaration_before(t, word, "static"),
           first = is_static != t->count ? is_static : word;
    return first > 0 && token_is(t, first - 1, ">");
}

void device_shared(struct rewriter *r, size_t word)
{
    const struct tokens *t = &r->tokens;
    struct declaration d;
    bool known = declaration_read(t, word, &d);
    size_t outside = declaration_specifier(t, word, "extern");
    const char *store = r->one_core ? "static" : "static thread_local";
    bool is_static = declaration_specifier(t, word, "static") != t->count;
    move_alignment(r, word, outside);
    drop(r, word, outside != t->count ? "" : is_static ? store + strlen("static") : store);
    if (known && outside != t->count)
        dynamic_shared(r, outside, &d);
    else if (known && (r->bodies > 0 || !is_template(t, word)))
        for (size_t i = 0; i < d.count; i++)
            reached_variable(r, d.names[i], d.end, store);
}

/* Where the name of a static member that is defined begins, with the classes that it is in: S in
 * S::x. */
static size_t qualified(const struct tokens *t, size_t name)
{
    while (name > 1 && token_is(t, name - 1, "::") && token_is_name(t, name - 2))
        name -= 2;
    return name;
}

/* A static member may be private: what an explicit instantiation names is not looked at for that.
 */
static void member_symbol(struct rewriter *r, size_t name, size_t end, const char *what)
{
    const struct tokens *t = &r->tokens;
    size_t first = qualified(t, name), at = start_of(r, first);
    int whole = (int)(end_of(r, name) - at), length = (int)t->list[name].length;
    char own[200] = "";
    size_t used = 0;
    for (size_t i = first; i <= name && used < sizeof own; i += 2)
        used += (size_t)snprintf(own + used, sizeof own - used, "_%.*s", (int)t->list[i].length,
                                 t->text + start_of(r, i));
    edit(
        r, end_of(r, end), 0,
        "template<typename T,T*sim_at>struct sim_symbol%s{static const int made;};"
        "template<typename T,T*sim_at>const int sim_symbol%s<T,sim_at>::made=::sim_%s((void*)sim_at,sizeof(T),\"%.*s\");"
        "template struct sim_symbol%s<decltype(%.*s),&%.*s>;",
        own, own, what, length, t->text + start_of(r, name), own, whole, t->text + at, whole,
        t->text + at);
}

/* __device__, __constant__ and __managed__; the word itself goes. A declaration that has two is one
 * symbol. What is managed has a section of its own, so that the runtime knows these addresses. */
void device_symbol(struct rewriter *r, size_t word)
{
    const struct tokens *t = &r->tokens;
    struct declaration d;
    bool managed = token_is(t, word, "__managed__");
    drop(r, word, managed ? "__attribute__((__section__(\"sim_managed\")))" : "");
    if (declaration_before(t, word, "__device__") != t->count
        || declaration_before(t, word, "__constant__") != t->count
        || declaration_before(t, word, "__managed__") != t->count)
        return;
    size_t outside = declaration_specifier(t, word, "extern");
    bool elsewhere = outside != t->count && t->list[outside + 1].kind != TOKEN_STRING;
    if (r->bodies > 0 || elsewhere || declaration_before(t, word, "template") != t->count
        || !declaration_read(t, word, &d))
        return;
    bool constant = token_is(t, word, "__constant__") || token_is(t, word + 1, "__constant__");
    const char *what = constant ? "constant" : "symbol";
    if (managed || declaration_says(t, word, "__managed__"))
        what = "managed_variable";
    for (size_t i = 0; i < d.count; i++) {
        int length = (int)t->list[d.names[i]].length;
        const char *name = t->text + start_of(r, d.names[i]);
        if (qualified(t, d.names[i]) != d.names[i]) {
            member_symbol(r, d.names[i], d.end, what);
            continue;
        }
        edit(
            r, end_of(r, d.end), 0,
            "static const int sim_symbol_%.*s __attribute__((unused))=::sim_%s((void*)&%.*s,sizeof(%.*s),\"%.*s\");",
            length, name, what, length, name, length, name, length, name);
    }
}

/* asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(x)) becomes (x)=::sim_register_globaltimer() */
void device_assembly(struct rewriter *r, size_t word)
{
    static const char *const registers[] = { "globaltimer", "clock64", "clock", "laneid", "warpid",
                                             "smid" };
    const struct tokens *t = &r->tokens;
    size_t open = word + 1;
    while (token_is(t, open, "volatile") || token_is(t, open, "__volatile__"))
        open++;
    /* ( "text" : "=l" ( x ) … ) */
    bool reads = token_is(t, open, "(") && token_starts(t, open + 1, "\"mov.")
                 && token_is(t, open + 2, ":") && token_is(t, open + 4, "(");
    const char *which = NULL, *text = reads ? t->text + start_of(r, open + 1) : NULL;
    for (size_t i = 0; reads && i < sizeof registers / sizeof *registers && !which; i++) {
        char percent[32];
        int length = snprintf(percent, sizeof percent, "%%%s", registers[i]);
        const char *at = memmem(text, t->list[open + 1].length, percent, (size_t)length);
        if (at && strchr(";\" ", at[length]))
            which = registers[i];
    }
    if (!which && is_in_device_code(r, word) && token_is(t, open, "("))
        ptx_rewrite(r, word, open);
    if (!which) {
        unseen_assembly(r, word);
        return;
    }
    size_t inner = token_close(t, open + 4), close = token_close(t, open);
    if (close >= t->count)
        return;
    for (size_t i = word; i < open + 4; i++)
        drop(r, i, "");
    for (size_t i = inner + 1; i < close; i++)
        drop(r, i, "");
    edit(r, start_of(r, close), t->list[close].length, "=::sim_register_%s()", which);
}
