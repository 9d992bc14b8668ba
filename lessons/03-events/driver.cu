/* SPDX-License-Identifier: MIT */
/* driver.cu - gives lesson 03's three functions their inputs and hands back what they make of them. */
#include <string.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static_assert(THREADS == THREADS_OF_A_BLOCK, "slots.h knows how many there are");

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

/* What a second call gets of the first one's elements: the last ones. */
static const unsigned *again(int input, int64_t n, int64_t again_n)
{
    return (const unsigned *)driver_input(input, NULL) + n - again_n;
}

/* Keeps the engine that copies to the device busy in another stream, for longer than the host needs to queue the part's own
 * copies: the copy in takes longer from its place in the queue to its end than the copy back, which has as many bytes. */
static void keep_copying(unsigned *to, const unsigned *from, size_t bytes, cudaStream_t stream)
{
    for (int k = 0; k < COPIES_AHEAD; k++)
        CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
}

static void part_a_again(void)
{
    size_t bytes = task->a_again_n * sizeof(unsigned), ahead = BYTES_AHEAD;
    cudaStream_t stream = new_stream(), other = new_stream();
    unsigned *data = on_device(bytes), *in = pinned(bytes), *out = pinned(bytes), *from = pinned(ahead), *to = on_device(ahead);
    memcpy(in, again(1, task->a_n, task->a_again_n), bytes);
    CHECK(cudaDeviceSynchronize());
    keep_copying(to, from, ahead, other);
    driver_part(AGAIN "a");
    answer->a_ms_again = time_kernel(in, out, data, (int)task->a_again_n, task->kernel_ns * 5 / 2, stream);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    memcpy(driver_output(6, NULL), out, bytes);
    CHECK(cudaFree(to));
    CHECK(cudaFreeHost(from));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(data));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    CHECK(cudaStreamDestroy(stream));
}

static void part_a(void)
{
    size_t bytes = task->a_n * sizeof(unsigned);
    cudaStream_t stream = new_stream();
    unsigned *data = on_device(bytes), *in = pinned(bytes), *out = pinned(bytes);
    memcpy(in, driver_input(1, NULL), bytes);
    CHECK(cudaDeviceSynchronize());

    /* Queued and not waited for: the exercise has to come after it. */
    CHECK(cudaMemsetAsync(data, 0xa5, bytes, stream));
    driver_part("a");
    float ms = time_kernel(in, out, data, (int)task->a_n, task->kernel_ns, stream);
    driver_part(NULL);

    answer->a_ms = ms;
    memcpy(driver_output(1, NULL), out, bytes);
    CHECK(cudaDeviceSynchronize());
    answer->a_changed = 0;
    for (int64_t i = 0; i < task->a_n; i++)
        answer->a_changed += in[i] != ((const unsigned *)driver_input(1, NULL))[i];
    CHECK(cudaFree(data));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    CHECK(cudaStreamDestroy(stream));
}

static void part_b_again(void)
{
    size_t bytes = task->again_n * sizeof(unsigned);
    cudaStream_t one = new_stream(), two = new_stream();
    struct diamond x = { on_device(bytes), on_device(bytes), on_device(bytes), on_device(bytes), on_device(bytes),
                         (int)task->again_n, task->ns[3], task->ns[3], task->ns[3], task->ns[3] };
    CHECK(cudaMemcpy((void *)x.in, again(2, task->b_n, task->again_n), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    driver_part(AGAIN "b");
    diamond(&x, one, two);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(driver_output(7, NULL), x.d, bytes, cudaMemcpyDeviceToHost));
    const unsigned *mine[] = { x.in, x.a, x.b, x.c, x.d };
    for (const unsigned *p : mine)
        CHECK(cudaFree((void *)p));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
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
    for (int k = 0; k < 4; k++)
        CHECK(cudaMemcpy((char *)driver_output(5, NULL) + k * bytes, mine[k], bytes, cudaMemcpyDeviceToHost));
    for (unsigned *p : mine)
        CHECK(cudaFree(p));
    CHECK(cudaFreeHost(host));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
}

static void part_c_again(void)
{
    size_t bytes = task->again_n * sizeof(unsigned);
    cudaStream_t stream = new_stream();
    struct job job = { on_device(bytes), pinned(bytes), (int)task->again_n, task->scramble_ns / 4, task->clear_ns / 4,
                       task->slice_ns / 2, stream };
    CHECK(cudaMemcpy(job.data, again(3, task->c_n, task->again_n), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    struct progress p;
    memset(&p, 0x5a, sizeof p);
    driver_part(AGAIN "c");
    driver_delays_question(task->scramble_ns + task->clear_ns);
    work_until_done(&job, &p);
    driver_part(NULL);
    answer->slices_again = p.slices;
    answer->sum_again = p.sum;
    CHECK(cudaDeviceSynchronize());
    memcpy(driver_output(8, NULL), job.result, bytes);
    CHECK(cudaFree(job.data));
    CHECK(cudaFreeHost(job.result));
    CHECK(cudaStreamDestroy(stream));
}

static void part_c(void)
{
    size_t bytes = task->c_n * sizeof(unsigned);
    cudaStream_t stream = new_stream();
    unsigned *host = pinned(bytes);
    struct job job = { on_device(bytes), pinned(bytes), (int)task->c_n, task->scramble_ns, task->clear_ns,
                       task->slice_ns, stream };
    memcpy(host, driver_input(3, NULL), bytes);
    /* `result` begins as the input, so that a sum taken too early is a plausible one. */
    memcpy(job.result, driver_input(3, NULL), bytes);
    CHECK(cudaDeviceSynchronize());

    struct progress p;
    memset(&p, 0x5a, sizeof p);
    /* Queued and not waited for: the exercise has to come after it ... */
    CHECK(cudaMemcpyAsync(job.data, host, bytes, cudaMemcpyHostToDevice, stream));
    driver_part("c");
    work_until_done(&job, &p);
    driver_part(NULL);
    /* ... and before this. */
    CHECK(cudaMemcpyAsync(host, job.data, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));

    answer->slices = p.slices;
    answer->sum = p.sum;
    memcpy(driver_output(4, NULL), host, bytes);
    CHECK(cudaDeviceSynchronize());
    memcpy(driver_output(3, NULL), job.result, bytes);
    CHECK(cudaFree(job.data));
    CHECK(cudaFreeHost(job.result));
    CHECK(cudaFreeHost(host));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    task = (const struct task *)driver_input(0, NULL);
    answer = (struct answer *)driver_output(0, NULL);
    part_a();
    part_b();
    part_c();
    part_a_again();
    part_b_again();
    part_c_again();
    return 0;
}
