/* SPDX-License-Identifier: MIT */
/* Kernels by address: cudaLaunchKernel. [H] is the comments of cuda_runtime_api.h 13.0. */
#include "../rule.h"

struct pair { double a; char b; };

template <typename T, int N> __global__ void add(T *p, T value, pair more)
{
    p[threadIdx.x + blockIdx.x * blockDim.x] += value + (T)more.a + N + more.b;
}

namespace inner {
__global__ void seven(int *p)
{
    *p = 7;
}
template <int N> __global__ void number(int *p)
{
    *p = N;
}
}

static int read(const int *device)
{
    int value = 0;
    CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

int main()
{
    int *d = on_device<int>(64), value = 5;
    warm_up(d);
    cudaStream_t s = stream(cudaStreamNonBlocking);
    pair more = { 10, 1 };
    long long length = LONG;

    void *args[] = { &d, &value, &more };
#if CUDART_VERSION >= 13000
    auto adds = add<int, 100>;
#else
    auto adds = (const void *)add<int, 100>;        /* there it takes no other kind of pointer */
#endif
    rule(cudaLaunchKernel(adds, dim3(2), dim3(8), args, 0, s) == cudaSuccess && cudaStreamSynchronize(s) == cudaSuccess &&
             read(d + 15) == 116 && read(d + 16) == 0,
         "cudaLaunchKernel takes a kernel and its arguments by address");
    rule(cudaLaunchKernel((void *)add<int, 100>, dim3(1), dim3(1), args) == cudaSuccess && read(d) == 232,
         "it takes a kernel as void *");
    const void *kernel = reinterpret_cast<const void *>(&inner::seven);
    rule(cudaLaunchKernel(kernel, dim3(1), dim3(1), args, 0, 0) == cudaSuccess && read(d) == 7,
         "it takes what a variable holds");

    void (*const table[])(int *) = { inner::number<8>, inner::number<9> };
    rule(cudaLaunchKernel((const void *)table[1], dim3(1), dim3(1), args, 0, 0) == cudaSuccess && read(d) == 9,
         "and what is in a table of kernels");

    void *late[] = { &d, &value, &length };
    CHECK(cudaLaunchKernel((const void *)put, dim3(1), dim3(1), late, 0, s));
    value = 6;
    CHECK(cudaStreamSynchronize(s));
    rule(read(d) == 5, "arguments are copied at the call");
    rule(!is_long(took([&] { CHECK(cudaLaunchKernel((void *)put, 1, 1, late, 0, s)); })) &&
             is_long(took([&] { CHECK(cudaStreamSynchronize(s)); })),
         "it returns before the kernel runs");

    rule(cudaLaunchKernel(kernel, dim3(0), dim3(1), args, 0, 0) == cudaErrorInvalidValue &&
             cudaGetLastError() == cudaErrorInvalidValue,
         "a bad geometry is what it returns, and the last error");
    forget_errors();
    return rules_end();
}
