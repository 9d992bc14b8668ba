#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Blocks on two cores (SIM_CORES=2): what is printed, the status and the timeline are those of one core, byte for byte.
. tests/sim/sim.bash
cd "$dir" || exit 2

# Runs ./x on so many cores: out.N, err.N, trace.N and what it ended with.
on() {      # N
    SIM_CORES=$1 WORKBOOK_LOG=9 timeout 60 ./x > "out.$1" 2> "err.$1" 9> log
    echo $? >> "out.$1"
    "$root/build/bin/timeline" --trace="trace.$1" log > drawn
}
same_files() { [ -s trace.1 ] && cmp out.1 out.2 && cmp err.1 err.2 && cmp trace.1 trace.2; }
same() { on 1 && on 2 && same_files; }
compiled() { rm -f out.? err.? && "$root/build/bin/simcc" --hazards instrumented -Og -g1 -D_GLIBCXX_ASSERTIONS "$1" -o x; }   # SOURCE
# both COMMAND...: when it fails, what both runs said is shown.
both() {
    "$@" > said 2>&1 && return
    head -n 15 out.? > out
    head -n 5 said err.? > err
    false
} 2> /dev/null

# what SENTENCE LINE [PATTERN]: the program on stdin prints that line and says on stderr what matches (none: nothing).
what() {
    { echo '#include <stdio.h>'; cat; } > x.cu
    ok "$1" both says_both "${@:2}"
}
says_both() {
    compiled x.cu && same && grep -qx -- "$1" out.2 &&
        if [ -n "${2-}" ]; then grep -q -- "$2" err.2; else [ ! -s err.2 ]; fi
}

what 'every thread of every block runs once, with its own place' '524160 0' << 'EOF'
__global__ void k(int *a, int *b) {
    int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int j = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int n = i + j * blockDim.x * blockDim.y * blockDim.z;
    a[n]++;
    b[n] = n;
}
int main() {
    const int n = 7 * 5 * 3 * 64;
    static int a[n], b[n];
    int *da, *db, sum = 0, wrong = 0;
    cudaMalloc(&da, sizeof a);
    cudaMalloc(&db, sizeof b);
    cudaMemset(da, 0, sizeof a);
    for (int round = 0; round < 78; round++)
        k<<<dim3(7, 5, 3), dim3(4, 4, 4)>>>(da, db);
    cudaMemcpy(a, da, sizeof a, cudaMemcpyDeviceToHost);
    cudaMemcpy(b, db, sizeof b, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        sum += a[i], wrong += b[i] != i || a[i] != 78;
    printf("%d %d\n", sum, wrong);
}
EOF

what 'what blocks print comes in their order' '63: 0 1 2 3 done' << 'EOF'
__global__ void k() {
    if (threadIdx.x == 0) {
        for (volatile int i = 0; i < (int)(64 - blockIdx.x) * 1000; i++) ;
        printf("%u:", blockIdx.x);
    }
    __syncthreads();
    printf(" %u", threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) printf("%c", ' '), printf("done\n");
}
int main() {
    k<<<64, 4>>>();
    cudaDeviceSynchronize();
    puts("so does what the host prints");
}
EOF

what 'shared memory is the block'\''s own, declared, dynamic or at file scope' 'right' 'x.cu:8: kernel k .* reads shared memory that no thread of its block has written' << 'EOF'
extern __shared__ int outer[];
__device__ int tail(int i) { return outer[i]; }
__global__ void k(int *out) {
    __shared__ int a[64];
    extern __shared__ int b[];
    int i = threadIdx.x;
    if (i == 0 && a[1] != -1) out[blockIdx.x] = -1000000;
    if (i == 0 && b[1] != -1) out[blockIdx.x] = -2000000;
    __syncthreads();
    a[i] = i + blockIdx.x;
    b[i] = 2 * i + blockIdx.x;
    for (int step = 32; step > 0; step /= 2) {
        __syncthreads();
        if (i < step) a[i] += a[i + step], b[i] += b[i + step];
    }
    if (i == 0) atomicAdd(&out[blockIdx.x], a[0] + tail(0));
}
int main() {
    const int n = 500;
    int *d, h[n];
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    k<<<n, 64, 64 * sizeof(int)>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        if (h[i] != 3 * 2016 + 2 * 64 * i) return printf("%d %d\n", i, h[i]), 1;
    puts("right");
}
EOF

what 'atomics lose nothing between blocks' '2048000 2000 1999 4096000' << 'EOF'
__device__ unsigned long long all;
__global__ void k(int *count, int *least, int *most, float *f) {
    atomicAdd(&all, 1ull);
    atomicAdd(f, 2.0f);
    if (threadIdx.x == 0) atomicAdd(count, 1), atomicMin(least, (int)blockIdx.x), atomicMax(most, (int)blockIdx.x);
}
int main() {
    int *d, h[3] = { 0, 99, 0 };
    float *f, g = 0;
    unsigned long long n;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&f, sizeof g);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(f, 0, sizeof g);
    k<<<2000, 1024>>>(d, d + 1, d + 2, f);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(&g, f, sizeof g, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&n, all, sizeof n);
    printf("%llu %d %d %.0f\n", n, h[0], h[2] + h[1], g);
}
EOF

what 'a kernel takes as long as its slowest thread, whichever core that is on' 'took 40' << 'EOF'
__global__ void k() { if (threadIdx.x == 1) __nanosleep(blockIdx.x == 37 ? 40000000 : 1000); }
int main() {
    cudaEvent_t a, b;
    float ms;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventRecord(a);
    k<<<64, 2>>>();
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    cudaEventElapsedTime(&ms, a, b);
    printf("took %.0f\n", ms);
}
EOF

what 'of several assertions that fail, the first block'\''s is told of' cudaErrorAssert \
    '^x.cu:3: k(): block: \[9,0,0\], thread: \[1,0,0\]' << 'EOF'
#include <assert.h>
__global__ void k() { assert(blockIdx.x < 9 || threadIdx.x != 1); printf("%u ", blockIdx.x); }
int main() {
    k<<<4000, 2>>>();
    const char *name = cudaGetErrorName(cudaDeviceSynchronize());
    printf("\n%s\n", name);
}
EOF

what 'a store out of bounds is told of, with its line' cudaErrorIllegalAddress 'x.cu:2: k' << 'EOF'
__global__ void k(int *p) { p[blockIdx.x * 64 + threadIdx.x] = 1; }
int main() {
    int *d;
    cudaMalloc(&d, 64 * 64 * sizeof *d);
    k<<<64, 64>>>(d + 4);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    k<<<64, 64>>>(nullptr);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF

what 'what all blocks touch makes the hazards' 'done' '^hazard: x.cu:9: kernel k .* writes bytes 255996 to 255999 of the 256000 ' << 'EOF'
__global__ void k(int *p) { p[blockIdx.x * 64 + threadIdx.x] = 1; }
int main() {
    int *d, *h;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMalloc(&d, 1000 * 64 * sizeof *d);
    cudaMallocHost(&h, 4);
    k<<<1000, 64, 0, s>>>(d);
    cudaMemcpyAsync(h, d + 999 * 64 + 63, 4, cudaMemcpyDeviceToHost, 0);
    cudaDeviceSynchronize();
    puts("done");
}
EOF

what 'a byte that any core has written counts as written' 'done' << 'EOF'
__global__ void fill(char *p, int n) { for (int i = blockIdx.x; i < n; i += gridDim.x) p[i] = 1; }
__global__ void read(const char *p, int n, int *sum) { for (int i = blockIdx.x; i < n; i += gridDim.x) atomicAdd(sum, p[i]); }
int main() {
    char *d;
    int *sum;
    cudaMalloc(&d, 100000);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    fill<<<16, 1>>>(d, 100000);
    read<<<16, 1>>>(d, 100000, sum);
    cudaDeviceSynchronize();
    puts("done");
}
EOF

what 'a kernel that declares its cost in one host thread may be due in another' '4096 4096 4096' << 'EOF'
#include <thread>
#include "streams.h"
__global__ void k(int *p) { kernel_cost(3000000); __shared__ int x; x = 1; __syncthreads(); atomicAdd(p, x); }
int main() {
    int *d, h[3];
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    cudaDeviceSynchronize();
    std::thread threads[3];
    for (int i = 0; i < 3; i++)
        threads[i] = std::thread([=] {
            cudaStream_t s;
            cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
            k<<<64, 64, 0, s>>>(d + i);
            host_work(i * 1000000);
            if (i != 1) cudaStreamSynchronize(s);
        });
    for (auto &t : threads) t.join();
    cudaDeviceSynchronize();
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[0], h[1], h[2]);
}
EOF

cat > x.cu << 'EOF'
#include <stdio.h>
__device__ int here;
__global__ void meet() { if (blockIdx.x > 0) { atomicAdd(&here, 1); while (atomicAdd(&here, 0) < 2) ; } }
int main() {
    meet<<<3, 1>>>();
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF
ok 'two blocks that wait for each other meet on two cores' both eval 'compiled x.cu && on 2 && grep -qx cudaSuccess out.2'

for source in "$root"/tests/sim/{rules/kernels/kernels-*,programs/{graph_pipeline,matmul,transpose,warps}}.cu; do
    ok "$(basename "$(dirname "$source")")/$(basename "$source") is the same on two cores" both eval 'compiled "$source" && same'
done

# The grader's runs have an environment of their own: it is the submission that asks for a second core.
for solution in "$root"/solutions/*.cu; do
    name=$(basename "$solution" .cu)
    for n in 1 2; do
        { cat "$solution"; echo; echo '#include <stdlib.h>'
          echo "__attribute__((constructor)) static void ask() { setenv(\"SIM_CORES\", \"$n\", 1); }"; } > answer.cu
        (cd "$root" && build/bin/grade -q --time-limit=60 --seed=7 --trace="$dir/trace.$n" "$name" "$dir/answer.cu") > "out.$n" 2> "err.$n"
        echo $? >> "out.$n"
    done
    ok "the solution of $name is the same on two cores" both eval '[ "$(tail -n 1 out.1)" = 0 ] && same_files'
done
done_testing
