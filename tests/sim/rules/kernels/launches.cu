/* SPDX-License-Identifier: MIT */
/* Launches as C++ has them: conversions, templates, macros, copies of arguments. */
#include "../rule.h"

struct point { int x, y; };

template <typename T> __global__ void fill(T *p, T value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = value;
}

template <int N> __global__ void store(int *p)
{
    *p = N;
}

__global__ void coordinates(int *p)
{
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    atomic_free_slot:
    p[block * (int)(blockDim.x * blockDim.y * blockDim.z) + thread] += 1;
    if (false)
        goto atomic_free_slot;
}

__global__ void is_null(int *p, const int *pointer, double number)
{
    *p = pointer == NULL && number == 2.0 ? 1 : -1;
}

__global__ void sum(int *p, point a)
{
    a.x += a.y;                 /* each thread has its own */
    p[threadIdx.x] = a.x;
}

__global__ static void with_default(int *p, int value = 5)
{
    *p = value;
}

namespace inner {
__global__ void nine(int *p)
{
    *p = 9;
}
}

#define RUN(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)

static int *nested(int *p)
{
    inner::nine<<<1, 1>>>(p);
    return p;
}

static int read(const int *device)
{
    int value = 0;
    CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

int main()
{
    int *d = on_device<int>(1024), h[64];
    warm_up(d);

    int value = 3;
    put<<<1, 1>>>(d, value, LONG);
    value = 4;
    rule(read(d) == 3, "arguments are copied at the launch");
    fill<<<2, 32>>>(d, 8, 50);
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    rule(h[0] == 8 && h[49] == 8 && h[50] == 0, "a template's arguments are deduced");
    fill<int><<<1, 1>>>(d, 2.9, 1);
    rule(read(d) == 2, "explicit template arguments convert the others");
    store<17><<<1, 1>>>(d);
    rule(read(d) == 17, "a template takes numbers");
    is_null<<<1, 1>>>(d, 0, 2);
    rule(read(d) == 1, "0 is a null pointer, an int becomes a double");
    sum<<<1, 4>>>(d, point{ 1, 2 });
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    rule(h[0] == 3 && h[3] == 3, "a thread may change its parameters: they are its own");
    with_default<<<1, 1>>>(d);
    rule(read(d) == 5, "default arguments count");
    RUN(inner::nine, d);
    rule(read(d) == 9, "a launch may stand in a macro");
    void (*pointer)(int *) = store<23>;
    pointer<<<1, 1>>>(d);
    rule(read(d) == 23, "a kernel may be launched through a pointer");
    store<1><<<1, 1>>>(nested(d + 1));
    rule(read(d + 1) == 1, "an argument may launch a kernel itself, which then runs first");

    CHECK(cudaMemset(d, 0, 1024 * sizeof(int)));
    coordinates<<<dim3(2, 3, 2), dim3(4, 2, 5)>>>(d);
    int all[480], wrong = 0;
    CHECK(cudaMemcpy(all, d, sizeof all, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 480; i++)
        wrong += all[i] != 1;
    rule(wrong == 0, "every thread of every block runs once, in three dimensions");
    return rules_end();
}
