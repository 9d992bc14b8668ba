#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Kernels whose blocks provably do not see each other run on all cores without being asked to, and what comes of them is the same as on
# one. Kernels that only look so run on one.
. tests/sim/sim.bash
cd "$dir" || exit 2
[ "$(nproc)" -gt 1 ] || skip_all 'there is one core'

# Runs ./x: out.N, err.N, trace.N; in `many` which kernels had more cores than one.
on() {      # N VARIABLE=VALUE...
    env WORKBOOK_LOG=9 "${@:2}" timeout 120 ./x > "out.$1" 2> both 9> log
    echo $? >> "out.$1"
    sed -n '/: 1 cores$/!s/: [0-9]* cores$//p' both | sort -u > many
    grep -v ': [0-9]* cores$' both > "err.$1"
    "$root/build/bin/timeline" --trace="trace.$1" log > drawn
}
# With hazards or without, those kernels alone have more cores than one, and nothing else differs from what one core does.
same() {    # SIM_HAZARDS NAME...
    on 1 SIM_HAZARDS="$1" SIM_CORES=1
    on 2 SIM_HAZARDS="$1" SIM_CORES_SHOWN=1
    [ "$(xargs < many)" = "${*:2}" ] && [ -s trace.1 ] && cmp out.1 out.2 && cmp err.1 err.2 && cmp trace.1 trace.2
}
# why COMMAND...: when it fails, what both runs said is shown.
why() {
    "$@" > said 2>&1 && return
    head -n 30 many said err.? > out
    diff out.1 out.2 >> out
    false
} 2> /dev/null
compiled() { "$root/build/bin/simcc" -std=c++17 x.cu -o x; }
# program: kernels, and launches(x, y, n), on stdin. LAUNCH prints what the two arrays of 2 n numbers hold after it.
program() {
    { cat head; cat; cat tail; } > x.cu
    compiled
}
cat > head << 'END'
#include <stdio.h>
static float *all;
static void sum_up(const char *name)
{
    static unsigned h[4 << 16];
    unsigned sum = 0;
    cudaError_t status = cudaMemcpy(h, all, sizeof h, cudaMemcpyDeviceToHost);
    for (unsigned x : h) sum = sum * 31 + x;
    printf("%s %s %08x\n", name, cudaGetErrorName(status), sum);
}
#define LAUNCH(k, grid, block, ...) (k<<<grid, block>>>(__VA_ARGS__), sum_up(#k))
END
cat > tail << 'END'
int main()
{
    static float h[4 << 16];
    float *x;
    for (int i = 0; i < 4 << 16; i++) h[i] = 1 + i % 97;
    cudaMalloc(&all, sizeof h);
    cudaMalloc(&x, sizeof h);
    cudaMemcpy(all, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    launches(x, all, 2 << 16);
}
END

program << 'END'
const int TILE = 16;
enum { WIDTH = 256, HEIGHT = 512 };
__global__ void saxpy(int n, float a, const float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }
__global__ void leaves(const float *__restrict__ x, float *__restrict__ y, unsigned n)
{
    const size_t i = threadIdx.x + (size_t)blockDim.x * blockIdx.x;
    if (i >= n) { return; }
    y[i] += sqrtf(x[i]) + fmaxf((float)i, 1e-3f);
    if (x[i] > 50 || i % 3 == 0) y[i] -= 1; else y[i]++;
}
__global__ void strides(float *y, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = y[i] * 0.5f + i;
}
__global__ void strides_too(float *y, int n) { for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] += i; }
__global__ void strides_on(const float *x, float *y, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    while (i < n) {
        float sum = 0;
        if (i % 2) { sum += x[i]; }
        y[i] += sum * i;
        i += blockDim.x * gridDim.x;
    }
}
__global__ void flat(int width, int height, const float *x, float *y)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) y[row * width + column] += 2 * x[row * width + column];
}
__global__ void flat_too(const float *x, float *y)
{
    auto column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    if (row >= HEIGHT || column >= WIDTH) return;
    int i = column + row * WIDTH;
    for (int k = 0; k < 8; k++)
        if (k % 2) y[i] += x[i] / (k + 1);
}
__global__ void product(const float *x, float *y)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < WIDTH; ++k) sum += x[row * WIDTH + k] * x[k * WIDTH + column];
    if (column < WIDTH && row < WIDTH) y[row * WIDTH + column] = sum;
}
__global__ void stencil(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0 && i < n) y[i] = x[i - 1] + x[i] + x[i + 1]; }
/* Two divisions by zero: the first block's is told of. */
__global__ void divides(int *y, int zero, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i > 40000) y[i] += 7 / (i * zero);
    else if (i < n && i > 300)
        y[i] += 9 / (i * zero);
}
static void launches(float *x, float *y, int n)
{
    LAUNCH(saxpy, n / 256, 256, n, 2, x, y);
    LAUNCH(leaves, n / 100, 128, x, y, n - 5);
    LAUNCH(strides, 20, 128, y, n);
    LAUNCH(strides_too, 20, 128, y, n - 1);
    LAUNCH(strides_on, 20, 128, x, y, n - 2);
    LAUNCH(flat, dim3(20, 36), dim3(16, 16), 300, 400, x, y);
    LAUNCH(flat_too, dim3(20, 36), dim3(16, 16), x, y);
    LAUNCH(product, dim3(16, 16), dim3(16, 16), x, y);
    LAUNCH(stencil, n / 256 + 1, 256, x, y, n);
    LAUNCH(divides, n / 256, 256, (int *)y, 0, n);
}
END
ok 'kernels whose blocks do not see each other: the same, on all cores' \
    why same 0 divides flat flat_too leaves product saxpy stencil strides strides_on strides_too
ok 'looked at: those whose reads are shown to stay in their arrays' why same 1 divides flat flat_too leaves saxpy strides strides_on strides_too
SIM_CORES_SHOWN=1 SIM_CORES=2 SIM_HAZARDS=0 ./x > out 2> err
ok 'SIM_CORES=2 still is two' [ "$(grep -c ': 2 cores' err)" = 10 ]
SIM_CORES_SHOWN=1 SIM_CORES=1 SIM_HAZARDS=0 ./x > out 2> err
ok 'SIM_CORES=1 still is one' [ "$(grep -c ': 1 cores' err)" = 10 ]
SIM_CORES_SHOWN=1 SIM_HAZARDS=0 taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')" ./x > out 2> err
ok 'and a process that may run on one core alone has one' [ "$(grep -c ': 1 cores' err)" = 10 ]

# The same texts as above: what the launch says is what forbids it.
program << 'END'
enum { WIDTH = 256 };
__global__ void saxpy(int n, float a, const float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a * x[i] + y[i]; }
__global__ void in_place(float *a, float *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += b[i]; }
__global__ void rows(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += x[i + 1]; }
__global__ void flat(int width, const float *x, float *y)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    y[row * width + column] += 2 * x[row * width + column];
}
__global__ void fixed(int size, float *y, int n) { int i = blockIdx.x * size + threadIdx.x; if (i < n) y[i] += 1; }
__global__ void bytes(char *a, short *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = b[i]; }
static void launches(float *x, float *y, int n)
{
    float *managed, *pinned;
    cudaMallocHost(&pinned, 4 * n);
    puts("aliases");
    LAUNCH(saxpy, n / 256, 256, n - 1, 2, y, y + 1);
    LAUNCH(rows, n / 256, 256, y, y, n);
    LAUNCH(bytes, n / 256, 256, (char *)y, (short *)y, n);
    puts("blocks that overlap");
    LAUNCH(saxpy, dim3(n / 256, 2), 256, n, 2, x, y);
    LAUNCH(saxpy, dim3(n / 256, 1, 2), 256, n, 2, x, y);
    LAUNCH(flat, dim3(17, 16), dim3(16, 16), 256, x, y);
    LAUNCH(flat, dim3(16, 16, 2), dim3(16, 16), 256, x, y);
    LAUNCH(flat, dim3(16, 16), dim3(16, 16), -256, x + n, y + n);
    LAUNCH(fixed, n / 256, 256, 255, y, n);
    LAUNCH(fixed, n / 256, 256, 0, y, n);
    puts("memory that the host sees");
    for (int i = 0; i < n; i++) pinned[i] = i;
    LAUNCH(saxpy, n / 256, 256, n, 2, x, pinned);
    printf("%f\n", pinned[n - 1]);
    puts("memory that is not there");
    LAUNCH(saxpy, n, 256, 1 << 30, 2, x, y);
}
END
ok 'kernels that are launched so that their blocks may see each other run on one' why same 0
ok 'with hazards, too' why same 1

program << 'END'
__global__ void in_place(float *a, float *b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += b[i]; }
__global__ void rows_of_threads(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += threadIdx.y; }
__global__ void empty(float *a, unsigned long n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += 1; }
static void launches(float *x, float *y, int n)
{
    LAUNCH(in_place, n / 256, 256, y, y, n);
    LAUNCH(rows_of_threads, n / 256, dim3(256, 4), y, n);
    LAUNCH(empty, n / 256, 256, y, 0);
    LAUNCH(empty, n / 256, 256, y, -1ul);
}
END
ok 'one array as two parameters, element by element; several threads of a block with one element' why same 0 empty in_place rows_of_threads
ok 'these are looked for, and found' why same 1 empty in_place

# Texts that are refused: one thing in each is not as it has to be.
program << 'END'
#include <cooperative_groups.h>
#define HIDDEN(a) (a)[(i + 1) % n] = 1
struct pair { float *a; int n; };
__device__ int seen;
__device__ float device_array[1 << 16];
__device__ float helper(float *y, int i) { y[i ^ 256] += 1; return 1; }
static __device__ void tells(int i) { seen = i; }
namespace other { struct { unsigned x = 0; } threadIdx; }
struct number { float value; __device__ operator float() const { return value; } };
#define PLACE int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
__global__ void offset(float *y, int n) { PLACE y[(i + 1) % n] = y[i]; }
__global__ void offset_too(float *y, int n) { PLACE y[i] = y[i ^ 256]; }
__global__ void computed(float *y, int n) { PLACE *(y + i) += 1; y[0] = i; }
__global__ void pointer(float *y, int n) { PLACE float *p = y + 1; p[i] += y[i]; }
__global__ void moved(float *y, int n) { PLACE y += threadIdx.x; y[i] += 1; }
__global__ void address(float *y, int n) { PLACE (&y[i])[1] = 1; }
__global__ void address_too(float *y, int n) { PLACE float *p = &y[i]; *p += p[1]; }
__global__ void backwards(float *y, int n) { PLACE i[y] = 1; y[i] = 2[y]; }
__global__ void counted(float *y, int n) { PLACE y[i] = atomicAdd(&seen, 1); }
__global__ void float_sum(float *y, int n) { PLACE atomicAdd(y, 0.1f * i); }
__global__ void prints(float *y, int n) { PLACE if (i == n - 1) printf("%d\n", i); }
__global__ void calls(float *y, int n) { PLACE y[i] += helper(y, i); }
__global__ void calls_too(float *y, int n) { PLACE y[i] += 1; tells(i); }
__global__ void macro(float *y, int n) { PLACE HIDDEN(y); y[i] += 1; }
__global__ void shadowed(float *y, int n) { struct { unsigned x; } threadIdx = { 0 }; PLACE y[i] += 1; }
__global__ void shadowed_too(float *y, int n) { using other::threadIdx; PLACE y[i] += 1; }
__global__ void shadowed_later(float *y, int n) { PLACE { int i = 5; y[i] += 1; } }
__global__ void changed(float *y, int n) { PLACE i = (i + 1) % n; y[i] += 1; }
__global__ void changed_too(float *y, int n) { PLACE y[i++] += 1; y[i] += 1; }
__global__ void changed_in_loop(float *y, int n) { PLACE for (int k = 0; k < 2; k++, i++) y[i % n] += 1; }
__global__ void changed_bound(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; n *= 2; if (i >= n) return; y[i] += 1; }
__global__ void other_stride(float *y, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) y[i] += 1; }
__global__ void steps_back(float *y, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) { y[i] += 1; i -= blockDim.x; } }
#define AT int i = blockIdx.x * blockDim.x + threadIdx.x
__global__ void while_other(float *y, int n) { AT; while (i < n) { y[i] += 1; i += blockDim.x; } }
__global__ void while_twice(float *y, int n) { AT; while (i < n) { if (i % 2) i += 1; y[i] += 1; i += blockDim.x * gridDim.x; } }
__global__ void while_first(float *y, int n) { AT; while (i < n) { i += blockDim.x * gridDim.x; y[i] += 1; } }
__global__ void while_within(float *y, int n) { AT; while (i < n) { y[i] += 1; if (y[i] > 3) i += blockDim.x * gridDim.x; } }
__global__ void while_after(float *y, int n) { AT; while (i < n) { y[i] += 1; i += blockDim.x * gridDim.x; } y[i] = 1; }
__global__ void while_open(float *y, int n) { AT; if (i < n) while (i < 2 * n - n) { y[i] += 1; i += blockDim.x * gridDim.x; } }
__global__ void while_again(float *y, int n) { AT; while (i < n) { while (i < n) { y[i] += 1; i += blockDim.x * gridDim.x; } i += blockDim.x * gridDim.x; } }
__global__ void while_in_for(float *y, int n) { AT; if (i < n) for (int k = 0; k < 2; k++) { y[i] += 1; while (i < n) { y[i] += 1; i += blockDim.x * gridDim.x; } } }
__global__ void while_bare(float *y, int n) { AT; while (i < n) y[i] += 1, i += blockDim.x * gridDim.x; }
__global__ void small(float *y, int n) { unsigned short i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += 1; }
__global__ void halved(float *y, int n) { int i = (blockIdx.x * blockDim.x + threadIdx.x) / 2; if (i < n) y[i] += 1; }
__global__ void twice(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x * 2; if (i < n) y[i] += 1; }
__global__ void turned(float *y, int n) { int i = threadIdx.x * blockDim.x + blockIdx.x; if (i < n) y[i] += 1; }
__global__ void taken(pair p) { int n = p.n; PLACE p.a[(i + 1) % n] += p.a[i]; }
__global__ void referred(float *y, int n) { PLACE auto &e = y[0]; e += i; }
__global__ void referred_too(float *y, int n) { PLACE auto &&e = y[(i + 1) % n]; e = i; }
__global__ void lambda(float *y, int n) { PLACE auto f = [=](int k) { y[k] += y[i]; }; f((i + 1) % n); }
__global__ void lambda_too(float *y, int n) { PLACE y[i] += [&] { y[0] = i; return 1; }(); }
__global__ void global(float *y, int n) { PLACE device_array[i / 2] = i; y[i] += device_array[i]; }
__global__ void keeps(float *y, int n) { PLACE static int last = 0; y[i] += last; last = i; }
__global__ void own(number *y, int n) { PLACE y[i].value += 1; y[i + 1 < n ? i + 1 : 0] = y[i]; }
__global__ void spins(volatile float *y, int n) { PLACE y[i] += y[n - 1]; }
__global__ void asks(float *y, int n) { PLACE y[i] += clock64() % 3; }
__global__ void assembles(float *y, int n) { PLACE unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); y[i] += r; }
__global__ void jumps(float *y, int n) { PLACE if (i < n) goto end; y[i] = 1; end: y[i ^ 1] += 1; }
__global__ void unset(float *y, int n) { PLACE float sum; sum = 0; y[i] += sum; }
__global__ void words(float *y, int n) { PLACE y[i] += *"a"; }
__global__ void digraphs(float *y, int n) { PLACE y<:(i + 1) % n:> += 1; }
__global__ void joined(float *y, int n) { PLACE y[i] += (y[0] = i, 1); }
template <int by> __global__ void made(float *y, int n) { PLACE y[i] += by; }
namespace other { __global__ void inside(float *y, int n) { PLACE y[i] += 1; } }
struct place { int at; __device__ operator int() const { return at; } };
static void launches(float *x, float *y, int n)
{
    const int b = n / 256, t = 256;
    LAUNCH(offset, b, t, y, n);
    LAUNCH(offset_too, b, t, y, n);
    LAUNCH(computed, b, t, y, n);
    LAUNCH(pointer, b, t, y, n);
    LAUNCH(moved, b, t, y, n);
    LAUNCH(address, b, t, y, n);
    LAUNCH(address_too, b, t, y, n);
    LAUNCH(backwards, b, t, y, n);
    LAUNCH(counted, b, t, y, n);
    LAUNCH(float_sum, b, t, y, n);
    LAUNCH(prints, b, t, y, n);
    LAUNCH(calls, b, t, y, n);
    LAUNCH(calls_too, b, t, y, n);
    LAUNCH(macro, b, t, y, n);
    LAUNCH(shadowed, b, t, y, n);
    LAUNCH(shadowed_too, b, t, y, n);
    LAUNCH(shadowed_later, b, t, y, n);
    LAUNCH(changed, b, t, y, n);
    LAUNCH(changed_too, b, t, y, n);
    LAUNCH(changed_in_loop, b, t, y, n);
    LAUNCH(changed_bound, 3 * b, t, y, n);
    LAUNCH(other_stride, 20, t, y, n);
    LAUNCH(steps_back, 1, t, y, 0);
    LAUNCH(steps_back, 2, t, y, 0);
    LAUNCH(while_other, 20, t, y, n);
    LAUNCH(while_twice, 20, t, y, n);
    LAUNCH(while_first, 20, t, y, n);
    LAUNCH(while_within, 20, t, y, n);
    LAUNCH(while_after, 20, t, y, n);
    LAUNCH(while_open, 20, t, y, n);
    LAUNCH(while_again, 20, t, y, n);
    LAUNCH(while_in_for, 20, t, y, n);
    LAUNCH(while_bare, 20, t, y, n);
    LAUNCH(small, b, t, y, n);
    LAUNCH(halved, b, t, y, n);
    LAUNCH(twice, b, t, y, n);
    LAUNCH(turned, b, t, y, n);
    LAUNCH(taken, b, t, pair{ y, n });
    LAUNCH(referred, b, t, y, n);
    LAUNCH(referred_too, b, t, y, n);
    LAUNCH(lambda, b, t, y, n);
    LAUNCH(lambda_too, b, t, y, n);
    LAUNCH(global, b / 2, t, y, n / 2);
    LAUNCH(keeps, b, t, y, n);
    LAUNCH(own, b, t, (number *)y, n);
    LAUNCH(spins, b, t, y, n);
    LAUNCH(asks, b, t, y, n);
    LAUNCH(assembles, b, t, y, n);
    LAUNCH(jumps, b, t, y, n);
    LAUNCH(unset, b, t, y, n);
    LAUNCH(words, b, t, y, n);
    LAUNCH(digraphs, b, t, y, n);
    LAUNCH(joined, b, t, y, n);
    LAUNCH(made<1>, b, t, y, n);
    LAUNCH(other::inside, b, t, y, n);
}
END
ok 'a text with one thing more in it is on one core' why same 0

# What a program declares at file scope.
program << 'END'
struct odd { int by; };
__device__ int count;
enum step { ONE = 1 };
__device__ int operator+(int a, step) { return a + ++count; }
__device__ float fmaxf(int a, float b) { count += a; return count + b; }
__device__ long operator""_odd(unsigned long long by) { return by + count++; }
int changes = 5;
const int changed = changes;
#define PLACE int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
__global__ void adds(float *y, int n) { PLACE y[i] = i + ONE; }
__global__ void overloaded(float *y, int n) { PLACE y[i] = fmaxf(i, 1.0f); }
__global__ void literal(float *y, int n) { PLACE y[i] = 3_odd; }
__global__ void variable(float *y, int n) { PLACE y[i] = count; }
static void launches(float *x, float *y, int n)
{
    const int b = n / 256, t = 256;
    LAUNCH(adds, b, t, y, n);
    LAUNCH(overloaded, b, t, y, n);
    LAUNCH(literal, b, t, y, n);
    LAUNCH(variable, b, t, y, n);
}
END
ok 'what looks like a number, a sum or a function of mathematics may be the program'\''s own' why same 0

# Rounding is the calling thread's, and threads and signals of the host's go on as before.
cat > x.cu << 'END'
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <thread>
__global__ void thirds(float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) for (int k = 1; k < 20; k++) y[i] += i / 3.0f; }
static volatile sig_atomic_t caught;
static void sums(float *y, int n, unsigned *out)
{
    static thread_local unsigned h[1 << 16];
    cudaStream_t s;
    cudaStreamCreate(&s);
    for (int round = 0; round < 5; round++) thirds<<<n / 256, 256, 0, s>>>(y, n);
    cudaMemcpyAsync(h, y, 4 * n, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    for (int i = 0; i < n; i++) *out = *out * 31 + h[i];
}
int main()
{
    const int n = 1 << 16;
    float *y[3];
    unsigned sum[3] = { 0 };
    signal(SIGUSR1, [](int) { caught = caught + 1; });
    for (int i = 0; i < 3; i++) cudaMalloc(&y[i], 4 * n), cudaMemset(y[i], 0, 4 * n);
    std::thread a(sums, y[0], n, &sum[0]), b([&] { fesetround(FE_UPWARD); sums(y[1], n, &sum[1]); });
    for (int i = 0; i < 3; i++) raise(SIGUSR1), std::this_thread::yield();
    a.join(), b.join();
    fesetround(FE_DOWNWARD);
    sums(y[2], n, &sum[2]);
    printf("%x %x %x %d %s\n", sum[0], sum[1], sum[2], (int)caught, cudaGetErrorName(cudaGetLastError()));
}
END
compiled
ok 'threads of the host that round differently, and signals' why same 0 thirds
ok 'with hazards, too' why same 1 thirds
ok 'they do round differently' eval '[ "$(head -n 1 out.2 | tr " " "\n" | head -n 3 | sort -u | wc -l)" = 3 ]'

cat > answer.cu << 'END'
#include <stdlib.h>
END
cat "$root/solutions/01-sync-vs-async.cu" >> answer.cu
echo '__attribute__((constructor)) static void ask() { setenv("SIM_CORES_SHOWN", "1", 1); }' >> answer.cu
(cd "$root" && build/bin/grade -q --seed=7 01 "$dir/answer.cu") > out 2> err
ok 'a program that is judged has one core' eval '! grep -E ": ([2-9]|1[0-9]) cores" out err'
done_testing
