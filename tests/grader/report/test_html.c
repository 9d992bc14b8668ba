/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "grader/report/html.h"
#include "grader/report/report_html.h"
#include "grader/report/template.h"
#include "trace/record/memory.h"

#define HOSTILE "</script><img src=x onerror=\"alert('1')\">&\033[2J\xff\xe2\x80\xae</pre></style>"

static char *written(void (*write)(FILE *, const char *), const char *text)
{
    char *buffer;
    size_t size;
    FILE *out = open_memstream(&buffer, &size);
    write(out, text);
    fclose(out);
    return buffer;
}

static void text_is_escaped_and_harmless(void **state)
{
    (void)state;
    char *text = written(html_text, HOSTILE);
    assert_string_equal(
        text,
        "&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;\\x1B[2J\\xFF\\xE2\\x80\\xAE"
        "&lt;/pre&gt;&lt;/style&gt;");
    free(text);
}

static void a_path_keeps_to_letters_that_a_url_may_have(void **state)
{
    (void)state;
    char *text = written(html_path, "/home/ann a/\"x\"#1?/06.html");
    assert_string_equal(text, "/home/ann%20a/%22x%22%231%3F/06.html");
    free(text);
}

static void an_anchor_is_the_headings_words(void **state)
{
    (void)state;
    char *text = written(html_anchor, "Depth first, breadth first");
    assert_string_equal(text, "depth-first-breadth-first");
    free(text);
}

/* ---- templates ---- */

static json_t *view;

/* What `template` makes of the view is `wanted`. */
static void fills(const char *template, const char *wanted)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    template_write(out, template, view);
    fclose(out);
    assert_string_equal(text, wanted);
    free(text);
}

static void a_template_shows_what_it_is_given(void **state)
{
    (void)state;
    view = json_object();
    view_text(view, "a", "<b>");
    view_number(view, "none", 0);
    view_number(view, "some", 12);
    view_text(view, "empty", "");
    view_text(view, "again", "({{a}})");
    fills("{{a}} {{{a}}} {{some}} {{none}} {{nowhere}}.", "&lt;b&gt; <b> 12 0 .");
    fills(
        "{{#some}}yes{{/some}}{{#none}}no{{/none}}{{#empty}}no{{/empty}}{{#nowhere}}no{{/nowhere}}",
        "yes");
    fills("{{^some}}no{{/some}}{{^none}}1{{/none}}{{^empty}}2{{/empty}}{{^nowhere}}3{{/nowhere}}",
          "123");
    fills("{{>again}}", "(&lt;b&gt;)");
    fills("{ {{{a}}} {{", "{ <b> {{");
    json_decref(view);
}

static void a_section_is_there_for_each_of_a_list(void **state)
{
    (void)state;
    view = json_object();
    json_t *list = view_list(view, "list"), *one = view_more(list), *two = view_more(list);
    view_text(view, "a", "outer");
    view_list(view, "empty");
    view_text(one, "a", "inner");
    view_format(two, "b", "%d%%", 3);
    view_text(view_object(two, "in"), "c", "deep");
    fills("{{#list}}{{a}}{{#b}} {{b}}{{/b}}{{#in}} {{c}}{{/in}};{{/list}}", "inner;outer 3% deep;");
    fills("{{#empty}}{{#list}}no{{/list}}{{/empty}}{{^empty}}none{{/empty}}", "none");
    fills("<\n{{#list}}\n{{a}}\n{{/list}}\n>\n", "<\ninner\nouter\n>\n");
    json_decref(view);
}

/* ---- a page ---- */

static bool fails(const struct evidence *e, struct finding *f, const char *part)
{
    (void)e, (void)part;
    f->call = 1;
    expected(f, "%s", HOSTILE);
    seen(f, "%s", HOSTILE);
    return why(f, "%s", HOSTILE);
}

static const struct part parts[] = { { "a", "the only part", "one" } };
static const struct check checks[] = {
    { "a-order", "a", ORDER, 2, "it is in order", NULL, fails, "The order", { "", "", "" } },
    { "a-overlap", "a", OVERLAP, 4, "it overlaps", "a-order", fails, "Overlap", { "", "", "" } },
};
static const struct lesson lesson = { .number = 42, .folder = "42-made-up", .title = "Made up",
                                      .parts = parts, .part_count = 1, .checks = checks,
                                      .check_count = 2 };
static const struct card card = { .name = "h200", .title = "NVIDIA H200" };
static const struct submission submission = { .path = (char *)"work/<b>.cu",
                                              .text = (char *)"a\n" HOSTILE "\n",
                                              .bytes = sizeof HOSTILE + 2 };
static struct timeline yours, theirs;
static struct view mine = { .card = &card, .timeline = &yours },
                   reference = { .card = &card, .timeline = &theirs };
static struct verdict v;

static void add(struct timeline *t, uint32_t kind, const char *name)
{
    struct call c = { .kind = kind, .name = timeline_intern(t, name, strlen(name)), .line = 2,
                      .file = timeline_intern(t, "work/<b>.cu", 11), .node = NO_NODE,
                      .begin = (int64_t)t->call_count * 1000,
                      .end = (int64_t)t->call_count * 1000 + 500 };
    timeline_add_call(t, &c);
}

static void fill(struct timeline *t, const char *name)
{
    timeline_init(t);
    add(t, CALL_PART, "a");
    add(t, CALL_COPY, name);
    add(t, CALL_PART, "");
}

static int begin(void **state)
{
    (void)state;
    fill(&yours, HOSTILE);
    fill(&theirs, "our_secret_call");
    v = (struct verdict){ .lesson = &lesson, .submission = &submission, .seed = 7, .card = &card,
                          .backend = "simulator", .compiler = HOSTILE, .output = (char *)HOSTILE,
                          .views = 1, .yours = &mine,
                          .reference = &reference };
    v.attempted = memory_resize(NULL, 1);
    v.attempted[0] = true;
    judge(&v, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    memory_resize(v.attempted, 0);
    memory_resize(v.results, 0);
    timeline_fini(&yours);
    timeline_fini(&theirs);
    return 0;
}

static char *page(void)
{
    char *buffer;
    size_t size;
    FILE *out = open_memstream(&buffer, &size);
    report_html_write(out, &v, "../../");
    fclose(out);
    return buffer;
}

static void nothing_that_a_program_says_becomes_part_of_the_page(void **state)
{
    (void)state;
    char *text = page();
    assert_null(strstr(text, "<img"));
    assert_null(strstr(text, "</script"));
    assert_null(strchr(text, '\033'));
    assert_null(strchr(text, '\xff'));
    assert_null(strstr(text, "<b>.cu"));
    assert_non_null(strstr(text, "<dt>seen</dt><dd>&lt;/script&gt;&lt;img"));
    assert_non_null(strstr(text, "work/&lt;b&gt;.cu:2"));
    assert_ptr_equal(strstr(text, "</pre>"), strstr(text, "</pre></section>"));
    free(text);
}

static void a_failure_leads_into_the_chapter(void **state)
{
    (void)state;
    char *text = page();
    assert_non_null(
        strstr(text, "<a href=\"../../lessons/42-made-up/chapter.md#the-order\">The order</a>"));
    free(text);
}

static void of_the_reference_only_the_shape_is_shown(void **state)
{
    (void)state;
    char *text = page();
    assert_non_null(strstr(text, "one that passes, on the same scale"));
    assert_null(strstr(text, "our_secret_call"));
    free(text);
}

static void the_same_verdict_gives_the_same_page(void **state)
{
    (void)state;
    char *one = page(), *other = page();
    assert_string_equal(one, other);
    free(one);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped_and_harmless),
        cmocka_unit_test(a_path_keeps_to_letters_that_a_url_may_have),
        cmocka_unit_test(an_anchor_is_the_headings_words),
        cmocka_unit_test(a_template_shows_what_it_is_given),
        cmocka_unit_test(a_section_is_there_for_each_of_a_list),
        cmocka_unit_test_setup_teardown(nothing_that_a_program_says_becomes_part_of_the_page, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_failure_leads_into_the_chapter, begin, end),
        cmocka_unit_test_setup_teardown(of_the_reference_only_the_shape_is_shown, begin, end),
        cmocka_unit_test_setup_teardown(the_same_verdict_gives_the_same_page, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
