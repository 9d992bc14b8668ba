/* SPDX-License-Identifier: MIT */
/* What the threads of a warp do together. [G] "Warp Vote Functions", "Warp Shuffle Functions", "Warp Match Functions",
 * "Warp Reduce Functions". */
#include "../rule.h"

__inline__ __device__ int warp_sum(int value)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

/* A sum a block: in warps, then of the warps. */
__global__ void block_sum(const int *in, int *out, int n)
{
    static __shared__ int of_warp[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    int value = warp_sum(i < n ? in[i] : 0);
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / warpSize ? of_warp[lane] : 0;
    if (warp == 0)
        value = warp_sum(value);
    if (threadIdx.x == 0)
        out[blockIdx.x] = value;
}

__global__ void shuffle(int *p)
{
    int t = threadIdx.x;
    p[t] = __shfl_sync(0xffffffff, t, 5);
    p[32 + t] = __shfl_sync(0xffffffff, t, 3, 8);
    p[64 + t] = __shfl_up_sync(0xffffffff, t, 2);
    p[96 + t] = __shfl_up_sync(0xffffffff, t, 2, 16);
    p[128 + t] = __shfl_down_sync(0xffffffff, t, 3);
    p[160 + t] = __shfl_down_sync(0xffffffff, t, 3, 4);
    p[192 + t] = __shfl_xor_sync(0xffffffff, t, 1);
    p[224 + t] = __shfl_xor_sync(0xffffffff, t, 9, 8);
}

__global__ void types(double *p)
{
    int t = threadIdx.x;
    double d = __shfl_xor_sync(0xffffffff, t + 0.25, 16);
    float f = __shfl_xor_sync(0xffffffff, t + 0.5f, 16);
    long long l = __shfl_xor_sync(0xffffffff, t * 10000000000ll, 16);
    unsigned u = __shfl_xor_sync(0xffffffff, (unsigned)t, 16);
    int other = t ^ 16;
    p[t] = d == other + 0.25 && f == other + 0.5f && l == other * 10000000000ll && u == (unsigned)other;
}

__global__ void votes(unsigned *p)
{
    int t = threadIdx.x;
    p[t] = __ballot_sync(0xffffffff, t % 3 == 0);
    p[32 + t] = __any_sync(0xffffffff, t == 31) && !__any_sync(0xffffffff, t == 32);
    p[64 + t] = __all_sync(0xffffffff, t < 32) && !__all_sync(0xffffffff, t < 31);
    p[96 + t] = 0;
    if (t >= 16)
        p[96 + t] = __ballot_sync(0xffff0000, t % 2);
}

__global__ void branches(int *p)
{
    int t = threadIdx.x, value = t;
    if (t % 32 < 16)
        value += __shfl_xor_sync(0x0000ffff, value, 8);
    else
        value += __shfl_xor_sync(0xffff0000, value, 4);
    __syncwarp();
    p[t] = value;
}

/* One thread a warp adds for all that are there. */
__global__ void of_those_here(unsigned *p)
{
    int t = threadIdx.x;
    if (t % 4 == 1)
        p[t] = __activemask();
    else
        p[t] = 0;
}

/* Writes of a warp's threads before __syncwarp are seen after it. */
__global__ void neighbours(int *p)
{
    __shared__ int values[64];
    int t = threadIdx.x;
    values[t] = t;
    __syncwarp();
    p[t] = values[t ^ 1];
}

__global__ void matches(unsigned *p)
{
    int t = threadIdx.x, same = 0;
    p[t] = __match_any_sync(0xffffffff, t % 4);
    p[32 + t] = __match_all_sync(0xffffffff, 7, &same) == 0xffffffff && same;
    p[64 + t] = __match_all_sync(0xffffffff, t / 31, &same) == 0 && !same;
}

__global__ void reductions(int *p)
{
    int t = threadIdx.x;
    p[t] = __reduce_add_sync(0xffffffff, t) == 496 && __reduce_max_sync(0xffffffff, -t) == 0 &&
           __reduce_min_sync(0xffffffff, -t) == -31 && __reduce_max_sync(0xffffffff, (unsigned)-t) == (unsigned)-1 &&
           __reduce_or_sync(0xffffffff, 1u << t) == 0xffffffff && __reduce_and_sync(0xffffffff, ~(1u << t)) == 0 &&
           __reduce_xor_sync(0xffffffff, 3u << t % 16) == 0;
}

/* The last warp has 8 threads, its mask names them only. */
__global__ void part(int *p)
{
    int t = threadIdx.x;
    unsigned mask = t < 32 ? 0xffffffff : 0xff;
    p[t] = (int)__ballot_sync(mask, 1) + __shfl_sync(mask, t, 0);
}

static int *device;
static int h[1024];

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

static void reduction()
{
    const int n = 5000, size = 256, blocks = (n + size - 1) / size;
    static int in[n];
    int *d = on_device<int>(n), total = 0, expected = 0;
    for (int i = 0; i < n; i++)
        expected += in[i] = i % 11;
    CHECK(cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice));
    block_sum<<<blocks, size>>>(d, device, n);
    fetch(blocks);
    for (int i = 0; i < blocks; i++)
        total += h[i];
    rule(total == expected, "a sum by shuffles sums what it should");
}

int main()
{
    device = on_device<int>(1024);
    unsigned *bits = (unsigned *)device;
    reduction();

    shuffle<<<1, 32>>>(device);
    fetch(256);
    rule(each(0, 32, [](int) { return 5; }), "__shfl_sync gives the value of the lane it names");
    rule(each(32, 32, [](int t) { return t / 8 * 8 + 3; }), "with a width, of the lane in its own segment");
    rule(each(64, 32, [](int t) { return t < 2 ? t : t - 2; }), "__shfl_up_sync gives the lane below, its own at the edge");
    rule(each(96, 32, [](int t) { return t % 16 < 2 ? t : t - 2; }), "with a width, each segment has an edge");
    rule(each(128, 32, [](int t) { return t > 28 ? t : t + 3; }), "__shfl_down_sync gives the lane above");
    rule(each(160, 32, [](int t) { return t % 4 > 0 ? t : t + 3; }), "with a width, in its segment");
    rule(each(192, 32, [](int t) { return t ^ 1; }), "__shfl_xor_sync gives the partner's");
    rule(each(224, 32, [](int t) { return t < 8 ? t : t / 8 % 2 ? t ^ 9 : t; }),
         "with a width, a partner in an earlier segment may be read, one in a later not");
    double *d = on_device<double>(32), all[32], right = 0;
    types<<<1, 32>>>(d);
    CHECK(cudaMemcpy(all, d, sizeof all, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        right += all[i];
    rule(right == 32, "shuffles take integers and floating numbers of 4 and 8 bytes");

    votes<<<1, 32>>>(bits);
    fetch(128);
    rule(each(0, 32, [](int) { return 0x49249249; }), "__ballot_sync has a bit for each lane that says yes");
    rule(each(32, 32, [](int) { return 1; }), "__any_sync says whether any does");
    rule(each(64, 32, [](int) { return 1; }), "__all_sync says whether all do");
    rule(each(96, 32, [](int t) { return t < 16 ? 0 : 0xaaaa0000; }), "a vote asks the lanes of its mask only");
    branches<<<1, 64>>>(device);
    fetch(64);
    rule(each(0, 64, [](int t) { return t + (t % 32 < 16 ? t ^ 8 : t ^ 4); }),
         "two branches of a warp shuffle each for itself");
    of_those_here<<<1, 64>>>(bits);
    fetch(64);
    rule(each(0, 64, [](int t) { return t % 4 == 1 ? 0x22222222 : 0; }), "__activemask names the lanes of a branch");
    neighbours<<<1, 64>>>(device);
    fetch(64);
    rule(each(0, 64, [](int t) { return t ^ 1; }), "__syncwarp makes writes seen");
    matches<<<1, 32>>>(bits);
    fetch(96);
    rule(each(0, 32, [](int t) { return 0x11111111u << t % 4; }), "__match_any_sync names the lanes of the same value");
    rule(each(32, 64, [](int) { return 1; }), "__match_all_sync says whether all have the same");
    reductions<<<1, 32>>>(device);
    fetch(32);
    rule(each(0, 32, [](int) { return 1; }), "__reduce_..._sync combines over the warp");
    part<<<1, 40>>>(device);
    fetch(40);
    rule(each(0, 40, [](int t) { return t < 32 ? -1 : 255 + 32; }), "the last warp of a block may be smaller");
    return rules_end();
}
