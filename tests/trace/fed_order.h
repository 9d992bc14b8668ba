/* SPDX-License-Identifier: MIT */
/* fed_order.h - happens-before that is fed calls by hand: five streams, three events. */
#ifndef FED_ORDER_H
#define FED_ORDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/order/happens_before.h"

enum { LEGACY, FIRST, SECOND, FREE_STREAM, PER_THREAD };

static struct happens_before o;

static inline struct step feed(struct call c)
{
    return hb_call(&o, &c);
}

static inline uint32_t launch(uint32_t stream)
{
    return feed((struct call){ .kind = CALL_LAUNCH, .stream = stream }).operation;
}

static inline uint32_t record(uint32_t event, uint32_t stream)
{
    return feed((struct call){ .kind = CALL_EVENT_RECORD, .event = event, .stream = stream })
        .operation;
}

static inline void wait_event(uint32_t event, uint32_t stream)
{
    feed((struct call){ .kind = CALL_STREAM_WAIT, .event = event, .stream = stream });
}

static inline uint32_t copy(uint32_t stream, uint32_t from, uint32_t to, size_t bytes,
                            uint32_t flags, uint32_t *wait)
{
    struct step s = feed((struct call){ .kind = CALL_COPY, .stream = stream, .src_kind = from,
                                        .dst_kind = to, .bytes = bytes, .flags = flags });
    *wait = s.wait;
    return s.operation;
}

static inline bool before(uint32_t a, uint32_t b)
{
    return hb_before(&o, a, b, GUARANTEED);
}

static inline int set_up(void **state)
{
    (void)state;
    static const uint32_t flags[] = { STREAM_LEGACY, 0, 0, STREAM_NON_BLOCKING, STREAM_PER_THREAD };
    hb_init(&o);
    for (uint32_t i = 0; i < 5; i++)
        feed((struct call){ .kind = CALL_STREAM_CREATE, .stream = i, .flags = flags[i] });
    for (uint32_t i = 0; i < 3; i++)
        feed((struct call){ .kind = CALL_EVENT_CREATE, .event = i });
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    hb_fini(&o);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
