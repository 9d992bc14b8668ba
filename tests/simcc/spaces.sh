#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Calls between host and device, kernels without <<< >>>, arrays of variable length: what nvcc refuses is refused, at its line, and
# nothing else is. What nvcc 13.0 says of each of these lines was tried.
. tests/simcc/spaces.bash

refuses 'functions of the host in code of the device' << 'EOF'
#include <cooperative_groups.h>
struct point {
    int x;
    point(int v) : x(v) { }
    int get() const { return x; }
    static int one() { return 1; }
    virtual int two() const { return 2; }
    template <class T> T as() const { return x; }
    int operator()(int k) const { return k + x; }
    int operator[](int k) const { return k + x; }
    operator float() const { return x; }
    friend int of(const point &p) { return p.x; }
};
struct plain {
    int x;
    int size() const { return x; }
    plain &operator=(const plain &p) { x = p.x; return *this; }
};
int operator-(const plain &a, const plain &b) { return a.x - b.x; }
struct derived : plain { };
template <class T> struct box { T v; T get() const { return v; } };
namespace n { int f(int x) { return x; } }
int over(float x);
__device__ int over(int x) { return x; }
int operator""_n(unsigned long long v) { return (int)v; }
struct add { int operator()(int a) const { return a; } };
static __device__ int reached(const plain &p)
{
    return p.size(); //host plain::size
}
template <class F> __device__ int apply(F f)
{
    return f(1); //host add::operator()
}
template <class F> __global__ void with(F f, int *p)
{
    *p = apply(f);
}
template <class D> struct crtp {
    __device__ int run()
    {
        return static_cast<D *>(this)->step(); //host wrong::step
    }
};
struct wrong : crtp<wrong> { int step() { return 1; } };
__global__ void k(point *a, plain *b, derived *d, box<int> x, int n, int *p)
{
    auto group = cooperative_groups::this_thread_block();
    *p = group.size() + b->size(); //host plain::size
    *p = a->get(); //host point::get
    *p = point::one(); //host point::one
    *p = a->two(); //host point::two
    *p = a->as<int>(); //host point::as
    *p = (*a)(1); //host point::operator()
    *p = (*a)[1]; //host point::operator[]
    *p = (float)*a; //host point::operator float
    *p = of(*a); //host of
    b[0] = b[1]; //host plain::operator=
    *p = b[0] - b[1]; //host operator-
    *p = d->size(); //host plain::size
    *p = x.get(); //host box<T>::get
    *p = n::f(1); //host n::f
    *p = over(1) + over(1.0f); //host over
    *p = 3_n; //host operator""_n
    if (n > 3 && b->size() > 2) //host plain::size
        *p = wrong().run();
    *p = reached(*b);
}
void launch(int *p)
{
    with<<<1, 1>>>(add(), p);
}
EOF
refuses 'constructors, destructors, initialisers and lambdas' << 'EOF'
struct point {
    int x;
    point(int v) : x(v) { }
    point(const point &p) : x(p.x) { }
    ~point() { x = 0; }
};
int f() { return 3; }
struct starts {
    int x;
    __device__ starts() :
        x(f()) { } //host f
};
template <class F> __global__ void run(F g, int *p)
{
    int i = threadIdx.x;
    p[i] = g(i); //host a lambda without __device__
}
template <class F> __global__ void run_device(F g)
{
    g(1);
}
__global__ void k(point *a, point by_value, int *p)
{
    starts s;
    *p = s.x + by_value.x;
    point *made = new point(4); //host point::point
    delete made; //host point::~point
}
void h(int *p, point *a)
{
    auto square = [](int x) mutable noexcept { return x * x; };
    run<<<1, 1>>>(square, p);
    run_device<<<1, 1>>>([=] __device__ (int i) {
        p[i] = f(); //host f
    });
}
EOF
refuses 'functions of the device in code of the host' << 'EOF'
struct point {
    int x;
    __device__ point(int v) : x(v) { }
    __device__ int get() const { return x; }
    static __device__ int one() { return 1; }
    __device__ point operator+(const point &p) const { return p; }
    int twice() const
    {
        return 2 * get(); //device point::get
    }
};
__device__ int f(int x) { return x; }
template <class T> __device__ T any(T x) { return x; }
__global__ void k(int *p) { *p = f(1); }
static void unused(point *a, int *p)
{
    *p = f(1); //device f
    *p = any(1); //device any
    *p = a->get(); //device point::get
    *p = point::one(); //device point::one
    (void)(*a + *a); //device point::operator+
    point *b = new point(3); //device point::point
    auto l = [](int x) {
        return f(x); //device f
    };
    *p = l(2) + b->x;
}
int main() { k<<<1, 1>>>(0); }
EOF
refuses 'the device has functions of its own' << 'EOF'
__global__ void k(int *p) { __syncthreads(); }
int main()
{
    int x = 0;
    k<<<1, 1>>>(&x);
    __syncthreads(); //device __syncthreads
    atomicAdd(&x, 1); //device atomicAdd
    if (x == 0)
        return __popc(x); //device __popc
    else __threadfence(); //device __threadfence
    do __syncwarp(); //device __syncwarp
    while (x == 0);
}
EOF
takes 'and the program may have others of that name' << 'EOF'
int h(int x) { return x; }
struct s {
    int call() { return 1 + __ffs(2); }
    int (*__ffs)(int);
};
__global__ void k(int *p) { *p = __popc(3); }
int lambda(int x)
{
    auto __popc = [](int x) { return x; };
    return 1 + __popc(x);
}
int pointer(int x, int (*__clz)(int))
{
    typedef int (*function)(int);
    function __brev(h);
    return __clz(x) + __brev(x);
}
EOF
refuses 'kernels without a launch, launches without a kernel' << 'EOF'
__global__ void k(int x) { }
template <class T> __global__ void t(T x) { }
namespace n { __global__ void k(int x) { } }
__global__ void from_kernel()
{
    k(1); //call k
}
struct s {
    void method(int x) { }
    static void fixed(int x) { }
};
void f(int x) { }
__device__ void g(int x) { }
int main()
{
    s a;
    k(1); //call k
    t(1); //call t
    t<int>(1); //call t
    n::k(1); //call n::k
    f<<<1, 1>>>(1); //launch f
    g<<<1, 1>>>(1); //launch g
    a.method<<<1, 1>>>(1); //launch s::method
    s::fixed<<<1, 1>>>(1); //launch s::fixed
}
EOF
refuses 'kernels in classes' << 'EOF'
struct s {
    __global__ void inside(int x) { } //member inside
    template <class T> static __global__ void fixed(T x) { } //member fixed
    friend __global__ void befriended(s a);
};
int main() { }
EOF
refuses 'arrays of variable length in code of the device' << 'EOF'
struct s {
    __device__ int never_called(int n)
    {
        int a[n]; //array the length
        return a[0] = n;
    }
};
static __device__ int unused(int n)
{
    int a[2 * n]; //array the length
    return a[0] = n;
}
__host__ __device__ int both(int n)
{
    int a[n]; //array the length
    return a[0] = n;
}
template <class T> __global__ void k(int m, T *p)
{
    const int n = m;
    T a[n + 1]; //array the length
    *p = a[0] = 1;
}
int host(int n, int *p)
{
    int a[n];
    k<<<1, 1>>>(3, p);
    return a[0] = n;
}
EOF

# ---- what may be mistaken for it, and is right ----

takes 'functions of the host' << 'EOF'
#include <cooperative_groups.h>
#include <algorithm>
struct host_only {
    int x;
    host_only(int v) : x(v) { }
    host_only(const host_only &o) : x(o.x) { }
    ~host_only() { x = 0; }
    int size() const { return x; }
};
struct base { __host__ __device__ base() : n(1) { } __host__ __device__ int get() const { return n; } int n; };
struct derived : base {
    derived() = default;
    int get(int k) const { return k; }
    using base::get;
};
struct managed {
    void *operator new(size_t n) { void *p; cudaMallocManaged(&p, n); return p; }
    void operator delete(void *p) { cudaFree(p); }
    __device__ int get() const { return 1; }
    virtual ~managed() { }
};
template <class T> struct box { T v; T on_host() const { return v; } __device__ T get() const; __host__ __device__ T both() const; };
template <class T> T box<T>::get() const { return v; }
template <class T> __host__ __device__ T box<T>::both() const { return v; }
struct later { int x; int get() const; __device__ int worded() const; };
__device__ int later::get() const { return x; }
int later::worded() const { return x; }
int f(int x);
int g(int x) { return x; }
__device__ int redeclared(int x);
int redeclared(int x) { return x; }
int again(int x);
__device__ int again(int x) { return x; }
template <class T> T special(T x) { return x; }
template <> __device__ int special<int>(int x) { return x; }
constexpr int constant(int x) { return x + 1; }
int over(float x) { return (int)x; }
__device__ int over(int x) { return x; }
__host__ __device__ int both(int x) { return x > 3 ? g(x) : x; }
static __device__ __attribute__((unused)) int never_called(host_only *a) { return a->size() + g(1); }
struct unused_members { __device__ int two(host_only *a) const { return a->size() + g(2); } };
template <class T> __global__ void never_made(T *p) { *p = g(1); }
struct host_policy { static int f(int x) { return g(x); } };
struct device_policy { static __device__ int f(int x) { return x; } };
template <class P> struct work { static __host__ __device__ int go(int x) { return P::f(x); } };
template <bool B> __global__ void chosen(int *p) { if constexpr (B) *p = g(1); else *p = 2; }
template <class F> __global__ void run(F h, int *p) { *p = h(2); }
template <class F> int run_here(F h) { return h(2); }
__global__ void by_value(host_only a, derived d, int *p, int n = g(2))
{
    *p = a.x + d.get() + n;
}
__global__ void k(int *p, managed *m, box<int> b, later l, host_only *a)
{
    auto group = cooperative_groups::this_thread_block();
    *p = group.size() + m->get() + b.get() + b.both() + l.get() + l.worded();
    decltype(g(1)) v = 3;
    *p += v + sizeof(a->size()) + noexcept(g(1));
    if constexpr (false)
        *p = g(1);
    *p += redeclared(1) + again(1) + special(1) + constant(2) + over(1) + both(1) + work<device_policy>::go(2);
    *p += false && g(1);
    auto never = [](int x) { return g(x); };
    (void)never;
    int f = 3;
    *p += f;
    derived d;
    *p += d.get();
}
int main()
{
    host_only a(1);
    int *p = nullptr, c = 0, list[3] = { 3, 1, 2 };
    k<<<1, 1>>>(p, new managed, box<int>{ 1 }, later{ 2 }, &a);
    by_value<<<1, 1>>>(a, derived(), p);
    chosen<false><<<1, 1>>>(p);
    run<<<1, 1>>>([] __device__ (int x) { return x; }, p);
    run<<<1, 1>>>([=] __device__ (int x) {
        __syncthreads();
        return x + *p;
    }, p);
    run<<<1, 1>>>([] __host__ __device__ (int x) { return x; }, p);
    auto counts = [c](int x) mutable noexcept -> int { return c += x; };
    auto sum = [&](auto x) { return a.size() + x; };
    std::sort(list, list + 3, [](int x, int y) { return g(x) < g(y); });
    return run_here([](int x) { return g(x); }) + counts(1) + sum(2) + derived().get(3) + box<int>{ 1 }.on_host() + both(2)
           + work<host_policy>::go(3) + f(2) + over(1.5f) + g(3);
}
EOF
takes 'functions of the device, kernels, arrays' << 'EOF'
#include <algorithm>
typedef int (*function)(int);
__device__ int f(int x) { return x; }
__device__ function table = f;
struct point { int x; __device__ int get() const { return x; } __device__ point(int v) : x(v) { } __device__ ~point() { } };
struct copied { int x; copied() : x(1) { } __device__ copied(const copied &c) : x(c.x) { } };
struct less { __device__ bool operator()(int a, int b) const { return a < b; } };
template <class T> int via(T *p, int *q) { return *q = p->get(); }
template <int (*F)(int)> __global__ void apply(int *p) { *p = F(1); }
__global__ void k(int x) { }
__global__ void takes_copied(copied c) { }
void k(float x) { }
template <void (*K)(int)> void launch() { K<<<1, 1>>>(1); }
template <class F, class... A> void launch_any(F g, A... a) { g<<<1, 1>>>(a...); }
struct holder {
    void (*kernel)(int);
    void k(int x) { }
    void run() { k(2); }
    friend __global__ void befriended(holder h);
};
__global__ void befriended(holder h) { }
template <class T> void atomicAdd(T *p, T v, int order) { *p += v + order; }
const int N = 16;
__global__ void arrays(int n, int *p)
{
    enum { M = 4 };
    const float four = 4.0f;
    int a[N * 2], b[M][M], c[sizeof(int)], d[(int)four];
    a[n] = b[0][n] = c[n] = d[n] = 1;
    int *e = new int[n];
    p[n] = a[n] + b[0][n] + c[n] + d[n] + e[n];
}
__host__ __device__ int twofold(int n)
{
#ifdef __CUDA_ARCH__
    return __popc(n);
#else
    int a[n];
    a[0] = n;
    return a[0];
#endif
}
__device__ int ours(int x)
{
#ifdef __CUDA_ARCH__
    return x;
#else
    return std::min(x, 3);
#endif
}
int main()
{
    int x = 0;
    function g = f, on_device;
    point *p = nullptr;
    cudaMemcpyFromSymbol(&on_device, table, sizeof on_device);
    via(p, &x);
    decltype(f(1)) v = sizeof(f(1));
    apply<f><<<1, 1>>>(&x);
    takes_copied<<<1, 1>>>(copied());
    k<<<1, 1>>>(1);
    k(1.0f);
    launch<k>();
    launch_any(arrays, 1, &x);
    holder h{ k };
    h.k(1);
    h.kernel<<<1, 1>>>(1);
    atomicAdd(&x, 1, 2);
    auto l = [](int k) { return k; };
    {
        auto k = [](int x) { return x; };
        x = k(1);
    }
    int list[3] = { 3, 1, 2 };
    std::sort(list, list + 3, less());
    return g(1) + v + l(1) + twofold(3) + list[0];
}
EOF
takes 'a function that is the host'"'"'s in one text and the device'"'"'s in the other' << 'EOF'
#ifdef __CUDA_ARCH__
#define SIDE __device__
#else
#define SIDE
#endif
SIDE int f(int x) { return x; }
__global__ void k(int *p)
{
    *p = f(2);
}
int h()
{
    return f(3);
}
EOF

# ---- what g++ says itself ----

cat > "$dir/x.cu" << 'EOF'
[[deprecated("use g")]] int f() { return 1; }
__global__ void k() { }
int h(int n)
{
    k<<<1, 1>>>();
    int a[n];
    return f() + (a[0] = n);
}
EOF
run build/bin/simcc --hazards calls -Wvla -c "$dir/x.cu" -o "$dir/x.o"
ok 'what g++ says of the program is all there' eval 'ends 0 && [ "$(grep -c "warning:" "$dir/err")" = 2 ] && grep -q "x.cu:6: warning: .*\[-Wvla\]" "$dir/err" && complains "is deprecated: use g" && not complains simcc:'
run build/bin/simcc --hazards calls -c "$dir/x.cu" -o "$dir/x.o"
ok 'and no more than that' eval 'ends 0 && not complains Wvla && complains "In function" && complains "is deprecated: use g"'
run build/bin/simcc --hazards calls -w -c "$dir/x.cu" -o "$dir/x.o"
ok 'nothing with -w' eval 'ends 0 && [ ! -s "$dir/err" ]'
run build/bin/simcc --hazards calls -w -Wall -Werror -c "$dir/x.cu" -o "$dir/x.o"
ok 'and then no warning is an error' eval 'ends 0 && [ ! -s "$dir/err" ]'
printf 'int f() { return 1; }\n__global__ void k(int *p)\n{\n    *p = f();\n}\n' > "$dir/x.cu"
run build/bin/simcc --hazards calls -w -c "$dir/x.cu" -o "$dir/x.o"
ok 'what is refused is refused with it, too' eval 'ends 1 && [ "$(wc -l < "$dir/err")" = 1 ] && complains "x.cu:4: error: f is a host function"'
done_testing
