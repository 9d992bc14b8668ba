/* SPDX-License-Identifier: MIT */
/*
 * Green contexts (driver API, CUDA 12.4): a device's SMs are split, a descriptor says which of them
 * a context gets, and its streams' kernels run on those and no others.
 *
 * A resource is a value of the program's: which SMs it stands for lies in bytes of it that the
 * reference reserves, and counts; what the program writes into its other fields does not.
 * Descriptors and contexts are handles.
 */
#include <string.h>

#include "sim/api/stream.h"
#include "sim/handles.h"
#include "sim/include/cuda.h"
#include "sim/memory/because.h"
#include "trace/record/memory.h"

enum { WORDS = 6, SMS_MOST = 32 * WORDS };

enum origin { FROM_NOWHERE, FROM_DEVICE, FROM_CONTEXT, FROM_SPLIT };

/* In CUdevResource._internal_padding. */
struct hidden {
    uint32_t magic;
    uint32_t origin;            /* enum origin */
    uint32_t split;             /* FROM_SPLIT: which one, from 1 */
    uint32_t device;
    uint32_t sms[WORDS];        /* a bit each */
};
static const uint32_t magic = 0x6772656e;

struct desc { uint32_t device, sms[WORDS]; };
struct green { uint32_t device, sms[WORDS]; };

static struct handles descs = { .first = 5 }, contexts = { .first = 7 };
static uint32_t splits;

/* ---- resources ---- */

static bool has(const uint32_t *sms, unsigned i)
{
    return sms[i / 32] >> i % 32 & 1;
}

static unsigned count_of(const uint32_t *sms)
{
    unsigned count = 0;
    for (unsigned i = 0; i < WORDS; i++)
        count += (unsigned)__builtin_popcount(sms[i]);
    return count;
}

/* How many SMs a part has at least, and of what its size is a multiple [cuda.h, "Green Contexts"].
 */
static unsigned least_of(bool alone)
{
    return alone ? 2 : sim.card->major >= 9 ? 8 : sim.card->major >= 8 ? 4 : 2;
}

static unsigned step_of(bool alone)
{
    return alone || sim.card->major < 9 ? 2 : 8;
}

static CUdevResource resource_of(struct hidden hidden)
{
    CUdevResource r;
    memset(&r, 0, sizeof r);
    hidden.magic = magic;
    memcpy(r._internal_padding, &hidden, sizeof hidden);
    r.type = count_of(hidden.sms) > 0 ? CU_DEV_RESOURCE_TYPE_SM : CU_DEV_RESOURCE_TYPE_INVALID;
    r.sm.smCount = count_of(hidden.sms);
    if (hidden.origin != FROM_SPLIT) {          /* a part says 0 [M] */
        r.sm.minSmPartitionSize = least_of(false);
        r.sm.smCoscheduledAlignment = step_of(false);
    }
    return r;
}

static struct hidden hidden_of(const CUdevResource *r)
{
    struct hidden h;
    memcpy(&h, r->_internal_padding, sizeof h);
    if (h.magic != magic || r->type != CU_DEV_RESOURCE_TYPE_SM)
        h = (struct hidden){ 0 };
    return h;
}

/* Green contexts are for compute capability 6.0 and later. */
static cudaError_t open_green(struct api_call *e, enum call_kind kind, const char *name)
{
    cudaError_t status = api_open(e, kind, name);
    return REFUSE(e, status, sim.card->major < 6 || sim.card->sms > SMS_MOST, cudaErrorNotSupported,
                  "this device cannot be split: green contexts need compute capability 6.0");
}

/* The driver leaves the runtime's last error as it is. */
static CUresult close_green(struct api_call *e, cudaError_t status)
{
    cudaError_t last = e->thread->last;
    status = api_make(e, status, NULL);
    status = api_close(e, status);
    thread_self()->last = last;
    return (CUresult)status;
}

static cudaError_t refuse_type(struct api_call *e, cudaError_t status, CUdevResourceType type)
{
    return REFUSE(e, status, type != CU_DEV_RESOURCE_TYPE_SM, cudaErrorInvalidResourceType,
                  "the third argument, type, is %d; SMs are CU_DEV_RESOURCE_TYPE_SM", (int)type);
}

VISIBLE CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource,
                                        CUdevResourceType type)
{
    struct api_call e;
    cudaError_t status = open_green(&e, CALL_OTHER, "cuDeviceGetDevResource");
    status = refuse_device(&e, status, device, "first argument, device");
    status = refuse_null(&e, status, resource, "second argument, resource");
    status = refuse_type(&e, status, type);
    if (status == cudaSuccess) {
        struct hidden all = { .origin = FROM_DEVICE, .device = (uint32_t)device };
        for (unsigned i = 0; i < sim.card->sms; i++)
            all.sms[i / 32] |= 1u << i % 32;
        *resource = resource_of(all);
    }
    return close_green(&e, status);
}

/* The context of a handle; NULL: none, and *status says so. */
static struct green *green_of(struct api_call *e, cudaError_t *status, CUgreenCtx handle,
                              const char *argument)
{
    struct green *g = *status == cudaSuccess ? handle_find(&contexts, handle) : NULL;
    *status =
        REFUSE(e, *status, !g, cudaErrorDeviceUninitialized, "the %s, is not a green context%s",
               argument, handle_was(&contexts, handle) ? ": it was destroyed" : "");
    return g;
}

VISIBLE CUresult cuGreenCtxGetDevResource(CUgreenCtx context, CUdevResource *resource,
                                          CUdevResourceType type)
{
    struct api_call e;
    cudaError_t status = open_green(&e, CALL_OTHER, "cuGreenCtxGetDevResource");
    const struct green *g = green_of(&e, &status, context, "first argument, hCtx");
    status = refuse_null(&e, status, resource, "second argument, resource");
    status = refuse_type(&e, status, type);
    if (status == cudaSuccess) {
        struct hidden all = { .origin = FROM_CONTEXT, .device = g->device };
        memcpy(all.sms, g->sms, sizeof all.sms);
        *resource = resource_of(all);
    }
    return close_green(&e, status);
}

/* Takes that many of the SMs that are left, from the lowest on. */
static struct hidden take(struct hidden *left, unsigned count)
{
    struct hidden part = { .origin = FROM_SPLIT, .split = splits, .device = left->device };
    for (unsigned i = 0; i < SMS_MOST && count > 0; i++)
        if (has(left->sms, i)) {
            part.sms[i / 32] |= 1u << i % 32;
            left->sms[i / 32] &= ~(1u << i % 32);
            count--;
        }
    return part;
}

/* How many SMs a group has that is to have `least`. What would be more than there are is all of
 * them [M]. An H100 makes 15 groups of 8, which lie in a cluster of SMs each, of its 132 SMs; of
 * all other sizes as many as there is room for [M], as here. */
static unsigned size_of(unsigned least, unsigned flags, unsigned all)
{
    bool alone = flags & CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING;
    unsigned step = step_of(alone), size = (least + step - 1) / step * step;
    size = size > least_of(alone) ? size : least_of(alone);
    return size < all ? size : all;
}

VISIBLE CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *groups,
                                             const CUdevResource *input, CUdevResource *remaining,
                                             unsigned int flags, unsigned int least)
{
    struct api_call e;
    cudaError_t status = open_green(&e, CALL_OTHER, "cuDevSmResourceSplitByCount");
    status = refuse_null(&e, status, groups, "second argument, nbGroups");
    status = refuse_null(&e, status, input, "third argument, input");
    struct hidden left = status == cudaSuccess ? hidden_of(input) : (struct hidden){ 0 };
    unsigned all = count_of(left.sms),
             known = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING
                     | CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE;
    status = REFUSE(
        &e, status, left.origin == FROM_NOWHERE, cudaErrorInvalidResourceType,
        "the third argument, input, has no SMs: cuDeviceGetDevResource() or cuGreenCtxGetDevResource() gives some");
    status = REFUSE(
        &e, status, left.origin == FROM_SPLIT, cudaErrorInvalidResourceConfiguration,
        "the third argument, input, comes from a split; it can be split again when a green context has it (cuGreenCtxGetDevResource)");
    status = REFUSE(&e, status, flags & ~known, cudaErrorInvalidValue,
                    "the fifth argument, useFlags, is %#x, which has a bit that is not a flag", flags);
    status = REFUSE(&e, status, least > all, cudaErrorInvalidResourceConfiguration,
                    "the sixth argument, minCount, is %u, and there are %u SMs", least, all);
    status = REFUSE(&e, status, result && *groups == 0, cudaErrorInvalidValue,
                    "*nbGroups is 0: it says how many groups result has room for");
    unsigned size = status == cudaSuccess ? size_of(least, flags, all) : 1, most = all / size;
    if (status == cudaSuccess && !result)
        *groups = most;
    else if (status == cudaSuccess) {
        splits++;
        *groups = *groups < most ? *groups : most;
        for (unsigned k = 0; k < *groups; k++)
            result[k] = resource_of(take(&left, size));
        if (remaining)
            *remaining = resource_of(take(&left, SMS_MOST));
    }
    return close_green(&e, status);
}

VISIBLE CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *handle, CUdevResource *resources,
                                           unsigned int count)
{
    struct api_call e;
    cudaError_t status = open_green(&e, CALL_OTHER, "cuDevResourceGenerateDesc");
    status = refuse_null(&e, status, handle, "first argument, phDesc");
    status = refuse_null(&e, status, resources, "second argument, resources");
    status = REFUSE(&e, status, count == 0, cudaErrorInvalidValue,
                    "the third argument, nbResources, is 0");
    struct desc desc = { 0 };
    struct hidden first = { 0 };
    for (unsigned i = 0; status == cudaSuccess && i < count; i++) {
        struct hidden h = hidden_of(&resources[i]);
        first = i == 0 ? h : first;
        status = REFUSE(&e, status, h.origin == FROM_NOWHERE, cudaErrorInvalidResourceType,
                        "resource %u has no SMs", i);
        /* [cuda.h]; an H100 takes those of two splits [M]. */
        status = REFUSE(&e, status,
                        h.device != first.device
                            || (i > 0 && (h.origin != FROM_SPLIT || h.split != first.split)),
                        cudaErrorInvalidResourceConfiguration,
                        "resource %u is not of the same split as resource 0", i);
        status =
            REFUSE(&e, status, resources[i].sm.smCount != count_of(h.sms),
                   cudaErrorInvalidResourceConfiguration,
                   "smCount of resource %u was written: a resource is what a split has made it", i);
        for (unsigned k = 0; k < WORDS; k++)
            desc.sms[k] |= h.sms[k];
    }
    if (status == cudaSuccess) {
        struct desc *made = memory_resize(NULL, sizeof *made);
        desc.device = first.device;
        *made = desc;
        *handle = handle_give(&descs, made);
    }
    return close_green(&e, status);
}

/* ---- contexts ---- */

VISIBLE CUresult cuGreenCtxCreate(CUgreenCtx *context, CUdevResourceDesc handle, CUdevice device,
                                  unsigned int flags)
{
    struct api_call e;
    cudaError_t status = open_green(&e, CALL_OTHER, "cuGreenCtxCreate");
    status = refuse_null(&e, status, context, "first argument, phCtx");
    status = refuse_device(&e, status, device, "third argument, dev");
    const struct desc *desc = status == cudaSuccess ? handle_find(&descs, handle) : NULL;
    status = REFUSE(&e, status, !desc, cudaErrorInvalidValue,
                    "the second argument, desc, is not a descriptor of cuDevResourceGenerateDesc()");
    status = REFUSE(&e, status, desc && desc->device != (uint32_t)device, cudaErrorInvalidDevice,
                    "the third argument, dev, is %d, and the SMs of the descriptor are device %u's",
                    device, desc->device);
    status =
        REFUSE(&e, status, flags != CU_GREEN_CTX_DEFAULT_STREAM, cudaErrorInvalidValue,
               "the fourth argument, flags, is %#x and must be CU_GREEN_CTX_DEFAULT_STREAM", flags);
    if (status == cudaSuccess) {
        struct green *g = memory_resize(NULL, sizeof *g);
        *g = (struct green){ .device = desc->device };
        memcpy(g->sms, desc->sms, sizeof g->sms);
        *context = handle_give(&contexts, g);
        e.call.dst = (uint64_t)(uintptr_t)*context;
        e.call.device = desc->device;
        e.call.flags |= GREEN_MADE;
    }
    return close_green(&e, status);
}

VISIBLE CUresult cuGreenCtxDestroy(CUgreenCtx context)
{
    struct api_call e;
    cudaError_t status = open_green(&e, CALL_OTHER, "cuGreenCtxDestroy");
    green_of(&e, &status, context, "argument, hCtx");
    if (status == cudaSuccess) {
        handle_take_back(&contexts, context);
        streams_orphan(context);
        e.call.dst = (uint64_t)(uintptr_t)context;
    }
    return close_green(&e, status);
}

VISIBLE CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx context, unsigned int flags,
                                        int priority)
{
    struct api_call e;
    cudaError_t status = open_green(&e, CALL_STREAM_CREATE, "cuGreenCtxStreamCreate");
    status = refuse_null(&e, status, stream, "first argument, phStream");
    const struct green *g = green_of(&e, &status, context, "second argument, greenCtx");
    status = REFUSE(&e, status, flags != cudaStreamNonBlocking, cudaErrorInvalidValue,
                    "the third argument, flags, is %#x and must be CU_STREAM_NON_BLOCKING", flags);
    if (status == cudaSuccess) {
        struct stream made = { .flags = cudaStreamNonBlocking,
                               .priority = card_priority(sim.card, priority),
                               .device = (int)g->device, .made = true, .green = context };
        memcpy(made.sms, g->sms, sizeof made.sms);
        e.call.stream = stream_add(made);
        e.call.device = g->device;
        e.call.flags = STREAM_NON_BLOCKING;
        e.call.priority = priority;
        memcpy(e.call.sms_low, g->sms, sizeof e.call.sms_low);
        memcpy(e.call.sms_high, g->sms + 3, sizeof e.call.sms_high);
        *stream = stream_handle(e.call.stream);
    }
    return close_green(&e, status);
}

VISIBLE CUresult cuStreamGetGreenCtx(CUstream handle, CUgreenCtx *context)
{
    struct api_call e;
    cudaError_t status = open_green(&e, CALL_OTHER, "cuStreamGetGreenCtx");
    if (status == cudaSuccess)
        status = stream_find(&e, handle);
    status = refuse_null(&e, status, context, "second argument, phCtx");
    if (status == cudaSuccess)
        *context = stream_numbered(e.call.stream)->green;
    return close_green(&e, status);
}
