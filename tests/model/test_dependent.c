/* SPDX-License-Identifier: MIT */
/* Dependent launches on the model: when they begin, wait and go on, and that a replay of their log
 * is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rig.h"

static const int64_t US = 1000;
static struct rig r;
static uint32_t s;

/* Of kernels, by the number of their launch: a block's parts. */
struct kernel { int64_t cost[KERNEL_PARTS]; enum part_end end[KERNEL_PARTS]; };
static struct kernel kernels[256];
static uint32_t launched[256], count;

static const struct kernel *kernel_of(uint32_t node)
{
    uint32_t i = 0;
    while (launched[i] != node)
        i++;
    return &kernels[i];
}

static int64_t first_part(void *context, uint32_t node)
{
    (void)context;
    return kernel_of(node)->cost[0];
}

static enum part_end part_ends(void *context, uint32_t node, unsigned part)
{
    (void)context;
    return kernel_of(node)->end[part];
}

static int64_t part_begins(void *context, uint32_t node, unsigned part)
{
    (void)context;
    return kernel_of(node)->cost[part];
}

static void begin(const char *card)
{
    rig_start(&r, card, 0, 0);
    r.model.hooks.start = first_part;
    r.model.hooks.part_ends = part_ends;
    r.model.hooks.part_begins = part_begins;
    s = rig_stream(&r, STREAM_NON_BLOCKING, 0);
    count = 0;
}

static int set_up(void **state)
{
    (void)state;
    begin("h200");
    return 0;
}

static int finish(void **state)
{
    (void)state;
    rig_finish(&r);
    return 0;
}

static uint32_t launch(uint32_t flags, uint32_t blocks, struct kernel kernel)
{
    size_t call = rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .stream = s,
                                              .grid = { blocks, 1, 1 }, .block = { 1024, 1, 1 },
                                              .flags = flags, .cost = COST_UNKNOWN });
    kernels[count] = kernel;
    return launched[count++] = r.timeline.calls[call].node;
}

static const struct span *span(uint32_t node) { return &r.timeline.spans[node]; }

/* All that follows is queued while this one runs. */
static uint32_t launch_holder(void)
{
    return launch(0, 1, (struct kernel){ .cost = { 100 * US } });
}

static void begins_when_the_primary_triggers_and_waits_for_its_end(void **state)
{
    (void)state;
    launch_holder();
    uint32_t first = launch(0, 1, (struct kernel){ { 20 * US, 80 * US }, { PART_TRIGGERS } });
    uint32_t then =
        launch(LAUNCH_DEPENDENT, 1, (struct kernel){ { 10 * US, 40 * US }, { PART_SYNCS } });
    uint32_t third = launch(0, 1, (struct kernel){ .cost = { US } });
    rig_sync(&r);
    int64_t way = r.model.card->dependent_ns;
    assert_int_equal(way, 512);
    assert_int_equal(span(first)->end - span(first)->start, 100 * US + way);
    assert_int_equal(span(then)->start, span(first)->start + 20 * US + way);
    assert_int_equal(span(then)->end, span(first)->end + 40 * US + r.model.card->kernel_ns);
    assert_int_equal(span(third)->start, span(then)->end);
}

static void a_kernel_that_never_triggers_does_so_with_its_end(void **state)
{
    (void)state;
    launch_holder();
    uint32_t first = launch(0, 1, (struct kernel){ .cost = { 100 * US } });
    uint32_t then =
        launch(LAUNCH_DEPENDENT, 1, (struct kernel){ { 10 * US, 40 * US }, { PART_SYNCS } });
    rig_sync(&r);
    assert_int_equal(span(then)->start, span(first)->start + 100 * US + r.model.card->dependent_ns);
    assert_int_equal(span(then)->end, span(then)->start + 50 * US + r.model.card->kernel_ns);
}

static void all_blocks_have_to_trigger(void **state)
{
    (void)state;
    launch_holder();
    uint32_t first =
        launch(0, 264 + 1,
               (struct kernel){ { 0, 100 * US }, { PART_TRIGGERS } }); /* a wave, and one block */
    uint32_t then = launch(LAUNCH_DEPENDENT, 1, (struct kernel){ { 0, US }, { PART_SYNCS } });
    rig_sync(&r);
    assert_int_equal(span(then)->start, span(first)->start + 100 * US + r.model.card->dependent_ns);
    assert_true(span(first)->end >= span(first)->start + 200 * US);
}

static void one_that_never_waits_ends_by_itself_and_the_next_waits_for_both(void **state)
{
    (void)state;
    launch_holder();
    uint32_t first = launch(0, 1, (struct kernel){ { 0, 100 * US }, { PART_TRIGGERS } });
    uint32_t then = launch(LAUNCH_DEPENDENT, 1, (struct kernel){ .cost = { 10 * US } });
    uint32_t third = launch(0, 1, (struct kernel){ .cost = { US } });
    rig_sync(&r);
    assert_true(span(then)->end < span(first)->start + 20 * US);
    assert_true(span(third)->start >= span(first)->end);
}

static void a_chain_saves_its_prologues(void **state)
{
    (void)state;
    int64_t took[2];
    for (int dependent = 0; dependent < 2; dependent++) {
        launch_holder();
        uint32_t first = count, last = 0;
        for (int i = 0; i < 5; i++)
            last = launch(dependent ? LAUNCH_DEPENDENT : 0, 1,
                          (struct kernel){ { 0, 4 * US, 6 * US }, { PART_TRIGGERS, PART_SYNCS } });
        rig_sync(&r);
        took[dependent] = span(last)->end - span(launched[first])->start;
    }
    int64_t way = r.model.card->dependent_ns, kernel = r.model.card->kernel_ns;
    assert_int_equal(took[0], 5 * (10 * US + kernel));
    /* The first prologue lies under nothing but the kernel before; the others under the one that is
     * ahead. */
    assert_int_equal(took[1], 4 * (6 * US + way) + 10 * US + kernel);
}

/* facts/h200b-more.tsv, 200 of 4 + 6 us, from the first begin to the last end, all queued before.
 */
static void a_long_chain_takes_what_it_took_on_an_h200(void **state)
{
    (void)state;
    static const struct { uint32_t flags; enum part_end first, then; int64_t us; } ways[] = {
        { 0, PART_SYNCS, PART_ENDS_BLOCK, 2314 },
        { LAUNCH_DEPENDENT, PART_SYNCS, PART_ENDS_BLOCK, 2118 },
        { LAUNCH_DEPENDENT, PART_TRIGGERS, PART_SYNCS, 1313 },
        { LAUNCH_DEPENDENT, PART_SYNCS, PART_TRIGGERS, 1315 },
    };
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        const enum part_end first = ways[way].first, then = ways[way].then;
        bool at_once = first == PART_TRIGGERS, two = then == PART_ENDS_BLOCK;
        const struct kernel link = { { at_once ? 0 : 4 * US,
                                       at_once ? 4 * US
                                       : two   ? 6 * US
                                               : 0,
                                       two ? 0 : 6 * US },
                                     { first, then, PART_ENDS_BLOCK } };
        count = 0;
        launch(0, 1, (struct kernel){ .cost = { 3000 * US } });
        for (int i = 0; i < 200; i++)
            launch(ways[way].flags, 1, link);
        rig_sync(&r);
        int64_t took =
            span(launched[200])->end - r.model.card->kernel_ns - span(launched[1])->start;
        assert_in_range(took, ways[way].us * US * 98 / 100, ways[way].us * US * 102 / 100);
    }
}

static void one_that_loads_its_kernel_begins_late(void **state)
{
    (void)state;
    launch_holder();
    uint32_t first = launch(0, 1, (struct kernel){ { 0, 1000 * US }, { PART_TRIGGERS } });
    uint32_t then = launch(LAUNCH_DEPENDENT | LAUNCH_LOADS, 1, (struct kernel){ .cost = { US } });
    rig_sync(&r);
    assert_int_equal(span(then)->start, span(first)->end);
}

static void an_older_card_begins_none_early(void **state)
{
    (void)state;
    rig_finish(&r);
    begin("rtx2070s");
    launch_holder();
    uint32_t first = launch(0, 1, (struct kernel){ { 0, 100 * US }, { PART_TRIGGERS } });
    uint32_t then =
        launch(LAUNCH_DEPENDENT, 1, (struct kernel){ { 10 * US, 40 * US }, { PART_SYNCS } });
    rig_sync(&r);
    assert_int_equal(span(then)->start, span(first)->end);
    assert_int_equal(span(first)->end - span(first)->start, 100 * US + r.model.card->kernel_ns);
    assert_int_equal(span(then)->end - span(then)->start, 50 * US + r.model.card->kernel_ns);
}

static void blocks_that_wait_keep_their_places(void **state)
{
    (void)state;
    launch_holder();
    uint32_t first = launch(0, 1, (struct kernel){ { 0, 100 * US }, { PART_TRIGGERS } });
    launch(LAUNCH_DEPENDENT, 263, (struct kernel){ { 0, 40 * US }, { PART_SYNCS } });
    uint32_t own = s;
    s = rig_stream(&r, STREAM_NON_BLOCKING, 0);
    launch(0, 1, (struct kernel){ .cost = { 110 * US } });
    uint32_t other = launch(0, 2, (struct kernel){ .cost = { US } });
    s = own;
    rig_sync(&r);
    assert_int_equal(span(other)->start,
                     span(first)->end - r.model.card->dependent_ns); /* in the first one's place */
}

/* A kernel, and one behind its launch, in a graph. */
static void launch_beside(struct kernel first, uint32_t blocks, struct kernel then)
{
    rig_call(&r, (struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = s });
    launch(GRAPH_NODE, blocks, first);
    rig_call(&r, (struct call){ .kind = CALL_GRAPH_EDGE, .stream = s,
                                .flags = LAUNCH_DEPENDENT | EDGE_AT_LAUNCH });
    launch(GRAPH_NODE | LAUNCH_DEPENDENT, 1, then);
    rig_call(&r, (struct call){ .kind = CALL_GRAPH_END, .stream = s });
}

static void one_behind_a_launch_begins_when_the_last_blocks_have_begun(void **state)
{
    (void)state;
    launch_holder();
    /* A wave, and one block; it triggers late. */
    launch_beside((struct kernel){ { 90 * US, 10 * US }, { PART_TRIGGERS } }, 264 + 1,
                  (struct kernel){ { 5 * US, 40 * US }, { PART_SYNCS } });
    uint32_t third = launch(0, 1, (struct kernel){ .cost = { US } });
    rig_sync(&r);
    const struct span *first = span(launched[1]), *then = span(launched[2]);
    assert_int_equal(then->start, first->start + 100 * US + r.model.card->dependent_ns);
    assert_true(then->end >= first->end + 40 * US);
    assert_true(span(third)->start >= then->end);
    /* Its wait is for the other's end, and no rule says so; for both it is one that what comes
     * behind the graph waits. */
    const uint32_t rest = launched[2] + 1;
    assert_true(hb_before(&r.order, launched[1], rest, OBSERVED));
    assert_false(hb_before(&r.order, launched[1], rest, GUARANTEED));
    assert_false(hb_before(&r.order, launched[1], launched[2], OBSERVED));
    assert_true(hb_before(&r.order, launched[1], third, GUARANTEED));
    assert_true(hb_before(&r.order, rest, third, GUARANTEED));
    assert_true(hb_before(&r.order, launched[0], launched[2], GUARANTEED));
}

static void one_behind_a_launch_that_does_not_wait_ends_by_itself(void **state)
{
    (void)state;
    launch_holder();
    launch_beside((struct kernel){ .cost = { 100 * US } }, 1,
                  (struct kernel){ .cost = { 10 * US } });
    uint32_t third = launch(0, 1, (struct kernel){ .cost = { US } });
    rig_sync(&r);
    assert_true(span(launched[2])->end < span(launched[1])->start + 20 * US);
    assert_true(span(third)->start >= span(launched[1])->end);
}

static void the_event_of_a_launch_is_over_when_the_last_blocks_have_begun(void **state)
{
    (void)state;
    launch_holder();
    uint32_t first = launch(0, 264 + 1, (struct kernel){ .cost = { 100 * US } });
    uint32_t event = r.events++, own = s;
    rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = event });
    rig_call(&r, (struct call){ .kind = CALL_EVENT_RECORD, .stream = s, .event = event,
                                .flags = EVENT_NO_TIMING | EVENT_AT_LAUNCH });
    s = rig_stream(&r, STREAM_NON_BLOCKING, 0);
    rig_call(&r, (struct call){ .kind = CALL_STREAM_WAIT, .stream = s, .event = event });
    uint32_t behind = launch(0, 1, (struct kernel){ .cost = { US } });
    s = own;
    uint32_t next = launch(0, 1, (struct kernel){ .cost = { US } });
    rig_sync(&r);
    assert_in_range(span(behind)->start, span(first)->start + 100 * US,
                    span(first)->start + 105 * US);
    assert_true(span(next)->start >= span(first)->end);
    assert_false(hb_before(&r.order, first, behind, OBSERVED));
    assert_true(hb_before(&r.order, launched[0], behind, GUARANTEED));
    assert_true(hb_before(&r.order, first, next, GUARANTEED));
}

/* What a simulator writes of the kernels' costs. */
static void log_costs(struct timeline *log, uint32_t node, const struct kernel *k)
{
    for (unsigned part = 0; part < KERNEL_PARTS; part++) {
        if (k->cost[part] > 0)
            timeline_add_call(
                log, &(struct call){ .kind = CALL_COST, .node = node, .cost = k->cost[part] });
        if (k->end[part] == PART_ENDS_BLOCK)
            return;
        uint32_t flag = k->end[part] == PART_SYNCS ? COST_SYNCS : COST_TRIGGERS;
        timeline_add_call(
            log,
            &(struct call){ .kind = CALL_COST, .node = node, .cost = COST_UNKNOWN, .flags = flag });
    }
}

static void a_replay_gives_the_same_timeline(void **state)
{
    (void)state;
    launch_holder();
    for (int i = 0; i < 4; i++) {
        launch(LAUNCH_DEPENDENT, 3,
               (struct kernel){ { 0, 4 * US, 6 * US }, { PART_TRIGGERS, PART_SYNCS } });
        launch(LAUNCH_DEPENDENT, 300,
               (struct kernel){ { 3 * US, 5 * US, 7 * US }, { PART_SYNCS, PART_TRIGGERS } });
        launch(0, 2, (struct kernel){ .cost = { 9 * US } });
    }
    rig_sync(&r);
    struct timeline log, again;
    struct happens_before order;
    timeline_init(&log);
    timeline_init(&again);
    hb_init(&order);
    for (size_t i = 0; i < r.timeline.call_count; i++)
        timeline_add_call(&log, &r.timeline.calls[i]);
    for (uint32_t i = 0; i < count; i++)
        log_costs(&log, launched[i], &kernels[i]);
    model_replay(&log, r.model.card, &again, &order);
    assert_int_equal(again.span_count, r.timeline.span_count);
    for (size_t i = 0; i < again.span_count; i++) {
        assert_int_equal(again.spans[i].start, span((uint32_t)i)->start);
        assert_int_equal(again.spans[i].end, span((uint32_t)i)->end);
    }
    timeline_fini(&log);
    timeline_fini(&again);
    hb_fini(&order);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(begins_when_the_primary_triggers_and_waits_for_its_end),
        TEST(a_kernel_that_never_triggers_does_so_with_its_end),
        TEST(all_blocks_have_to_trigger),
        TEST(one_that_never_waits_ends_by_itself_and_the_next_waits_for_both),
        TEST(a_chain_saves_its_prologues),
        TEST(a_long_chain_takes_what_it_took_on_an_h200),
        TEST(one_that_loads_its_kernel_begins_late),
        TEST(an_older_card_begins_none_early),
        TEST(blocks_that_wait_keep_their_places),
        TEST(one_behind_a_launch_begins_when_the_last_blocks_have_begun),
        TEST(one_behind_a_launch_that_does_not_wait_ends_by_itself),
        TEST(the_event_of_a_launch_is_over_when_the_last_blocks_have_begun),
        TEST(a_replay_gives_the_same_timeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
