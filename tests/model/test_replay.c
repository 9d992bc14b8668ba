/* SPDX-License-Identifier: MIT */
/* A log replayed in pieces: they make up the whole, on every card, and memory does not follow the
 * log's length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/replay.h"
#include "program.h"
#include "trace/record/log.h"

/* ---- a log in memory ---- */

struct bytes { unsigned char *at; size_t count, capacity; };

static void put(void *context, const void *bytes, size_t count)
{
    struct bytes *b = context;
    for (size_t i = 0; i < count; i++) {
        if (b->count == b->capacity)
            b->at = realloc(b->at, b->capacity = 2 * b->capacity + 4096);
        b->at[b->count++] = ((const unsigned char *)bytes)[i];
    }
}

static struct bytes log_of(const struct timeline *t)
{
    struct bytes b = { 0 };
    struct log_writer w = { .put = put, .context = &b };
    log_begin(&w);
    for (size_t i = 0; i < t->call_count; i++)
        log_write(&w, t, &t->calls[i]);
    return b;
}

/* ---- pieces put together ---- */

struct glued { struct timeline t; unsigned pieces; };

static void glue(void *context, const struct replay_piece *p)
{
    struct glued *g = context;
    assert_int_equal(p->calls_before, g->t.call_count);
    assert_int_equal(p->spans_before, g->t.span_count);
    for (size_t i = p->first_span; i < p->t->span_count; i++)
        assert_true(p->last || p->t->spans[i].end != TIME_NEVER);
    replay_put_together(&g->t, p);
    g->pieces++;
}

/* How many pieces there are; they make up what the whole log makes. */
static unsigned pieces_on(const struct timeline *log, const struct card *card)
{
    struct timeline whole;
    struct happens_before order;
    struct glued g = { .pieces = 0 };
    timeline_init(&whole);
    timeline_init(&g.t);
    hb_init(&order);
    model_replay(log, card, &whole, &order);
    struct bytes b = log_of(log);
    struct replay *replay = replay_new(card, glue, &g);
    for (size_t at = 0, piece; at < b.count; at += piece) {
        piece = 1 + dice(20000);
        piece = piece < b.count - at ? piece : b.count - at;
        replay_read(replay, b.at + at, piece);
    }
    assert_null(replay_end(replay));
    assert_int_equal(g.t.call_count, whole.call_count);
    assert_int_equal(g.t.span_count, whole.span_count);
    assert_int_equal(g.t.migration_count, whole.migration_count);
    for (size_t i = 0; i < whole.call_count; i++)
        assert_memory_equal(&g.t.calls[i], &whole.calls[i], sizeof whole.calls[i]);
    for (size_t i = 0; i < whole.span_count; i++)
        assert_memory_equal(&g.t.spans[i], &whole.spans[i], sizeof whole.spans[i]);
    for (size_t i = 0; i < whole.migration_count; i++)
        assert_memory_equal(&g.t.migrations[i], &whole.migrations[i], sizeof whole.migrations[i]);
    free(b.at);
    hb_fini(&order);
    timeline_fini(&whole);
    timeline_fini(&g.t);
    return g.pieces;
}

#ifdef __SANITIZE_ADDRESS__     /* which takes five times as long */
enum { EVERY = 4 };             /* card */
#else
enum { EVERY = 1 };
#endif

static void pieces_make_up_what_the_whole_log_makes_on_every_card(void **state)
{
    (void)state;
    static const char *const written_on[] = { "h200", "rtx2070s", "k20c" };
    for (unsigned from = 0; from < 3; from++)
        for (uint32_t threads = 1; threads <= PROGRAM_THREADS; threads += 2) {
            program(written_on[from], 7 + from, threads, 15000);
            for (size_t to = 0; to < card_count(); to += EVERY)
                pieces_on(&r.timeline, card_at(to));
            assert_true(pieces_on(&r.timeline, r.model.card) > 5);
            rig_finish(&r);
        }
}

/* ---- memory ---- */

#ifndef __SANITIZE_ADDRESS__     /* which keeps what is freed */

static void count_spans(void *context, const struct replay_piece *p)
{
    *(size_t *)context += p->t->span_count - p->first_span;
}

static void to_replay(void *context, const void *bytes, size_t count)
{
    replay_read(context, bytes, count);
}

/* A log of so many operations, written and replayed at once, by a program that waits for the device
 * every thousandth time. Returns the peak of resident memory, KiB. */
static long replay_long_log(size_t operations)
{
    struct timeline strings;
    size_t spans = 0;
    timeline_init(&strings);
    struct replay *replay = replay_new(card_find("h200"), count_spans, &spans);
    struct log_writer w = { .put = to_replay, .context = replay };
    struct call c = { .kind = CALL_STREAM_CREATE, .flags = STREAM_LEGACY, .node = NO_NODE };
    log_begin(&w);
    for (c.stream = 0; c.stream < PROGRAM_STREAMS; c.stream++, c.flags = 0)
        log_write(&w, &strings, &c);
    for (size_t i = 0; i < operations; i++) {
        c = (struct call){ .kind = i % 3 ? CALL_COPY : CALL_LAUNCH, .flags = CALL_ASYNC,
                           .stream = (uint32_t)(i % PROGRAM_STREAMS), .grid = { 9, 1, 1 },
                           .block = { 32, 1, 1 }, .bytes = 4096, .src_kind = MEM_PINNED,
                           .dst_kind = MEM_DEVICE, .node = NO_NODE };
        log_write(&w, &strings, &c);
        if (i % 1000 == 999) {
            c = (struct call){ .kind = CALL_DEVICE_SYNC, .node = NO_NODE };
            log_write(&w, &strings, &c);
        }
    }
    bool whole = !replay_end(replay) && spans == operations + operations / 1000;
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return whole ? u.ru_maxrss : -1;
}

/* The same in a process of its own. */
static long peak_of(size_t operations)
{
    int ends[2];
    long peak = -1;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        peak = replay_long_log(operations);
        _exit(write(ends[1], &peak, sizeof peak) != sizeof peak);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &peak, sizeof peak), sizeof peak);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return peak;
}

static void ten_times_the_operations_take_no_more_memory(void **state)
{
    (void)state;
    long shorter = peak_of(100000), longer = peak_of(1000000);
    assert_true(shorter > 0 && longer > 0);
    assert_true(longer < shorter + 1024);
    assert_true(longer < 64 * 1024);
}
#endif

static void a_damaged_log_is_replayed_up_to_the_damage(void **state)
{
    (void)state;
    program("h200", 1, 1, 600);
    struct bytes b = log_of(&r.timeline);
    struct glued g = { .pieces = 0 };
    timeline_init(&g.t);
    struct replay *replay = replay_new(r.model.card, glue, &g);
    replay_read(replay, b.at, b.count);
    replay_read(replay, "\377\377\377\377\377\377\377\377\377\377\377\377", 12);
    assert_non_null(replay_end(replay));
    assert_int_equal(g.t.call_count, r.timeline.call_count);
    free(b.at);
    timeline_fini(&g.t);
    rig_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_make_up_what_the_whole_log_makes_on_every_card),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(ten_times_the_operations_take_no_more_memory),
#endif
        cmocka_unit_test(a_damaged_log_is_replayed_up_to_the_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
