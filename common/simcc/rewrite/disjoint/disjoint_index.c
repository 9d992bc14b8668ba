/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/disjoint/disjoint.h"

/* blockIdx.x and its like: the token behind; 0: it is not that. */
static size_t builtin(const struct tokens *t, size_t token, const char *name, char axis)
{
    const char member[2] = { axis, '\0' };
    size_t dot = token_behind(t, token), last = token_behind(t, dot);
    return token_is(t, token, name) && token_is(t, dot, ".") && token_is(t, last, member)
               ? token_behind(t, last)
               : 0;
}

/* The operand that begins there is one of two factors or summands: a ( … ) is opened. */
static size_t unwrap(const struct tokens *t, size_t from, size_t *to)
{
    while (token_is(t, from, "(") && token_close(t, from) == token_before(t, *to)) {
        *to = token_close(t, from);
        from = token_behind(t, from);
    }
    return from;
}

/* (size_t)x: the token behind the cast to a type of integers; `from`: there is none. */
static size_t behind_cast(const struct tokens *t, size_t from)
{
    size_t close = token_is(t, from, "(") ? token_close(t, from) : t->count, i = from;
    if (close == t->count)
        return from;
    while ((i = token_behind(t, i)) < close)
        if (!token_is_any(t, i, disjoint_integers))
            return from;
    return token_before(t, close) == from ? from : token_behind(t, close);
}

/* [from, to) is blockIdx.x * blockDim.x, or a fixed number in place of that. */
static bool is_block(struct reader *d, size_t from, size_t to, char axis, size_t *size)
{
    const struct tokens *t = d->t;
    from = behind_cast(t, unwrap(t, from, &to));
    size_t star = find_outside(t, from, to, "*"), right = token_behind(t, star);
    if (star == to)
        return false;
    if (builtin(t, from, "blockIdx", axis) != star) {
        size_t left = from;             /* the other way round */
        from = right, right = left;
        if (builtin(t, from, "blockIdx", axis) != to)
            return false;
        to = star;
    }
    *size = right;
    if (builtin(t, right, "blockDim", axis) == to) {
        *size = 0;
        return true;
    }
    return token_behind(t, right) == to && is_fixed(d, right);
}

bool is_along(struct reader *d, size_t from, size_t to, char axis, size_t *size)
{
    const struct tokens *t = d->t;
    from = behind_cast(t, unwrap(t, from, &to));
    size_t plus = find_outside(t, from, to, "+"), right = token_behind(t, plus);
    if (plus == to || find_outside(t, right, to, "+") != to || find_outside(t, from, to, "-") != to)
        return false;
    return (is_block(d, from, plus, axis, size) && builtin(t, right, "threadIdx", axis) == to)
           || (builtin(t, from, "threadIdx", axis) == plus && is_block(d, right, to, axis, size));
}

bool is_stride(const struct tokens *t, size_t from, size_t to)
{
    from = unwrap(t, from, &to);
    size_t star = find_outside(t, from, to, "*"), right = token_behind(t, star);
    return (builtin(t, from, "blockDim", 'x') == star && builtin(t, right, "gridDim", 'x') == to)
           || (builtin(t, from, "gridDim", 'x') == star
               && builtin(t, right, "blockDim", 'x') == to);
}

size_t bound_of(const struct reader *d, size_t from, size_t variable)
{
    for (size_t i = d->fact_count; i-- > from;)
        if (token_is_same(d->t, d->facts[i].variable, variable))
            return d->facts[i].bound;
    return 0;
}

static bool index_alone(struct reader *d, size_t from, size_t to, enum what what, struct along *a)
{
    struct own *o = token_behind(d->t, from) == to ? own_of(d, from) : NULL;
    if (!o || o->what != what)
        return false;
    *a = what == INDEX_X ? o->x : o->y;
    if (!a->loops)
        a->bound = bound_of(d, 0, from);
    return true;
}

/* y * width + x, or a variable that is. */
bool is_index_xy(struct reader *d, size_t from, size_t to, struct touch *out)
{
    const struct tokens *t = d->t;
    struct own *o = token_behind(t, from) == to ? own_of(d, from) : NULL;
    if (o && o->what == INDEX_XY) {
        out->x = o->x, out->y = o->y, out->width = o->width;
        return true;
    }
    from = unwrap(t, from, &to);
    size_t plus = find_outside(t, from, to, "+"), right = token_behind(t, plus), end = plus;
    if (plus == to)
        return false;
    if (!index_alone(d, right, to, INDEX_X, &out->x)) {
        if (!index_alone(d, from, plus, INDEX_X, &out->x))
            return false;
        from = right, end = to;
    }
    from = unwrap(t, from, &end);
    size_t star = find_outside(t, from, end, "*"), other = token_behind(t, star);
    if (star == end)
        return false;
    bool first = index_alone(d, from, star, INDEX_Y, &out->y);
    size_t width = first ? other : from;
    if ((!first && !index_alone(d, other, end, INDEX_Y, &out->y))
        || token_behind(t, width) != (first ? end : star) || !is_fixed(d, width))
        return false;
    out->width = width;
    return true;
}

static void add_touch(struct reader *d, const struct touch *touch)
{
    if (d->touch_count == TOUCHES)
        disjoint_no(d);
    else
        d->touches[d->touch_count++] = *touch;
}

static bool same_along(const struct along *a, const struct along *b)
{
    return a->size == b->size && a->bound == b->bound && a->loops == b->loops;
}

void read_touch(struct reader *d, size_t pointer, size_t from, size_t to, bool stores)
{
    struct touch new = { .pointer = pointer, .stores = stores };
    new.known = index_alone(d, from, to, INDEX_X, &new.x) || is_index_xy(d, from, to, &new);
    if (!new.known)
        new.x = new.y = (struct along){ .size = 0 };
    if (stores && !new.known)
        disjoint_no(d);
    for (size_t i = 0; i < d->touch_count; i++) {
        struct touch *old = &d->touches[i];
        if (token_is_same(d->t, old->pointer, pointer) && same_along(&old->x, &new.x)
            && same_along(&old->y, &new.y) && old->width == new.width && old->known == new.known
            && old->stores >= stores)
            return;
    }
    add_touch(d, &new);
}
