/* SPDX-License-Identifier: MIT */
/* Operations that C++ leaves open and PTX does not, and PTX that moves bits. [ptx] PTX ISA 9.0: "shl", "shr" (clamped shifts), "cvt"
 * (saturation, NaN), "mov", "mul" (.hi), "ld", "st". */
#include "../rule.h"

__global__ void shifts(long long *o, int n, long long m, unsigned char c)
{
    o[0] = (1u << n) - 1;
    o[1] = 0xffffffffu >> n;
    o[2] = -8 >> n;
    o[3] = 1ll << n;
    o[4] = 1ll << m;
    o[5] = -1ll >> m;
    o[6] = c << n;
    int x = 5, y = -5;
    x <<= n;
    y >>= n + 1;
    o[7] = x;
    o[8] = y;
    o[9] = 1 << 3 << 2;
}

__global__ void conversions(long long *o, float large, float negative, float nan, double huge)
{
    o[0] = (int)large;
    o[1] = (unsigned)negative;
    o[2] = (unsigned char)negative;
    o[3] = int(nan);
    o[4] = static_cast<int>(huge);
    o[5] = (int)-huge;
    o[6] = (long long)huge;
    o[7] = (short)(large / 40000);
    o[8] = (unsigned)large == 3000000000u;
    o[9] = (unsigned long long)negative;
}

__global__ void bits(unsigned *o, float *f, unsigned long long *l)
{
    unsigned r;
    float g, h;
    unsigned long long m, d;
    asm("mov.b32 %0, %1;" : "=r"(r) : "f"(1.0f));
    asm("mov.b32 %0, %1;" : "=f"(g) : "r"(0x40000000));
    asm volatile("st.global.b32 [%0], %1;" ::"l"(o + 1), "f"(1.0f));
    asm volatile("ld.global.b32 %0, [%1];" : "=f"(h) : "l"(o + 2));
    asm("mul.hi.u64 %0, %1, %2;" : "=l"(m) : "l"(1ull << 63), "l"(4ull));
    asm("mov.b64 %0, %1;" : "=l"(d) : "d"(1.0));
    o[0] = r;
    f[0] = g;
    f[1] = h;
    l[0] = m;
    l[1] = d;
}

int main()
{
    long long *o;
    float *f;
    unsigned *u;
    unsigned long long *l;
    CHECK(cudaMallocManaged(&o, 10 * sizeof *o));
    CHECK(cudaMallocManaged(&f, 2 * sizeof *f));
    CHECK(cudaMallocManaged(&u, 3 * sizeof *u));
    CHECK(cudaMallocManaged(&l, 2 * sizeof *l));
    shifts<<<1, 1>>>(o, 32, 64, 200);
    CHECK(cudaDeviceSynchronize());
    rule(o[0] == 0xffffffff && o[1] == 0 && o[2] == -1 && o[6] == 0 && o[7] == 0 && o[8] == -1, "a shift by 32 leaves nothing of 32 bits, and the sign of one to the right");
    rule(o[3] == 1ll << 32 && o[4] == 0 && o[5] == -1, "64 bits have room for it, and none for a shift by 64");
    rule(o[9] == 32, "shifts in a row go from left to right");
    conversions<<<1, 1>>>(o, 3e9f, -5, nanf(""), 1e20);
    CHECK(cudaDeviceSynchronize());
    rule(o[0] == 2147483647 && o[4] == 2147483647 && o[5] == -2147483647 - 1 && o[6] == 9223372036854775807 && o[8], "a conversion gives the nearest integer that there is");
    rule(o[1] == 0 && o[2] == 0 && o[9] == 0, "no negative number becomes an unsigned one");
    rule(o[3] == 0, "NaN becomes 0");
    rule(o[7] == (short)75000, "small integers take the low bits of 32");
    u[2] = 0x40400000;
    bits<<<1, 1>>>(u, f, l);
    CHECK(cudaDeviceSynchronize());
    rule(u[0] == 0x3f800000 && f[0] == 2 && u[1] == 0x3f800000 && f[1] == 3 && l[1] == 0x3ff0000000000000, "mov, ld and st of PTX's untyped bits convert nothing");
    rule(l[0] == 2, "mul.hi of 64 bits is the upper half");
    return rules_end();
}
