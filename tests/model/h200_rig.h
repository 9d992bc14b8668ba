/* SPDX-License-Identifier: MIT */
/* h200_rig.h - a rig (rig.h) on an H200 that each test begins anew. */
#ifndef TESTS_H200_RIG_H
#define TESTS_H200_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rig.h"

#define US INT64_C(1000)

static struct rig r;

static inline const struct span *span(uint32_t node)
{
    return &r.timeline.spans[node];
}

static inline int64_t length(uint32_t node)
{
    return span(node)->end - span(node)->start;
}

static inline int on_an_h200(void **state)
{
    (void)state;
    rig_start(&r, "h200", 0, 100 * US);
    return 0;
}

static inline int finish(void **state)
{
    (void)state;
    rig_finish(&r);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, on_an_h200, finish)

#endif
