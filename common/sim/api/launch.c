/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/api_call.h"
#include "sim/api/event.h"
#include "sim/api/kernel_table.h"
#include "sim/api/stream.h"
#include "sim/call_log.h"
#include "sim/graph/capture_state.h"
#include "sim/host/note.h"
#include "sim/kernel/child.h"
#include "sim/kernel/effect.h"
#include "sim/kernel/kernel.h"
#include "sim/memory/because.h"

/* Between a launch's configuration and its kernel lie the arguments, which may
 * launch something themselves: hence a stack. */
void sim_configure(const struct sim_configuration *c)
{
    if (kernel_runs()) {
        child_configure(c);
        return;
    }
    struct thread *thread = thread_self();
    if (thread->configuration_count == CONFIGURATIONS) {
        thread->configuration_count--;
        memmove(thread->configurations, thread->configurations + 1,
                thread->configuration_count * sizeof *thread->configurations);
    }
    thread->configurations[thread->configuration_count++] =
        (struct configuration){ c->grid,
                                c->block,
                                c->shared,
                                c->stream,
                                c->cooperative,
                                c->own_priority,
                                c->dependent,
                                c->priority,
                                { c->cluster[0], c->cluster[1], c->cluster[2] },
                                call_site_pop(thread),
                                NULL };
}

/* <<<…>>> returns nothing: cudaGetLastError does, after it. */
void sim_configure_at(dim3 grid, dim3 block, size_t shared, cudaStream_t stream, const char *file,
                      int line, int zero_is_per_thread)
{
    call_site_of(file, line, zero_is_per_thread, __builtin_return_address(0),
                 __builtin_dwarf_cfa());
    sim_answer_unread();
    sim_configure(&(struct sim_configuration){ grid, block, shared, stream, 0, 0, 0, 0,
                                               { 0, 0, 0 } });
}

cudaError_t launch_check(struct call *c, dim3 grid, dim3 block, size_t shared,
                         const struct kernel_entry *kernel)
{
    const struct card *card = sim.card;
    unsigned most = (unsigned)card->threads_per_block, wide = card->major < 3 ? 65535 : 2147483647;
    const struct { const char *what; unsigned value, most; } sizes[] = {
        { "grid (the first parameter) has %u blocks in x", grid.x, wide },
        { "grid (the first parameter) has %u blocks in y", grid.y, 65535 },
        { "grid (the first parameter) has %u blocks in z", grid.z, card->major < 2 ? 1 : 65535 },
        { "block (the second parameter) has %u threads in x", block.x, most },
        { "block (the second parameter) has %u threads in y", block.y, most },
        { "block (the second parameter) has %u threads in z", block.z, 64 },
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char text[100];
        snprintf(text, sizeof text, sizes[i].what, sizes[i].value);
        if (sizes[i].value > sizes[i].most)
            return because(c, cudaErrorInvalidValue, "the %s, and this device takes at most %u",
                           text, sizes[i].most);
        if (sizes[i].value == 0)
            return because(c, cudaErrorInvalidValue, "the %s, and needs at least 1", text);
    }
    if ((uint64_t)block.x * block.y * block.z > most)
        return because(
            c, cudaErrorInvalidValue,
            "the block (the second parameter) has %llu threads (%u x %u x %u), and this device takes at most %u",
            (unsigned long long)block.x * block.y * block.z, block.x, block.y, block.z, most);
    if (kernel->threads > 0 && (uint64_t)block.x * block.y * block.z > kernel->threads)
        return because(
            c, cudaErrorInvalidValue,
            "the block (the second parameter) has %u threads, and the kernel's __launch_bounds__ allow %u",
            block.x * block.y * block.z, kernel->threads);
    if (shared > kernel->dynamic_shared)
        return because(
            c, cudaErrorInvalidValue,
            "%zu bytes of dynamic shared memory a block (the third parameter) are more than the %zu that "
            "the kernel may ask for; cudaFuncSetAttribute can raise that to %lld",
            shared, kernel->dynamic_shared, (long long)card_most_shared(card));
    return cudaSuccess;
}

/* Most blocks of a cluster: on every card that has clusters, and where the kernel allows more
 * (guide, "Thread Block Clusters") [M]. */
enum { CLUSTER_PORTABLE = 8, CLUSTER_MOST = 16 };

int cluster_most(const struct kernel_entry *kernel)
{
    return sim.card->major < 9 ? 1 : kernel->non_portable ? CLUSTER_MOST : CLUSTER_PORTABLE;
}

/* An H200 has one error for whatever is wrong with them [M]. */
cudaError_t launch_check_cluster(struct call *c, dim3 grid, const struct kernel_entry *kernel,
                                 unsigned cluster[3])
{
    const unsigned *own = kernel->cluster;
    bool asked = cluster[0] || cluster[1] || cluster[2], has = own[0] || own[1] || own[2];
    if (asked && kernel->cluster_is_fixed && memcmp(cluster, own, 3 * sizeof *own) != 0)
        return because(
            c, cudaErrorInvalidClusterSize,
            "the launch asks for clusters of %u x %u x %u blocks, and the kernel's __cluster_dims__ are %u x %u x %u",
            cluster[0], cluster[1], cluster[2], own[0], own[1], own[2]);
    if (!asked)
        memcpy(cluster, own, 3 * sizeof *own);
    if (!asked && !has)
        return cudaSuccess;
    const unsigned x = cluster[0], y = cluster[1], z = cluster[2];
    if (x == 0 || y == 0 || z == 0)
        return because(
            c, cudaErrorInvalidClusterSize,
            "the clusters are %u x %u x %u blocks: each of the three must be at least 1, or all 0",
            x, y, z);
    uint64_t blocks = (uint64_t)x * y * z, most = (uint64_t)cluster_most(kernel);
    if (blocks > 1 && sim.card->major < 9)
        return because(
            c, cudaErrorNotSupported,
            "this device has no thread block clusters: they need compute capability 9.0");
    if (x > CLUSTER_MOST || y > CLUSTER_MOST || blocks > most)
        return because(c, cudaErrorInvalidClusterSize,
                       "a cluster has %llu blocks (%u x %u x %u); this kernel's may have %llu%s",
                       (unsigned long long)blocks, x, y, z, (unsigned long long)most,
                       kernel->non_portable
                           ? ""
                           : " (16 with cudaFuncAttributeNonPortableClusterSizeAllowed)");
    if (grid.x % x || grid.y % y || grid.z % z)
        return because(
            c, cudaErrorInvalidClusterSize,
            "the grid of %u x %u x %u blocks is not a whole number of clusters of %u x %u x %u",
            grid.x, grid.y, grid.z, x, y, z);
    return cudaSuccess;
}

static uint32_t blocks_of_cluster(const unsigned cluster[3])
{
    return cluster[0] * cluster[1] * cluster[2];
}

/* All blocks have to find a place at once. */
cudaError_t launch_check_cooperative(struct call *c, const struct cooperative *how,
                                     const struct kernel_entry *kernel)
{
    uint64_t blocks = (uint64_t)how->grid.x * how->grid.y * how->grid.z;
    unsigned threads = how->block.x * how->block.y * how->block.z;
    uint64_t room =
        (uint64_t)kernel_blocks_per_sm(kernel, (int)threads, how->shared) * stream_sms(how->stream);
    if (blocks_of_cluster(how->cluster) > 1)
        room = (uint64_t)card_clusters(sim.card, threads, (int64_t)how->shared,
                                       blocks_of_cluster(how->cluster))
               * blocks_of_cluster(how->cluster);
    if (sim.card->major < 6)
        return because(c, cudaErrorNotSupported,
                       "this device has no cooperative launches: they need compute capability 6.0");
    if (blocks > room)
        return because(c, cudaErrorCooperativeLaunchTooLarge,
                       "the grid has %llu blocks, and %llu of them can be on this %s at once",
                       (unsigned long long)blocks, (unsigned long long)room,
                       stream_numbered(how->stream)->green ? "stream's SMs" : "device");
    return cudaSuccess;
}

static const uint32_t eventless = UINT32_MAX;

/* The event of the launch's completion, if it has one. */
static cudaError_t find_event_of(struct api_call *e, const struct configuration *how,
                                 uint32_t *number)
{
    const cudaLaunchConfig_t *given = how->attributes;
    cudaError_t status = cudaSuccess;
    *number = eventless;
    for (unsigned i = 0; given && i < given->numAttrs && status == cudaSuccess; i++)
        if (given->attrs[i].id == cudaLaunchAttributeLaunchCompletionEvent)
            status = event_of_launch(e, given->attrs[i].val.launchCompletionEvent.event,
                                     given->attrs[i].val.launchCompletionEvent.flags, number);
    return status;
}

/* By a launch that is made, or captured. */
static void record_event_of(struct api_call *e, uint32_t number)
{
    capture_records_launch(e->call.stream, number);
    if (e->call.flags & CALL_CAPTURED)
        return;
    struct call record = { .kind = CALL_EVENT_RECORD,
                           .name = call_string("cudaLaunchKernelEx"),
                           .file = e->call.file,
                           .line = e->call.line,
                           .device = e->call.device,
                           .stream = e->call.stream,
                           .event = number,
                           .flags = EVENT_NO_TIMING | EVENT_AT_LAUNCH };
    event_recorded(number, api_add(e, &record, NULL));
}

/* What the node of a launch that was captured has: the launch's own attributes, for the rest its
 * stream's. */
static void capture_attributes(uint32_t stream, const struct configuration *how)
{
    struct captured_stream *captured = captured_stream(stream);
    struct kernel_attributes a = attributes_of_stream(stream);
    const cudaLaunchConfig_t *given = how->attributes;
    for (unsigned i = 0; given && i < given->numAttrs; i++)
        attribute_put(&a, given->attrs[i].id, &given->attrs[i].val);
    a.cooperative = how->cooperative;
    captured->capture->graph->nodes[captured->last.list[0].node]->attributes = a;
}

static void wait_for_it(const struct call *launch)
{
    struct call wait = *launch;
    wait.kind = CALL_STREAM_SYNC;
    note(&wait);
}

static void set_priority(struct call *c, const struct configuration *how)
{
    const struct stream *stream = stream_numbered(c->stream);
    if (!how->own_priority && !stream->priority_changed)
        return;
    c->flags |= LAUNCH_PRIORITY;
    c->priority = how->own_priority ? how->priority : stream->priority;
}

/* Other devices wait, and so do cooperative grids and clusters here: the attribute allows, and asks
 * for nothing [G]. */
static bool begins_early(const struct configuration *how)
{
    return how->dependent && !how->cooperative && blocks_of_cluster(how->cluster) <= 1
           && sim.card->major >= 9;
}

/* Why a launch by a configuration does not begin early: what its attributes say, or leave out. */
static void say_ordinary(struct call *c, const cudaLaunchConfig_t *config)
{
    const char *why =
        "none of its attributes is cudaLaunchAttributeProgrammaticStreamSerialization";
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeProgrammaticStreamSerialization)
            why = "programmaticStreamSerializationAllowed is 0 in its attribute";
    c->message =
        call_string(config->numAttrs == 0
                        ? "numAttrs is 0 in its configuration, so that it has no attributes"
                        : why);
}

/* A kernel runs on its stream's device, current or not: the guide says that such a launch fails
 * ("Stream and Event Behavior"), an H200 takes it [M]. */
void sim_launch(const struct sim_kernel *kernel)
{
    if (kernel_runs()) {
        child_launch(kernel);
        return;
    }
    struct thread *thread = thread_self();
    if (kernel_was_asked(kernel))
        return;
    if (thread->configuration_count == 0) {
        fprintf(stderr, "%s is a kernel: it was called without <<<grid, block>>>\n", kernel->name);
        exit(1);
    }
    struct configuration c = thread->configurations[--thread->configuration_count];
    struct api_call e;
    call_site_push(thread, c.site);
    cudaError_t status = api_open(
        &e, CALL_LAUNCH, c.cooperative ? "cudaLaunchCooperativeKernel" : "cudaLaunchKernel");
    struct kernel_entry *entry = kernel_entry(kernel);
    if (status == cudaSuccess)
        status = launch_check(&e.call, c.grid, c.block, c.shared, entry);
    if (status == cudaSuccess)
        status = launch_check_cluster(&e.call, c.grid, entry, c.cluster);
    if (status == cudaSuccess)
        status = stream_find(&e, c.stream);
    if (status == cudaSuccess && c.cooperative)
        status = launch_check_cooperative(
            &e.call,
            &(struct cooperative){ c.grid, c.block, c.shared, c.cluster, e.call.stream }, entry);
    e.call.name = call_string(kernel->name);
    memcpy(e.call.grid, &c.grid, sizeof e.call.grid);
    memcpy(e.call.block, &c.block, sizeof e.call.block);
    e.call.shared = (uint32_t)c.shared;
    e.call.cluster = blocks_of_cluster(c.cluster);
    uint32_t event = eventless;
    if (status == cudaSuccess)
        status = find_event_of(&e, &c, &event);
    bool launched = status == cudaSuccess;
    if (launched)
        set_priority(&e.call, &c);
    if (launched && begins_early(&c))
        e.call.flags |= LAUNCH_DEPENDENT;
    if (launched && c.attributes && !c.dependent)
        say_ordinary(&e.call, c.attributes);
    if (launched && kernel_loads_now(entry, stream_device(e.call.stream)))
        e.call.flags |= LAUNCH_LOADS;
    struct sim_kernel own = *kernel;
    memcpy(own.cluster, c.cluster, sizeof own.cluster);
    status = api_make(&e, status, effect_new(&(struct effect){
        .kind = EFFECT_KERNEL, .kernel = own, .grid = c.grid, .block = c.block, .shared = c.shared,
        .cooperative = c.cooperative }));
    if (status == cudaSuccess && e.call.flags & CALL_CAPTURED)
        capture_attributes(e.call.stream, &c);
    if (status == cudaSuccess && event != eventless)
        record_event_of(&e, event);
    if (e.call.kind == CALL_LAUNCH && launched && sim.launch_blocking) {
        wait_for_it(&e.call);
        status = sim.sticky;
    }
    thread->launched = api_close(&e, status);
}

void sim_launch_calls(const char *name, const void *closure, size_t bytes, size_t alignment,
                      void (*call)(void *own), int has, unsigned long long how)
{
    struct sim_kernel kernel = {
        .name = name, .closure = (void *)closure, .bytes = bytes,
        .loops = has & 1, .depends = has >> 1, .bounds = (int)(how & 0xffff),
        .cluster = { (unsigned)(how >> 48), how >> 32 & 0xffff, how >> 16 & 0xffff },
    };
    kernel_calls(&kernel, alignment, call);
    sim_launch(&kernel);
}

/* ---- by a configuration with attributes ---- */

static cudaError_t refuse_launch(cudaError_t error, const char *why)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaLaunchKernelExC");
    return api_finish(&e, REFUSE(&e, status, true, error, "%s", why));
}

cudaError_t configuration_of(const cudaLaunchConfig_t *config, struct sim_configuration *how,
                             struct reason *why)
{
    *how = (struct sim_configuration){
        config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, 0, 0, 0, 0,
        { 0, 0, 0 }
    };
    if (config->numAttrs > 0 && !config->attrs) {
        snprintf(why->text, sizeof why->text,
                 "the configuration has %u attributes, and attrs is NULL", config->numAttrs);
        return cudaErrorInvalidValue;
    }
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        cudaError_t status = attribute_check(a->id, &a->val, OF_LAUNCH, why);
        if (status != cudaSuccess)
            return status;
        if (a->id == cudaLaunchAttributeCooperative)
            how->cooperative = a->val.cooperative != 0;
        if (a->id == cudaLaunchAttributeClusterDimension)
            memcpy(how->cluster, &a->val.clusterDim, sizeof how->cluster);
        if (a->id == cudaLaunchAttributeProgrammaticStreamSerialization)
            how->dependent = a->val.programmaticStreamSerializationAllowed != 0;
        if (a->id == cudaLaunchAttributePriority) {
            how->own_priority = 1;
            how->priority = a->val.priority;
        }
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    struct sim_configuration how;
    struct reason why = { "the first argument, config, is NULL" };
    cudaError_t status =
        config ? configuration_of(config, &how, &why) : cudaErrorInvalidValue;
    if (status != cudaSuccess)
        return refuse_launch(status, why.text);
    return kernel_launch_at("cudaLaunchKernelExC", function, &how, config, args);
}
