/* SPDX-License-Identifier: MIT */
/* inline PTX of clusters: ranks, barriers, addresses of other blocks' shared memory */
#include <cstdio>

__global__ void __cluster_dims__(4) k(unsigned *out)
{
    __shared__ unsigned s[32];
    unsigned r, n, at, v, x, whose;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(x));
    s[threadIdx.x] = 100 * r + threadIdx.x;
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    unsigned own = (unsigned)__cvta_generic_to_shared(s);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(own), "r"((r + 1) % n));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(at + 4 * threadIdx.x) : "memory");
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(at + 4 * threadIdx.x), "r"(v + 1000 * (x + 1)) : "memory");
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(whose) : "r"(at));
    if (whose != (r + 1) % n)
        s[threadIdx.x] = 0;
    out[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}
int main()
{
    unsigned *out;
    int wrong = 0;
    cudaMallocManaged(&out, 256 * sizeof *out);
    k<<<8, 32>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    for (unsigned b = 0; b < 8; b++)
        for (unsigned i = 0; i < 32; i++)
            wrong += out[b * 32 + i] != 100 * (b % 4) + i + 1000 * ((b + 3) % 4 + 1);
    printf(wrong == 0 ? "right\n" : "%d numbers are wrong\n", wrong);
    return wrong != 0;
}
