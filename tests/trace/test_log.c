/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/record/log.h"
#include "trace/record/memory.h"

struct buffer { unsigned char *at; size_t count, capacity; };

static void put(void *context, const void *bytes, size_t count)
{
    struct buffer *b = context;
    b->at = memory_grow(b->at, b->count + count, &b->capacity, 1);
    memcpy(b->at + b->count, bytes, count);
    b->count += count;
}

static void fill(struct timeline *t)
{
    timeline_init(t);
    uint32_t copy = timeline_intern(t, "cudaMemcpyAsync", 15),
             odd = timeline_intern(t, "a\"b\n\xc3\xa9", 6);
    timeline_add_call(t, &(struct call){ .kind = CALL_COPY, .name = copy, .file = odd, .line = 12,
                                         .status = -1, .begin = INT64_MAX, .end = INT64_MIN,
                                         .bytes = UINT64_MAX, .dst = 1, .cost = COST_UNKNOWN,
                                         .grid = { 1, 2, 3 }, .block = { UINT32_MAX, 0, 1 },
                                         .priority = -5, .node = NO_NODE });
    timeline_add_call(t, &(struct call){ .kind = CALL_COST, .node = 7, .cost = 20000 });
    timeline_add_call(t, &(struct call){ .kind = CALL_EXIT, .node = 0 });
}

static struct buffer written(const struct timeline *t)
{
    struct buffer b = { 0 };
    struct log_writer w = { .put = put, .context = &b };
    log_begin(&w);
    for (size_t i = 0; i < t->call_count; i++)
        log_write(&w, t, &t->calls[i]);
    return b;
}

static void what_is_written_is_read_back_whatever_the_pieces(void **state)
{
    (void)state;
    struct timeline t;
    fill(&t);
    struct buffer b = written(&t);
    for (size_t piece = 1; piece <= b.count; piece += 6) {
        struct timeline back;
        struct log_reader r;
        timeline_init(&back);
        log_reader_init(&r);
        for (size_t at = 0; at < b.count; at += piece)
            log_read(&r, &back, b.at + at, b.count - at < piece ? b.count - at : piece);
        assert_null(r.error);
        assert_int_equal(back.call_count, t.call_count);
        for (size_t i = 0; i < t.call_count; i++) {
            assert_string_equal(timeline_string(&back, back.calls[i].name),
                                timeline_string(&t, t.calls[i].name));
            assert_string_equal(timeline_string(&back, back.calls[i].file),
                                timeline_string(&t, t.calls[i].file));
            assert_memory_equal(&back.calls[i], &t.calls[i], sizeof t.calls[i]);
        }
        log_reader_fini(&r);
        timeline_fini(&back);
    }
    memory_resize(b.at, 0);
    timeline_fini(&t);
}

static void a_log_that_was_cut_off_is_readable_up_to_there(void **state)
{
    (void)state;
    struct timeline t, back;
    struct log_reader r;
    fill(&t);
    struct buffer b = written(&t);
    timeline_init(&back);
    log_reader_init(&r);
    log_read(&r, &back, b.at, b.count - 1);
    assert_null(r.error);
    assert_int_equal(back.call_count, 2);
    log_reader_fini(&r);
    timeline_fini(&back);
    memory_resize(b.at, 0);
    timeline_fini(&t);
}

static const char *error_of(const void *bytes, size_t count)
{
    struct timeline t;
    struct log_reader r;
    timeline_init(&t);
    log_reader_init(&r);
    log_read(&r, &t, bytes, count);
    const char *error = r.error;
    log_reader_fini(&r);
    timeline_fini(&t);
    return error;
}

static void bytes_that_are_no_log_are_refused_with_a_reason(void **state)
{
    (void)state;
    assert_non_null(error_of("HTTP/1.1 200 OK", 15));
    assert_non_null(error_of(LOG_MAGIC "\x02\x7f\x00", 11)); /* no such kind */
    assert_non_null(error_of(LOG_MAGIC "\x01\x03", 10));                           /* no mask */
    assert_non_null(error_of(LOG_MAGIC "\xff\xff\x7f", 11));                       /* too long */
    assert_non_null(error_of(LOG_MAGIC "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 19));
    assert_non_null(error_of(LOG_MAGIC "\x03\x03\x00\x00", 12)); /* more than its fields */
    assert_null(error_of(LOG_MAGIC, 8));
}

static void random_bytes_never_do_more_than_be_refused(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        unsigned char bytes[96];
        memcpy(bytes, LOG_MAGIC, 8);
        for (size_t i = 8; i < sizeof bytes; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = (unsigned char)(seed >> 33) & (round % 2 ? 0x1f : 0xff);
        }
        error_of(bytes, sizeof bytes);
    }
}

static void a_long_string_is_cut_off_and_the_log_goes_on(void **state)
{
    (void)state;
    static char text[3 * LOG_RECORD_MAX];
    struct timeline t, back;
    struct log_reader r;
    memset(text, 'x', sizeof text);
    timeline_init(&t);
    uint32_t name = timeline_intern(&t, text, sizeof text);
    timeline_add_call(&t, &(struct call){ .kind = CALL_LABEL, .name = name, .node = NO_NODE });
    struct buffer b = written(&t);
    timeline_init(&back);
    log_reader_init(&r);
    log_read(&r, &back, b.at, b.count);
    assert_null(r.error);
    assert_int_equal(back.call_count, 1);
    assert_int_equal(strlen(timeline_string(&back, back.calls[0].name)), LOG_RECORD_MAX - 1);
    log_reader_fini(&r);
    timeline_fini(&back);
    timeline_fini(&t);
    memory_resize(b.at, 0);
}

/* A log that version 0.1 wrote on 22 November 2026 is read, and would be written today with the
 * same bytes. */
static void an_old_log_is_read_and_has_the_bytes_of_today(void **state)
{
    (void)state;
    static unsigned char old[8192];
    FILE *in = fopen("tests/front/old/log", "r");
    assert_non_null(in);
    size_t count = fread(old, 1, sizeof old, in), launches = 0;
    fclose(in);
    struct timeline t;
    struct log_reader r;
    struct buffer b = { 0 };
    struct log_writer w = { .put = put, .context = &b };
    timeline_init(&t);
    log_reader_init(&r);
    log_begin(&w);
    for (size_t i = 0, before = 0; i < count; i++, before = t.call_count) {
        log_read(&r, &t, old + i, 1);
        if (t.call_count > before)
            log_write(&w, &t, &t.calls[before]);
    }
    assert_null(r.error);
    for (size_t i = 0; i < t.call_count; i++)
        launches += t.calls[i].kind == CALL_GRAPH_LAUNCH;
    assert_int_equal(t.calls[t.call_count - 1].kind, CALL_EXIT);
    assert_true(launches > 0);
    assert_int_equal(b.count, count);
    assert_memory_equal(b.at, old, count);
    log_reader_fini(&r);
    timeline_fini(&t);
    memory_resize(b.at, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back_whatever_the_pieces),
        cmocka_unit_test(a_log_that_was_cut_off_is_readable_up_to_there),
        cmocka_unit_test(bytes_that_are_no_log_are_refused_with_a_reason),
        cmocka_unit_test(random_bytes_never_do_more_than_be_refused),
        cmocka_unit_test(a_long_string_is_cut_off_and_the_log_goes_on),
        cmocka_unit_test(an_old_log_is_read_and_has_the_bytes_of_today),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
