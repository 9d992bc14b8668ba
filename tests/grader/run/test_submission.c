/* SPDX-License-Identifier: MIT */
/* What a file that is handed in holds: text, options of its build, regions that were changed. */
#include <sys/stat.h>

#include "submitted.h"

static void a_file_of_text_is_read(void **state)
{
    (void)state;
    assert_true(READ("int x; // \xc3\xa4\n"));
    assert_int_equal(file.bytes, 13);
    assert_int_equal(file.option_count, 0);
    submission_fini(&file);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    assert_false(submission_read(&file, "/nowhere/x.cu", problem, sizeof problem));
    assert_string_equal(problem, "/nowhere/x.cu does not exist");
    submission_fini(&file);
}

static void an_empty_file_and_one_of_blanks_are_empty(void **state)
{
    (void)state;
    assert_false(READ(""));
    assert_non_null(strstr(problem, "is empty"));
    submission_fini(&file);
    assert_false(READ(" \n\t\r\n"));
    assert_non_null(strstr(problem, "is empty"));
    submission_fini(&file);
}

static void a_binary_file_is_no_text(void **state)
{
    (void)state;
    assert_false(READ("\x7f" "ELF\0\1\2\3"));
    assert_non_null(strstr(problem, "is not a text file"));
    submission_fini(&file);
}

static void a_line_that_is_not_utf8_is_named(void **state)
{
    (void)state;
    assert_false(READ("int a;\n// caf\xe9\n"));
    assert_non_null(strstr(problem, "x.cu:2: not UTF-8"));
    submission_fini(&file);
}

static void a_folder_and_a_pipe_are_not_files(void **state)
{
    (void)state;
    assert_false(submission_read(&file, folder, problem, sizeof problem));
    assert_non_null(strstr(problem, "not a file but a folder"));
    submission_fini(&file);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(submission_read(&file, path, problem, sizeof problem));
    assert_non_null(strstr(problem, "not a file but a pipe"));
    submission_fini(&file);
    unlink(path);
}

static void known_build_options_are_taken(void **state)
{
    (void)state;
    assert_true(READ("// my file\n// build: --default-stream per-thread -std=c++17\nint x;\n"));
    assert_int_equal(file.option_count, 3);
    assert_string_equal(file.option[0], "--default-stream");
    assert_string_equal(file.option[1], "per-thread");
    assert_string_equal(file.option[2], "-std=c++17");
    submission_fini(&file);
    assert_true(READ("// build: --default-stream=legacy\r\nint x;\n"));
    assert_int_equal(file.option_count, 2);
    assert_string_equal(file.option[1], "legacy");
    submission_fini(&file);
}

static void an_unknown_build_option_is_named_with_its_line(void **state)
{
    (void)state;
    assert_false(READ("\n// build: -fplugin=evil.so\n"));
    assert_non_null(strstr(problem, "x.cu:2: unknown build option '-fplugin=evil.so'"));
    submission_fini(&file);
    assert_true(READ("// build: -DCUDA_API_PER_THREAD_DEFAULT_STREAM=1\n"));
    assert_string_equal(file.option[1], "per-thread");
    submission_fini(&file);
    assert_false(READ("// build: --default-stream sideways\n"));
    assert_non_null(strstr(problem, "'--default-stream sideways'"));
    submission_fini(&file);
}

static void build_options_further_down_are_only_comments(void **state)
{
    (void)state;
    assert_true(READ("\n\n\n\n\n\n\n\n\n\n// build: -lfoo\n"));
    assert_int_equal(file.option_count, 0);
    submission_fini(&file);
}

static bool attempted(const char *yours, const char *starter, const char *marks)
{
    struct submission a = { .text = (char *)yours, .bytes = strlen(yours) };
    struct submission b = { .text = (char *)starter, .bytes = strlen(starter) };
    return submission_attempted(&a, &b, marks);
}

static const char starter[] =
    "x\n    //> one\n    f();\n    //< one\ny\n//> two\n//< two\nz\n//> one\nlast\n//< one\n";

static void an_unchanged_region_was_not_attempted(void **state)
{
    (void)state;
    assert_false(attempted(starter, starter, "one"));
    assert_false(attempted(starter, starter, "one two"));
    assert_false(attempted(starter, starter, NULL));
}

static void white_space_alone_is_no_attempt(void **state)
{
    (void)state;
    const char *spaced =
        "x\n//> one\n\n\tf ( ) ;\n//< one\ny\n//> two\n\n//< two\nz\n//> one\nlast\n//< one\n";
    assert_false(attempted(spaced, starter, "one two"));
    assert_false(attempted(spaced, starter, ""));
}

static void comments_alone_are_no_attempt(void **state)
{
    (void)state;
    const char *said =
        "x // //> one\n//> one\n/* f(); */ f();  // as before \\\n still\n//< one\ny\n//> two\n/*\n//< two\n*/\n"
        "//< two\nz\n//> one\nlast\n//< one\n/* open";
    assert_false(attempted(said, starter, "one two"));
    assert_false(attempted(said, starter, NULL));
    assert_true(attempted("//> one\n//f();\n//< one\n", "//> one\nf();\n//< one\n", "one"));
    assert_true(attempted("//> one\n// build: -std=c++17\n//< one\n", "//> one\n//< one\n", "one"));
}

static void what_stands_in_literals_counts(void **state)
{
    (void)state;
    assert_true(attempted("f(\"a  b\");", "f(\"a b\");", NULL));
    assert_true(attempted("f(\"a // b\");", "f(\"a // c\");", NULL));
    assert_true(attempted("f(\"\\\"/*\", 1);", "f(\"\\\"/*\", 2);", NULL));
    assert_true(attempted("f(' ');", "f('  ');", NULL));
    assert_false(attempted("f(1'000); // b's", "f(1'000);", NULL));
}

static void a_change_outside_the_region_is_no_attempt_at_it(void **state)
{
    (void)state;
    const char *elsewhere =
        "changed\n//> one\nf();\n//< one\ny\n//> two\ng();\n//< two\nz\n//> one\nlast\n//< one\n";
    assert_false(attempted(elsewhere, starter, "one"));
    assert_true(attempted(elsewhere, starter, "two"));
    assert_true(attempted(elsewhere, starter, "one two"));
    assert_true(attempted(elsewhere, starter, ""));
}

static void a_function_between_two_regions_belongs_to_the_first(void **state)
{
    (void)state;
#define FUNCTIONS(end_of_f, g, before_h) \
    "void f() {\n//> one\nx();\n//< one\n" end_of_f "}\nvoid g()\n{\n" g "}\n" before_h \
    "void h() {\n//> two\n//< two\n}\n"
    const char *as_given = FUNCTIONS("y();\n", "    if (z) { f(); }\n", "");
    const char *answered = FUNCTIONS("y();\n", "    if (z) { w(); }\n", "");
    assert_true(attempted(answered, as_given, "one"));
    assert_false(attempted(answered, as_given, "two"));
    assert_true(attempted(FUNCTIONS("", "    if (z) { f(); }\n", ""), as_given, "one"));
    const char *helped = FUNCTIONS("y();\n", "    if (z) { f(); }\n", "void k() { }\n");
    assert_false(attempted(helped, as_given, "one"));
    assert_false(attempted(FUNCTIONS("y(); ", "if (z)\n{ f(); }\n", ""), as_given, "one"));
}

static void every_region_of_a_name_counts(void **state)
{
    (void)state;
    const char *second =
        "x\n//> one\nf();\n//< one\ny\n//> two\n//< two\nz\n//> one\nlast + 1\n//< one\n";
    assert_true(attempted(second, starter, "one"));
}

static void missing_or_unclosed_marks_count_as_attempted(void **state)
{
    (void)state;
    assert_true(attempted("int x;\n", starter, "one"));
    assert_true(attempted("//> one\nf();\nlast\n", starter, "one"));
    assert_false(attempted("x\n//> one\nf();\n//< one\n", "x\n//> one\nf();\n//< one\n", "two"));
}

static void a_name_that_begins_like_another_is_another(void **state)
{
    (void)state;
    const char *text = "//> one-more\nf();\n//< one-more\n//> one\ng();\n//< one\n";
    const char *changed = "//> one-more\nF();\n//< one-more\n//> one\ng();\n//< one\n";
    assert_false(attempted(changed, text, "one"));
    assert_true(attempted(changed, text, "one-more"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_text_is_read),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(an_empty_file_and_one_of_blanks_are_empty),
        cmocka_unit_test(a_binary_file_is_no_text),
        cmocka_unit_test(a_line_that_is_not_utf8_is_named),
        cmocka_unit_test(a_folder_and_a_pipe_are_not_files),
        cmocka_unit_test(known_build_options_are_taken),
        cmocka_unit_test(an_unknown_build_option_is_named_with_its_line),
        cmocka_unit_test(build_options_further_down_are_only_comments),
        cmocka_unit_test(an_unchanged_region_was_not_attempted),
        cmocka_unit_test(white_space_alone_is_no_attempt),
        cmocka_unit_test(comments_alone_are_no_attempt),
        cmocka_unit_test(what_stands_in_literals_counts),
        cmocka_unit_test(a_change_outside_the_region_is_no_attempt_at_it),
        cmocka_unit_test(a_function_between_two_regions_belongs_to_the_first),
        cmocka_unit_test(every_region_of_a_name_counts),
        cmocka_unit_test(missing_or_unclosed_marks_count_as_attempted),
        cmocka_unit_test(a_name_that_begins_like_another_is_another),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
