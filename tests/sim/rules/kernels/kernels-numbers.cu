/* SPDX-License-Identifier: MIT */
/* Functions of numbers and vectors of them, in kernels. [G] "Mathematical Functions", "Vector Types". */
#include "../rule.h"

static __device__ bool near(double seen, double expected)
{
    double difference = seen > expected ? seen - expected : expected - seen;
    return difference <= 1e-5 * (expected < 0 ? -expected : expected) + 1e-7;
}

__global__ void fast(int *ok)
{
    ok[0] = near(__expf(1.5f), 4.48168907) && near(__logf(10), 2.30258509) && near(__log2f(8), 3) &&
            near(__log10f(100), 2) && near(__powf(2, 10), 1024) && near(__fdividef(1, 4), 0.25);
    float sine, cosine;
    __sincosf(0.5f, &sine, &cosine);
    ok[1] = near(__sinf(0.5f), 0.47942554) && near(__cosf(0.5f), 0.87758256) && near(sine, 0.47942554) &&
            near(cosine, 0.87758256) && near(__tanf(0.5f), 0.54630249) && near(__saturatef(1.5f), 1) &&
            __saturatef(-1) == 0;
    ok[2] = near(rsqrtf(4), 0.5) && near(rsqrt(16.0), 0.25) && near(rcbrtf(8), 0.5) && near(sinpif(0.5f), 1) &&
            sinpi(3.0) == 0 && cospi(1.5) == 0 && near(cospi(1.0 / 3), 0.5) && near(sinpi(-0.75), -0.70710678) &&
            near(normcdf(0.0), 0.5) && near(norm3d(2, 3, 6), 7) && near(hypotf(3, 4), 5);
    ok[3] = sqrtf(2.25f) == 1.5f && fabsf(-2) == 2 && fminf(1, 2) == 1 && fmaxf(1, 2) == 2 && floorf(2.5f) == 2 &&
            near(sinf(1), 0.841470985) && near(pow(2.0, 0.5), 1.41421356) && fmodf(7, 4) == 3 && abs(-3) == 3;
}

__global__ void rounding(int *ok)
{
    float third = 1.0f / 3;
    ok[0] = __fmaf_rn(2, 3, 4) == 10 && __fmaf_rn(third, 3, -1) != 0 && __fadd_rn(1, 2) == 3 && __fmul_rn(3, 4) == 12;
    ok[1] = __fdiv_ru(1, 3) > __fdiv_rd(1, 3) && __fdiv_rz(-1, 3) == __fdiv_ru(-1, 3) && __frcp_rn(4) == 0.25f &&
            __dadd_ru(1, 1e-30) > 1 && __dadd_rd(1, 1e-30) == 1 && __fsqrt_rn(9) == 3;
    ok[2] = __float2int_rn(2.5f) == 2 && __float2int_rz(-2.7f) == -2 && __float2int_ru(2.1f) == 3 &&
            __float2int_rd(-2.1f) == -3 && __float2int_rn(1e20f) == 2147483647 && __float2uint_rn(-5) == 0 &&
            __int2float_rn(7) == 7.0f && __double2int_rn(3.5) == 4;
    ok[3] = __int2float_rd(16777217) == 16777216.0f && __int2float_ru(16777217) == 16777218.0f &&
            __double2float_rd(0.1) < __double2float_ru(0.1);
}

__global__ void bits(int *ok)
{
    ok[0] = __popc(0xf0f0) == 8 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clz(0) == 32 && __clzll(1) == 63 &&
            __ffs(8) == 4 && __ffs(0) == 0 && __ffsll(1ll << 40) == 41;
    ok[1] = __brev(1) == 0x80000000u && __brevll(1) == 1ull << 63 && __byte_perm(0x33221100, 0x77665544, 0x7250) == 0x77225500 &&
            __funnelshift_l(0x80000000u, 1, 1) == 3 && __funnelshift_r(0, 1, 1) == 0x80000000u;
    ok[2] = __mulhi(1 << 30, 8) == 2 && __umulhi(0x80000000u, 4) == 2 && __umul64hi(1ull << 63, 4) == 2 &&
            __mul24(-3, 5) == -15 && __umul24(0x1000002, 3) == 6 && __sad(3, 10, 1) == 8 && __usad(10u, 3u, 1u) == 8;
    ok[3] = __float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f &&
            __double2hiint(1.0) == 0x3ff00000 && __hiloint2double(0x40000000, 0) == 2.0;
}

__global__ void extremes(int *ok, int a, unsigned b, float f, double d)
{
    ok[0] = min(a, 3) == -2 && max(a, 3) == 3 && min(5u, b) == 5 && max(f, 1.0f) == 1.5f && min(f, d) == 1.5 &&
            max(1.0, d) == 2.5;
    size_t n = 3, m = 4;
    ok[1] = min(n, m) == 3 && max(1ll, -1ll) == 1;
    ok[2] = min(-1, 1u) == 1;           /* of an int and an unsigned: unsigned */
    ok[3] = 1;
}

__global__ void add(const float4 *a, const float4 *__restrict__ b, float4 *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 x = a[i], y = __ldg(&b[i]);
    c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

static int *device;

template <typename K, typename... A> static bool all_ok(K kernel, A... arguments)
{
    int ok[4];
    CHECK(cudaMemset(device, 0, sizeof ok));
    kernel<<<1, 1>>>(device, arguments...);
    CHECK(cudaMemcpy(ok, device, sizeof ok, cudaMemcpyDeviceToHost));
    return ok[0] && ok[1] && ok[2] && ok[3];
}

int main()
{
    device = on_device<int>(4);
    rule(all_ok(fast), "fast and special functions give what they should");
    rule(all_ok(rounding), "functions round as their names say");
    rule(all_ok(bits), "functions of bits and of parts of products");
    rule(all_ok(extremes, -2, 7u, 1.5f, 2.5), "min and max take two of a kind and mixed signs");

    rule(sizeof(float4) == 16 && alignof(float4) == 16 && sizeof(float3) == 12 && alignof(float2) == 8 &&
             alignof(double2) == 16 && sizeof(uchar4) == 4 && alignof(short4) == 8 && alignof(int3) == 4,
         "vectors have their sizes and alignments");
    int2 i = make_int2(1, 2);
    uchar4 c = make_uchar4(1, 2, 3, 255);
    double3 d = make_double3(1, 2, 3.5);
    rule(i.x == 1 && i.y == 2 && c.w == 255 && d.z == 3.5, "make_ makes them, on the host too");
    const int n = 256;
    float a[n], b[n];
    int wrong = 0;
    for (int k = 0; k < n; k++) {
        a[k] = (float)k;
        b[k] = 0.5f * k;
    }
    float *d_a = on_device<float>(n), *d_b = on_device<float>(n);
    CHECK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice));
    add<<<2, n / 8>>>(reinterpret_cast<float4 *>(d_a), reinterpret_cast<float4 *>(d_b), reinterpret_cast<float4 *>(d_a));
    CHECK(cudaMemcpy(a, d_a, sizeof a, cudaMemcpyDeviceToHost));
    for (int k = 0; k < n; k++)
        wrong += a[k] != 1.5f * k;
    rule(wrong == 0, "kernels read and write float4");
    return rules_end();
}
