/* SPDX-License-Identifier: MIT */
/* cut.c - the statements of a kernel, as far as barriers are between or in them. */
#include "simcc/rewrite/cut/cut.h"

#include <stdlib.h>

#include "simcc/rewrite/declaration.h"
#include "simcc/rewrite/disjoint/disjoint.h"
#include "trace/record/memory.h"

static struct cut_node *add_node(struct cutter *c, enum cut_node_kind kind, size_t from, size_t to)
{
    if (c->node_count == CUT_NODES) {
        cut_no(c);
        c->node_count--;
    }
    c->nodes[c->node_count] = (struct cut_node){ .kind = kind, .from = from, .to = to };
    return &c->nodes[c->node_count++];
}

static void statements(struct cutter *c, size_t from, size_t to);

/* Of the if or loop that is the node `head`, counted from 1, and has barriers in it; 0: braces. */
static void branch(struct cutter *c, size_t from, size_t head)
{
    const struct tokens *t = c->t;
    size_t end = cut_statement_end(t, from), opens = c->node_count;
    add_node(c, CUT_OPENS, from, from)->head = head;
    if (token_is(t, from, "{"))
        statements(c, from + 1, end - 1);
    else
        statements(c, from, end);
    struct cut_node *closes = add_node(c, CUT_CLOSES, from, from);
    closes->head = head;
    if (c->ok)
        c->nodes[opens].closes = c->node_count - 1;
}

/* x = 1, y *= 2 in the head of a for. */
static void head_sets(struct cutter *c, size_t from, size_t to, size_t head)
{
    for (size_t end; c->ok && from < to; from = token_behind(c->t, end)) {
        end = find_outside(c->t, from, to, ",");
        if (!cut_read_set(c, from, end, head))
            cut_no(c);
        if (end == to)
            return;
    }
}

static void for_with_barriers(struct cutter *c, size_t word, size_t close)
{
    const struct tokens *t = c->t;
    size_t open = token_behind(t, word), first = find_outside(t, open + 1, close, ";"),
           second = find_outside(t, first + 1, close, ";"), body = token_behind(t, close);
    if (first >= close || second >= close || token_behind(t, first) == second) {
        cut_no(c);
        return;
    }
    size_t begin = token_behind(t, open);
    if (cut_is_declaration(c, begin))
        cut_read_declaration(c, begin, first, cut_statement_end(t, body), word);
    else
        head_sets(c, begin, first, word);
    head_sets(c, token_behind(t, second), close, word);
    add_node(c, CUT_HEAD, word, close + 1);
    branch(c, body, c->node_count);
}

static void control_with_barriers(struct cutter *c, size_t word)
{
    const struct tokens *t = c->t;
    size_t open = token_behind(t, word), close = token_is(t, open, "(") ? token_close(t, open)
                                                                        : t->count;
    if (close == t->count) {
        cut_no(c);
        return;
    }
    if (token_is(t, word, "for")) {
        for_with_barriers(c, word, close);
        return;
    }
    add_node(c, CUT_HEAD, word, close + 1);
    size_t then = token_behind(t, close), other = cut_statement_end(t, then);
    branch(c, then, c->node_count);
    other = token_behind(t, other - 1);
    if (token_is(t, word, "if") && token_is(t, other, "else")) {
        add_node(c, CUT_HEAD, other, other + 1);
        branch(c, token_behind(t, other), c->node_count);
    }
}

static void shared(struct cutter *c, size_t word, size_t from, size_t end, size_t to)
{
    struct declaration d;
    if (!declaration_read(c->t, word, &d) || d.end != end - 1
        || find_outside(c->t, from, end, "=") != end) {
        cut_no(c);
        return;
    }
    for (size_t i = 0; i < d.count; i++)
        cut_add(c, d.names[i], to, CUT_SHARED);
    add_node(c, CUT_VERBATIM, from, end);
}

/* __shared__ within the declaration; `end`: there is none. */
static size_t shared_word(const struct tokens *t, size_t from, size_t end)
{
    for (size_t i = from; i < end && !token_opens(t, i); i++)
        if (token_is(t, i, "__shared__"))
            return i;
    return end;
}

static void statement(struct cutter *c, size_t from, size_t end, size_t to)
{
    static const char *const controls[] = { "for", "while", "if", "do", "switch", NULL },
                             *const cut[] = { "for", "while", "if", NULL };
    const struct tokens *t = c->t;
    bool meets = cut_meets(t, from, end), control = token_is_any(t, from, controls);
    size_t word = shared_word(t, from, end);
    if (token_is(t, from, ";"))
        return;
    if (meets && token_is(t, from, "{")) {
        branch(c, from, 0);
    } else if (meets && token_is_any(t, from, cut)) {
        control_with_barriers(c, from);
    } else if (meets) {
        size_t open = token_behind(t, from), close = token_behind(t, open);
        if (!token_is(t, from, "__syncthreads") || !token_is(t, close, ")")
            || token_behind(t, close) != end - 1)
            cut_no(c);
        add_node(c, CUT_BARRIER, from, end);
    } else if (word != end) {
        shared(c, word, from, end, to);
    } else if (!control && !token_is(t, from, "{") && cut_is_declaration(c, from)) {
        cut_read_declaration(c, from, end - 1, to, 0);
    } else {
        if (cut_leaves(t, from, end))
            cut_no(c);
        struct cut_node *node = add_node(c, CUT_STATEMENT, from, end);
        if (!control && cut_read_set(c, from, end - 1, 0))
            node->set = c->set_count;
    }
}

static void statements(struct cutter *c, size_t from, size_t to)
{
    for (size_t i = token_behind(c->t, from - 1), end; c->ok && i < to;
         i = token_behind(c->t, end - 1)) {
        end = cut_statement_end(c->t, i);
        if (end > to || end <= i) {
            cut_no(c);
            return;
        }
        statement(c, i, end, to);
    }
}

/* for (…; condition; …), if (condition), while (condition); else has none. */
static bool is_uniform_head(struct cutter *c, const struct cut_node *node)
{
    const struct tokens *t = c->t;
    size_t open = token_behind(t, node->from), from = open + 1, close = node->to - 1;
    if (token_is(t, node->from, "else"))
        return true;
    if (token_is(t, node->from, "for")) {
        from = find_outside(t, from, close, ";") + 1;
        close = find_outside(t, from, close, ";");
    }
    return cut_is_uniform(c, token_behind(t, from - 1), close);
}

/* Do all threads come to each barrier, and equally often? */
static bool is_uniform(struct cutter *c)
{
    for (size_t i = 0; i < c->node_count; i++)
        if (c->nodes[i].kind == CUT_HEAD && !is_uniform_head(c, &c->nodes[i]))
            return false;
    for (size_t i = 0; i < c->local_count; i++)
        if (c->locals[i].head > 0 && c->locals[i].kind != CUT_UNIFORM)
            return false;
    for (size_t i = 0; i < c->set_count; i++)
        if (c->sets[i].head > 0 && c->locals[c->sets[i].local].kind != CUT_UNIFORM)
            return false;
    return true;
}

/* A kernel in a namespace may see something else of a constant's name there. */
static bool is_hidden_constant(const struct cutter *c, size_t name)
{
    static const char *const words[] = { "return", "case", "else", NULL };
    const struct tokens *t = c->t;
    size_t close = 0;
    for (size_t i = 1; i < t->count; i++) {
        if (token_is(t, i, "{") && i > close)
            close = token_close(t, i);
        if (i >= close || !token_is_same(t, i, name) || !token_is_name(t, i))
            continue;
        size_t last = token_before(t, i);
        if (token_is(t, last, "*") && cut_is_type_word(t, token_before(t, last)))
            return true;
        if ((token_is_name(t, last) && !token_is_any(t, last, words)) || token_is(t, last, "::"))
            return true;
    }
    return false;
}

static bool has_hidden_constants(const struct cutter *c)
{
    for (size_t i = c->body; i < c->end; i++)
        if (is_constant(c->r, i) && is_hidden_constant(c, i))
            return true;
    return false;
}

static char *cut(struct rewriter *r, const struct cut_place *place)
{
    struct cutter *c = memory_resize(NULL, sizeof *c);
    memory_zero(c, sizeof *c);
    c->r = r;
    c->t = &r->tokens;
    c->body = place->body;
    c->end = token_close(c->t, place->body);
    c->ok = c->end < c->t->count;
    char *text = NULL;
    if (c->ok)
        cut_read_parameters(c, place->word, place->open);
    if (c->ok)
        statements(c, place->body + 1, c->end);
    if (c->ok && !(place->within && has_hidden_constants(c)) && cut_words_are_known(c)) {
        cut_choose_kinds(c);
        if (c->ok && is_uniform(c) && cut_keeps_order(c))
            text = cut_written(c);
    }
    memory_resize(c, 0);
    return text;
}

void cut_kernel(struct rewriter *r, size_t word, size_t open, size_t body)
{
    const struct tokens *t = &r->tokens;
    size_t end = token_close(t, body);
    if (!r->cuts || r->bodies > 0 || !cut_meets(t, body, end))
        return;
    r->cut = memory_grow(r->cut, r->cut_count, &r->cut_capacity, sizeof *r->cut);
    r->cut[r->cut_count++] = (struct cut_place){ word, open, body, r->brace_count > 0 };
}

void cut_kernels(struct rewriter *r)
{
    if (r->cut_count == 0 || r->any_operators || r->own_literals || r->judged || r->one_core)
        return;
    edits_sort(r);
    char **texts = memory_resize(NULL, r->cut_count * sizeof *texts);
    for (size_t i = 0; i < r->cut_count; i++)
        texts[i] = cut(r, &r->cut[i]);
    for (size_t i = 0; i < r->cut_count; i++) {
        if (!texts[i])
            continue;
        edit(r, start_of(r, token_close(&r->tokens, r->cut[i].body)), 0, "%s", texts[i]);
        edit_foremost(r);
        free(texts[i]);
    }
    memory_resize(texts, 0);
}
