/* SPDX-License-Identifier: MIT */
/* Line markers of g++ -E, of files with odd names, too. */
#include "rewriting.h"

#include "simcc/rewrite/marker.h"

static struct marker read_whole(const char *text)
{
    struct marker marker = { 0 };
    assert_true(marker_read(text, text + strlen(text), &marker));
    return marker;
}

static void assert_path(struct marker marker, const char *path)
{
    char read[64];
    marker_path(&marker, read, sizeof read);
    assert_string_equal(read, path);
}

static void a_marker_says_line_file_and_flags(void **state)
{
    (void)state;
    struct marker first = read_whole("# 1 \"x.cu\"\n"), header = read_whole("# 12 \"a/b.h\" 1 3 4"),
                  back = read_whole("# 7 \"x 1 3.cu\" 2\nint x; \"1\"");
    assert_path(first, "x.cu");
    assert_true(first.line == 1 && !first.begins && !first.returns && !first.system);
    assert_path(header, "a/b.h");
    assert_true(header.line == 12 && header.begins && !header.returns && header.system);
    assert_path(back, "x 1 3.cu");
    assert_true(back.line == 7 && !back.begins && back.returns && !back.system);
}

static void a_path_may_have_quotation_marks(void **state)
{
    (void)state;
    assert_path(read_whole("# 1 \"a\\\"b \\\\ 1.cu\" 2"), "a\"b \\ 1.cu");
    assert_false(read_whole("# 1 \"a\\\" 1 3\"").system);
    char cut[4];
    struct marker marker = read_whole("# 1 \"a\\\"bc\"");
    marker_path(&marker, cut, sizeof cut);
    assert_string_equal(cut, "a\"b");
}

static void other_lines_are_none(void **state)
{
    (void)state;
    static const char *const lines[] = { "#pragma GCC diagnostic ignored \"-Wall\"",
                                         "# 1",
                                         "# 1 x.cu",
                                         "# 1 \"x.cu",
                                         "# 1 \"x.cu\\\"",
                                         "#line 3 \"x.cu\"",
                                         "# 1\n\"x.cu\"",
                                         "# x \"x.cu\"",
                                         "",
                                         "#" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct marker marker = { .line = -1 };
        assert_false(marker_read(lines[i], lines[i] + strlen(lines[i]), &marker));
        assert_int_equal(marker.line, -1);
    }
}

/* The message of an error has its name as open() takes it. */
static void an_error_names_such_a_file(void **state)
{
    (void)state;
    static const char text[] = HEADER "# 7 \"a\\\"b.cu\"\n\n__global__ int k(void) { return 0; }\n";
    size_t length;
    char *refused;
    free(rewrite(text, strlen(text), own, "", (struct rewrite_how){ 0 }, &length, &refused));
    assert_non_null(refused);
    assert_ptr_equal(strstr(refused, "a\"b.cu:8: error: "), refused);
    free(refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_marker_says_line_file_and_flags),
        cmocka_unit_test(a_path_may_have_quotation_marks),
        cmocka_unit_test(other_lines_are_none),
        cmocka_unit_test(an_error_names_such_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
