/* SPDX-License-Identifier: MIT */
/* cut_kinds.c - which variables are the same for all threads, and which are kept for each. */
#include "simcc/rewrite/cut/cut.h"

#include <string.h>

#include "simcc/rewrite/disjoint/disjoint.h"

/* ---- x = … ---- */

static bool is_same_sign_twice(const struct tokens *t, size_t first)
{
    const char *which;
    return operator_at(t, first, &which) == 2 && counts(which);
}

bool cut_is_divisor(const struct cutter *c, size_t token)
{
    static const char *const sizes[] = { "blockDim", "gridDim", "warpSize", NULL };
    bool whole;
    if (token_is(c->t, token, "(") && token_is(c->t, token_behind(c->t, token + 1), ")"))
        token = token_behind(c->t, token);  /* (16), of a macro */
    size_t local = cut_local_at(c, token);
    if (is_number(c->t, token, &whole))
        for (size_t i = 0; i < c->t->list[token].length; i++)
            if (strchr("123456789", c->t->text[c->t->list[token].at + i]))
                return whole;
    return token_is_any(c->t, token, sizes)
           || (local < c->local_count && c->locals[local].kind == CUT_NUMBER)
           || (local == c->local_count && is_constant(c->r, token));
}

bool cut_read_set(struct cutter *c, size_t from, size_t to, size_t head)
{
    const struct tokens *t = c->t;
    struct cut_set s = { .head = head, .target = from };
    const char *which = "";
    if (is_same_sign_twice(t, from)) {
        s.target = token_behind(t, from + 1);
        if (token_behind(t, s.target) != to)
            return false;
    } else {
        size_t sign = token_behind(t, from), length = operator_at(t, sign, &which);
        if (length == 0 || !(assigns(which) || counts(which)))
            return false;
        size_t next = token_behind(t, sign + length - 1);
        if (counts(which) && next != to)
            return false;
        if (assigns(which))
            s.value = next, s.value_end = to;
        if ((strcmp(which, "/=") == 0 || strcmp(which, "%=") == 0)
            && !(cut_is_divisor(c, next) && token_behind(t, next) == to))
            return false;
    }
    s.local = cut_local_at(c, s.target);
    if (s.local == c->local_count || c->set_count == CUT_SETS || s.value >= to)
        return false;
    const struct cut_local *l = &c->locals[s.local];
    if (l->kind != CUT_INNER || !l->integer || l->pointer || l->dimensions > 0 || l->constant)
        return false;
    c->sets[c->set_count++] = s;
    return true;
}

/* ---- expressions that have no effect, and no other value at another time ---- */

/* Nothing but the loop that it stands in sets it: what that loop's body computes from it stays. */
static bool is_fixed_in(const struct cutter *c, size_t local, size_t token)
{
    for (size_t i = 0; i < c->set_count; i++) {
        const struct cut_set *s = &c->sets[i];
        if (s->local != local)
            continue;
        size_t close = s->head > 0 ? token_close(c->t, token_behind(c->t, s->head)) : 0;
        if (s->head == 0 || token < close || token >= cut_statement_end(c->t, s->head))
            return false;
    }
    return true;
}

static bool is_steady_name(const struct cutter *c, size_t i, bool by_thread)
{
    static const char *const of_block[] = { "blockIdx", "blockDim", "gridDim", NULL },
                             *const words[] = { "true", "false", "warpSize", NULL };
    const struct tokens *t = c->t;
    size_t local = cut_local_at(c, i);
    if (local < c->local_count) {
        const struct cut_local *l = &c->locals[local];
        return l->kind == CUT_NUMBER || l->kind == CUT_INTEGER
               || (l->kind == CUT_UNIFORM && (!by_thread || is_fixed_in(c, local, i)))
               || (by_thread && (l->kind == CUT_POINTER || l->kind == CUT_SAME));
    }
    if (token_is_any(t, i, of_block) || (by_thread && token_is(t, i, "threadIdx")))
        return token_is(t, token_behind(t, i), ".");
    return token_is_any(t, i, words) || is_constant(c->r, i);
}

/* A cast to an integer type: (int) or int(. */
static bool is_steady_type(const struct cutter *c, size_t i)
{
    size_t last = token_before(c->t, i), next = token_behind(c->t, i);
    return cut_is_integer_word(c->t, i)
           && (token_is(c->t, next, "(") || token_is(c->t, last, "(")
               || cut_is_integer_word(c->t, last));
}

static bool is_steady_sign(const struct cutter *c, size_t i, const char *which)
{
    static const char *const signs[] = { "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=",
                                         "&&", "||", "&", "|", "^", "<<", ">>", "?", ":", "!", "~",
                                         "(", ")", NULL };
    const struct tokens *t = c->t;
    if (!is_any_of(which, signs))
        return false;
    if (strcmp(which, "/") == 0 || strcmp(which, "%") == 0)
        return cut_is_divisor(c, token_behind(t, i));
    if (strcmp(which, "*") == 0 || strcmp(which, "&") == 0)
        return cut_is_between(c, i);
    if (strcmp(which, "(") == 0) {
        size_t last = token_before(t, i);
        return !token_is_name(t, last) || cut_is_integer_word(t, last);
    }
    return true;
}

/* by_thread: it may be another for each thread. */
static bool is_steady(const struct cutter *c, size_t from, size_t to, bool by_thread)
{
    static const char *const axes[] = { "x", "y", "z", NULL };
    const struct tokens *t = c->t;
    bool whole;
    if (from >= to)
        return false;
    for (size_t i = from; i < to; i = token_behind(t, i)) {
        const char *which;
        size_t length = operator_at(t, i, &which);
        if (length > 0) {
            if (!is_steady_sign(c, i, which))
                return false;
            i += length - 1;
        } else if (token_is(t, i, ".")) {
            i = token_behind(t, i);
            if (!token_is_any(t, i, axes))
                return false;
        } else if (t->list[i].kind == TOKEN_NUMBER) {
            if (!is_number(t, i, &whole) || !whole)
                return false;
        } else if (!token_is_name(t, i)
                   || !(cut_is_type_word(t, i) ? is_steady_type(c, i)
                                               : is_steady_name(c, i, by_thread))) {
            return false;
        }
    }
    return true;
}

bool cut_is_uniform(const struct cutter *c, size_t from, size_t to)
{
    return is_steady(c, from, to, false);
}

/* ---- what is done to a variable ---- */

static bool is_set_there(const struct cutter *c, size_t token)
{
    for (size_t i = 0; i < c->set_count; i++)
        if (c->sets[i].target == token)
            return true;
    return false;
}

size_t cut_behind_element(const struct tokens *t, size_t name, bool *element)
{
    size_t i = token_behind(t, name);
    *element = false;
    for (;;) {
        if (token_is(t, i, "["))
            i = token_behind(t, token_close(t, i));
        else if (token_is(t, i, ".") || token_is(t, i, "->"))
            i = token_behind(t, token_behind(t, i));
        else
            return i;
        *element = true;
    }
}

bool cut_is_more_than_read(const struct cutter *c, size_t name, size_t behind)
{
    const struct tokens *t = c->t;
    const char *which;
    size_t last = token_before(t, name);
    bool element;
    while (token_is(t, last, "(") && token_is(t, behind, ")")
           && !token_is_name(t, token_before(t, last))) {   /* (x) = …, (x[1]).y = … */
        last = token_before(t, last);
        behind = cut_behind_element(t, behind, &element);
    }
    size_t second = token_before(t, last), length = operator_at(t, behind, &which);
    if (length > 0 && (assigns(which) || counts(which)))
        return true;
    if (second < t->count && is_same_sign_twice(t, second))
        return true;
    if (!token_is(t, last, "&") || (operator_at(t, second, &which) == 2 && which[0] == '&'))
        return false;
    return !cut_is_between(c, last);
}

/* The token after an array's indices, one for each dimension; 0: there are more or fewer. */
static size_t behind_indices(const struct cutter *c, const struct cut_local *l, size_t token)
{
    size_t i = token_behind(c->t, token);
    for (unsigned n = 0; n < l->dimensions; n++) {
        if (!token_is(c->t, i, "["))
            return 0;
        i = token_behind(c->t, token_close(c->t, i));
    }
    return i;
}

/* float4 and the like: their members are numbers. */
static bool is_vector(const struct cutter *c, const struct cut_local *l)
{
    for (size_t i = l->type; i < l->type_end; i = token_behind(c->t, i))
        if (cut_is_vector_word(c->t, i))
            return true;
    return false;
}

static bool is_plain_type(const struct cutter *c, const struct cut_local *l)
{
    static const char *const more[] = { "const", "std", "::", NULL };
    bool plain = !l->automatic;
    for (size_t i = l->type; plain && i < l->type_end; i = token_behind(c->t, i))
        plain = cut_is_plain_word(c, i) || token_is_any(c->t, i, more);
    return plain;
}

/* A thread's own variable may move from segment to segment: its address must not be taken. */
static bool is_by_value(const struct cutter *c, const struct cut_local *l, size_t token)
{
    const struct tokens *t = c->t;
    const char *which;
    size_t behind = behind_indices(c, l, token), last = token_before(t, token),
           second = token_before(t, last);
    if (behind == 0)
        return false;
    if (token_is(t, last, "&") && !(operator_at(t, second, &which) == 2 && which[0] == '&')
        && !cut_is_between(c, last))
        return false;
    bool bracket = token_is(t, last, "(");
    while (token_is(t, last, "("))
        last = token_before(t, last);
    if (bracket && token_is(t, last, "&"))
        return false;
    return l->pointer || !token_is(t, behind, ".") || is_vector(c, l);
}

/* x.y.z */
static size_t behind_members(const struct tokens *t, size_t name)
{
    size_t i = token_behind(t, name);
    while (token_is(t, i, "."))
        i = token_behind(t, token_behind(t, i));
    return i;
}

/* (int *)p.a: a cast takes from an array of a parameter that it is constant. */
static bool is_member_cast(const struct tokens *t, size_t name)
{
    size_t last = token_before(t, name);
    while (token_is(t, last, "("))
        last = token_before(t, last);
    return token_is(t, last, ")") && token_is(t, token_behind(t, name), ".");
}

static void look_at_uses(struct cutter *c)
{
    for (size_t i = c->body; i < c->end; i++) {
        size_t local = cut_local_at(c, i);
        if (local < c->local_count && i != c->locals[local].name
            && cut_is_more_than_read(c, i, behind_members(c->t, i)) && !is_set_there(c, i)
            && !(c->locals[local].kind == CUT_POINTER
                 && token_is(c->t, token_behind(c->t, i), "[")))
            c->locals[local].moves = true;
        if (local < c->local_count && c->locals[local].kind == CUT_OTHER
            && !c->locals[local].integer && is_member_cast(c->t, i))
            c->locals[local].moves = true;
    }
    for (size_t i = 0; i < c->local_count; i++)
        if (c->locals[i].kind >= CUT_INTEGER && c->locals[i].moves)
            cut_no(c);                      /* a parameter, which each thread has for itself */
}

/* ---- kinds ---- */

static bool stays_uniform(const struct cutter *c, size_t local)
{
    const struct cut_local *l = &c->locals[local];
    if (l->init > 0 && !cut_is_uniform(c, l->init, l->init_end))
        return false;
    for (size_t i = 0; i < c->set_count; i++)
        if (c->sets[i].local == local && c->sets[i].value > 0
            && !cut_is_uniform(c, c->sets[i].value, c->sets[i].value_end))
            return false;
    return true;
}

static bool has_sets(const struct cutter *c, size_t local)
{
    for (size_t i = 0; i < c->set_count; i++)
        if (c->sets[i].local == local)
            return true;
    return false;
}

static void find_uniform(struct cutter *c)
{
    for (size_t i = 0; i < c->local_count; i++) {
        struct cut_local *l = &c->locals[i];
        if (l->kind == CUT_INNER && l->integer && !l->pointer && l->dimensions == 0 && !l->moves
            && (l->init > 0 || has_sets(c, i)))
            l->kind = CUT_UNIFORM;
    }
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < c->local_count; i++)
            if (c->locals[i].kind == CUT_UNIFORM && !stays_uniform(c, i)) {
                c->locals[i].kind = CUT_INNER;
                again = true;
            }
    }
}

static void find_same(struct cutter *c)
{
    for (size_t i = 0; i < c->local_count; i++) {
        struct cut_local *l = &c->locals[i];
        if (l->kind == CUT_INNER && (l->integer || l->pointer) && l->dimensions == 0
            && l->init > 0 && !l->moves && !l->automatic && !has_sets(c, i)
            && is_steady(c, l->init, l->init_end, true))
            l->kind = CUT_SAME;
    }
}

/* Segments: statements with nothing between them at which threads meet or choose. */
static void number_segments(struct cutter *c)
{
    bool open = false;
    for (size_t i = 0; i < c->node_count; i++) {
        struct cut_node *n = &c->nodes[i];
        bool uniform = n->kind == CUT_STATEMENT && n->set > 0
                       && c->locals[c->sets[n->set - 1].local].kind == CUT_UNIFORM;
        bool inner = n->kind == CUT_DECLARES && c->locals[n->local].kind == CUT_INNER;
        if (uniform)
            n->kind = CUT_SETS_ALL;
        if (n->kind == CUT_STATEMENT || inner) {
            c->segments += !open;
            open = true;
            n->segment = c->segments;
            if (inner)
                c->locals[n->local].segment = n->segment;
        } else if (n->kind != CUT_DECLARES && n->kind != CUT_VERBATIM) {
            open = false;
        }
    }
}

static void find_kept(struct cutter *c)
{
    for (size_t k = 0; k < c->node_count; k++) {
        const struct cut_node *n = &c->nodes[k];
        for (size_t i = n->from; n->segment > 0 && i < n->to; i++) {
            size_t local = cut_local_at(c, i);
            struct cut_local *l = &c->locals[local];
            if (local == c->local_count || (l->kind != CUT_INNER && l->kind != CUT_KEPT)
                || i == l->name)
                continue;
            if (!is_by_value(c, l, i))
                cut_no(c);
            if (l->segment != n->segment)
                l->kind = CUT_KEPT;
            /* int x[] = … */
            bool counted = l->dimensions > 0 && token_is(c->t, token_behind(c->t, l->dims), "]");
            if (l->kind == CUT_KEPT
                && (counted || (l->dimensions > 0 && l->constant)
                    || !(l->pointer || is_plain_type(c, l))))
                cut_no(c);
        }
    }
}

void cut_choose_kinds(struct cutter *c)
{
    look_at_uses(c);
    find_uniform(c);
    find_same(c);
    number_segments(c);
    find_kept(c);
}
