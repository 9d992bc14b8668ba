/* SPDX-License-Identifier: MIT */
/* Where a submission's functions, words, loops and calls are. */
#include "grader/run/functions.h"
#include "grader/run/loops.h"

#include <time.h>

#include "submitted.h"

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

static void an_assignment_after_a_name_is_found(void **state)
{
    (void)state;
    assert_true(READ(
        "void f(void)\n{\n    case A:\n        copy();\n        x->b == 2;\n        x->b = 1;\n    case C:\n        x->b = 2;\n}\n"));
    assert_int_equal(submission_function_line(&file, "f", "A:b"), 6);
    assert_int_equal(submission_function_line(&file, "f", "C:b"), 8);
    assert_int_equal(submission_function_line(&file, "f", "D:b A"), 3);
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

static void returns_before_the_end_are_found(void **state)
{
    unsigned line[2];
    (void)state;
    assert_true(READ("int push(int n)\n{\n    if (n)\n        return 1;\n    for (;;)\n        return n;\n    return (n);\n}\n"
                     "void stop(void)\n{\n    if (1) return;\n    push(1);\n}\n"));
    assert_int_equal(submission_early_returns(&file, "push", line, 2), 2);
    assert_int_equal(line[0], 4);
    assert_int_equal(line[1], 6);
    assert_int_equal(submission_early_returns(&file, "stop", line, 1), 1);
    assert_int_equal(line[0], 11);
    assert_int_equal(submission_early_returns(&file, "none", line, 1), 0);
    submission_fini(&file);
}

static void the_line_that_sets_an_argument_is_found(void **state)
{
    char name[16] = "";
    (void)state;
    assert_true(READ(
        "void f(void)\n{\n    int m = 9;\n}\nvoid g(int *x, int n)\n{\n    int first = n / 2,\n        m = n - first;\n"
        "    n == m;\n    copy(x + first, (h(n, m)), m * sizeof *x);\n    work<<<1, f(2, 3), 0>>>(x, m);\n"
        "    m = 1;\n    copy(n);\n}\n"));
    assert_int_equal(submission_set_line(&file, 10, "copy", 3, name, sizeof name), 8);
    assert_string_equal(name, "m");
    assert_int_equal(submission_set_line(&file, 10, "copy", 1, name, sizeof name), 7);
    assert_string_equal(name, "first");
    assert_int_equal(submission_set_line(&file, 11, "work", 2, name, sizeof name), 8);
    assert_int_equal(submission_set_line(&file, 10, "copy", 4, name, sizeof name), 0);
    assert_int_equal(submission_set_line(&file, 13, "copy", 1, name, sizeof name), 0);
    assert_int_equal(submission_set_line(&file, 9, "copy", 1, name, sizeof name), 0);
    submission_fini(&file);
    assert_true(READ(
        "void f(struct h *h, int c)\n{\n    int first[2], number = 0;\n    h->number = 0;\n    h->number[c] = c + 1;\n"
        "    first[1] = c;\n    queue(s, f, &h->number[c]);\n    copy(a[c], 2, first[c + 1] - first[c]);\n}\n"));
    assert_int_equal(submission_set_line(&file, 7, "queue", 3, name, sizeof name), 5);
    assert_string_equal(name, "number");
    assert_int_equal(submission_set_line(&file, 8, "copy", 3, name, sizeof name), 6);
    assert_string_equal(name, "first");
    submission_fini(&file);
}

static bool any_line(const void *log, unsigned line)
{
    return line != *(const unsigned *)log;
}

/* The line and the variable, "0" for none; `unreached`: a line that was not reached. */
static const char *turn_variable(const char *text, unsigned unreached)
{
    static char said[80];
    char name[64] = "";
    const struct reached reached = { any_line, &unreached };
    assert_true(read_bytes(text, strlen(text)));
    unsigned line = submission_turn_variable(&file, "queue add", &reached, name, sizeof name);
    snprintf(said, sizeof said, "%u%s", line, name);
    submission_fini(&file);
    return said;
}

static void an_address_that_each_turn_sets_anew_is_found(void **state)
{
    (void)state;
    static const struct { const char *text, *is;
    } cases[] = {
        { "void f()\n{\n    for (int i = 0; i < 9; i++) {\n        struct slip mine = { s };\n        CHECK(queue(s, give, &mine));\n    }\n}\n",
          "5mine" },
        { "void f()\n{\n    int i;\n    while (more)\n        i = next(), queue(s, give(1, 2), (void *)& i );\n}\n",
          "5i" },
        { "void f()\n{\n    for (int i = 0; i < 9; i++)\n        add(s, give, &i, 0), queue(s, give, &i);\n}\n",
          "4i" },
        { "void f()\n{\n    do {\n        slip mine{ s };\n        queue(s, give, &mine);\n    } while (0);\n}\n",
          "5mine" },
        /* What all turns share, a place for each turn, and what is set elsewhere. */
        { "void f()\n{\n    sem_t empty = make();\n    for (;;)\n        queue(s, give, &empty);\n}\n", "0" },
        { "void f()\n{\n    struct ring ring;\n    for (;;) {\n        take(&ring);\n        ring.count = 2; f->ring = 1; if (ring == 2) return ring;\n"
          "        queue(s, give, &ring);\n    }\n}\n",
          "0" },
        { "void f()\n{\n    for (int i = 0; i < 9; i++)\n        number[i] = i, queue(s, give, &number[i]);\n}\n",
          "0" },
        { "void f()\n{\n    for (int i = 0; i < 9; i++)\n        queue(s, give, i & mine), queue(s, give, l);\n    int mine = 3;\n    queue(s, give, &mine);\n}\n",
          "0" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(turn_variable(cases[i].text, 0), cases[i].is);
    assert_string_equal(turn_variable(cases[0].text, 5), "0");
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

static void the_function_that_makes_a_call_is_found(void **state)
{
    (void)state;
    char name[40];
    assert_true(READ(
        "void take(int n)\n{\n    if (n)\n        cudaMalloc(n);\n}\nvoid push(int n)\n{\n    other(n); // cudaFree(n)\n}\n"));
    assert_int_equal(submission_caller(&file, "cudaMalloc", name, sizeof name), 4);
    assert_string_equal(name, "take");
    assert_int_equal(submission_caller(&file, "cudaFree", name, sizeof name), 0);
    submission_fini(&file);
}

static void the_line_that_sets_a_pointer_is_found(void **state)
{
    (void)state;
    char name[40];
    assert_true(READ(
        "void fill(int n)\n{\n    char *to = f(n), *from = g(n);\n    to = h(n);\n    std::memset(to, 0, n);\n"
        "    memcpy(to, from, n);\n    to[n] = to[0];\n    to->n = from->n;\n    m->to[n] = n;\n    memset(m->to, 0, n);\n}\n"
        "void other(char *to)\n{\n    to[0] = 1;\n}\n"));
    assert_int_equal(submission_pointer_line(&file, 5, name, sizeof name), 4);
    assert_string_equal(name, "to");
    assert_int_equal(submission_pointer_line(&file, 7, name, sizeof name), 4);
    for (unsigned line = 6; line <= 14; line++)
        if (line != 7)
            assert_int_equal(submission_pointer_line(&file, line, name, sizeof name), 0);
    submission_fini(&file);
}

static void the_condition_of_a_line_is_found(void **state)
{
    (void)state;
    assert_true(READ(
        "void push(int n)\n{\n    if (n) {\n        one();\n        if (n == 1)\n            two();\n        else if (n == 2)\n"
        "            three();\n        else\n            four();\n    }\n    five();\n}\n"));
    static const unsigned under[] = { 0, 0, 0, 0, 3, 3, 5, 3, 7, 3, 9, 0, 0 };
    for (unsigned line = 3; line <= 12; line++)
        if (line != 7 && line != 9 && line != 11)
            assert_int_equal(submission_condition_line(&file, line), under[line]);
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
    /* It is called, and returns before its own calls: */
    assert_true(READ("void drop(int n)\n{\n    if (n)\n        return;\n    other(n);\n    cudaFree(n);\n}\n"
                     "void fini(int n)\n{\n    drop(n);\n}\n"));
    assert_int_equal(submission_uncalled(&file, &reached, name, sizeof name), 0);
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
    submission_caller(&file, "g", name, sizeof name);
    submission_pointer_line(&file, 1, name, sizeof name);
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
        "f<<<", "\"", "/*", "x=0;x[",
    };
    double plain =
        seconds_for("x = 1;\n"); /* as slow as this machine is, or what watches the test */
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_true(seconds_for(pieces[i]) < 100 * plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_is_found_where_it_is_defined),
        cmocka_unit_test(of_several_words_the_first_with_one_line_is_shown),
        cmocka_unit_test(an_assignment_after_a_name_is_found),
        cmocka_unit_test(a_field_is_found_where_it_is_read),
        cmocka_unit_test(a_piece_that_is_called_never_or_in_two_lines_is_found),
        cmocka_unit_test(lines_that_make_certain_calls_are_found),
        cmocka_unit_test(returns_before_the_end_are_found),
        cmocka_unit_test(the_line_that_sets_an_argument_is_found),
        cmocka_unit_test(an_address_that_each_turn_sets_anew_is_found),
        cmocka_unit_test(the_innermost_loop_round_a_line_is_found),
        cmocka_unit_test(the_line_where_a_function_leads_to_another_is_found),
        cmocka_unit_test(the_function_that_makes_a_call_is_found),
        cmocka_unit_test(the_line_that_sets_a_pointer_is_found),
        cmocka_unit_test(the_condition_of_a_line_is_found),
        cmocka_unit_test(calls_that_were_not_reached_are_found),
        cmocka_unit_test(literals_with_prefixes_end_where_they_do),
        cmocka_unit_test(a_word_is_shown_where_one_line_calls_it_or_assigns_to_it),
        cmocka_unit_test(a_word_is_looked_for_in_what_the_function_calls),
        cmocka_unit_test(a_function_that_is_not_closed_ends_with_the_file),
        cmocka_unit_test(a_megabyte_of_brackets_or_calls_is_soon_looked_through),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
