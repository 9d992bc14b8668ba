/* SPDX-License-Identifier: MIT */
#include "sim/kernel/child.h"

#include "sim/include/detail/sim_device_runtime.h"
#include "sim/kernel/block.h"
#include "sim/kernel/print.h"
#include "trace/record/memory.h"

void child_site(const char *file, int line)
{
    block->children.file = file;
    block->children.line = line;
}

void child_configure(const struct sim_configuration *how)
{
    block->children.how = *how;
}

void child_refuse(const struct child *child, cudaError_t error, const char *why)
{
    print_wrong("error: %s:%d: a kernel's launch of %s was refused: %s\n", child->file, child->line,
                child->kernel.name, why);
    block->children.error = error;
    child->kernel.drop(child->kernel.closure);
}

static bool is_empty(dim3 size)
{
    return size.x == 0 || size.y == 0 || size.z == 0;
}

void child_launch(const struct sim_kernel *kernel)
{
    struct children *own = &block->children;
    struct child child = { *kernel, own->how, block->number, own->file, own->line };
    uint64_t threads = (uint64_t)child.how.block.x * child.how.block.y * child.how.block.z;
    if (is_empty(child.how.grid) || is_empty(child.how.block)) {
        child_refuse(&child, cudaErrorInvalidConfiguration, "an empty grid or block");
    } else if (threads > (uint64_t)sim.card->threads_per_block || child.how.block.z > 64) {
        child_refuse(&child, cudaErrorInvalidConfiguration,
                     "its block has more threads than this device takes");
    } else if (child.how.shared > (size_t)card_most_shared(sim.card)) {
        child_refuse(&child, cudaErrorInvalidConfiguration,
                     "it asks for more shared memory than a block can have");
    } else {
        MEMORY_GROW(own->list, own->count, own->capacity);
        own->list[own->count++] = child;
    }
}

/* ---- what kernels may call of the runtime ---- */

cudaError_t sim_device_cudaGetLastError(void)
{
    cudaError_t error = block->children.error;
    block->children.error = cudaSuccess;
    return error;
}

cudaError_t sim_device_cudaPeekAtLastError(void)
{
    return block->children.error;
}

cudaError_t sim_device_cudaGetDevice(int *device)
{
    *device = (int)sim.timeline.spans[sim.kernel_now].device;
    return cudaSuccess;
}

/* Children run in one order whatever their stream: each is as good as another. */
cudaError_t sim_device_cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    if (flags != cudaStreamNonBlocking)
        return block->children.error = cudaErrorInvalidValue;
    *stream = 0;
    return cudaSuccess;
}

cudaError_t sim_device_cudaStreamDestroy(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}
