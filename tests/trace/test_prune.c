/* SPDX-License-Identifier: MIT */
/* What happens-before prunes is what nothing refers to: beside one that prunes now and then,
 * another that never does makes the same edges from the same calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/order/happens_before.h"

enum { STREAMS = 8, EVENTS = 3, CALLS = 400, NODES = 4000 };

static struct happens_before whole, pruned;
static uint32_t now[NODES]; /* by number in `whole`: the number in `pruned`, NO_NODE: pruned */
static uint32_t random_state;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % n;
}

static void same_edges(uint32_t node)
{
    size_t count, other;
    const struct edge *edges = hb_edges(&whole, node, &count),
                      *mine = hb_edges(&pruned, now[node], &other);
    assert_int_equal(count, other);
    for (size_t i = 0; i < count; i++) {
        assert_int_not_equal(now[edges[i].from], NO_NODE);
        assert_int_equal(now[edges[i].from], mine[i].from);
        assert_int_equal(edges[i].strength, mine[i].strength);
    }
}

static void feed(struct call c)
{
    size_t before = whole.node_count;
    hb_call(&whole, &c);
    hb_call(&pruned, &c);
    assert_in_range(whole.node_count, before, NODES);
    for (size_t node = before; node < whole.node_count; node++) {
        now[node] = (uint32_t)(pruned.node_count - (whole.node_count - node));
        same_edges((uint32_t)node);
    }
}

static void prune(void)
{
    uint32_t *number = malloc((pruned.node_count + 1) * sizeof *number);
    hb_prune(&pruned, number);
    for (size_t node = 0; node < whole.node_count; node++)
        now[node] = now[node] == NO_NODE ? NO_NODE : number[now[node]];
    free(number);
}

/* Streams 0 and 1 are the legacy ones of two devices; every third of the others is non-blocking. */
static void begin(uint32_t seed)
{
    random_state = seed;
    hb_init(&whole);
    hb_init(&pruned);
    whole.barriers = pruned.barriers = BARRIER_MALLOC | BARRIER_MEMSET | BARRIER_D2D;
    for (uint32_t i = 0; i < STREAMS; i++)
        feed((struct call){ .kind = CALL_STREAM_CREATE, .stream = i, .device = i % 2,
                            .flags = i < 2   ? STREAM_LEGACY
                                     : i % 3 ? 0
                                             : STREAM_NON_BLOCKING });
    for (uint32_t i = 0; i < EVENTS; i++)
        feed((struct call){ .kind = CALL_EVENT_CREATE, .event = i });
}

static void graph(uint32_t stream, uint32_t exec, uint32_t nodes)
{
    const uint32_t device = stream % 2;
    feed((struct call){
        .kind = CALL_GRAPH_LAUNCH, .stream = stream, .device = device, .src = exec });
    for (uint32_t i = 0; i < nodes; i++) {
        if (i > 0 && below(2))
            feed((struct call){
                .kind = CALL_GRAPH_EDGE, .stream = stream, .device = device, .src = below(i) });
        feed((struct call){
            .kind = CALL_LAUNCH, .stream = stream, .device = device, .flags = GRAPH_NODE });
    }
    feed((struct call){ .kind = CALL_GRAPH_END, .stream = stream, .device = device });
}

/* A copy from one device to the other, in any stream: in a legacy one it has to do with both
 * devices. */
static void copy_across(uint32_t stream)
{
    uint32_t from = below(2);
    feed((struct call){ .kind = CALL_COPY, .stream = stream, .device = stream % 2,
                        .src_kind = MEM_DEVICE, .dst_kind = MEM_DEVICE, .bytes = 64,
                        .src_device = from, .dst_device = 1 - from,
                        .flags = below(2) ? CALL_ASYNC : 0 });
}

static void any_call(void)
{
    uint32_t stream = below(3) ? below(STREAMS) : below(2), device = stream % 2;
    switch (below(10)) {
    case 0:
    case 1:
        feed((struct call){ .kind = CALL_LAUNCH, .stream = stream, .device = device,
                            .flags = below(4) ? 0 : LAUNCH_LOADS });
        break;
    case 2: copy_across(stream); break;
    case 3:
        feed((struct call){ .kind = CALL_SET, .stream = stream, .device = device,
                            .dst_kind = MEM_DEVICE, .flags = CALL_ASYNC });
        break;
    case 4:
        feed((struct call){ .kind = CALL_EVENT_RECORD, .stream = stream, .device = device,
                            .event = below(EVENTS) });
        break;
    case 5:
        feed((struct call){
            .kind = CALL_STREAM_WAIT, .stream = stream, .device = device, .event = below(EVENTS) });
        break;
    case 6: graph(stream, below(3), below(4)); break;
    case 7:
        feed((struct call){ .kind = CALL_STREAM_SYNC, .stream = stream, .device = device });
        break;
    case 8:
        feed((struct call){ .kind = below(2) ? CALL_DEVICE_SYNC : CALL_FREE, .device = device });
        break;
    case 9:
        feed((struct call){ .kind = CALL_MALLOC, .device = device, .dst_kind = MEM_DEVICE });
        break;
    }
}

static void what_is_pruned_changes_no_edge(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 40; seed++) {
        begin(seed);
        for (int k = 0; k < CALLS && whole.node_count < NODES - 20; k++) {
            any_call();
            if (below(12) == 0)
                prune();
        }
        assert_true(pruned.node_count < whole.node_count / 4);
        hb_fini(&whole);
        hb_fini(&pruned);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_pruned_changes_no_edge) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
