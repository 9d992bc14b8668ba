#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What the simulator says of kernels that a card leaves hanging or to chance.
. tests/sim/sim.bash

# what SENTENCE PATTERN LINE; x.cu from stdin: it prints that line, and says on stderr what matches the pattern (none: nothing).
what() {
    { echo '#include <stdio.h>'; cat; } > "$dir/x.cu"
    run build/bin/simcc "$dir/x.cu" -o "$dir/x"
    ok "$1" is_as_said "$2" "$3"
}
is_as_said() {
    ends 0 && play x && [ "$status" -lt 124 ] && grep -qx -- "$2" "$dir/out" &&
        if [ -n "$1" ]; then grep -q -- "$1" "$dir/err"; else [ ! -s "$dir/err" ]; fi
}

what 'threads that meet at two barriers go on, as on a card, and a note names the lines' \
    'note: .*x.cu:4: kernel k .* are at this __syncthreads while others are at that in line 6: CUDA promises nothing' \
    'cudaSuccess 63' << 'EOF'
__global__ void k(int *p) {
    if (threadIdx.x < 10)
        __syncthreads();
    else
        __syncthreads();
    *p = blockDim.x - 1;
}
int main() {
    int *p, n = 0;
    cudaMalloc(&p, sizeof *p);
    k<<<1, 64>>>(p);
    cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), n);
}
EOF

what 'a sum with its barrier in a condition is right, and a note says what it relies on' \
    'note: .*x.cu:9: kernel sum .* are at this __syncthreads while others are at that in line 11' 32640 << 'EOF'
__global__ void sum(int *p) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2)
        if (t < d) { s[t] += s[t + d];
            __syncthreads(); }
    if (t == 0) *p = s[0];
    if (t < 4) __syncthreads();
}
int main() {
    int *p, n = 0;
    cudaMalloc(&p, sizeof *p);
    sum<<<1, 256>>>(p);
    cudaMemcpy(&n, p, sizeof n, cudaMemcpyDeviceToHost);
    printf("%d\n", n);
}
EOF

what 'threads that wait at barriers of two kinds are named, with the lines' \
    'x.cu:6: __syncthreads: 54 of 64 threads, first (10,0,0)' cudaErrorLaunchFailure << 'EOF'
__global__ void k() {
    if (threadIdx.x < 10)
        __syncthreads_count(1);
    else
        __syncthreads();
}
int main() { k<<<1, 64>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
EOF

what 'a shuffle whose mask names threads that never come is named' \
    'x.cu:4: __shfl_down_sync: 16 of 64 threads, first (0,0,0)' cudaErrorLaunchFailure << 'EOF'
__global__ void k() {
    if (threadIdx.x < 16)
        __shfl_down_sync(0xffffffff, 1, 8);
    __syncthreads();
}
int main() { k<<<1, 64>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
EOF

what 'shared memory of the block before is not there any more' '' 'nan -1' << 'EOF'
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

what 'a fault behind a barrier is found, the program goes on' '' \
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

what 'a false assertion names file, line, block and thread, and loses the device' \
    'x.cu:3: .*k(int): block: \[0,0,0\], thread: \[5,0,0\] Assertion `x != 5` failed.' \
    'cudaErrorAssert cudaErrorAssert' << 'EOF'
#include <assert.h>
__global__ void k(int n) { int x = threadIdx.x + n * blockIdx.x; __syncthreads(); assert(x != 5); }
int main() {
    k<<<2, 8>>>(8);
    const char *first = cudaGetErrorName(cudaDeviceSynchronize());
    k<<<2, 8>>>(0);
    printf("%s %s\n", first, cudaGetErrorName(cudaGetLastError()));
}
EOF

what 'kernels print in order, when the host waits for them' '' 'launched, 0 1 2 3 waited' << 'EOF'
__global__ void k(int first) { printf("%d ", first + (int)threadIdx.x); }
int main() {
    k<<<1, 2>>>(0);
    k<<<1, 2>>>(2);
    printf("launched, ");
    cudaDeviceSynchronize();
    printf("waited\n");
}
EOF

what 'where a launch gives blocks alone, each has one thread, as with CUDA 13' '' '3 of 1' << 'EOF'
__device__ int count;
__global__ void k() { atomicAdd(&count, blockDim.x); }
int main() {
    int n;
    k<<<3>>>();
    cudaMemcpyFromSymbol(&n, count, sizeof n);
    printf("%d of 1\n", n);
}
EOF

what 'a wait for what never comes ends with the thread that waits' \
    'k: thread (3,0,0) of block (1,0,0) has waited' cudaErrorLaunchTimeout << 'EOF'
__device__ volatile int never;
__global__ void k() { if (blockIdx.x == 1 && threadIdx.x == 3) while (!never) clock64(); }
int main() { k<<<4, 8>>>(); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
EOF

what 'looks at a clock cost the same in every run, and a cycle is one of the card' '' '99 20000000' << 'EOF'
__global__ void k(long long *p) {
    long long begin = clock64(), now = begin;
    for (int i = 0; i < 50; i++) now = clock64();
    p[0] = (now - begin + 5) / 10;      /* 500 ns at 1980 MHz are 990 cycles, give or take the one they begin in */
    unsigned long long t, u;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    __nanosleep(1000000);
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(u)); while (u - t < 20000000);
    p[1] = (u - t) / 100000 * 100000;
}
int main() {
    long long *d, h[2];
    cudaMalloc(&d, sizeof h);
    k<<<1, 1>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%lld %lld\n", h[0], h[1]);
}
EOF

# The loop that counts makes each look, and the other one leaves out what it may: both see the same times.
what 'threads that spin see what they would if each looked as often as the first, whatever they wait for' '' '0 0 0 0 0' << 'EOF'
typedef unsigned long long u64;
__device__ __attribute__((noinline)) u64 now() { u64 t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); return t; }
__device__ u64 due(int which) { return 20000 * (which == 1 ? 1 + blockIdx.x % 3 : which == 2 ? 1 + threadIdx.x % 3 : which == 3 ? 2 - blockIdx.x % 2 : 1); }
__global__ void spin(int which, u64 *out) {
    u64 from = now(), begin = from;
    for (int i = 0; i < 2; i++, begin = now()) while (now() - begin < due(which)) ;
    if (which == 4) __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = now() - from;
}
__global__ void count(int which, u64 *out, u64 *looks) {
    u64 from = now(), begin = from, n = 0;
    for (int i = 0; i < 2; i++, begin = now()) while (now() - begin < due(which)) n++;
    if (which == 4) __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = now() - from;
    looks[blockIdx.x * blockDim.x + threadIdx.x] = n;
}
int main() {
    u64 *d, h[3][96];
    cudaMalloc(&d, sizeof h);
    for (int which = 0; which < 5; which++) {
        spin<<<6, 16>>>(which, d);
        count<<<6, 16>>>(which, d + 96, d + 192);
        cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
        int wrong = 0;
        for (int i = 0; i < 96; i++) wrong += h[0][i] != h[1][i] || h[2][i] < 500 || (which == 0 && h[2][i] != h[2][0]);
        printf("%d%c", wrong, " \n"[which == 4]);
    }
}
EOF

build spins -O2 << 'EOF'
__global__ void spin() { long long begin = clock64(); while (clock64() - begin < 1000000) ; }
int main() { spin<<<132 * 20, 1024>>>(); return cudaDeviceSynchronize(); }
EOF
ok 'a full grid of threads that spin takes as long as some looks of each, not all 1,700' eval 'run bash -c "ulimit -t 4; $dir/spins"; ends 0'

what 'the host cannot call what is for kernels' '__syncthreads is for kernels' before << 'EOF'
int main() {
    puts("before");
    __syncthreads();
}
EOF
done_testing
