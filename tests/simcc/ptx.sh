#!/bin/bash
# SPDX-License-Identifier: MIT
#
# PTX in asm: instructions that are translated, and those that are refused, by name.
. tests/sim/sim.bash

prints_as 'the common instructions of PTX' $'no error\n5 1f 12 f5ff c33c 44332211 12 3 11 ffffffc0 -1 -1 -2 -1 5 2 3.5 7 4.5 5.5 3 200000000' << 'EOF'
struct s { unsigned u[32]; int i[8]; float f[8]; unsigned long long l[4]; };
__device__ __forceinline__ unsigned bfe(unsigned x, unsigned a, unsigned n) { unsigned r; asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(a), "r"(n)); return r; }
__global__ void k(s *p, const float4 *q) {
    unsigned t, lt;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t));
    asm("mov.u32 %0, %lanemask_lt;" : "=r"(lt));
    if (t != 5) return;
    p->u[0] = t; p->u[1] = lt; p->u[2] = bfe(0xabcd1234, 8, 8);
    asm("bfe.s32 %0, %1, 4, 4;" : "=r"(p->i[0]) : "r"(0xf0));
    asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(p->u[3]) : "r"(0x5), "r"(0xffff));
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(p->u[4]) : "r"(0xff00), "r"(0xf0f0), "r"(0xcccc));
    asm("prmt.b32 %0, %1, %2, 0x3210;" : "=r"(p->u[5]) : "r"(0x44332211), "r"(0x88776655));
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(p->u[6]) : "r"(3), "r"(4), "r"(5));
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(p->u[7]) : "r"(0x80000000u), "r"(1u), "r"(1));
    float4 v;
    asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(q));
    p->f[0] = v.x + v.w;
    asm volatile("ld.global.cg.f32 %0, [%1+4];" : "=f"(p->f[1]) : "l"(q));
    asm volatile("st.global.cs.f32 [%0], %1;" :: "l"(&p->f[2]), "f"(2.5f) : "memory");
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" :: "l"(&p->f[4]), "f"(4.5f), "f"(5.5f) : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" :: "l"(&p->f[2]), "f"(1.0f));
    asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(p->u[8]) : "l"(&p->u[6]), "r"(1u));
    asm volatile("membar.gl;" ::: "memory");
    asm volatile("" ::: "memory");
    asm("fma.rn.f32 %0, %1, %2, 0f3F800000;" : "=f"(p->f[3]) : "f"(2.0f), "f"(3.0f));
    asm("{ mul.wide.u32 %0, %1, %2; }" : "=l"(p->l[0]) : "r"(0x80000000u), "r"(4u));
    asm("shr.s32 %0, %1, 40;" : "=r"(p->i[1]) : "r"(-5));
    asm("add.s32 %0, %1, -7;" : "=r"(p->i[2]) : "r"(5));
    asm("mov.u32 %0, %lanemask_gt;" : "=r"(p->u[9]));
    asm("bfe.s32 %0, %1, 28, 12;" : "=r"(p->i[3]) : "r"(0xf0000000));
    asm volatile("ld.global.f32 %0, [%1+8];" : "=f"(p->f[6]) : "l"(q));
}
int main() { s *p; float4 *q; cudaMallocManaged(&p, sizeof *p); cudaMallocManaged(&q, 16); *q = make_float4(1,2,3,4);
  k<<<1,32>>>(p, q); puts(cudaGetErrorString(cudaDeviceSynchronize()));
  for (int i = 0; i < 10; i++) printf("%x ", p->u[i]); for (int i = 0; i < 4; i++) printf("%d ", p->i[i]); for (int i = 0; i < 7; i++) printf("%g ", p->f[i]); printf("%llx\n", p->l[0]); }
EOF

prints_as 'several instructions of PTX in one asm, with registers, predicates and carries' \
    $'no error\n9 10 4 55667788 11223344 21 ffffffff fffffffe 7fffffff aaaaaaaa 1e 4d 1f 0 ffffffff 1b 5566778811223344 200000005 9.5' << 'EOF'
__global__ void k(unsigned *u, unsigned long long *l, float *f, int n) {
  unsigned a = 0xfffffff0u + n, b = 0x20, r, s;
  int lane = threadIdx.x;
  asm("{\n\t.reg .pred p;\n\tsetp.lt.u32 p, %1, %2;\n\tselp.b32 %0, 7, 9, p;\n\t}" : "=r"(r) : "r"(a), "r"(b));
  if (lane == 0) u[0] = r;
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, %5;" : "=&r"(r), "=r"(s) : "r"(a), "r"(b), "r"(1u), "r"(2u));
  if (lane == 0) u[1] = r, u[2] = s;
  unsigned x, y; unsigned long long w;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(x), "=r"(y) : "l"(0x1122334455667788ull));
  asm("mov.b64 %0, {%1, %2};" : "=l"(w) : "r"(y), "r"(x));
  if (lane == 0) u[3] = x, u[4] = y, l[0] = w;
  asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(r) : "l"(u + 5), "r"(0u), "r"(33u));
  asm("activemask.b32 %0;" : "=r"(s));
  if (lane == 0) u[6] = s;
  int i; asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(i) : "f"(-2.7f));
  int c; asm("cvt.rni.s32.f32 %0, %1;" : "=r"(c) : "f"(1e20f));
  if (lane == 0) u[7] = i, u[8] = c;
  unsigned long long m; asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(m) : "r"(0x80000000u), "r"(4u), "l"(5ull));
  if (lane == 0) l[1] = m;
  unsigned v; asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(v) : "r"(lane & 1));
  if (lane == 0) u[9] = v;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(v) : "r"(lane * 10), "r"(1));
  if (lane == 2) u[10] = v;
  float g; asm("{ .reg .f32 t; mul.f32 t, %1, %1; add.f32 %0, t, %2; }" : "=f"(g) : "f"(3.0f), "f"(0.5f));
  if (lane == 0) f[0] = g;
  asm volatile("{ .reg .pred q; setp.eq.s32 q, %0, 3; @q st.global.u32 [%1], 77; @!q red.global.add.u32 [%2], 1; }" :: "r"(lane), "l"(u + 11), "l"(u + 12));
  unsigned lo, hi; asm("{ mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0; }" : "=r"(lo), "=r"(hi) : "r"(0xffffffffu), "r"(0xffffffffu), "r"(0xffffffffu));
  if (lane == 0) u[13] = lo, u[14] = hi;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(i) : "r"(0x01ff0203), "r"(0x01020304), "r"(10));
  if (lane == 0) u[15] = i;
}
int main() { unsigned *u; unsigned long long *l; float *f; cudaMallocManaged(&u, 100); cudaMallocManaged(&l, 100); cudaMallocManaged(&f, 100); memset(u, 0, 100);
  k<<<1, 32>>>(u, l, f, 0); puts(cudaGetErrorString(cudaDeviceSynchronize()));
  for (int i = 0; i < 16; i++) printf("%x ", u[i]); printf("%llx %llx %g\n", l[0], l[1], f[0]);
}
EOF

prints_as 'PTX converts from and to half and bfloat16' \
    $'4100 2.5 3f88 1.0625 7c00 7bff 8001 0 7fff 4101 4100 42c80000 3dcd 3dcc 2e66 3 4200 3ff0000000000000\n3c004000 3f804000 1 2' << 'EOF'
__device__ unsigned bits(float f) { return __float_as_uint(f); }
__global__ void k(unsigned *u, float *f, unsigned long long *l, int zero)
{
    unsigned short h, b;
    float x;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(2.5f));
    asm("cvt.f32.f16 %0, %1;" : "=f"(f[0]) : "h"(h));
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b) : "f"(1.0626f));
    asm("cvt.f32.bf16 %0, %1;" : "=f"(f[1]) : "h"(b));
    u[0] = h, u[1] = b;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(65520.f)); u[2] = h;
    asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(1e9f)); u[3] = h;
    asm("cvt.rm.f16.f32 %0, %1;" : "=h"(h) : "f"(-1e-12f)); u[4] = h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(1e-12f)); u[5] = h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(0.f / zero)); u[6] = h;
    asm("cvt.rp.f16.f32 %0, %1;" : "=h"(h) : "f"(2.5001f)); u[7] = h;
    asm("{ .reg .b16 t; cvt.rn.f16.f32 t, %1; mov.b16 %0, t; }" : "=h"(h) : "f"(2.5001f)); u[8] = h;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"((unsigned short)0x5640)); u[9] = bits(x);
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b) : "f"(0.1f)); u[10] = b;
    asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(b) : "f"(0.1f)); u[11] = b;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(0.1)); u[12] = h;
    asm("cvt.rni.s32.f16 %0, %1;" : "=r"(u[13]) : "h"((unsigned short)0x4280));
    asm("cvt.rn.f16.s32 %0, %1;" : "=h"(h) : "r"(3)); u[14] = h;
    asm("{ .reg .f64 d; cvt.f64.f16 d, %1; mov.b64 %0, d; }" : "=l"(l[0]) : "h"((unsigned short)0x3c00));
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(u[15]) : "f"(1.f), "f"(2.f));
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(u[16]) : "f"(1.f), "f"(2.f));
    asm("cvt.rzi.f16.f16 %0, %1;" : "=h"(h) : "h"((unsigned short)0x3e00)); u[17] = h == 0x3c00;
    asm("cvt.rpi.s32.f16 %0, %1;" : "=r"(u[18]) : "h"((unsigned short)0x3e00));
}
int main()
{
    unsigned *u;
    float *f;
    unsigned long long *l;
    cudaMallocManaged(&u, 100), cudaMallocManaged(&f, 8), cudaMallocManaged(&l, 8);
    k<<<1, 1>>>(u, f, l, 0);
    cudaDeviceSynchronize();
    printf("%x %g %x %g ", u[0], f[0], u[1], f[1]);
    for (int i = 2; i < 15; i++) printf("%x ", u[i]);
    printf("%llx\n%x %x %u %u\n", l[0], u[15], u[16], u[17], u[18]);
}
EOF

# Of each type that PTX has an operation on memory for; adding -1 to one of 64 bits takes 1 away.
prints_as "PTX's atomic operations" 'cudaSuccess
7 8 5 0.5 fffffffffffffffe -9 -3 6 9 a 4.5 40 1 0 3 5 3' << 'EOF'
struct s { long long l[8]; unsigned u[8]; float f; double d; unsigned short h[2]; };
__global__ void k(s *p, unsigned *old, long long *was)
{
    asm volatile("red.global.add.s64 [%0], %1;" :: "l"(&p->l[0]), "l"(-1ll) : "memory");
    asm volatile("atom.global.add.s64 %0, [%1], %2;" : "=l"(was[0]) : "l"(&p->l[1]), "l"(-3ll) : "memory");
    asm volatile("atom.add.u64 %0, [%1+16], %2;" : "=l"(was[1]) : "l"(p->l), "l"(-2ll));
    asm volatile("red.global.min.s64 [%0], %1;" :: "l"(&p->l[3]), "l"(-9ll));
    asm volatile("red.relaxed.gpu.global.max.s64 [%0], %1;" :: "l"(&p->l[4]), "l"(-3ll));
    asm volatile("red.global.or.b64 [%0], %1;" :: "l"(&p->l[5]), "l"(4ll));
    asm volatile("red.global.inc.u32 [%0], %1;" :: "l"(&p->u[0]), "r"(9));
    asm volatile("atom.global.inc.u32 %0, [%1], %2;" : "=r"(old[0]) : "l"(&p->u[1]), "r"(9));
    asm volatile("atom.global.dec.u32 %0, [%1], 64;" : "=r"(old[1]) : "l"(&p->u[2]));
    asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(old[2]) : "l"(&p->u[3]), "r"(1));
    asm volatile("atom.global.cas.b16 %0, [%1], %2, %3;" : "=h"(p->h[1]) : "l"(&p->h[0]), "h"((unsigned short)3), "h"((unsigned short)5));
    asm volatile("red.global.add.f32 [%0], %1;" :: "l"(&p->f), "f"(4.5f));
    asm volatile("red.global.add.f64 [%0], %1;" :: "l"(&p->d), "d"(0.5));
}
int main()
{
    s *p;
    unsigned *old;
    long long *was;
    cudaMallocManaged(&p, sizeof *p), cudaMallocManaged(&old, 12), cudaMallocManaged(&was, 16);
    memset(p, 0, sizeof *p);
    p->l[0] = 8, p->l[1] = 8, p->l[4] = -5, p->l[5] = 2, p->u[0] = 8, p->u[1] = 9, p->u[3] = 3, p->h[0] = 3;
    k<<<1, 1>>>(p, old, was);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%lld %lld %lld %g %llx %lld %lld %lld ", p->l[0], was[0], p->l[1], p->d, p->l[2], p->l[3], p->l[4], p->l[5]);
    printf("%u %x %g %x %u %u %u %u %u\n", p->u[0], old[0] + 1, p->f, p->u[2], p->u[3], p->u[1], old[2], p->h[0], p->h[1]);
}
EOF

prints_as 'more of what PTX computes' 'cudaSuccess
24 ffffffec 3 2 8 1e 5 63 ffffffff 1 2 fffffffe 9 7 5 80000000 a 12 7 3 1 d
10.5 2 -3 0 0 3 2.5 5' << 'EOF'
struct s { unsigned u[24]; float f[8]; double d; unsigned long long l; };
__global__ void k(s *p)
{
    unsigned *u = p->u;
    asm("mul24.lo.u32 %0, %1, %2;" : "=r"(u[0]) : "r"(0xff000006), "r"(6));
    asm("mul24.lo.s32 %0, %1, %2;" : "=r"(u[1]) : "r"(-5), "r"(4));
    asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(u[2]) : "r"(0x80000000u), "r"(4), "r"(1));
    asm("{ .reg .u64 t; mad.hi.u64 t, %1, 2, 1; cvt.u32.u64 %0, t; }" : "=r"(u[3]) : "l"(~0ull));
    asm("mad24.lo.u32 %0, %1, %2, 2;" : "=r"(u[4]) : "r"(2), "r"(3));
    asm("bfind.u32 %0, %1;" : "=r"(u[5]) : "r"(0x40000000));
    asm("bfind.s32 %0, %1;" : "=r"(u[6]) : "r"(-64));
    asm("sad.s32 %0, %1, %2, %3;" : "=r"(u[7]) : "r"(-50), "r"(40), "r"(9));
    asm("bfind.u64 %0, %1;" : "=r"(u[8]) : "l"(0ull));
    asm("cnot.b32 %0, %1;" : "=r"(u[9]) : "r"(0));
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(u[10]) : "r"(0x20000000));
    asm("mad.wide.s16 %0, %1, %2, %3;" : "=r"(u[11]) : "h"((short)-2), "h"((short)3), "r"(4));
    asm(R"({ .reg .b32 r<4>, last;    // four and one
             add.u32 r0, %1, 1;       /* r0 is
                                         one more */
             mul.lo.u32 r3, r0, r0;
             mov.b32 %0, r3; })" : "=r"(u[12]) : "r"(2));
    asm("{ .reg .b32 %%r<2>; mov.b32 %%r1, %1; // seven\n\t mov.b32 %0, %%r1; }" : "=r"(u[13]) : "r"(7));
    asm("{ .reg .pred p, q; setp.lt.u32 p, %1, 9; setp.gt.and.u32 p|q, %1, 3, p; selp.b32 %0, 4, 0, p; @q add.u32 %0, %0, 8; @!q add.u32 %0, %0, 1; }"
        : "=r"(u[14]) : "r"(5));
    asm("{ .reg .f32 t; neg.f32 t, 0f00000000; mov.b32 %0, t; }" : "=r"(u[15]));
    asm("max.f32 %0, %1, %2;" : "=f"(p->f[0]) : "f"(10.5f), "f"(__int_as_float(0x7fffffff)));
    asm("abs.f32 %0, %1;" : "=f"(p->f[1]) : "f"(-2.f));
    asm("copysign.f32 %0, %1, %2;" : "=f"(p->f[2]) : "f"(-1.f), "f"(3.f));
    asm("mul.ftz.f32 %0, %1, %2;" : "=f"(p->f[3]) : "f"(1e-30f), "f"(1e-10f));
    asm("add.ftz.f32 %0, %1, %2;" : "=f"(p->f[4]) : "f"(1e-40f), "f"(0.f));
    asm("mad.rn.f32 %0, %1, %2, %3;" : "=f"(p->f[5]) : "f"(1.f), "f"(2.f), "f"(1.f));
    asm("mov.f64 %0, 0d4004000000000000;" : "=d"(p->d));
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(u[16]) : "r"(0x3c004000), "r"(0x40004200), "r"(0x3c003c00));
    asm("add.bf16x2 %0, %1, %2;" : "=r"(u[17]) : "r"(0x3f804000), "r"(0x3f803f80));
    unsigned short h;
    asm("{mul.rn.f16 %0, %1, %2;}" : "=h"(h) : "h"((unsigned short)0x4200), "h"((unsigned short)0x4000));
    u[16] = u[16] == 0x42004700 ? 10 : u[16], u[17] = u[17] == 0x40004040 ? 18 : u[17], u[18] = h == 0x4600 ? 7 : h;
    asm("neg.f16x2 %0, %1;" : "=r"(u[19]) : "r"(0x3c004000));
    u[19] = u[19] == 0xbc00c000 ? 3 : u[19];
    asm("mul.hi.u16 %0, %1, %2;" : "=h"(h) : "h"((unsigned short)0x8000), "h"((unsigned short)2));
    u[20] = h;
    asm("mov.u32 %0, WARP_SZ;" : "=r"(u[21]));
    u[21] -= 19;
}
int main()
{
    s *p;
    cudaMallocManaged(&p, sizeof *p);
    k<<<1, 1>>>(p);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 22; i++) printf("%x%c", p->u[i], i < 21 ? ' ' : '\n');
    for (int i = 0; i < 6; i++) printf("%g ", p->f[i]);
    printf("%g %d\n", p->d, 5);
}
EOF

# As the scans of libraries have it: the predicate says that the segment has such a lane.
prints_as "a shuffle of PTX says whether there was a lane, and a carry lasts from one asm to the next" '528 36 5 3 1 0 ffffffff' << 'EOF'
__device__ unsigned scan(unsigned v, unsigned c)
{
    for (unsigned by = 1; by < 32; by *= 2)
        asm volatile("{ .reg .u32 r0; .reg .pred p; shfl.sync.up.b32 r0|p, %0, %1, %2, 0xffffffff; @p add.u32 r0, r0, %0; @p mov.u32 %0, r0; }"
                     : "+r"(v) : "r"(by), "r"(c));
    return v;
}
__device__ unsigned add_cc(unsigned a, unsigned b) { unsigned r; asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ unsigned addc_cc(unsigned a, unsigned b) { unsigned r; asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ unsigned addc(unsigned a, unsigned b) { unsigned r; asm volatile("addc.u32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__global__ void k(unsigned *u)
{
    unsigned lane = threadIdx.x, all = scan(lane + 1, 0), eight = scan(lane % 8 + 1, 24 << 8), r, there;
    asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 2, 0x1f, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(r), "=r"(there) : "r"(lane));
    if (lane == 31) u[0] = all, u[1] = eight, u[5] = there;
    if (lane == 3) u[2] = r, u[4] = there;
    unsigned low = add_cc(~0u, 1 + lane - lane), middle = addc_cc(~0u, 0), high = addc(2, 0);
    if (lane == 0) u[3] = high + low + middle, u[6] = low - 1;
}
int main()
{
    unsigned *u;
    cudaMallocManaged(&u, 28);
    k<<<1, 32>>>(u);
    cudaDeviceSynchronize();
    for (int i = 0; i < 7; i++) printf(i < 6 ? "%u " : "%x\n", u[i]);
}
EOF

# ---- addresses of shared memory ----

prints_as 'shared memory has addresses of 32 bits, which PTX loads from, stores to and copies to' 'cudaSuccess
2236 10 1 0 1 1 1 0' << 'EOF'
#include <stdint.h>
__device__ __forceinline__ uint32_t window(const void *p)
{
    uint32_t a;
    asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
    return a;
}
template <int N> __device__ void wait_for() { asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory"); }
__global__ void k(const float4 *in, unsigned *out)
{
    __shared__ __align__(128) float4 tile[2][32];
    __shared__ unsigned sums[32];
    extern __shared__ unsigned more[];
    unsigned t = threadIdx.x;
    uint32_t to = (uint32_t)__cvta_generic_to_shared(&tile[0][t]), in_sums = window(&sums[t]), in_more = window(more + t);
    if (t == 0) out[4] = to != 0, out[5] = to % 128 == 0 && window(&tile[1][0]) - to == 512, out[6] = __cvta_shared_to_generic(in_sums) == &sums[0];
    for (int stage = 0; stage < 2; stage++) {
        if (stage == 0)
            asm volatile("cp.async.cg.shared.global [%0], [%1], %2;\n" ::"r"(to), "l"(in + t), "n"(16));
        else
            asm volatile("cp.async.ca.shared.global.L2::128B [%0 + 512], [%1], 16, %2;\n" ::"r"(to), "l"(in + t), "r"(t < 30 ? 16 : 0));
        asm volatile("cp.async.commit_group;\n" ::);
    }
    wait_for<0>();
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    float a, b, c, d;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4+512];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "r"(to ^ 16));
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(in_sums), "r"((unsigned)(a + b + c + d + tile[0][t].x)) : "memory");
    asm volatile("st.shared::cta.u32 [%0], 0;" :: "r"(in_more) : "memory");
    __syncthreads();
    asm volatile("red.shared.add.u32 [%0], %1;" :: "r"(window(more)), "r"(sums[t]) : "memory");
    __syncthreads();
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(out[0]) : "l"((size_t)window(more)));
    unsigned lane_sum;
    asm volatile("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 10, 20, p; }" : "=r"(lane_sum) : "l"(&sums[t]));
    if (t == 0) out[1] = lane_sum, out[2] = a == 1, out[3] = tile[1][31].x, out[7] = __isGlobal(more);
}
int main()
{
    float4 *in;
    unsigned *out;
    cudaMallocManaged(&in, 512), cudaMallocManaged(&out, 32);
    for (int i = 0; i < 32; i++) in[i] = make_float4(i, i, i, i);
    k<<<2, 32, 128>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 8; i++) printf("%u%c", out[i], i < 7 ? ' ' : '\n');
}
EOF

prints_as 'a kernel asks which memory an address is of' '1000 0100 0010 0001 0100 0100' << 'EOF'
__constant__ int fixed[4];
__device__ int variable;
__device__ int kind(const void *p) { return __isShared(p) * 1000 + __isGlobal(p) * 100 + __isLocal(p) * 10 + __isConstant(p); }
__global__ void k(int *out)
{
    __shared__ int shared;
    int local = 1;
    out[0] = kind(&shared), out[1] = kind(out), out[2] = kind(&local), out[3] = kind(fixed + 2), out[4] = kind(&variable);
    out[5] = kind((void *)__cvta_generic_to_global(out));
}
int main()
{
    int *out;
    cudaMallocManaged(&out, 24);
    k<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 6; i++) printf("%04d%c", out[i], i < 5 ? ' ' : '\n');
}
EOF

cat > "$dir/x.cu" << 'EOF'
__global__ void k(unsigned *out)
{
    __shared__ unsigned one;
    one = 1;
    unsigned at = (unsigned)__cvta_generic_to_shared(&one) + blockIdx.x * 64;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(*out) : "r"(at));
}
int main(int count, char **) { unsigned *out; cudaMalloc(&out, 4); k<<<count, 1>>>(out); puts(cudaGetErrorName(cudaDeviceSynchronize())); }
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'an address of the window that a variable has' prints cudaSuccess
play x more
ok 'one that none has is an illegal address' prints cudaErrorIllegalAddress

# ---- what is refused ----

refused 'atomic operations of types that PTX has none for' 1 'PTX instruction like this one: red.global.min.f32 \[%0\], %1;' << 'EOF'
__global__ void k(float *p) { asm volatile("red.global.min.f32 [%0], %1;" :: "l"(p), "f"(1.f)); }
int main() { }
EOF
refused 'other instructions of PTX' 4 'PTX instruction like this one: mma.sync.aligned %0, %1;' << 'EOF'
__global__ void k()
{
    int a, b = 0;
    asm volatile("mma.sync.aligned %0, %1;" : "=r"(a) : "r"(b));
}
int main() { }
EOF

# Not run on a card.
prints_as 'registers of half-precision numbers, one or two' '3.75 4500c500' << 'EOF'
__global__ void k(float *f, unsigned *u) {
    asm("{ .reg .f16 a, b, c; cvt.rn.f16.f32 a, %1; cvt.rn.f16.f32 b, %2; fma.rn.f16 c, a, b, a; cvt.f32.f16 %0, c; }" : "=f"(*f) : "f"(1.5f), "f"(1.5f));
    asm("{ .reg .f16x2 a; mov.b32 a, %1; add.f16x2 %0, a, a; }" : "=r"(*u) : "r"(0x4100c100u));
}
int main() {
    float *f; unsigned *u;
    cudaMallocManaged(&f, 4), cudaMallocManaged(&u, 4);
    k<<<1, 1>>>(f, u);
    cudaDeviceSynchronize();
    printf("%g %08x\n", *f, *u);
}
EOF

cat > "$dir/numbers.cu" << 'EOF'
__device__ void sync_some(int id, int n) { asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(n) : "memory"); }
__device__ void arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" :: "r"(id), "r"(n) : "memory"); }
/* One warp fills two buffers, the other one empties them. */
__global__ void pipe(const int *in, int *out, int n)
{
    __shared__ int buffer[2][32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int i = 0; i < n && threadIdx.x < 32; i++) {
        if (i > 1) sync_some(3 + i % 2, 64);
        buffer[i % 2][lane] = in[i * 32 + lane];
        __threadfence_block();
        arrive(1 + i % 2, 64);
    }
    for (int i = 0; i < n && threadIdx.x >= 32; i++) {
        sync_some(1 + i % 2, 64);
        sum += buffer[i % 2][31 - lane];
        if (i + 2 < n) arrive(3 + i % 2, 64);
    }
    if (threadIdx.x >= 32) out[blockIdx.x * 32 + lane] = sum;
}
__global__ void halves(int *out)
{
    __shared__ int a[128];
    a[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 64) sync_some(1, 64);
    else asm volatile("barrier.sync 2, 64;");
    int other = a[(threadIdx.x & 64) | (63 - (threadIdx.x & 63))];
    asm volatile("barrier.cta.sync.aligned 3;" ::: "memory");
    a[127 - threadIdx.x] = other;
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x];
}
__global__ void never(int *out)
{
    if (threadIdx.x < 32) sync_some(1, 64);
    out[threadIdx.x] = 1;
}
int main(int arguments, char **)
{
    int *in, *out, want = 0;
    cudaMallocManaged(&in, 1280);
    cudaMallocManaged(&out, 512);
    for (int i = 0; i < 320; i++) in[i] = i;
    for (int i = 0; i < 10; i++) want += i * 32 + 31;
    pipe<<<3, 64>>>(in, out, 10);
    cudaDeviceSynchronize();
    printf("%d %d ", out[0] == want, out[95] == want - 310);
    halves<<<2, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d\n", out[0], out[127]);
    if (arguments > 1) never<<<1, 64>>>(out);
    cudaDeviceSynchronize();
}
EOF
run build/bin/simcc "$dir/numbers.cu" -o "$dir/numbers"
play numbers
ok 'warps meet at barriers by their numbers, arrive at them, and pass on' eval 'ends 0 && prints "1 1 64 63" && [ ! -s "$dir/err" ]'
play numbers never
ok 'a barrier by its number to which too few come is told of' eval 'complains "wait for a cuda::barrier, a cuda::pipeline or a barrier by its number: 32 of 64 threads"'

# 300 and 100 do not fit into a signed and an unsigned byte; -7 is 0xf9 in one.
prints_as 'video instructions: one, two or four integers, cut or saturated, and joined' '12 2147483647 -11 30 -20 4294967295 0 | ff00 2c0000 7f0000 12c 107 fff80000' << 'EOF'
#define VIDEO(opcode, d, a, b, c) asm(opcode " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c))
__global__ void k()
{
    int one, top, joined, far, least, wide = 200;
    unsigned all, none, v[6];
    asm("vadd.s32.u32.s32 %0, %1, %2;" : "=r"(one) : "r"(5), "r"(7));
    asm("vadd.s32.u32.s32.sat %0, %1, %2;" : "=r"(top) : "r"(0xfffffff0u), "r"(3));
    VIDEO("vsub.s32.s32.s32.add", joined, 4, 20, 5);
    VIDEO("vabsdiff.s32.u32.s32.max", far, 10, -20, 7);
    VIDEO("vmin.s32.s32.s32.min", least, 3, -20, -4);
    asm("vmax.u32.u32.s32 %0, %1, %2;" : "=r"(all) : "r"(~0u), "r"(-1));
    asm("vsub.u32.u32.u32.sat %0, %1, %2;" : "=r"(none) : "r"(1), "r"(2));
    VIDEO("vmax4.u32.s32.u32", v[0], 0xf900, 0xff00, 0);
    VIDEO("vadd4.s32.u32.u32", v[1], wide << 16, 100 << 16, 0);
    VIDEO("vadd4.s32.u32.u32.sat", v[2], wide << 16, 100 << 16, 0);
    VIDEO("vadd4.s32.u32.u32.add", v[3], wide << 16, 100 << 16, 0);
    VIDEO("vabsdiff2.u32.s32.s32.add", v[4], 0xfff9, 0x100, 0);
    VIDEO("vsub2.s32.s32.s32", v[5], 0xfff90000, 0x10000, 0);
    printf("%d %d %d %d %d %u %u | %x %x %x %x %x %x\n", one, top, joined, far, least, all, none, v[0], v[1], v[2], v[3], v[4], v[5]);
}
int main()
{
    k<<<1, 1>>>();
    cudaDeviceSynchronize();
}
EOF

done_testing
