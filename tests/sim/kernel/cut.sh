#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Kernels that are cut at their barriers (common/simcc/rewrite/cut) do what they do with a stack for each thread: SIM_FIBERS=1. Those
# of which the text does not show it are not cut.
. tests/sim/sim.bash
[ "$(uname -m)" = x86_64 ] || skip_all 'kernels are cut on x86-64 alone'
cd "$dir" || exit 2
simcc=$root/build/bin/simcc

# program NAME OPTION...: kernels, and main's statements behind a line main:, from stdin. RUN(kernel, grid, block, bytes, arguments)
# prints a sum of what `out` holds then.
program() {
    cat > lines
    { cat head; sed '/^main:$/,$d' lines; cat middle; sed '1,/^main:$/d' lines; echo '}'; } > "$1.cu"
    "$simcc" "${@:2}" "$1.cu" -o "$1" 2> said
}
# The kernels of a program that are cut, in order.
cut_of() {
    "$simcc" "${@:2}" -E "$1.cu" | awk '/::__sim::__body/ { split(substr($0, index($0, "::__sim::__body")), a, "\""); name = a[2] }
        /^},::__sim::__cut_at_barriers/ { print name }' | xargs
}
# How many of them are in what g++ has made: without an error all are.
made_of() { nm -C "$1" | grep -c '::__whole('; }
# same NAME: its output is that of fibers, which `out` keeps.
same() {
    SIM_HAZARDS=0 SIM_FIBERS=1 timeout 60 "./$1" > out 2> err
    SIM_HAZARDS=0 timeout 60 "./$1" > cut 2> err.cut
    [ -s out ] && diff out cut && diff err err.cut
}
cat > head << 'END'
#include <stdio.h>
enum { N = 4096 };
END
cat > middle << 'END'
static float *in, *out;
static void sum_up(const char *name)
{
    static unsigned h[N];
    unsigned sum = 0;
    cudaError_t status = cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (unsigned x : h) sum = sum * 31 + x;
    printf("%s %s %08x\n", name, cudaGetErrorName(status), sum);
}
#define RUN(k, grid, block, bytes, ...) (k<<<grid, block, bytes>>>(__VA_ARGS__), sum_up(#k))
int main()
{
    static float h[N];
    for (int i = 0; i < N; i++) h[i] = (i * 7919 % 1013) * 0.37f - 100;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(out, h, sizeof h, cudaMemcpyHostToDevice);
END

program known -std=c++17 << 'END'
enum { TILE = 8, WIDTH = 64 };
#define RADIUS (3)
__global__ void product(const float *a, const float *b, float *c)
{
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int tile = 0; tile < WIDTH / TILE; tile++) {
        of_a[threadIdx.y][threadIdx.x] = a[y * WIDTH + tile * TILE + threadIdx.x];
        of_b[threadIdx.y][threadIdx.x] = b[(tile * TILE + threadIdx.y) * WIDTH + x];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += of_a[threadIdx.y][k] * of_b[k][threadIdx.x];
        __syncthreads();
    }
    c[y * WIDTH + x] = sum;
}
template <typename T, int SIDE = TILE> __global__ void guarded_product(const T *a, const T *b, T *c, int m, int n, int k)
{
    __shared__ T of_a[SIDE][SIDE];
    __shared__ T of_b[SIDE][SIDE];
    const int row = blockIdx.y * SIDE + threadIdx.y, column = blockIdx.x * SIDE + threadIdx.x;
    T sum = T(0);
    for (int t = 0; t < (k + SIDE - 1) / SIDE; ++t) {
        if (row < m && t * SIDE + threadIdx.x < k)
            of_a[threadIdx.y][threadIdx.x] = a[row * k + t * SIDE + threadIdx.x];
        else
            of_a[threadIdx.y][threadIdx.x] = 0;
        of_b[threadIdx.y][threadIdx.x] = t * SIDE + threadIdx.y < k && column < n ? b[(t * SIDE + threadIdx.y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < SIDE; ++i)
            sum += of_a[threadIdx.y][i] * of_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
__global__ void transpose(const float *in, float *out, int w)
{
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    for (int j = 0; j < 16; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    for (int j = 0; j < 16; j += 8)
        out[(y + j) * w + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void reduction(const float *in, float *out, int n)
{
    extern __shared__ float a[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    a[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            a[t] += a[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = a[0];
}
template <class T> __global__ void reduction_of(const T *in, T *out, unsigned n)
{
    __shared__ T a[128];
    const unsigned t = threadIdx.x;
    T mine = 0;
    for (unsigned i = blockIdx.x * 128 + t; i < n; i += 128 * gridDim.x)
        mine += in[i];
    a[t] = mine;
    __syncthreads();
    for (unsigned s = 64; s > 0; s /= 2) {
        if (t < s)
            a[t] = mine = mine + a[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = a[0];
}
__global__ void dot(const float *a, const float *b, float *c)
{
    __shared__ float cache[256];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int own = threadIdx.x;
    float temp = 0;
    while (tid < N) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[own] = temp;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (own < i)
            cache[own] += cache[own + i];
        __syncthreads();
        i /= 2;
    }
    if (own == 0)
        c[blockIdx.x] = cache[0];
}
__global__ void stencil(const float *in, float *out)
{
    __shared__ float temp[128 + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x + RADIUS, l = threadIdx.x + RADIUS;
    temp[l] = in[g];
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = in[g - RADIUS];
        temp[l + 128] = in[g + 128];
    }
    __syncthreads();
    float result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        result += temp[l + offset];
    out[g] = result;
}
__global__ void scan(float *out, const float *in, int n)
{
    extern __shared__ float temp[];
    int thid = threadIdx.x;
    int pout = 0, pin = 1;
    temp[pout * n + thid] = (thid > 0) ? in[thid - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (thid >= offset)
            temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
        else
            temp[pout * n + thid] = temp[pin * n + thid];
        __syncthreads();
    }
    out[thid] = temp[pout * n + thid];
}
__global__ void histogram(const float *in, float *out)
{
    __shared__ unsigned h[64];
    if (threadIdx.x < 64) h[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        atomicAdd(&h[(unsigned)(in[i] + 200) % 64], 1);
    __syncthreads();
    if (threadIdx.x < 64) out[threadIdx.x] = h[threadIdx.x];
}
/* Threads that return take no part in barriers; arrays are kept, too. */
__global__ void returns(const float *in, float *out, int n)
{
    __shared__ float s[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = in[i];
    float acc[3] = { 1, 2, 3 };
    __syncthreads();
    for (int r = 0; r < 3; r++) {
        acc[r] += s[(threadIdx.x * 7 + r) % 100];
        __syncthreads();
        if (acc[r] < -90) { for (;;) { return; } }
        s[threadIdx.x] += acc[2 - r];
        __syncthreads();
    }
    out[i] = acc[0] + acc[1] * acc[2] + s[threadIdx.x];
}
__global__ void returns_from_loop(float *out, int n) { int i = threadIdx.x; while (n > 0) { __syncthreads(); out[threadIdx.x] += i; if (i++ > 50) return; } }
__device__ float square(float x) { return x * x; }
template <typename T> __device__ T twice(T x) { return square(x) + square(x); }
typedef unsigned short small;
namespace here {
static __global__ __launch_bounds__(64) void types(const float *__restrict__ in, float *__restrict__ out, const bool odd)
{
    __shared__ double s[64];
    small a = (small)(in[threadIdx.x] + 100);
    unsigned long long b = threadIdx.x * 5ull + a;
    float4 f = make_float4(1, 2, 3, 4);
    const bool more = in[threadIdx.x] > 3;
    const char *text = 0;
    const float *row = in + threadIdx.x, v = twice(row[1]);
    s[threadIdx.x] = a + b;
    __syncthreads();
    f.x += s[63 - threadIdx.x];
    if (odd) {
        __syncthreads();
        s[threadIdx.x] += row[2];
    }
    __syncthreads();
    out[threadIdx.x] = f.x * f.y + a + b + more + (text != 0) + s[63 - threadIdx.x] + v;
}
}
using here::types;
__global__ void volumes(const float *in, float *out) { __shared__ float s[4][3][2]; s[threadIdx.x][threadIdx.y][threadIdx.z] = in[threadIdx.x + 7 * threadIdx.y + 31 * threadIdx.z]; __syncthreads(); out[threadIdx.x + 4 * (threadIdx.y + 3 * threadIdx.z)] = s[3 - threadIdx.x][2 - threadIdx.y][1 - threadIdx.z]; }
/* A loop's own break and continue, switch, names that come again. */
__global__ void inner(const float *in, float *out)
{
    __shared__ float s[64];
    for (int i = threadIdx.x; i < 64; i += blockDim.x) { if (i == 70) break; s[i] = in[i]; }
    float a = 0;
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        int v = i * 2, w = threadIdx.x + v;
        for (int k = 0; k < 9; k++) { if (k == i) continue; a += s[k * i] + w; if (a > 500) break; }
        __syncthreads();
        switch (i) { case 0: a += 1; break; default: a += v; }
    }
    out[threadIdx.x] = a;
    __syncthreads();
    for (int i = 8; i; i /= 2) { __syncthreads(); { int v = s[i]; __syncthreads(); s[threadIdx.x] += v; __syncthreads(); } }
    out[threadIdx.x] += s[threadIdx.x];
}
main:
    RUN(product, dim3(8, 8), dim3(8, 8), 0, in, in, out);
    RUN(guarded_product<float>, dim3(8, 8), dim3(8, 8), 0, in, in, out, 61, 59, 63);
    RUN((guarded_product<int, 4>), dim3(8, 8), dim3(4, 4), 0, (int *)in, (int *)in, (int *)out, 30, 29, 27);
    RUN(transpose, dim3(4, 4), dim3(16, 8), 0, in, out, 64);
    RUN(reduction, 16, 256, 1024, in, out, N - 5);
    RUN(reduction_of<float>, 8, 128, 0, in, out, N - 5);
    RUN(dot, 8, 256, 0, in, in, out);
    RUN(stencil, 8, 128, 0, in, out);
    RUN(scan, 1, 256, 2048, out, in, 256);
    RUN(histogram, 1, 128, 0, in, out);
    RUN(returns, 10, 128, 0, in, out, 1200);
    RUN(returns_from_loop, 1, 32, 0, out, 7);
    RUN(types, 1, 64, 0, in, out, true);
    RUN(types, 1, 64, 0, in, out, false);
    RUN(volumes, 2, dim3(4, 3, 2), 0, in, out);
    RUN(inner, 1, 64, 0, in, out);
END
wanted='product guarded_product transpose reduction reduction_of dot stencil scan histogram returns returns_from_loop types volumes inner'
ok 'what programs do with barriers is cut' is "$(cut_of known)" "$wanted"
ok '… and g++ takes all of it' [ "$(made_of known)" = 15 ]
ok 'their results are those of fibers' same known
ok '… with two cores, too' eval 'SIM_HAZARDS=0 SIM_CORES=2 ./known > cut && cmp out cut'
ok '… and with the search for hazards, for which they are not cut' eval './known > cut 2> err && cmp out cut && [ ! -s err ]'
ok 'threads that are a call each are not cut' is "$(cut_of known -Og)" ''
ok 'what is looked at is not' is "$(cut_of known --hazards instrumented)" ''
"$simcc" -march=native --hazards calls known.cu -o other
ok 'nothing is where g++ may join operations' [ "$(made_of other)" = 0 ]
for option in '-O1 -std=c++11' '-O3 -std=c++20 -Wall -Wextra -Wshadow'; do
    # shellcheck disable=SC2086
    "$simcc" $option --hazards calls known.cu -o other 2> said
    ok "$option: so it is" eval '[ "$(made_of other)" = 15 ] && ! grep -q __sim said && SIM_HAZARDS=0 ./other > cut && cmp out cut'
done

# Each kernel has one thing that keeps it from being cut.
program unknown --hazards calls << 'END'
#define K(name) __global__ void name(const float *in, float *out, int n)
__device__ void meet() { __syncthreads(); }
__device__ float keep(const float &x) { return x; }
__device__ float later(float);
struct acc { float v; __device__ void add(float x) { v += x; } };
struct meets { __device__ meets() { __syncthreads(); } };
K(calls_meeting) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; meet(); out[threadIdx.x] = s[63 - threadIdx.x]; __syncthreads(); }
K(calls_later) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = later(s[63 - threadIdx.x]); }
__device__ float later(float x) { __syncthreads(); return x; }
K(constructs) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; meets m; out[threadIdx.x] = s[63 - threadIdx.x]; __syncthreads(); }
template <class T> __global__ void constructs_any(const float *in, float *out, int n) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; T m; out[threadIdx.x] = s[63 - threadIdx.x]; __syncthreads(); }
K(thread_loop) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; for (int i = threadIdx.x; i >= 0 && i < 1000; i += 1000) { __syncthreads(); } out[threadIdx.x] = s[63 - threadIdx.x]; }
K(thread_if) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; if (threadIdx.x < 64) { __syncthreads(); } out[threadIdx.x] = s[63 - threadIdx.x]; }
K(memory_loop) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; for (int i = 0; i < (int)in[0] + 200; i += 50) { __syncthreads(); } out[threadIdx.x] = s[63 - threadIdx.x]; }
K(breaks) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; for (int i = 0; i < n; i++) { __syncthreads(); if (i == 3) break; } out[threadIdx.x] = s[63 - threadIdx.x]; }
K(does) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; int i = 0; do { __syncthreads(); } while (++i < n); out[threadIdx.x] = s[63 - threadIdx.x]; }
K(goes) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); if (n > 100) goto end; s[threadIdx.x] += 1; end: out[threadIdx.x] = s[threadIdx.x]; }
K(address) { __shared__ float s[64]; float v = in[threadIdx.x]; float *p = &v; s[threadIdx.x] = v; __syncthreads(); *p += s[63 - threadIdx.x]; out[threadIdx.x] = v; }
K(reference) { __shared__ float s[64]; float v = in[threadIdx.x]; float &p = v; s[threadIdx.x] = v; __syncthreads(); p += s[63 - threadIdx.x]; out[threadIdx.x] = v; }
K(by_reference) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; float v = keep(s[threadIdx.x]); __syncthreads(); out[threadIdx.x] = s[63 - threadIdx.x] + v; }
K(decays) { __shared__ float s[64]; float v[2] = { in[threadIdx.x], 1 }; float *p = v; s[threadIdx.x] = v[1]; __syncthreads(); *p += s[63 - threadIdx.x]; out[threadIdx.x] = v[0]; }
K(lambda) { __shared__ float s[64]; auto f = [&](int i) { return s[i] * n; }; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = f(63 - threadIdx.x); }
K(method) { __shared__ float s[64]; acc a = { 1 }; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); a.add(s[63 - threadIdx.x]); out[threadIdx.x] = a.v; }
K(parameter) { __shared__ float s[64]; out += threadIdx.x; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); *out = s[63 - threadIdx.x]; }
K(shuffles) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = s[63 - threadIdx.x] + __shfl_xor_sync(~0u, in[threadIdx.x], 1); }
K(warp) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); __syncwarp(); out[threadIdx.x] = s[63 - threadIdx.x]; }
K(prints) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); if (threadIdx.x > 61) printf("%d\n", threadIdx.x); out[threadIdx.x] = s[63 - threadIdx.x]; }
K(votes) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; int c = __syncthreads_count(threadIdx.x & 1); __syncthreads(); out[threadIdx.x] = s[63 - threadIdx.x] + c; }
K(in_step) { __shared__ volatile float s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = s[63 - threadIdx.x]; }
__device__ void fold(volatile float *s, int t) { s[t] += s[t + 32]; }
K(folds_in_step) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); if (threadIdx.x < 32) fold(s, threadIdx.x); out[threadIdx.x] = s[0]; }
K(adds_nothing) { __shared__ int s; if (threadIdx.x == 0) s = 0; __syncthreads(); atomicAdd(&s, n - 64); __syncthreads(); out[threadIdx.x] = s; }
K(swaps) { __shared__ int s; if (threadIdx.x == 0) s = 0; __syncthreads(); atomicCAS(&s, 0, 5); __syncthreads(); out[threadIdx.x] = s; }
K(assembly) { __shared__ float s[64]; int l; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); asm("mov.u32 %0, %%laneid;" : "=r"(l)); out[threadIdx.x] = s[63 - threadIdx.x] + l; }
K(clocks) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); long long c = clock64(); __syncthreads(); out[threadIdx.x] = s[63 - threadIdx.x] + (c == clock64()); }
K(shadows) { __shared__ float s[64]; float v = 1; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); { float v = s[5]; __syncthreads(); out[threadIdx.x] = v; } out[threadIdx.x] += v; }
K(races_into_loop) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; for (int i = 0; i < 3; i++) { out[threadIdx.x] += s[(threadIdx.x + i + 1) % 64]; __syncthreads(); } }
K(races_out_of_loop) { __shared__ float s[64]; for (int i = 0; i < 3; i++) { __syncthreads(); s[threadIdx.x] = in[threadIdx.x + i]; } out[threadIdx.x] = s[(threadIdx.x + 1) % 64]; }
K(races_around_loop) { __shared__ float s[64]; s[threadIdx.x] = 0; __syncthreads(); for (int i = 0; i < 3; i++) { s[threadIdx.x] += i; __syncthreads(); out[threadIdx.x] = (s[(threadIdx.x + 1) % 64] += 2); } }
K(races_in_memory) { extern __shared__ float s[]; extern __shared__ float t[]; s[threadIdx.x] = in[threadIdx.x]; if (n < 60) { __syncthreads(); } out[threadIdx.x] = t[(threadIdx.x + 1) % 64]; }
K(races_by_pointer) { int *o = (int *)out; __shared__ int s[64]; __syncthreads(); s[threadIdx.x] = o[threadIdx.x]; __syncthreads(); o[threadIdx.x] = threadIdx.x; if (n < 60) { __syncthreads(); } o[threadIdx.x] = o[(threadIdx.x + 1) % 64] + s[0]; }
__global__ void races_by_place(const int *in, int *out, int n) { int *o = out + 64; __shared__ int s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); o[threadIdx.x] = threadIdx.x; if (n < 60) { __syncthreads(); } o[threadIdx.x] = o[(threadIdx.x + 1) % 64] + s[0]; }
K(races_past_if) { __shared__ float s[64]; s[threadIdx.x] = 0; if (n < 60) { __syncthreads(); } out[threadIdx.x] = s[(threadIdx.x + 1) % 64]; }
main:
    #define R(k) (cudaMemset(out, 0, N * 4), k<<<1, 64, 256>>>(in, out, 64), sum_up(#k))
    R(calls_meeting); R(calls_later); R(constructs); R(constructs_any<meets>); R(thread_loop); R(thread_if); R(memory_loop); R(breaks); R(does); R(goes); R(address);
    R(reference); R(by_reference); R(decays); R(lambda); R(method); R(parameter); R(shuffles); R(warp); R(prints); R(votes); R(in_step); R(folds_in_step); R(adds_nothing); R(swaps);
    R(assembly); R(clocks); R(shadows); R(races_into_loop); R(races_out_of_loop); R(races_around_loop); R(races_past_if); R(races_in_memory); R(races_by_pointer);
    races_by_place<<<1, 64>>>((int *)in, (int *)out, 64); sum_up("races_by_place");
END
ok 'what is not seen to be the same is not cut; what any type may do is for g++ to find' is "$(cut_of unknown)" constructs_any
ok '… which then has none of it' [ "$(made_of unknown)" = 0 ]
ok 'they run as they did' eval 'same unknown && [ "$(grep -c cudaSuccess out)" = 35 ]'

# A mistake of the reader's costs time alone: g++ finds a constant that is set.
program hidden --hazards calls << 'END'
typedef int &place;
__device__ void put(place i, int n) { i = n; }
__global__ void hidden(const float *in, float *out, int n) { __shared__ float s[64]; int i = 5; put(i, n); s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = s[63 - threadIdx.x] + i; }
main:
    RUN(hidden, 1, 64, 0, in, out, 64);
END
ok 'where g++ has an error in what is cut it is asked again without' eval '[ ! -s said ] && [ "$(made_of hidden)" = 0 ] && is "$(cut_of hidden)" hidden && same hidden'

program wrong << 'END'
__global__ void wrong(const float *in, float *out) { __shared__ float s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = s[63 - threadIdx.x] + missing; }
main:
    RUN(wrong, 1, 64, 0, in, out);
END
ok "an error is the program's, and is told once" eval 'is "$(grep -c "error:" said)" 1 && grep -q "^wrong.cu:3: error: .missing. was not declared" said'
program warned -Wall -Wextra -Wshadow << 'END'
__global__ void warned(const float *in, float *out, int n)
{
    __shared__ float s[64];
    int never = 3;
    for (int i = 0; i < 2; i++) {
        s[threadIdx.x] = in[threadIdx.x];
        if (threadIdx.x > n) s[threadIdx.x] = 1;
        __syncthreads();
    }
    out[threadIdx.x] = s[63 - threadIdx.x];
}
main:
    RUN(warned, 1, 64, 0, in, out, 64);
END
ok 'so is a warning' eval 'is "$(grep -c "warning:" said)" 2 && is "$(cut_of warned)" warned && [ "$(made_of warned)" = 1 ]'

# Where it goes wrong is told with the same lines.
program strays --hazards calls << 'END'
__global__ void strays(int *a, int *b, int n, int zero)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int i = 0; i < n; i++) {
        s[t] += s[63 - t];
        __syncthreads();
        if (i == 2 && t == 9)
            b[t] = s[t] /
                zero;
        __syncthreads();
    }
    a[t] = s[t];
}
main:
    int on_stack[64], *null = 0;
    for (int *b : { (int *)out, null, (int *)out + 100000000, on_stack }) {
        strays<<<3, 64>>>((int *)in, b, 5, 0);
        cudaError_t status = cudaDeviceSynchronize();
        printf("%s\n", cudaGetErrorName(status));
        if (status) { cudaDeviceReset(); cudaMalloc(&in, N * 4); cudaMalloc(&out, N * 4); cudaMemset(in, 0, N * 4); }
    }
END
ok 'addresses that are none, and divisions by zero, are told as with fibers' eval \
    'is "$(cut_of strays)" strays && [ "$(made_of strays)" = 1 ] && same strays && grep -q "strays.cu:13: kernel strays .*divides an integer by zero" err'

if command -v python3 > /dev/null; then
    export PYTHONDONTWRITEBYTECODE=1
    cuts=0 seeds=0
    kernels=$([ "${LONG-}" ] && echo 16 || echo 10)
    for seed in 1 ${LONG:+$(seq 2 60)}; do
        python3 "$root/tests/sim/kernel/cut.py" "$seed" $kernels > random.cu
        "$simcc" --hazards calls random.cu -o random || exit 2
        made=$(made_of random)
        cuts=$((cuts + made)) seeds=$((seeds + 1))
        [ "$made" = "$(cut_of random | wc -w)" ] && same random || echo "seed $seed"
    done > differ
    check 'random kernels have the results of fibers' "$(cat differ)"
    ok '… and most of them are cut' [ "$cuts" -gt $((kernels * seeds / 2)) ]
else
    skip 'random kernels have the results of fibers' 'no python3 here'
fi
done_testing
