#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What device code calls: the device's functions, PTX, cooperative groups, with the results of a card.
. tests/sim/sim.bash

prints_as 'which thread it is is read wherever it stands, and what the program calls so is its own' '19 7 9 2.5 5 1 96' << 'EOF'
template <typename T> __device__ T twice(const T &v) { return 2 * v; }
struct box { unsigned x; };
struct holds { box gridDim; __device__ unsigned own() { gridDim.x += 2; return gridDim.x; } };
__global__ void own(int *out) { box blockDim = { 6 }; blockDim.x++; out[1] = blockDim.x; holds h = { { 7 } }; out[2] = h.own(); }
__global__ void shadows(float *out) { struct { float x; } blockIdx = { 1.25f }; *out = blockIdx.x*2; }
__global__ void child(int *out, int n) { *out = n; }
__global__ void k(int *out, int s) {
    const unsigned &one = threadIdx.x, *two = &threadIdx.x;
    decltype(threadIdx.x) size = sizeof threadIdx.x;
    auto lambda = [&] { return s<threadIdx.x ? 100:threadIdx.x; };
    if (threadIdx.x == 3) out[0] = one + *two + (int)threadIdx.x + twice(threadIdx.x) + max(threadIdx.x, 2u) + size + lambda() + (threadIdx.x<<s-2) - blockDim.x*3 - (blockIdx.x);
    if (threadIdx.x==3) child<<<gridDim.x,blockDim.x-3>>>(out + 4, threadIdx.x+2);
    __syncthreads();
    for (int i=threadIdx.x; i<8; i+=blockDim.x) atomicAdd(out + 6, threadIdx.x + 8 * (i == 7) + (threadIdx.x & 1) * 19);
    __shared__ int last; if (threadIdx.x == blockDim.x - 1) last = threadIdx.x; __syncthreads();
    if (threadIdx.x == 0) out[5] = last == 3;
}
int main() { int *d, h[8]; float *f, g; cudaMalloc(&d, sizeof h); cudaMalloc(&f, 4); cudaMemset(d, 0, sizeof h); dim3 blockDim(4);
  k<<<1, blockDim.x>>>(d, 3); own<<<1, 1>>>(d); shadows<<<1, 1>>>(f);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); cudaMemcpy(&g, f, 4, cudaMemcpyDeviceToHost);
  printf("%d %d %d %g %d %d %d\n", h[0], h[1], h[2], g, h[4], h[5], h[6]); }
EOF

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
    eval 'complains "x.cu:7: kernel tail in the default stream (queued in line 20): in __shfl_down_sync lane 4 reads lane 20, which has ended or never existed: " && [ "$(wc -l < "$dir/err")" = 1 ]'
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

# What NVIDIA's header gives on the host for the same numbers.
prints_as 'numbers of 8 bits: rounded once, saturated or not, and back' \
    $'38 b9 7e 7f 01 00 7f e4m3 7b 7c 3e 00 7f e5m2\n017ec138: 1 -2.25 448 0.00195312, c27b: 57344 -3\n448 255 0 127 1, half 3f00 7fff, pairs c038 40383cc0' << 'EOF'
#include <cuda_fp8.h>
__global__ void to(const float *from, __nv_fp8_storage_t *at)
{
    at[threadIdx.x] = __nv_cvt_float_to_fp8(from[threadIdx.x], threadIdx.x == 3 || threadIdx.x == 8 ? __NV_NOSAT : __NV_SATFINITE,
                                            threadIdx.x < 7 ? __NV_E4M3 : __NV_E5M2);
}
__global__ void pairs(unsigned *at)
{
    at[0] = __nv_fp8x2_e4m3(__floats2half2_rn(1.f, -2.f)).__x;
    at[1] = __nv_fp8x4_e5m2(__floats2bfloat162_rn(-2.f, 1.f), __floats2bfloat162_rn(0.5f, 2.f)).__x;
}
int main()
{
    const float from[12] = { 1.03f, -1.07f, 1e6f, 1e6f, 0.001f, 0.0009f, NAN, 1e6f, 1e6f, 1.5f, 1e-6f, -NAN };
    float *f;
    unsigned *u;
    __nv_fp8_storage_t *x;
    cudaMallocManaged(&f, sizeof from), cudaMallocManaged(&u, 8), cudaMallocManaged(&x, 12);
    memcpy(f, from, sizeof from);
    to<<<1, 12>>>(f, x);
    pairs<<<1, 1>>>(u);
    cudaDeviceSynchronize();
    for (int i = 0; i < 12; i++)
        printf("%02x %s", x[i], i == 6 ? "e4m3 " : i == 11 ? "e5m2\n" : "");
    const __nv_fp8x4_e4m3 four(make_float4(1, -2.3f, 500, 0.001f));
    const __nv_fp8x2_e5m2 two(make_double2(1e9, -3));
    const float4 v = (float4)four;
    const float2 w = (float2)two;
    printf("%08x: %g %g %g %g, %04x: %g %g\n", four.__x, v.x, v.y, v.z, v.w, two.__x, w.x, w.y);
    const __nv_fp8_e4m3 largest(1e9f), below(-3);
    printf("%d %d %d %d %d, half %04x %04x, pairs %04x %08x\n", (int)largest, (unsigned char)largest, (unsigned char)below,
           (signed char)largest, (bool)below, __nv_cvt_fp8_to_halfraw(0x3f, __NV_E5M2).x, __nv_cvt_fp8_to_halfraw(0x7f, __NV_E4M3).x,
           u[0], u[1]);
}
EOF

cat > "$dir/x.cu" << 'EOF'
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void k(int *p)
{
    cg::thread_block block = cg::this_thread_block();
    p[threadIdx.x] = cg::inclusive_scan(block, p[threadIdx.x]) + cg::reduce(block, 1, cg::plus<int>());
}
int main() { }
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
ok 'a scan, or a sum, of a whole block is refused' eval 'ends 1 && [ "$(grep -c "error: " "$dir/err")" = 2 ] &&
    complains "cg::inclusive_scan and cg::exclusive_scan take a tile or coalesced threads, not a whole block" &&
    complains "cg::reduce takes a tile or coalesced threads, not a whole block" && complains "x.cu:6: "'

done_testing
