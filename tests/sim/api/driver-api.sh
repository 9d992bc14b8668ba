#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The driver API: what programs call of it beside the runtime.
. tests/sim/sim.bash

prints_as 'the driver API queues, copies and launches' '9.0 132 9 1 CUDA_ERROR_INVALID_DEVICE 1 1' << 'EOF'
#include <cuda.h>
static CUresult worst = CUDA_SUCCESS;
#define CHECK(x) do { CUresult status = (x); if (status != CUDA_SUCCESS) worst = status; } while (0)
__global__ void k(int *p, int n) { p[threadIdx.x] = n * threadIdx.x; }
int main() {
    CUdevice d;
    CUcontext c, now;
    int major, minor, sms, h[4], n = 3;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&d, 0));
    CHECK(cuDeviceComputeCapability(&major, &minor, d));
    CHECK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, d));
    CHECK(cuCtxCreate(&c, CU_CTX_SCHED_AUTO, d));
    CHECK(cuCtxGetCurrent(&now));
    CUstream s;
    CUevent a, b;
    CUdeviceptr p;
    float ms = 0;
    cudaFunction_t f;
    CHECK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&a, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&b, CU_EVENT_DEFAULT));
    CHECK(cuMemAlloc(&p, sizeof h));
    cudaGetFuncBySymbol(&f, (const void *)k);
    void *args[] = { &p, &n };
    CHECK(cuEventRecord(a, s));
    CHECK(cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, s, args, NULL));
    CHECK(cuEventRecord(b, s));
    CHECK(cuMemcpyDtoHAsync(h, p, sizeof h, s));
    CHECK(cuStreamSynchronize(s));
    CHECK(cuEventElapsedTime(&ms, a, b));
    const char *name;
    cuGetErrorName(cuDeviceGet(&d, 7), &name);
    printf("%d.%d %d %d %d %s %d %d\n", major, minor, sms, h[3], ms > 0, name, worst == CUDA_SUCCESS, now == c);
    CHECK(cuMemFree(p));
    CHECK(cuStreamDestroy(s));
}
EOF

prints_as 'calls go by the names that the toolkit has for them, too' '7 0' << 'EOF'
#include <cuda.h>
int main() {
    CUdevice d;
    CUcontext c;
    CUstream s;
    CUdeviceptr p;
    int h = 7, back = 0, wrong = 0;
    wrong |= cuInit(0) | cuDeviceGet(&d, 0) | cuCtxCreate(&c, CU_CTX_SCHED_AUTO, d) | cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    wrong |= cuMemAlloc_v2(&p, sizeof h) | cuMemcpyHtoD_v2(p, &h, sizeof h) | cuMemcpyDtoHAsync_v2(&back, p, sizeof h, s);
    wrong |= cuStreamSynchronize(s) | cuMemFree_v2(p) | cuStreamDestroy_v2(s);
    printf("%d %d\n", back, wrong);
}
EOF

prints_as 'the driver API has captures, pools, peers, rows and words' '1020304 5060506 1 1 7 1 6 2 1 0' << 'EOF'
#include <cuda.h>
#define CHECK(x) do { CUresult status = (x); if (status != CUDA_SUCCESS) printf("%d: %d ", __LINE__, status); } while (0)
int main()
{
    CUdevice d, back;
    CUcontext c;
    CUstream s;
    CUdeviceptr p, q, m;
    unsigned h[8], version, kind, managed;
    int maps = 1;
    char id[20];
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&d, 0));
    CHECK(cuDeviceGetAttribute(&maps, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, d));
    CHECK(cuCtxCreate(&c, 0, d));
    CHECK(cuCtxGetApiVersion(c, &version));
    CHECK(cuDeviceGetPCIBusId(id, sizeof id, d));
    CHECK(cuDeviceGetByPCIBusId(&back, id));
    CHECK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    CHECK(cuMemAlloc(&p, 64));
    CHECK(cuMemsetD32(p, 0x01020304, 4));
    CHECK(cuMemsetD16Async(p + 16, 0x0506, 8, s));
    CHECK(cuStreamSynchronize(s));
    CHECK(cuMemcpyDtoH(h, p, 32));
    printf("%x %x %d ", h[3], h[7], version >= 12000 && back == d);
    CUgraph g;
    CUgraphExec x;
    CUstreamCaptureStatus capturing;
    CHECK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK(cuStreamIsCapturing(s, &capturing));
    CHECK(cuMemsetD32Async(p, 7, 4, s));
    CHECK(cuStreamEndCapture(s, &g));
    CHECK(cuGraphInstantiate(&x, g, 0));
    CHECK(cuGraphLaunch(x, s));
    CHECK(cuStreamSynchronize(s));
    CHECK(cuMemcpyDtoH(h, p, 16));
    printf("%d %u ", capturing, h[2]);
    CUmemoryPool pool;
    cuuint64_t all = ~0ull, got = 0;
    CHECK(cuDeviceGetDefaultMemPool(&pool, d));
    CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all));
    CHECK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &got));
    CHECK(cuMemAllocFromPoolAsync(&q, 256, pool, s));
    CHECK(cuMemFreeAsync(q, s));
    size_t pitch;
    CUDA_MEMCPY2D r;
    unsigned rows[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    CHECK(cuMemAllocPitch(&q, &pitch, 8, 4, 4));
    memset(&r, 0, sizeof r);
    r.srcMemoryType = CU_MEMORYTYPE_HOST, r.srcHost = rows, r.srcPitch = 8;
    r.dstMemoryType = CU_MEMORYTYPE_DEVICE, r.dstDevice = q, r.dstPitch = pitch, r.WidthInBytes = 8, r.Height = 4;
    CHECK(cuMemcpy2D(&r));
    CHECK(cuMemcpyDtoH(h, q + pitch * 2, 8));
    CHECK(cuMemAllocManaged(&m, 64, CU_MEM_ATTACH_GLOBAL));
    CHECK(cuMemAdvise(m, 64, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, d));
    CHECK(cuMemPrefetchAsync(m, 64, d, s));
    CHECK(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    CHECK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, m));
    CHECK(cuStreamSynchronize(s));
    printf("%d %u %u %u %d\n", got == all, h[1], kind, managed, maps);
}
EOF

# A hazard between its calls is told with their lines.
cat > "$dir/x.cu" << 'EOF'
#include <cuda.h>
__global__ void k(int *p) { *p = 1; }
int main() {
    CUdeviceptr p; CUstream s;
    cuMemAlloc(&p, 4);
    cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    cuMemsetD8(p, 0, 4);
    k<<<1, 1, 0, s>>>((int *)p);
    cuStreamSynchronize(s);
}
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'a hazard of its calls is told with their lines' complains 'x.cu:7: cudaMemset in the default stream'
printf '#include <cuda.h>\nint main(void) { CUdevice d; CUcontext c; cuInit(0); cuDeviceGet(&d, 0); return cuCtxCreate(&c, 0, d); }\n' > "$dir/c.c"
run build/bin/simcc -Xcompiler -Wall "$dir/c.c" -o "$dir/c"
ok 'C has it, too' eval 'ends 0 && "$dir/c"'

# ---- what a card says of itself: facts/h200-edges.txt, and the guide's tables by compute capability ----

build properties << 'EOF'
#include <cstdio>
int main()
{
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    int ratio, bus, line, cluster, pitch;
    cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, 0);
    cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, 0);
    cudaDeviceGetAttribute(&line, cudaDevAttrMaxTexture1DLinearWidth, 0);
    cudaDeviceGetAttribute(&cluster, cudaDevAttrClusterLaunch, 0);
    cudaDeviceGetAttribute(&pitch, cudaDevAttrMaxTexture2DLinearPitch, 0);
    printf("%d %d %d %d %d, ", ratio, bus, line, cluster, pitch);
    printf("%d, %dx%d, %d, %d layers of %d, %d, ", p.maxTexture1D, p.maxTexture2D[0], p.maxTexture2D[1], p.maxTexture3D[2],
           p.maxTexture2DLayered[2], p.maxTexture2DLayered[0], p.maxTextureCubemapLayered[1]);
    printf("%d, %dx%d, %d, %d of %d, %d\n", p.maxSurface1D, p.maxSurface2D[0], p.maxSurface2D[1], p.maxSurface3D[0],
           p.maxSurface2DLayered[2], p.maxSurface2DLayered[0], p.maxSurfaceCubemapLayered[1]);
}
EOF
says_of_itself() { SIM_PROFILE=$1 play properties && ends 0 && prints "$2"; }
ok 'a simulated H200 has the properties of a real one' says_of_itself h200 \
    '2 6016 268435456 1 2097120, 131072, 131072x65536, 16384, 2048 layers of 32768, 2046, 32768, 131072x65536, 16384, 2048 of 32768, 2046'
ok 'a C2050 and a C1060 what the guide says of theirs' eval 'says_of_itself c2050 "2 384 134217728 0 0, 65536, 65536x65535, 2048, 2048 layers of 16384, 2046, 65536, 65536x32768, 65536, 2048 of 65536, 2046" &&
    says_of_itself c1060 "8 512 134217728 0 0, 8192, 65536x32768, 2048, 512 layers of 8192, 0, 0, 0x0, 0, 0 of 0, 0"'
for card in 'k20c 3' 'rtx2070s 32' 'rtx3090 64'; do
    ok "how much slower doubles are: $card" eval 'SIM_PROFILE=${card% *} play properties && ends 0 && [[ $(cat "$dir/out") = "${card#* } "* ]]'
done

done_testing
