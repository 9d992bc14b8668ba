/* SPDX-License-Identifier: MIT */
/* Four times the work takes about four times the processor's time, and not sixteen: nothing looks
 * at all that waits. */
#include <limits.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "rig.h"

#ifdef __SANITIZE_ADDRESS__     /* which takes five times as long; more streams than 16 bits count */
enum { SMALL = 17000, ROUNDS = 1 };
#else
enum { SMALL = 32000, ROUNDS = 3 };
#endif
enum { LARGE = 4 * SMALL, MOST = 10 };

/* Copy, kernel and copy back in so many streams, all queued before the host waits. */
static void streams_of_three(struct rig *r, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t s = rig_stream(r, 0, 0);
        rig_copy(r, s, 65536, true, true);
        rig_launch(r, s, 4, 256);
        rig_copy(r, s, 65536, false, true);
    }
}

/* The same, each kind for all streams before the next. */
static void kinds_in_turn(struct rig *r, unsigned count)
{
    uint32_t *s = calloc(count, sizeof *s);
    assert_non_null(s);
    for (unsigned i = 0; i < count; i++)
        rig_copy(r, s[i] = rig_stream(r, 0, 0), 65536, true, true);
    for (unsigned i = 0; i < count; i++)
        rig_launch(r, s[i], 4, 256);
    for (unsigned i = 0; i < count; i++)
        rig_copy(r, s[i], 65536, false, true);
    free(s);
}

/* Pairs of copies: each stream goes on once it has an engine. */
static void copies_by_two(struct rig *r, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t s = rig_stream(r, 0, 0);
        rig_copy(r, s, 65536, true, true);
        rig_copy(r, s, 65536, true, true);
    }
}

/* Processor time of the quickest round. */
static clock_t quickest(void (*shape)(struct rig *r, unsigned count), const char *card,
                        unsigned count)
{
    clock_t best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct rig r;
        rig_start(&r, card, 0, 10000);
        clock_t begun = clock();
        shape(&r, count);
        rig_sync(&r);
        clock_t took = clock() - begun;
        rig_finish(&r);
        best = round == 0 || took < best ? took : best;
    }
    return best;
}

static void many_streams_take_no_longer_each_than_few(void **state)
{
    (void)state;
    static const char *const cards[] = { "h200", "c2050" };
    static void (*const shapes[])(struct rig *, unsigned) = { streams_of_three, kinds_in_turn,
                                                              copies_by_two };
    for (size_t c = 0; c < sizeof cards / sizeof *cards; c++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            clock_t few = quickest(shapes[s], cards[c], SMALL),
                    many = quickest(shapes[s], cards[c], LARGE);
            if (many > MOST * few)
                fail_msg("%s, shape %zu: %u streams take %ld us, %u take %ld us", cards[c], s,
                         (unsigned)SMALL, (long)few * 1000000 / CLOCKS_PER_SEC, (unsigned)LARGE,
                         (long)many * 1000000 / CLOCKS_PER_SEC);
        }
}

int main(void)
{
    /* Memory that is new to the process costs more than what is done with it: it is kept, and the
     * quickest round has it. */
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        many_streams_take_no_longer_each_than_few) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
