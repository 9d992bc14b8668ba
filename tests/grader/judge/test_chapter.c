/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "grader/judge/chapter.h"

static const char text[] =
    "# Streams\n\nBefore all.\n\n"
    "## Calls\n\nThe first paragraph\ngoes on   here.\n\nThe second.\n\n"
    "| call | returns |\n|---|---|\n| `a` | at once |\n| `b` | late |\n\n"
    "```\n## No heading\n```\n\n"
    "### A detail\n\nA deep one.\n\n"
    "## Calls and more\n\nThe last, with no newline";

static void a_section_ends_at_the_next_heading_of_its_level(void **state)
{
    (void)state;
    struct passage p = chapter_section(text, "Calls");
    assert_int_equal(p.line, 5);
    assert_memory_equal(p.text, "## Calls\n", 9);
    assert_memory_equal(p.text + p.length, "## Calls and more", 17);
    assert_int_equal(chapter_section(text, "A detail").line, 21);
    assert_int_equal(chapter_section(text, "Streams").length, sizeof text - 1);
}

static void a_heading_is_meant_whole_and_not_inside_a_fence(void **state)
{
    (void)state;
    assert_int_equal(chapter_section(text, "Call").line, 0);
    assert_int_equal(chapter_section(text, "No heading").line, 0);
    assert_int_equal(chapter_find(text, "Call", "The", NULL), 0);
}

static void words_are_found_across_the_end_of_a_line(void **state)
{
    (void)state;
    struct passage p;
    assert_int_equal(chapter_find(text, "Calls", "paragraph goes on here.", &p), 1);
    assert_int_equal(p.line, 7);
    assert_int_equal(p.length, strlen("The first paragraph\ngoes on   here.\n"));
    assert_null(p.columns);
}

static void words_in_several_paragraphs_are_counted(void **state)
{
    (void)state;
    assert_int_equal(chapter_find(text, "Calls", "The", NULL), 2);
    assert_int_equal(chapter_find(text, "Calls", "deep", NULL), 1);
    assert_int_equal(chapter_find(text, "Calls", "The last", NULL), 0);
    assert_int_equal(chapter_find(text, "Calls and more", "no newline", NULL), 1);
}

static void a_row_of_a_table_stands_alone_and_knows_its_columns(void **state)
{
    (void)state;
    struct passage p;
    assert_int_equal(chapter_find(text, "Calls", "late", &p), 1);
    assert_int_equal(p.line, 15);
    assert_memory_equal(p.text, "| `b` | late |\n", p.length);
    assert_memory_equal(p.columns, "| call | returns |", p.columns_length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_ends_at_the_next_heading_of_its_level),
        cmocka_unit_test(a_heading_is_meant_whole_and_not_inside_a_fence),
        cmocka_unit_test(words_are_found_across_the_end_of_a_line),
        cmocka_unit_test(words_in_several_paragraphs_are_counted),
        cmocka_unit_test(a_row_of_a_table_stands_alone_and_knows_its_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
