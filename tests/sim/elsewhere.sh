#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What programs from elsewhere use: headers, enumerators, calls. They run, or are refused in one sentence.
. tests/sim/sim.bash

# ---- headers and enumerators ----

prints_as 'what nvcc brings needs no header' '3 6 prohibited' << 'EOF'
static int sum(std::initializer_list<int> list) { int s = 0; for (int i : list) s += i; return s; }
int main() {
    time_t now = time(NULL);
    clock_t ticks = clock();
    printf("%d %d %s\n", (int)strlen("abc") + (int)(now < 0) + (int)(ticks < 0) + (INT_MAX < 0), sum({ 1, 2, 3 }),
           cudaComputeModeProhibited == 2 ? "prohibited" : "");
}
EOF

prints_as 'a device is asked for all that it has' '0 0 0 -1 0 1 0' << 'EOF'
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

prints_as 'each attribute but those that are reserved, and one, has an answer' '23' << 'EOF'
int main() {
    int known = 0, value;
    for (int a = 1; a < cudaDevAttrMax; a++)
        known += cudaDeviceGetAttribute(&value, (cudaDeviceAttr)a, 0) == cudaSuccess;
    cudaGetLastError();
    printf("%d\n", cudaDevAttrMax - 1 - known);
}
EOF

prints_as 'the bandwidth that a program reckons from clock and width of the memory' '4916.7 GB/s 936.1 GB/s' << 'EOF'
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

# ---- the driver API ----

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

# ---- code of the device ----

prints_as 'atomic variables, bfloat16, pieces of words, ranges of NVTX' '128 3 020003ff 20 01010000 8 3.25' << 'EOF'
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <nvtx3/nvToolsExt.h>
__device__ cuda::atomic<int, cuda::thread_scope_device> total;
__global__ void k(int *p, unsigned *u, __nv_bfloat16 *b) {
    cuda::atomic_ref<int, cuda::thread_scope_device> r(*p);
    r.fetch_add(2, cuda::memory_order_relaxed); total++;
    if (threadIdx.x == 0) { u[0] = umin(3u, 5u); u[1] = __vadd4(0x01ff02fe, 0x01010101); u[2] = (unsigned)__dp4a(0x01020304, 0x01010101, 10);
      u[3] = __vmaxs4(0x80010000u, 0x01800000u); u[4] = __vsadu4(0x01020304, 0x04030201); b[0] = __nv_bfloat16(1.5f) * __nv_bfloat16(2.0f) + __nv_bfloat16(0.25f); }
}
int main() { int *p; unsigned *u; __nv_bfloat16 *b; cudaMallocManaged(&p, 4); cudaMallocManaged(&u, 32); cudaMallocManaged(&b, 2); *p = 0;
  nvtxRangePushA("outer"); nvtxRangePush("inner");
  k<<<2, 32>>>(p, u, b); cudaDeviceSynchronize(); nvtxRangePop(); nvtxRangePop();
  printf("%d %u %08x %u %08x %u %g\n", *p, u[0], u[1], u[2], u[3], u[4], (float)b[0]); }
EOF

cat > "$dir/ranges.cu" << 'EOF'
#include <nvtx3/nvToolsExt.h>
__global__ void k() { }
int main() { char *p; cudaMalloc(&p, 1 << 20);
  nvtxRangePushA("outer"); nvtxRangePushA("inner"); k<<<2, 32>>>(); nvtxRangePop(); nvtxRangePushA(""); nvtxRangePop(); k<<<2, 32>>>(); nvtxRangePop();
  cudaMemset(p, 0, 1 << 20); return nvtxRangePop() != -1 || cudaDeviceSynchronize() != cudaSuccess; }
EOF
run build/bin/simcc -o "$dir/ranges" "$dir/ranges.cu" && run build/bin/timeline --color=never --label=outer "$dir/ranges"
ok 'a range of NVTX with others in it ends where it is popped' eval 'ends 0 && says █ && ! says ▒'

prints_as 'layers and the faces of a cube are textures and surfaces' $'cudaSuccess cudaSuccess layers 0 38.5 cube 0 surface 0\ncudaErrorInvalidValue ' << 'EOF'
__global__ void lay(float *o, cudaTextureObject_t t) { int i = threadIdx.x; o[i] = tex2DLayered<float>(t, (i % 4 + 0.5f) / 4, (i / 4 % 4 + 0.5f) / 4, i / 16); if (i == 0) o[48] = tex2DLayered<float>(t, 0.25f, 0.5f, 9); }
__global__ void cube(float *o, cudaTextureObject_t t) {
  int i = threadIdx.x % 16, f = threadIdx.x / 16; float u = (i % 4 + 0.5f) / 2 - 1, v = (i / 4 + 0.5f) / 2 - 1;
  float3 d = f == 0 ? make_float3(1, -v, -u) : f == 1 ? make_float3(-1, -v, u) : f == 2 ? make_float3(u, 1, v) : f == 3 ? make_float3(u, -1, -v) : f == 4 ? make_float3(u, -v, 1) : make_float3(-u, -v, -1);
  o[threadIdx.x] = texCubemap<float>(t, d.x * 3, d.y * 3, d.z * 3);
}
__global__ void surf(cudaSurfaceObject_t s) { int i = threadIdx.x; float v; surf2DLayeredread(&v, s, i % 4 * 4, i / 4 % 4, i / 16); surf2DLayeredwrite(v + 100, s, i % 4 * 4, i / 4 % 4, i / 16); }
int main() {
  float h[96], *o, back[96]; for (int i = 0; i < 96; i++) h[i] = i;
  cudaMallocManaged(&o, sizeof h);
  cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
  cudaArray_t a[2];
  cudaMalloc3DArray(&a[0], &c, make_cudaExtent(4, 4, 3), cudaArrayLayered | cudaArraySurfaceLoadStore);
  cudaMalloc3DArray(&a[1], &c, make_cudaExtent(4, 4, 6), cudaArrayCubemap);
  cudaTextureObject_t t[2];
  for (int k = 0; k < 2; k++) {
    cudaMemcpy3DParms p = {}; p.srcPtr = make_cudaPitchedPtr(h, 16, 4, 4); p.dstArray = a[k]; p.extent = make_cudaExtent(4, 4, k ? 6 : 3); p.kind = cudaMemcpyHostToDevice; cudaMemcpy3D(&p);
    cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a[k];
    cudaTextureDesc d = {}; d.normalizedCoords = 1; d.filterMode = cudaFilterModeLinear; d.addressMode[0] = d.addressMode[1] = cudaAddressModeWrap;
    printf("%s ", cudaGetErrorName(cudaCreateTextureObject(&t[k], &r, &d, NULL)));
  }
  lay<<<1, 48>>>(o, t[0]); cudaDeviceSynchronize();
  int bad = 0; for (int i = 0; i < 48; i++) bad += o[i] != i; printf("layers %d %g ", bad, o[48]);
  cube<<<1, 96>>>(o, t[1]); cudaDeviceSynchronize();
  bad = 0; for (int i = 0; i < 96; i++) bad += o[i] != i; printf("cube %d ", bad);
  cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a[0];
  cudaSurfaceObject_t s; cudaCreateSurfaceObject(&s, &r);
  surf<<<1, 48>>>(s); cudaDeviceSynchronize();
  cudaMemcpy3DParms p = {}; p.dstPtr = make_cudaPitchedPtr(back, 16, 4, 4); p.srcArray = a[0]; p.extent = make_cudaExtent(4, 4, 3); p.kind = cudaMemcpyDeviceToHost; cudaMemcpy3D(&p);
  bad = 0; for (int i = 0; i < 48; i++) bad += back[i] != i + 100; printf("surface %d\n", bad);
  cudaArray_t no; printf("%s ", cudaGetErrorName(cudaMalloc3DArray(&no, &c, make_cudaExtent(4, 5, 6), cudaArrayCubemap)));
  puts("");
}
EOF

# Words of a toolkit before CUDA 13, and what <cmath> brings with nvcc.
prints_as 'errors that no call gives any more, the standard library without a header, numbers of 16 bits rounded each way' \
    $'mixed 2 5 1\n9.5 9.5 9.49219 9.5 -9.5 -9.49219 3 2 2 3 32767 -128 65504 inf\n16646144 16777216 16777216 9223372036854775807\n-6 12 7f80 80808080' << 'EOF'
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <sm_61_intrinsics.h>
static const char *word(cudaError_t e) {
    switch (e) {
    case cudaErrorMixedDeviceExecution: return "mixed";
    case cudaErrorSynchronizationError: case cudaErrorPriorLaunchFailure: case cudaErrorTextureFetchFailed: return "old";
    default: return "";
    }
}
__global__ void k(float *f, long long *l, unsigned *u) {
    f[0] = __float2half_rn(9.4999f); f[1] = __float2half_ru(9.4999f); f[2] = __float2half_rd(9.4999f); f[3] = __float2bfloat16_ru(9.4501f);
    f[4] = __float2half_rd(-9.4999f); f[5] = __float2half_rz(-9.4999f);
    f[6] = __half2int_ru(__float2half(2.5f)); f[7] = __half2int_rn(__float2half(2.5f)); f[8] = __half2short_rd(__float2half(2.5f)); f[9] = __half2ll_ru(__float2half(2.5f));
    f[10] = __half2short_rz(__float2half(4e4f)); f[11] = __half2char_rz(__float2half(-300.f)); f[12] = __float2half_rz(1e6f); f[13] = __float2half_ru(1e6f);
    l[0] = (long long)(float)__int2bfloat16_rz(16777215 - 65536); l[1] = (long long)(float)__ll2bfloat16_rn(16777215);
    l[2] = (long long)(float)__int2bfloat16_ru(16711681); l[3] = __bfloat162ll_rn(__float2bfloat16(1e30f));
    u[0] = (unsigned)__dp2a_lo(0x00020003, 0x0000fefe, 4); u[1] = __dp4a(make_uchar4(1, 2, 3, 0), make_uchar4(1, 2, 2, 9), 1u);
    u[2] = __vaddss2(0x00007f00, 0x00000100) & 0xff80; u[3] = __vnegss4(0x80808080) ^ 0xffffffff;
}
int main() {
    float *f; long long *l; unsigned *u;
    cudaMallocManaged(&f, 64); cudaMallocManaged(&l, 64); cudaMallocManaged(&u, 64);
    auto p = std::make_pair(std::max(1, 2), 5);
    printf("%s %d %d %d\n", word(cudaErrorMixedDeviceExecution), p.first, p.second, std::is_same<CUresult, decltype(CUDA_ERROR_STUB_LIBRARY)>::value);
    k<<<1, 1>>>(f, l, u);
    cudaDeviceSynchronize();
    for (int i = 0; i < 14; i++) printf("%g%c", f[i], i < 13 ? ' ' : '\n');
    for (int i = 0; i < 4; i++) printf("%lld%c", l[i], i < 3 ? ' ' : '\n');
    printf("%d %u %x %x\n", (int)u[0], u[1], u[2], u[3]);
}
EOF

prints_as 'complex numbers' '4,-2 -2,6 11,2 -0.2,0.4 12,0 5,-3 11,2 0,1' << 'EOF'
#include <cuComplex.h>
__global__ void k(cuDoubleComplex *out, cuFloatComplex *small) {
    cuDoubleComplex a = make_cuDoubleComplex(1, 2), b = make_cuDoubleComplex(3, -4);
    out[0] = cuCadd(a, b); out[1] = cuCsub(a, b); out[2] = cuCmul(a, b); out[3] = cuCdiv(a, b); out[4] = cuCfma(a, b, cuConj(a));
    out[5] = make_cuDoubleComplex(cuCabs(b), cuCreal(a) + cuCimag(b));
    small[0] = cuCmulf(make_cuComplex(1, 2), cuComplexDoubleToFloat(b));
    small[1] = cuCdivf(make_cuFloatComplex(1e30f, 1e30f), make_cuFloatComplex(1e30f, -1e30f));
}
int main() {
    cuDoubleComplex *out, h[6];
    cuFloatComplex *small;
    cudaMalloc(&out, sizeof h);
    cudaMallocManaged(&small, 2 * sizeof *small);
    k<<<1, 1>>>(out, small);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 6; i++) printf("%g,%g ", h[i].x, h[i].y);
    printf("%g,%g %g,%g\n", small[0].x, cuCimagf(small[0]), small[1].x, small[1].y);
}
EOF

prints_as 'functions and shuffles of halves, scans, partitions and copies of groups' '5 6.5 32 4 3 8 2 7 4 4 -1 -1 1000 0 0 7 3 14 13 4 8 2 ' << 'EOF'
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/scan.h>
#include <sm_60_atomic_functions.h>
namespace cg = cooperative_groups;
__global__ void numbers(float *f, unsigned *u)
{
    half h = __shfl_xor_sync(0xffffffff, half((float)threadIdx.x), 1);
    __nv_bfloat162 b = __shfl_down_sync(0xffffffff, make_bfloat162((float)threadIdx.x, 0.5f), 2);
    if (threadIdx.x != 4)
        return;
    half2 two = h2exp2(make_half2(h, hrcp(half(0.5f))));
    f[0] = (float)h; f[1] = (float)b.x + (float)b.y; f[2] = (float)two.x; f[3] = (float)two.y; f[4] = (float)hlog2(half(8.f));
    f[5] = (float)hexp2(__nv_bfloat16(3.f)); f[6] = (float)hrsqrt(half(0.25f));
    u[0] = __fns(0x90, 0, 2); u[1] = __fns(0x90, 7, -2); u[2] = __fns(0x90, 4, 0); u[3] = __fns(0x90, 5, 0); u[4] = __fns(0x90, 0, 3);
}
__global__ void groups(const int *in, int *out)
{
    __shared__ int s[32];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    cg::memcpy_async(block, s, in, sizeof s);
    cg::wait(block);
    int *own = out + 5 * threadIdx.x;
    own[0] = cg::inclusive_scan(tile, s[threadIdx.x]);
    own[1] = cg::exclusive_scan(tile, s[threadIdx.x], cg::plus<int>());
    own[2] = cg::inclusive_scan(tile, s[threadIdx.x], cg::greater<int>());
    auto odd = cg::binary_partition(tile, threadIdx.x % 2 == 1);
    own[3] = cg::reduce(odd, s[threadIdx.x], cg::plus<int>());
    own[4] = (int)cg::labeled_partition(tile, threadIdx.x % 3).size();
    cg::invoke_one(block, [](int *p) { *p += 1000; }, out);
}
int main()
{
    float *f; unsigned *u; int *in, *out;
    cudaMallocManaged(&f, 32); cudaMallocManaged(&u, 32); cudaMallocManaged(&in, 128); cudaMallocManaged(&out, 640);
    for (int i = 0; i < 32; i++) in[i] = i * i % 7;
    numbers<<<1, 32>>>(f, u);
    groups<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 7; i++) printf("%g ", f[i]);
    for (int i = 0; i < 5; i++) printf("%d ", (int)u[i]);
    for (int t = 0; t < 14; t += 13) for (int i = 0; i < 5; i++) printf("%d ", out[5 * t + i]);
    puts("");
}
EOF

prints_as 'inverses of erf, norms of four, erfcx' '0.476936276204 -1.96 1e-10 5.86358474876 inf nan 5 0.1 0.0561409927438 1.00000 1.00000' << 'EOF'
__global__ void k(double *d) {
    d[0] = erfinv(0.5); d[1] = normcdfinv(0.024997895148220435); d[2] = erf(erfinv(1e-10)); d[3] = erfcinv(erfc(5.863584748755168)); d[4] = erfinv(1.);
    d[5] = erfcinv(3.); d[6] = norm4d(1, 2, 2, 4); d[7] = rnorm4d(10, 0, 0, 0); d[8] = erfcx(9.999999) / erfcx(10.000001);
    d[9] = (double)erfcxf(20.f) * 20 * sqrt(3.14159265358979) * (1 + 1 / 800. ); d[10] = erfcx(10.);
}
int main() { double *d; cudaMallocManaged(&d, 88); k<<<1, 1>>>(d); cudaDeviceSynchronize();
    for (int i = 0; i < 8; i++) printf("%.12g ", d[i]); printf("%.12g %.5f %.5f\n", d[10], d[8], d[9]); }
EOF

prints_as 'a variable of both __device__ and __constant__ is one symbol' '49' << 'EOF'
__device__ __constant__ int a;
__constant__ __device__ float b[2] = { 1, 2 };
static __device__ __constant__ int c = 3;
__device__ const __constant__ int d = 4;
__global__ void k(int *out) { out[0] = a + (int)b[1] + c + d; }
int main() {
    int *out, h = 40;
    cudaMalloc(&out, sizeof h);
    cudaMemcpyToSymbol(a, &h, sizeof h);
    k<<<1, 1>>>(out);
    cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    cudaFree(out);
}
EOF

# On an H100 a lane that has ended gives 0, and lanes that a card runs together print in their order.
cat > "$dir/x.cu" << 'EOF'
__global__ void tail(int *sum)
{
    int v = 1;
    if (threadIdx.x >= 20)
        return;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0)
        *sum = v;
}
__global__ void prints()
{
    int v = __shfl_xor_sync(0xffffffff, (int)threadIdx.x, 1);
    printf("%d ", __shfl_xor_sync(0xffffffff, v, 1));
}
int main()
{
    int *sum, h;
    cudaMalloc(&sum, sizeof h);
    tail<<<1, 32>>>(sum);
    cudaMemcpy(&h, sum, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(sum);
    prints<<<1, 32>>>();
    cudaDeviceSynchronize();
    printf("%d\n", h);
}
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'a shuffle that reads a lane which has ended is told of' \
    eval 'complains "x.cu:7: kernel tail in the default stream (queued in line 20): in __shfl_down_sync lane 4 reads lane 20, which has ended or never was: " && [ "$(wc -l < "$dir/err")" = 1 ]'
ok 'it reads 0, and lanes go on in their order' prints "$(seq -s ' ' 0 31) 20"

prints_as "atomic functions of vectors and of pairs, cuda::std with cuda/atomic, NVTX for C++" '64 96 32 16 48 5 7 1' << 'EOF'
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <nvtx3/nvtx3.hpp>
__global__ void k(float *f, int *p)
{
    __shared__ __nv_bfloat162 b;
    __shared__ float4 v;
    if (threadIdx.x == 0)
        b = __float2bfloat162_rn(0.f), v = make_float4(0, 0, 0, 0);
    __syncthreads();
    atomicAdd(&b, __floats2bfloat162_rn(2.f, 3.f));
    atomicAdd(&v, make_float4(1.f, 0.5f, 0.f, 0.f));
    atomicAdd((float2 *)f + 2, make_float2(1.5f, 0.f));
    cuda::atomic_ref<int, cuda::thread_scope_device> r(p[0]);
    r.fetch_max((int)threadIdx.x % 6, cuda::std::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_block>(p[1]).store(7, cuda::std::memory_order_release);
    __syncthreads();
    f[0] = __low2float(b), f[1] = __high2float(b), f[2] = v.x, f[3] = v.y;
}
static int ranges()
{
    NVTX3_FUNC_RANGE();
    nvtx3::scoped_range r{ "part", nvtx3::rgb{ 127, 255, 0 }, nvtx3::payload{ 3 } };
    nvtx3::event_attributes attributes{ nvtx3::category{ 1 }, std::string("other") };
    nvtx3::scoped_range other{ attributes };
    nvtx3::mark("here");
    return 1;
}
int main()
{
    float *f;
    int *p;
    cudaMallocManaged(&f, 64), cudaMallocManaged(&p, 8);
    memset(f, 0, 64), memset(p, 0, 8);
    k<<<1, 32>>>(f, p);
    cudaDeviceSynchronize();
    printf("%g %g %g %g %g %d %d %d\n", f[0], f[1], f[2], f[3], f[4], p[0], p[1], ranges());
}
EOF

# ---- shared memory ----

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

# ---- kernels that launch kernels ----

# As an H100 has it: 201 of the host's launch, and twice 48 + 201 of the parents' blocks; the tail sees them all.
cat > "$dir/x.cu" << 'EOF'
template <typename T> __global__ void add(T *sum, int value) { atomicAdd(sum, (T)(value + (int)threadIdx.x)); }
__host__ __device__ void both(int *p) { add<<<1, 2>>>(p, 100); }
__global__ void last(int *p) { p[3] = p[0]; }
__global__ void count(int *p, int depth)
{
    if (threadIdx.x == 0 && depth > 0) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        p[1]++;
        count<<<1, 2, 0, s>>>(p, depth - 1);
        cudaStreamDestroy(s);
    }
}
__global__ void parent(int *p)
{
    __shared__ int first;
    if (threadIdx.x == 0)
        first = 7;
    __syncthreads();
    if (threadIdx.x == 1) {
        last<<<1, 1, 0, cudaStreamTailLaunch>>>(p);
        add<<<2, 3>>>(p, first);
        both(p);
        p[2] = cudaGetLastError();
    }
}
__global__ void wrong(int *p)
{
    add<<<1, 2048>>>(p, 0);
    p[4] = cudaPeekAtLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaErrorInvalidConfiguration &&
           cudaGetLastError() == cudaSuccess;
}
int main()
{
    int *p, h[5];
    cudaMalloc(&p, sizeof h);
    cudaMemset(p, 0, sizeof h);
    both(p);
    parent<<<2, 32>>>(p);
    count<<<1, 1>>>(p, 24);
    wrong<<<1, 1>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d %d %s\n", h[0], h[1], h[2], h[3], h[4], cudaGetErrorString(cudaDeviceSynchronize()));
    count<<<1, 1>>>(p, 1001);
    cudaDeviceSynchronize();
    cudaFree(p);
}
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'children run when their parent has, each with its own, the tail last' prints '699 24 0 699 1 no error'
ok 'a launch that no card takes is refused, and told' complains "x.cu:29: a kernel's launch of add was refused: its block has more threads than this device takes"
ok 'so is one that is 1001 deep, and nothing else is' \
    eval 'complains "x.cu:10: a kernel'"'"'s launch of count was refused: kernels launch kernels 1000 deep here at most" && [ "$(wc -l < "$dir/err")" = 2 ]'
SIM_CORES=2 play x
ok 'on several cores, too' prints '699 24 0 699 1 no error'
prints_as 'a fault of a child is the launch of the host: the device is lost' 'cudaErrorIllegalAddress' << 'EOF'
__global__ void child(int *p) { *p = 1; }
__global__ void parent() { child<<<1, 1>>>(NULL); }
int main() { parent<<<1, 1>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
EOF

cat > "$dir/x.cu" << 'EOF'
#include <cooperative_groups.h>
__global__ void k() { auto grid = cooperative_groups::this_grid(); if (blockIdx.x == 0) grid.sync(); }
int main() { k<<<2, 1>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'a grid that was not launched to wait for itself cannot, as on a card' \
    eval 'prints cudaErrorLaunchFailure && complains "x.cu:2: grid_group::sync: the kernel was launched without cudaLaunchCooperativeKernel"'

cat > "$dir/x.cu" << 'EOF'
#include <cooperative_groups.h>
#include "streams.h"
__global__ void some() { if (blockIdx.x > 0) cooperative_groups::this_grid().sync(); }
/* As many threads at once as this card has room for. */
__global__ void all(unsigned *n) { atomicAdd(n, 1); cooperative_groups::this_grid().sync(); if (*n == gridDim.x * blockDim.x) atomicAdd(n + 1, 1); }
__global__ void costs(int *n) { kernel_cost(50000); atomicAdd(n, 1); cooperative_groups::this_grid().sync(); if (*n != 8) atomicAdd(n, 100); }
int main(int count, char **)
{
    unsigned *n, h[2];
    CHECK(cudaMallocManaged(&n, sizeof h));
    void *args[] = { &n };
    n[0] = n[1] = 0;
    CHECK(cudaLaunchCooperativeKernel((void *)all, 40, 512, args));
    CHECK(cudaDeviceSynchronize());
    printf("%u %u ", n[0], n[1]);
    n[0] = 0;
    float ms;
    cudaEvent_t a, b;
    CHECK(cudaEventCreate(&a));
    CHECK(cudaEventCreate(&b));
    CHECK(cudaEventRecord(a));
    CHECK(cudaLaunchCooperativeKernel((void *)costs, 4, 2, args));
    CHECK(cudaEventRecord(b));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, a, b));
    printf("%u %d ", n[0], ms > 0.05);
    CHECK(cudaLaunchCooperativeKernel((void *)some, 3, 32, NULL));
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF
run build/bin/simcc -Icommon "$dir/x.cu" -o "$dir/x"
play x
ok 'the blocks of a cooperative grid are all there at once, and one that ends early keeps the others waiting' \
    eval 'prints "20480 20480 8 1 cudaErrorLaunchFailure" && complains "some: 2 of 3 blocks wait for the whole grid, and the others have ended"'

prints_as 'kernels take memory by cudaMalloc, give it back, and know their device' '7 0 0' << 'EOF'
__global__ void takes(int **p) { if (cudaMalloc(p, 16) == cudaSuccess) (*p)[3] = 7; }
__global__ void gives(int **p, int *o) { o[0] = (*p)[3]; o[1] = cudaFree(*p); cudaGetDevice(o + 2); }
int main()
{
    int **p, *o;
    cudaMallocManaged(&p, sizeof *p);
    cudaMallocManaged(&o, 3 * sizeof *o);
    takes<<<1, 1>>>(p);
    gives<<<1, 1>>>(p, o);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", o[0], o[1], o[2]);
}
EOF

# ---- threads that wait for another block ----

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
    eval 'prints cudaErrorLaunchFailure && complains "its threads wait for what none of them does" && complains "x.cu:8: wait for a cuda::barrier or cuda::pipeline: 64 of 64 threads"'

# ---- the end of a program that has not waited ----

# As on an H100: host functions that are due within 0.2 ms of the end of main still run, one after 1 ms does not, nor does any after _exit.
cat > "$dir/x.cu" << 'EOF'
#include <unistd.h>
__global__ void works(long long ns) { long long from = clock64(); while (clock64() - from < ns * 2) ; printf("works\n"); }
void says(void *what) { puts((const char *)what); fflush(stdout); }
int main(int count, char **arguments) {
    cudaStream_t s;
    long long us = atoi(arguments[1]);
    cudaStreamCreate(&s);
    if (us > 0) works<<<1, 1, 0, s>>>(us * 1000);
    cudaLaunchHostFunc(s, says, (void *)"first");
    cudaLaunchHostFunc(s, says, (void *)"second");
    cudaStreamDestroy(s);
    if (count > 2) _exit(0);
}
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x 0
ok 'host functions that are due still run when main has returned' eval 'prints $'"'first\nsecond'"' && [ ! -s "$dir/err" ]'
play x 20000
ok 'later ones do not, which is told' eval 'prints "" && complains "x.cu:8: kernel works in stream 1, and 2 operations after it, may be cut off, and what it prints is lost: the program ends without waiting for them"'
play x 0 exit
ok 'nor does any after _exit' eval 'prints "" && complains "x.cu:9: cudaLaunchHostFunc in stream 1, and 1 operation after it, may be cut off: "'
prints_as 'there is nothing to tell of a program that waits' 'works' << 'EOF'
__global__ void works() { printf("works\n"); }
int main() { works<<<1, 1>>>(); cudaDeviceSynchronize(); }
EOF

# ---- what is refused, by name ----

refused 'modules' 5 'modules, which are loaded while a program runs: cuModuleLoad' << 'EOF'
#include <cuda.h>
int main()
{
    cuInit(0);
    cuModuleLoad(0, "kernels.ptx");
}
EOF
refused 'the rest of the driver API' 4 'call of the driver API of this name: cuStreamWriteValue32' << 'EOF'
#include <cuda.h>
int main()
{
    cuStreamWriteValue32(0, 0, 1, 0);
}
EOF

refused 'a grid on several devices' 4 'cooperative launches across devices: cudaLaunchCooperativeKernelMultiDevice' << 'EOF'
__global__ void k() { }
int main()
{
    cudaLaunchCooperativeKernelMultiDevice(NULL, 1, 0);
}
EOF
refused 'votes of the cards before Volta' 3 'vote or shuffle without _sync, as cards from compute capability 7.0 on have none: __ballot' << 'EOF'
__global__ void k(unsigned *p)
{
    *p = __ballot(threadIdx.x < 3);
}
int main() { }
EOF
refused 'calls of the runtime that are not there' 1 'call of the runtime of this name: cudaSetValidDevices' << 'EOF'
int main() { int which = 0; return cudaSetValidDevices(&which, 1); }
EOF
refused 'functions of the device that are not there' 1 'function of the device of this name: __vibmax_s32' << 'EOF'
__global__ void k(int *p, bool *q) { *p = __vibmax_s32(*p, 3, q); }
int main() { }
EOF

refused 'headers of the toolkit' 1 'types of the data of libraries: library_types.h' << 'EOF'
#include <library_types.h>
int main() { }
EOF
refused 'headers of libcu++' 1 'header of libcu++ of this name: cuda/ptx' << 'EOF'
#include <cuda/ptx>
int main() { }
EOF

refused 'Thrust is refused at its header' 2 'Thrust: thrust/device_vector.h' << 'EOF'
#include <stdio.h>
#include <thrust/device_vector.h>
int main() { thrust::device_vector<int> v(3); }
EOF
refused 'cuRAND in the device' 1 'cuRAND: curand_kernel.h' << 'EOF'
#include <curand_kernel.h>
__global__ void k(curandState *s) { }
int main() { }
EOF
refused 'texture references, once' 1 'texture and surface references, which CUDA 12 took away (objects do the same): texture' << 'EOF'
texture<float, 2, cudaReadModeElementType> t;
__global__ void k(float *p) { p[0] = tex2D(t, 1, 2); }
int main()
{
    cudaArray_t array;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &d, 3, 3);
    cudaBindTextureToArray(t, array, d);
}
EOF
refused 'gathers from a texture' 1 'gathers from textures: tex2Dgather' << 'EOF'
__global__ void k(cudaTextureObject_t t, float4 *p) { p[0] = tex2Dgather<float4>(t, 1, 2, 0); }
int main() { }
EOF
refused 'views of a texture' 1 "other views of a texture's array: cudaResourceViewDesc" << 'EOF'
int main() { cudaResourceViewDesc view = {}; }
EOF
refused 'sparse arrays' 1 'sparse arrays, or arrays of several planes: cudaArraySparse' << 'EOF'
int main() { return cudaArraySparse; }
EOF
refused 'mipmaps' 1 'mipmaps: cudaMipmappedArray_t' << 'EOF'
int main() { cudaMipmappedArray_t array; cudaMallocMipmappedArray(&array, 0, make_cudaExtent(4, 4, 0), 2); }
EOF
refused 'copies of volumes between devices' 1 'copies of volumes between devices or in batches: cudaMemcpy3DPeerParms' << 'EOF'
int main() { cudaMemcpy3DPeerParms p = {}; cudaMemcpy3DPeer(&p); }
EOF
refused 'memory of other processes' 4 'memory and events of other processes: cudaIpcMemHandle_t' << 'EOF'
int main()
{
    void *p = 0;
    cudaIpcMemHandle_t handle;
    cudaIpcGetMemHandle(&handle, p);
}
EOF

done_testing
