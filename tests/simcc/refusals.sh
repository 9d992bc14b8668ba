#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What simcc does not have: a program for each row of its table (common/simcc/refuse.c) is refused in one sentence, with the line.
. tests/sim/sim.bash

# The row's words | what stands in the second line of a program | the name in the sentence
rows() {
    cat << 'ROWS'
Thrust|#include <thrust/sort.h>|thrust/sort.h
CUB|#include <cub/block/block_reduce.cuh>|cub/block/block_reduce.cuh
cuRAND|#include <curand_kernel.h>|curand_kernel.h
cuBLAS|#include <cublas_v2.h>|cublas_v2.h
cuFFT|#include <cufft.h>|cufft.h
cuSPARSE|#include <cusparse.h>|cusparse.h
cuSOLVER|#include <cusolverDn.h>|cusolverDn.h
cuDNN|#include <cudnn.h>|cudnn.h
NPP|#include <nppi.h>|nppi.h
NCCL|#include <nccl.h>|nccl.h
NVML|#include <nvml.h>|nvml.h
nvJPEG|#include <nvjpeg.h>|nvjpeg.h
CUTLASS|#include <cutlass/gemm/device/gemm.h>|cutlass/gemm/device/gemm.h
NVRTC, which compiles while a program runs|#include <nvrtc.h>|nvrtc.h
modules, which are loaded while a program runs|void f() { cuModuleLoad(0, "kernels.ptx"); }|cuModuleLoad
tensor cores|#include <mma.h>|mma.h
texture and surface references, which CUDA 12 removed (objects do the same)|texture<float> t;|texture
mipmaps|cudaMipmappedArray_t a;|cudaMipmappedArray_t
gathers from textures|__device__ float4 f(cudaTextureObject_t t) { return tex2Dgather<float4>(t, 1, 2); }|tex2Dgather
sparse arrays, or arrays of several planes|int f() { return cudaArraySparse; }|cudaArraySparse
other views of a texture's array|cudaResourceViewDesc v;|cudaResourceViewDesc
formats of this name|int f() { return cudaChannelFormatKindNV12; }|cudaChannelFormatKindNV12
questions for a texture's limits|void f() { cudaDeviceGetTexture1DLinearMaxWidth(0, 0, 0); }|cudaDeviceGetTexture1DLinearMaxWidth
textures and surfaces of the driver API|CUtexObject t;|CUtexObject
graphics|#include <cuda_gl_interop.h>|cuda_gl_interop.h
memory and events of other processes in the driver API|void f() { cuIpcGetEventHandle(0, 0); }|cuIpcGetEventHandle
memory that other machines reach|cudaMemFabricHandle_t f() { return {}; }|cudaMemFabricHandle_t
memory and semaphores of other libraries|cudaExternalMemory_t m;|cudaExternalMemory_t
virtual memory management|void f() { cuMemCreate(0, 1 << 21, 0, 0); }|cuMemCreate
copies of volumes between devices or in batches|void f() { cudaMemcpy3DPeer(0); }|cudaMemcpy3DPeer
graph nodes of this kind|void f() { cudaGraphAddExternalSemaphoresWaitNode(0, 0, 0, 0, 0); }|cudaGraphAddExternalSemaphoresWaitNode
copies of an address to several blocks of a cluster|__device__ void f(int *p) { __cluster_map_shared_multicast(p, 3); }|__cluster_map_shared_multicast
thread block clusters of a preferred size|int f() { return cudaLaunchAttributePreferredClusterDimension; }|cudaLaunchAttributePreferredClusterDimension
attribute of launches of this name|int f() { return cudaLaunchAttributeProgrammaticEvent; }|cudaLaunchAttributeProgrammaticEvent
cooperative launches across devices|void f() { cudaLaunchCooperativeKernelMultiDevice(0, 1, 0); }|cudaLaunchCooperativeKernelMultiDevice
vote or shuffle without _sync, as cards from compute capability 7.0 on have none|__device__ int f(int v) { return __shfl_down(v, 1); }|__shfl_down
runtime call of this name|void f() { cudaSetValidDevices(0, 1); }|cudaSetValidDevices
enumerator or type of the runtime of this name|int f() { return cudaMemAllocationTypeManaged; }|cudaMemAllocationTypeManaged
question about the type of a lambda|bool f() { return __nv_is_extended_device_lambda_closure_type(int); }|__nv_is_extended_device_lambda_closure_type
device function of this name|__device__ int f(int v) { return __vibmax_s32(v, 3, 0); }|__vibmax_s32
copies in bulk, and barriers that count bytes|__device__ void f() { barrier_arrive_tx(0, 1, 16); }|barrier_arrive_tx
the device's runtime|void f() { cudaGetParameterBuffer(8, 8); }|cudaGetParameterBuffer
driver API call of this name|void f() { cuStreamWriteValue32(0, 0, 1, 0); }|cuStreamWriteValue32
enumerator of the driver API of this name|int f() { return CUDA_GRAPH_INSTANTIATE_ERROR; }|CUDA_GRAPH_INSTANTIATE_ERROR
types of the data of libraries|cudaDataType t;|cudaDataType
numbers of 6 and of 4 bits, and powers of two (e8m0)|#include <cuda_fp6.h>|cuda_fp6.h
header of libcu++ of this name|#include <cuda/ptx>|cuda/ptx
header of the toolkit of this name|#include <cudaProfiler.h>|cudaProfiler.h
ROWS
}

while IFS='|' read -r what line name; do
    printf '#include <cuda_runtime.h>\n%s\nint main() { }\n' "$line" > "$dir/x.cu"
    run build/bin/simcc "$dir/x.cu" -o "$dir/x"
    ok "$name: no $what" eval 'ends 1 && [ "$(cat "$dir/err")" = "$dir/x.cu:2: error: simcc has no $what: $name (book, \"What it does not do\")" ]'
done < <(rows)

# No row of the table is without a program here.
sed -n 's/^    { "\(.*\)", "[^"]*\("\| \)*.*/\1/p' common/simcc/refuse.c | sort -u > "$dir/table"
rows | cut -d '|' -f 1 | sort -u > "$dir/asked"
check 'each row of the table has a program' "$(diff "$dir/table" "$dir/asked")"

# What a newer standard has is told from what no standard has: line 2 of each program is C++20.
while IFS='|' read -r header line; do
    printf '#include <%s>\n%s\nint main() { }\n' "$header" "$line" > "$dir/x.cu"
    run build/bin/simcc "$dir/x.cu" -o "$dir/x"
    ok "$line is C++20, and the message says how to ask for it" eval 'ends 1 && complains "$dir/x.cu:2: error: " && complains "$dir/x.cu:2: note: this needs C++20, and the file is compiled as C++17: compile with -std=c++20, or in a lesson write"'
done << 'EOF'
semaphore|struct plant { std::counting_semaphore<4> room{4}; };
barrier|std::barrier b(3);
latch|std::latch b(3);
span|int f(std::span<int> s) { return s[0]; }
thread|void f() { std::jthread t([] { }); }
stop_token|std::stop_source s;
atomic|void f(std::atomic<int> &a) { a.wait(0); }
map|bool f(std::map<int, int> &m) { return m.contains(3); }
concepts|template <std::integral T> T f(T x) { return x; }
cstdio|template <class T> requires (sizeof(T) < 8) T f(T x) { return x; }
cstdio|consteval int f() { return 3; }
EOF
printf '#include <semaphore>\nstd::binary_semaphore s(0);\nint main() { return nothing; }\n' > "$dir/x.cu"
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
ok 'beside another error, too, of which nothing is said' eval 'complains "x.cu:2: note: this needs C++20" && ! complains "x.cu:3: note"'
run build/bin/simcc -std=c++20 -c "$dir/x.cu" -o "$dir/x"
ok 'with C++20 only the other error is left' eval 'complains "x.cu:3: error" && ! complains "x.cu:2:"'
printf '#include <optional>\nint f(std::optional<int> x) { if constexpr (true) return *x; }\nint main() { }\n' > "$dir/x.cu"
run build/bin/simcc -std=c++14 -c "$dir/x.cu" -o "$dir/x"
ok 'the next standard that has it is named' complains "this needs C++17, and the file is compiled as C++14: compile with -std=c++17"
printf '#include <vector>\nstd::vectr<int> v;\nint main() { }\n' > "$dir/x.cu"
run build/bin/simcc -c "$dir/x.cu" -o "$dir/x"
ok 'what no standard has is said to be of none' eval 'ends 1 && complains vectr && ! complains "compiled as"'

# Code of a GPU.
printf '__global__ void k() { }\nint main() { }\n' > "$dir/x.cu"
for option in -ptx -cubin -fatbin; do
    run build/bin/simcc "$option" "$dir/x.cu"
    ok "$option" eval 'ends 2 && [ "$(wc -l < "$dir/err")" = 1 ] && complains "simcc makes no GPU code, it compiles for this machine"'
done
# Clusters are for cards that have them.
cat > "$dir/x.cu" << 'EOF'
__global__ void __cluster_dims__(2) k() { }
int main() { k<<<2, 1>>>(); puts(cudaGetErrorName(cudaGetLastError())); }
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
SIM_PROFILE=rtx3090 play x
ok 'clusters before compute capability 9.0' prints cudaErrorNotSupported
done_testing
