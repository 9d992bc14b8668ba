/* SPDX-License-Identifier: MIT */
/* Streams themselves: priorities, flags, destroying; host functions in them. */
#include "../rule.h"

static cudaError_t inside = cudaSuccess;

static void calls_cuda(void *data)
{
    void *p;
    inside = cudaMalloc(&p, 4);
    *(cudaError_t *)data = cudaStreamQuery(0);
}

static void store_42(void *data)
{
    *(volatile int *)data = 42;
}

static void works(void *)
{
    host_work(LONG);
}

int main()
{
    int *d = on_device<int>(4), *h = pinned<int>(4);
    warm_up(d);
    int least, greatest, priority;
    unsigned flags;
    cudaStream_t s, t;

    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    rule(greatest <= least, "the greatest priority is the lowest number");
    rule(cudaDeviceGetStreamPriorityRange(NULL, NULL) == cudaSuccess, "the range may be asked for with NULL");
    CHECK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, 100));
    CHECK(cudaStreamGetPriority(s, &priority));
    rule(priority == least, "a priority that is too low becomes the lowest");
    CHECK(cudaStreamCreateWithPriority(&t, cudaStreamDefault, -100));
    CHECK(cudaStreamGetPriority(t, &priority));
    rule(priority == greatest, "a priority that is too high becomes the highest");
    CHECK(cudaStreamGetFlags(s, &flags));
    rule(flags == cudaStreamNonBlocking, "a stream knows its flags");

    put<<<1, 1, 0, s>>>(h, 7, LONG);
    cudaEvent_t done = event();
    CHECK(cudaEventRecord(done, s));
    rule(!is_long(took([&] { CHECK(cudaStreamDestroy(s)); })), "destroying a busy stream does not wait");
    CHECK(cudaEventSynchronize(done));
    rule(h[0] == 7, "the work of a destroyed stream is done");

    CHECK(cudaDeviceSynchronize());
    cudaStream_t a = stream(cudaStreamNonBlocking), b = stream(cudaStreamNonBlocking);
    put<<<1, 1, 0, a>>>(h, 0, LONG);
    CHECK(cudaLaunchHostFunc(a, store_42, h));
    copy_int<<<1, 1, 0, a>>>(h + 1, h);
    rule(cudaStreamQuery(b) == cudaSuccess, "a host function holds up no other stream");
    CHECK(cudaStreamSynchronize(a));
    rule(h[0] == 42 && h[1] == 42, "a host function runs after earlier work of its stream and before later");

    cudaError_t query = cudaSuccess;
    CHECK(cudaLaunchHostFunc(a, calls_cuda, &query));
    CHECK(cudaStreamSynchronize(a));
    rule(inside == cudaErrorNotPermitted && query == cudaErrorNotPermitted,
         "CUDA calls in a host function: cudaErrorNotPermitted");

    CHECK(cudaLaunchHostFunc(a, works, NULL));
    rule(!is_long(took([&] { CHECK(cudaStreamSynchronize(b)); })), "a host function's work does not hold up the host");
    rule(is_long(took([&] { CHECK(cudaStreamSynchronize(a)); })), "its own stream waits for a host function");

    long long functions = took([&] {
        CHECK(cudaLaunchHostFunc(a, works, NULL));
        CHECK(cudaLaunchHostFunc(b, works, NULL));
        CHECK(cudaDeviceSynchronize());
    });
    rule(functions > 3 * LONG / 2, "host functions of different streams run one at a time");

    busy<<<1, 1, 0, a>>>(LONG);
    int polls = 0;
    while (cudaStreamQuery(a) == cudaErrorNotReady)
        polls++;
    rule(polls > 10, "a program can ask until a stream is done");
    put<<<1, 1, 0, a>>>(d, 9, LONG);
    CHECK(cudaMemcpyAsync(h, d, sizeof(int), cudaMemcpyDeviceToHost, a));
    while (cudaStreamQuery(a) == cudaErrorNotReady)
        ;
    rule(h[0] == 9, "after a query that says success the host finds the data");

    busy<<<1, 1, 0, a>>>(LONG);
    long long both = took([&] {
        host_work(LONG);
        CHECK(cudaStreamSynchronize(a));
    });
    rule(both < 3 * LONG / 2, "host and device work at the same time");

    long long kernels = took([&] {
        busy<<<1, 1, 0, a>>>(LONG);
        busy<<<1, 1, 0, b>>>(LONG);
        CHECK(cudaDeviceSynchronize());
    });
    rule(kernels < 3 * LONG / 2, "kernels of two streams run at the same time");
    return rules_end();
}
