/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <time.h>

#include "hand_made.h"
#include "trace/record/chrome.h"

#define HUGE_TIME ((INT64_C(1) << 53) + 1)

struct export { struct timeline t; char *text; size_t length; json_t *json, *events; };

static int setup(void **state)
{
    struct export *e = calloc(1, sizeof *e);
    timeline_init(&e->t);
    *state = e;
    return 0;
}

static int teardown(void **state)
{
    struct export *e = *state;
    json_decref(e->json);
    free(e->text);
    timeline_fini(&e->t);
    free(e);
    return 0;
}

static void export(struct export *e)
{
    json_error_t error;
    FILE *out = open_memstream(&e->text, &e->length);
    assert_true(chrome_write(out, &e->t));
    fclose(out);
    e->json = json_loadb(e->text, e->length, JSON_REJECT_DUPLICATES, &error);
    if (!e->json)
        fail_msg("line %d: %s", error.line, error.text);
    e->events = json_object_get(e->json, "traceEvents");
    assert_true(json_is_array(e->events));
}

static const char *string_of(const json_t *event, const char *key)
{
    const char *s = json_string_value(json_object_get(event, key));
    return s ? s : "";
}

static int64_t integer_of(const json_t *event, const char *key)
{
    const json_t *value = json_object_get(event, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

/* Microseconds with three decimals, back to ns; exact for times of some days. */
static int64_t ns_of(const json_t *event, const char *key)
{
    const json_t *value = json_object_get(event, key);
    assert_true(json_is_real(value));
    return (int64_t)(json_real_value(value) * 1000 + 0.5);
}

/* The `which`-th event of this phase and category (any: NULL); NULL if there are not so many. */
static json_t *find(const struct export *e, const char *phase, const char *category, size_t which)
{
    for (size_t i = 0; i < json_array_size(e->events); i++) {
        json_t *event = json_array_get(e->events, i);
        if (strcmp(string_of(event, "ph"), phase) == 0
            && (!category || strcmp(string_of(event, "cat"), category) == 0) && which-- == 0)
            return event;
    }
    return NULL;
}

static size_t count(const struct export *e, const char *phase, const char *category)
{
    size_t found = 0;
    while (find(e, phase, category, found))
        found++;
    return found;
}

/* What metadata says of a process or thread: "process_name", 2, … */
static const char *name_of(const struct export *e, const char *what, int64_t pid, int64_t tid)
{
    json_t *event;
    for (size_t i = 0; (event = find(e, "M", NULL, i)); i++)
        if (strcmp(string_of(event, "name"), what) == 0 && integer_of(event, "pid") == pid
            && (strcmp(what, "process_name") == 0 || integer_of(event, "tid") == tid))
            return string_of(json_object_get(event, "args"), "name");
    return "";
}

struct slice { int64_t pid, tid, start, end; };

/* Outer before inner. */
static int compare_slices(const void *one, const void *other)
{
    const struct slice *a = one, *b = other;
    int64_t by = a->pid != b->pid ? a->pid - b->pid : a->tid != b->tid ? a->tid - b->tid
               : a->start != b->start ? a->start - b->start : b->end - a->end;
    return by < 0 ? -1 : by > 0;
}

static bool all_nest(const struct export *e)
{
    size_t size = json_array_size(e->events), slices = 0, depth = 0;
    struct slice *list = calloc(size + 1, sizeof *list), *open = calloc(size + 1, sizeof *open);
    for (size_t i = 0; i < size; i++) {
        json_t *event = json_array_get(e->events, i);
        if (strcmp(string_of(event, "ph"), "X") != 0)
            continue;
        struct slice s = { integer_of(event, "pid"), integer_of(event, "tid"), ns_of(event, "ts"),
                           0 };
        s.end = s.start + ns_of(event, "dur");
        list[slices++] = s;
    }
    qsort(list, slices, sizeof *list, compare_slices);
    bool nest = true;
    for (size_t i = 0; i < slices; i++) {
        while (depth > 0
               && (open[depth - 1].pid != list[i].pid || open[depth - 1].tid != list[i].tid
                   || open[depth - 1].end <= list[i].start))
            depth--;
        if (depth > 0 && list[i].end > open[depth - 1].end)
            nest = false;
        open[depth++] = list[i];
    }
    free(list);
    free(open);
    return nest;
}

static void an_empty_timeline_is_an_empty_list(void **state)
{
    struct export *e = *state;
    export(e);
    assert_int_equal(json_array_size(e->events), 0);
}

static void a_span_is_one_event_on_its_stream_with_a_flow_from_its_call(void **state)
{
    struct export *e = *state;
    add_operation(&e->t, ENGINE_H2D, 3, 1000, 2345, 10000)->bytes = UINT64_MAX / 2;
    e->t.calls[0].file = text(&e->t, "a.cu");
    e->t.calls[0].line = 12;
    export(e);
    json_t *span = find(e, "X", "H2D", 0), *call = find(e, "X", "call", 0);
    assert_non_null(span);
    assert_non_null(call);
    assert_string_equal(string_of(span, "name"), "cudaMemcpyAsync");
    assert_int_equal(ns_of(span, "ts"), 2345);
    assert_int_equal(ns_of(span, "dur"), 7655);
    assert_int_equal(integer_of(json_object_get(span, "args"), "bytes"), UINT64_MAX / 2);
    assert_string_equal(string_of(json_object_get(call, "args"), "file"), "a.cu");
    assert_int_equal(integer_of(json_object_get(call, "args"), "line"), 12);
    assert_string_equal(string_of(json_object_get(call, "args"), "kind"), "copy");
    assert_string_equal(name_of(e, "process_name", integer_of(span, "pid"), 0), "device 0");
    assert_string_equal(name_of(e, "thread_name", integer_of(span, "pid"), integer_of(span, "tid")),
                        "stream 3");
    assert_string_equal(name_of(e, "process_name", integer_of(call, "pid"), 0), "host");
    assert_string_equal(name_of(e, "thread_name", integer_of(call, "pid"), integer_of(call, "tid")),
                        "host thread 0");

    json_t *from = find(e, "s", NULL, 0), *to = find(e, "f", NULL, 0);
    assert_int_equal(integer_of(from, "id"), integer_of(to, "id"));
    assert_string_equal(string_of(from, "cat"), string_of(to, "cat"));
    assert_string_equal(string_of(from, "name"), string_of(to, "name"));
    assert_string_equal(string_of(to, "bp"), "e");
    assert_int_equal(integer_of(from, "tid"), integer_of(call, "tid"));
    assert_int_equal(integer_of(from, "pid"), integer_of(call, "pid"));
    assert_int_equal(integer_of(to, "tid"), integer_of(span, "tid"));
    assert_int_equal(integer_of(to, "pid"), integer_of(span, "pid"));
    assert_int_equal(ns_of(from, "ts"), 1000);
    assert_int_equal(ns_of(to, "ts"), 2345);
}

static void devices_are_processes_and_default_streams_have_names(void **state)
{
    struct export *e = *state;
    uint32_t legacy = add_call(&e->t, CALL_STREAM_CREATE, "", 0, 0, 0);
    e->t.calls[legacy].flags = STREAM_LEGACY;
    add_operation(&e->t, ENGINE_KERNEL, 0, 0, 10, 20);
    add_operation(&e->t, ENGINE_KERNEL, 4, 2, 10, 20)->device = 1;
    export(e);
    json_t *first = find(e, "X", "kernel", 0), *second = find(e, "X", "kernel", 1);
    assert_int_not_equal(integer_of(first, "pid"), integer_of(second, "pid"));
    assert_string_equal(name_of(e, "process_name", integer_of(second, "pid"), 0), "device 1");
    assert_string_equal(
        name_of(e, "thread_name", integer_of(first, "pid"), integer_of(first, "tid")),
        "default stream");
}

static void times_are_exact_to_the_nanosecond_beyond_a_doubles_reach(void **state)
{
    struct export *e = *state;
    add_operation(&e->t, ENGINE_KERNEL, 1, HUGE_TIME - 5, HUGE_TIME, HUGE_TIME + 1000000007);
    export(e);
    assert_non_null(strstr(e->text, "\"ts\":9007199254740.993,\"dur\":1000000.007"));
    assert_non_null(strstr(e->text, "\"ts\":9007199254740.988"));
}

static void spans_of_no_length_and_moments_are_kept(void **state)
{
    struct export *e = *state;
    add_operation(&e->t, ENGINE_MEMSET, 1, 0, 7, 7);
    add_operation(&e->t, ENGINE_NONE, 1, 2, 9, 9);
    export(e);
    assert_int_equal(ns_of(find(e, "X", "memset", 0), "dur"), 0);
    assert_int_equal(ns_of(find(e, "i", "moment", 0), "ts"), 9);
    assert_int_equal(count(e, "f", NULL), 1);
}

static void strings_come_out_as_they_went_in(void **state)
{
    static const char *const names[] = {
        "plain", "\"quoted\" \\ back", "Größe → ∞ 核 😀", "a\nb\tc\001\x1f", "</script><b>&amp;'",
    };
    struct export *e = *state;
    size_t names_count = sizeof names / sizeof *names;
    for (size_t i = 0; i < names_count; i++)
        add_operation(&e->t, ENGINE_KERNEL, 1, (int64_t)i * 10, (int64_t)i * 10,
                      (int64_t)i * 10 + 5)
            ->name = text(&e->t, names[i]);
    export(e);
    for (size_t i = 0; i < names_count; i++)
        assert_string_equal(string_of(find(e, "X", "kernel", i), "name"), names[i]);
    assert_null(strstr(e->text, "</script"));
}

static void bytes_that_are_no_utf8_become_the_replacement_character(void **state)
{
    static const struct { const char *bytes, *shown; } cases[] = {
        { "a\xff" "b", "a\uFFFDb" },
        { "cut \xe2\x82", "cut \uFFFD\uFFFD" },
        { "long \xc0\xaf", "long \uFFFD\uFFFD" },
        { "half \xed\xa0\x80", "half \uFFFD\uFFFD\uFFFD" },
        { "far \xf4\x90\x80\x80", "far \uFFFD\uFFFD\uFFFD\uFFFD" },
    };
    struct export *e = *state;
    size_t cases_count = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < cases_count; i++)
        add_operation(&e->t, ENGINE_KERNEL, 1, (int64_t)i * 10, (int64_t)i * 10,
                      (int64_t)i * 10 + 5)
            ->name = text(&e->t, cases[i].bytes);
    export(e);
    for (size_t i = 0; i < cases_count; i++)
        assert_string_equal(string_of(find(e, "X", "kernel", i), "name"), cases[i].shown);
}

static void a_copy_between_devices_says_from_where_to_where(void **state)
{
    struct export *e = *state;
    uint32_t call = add_operation(&e->t, ENGINE_PEER, 1, 0, 10, 20)->call;
    e->t.calls[call].src_device = 1;
    e->t.calls[call].flags = COPY_DIRECT;
    export(e);
    json_t *args = json_object_get(find(e, "X", "peer", 0), "args");
    assert_int_equal(integer_of(args, "from"), 1);
    assert_int_equal(integer_of(args, "to"), 0);
    assert_true(json_is_true(json_object_get(args, "direct")));
}

static void spans_of_one_stream_that_overlap_get_lanes_of_their_own(void **state)
{
    struct export *e = *state;
    add_operation(&e->t, ENGINE_KERNEL, 5, 0, 100, 200);
    add_operation(&e->t, ENGINE_H2D, 5, 2, 150, 250);
    add_operation(&e->t, ENGINE_D2H, 5, 4, 199, 300);
    add_operation(&e->t, ENGINE_MEMSET, 5, 6, 200, 210);    /* the first lane is free again */
    add_operation(&e->t, ENGINE_D2D, 5, 8, 120, 130);       /* earlier than what is in it */
    export(e);
    assert_true(all_nest(e));
    json_t *kernel = find(e, "X", "kernel", 0), *copy = find(e, "X", "H2D", 0);
    assert_int_not_equal(integer_of(kernel, "tid"), integer_of(copy, "tid"));
    assert_int_equal(integer_of(kernel, "tid"), integer_of(find(e, "X", "memset", 0), "tid"));
    assert_string_equal(name_of(e, "thread_name", integer_of(copy, "pid"), integer_of(copy, "tid")),
                        "stream 5 (2)");
}

static void a_wait_lies_inside_its_call(void **state)
{
    struct export *e = *state;
    uint32_t sync = add_call(&e->t, CALL_DEVICE_SYNC, "cudaDeviceSynchronize", 0, 100, 200);
    add_span(&e->t, sync, ENGINE_WAIT, 90, 210);            /* sticks out at both ends */
    add_operation(&e->t, ENGINE_KERNEL, 1, 200, 220, 230);
    export(e);
    assert_true(all_nest(e));
    assert_int_equal(ns_of(find(e, "X", "wait", 0), "ts"), 100);
    assert_int_equal(ns_of(find(e, "X", "wait", 0), "dur"), 100);
}

static void what_never_finished_lasts_to_the_end_and_says_so(void **state)
{
    struct export *e = *state;
    add_operation(&e->t, ENGINE_KERNEL, 1, 0, 100, TIME_NEVER);
    add_operation(&e->t, ENGINE_D2H, 1, 10, TIME_NEVER, TIME_NEVER);
    add_operation(&e->t, ENGINE_KERNEL, 2, 20, 100, 900);
    uint32_t sync = add_call(&e->t, CALL_DEVICE_SYNC, "cudaDeviceSynchronize", 0, 30, TIME_NEVER);
    add_span(&e->t, sync, ENGINE_WAIT, 30, TIME_NEVER);
    export(e);
    json_t *open = find(e, "X", "kernel", 0);
    assert_int_equal(ns_of(open, "ts") + ns_of(open, "dur"), 900);
    assert_true(json_is_false(json_object_get(json_object_get(open, "args"), "finished")));
    assert_null(json_object_get(json_object_get(find(e, "X", "kernel", 1), "args"), "finished"));
    assert_null(find(e, "X", "D2H", 0));
    assert_string_equal(string_of(find(e, "i", "never begun", 0), "name"), "cudaMemcpyAsync");
    assert_int_equal(ns_of(find(e, "X", "wait", 0), "dur"), 870);
    assert_true(all_nest(e));
}

static void labels_open_and_close_and_none_stays_open(void **state)
{
    struct export *e = *state;
    add_call(&e->t, CALL_LABEL, "", 0, 0, 0);               /* closes nothing */
    add_call(&e->t, CALL_LABEL, "load", 0, 10, 10);
    add_call(&e->t, CALL_RANGE, "inner", 0, 20, 20);
    /* What need not nest is not among them. */
    e->t.calls[add_call(&e->t, CALL_RANGE, "mark", 0, 25, 25)].flags = RANGE_MARK;
    e->t.calls[add_call(&e->t, CALL_RANGE, "", 0, 26, 26)].flags = RANGE_FREE;
    add_call(&e->t, CALL_RANGE, "", 0, 30, 30);
    add_operation(&e->t, ENGINE_KERNEL, 1, 40, 50, 60);
    export(e);
    assert_int_equal(count(e, "B", NULL), 2);
    assert_int_equal(count(e, "E", NULL), 2);
    assert_string_equal(string_of(find(e, "B", NULL, 1), "name"), "inner");
    assert_int_equal(ns_of(find(e, "E", NULL, 0), "ts"), 30);
    assert_int_equal(ns_of(find(e, "E", NULL, 1), "ts"), 60);
}

static void add_range(struct export *e, const char *name, const char *domain, int64_t at)
{
    uint32_t call = add_call(&e->t, CALL_RANGE, name, 0, at, at);
    e->t.calls[call].message = text(&e->t, domain);
}

static void ranges_of_a_domain_nest_there_alone(void **state)
{
    struct export *e = *state;
    add_range(e, "outer", "", 10);
    add_range(e, "of the library", "\"lib\"", 20);
    add_range(e, "", "", 30);                               /* closes outer, the other is open */
    add_range(e, "", "\"lib\"", 40);
    add_range(e, "", "\"lib\"", 50);                        /* closes nothing */
    export(e);
    assert_int_equal(count(e, "B", NULL), 2);
    assert_int_equal(count(e, "E", NULL), 2);
    int64_t own = integer_of(find(e, "B", NULL, 0), "tid"),
            library = integer_of(find(e, "B", NULL, 1), "tid");
    assert_string_equal(name_of(e, "thread_name", 1, own), "host thread 0");
    assert_string_equal(name_of(e, "thread_name", 1, library), "host thread 0, \"lib\"");
    assert_int_equal(integer_of(find(e, "E", NULL, 0), "tid"), own);
    assert_int_equal(integer_of(find(e, "E", NULL, 1), "tid"), library);
}

static void a_disk_that_is_full_is_noticed(void **state)
{
    struct export *e = *state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    for (int i = 0; i < 1000; i++)
        add_operation(&e->t, ENGINE_KERNEL, 1, i * 10, i * 10, i * 10 + 5);
    assert_false(chrome_write(full, &e->t));
    assert_int_equal(errno, ENOSPC);
    fclose(full);
}

static void a_hundred_thousand_spans_take_seconds_not_minutes(void **state)
{
#ifdef __SANITIZE_ADDRESS__     /* which takes three times as long */
    enum { SPANS = 20000, STREAMS = 40 };
#else
    enum { SPANS = 100000, STREAMS = 40 };
#endif
    struct export *e = *state;
    for (uint32_t i = 0; i < SPANS; i++)     /* each of a stream's overlaps the next */
        add_operation(&e->t, ENGINE_KERNEL, 1 + i % STREAMS, i * 10, i * 10, i * 10 + 15 * STREAMS);
    clock_t begin = clock();
    FILE *out = open_memstream(&e->text, &e->length);
    assert_true(chrome_write(out, &e->t));
    fclose(out);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_true(seconds < 5);
    e->json = json_loadb(e->text, e->length, 0, NULL);
    e->events = json_object_get(e->json, "traceEvents");
    assert_true(json_array_size(e->events) >= 4 * SPANS);
    assert_true(all_nest(e));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_timeline_is_an_empty_list),
        TEST(a_span_is_one_event_on_its_stream_with_a_flow_from_its_call),
        TEST(devices_are_processes_and_default_streams_have_names),
        TEST(a_copy_between_devices_says_from_where_to_where),
        TEST(times_are_exact_to_the_nanosecond_beyond_a_doubles_reach),
        TEST(spans_of_no_length_and_moments_are_kept),
        TEST(strings_come_out_as_they_went_in),
        TEST(bytes_that_are_no_utf8_become_the_replacement_character),
        TEST(spans_of_one_stream_that_overlap_get_lanes_of_their_own),
        TEST(a_wait_lies_inside_its_call),
        TEST(what_never_finished_lasts_to_the_end_and_says_so),
        TEST(labels_open_and_close_and_none_stays_open),
        TEST(ranges_of_a_domain_nest_there_alone),
        TEST(a_disk_that_is_full_is_noticed),
        TEST(a_hundred_thousand_spans_take_seconds_not_minutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
