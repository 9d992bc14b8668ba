/* SPDX-License-Identifier: MIT */
/* Hardware queues: which stream gets which, and what stands in them. Each case is a probe of
 * facts/h200b-random.tsv. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rig.h"

#define US INT64_C(1000)

static struct rig r;
static uint32_t streams[32];

static void begin(unsigned queues, int count)
{
    rig_start(&r, "h200", queues, 200 * US);
    for (int i = 0; i < count; i++)
        streams[i] = rig_stream(&r, STREAM_NON_BLOCKING, 0);
}

static const struct span *end(uint32_t node)
{
    rig_sync(&r);
    return &r.timeline.spans[node];
}

/* Two kernels in one stream, one in the other: does the third wait until the first is over? */
static bool share(int one, int other, int count)
{
    begin(8, count);
    rig_launch(&r, streams[one], 1, 32);
    rig_launch(&r, streams[one], 1, 32);
    bool late = end(rig_launch(&r, streams[other], 1, 32))->start > 190 * US;
    rig_finish(&r);
    return late;
}

static void a_stream_gets_its_queue_with_its_first_work(void **state)
{
    (void)state;
    for (int i = 1; i < 11; i++)
        assert_false(share(0, i, 11));
    begin(8, 9);
    for (int i = 0; i < 8; i++)
        rig_launch(&r, streams[i], 1, 32);
    rig_launch(&r, streams[0], 1, 32); /* the ninth that is used shares the first one's */
    assert_true(end(rig_launch(&r, streams[8], 1, 32))->start > 190 * US);
    rig_finish(&r);
}

/* An event with a time waits in stream 0 for its kernel: the default stream's kernel does not stand
 * behind it. */
static void a_default_stream_takes_its_turn_as_others_do(void **state)
{
    (void)state;
    begin(8, 1);
    rig_launch(&r, streams[0], 1, 32);
    rig_record(&r, streams[0]);
    assert_true(end(rig_launch(&r, 0, 1, 32))->start < 100 * US);
    rig_finish(&r);
}

enum between { RECORD, TIMED, SMALL_UP, DOWN, SET, FUNCTION };

static void put(uint32_t stream, enum between what)
{
    struct call c = { .stream = stream, .bytes = 8192, .dst_kind = MEM_DEVICE };
    switch (what) {
    case RECORD: c.kind = CALL_EVENT_RECORD, c.flags = EVENT_NO_TIMING; break;
    case TIMED: c.kind = CALL_EVENT_RECORD; break;
    case SMALL_UP: rig_copy(&r, stream, 8, true, true); return;
    case DOWN: rig_copy(&r, stream, 8, false, true); return;
    case SET: c.kind = CALL_SET, c.flags = CALL_ASYNC; break;
    case FUNCTION: c.kind = CALL_HOST_FUNC; break;
    }
    if (c.kind == CALL_EVENT_RECORD) {
        rig_call(&r,
                 (struct call){ .kind = CALL_EVENT_CREATE, .event = r.events, .flags = c.flags });
        c.event = r.events++;
    }
    rig_call(&r, c);
}

/* A kernel, that after it, and a kernel in another stream. */
static bool holds_up(unsigned queues, enum between what)
{
    begin(queues, 2);
    rig_launch(&r, streams[0], 1, 32);
    put(streams[0], what);
    bool late = end(rig_launch(&r, streams[1], 1, 32))->start > 190 * US;
    rig_finish(&r);
    return late;
}

static void what_is_no_copy_stands_in_its_streams_queue(void **state)
{
    (void)state;
    for (enum between what = RECORD; what <= FUNCTION; what++) {
        assert_int_equal(holds_up(1, what), what != RECORD && what != DOWN);
        assert_false(holds_up(8, what));
    }
}

/* A kernel and a copy of its stream to the host; another stream's copy to the host or to the
 * device. */
static bool copy_waits(unsigned queues, bool to_device)
{
    begin(queues, 2);
    rig_launch(&r, streams[0], 1, 32);
    put(streams[0], DOWN);
    bool late = end(rig_copy(&r, streams[1], 8 << 20, to_device, true))->start > 190 * US;
    rig_finish(&r);
    return late;
}

static void copies_each_way_stand_in_a_channel(void **state)
{
    (void)state;
    assert_true(copy_waits(1, false));
    assert_false(copy_waits(1, true));
    assert_false(copy_waits(8, false));
}

/* Half of the SMs have a block of 1,024 threads; 132 of 512 go to the others, so that there is room
 * for 132 of 1,024. */
static void blocks_go_to_the_emptiest_sms(void **state)
{
    (void)state;
    begin(8, 3);
    rig_launch(&r, streams[0], 66, 1024);
    rig_launch(&r, streams[1], 132, 512);
    assert_true(end(rig_launch(&r, streams[2], 132, 1024))->end < 300 * US);
    rig_finish(&r);
}

static size_t waits(uint32_t stream, uint32_t event)
{
    return rig_call(&r,
                    (struct call){ .kind = CALL_STREAM_WAIT, .stream = stream, .event = event });
}

/* Kernels of 200 us, each in the next stream after an event of the one before: how much longer two
 * of them take than they would in one stream. facts/h200-fidelity.tsv: 0.1 us a kernel in two
 * streams, 1.2 in four. */
static int64_t hops(int count)
{
    uint32_t kernel[20];
    begin(8, count);
    for (int i = 0; i < 20; i++) {
        kernel[i] = rig_launch(&r, streams[i % count], 1, 32);
        put(streams[i % count], RECORD);
        waits(streams[(i + 1) % count], r.events - 1);
    }
    int64_t from = end(kernel[10])->start, more = end(kernel[11])->start - from;
    more -= 200 * US + r.model.card->kernel_ns;
    rig_finish(&r);
    return more;
}

static void queues_look_in_turn_for_what_is_outside(void **state)
{
    (void)state;
    assert_int_equal(hops(1), 0);
    assert_int_equal(hops(2), 0);
    assert_int_equal(hops(4), 2 * card_find("h200")->turn_ns);
}

/* What waits for an event with a time, in its stream and in another. */
static void a_time_takes_the_device_some(void **state)
{
    (void)state;
    begin(8, 2);
    uint32_t first = rig_launch(&r, streams[0], 1, 32), time = rig_record(&r, streams[0]);
    waits(streams[1], r.events - 1);
    uint32_t next = rig_record(&r, streams[0]), other = rig_launch(&r, streams[1], 1, 32),
             last = rig_launch(&r, streams[0], 1, 32);
    int64_t over = end(first)->end, takes = r.model.card->record_ns;
    assert_int_equal(end(time)->end, over);
    assert_int_equal(end(next)->end, over + takes);
    assert_int_equal(end(last)->start, over + 2 * takes);
    assert_int_equal(end(other)->start, over + takes);
    rig_finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_gets_its_queue_with_its_first_work),
        cmocka_unit_test(a_default_stream_takes_its_turn_as_others_do),
        cmocka_unit_test(what_is_no_copy_stands_in_its_streams_queue),
        cmocka_unit_test(copies_each_way_stand_in_a_channel),
        cmocka_unit_test(blocks_go_to_the_emptiest_sms),
        cmocka_unit_test(queues_look_in_turn_for_what_is_outside),
        cmocka_unit_test(a_time_takes_the_device_some),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
