/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/card.h"
#include "model/card_files.h"

static void every_built_in_card_is_whole_and_found_by_its_name(void **state)
{
    (void)state;
    assert_true(card_count() >= 5);
    assert_string_equal(card_at(0)->name, "h200");
    for (size_t i = 0; i < card_count(); i++) {
        struct card card;
        size_t line;
        const char *error;
        if (!card_parse(&card, card_files[i].text, card_files[i].length, &line, &error))
            fail_msg("%s.card:%zu: %s", card_files[i].name, line, error);
        assert_string_equal(card.name, card_files[i].name);
        assert_ptr_equal(card_find(card_files[i].name), card_at(i));
    }
    assert_null(card_find("h2000"));
    assert_null(card_find(""));
}

/* The h200's text with `from` replaced by `to`. */
static const char *mistake(const char *from, const char *to, size_t *line)
{
    static char text[16384];
    struct card card;
    const char *error = NULL, *at = strstr(card_files[0].text, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - card_files[0].text), card_files[0].text, to, at + strlen(from));
    assert_false(card_parse(&card, text, strlen(text), line, &error));
    return error;
}

static void a_card_with_a_mistake_is_refused_with_the_line(void **state)
{
    (void)state;
    size_t line, sms;
    assert_string_equal(mistake("\nsms 132", "\nsms many", &sms), "the value is not a whole number with no unit");
    assert_string_equal(mistake("\nsms 132", "\nsms", &line), "the value is not a whole number with no unit");
    assert_int_equal(line, sms);
    assert_string_equal(mistake("\nsms 132", "\nsms 1\nsms 2", &line), "this key was given before");
    assert_int_equal(line, sms + 1);
    assert_string_equal(mistake("\nsms 132", "\nstreaming_multiprocessors 132", &line), "no card has such a key");
    assert_int_equal(line, sms);
    assert_string_equal(mistake("\nsms 132", "\n", &line), "no line for 'sms'");
    assert_string_equal(mistake("\nsms 132", "\nsms 0", &line), "the value is not between 1 and 100000");
    assert_int_equal(line, sms);
    assert_string_equal(mistake("title NVIDIA H200", "title", &line), "the text is empty or too long");
}

static const char *mistake_in(const char *text, size_t *line)
{
    struct card card;
    const char *error = NULL;
    assert_false(card_parse(&card, text, strlen(text), line, &error));
    return error;
}

static void a_card_that_is_like_another_has_its_figures_and_its_own(void **state)
{
    (void)state;
    const struct card *one = card_find("h200"), *two = card_find("dual");
    size_t line;
    assert_int_equal(one->devices, 1);
    assert_int_equal(two->devices, 2);
    assert_string_equal(two->title, one->title);
    assert_int_equal(two->sms, one->sms);
    assert_int_equal(two->peer_access, 1);
    assert_string_equal(mistake_in("name x\nlike h200\n", &line), "'like' comes first");
    assert_int_equal(line, 2);
    assert_string_equal(mistake_in("like nobody\nname x\n", &line), "no card of that name stands before this one");
    assert_string_equal(mistake_in("like h200\nname x\ndevices 2\n", &line), "devices with no bandwidth between them");
    assert_string_equal(mistake_in("like h200\nname x\ndevices 9\n", &line), "so many devices are not known");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_built_in_card_is_whole_and_found_by_its_name),
        cmocka_unit_test(a_card_with_a_mistake_is_refused_with_the_line),
        cmocka_unit_test(a_card_that_is_like_another_has_its_figures_and_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
