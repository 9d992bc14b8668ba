/* SPDX-License-Identifier: MIT */
/* rig.h - a model to feed by hand, for tests: stream 0 is the legacy stream. */
#ifndef TESTS_RIG_H
#define TESTS_RIG_H

#include "model/model.h"

struct rig {
    struct timeline timeline;
    struct happens_before order;
    struct model model;
    int64_t cost;               /* ns a block, COST_UNKNOWN for the card's own */
    uint32_t streams, events;
    uint32_t ended[64];         /* nodes whose effects came due, in order */
    size_t ended_count;
};

static inline int64_t rig_cost(void *context, uint32_t node)
{
    (void)node;
    return ((struct rig *)context)->cost;
}

static inline int64_t rig_ended(void *context, uint32_t node)
{
    struct rig *r = context;
    if (r->ended_count < sizeof r->ended / sizeof r->ended[0])
        r->ended[r->ended_count++] = node;
    return 0;
}

/* The index of the call in the timeline. */
static inline size_t rig_call(struct rig *r, struct call c)
{
    return model_call(&r->model, &c);
}

static inline uint32_t rig_stream(struct rig *r, uint32_t flags, int priority)
{
    rig_call(r, (struct call){ .kind = CALL_STREAM_CREATE, .stream = r->streams, .flags = flags,
                               .priority = priority });
    return r->streams++;
}

static inline void rig_start_on(struct rig *r, const struct card *card, unsigned queues,
                                int64_t cost)
{
    *r = (struct rig){ .cost = cost };
    timeline_init(&r->timeline);
    hb_init(&r->order);
    model_init(&r->model, card, queues, &r->timeline, &r->order,
               &(struct model_hooks){ .start = rig_cost, .end = rig_ended, .context = r });
    rig_stream(r, STREAM_LEGACY, 0);
}

static inline void rig_start(struct rig *r, const char *card, unsigned queues, int64_t cost)
{
    rig_start_on(r, card_find(card), queues, cost);
}

static inline void rig_finish(struct rig *r)
{
    model_fini(&r->model);
    hb_fini(&r->order);
    timeline_fini(&r->timeline);
}

/* These return the node of the operation. */
static inline uint32_t rig_launch(struct rig *r, uint32_t stream, uint32_t blocks, uint32_t threads)
{
    size_t call = rig_call(r, (struct call){ .kind = CALL_LAUNCH, .stream = stream,
                                             .grid = { blocks, 1, 1 }, .block = { threads, 1, 1 },
                                             .cost = COST_UNKNOWN });
    return r->timeline.calls[call].node;
}

static inline uint32_t rig_copy(struct rig *r, uint32_t stream, size_t bytes, bool to_device,
                                bool async)
{
    size_t call = rig_call(r, (struct call){ .kind = CALL_COPY, .stream = stream, .bytes = bytes,
                                             .flags = async ? CALL_ASYNC : 0,
                                             .src_kind = to_device ? MEM_PINNED : MEM_DEVICE,
                                             .dst_kind = to_device ? MEM_DEVICE : MEM_PINNED });
    return r->timeline.calls[call].node;
}

static inline uint32_t rig_record(struct rig *r, uint32_t stream)
{
    rig_call(r, (struct call){ .kind = CALL_EVENT_CREATE, .event = r->events });
    size_t call = rig_call(
        r, (struct call){ .kind = CALL_EVENT_RECORD, .event = r->events++, .stream = stream });
    return r->timeline.calls[call].node;
}

static inline size_t rig_sync(struct rig *r)
{
    return rig_call(r, (struct call){ .kind = CALL_DEVICE_SYNC });
}

#endif
