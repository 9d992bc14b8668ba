#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What programs from elsewhere use: headers, enumerators, calls. They run, or are refused in one sentence.
. tests/sim/sim.bash

# SENTENCE EXPECTED [OPTION...]; x.cu from stdin: it compiles without a word, and prints that.
prints_as() {
    local sentence=$1 expected=$2
    cat > "$dir/x.cu"
    run build/bin/simcc "$dir/x.cu" "${@:3}" -o "$dir/x"
    ok "$sentence" eval 'ends 0 && [ ! -s "$dir/err" ] && play x && is "$(cat "$dir/out")" "$expected"'
}
# SENTENCE LINE PATTERN; x.cu from stdin: one error, there, which says so.
refused() {
    local line=$2 what=$3
    cat > "$dir/x.cu"
    run build/bin/simcc "$dir/x.cu" -o "$dir/x"
    ok "$1" eval 'ends 1 && [ "$(wc -l < "$dir/err")" = 1 ] && grep -q "x.cu:$line: error: simcc has no $what (book" "$dir/err"'
}

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

prints_as 'each attribute but those that are reserved, and one, has an answer' '21' << 'EOF'
int main() {
    int known = 0, value;
    for (int a = 1; a < cudaDevAttrMax; a++)
        known += cudaDeviceGetAttribute(&value, (cudaDeviceAttr)a, 0) == cudaSuccess;
    cudaGetLastError();
    printf("%d\n", cudaDevAttrMax - 1 - known);
}
EOF

prints_as "CUDA 4's names of waiting and ending are still there" 'no error' << 'EOF'
__global__ void k() { }
int main() { k<<<1, 1>>>(); cudaThreadSynchronize(); cudaThreadExit(); puts(cudaGetErrorString(cudaGetLastError())); }
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

# ---- what is refused, by name ----

refused 'modules' 5 'modules, which are loaded while a program runs: cuModuleLoad' << 'EOF'
#include <cuda.h>
int main()
{
    cuInit(0);
    cuModuleLoad(0, "kernels.ptx");
}
EOF
refused 'the rest of the driver API' 4 'this call of the driver API: cuStreamWriteValue32' << 'EOF'
#include <cuda.h>
int main()
{
    cuStreamWriteValue32(0, 0, 1, 0);
}
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
refused 'textures, once' 1 'textures and surfaces: cudaTextureObject_t' << 'EOF'
__global__ void k(cudaTextureObject_t t, float *p) { p[0] = tex2D<float>(t, 1, 2); }
int main()
{
    cudaArray_t array;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &d, 3, 3);
}
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
