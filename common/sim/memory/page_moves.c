/* SPDX-License-Identifier: MIT */
#include "sim/memory/page_moves.h"

#include "sim/call_log.h"
#include "sim/source_line.h"
#include "trace/record/memory.h"

struct move {
    uintptr_t at;
    uint64_t bytes;
    bool to_host;
    uint32_t flags;
    const void *pc;
};

static struct {
    size_t (*note)(struct call *c);
    struct move *list;
    size_t count, capacity;
    uint32_t faulted;           /* the node that has had its first fault */
    struct move waits;          /* bytes: unused */
    int64_t until;              /* of `waits`; 0: there is none */
} untold = { .faulted = NO_NODE };

void page_moves_begin(size_t (*note)(struct call *c))
{
    untold.note = note;
}

void page_moves_add(uintptr_t at, uint64_t bytes, bool to_host, uint32_t flags, const void *pc)
{
    untold.list =
        memory_grow(untold.list, untold.count, &untold.capacity, sizeof *untold.list);
    untold.list[untold.count++] = (struct move){ at, bytes, to_host, flags, pc };
}

void page_moves_wait(uintptr_t at, int64_t until, const void *pc)
{
    if (until <= untold.until)
        return;
    untold.waits = (struct move){ at, 0, false, MIGRATE_FAULT | MIGRATE_AWAITS, pc };
    untold.until = until;
}

static struct call call_of_move(const struct move *move, uint32_t node)
{
    return (struct call){ .kind = CALL_MIGRATE, .node = node, .dst = move->at, .bytes = move->bytes,
                          .dst_kind = move->to_host ? MEM_PAGEABLE : MEM_DEVICE,
                          .flags = move->flags,
                          .name = call_string("page fault") };
}

/* Takes the list: logging the moves may let other threads run, which log their own. */
static struct move *take_moves(size_t *count)
{
    struct move *list = untold.list;
    *count = untold.count;
    untold.list = NULL;
    untold.count = untold.capacity = 0;
    return list;
}

/* The first fault of a node is not together with another's. */
static uint32_t flags_in_node(const struct call *c)
{
    if (!(c->flags & MIGRATE_FAULT) || c->bytes == 0 || c->node == untold.faulted)
        return c->flags;
    untold.faulted = c->node;
    return (c->flags | MIGRATE_FIRST) & ~(uint32_t)MIGRATE_TOGETHER;
}

/* What of the wait is left when the node's own moves are over. */
static int64_t wait_of_node(uint32_t node, int64_t longer)
{
    int64_t left = untold.until - model_device_now(&sim.model) - longer;
    untold.until = 0;
    if (left <= 0)
        return 0;
    struct call c = call_of_move(&untold.waits, node);
    c.cost = left;
    untold.note(&c);
    return left;
}

int64_t page_moves_of_node(uint32_t node)
{
    int64_t longer = 0;
    size_t count;
    struct move *list = take_moves(&count);
    for (size_t i = 0; i < count; i++) {
        struct call c = call_of_move(&list[i], node);
        c.flags = flags_in_node(&c);
        longer += model_migration_time(sim.card, &c);
        untold.note(&c);
    }
    memory_resize(list, 0);
    return longer + wait_of_node(node, longer);
}

void page_moves_of_host(void)
{
    size_t count;
    struct move *list = take_moves(&count);
    const void *pc = NULL;
    uint32_t file = 0, line = 0;
    for (size_t i = 0; i < count; i++) {
        struct call c = call_of_move(&list[i], NO_NODE);
        if (list[i].pc != pc && call_log_is_read()
            && !source_line((pc = list[i].pc), &file, &line))
            file = line = 0;
        c.file = file;
        c.line = line;
        untold.note(&c);
    }
    memory_resize(list, 0);
}

void page_moves_of_prefetch(uint32_t node, uintptr_t at, uint64_t bytes, bool to_host)
{
    const struct move move = { at, bytes, to_host, MIGRATE_PREFETCH, NULL };
    struct call c = call_of_move(&move, node);
    untold.note(&c);
}
