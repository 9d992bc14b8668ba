/* SPDX-License-Identifier: MIT */
#include "sim/api/kernel_table.h"

#include <string.h>

#include "sim/api/api_call.h"
#include "sim/include/detail/sim_function.h"
#include "sim/memory/because.h"
#include "trace/record/memory.h"

enum { ARGUMENTS = 1024, ARGUMENT_BYTES = 32768,
       ARGUMENT_ALIGNMENT = 16 };     /* most that a kernel takes: 32764 bytes (guide) */

struct function {
    const void *address;
    void (*call)(const void *address, void **args);
    unsigned count;
    const size_t *sizes; /* of its arguments; then, for each: may its bits be copied? */
    struct kernel_entry *entry; /* once it has been asked for */
    struct function *next;
};

static struct function *kernel_functions;
static struct kernel_entry *kernels;

static struct function *find_function(const void *address)
{
    struct function *f = kernel_functions;
    while (f && f->address != address)
        f = f->next;
    return f;
}

void sim_function(const void *address, void (*call)(const void *address, void **args),
                  unsigned int count, const size_t *sizes)
{
    sim_lock();
    if (!find_function(address)) {
        struct function *f = memory_resize(NULL, sizeof *f);
        *f = (struct function){ address, call, count, sizes, NULL, kernel_functions };
        kernel_functions = f;
    }
    sim_unlock();
}

struct kernel_entry *kernel_entry(const struct sim_kernel *kernel)
{
    struct kernel_entry *k = kernels;
    while (k && k->which != kernel->which)
        k = k->next;
    if (!k) {
        k = memory_resize(NULL, sizeof *k);
        *k = (struct kernel_entry){ .which = kernel->which, .threads = (unsigned)kernel->bounds,
                                    .cluster_is_fixed = kernel->cluster[0] > 0, .carveout = -1,
                                    .next = kernels,
                                    .dynamic_shared = (size_t)sim.card->shared_per_block };
        memcpy(k->cluster, kernel->cluster, sizeof k->cluster);
        kernels = k;
    }
    return k;
}

bool kernel_was_asked(const struct sim_kernel *kernel)
{
    struct thread *thread = thread_self();
    if (!thread->asked)
        return false;
    *thread->asked = *kernel;
    return true;
}

/* Calls the function so that it says what it is, and launches nothing. */
static struct sim_kernel ask(const struct function *f, void **args)
{
    struct sim_kernel kernel = { 0 };
    thread_self()->asked = &kernel;
    f->call(f->address, args);
    thread_self()->asked = NULL;
    return kernel;
}

struct kernel_entry *kernel_entry_at(const void *address)
{
    static _Alignas(64) char zeros[ARGUMENT_BYTES];
    struct function *f = find_function(address);
    if (!f || f->entry)
        return f ? f->entry : NULL;
    void *args[ARGUMENTS];
    for (unsigned i = 0; i < f->count && i < ARGUMENTS; i++)
        args[i] = zeros;
    struct sim_kernel kernel = ask(f, args);
    if (!kernel.block)
        return NULL;                        /* a function, but no kernel */
    kernel.drop(kernel.closure);
    return f->entry = kernel_entry(&kernel);
}

bool kernel_bind(const void *address, void **args, struct sim_kernel *kernel)
{
    struct function *f = find_function(address);
    if (!f || !kernel_entry_at(address) || (f->count > 0 && !args))
        return false;
    *kernel = ask(f, args);
    return true;
}

void *kernel_keep(const void *address, void **args, size_t before, void ***kept)
{
    const struct function *f = find_function(address);
    size_t count = f->count < ARGUMENTS ? f->count : ARGUMENTS,
           bytes = before + count * sizeof *args;
    for (size_t i = 0; i < count; i++)
        bytes = (bytes + ARGUMENT_ALIGNMENT - 1) / ARGUMENT_ALIGNMENT * ARGUMENT_ALIGNMENT
                + f->sizes[i];
    char *block = memory_resize(NULL, bytes);
    *kept = (void **)(void *)(block + before);
    size_t at = before + count * sizeof *args;
    for (size_t i = 0; i < count; i++) {
        at = (at + ARGUMENT_ALIGNMENT - 1) / ARGUMENT_ALIGNMENT * ARGUMENT_ALIGNMENT;
        (*kept)[i] = memcpy(block + at, args[i], f->sizes[i]);
        at += f->sizes[i];
    }
    return block;
}

/* The function with this closure's kernel, where all its arguments may be made of bits. */
static const struct function *function_of(const struct sim_kernel *kernel)
{
    struct function *f = kernel_functions;
    for (; f; f = f->next) {
        bool plain = f->count <= ARGUMENTS;
        for (unsigned i = 0; plain && i < f->count; i++)
            plain = f->sizes[f->count + i];
        const struct kernel_entry *entry = plain ? kernel_entry_at(f->address) : NULL;
        if (entry && entry->which == kernel->which)
            break;
    }
    return f;
}

/* Which byte of the arguments, from 1, does each byte of the closure hold? 0: none. The function is
 * asked with arguments whose bytes spell their numbers, a bit at a time: a byte is 0 or 1 then,
 * which is a value of any type. What a closure has between its values would follow by chance only:
 * hence each bit once more, inverted. */
static uint32_t *spell(const struct function *f, size_t size, char *bytes, size_t count,
                       void **args)
{
    uint32_t *from = memory_resize(NULL, (size + 1) * sizeof *from);
    memset(from, 0, (size + 1) * sizeof *from);
    bool *other = memory_resize(NULL, size + 1);
    memset(other, 0, size + 1);
    for (unsigned bit = 0; count >> bit > 0; bit++)
        for (unsigned inverted = 0; inverted < 2; inverted++) {
            for (size_t i = 0; i < count; i++)
                bytes[i] = (char)(((i + 1) >> bit & 1) ^ inverted);
            struct sim_kernel asked = ask(f, args);
            const unsigned char *closure = asked.closure;
            for (size_t k = 0; k < size; k++) {
                unsigned value = closure[k] ^ inverted;
                other[k] = other[k] || value > 1 || (inverted && value != (from[k] >> bit & 1));
                from[k] |= (value & 1) << bit;
            }
            asked.drop(asked.closure);
        }
    for (size_t k = 0; k < size; k++)
        if (other[k] || from[k] > count)
            from[k] = 0;
    memory_resize(other, 0);
    return from;
}

void *kernel_tell(const struct sim_kernel *kernel, size_t before, void **address, void ***kept)
{
    /* Static, as what lies there is read by the program's functions. */
    static _Alignas(64) char bytes[ARGUMENT_BYTES + ARGUMENTS * ARGUMENT_ALIGNMENT];
    const struct function *f = function_of(kernel);
    void *args[ARGUMENTS];
    size_t count = 0;
    for (unsigned i = 0; f && i < f->count && count <= sizeof bytes; i++) {
        args[i] = bytes + count;
        count += (f->sizes[i] + ARGUMENT_ALIGNMENT - 1) / ARGUMENT_ALIGNMENT * ARGUMENT_ALIGNMENT;
    }
    if (!f || count > sizeof bytes)
        return NULL;
    uint32_t *from = spell(f, kernel->bytes, bytes, count, args);
    memset(bytes, 0, count);
    for (size_t k = 0; k < kernel->bytes; k++)
        if (from[k] > 0)
            bytes[from[k] - 1] = ((const char *)kernel->closure)[k];
    memory_resize(from, 0);
    *address = (void *)(uintptr_t)f->address;
    return kernel_keep(f->address, args, before, kept);
}

bool kernel_loads_now(struct kernel_entry *entry, int device)
{
    bool first = !(entry->loaded >> device & 1);
    entry->loaded |= 1u << device;
    return first && !sim.eager_loading;
}

cudaError_t kernel_launch_at(const char *name, const void *function,
                             const struct sim_configuration *how, const cudaLaunchConfig_t *config,
                             void **args)
{
    sim_lock();
    struct function *f = find_function(function);
    cudaError_t status = !f || !kernel_entry_at(function) ? cudaErrorInvalidDeviceFunction
                         : f->count > 0 && !args          ? cudaErrorInvalidValue : cudaSuccess;
    if (status == cudaSuccess) {
        sim_configure(how);
        struct thread *thread = thread_self();
        if (config && thread->configuration_count > 0)
            thread->configurations[thread->configuration_count - 1].attributes = config;
        f->call(function, args);
        status = thread_self()->launched;
    } else {
        struct api_call e;
        cudaError_t opened = api_open(&e, CALL_OTHER, name);
        status = api_finish(
            &e, REFUSE(&e, opened, true, status,
                       status == cudaErrorInvalidValue
                           ? "the fourth argument, args, is NULL, and the kernel has parameters"
                           : "the first argument, func, is not the address of a kernel"));
    }
    sim_unlock();
    return status;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                             size_t shared, cudaStream_t stream)
{
    return kernel_launch_at("cudaLaunchKernel", function,
                            &(struct sim_configuration){
                                grid, block, shared, stream, 0, 0, 0, 0, { 0, 0, 0 } },
                            NULL, args);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream)
{
    return kernel_launch_at("cudaLaunchCooperativeKernel", function,
                            &(struct sim_configuration){
                                grid, block, shared, stream, 1, 0, 0, 0, { 0, 0, 0 } },
                            NULL, args);
}
