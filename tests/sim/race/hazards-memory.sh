#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Hazards of memory: read before it was written, used after it was freed, variables, and memory of the host that is registered.
. tests/sim/race/hazards.bash

program=fresh
build fresh << 'END'
#include <stdio.h>
#include "streams.h"
struct padded { double d; int i; };
struct odd { char c; int i; };
__global__ void fill(int *p, int n) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i < n) p[i] = i; }
__global__ void twice(int *p, const int *q, int n) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i < n) p[i] = 2 * q[i]; }
__global__ void count(int *p) { atomicAdd(p, 1); }
__global__ void fill_padded(padded *p, int n) { int i = threadIdx.x; if (i < n) { p[i].d = i; p[i].i = i; } }
__global__ void fill_odd(odd *p, int n) { int i = threadIdx.x; if (i < n) { p[i].c = i; p[i].i = i; } }
template <class T> __global__ void copy_all(T *p, const T *q, int n) { int i = threadIdx.x; if (i < n) p[i] = q[i]; }
__global__ void scratch(int *tmp, int *out, int n) { int i = threadIdx.x; tmp[i] = i; __syncthreads(); out[i] = tmp[n - 1 - i]; }
__global__ void fours(float4 *p, const float4 *q) { p[threadIdx.x] = q[threadIdx.x]; }
__global__ void fill_fours(float *p) { p[threadIdx.x] = 1; }
__global__ void in_bytes(char *to, const char *from, int n) { memcpy(to, from, n); }
int main(int, char **argv)
{
    const int n = 256;
    const size_t bytes = n * sizeof(int);
    int *a, *b, h[2 * n];
    cudaStream_t s, t;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, 2 * bytes));
    switch (atoi(argv[1])) {
    case 1: CHECK(cudaMemcpy(h, a, bytes, cudaMemcpyDeviceToHost)); CHECK(cudaMemcpy(h, a, bytes, cudaMemcpyDeviceToHost)); break;
    case 2: twice<<<1, n>>>(b, a, n); CHECK(cudaMemcpy(h, b, bytes, cudaMemcpyDeviceToHost)); break;
    case 3: fill<<<1, n>>>(a, n); twice<<<1, n>>>(b, a, n); CHECK(cudaMemcpy(h, b, 2 * bytes, cudaMemcpyDeviceToHost)); break;
    case 4: count<<<1, n>>>(a); break;
    case 5: CHECK(cudaMemset(a, 0, 4)); count<<<1, n>>>(a); CHECK(cudaMemcpy(h, a, 4, cudaMemcpyDeviceToHost)); break;
    case 6: fill_padded<<<1, 16>>>((padded *)a, 16); copy_all<<<1, 16>>>((padded *)b, (padded *)a, 16); CHECK(cudaMemcpy(h, b, 256, cudaMemcpyDeviceToHost)); break;
    case 7: fill_odd<<<1, 16>>>((odd *)a, 16); copy_all<<<1, 16>>>((odd *)b, (odd *)a, 16); CHECK(cudaMemcpy(h, b, 128, cudaMemcpyDeviceToHost)); break;
    case 8: scratch<<<1, n>>>(a, b, n); break;
    case 9: CHECK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice)); CHECK(cudaMemcpy(h, b, bytes, cudaMemcpyDeviceToHost)); break;
    case 10: fill<<<1, n>>>(a, n); CHECK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice)); CHECK(cudaMemcpy(h, b, bytes, cudaMemcpyDeviceToHost)); break;
    case 11: /* the writer merely comes too late */
        fill<<<1, n, 0, s>>>(a, n); CHECK(cudaMemcpyAsync(h, a, bytes, cudaMemcpyDeviceToHost, t)); break;
    case 12:
        twice<<<1, n, 0, s>>>(b, a, n); CHECK(cudaMemcpyAsync(a, h, bytes, cudaMemcpyHostToDevice, t)); break;
    case 13: { int *p;
        CHECK(cudaMallocAsync(&p, bytes, s)); fill<<<1, n, 0, s>>>(p, n); CHECK(cudaFreeAsync(p, s));
        CHECK(cudaMallocAsync(&p, bytes, s)); twice<<<1, n, 0, s>>>(b, p, n); CHECK(cudaFreeAsync(p, s)); break; }
    case 14: fill_fours<<<1, 64>>>((float *)a); fours<<<1, 16>>>((float4 *)b, (float4 *)a); in_bytes<<<1, 1>>>((char *)b + 256, (char *)a, 256);
        CHECK(cudaMemcpy(h, b, 512, cudaMemcpyDeviceToHost)); break;
    case 15: fill<<<1, n>>>(a, n); CHECK(cudaDeviceSynchronize()); CHECK(cudaFree(a)); CHECK(cudaMalloc(&a, bytes)); twice<<<1, n>>>(b, a, n); break;
    case 16: { char *p; size_t pitch; CHECK(cudaMallocPitch(&p, &pitch, 100, 10)); char g[10 * 512];
        CHECK(cudaMemset2D(p, pitch, 1, 100, 10)); CHECK(cudaMemcpy2D(g, 512, p, pitch, 100, 10, cudaMemcpyDeviceToHost)); CHECK(cudaMemcpy(g, p, sizeof g, cudaMemcpyDeviceToHost)); break; }
    case 17: fill<<<1, 2000>>>(a, n); CHECK(cudaMemcpy(h, a, bytes, cudaMemcpyDeviceToHost)); break;
    case 18: { int *p; CHECK(cudaMallocAsync(&p, bytes, s)); fill<<<1, n, 0, s>>>(p, n); CHECK(cudaFree(p)); break; }
    case 19: { int *p; CHECK(cudaMallocAsync(&p, bytes, s)); fill<<<1, n, 0, s>>>(p, n); CHECK(cudaStreamSynchronize(s)); CHECK(cudaFree(p));
        CHECK(cudaMallocAsync(&p, bytes, t)); fill<<<1, n, 0, t>>>(p, n); CHECK(cudaFreeAsync(p, t)); break; }
    case 20: { int *p; CHECK(cudaMallocAsync(&p, bytes, s)); CHECK(cudaFreeAsync(p, s)); fill<<<1, n, 0, s>>>(p, n); break; }
    case 21: { int *p; cudaEvent_t e; CHECK(cudaEventCreate(&e)); CHECK(cudaMallocAsync(&p, bytes, s)); fill<<<1, n, 0, s>>>(p, n);
        CHECK(cudaEventRecord(e, s)); CHECK(cudaStreamWaitEvent(t, e, 0)); twice<<<1, n, 0, t>>>(b, p, n);
        CHECK(cudaEventRecord(e, t)); CHECK(cudaStreamWaitEvent(s, e, 0)); CHECK(cudaFreeAsync(p, s)); break; }
    case 22: CHECK(cudaMemcpy(a, h, n, cudaMemcpyHostToDevice)); twice<<<1, n>>>(b, a, n); break;
    case 23: { cudaGraph_t g; cudaGraphExec_t e; CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
        CHECK(cudaMemcpyAsync(a, h, n, cudaMemcpyHostToDevice, s)); CHECK(cudaStreamEndCapture(s, &g)); CHECK(cudaGraphInstantiate(&e, g, 0));
        CHECK(cudaGraphLaunch(e, s)); CHECK(cudaGraphLaunch(e, s)); twice<<<1, n, 0, s>>>(b, a, n); break; }
    case 24: count<<<1, n>>>(a); count<<<1, n>>>(b); count<<<1, n>>>(a); break;
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return 0;
}
END
ok 'a copy to the host of what nobody has written is told of once' \
    finds 1 1 'cudaMemcpy in the default stream .* reads bytes 0 to 1023 of the 1024 of cudaMalloc in line 23, which nothing has written'
ok 'of what a copy has left out, the copy is named' \
    finds 22 1 'reads bytes 256 to 1023 .* The cudaMemcpy in line [0-9]* writes the 256 bytes before these, and no more'
ok 'of a graph that is launched again, its old size, too' \
    finds 23 1 'reads bytes 256 to 1023 .* writes the 256 bytes before these, and no more. Its graph was launched before'
ok 'so is a kernel that reads it' finds 2 1 'fresh.cu:6: kernel twice .* reads bytes 0 to 1023 .* nothing has written: '
ok 'a copy of a buffer of which a part was written is not' finds 3 0
ok 'a counter that was not set is' finds 4 1 'fresh.cu:7: kernel count'
ok 'of two buffers that one kernel reads, both are' \
    eval "finds 24 2 'of the 1024 of cudaMalloc in line 23,' && finds 24 2 'of the 2048 of cudaMalloc in line 24,'"
ok 'cudaMemset sets it' finds 5 0
ok 'holes in structures are no matter' eval 'finds 6 0 && finds 7 0'
ok 'nor is memory that the kernel itself has written before' finds 8 0
ok 'what a copy inside the device spreads is told of where it begins' finds 9 1 'cudaMemcpyAsync .*nothing has written'
ok 'what it copies is written' finds 10 0
ok 'where the writer merely comes too late the hazard is told of, and no more' \
    eval 'finds 11 1 "reads them too: no event" && finds 12 1 "writes them too: no event"'
ok 'memory of a pool that is handed out again was never written' finds 13 1 'of cudaMallocAsync in line'
ok 'nor was memory of cudaMalloc that lies where other memory was' finds 15 1 'kernel twice'
ok 'vectors and memcpy in kernels are seen' finds 14 0
ok 'the padding of cudaMallocPitch is no matter' finds 16 0
ok 'a launch that was refused fills nothing' finds 17 1 'Was the kernel that is to fill it launched (cudaGetLastError)'
ok "cudaFree of a pool's memory waits for nobody: a kernel still uses it" finds 18 2 'kernel fill in stream 1 .* gives them back: the host has not waited for it'
ok 'after a wait it may, and who gets it next has no past' finds 19 0
ok 'what is used in order, but after it was freed, is told of' \
    finds 20 1 'kernel fill in stream 1 writes bytes 0 to 1023 of the 1024 of cudaMallocAsync in line [0-9]*, after cudaFreeAsync in line'
ok 'what is freed after its last use in another stream is not' finds 21 0

program=variables
build variables << 'END'
#include "streams.h"
__device__ int counter[64];
__managed__ int managed[64];
__device__ int total;
__constant__ float table[16] = { 1 };
int between[64];
__global__ void bump() { counter[threadIdx.x] += 1; }
__global__ void bump_managed() { managed[threadIdx.x] += 1; }
__global__ void sum() { atomicAdd(&total, counter[threadIdx.x]); }
__global__ void look(float *to) { *to = table[threadIdx.x]; }
int main(int, char **argv)
{
    cudaStream_t a, b;
    cudaEvent_t e;
    float *to;
    int v[64] = { 1 };
    CHECK(cudaStreamCreate(&a)); CHECK(cudaStreamCreate(&b)); CHECK(cudaEventCreate(&e)); CHECK(cudaMalloc(&to, 64));
    switch (atoi(argv[1])) {
    case 1: bump<<<1, 64, 0, a>>>(); bump<<<1, 64, 0, b>>>(); break;
    case 2: bump<<<1, 64, 0, a>>>(); CHECK(cudaEventRecord(e, a)); CHECK(cudaStreamWaitEvent(b, e)); bump<<<1, 64, 0, b>>>(); break;
    case 3: bump<<<1, 64, 0, a>>>(); CHECK(cudaMemcpyToSymbolAsync(counter, v, 4, 8, cudaMemcpyHostToDevice, b)); break;
    case 4: bump<<<1, 64, 0, a>>>(); CHECK(cudaMemcpyToSymbol(counter, v, 4)); break;
    case 5: sum<<<1, 64, 0, a>>>(); sum<<<1, 64, 0, b>>>(); break;
    case 6: bump_managed<<<1, 64, 0, a>>>(); managed[3] = 7; break;
    case 7: bump_managed<<<1, 64, 0, a>>>(); CHECK(cudaDeviceSynchronize()); managed[3] = 7; break;
    case 8: counter[2] = 5; break;
    case 9: bump<<<1, 64, 0, a>>>(); for (int i = 0; i < 64; i++) between[i] += i; break;
    case 10: look<<<1, 16, 0, a>>>(to); look<<<1, 16, 0, b>>>(to + 1); break;
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
END
ok 'two streams at the same variable of the device are told of' \
    finds 1 1 'bytes 0 to 255 of the 256 of counter, and .* no event'
ok 'an event between them is an order' finds 2 0
ok 'so are a kernel and a copy to the symbol' finds 3 1 'bytes 8 to 11 of the 256 of counter, and .*cudaMemcpyToSymbolAsync'
ok 'a copy to the symbol in the default stream has its order' finds 4 0
ok 'atomics at one variable are no hazard, nor are two that read it' finds 5 0
ok 'the host at a managed variable that a kernel uses is told of' finds 6 1 'a __managed__ variable, and .*the host'
ok 'when it has waited it is not' finds 7 0
ok 'the host at a variable of the device is told that it has another one' \
    finds 8 1 'the host .* writes the variable counter: that is the device.s'
ok 'variables of the host are nobody else.s' finds 9 0
ok 'constant memory may be read by all' finds 10 0

program=registered
build registered << 'END'
#include <stdio.h>
#include "streams.h"
enum { N = 1 << 18 };
__global__ void sums(int *p)
{
    int mine[64];
    for (int i = 0; i < 64; i++)
        mine[i] = p[64 * threadIdx.x + i];
    for (volatile int i = 1; i < 64; i++)
        mine[i] += mine[i - 1];
    p[64 * threadIdx.x] = mine[63];
}
int main(int, char **argv)
{
    static char far_below[N];
    char on_the_stack[N], *h = (char *)malloc(2 * N), *d;
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a)); CHECK(cudaStreamCreate(&b));
    CHECK(cudaMalloc(&d, N));
    CHECK(cudaMemset(d, 0, N));
    CHECK(cudaHostRegister(h, N, 0));
    memset(h, 1, N);
    switch (atoi(argv[1])) {
    case 1: /* a read while a copy into it is under way */
        CHECK(cudaMemcpyAsync(h, d, N, cudaMemcpyDeviceToHost, a));
        printf("%d\n", h[N - 1]);
        break;
    case 2: /* a store while a copy from it is */
        CHECK(cudaMemcpyAsync(d, h, N, cudaMemcpyHostToDevice, a));
        h[7] = 2;
        break;
    case 3: /* after the wait, and beside the bytes that are registered */
        CHECK(cudaMemcpyAsync(d, h, N, cudaMemcpyHostToDevice, a));
        h[N] = 2;
        CHECK(cudaStreamSynchronize(a));
        h[7] = 2;
        break;
    case 4: /* freed without a word */
        CHECK(cudaMemcpyAsync(d, h, N, cudaMemcpyHostToDevice, a));
        free(h);
        return 0;
    case 5: /* what kernels have on their stacks is their own */
        CHECK(cudaHostRegister(far_below, N, 0));
        CHECK(cudaHostRegister(on_the_stack, N, 0));
        sums<<<1, 4, 0, a>>>((int *)d);
        sums<<<1, 4, 0, b>>>((int *)(d + N / 2));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaHostUnregister(far_below));
        CHECK(cudaHostUnregister(on_the_stack));
        break;
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostUnregister(h));
}
END
ok 'the host reads registered memory that a copy is still to write' finds 1 1 'of cudaHostRegister .*the host .* reads them too'
ok 'the host writes registered memory that a copy is still to read' finds 2 1 'bytes 7 to 7 of .*cudaHostRegister .*the host .* writes them too'
ok 'after a wait it may, and beside it always' finds 3 0
ok 'registered memory that is freed while a copy reads it, and is registered' finds 4 2 'the host .* frees them'
ok 'what kernels have on their stacks is their own' finds 5 0
program=stores
build stores << 'END'
#include "streams.h"
enum { N = 1 << 16 };
__global__ void all(int *p, int but) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i != but) p[i] = i; }
__global__ void copy_all(int *p, const int *q) { int i = threadIdx.x + blockIdx.x * blockDim.x; p[i] = q[i]; }
__global__ void by_grid(int *p, int *q, int *r, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) p[i] = i, q[n - 1 - i] = p[i ^ 0], r[2 * i % n] = i;
    __syncthreads();
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) p[i] = q[n - 1 - i] + r[2 * i % n];
}
__global__ void turn(int *p, int *q) { int i = threadIdx.x; p[i] = i; __syncthreads(); q[i] = p[blockDim.x - 1 - i]; __syncthreads(); p[i] += q[i ^ 1]; }
__global__ void half(int *p) { int i = threadIdx.x; p[i] = i; __syncthreads(); p[i] += p[i + blockDim.x]; }
__global__ void rows(int *p, int columns, int rows) { for (int r = 0; r < rows; r++) p[r * columns + threadIdx.x] = r; }
int main(int, char **argv)
{
    int *a, *b, *c;
    CHECK(cudaMalloc(&a, N * sizeof *a));
    CHECK(cudaMalloc(&b, N * sizeof *b));
    CHECK(cudaMalloc(&c, N * sizeof *c));
    switch (atoi(argv[1])) {
    case 1: all<<<N / 256, 256>>>(a, N); copy_all<<<N / 256, 256>>>(b, a); by_grid<<<4, 128>>>(c, a, b, N); break;
    case 2: by_grid<<<4, 128>>>(a, b, c, N); copy_all<<<N / 256, 256>>>(a, b); break;
    case 3: turn<<<1, 1024>>>(a, b); break;
    case 4: all<<<N / 256, 256>>>(a, 5000); copy_all<<<N / 256, 256>>>(b, a); break;
    case 5: half<<<1, 256>>>(a); break;
    case 6: rows<<<1, 64>>>(a, 128, 400); copy_all<<<1, 65>>>(b, a + 128 * 200); break;
    case 7: all<<<2, 256>>>(a, N); copy_all<<<3, 256>>>(b, a); break;
    case 8: all<<<N / 256, 256>>>(a, N); CHECK(cudaDeviceSynchronize()); CHECK(cudaFree(a)); CHECK(cudaMalloc(&a, N * sizeof *a)); copy_all<<<N / 256, 256>>>(b, a); break;
    default:
        for (int round = 0; round < 300; round++) {
            CHECK(cudaMalloc(&a, N * sizeof *a));
            if (argv[1][0] == 's') CHECK(cudaMemset(a, 0, N * sizeof *a));
            all<<<N / 1024, 1024>>>(a, N);
            CHECK(cudaFree(a));
        }
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
END
ok 'what a kernel stores into new memory it may read, and the next, too' eval 'finds 1 0 && finds 2 0 && finds 3 0'
ok 'what it leaves out is told of' finds 4 1 'kernel copy_all .* reads bytes 20000 to 20003 of the .* nothing has written'
ok 'in the same kernel, too' finds 5 1 'kernel half .* reads bytes 1024 to 2047 of the .* nothing has written'
ok 'between rows, too' finds 6 1 'kernel copy_all .* reads bytes 102656 to 102659 of the .* nothing has written'
ok 'and behind the last' finds 7 1 'kernel copy_all .* reads bytes 2048 to 3071 of the .* nothing has written'
ok 'what was stored before the memory was freed is of no use' finds 8 1 'kernel copy_all .* reads bytes 0 to .* nothing has written'
# ticks CASE: the processor's time, the least of three
ticks() {
    local least=0 user system one
    for one in 1 2 3; do
        read -r user system < <(TIMEFORMAT='%U %S'; { time "$dir/stores" "$1" > "$dir/out" 2>&1; } 2>&1)
        one=$((10#${user/./} + 10#${system/./}))
        ((least == 0 || one < least)) && least=$one
    done
    echo "$least"
}
cheap() { (($(ticks fresh) < 4 * $(ticks set))); }
ok 'stores into new memory cost no more than a few times those into memory that was set' cheap

program=strides
build strides << 'END'
#include "streams.h"
struct body { float x, y, z, mass; };
enum { BODIES = 300, ROWS = 40, COLUMNS = 100 };
__global__ void set_x(body *b, int n) { for (int i = 0; i < n; i++) b[i].x = i; }
__global__ void sum_x(float *to, const body *b, int n) { float s = 0; for (int k = 0; k < 3; k++) for (int i = 0; i < n; i++) s += b[i].x; *to = s; }
__global__ void sum_y(float *to, const body *b, int n) { float s = 0; for (int i = 0; i < n; i++) s += b[i].y; *to = s; }
__global__ void halves_x(body *b, int n) { for (int i = blockIdx.x * n; i < (blockIdx.x + 1) * n; i++) b[i].x = i; }
__global__ void halves_y(float *to, const body *b, int n) { float s = 0; for (int i = blockIdx.x * n; i < (blockIdx.x + 1) * n; i++) s += b[i].y; to[blockIdx.x] = s; }
__global__ void column(float *m, int c, int rows) { for (int r = 0; r < rows; r++) m[r * COLUMNS + c] = r; }
__global__ void row(float *to, const float *m, int r) { float s = 0; for (int c = 0; c < COLUMNS; c++) s += m[r * COLUMNS + c]; *to = s; }
int main(int, char **argv)
{
    body *b;
    float *m, *to;
    cudaStream_t s, t;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    CHECK(cudaMalloc(&b, BODIES * sizeof *b));
    CHECK(cudaMalloc(&m, ROWS * COLUMNS * sizeof *m));
    CHECK(cudaMalloc(&to, 2 * sizeof *to));
    switch (atoi(argv[1])) {
    case 1: set_x<<<1, 1, 0, s>>>(b, BODIES); sum_x<<<1, 1, 0, t>>>(to, b, BODIES); break;
    case 2: CHECK(cudaMemset(b, 0, BODIES * sizeof *b)); CHECK(cudaDeviceSynchronize());
        set_x<<<1, 1, 0, s>>>(b, BODIES); sum_y<<<1, 1, 0, t>>>(to, b, BODIES); break;
    case 3: set_x<<<1, 1, 0, s>>>(b, BODIES); sum_x<<<1, 1, 0, s>>>(to, b, BODIES); sum_y<<<1, 1, 0, s>>>(to, b, BODIES); break;
    case 4: set_x<<<1, 1, 0, s>>>(b, BODIES + 2); break;
    case 5: CHECK(cudaMemset(m, 0, ROWS * COLUMNS * sizeof *m)); CHECK(cudaDeviceSynchronize());
        column<<<1, 1, 0, s>>>(m, 7, ROWS); row<<<1, 1, 0, t>>>(to, m, ROWS - 1); break;
    case 6: CHECK(cudaMemset(m, 0, ROWS * COLUMNS * sizeof *m)); CHECK(cudaDeviceSynchronize());
        column<<<1, 1, 0, s>>>(m, 7, ROWS); column<<<1, 1, 0, t>>>(m, 8, ROWS); break;
    case 7: case 8: /* of a kernel's first launches, and of a grid's first block, each access is looked at */
        CHECK(cudaMemset(b, 0, BODIES * sizeof *b));
        for (int k = 0; k < 3; k++) { halves_x<<<2, 1>>>(b, BODIES / 2); halves_y<<<2, 1>>>(to, b, BODIES / 2); }
        CHECK(cudaDeviceSynchronize());
        if (atoi(argv[1]) == 8) { halves_x<<<2, 1, 0, s>>>(b, BODIES / 2); sum_x<<<1, 1, 0, t>>>(to, b, BODIES); break; }
        CHECK(cudaFree(b));
        CHECK(cudaMalloc(&b, BODIES * sizeof *b));
        CHECK(cudaMemset(b, 0, (char *)&b[200].y - (char *)b));
        CHECK(cudaMemset(&b[200].z, 0, (char *)(b + BODIES) - (char *)&b[200].z));
        halves_y<<<2, 1>>>(to, b, BODIES / 2); break;
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
END
ok 'a race of one member of many structs is found' finds 1 1 'kernel set_x in stream 1 .*writes bytes 0 to 4787 .*kernel sum_x in stream 2 .*reads them too'
ok 'members beside each other are no race' finds 2 0
ok 'of the members one that was never written is told of, and no other' finds 3 1 'strides.cu:6: kernel sum_y .* nothing has written'
ok 'the member of a struct past the end is out of bounds' finds 4 1 'strides.cu:4: kernel set_x .* writes bytes 4800 to '
ok 'a column and a row that cross are a race' finds 5 1 'kernel column in stream 1 .*writes bytes 15628 to 15631 .*kernel row in stream 2'
ok 'columns beside each other are none' finds 6 0
ok 'among members that were written one that was not is told of, in any block' finds 7 1 'kernel halves_y .* reads bytes 3204 to 3207 .* nothing has written'
ok '… and a race is found of all that blocks touch' finds 8 1 'kernel halves_x in stream 1 .*writes bytes 0 to 4787 .*kernel sum_x in stream 2 .*reads them too'


# Short lengths that the compiler knows, and the library's functions by all their names, in a system whose g++ has _FORTIFY_SOURCE on, too.
cat > "$dir/short.cu" << 'END'
#include <algorithm>
#include <array>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <vector>
#include "streams.h"
static __global__ void set(unsigned *p) { kernel_cost(200000); p[threadIdx.x] = 7; }
int main(int, char **argv)
{
    unsigned *h, *d, out[3] = {};
    CHECK(cudaMallocHost((void **)&h, 64));
    CHECK(cudaMalloc((void **)&d, 64));
    CHECK(cudaMemset(d, 0, 64));
    set<<<1, 16>>>(d);
    CHECK(cudaMemcpyAsync(h, d, 64, cudaMemcpyDeviceToHost, 0));
    switch (atoi(argv[1])) {
    case 1: memcpy(out, h + 9, sizeof out); break;
    case 2: memmove(out, h + 9, sizeof out); break;
    case 3: out[0] = memcmp(out, h + 9, sizeof out) == 0; break;
    case 4: memset(h + 9, 0, sizeof out); break;
    case 5: std::copy(h + 9, h + 12, out); break;
    case 6: std::copy_n(h + 9, 3, out); break;
    case 7: { std::vector<unsigned> v(h + 9, h + 12); out[0] = v[0]; break; }
    case 8: { std::array<unsigned, 3> a; std::copy(h + 9, h + 12, a.begin()); out[0] = a[0]; break; }
    case 9: out[0] = std::equal(h + 9, h + 12, out); break;
    case 10: std::fill((char *)h, (char *)h + 12, 1); break;
    case 11: mempcpy(out, h + 9, sizeof out); break;
    case 12: bcopy(h + 9, out, sizeof out); break;
    case 13: bzero(h + 9, sizeof out); break;
    case 14: out[0] = (unsigned)strnlen((char *)h, 12); break;
    }
    CHECK(cudaDeviceSynchronize());
    printf("%u\n", out[0]);
}
END
for options in -O2 '-O2 -D_FORTIFY_SOURCE=2'; do
    build/bin/simcc $options -Icommon -o "$dir/short" "$dir/short.cu" || echo "# $options: not built"
    for way in {1..14}; do
        SIM_HAZARDS=1 "$dir/short" $way > "$dir/out" 2> "$dir/err"
        ok "with $options the host is seen in way $way" grep -q '^hazard: .* the host ' "$dir/err"
    done
done
done_testing
