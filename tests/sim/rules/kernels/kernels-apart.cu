/* SPDX-License-Identifier: MIT */
/* __syncthreads() in several places at once. CUDA promises nothing then ([G] "Synchronization Functions"); cards count the threads that
 * have come, wherever [M]. notes: 3, of the three kernels that rely on it. */
#include "../rule.h"

enum { THREADS = 256, SUM = THREADS * (THREADS - 1) / 2, SHORT = 96, TURNS = 3, MORE = 2 };

/* Both sides read what the other has stored. */
__global__ void two_sides(int *p, int cut)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = t;
    if (t < cut) {
        __syncthreads();
        p[t] = s[(t + cut) % THREADS];
    } else {
        __syncthreads();
        p[t] = s[(t + 1) % THREADS];
    }
}

/* The barrier of a sum is in its condition, as in many an exercise; those who leave the loop meet another one. */
__global__ void sum_in_condition(int *p)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    for (int d = THREADS / 2; d > 0; d /= 2)
        if (t < d) {
            s[t] += s[t + d];
            __syncthreads();
        }
    if (t == 0)
        *p = s[0];
    if (t < 4)
        __syncthreads();
}

/* Those with few turns wait at a second barrier while the others are in their last ones. They are whole warps: with SHORT = 100 an H100
 * hangs, for the warp that the loop's end tears apart waits for its own threads first [M]. */
__global__ void turns(int *p)
{
    __shared__ int c;
    int t = threadIdx.x, n = t < SHORT ? TURNS : TURNS + MORE;
    if (t == 0)
        c = 0;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        atomicAdd(&c, 1);
        __syncthreads();
    }
    if (t < SHORT)
        for (int i = 0; i < MORE; i++)
            __syncthreads();
    p[t] = c;
}

int main()
{
    int *p = on_device<int>(THREADS), h[THREADS], wrong = 0;
    const int cuts[] = { 10, 32, 40, 128 };
    for (int cut : cuts) {
        two_sides<<<1, THREADS>>>(p, cut);
        CHECK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
        for (int t = 0; t < THREADS; t++)
            wrong += h[t] != (t < cut ? (t + cut) % THREADS : (t + 1) % THREADS);
    }
    rule(wrong == 0, "threads that wait for their block in two places go on together [M]");

    sum_in_condition<<<1, THREADS>>>(p);
    CHECK(cudaMemcpy(h, p, sizeof *h, cudaMemcpyDeviceToHost));
    rule(h[0] == SUM, "a barrier in a condition waits for no thread that has ended, and for the others wherever they wait [M]");

    turns<<<1, THREADS>>>(p);
    CHECK(cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    rule(h[0] == TURNS * THREADS + MORE * (THREADS - SHORT) && h[THREADS - 1] == h[0], "loops of unlike length meet turn by turn [M]");
    return rules_end();
}
