/* SPDX-License-Identifier: MIT */
/* The comparison of two files, of the bytes before and after the first that is zero. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "grader/batch/similar/similarity.h"

/* The longest row of lexemes that are nobody else's. */
static size_t longest_own(const struct print *p)
{
    size_t longest = 0;
    for (size_t i = 0, row = 0; i < p->lexemes.count; i++) {
        row = p->own[i] ? row + 1 : 0;
        longest = row > longest ? row : longest;
    }
    return longest;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char starter[] =
        "int f(int n) { for (int i = 0; i < n; i++) cudaStreamSynchronize(s[i]); return n; }";
    const char *a = (const char *)bytes, *cut = count > 0 ? memchr(a, '\0', count) : NULL;
    size_t a_count = cut ? (size_t)(cut - a) : count, b_count = cut ? count - a_count - 1 : count;
    const char *b = cut ? cut + 1 : a;
    struct given given = { .list = NULL };
    struct print x, y;
    struct similarity l;
    given_add(&given, starter, sizeof starter - 1);
    given_settle(&given);
    print_take(&x, a, a_count, &given);
    print_take(&y, b, b_count, &given);
    similarity_find(&l, &x, &y, NULL, NULL);
    HOLDS(l.lexemes <= x.own_count && l.lexemes <= y.own_count);
    size_t sum = 0, end = 0;
    for (size_t i = 0; i < l.count; i++) {
        const struct stretch *s = &l.list[i];
        HOLDS(s->length >= SIMILARITY_GRAM && s->a >= end && s->b + s->length <= y.lexemes.count);
        for (uint32_t k = 0; k < s->length; k++)
            HOLDS(x.lexemes.list[s->a + k].code == y.lexemes.list[s->b + k].code);
        const struct lexeme *last = &x.lexemes.list[s->a + s->length - 1];
        HOLDS(last->at + last->length <= a_count);
        sum += s->length;
        end = s->a + s->length;
    }
    HOLDS(sum == l.lexemes);
    if (!cut)
        HOLDS(longest_own(&x) < SIMILARITY_SURE || l.lexemes > 0);
    similarity_fini(&l);
    print_fini(&x), print_fini(&y);
    given_fini(&given);
    return 0;
}
