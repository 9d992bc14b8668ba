#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Headers of the toolkit, its enumerators and types, as programs use them.
. tests/sim/sim.bash

prints_as 'what nvcc brings needs no header' '3 6 prohibited' << 'EOF'
static int sum(std::initializer_list<int> list) { int s = 0; for (int i : list) s += i; return s; }
int main() {
    time_t now = time(NULL);
    clock_t ticks = clock();
    printf("%d %d %s\n", (int)strlen("abc") + (int)(now < 0) + (int)(ticks < 0) + (INT_MAX < 0), sum({ 1, 2, 3 }),
           cudaComputeModeProhibited == 2 ? "prohibited" : "");
}
EOF

prints_as 'libcu++ says its version, and cooperative groups are where the toolkit has them, too' '3.0 3000001 33' << 'EOF'
#include <cooperative_groups.h>
#include <cuda/std/limits>
#ifndef _LIBCUDACXX_CUDA_API_VERSION
#error no version
#endif
__device__ int size_of(cooperative_groups::__v1::thread_group g) { return g.size(); }
__global__ void k(int *out)
{
    auto g = cooperative_groups::__v1::this_thread_block();
    if (g.thread_rank() == 1)
        *out = size_of(g) + g.thread_rank();
}
int main() {
    int *out, h;
    cudaMalloc(&out, sizeof h);
    k<<<1, 32>>>(out);
    cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d.%d %d %d\n", _LIBCUDACXX_CUDA_API_VERSION_MAJOR, _LIBCUDACXX_CUDA_API_VERSION_MINOR, CCCL_VERSION, h);
}
EOF

prints_as 'a device is asked for all that it has' '0 2048 34814 0 1 1 0' << 'EOF'
#include <builtin_types.h>
#include <device_launch_parameters.h>
int main() {
    cudaDeviceProp p;
    int mode = -1, texture = -1, numa = 5, cluster = -1;
    cudaGetDeviceProperties(&p, 0);
    cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0);
    cudaDeviceGetAttribute(&texture, cudaDevAttrMaxTexture2DLayeredLayers, 0);
    cudaDeviceGetAttribute(&numa, cudaDevAttrHostNumaId, 0);
    cudaDeviceGetAttribute(&cluster, cudaDevAttrClusterLaunch, 0);
    printf("%d %d %d %d %d %d %d\n", mode, texture, p.maxTexture3DAlt[2] + p.maxSurfaceCubemapLayered[1], numa, cluster,
           p.computeMode == cudaComputeModeDefault, cudaDevAttrMaxTimelineSemaphoreInteropSupported - cudaDevAttrTimelineSemaphoreInteropSupported);
}
EOF

prints_as 'each attribute but those that are reserved has an answer' '22' << 'EOF'
int main() {
    int known = 0, value;
    for (int a = 1; a < cudaDevAttrMax; a++)
        known += cudaDeviceGetAttribute(&value, (cudaDeviceAttr)a, 0) == cudaSuccess;
    cudaGetLastError();
    printf("%d\n", cudaDevAttrMax - 1 - known);
}
EOF

prints_as 'the bandwidth that a program reckons from clock and width of the memory' '4814.3 GB/s 936.1 GB/s' << 'EOF'
int main(int count, char **)
{
    cudaDeviceProp p;
    int clock = 0, width = 0;
    cudaGetDeviceProperties(&p, 0);
    cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, 0);
    cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, 0);
    if (clock != p.memoryClockRate || width != p.memoryBusWidth) return 1;
    printf("%.1f GB/s%c", 2.0 * p.memoryClockRate * (p.memoryBusWidth / 8) / 1e6, count > 1 ? '\n' : ' ');
    fflush(stdout);
    if (count == 1) return system("SIM_PROFILE=rtx3090 /proc/$PPID/exe again") != 0;
}
EOF

prints_as "CUDA 4's names of waiting and ending are still there" 'no error' << 'EOF'
__global__ void k() { }
int main() { k<<<1, 1>>>(); cudaThreadSynchronize(); cudaThreadExit(); puts(cudaGetErrorString(cudaGetLastError())); }
EOF

prints_as 'calls that ask of a device, and how a kernel ends itself' '512 32 512 1 0000:00:00.0 0 0
cudaErrorInvalidValue cudaErrorInvalidDevice cudaErrorInvalidValue
16 cudaSuccess cudaSuccess
1 132 cudaErrorLaunchFailure' << 'EOF'
#include <cooperative_groups.h>
__global__ void where(unsigned *n) { asm("mov.u32 %0, %nsmid;" : "=r"(*n)); if (cooperative_groups::this_grid().is_valid()) *n = 0; }
__global__ void ends() { __prof_trigger(0); __brkpt(); __trap(); }
int main() {
    cudaDeviceProp p, want;
    char id[20] = "", small[12];
    int device = -1, chosen = -1, pitch = 0;
    unsigned *n, count = 0;
    cudaSharedMemConfig banks = cudaSharedMemBankSizeEightByte;
    size_t heap = 0;
    memset(&want, 0, sizeof want);
    cudaGetDeviceProperties(&p, 0);
    cudaDeviceGetAttribute(&pitch, cudaDevAttrMaxPitch, 0);
    cudaDeviceGetPCIBusId(id, sizeof id, 0);
    cudaDeviceGetByPCIBusId(&device, id);
    cudaChooseDevice(&chosen, &want);
    printf("%zu %zu %zu %d %s %d %d\n", p.textureAlignment, p.texturePitchAlignment, p.surfaceAlignment, pitch == INT_MAX, id, device, chosen);
    printf("%s %s %s\n", cudaGetErrorName(cudaDeviceGetPCIBusId(small, sizeof small, 0)), cudaGetErrorName(cudaDeviceGetByPCIBusId(&device, "ffff:ff:ff.0")),
           cudaGetErrorName(cudaDeviceGetByPCIBusId(&device, "junk")));
    cudaThreadSetLimit(cudaLimitMallocHeapSize, 1 << 24);
    cudaThreadGetLimit(&heap, cudaLimitMallocHeapSize);
    printf("%zu %s %s\n", heap >> 20, cudaGetErrorName(cudaThreadSetCacheConfig(cudaFuncCachePreferL1)), cudaGetErrorName(cudaFuncSetSharedMemConfig(ends, banks)));
    cudaDeviceSetSharedMemConfig(banks);
    cudaDeviceGetSharedMemConfig(&banks);
    cudaMalloc(&n, sizeof *n);
    where<<<1, 1>>>(n);
    cudaMemcpy(&count, n, sizeof count, cudaMemcpyDeviceToHost);
    cudaFree(n);
    cudaGetLastError();
    ends<<<1, 1>>>();
    printf("%d %u %s\n", banks, count, cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF

# Not run on a card.
prints_as 'a node says which function it calls, and what it sets, whether it was added or captured' '1 1 4 7 8 3 1 1 5 16 cudaErrorInvalidValue' << 'EOF'
void says(void *) { }
int main() {
    cudaGraph_t g, captured;
    cudaGraphNode_t host, set, first;
    cudaStream_t s;
    size_t one = 1, pitch;
    char *p, *q;
    cudaMallocPitch(&p, &pitch, 32, 3);
    cudaMalloc(&q, 16);
    cudaGraphCreate(&g, 0);
    cudaHostNodeParams h = { says, p }, h2 = {};
    cudaMemsetParams m = {}, m2 = {};
    m.dst = p, m.pitch = pitch, m.value = 7, m.elementSize = 4, m.width = 8, m.height = 3;
    cudaGraphAddHostNode(&host, g, NULL, 0, &h);
    cudaGraphAddMemsetNode(&set, g, &host, 1, &m);
    cudaGraphHostNodeGetParams(host, &h2);
    cudaGraphMemsetNodeGetParams(set, &m2);
    printf("%d %d %u %u %zu %zu %d ", h2.fn == says && h2.userData == p, m2.dst == p, m2.elementSize, m2.value, m2.width, m2.height, m2.pitch == pitch);
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(q, 5, 16, s);
    cudaStreamEndCapture(s, &captured);
    cudaGraphGetNodes(captured, &first, &one);
    cudaGraphMemsetNodeGetParams(first, &m2);
    printf("%u %u %zu %s\n", m2.elementSize, m2.value, m2.width * m2.height, cudaGetErrorName(cudaGraphHostNodeGetParams(set, &h2)));
}
EOF

prints_as 'inner headers, and a word that cuda_fp8.h leaves behind' '28 64' << 'EOF'
#include <cooperative_groups.h>
#include <cooperative_groups/details/reduce.h>
#include <cooperative_groups/details/scan.h>
#include <cuda_fp8.h>
class __CUDA_ALIGN__(64) wide { };
namespace cg = cooperative_groups;
__global__ void k(int *p)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int last = cg::inclusive_scan(tile, (int)tile.thread_rank());
    *p = cg::reduce(tile, last, cg::greater<int>());
}
int main()
{
    int *p;
    cudaMallocManaged(&p, sizeof *p);
    k<<<1, 8>>>(p);
    cudaDeviceSynchronize();
    printf("%d %zu\n", *p, sizeof(wide));
}
EOF

done_testing
