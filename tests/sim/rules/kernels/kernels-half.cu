/* SPDX-License-Identifier: MIT */
/* Half precision, in kernels and on the host. [G] "Half Precision"; the comments of cuda_fp16.h 13.0. */
#include <cuda_fp16.h>

#include "../rule.h"

static __host__ __device__ bool is(half v, unsigned short bits)
{
    return __half_as_ushort(v) == bits;
}

static __host__ __device__ bool converts()
{
    return is(__float2half(1.0f), 0x3c00) && is(__float2half(-2.5f), 0xc100) && is(__float2half(65504.0f), 0x7bff) &&
           is(__float2half(65519.0f), 0x7bff) && is(__float2half(65520.0f), 0x7c00) && is(__double2half(-1e300), 0xfc00) &&
           is(__int2half_rn(2049), 0x6800) && is(__int2half_rn(2051), 0x6802) && __half2float(__ushort_as_half(0x3555)) == 0.333251953125f;
}

static __host__ __device__ bool is_subnormal()
{
    return is(__float2half(5.9604645e-8f), 1) && is(__float2half(2.9802322e-8f), 0) && is(__float2half(2.99e-8f), 1) &&
           is(__float2half(6.0975552e-5f), 0x3ff) && is(__float2half(6.103515625e-5f), 0x400) &&
           __half2float(__ushort_as_half(1)) == 5.9604644775390625e-8f;
}

/* 1 + 2^-11 + 2^-40 is more than half way to the next half, but not as a float. */
static __host__ __device__ bool rounds_once()
{
    return is(__double2half(1.0 + 0.00048828125 + 9.094947017729282e-13), 0x3c01);
}

static __host__ __device__ bool becomes_an_integer()
{
    return __half2int_rz(__float2half(-3.9f)) == -3 && (unsigned short)__float2half(-1.0f) == 0 &&
           (short)__ushort_as_half(0x7c00) == 32767 && (int)__ushort_as_half(0x7e00) == 0 && (bool)__float2half(0.5f);
}

static __host__ __device__ bool computes()
{
    half a = __float2half(1.0f), b = __float2half(3.0f), third = a / b;
    return is(third, 0x3555) && is(a + b, 0x4400) && is(a - b, 0xc000) && is(third * b, 0x3c00) && is(-a, 0xbc00) &&
           is(__habs(-b), 0x4200) && is(__hmax(a, b), 0x4200) && is(__hmin(a, __ushort_as_half(0x7e00)), 0x3c00);
}

static __host__ __device__ bool compares()
{
    half a = __float2half(1.0f), b = __float2half(2.0f), none = __ushort_as_half(0x7e00);
    return a < b && a <= b && b > a && b >= a && a != b && a == a && !(none == none) && none != none &&
           !__hne(none, none) && __hisnan(none) && !__hisnan(a) && __hisinf(__ushort_as_half(0xfc00)) == -1;
}

static __host__ __device__ bool works_in_pairs()
{
    half2 p = __floats2half2_rn(1.0f, 2.0f), q = __half2half2(__float2half(4.0f)), sum = __hadd2(p, q), turned = __lowhigh2highlow(p);
    p += q;
    float2 f = __half22float2(p * q);
    return f.x == 20 && f.y == 24 && __low2float(sum) == 5 && __high2float(sum) == 6 && __low2float(turned) == 2 &&
           is(__high2half(__hmul2(q, turned)), 0x4400) && sizeof(half2) == 4 && alignof(half2) == 4 && sizeof(half) == 2;
}

__global__ void on_the_device(int *ok)
{
    ok[0] = converts() && is_subnormal() && rounds_once();
    ok[1] = becomes_an_integer() && __half2int_rn(__float2half(2.5f)) == 2;
    ok[2] = computes() && is(__hfma(__float2half(3.0f), __ushort_as_half(0x3555), __float2half(-1.0f)), 0x8c00) &&
            is(hsqrt(__float2half(2.0f)), 0x3da8) && is(hfloor(__float2half(-1.5f)), 0xc000);
    ok[3] = compares() && works_in_pairs();
}

/* Of these, fused ones are for kernels alone. */
__global__ void results_are_cut(int *ok)
{
    const half nan = __ushort_as_half(0x7e00), one = __float2half(1.0f), low = __float2half(-3.0f);
    const half2 mixed = __halves2half2(low, one), ones = __halves2half2(one, one), cut = __hfma2_relu(mixed, ones, ones);
    *ok = (float)__hadd_sat(one, one) == 1 && (float)__hmul_sat(low, one) == 0 && (float)__hfma_sat(nan, one, one) == 0 &&
          (float)__hfma_relu(low, one, one) == 0 && __hisnan(__hfma_relu(nan, one, one)) &&
          __high2float(cut) == 2 && __low2float(cut) == 0;
}

__global__ void axpy(half a, const half2 *x, half2 *y)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    y[i] = __hfma2(__half2half2(a), x[i], y[i]);
}

__global__ void count(half *one, half2 *two)
{
    atomicAdd(one, __float2half(1.0f));
    atomicAdd(two, __floats2half2_rn(1.0f, 0.5f));
}

int main()
{
    rule(converts() && is_subnormal() && rounds_once(), "the host converts to half and back, rounding once, to nearest even");
    rule(becomes_an_integer() && computes() && compares() && works_in_pairs(), "the host computes with half and half2");
    int ok[4], *d = on_device<int>(4);
    on_the_device<<<1, 1>>>(d);
    CHECK(cudaMemcpy(ok, d, sizeof ok, cudaMemcpyDeviceToHost));
    rule(ok[0] && ok[1], "so does a kernel: conversions");
    rule(ok[2] && ok[3], "and arithmetic and comparisons");

    const half nan = __ushort_as_half(0x7e00), one = __float2half(1.0f);
    const half2 pair = __halves2half2(one, nan), ones = __halves2half2(one, one);
    rule((float)__hmax(nan, one) == 1 && (float)__hmax(one, nan) == 1 && (float)__hmin(nan, one) == 1 && __hisnan(__hmin(nan, nan)),
         "of a number and what is none, __hmin and __hmax take the number");
    rule(__low2float(__hne2(ones, __floats2half2_rn(1, 2))) == 0 && __high2float(__hne2(ones, __floats2half2_rn(1, 2))) == 1 &&
             __high2float(__hne2(pair, ones)) == 0 && __low2float(__hgt2(ones, __floats2half2_rn(0, 1))) == 1,
         "comparisons of pairs answer for each of the two");

    const half2 mixed = __halves2half2(__float2half(-3.0f), one);
    rule(__hbeq2(ones, ones) && !__hbgt2(ones, mixed) && __hbge2(ones, mixed) && !__hbne2(mixed, ones) && !__hbeq2(pair, pair) && __hbequ2(pair, pair) &&
             __hltu(nan, one) && !__hlt(nan, one),
         "comparisons of both, and those that are true of what is none");
    results_are_cut<<<1, 1>>>(d);
    CHECK(cudaMemcpy(ok, d, sizeof *ok, cudaMemcpyDeviceToHost));
    rule(ok[0], "results cut to 0 and 1, or at 0");

    const int n = 512;
    half2 x[n], y[n], *dx = on_device<half2>(n), *dy = on_device<half2>(n);
    for (int i = 0; i < n; i++) {
        x[i] = __floats2half2_rn(i, -i);
        y[i] = __floats2half2_rn(1, i);
    }
    CHECK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice));
    axpy<<<4, n / 4>>>(__float2half(2.0f), dx, dy);
    CHECK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += __low2float(y[i]) != 2 * i + 1 || __high2float(y[i]) != -i;
    rule(wrong == 0, "half is passed to kernels and half2 read and written");

    half2 zero = __float2half2_rn(0.0f), counted[2];
    CHECK(cudaMemcpy(dx, &zero, sizeof zero, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dx + 1, &zero, sizeof zero, cudaMemcpyHostToDevice));
    count<<<4, 32>>>(reinterpret_cast<half *>(dx), dx + 1);
    CHECK(cudaMemcpy(counted, dx, sizeof counted, cudaMemcpyDeviceToHost));
    rule(__low2float(counted[0]) == 128 && __low2float(counted[1]) == 128 && __high2float(counted[1]) == 64, "atomicAdd adds halves");
    return rules_end();
}
