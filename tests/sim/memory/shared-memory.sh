#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Shared memory, parameters of kernels, and variables of the device.
. tests/sim/sim.bash

cat > "$dir/x.cu" << 'EOF'
__global__ void some(const int *in, int *out)
{
    __shared__ int part[64];
    extern __shared__ int more[];
    part[threadIdx.x] = in[threadIdx.x];
    more[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x + blockDim.x] + more[threadIdx.x];
}
__global__ void none(const int *in, int *out)
{
    __shared__ int part[32], count;
    __shared__ struct { char kind; int value; } pair[32];
    if (threadIdx.x == 0)
        count = 0;
    part[threadIdx.x] = in[threadIdx.x];
    pair[threadIdx.x].kind = 1;
    pair[threadIdx.x].value = 2;
    __syncthreads();
    atomicAdd(&count, part[31 - threadIdx.x]);
    auto mine = pair[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = count + mine.value;
}
__global__ void added(int *out)
{
    __shared__ int count;
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
int main(int arguments, char **)
{
    int *in, *out;
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 128);
    cudaMemset(in, 0, 128);
    none<<<2, 32>>>(in, out);
    if (arguments > 1)
        some<<<2, 32, 128>>>(in, out), added<<<2, 32>>>(out);
    cudaDeviceSynchronize();
}
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'shared memory that is written before it is read is nothing to tell of' eval 'ends 0 && [ ! -s "$dir/err" ]'
play x more
ok 'shared memory that nobody has written is told of, once for each place' \
    eval 'complains "x.cu:8: kernel some in the default stream (queued in line 40) reads shared memory that no thread of its block has written" &&
    complains "x.cu:28: kernel added " && [ "$(wc -l < "$dir/err")" = 2 ]'
cat > "$dir/past.cu" << 'EOF'
#include <cstdio>
struct point { float x, y; __device__ point() {} };
template <typename T> __global__ void within(T *out)
{
    __shared__ T part[32], more[3], one;
    __shared__ point points[32];
    int i = threadIdx.x;
    part[i] = i, points[i].x = i;
    if (i < 3)
        more[i] = i;
    if (i == 0)
        one = 1;
    __syncthreads();
    out[i] = part[31 - i] + points[i].x + more[i % 3] + one;
}
__global__ void launched(int *out, int at)
{
    extern __shared__ int part[];
    part[threadIdx.x + at] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = part[31 - threadIdx.x];
}
int main(int arguments, char **)
{
    int *out;
    cudaMalloc(&out, 128);
    within<<<2, 32>>>(out);
    within<<<2, 32>>>((float *)out);
    launched<<<2, 32, 128>>>(out, 0);
    if (arguments > 1)
        launched<<<2, 32>>>(out, 0);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF
run build/bin/simcc "$dir/past.cu" -o "$dir/past"
play past
ok 'nothing is told of kernels that stay within their shared memory' \
    eval 'ends 0 && [ ! -s "$dir/err" ] && [ "$(cat "$dir/out")" = cudaSuccess ]'
play past more
ok 'what lies past the end of dynamic shared memory is told of' \
    eval 'complains "past.cu:19: kernel launched in the default stream (queued in line 31) writes bytes 0 to 3 of dynamic shared memory, and its launch gives each block 0: out of bounds" &&
    [ "$(cat "$dir/out")" = cudaSuccess ]'
cat > "$dir/constant.cu" << 'EOF'
#include <cstdio>
__constant__ int fixed[4];
__device__ int free_to_write[4];
__global__ void k(int *out, int at)
{
    free_to_write[at] = fixed[at];
    if (at > 0)
        *(int *)&fixed[at] = 1;
    *out = fixed[at] + free_to_write[at];
}
int main(int arguments, char **)
{
    int *out, h[4] = { 1, 2, 3, 4 };
    cudaMalloc(&out, 4);
    cudaMemcpyToSymbol(fixed, h, sizeof h);
    k<<<1, 1>>>(out, arguments - 1);
    cudaDeviceSynchronize();
}
EOF
run build/bin/simcc "$dir/constant.cu" -o "$dir/constant"
play constant
ok 'a kernel reads __constant__ variables, and writes __device__ ones' eval 'ends 0 && [ ! -s "$dir/err" ]'
play constant more
ok 'a kernel that writes a __constant__ variable is told of' \
    complains 'constant.cu:8: kernel k in the default stream (queued in line 16) writes the __constant__ variable fixed, which no kernel can write'
prints_as 'variables of types that have no name, or get it there' '45' << 'EOF'
__constant__ struct { int a, b; } c;
__device__ struct tag { int v[2]; } d = { { 5, 6 } }, e;
__global__ void k(int *out)
{
    __shared__ struct { char kind; int value; } pair[2], other;
    __shared__ union both { int i; float f; } u;
    __shared__ struct tag t;
    pair[1].value = c.b;
    u.f = 1.f;
    t.v[1] = d.v[1];
    other.value = sizeof other;
    *out = pair[1].value + (u.i == 0x3f800000) + t.v[1] + other.value + e.v[0];
}
int main()
{
    int *out, h[2] = { 10, 20 }, sum;
    cudaMalloc(&out, 4);
    cudaMemcpyToSymbol(c, h, sizeof h);
    cudaMemcpyToSymbol(e, h, sizeof h);
    k<<<1, 1>>>(out);
    cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", sum);
    cudaFree(out);
}
EOF

# The object that a kernel takes by reference may be managed: it is that one which the kernel changes.
prints_as "a kernel's parameter may be a reference" '2 3 7 7' << 'EOF'
struct pair { int a; float b; };
__global__ void twice(pair &p) { p.a++; p.b *= 2; }
template <typename T> __global__ void sum(T &x, const int &n, T (&four)[4]) { x += n; four[1] = x; }
int main() {
    pair *p;
    int *m;
    cudaMallocManaged(&p, sizeof *p);
    cudaMallocManaged(&m, 32);
    p->a = 1, p->b = 1.5f, m[0] = 5, m[1] = 2;
    twice<<<1, 1>>>(*p);
    sum<<<1, 1>>>(m[0], m[1], *(int (*)[4])(m + 4));
    cudaDeviceSynchronize();
    printf("%d %g %d %d\n", p->a, p->b, m[0], m[5]);
}
EOF
prints_as 'dynamic shared memory has an address as an array has' '4 3' << 'EOF'
__global__ void k(int *out) {
    extern __shared__ int words[];
    int *at = (int *)&words;
    at[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x] + ((char *)&words[0] == (char *)&words);
}
template <typename T> __global__ void of_type(T *out) {
    extern __shared__ char bytes[];
    T *at = reinterpret_cast<T *>(&bytes);
    at[0] = 3;
    *out = at[0];
}
int main() {
    int *out, h[4], three;
    cudaMalloc(&out, sizeof h);
    k<<<1, 4, 16>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    of_type<<<1, 1, 16>>>(out);
    cudaMemcpy(&three, out, sizeof three, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[3], three);
}
EOF
prints_as 'a kernel is chosen in brackets, after those of a loop or an if' '3 5' << 'EOF'
__global__ void one(int *p) { *p += 1; }
__global__ void two(int *p) { *p += 2; }
int main() {
    int *p, h[2];
    cudaMallocManaged(&p, 4);
    *p = 0;
    for (int i = 0; i < 2; i++) (i ? one : two)<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    h[0] = *p;
    if (h[0] == 3) (h[0] > 4 ? one : two)<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    printf("%d %d\n", h[0], *p);
}
EOF

prints_as 'static members of classes are variables of the device, private ones too' '11 9' << 'EOF'
class counts {
    static __device__ int calls;
    static __constant__ float factors[2];
    friend __global__ void k();
public:
    static int get() { int h; cudaMemcpyFromSymbol(&h, calls, sizeof h); return h; }
    static void set(const float *f) { cudaMemcpyToSymbol(factors, f, sizeof factors); }
};
__device__ int counts::calls = 4;
__constant__ float counts::factors[2];
namespace other {
struct counts { static __device__ int calls; };
__device__ int counts::calls = 2;
}
__global__ void k() { counts::calls += (int)counts::factors[1] + other::counts::calls; other::counts::calls = 9; }
int main()
{
    const float f[] = { 1, 5 };
    int n;
    counts::set(f);
    k<<<1, 1>>>();
    cudaMemcpyFromSymbol(&n, other::counts::calls, sizeof n);
    printf("%d %d\n", counts::get(), n);
}
EOF

prints_as 'words that say how a variable is stored may stand behind __shared__ and __device__' '13 7' << 'EOF'
extern __device__ int total;
__device__ extern int total;
__device__ int total = 4;
__global__ void k(int *p)
{
    __shared__ extern int more[];
    __shared__ static int one;
    more[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        one = 6;
    __syncthreads();
    p[threadIdx.x] = more[3 - threadIdx.x] + one + total;
}
int main()
{
    int *p;
    cudaMallocManaged(&p, 16);
    k<<<1, 4, 16>>>(p);
    cudaDeviceSynchronize();
    printf("%d %d\n", p[0], p[3] - 3);
}
EOF

# Each block of `together` has to find its own `who` again; `later` must not find what `first` left.
cat > "$dir/outer.cu" << 'EOF'
#include <cooperative_groups.h>
#include <stdio.h>
namespace rooms {
static __shared__ int who, pair[2];
}
__shared__ alignas(16) struct { int left[32]; } room;
__global__ void together(int *out)
{
    if (threadIdx.x == 0)
        rooms::who = blockIdx.x + 10, rooms::pair[1] = 1;
    cooperative_groups::this_grid().sync();
    out[blockIdx.x] = rooms::who + rooms::pair[1];
}
__global__ void first(int *out)
{
    room.left[threadIdx.x] = 7;
    out[threadIdx.x] = room.left[threadIdx.x];
}
__global__ void later(int *out) { out[threadIdx.x] = room.left[threadIdx.x]; }
int main(int arguments, char **)
{
    int *out, seen[4];
    cudaMalloc(&out, 128);
    void *given[] = { &out };
    cudaLaunchCooperativeKernel((void *)together, 4, 32, given, 0, 0);
    cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", seen[0], seen[1], seen[2], seen[3]);
    first<<<1, 32>>>(out);
    if (arguments > 1)
        later<<<1, 32>>>(out);
    cudaDeviceSynchronize();
}
EOF
run build/bin/simcc -Wall -Wextra "$dir/outer.cu" -o "$dir/outer"
ok 'shared memory outside of all functions compiles without a word' eval 'ends 0 && [ ! -s "$dir/err" ]'
play outer
ok 'and each block has its own, also while blocks wait for each other' eval '[ ! -s "$dir/err" ] && prints "11 12 13 14"'
SIM_CORES=2 play outer
ok 'on two cores, too' eval '[ ! -s "$dir/err" ] && prints "11 12 13 14"'
play outer more
ok 'what an earlier kernel left in it is not there for the next one' \
    eval 'complains "outer.cu:19: kernel later in the default stream (queued in line 30) reads shared memory that no thread of its block has written" && [ "$(wc -l < "$dir/err")" = 1 ]'

done_testing
