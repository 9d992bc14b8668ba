/* SPDX-License-Identifier: MIT */
/* missing_edge.h - two streams and an event on the model: what is said where nothing orders two
 * kernels, or a kernel and the host. */
#ifndef MISSING_EDGE_H
#define MISSING_EDGE_H

/* Which mistake is named when nothing orders two kernels in two streams, or a kernel and the host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "grader/check.h"
#include "tests/model/rig.h"
#include "trace/order/near_miss.h"

static struct rig r;
static uint32_t a, b, event;    /* streams of first and then; an event that nobody has recorded */
static struct finding f;

static inline int set_up(void **state)
{
    (void)state;
    rig_start(&r, "h200", 0, 1000000);
    a = rig_stream(&r, STREAM_NON_BLOCKING, 0);
    b = rig_stream(&r, STREAM_NON_BLOCKING, 0);
    event = r.events++;
    rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = event });
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    rig_finish(&r);
    return 0;
}

static inline size_t record(uint32_t stream)
{
    return rig_call(&r,
                    (struct call){ .kind = CALL_EVENT_RECORD, .event = event, .stream = stream });
}

static inline size_t wait(uint32_t stream)
{
    return rig_call(&r,
                    (struct call){ .kind = CALL_STREAM_WAIT, .event = event, .stream = stream });
}

/* The reason has these words, and blames that call. */
static inline void assert_why(uint32_t first, uint32_t then, const char *words, size_t call)
{
    struct view v = { .card = r.model.card, .timeline = &r.timeline, .order = &r.order };
    f.call = ANY;
    assert_false(hb_before(&r.order, first, then, GUARANTEED));
    assert_false(why_unordered(&v, &f, first, "A", then, "C", NULL));
    if (!strstr(f.why, words))
        fail_msg("no '%s' in: %s", words, f.why);
    assert_int_equal(f.call, call);
}

static inline size_t call_of(uint32_t node)
{
    return r.timeline.spans[node].call;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
