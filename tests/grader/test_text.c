/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "grader/base/terminal.h"
#include "grader/base/text.h"
#include "trace/record/memory.h"

static void expect_harmless(const char *bytes, size_t n, const char *wanted)
{
    char *clean = text_harmless(bytes, n);
    assert_string_equal(clean, wanted);
    memory_resize(clean, 0);
}
#define HARMLESS(bytes, wanted) expect_harmless(bytes, sizeof bytes - 1, wanted)

static void plain_text_stays_as_it_is(void **state)
{
    (void)state;
    HARMLESS("a\tb\nGr\xc3\xbc\xc3\x9f"
             "e \xe2\x86\x92 \xf0\x9f\x99\x82",
             "a\tb\nGr\xc3\xbc\xc3\x9f"
             "e \xe2\x86\x92 \xf0\x9f\x99\x82");
}

static void escapes_and_controls_become_visible(void **state)
{
    (void)state;
    HARMLESS("\x1b[31mred\x1b]0;title\a", "\\x1B[31mred\\x1B]0;title\\x07");
    HARMLESS("over\rwritten", "over\\x0Dwritten");
    HARMLESS("dos\r\nline", "dos\nline");
    HARMLESS("a\0b", "a\\x00b");
}

static void c1_controls_and_text_that_turns_round_become_visible(void **state)
{
    (void)state;
    HARMLESS("\xc2\x9b" "31m", "\\xC2\\x9B31m");
    HARMLESS("\xe2\x80\xae" "evil", "\\xE2\\x80\\xAE" "evil");
}

static void bytes_that_are_no_utf8_become_visible(void **state)
{
    (void)state;
    HARMLESS("\xff\xc3", "\\xFF\\xC3");
    HARMLESS("\xc0\xaf", "\\xC0\\xAF");             /* overlong */
    HARMLESS("\xed\xa0\x80", "\\xED\\xA0\\x80");    /* a surrogate */
}

static void utf8_lengths_are_those_of_the_standard(void **state)
{
    (void)state;
    uint32_t code;
    assert_int_equal(utf8_at("x", 1, &code), 1);
    assert_int_equal(utf8_at("\xf4\x8f\xbf\xbf", 4, &code), 4);
    assert_int_equal(code, 0x10ffff);
    assert_int_equal(utf8_at("\xf4\x90\x80\x80", 4, &code), 0);
    assert_int_equal(utf8_at("\xe2\x82", 2, &code), 0);
    assert_int_equal(utf8_at("", 0, &code), 0);
}

static void lines_are_found_by_number(void **state)
{
    (void)state;
    const char text[] = "one\r\n\nthree";
    size_t length;
    assert_memory_equal(text_line(text, sizeof text - 1, 1, &length), "one", 3);
    assert_int_equal(length, 3);
    assert_non_null(text_line(text, sizeof text - 1, 2, &length));
    assert_int_equal(length, 0);
    assert_memory_equal(text_line(text, sizeof text - 1, 3, &length), "three", 5);
    assert_null(text_line(text, sizeof text - 1, 4, &length));
}

static void wrapped_text_keeps_to_the_width_and_its_indent(void **state)
{
    (void)state;
    char *buffer;
    size_t size;
    FILE *out = open_memstream(&buffer, &size);
    struct terminal t = { out, 20, false, false };
    terminal_wrap(&t, 6, "why", PLAIN, "one two three four five");
    fclose(out);
    assert_string_equal(buffer, "why   one two three\n      four five\n");
    free(buffer);
}

static void a_word_too_long_for_the_width_is_not_broken(void **state)
{
    (void)state;
    char *buffer;
    size_t size;
    FILE *out = open_memstream(&buffer, &size);
    struct terminal t = { out, 12, false, false };
    terminal_wrap(&t, 2, "", PLAIN, "a/very/long/path.cu:12 x");
    fclose(out);
    assert_string_equal(buffer, "  a/very/long/path.cu:12\n  x\n");
    free(buffer);
}

static void colour_follows_flag_then_no_color_then_force(void **state)
{
    (void)state;
    FILE *out = tmpfile();
    struct terminal t;
    setenv("NO_COLOR", "1", 1);
    setenv("CLICOLOR_FORCE", "1", 1);
    terminal_init(&t, out, COLOR_ALWAYS, 0, false);
    assert_true(t.color);
    terminal_init(&t, out, COLOR_AUTO, 0, false);
    assert_false(t.color);
    unsetenv("NO_COLOR");
    terminal_init(&t, out, COLOR_AUTO, 0, false);
    assert_true(t.color);
    terminal_init(&t, out, COLOR_NEVER, 0, false);
    assert_false(t.color);
    unsetenv("CLICOLOR_FORCE");
    terminal_init(&t, out, COLOR_AUTO, 0, false);
    assert_false(t.color);
    setenv("FORCE_COLOR", "0", 1);
    terminal_init(&t, out, COLOR_AUTO, 0, false);
    assert_false(t.color);
    unsetenv("FORCE_COLOR");
    fclose(out);
}

static void a_locale_without_utf8_means_ascii(void **state)
{
    (void)state;
    struct terminal t;
    setenv("LC_ALL", "C", 1);
    terminal_init(&t, stdout, COLOR_NEVER, 0, false);
    assert_true(t.ascii);
    setenv("LC_ALL", "en_GB.UTF-8", 1);
    terminal_init(&t, stdout, COLOR_NEVER, 0, false);
    assert_false(t.ascii);
    terminal_init(&t, stdout, COLOR_NEVER, 0, true);
    assert_true(t.ascii);
}

static void markdown_is_shown_without_its_signs(void **state)
{
    (void)state;
    static const struct { const char *markdown, *text; } pairs[] = {
        { "A **pool** is *not* yours.", "A pool is not yours." },
        { "`sizeof *x` and `a[i](b)` stay: code is code.",
          "sizeof *x and a[i](b) stay: code is code." },
        { "Read [the guide, `5.2`](https://example.org/a_b) first.", "Read the guide, 5.2 first." },
        { "An array[3], 2 \\* 3, and [no link].", "An array[3], 2 * 3, and [no link]." },
        { "Its limits:[^limits] see [`a`](b)[^two].", "Its limits: see a." },
        { "x[^] and [^", "x[^] and [^" },
        { "[broken](", "[broken](" },
        { "", "" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *text = text_of_markdown(pairs[i].markdown, strlen(pairs[i].markdown));
        assert_string_equal(text, pairs[i].text);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_stays_as_it_is),
        cmocka_unit_test(escapes_and_controls_become_visible),
        cmocka_unit_test(c1_controls_and_text_that_turns_round_become_visible),
        cmocka_unit_test(bytes_that_are_no_utf8_become_visible),
        cmocka_unit_test(utf8_lengths_are_those_of_the_standard),
        cmocka_unit_test(lines_are_found_by_number),
        cmocka_unit_test(markdown_is_shown_without_its_signs),
        cmocka_unit_test(wrapped_text_keeps_to_the_width_and_its_indent),
        cmocka_unit_test(a_word_too_long_for_the_width_is_not_broken),
        cmocka_unit_test(colour_follows_flag_then_no_color_then_force),
        cmocka_unit_test(a_locale_without_utf8_means_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
