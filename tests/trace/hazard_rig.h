/* SPDX-License-Identifier: MIT */
/* hazard_rig.h - a program on the model, whose operations touch what the test says. */
#ifndef HAZARD_RIG_H
#define HAZARD_RIG_H

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

struct touch { uint64_t from, to; bool write, atomic, flag; };

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

static inline void found(void *context, const struct hazard *h)
{
    (void)context;
    struct hazard nodes = *h;
    nodes.first = hazards_node(&r.hazards, h->first);
    nodes.then = hazards_node(&r.hazards, h->then);
    assert_in_range(r.found_count, 0, 1999);
    r.found[r.found_count++] = nodes;
}

static inline int64_t operation_ended(void *context, uint32_t node)
{
    (void)context;
    struct hazard_range ranges[2];
    vector_clocks_follow(&r.clocks);
    for (int i = 0; i < 2; i++)
        ranges[i] = (struct hazard_range){ r.touch[node][i].from, r.touch[node][i].to,
                                           r.touch[node][i].write, r.touch[node][i].atomic,
                                           r.touch[node][i].flag };
    hazards_touch(&r.hazards, hazards_operation(&r.hazards, node), ranges, 2);
    r.ended++;
    return 0;
}

static inline uint32_t call(struct call c)
{
    size_t index = model_call(&r.model, &c);
    return r.timeline.calls[index].node;
}

static inline int set_up(void **state)
{
    (void)state;
    static const uint32_t flags[STREAMS] = { [LEGACY] = STREAM_LEGACY,
                                             [FREE_STREAM] = STREAM_NON_BLOCKING };
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

static inline int tear_down(void **state)
{
    (void)state;
    hazards_fini(&r.hazards);
    vector_clocks_fini(&r.clocks);
    model_fini(&r.model);
    hb_fini(&r.order);
    timeline_fini(&r.timeline);
    return 0;
}

static inline uint32_t launch(uint32_t stream, uint64_t from, uint64_t to, bool write)
{
    r.touch[r.order.node_count][0] = (struct touch){ .from = from, .to = to, .write = write };
    return call((struct call){ .kind = CALL_LAUNCH, .stream = stream });
}

static inline void synchronize(void)
{
    call((struct call){ .kind = CALL_DEVICE_SYNC });
}

static inline void record(uint32_t event, uint32_t stream)
{
    while (r.events <= event)
        call((struct call){ .kind = CALL_EVENT_CREATE, .event = r.events++ });
    call((struct call){ .kind = CALL_EVENT_RECORD, .event = event, .stream = stream });
}

static inline void wait_event(uint32_t event, uint32_t stream)
{
    call((struct call){ .kind = CALL_STREAM_WAIT, .event = event, .stream = stream });
}

static inline bool pair(size_t i, uint32_t a, uint32_t b)
{
    const struct hazard *h = &r.found[i];
    return (h->first == a && h->then == b) || (h->first == b && h->then == a);
}

/* The host touches bytes now. */
static inline void host(uint64_t from, uint64_t to, bool write)
{
    vector_clocks_follow(&r.clocks);
    bool lasting = r.ended < r.order.node_count;
    hazards_touch(&r.hazards, hazards_host(&r.hazards, 0, lasting),
                  &(struct hazard_range){ .from = from, .to = to, .write = write }, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
