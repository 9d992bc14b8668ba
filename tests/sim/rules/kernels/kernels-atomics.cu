/* SPDX-License-Identifier: MIT */
/* Atomic functions: each gives the old value, none is lost. [G] "Atomic Functions". */
#include "../rule.h"

__global__ void add(int *i, unsigned *u, unsigned long long *l, float *f, double *d)
{
    atomicAdd(i, 2);
    atomicAdd(u, 3u);
    atomicAdd(l, 5000000000ull);
    atomicAdd(f, 1);
    atomicAdd(d, 0.5);
    atomicSub(i, 1);
}

/* Each thread draws a number of its own. */
__global__ void draw(int *next, int *drawn)
{
    atomicAdd(&drawn[atomicAdd(next, 1)], 1);
}

__global__ void extremes(int *i, unsigned *u, long long *l, unsigned long long *ul)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMin(&i[0], t - 100);
    atomicMax(&i[1], t - 1000);
    atomicMin(&u[0], (unsigned)t + 7);
    atomicMax(&u[1], (unsigned)t);
    atomicMin(l, -10000000000ll - t);
    atomicMax(ul, 10000000000ull + t);
}

__global__ void bits(unsigned *p, unsigned long long *l, int *i)
{
    int t = threadIdx.x;
    atomicOr(&p[0], 1u << t);
    atomicAnd(&p[1], ~(1u << t));
    atomicXor(&p[2], 1u << t % 8);
    atomicOr(l, 1ull << (t + 32));
    atomicOr(i, 1 << t % 4);
}

__global__ void turns(unsigned *p)
{
    atomicInc(&p[0], 9);
    atomicDec(&p[1], 9);
    if (threadIdx.x == 0) {
        p[2] = 40;
        p[3] = 40;
        atomicInc(&p[2], 9);
        atomicDec(&p[3], 9);
    }
}

__global__ void exchange(int *p, float *f, int *seen)
{
    seen[threadIdx.x] = atomicExch(p, (int)threadIdx.x + 1);
    atomicExch(f, 2.5f);
}

/* The guide's own addition of doubles, by compare and swap. */
__device__ double add_by_swap(double *p, double v)
{
    unsigned long long *address = (unsigned long long *)p, old = *address, assumed;
    do {
        assumed = old;
        old = atomicCAS(address, assumed, (unsigned long long)__double_as_longlong(v + __longlong_as_double((long long)assumed)));
    } while (assumed != old);
    return __longlong_as_double((long long)old);
}

__global__ void swap(int *p, double *d)
{
    atomicCAS(p, 7, 8);
    atomicCAS(p, 0, 7);
    add_by_swap(d, 1.25);
}

/* Counts in shared memory first, then in device memory. */
__global__ void histogram(const unsigned char *text, int n, unsigned *bins)
{
    __shared__ unsigned own[26];
    for (int b = threadIdx.x; b < 26; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[text[i] - 'a'], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 26; b += blockDim.x)
        atomicAdd(&bins[b], own[b]);
}

/* The block that comes last sums what all have left. */
__global__ void sum_in_one(const int *in, int n, int *parts, unsigned *done, int *out)
{
    __shared__ int part;
    __shared__ bool last;
    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd_block(&part, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part;
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        volatile int *all = parts;
        int total = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            total += all[b];
        *out = total;
    }
}

template <typename T> static T *fetch(const T *device, int n)
{
    static T h[4096];
    CHECK(cudaMemcpy(h, device, n * sizeof(T), cudaMemcpyDeviceToHost));
    return h;
}

static void numbers()
{
    int *i = on_device<int>(4096);
    unsigned *u = on_device<unsigned>(4);
    unsigned long long *l = on_device<unsigned long long>(2);
    long long *signed_l = on_device<long long>(1);
    float *f = on_device<float>(1);
    double *d = on_device<double>(1);
    add<<<10, 100>>>(i, u, l, f, d);
    rule(*fetch(i, 1) == 1000 && *fetch(u, 1) == 3000, "atomicAdd and atomicSub lose nothing");
    rule(*fetch(l, 1) == 5000000000000ull, "atomicAdd takes unsigned long long");
    rule(*fetch(f, 1) == 1000 && *fetch(d, 1) == 500, "atomicAdd takes float and double");
    CHECK(cudaMemset(i, 0, 4096 * sizeof(int)));
    draw<<<8, 256>>>(i, i + 1);
    int *drawn = fetch(i + 1, 2048), once = 0;
    for (int k = 0; k < 2048; k++)
        once += drawn[k] == 1;
    rule(once == 2048, "each thread gets an old value of its own");
    CHECK(cudaMemset(i, 0, 2 * sizeof(int)));
    CHECK(cudaMemset(i + 1, 0x80, sizeof(int)));
    CHECK(cudaMemset(u, 0xff, sizeof(unsigned)));
    CHECK(cudaMemset(u + 1, 0, sizeof(unsigned)));
    CHECK(cudaMemset(l, 0, sizeof *l));
    extremes<<<4, 256>>>(i, u, signed_l, l);
    rule(fetch(i, 2)[0] == -100 && fetch(i, 2)[1] == 23, "atomicMin and atomicMax know signs");
    rule(fetch(u, 2)[0] == 7 && fetch(u, 2)[1] == 1023, "and their absence");
    rule(*fetch(signed_l, 1) == -10000001023ll && *fetch(l, 1) == 10000001023ull, "and take 64 bits");
}

static void words()
{
    unsigned *u = on_device<unsigned>(4);
    unsigned long long *l = on_device<unsigned long long>(1);
    int *i = on_device<int>(64);
    float *f = on_device<float>(1);
    double *d = on_device<double>(1);
    CHECK(cudaMemset(u + 1, 0xff, sizeof *u));
    bits<<<1, 24>>>(u, l, i);
    unsigned *h = fetch(u, 3);
    rule(h[0] == 0x00ffffff && h[1] == 0xff000000 && h[2] == 0xff, "atomicOr, atomicAnd, atomicXor change their bits");
    rule(*fetch(l, 1) == 0x00ffffff00000000ull && *fetch(i, 1) == 15, "in 64 bits and in signed numbers too");
    CHECK(cudaMemset(u, 0, 4 * sizeof *u));
    turns<<<1, 25>>>(u);
    rule(fetch(u, 2)[0] == 5 && fetch(u, 2)[1] == 5, "atomicInc and atomicDec go round");
    rule(fetch(u, 4)[2] == 0 && fetch(u, 4)[3] == 9, "from beyond their end they begin anew");
    CHECK(cudaMemset(i, 0, 64 * sizeof(int)));
    exchange<<<1, 32>>>(i, f, i + 1);
    int *seen = fetch(i, 33), sum = 0;
    for (int k = 0; k < 33; k++)
        sum += seen[k];
    rule(sum == 33 * 32 / 2 && *fetch(f, 1) == 2.5f, "atomicExch gives each value back once");
    CHECK(cudaMemset(i, 0, sizeof(int)));
    swap<<<4, 64>>>(i, d);
    rule(*fetch(i, 1) == 8, "atomicCAS writes when it finds what was expected");
    rule(*fetch(d, 1) == 320, "an addition made of atomicCAS loses nothing");
}

static void programs()
{
    const int n = 10000, threads = 128, blocks = 20;
    static unsigned char text[n];
    static int in[n];
    int counts[26] = { 0 }, wrong = 0, expected = 0;
    unsigned seed = 1;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        text[i] = 'a' + (seed >> 16) % 26;
        counts[text[i] - 'a']++;
        expected += in[i] = (int)(seed >> 20);
    }
    unsigned char *d = on_device<unsigned char>(n);
    unsigned *bins = on_device<unsigned>(27);
    int *numbers = on_device<int>(n), *parts = on_device<int>(128);
    CHECK(cudaMemcpy(d, text, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(numbers, in, sizeof in, cudaMemcpyHostToDevice));
    histogram<<<blocks, threads>>>(d, n, bins);
    unsigned *h = fetch(bins, 26);
    for (int b = 0; b < 26; b++)
        wrong += (int)h[b] != counts[b];
    rule(wrong == 0, "a histogram in shared and device memory counts right");
    sum_in_one<<<(n + threads - 1) / threads, threads>>>(numbers, n, parts, bins + 26, parts + 100);
    rule(*fetch(parts + 100, 1) == expected, "the block that comes last sees what the others wrote");
}

int main()
{
    numbers();
    words();
    programs();
    return rules_end();
}
