/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "trace/order/hazard.h"

/* ---- a program on the model, whose operations touch what the test says ---- */

enum { STREAMS = 5, BYTES = 64, MOST = 400 };
enum { LEGACY, FIRST, SECOND, THIRD, FREE_STREAM };

struct touch { uint64_t from, to; bool write, atomic; };

static struct rig {
    struct timeline timeline;
    struct happens_before order;
    struct model model;
    struct vector_clocks clocks;
    struct hazards hazards;
    struct touch touch[MOST][2];        /* by node */
    struct hazard found[2000];          /* with nodes in place of points */
    size_t found_count;
    uint32_t ended;
    uint32_t events;
} r;

static void found(void *context, const struct hazard *h)
{
    (void)context;
    struct hazard nodes = *h;
    nodes.first = hazards_node(&r.hazards, h->first);
    nodes.then = hazards_node(&r.hazards, h->then);
    assert_in_range(r.found_count, 0, 1999);
    r.found[r.found_count++] = nodes;
}

static int64_t operation_ended(void *context, uint32_t node)
{
    (void)context;
    struct hazard_range ranges[2];
    vector_clocks_follow(&r.clocks);
    for (int i = 0; i < 2; i++)
        ranges[i] = (struct hazard_range){ r.touch[node][i].from, r.touch[node][i].to, r.touch[node][i].write,
                                           r.touch[node][i].atomic };
    hazards_touch(&r.hazards, hazards_operation(&r.hazards, node), ranges, 2);
    r.ended++;
    return 0;
}

static uint32_t call(struct call c)
{
    size_t index = model_call(&r.model, &c);
    return r.timeline.calls[index].node;
}

static int set_up(void **state)
{
    (void)state;
    static const uint32_t flags[STREAMS] = { [LEGACY] = STREAM_LEGACY, [FREE_STREAM] = STREAM_NON_BLOCKING };
    memset(&r, 0, sizeof r);
    timeline_init(&r.timeline);
    hb_init(&r.order);
    model_init(&r.model, card_find("h200"), 0, &r.timeline, &r.order,
               &(struct model_hooks){ .end = operation_ended });
    vector_clocks_init(&r.clocks, &r.order);
    hazards_init(&r.hazards, &r.clocks, found, NULL);
    for (uint32_t i = 0; i < STREAMS; i++)
        call((struct call){ .kind = CALL_STREAM_CREATE, .stream = i, .flags = flags[i] });
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hazards_fini(&r.hazards);
    vector_clocks_fini(&r.clocks);
    model_fini(&r.model);
    hb_fini(&r.order);
    timeline_fini(&r.timeline);
    return 0;
}

static uint32_t launch(uint32_t stream, uint64_t from, uint64_t to, bool write)
{
    r.touch[r.order.node_count][0] = (struct touch){ from, to, write, false };
    return call((struct call){ .kind = CALL_LAUNCH, .stream = stream });
}

static void synchronize(void)
{
    call((struct call){ .kind = CALL_DEVICE_SYNC });
}

static void record(uint32_t event, uint32_t stream)
{
    while (r.events <= event)
        call((struct call){ .kind = CALL_EVENT_CREATE, .event = r.events++ });
    call((struct call){ .kind = CALL_EVENT_RECORD, .event = event, .stream = stream });
}

static void wait_event(uint32_t event, uint32_t stream)
{
    call((struct call){ .kind = CALL_STREAM_WAIT, .event = event, .stream = stream });
}

static bool pair(size_t i, uint32_t a, uint32_t b)
{
    const struct hazard *h = &r.found[i];
    return (h->first == a && h->then == b) || (h->first == b && h->then == a);
}

/* The host touches bytes now. */
static void host(uint64_t from, uint64_t to, bool write)
{
    vector_clocks_follow(&r.clocks);
    bool lasting = r.ended < r.order.node_count;
    hazards_touch(&r.hazards, hazards_host(&r.hazards, 0, lasting),
                  &(struct hazard_range){ from, to, write, false }, 1);
}

/* ---- pairs by hand ---- */

static void two_streams_that_write_the_same_bytes_are_a_hazard(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST, 0, 32, true), b = launch(SECOND, 16, 48, true);
    synchronize();
    assert_int_equal(r.found_count, 1);
    assert_true(pair(0, a, b));
    assert_int_equal(r.found[0].from, 16);
    assert_int_equal(r.found[0].to, 32);
}

static void readers_and_disjoint_chunks_are_none(void **state)
{
    (void)state;
    launch(FIRST, 0, 32, false);
    launch(SECOND, 0, 32, false);
    launch(FIRST, 32, 48, true);
    launch(SECOND, 48, 64, true);
    synchronize();
    assert_int_equal(r.found_count, 0);
}

static void a_reader_and_a_writer_say_which_is_which(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST, 0, 8, false), b = launch(SECOND, 0, 8, true);
    synchronize();
    assert_int_equal(r.found_count, 1);
    assert_true(pair(0, a, b));
    assert_true(r.found[0].first == a ? !r.found[0].first_writes && r.found[0].then_writes
                                      : r.found[0].first_writes && !r.found[0].then_writes);
}

static void two_atomic_accesses_are_none_but_one_is(void **state)
{
    (void)state;
    for (uint32_t stream = FIRST; stream <= SECOND; stream++) {
        r.touch[r.order.node_count][0] = (struct touch){ 0, 4, true, true };
        call((struct call){ .kind = CALL_LAUNCH, .stream = stream });
    }
    host(0, 4, false);
    synchronize();
    assert_int_equal(r.found_count, 2);
    assert_int_equal(hazards_node(&r.hazards, 0), NO_NODE);
    assert_true(pair(0, NO_NODE, 0) && pair(1, NO_NODE, 1));
}

static void an_event_between_them_orders_them(void **state)
{
    (void)state;
    launch(FIRST, 0, 32, true);
    record(0, FIRST);
    wait_event(0, SECOND);
    launch(SECOND, 0, 32, true);
    synchronize();
    assert_int_equal(r.found_count, 0);
}

static void the_legacy_stream_orders_blocking_streams_and_no_others(void **state)
{
    (void)state;
    launch(FIRST, 0, 8, true);
    launch(LEGACY, 0, 8, true);
    launch(SECOND, 0, 8, true);
    synchronize();
    assert_int_equal(r.found_count, 0);
    launch(FREE_STREAM, 0, 8, true);
    launch(LEGACY, 0, 8, false);
    synchronize();
    assert_int_equal(r.found_count, 1);
}

static void what_only_a_card_does_is_no_order(void **state)
{
    (void)state;
    launch(FIRST, 0, 8, true);
    call((struct call){ .kind = CALL_FREE });
    launch(SECOND, 0, 8, true);
    synchronize();
    assert_int_equal(r.found_count, 1);
}

static void the_host_meets_work_that_it_did_not_wait_for(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST, 0, 32, false), b = launch(SECOND, 32, 64, true);
    host(0, 8, true);
    assert_int_equal(r.found_count, 0);         /* a has not touched it yet … */
    call((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST });
    assert_int_equal(r.found_count, 1);         /* … now it has */
    assert_true(pair(0, NO_NODE, a));
    host(8, 16, true);
    assert_int_equal(r.found_count, 1);
    host(40, 41, false);
    synchronize();
    assert_int_equal(r.found_count, 2);
    assert_true(pair(1, NO_NODE, b));
    host(0, 64, true);
    launch(THIRD, 0, 64, true);
    synchronize();
    host(0, 64, false);
    assert_int_equal(r.found_count, 2);
}

static void a_wait_that_came_too_early_does_not_help(void **state)
{
    (void)state;
    call((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST });
    uint32_t a = launch(FIRST, 0, 32, true);
    call((struct call){ .kind = CALL_HOST_WORK, .cost = 10000000000 });
    synchronize();
    assert_int_equal(r.found_count, 0);
    uint32_t b = launch(SECOND, 0, 32, true);
    call((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST });
    host(0, 1, false);
    synchronize();
    assert_int_equal(r.found_count, 1);
    assert_true(pair(0, NO_NODE, b));
    assert_true(a < b);
}

static void one_pair_is_reported_once_however_many_pieces_it_has(void **state)
{
    (void)state;
    for (uint64_t at = 0; at < 64; at += 4)
        launch(FIRST, at, at + 2, true);
    synchronize();
    uint32_t a = launch(SECOND, 0, 64, true), b = launch(THIRD, 3, 61, true);
    synchronize();
    assert_int_equal(r.found_count, 1);
    assert_true(pair(0, a, b));
    assert_int_equal(r.found[0].from, 3);
    assert_int_equal(r.found[0].to, 61);
}

static void memory_that_was_given_back_is_forgotten(void **state)
{
    (void)state;
    launch(FIRST, 0, 64, true);
    call((struct call){ .kind = CALL_FREE });
    hazards_clear(&r.hazards, 8, 56);
    launch(SECOND, 8, 56, true);
    call((struct call){ .kind = CALL_FREE });
    assert_int_equal(r.found_count, 0);
    launch(THIRD, 0, 9, true);
    synchronize();
    assert_int_equal(r.found_count, 2);
}

static void what_one_thread_waited_for_another_may_touch(void **state)
{
    (void)state;
    launch(FIRST, 0, 8, true);
    call((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST, .thread = 1 });
    launch(SECOND, 0, 8, true);                 /* by thread 0, who may have joined thread 1 */
    synchronize();
    assert_int_equal(r.found_count, 0);
}

/* ---- random programs ---- */

static uint64_t seed;

static uint32_t pick(uint32_t count)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)((seed >> 16) % count);
}

enum step_kind { LAUNCH, WAIT_EVENT, SYNC_STREAM, SYNC_DEVICE };
struct step_of { enum step_kind kind; uint32_t stream, other; struct touch touch[2]; };

struct program { struct step_of step[MOST]; size_t count; };

static struct touch random_touch(void)
{
    uint64_t from = pick(8) * 8 + (pick(4) == 0 ? pick(8) : 0), length = 8 * (1 + pick(pick(6) == 0 ? 6 : 1));
    if (pick(4) == 0)
        length = 1 + pick(12);
    return (struct touch){ from, from + length > BYTES ? BYTES : from + length, pick(3) != 0, pick(6) == 0 };
}

/* Makes the calls of the program but for step `without`. An event's wait is its record too. */
static void run_program(const struct program *p, size_t without)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct step_of *s = &p->step[i];
        if (i == without)
            continue;
        switch (s->kind) {
        case LAUNCH:
            memcpy(r.touch[r.order.node_count], s->touch, sizeof s->touch);
            call((struct call){ .kind = CALL_LAUNCH, .stream = s->stream, .cost = pick(100000) });
            break;
        case WAIT_EVENT:
            record(r.events, s->other);
            wait_event(r.events - 1, s->stream);
            break;
        case SYNC_STREAM:
            call((struct call){ .kind = CALL_STREAM_SYNC, .stream = s->stream });
            break;
        case SYNC_DEVICE:
            synchronize();
            break;
        }
    }
    synchronize();
}

static bool overlap(const struct touch *a, const struct touch *b, uint64_t *from, uint64_t *to)
{
    *from = a->from > b->from ? a->from : b->from;
    *to = a->to < b->to ? a->to : b->to;
    return *from < *to && (a->write || b->write) && !(a->atomic && b->atomic);
}

static bool clash(uint32_t a, uint32_t b, bool *bytes)
{
    bool any = false;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            uint64_t from, to;
            if (!overlap(&r.touch[a][i], &r.touch[b][j], &from, &to))
                continue;
            any = true;
            for (; bytes && from < to; from++)
                bytes[from] = true;
        }
    return any;
}

/* By brute force, with hb_before: is what was found right, and all of it? Returns how many pairs there are. */
static size_t judge(void)
{
    bool bytes[BYTES] = { false }, covered[BYTES] = { false };
    size_t pairs = 0;
    vector_clocks_follow(&r.clocks);
    for (uint32_t a = 0; a < r.order.node_count; a++)
        for (uint32_t b = a + 1; b < r.order.node_count; b++) {
            bool before = hb_before(&r.order, a, b, GUARANTEED);
            assert_int_equal(before, vector_clocks_before(&r.clocks, a, b));
            if (!before)
                pairs += clash(a, b, bytes);
        }
    for (size_t i = 0; i < r.found_count; i++) {
        const struct hazard *h = &r.found[i];
        uint32_t a = h->first < h->then ? h->first : h->then, b = h->first < h->then ? h->then : h->first;
        assert_false(hb_before(&r.order, a, b, GUARANTEED));
        assert_true(clash(a, b, covered));
        for (size_t j = 0; j < i; j++)
            assert_false(pair(j, a, b));
    }
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(bytes[i], covered[i]);
    assert_int_equal(pairs > 0, r.found_count > 0);
    return pairs;
}

/* Launches in any stream, each ordered after all that it clashes with: by the
 * edges that are there, or by one that is put in. */
static void make_ordered_program(struct program *p)
{
    struct { uint32_t node; struct touch touch[2]; uint32_t stream; } done[MOST];
    size_t launches = 0;
    void *state = NULL;
    memset(p, 0, sizeof *p);
    set_up(&state);
    while (launches < 30) {
        struct step_of s = { .kind = LAUNCH, .stream = pick(STREAMS), .touch = { random_touch(), random_touch() } };
        /* What the launch would follow now, seen by making it on trial: a reader of nothing. */
        for (size_t i = launches; i-- > 0;) {
            uint32_t trial = launch(s.stream, 0, 0, false);
            uint32_t a = done[i].node;
            memcpy(r.touch[trial], s.touch, sizeof s.touch);
            bool needs = clash(a, trial, NULL) && !hb_before(&r.order, a, trial, GUARANTEED);
            memset(r.touch[trial], 0, sizeof r.touch[trial]);
            if (!needs)
                continue;
            struct step_of edge = { .kind = WAIT_EVENT, .stream = s.stream, .other = done[i].stream };
            if (pick(6) == 0)
                edge = (struct step_of){ .kind = pick(2) ? SYNC_DEVICE : SYNC_STREAM, .stream = done[i].stream };
            p->step[p->count++] = edge;
            if (edge.kind == WAIT_EVENT) {
                record(r.events, edge.other);
                wait_event(r.events - 1, edge.stream);
            } else {
                call((struct call){ .kind = edge.kind == SYNC_DEVICE ? CALL_DEVICE_SYNC : CALL_STREAM_SYNC,
                                    .stream = edge.stream });
            }
            if (r.order.node_count > MOST - 60)
                break;
        }
        if (r.order.node_count > MOST - 60)
            break;
        memcpy(r.touch[r.order.node_count], s.touch, sizeof s.touch);
        done[launches].node = call((struct call){ .kind = CALL_LAUNCH, .stream = s.stream });
        memcpy(done[launches].touch, s.touch, sizeof s.touch);
        done[launches++].stream = s.stream;
        p->step[p->count++] = s;
    }
    tear_down(&state);
}

enum { PROGRAMS = 500 };

static void none_of_500_ordered_programs_has_a_hazard_and_each_missing_edge_that_makes_one_is_found(void **state)
{
    size_t removed = 0, missing = 0;
    for (seed = 1; seed != 0 && removed < 5 * PROGRAMS;) {
        static struct program p;
        seed = 0x9e3779b97f4a7c15u * (removed / 5 + 1);
        make_ordered_program(&p);
        uint64_t costs = seed;
        set_up(state);
        run_program(&p, SIZE_MAX);
        assert_int_equal(judge(), 0);
        tear_down(state);
        for (int again = 0; again < 5; again++, removed++) {
            seed = costs + (uint64_t)again;
            size_t without = pick((uint32_t)p.count);
            while (p.step[without].kind == LAUNCH)
                without = (without + 1) % p.count;
            set_up(state);
            run_program(&p, without);
            missing += judge() > 0;
            tear_down(state);
        }
    }
    assert_in_range(missing, removed / 2, removed);
}

static void programs_with_no_edges_at_all_are_judged_right_too(void **state)
{
    for (uint64_t n = 1; n <= PROGRAMS; n++) {
        static struct program p;
        seed = 0xd1342543de82ef95u * n;
        p.count = 25;
        for (size_t i = 0; i < p.count; i++)
            p.step[i] = (struct step_of){ .kind = pick(5) == 0 ? 1 + pick(3) : LAUNCH, .stream = pick(STREAMS),
                                          .other = pick(STREAMS), .touch = { random_touch(), random_touch() } };
        set_up(state);
        run_program(&p, SIZE_MAX);
        judge();
        tear_down(state);
    }
}

static void twenty_thousand_streams_that_come_and_go_need_no_more_room(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t number = STREAMS + i;
        call((struct call){ .kind = CALL_STREAM_CREATE, .stream = number });
        hb_call(&r.order, &(struct call){ .kind = CALL_LAUNCH, .stream = number });
        hb_call(&r.order, &(struct call){ .kind = CALL_LAUNCH, .stream = FIRST });
        hb_call(&r.order, &(struct call){ .kind = CALL_STREAM_SYNC, .stream = number });
        hb_call(&r.order, &(struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST });
    }
    vector_clocks_follow(&r.clocks);
    assert_in_range(r.clocks.chain_count, 1, 4);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(two_streams_that_write_the_same_bytes_are_a_hazard),
        TEST(readers_and_disjoint_chunks_are_none),
        TEST(a_reader_and_a_writer_say_which_is_which),
        TEST(two_atomic_accesses_are_none_but_one_is),
        TEST(an_event_between_them_orders_them),
        TEST(the_legacy_stream_orders_blocking_streams_and_no_others),
        TEST(what_only_a_card_does_is_no_order),
        TEST(the_host_meets_work_that_it_did_not_wait_for),
        TEST(a_wait_that_came_too_early_does_not_help),
        TEST(one_pair_is_reported_once_however_many_pieces_it_has),
        TEST(memory_that_was_given_back_is_forgotten),
        TEST(what_one_thread_waited_for_another_may_touch),
        cmocka_unit_test(none_of_500_ordered_programs_has_a_hazard_and_each_missing_edge_that_makes_one_is_found),
        cmocka_unit_test(programs_with_no_edges_at_all_are_judged_right_too),
        TEST(twenty_thousand_streams_that_come_and_go_need_no_more_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
