#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Flags in memory that the host and kernels share: volatile, atomic or after a fence they are no hazard, and order what they should.
# What cards wait for, though the reference does not promise it, is a note.
. tests/sim/sim.bash

build flags <<'END'
#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>
__managed__ volatile int variable;
__global__ void sets_volatile(int *data, volatile int *flag) { data[threadIdx.x] = 1; if (threadIdx.x == 0) *flag = 1; }
__global__ void sets_atomic(int *data, int *flag) { data[threadIdx.x] = 1; if (threadIdx.x == 0) atomicExch_system(flag, 1); }
__global__ void sets_fenced(int *data, int *flag) { data[threadIdx.x] = 1; __threadfence_system(); if (threadIdx.x == 0) *flag = 1; }
__global__ void sets_plain(int *data, int *flag) { data[threadIdx.x] = 1; if (threadIdx.x == 0) *flag = 1; }
__global__ void sets_variable(int *data) { data[threadIdx.x] = 1; if (threadIdx.x == 0) variable = 1; }
__global__ void reads(int *data, int *flag, int *out) { if (*(volatile int *)flag) *out = data[0]; }
__global__ void adds(int *data, int *flag, int *out) { if (atomicAdd_system(flag, 0)) *out = data[0]; }
__global__ void compares(int *data, int *flag, int *out) { if (atomicCAS_system(flag, 1, 2) == 1) *out = data[0]; }
__global__ void exchanges(int *data, int *flag, int *out) { if (atomicExch_system(flag, 3) == 1) *out = data[0]; }
int main(int, char **argv)
{
    const char *which = argv[1];
    int *data, *flag, *out;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&data, 32 * sizeof *data);
    if (strstr(which, "managed"))
        cudaMallocManaged(&flag, sizeof *flag);
    else
        cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped);
    cudaMalloc(&out, sizeof *out);
    *flag = 0;
    variable = 0;
    volatile int *polled = strcmp(which, "variable") == 0 ? &variable : flag;
    if (!strcmp(which, "volatile") || !strcmp(which, "managed") || !strcmp(which, "early") || !strcmp(which, "other"))
        sets_volatile<<<1, 32, 0, s>>>(data, flag);
    else if (!strcmp(which, "atomic"))
        sets_atomic<<<1, 32, 0, s>>>(data, flag);
    else if (!strcmp(which, "fenced"))
        sets_fenced<<<1, 32, 0, s>>>(data, flag);
    else if (!strcmp(which, "plain"))
        sets_plain<<<1, 32, 0, s>>>(data, flag);
    else if (!strcmp(which, "variable"))
        sets_variable<<<1, 32, 0, s>>>(data);
    if (!strncmp(which, "to-kernel", 9)) {
        (strstr(which, "adds") ? adds : strstr(which, "compares") ? compares : strstr(which, "exchanges") ? exchanges : reads)<<<1, 1, 0, s>>>(data, flag, out);
        data[0] = 7;
        if (strstr(which, "plain"))
            *flag = 1;
        else
            *(volatile int *)flag = 1;
        cudaStreamSynchronize(s);
    } else {
        int sum = 0;
        if (!strcmp(which, "early"))
            sum = data[3];
        while (!*polled)
            ;
        for (int i = 0; i < 32; i++)
            sum += data[i];
        printf("%d\n", sum);
        cudaStreamSynchronize(s);
    }
}
END
fine() { play flags "$1"; ends 0 && prints 32 && [ ! -s "$dir/err" ]; }
for which in volatile atomic fenced managed variable; do
    ok "a flag that a kernel sets orders what it wrote before it: $which" fine $which
done
found() { play flags "$1"; ends 0 && [ "$(hazards)" -ge 1 ] && grep -q "$2" "$dir/err"; }
ok 'what the host read before it saw the flag is a hazard' found early 'bytes 12 to 15 of the 128'
ok 'a plain flag is one' found plain 'bytes 0 to 3 of the 4'
to_kernel() { play flags "to-kernel$1"; ends 0 && [ ! -s "$dir/err" ]; }
ok 'a flag that the host sets orders what it wrote for the kernel that reads it' to_kernel ''
for how in adds compares exchanges; do
    ok "... or that asks by an atomic function: $how" to_kernel "-$how"
done
ok 'a plain one does not' found to-kernel-plain 'the host .* writes'

build copies <<'END'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
__global__ void fills(int *data) { data[threadIdx.x] = 1; }
__global__ void reads(int *data, int *flag, int *out) { *out = *(volatile int *)flag ? data[3] : 0; }
__global__ void stores(volatile int *flag) { *flag = 1; }
__global__ void reads_plain(int *data, int *flag, int *out) { *out = *flag ? data[3] : 0; }
int main(int, char **argv)
{
    const char *which = argv[1];
    int *device, *data, *flag, *out;
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaMalloc(&device, 33 * sizeof *device);
    cudaMallocHost(&data, 32 * sizeof *data);
    cudaMallocHost(&out, sizeof *out);
    if (strstr(which, "managed")) {
        cudaMallocManaged(&flag, sizeof *flag);
    } else if (strstr(which, "registered")) {
        flag = (int *)aligned_alloc(4096, 4096);
        cudaHostRegister(flag, 4096, cudaHostRegisterMapped);
    } else {
        cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped);
    }
    *flag = 0;
    cudaMemset(device + 32, 1, sizeof *device);
    cudaDeviceSynchronize();
    fills<<<1, 32, 0, s>>>(device);
    cudaMemcpyAsync(data, device, 32 * sizeof *data, cudaMemcpyDeviceToHost, s);
    if (strstr(which, "memset"))
        cudaMemsetAsync(flag, 1, sizeof *flag, s);
    else if (strstr(which, "stored"))
        stores<<<1, 1, 0, s>>>(flag);
    else
        cudaMemcpyAsync(flag, device + 32, sizeof *flag, cudaMemcpyDefault, s);
    if (strstr(which, "twice"))
        cudaMemsetAsync(flag, 1, sizeof *flag, t);
    if (strstr(which, "stores"))
        *(volatile int *)flag = 1;
    if (strstr(which, "kernel")) {
        usleep(1000);
        (strstr(which, "plain") ? reads_plain : reads)<<<1, 1, 0, t>>>(device, flag, out);
        cudaStreamSynchronize(t);
        printf("%d\n", *out);
    } else {
        int sum = 0;
        if (strstr(which, "plain"))
            usleep(1000), sum = *flag == 0;
        while (!*(volatile int *)flag)
            ;
        for (int i = 0; i < 32; i++)
            sum += data[i];
        printf("%d\n", sum);
    }
    cudaDeviceSynchronize();
}
END
copied() { play copies "$1"; ends 0 && prints "$2" && [ ! -s "$dir/err" ]; }
ok 'a flag that a kernel sets in registered memory orders what its stream did before' copied stored-registered 32
for which in memcpy memset memcpy-managed memset-managed memset-registered; do
    ok "a flag that a queued copy or memset sets orders what its stream did before: $which" copied $which 32
    ok '... for a kernel of another stream, too' copied $which-kernel 1
done
meets() { play copies "$1"; ends 0 && [ "$(hazards)" -ge 1 ] && grep -q "bytes 0 to 3 of the 4 .*$2" "$dir/err"; }
ok 'a host that reads it by a plain load is a hazard' meets memset-plain 'the host .* reads them too'
ok '... in registered memory, too' eval 'play copies memset-registered-plain && ends 0 && [ "$(hazards)" -ge 1 ]'
ok 'so is a kernel that does' meets memcpy-kernel-plain 'kernel reads_plain'
ok 'so is a host that stores there meanwhile, volatile or not' meets memset-stores 'the host .* writes them'
ok 'and a second memset' meets memcpy-twice 'writes them too'

build notes <<'END'
#include <cstdio>
__global__ void fill(int *p) { p[threadIdx.x] = 1; }
int main(int, char **argv)
{
    int *device, *managed;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc(&device, 400);
    cudaMallocManaged(&managed, 1 << 20);
    if (argv[1][0] == 'f') {
        fill<<<1, 64, 0, s>>>(device);
        cudaFree(device);
    } else {
        cudaMemset(managed, 1, 1 << 20);
        printf("%d\n", managed[0]);
    }
}
END
notes() { play notes "$1"; ends 0 && [ "$(hazards)" = 0 ] && [ "$(grep -c '^note: ' "$dir/err")" = 1 ] && grep -q "$2" "$dir/err"; }
ok 'cudaFree of memory that a kernel uses is a note' notes free 'gives them back: this card waits before it does so'
ok 'so is what the host does after a memset of managed memory' notes set 'cards wait in such a memset'
done_testing
