#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the simulator says of kernels that a card leaves hanging or to chance.
set -u
root=$PWD
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
number=0

# SENTENCE, PATTERN of stderr (none: nothing is said), LINE of stdout; x.cu from stdin.
says() {
    { echo '#include <stdio.h>'; cat; } > x.cu
    number=$((number + 1))
    if "$root/build/bin/simcc" x.cu -o x 2> errors && { timeout 20 ./x > out 2> errors || [ $? -lt 124 ]; } &&
        grep -qx -- "$3" out && if [ -n "$2" ]; then grep -q -- "$2" errors; else [ ! -s errors ]; fi; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        sed 's/^/# /' errors out
    fi
}

says 'threads that wait at two barriers are named, with the lines' \
    'x.cu:6: __syncthreads: 54 of 64 threads, first (10,0,0)' cudaErrorLaunchFailure << 'EOF'
__global__ void k() {
    if (threadIdx.x < 10)
        __syncthreads();
    else
        __syncthreads();
}
int main() { k<<<1, 64>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
EOF

says 'a shuffle whose mask names threads that never come is named' \
    'x.cu:4: __shfl_down_sync: 16 of 64 threads, first (0,0,0)' cudaErrorLaunchFailure << 'EOF'
__global__ void k() {
    if (threadIdx.x < 16)
        __shfl_down_sync(0xffffffff, 1, 8);
    __syncthreads();
}
int main() { k<<<1, 64>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
EOF

says 'shared memory of the block before is not there any more' '' 'nan -1' << 'EOF'
__global__ void k(float *f, int *i) {
    __shared__ float x;
    extern __shared__ int y[];
    if (blockIdx.x == 1) { *f = x; *i = y[7]; }
    x = 1;
    y[7] = 2;
}
int main() {
    float *f, g = 0;
    int *i, j = 0;
    cudaMalloc(&f, sizeof *f);
    cudaMalloc(&i, sizeof *i);
    k<<<2, 1, 32>>>(f, i);
    cudaMemcpy(&g, f, sizeof g, cudaMemcpyDeviceToHost);
    cudaMemcpy(&j, i, sizeof j, cudaMemcpyDeviceToHost);
    printf("%s %d\n", g != g ? "nan" : "number", j);
}
EOF

says 'a fault behind a barrier is found, the program goes on' '' \
    'cudaErrorIllegalAddress cudaErrorIllegalAddress' << 'EOF'
__global__ void k(int *p) {
    __syncthreads();
    if (threadIdx.x == 33) *p = 1;
    __syncthreads();
}
int main() {
    k<<<2, 64>>>(NULL);
    const char *first = cudaGetErrorName(cudaDeviceSynchronize());
    k<<<2, 64>>>(NULL);
    printf("%s %s\n", first, cudaGetErrorName(cudaGetLastError()));
}
EOF

says 'the host cannot call what is for kernels' '__syncthreads is for kernels' before << 'EOF'
int main() {
    puts("before");
    __syncthreads();
}
EOF
echo "1..$number"
