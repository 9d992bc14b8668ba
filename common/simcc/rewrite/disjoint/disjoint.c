/* SPDX-License-Identifier: MIT */
/*
 * disjoint.c - kernels whose blocks do not see each other, as far as their text shows it.
 *
 * DESIGN
 * Such a kernel may run on several cores, and what comes of it is the same. What a launch adds to
 * the proof (sizes, pointers, allocations) is asked when it runs (sim/memory/disjoint.c); for that
 * a second closure, beside the body's, says what the kernel touches:
 *
 *   ::__sim::__body("k",[=]()mutable{ … },[=](struct sim_touches&__t){
 *       __t.__add(y,sizeof*y,…);…});
 *
 * Read is a small part of the language, and a kernel in which anything else stands is left alone:
 *
 * - a kernel at namespace scope, no template, whose parameters are numbers and pointers to numbers;
 * - variables that are numbers, each with an initialiser and with a name of its own in the kernel;
 * - statements: assignments of them, if, return, for with a variable that goes one way, and
 *   while (i < n) { …; i += blockDim.x * gridDim.x; };
 * - in expressions, operators without side effects, functions of mathematics that the program does
 *   not declare itself, and elements p[…] of a parameter, the pointer itself nowhere else;
 * - stores to p[i] where i, which is set once, is blockIdx.x * blockDim.x + threadIdx.x, or goes
 *   on from there by blockDim.x * gridDim.x in a loop, or is y * width + x of two such.
 *
 * Bounds of i are what if and for say of it: i < n, or a return for i >= n. Names of the program
 * are told from those of the language by where they are declared: nothing is declared twice in such
 * a kernel, and constants are enumerators and const integers at global scope.
 */
#include "simcc/rewrite/disjoint/disjoint.h"

#include <string.h>

#include "simcc/rewrite/declaration.h"

/* ---- expressions ---- */

static void read_expression(struct reader *d, size_t to);

/* p[…], from the pointer on. */
static void read_element(struct reader *d, bool stores)
{
    size_t pointer = d->at;
    disjoint_next(d);
    if (!disjoint_here(d, "[")) {
        disjoint_no(d);
        return;
    }
    size_t close = token_close(d->t, d->at);
    disjoint_next(d);
    read_touch(d, pointer, d->at, close, stores);
    read_expression(d, close);
    disjoint_expect(d, "]");
}

/* A name, a number, or type(…). */
static void read_operand(struct reader *d)
{
    static const char *const builtins[] = { "threadIdx", "blockIdx", "blockDim", "gridDim", NULL };
    static const char *const axes[] = { "x", "y", "z", NULL }, *const truths[] = { "true", "false",
                                                                                   NULL };
    const struct tokens *t = d->t;
    struct own *o = own_of(d, d->at);
    bool whole;
    if (o && (o->what == POINTER || o->what == POINTER_TO_CONST)) {
        read_element(d, false);
    } else if (o || is_constant(d->r, d->at) || token_is_any(t, d->at, truths)) {
        if (!o && is_constant(d->r, d->at) && d->r->own_operators)
            disjoint_no(d);
        disjoint_next(d);
    } else if (token_is_any(t, d->at, builtins)) {
        disjoint_next(d);
        disjoint_expect(d, ".");
        if (!token_is_any(t, d->at, axes))
            disjoint_no(d);
        disjoint_next(d);
    } else if (is_number(t, d->at, &whole)) {
        disjoint_next(d);
    } else if (is_type(t, d->at)
               || (token_is_name(t, d->at) && is_function(t, d->at)
                   && !is_one_of(d->r, &d->r->own_functions, d->at))) {
        disjoint_next(d);
        if (!disjoint_here(d, "("))
            disjoint_no(d);
        size_t close = token_close(t, d->at);
        disjoint_next(d);
        read_expression(d, close);
        disjoint_expect(d, ")");
    } else {
        disjoint_no(d);
    }
}

/* ( at the cursor: a cast, or brackets, where an operand ends. */
static bool read_bracket(struct reader *d)
{
    size_t close = token_close(d->t, d->at);
    disjoint_next(d);
    if (!is_type(d->t, d->at)) {
        read_expression(d, close);
        disjoint_expect(d, ")");
        return true;
    }
    while (d->ok && d->at < close) {
        if (!is_type(d->t, d->at))
            disjoint_no(d);
        disjoint_next(d);
    }
    disjoint_expect(d, ")");
    return false;
}

/* Up to the token `to`. */
static void read_expression(struct reader *d, size_t to)
{
    static const char *const before[] = { "+", "-", "!", "~", NULL },
                             *const between[] = { "+", "-", "*", "/", "%", "<", ">", "<=", ">=",
                                                  "==", "!=", "&&", "||", "&", "|", "^", "<<", ">>",
                                                  "?", ":", ",", NULL };
    bool ends = false;
    if (d->at == to)
        disjoint_no(d);
    while (d->ok && d->at < to) {
        const char *which;
        size_t n = operator_at(d->t, d->at, &which);
        if (n == 0 && !ends) {
            read_operand(d);
            ends = true;
        } else if (n == 1 && !ends && *which == '(') {
            ends = read_bracket(d);
        } else if (n > 0 && is_any_of(which, ends ? between : before)) {
            for (size_t i = 0; i < n; i++)
                disjoint_next(d);
            ends = false;
        } else {
            disjoint_no(d);
        }
    }
    if (d->at != to || !ends)
        disjoint_no(d);
}

/* ---- what conditions say ---- */

/* i < n, or i >= n. */
static void learn_fact(struct reader *d, size_t from, size_t to, const char *sign)
{
    size_t there = find_outside(d->t, from, to, sign), bound = there + strlen(sign);
    bound = token_behind(d->t, bound - 1);
    if (there == to || token_behind(d->t, from) != there || token_behind(d->t, bound) != to
        || !own_of(d, from) || d->fact_count == FACTS || !is_fixed(d, bound))
        return;
    d->facts[d->fact_count++] = (struct fact){ from, bound };
}

/* a && b && c, each of which holds; or, where a return follows, a || b || c: none of them does. */
static void learn_facts(struct reader *d, size_t from, size_t to, bool returns)
{
    static const char *const mixing[] = { "?", ",", "=", NULL };
    const char *joins = returns ? "||" : "&&", *other = returns ? "&&" : "||";
    for (const char *const *m = mixing; *m; m++)
        if (find_outside(d->t, from, to, *m) != to)
            return;
    if (find_outside(d->t, from, to, other) != to)
        return;
    for (size_t end; from < to; from = token_behind(d->t, end + 1)) {
        end = find_outside(d->t, from, to, joins);
        learn_fact(d, from, end, returns ? ">=" : "<");
        if (end == to)
            return;
    }
}

/* ---- statements ---- */

static void read_statement(struct reader *d);

/* The variable is of that kind, if what it is set to says so. */
static void read_index(struct reader *d, struct own *o, size_t from, size_t to)
{
    struct touch both = { .pointer = 0 };
    if (!o->integer)
        return;
    if (is_along(d, from, to, 'x', &o->x.size))
        o->what = INDEX_X;
    else if (is_along(d, from, to, 'y', &o->y.size))
        o->what = INDEX_Y;
    else if (is_stride(d->t, from, to))
        o->what = STRIDE;
    else if (is_index_xy(d, from, to, &both)) {
        o->what = INDEX_XY;
        o->x = both.x, o->y = both.y, o->width = both.width;
    }
}

/* Types and what is set to what, up to the ; */
static void read_declaration(struct reader *d)
{
    const struct tokens *t = d->t;
    bool integer = true, typed = false;
    for (; is_type(t, d->at) || disjoint_here(d, "const"); disjoint_next(d)) {
        integer = integer && !token_is_any(t, d->at, disjoint_small);
        typed |= !disjoint_here(d, "const");
    }
    size_t close = find_outside(t, d->at, t->count, ";");
    if (!typed)
        disjoint_no(d);
    while (d->ok) {
        size_t name = d->at, end;
        disjoint_next(d);
        disjoint_expect(d, "=");
        end = find_outside(t, d->at, close, ",");
        struct own o = { .integer = integer };
        read_index(d, &o, d->at, end);
        if (d->ok)
            read_expression(d, end);
        struct own *kept = read_name(d, name, o.what, integer);
        kept->x = o.x, kept->y = o.y, kept->width = o.width;
        if (!d->ok || end == close)
            break;
        disjoint_next(d);
    }
    disjoint_expect(d, ";");
}

/* x = …, x += …, x++, ++x, p[i] = …, up to `to`. */
static void read_assignment(struct reader *d, size_t to)
{
    const char *which;
    size_t n = operator_at(d->t, d->at, &which);
    bool before = n > 0 && counts(which);
    for (size_t i = 0; before && i < n; i++)
        disjoint_next(d);
    struct own *o = own_of(d, d->at);
    if (!o) {
        disjoint_no(d);
        return;
    }
    if (o->what == POINTER) {
        read_element(d, true);
    } else {
        read_assigned(d, o);
        disjoint_next(d);
    }
    n = operator_at(d->t, d->at, &which);
    if (!before && d->ok && n > 0 && (counts(which) || assigns(which))) {
        for (size_t i = 0; i < n; i++)
            disjoint_next(d);
        if (assigns(which))
            read_expression(d, to);
    } else if (!before) {
        disjoint_no(d);
    }
    if (d->at != to)
        disjoint_no(d);
}

/* Of a for, or an if: what is declared and known in it ends with it. */
static void read_inner(struct reader *d)
{
    size_t count = d->count, facts = d->fact_count;
    read_statement(d);
    d->count = count;
    d->fact_count = facts;
}

static bool is_return(const struct reader *d)
{
    const struct tokens *t = d->t;
    size_t first = disjoint_here(d, "{") ? token_behind(t, d->at) : d->at,
           last = token_behind(t, first);
    return token_is(t, first, "return") && token_is(t, last, ";")
           && (!disjoint_here(d, "{") || token_is(t, token_behind(t, last), "}"));
}

static void read_if(struct reader *d)
{
    size_t facts = d->fact_count, from, close;
    disjoint_next(d);
    close = disjoint_here(d, "(") ? token_close(d->t, d->at) : d->t->count;
    disjoint_expect(d, "(");
    from = d->at;
    read_expression(d, close);
    disjoint_expect(d, ")");
    if (!d->ok)
        return;
    bool returns = is_return(d);
    learn_facts(d, from, close, false);
    read_inner(d);
    d->fact_count = facts;
    if (disjoint_here(d, "else")) {
        disjoint_next(d);
        read_inner(d);
    } else if (returns) {
        learn_facts(d, from, close, true);
    }
}

/* i += blockDim.x * gridDim.x, where i is the thread's place in the grid. */
static bool strides(struct reader *d, const struct own *o, size_t from, size_t to)
{
    const struct tokens *t = d->t;
    size_t plus = token_behind(t, from), by = token_behind(t, plus + 1);
    const struct own *stride = own_of(d, by);
    return o->what == INDEX_X && o->x.size == 0 && token_is_same(t, from, o->name)
           && find_outside(t, from, to, "+=") == plus
           && (is_stride(t, by, to)
               || (stride && stride->what == STRIDE && token_behind(t, by) == to));
}

/* What [from, to) says of i bounds it in each turn of the loop. */
static void loops(struct reader *d, struct own *o, size_t from, size_t to)
{
    size_t facts = d->fact_count;
    learn_facts(d, from, to, false);
    o->x.loops = true;
    o->x.bound = bound_of(d, facts, o->name);
    if (o->x.bound == 0)
        disjoint_no(d);
}

/* for (int i = …; i < n; i += …): a variable that goes one way, up to a bound, or from thread to
 * thread of the grid. */
static void read_for(struct reader *d)
{
    const struct tokens *t = d->t;
    size_t count = d->count, facts = d->fact_count, close, end;
    disjoint_next(d);
    close = disjoint_here(d, "(") ? token_close(t, d->at) : t->count;
    disjoint_expect(d, "(");
    size_t own = d->count;
    read_declaration(d);
    if (!d->ok || d->count != own + 1) {
        disjoint_no(d);
        return;
    }
    struct own *o = &d->own[own];
    end = find_outside(t, d->at, close, ";");
    size_t from = d->at;
    if (!token_is_same(t, d->at, o->name))
        disjoint_no(d);
    read_expression(d, end);
    disjoint_expect(d, ";");
    if (strides(d, o, d->at, close)) {
        loops(d, o, from, end);
        d->at = close;
    } else {
        size_t name = token_is_name(t, d->at) ? d->at : token_behind(t, token_behind(t, d->at));
        if (!token_is_same(t, name, o->name))
            disjoint_no(d);
        if (d->ok)
            read_assignment(d, close);
        o->fixed = true;            /* in its body */
        learn_facts(d, from, end, false);
    }
    disjoint_expect(d, ")");
    d->loops++;
    read_inner(d);
    d->loops--;
    d->count = count;
    d->fact_count = facts;
}

/* while (i < n) { …; i += blockDim.x * gridDim.x; }: in the braces i goes from thread to thread of
 * the grid, and after them it is no index any more. In another loop what stands before the while
 * would come after it, too. */
static void read_while(struct reader *d)
{
    const struct tokens *t = d->t;
    size_t count = d->count, facts = d->fact_count, close, from, end, last;
    disjoint_next(d);
    close = disjoint_here(d, "(") ? token_close(t, d->at) : t->count;
    disjoint_expect(d, "(");
    from = d->at;
    struct own *o = own_of(d, from);
    read_expression(d, close);
    disjoint_expect(d, ")");
    end = disjoint_here(d, "{") ? token_close(t, d->at) : t->count;
    disjoint_expect(d, "{");
    if (!d->ok || d->loops > 0 || !o || o->what != INDEX_X
        || !token_is(t, token_before(t, end), ";")) {
        disjoint_no(d);
        return;
    }
    for (last = token_before(t, token_before(t, end));
         last > d->at
         && !token_is_any(t, token_before(t, last), (const char *const[]){ ";", "}", NULL });)
        last = token_before(t, last);
    if (!strides(d, o, last, token_before(t, end)))
        disjoint_no(d);
    loops(d, o, from, close);
    d->loops++;
    while (d->ok && d->at < last)
        read_statement(d);
    d->loops--;
    if (d->at != last)
        disjoint_no(d);
    d->at = end;
    disjoint_expect(d, "}");
    d->count = count;
    d->fact_count = facts;
    o->what = NUMBER;
    o->assigned = true;
}

static void read_block(struct reader *d)
{
    size_t count = d->count, facts = d->fact_count;
    disjoint_expect(d, "{");
    while (d->ok && !disjoint_here(d, "}"))
        read_statement(d);
    disjoint_expect(d, "}");
    d->count = count;
    d->fact_count = facts;
}

static void read_statement(struct reader *d)
{
    static const char *const leaving[] = { "return", "break", "continue", NULL };
    if (!d->ok || d->at >= d->t->count) {
        disjoint_no(d);
    } else if (disjoint_here(d, "{")) {
        read_block(d);
    } else if (disjoint_here(d, "if")) {
        read_if(d);
    } else if (disjoint_here(d, "for")) {
        read_for(d);
    } else if (disjoint_here(d, "while")) {
        read_while(d);
    } else if (token_is_any(d->t, d->at, leaving) || disjoint_here(d, ";")) {
        if (!disjoint_here(d, ";"))
            disjoint_next(d);
        disjoint_expect(d, ";");
    } else if (is_type(d->t, d->at) || disjoint_here(d, "const")) {
        read_declaration(d);
    } else {
        read_assignment(d, find_outside(d->t, d->at, d->t->count, ";"));
        disjoint_expect(d, ";");
    }
}

/* ---- parameters ---- */

static void read_parameter(struct reader *d, size_t to)
{
    static const char *const restricts[] = { "__restrict__", "__restrict", NULL };
    bool integer = true, typed = false, pointer = false, constant = false;
    for (; is_type(d->t, d->at) || disjoint_here(d, "const"); disjoint_next(d)) {
        integer = integer && !token_is_any(d->t, d->at, disjoint_small);
        typed |= !disjoint_here(d, "const");
        constant |= disjoint_here(d, "const");
        if (disjoint_here(d, "auto"))
            disjoint_no(d);
    }
    if (disjoint_here(d, "*")) {
        pointer = true;
        disjoint_next(d);
        while (token_is_any(d->t, d->at, restricts) || disjoint_here(d, "const"))
            disjoint_next(d);
    }
    if (!typed)
        disjoint_no(d);
    read_name(d, d->at, !pointer ? NUMBER : constant ? POINTER_TO_CONST : POINTER, integer);
    disjoint_next(d);
    if (d->at != to)
        disjoint_no(d);
}

static void read_parameters(struct reader *d, size_t close)
{
    disjoint_next(d);
    while (d->ok && d->at < close) {
        size_t end = find_outside(d->t, d->at, close, ",");
        read_parameter(d, end);
        if (d->at < close)
            disjoint_next(d);
    }
    d->parameters = d->count;
}

char *disjoint(struct rewriter *r, size_t word, size_t open, size_t body)
{
    const struct tokens *t = &r->tokens;
    struct reader d = { .r = r, .t = t, .at = open, .ok = true };
    bool plain = r->brace_count == 0 && !r->own_literals && !r->judged
                 && declaration_before(t, word, "template") == t->count
                 && token_is(t, token_behind(t, word), "void")
                 && token_behind(t, token_behind(t, word)) == open - 1
                 && token_behind(t, token_close(t, open)) == body;
    if (!plain)
        return NULL;
    read_parameters(&d, token_close(t, open));
    disjoint_next(&d);
    read_block(&d);
    return d.ok && d.touch_count > 0 ? disjoint_say(&d) : NULL;
}
