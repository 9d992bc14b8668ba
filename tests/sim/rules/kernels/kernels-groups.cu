/* SPDX-License-Identifier: MIT */
/* Cooperative groups: blocks and tiles as objects. [G] "Cooperative Groups". */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>

#include "../rule.h"

namespace cg = cooperative_groups;

/* A sum over any group, through memory: the blog posts' own. */
__device__ int sum_in_memory(cg::thread_group g, int *memory, int value)
{
    int lane = (int)g.thread_rank();
    for (int i = (int)g.size() / 2; i > 0; i /= 2) {
        memory[lane] = value;
        g.sync();
        if (lane < i)
            value += memory[lane + i];
        g.sync();
    }
    return value;
}

__global__ void sum_block(int *p)
{
    extern __shared__ int memory[];
    cg::thread_block block = cg::this_thread_block();
    int sum = sum_in_memory(block, memory, (int)threadIdx.x);
    if (block.thread_rank() == 0)
        p[blockIdx.x] = sum;
}

__global__ void sum_tiles(int *p)
{
    extern __shared__ int memory[];
    cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 8);
    int first = (int)threadIdx.x / 8 * 8;
    int sum = sum_in_memory(tile, memory + first, (int)threadIdx.x);
    if (tile.thread_rank() == 0)
        p[first / 8] = sum;
}

template <int SIZE> __device__ int sum_by_shuffles(cg::thread_block_tile<SIZE> tile, int value)
{
    for (int i = tile.size() / 2; i > 0; i /= 2)
        value += tile.shfl_down(value, i);
    return value;
}

__global__ void shuffles(int *p)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x;
    cg::thread_block_tile<4> four = cg::tiled_partition<4>(cg::this_thread_block());
    p[t] = tile.shfl(t, 3);
    p[64 + t] = tile.shfl_xor(t, 8);
    p[128 + t] = tile.shfl_up(t, 1);
    p[192 + t] = (int)(tile.meta_group_rank() * 100 + tile.meta_group_size() * 10 + tile.num_threads());
    p[256 + t] = tile.any(t == 20) * 100 + tile.all(t < 32) * 10 + (tile.ballot(t % 16 == 2) == 4);
    p[320 + t] = sum_by_shuffles<4>(four, t);
    tile.sync();
    cg::sync(tile);
}

__global__ void ranks(int *p)
{
    cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank();
    p[i] = (int)block.thread_rank() == (int)(threadIdx.x + blockDim.x * threadIdx.y) &&
           block.group_index().x == blockIdx.x && block.thread_index().y == threadIdx.y && block.size() == 32 &&
           grid.size() == 96;
    cg::sync(block);
}

__global__ void here(int *p)
{
    int t = threadIdx.x;
    p[t] = 0;
    if (t % 3 == 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        p[t] = (int)active.size() * 100 + (int)active.thread_rank() + (active.shfl(t, 1) == 3 ? 10000 : 0);
    }
}

__global__ void reductions(int *p)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    p[t] = cg::reduce(warp, t, cg::plus<int>()) == 496 && cg::reduce(warp, t, cg::greater<int>()) == 31 &&
           cg::reduce(warp, t + 5, cg::less<int>()) == 5;
}

/* Of a block that is no multiple of a tile the last one counts; of a row that is longer than the room, so much is copied. */
__global__ void left_over(int *p, const int *row)
{
    __shared__ int room[8];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int t = threadIdx.x;
    if (t < 8)
        room[t] = -1;
    block.sync();
    cg::memcpy_async(block, room, 5, row, 8);
    cg::wait(block);
    p[t] = (int)(tile.meta_group_size() * 10 + tile.meta_group_rank());
    p[64 + t] = t < 8 ? room[t] : 0;
}

static int *device, h[512];

static void fetch(int n)
{
    CHECK(cudaMemcpy(h, device, n * sizeof(int), cudaMemcpyDeviceToHost));
}

template <typename F> static bool each(int first, int count, F expected)
{
    for (int t = 0; t < count; t++)
        if (h[first + t] != (int)expected(t))
            return false;
    return true;
}

struct wide { double a, b; float c; int d; };
struct odd { char c[11]; };

/* p[t] when every piece of a wide value has come from the same lane. */
__global__ void wide_shuffles(int *p)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x;
    wide mine = { t + 0.5, t * 1e9, t + 0.25f, -t };
    odd text;
    for (int i = 0; i < 11; i++)
        text.c[i] = (char)(t + i);
    wide down = tile.shfl_down(mine, 4), one = tile.shfl(mine, 5), xored = tile.shfl_xor(mine, 1);
    odd up = tile.shfl_up(text, 2);
    auto is = [] (wide v, int from) { return v.a == from + 0.5 && v.b == from * 1e9 && v.c == from + 0.25f && v.d == -from; };
    bool right = is(down, t % 16 + 4 < 16 ? t + 4 : t) && is(one, t / 16 * 16 + 5) && is(xored, t ^ 1);
    for (int i = 0; i < 11; i++)
        right = right && up.c[i] == (char)((t % 16 < 2 ? t : t - 2) + i);
    p[t] = right;
}

int main()
{
    device = on_device<int>(512);
    sum_block<<<2, 128, 128 * sizeof(int)>>>(device);
    fetch(2);
    rule(h[0] == 8128 && h[1] == 8128, "a function that takes any group sums over a block");
    sum_tiles<<<1, 64, 64 * sizeof(int)>>>(device);
    fetch(8);
    rule(each(0, 8, [](int i) { return 64 * i + 28; }), "and over tiles of a size chosen when it runs");
    shuffles<<<1, 64>>>(device);
    fetch(384);
    rule(each(0, 64, [](int t) { return t / 16 * 16 + 3; }), "a tile's shfl counts its own threads");
    rule(each(64, 64, [](int t) { return t ^ 8; }), "a tile's shfl_xor stays within it");
    rule(each(128, 64, [](int t) { return t % 16 == 0 ? t : t - 1; }), "a tile's shfl_up ends at its edge");
    rule(each(192, 64, [](int t) { return t / 16 * 100 + 4 * 10 + 16; }), "a tile knows its number and how many there are");
    rule(each(256, 64, [](int t) { return (t / 16 == 1) * 100 + (t < 32) * 10 + 1; }), "a tile votes for itself");
    rule(each(320, 64, [](int t) { return t % 4 != 0 || h[320 + t] == 4 * t + 6 ? h[320 + t] : -1; }),
         "a sum by shuffles in tiles of four");
    int row[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    CHECK(cudaMemcpy(device + 256, row, sizeof row, cudaMemcpyHostToDevice));
    left_over<<<1, 40>>>(device, device + 256);
    fetch(128);
    rule(each(0, 40, [](int t) { return 30 + t / 16; }), "the last tile of a block counts, full or not");
    rule(each(64, 8, [](int t) { return t < 5 ? t + 1 : -1; }), "a group copies no more than there is room for");
    ranks<<<3, dim3(8, 4)>>>(device);
    fetch(96);
    rule(each(0, 96, [](int) { return 1; }), "blocks and the grid number their threads");
    here<<<1, 32>>>(device);
    fetch(32);
    rule(each(0, 32, [](int t) { return t % 3 == 0 ? 11100 + t / 3 : 0; }), "coalesced threads are those of a branch");
    reductions<<<1, 32>>>(device);
    fetch(32);
    rule(each(0, 32, [](int) { return 1; }), "reduce combines over a tile");
    wide_shuffles<<<1, 64>>>(device);
    fetch(64);
    rule(each(0, 64, [](int) { return 1; }), "a tile's shuffles carry what has more than 8 bytes");
    return rules_end();
}
