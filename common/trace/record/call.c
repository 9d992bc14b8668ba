/* SPDX-License-Identifier: MIT */
#include "trace/record/call.h"

static const char *const kind_names[CALL_KINDS] = {
    [CALL_NONE] = "nothing",
    [CALL_LAUNCH] = "launch",
    [CALL_COPY] = "copy",
    [CALL_SET] = "memset",
    [CALL_PREFETCH] = "prefetch",
    [CALL_HOST_FUNC] = "host function",
    [CALL_EVENT_RECORD] = "event record",
    [CALL_GRAPH_LAUNCH] = "graph launch",
    [CALL_GRAPH_EDGE] = "graph edge",
    [CALL_GRAPH_EMPTY] = "empty node",
    [CALL_GRAPH_END] = "graph end",
    [CALL_STREAM_WAIT] = "stream wait",
    [CALL_STREAM_SYNC] = "stream synchronize",
    [CALL_DEVICE_SYNC] = "device synchronize",
    [CALL_EVENT_SYNC] = "event synchronize",
    [CALL_STREAM_QUERY] = "stream query",
    [CALL_EVENT_QUERY] = "event query",
    [CALL_STREAM_CREATE] = "stream create",
    [CALL_STREAM_DESTROY] = "stream destroy",
    [CALL_EVENT_CREATE] = "event create",
    [CALL_EVENT_DESTROY] = "event destroy",
    [CALL_MALLOC] = "allocate",
    [CALL_FREE] = "free",
    [CALL_REGISTER] = "register",
    [CALL_UNREGISTER] = "unregister",
    [CALL_HOST_WORK] = "host work",
    [CALL_OTHER] = "call",
    [CALL_PART] = "part",
    [CALL_LABEL] = "label",
    [CALL_REPORT] = "report",
    [CALL_COST] = "cost",
    [CALL_FAULT] = "fault",
    [CALL_HAZARD] = "hazard",
    [CALL_CRASH] = "crash",
    [CALL_EXIT] = "exit",
    [CALL_THREAD_BEGIN] = "thread begin",
    [CALL_THREAD_WAKE] = "thread wake",
    [CALL_THREAD_END] = "thread end",
    [CALL_FUNCTION_BEGIN] = "function begin",
    [CALL_FUNCTION_WORK] = "function work",
    [CALL_FUNCTION_END] = "function end",
    [CALL_MIGRATE] = "migration",
    [CALL_DEVICE] = "device",
    [CALL_RAN] = "ran",
    [CALL_LOST] = "lost",
    [CALL_QUEUES] = "queues",
    [CALL_DEADLOCK] = "deadlock",
    [CALL_SPURIOUS] = "spurious wake-up",
    [CALL_POLL] = "poll",
    [CALL_RANGE] = "range",
};

const char *call_kind_name(uint32_t kind)
{
    return kind < CALL_KINDS ? kind_names[kind] : "unknown";
}

static const char *const memory_names[] = {
    [MEM_NONE] = "no",
    [MEM_PAGEABLE] = "pageable",
    [MEM_PINNED] = "pinned",
    [MEM_DEVICE] = "device",
    [MEM_MANAGED] = "managed",
};

const char *memory_kind_name(uint32_t kind)
{
    return kind <= MEM_MANAGED ? memory_names[kind] : "unknown";
}

void call_set_rows(struct call *c, uint64_t rows, uint64_t dst_pitch, uint64_t src_pitch)
{
    if (rows < 2)
        return;
    c->rows = (uint32_t)rows;
    c->dst_pitch = dst_pitch;
    c->src_pitch = src_pitch;
}

void call_set_slices(struct call *c, uint64_t rows, uint64_t dst_height, uint64_t src_height)
{
    if (c->rows <= rows || (dst_height == rows && src_height == rows))
        return;
    c->slice_rows = (uint32_t)rows;
    c->height = (struct call_heights){ (uint32_t)dst_height, (uint32_t)src_height };
}

uint32_t call_rows(const struct call *c)
{
    return c->rows > 1 ? c->rows : 1;
}

static uint64_t begin_of_row(const struct call *c, uint32_t row, uint32_t height, uint64_t pitch)
{
    if (c->slice_rows == 0)
        return row * pitch;
    return ((uint64_t)(row / c->slice_rows) * height + row % c->slice_rows) * pitch;
}

uint64_t call_dst_row(const struct call *c, uint32_t row)
{
    return begin_of_row(c, row, c->height.dst, c->dst_pitch);
}

uint64_t call_src_row(const struct call *c, uint32_t row)
{
    return begin_of_row(c, row, c->height.src, c->src_pitch);
}
