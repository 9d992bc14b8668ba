#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Kernels that look as if they could be cut at their barriers: what comes of each is what comes of it with fibers.
. tests/sim/sim.bash
[ "$(uname -m)" = x86_64 ] || skip_all 'kernels are cut on x86-64 alone'
cd "$dir" || exit 2
export SIM_HAZARDS=0

# program [OPTION...]: kernels, and main, on stdin. Each line of the output is a kernel's, and begins with its name.
program() {
    { cat head; cat; } > x.cu
    run "$root/build/bin/simcc" x.cu -o x "$@"
    for how in fibers cut; do
        SIM_FIBERS=$([ $how = cut ] || echo 1) timeout 10 ./x > "$how" 2> "$how.err"
        echo "end $?" >> "$how"
    done
}
# cuts OPTION...: how many kernels of x.cu are cut?
cuts() { "$root/build/bin/simcc" "$@" -E x.cu | grep -c '__cut_at_barriers()\*'; }
# same NAME SENTENCE
same() { ok "$2" eval "grep '^$1 ' fibers > wanted && grep '^$1 ' cut > out; [ -s wanted ] && cmp wanted out"; }
cat > head << 'END'
#include <stdio.h>
static int ints[64], *a;
static void show(const char *name)
{
    unsigned sum = 0;
    cudaError_t status = cudaMemcpy(ints, a, sizeof ints, cudaMemcpyDeviceToHost);
    for (int x : ints) sum = sum * 31 + (unsigned)x;
    printf("%s %s %08x\n", name, cudaGetErrorName(status), sum);
    fflush(stdout);
}
static void begin()
{
    for (int i = 0; i < 64; i++) ints[i] = i * 37 % 101 - 20;
    cudaMalloc(&a, sizeof ints);
    cudaMemcpy(a, ints, sizeof ints, cudaMemcpyHostToDevice);
}
#define SHOW(k, ...) (k<<<1, 64>>>(__VA_ARGS__), show(#k))
END

program << 'END'
__global__ void all_return(int *a, int n)
{
    __shared__ int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    while (true) {
        if (threadIdx.x == 0) s += n;
        __syncthreads();
        if (s > 100) return;
        a[threadIdx.x] += s;
        __syncthreads();
    }
}
const int N = 4;
namespace inner {
__device__ int N = 5;
__global__ void hides_constant(int *a)
{
    int t = threadIdx.x;
    __syncthreads();
    if (N > 4) {
        a[t] = 1;
        __syncthreads();
        N = 5 - (t > 500);
        a[t] += 2;
    }
    __syncthreads();
    for (int i = 0; i < N; i++) {
        if (t == i) N--;
        a[t] += i;
        __syncthreads();
    }
}
}
template <class T> __global__ void pointer_type(T p, int n)
{
    int t = threadIdx.x;
    __syncthreads();
    T q = p + t;
    q[0] = 5 + t;
    for (int i = 0; i < n; i++) {
        int r = p[(t + 1) % 64];
        __syncthreads();
        p[t] = r + i;
        __syncthreads();
    }
}
template <class T> __global__ void automatic_type(T p, int n)
{
    int t = threadIdx.x;
    __syncthreads();
    { auto q = p + t; q[0] = 5 + t; }
    if (n > 1) {
        int r = p[(t + 1) & 63];
        __syncthreads();
        p[t] = r;
    }
}
__global__ void one_place(int *a, int n)
{
    extern __shared__ int s[];
    extern __shared__ unsigned u[];
    int t = threadIdx.x;
    s[t] = 3;
    __syncthreads();
    s[t] = a[t];
    if (n > 1) {
        int v = u[(t + 1) & 63];
        __syncthreads();
        a[t] = v;
    }
}
#define ADDRESS(x) (&((x)))
__global__ void address(int *a)
{
    int x = a[threadIdx.x], *p = ADDRESS(x);
    __syncthreads();
    *p += 7;
    __syncthreads();
    a[threadIdx.x] = x;
}
__global__ void reference_cast(int *a, int n)
{
    int u = 3;
    ((int &)n)++;
    __syncthreads();
    ((int &)u)++;
    a[threadIdx.x] += n + u;
}
int main()
{
    begin();
    SHOW(inner::hides_constant, a);
    SHOW(pointer_type, a, 2);
    SHOW(automatic_type, a, 2);
    one_place<<<1, 64, 1024>>>(a, 2), show("one_place");
    SHOW(address, a);
    SHOW(reference_cast, a, 2);
    SHOW(all_return, a, 9);
}
END
same all_return 'a loop without end, which all threads leave by return'
same inner::hides_constant 'a variable of a namespace that has the name of a constant outside'
same pointer_type 'a pointer whose type is that of a template'
same automatic_type 'a pointer whose type is not written'
same one_place 'two names of the same dynamic shared memory'
same address 'the address of a variable in brackets in brackets'
same reference_cast 'a cast to a reference'

program << 'END'
#pragma GCC optimize("fast-math")
__global__ void anew(int *a, float n)
{
    int t = threadIdx.x;
    float x = a[t], y = 0.1f * t, z = x * y, v = y / n;
    __syncthreads();
    a[t] += __float_as_int(z + x * 0.3f) + __float_as_int(v * n + x * y - v * 3 + (v + x) - x);
}
int main()
{
    begin();
    SHOW(anew, a, 2.5f);
}
END
same anew 'a pragma by which g++ may round differently'

program << 'END'
struct pair { int x, y; };
#define AT(p, i) (p[i])
__global__ void member(pair *p, int n)
{
    int t = threadIdx.x;
    __syncthreads();
    AT(p, t).x = t * 3;
    if (n > 1) {
        int r = p[(t + 1) & 31].x;
        __syncthreads();
        AT(p, t).y = r;
    }
}
int main()
{
    begin();
    member<<<1, 32>>>((pair *)a, 2), show("member");
}
END
same member 'a member of an element in brackets'

program << 'END'
struct four { int a[4]; };
__global__ void cast(four p, int *out)
{
    ((int *)p.a)[0] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = p.a[0];
}
int main()
{
    begin();
    cast<<<1, 64>>>(four{}, a), show("cast");
}
END
same cast "a parameter's array that a cast changes"

program << 'END'
__global__ void arrays(int *a)
{
    int longer[100], shorter[2][3] = { { 1, 2, 3 } }, t = threadIdx.x;
    for (int i = 0; i < 100; i++) longer[i] = a[(t + i) & 63];
    __syncthreads();
    for (int i = 0; i < 5; i++) {
        longer[i * 7] += shorter[i & 1][i % 3]++;
        __syncthreads();
    }
    a[t] += longer[t] + longer[99 - t] + shorter[1][t % 3];
}
__global__ void counted(int *a)
{
    int t = threadIdx.x, which[] = { t, 5, 7 };
    __syncthreads();
    a[t] += which[t % 3]++;
    __syncthreads();
    a[t] += which[t % 3];
}
int main()
{
    begin();
    SHOW(arrays, a);
    SHOW(counted, a);
}
END
ok 'an array of a written length is kept' is "$(cuts)" 1
same arrays 'short arrays and long ones'
same counted 'an array whose length its elements say'

cat > x.cu << 'END'
__global__ void once(int *a)
{
    __syncthreads();
    a[threadIdx.x] = 1;
}
END
ok 'a sanitizer, and what counts lines, has a kernel with its own columns' \
    is "$(cuts) $(cuts -fsanitize=undefined) $(cuts -Xcompiler --coverage)" '1 0 0'

# Functions that call each other often are read once each.
{
    echo '__device__ int f0(int x) { return x; }'
    for i in 1 2 3 4 5 6 7; do
        echo "__device__ int f$i(int x) { return $(printf "f$((i - 1))(x) + %.0s" 1 2 3 4 5 6 7 8 9) 1; }"
    done
    echo '__global__ void k(int *a) { __syncthreads(); a[threadIdx.x] = f7(3); }'
} > x.cu
ok 'many calls of functions in functions take little time' is "$(timeout 20 "$root/build/bin/simcc" -E x.cu | grep -c '__cut_at_barriers()\*')" 1
done_testing
