/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Fingerprints that both texts have are seeds. Each is made longer to both sides
 * as far as the lexemes are the same and own; of these stretches the longest are
 * taken first, and none that overlaps a taken one.
 */
#include "grader/batch/similar/similarity.h"

#include <stdlib.h>

#include "trace/record/memory.h"

#define SEEDS_OF_ONE 8u         /* places of one fingerprint in one text that are tried */
#define STRETCHES_MOST 4096u    /* of two texts, before the choice */

/* ---- hashes ---- */

static uint64_t hash_of(const struct lexeme *l)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < SIMILARITY_GRAM; i++) {
        hash = (hash ^ l[i].code) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return hash;
}

static size_t grams_of(const struct lexemes *l)
{
    return l->count < SIMILARITY_GRAM ? 0 : l->count - SIMILARITY_GRAM + 1;
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

void given_add(struct given *g, const char *text, size_t bytes)
{
    struct lexemes l;
    lexemes_read(&l, text, bytes);
    for (size_t i = 0; i < grams_of(&l); i++) {
        MEMORY_GROW(g->list, g->count, g->capacity);
        g->list[g->count++] = hash_of(&l.list[i]);
    }
    lexemes_fini(&l);
}

void given_settle(struct given *g)
{
    if (g->count > 0)
        qsort(g->list, g->count, sizeof *g->list, by_value);
}

void given_fini(struct given *g)
{
    memory_resize(g->list, 0);
    *g = (struct given){ .list = NULL };
}

static bool is_given(const struct given *g, uint64_t hash)
{
    return g->count > 0 && bsearch(&hash, g->list, g->count, sizeof *g->list, by_value);
}

/* ---- fingerprints ---- */

static int by_hash(const void *a, const void *b)
{
    const struct fingerprint *left = a, *right = b;
    if (left->hash != right->hash)
        return left->hash < right->hash ? -1 : 1;
    return left->at < right->at ? -1 : left->at > right->at;
}

/* The smallest of each window, once; of equal ones that which was taken before, else the last. */
static void winnow(struct print *p, const uint64_t *hash, const bool *given, size_t count)
{
    size_t taken = SIZE_MAX,
           windows = count < SIMILARITY_WINDOW ? count > 0 : count - SIMILARITY_WINDOW + 1;
    for (size_t from = 0; from < windows; from++) {
        size_t best = SIZE_MAX,
               end = from + SIMILARITY_WINDOW < count ? from + SIMILARITY_WINDOW : count;
        for (size_t i = from; i < end; i++)
            if (!given[i] && (best == SIZE_MAX || hash[i] <= hash[best]))
                best = i;
        if (best == SIZE_MAX || (taken != SIZE_MAX && taken >= from && hash[taken] == hash[best]))
            continue;
        taken = best;
        MEMORY_GROW(p->list, p->count, p->capacity);
        p->list[p->count++] = (struct fingerprint){ hash[best], (uint32_t)best };
    }
}

void print_take(struct print *p, const char *text, size_t bytes, const struct given *g)
{
    *p = (struct print){ .list = NULL };
    lexemes_read(&p->lexemes, text, bytes);
    size_t count = grams_of(&p->lexemes), covered = 0;
    p->own = memory_resize(NULL, p->lexemes.count + 1);
    uint64_t *hash = memory_resize(NULL, (count + 1) * sizeof *hash);
    bool *given = memory_resize(NULL, count + 1);
    for (size_t i = 0; i < p->lexemes.count; i++) {
        if (i < count) {
            hash[i] = hash_of(&p->lexemes.list[i]);
            given[i] = is_given(g, hash[i]);
            if (given[i])
                covered = i + SIMILARITY_GRAM;
        }
        p->own[i] = i >= covered;
        p->own_count += p->own[i];
    }
    winnow(p, hash, given, count);
    if (p->count > 0)
        qsort(p->list, p->count, sizeof *p->list, by_hash);
    memory_resize(hash, 0);
    memory_resize(given, 0);
}

void print_fini(struct print *p)
{
    lexemes_fini(&p->lexemes);
    memory_resize(p->own, 0);
    memory_resize(p->list, 0);
}

/* ---- stretches ---- */

static bool same_at(const struct print *a, const struct print *b, size_t i, size_t k)
{
    return i < a->lexemes.count && k < b->lexemes.count && a->own[i] && b->own[k]
           && a->lexemes.list[i].code == b->lexemes.list[k].code;
}

static bool inside(const struct similarity *l, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct stretch *s = &l->list[i];
        if (a >= s->a && a - s->a < s->length && b - s->b == a - s->a)
            return true;
    }
    return false;
}

static void grow_seed(struct similarity *l, const struct print *a, const struct print *b,
                      uint32_t i, uint32_t k)
{
    struct stretch s = { i, k, 0 };
    if (l->count >= STRETCHES_MOST || inside(l, i, k))
        return;
    while (s.a > 0 && s.b > 0 && same_at(a, b, s.a - 1, s.b - 1))
        s.a--, s.b--;
    while (same_at(a, b, s.a + s.length, s.b + s.length))
        s.length++;
    if (s.length < SIMILARITY_GRAM) /* hashes that are equal by chance, or lexemes that stand in a
                                       given text too */
        return;
    MEMORY_GROW(l->list, l->count, l->capacity);
    l->list[l->count++] = s;
}

static int longest_first(const void *a, const void *b)
{
    const struct stretch *left = a, *right = b;
    if (left->length != right->length)
        return left->length > right->length ? -1 : 1;
    if (left->a != right->a)
        return left->a < right->a ? -1 : 1;
    return left->b < right->b ? -1 : left->b > right->b;
}

static int by_position(const void *a, const void *b)
{
    const struct stretch *left = a, *right = b;
    return left->a < right->a ? -1 : left->a > right->a;
}

/* Cuts off the ends that others have taken; true where enough is left. */
static bool cut(struct stretch *s, const bool *taken_a, const bool *taken_b)
{
    while (s->length > 0 && (taken_a[s->a] || taken_b[s->b]))
        s->a++, s->b++, s->length--;
    uint32_t whole = 0;
    while (whole < s->length && !taken_a[s->a + whole] && !taken_b[s->b + whole])
        whole++;
    s->length = whole;
    return whole >= SIMILARITY_GRAM;
}

static void choose(struct similarity *l, size_t a_count, size_t b_count)
{
    bool *taken_a = memory_resize(NULL, a_count + 1), *taken_b = memory_resize(NULL, b_count + 1);
    size_t kept = 0;
    memory_zero(taken_a, a_count + 1);
    memory_zero(taken_b, b_count + 1);
    if (l->count > 0)
        qsort(l->list, l->count, sizeof *l->list, longest_first);
    for (size_t i = 0; i < l->count; i++) {
        struct stretch s = l->list[i];
        if (!cut(&s, taken_a, taken_b))
            continue;
        for (uint32_t n = 0; n < s.length; n++)
            taken_a[s.a + n] = taken_b[s.b + n] = true;
        l->list[kept++] = s;
        l->lexemes += s.length;
    }
    l->count = kept;
    if (kept > 0)
        qsort(l->list, kept, sizeof *l->list, by_position);
    memory_resize(taken_a, 0);
    memory_resize(taken_b, 0);
}

/* Fingerprints from `at` on with the same hash. */
static size_t same_hash(const struct print *p, size_t at)
{
    size_t n = 1;
    while (at + n < p->count && p->list[at + n].hash == p->list[at].hash)
        n++;
    return n;
}

void similarity_find(struct similarity *l, const struct print *a, const struct print *b,
                     bool (*common)(const void *context, uint64_t hash), const void *context)
{
    *l = (struct similarity){ .list = NULL };
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        size_t in_a = same_hash(a, i), in_b = same_hash(b, k);
        uint64_t left = a->list[i].hash, right = b->list[k].hash;
        if (left == right && (!common || !common(context, left)))
            for (size_t m = 0; m < in_a && m < SEEDS_OF_ONE; m++)
                for (size_t n = 0; n < in_b && n < SEEDS_OF_ONE; n++)
                    grow_seed(l, a, b, a->list[i + m].at, b->list[k + n].at);
        i += left <= right ? in_a : 0;
        k += right <= left ? in_b : 0;
    }
    choose(l, a->lexemes.count, b->lexemes.count);
}

void similarity_fini(struct similarity *l)
{
    memory_resize(l->list, 0);
    *l = (struct similarity){ .list = NULL };
}
