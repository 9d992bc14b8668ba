/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "grader/run/functions.h"
#include "grader/run/submission.h"

static char folder[64], path[96], problem[512];
static struct submission file;

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test-submission-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.cu", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static bool read_bytes(const char *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    return submission_read(&file, path, problem, sizeof problem);
}
#define READ(bytes) read_bytes(bytes, sizeof bytes - 1)

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

static void a_function_is_found_where_it_is_defined(void **state)
{
    (void)state;
    assert_true(READ(
        "void push(int);\n/* void push(int) { */\nint other() { push(1); return 0; }\n\nvoid push(int n)\n{\n    if (n)\n"
        "        return;\n    copy(\"} x = \");\n    m->head = n;\n    y == n;\n}\n"));
    assert_int_equal(submission_function_line(&file, "push", NULL), 5);
    assert_int_equal(submission_function_line(&file, "other", NULL), 3);
    assert_int_equal(submission_function_line(&file, "pus", NULL), 0);
    assert_int_equal(submission_function_line(&file, "copy", NULL), 0);
    submission_fini(&file);
}

/* With a quote as u'"' or in R"(...)" the literal ends where the compiler says. */
static void literals_with_prefixes_end_where_they_do(void **state)
{
    (void)state;
    assert_true(READ(
        "void push(int n)\n{\n    say(R\"x(} \")x\", u'\"');\n    copy(n);\n}\nvoid other() { }\n"));
    assert_int_equal(submission_function_line(&file, "push", "copy"), 4);
    assert_int_equal(submission_function_line(&file, "other", NULL), 6);
    submission_fini(&file);
}

static void a_word_is_shown_where_one_line_calls_it_or_assigns_to_it(void **state)
{
    (void)state;
    assert_true(READ(
        "void push(int n)\n{\n    if (n == 1)\n        return;\n    copy(n); // copy(n)\n    m->head = n;\n    twice(1);\n"
        "    twice(2);\n    yes[HERE] = n == HERE;\n}\nint head = copy(3);\n"));
    assert_int_equal(submission_function_line(&file, "push", "copy"), 5);
    assert_int_equal(submission_function_line(&file, "push", "head"), 6);
    assert_int_equal(submission_function_line(&file, "push", "HERE"), 9);
    assert_int_equal(submission_function_line(&file, "push", "twice"),
                     1);      /* which of the two is not known */
    assert_int_equal(submission_function_line(&file, "push", "wait"),
                     4);       /* its place is before the function comes back */
    submission_fini(&file);
}

static void a_word_is_looked_for_in_what_the_function_calls(void **state)
{
    (void)state;
    assert_true(READ(
        "void show(int n)\n{\n    m->head = n;\n}\nvoid ask(int n)\n{\n    show(n);\n}\nvoid push(int n)\n{\n    ask(n);\n    ask(2);\n}\n"
        "void again(int n)\n{\n    again(n);\n}\n"));
    assert_int_equal(submission_function_line(&file, "push", "head"), 3);
    assert_int_equal(submission_function_line(&file, "again", "head"), 17);
    submission_fini(&file);
}

static void of_several_words_the_first_with_one_line_is_shown(void **state)
{
    (void)state;
    assert_true(READ(
        "void push(int n)\n{\n    sum = 0;\n    sum += n;\n    sum = n;\n    grow<<<1, 1>>>(n);\n}\n"));
    assert_int_equal(submission_function_line(&file, "push", "none sum grow"), 6);
    assert_int_equal(submission_function_line(&file, "push", "sum+= sum"), 4);
    assert_int_equal(submission_function_line(&file, "push", "sum"), 1);
    submission_fini(&file);
}

static void a_field_is_found_where_it_is_read(void **state)
{
    (void)state;
    assert_true(READ(
        "int share(const struct load *l, struct load m)\n{\n    int due = 1;\n    if (need(l) <= l->due)\n        return 1;\n"
        "    int left = m . left;\n    return l->left_over;\n}\n"));
    assert_int_equal(submission_function_line(&file, "share", "->due"), 4);
    assert_int_equal(submission_function_line(&file, "share", "->left"), 6);
    assert_int_equal(submission_function_line(&file, "share", "->most"), 7);
    submission_fini(&file);
}

static void a_piece_that_is_called_never_or_in_two_lines_is_found(void **state)
{
    char name[40];
    unsigned line[2];
    (void)state;
    assert_true(READ(
        "void part(int n)\n{\n    mark(n);\n}\nvoid push(int n)\n{\n    load(n);\n    part(n);\n    apply(n);\n    // tune(n)\n"
        "    apply(n);\n}\n"));
    assert_false(submission_miscalled(&file, "push", "load mark", name, sizeof name, line));
    assert_true(submission_miscalled(&file, "push", "load tune apply", name, sizeof name, line));
    assert_string_equal(name, "tune");
    assert_int_equal(line[0], 0);
    assert_true(submission_miscalled(&file, "push", "load mark apply", name, sizeof name, line));
    assert_string_equal(name, "apply");
    assert_int_equal(line[0], 9);
    assert_int_equal(line[1], 11);
    assert_false(submission_miscalled(&file, "pull", "load", name, sizeof name, line));
    submission_fini(&file);
}

static void lines_that_make_certain_calls_are_found(void **state)
{
    unsigned line[2] = { 0, 0 };
    (void)state;
    assert_true(READ(
        "void push(int n)\n{\n    wake(n), wake(2);\n    all(n); // wake(n)\n    wake = all;\n    wake(3);\n}\n"));
    assert_int_equal(submission_call_lines(&file, "wake", line, 2), 2);
    assert_int_equal(line[0], 3);
    assert_int_equal(line[1], 6);
    assert_int_equal(submission_call_lines(&file, "all wake", line, 2), 3);
    assert_int_equal(submission_call_lines(&file, "push_all", line, 2), 0);
    submission_fini(&file);
}

static void the_innermost_loop_round_a_line_is_found(void **state)
{
    (void)state;
    assert_true(READ(
        "void push(int n)\n{\n    for (;;) {\n        one();\n        while (n)\n            if (n == 1)\n                two(f({ n }));\n"
        "        three(); // for (;;)\n    }\n    four();\n}\n"));
    assert_int_equal(submission_loop_line(&file, 4, NULL), 3);
    assert_int_equal(submission_loop_line(&file, 7, NULL), 5);
    assert_int_equal(submission_loop_line(&file, 8, NULL), 3);
    assert_int_equal(submission_loop_line(&file, 10, NULL), 0);
    assert_int_equal(submission_loop_line(&file, 99, NULL), 0);
    assert_int_equal(submission_if_line(&file, 7), 6);
    assert_int_equal(submission_if_line(&file, 8), 0);
    unsigned last = 0;
    assert_int_equal(submission_loop_line(&file, 8, &last), 3);
    assert_int_equal(last, 9);
    submission_fini(&file);
    assert_true(READ(
        "void push(int n)\n{\n    do {\n        one();\n    } while (two());\n    three();\n}\n"));
    assert_int_equal(submission_loop_line(&file, 4, &last), 3);
    assert_int_equal(last, 5);
    assert_int_equal(submission_loop_line(&file, 6, NULL), 0);
    submission_fini(&file);
}

static void the_line_where_a_function_leads_to_another_is_found(void **state)
{
    (void)state;
    assert_true(READ(
        "void show(int n)\n{\n    m->head = n;\n}\nvoid ask(int n)\n{\n    show(n);\n}\nvoid push(int n)\n{\n    n++;\n    ask(n);\n}\n"));
    assert_int_equal(submission_call_line(&file, "push", 3), 12);
    assert_int_equal(submission_call_line(&file, "ask", 3), 7);
    assert_int_equal(submission_call_line(&file, "show", 3), 0);
    assert_int_equal(submission_call_line(&file, "push", 99), 0);
    submission_fini(&file);
}

static bool is_four_or_less(const void *log, unsigned line)
{
    (void)log;
    return line <= 4;
}

static void calls_that_were_not_reached_are_found(void **state)
{
    (void)state;
    const struct reached reached = { is_four_or_less, NULL };
    char name[40];
    assert_true(READ(
        "void push(int n)\n{\n    other(n);\n    cudaFree(n);\n    other(n); // cudaFree(n)\n    grow<<<1, 1>>>(n);\n"
        "    cudaMemcpy(n);\n}\nvoid never(int n)\n{\n    if (n)\n        cudaFree(n);\n}\n"));
    assert_int_equal(submission_unreached(&file, "push", &reached, name, sizeof name), 6);
    assert_string_equal(name, "grow");
    assert_int_equal(submission_unreached(&file, "missing", &reached, name, sizeof name), 0);
    assert_int_equal(submission_uncalled(&file, &reached, name, sizeof name), 9);
    assert_string_equal(name, "never");
    submission_fini(&file);
}

static void a_function_that_is_not_closed_ends_with_the_file(void **state)
{
    (void)state;
    assert_true(READ("void push(int n)\n{\n    if (n) {\n"));
    assert_int_equal(submission_function_line(&file, "push", NULL), 1);
    assert_int_not_equal(submission_function_line(&file, "push", "wait"), 0);
    submission_fini(&file);
}

static bool not_reached(const void *log, unsigned line)
{
    (void)log;
    (void)line;
    return false;
}

/* Fills a file with a piece of text, time and again, and asks everything about it. */
static double seconds_for(const char *piece)
{
    size_t length = strlen(piece), copies = (1 << 20) / length;
#ifdef __SANITIZE_ADDRESS__ /* takes seven times as long, for the same steps each time */
    copies /= 8;
#endif
    char *text = malloc(copies * length + 1), name[80];
    for (size_t i = 0; i < copies; i++)
        memcpy(text + i * length, piece, length + 1);
    assert_true(read_bytes(text, copies * length));
    free(text);
    struct reached reached = { not_reached, NULL };
    clock_t began = clock();
    submission_function_line(&file, "f", "x f g");
    submission_call_line(&file, "f", 1);
    submission_unreached(&file, "f", &reached, name, sizeof name);
    submission_uncalled(&file, &reached, name, sizeof name);
    submission_fini(&file);
    return (double)(clock() - began) / CLOCKS_PER_SEC;
}

/* Without limits, whatever follows each of half a million names would be looked through to its end.
 */
static void a_megabyte_of_brackets_or_calls_is_soon_looked_through(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "f(", "f{", "f(){", "f()", "x=", "f(){cudaMalloc(", "f()\n{f();}", "f();\n", "if(f(",
        "f<<<", "\"", "/*",
    };
    double plain =
        seconds_for("x = 1;\n"); /* as slow as this machine is, or what watches the test */
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_true(seconds_for(pieces[i]) < 100 * plain);
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
        cmocka_unit_test(a_function_is_found_where_it_is_defined),
        cmocka_unit_test(of_several_words_the_first_with_one_line_is_shown),
        cmocka_unit_test(a_field_is_found_where_it_is_read),
        cmocka_unit_test(a_piece_that_is_called_never_or_in_two_lines_is_found),
        cmocka_unit_test(lines_that_make_certain_calls_are_found),
        cmocka_unit_test(the_innermost_loop_round_a_line_is_found),
        cmocka_unit_test(the_line_where_a_function_leads_to_another_is_found),
        cmocka_unit_test(calls_that_were_not_reached_are_found),
        cmocka_unit_test(literals_with_prefixes_end_where_they_do),
        cmocka_unit_test(a_word_is_shown_where_one_line_calls_it_or_assigns_to_it),
        cmocka_unit_test(a_word_is_looked_for_in_what_the_function_calls),
        cmocka_unit_test(a_function_that_is_not_closed_ends_with_the_file),
        cmocka_unit_test(a_megabyte_of_brackets_or_calls_is_soon_looked_through),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
