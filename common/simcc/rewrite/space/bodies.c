/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Inside a function nvcc does not look at everything: not at operands that are
 * not evaluated, at what `if constexpr` leaves out, after an && whose left side
 * is a constant, in lambdas that nothing calls. Nothing is said of lines with
 * such places.
 */
#include <stdint.h>
#include <string.h>

#include "simcc/rewrite/declaration.h"
#include "simcc/rewrite/space/inside.h"
#include "trace/record/memory.h"

struct walk {
    struct rewriter *r;
    const struct tokens *t;
    struct spaces *s;
    struct reading at;
    const struct function *f;
    size_t unsure_until, lambda_until; /* tokens */
};

static void note(struct walk *w, size_t from, size_t until, bool launch)
{
    struct reading ahead = w->at;
    struct place first = place_of(&ahead, from);
    struct range lines = { first.file, first.line, place_of(&ahead, until).line };
    if (launch) {
        MEMORY_GROW(w->s->launches, w->s->launch_count, w->s->launch_capacity);
        w->s->launches[w->s->launch_count++] = lines;
        return;
    }
    if (until <= w->unsure_until)
        return;
    MEMORY_GROW(w->s->unsure, w->s->unsure_count, w->s->unsure_capacity);
    w->s->unsure[w->s->unsure_count++] = lines;
    w->unsure_until = until;
}

/* The first of these, brackets apart; the function's end where there is none. */
static size_t next_of(const struct walk *w, size_t i, const char *const *ends)
{
    for (; i < w->f->close; i++) {
        if (token_is_any(w->t, i, ends))
            return i;
        if (token_opens(w->t, i))
            i = token_close(w->t, i);
    }
    return w->f->close;
}

static size_t statement_close(const struct walk *w, size_t i)
{
    static const char *const semicolon[] = { ";", NULL };
    return token_is(w->t, i, "{") ? token_close(w->t, i) : next_of(w, i, semicolon);
}

/* if constexpr (…) … else … */
static size_t branches_end(const struct walk *w, size_t open)
{
    size_t end = statement_close(w, token_close(w->t, open) + 1);
    while (end < w->f->close && token_is(w->t, token_behind(w->t, end), "else")) {
        size_t next = token_behind(w->t, end) + 1;
        if (token_is(w->t, next, "if"))
            next = next_of(w, next, (const char *const[]){ ")", "(", NULL }),
            next = token_close(w->t, next) + 1;
        end = statement_close(w, next);
    }
    return end;
}

/* int x[…](…): does the bracket begin a lambda? Its body's { then; t->count: it does not. */
static size_t lambda_body(const struct walk *w, size_t bracket)
{
    static const char *const values[] = { ")", "]", ">", "delete", NULL }, *const ends[] = {
        ";", ",", ")", "}", "{", NULL
    };
    const struct tokens *t = w->t;
    size_t last = token_before(t, bracket);
    if (token_is_any(t, last, values) || token_is(t, bracket + 1, "[")
        || (token_is_name(t, last) && !token_is(t, last, "return")))
        return t->count;
    size_t i = token_close(t, bracket) + 1;
    i = token_is(t, i, "<") ? declaration_angle_end(t, i) : i;
    if (token_is(t, i, "(") || token_is(t, i, "{")) {
        i = token_is(t, i, "(") ? token_close(t, i) + 1 : i;
        for (; i < w->f->close && !token_is_any(t, i, ends); i++)
            if (token_opens(t, i))
                i = token_close(t, i);
    }
    return token_is(t, i, "{") ? i : t->count;
}

/* ---- what no compiler knows ---- */

static bool is_same(const struct tokens *t, size_t a, size_t b)
{
    return t->list[a].length == t->list[b].length
           && memcmp(t->text + t->list[a].at, t->text + t->list[b].at, t->list[a].length) == 0;
}

static bool is_parameter(const struct walk *w, size_t name)
{
    static const char *const behind[] = { ",", ")", "=", "[", NULL };
    for (size_t i = w->f->open; i < w->f->body && i < w->f->open + 200; i++)
        if (is_same(w->t, i, name) && token_is_any(w->t, i + 1, behind))
            return true;
    return false;
}

/* Is a parameter of the function, or the number of a thread, among these tokens? */
static bool has_unknown(const struct walk *w, size_t from, size_t until)
{
    static const char *const numbers[] = { "threadIdx", "blockIdx", "blockDim", "gridDim", NULL };
    const struct tokens *t = w->t;
    for (size_t i = from; i < until; i++) {
        bool whole = token_is_name(t, i) && !token_is(t, i + 1, ".") && !token_is(t, i + 1, "::")
                     && !token_is(t, i - 1, "::") && !token_is(t, i - 1, ".")
                     && !token_is(t, i - 1, "->");
        if (token_is_any(t, i, numbers) || (whole && is_parameter(w, i)))
            return true;
    }
    return false;
}

/* Operators that may leave out their right side: not where the operand before `end` is unknown. */
static bool is_open_question(const struct walk *w, size_t end)
{
    static const char *const borders[] = { "(", "[", "{", "}", ";", "&", "|", "?", "=", ",", NULL };
    const struct tokens *t = w->t;
    size_t from = end;
    while (from > w->f->body) {
        if (token_is_any(t, from - 1, borders)
            && !(token_is(t, from - 1, "=") && token_is(t, from - 2, "=")))
            break;
        size_t open = token_is(t, from - 1, ")") || token_is(t, from - 1, "]")
                          ? token_open(t, from - 1)
                          : from - 1;
        if (open == SIZE_MAX)
            return false;
        from = open;
    }
    return has_unknown(w, from, end);
}

/* int a[n]: an array with a parameter in its length, or a variable that is made of one. */
static bool is_unknown_length(const struct walk *w, size_t open, size_t close)
{
    static const char *const ends[] = { ";", ",", NULL };
    if (has_unknown(w, open + 1, close))
        return true;
    for (size_t i = open + 1; i < close; i++)
        for (size_t k = w->f->body; token_is_name(w->t, i) && k < open; k++)
            if (is_same(w->t, i, k) && token_is(w->t, k + 1, "=") && token_is_name(w->t, k - 1)
                && has_unknown(w, k + 2, next_of(w, k + 2, ends)))
                return true;
    return false;
}

static void array_declared(struct walk *w, size_t open)
{
    static const char *const no_types[] = { "return", "else",   "do",   "case", "throw",
                                            "new",    "delete", "goto", NULL };
    const struct tokens *t = w->t;
    size_t close = token_close(t, open), name = open - 1;
    if (w->f->side == HOST_SIDE || !token_is_name(t, name) || !token_is_name(t, name - 1)
        || token_is_any(t, name - 1, no_types) || !is_unknown_length(w, open, close))
        return;
    struct use u = { .name = space_name(w->s, t->text + t->list[name].at, t->list[name].length),
                     .lines = { place_of(&w->at, open).file, w->at.place.line, w->at.place.line } };
    MEMORY_GROW(w->s->arrays, w->s->array_count, w->s->array_capacity);
    w->s->arrays[w->s->array_count++] = u;
}

static bool is_twice(const struct tokens *t, size_t i, const char *what)
{
    return token_is(t, i, what) && token_is(t, i + 1, what)
           && t->list[i].at + 1 == t->list[i + 1].at;
}

/* ---- what is read at a token ---- */

/* Operands that are not evaluated; more than the name of a type or a variable. */
static void unevaluated(struct walk *w, size_t word)
{
    static const char *const words[] = { "sizeof",        "decltype", "noexcept", "alignof",
                                         "typeid",        "requires", "typeof",   "__typeof__",
                                         "static_assert", NULL };
    if (!token_is_any(w->t, word, words))
        return;
    size_t open = word + 1, close = token_is(w->t, open, "(") ? token_close(w->t, open) : 0;
    if (close == 0) {
        note(w, word, statement_close(w, word), false);
        return;
    }
    for (size_t i = open + 1; i < close; i++)
        if (!token_is_name(w->t, i) && !token_is(w->t, i, "::") && !token_is(w->t, i, "*")) {
            note(w, word, close, false);
            return;
        }
}

/* After the ) of a lambda's parameters; g++ takes an attribute there, or behind these words. */
static void mark_lambda(struct walk *w, size_t close, const char *what)
{
    static const char *const words[] = { "mutable", "noexcept", NULL }, *const ends[] = { "{", "->",
                                                                                          NULL };
    while (token_is_any(w->t, close + 1, words))
        close++;
    if (!token_is_any(w->t, close + 1, ends))
        return;
    edit(w->r, end_of(w->r, close), 0, " __attribute__((deprecated(\"simcc:%s\")))", what);
}

/* [=] __device__ (int i) { … }, at the word: the lines inside are the device's. */
static bool device_lambda(struct walk *w, size_t word)
{
    const struct tokens *t = w->t;
    size_t open = word + 1, close = token_is(t, open, "(") ? token_close(t, open) : 0;
    if (w->f->side != HOST_SIDE || word <= w->unsure_until || !token_is(t, word, "__device__")
        || !token_is(t, word - 1, "]") || close == 0)
        return false;
    size_t body = close + 1;
    while (body < w->f->close && !token_is(t, body, "{") && !token_is(t, body, ";"))
        body++;
    size_t end = token_is(t, body, "{") ? token_close(t, body) : w->f->close;
    if (end >= w->f->close)
        return false;
    struct reading ahead = w->at;
    struct place from = place_of(&ahead, word), first = place_of(&ahead, body),
                 last = place_of(&ahead, end);
    struct lambda l = { .head = { from.file, from.line, first.line },
                        .inside = { from.file, first.line + 1, last.line - 1 },
                        .last = { from.file, last.line, last.line },
                        .templated = w->f->templated };
    w->lambda_until = end;
    MEMORY_GROW(w->s->lambdas, w->s->lambda_count, w->s->lambda_capacity);
    w->s->lambdas[w->s->lambda_count++] = l;
    mark_lambda(w, close, "device");
    return true;
}

/* Code of another side, or of none: a local class, a lambda of both, or any in the device's code.
 */
static void inner_code(struct walk *w, size_t i)
{
    static const char *const words[] = { "__device__", "__host__", "__global__", NULL },
                             *const classes[] = { "struct", "class", "union", NULL },
                             *const ends[] = { "{", ";", ")", "=", "}", NULL };
    const struct tokens *t = w->t;
    if (token_is_any(t, i, words) && !device_lambda(w, i)) {
        size_t open = i;
        while (open < w->f->close && !token_is(t, open, "{") && !token_is(t, open, ";"))
            open++;
        note(w, i, token_is(t, open, "{") ? token_close(t, open) : open, false);
    } else if (token_is_any(t, i, classes)) {
        size_t open = next_of(w, i, ends);
        if (token_is(t, open, "{"))
            note(w, i, token_close(t, open), false);
    } else if (token_is(t, i, "[") && w->f->side != HOST_SIDE) {
        size_t body = lambda_body(w, i);
        if (body != t->count)
            note(w, i, token_close(t, body), false);
    }
}

static void left_out(struct walk *w, size_t i)
{
    static const char *const ends[] = { ";", ")", "]", "}", "{", NULL };
    const struct tokens *t = w->t;
    unevaluated(w, i);
    if (token_is(t, i, "constexpr") && token_is(t, token_before(t, i), "if")
        && token_is(t, i + 1, "("))
        note(w, i, branches_end(w, i + 1), false);
    else if (token_is(t, i, "__shared__"))
        note(w, i, statement_close(w, i), false);
    else if ((is_twice(t, i, "&") || is_twice(t, i, "|") || token_is(t, i, "?"))
             && i > w->unsure_until && !is_open_question(w, i))
        note(w, i, next_of(w, i, ends), false);
}

/* A lambda of the host's code is the host's, unless it says something else. */
static void lambda_marked(struct walk *w, size_t bracket)
{
    static const char *const words[] = { "__device__", "__host__", "constexpr", "requires", NULL };
    const struct tokens *t = w->t;
    size_t body = lambda_body(w, bracket), open = token_close(t, bracket) + 1;
    if (body == t->count || !token_is(t, open, "(") || w->f->templated || w->f->unclear
        || bracket <= w->unsure_until || bracket <= w->lambda_until)
        return;
    for (size_t i = open; i < body; i++)
        if (token_is_any(t, i, words))
            return;
    mark_lambda(w, token_close(t, open), "host");
}

/* Does the program have a variable of this name, a lambda or a pointer to a function? */
static bool is_variable(const struct walk *w, size_t name, const char *const *no_types)
{
    const struct tokens *t = w->t;
    for (size_t i = 0; i < t->count; i++)
        if (is_same(t, i, name)) {
            size_t last = token_before(t, i);
            bool declared = i > w->f->open && i < name && token_is_name(t, last)
                            && !token_is_any(t, last, no_types);
            if (declared || !token_is(t, i + 1, "(") || token_is(t, last, ">"))
                return true;
        }
    return false;
}

/* The device's own functions, in code of the host. */
static void device_function_called(struct walk *w, size_t i)
{
    static const char *const names[] = {
        "__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or", "__syncwarp",
        "__threadfence", "__threadfence_block", "__threadfence_system", "__shfl_sync", "__shfl_up_sync",
        "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync", "__any_sync", "__all_sync", "__activemask",
        "__nanosleep", "__popc", "__popcll", "__clz", "__ffs", "__brev", "__ldg", "clock64", "atomicAdd",
        "atomicSub", "atomicExch", "atomicMin", "atomicMax", "atomicInc", "atomicDec", "atomicCAS",
        "atomicAnd", "atomicOr", "atomicXor", NULL
    }, *const no_types[] = { "return", "else", "do", NULL };
    const struct tokens *t = w->t;
    size_t last = token_before(t, i);
    if (w->f->templated || i <= w->unsure_until || i <= w->lambda_until || !token_is(t, i + 1, "(")
        || token_is(t, last, ".") || token_is(t, last, "->") || token_is(t, last, "::")
        || (token_is_name(t, last) && !token_is_any(t, last, no_types)) || token_is(t, last, "&")
        || token_is(t, last, "*") || token_is(t, last, ">") || !token_is_any(t, i, names)
        || is_variable(w, i, no_types))
        return;
    refuse(w->r, i,
           "%.*s is a __device__ function: host code can call only host functions",
           (int)t->list[i].length, t->text + t->list[i].at);
}

/* f(…), f<int>(…), f<<<…>>>(…) */
static void name_used(struct walk *w, size_t i)
{
    const struct tokens *t = w->t;
    size_t known = space_known(w->s, t->text + t->list[i].at, t->list[i].length), next = i + 1;
    if (known == SIZE_MAX || w->s->chains[known].function == 0) {
        if (w->f->side == HOST_SIDE && !w->f->unclear)
            device_function_called(w, i);
        return;
    }
    if (token_is(t, next, "<") && !token_three(t, next, "<"))
        next = declaration_angle_end(t, next);
    bool launched = token_three(t, next, "<");
    if (!launched && !token_is(t, next, "("))
        return;
    struct reading ahead = w->at;
    struct use u = {
        known, { place_of(&w->at, i).file, w->at.place.line, 0 }, launched, i > w->unsure_until
    };
    u.lines.until = place_of(&ahead, launched ? statement_close(w, i) : token_close(t, next)).line;
    MEMORY_GROW(w->s->uses, w->s->use_count, w->s->use_capacity);
    w->s->uses[w->s->use_count++] = u;
}

static void walk_body(struct walk *w)
{
    const struct tokens *t = w->t;
    w->unsure_until = w->lambda_until = 0;
    for (size_t i = token_close(t, w->f->open) + 1; i < w->f->close; i++) {
        place_of(&w->at, i);
        inner_code(w, i);
        left_out(w, i);
        if (token_is_name(t, i))
            name_used(w, i);
        if (w->f->side == HOST_SIDE && token_is(t, i, "["))
            lambda_marked(w, i);
        else if (token_is(t, i, "["))
            array_declared(w, i);
        if (token_three(t, i, "<") && i > 0)
            note(w, i, statement_close(w, i), true);
    }
}

/* Would nvcc make a GPU's code of it whether or not anything uses it? */
static bool is_of_use(const struct spaces *s, const struct function *f)
{
    if (f->templated || f->close == 0 || f->side == HOST_SIDE)
        return false;
    if (f->kernel)
        return true;
    for (size_t i = s->chains[f->name].function; i > 0; i = s->functions[i - 1].namesake)
        if (s->functions[i - 1].lone)
            return false;
    return !f->in_class && !f->lone;
}

void space_bodies(struct rewriter *r, struct spaces *s)
{
    struct walk w = {
        .r = r, .t = &r->tokens, .s = s, .at = { .t = &r->tokens, .s = s, .theirs = r->theirs }
    };
    w.at.place = (struct place){ space_file(s, "", 0), 1 };
    for (size_t i = 0; i < s->function_count; i++) {
        w.f = &s->functions[i];
        s->functions[i].emitted |= is_of_use(s, w.f);
        if (w.f->close > 0)
            walk_body(&w);
    }
}
