/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "grader/run/words.h"

static const char *const contracts[] = {
    "#define THREADS 256\nvoid host_work(long long ns);\nstatic void scramble(unsigned *x)\n{\n    kernel_cost(x);\n}\nstruct task { int count; };\n",
    NULL,
};

static void is_refused(const char *text, const char *word, unsigned line)
{
    struct lexer found;
    if (!words_redefined(text, strlen(text), contracts, &found))
        fail_msg("nothing is found in: %s", text);
    assert_string_equal(found.word, word);
    assert_int_equal(found.line, line);
}

static void is_taken(const char *text)
{
    struct lexer found;
    if (words_redefined(text, strlen(text), contracts, &found))
        fail_msg("%s is found in: %s", found.word, text);
}

static void words_of_a_contract_keep_their_meaning(void **state)
{
    (void)state;
    is_refused("#define kernel_cost(x) kernel_cost((x) * 100)\n", "kernel_cost", 1);
    is_refused("int a;\n  #  define\thost_work(ns)\n", "host_work", 2);
    is_refused("#define THREADS 1", "THREADS", 1);
    is_refused("#undef THREADS\n", "THREADS", 1);
    is_refused("%:define scramble other\n", "scramble", 1);
}

static void joined_lines_and_comments_hide_nothing(void **state)
{
    (void)state;
    is_refused("#define \\\n kernel_cost(x) (x)\n", "kernel_cost", 2);
    is_refused("int a;\n#def\\ \t\nine kernel_\\\r\ncost\n", "kernel_cost", 3);
    is_refused("#/**/define/* a\n b */kernel_cost\n", "kernel_cost", 2);
    is_refused("/* a\n */ # /* b */ undef THREADS\n", "THREADS", 2);
    is_refused("%\\\n:define THREADS 1\n", "THREADS", 2);
    is_refused("// a comment \\\n#define other\n#define THREADS 1\n", "THREADS", 3);
    is_refused("#pragma push_macro(\"THREADS\")\n#pragma pop_macro(\"THREADS\")\n", "pop_macro", 2);
    is_refused("#pragma GCC system_header\n", "system_header", 1);
    is_refused("int a;\n# 7 \"x.h\" 3\n", "7", 2);
    is_taken("int a[1 + 2];\n#line 7 \"x.cu\"\n");
    is_refused("_Pragma(\"pop_macro(\\\"THREADS\\\")\")\n", "_Pragma", 1);
}

/* What looks like a comment or a literal, and is none, hides nothing either. */
static void neither_do_literals_and_header_names(void **state)
{
    (void)state;
    is_refused("const char *s = \"/*\";\n#define THREADS 1\n", "THREADS", 2);
    is_refused("int x = '\"';\n#define THREADS 1\n// \"\n", "THREADS", 2);
    is_refused("int x = 1'000'000;\n#define THREADS 1\n// '\n", "THREADS", 2);
    is_refused("const char *s = R\"a(\n)\" /* )\\\na\")a\";\n#define THREADS 1\n", "THREADS", 4);
    is_refused("const char *s = xR\"(/*\";\n#define THREADS 1\n", "THREADS", 2);
    is_refused("#if __has_include(<a/*b>)\n#endif\n#define THREADS 1\n", "THREADS", 3);
    is_refused("#error don't /* \n#define THREADS 1\n", "THREADS", 2);
    is_taken("const char *s = R\"(\n#define THREADS 1\n)\";\n");
    is_taken("/*\n#define THREADS 1\n*/ // \\\n#define THREADS 2\n");
    is_taken("#include <stdio.h> // it's\nint f(int a) { return a < 3 /* > */; }\n");
}

static void words_of_cuda_and_of_the_language_do(void **state)
{
    (void)state;
    is_refused("#define cudaStreamSynchronize(s) cudaStreamQuery(s)\n", "cudaStreamSynchronize", 1);
    is_refused("#define if while\n", "if", 1);
    is_refused("#define __global__\n", "__global__", 1);
}

static void other_names_are_free(void **state)
{
    (void)state;
    is_taken(
        "#define RING 4\n#define work host_work(5)\n#define THREAD 3\n#define THREADS_ALL 9\n");
    is_taken("#define count 7\n#define task_count 1\n"); /* a field is no word of its own */
    is_taken("// #define THREADS\nint kernel_cost_of;\n#if defined THREADS\n#endif\n#define\n#");
    is_taken("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_contract_keep_their_meaning),
        cmocka_unit_test(joined_lines_and_comments_hide_nothing),
        cmocka_unit_test(neither_do_literals_and_header_names),
        cmocka_unit_test(words_of_cuda_and_of_the_language_do),
        cmocka_unit_test(other_names_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
