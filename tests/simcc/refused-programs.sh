#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What simcc refuses by name, in whole programs.
. tests/sim/sim.bash

refused 'modules' 5 'modules, which are loaded while a program runs: cuModuleLoad' << 'EOF'
#include <cuda.h>
int main()
{
    cuInit(0);
    cuModuleLoad(0, "kernels.ptx");
}
EOF
refused 'the rest of the driver API' 4 'driver API call of this name: cuStreamUpdateCaptureDependencies' << 'EOF'
#include <cuda.h>
int main()
{
    cuStreamUpdateCaptureDependencies(0, 0, 0, 0);
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
refused 'calls of the runtime that are not there' 1 'runtime call of this name: cudaSetValidDevices' << 'EOF'
int main() { int which = 0; return cudaSetValidDevices(&which, 1); }
EOF
refused 'functions of the device that are not there' 1 'device function of this name: __vibmax_s32' << 'EOF'
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
refused 'texture references, once' 1 'texture and surface references, which CUDA 12 removed (objects do the same): texture' << 'EOF'
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

refused 'questions about lambdas' 3 'question about the type of a lambda: __nv_is_extended_device_lambda_closure_type' << 'EOF'
int main() {
    auto f = [] __device__ { };
    static_assert(__nv_is_extended_device_lambda_closure_type(decltype(f)), "");
}
EOF

done_testing
