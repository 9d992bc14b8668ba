/* SPDX-License-Identifier: MIT */
/*
 * Attributes of launches and of streams (launch_types.h says which there are). A launch's priority,
 * and one that a stream is given later, go with each launch (LAUNCH_PRIORITY), and so does
 * programmatic stream serialization (LAUNCH_DEPENDENT); all others are checked, kept, and change no
 * time.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/api/api_call.h"
#include "sim/api/kernel_table.h"
#include "sim/api/stream.h"
#include "sim/memory/because.h"
#include "trace/record/memory.h"

/* ---- is a value valid? As an H200 has it [M]. ---- */

static cudaError_t wrong(struct reason *why, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static cudaError_t wrong(struct reason *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return cudaErrorInvalidValue;
}

static cudaError_t check_window(const struct cudaAccessPolicyWindow *w, struct reason *why)
{
    size_t most = (size_t)sim.card->l2_window * 1024;
    if (!(w->hitRatio >= 0 && w->hitRatio <= 1))
        return wrong(why, "accessPolicyWindow.hitRatio is %g, and must be from 0 to 1",
                     (double)w->hitRatio);
    if (w->missProp == cudaAccessPropertyPersisting)
        return wrong(
            why,
            "accessPolicyWindow.missProp is cudaAccessPropertyPersisting, which only hitProp may be");
    if (w->num_bytes > most)
        return wrong(
            why,
            "accessPolicyWindow.num_bytes is %zu, and this device takes at most %zu (accessPolicyMaxWindowSize)",
            w->num_bytes, most);
    return cudaSuccess;
}

cudaError_t attribute_check(enum cudaLaunchAttributeID id, const cudaLaunchAttributeValue *v,
                            enum attribute_owner owner, struct reason *why)
{
    static const char *const owners[] = { "launch", "stream", "kernel's node" };
    const bool of_stream = owner == OF_STREAM;
    switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow:
        return check_window(&v->accessPolicyWindow, why);
    case cudaLaunchAttributeMemSyncDomain:
        return v->memSyncDomain <= cudaLaunchMemSyncDomainRemote ? cudaSuccess
               : wrong(why, "memSyncDomain is %d, which is not a valid one", (int)v->memSyncDomain);
    case cudaLaunchAttributeMemSyncDomainMap:
        return v->memSyncDomainMap.default_ < card_sync_domains(sim.card)
                       && v->memSyncDomainMap.remote < card_sync_domains(sim.card)
                   ? cudaSuccess
                   : wrong(why, "memSyncDomainMap names domains %d and %d, and this device has %u",
                           v->memSyncDomainMap.default_, v->memSyncDomainMap.remote,
                           card_sync_domains(sim.card));
    case cudaLaunchAttributePriority:
        return cudaSuccess;                 /* the nearest that the device has */
    case cudaLaunchAttributeSynchronizationPolicy:
        if (!of_stream)
            break;
        return v->syncPolicy >= cudaSyncPolicyAuto && v->syncPolicy <= cudaSyncPolicyBlockingSync
                   ? cudaSuccess
                   : wrong(why, "syncPolicy is %d, which is not a valid one", (int)v->syncPolicy);
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        if (of_stream)
            break;
        return v->sharedMemCarveout <= 100
                       || (v->sharedMemCarveout == (unsigned)cudaSharedmemCarveoutDefault
                           && owner == OF_LAUNCH)       /* not of a node [M] */
                   ? cudaSuccess
                   : wrong(why,
                           "sharedMemCarveout is %u; a share of shared memory is 0 to 100 percent",
                           v->sharedMemCarveout);
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        if (of_stream)
            break;
        return owner == OF_NODE                 /* takes any [M] */
                       || (unsigned)v->clusterSchedulingPolicyPreference
                              <= cudaClusterSchedulingPolicyLoadBalancing
                   ? cudaSuccess
                   : wrong(why, "clusterSchedulingPolicyPreference is %d, which is not a valid one",
                           (int)v->clusterSchedulingPolicyPreference);
    case cudaLaunchAttributeClusterDimension:       /* launch_check_cluster looks at it */
    case cudaLaunchAttributeCooperative:
        if (of_stream)
            break;
        return cudaSuccess;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeLaunchCompletionEvent:      /* launch.c looks at it */
    case cudaLaunchAttributeProgrammaticStreamSerialization:   /* a node's edges say it [M] */
        if (owner != OF_LAUNCH)
            break;
        return cudaSuccess;
    }
    return wrong(why, "attribute %d is not one of a %s here", (int)id, owners[owner]);
}

/* ---- streams ---- */

/* What a stream was given, by its number. */
static struct given {
    bool known;
    struct cudaAccessPolicyWindow window;
    enum cudaSynchronizationPolicy policy;
    cudaLaunchMemSyncDomain domain;
    cudaLaunchMemSyncDomainMap map;
} *given;
static size_t given_count, given_capacity;

static struct given *given_to(uint32_t stream)
{
    while (given_count <= stream) {
        given = memory_grow(given, given_count, &given_capacity, sizeof *given);
        given[given_count++] = (struct given){ 0 };
    }
    struct given *g = &given[stream];
    if (!g->known)
        *g = (struct given){ .known = true,
                             .policy = (enum cudaSynchronizationPolicy) - 1,
                             .map = { 0, card_sync_domains(sim.card) > 1 } };
    return g;
}

static void change_priority(uint32_t number, int priority)
{
    struct stream *stream = stream_numbered(number);
    stream->priority = priority;
    stream->priority_changed = true;
}

static cudaError_t open_stream(struct api_call *e, const char *name, cudaStream_t stream,
                               const void *value)
{
    cudaError_t status = api_open(e, CALL_OTHER, name);
    if (status == cudaSuccess)
        status = stream_find(e, stream);
    return refuse_null(e, status, value, "third argument, value");
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue *value)
{
    struct api_call e;
    struct reason why;
    cudaError_t status = open_stream(&e, "cudaStreamSetAttribute", stream, value);
    cudaError_t error =
        status == cudaSuccess ? attribute_check(id, value, OF_STREAM, &why) : cudaSuccess;
    status = REFUSE(&e, status, error != cudaSuccess, error, "%s", why.text);
    if (status == cudaSuccess) {
        struct given *g = given_to(e.call.stream);
        if (id == cudaLaunchAttributeAccessPolicyWindow)
            g->window = value->accessPolicyWindow;
        else if (id == cudaLaunchAttributeSynchronizationPolicy)
            g->policy = value->syncPolicy;
        else if (id == cudaLaunchAttributeMemSyncDomain)
            g->domain = value->memSyncDomain;
        else if (id == cudaLaunchAttributeMemSyncDomainMap)
            g->map = value->memSyncDomainMap;
        else
            change_priority(e.call.stream, card_priority(sim.card, value->priority));
    }
    return api_finish(&e, status);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID id,
                                   cudaLaunchAttributeValue *value)
{
    struct api_call e;
    cudaError_t status = open_stream(&e, "cudaStreamGetAttribute", stream, value);
    bool known = id == cudaLaunchAttributeAccessPolicyWindow
                 || id == cudaLaunchAttributeSynchronizationPolicy
                 || id == cudaLaunchAttributeMemSyncDomain
                 || id == cudaLaunchAttributeMemSyncDomainMap || id == cudaLaunchAttributePriority;
    status = REFUSE(&e, status, !known, cudaErrorInvalidValue,
                    "attribute %d is not one of a stream here", (int)id);
    if (status == cudaSuccess) {
        const struct given *g = given_to(e.call.stream);
        if (id == cudaLaunchAttributeAccessPolicyWindow)
            value->accessPolicyWindow = g->window;
        else if (id == cudaLaunchAttributeSynchronizationPolicy)
            value->syncPolicy = g->policy;
        else if (id == cudaLaunchAttributeMemSyncDomain)
            value->memSyncDomain = g->domain;
        else if (id == cudaLaunchAttributeMemSyncDomainMap)
            value->memSyncDomainMap = g->map;
        else
            value->priority = stream_numbered(e.call.stream)->priority;
    }
    return api_finish(&e, status);
}

/* The priority is one of them [M]. */
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaStreamCopyAttributes");
    if (status == cudaSuccess)
        status = stream_find(&e, from);
    uint32_t source = e.call.stream;
    if (status == cudaSuccess)
        status = stream_find(&e, to);
    if (status == cudaSuccess) {
        struct given copy = *given_to(source);
        *given_to(e.call.stream) = copy;
        change_priority(e.call.stream, stream_numbered(source)->priority);
    }
    return api_finish(&e, status);
}

/* Lines that persist go back to normal: there are none. */
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    struct api_call e;
    return api_finish(&e, api_open(&e, CALL_OTHER, "cudaCtxResetPersistingL2Cache"));
}

/* ---- kernels' nodes ---- */

void attribute_put(struct kernel_attributes *a, enum cudaLaunchAttributeID id,
                   const cudaLaunchAttributeValue *v)
{
    switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow: a->window = v->accessPolicyWindow; break;
    case cudaLaunchAttributeCooperative: a->cooperative = v->cooperative != 0; break;
    case cudaLaunchAttributeClusterDimension:
        memcpy(a->cluster, &v->clusterDim, sizeof a->cluster);
        break;
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        a->scheduling = v->clusterSchedulingPolicyPreference;
        break;
    case cudaLaunchAttributePriority: a->priority = card_priority(sim.card, v->priority); break;
    case cudaLaunchAttributeMemSyncDomainMap: a->map = v->memSyncDomainMap; break;
    case cudaLaunchAttributeMemSyncDomain: a->domain = v->memSyncDomain; break;
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        a->carveout = v->sharedMemCarveout;
        break;
    default: break;             /* of launches alone */
    }
}

bool attribute_get(const struct kernel_attributes *a, enum cudaLaunchAttributeID id,
                   cudaLaunchAttributeValue *v)
{
    switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow: v->accessPolicyWindow = a->window; return true;
    case cudaLaunchAttributeCooperative: v->cooperative = a->cooperative; return true;
    case cudaLaunchAttributeClusterDimension:
        memcpy(&v->clusterDim, a->cluster, sizeof a->cluster);
        return true;
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        v->clusterSchedulingPolicyPreference = a->scheduling;
        return true;
    case cudaLaunchAttributePriority: v->priority = a->priority; return true;
    case cudaLaunchAttributeMemSyncDomainMap: v->memSyncDomainMap = a->map; return true;
    case cudaLaunchAttributeMemSyncDomain: v->memSyncDomain = a->domain; return true;
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        v->sharedMemCarveout = a->carveout;
        return true;
    default: return false;
    }
}

struct kernel_attributes attributes_of_new(void)
{
    return (struct kernel_attributes){ .map = { 0, card_sync_domains(sim.card) > 1 } };
}

/* Of the priority the header says so ("are copied from stream priority during stream capture"). */
struct kernel_attributes attributes_of_stream(uint32_t stream)
{
    const struct given *g = given_to(stream);
    struct kernel_attributes a = attributes_of_new();
    a.window = g->window;
    a.priority = stream_numbered(stream)->priority;
    a.domain = g->domain;
    a.map = g->map;
    return a;
}
