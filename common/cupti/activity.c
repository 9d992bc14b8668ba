/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * CUPTI gives its records in buffers, some time after. They are kept as they
 * come and told at the end, when all calls have their numbers. Where a record
 * was dropped, or has no times, the log says that something was lost.
 */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>

#include "trace/record/memory.h"

#define BUFFER_BYTES (1u << 20)
#define CONTEXTS 64
/* With managed memory, taking records takes 10 ms (H100, driver 580.159). When they are taken while
 * work is under way, a later launch takes 0.75 ms (H200, the same driver), probably for a buffer of
 * CUPTI's. */
enum { CHEAP_NS = 1000000, TIMES_APART = 100, BUSY_APART_NS = 50000000 };
#define BLOCK_BITS 21           /* of an address: the driver serves 2 MiB together */

/* Records are versioned: the shapes of the headers that this was built with. */
#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 kernel_record;
typedef CUpti_ActivityMemcpy6 copy_record;
typedef CUpti_ActivityUnifiedMemoryCounter3 managed_record;
#else
typedef CUpti_ActivityKernel9 kernel_record;
typedef CUpti_ActivityMemcpy5 copy_record;
typedef CUpti_ActivityUnifiedMemoryCounter2 managed_record;
#endif
typedef CUpti_ActivityMemcpyPtoP4 peer_record;
typedef CUpti_ActivityMemset4 set_record;

static struct seen { struct call call; uint32_t correlation; uint64_t node; bool merged; } *seen;
static size_t seen_count, seen_capacity;
static CUcontext contexts[CONTEXTS];
static size_t context_count;
static bool managed;
static bool watches_peers, has_managed_memory;
static bool device_lost;        /* a kernel's fault, say: what was under way has no end */

/* CUPTI asks at any time: a clock that begins anew with the recording would not do. */
static uint64_t CUPTIAPI our_clock(void)
{
    return (uint64_t)(record_now() + record_origin());
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most)
{
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *most = 0;
}

static uint32_t kind_of(uint8_t kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE: return MEM_PAGEABLE;
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED: return MEM_PINNED;
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC: return MEM_DEVICE;
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC: return MEM_MANAGED;
    default: return MEM_NONE;
    }
}

static void keep(uint32_t kind, uint64_t begin, uint64_t end, uint64_t bytes, uint32_t correlation,
                 uint64_t node)
{
    MEMORY_GROW(seen, seen_count, seen_capacity);
    seen[seen_count++] = (struct seen){
        { .kind = kind, .begin = (int64_t)begin, .end = (int64_t)end, .bytes = bytes,
          .node = NO_NODE }, correlation, node, false };
}

/* The driver serves what faults near by together, and the simulator counts that as one. Of one
 * batch there may be several records; the next batch of a block begins when the one before ends, or
 * 0.1 to 0.4 us before [M]. */
static void keep_fault(const managed_record *r)
{
    static uint64_t block, middle;
    if (r->address >> BLOCK_BITS == block && r->start <= middle)
        return;
    block = r->address >> BLOCK_BITS;
    middle = r->start + (r->end - r->start) / 2;
    keep(CALL_MIGRATE, r->start, r->end, 0, 0, 0);
    seen[seen_count - 1].call.dst = r->address;
    seen[seen_count - 1].call.flags = MIGRATE_FAULT;
    seen[seen_count - 1].call.dst_kind = MEM_DEVICE;
}

static void take(const CUpti_Activity *record)
{
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
        const kernel_record *r = (const void *)record;
        keep(CALL_RAN, r->start, r->end, 0, r->correlationId, r->graphNodeId);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const copy_record *r = (const void *)record;
        keep(CALL_RAN, r->start, r->end, r->bytes, r->correlationId, r->graphNodeId);
        seen[seen_count - 1].call.dst_kind = kind_of(r->dstKind);
        seen[seen_count - 1].call.src_kind = kind_of(r->srcKind);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
        const peer_record *r = (const void *)record;
        keep(CALL_RAN, r->start, r->end, r->bytes, r->correlationId, r->graphNodeId);
        seen[seen_count - 1].call.dst_kind = kind_of(r->dstKind);
        seen[seen_count - 1].call.src_kind = kind_of(r->srcKind);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
        const set_record *r = (const void *)record;
        keep(CALL_RAN, r->start, r->end, r->bytes, r->correlationId, r->graphNodeId);
        break;
    }
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER: {
        const managed_record *r = (const void *)record;
        if (r->counterKind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT)
            keep_fault(r);
        bool in = r->counterKind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD;
        bool out = r->counterKind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
        if (!in && !out)
            break;
        keep(CALL_MIGRATE, r->start, r->end, r->value, 0, 0);
        seen[seen_count - 1].call.dst = r->address;
        /* USER is cudaMemPrefetchAsync(). What CUPTI calls PREFETCH the driver moves by itself,
         * beside a page that was touched. */
        seen[seen_count - 1].call.flags =
            r->flags == CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_USER       ? MIGRATE_PREFETCH
            : r->flags == CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_EVICTION ? MIGRATE_EVICTS
                                                                                 : MIGRATE_FAULT;
        seen[seen_count - 1].call.dst_kind = in ? MEM_DEVICE : MEM_PAGEABLE;
        break;
    }
    default:
        break;
    }
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                 size_t valid)
{
    (void)size;
    size_t dropped = 0;
    CUpti_Activity *record = NULL;
    pthread_mutex_lock(&record_lock);
    while (cu.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        take(record);
    if (cu.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS
        && dropped > 0)
        record_lost("CUPTI dropped %zu records of what the device did", dropped);
    pthread_mutex_unlock(&record_lock);
    free(buffer);
}

const char *activity_begin(void)
{
    static const CUpti_ActivityKind kinds[] = {
        CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
        CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMSET,
    };
    static char what[200];
    const char *says = "";
    CUptiResult r = cu.cuptiActivityRegisterTimestampCallback(our_clock);
    if (r == CUPTI_SUCCESS)
        r = cu.cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
    for (size_t i = 0; r == CUPTI_SUCCESS && i < sizeof kinds / sizeof *kinds; i++)
        r = cu.cuptiActivityEnable(kinds[i]);
    if (r == CUPTI_SUCCESS)
        return NULL;
    cu.cuptiGetResultString(r, &says);
    snprintf(what, sizeof what, "CUPTI records nothing: %s", says);
    return what;
}

void activity_managed_memory(void)
{
    has_managed_memory = true;
}

/* Copies between two devices come as MEMCPY on some hosts, and only as MEMCPY2 on others. With
 * MEMCPY2 a program whose graphs wait while two devices copy out of managed memory ends with
 * cudaErrorLaunchFailure, each time, and to switch it off again does not help [measured, driver
 * 580.159, facts/h200-agreement.md]. */
void activity_peers(void)
{
    if (!watches_peers && !has_managed_memory)
        watches_peers = cu.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY2) == CUPTI_SUCCESS;
}

void activity_watch_managed(void)
{
    static const CUpti_ActivityUnifiedMemoryCounterKind kinds[] = {
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
        /* Faults of memory that was never touched move no bytes. */
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
    };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    CUpti_ActivityUnifiedMemoryCounterConfig wanted[KINDS];
    if (managed)
        return;
    managed = true;
    for (unsigned i = 0; i < KINDS; i++)
        wanted[i] = (CUpti_ActivityUnifiedMemoryCounterConfig){
            .scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE, .enable = 1,
            .kind = kinds[i] };
    if (cu.cuptiActivityConfigureUnifiedMemoryCounter(wanted, KINDS) == CUPTI_SUCCESS)
        cu.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

void activity_context(CUcontext context)
{
    if (context_count < CONTEXTS)
        contexts[context_count++] = context;
}

/* A program may destroy its green contexts. To enter one afterwards ends in a double free
 * [measured, driver 580.159]. */
void activity_context_gone(CUcontext context)
{
    size_t kept = 0;
    for (size_t i = 0; i < context_count; i++)
        if (contexts[i] != context)
            contexts[kept++] = contexts[i];
    context_count = kept;
}

/* When the last take ended; how long it took, ns, and how long the one before. */
static _Atomic int64_t taken_at, last_cost, cost_before;

void activity_take(void)
{
    int64_t begin = (int64_t)our_clock();
    cu.cuptiActivityFlushAll(0);
    taken_at = (int64_t)our_clock();
    cost_before = last_cost;
    last_cost = taken_at - begin;
}

void activity_take_at_times(bool at_rest)
{
    int64_t cost = last_cost < cost_before
                       ? last_cost
                       : cost_before; /* one alone may have lost the processor */
    int64_t since = (int64_t)our_clock() - taken_at;
    if ((cost < CHEAP_NS || since > TIMES_APART * cost) && (at_rest || since > BUSY_APART_NS))
        activity_take();
}

void activity_finish(void)
{
    record_busy = true;
    for (size_t i = 0; i < context_count; i++)
        if (cu.push_context(contexts[i]) == CUDA_SUCCESS) {
            CUcontext popped;
            device_lost |= cu.synchronize() != CUDA_SUCCESS;
            cu.pop_context(&popped);
        }
    cu.cuptiActivityFlushAll(1);
    record_busy = false;
}

/* ---- pages: what the driver moves for one fault is one move ---- */

/* A fault before the pages that come for it. */
static int earlier(const void *a, const void *b)
{
    const struct call *x = &(*(struct seen *const *)a)->call,
                      *y = &(*(struct seen *const *)b)->call;
    return x->begin != y->begin ? x->begin < y->begin ? -1 : 1 : (x->bytes > 0) - (y->bytes > 0);
}

/* Do these pages come for that fault, or go on from those? A kernel's fault lasts until all that
 * comes for it is there: the page that was touched, then what the driver adds. The host's has no
 * record: the first of its pages stand for it. */
static bool goes_on(const struct call *before, const struct call *pages)
{
    if (before->dst_kind != pages->dst_kind || before->dst + before->bytes != pages->dst
        || before->dst >> BLOCK_BITS != pages->dst >> BLOCK_BITS)
        return false;
    return pages->dst_kind == MEM_DEVICE ? pages->end <= before->end
                                         : before->bytes > 0 && before->end == pages->begin;
}

static void put_pages_together(void)
{
    enum { LATEST = 8 };        /* as many at once as there may be copies under way */
    size_t count = 0;
    struct seen **moves = memory_resize(NULL, (seen_count + 1) * sizeof *moves);
    for (size_t i = 0; i < seen_count; i++)
        if (seen[i].call.kind == CALL_MIGRATE && seen[i].call.flags == MIGRATE_FAULT)
            moves[count++] = &seen[i];
    qsort(moves, count, sizeof *moves, earlier);
    struct seen *latest[LATEST] = { NULL };
    for (size_t i = 0, next = 0; i < count; i++) {
        struct call *c = &moves[i]->call;
        for (size_t k = 0; k < LATEST && c->bytes > 0 && !moves[i]->merged; k++) {
            if (!latest[k] || !goes_on(&latest[k]->call, c))
                continue;
            latest[k]->call.bytes += c->bytes;
            if (c->end > latest[k]->call.end)
                latest[k]->call.end = c->end;
            moves[i]->merged = true;
        }
        if (!moves[i]->merged)
            latest[next++ % LATEST] = moves[i];
    }
    memory_resize(moves, 0);
}

void activity_tell(void)
{
    put_pages_together();
    for (size_t i = 0; i < seen_count; i++) {
        struct call *c = &seen[i].call;
        if (seen[i].merged)
            continue;
        bool timeless = c->begin == 0 && c->end == 0;
        c->begin -= record_origin();
        c->end -= record_origin();
        if (c->kind == CALL_MIGRATE && c->end < 0)
            continue;           /* before the recording began */
        if (c->kind == CALL_MIGRATE && c->flags & MIGRATE_PREFETCH) {
            size_t call = call_of_prefetch(c->dst, c->bytes, c->dst_kind != MEM_DEVICE, c->end);
            if (call != NO_CALL)
                record_ran(&(struct call){ .kind = CALL_RAN, .src = call, .begin = c->begin,
                                           .end = c->end, .bytes = c->bytes,
                                           .dst_kind = c->dst_kind, .src_kind = MEM_MANAGED,
                                           .node = NO_NODE });
        }
        if (c->kind == CALL_RAN) {
            size_t call = call_of_correlation(seen[i].correlation);
            if (call != NO_CALL && seen[i].node != 0)
                call = graph_node_call(call, seen[i].node);
            if (call == NO_CALL)
                continue;
            c->src = call;
            if (timeless) {
                if (!device_lost)
                    record_lost("the device did not say when call number %zu ran", call);
                continue;
            }
        }
        record_ran(c);
    }
}
