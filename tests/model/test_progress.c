/* SPDX-License-Identifier: MIT */
/* Whatever a program queues, in one thread or several, all of it ends: on the card where it ran and
 * on any other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "program.h"

#ifdef __SANITIZE_ADDRESS__     /* which takes four times as long */
enum { SEEDS = 3, STEPS = 800 };
#else
enum { SEEDS = 12, STEPS = 3000 };
#endif

static size_t never_ended(const struct timeline *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->span_count; i++)
        count += t->spans[i].end == TIME_NEVER;
    return count;
}

static void ends_on(const struct card *card, uint32_t seed, uint32_t threads)
{
    struct timeline t;
    struct happens_before o;
    timeline_init(&t);
    hb_init(&o);
    model_replay(&r.timeline, card, &t, &o);
    size_t left = never_ended(&t);
    if (left > 0)
        print_message("program %u of %s, %u threads: on %s %zu of %zu never end\n", seed,
                      r.model.card->name, threads, card->name, left, t.span_count);
    assert_int_equal(left, 0);
    hb_fini(&o);
    timeline_fini(&t);
}

static void all_that_is_queued_ends_on_every_card(void **state)
{
    (void)state;
    for (size_t from = 0; from < card_count(); from++)
        for (uint32_t seed = 1; seed <= SEEDS; seed++) {
            uint32_t threads = 1 + seed % PROGRAM_THREADS;
            program(card_at(from)->name, seed, threads, 1200);
            assert_int_equal(never_ended(&r.timeline), 0);
            for (size_t to = 0; to < card_count(); to++)
                ends_on(card_at(to), seed, threads);
            rig_finish(&r);
        }
}

static void a_replay_on_the_same_card_takes_the_same_steps(void **state)
{
    (void)state;
    for (size_t from = 0; from < card_count(); from++)
        for (uint32_t threads = 1; threads <= PROGRAM_THREADS; threads++) {
            struct timeline t;
            struct happens_before o;
            timeline_init(&t);
            hb_init(&o);
            program(card_at(from)->name, 100 + threads, threads, STEPS);
            model_replay(&r.timeline, r.model.card, &t, &o);
            assert_int_equal(t.span_count, r.timeline.span_count);
            assert_int_equal(t.call_count, r.timeline.call_count);
            for (size_t i = 0; i < t.span_count; i++)
                assert_memory_equal(&t.spans[i], &r.timeline.spans[i], sizeof t.spans[i]);
            for (size_t i = 0; i < t.call_count; i++)
                assert_memory_equal(&t.calls[i], &r.timeline.calls[i], sizeof t.calls[i]);
            hb_fini(&o);
            timeline_fini(&t);
            rig_finish(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_is_queued_ends_on_every_card),
        cmocka_unit_test(a_replay_on_the_same_card_takes_the_same_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
