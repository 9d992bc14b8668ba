/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A row is what stands in one line of a source, with the markers inside it.
 * The rows of both texts are walked side by side; those that differ, or are in
 * one text alone, form a difference. Where it lies in the host's text says whose
 * rows are taken. Functions of both are looked for by the line of their {.
 * Each change is a piece of the host's text with what replaces it.
 */
#include "simcc/rewrite/arch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simcc/rewrite/declaration.h"
#include "trace/record/memory.h"

struct file { const char *name; size_t length; bool system; };     /* the name with its quotes */

struct row {
    size_t from, until;         /* in the text */
    struct file file;
    long line;
};

struct function {
    size_t word, body, close;   /* in the text: the word of the device, { and } */
    size_t row;                 /* of the { */
    bool for_host, is_constexpr;
};

struct side {
    const char *text;
    size_t length;
    struct row *rows;
    size_t row_count, row_capacity;
    struct function *functions;
    size_t function_count, function_capacity;
};

struct change {
    size_t from, until;         /* in the host's text */
    char *text;                 /* malloc */
    size_t length;
};

struct merge {
    struct side host, device;
    struct change *changes;
    size_t count, capacity;
};

/* ---- rows ---- */

static bool same_location(const struct row *a, const struct row *b)
{
    return a->line == b->line && a->file.length == b->file.length
           && memcmp(a->file.name, b->file.name, a->file.length) == 0;
}

static void read_rows(struct side *s)
{
    struct file file = { "\"\"", 2, false };
    long line = 1;
    const char *end = s->text + s->length;
    for (const char *at = s->text, *next; at < end; at = next) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        next = newline ? newline + 1 : end;
        struct marker marker;
        if (marker_read(at, next, &marker)) {
            line = marker.line;
            file = (struct file){ marker.path - 1, marker.length + 2, marker.system };
            continue;
        }
        const char *first = at;
        while (first < next
               && (*first == ' ' || *first == '\t' || *first == '\r' || *first == '\n'))
            first++;
        if (first < next) {
            struct row row = { (size_t)(at - s->text), (size_t)(next - s->text), file, line };
            struct row *last = s->row_count > 0 ? &s->rows[s->row_count - 1] : NULL;
            if (last && same_location(last, &row)) {
                last->until = row.until;
            } else {
                MEMORY_GROW(s->rows, s->row_count, s->row_capacity);
                s->rows[s->row_count++] = row;
            }
        }
        line++;
    }
}

/* The row at this place in the text, or the one after it; the count: there is none. */
static size_t row_at(const struct side *s, size_t at)
{
    size_t low = 0, high = s->row_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->rows[middle].until > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* ---- functions ---- */

static void read_functions(struct side *s)
{
    struct tokens t;
    tokens_init(&t, s->text, s->length);
    for (size_t i = 0; i < t.count; i++) {
        if (!token_is(&t, i, "__device__") && !token_is(&t, i, "__global__"))
            continue;
        struct device_function f = device_function(&t, i);
        size_t close = f.open < t.count && f.body < t.count ? token_close(&t, f.body) : t.count;
        bool known =
            s->function_count > 0 && s->functions[s->function_count - 1].body == t.list[i].at;
        if (close == t.count || known)
            continue;
        MEMORY_GROW(s->functions, s->function_count, s->function_capacity);
        s->functions[s->function_count++] =
            (struct function){ t.list[i].at,     t.list[f.body].at,
                               t.list[close].at, row_at(s, t.list[f.body].at),
                               f.for_host,       f.is_constexpr };
    }
    tokens_fini(&t);
}

/* ---- text ---- */

static void add(struct change *c, const char *text, size_t length)
{
    c->text = memory_resize(c->text, c->length + length + 1);
    memcpy(c->text + c->length, text, length);
    c->length += length;
    c->text[c->length] = '\0';
}

/* A marker: what follows is in this row. */
static void add_marker(struct change *c, const struct row *row)
{
    char number[32];
    add(c, number, (size_t)snprintf(number, sizeof number, "\n# %ld ", row->line));
    add(c, row->file.name, row->file.length);
    if (row->file.system)
        add(c, " 3", 2);
    add(c, "\n", 1);
}

/* From a place in a side's text on, which is in this row. */
static void add_part(struct change *c, const struct side *s, size_t row, size_t from, size_t until)
{
    add_marker(c, &s->rows[row]);
    add(c, s->text + from, until - from);
}

static struct change *new_change(struct merge *m, size_t from, size_t until)
{
    MEMORY_GROW(m->changes, m->count, m->capacity);
    m->changes[m->count] = (struct change){ .from = from, .until = until };
    return &m->changes[m->count++];
}

/* ---- functions of both ---- */

static const char
    both[] = "if(::sim_on_device())",
    both_constant[] = "if(!__builtin_is_constant_evaluated()&&::sim_on_device())",
    differs[] =
        "static_assert(false,\"simcc has one program for the host and the device, and what stands here would be another one "
        "for each of them: let __CUDA_ARCH__ decide inside a function's body (book, \\\"What it does not do\\\")\");";

static bool same_text(const struct merge *m, size_t at, size_t until, size_t device_at,
                      size_t device_until)
{
    return until - at == device_until - device_at
           && memcmp(m->host.text + at, m->device.text + device_at, until - at) == 0;
}

static bool same_head(const struct merge *m, const struct function *f, const struct function *g)
{
    return same_text(m, f->word, f->body, g->word, g->body);
}

/* Which of the functions that stand in its row, and (`alike`) have its head, is it? */
static size_t ordinal(const struct side *s, const struct function *f, bool alike)
{
    size_t before = 0;
    for (const struct function *g = s->functions; g < f; g++)
        before += g->for_host && same_location(&s->rows[g->row], &s->rows[f->row])
                  && (!alike
                      || (g->body - g->word == f->body - f->word
                          && memcmp(s->text + g->word, s->text + f->word, f->body - f->word) == 0));
    return before;
}

/* The same function in the device's text; NULL: there is none. One row may have several, by a
 * macro. */
static const struct function *its_twin(const struct merge *m, const struct function *f)
{
    const struct side *d = &m->device;
    size_t of_its_head = ordinal(&m->host, f, true), of_its_row = ordinal(&m->host, f, false);
    const struct function *by_ordinal = NULL;
    for (size_t i = 0; i < d->function_count; i++) {
        const struct function *g = &d->functions[i];
        if (!g->for_host || !same_location(&m->host.rows[f->row], &d->rows[g->row]))
            continue;
        if (same_head(m, f, g)) {
            if (of_its_head-- == 0)
                return g;
        } else if (ordinal(d, g, false) == of_its_row) {
            by_ordinal = g;
        }
    }
    return by_ordinal;
}

static void give_both_bodies(struct merge *m)
{
    const struct side *h = &m->host, *d = &m->device;
    for (size_t i = 0; i < h->function_count; i++) {
        const struct function *f = &h->functions[i];
        const struct function *g = f->for_host ? its_twin(m, f) : NULL;
        bool heads = g && !same_head(m, f, g);
        if (!g || (!heads && same_text(m, f->body, f->close, g->body, g->close)))
            continue;
        struct change *c = new_change(m, f->body, f->close + 1);
        add(c, "{", 1);
        if (heads)
            add(c, differs, strlen(differs));
        if (f->is_constexpr)            /* what the compiler works out is the host's */
            add(c, both_constant, strlen(both_constant));
        else
            add(c, both, strlen(both));
        add_part(c, d, g->row, g->body, g->close + 1);
        add(c, "else", 4);
        add_part(c, h, f->row, f->body, f->close + 1);
        add_marker(c, &h->rows[row_at(h, f->close)]);
        add(c, "}", 1);
    }
}

/* ---- differences ---- */

static bool says_device(const struct side *s, size_t from, size_t until)
{
    static const char *const words[] = { "__device__", "__global__", "__constant__", "__shared__" };
    if (from == until)
        return false;
    const char *at = s->text + s->rows[from].from;
    size_t length = s->rows[until - 1].until - s->rows[from].from;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(at, length, words[i], strlen(words[i])))
            return true;
    return false;
}

/* Has a function of both a part in these rows? It is looked after where functions are. */
static bool holds_function_of_both(const struct side *s, size_t from, size_t until)
{
    for (size_t i = 0; i < s->function_count; i++) {
        const struct function *f = &s->functions[i];
        if (f->for_host && f->word < s->rows[until - 1].until && f->close >= s->rows[from].from)
            return true;
    }
    return false;
}

/* Is it the device's rows that count, for a difference at this place? */
static bool is_for_device(const struct merge *m, size_t from, size_t until, size_t device_from,
                          size_t device_until)
{
    const struct side *h = &m->host;
    size_t at = from < h->row_count ? h->rows[from].from : h->length,
           end = from < until ? h->rows[until - 1].until : at;
    bool inside = false;
    for (size_t i = 0; i < h->function_count; i++) {
        const struct function *f = &h->functions[i];
        bool here = at > f->body && at <= f->close, overlaps = f->body < end && f->close > at;
        if (f->for_host && (here || overlaps))
            return false;
        inside |= here && !f->for_host;
    }
    return inside || says_device(h, from, until)
           || says_device(&m->device, device_from, device_until);
}

/* Is the place outside of all functions? In a namespace or a class. */
static bool is_outside(const struct side *s, size_t at)
{
    struct tokens t;
    bool outside = true;
    tokens_init(&t, s->text, at);
    size_t open = 0, *braces = memory_resize(NULL, (t.count + 1) * sizeof *braces);
    for (size_t i = 0; i < t.count; i++)
        if (token_is(&t, i, "{"))
            braces[open++] = i;
        else if (token_is(&t, i, "}") && open > 0)
            open--;
    for (size_t i = 0; i < open && outside; i++)
        outside = declaration_is_outer(&t, braces[i]) || declaration_is_class(&t, braces[i]);
    memory_resize(braces, 0);
    tokens_fini(&t);
    return outside;
}

/* Rows of both texts, that say something else to each, where a kernel may see either. */
static bool is_ambiguous(const struct merge *m, size_t from, size_t until, size_t device_from,
                         size_t device_until)
{
    return from < until && device_from < device_until && !m->host.rows[from].file.system
           && is_outside(&m->host, m->host.rows[from].from);
}

static void differ(struct merge *m, size_t from, size_t until, size_t device_from,
                   size_t device_until)
{
    const struct side *h = &m->host, *d = &m->device;
    if (from == until && device_from == device_until)
        return;
    size_t at = from < h->row_count ? h->rows[from].from : h->length;
    if (!is_for_device(m, from, until, device_from, device_until)) {
        if (is_ambiguous(m, from, until, device_from, device_until)
            && !holds_function_of_both(h, from, until))
            add(new_change(m, at, at), differs, strlen(differs));
        return;
    }
    struct change *c = new_change(m, at, from < until ? h->rows[until - 1].until : at);
    for (size_t i = device_from; i < device_until; i++)
        add_part(c, d, i, d->rows[i].from, d->rows[i].until);
    if (until < h->row_count)
        add_marker(c, &h->rows[until]);
}

static bool same_row(const struct merge *m, size_t i, size_t j)
{
    const struct row *a = &m->host.rows[i], *b = &m->device.rows[j];
    return same_location(a, b) && a->until - a->from == b->until - b->from
           && memcmp(m->host.text + a->from, m->device.text + b->from, a->until - a->from) == 0;
}

/* How far from `from` on there is a row at this place; the count of rows: nowhere. */
static size_t distance(const struct side *s, size_t from, const struct row *like)
{
    for (size_t i = from; i < s->row_count; i++)
        if (same_location(&s->rows[i], like))
            return i - from;
    return s->row_count;
}

/* Where the walk is; the rows [from, i) and [device_from, j) are each in one text alone. */
struct walk { size_t i, j, from, device_from; };

static void flush_alone(struct merge *m, struct walk *w)
{
    differ(m, w->from, w->i, w->device_from, w->j);
    w->from = w->i;
    w->device_from = w->j;
}

/* Rows of one place are a difference for themselves. */
static void pass_pair(struct merge *m, struct walk *w)
{
    flush_alone(m, w);
    bool same = same_row(m, w->i, w->j);
    w->i++, w->j++;
    if (!same)
        flush_alone(m, w);
    w->from = w->i;
    w->device_from = w->j;
}

static void compare(struct merge *m)
{
    const struct side *h = &m->host, *d = &m->device;
    struct walk w = { 0 };
    while (w.i < h->row_count && w.j < d->row_count) {
        if (same_location(&h->rows[w.i], &d->rows[w.j])) {
            pass_pair(m, &w);
            continue;
        }
        size_t ahead = distance(h, w.i, &d->rows[w.j]), behind = distance(d, w.j, &h->rows[w.i]);
        bool nowhere = ahead == h->row_count && behind == d->row_count;
        if (nowhere)
            w.i++, w.j++;
        else if (behind == d->row_count || (ahead != h->row_count && ahead < behind))
            w.i += ahead;
        else
            w.j += behind;
    }
    w.i = h->row_count;
    w.j = d->row_count;
    flush_alone(m, &w);
}

/* ---- all of it ---- */

static int changes_by_offset(const void *a, const void *b)
{
    const struct change *left = a, *right = b;
    return left->from < right->from ? -1 : left->from > right->from;
}

static void finish(struct side *s)
{
    memory_resize(s->rows, 0);
    memory_resize(s->functions, 0);
}

static void start(struct side *s, const char *text, size_t length)
{
    *s = (struct side){ .text = text, .length = length };
    read_rows(s);
    read_functions(s);
}

char *rewrite_arch(const char *host, size_t host_length, const char *device, size_t device_length,
                   size_t *out_length)
{
    struct merge m = { 0 };
    struct change out = { 0 };
    size_t done = 0;
    start(&m.host, host, host_length);
    start(&m.device, device, device_length);
    give_both_bodies(&m);
    compare(&m);
    if (m.count > 0)
        qsort(m.changes, m.count, sizeof *m.changes, changes_by_offset);
    for (size_t i = 0; i < m.count; i++) {
        struct change *c = &m.changes[i];
        if (c->from >= done) {
            add(&out, host + done, c->from - done);
            add(&out, c->text ? c->text : "", c->length);
            done = c->until;
        }
        memory_resize(c->text, 0);
    }
    add(&out, host + done, host_length - done);
    memory_resize(m.changes, 0);
    finish(&m.host);
    finish(&m.device);
    *out_length = out.length;
    return out.text;
}
