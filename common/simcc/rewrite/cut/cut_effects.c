/* SPDX-License-Identifier: MIT */
/*
 * cut_effects.c - what segments touch that other threads can see.
 *
 * A segment that ends at a barrier is what a fiber does between two stops. Where one ends at a loop
 * or an if, or at what is the same for all threads, a fiber goes on into the next one before the
 * other threads come to the end of the first. Cut there, all threads leave the first before one
 * enters the next: no thread can tell the difference if neither of the two changes what the other
 * one touches.
 */
#include "simcc/rewrite/cut/cut.h"

#include <stdint.h>

#include "simcc/rewrite/declaration.h"
#include "simcc/rewrite/disjoint/disjoint.h"
#include "trace/record/memory.h"

/* A bit for each shared array of the kernel; the last ones are all other memory, and what is told
 * of a division by zero: which was the first. */
enum { DIVISION = 31, ELSEWHERE = 30, SHARED = 30 };
static const uint32_t all_memory = (UINT32_C(1) << DIVISION) - 1;

struct effects { uint32_t reads, writes; };

static uint32_t shared_bit(const struct cutter *c, size_t local)
{
    uint32_t bit = 0;
    if (declaration_says(c->t, c->locals[local].name, "extern"))
        return UINT32_C(1) << (SHARED - 1);     /* all of these lie at one place */
    for (size_t i = 0; i < local; i++)
        bit += c->locals[i].kind == CUT_SHARED;
    return bit < SHARED - 1 ? UINT32_C(1) << bit : all_memory;
}

/* x[1][2]: 2, x->y: 1. */
static unsigned depth_behind(const struct tokens *t, size_t name)
{
    unsigned depth = 0;
    size_t i = token_behind(t, name);
    for (; token_is(t, i, "["); i = token_behind(t, token_close(t, i)))
        depth++;
    return depth + token_is(t, i, "->");
}

/* A variable that a statement without barriers declares itself, and no pointer: T and auto may be
 * one, and are taken for one where they are used so. */
static bool is_declared_within(const struct cutter *c, size_t from, size_t name)
{
    for (size_t i = from; i <= name; i++)
        if (token_is_name(c->t, i) && token_is_same(c->t, i, name)
            && cut_is_plain_word(c, token_before(c->t, i)))
            return depth_behind(c->t, name) <= depth_behind(c->t, i);
    return false;
}

/* It stands for no memory that others see. */
static bool is_harmless_word(const struct cutter *c, size_t i)
{
    static const char *const words[] = {
        "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "if", "else", "for", "while", "do",
        "switch", "case", "default", "break", "continue", "return", "const", "constexpr", "sizeof",
        "true", "false", "static_cast", NULL
    };
    return token_is_any(c->t, i, words) || cut_is_plain_word(c, i) || is_constant(c->r, i)
           || (token_is(c->t, token_behind(c->t, i), "(") && cut_is_mathematics(c, i));
}

/* What the name at the token, which is no member, may stand for, and how it is used. */
static void add_name_effects(const struct cutter *c, size_t from, size_t i, struct effects *e)
{
    size_t local = cut_local_at(c, i);
    bool element;
    size_t behind = cut_behind_element(c->t, i, &element);
    bool changed = cut_is_more_than_read(c, i, behind);
    uint32_t what = all_memory;
    if (local < c->local_count) {
        const struct cut_local *l = &c->locals[local];
        bool steady = l->kind == CUT_POINTER || (l->kind == CUT_SAME && l->pointer);
        if (l->kind == CUT_SHARED) {
            what = shared_bit(c, local);
            changed |= !element && token_is(c->t, token_behind(c->t, l->name), "[");
        } else if (steady || l->kind == CUT_OTHER) {
            if (l->kind == CUT_OTHER && l->integer)
                return;                     /* a number of any kind */
            what = UINT32_C(1) << ELSEWHERE;
            changed |= !element;
        } else if (!l->pointer && depth_behind(c->t, i) <= l->dimensions) {
            return;
        } else {
            changed = true;
        }
    } else if (is_harmless_word(c, i) || is_declared_within(c, from, i)) {
        return;
    } else {
        changed = true;
    }
    e->reads |= what;
    if (changed)
        e->writes |= what;
}

/* *p, (a[i]) = …, ++(…): what is changed there is not said by the name alone. */
static bool is_hidden(const struct cutter *c, size_t i)
{
    const struct tokens *t = c->t;
    const char *which;
    size_t next = token_behind(t, i), last = token_before(t, i);
    bool changes = operator_at(t, next, &which) > 0 && (assigns(which) || counts(which));
    if (token_is(t, i, "*"))
        return !cut_is_between(c, i) && !cut_is_plain_word(c, last) && !token_is(t, last, "const")
               && !token_is(t, next, "=");
    if (token_is(t, i, ")"))
        return changes || token_is(t, next, "[") || token_is(t, next, "->");
    return token_is(t, i, "(") && (token_is(t, last, "+") || token_is(t, last, "-"))
           && token_is_same(t, last, token_before(t, last));
}

static void add_effects(const struct cutter *c, size_t from, size_t to, struct effects *e)
{
    static const char *const before[] = { ".", "->", NULL };
    for (size_t i = from; i < to; i = token_behind(c->t, i)) {
        bool divides = token_is(c->t, i, "/") || token_is(c->t, i, "%");
        if (divides && !cut_is_divisor(c, token_behind(c->t, i)))
            e->writes |= UINT32_C(1) << DIVISION;
        if (is_hidden(c, i))
            e->writes |= all_memory;
        if (token_is_name(c->t, i) && !token_is_any(c->t, token_before(c->t, i), before))
            add_name_effects(c, from, i, e);
    }
}

/* ---- which segments follow each other without a barrier ---- */

static size_t closes_of(const struct cutter *c, size_t head)
{
    return c->nodes[head + 1].closes;
}

static bool is_word(const struct cutter *c, size_t node, const char *word)
{
    return node < c->node_count && c->nodes[node].kind == CUT_HEAD
           && token_is(c->t, c->nodes[node].from, word);
}

/* The nodes that may come next: at most two; node_count: the kernel's end. */
static size_t next_nodes(const struct cutter *c, size_t node, size_t next[2])
{
    const struct cut_node *n = &c->nodes[node];
    next[0] = node + 1;
    if (n->kind == CUT_HEAD && !is_word(c, node, "else")) {
        size_t closes = closes_of(c, node);
        bool other = is_word(c, node, "if") && is_word(c, closes + 1, "else");
        next[1] = closes + 1 + other;
        return 2;
    }
    if (n->kind == CUT_CLOSES && n->head > 0) {
        size_t head = n->head - 1;
        if (is_word(c, head, "for") || is_word(c, head, "while"))
            next[0] = head;
        else if (is_word(c, head, "if") && is_word(c, node + 1, "else"))
            next[0] = closes_of(c, node + 1) + 1;
    }
    return 1;
}

static bool disagree_on(const struct effects *a, const struct effects *b)
{
    return (a->writes & (b->reads | b->writes)) != 0 || (b->writes & a->reads) != 0;
}

/* From the end of a segment on: does what it touches agree with all that follow up to a barrier? */
static bool agrees_from(const struct cutter *c, size_t node, const struct effects *effects,
                        bool seen[CUT_NODES])
{
    const struct effects *own = &effects[c->nodes[node].segment];
    size_t stack[2 * CUT_NODES + 2], count = 0, next[2];
    for (size_t i = 0; i < c->node_count; i++)
        seen[i] = false;
    for (size_t n = next_nodes(c, node, next); n > 0; n--)
        stack[count++] = next[n - 1];
    while (count > 0) {
        size_t at = stack[--count];
        if (at >= c->node_count || seen[at] || c->nodes[at].kind == CUT_BARRIER)
            continue;
        seen[at] = true;
        if (c->nodes[at].segment > 0 && disagree_on(own, &effects[c->nodes[at].segment]))
            return false;
        for (size_t n = next_nodes(c, at, next); n > 0; n--)
            stack[count++] = next[n - 1];
    }
    return true;
}

bool cut_keeps_order(struct cutter *c)
{
    struct effects *effects = memory_resize(NULL, (c->segments + 1) * sizeof *effects);
    memory_zero(effects, (c->segments + 1) * sizeof *effects);
    bool seen[CUT_NODES], agrees = true;
    for (size_t i = 0; i < c->node_count; i++)
        if (c->nodes[i].segment > 0)
            add_effects(c, c->nodes[i].from, c->nodes[i].to, &effects[c->nodes[i].segment]);
    for (size_t i = 0; agrees && i < c->node_count; i++) {
        bool last = c->nodes[i].segment > 0;
        for (size_t k = i + 1; last && k < c->node_count; k++)
            last = c->nodes[k].segment != c->nodes[i].segment;
        if (last)
            agrees = agrees_from(c, i, effects, seen);
    }
    memory_resize(effects, 0);
    return agrees;
}
