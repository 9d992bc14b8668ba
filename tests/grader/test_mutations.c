/* SPDX-License-Identifier: MIT */
/*
 * What comes from outside, mutated: logs, cards, submissions. Nothing may crash,
 * hang or read beyond its bytes (make check-sanitize sees that). The same bytes
 * every time; MUTATIONS=n: so many of each (default 300).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "grader/run/submission.h"
#include "grader/base/text.h"
#include "model/card_files.h"
#include "tests/model/rig.h"
#include "trace/record/chrome.h"
#include "trace/draw/draw.h"
#include "trace/record/log.h"
#include "trace/record/memory.h"

struct bytes { unsigned char *at; size_t count, capacity; };

static uint64_t state;

static uint32_t dice(uint32_t sides)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % sides);
}

static unsigned mutations(void)
{
    const char *option = getenv("MUTATIONS");
    return option ? (unsigned)atoi(option) : 300;
}

/* A copy, in a block of just its size, with a few bytes changed, gone, doubled, or its end cut off.
 */
static struct bytes mutated(const void *of, size_t count)
{
    static const unsigned char edges[] = { 0, 1, 0x7f, 0x80, 0xff, '\n', ' ', '/', '#' };
    struct bytes b = { malloc(2 * count + 64), count, 0 };
    memcpy(b.at, of, count);
    for (uint32_t left = 1 + dice(6); left > 0 && b.count > 1; left--) {
        size_t at = dice((uint32_t)b.count), length = 1 + dice(12);
        if (length > b.count - at)
            length = b.count - at;
        switch (dice(6)) {
        case 0: b.at[at] = edges[dice(sizeof edges)]; break;
        case 1: b.at[at] ^= (unsigned char)(1u << dice(8)); break;
        case 2:
            memmove(b.at + at, b.at + at + length, b.count - at - length);
            b.count -= length;
            break;
        case 3:
            if (b.count + length <= 2 * count + 64) {
                memmove(b.at + at + length, b.at + at, b.count - at);
                b.count += length;
            }
            break;
        case 4: memset(b.at + at, edges[dice(sizeof edges)], length); break;
        default: if (dice(8) == 0) b.count = at; break;
        }
    }
    b.at = realloc(b.at, b.count ? b.count : 1);
    return b;
}

static void put(void *context, const void *bytes, size_t count)
{
    struct bytes *b = context;
    b->at = memory_grow(b->at, b->count + count, &b->capacity, 1);
    memcpy(b->at + b->count, bytes, count);
    b->count += count;
}

/* The log of a program with a bit of everything. */
static struct bytes log_of_program(void)
{
    struct rig r;
    struct bytes b = { 0 };
    struct log_writer w = { .put = put, .context = &b };
    rig_start(&r, "h200", 0, 20000);
    uint32_t one = rig_stream(&r, 0, 0), two = rig_stream(&r, STREAM_NON_BLOCKING, -1);
    uint32_t name = timeline_intern(&r.timeline, "kernel<&>", 9);
    rig_copy(&r, one, 1 << 20, true, true);
    uint32_t kernel = rig_launch(&r, one, 512, 256);
    rig_call(&r, (struct call){ .kind = CALL_COST, .node = kernel, .cost = 20000, .name = name });
    rig_record(&r, one);
    rig_call(&r, (struct call){ .kind = CALL_STREAM_WAIT, .stream = two, .event = 0 });
    rig_launch(&r, two, 64, 1024);
    rig_call(&r, (struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = one });
    rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .stream = one, .flags = GRAPH_NODE,
                                .grid = { 8, 1, 1 }, .block = { 64, 1, 1 }, .cost = COST_UNKNOWN });
    rig_call(&r, (struct call){ .kind = CALL_GRAPH_EDGE, .stream = one, .src = 0 });
    rig_call(&r, (struct call){ .kind = CALL_SET, .stream = one, .flags = GRAPH_NODE | CALL_ASYNC,
                                .bytes = 4096,
                                .dst_kind = MEM_DEVICE });
    rig_call(&r, (struct call){ .kind = CALL_GRAPH_END, .stream = one });
    rig_call(&r, (struct call){ .kind = CALL_HOST_FUNC, .stream = two, .cost = 1000 });
    rig_call(&r, (struct call){ .kind = CALL_THREAD_BEGIN, .thread = 1, .node = NO_NODE });
    rig_call(&r, (struct call){ .kind = CALL_EVENT_SYNC, .thread = 1, .event = 0 });
    rig_call(&r, (struct call){ .kind = CALL_THREAD_WAKE, .thread = 0, .src = 1, .node = NO_NODE });
    rig_call(&r, (struct call){ .kind = CALL_THREAD_END, .thread = 1 });
    rig_call(&r,
             (struct call){
                 .kind = CALL_MALLOC, .dst = 1 << 20, .bytes = 1 << 20, .dst_kind = MEM_DEVICE });
    rig_call(&r, (struct call){ .kind = CALL_PREFETCH, .stream = one, .src = 4096, .bytes = 1 << 16,
                                .dst_kind = MEM_DEVICE });
    rig_copy(&r, two, 1 << 18, false, false);
    rig_sync(&r);
    rig_call(&r, (struct call){ .kind = CALL_EXIT });
    log_begin(&w);
    for (size_t i = 0; i < r.timeline.call_count; i++)
        log_write(&w, &r.timeline, &r.timeline.calls[i]);
    rig_finish(&r);
    return b;
}

/* All that the grader does with a log. */
static bool use_log(const struct bytes *b)
{
    struct timeline log, t;
    struct happens_before o;
    struct log_reader reader;
    timeline_init(&log);
    timeline_init(&t);
    hb_init(&o);
    log_reader_init(&reader);
    for (size_t at = 0, n; at < b->count; at += n) {
        n = 1 + dice(200);
        if (n > b->count - at)
            n = b->count - at;
        log_read(&reader, &log, b->at + at, n);
    }
    model_replay(&log, card_at(dice((uint32_t)card_count())), &t, &o);
    FILE *out = fopen("/dev/null", "w");
    struct drawing d = { .streams = true, .engines = true, .width = 100 };
    draw_text(out, &t, &d);
    draw_svg(out, &t, &d);
    chrome_write(out, &t);
    fclose(out);
    bool any = t.span_count > 0;
    log_reader_fini(&reader);
    timeline_fini(&log);
    timeline_fini(&t);
    hb_fini(&o);
    return any;
}

static void mutated_logs_are_replayed_and_drawn(void **unused)
{
    (void)unused;
    struct bytes log = log_of_program();
    unsigned used = 0;
    state = 1;
    assert_true(use_log(&log));
    for (unsigned i = 0; i < mutations(); i++) {
        struct bytes b = mutated(log.at, log.count);
        used += use_log(&b);
        free(b.at);
    }
    assert_true(used > mutations() / 4);      /* most get that far, or this tests little */
    memory_resize(log.at, 0);
}

static void mutated_cards_are_read_or_refused(void **unused)
{
    (void)unused;
    unsigned refused = 0;
    state = 2;
    for (unsigned i = 0; i < mutations(); i++) {
        const struct card_file *file = &card_files[dice((uint32_t)card_file_count)];
        struct bytes b = mutated(file->text, file->length);
        struct card card;
        size_t line = 0;
        const char *error = NULL;
        if (!card_parse(&card, (const char *)b.at, b.count, &line, &error)) {
            refused++;
            assert_non_null(error);
            assert_true(line > 0);
        }
        free(b.at);
    }
    assert_true(refused > 0 && refused < mutations());
}

static void mutated_submissions_are_read_or_refused_in_one_line(void **unused)
{
    (void)unused;
    static const char text[] =
        "// build: --default-stream per-thread\n#include \"streams.h\"\n//> a\nint x;\n//< a\n"
        "//> b\nint \xc3\xa9;\n//< b\n";
    char path[] = "/tmp/mutations-XXXXXX", problem[512];
    int fd = mkstemp(path);
    struct submission starter, s;
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    assert_true(submission_read(&starter, path, problem, sizeof problem));
    unsigned refused = 0;
    state = 3;
    for (unsigned i = 0; i < mutations(); i++) {
        struct bytes b = mutated(text, sizeof text - 1);
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, b.at, b.count, 0), b.count);
        if (submission_read(&s, path, problem, sizeof problem)) {
            size_t marks;
            submission_attempted(&s, &starter, "a b");
            assert_true(submission_regions(&s, "a b", &marks) <= marks);
            assert_true(submission_mark_line(&s, "b a") >= 1);
            assert_true(s.option_count <= SUBMISSION_OPTIONS);
        } else {
            refused++;
            assert_null(strchr(problem, '\n'));
            assert_true(*problem != '\0');
        }
        submission_fini(&s);
        char *harmless = text_harmless((const char *)b.at, b.count);
        for (const char *c = harmless; *c; c++)
            assert_true((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t');
        free(harmless);
        free(b.at);
    }
    assert_true(refused > 0 && refused < mutations());
    submission_fini(&starter);
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_logs_are_replayed_and_drawn),
        cmocka_unit_test(mutated_cards_are_read_or_refused),
        cmocka_unit_test(mutated_submissions_are_read_or_refused_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
