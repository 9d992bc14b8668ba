/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "grader/batch/similar/similarity.h"
#include "trace/record/memory.h"

static uint64_t state = 88172645463325252u;

static unsigned dice(unsigned sides)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 20) % sides);
}

/* Appends `count` lexemes made of characters that are one each. */
static void add_noise(char *text, unsigned count)
{
    static const char signs[] = "+-*%&|^~!=<>?:;,.(){}[]";
    size_t n = strlen(text);
    while (count-- > 0)
        text[n++] = signs[dice(sizeof signs - 1)];
    text[n] = '\0';
}

static size_t shared(const char *a, const char *b, const struct given *given)
{
    struct print x, y;
    struct similarity l;
    print_take(&x, a, strlen(a), given);
    print_take(&y, b, strlen(b), given);
    similarity_find(&l, &x, &y, NULL, NULL);
    size_t lexemes = l.lexemes;
    similarity_fini(&l);
    print_fini(&x), print_fini(&y);
    return lexemes;
}

static const struct given none;

static void a_shared_stretch_of_the_sure_length_is_always_found(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 2000; i++) {
        char stretch[64] = "", a[512] = "", b[512] = "";
        add_noise(stretch, SIMILARITY_SURE);
        add_noise(a, dice(100)), add_noise(b, dice(100));
        strcat(a, stretch), strcat(b, stretch);
        add_noise(a, dice(100)), add_noise(b, dice(100));
        assert_true(shared(a, b, &none) >= SIMILARITY_SURE);
    }
}

static void shorter_than_a_gram_is_never_taken_for_shared(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 2000; i++) {
        char stretch[64] = "", a[512] = "", b[512] = "";
        add_noise(stretch, SIMILARITY_GRAM - 1);
        add_noise(a, 50), add_noise(b, 50);
        strcat(a, "0"), strcat(b, "x");         /* what stands around it differs */
        strcat(a, stretch), strcat(b, stretch);
        strcat(a, "0"), strcat(b, "x");
        assert_int_equal(shared(a, b, &none), 0);
    }
}

static const char one[] =
    "int total = 0; for (int i = 0; i < n; i++) { total += weights[i] * values[i]; } // sum up\n"
    "if (total > limit) cudaStreamSynchronize(first); return total;";

static void names_numbers_comments_and_space_are_not_compared(void **unused)
{
    (void)unused;
    assert_int_equal(shared(one, "int s=7;/* mine */for(int k=1;k<count;k++){s+=w [ k ]*v[k];}\n\n"
                                 "if(s>most)cudaStreamSynchronize(other);return s;", &none),
                     shared(one, one, &none));
}

static void calls_of_cuda_are(void **unused)
{
    (void)unused;
    assert_true(
        shared(one,
               "int total = 0; for (int i = 0; i < n; i++) { total += weights[i] * values[i]; }\n"
               "if (total > limit) cudaEventSynchronize(first); return total;",
               &none)
        < shared(one, one, &none));
}

static void what_everybody_was_given_is_nobodys_own(void **unused)
{
    (void)unused;
    struct given given = { .list = NULL };
    struct print p;
    given_add(&given, one, strlen(one));
    given_settle(&given);
    assert_int_equal(shared(one, one, &given), 0);
    print_take(&p, one, strlen(one), &given);
    assert_int_equal(p.own_count, 0);
    assert_int_equal(p.count, 0);
    print_fini(&p);
    given_fini(&given);
}

static void what_changes_places_is_found(void **unused)
{
    (void)unused;
    char first[128] = "", second[128] = "", a[600] = "", b[600] = "";
    add_noise(first, 80), add_noise(second, 60);
    strcat(strcat(strcat(a, first), "0"), second);
    strcat(strcat(strcat(b, second), "x"), first);
    assert_int_equal(shared(a, b, &none), 140);
}

static void a_text_of_the_same_over_and_over_takes_no_time(void **unused)
{
    (void)unused;
    size_t count = 1 << 20;
    char *text = memory_resize(NULL, count + 1);
    for (size_t i = 0; i < count; i++)
        text[i] = "x;y"[i % 3];
    text[count] = '\0';
    assert_true(shared(text, text, &none) > 10000);
    memory_resize(text, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shared_stretch_of_the_sure_length_is_always_found),
        cmocka_unit_test(shorter_than_a_gram_is_never_taken_for_shared),
        cmocka_unit_test(names_numbers_comments_and_space_are_not_compared),
        cmocka_unit_test(calls_of_cuda_are),
        cmocka_unit_test(what_everybody_was_given_is_nobodys_own),
        cmocka_unit_test(what_changes_places_is_found),
        cmocka_unit_test(a_text_of_the_same_over_and_over_takes_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
