/* SPDX-License-Identifier: MIT */
/*
 * drawing.h - for tests of drawings: a timeline for each test, and what a picture has to be.
 *
 * Pictures are compared with files in golden/, byte for byte. Run a test with GOLDEN=write to write
 * them anew, and look at them before you commit.
 */
#ifndef TESTS_DRAWING_H
#define TESTS_DRAWING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "hand_made.h"
#include "trace/draw/draw.h"

#define HUGE_TIME ((INT64_C(1) << 53) + 1)

typedef void drawer(FILE *out, const struct timeline *t, const struct drawing *d);

static const struct drawing both = {
    .title = "Overlap", .streams = true, .engines = true, .width = 80
};

static inline struct drawing with_width(int width)
{
    struct drawing d = both;
    d.width = width;
    return d;
}

static inline int setup(void **state)
{
    static struct timeline t;
    timeline_init(&t);
    *state = &t;
    return 0;
}

static inline int teardown(void **state)
{
    timeline_fini(*state);
    return 0;
}

/* The picture as a string that the caller frees. Not inlined: gcc 12 then warns of a pointer to
 * `text`, which there is none of. */
static __attribute__((noinline, unused)) char *picture(drawer *draw, const struct timeline *t,
                                                       const struct drawing *d)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    draw(out, t, d);
    fclose(out);
    assert_int_equal(strlen(text), length);
    return text;
}

static inline void assert_golden(char *shown, const char *name)
{
    char path[128], *golden = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "tests/trace/golden/%s", name);
    if (getenv("GOLDEN")) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(shown, out);
        fclose(out);
    }
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("there is no %s", path);
    if (getdelim(&golden, &size, '\0', in) < 0)
        fail_msg("%s is empty", path);
    fclose(in);
    if (strcmp(shown, golden) != 0)
        fail_msg("not as in %s:\n%s", path, shown);
    free(golden);
    free(shown);
}

/* Line number `n` (from 0) of a text, in a static buffer. */
static inline const char *line_of(const char *text, int n)
{
    static char line[2000];
    for (; n > 0 && text; n--)
        text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    assert_non_null(text);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    return line;
}

/* The line that begins with this label. */
static inline const char *lane_of(const char *text, const char *label)
{
    for (int n = 0;; n++) {
        const char *line = line_of(text, n);
        if (strncmp(line, label, strlen(label)) == 0)
            return line;
    }
}

static inline size_t occurrences(const char *text, const char *what)
{
    size_t found = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        found++;
    return found;
}

static inline size_t lines_of(const char *text)
{
    return occurrences(text, "\n");
}

/* Columns of the widest line; escape sequences take none. All glyphs take one. */
static inline size_t widest(const char *text)
{
    size_t most = 0, columns = 0;
    for (; *text; text++) {
        if (*text == '\033')
            text += strcspn(text, "m");
        else if (*text == '\n')
            columns = 0;
        else if ((*text & 0xc0) != 0x80)
            columns++;
        most = columns > most ? columns : most;
    }
    return most;
}

static inline void wait_for_all(struct timeline *t, int64_t begin, int64_t end)
{
    struct span *wait = add_operation(t, ENGINE_WAIT, 0, begin, begin, end);
    t->calls[wait->call].end = end;
}

/* Copy in, kernel, copy out in `streams` streams, one after another, from `start`. */
static inline void add_pipeline(struct timeline *t, int streams, int64_t start)
{
    for (int i = 0; i < streams; i++) {
        int64_t call = start + 6000 * i, copy = start + 10000 + 400000 * i;
        add_operation(t, ENGINE_H2D, (uint32_t)i + 1, call, copy, copy + 400000)->bytes = 4 << 20;
        add_operation(t, ENGINE_KERNEL, (uint32_t)i + 1, call + 2000, copy + 400000, copy + 500000);
        add_operation(t, ENGINE_D2H, (uint32_t)i + 1, call + 4000, copy + 520000, copy + 900000)
            ->bytes = 4 << 20;
    }
    uint32_t work =
        add_call(t, CALL_HOST_WORK, "host_work", 0, start + 6000 * streams, start + 300000);
    t->calls[work].end = start + 300000;
    wait_for_all(t, start + 300000, start + 510000 + 400000 * streams);
}

/* Copies from one device to the other and back, kernels and a copy to the host on each. */
static inline void two_devices(struct timeline *t)
{
    for (uint32_t device = 0; device < 2; device++) {
        int64_t begin = 10 * (int64_t)device;
        struct span *peer;
        for (uint32_t copy = 0; copy < 2; copy++) {
            add_operation(t, ENGINE_KERNEL, 2 + 2 * device, begin, begin + 200 * copy,
                          begin + 200 * copy + 180)
                ->device = device;
            peer = add_operation(t, ENGINE_PEER, 3 + 2 * device, begin + 4,
                                 begin + 200 * copy + 180, begin + 200 * copy + 230);
            peer->device = device;
            peer->bytes = 4 << 20;
            t->calls[peer->call].src_device = device;
            t->calls[peer->call].dst_device = 1 - device;
            t->calls[peer->call].flags = copy ? COPY_DIRECT : 0;
        }
        add_operation(t, ENGINE_D2H, 3 + 2 * device, begin + 6, begin + 430, begin + 500)->device =
            device;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
