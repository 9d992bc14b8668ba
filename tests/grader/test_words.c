/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "grader/run/words.h"

static const char *const contracts[] = {
    "#define THREADS 256\nvoid host_work(long long ns);\nstatic void scramble(unsigned *x)\n{\n    kernel_cost(x);\n}\nstruct task { int count; };\n", NULL,
};

static void is_refused(const char *text, const char *word, unsigned line)
{
    char said[64];
    unsigned at;
    if (!words_redefined(text, strlen(text), contracts, &at, said, sizeof said))
        fail_msg("nothing is found in: %s", text);
    assert_string_equal(said, word);
    assert_int_equal(at, line);
}

static void is_taken(const char *text)
{
    char said[64];
    unsigned at;
    if (words_redefined(text, strlen(text), contracts, &at, said, sizeof said))
        fail_msg("%s is found in: %s", said, text);
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
    is_taken("#define RING 4\n#define work host_work(5)\n#define THREAD 3\n#define THREADS_ALL 9\n");
    is_taken("#define count 7\n#define task_count 1\n");          /* a field is no word of its own */
    is_taken("// #define THREADS\nint kernel_cost_of;\n#if defined THREADS\n#endif\n#define\n#");
    is_taken("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_contract_keep_their_meaning),
        cmocka_unit_test(words_of_cuda_and_of_the_language_do),
        cmocka_unit_test(other_names_are_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
