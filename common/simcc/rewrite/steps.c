/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Programs let the threads of a warp exchange values in volatile memory without a word between, and
 * rely on their going in step. So do they here, statement by statement, in functions of the device
 * that name something volatile:
 *
 *   s[t] += s[t + 16];      ::__sim::__put(s[t]) += s[t + 16]; ::__sim::__step();
 *   if (s[t] > s[x]) S      {::__sim::__turn sim_turn; if (s[t] > s[x]) S}
 *   while (!*flag) S        {::__sim::__turn sim_turn; while (!*flag) {::__sim::__turn sim_turn;
 * S}} return s[0];            ::__sim::__step(); return s[0];
 *
 * (sim_step.h): all have read before one writes, and all have left a branch or a turn of a loop
 * before one goes on. Statements without a volatile name stay as they are, and so do those whose
 * volatile names are the thread's own variables. The parser knows what a statement begins with and
 * where it ends, and no more. A function that can only read (all is const volatile) exchanges
 * nothing: there a thread lets others go on from time to time, in a loop. The count is a local
 * variable of the function, which is not instrumented.
 */
#include "simcc/rewrite/edit.h"

#include "simcc/rewrite/declaration.h"
#include "trace/record/memory.h"

/* What the scan of a function knows. */
struct steps {
    struct rewriter *r;
    const struct tokens *t;
    struct names names;         /* volatile ones: parameters and variables */
    const char *turn, *begins, *step; /* what is written: before a branch or a loop, where a turn
                                         begins, after a statement */
};

/* ---- what is volatile? ---- */

/* The { of the innermost braces that the token is in; t->count: it is in none. */
static size_t innermost(const struct tokens *t, size_t token)
{
    size_t depth = 1;
    for (size_t i = token; i-- > 0;) {
        depth += token_is(t, i, "}");
        depth -= token_is(t, i, "{");
        if (depth == 0)
            return i;
    }
    return t->count;
}

static bool says_volatile(const struct tokens *t, size_t token)
{
    return token_is(t, token, "volatile") && token > 0 && !token_is(t, token - 1, "asm")
           && !token_is(t, token - 1, "__asm__") && !token_is(t, token - 1, "__asm");
}

/* volatile float x = 0, a[4]; in a function: a thread's own, which no other thread can see. */
static bool says_automatic(const struct tokens *t, size_t word)
{
    size_t from = word, i = word;
    while (from > 0 && !token_is(t, from - 1, ";") && !token_is(t, from - 1, "{")
           && !token_is(t, from - 1, "}") && !token_is(t, from - 1, "(")) {
        from--;
        if (token_is(t, from, "static") || token_is(t, from, "extern")
            || token_is(t, from, "__shared__"))
            return false;
    }
    if (from == 0 || (token_is(t, from - 1, "(") && !(from > 1 && token_is(t, from - 2, "for"))))
        return false;               /* a parameter, a cast */
    for (; i < t->count && !token_is(t, i, ";") && !token_is(t, i, "=") && !token_is(t, i, ":");
         i++)
        if (token_is(t, i, "*") || token_is(t, i, "&") || token_is(t, i, "static")
            || token_is(t, i, "extern") || token_is(t, i, "__shared__"))
            return false;
    size_t open = innermost(t, word);
    return open < t->count && !declaration_is_class(t, open);
}

static bool says_const_volatile(const struct tokens *t, size_t token)
{
    return says_volatile(t, token)
           && (token_is(t, token - 1, "const") || token_is(t, token + 1, "const"));
}

static bool ends_name(const struct tokens *t, size_t token)
{
    return token_is(t, token, "[") || token_is(t, token, ",") || token_is(t, token, ")")
           || token_is(t, token, "=") || token_is(t, token, ";") || token_is(t, token, "{");
}

/* volatile int *p, a[2]: the names that the word declares. A cast declares none. */
static void learn_volatile(struct names *names, const struct tokens *t, size_t word)
{
    for (size_t i = word + 1; i + 1 < t->count; i++) {
        if (token_is_name(t, i) && ends_name(t, i + 1)
            && (token_is_name(t, i - 1) || token_is(t, i - 1, "*") || token_is(t, i - 1, "&")
                || token_is(t, i - 1, ">") || token_is(t, i - 1, ",")))
            add_name(names, t->text + t->list[i].at, t->list[i].length);
        if (token_is(t, i, "[") || token_is(t, i, "{"))
            i = token_close(t, i);
        else if (token_is(t, i, "=") || token_is(t, i, ";") || token_is(t, i, ")")
                 || token_is(t, i, "(") || token_is(t, i, "}")
                 || (token_is(t, i, ",") && token_is_name(t, i + 1) && !ends_name(t, i + 2)))
            return;
    }
}

static bool mentions(const struct steps *s, size_t from, size_t until)
{
    for (size_t i = from; i < until; i++)
        if ((says_volatile(s->t, i) && !says_automatic(s->t, i))
            || (token_is_name(s->t, i)
                && (is_one_of(s->r, &s->names, i) || is_one_of(s->r, &s->r->volatiles, i))))
            return true;
    return false;
}

/* ---- statements ---- */

static size_t skip_markers(const struct tokens *t, size_t i)
{
    while (i < t->count && t->list[i].kind == TOKEN_MARKER)
        i++;
    return i;
}

static size_t parentheses(const struct tokens *t, size_t i)
{
    i = skip_markers(t, i);
    return token_is(t, i, "(") ? token_close(t, i) + 1 : i;
}

static bool adjoins(const struct tokens *t, size_t token)
{
    return token > 0 && t->list[token - 1].at + t->list[token - 1].length == t->list[token].at;
}

/* The = that assigns, at the top of the statement; `end`: there is none. */
static size_t assignment(const struct tokens *t, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        if (token_opens(t, i))
            i = token_close(t, i);
        else if (token_is(t, i, "?"))
            return end;
        else if (token_is(t, i, "=")) {
            bool equal = token_is(t, i + 1, "=") && adjoins(t, i + 1);
            bool unequal = adjoins(t, i) && token_is(t, i - 1, "!");
            bool ordered =
                adjoins(t, i) && (token_is(t, i - 1, "<") || token_is(t, i - 1, ">"))
                && !(adjoins(t, i - 1) && (token_is(t, i - 2, "<") || token_is(t, i - 2, ">")));
            if (equal || unequal || ordered)
                i += equal;
            else
                return i;
        }
    }
    return end;
}

/* Where the sign of an assignment begins: + of +=, the first < of <<=. */
static size_t sign_begins(const struct tokens *t, size_t equals)
{
    static const char *const signs[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<", ">" };
    size_t at = equals;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (adjoins(t, equals) && token_is(t, equals - 1, signs[i]))
            at = equals - 1;
    if (at < equals && (token_is(t, at, "<") || token_is(t, at, ">")))
        at--;
    return at;
}

/* int x, T *p, auto y: two names side by side, or a pointer's or reference's sign before the last.
 */
static bool declares(const struct tokens *t, size_t from, size_t until)
{
    if (token_is(t, from, "const") || token_is(t, from, "volatile") || token_is(t, from, "static")
        || token_is(t, from, "__shared__") || token_is(t, from, "auto"))
        return true;
    for (size_t i = from; i + 1 < until; i++) {
        if (token_is(t, i, "(") || token_is(t, i, "["))
            return false;
        bool sign = token_is(t, i, "*") || token_is(t, i, "&") || token_is(t, i, ">");
        if (token_is_name(t, i + 1) && i >= from && (token_is_name(t, i) || (sign && i > from)))
            return true;
    }
    return false;
}

static void write_volatile(struct steps *s, size_t from, size_t until)
{
    edit(s->r, start_of(s->r, from), 0, "::__sim::__put(");
    edit(s->r, end_of(s->r, until - 1), 0, ")");
}

/* x = y; x += y; x++; ++x; of something volatile */
static void assign(struct steps *s, size_t from, size_t end)
{
    const struct tokens *t = s->t;
    size_t equals = assignment(t, from, end), sign = equals < end ? sign_begins(t, equals) : end;
    if (equals < end) {
        if (sign > from && !declares(t, from, sign) && mentions(s, from, sign)
            && !token_is(t, equals + 1, "{"))
            write_volatile(s, from, sign);
        return;
    }
    for (int less = 0; less < 2; less++) {
        const char *one = less ? "-" : "+";
        bool after = end > from + 2 && token_is(t, end - 1, one) && token_is(t, end - 2, one);
        bool before = end > from + 2 && token_is(t, from, one) && token_is(t, from + 1, one);
        if (!after && !before)
            continue;
        size_t first = before ? from : end - 2;
        write_volatile(s, before ? from + 2 : from, before ? end : end - 2);
        drop(s->r, first, "");
        drop(s->r, first + 1, "");
        edit(s->r, end_of(s->r, end - 1), 0, "%s=1", one);
        return;
    }
}

/* An expression or a declaration, to its ; */
static size_t simple(struct steps *s, size_t from, bool in_block)
{
    const struct tokens *t = s->t;
    size_t end = from;
    while (end < t->count && !token_is(t, end, ";"))
        end = token_opens(t, end)
                  ? token_close(t, end) + 1
                  : end + 1;
    if (end >= t->count || !mentions(s, from, end))
        return end + 1;
    bool leaves = token_is(t, from, "return"),
         only_declares = declares(t, from, end) && assignment(t, from, end) == end;
    if (!in_block)
        edit(s->r, start_of(s->r, from), 0, "{");
    if (leaves)
        edit(s->r, start_of(s->r, from), 0, "%s", s->step);
    else if (!only_declares)
        assign(s, from, end);
    edit(s->r, end_of(s->r, end), 0, "%s%s", leaves || only_declares ? "" : s->step,
         in_block ? "" : "}");
    return end + 1;
}

static size_t statement(struct steps *s, size_t i, bool in_block);

static size_t block_of(struct steps *s, size_t open)
{
    size_t close = token_close(s->t, open);
    for (size_t i = skip_markers(s->t, open + 1); i < close; i = skip_markers(s->t, i))
        i = statement(s, i, true);
    return close + 1;
}

/* A turn of a loop, which is a scope of its own. */
static size_t body(struct steps *s, size_t i)
{
    i = skip_markers(s->t, i);
    edit(s->r, start_of(s->r, i), 0, "%s", s->begins);
    size_t end = statement(s, i, false);
    if (end > 0 && end <= s->t->count)
        edit(s->r, end_of(s->r, end - 1), 0, "}");
    return end;
}

/* Where the statement ends, without edits. */
static size_t end_of_statement(const struct steps *s, size_t i)
{
    const struct tokens *t = s->t;
    i = skip_markers(t, i);
    if (token_is(t, i, "{"))
        return token_close(t, i) + 1;
    if (token_is(t, i, "if")) {
        i = end_of_statement(s, parentheses(t, i + 1 + token_is(t, i + 1, "constexpr")));
        size_t next = skip_markers(t, i);
        return token_is(t, next, "else") ? end_of_statement(s, next + 1) : i;
    }
    if (token_is(t, i, "for") || token_is(t, i, "while") || token_is(t, i, "switch"))
        return end_of_statement(s, parentheses(t, i + 1));
    if (token_is(t, i, "do"))
        i = end_of_statement(s, i + 1);
    while (i < t->count && !token_is(t, i, ";"))
        i = token_opens(t, i)
                ? token_close(t, i) + 1
                : i + 1;
    return i + 1;
}

/* if, for, while, do, switch, if something volatile is in it. */
static size_t control(struct steps *s, size_t i)
{
    const struct tokens *t = s->t;
    size_t end = end_of_statement(s, i), at;
    if (end > t->count || !mentions(s, i, end))
        return end;
    edit(s->r, start_of(s->r, i), 0, "%s", s->turn);
    if (token_is(t, i, "if")) {
        at = statement(s, parentheses(t, i + 1 + token_is(t, i + 1, "constexpr")), false);
        size_t next = skip_markers(t, at);
        if (token_is(t, next, "else"))
            statement(s, next + 1, false);
    } else if (token_is(t, i, "switch")) {
        statement(s, parentheses(t, i + 1), false);
    } else {
        body(s, token_is(t, i, "do") ? i + 1 : parentheses(t, i + 1));
    }
    edit(s->r, end_of(s->r, end - 1), 0, "}");
    return end;
}

static size_t statement(struct steps *s, size_t i, bool in_block)
{
    static const char *const controls[] = { "if", "for", "while", "do", "switch" };
    const struct tokens *t = s->t;
    i = skip_markers(t, i);
    if (token_is(t, i, "{"))
        return block_of(s, i);
    for (size_t k = 0; k < sizeof controls / sizeof *controls; k++)
        if (token_is(t, i, controls[k]))
            return control(s, i);
    if (token_is(t, i, "case") || token_is(t, i, "default")) {
        while (i < t->count && !token_is(t, i, ":"))
            i++;
        return i + 1;
    }
    if (token_is_name(t, i) && token_is(t, i + 1, ":"))
        return i + 2;
    return simple(s, i, in_block);
}

/* ---- functions ---- */

void steps_volatile(struct rewriter *r, size_t word)
{
    const struct tokens *t = &r->tokens;
    if (!says_volatile(t, word) || word < r->steps_until)
        return;
    size_t open = r->bodies > 0 ? innermost(t, word) : t->count;
    if (open == t->count || declaration_is_class(t, open))
        learn_volatile(&r->volatiles, t, word);
}

void steps_from_word(struct rewriter *r, size_t word)
{
    const struct tokens *t = &r->tokens;
    struct device_function f = device_function(t, word);
    if (f.open == t->count || f.body == t->count || f.is_constexpr || f.body < r->steps_until)
        return;
    size_t close = token_close(t, f.body);
    if (close == t->count)
        return;
    r->steps_until = close;
    struct steps s = { .r = r,
                       .t = t,
                       .turn =
                           "{__attribute__((__unused__)) unsigned sim_polls = ::__sim::__patience;",
                       .begins = "{if (!--sim_polls) sim_polls = ::__sim::__others();",
                       .step = "" };
    bool any = false, jumps = false, stores = mentions(&s, f.body, close);
    for (size_t i = f.open; i < close; i++) {
        jumps |= token_is(t, i, "goto");
        if (says_volatile(t, i) && !(i > f.body && says_automatic(t, i))) {
            any = true;
            stores |= !says_const_volatile(t, i);
            learn_volatile(&s.names, t, i);
        }
    }
    if (stores) {
        s.turn = s.begins = "{::__sim::__turn sim_turn;";
        s.step = "::__sim::__step();";
    }
    if (!jumps && (any || stores))
        block_of(&s, f.body);
    memory_resize(s.names.list, 0);
}
