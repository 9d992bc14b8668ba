/* SPDX-License-Identifier: MIT */
/* driver.cu - gives lesson 03's three functions their inputs and hands back what they make of them. */
#include <string.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static const struct task *task;
static struct answer *answer;

static cudaStream_t new_stream(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

/* What is not written is neither zero nor an earlier answer. */
static unsigned *on_device(size_t bytes)
{
    unsigned *p;
    CHECK(cudaMalloc(&p, bytes));
    CHECK(cudaMemset(p, 0x5a, bytes));
    return p;
}

static unsigned *pinned(size_t bytes)
{
    unsigned *p;
    CHECK(cudaMallocHost(&p, bytes));
    memset(p, 0xa5, bytes);
    return p;
}

static void part_a(void)
{
    size_t bytes = task->a_n * sizeof(unsigned);
    cudaStream_t stream = new_stream();
    unsigned *data = on_device(bytes), *in = pinned(bytes), *out = pinned(bytes);
    memcpy(in, driver_input(1, NULL), bytes);
    CHECK(cudaDeviceSynchronize());

    driver_part("a");
    float ms = time_kernel(in, out, data, (int)task->a_n, task->kernel_ns, stream);
    driver_part(NULL);

    answer->a_ms = ms;
    memcpy(driver_output(1, NULL), out, bytes);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    CHECK(cudaStreamDestroy(stream));
}

static void part_b(void)
{
    size_t bytes = task->b_n * sizeof(unsigned);
    cudaStream_t one = new_stream(), two = new_stream();
    unsigned *in = on_device(bytes), *host = pinned(bytes);
    struct diamond x = { in, on_device(bytes), on_device(bytes), on_device(bytes), on_device(bytes), (int)task->b_n,
                         task->ns[0], task->ns[1], task->ns[2], task->ns[3] };
    memcpy(host, driver_input(2, NULL), bytes);
    CHECK(cudaDeviceSynchronize());

    /* Queued and not waited for: the exercise has to come after it ... */
    CHECK(cudaMemcpyAsync(in, host, bytes, cudaMemcpyHostToDevice, one));
    driver_part("b");
    diamond(&x, one, two);
    driver_part(NULL);
    /* ... and before this. */
    CHECK(cudaMemcpyAsync(host, x.d, bytes, cudaMemcpyDeviceToHost, one));
    CHECK(cudaStreamSynchronize(one));

    memcpy(driver_output(2, NULL), host, bytes);
    CHECK(cudaDeviceSynchronize());
    unsigned *mine[] = { in, x.a, x.b, x.c, x.d };
    for (unsigned *p : mine)
        CHECK(cudaFree(p));
    CHECK(cudaFreeHost(host));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
}

static void part_c(void)
{
    size_t bytes = task->c_n * sizeof(unsigned);
    cudaStream_t stream = new_stream();
    struct job job = { on_device(bytes), pinned(bytes), (int)task->c_n, task->scramble_ns, task->clear_ns,
                       task->slice_ns, stream };
    CHECK(cudaMemcpy(job.data, driver_input(3, NULL), bytes, cudaMemcpyHostToDevice));
    /* `result` begins as the input, so that a sum taken too early is a plausible one. */
    memcpy(job.result, driver_input(3, NULL), bytes);
    CHECK(cudaDeviceSynchronize());

    struct progress p;
    memset(&p, 0x5a, sizeof p);
    driver_part("c");
    work_until_done(&job, &p);
    driver_part(NULL);

    answer->slices = p.slices;
    answer->sum = p.sum;
    CHECK(cudaDeviceSynchronize());
    memcpy(driver_output(3, NULL), job.result, bytes);
    CHECK(cudaMemcpy(driver_output(4, NULL), job.data, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(job.data));
    CHECK(cudaFreeHost(job.result));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    task = (const struct task *)driver_input(0, NULL);
    answer = (struct answer *)driver_output(0, NULL);
    part_a();
    part_b();
    part_c();
    return 0;
}
