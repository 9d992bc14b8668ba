/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grader/export/common_failures.h"
#include "grader/export/escape.h"

static char *written(void (*put)(FILE *out, const char *text), const char *text)
{
    char *bytes;
    size_t count;
    FILE *out = open_memstream(&bytes, &count);
    put(out, text);
    fclose(out);
    return bytes;
}

struct row { const char *text, *wanted; };

static void compare(void (*put)(FILE *out, const char *text), const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *got = written(put, rows[i].text);
        assert_string_equal(got, rows[i].wanted);
        free(got);
    }
}

static void cells_are_in_quotes_and_no_formulas(void **state)
{
    static const struct row rows[] = {
        { "", "\"\"" }, { "Ann", "\"Ann\"" }, { "O'Neill, \"Ann\"", "\"O'Neill, \"\"Ann\"\"\"" },
        { "two\nlines", "\"two\nlines\"" },
        { "=1+1", "\"'=1+1\"" }, { "+1", "\"'+1\"" }, { "-1", "\"'-1\"" }, { "@sum", "\"'@sum\"" },
        { "\t=1", "\"'\t=1\"" },
        { "  =1", "\"'  =1\"" }, { "\u00a0=1", "\"'\u00a0=1\"" }, { "\uff1d1", "\"'\uff1d1\"" },
        { "a=1", "\"a=1\"" },
        { "\n=1", "\"'\n=1\"" }, { "\x01", "\"\\x01\"" },
        { "Zo\u00eb \u738b", "\"Zo\u00eb \u738b\"" }, { "\xff", "\"\\xFF\"" },
    };
    (void)state;
    compare(csv_text, rows, sizeof rows / sizeof *rows);
}

static void xml_has_only_what_it_has_a_place_for(void **state)
{
    static const struct row rows[] = {
        { "a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;" }, { "]]>", "]]&gt;" },
        { "\x1b[0m", "\\x1B[0m" }, { "\uffff\ufffe", "\ufffd\ufffd" },
        { "a\n\tb", "a&#10;&#9;b" }, { "\u738b", "\u738b" },
    };
    (void)state;
    compare(xml_text, rows, sizeof rows / sizeof *rows);
}

static void numbers_have_the_decimals_that_say_something(void **state)
{
    static const struct { double value; const char *wanted; } rows[] = {
        { 0, "0" }, { -0.0, "0" }, { 12, "12" }, { 12.5, "12.5" }, { 0.001, "0.001" },
        { 33.3333, "33.333" }, { 100, "100" }, { 1e6, "1000000" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *bytes;
        size_t count;
        FILE *out = open_memstream(&bytes, &count);
        csv_number(out, rows[i].value);
        fclose(out);
        assert_string_equal(bytes, rows[i].wanted);
        free(bytes);
    }
}

static void base64_is_that_of_the_rfc(void **state)
{
    static const struct row rows[] = {
        { "", "" },        { "f", "Zg==" },          { "fo", "Zm8=" },
        { "foo", "Zm9v" }, { "foobar", "Zm9vYmFy" }, { "\xff\xfe\xfd", "//79" }
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *got = base64(rows[i].text, strlen(rows[i].text));
        assert_string_equal(got, rows[i].wanted);
        free(got);
    }
}

/* Two students with the same mistake at different sizes, one with another, one withheld. */
static void the_same_mistake_at_other_sizes_is_the_same_message(void **state)
{
    static const char text[] =
        "{'students': ["
        "{'lessons': [{'verdict': {'checks': [{'id': 'a-x', 'part': 'a', 'name': 'x', 'outcome': 'failed', 'finding': {'why': 'n = 4711 of 3.5 at 0xdead.'}}]}}]},"
        "{'lessons': [{'verdict': {'checks': [{'id': 'a-x', 'part': 'a', 'name': 'x', 'outcome': 'failed', 'finding': {'why': 'another'}}]}}]},"
        "{'lessons': [{'verdict': {'checks': [{'id': 'a-x', 'part': 'a', 'name': 'x', 'outcome': 'failed', 'finding': {'why': 'n = 12 of 1.25 at 0x10.'}}]}}]},"
        "{'lessons': [{'verdict': {'checks': [{'id': 'a-x', 'part': 'a', 'name': 'x', 'outcome': 'passed'}, {'id': 'a-y', 'outcome': 'passed'}]}}]},"
        "{'lessons': [{'verdict': {'checks': [{'id': 'a-x', 'part': 'a', 'name': 'x', 'outcome': 'withheld'}]}}]}]}";
    char json[sizeof text];
    (void)state;
    strcpy(json, text);
    for (char *c = json; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *results = json_loads(json, 0, NULL);
    assert_non_null(results);
    struct failure *list;
    assert_int_equal(common_failures(results, &list), 1);
    assert_string_equal(list[0].name, "x");
    assert_int_equal(list[0].failed, 3);
    assert_int_equal(list[0].judged, 4);
    assert_int_equal(list[0].who[2], 2);
    assert_int_equal(list[0].message_count, 2);
    assert_string_equal(list[0].messages[0].text, "n = … of … at ….");
    assert_int_equal(list[0].messages[0].count, 2);
    assert_string_equal(list[0].messages[1].text, "another");
    common_failures_free(list, 1);
    json_decref(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_in_quotes_and_no_formulas),
        cmocka_unit_test(xml_has_only_what_it_has_a_place_for),
        cmocka_unit_test(numbers_have_the_decimals_that_say_something),
        cmocka_unit_test(base64_is_that_of_the_rfc),
        cmocka_unit_test(the_same_mistake_at_other_sizes_is_the_same_message),
    };
    return cmocka_run_group_tests_name("grades in the formats of others", tests, NULL, NULL);
}
