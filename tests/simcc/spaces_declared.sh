#!/bin/bash
# SPDX-License-Identifier: MIT
#
# How functions may be declared, for what nvcc refuses between host and device: macros and conditions before them, comments in them,
# declarations that differ. What nvcc 13.0 says of each of these programs was tried.
. tests/simcc/spaces.bash

ten=$(printf '// %s\n' {1..10})
takes 'line markers between the first words of a declaration' << EOF
template <class T> __forceinline__ __device__ T inlined(T x) { return x; }
template <class T>
$ten
__device__ T templated(T x) { return x; }
extern "C"
$ten
__device__ int in_c(int x) { return x; }
[[maybe_unused]]
$ten
static __device__ int with_attribute(int x) { return x; }
struct s {
    friend
$ten
    __device__ int befriended(const s &a) { return 1; }
};
__global__ void k(int *p)
{
    *p = inlined(1) + templated(2) + in_c(3) + with_attribute(4) + befriended(s());
}
EOF

takes 'declarations that begin with a macro of a system header' << 'EOF'
struct plain { int x; int size() const { return x; } };
__forceinline__ __device__ int unused(plain *a) { return a->size(); }
__device__ __noinline__ int used(plain *a) { return a->x; }
__global__ void k(plain *a, int *p) { *p = used(a); }
EOF
refuses 'and these are functions as well' << 'EOF'
struct plain { int x; int size() const { return x; } };
__forceinline__ __device__ int used(plain *a)
{
    return a->size(); //host plain::size
}
__forceinline__ int on_host(plain *a)
{
    return used(a); //device used
}
__global__ void k(plain *a, int *p) { *p = used(a); }
EOF
standard=-std=c++20
takes 'functions with conditions' << 'EOF'
struct s { int x; };
int on_host(int x) { return x; }
__device__ int on_device(int x) { return x; }
template <class T> requires requires (T t) { t.x; } __device__ int one(T t) { return on_device(t.x); }
template <class T> requires (sizeof(T) > 1) && requires { T().x; } __device__ int two(T t) { return on_device(t.x); }
template <class T> int three(T t) requires (sizeof(T) > 1) { return on_host(t.x); }
__device__ int after(int x) { return on_device(x); }
template <class T> __device__ int four(T t) requires requires (T t) { t.x; } { return on_device(t.x); }
int behind(int x) { return on_host(x); }
template <class T> requires requires (T t) { t.x; } __device__ int never_made(T t) { return on_host(1); }
__global__ void k(int *p) { *p = one(s{ 1 }) + two(s{ 2 }) + four(s{ 3 }) + after(4); }
int main() { return three(s{ 3 }) + behind(4); }
EOF
refuses 'and what stands after them' << 'EOF'
struct s { int x; };
int on_host(int x) { return x; }
template <class T> int before(T t) requires (sizeof(T) > 1) { return t.x; }
__device__ int one(int x)
{
    return on_host(x); //host on_host
}
template <class T> __device__ int before(T t) requires requires (T t) { t.y; } { return t.y; }
__device__ int two(int x)
{
    return on_host(x); //host on_host
}
EOF
standard=-std=c++17
takes 'bodies of functions that another declaration makes functions of both' << 'EOF'
__device__ int on_device(int x);
int on_host(int x) { return x; }
struct later {
    __device__ int worded() const;
    int unworded() const;
    __device__ int counts(int x) const;
};
int later::worded() const { return on_device(1); }
__device__ int later::unworded() const { return on_host(1); }
int later::counts(int x) const { int n = __popc(x); return n; }
__device__ int first(int x);
int first(int x) { return on_device(x); }
template <class F> __device__ int apply(F f)
{
    return f(1);
}
__device__ int passes(int x);
int passes(int x)
{
    return apply([](int y) { return y; });
}
int second(int x);
__device__ int second(int x) { return on_host(x); }
__device__ int on_device(int x) { return x; }
__global__ void k(int *p) { *p = later().worded() + later().unworded() + later().counts(2) + first(1) + second(2) + passes(3); }
EOF
refuses 'but not of a kernel, or of another function' << 'EOF'
int on_host(int x) { return x; }
__device__ int on_device(int x) { return x; }
struct s;
__global__ void k(int *p)
{
    *p = on_host(1); //host on_host
}
void k(s *p) { }
int h(float x)
{
    k<<<1, 1>>>((int *)0);
    return on_device(1); //device on_device
}
__device__ int h(int x)
{
    return on_host(x); //host on_host
}
EOF
done_testing
