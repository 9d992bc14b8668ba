/* SPDX-License-Identifier: MIT */
#include "hazard_rig.h"

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
    uint64_t from = pick(8) * 8 + (pick(4) == 0 ? pick(8) : 0),
             length = 8 * (1 + pick(pick(6) == 0 ? 6 : 1));
    if (pick(4) == 0)
        length = 1 + pick(12);
    struct touch touch = { .from = from,
                           .to = from + length > BYTES ? BYTES : from + length,
                           .write = pick(3) != 0,
                           .atomic = pick(6) == 0 };
    touch.flag = touch.write && !touch.atomic && pick(4) == 0;
    return touch;
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
    bool reads_flag = (a->flag && b->atomic && !b->write) || (b->flag && a->atomic && !a->write);
    return *from < *to && (a->write || b->write) && !(a->atomic && b->atomic) && !reads_flag;
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

/* By brute force, with hb_before: is what was found right, and all of it? Returns how many pairs
 * there are. */
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
        uint32_t a = h->first < h->then ? h->first : h->then,
                 b = h->first < h->then ? h->then : h->first;
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
        struct step_of s = { .kind = LAUNCH,
                             .stream = pick(STREAMS),
                             .touch = { random_touch(), random_touch() } };
        /* What the launch would follow now, seen by making it on trial: a reader of nothing. */
        for (size_t i = launches; i-- > 0;) {
            uint32_t trial = launch(s.stream, 0, 0, false);
            uint32_t a = done[i].node;
            memcpy(r.touch[trial], s.touch, sizeof s.touch);
            bool needs = clash(a, trial, NULL) && !hb_before(&r.order, a, trial, GUARANTEED);
            memset(r.touch[trial], 0, sizeof r.touch[trial]);
            if (!needs)
                continue;
            struct step_of edge = { .kind = WAIT_EVENT,
                                    .stream = s.stream,
                                    .other = done[i].stream };
            if (pick(6) == 0)
                edge = (struct step_of){ .kind = pick(2) ? SYNC_DEVICE : SYNC_STREAM,
                                         .stream = done[i].stream };
            p->step[p->count++] = edge;
            if (edge.kind == WAIT_EVENT) {
                record(r.events, edge.other);
                wait_event(r.events - 1, edge.stream);
            } else {
                call((struct call){ .kind = edge.kind == SYNC_DEVICE ? CALL_DEVICE_SYNC
                                                                     : CALL_STREAM_SYNC,
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

static void none_of_500_ordered_programs_has_a_hazard_and_each_missing_edge_that_makes_one_is_found(
    void **state)
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
            p.step[i] = (struct step_of){ .kind = pick(5) == 0 ? 1 + pick(3) : LAUNCH,
                                          .stream = pick(STREAMS), .other = pick(STREAMS),
                                          .touch = { random_touch(), random_touch() } };
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            none_of_500_ordered_programs_has_a_hazard_and_each_missing_edge_that_makes_one_is_found),
        cmocka_unit_test(programs_with_no_edges_at_all_are_judged_right_too),
        TEST(twenty_thousand_streams_that_come_and_go_need_no_more_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
