/* SPDX-License-Identifier: MIT */
/* The overlap demo as calls: 16 MiB, in one piece and in four streams. */
#ifndef TESTS_MODEL_DEMO_H
#define TESTS_MODEL_DEMO_H

#include "rig.h"

enum { STREAMS = 4, BLOCK = 256, FLOATS = 4 * 1024 * BLOCK * STREAMS };

static inline double since(struct rig *r, uint32_t begin)
{
    uint32_t end = rig_record(r, 0);
    rig_sync(r);
    return (double)(r->timeline.spans[end].end - r->timeline.spans[begin].end) / 1e6;
}

struct demo { double sequential, depth, breadth; };     /* ms */

static inline struct demo overlap_demo(const char *card)
{
    struct rig r;
    struct demo ms;
    const size_t bytes = sizeof(float) * FLOATS;
    const uint32_t blocks = FLOATS / BLOCK;
    uint32_t s[STREAMS], begin;
    rig_start(&r, card, 0, COST_UNKNOWN);
    for (int i = 0; i < STREAMS; i++)
        s[i] = rig_stream(&r, 0, 0);

    begin = rig_record(&r, 0);
    rig_copy(&r, 0, bytes, true, false);
    rig_launch(&r, 0, blocks, BLOCK);
    rig_copy(&r, 0, bytes, false, false);
    ms.sequential = since(&r, begin);

    begin = rig_record(&r, 0);
    for (int i = 0; i < STREAMS; i++) {
        rig_copy(&r, s[i], bytes / STREAMS, true, true);
        rig_launch(&r, s[i], blocks / STREAMS, BLOCK);
        rig_copy(&r, s[i], bytes / STREAMS, false, true);
    }
    ms.depth = since(&r, begin);

    begin = rig_record(&r, 0);
    for (int i = 0; i < STREAMS; i++)
        rig_copy(&r, s[i], bytes / STREAMS, true, true);
    for (int i = 0; i < STREAMS; i++)
        rig_launch(&r, s[i], blocks / STREAMS, BLOCK);
    for (int i = 0; i < STREAMS; i++)
        rig_copy(&r, s[i], bytes / STREAMS, false, true);
    ms.breadth = since(&r, begin);
    rig_finish(&r);
    return ms;
}

#endif
