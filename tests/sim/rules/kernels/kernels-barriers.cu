/* SPDX-License-Identifier: MIT */
/* Barriers and pipelines as objects, and the copies that they wait for. [G] "Asynchronous Barrier", "Asynchronous Data Copies". */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "../rule.h"

namespace cg = cooperative_groups;
typedef cuda::barrier<cuda::thread_scope_block> barrier;

enum { THREADS = 128, STEPS = 5, TILE = 64, TILES = 12 };

#pragma nv_diag_suppress static_var_with_dynamic_init

/* Each step reads what a thread of another warp wrote in the one before. */
__global__ void steps(int *out)
{
    __shared__ barrier all;
    __shared__ int value[2][THREADS];
    const unsigned t = threadIdx.x;
    if (t == 0)
        init(&all, THREADS);
    value[0][t] = (int)t;
    __syncthreads();
    for (int i = 0; i < STEPS; i++) {
        value[(i + 1) % 2][t] = value[i % 2][(t + 33) % THREADS] + 1;
        barrier::arrival_token token = all.arrive();
        all.wait(static_cast<barrier::arrival_token &&>(token));
    }
    out[t] = value[STEPS % 2][t];
}

/* One warp makes, the others take; each counts on the barriers it needs. */
__global__ void makes_and_takes(int *sum)
{
    __shared__ barrier full, empty;
    __shared__ int box;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0) {
        init(&full, 1 + (THREADS - 32));
        init(&empty, 1 + (THREADS - 32));
    }
    block.sync();
    if (block.thread_rank() < 32) {
        if (block.thread_rank() == 0)
            for (int i = 1; i <= 10; i++) {
                box = i;
                full.arrive_and_wait();
                empty.arrive_and_wait();
            }
    } else {
        for (int i = 1; i <= 10; i++) {
            full.arrive_and_wait();
            atomicAdd(sum, box);
            empty.arrive_and_wait();
        }
    }
}

/* Threads leave one by one, and those that stay do not wait for them. */
__global__ void leave(int *rounds)
{
    __shared__ barrier left;
    if (threadIdx.x == 0)
        init(&left, blockDim.x);
    __syncthreads();
    for (unsigned i = 0; i < threadIdx.x; i++) {
        left.arrive_and_wait();
        atomicAdd(rounds, 1);
    }
    left.arrive_and_drop();
}

struct counts {
    int *times;
    __device__ void operator()() const { ++*times; }
};

/* What is to be done once a phase is done before anybody goes on. */
__global__ void completes(int *times, int *seen)
{
    typedef cuda::barrier<cuda::thread_scope_block, counts> counting;
    __shared__ alignas(counting) char room[sizeof(counting)];
    counting *b = reinterpret_cast<counting *>(room);
    if (threadIdx.x == 0)
        init(b, blockDim.x, counts{ times });
    __syncthreads();
    for (int i = 1; i <= 3; i++) {
        b->arrive_and_wait();
        if (*(volatile int *)times == i)
            atomicAdd(seen, 1);
        __syncthreads();
    }
}

__global__ void copies(const int *in, int *out)
{
    __shared__ barrier done;
    __shared__ alignas(16) int all[THREADS];
    __shared__ int own[THREADS], some[THREADS], late[THREADS];
    auto block = cg::this_thread_block();
    const unsigned t = block.thread_rank();
    if (t == 0)
        init(&done, THREADS);
    block.sync();
    cuda::memcpy_async(block, all, in, cuda::aligned_size_t<16>(sizeof all), done);
    cuda::memcpy_async(own + t, in + THREADS - 1 - t, sizeof(int), done);
    done.arrive_and_wait();
    auto mine = cuda::make_pipeline();
    mine.producer_acquire();
    cuda::memcpy_async(late + t, in + t, sizeof(int), mine);
    mine.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(mine);
    mine.consumer_release();
    __pipeline_memcpy_async(some + t, in + t, sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = all[(t + 40) % THREADS] == in[(t + 40) % THREADS] && own[(t + 70) % THREADS] == in[THREADS - 1 - (t + 70) % THREADS] && late[t] == in[t] &&
             some[t] == in[t];
}

/* Tiles through two stages; every thread puts and takes. */
__global__ void streams_through(const int *in, int *out)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int tile[2][TILE];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int make = 0, take = 0; take < TILES; take++) {
        for (; make < TILES && make < take + 2; make++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[make % 2], in + make * TILE, sizeof tile[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[take * TILE + block.thread_rank()] = 2 * tile[take % 2][TILE - 1 - block.thread_rank()];
        pipe.consumer_release();
    }
}

/* Half of the block puts, the other half takes. */
__global__ void divided(const int *in, int *out)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
    __shared__ int tile[3][TILE];
    auto block = cg::this_thread_block();
    const bool puts = block.thread_rank() < TILE;
    auto pipe = cuda::make_pipeline(block, &state, puts ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    const unsigned t = block.thread_rank() % TILE;
    for (int i = 0; i < TILES; i++)
        if (puts) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[i % 3][t], in + i * TILE + t, sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[i * TILE + t] = 2 * tile[i % 3][TILE - 1 - t];
            pipe.consumer_release();
        }
}

static int *h, *d, *in;

static const int *result(int count)
{
    CHECK(cudaMemcpy(h, d, (size_t)count * sizeof *h, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(d, 0, TILES * TILE * sizeof *d));
    return h;
}

static bool came_through()
{
    const int *out = result(TILES * TILE);
    bool right = true;
    for (int i = 0; i < TILES * TILE; i++)
        right &= out[i] == 2 * (100 + i / TILE * TILE + TILE - 1 - i % TILE);
    return right;
}

int main()
{
    h = pinned<int>(TILES * TILE);
    d = on_device<int>(TILES * TILE);
    in = on_device<int>(TILES * TILE);
    for (int i = 0; i < TILES * TILE; i++)
        h[i] = 100 + i;
    CHECK(cudaMemcpy(in, h, TILES * TILE * sizeof *h, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());

    steps<<<1, THREADS>>>(d);
    bool right = result(THREADS) != NULL;
    for (int t = 0; t < THREADS; t++)
        right &= h[t] == (t + STEPS * 33) % THREADS + STEPS;
    rule(right, "a barrier's phases: what was written before an arrival is there after the wait");
    makes_and_takes<<<1, THREADS>>>(d);
    rule(result(1)[0] == 55 * (THREADS - 32), "a part of the block can have a barrier of its own");
    leave<<<1, 40>>>(d);
    rule(result(1)[0] == 40 * 39 / 2, "a thread that drops out is waited for no longer");
    completes<<<1, 64>>>(d, d + 1);
    rule(result(2)[0] == 3 && h[1] == 3 * 64, "what completes a phase is done once, before a thread goes on");
    copies<<<1, THREADS>>>(in, d);
    right = result(THREADS) != NULL;
    for (int t = 0; t < THREADS; t++)
        right &= h[t] == 1;
    rule(right, "asynchronous copies, of a group and of a thread, are there after the wait");
    streams_through<<<1, TILE>>>(in, d);
    rule(came_through(), "a pipeline of two stages gives each tile in turn");
    divided<<<1, 2 * TILE>>>(in, d);
    rule(came_through(), "so does one into which some threads put, and of which others take");
    CHECK(cudaDeviceSynchronize());
    return rules_end();
}
