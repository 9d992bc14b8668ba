#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Threads that wait for what others store: lanes of a warp that rely on going in step, warps, blocks. With the search for hazards and without.
. tests/sim/sim.bash

cat > "$dir/steps.cu" << 'EOF'
#include <stdio.h>
/* ---- lanes of a warp, as before Volta ---- */
__device__ void reduce_warp(volatile int *s, int t) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1]; }
__global__ void reduce(int *o)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) reduce_warp(s, t);
    if (t == 0) o[0] = s[0] == 127 * 64;
}
__global__ void scan(int *o)
{
    volatile __shared__ int s[64];
    volatile int *p = s + 32;
    int t = threadIdx.x;
    s[t] = 0;
    p[t] = t + 1;
    for (int d = 1; d < 32; d *= 2)
        p[t] += p[t - d];
    o[t] = p[t] == (t + 1) * (t + 2) / 2;
}
__global__ void rotate(int *o)
{
    volatile __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    for (int i = 0; i < 5; i++)
        s[t] = s[(t + 1) & 31];
    o[t] = s[t] == ((t + 5) & 31);
}
__global__ void sort_bitonic(int *o)
{
    volatile __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = 31 - t;
    for (int k = 2; k <= 32; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int x = t ^ j;
            if (x > t) {
                if ((t & k) == 0 ? s[t] > s[x] : s[t] < s[x]) {
                    int other = s[t];
                    s[t] = s[x];
                    s[x] = other;
                }
            }
        }
    o[t] = s[t] == t;
}
__global__ void sort_odd_even(int *o)
{
    volatile __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = 31 - t;
    for (int i = 0; i < 32; i++) {
        int p = i & 1 ? (t & 1 ? t + 1 : t - 1) : t ^ 1;
        if (p < 0 || p > 31)
            continue;
        int a = s[t], b = s[p];
        s[t] = t < p ? min(a, b) : max(a, b);
    }
    o[t] = s[t] == t;
}
/* ---- locks ---- */
__device__ int locked, total;
__device__ volatile int sum;
__global__ void each_lane(int *o)
{
    for (bool done = false; !done;)
        if (atomicCAS(&locked, 0, 1) == 0) {
            sum = sum + 1;
            __threadfence();
            atomicExch(&locked, 0);
            done = true;
        }
    __syncthreads();
    o[threadIdx.x] = 1;
}
struct mutex {
    volatile int held;
    __device__ void lock() { while (atomicCAS((int *)&held, 0, 1) != 0) ; }
    __device__ void unlock() { __threadfence(); held = 0; }
};
__device__ mutex m;
__global__ void one_lane(int *o)
{
    for (int lane = 0; lane < 32; lane++)
        if (threadIdx.x % 32 == lane) {
            m.lock();
            total++;
            m.unlock();
        }
    o[threadIdx.x] = 1;
}
/* ---- warps ---- */
__global__ void by_warps(int *o)
{
    volatile __shared__ int ready, value;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (!ready) ;
        o[threadIdx.x] = value == 9;
    } else if (threadIdx.x == 32) {
        value = 9;
        __threadfence_block();
        ready = 1;
    }
}
/* ---- blocks ---- */
__device__ unsigned arrived;
__global__ void barrier(int *o)
{
    bool fine = true;
    for (int round = 1; round <= 4; round++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(&arrived, 1);
            while (atomicAdd(&arrived, 0) < round * gridDim.x) ;
            fine &= arrived >= round * gridDim.x;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) o[blockIdx.x] = fine;
}
__global__ void ping_pong(int *o, volatile int *p)
{
    for (int i = 0; i < 50; i++) {
        while (*p != 2 * i + (int)blockIdx.x) ;
        *p = 2 * i + 1 + blockIdx.x;
    }
    o[blockIdx.x] = 1;
}
__global__ void counts_its_looks(int *o, volatile int *p)
{
    int looks = 0;
    if (blockIdx.x == 0)
        while (!*p) looks++;
    else
        *p = 1;
    o[blockIdx.x] = blockIdx.x == 1 || looks > 0;
}
__global__ void sleeps(int *o, volatile int *p)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        while (!*p) __nanosleep(100);
    __syncthreads();
    if (blockIdx.x == 1) *p = 1;
    o[blockIdx.x] = 1;
}
__global__ void with_shared(int *o, volatile int *p)
{
    __shared__ int own;
    if (threadIdx.x == 0) own = blockIdx.x;
    __syncthreads();
    if (blockIdx.x + 1 < gridDim.x) while (p[blockIdx.x + 1] == 0) ;
    p[blockIdx.x] = 1;
    o[blockIdx.x] = own == blockIdx.x;
}
static int *o, *p, n;
template <typename K, typename... A> void show(const char *name, int grid, int block, int results, K kernel, A... more)
{
    int right = 0;
    cudaMemset(o, 0, 512 * sizeof *o);
    cudaMemset(p, 0, 64 * sizeof *p);
    kernel<<<grid, block, 1024>>>(o, more...);
    const char *error = cudaGetErrorName(cudaDeviceSynchronize());
    for (int i = 0; i < results; i++)
        right += o[i] == 1;
    printf("%d %s %s\n", ++n, name, right == results ? error : "wrong");
}
int main()
{
    int value;
    cudaMallocManaged(&o, 512 * sizeof *o);
    cudaMalloc(&p, 64 * sizeof *p);
    show("reduce", 1, 128, 1, reduce);
    show("scan", 1, 32, 32, scan);
    show("rotate", 1, 32, 32, rotate);
    show("bitonic", 1, 32, 32, sort_bitonic);
    show("odd-even", 1, 32, 32, sort_odd_even);
    show("each lane", 4, 64, 64, each_lane);
    cudaMemcpyFromSymbol(&value, sum, sizeof value);
    printf("%d\n", value);
    show("one lane", 4, 64, 64, one_lane);
    cudaMemcpyFromSymbol(&value, total, sizeof value);
    printf("%d\n", value);
    show("warps", 1, 64, 32, by_warps);
    show("barrier", 32, 64, 32, barrier);
    show("ping-pong", 2, 1, 2, ping_pong, p);
    show("counts", 2, 1, 2, counts_its_looks, p);
    show("sleeps", 2, 64, 2, sleeps, p);
    show("shared", 16, 32, 16, with_shared, p);
    cudaMemset(p, 0, 64 * sizeof *p);
    ping_pong<<<1, 1>>>(o, p);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF
wanted='1 reduce cudaSuccess
2 scan cudaSuccess
3 rotate cudaSuccess
4 bitonic cudaSuccess
5 odd-even cudaSuccess
6 each lane cudaSuccess
256
7 one lane cudaSuccess
256
8 warps cudaSuccess
9 barrier cudaSuccess
10 ping-pong cudaSuccess
11 counts cudaSuccess
12 sleeps cudaSuccess
13 shared cudaSuccess
cudaErrorLaunchTimeout'
for optimised in -O2 -O0; do
    build steps $optimised
    for hazards in 1 0; do
        SIM_HAZARDS=$hazards play steps
        ok "$optimised, hazards $hazards: threads wait for lanes, warps and blocks" eval 'ends 0 && prints "$wanted"'
        ok 'and one that nobody answers is told of' eval '[ "$(grep -c . "$dir/err")" = 1 ] && complains "kernel ping_pong: thread (0,0,0) of block (0,0,0) waits for a variable to change, and nothing changes it"'
    done
done

# What is a thread's own waits for nobody: no step is written.
cat > "$dir/own.cu" << 'EOF'
__global__ void k(int *o)
{
    volatile int sum = 0, part[2] = { 1, 2 };
    for (volatile int i = 0; i < 1000; i++)
        sum += part[i & 1];
    o[threadIdx.x] = sum;
}
int main() { }
EOF
steps_of() { sed -n '/void k(/,/int main/p' | grep -c 'sim_turn\|__step\|__put'; }     # lines that have one
ok "a thread's own volatile variables make no steps" eval 'run build/bin/simcc -E "$dir/own.cu"; ends 0 && [ "$(steps_of < "$dir/out")" = 0 ]'
for shared in 'volatile __shared__ int part[2];' '__shared__ volatile int part[2];' 'static __shared__ int volatile part[2];' \
    '__shared__ int s[2]; volatile int *part = s;' '__shared__ int s[2]; volatile int (&part)[2] = s;'; do
    sed "s/^    volatile.*/    volatile int sum = 0; $shared/" "$dir/own.cu" > "$dir/shared.cu"
    ok "those of a block do: $shared" eval 'run build/bin/simcc -E "$dir/shared.cu"; ends 0 && [ "$(steps_of < "$dir/out")" -gt 0 ]'
done
done_testing
