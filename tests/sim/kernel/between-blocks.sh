#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Blocks that wait for another block, and barriers as objects.
. tests/sim/sim.bash

# Each of block 0 waits for what block 1 stores later, in one of the ways that programs have: "how" says which.
cat > "$dir/x.cu" << 'EOF'
#include <cuda/atomic>
#include <cuda/std/atomic>
typedef cuda::atomic<int, cuda::thread_scope_device> flag;
typedef cuda::atomic_ref<int, cuda::thread_scope_device> reference;
__device__ int acquired(const int *p) { int v; asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
__device__ void waits(int how, int *p)
{
    flag *f = (flag *)p;
    int one = 1;
    switch (how) {
    case 0: while (f->load(cuda::memory_order_acquire) == 0) ; break;
    case 1: while (!reference(*p).compare_exchange_weak(one, 1)) one = 1; break;
    case 2: f->wait(0); break;
    case 3: while (acquired(p) == 0) ; break;
    case 4: while (__ldcg(p) == 0) ; break;
    case 5: while (__ldcv(p) == 0) ; break;
    case 6: ((cuda::std::atomic<int> *)p)->wait(0, cuda::std::memory_order_acquire); break;
    case 7: while (f->fetch_add(0) == 0) ; break;
    }
}
__global__ void k(int how, int *p, int *data)
{
    if (threadIdx.x > 0)
        return;
    if (blockIdx.x == 0) {
        waits(how, p);
        data[1] += data[0];
    } else {
        data[0] = how + 1;
        if (how == 3)
            asm volatile("st.release.gpu.global.s32 [%0], 1;" :: "l"(p) : "memory");
        else if (how == 4)
            __threadfence(), __stcg(p, 1);
        else
            ((flag *)p)->store(1, cuda::memory_order_release), ((flag *)p)->notify_all();
    }
}
/* Lanes of one warp, each after the one above it. */
__global__ void in_turn(int *p)
{
    __shared__ cuda::atomic<int, cuda::thread_scope_block> turn;
    if (threadIdx.x == 0)
        turn.store(0);
    __syncthreads();
    while (turn.load() != 31 - (int)threadIdx.x) { }
    *p = (*p * 3 + (int)threadIdx.x) % 1000;
    turn |= 0;
    turn.fetch_add(1);
}
int main()
{
    int *p, *data;
    cudaMallocManaged(&p, 4), cudaMallocManaged(&data, 8);
    data[1] = 0;
    for (int how = 0; how < 8; how++) {
        *p = 0;
        k<<<2, 32>>>(how, p, data);
        if (cudaDeviceSynchronize() != cudaSuccess)
            printf("%d ", how);
    }
    *p = 0;
    in_turn<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    printf("%d %d\n", data[1], *p);
}
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'atomic loads, PTX and uncached loads in a loop let the other block go on' eval 'prints "36 576" && [ ! -s "$dir/err" ]'
SIM_CORES=2 play x
ok 'on several cores, too' prints '36 576'
SIM_HAZARDS=0 play x
ok 'and where no hazards are looked for' prints '36 576'

# ---- barriers as objects ----

cat > "$dir/x.cu" << 'EOF'
#include <cuda/barrier>
__global__ void waits()
{
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    if (threadIdx.x == 0)
        init(&b, blockDim.x + 1);
    __syncthreads();
    b.arrive_and_wait();
}
int main() { waits<<<1, 64>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'a barrier for which one too few arrives ends the kernel, with the line' \
    eval 'prints cudaErrorLaunchFailure && complains "its threads wait for what none of them does" && complains "x.cu:8: wait for a cuda::barrier, a cuda::pipeline or a barrier by its number: 64 of 64 threads"'

cat > "$dir/x.cu" << 'EOF'
#include <cuda/barrier>
#include <cuda/latch>
#include <new>
typedef cuda::barrier<cuda::thread_scope_device> barrier;
typedef cuda::latch<cuda::thread_scope_system> latch;
__device__ int part[8];
__global__ void all(barrier *b, latch *l, int *result)
{
    part[blockIdx.x] = blockIdx.x;
    for (int turn = 0; turn < 3; turn++) {
        b->arrive_and_wait();
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += part[i];
        b->arrive_and_wait();
        part[blockIdx.x] = sum;
    }
    l->arrive_and_wait();
    result[blockIdx.x] = part[gridDim.x - 1 - blockIdx.x];
}
int main()
{
    barrier *b;
    latch *l;
    int *result;
    cudaMallocManaged(&b, sizeof *b), cudaMallocManaged(&l, sizeof *l), cudaMallocManaged(&result, 32);
    new (b) barrier(8), new (l) latch(8);
    all<<<8, 1>>>(b, l, result);
    cudaDeviceSynchronize();
    printf("%d %d\n", result[0], result[7]);
}
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'blocks meet at barriers and latches of a wider scope' eval 'prints "1792 1792" && [ ! -s "$dir/err" ]'
SIM_CORES=2 play x
ok 'on several cores, too' prints '1792 1792'

done_testing
