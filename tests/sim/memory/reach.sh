#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Kernels and the host's memory: a GPU without pageableMemoryAccess stops them there, and so does the simulator; and errors
# that the program asks nobody for.
. tests/sim/sim.bash

build reach <<'END'
#include <cstdio>
#include <cstdlib>
#include <cstring>
struct matrix { int n; int *at; };
struct counted { int n; int *at; static int made; };
__device__ int device_variable[4];
__constant__ int constant[4] = { 1, 1, 1, 1 };
__managed__ int managed[32];
template <typename T> struct table { static __device__ T entries[4]; };
static const int host_constant[4] = { 1, 2, 3, 4 };
int variable[32];
static int hidden[32];

__global__ void fill(int *at, int n) { int i = threadIdx.x; if (i < n) at[i] = i; }
__global__ void fill_matrix(matrix m) { m.at[threadIdx.x % m.n] = 1; }
__global__ void follow(int **at) { **at = 7; }
__global__ void sets(void *at) { memset(at, 0, 64); }
/* All that a kernel may touch. */
__global__ void touches(int *out, matrix m)
{
    __shared__ int shared[32];
    extern __shared__ int dynamic[];
    static int count;
    static const int squares[4] = { 0, 1, 4, 9 };
    int own[8], i = threadIdx.x;
    for (int k = 0; k < 8; k++)
        own[k] = k * i;
    int *from_new = new int[4], *from_malloc = (int *)malloc(4 * sizeof(int));
    from_new[i % 4] = own[i % 8];
    from_malloc[i % 4] = from_new[i % 4];
    shared[i] = from_malloc[i % 4] + constant[i % 4] + squares[i % 4];
    dynamic[i] = shared[i] + device_variable[i % 4];
    __syncthreads();
    count++;
    managed[i] = dynamic[blockDim.x - 1 - i] + warpSize + (int)gridDim.x;
    out[i] = managed[i] + m.n;
    m.at[i % 4] = 1;
    delete[] from_new;
    free(from_malloc);
}
int main(int argc, char **argv)
{
    const char *which = argv[1];
    int on_stack[32], *device, **link, *heap = (int *)malloc(128), *large = (int *)malloc(1 << 24);
    static int in_function[32];
    cudaMalloc(&device, 128);
    if (!strcmp(which, "fine")) {
        touches<<<2, 32, 128>>>(device, matrix{ 4, device });
        cudaHostRegister(large, 1 << 24, 0);
        fill<<<1, 32>>>(large, 32);
    } else if (!strcmp(which, "matrix")) {
        fill_matrix<<<1, 32>>>(matrix{ 4, heap });
    } else if (!strcmp(which, "link")) {
        cudaMallocManaged(&link, sizeof *link);
        *link = heap;
        follow<<<1, 1>>>(link);
    } else if (!strcmp(which, "memset")) {
        sets<<<1, 1>>>(heap);
    } else if (!strcmp(which, "freed")) {
        int *block[2];
        for (int i = 0; i < 2; i++)
            cudaMalloc((void **)&block[i], 2 << 20);
        cudaFree(block[1]);
        fill<<<1, 32>>>(block[1] + 4096, 32);
    } else if (!strcmp(which, "elements")) {
        int *block[2];
        for (int i = 0; i < 2; i++)
            cudaMalloc((void **)&block[i], i == 0 ? 8192 : 65536);
        cudaFree(block[1]);
        fill<<<1, 32>>>(block[0] + 8192 - 32, 32);
    } else {
        int *at = !strcmp(which, "malloc") ? heap : !strcmp(which, "large") ? large : !strcmp(which, "new") ? new int[32]
                : !strcmp(which, "stack") ? on_stack : !strcmp(which, "global") ? variable : !strcmp(which, "static") ? hidden
                : !strcmp(which, "local") ? in_function : !strcmp(which, "null") ? NULL
                : !strcmp(which, "far") ? device + (1 << 28) : device;
        fill<<<!strcmp(which, "refused") ? 0 : 1, 32>>>(at, 32);
    }
    if (argc > 2) {
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    cudaDeviceSynchronize();
    puts("end");
}
END
answers() { play reach "$1" asks && prints "$2" && [ "$(grep -c '^error' "$dir/err")" = 0 ]; }
ok 'a kernel may touch its own stack, shared, constant, device, managed and registered memory, and its own heap' \
    eval 'answers fine cudaSuccess && [ ! -s "$dir/err" ]'
for which in malloc large new stack global static local matrix link memset; do
    ok "a kernel that is given the host's memory ends with cudaErrorIllegalAddress: $which" eval \
        'answers $which cudaErrorIllegalAddress && grep -q "^hazard: .*reach.cu:[0-9]*: kernel .* the host.s .*which the device cannot reach" "$dir/err"'
done
ok 'a variable is named' eval 'play reach global; grep -q "writes the host.s variable variable," "$dir/err"'
ok 'and a hidden one' eval 'play reach static; grep -q "writes the host.s variable hidden," "$dir/err"'
same() { [ "$(different 3 reach "$1")" = 0 ]; }
ok 'the log is the same in every run' same malloc
several() { SIM_CORES=2 answers "$@"; }
ok 'on several cores, too' several malloc cudaErrorIllegalAddress
ok 'where nothing is wrong on several cores nothing is said' several fine cudaSuccess

build reuse --std=c++17 << 'END'
#include <cstdio>
#include <cstring>
#include <thread>
/* One load, of what each caller wants. */
__host__ __device__ __attribute__((noinline)) int load(const int *at) { return *at; }
struct numbers { int of[8]; };
__global__ void sum(int *out, numbers arguments, const int *host, int k)
{
    __shared__ int shared[8];
    int own[8], s = 0;
    for (int i = 0; i < 8; i++) shared[i] = own[i] = i, s += load(&arguments.of[i]);
    for (int i = 0; i < 8; i++) s += load(&shared[i]) + load(&own[i]) + load(&out[i]);
    *out = s + load(host + k);
}
int main(int, char **argv)
{
    int *device, *heap = new int[64](), s = 0;
    bool threads = strchr(argv[1], 't'), before = strchr(argv[1], 'b'), twice = strchr(argv[1], '2'), wrong = strchr(argv[1], 'w');
    cudaMalloc(&device, 1024);
    cudaMemset(device, 0, 1024);
    if (threads) std::thread([] { }).join();        /* from now on the host's memory is looked at, too */
    if (before) for (int i = 0; i < 64; i++) s += load(&heap[i]);
    if (twice) sum<<<1, 1>>>(device, numbers(), device, 9);
    sum<<<1, 1>>>(device, numbers(), wrong ? heap : device, 3);
    printf("%s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), s);
}
END
stopped=0
for some in w wb wt wtb w2 wb2 wt2 wtb2; do play reuse $some; ends 0 && prints 'cudaErrorIllegalAddress 0' || stopped=$((stopped + 1)); done
ok 'so is one whose load has been in memory of its own before, or was the host'\''s' [ $stopped = 0 ]
stopped=0
for some in n b t tb 2 b2 t2 tb2; do play reuse $some; ends 0 && prints 'cudaSuccess 0' || stopped=$((stopped + 1)); done
ok '... and only if it goes astray' [ $stopped = 0 ]

tells() { play reach "$1"; ends 0 && prints end && grep -q "^error: .*reach.cu:[0-9]*: $2" "$dir/err" && [ "$(grep -c '^error' "$dir/err")" = 1 ]; }
ok 'an error that nobody asks for is told at the end: NULL' tells null 'kernel fill, launched in line [0-9]*, touched NULL.*(cudaErrorIllegalAddress: .*cudaDeviceSynchronize() returns it$'
ok 'far out of bounds' tells far 'kernel fill, .* (cudaErrorIllegalAddress'
ok 'memory that was freed, which a block that is there may have been counted into' \
    tells freed 'kernel fill, .* touched address 0x[0-9a-f]*, memory that cudaFree in line [0-9]* has freed; that is also [0-9]* bytes past the end of the 2097152 bytes of device memory'
ok 'a block whose size was a number of elements' \
    tells elements 'kernel fill, .* touched address 0x[0-9a-f]*, memory that cudaFree in line [0-9]* has freed; that is also [0-9]* bytes past the end of the 8192 bytes of device memory'
ok "the host's memory" tells malloc 'kernel fill, .*touched host memory that is not pinned, allocated in line [0-9]*: kernels reach what .* give (cudaErrorIllegalAddress'
ok 'a launch that was refused' tells refused 'the launch of fill was refused: the grid .*(cudaErrorInvalidValue: .*cudaGetLastError() returns it, after the launch$'
quiet() { SIM_HAZARDS=log play reach null; [ ! -s "$dir/err" ]; }
ok 'not where hazards go to the log alone' quiet
plain() { SIM_HAZARDS=0 play reach null; grep -q '^error: ' "$dir/err"; }
ok 'it is where hazards are off' plain

build asked <<'END'
#include <cstdio>
__global__ void empty() {}
int main(int argc, char **)
{
    void *p;
    cudaMalloc(&p, (size_t)1 << 50);
    if (argc > 1)
        printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    else
        cudaGetLastError();
}
END
unlooked() { play asked; grep -q '^error: .*asked.cu:6: cudaMalloc failed: .*(cudaErrorMemoryAllocation: .*the call returns it$' "$dir/err"; }
ok 'a call that failed is told of, though its error was thrown away' unlooked
looked() { play asked 1; prints cudaErrorMemoryAllocation && [ ! -s "$dir/err" ]; }
ok 'it is not when the program looked at it' looked
done_testing
