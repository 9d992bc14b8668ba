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

# ---- what is refused, by name ----

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
