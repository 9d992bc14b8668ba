/* SPDX-License-Identifier: MIT */
/* test_merge.c - an exercise that has changed comes into a learner's copy, region by region. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/learner/merge.h"
#include "trace/record/memory.h"

#define BASE "#include \"lesson.h\"\n\nvoid a(void)\n{\n    //> a\n    /* TODO: old words. */\n    slow();\n    //< a\n}\n"
#define SOLVED "#include \"lesson.h\"\n\nvoid a(void)\n{\n    //> a\n    fast();\n    //< a\n}\n"
#define NEW_PART "\nvoid b(void)\n{\n    //> b\n    /* TODO: more. */\n    //< b\n}\n"

static char folder[] = "/tmp/test-merge-XXXXXX";

static int begin(void **state)
{
    (void)state;
    return !mkdtemp(folder) ? -1 : 0;
}

static int end(void **state)
{
    (void)state;
    return rmdir(folder);
}

static struct merged merge(const char *mine, const char *base, const char *theirs)
{
    struct merged m;
    const struct text texts[] = {
        { (char *)(uintptr_t)mine, strlen(mine) }, { (char *)(uintptr_t)base, strlen(base) },
        { (char *)(uintptr_t)theirs, strlen(theirs) },
    };
    merge_texts(&m, folder, &texts[0], &texts[1], &texts[2]);
    return m;
}

static void gives(struct merged m, bool clean, const char *text, const char *comments,
                  const char *gone)
{
    assert_int_equal(m.clean, clean);
    if (text)
        assert_string_equal(m.text.bytes, text);
    assert_string_equal(m.comments, comments);
    assert_string_equal(m.gone, gone);
    memory_resize(m.text.bytes, 0);
}

static void a_new_part_comes_beside_what_is_solved(void **state)
{
    (void)state;
    gives(merge(SOLVED, BASE, BASE NEW_PART), true, SOLVED NEW_PART, "", "");
}

static void words_that_changed_come_where_nothing_was_done(void **state)
{
    (void)state;
    static const char theirs[] =
        "#include \"lesson.h\"\n\nvoid a(void)\n{\n    //> a\n    /* TODO: new words. */\n    slow();\n    //< a\n}\n";
    gives(merge(BASE, BASE, theirs), true, theirs, "", "");
    gives(merge(SOLVED, BASE, theirs), true, SOLVED, "a", "");
}

static void code_that_both_changed_stands_there_twice(void **state)
{
    (void)state;
    struct merged m = merge(
        SOLVED, BASE,
        "#include \"lesson.h\"\n\nvoid a(void)\n{\n    //> a\n    /* TODO: old words. */\n    slower();\n    //< a\n}\n");
    assert_false(m.clean);
    assert_non_null(strstr(m.text.bytes, "<<<<<<< yours"));
    assert_non_null(strstr(m.text.bytes, "    fast();"));
    assert_non_null(strstr(m.text.bytes, "    slower();"));
    memory_resize(m.text.bytes, 0);
}

static void what_is_outside_of_regions_is_merged_by_lines(void **state)
{
    (void)state;
    static const char mine[] = "// Mine.\n" SOLVED;
    gives(
        merge(
            mine, BASE,
            "#include \"lesson.h\"\n\nvoid a(void)\n{\n    //> a\n    /* TODO: old words. */\n    slow();\n    //< a\n}\n// New.\n"),
        true, "// Mine.\n" SOLVED "// New.\n", "", "");
}

static void a_region_that_is_no_more_is_named(void **state)
{
    (void)state;
    static const char base[] = "x\n" BASE, without[] = "x\n";
    gives(merge("x\n" SOLVED, base, without), true, "x\n", "", "a");
    gives(merge(base, base, without), true, "x\n", "", "");
}

static void python_has_regions_too(void **state)
{
    (void)state;
    gives(merge("#> a\nfast()\n#< a\n", "#> a\n# TODO: old.\npass\n#< a\n",
                "#> a\n# TODO: new.\npass\n#< a\n#> b\n# TODO\n#< b\n"),
          true, "#> a\nfast()\n#< a\n#> b\n# TODO\n#< b\n", "a", "");
}

static void without_whole_marks_lines_are_merged(void **state)
{
    (void)state;
    gives(merge("fast();\none\n", "slow();\none\n//> a\n", "slow();\none\n//> a\nmore\n"), false,
          NULL, "", "");
    gives(merge("fast();\n\n\none\n", "slow();\n\n\none\n", "slow();\n\n\none\ntwo\n"), true,
          "fast();\n\n\none\ntwo\n", "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_part_comes_beside_what_is_solved),
        cmocka_unit_test(words_that_changed_come_where_nothing_was_done),
        cmocka_unit_test(code_that_both_changed_stands_there_twice),
        cmocka_unit_test(what_is_outside_of_regions_is_merged_by_lines),
        cmocka_unit_test(a_region_that_is_no_more_is_named),
        cmocka_unit_test(python_has_regions_too),
        cmocka_unit_test(without_whole_marks_lines_are_merged),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
