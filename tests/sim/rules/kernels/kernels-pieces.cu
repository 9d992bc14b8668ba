/* SPDX-License-Identifier: MIT */
/* Functions of two halves and four bytes of a word, and means and shifts of words. [G] "SIMD Intrinsics", "Integer Intrinsics". */
#include "../rule.h"

__global__ void halves(int *ok, unsigned x, unsigned y)     /* 0x0001ffff, 0x00020001 */
{
    ok[0] = __vadd2(x, y) == 0x00030000 && __vsub2(y, x) == 0x00010002 && __vabsdiffu2(x, y) == 0x0001fffe;
    ok[1] = __vminu2(x, y) == 0x00010001 && __vmaxu2(x, y) == 0x0002ffff && __vmins2(x, y) == 0x0001ffff && __vmaxs2(x, y) == 0x00020001;
    ok[2] = __vcmpeq2(x, x) == 0xffffffff && __vcmpne2(x, y) == 0xffffffff && __vcmpgtu2(x, y) == 0x0000ffff && __vcmpgts2(y, x) == 0xffffffff;
    ok[3] = __vavgu2(x, y) == 0x00028000 && __vhaddu2(x, y) == 0x00018000 && __vseteq2(x, x) == 0x00010001 && __vsetne2(x, x) == 0;
}

__global__ void bytes(int *ok, unsigned x, unsigned y)      /* 0x01807fff, 0x02017f00 */
{
    ok[0] = __vadd4(x, y) == 0x0381feff && __vsub4(x, y) == 0xff7f00ff && __vabsdiffu4(x, y) == 0x017f00ff && __vsadu4(x, y) == 0x17f;
    ok[1] = __vminu4(x, y) == 0x01017f00 && __vmaxu4(x, y) == 0x02807fff && __vmins4(x, y) == 0x01807fff && __vmaxs4(x, y) == 0x02017f00;
    ok[2] = __vcmpltu4(x, y) == 0xff000000 && __vcmpgts4(x, y) == 0 && __vcmpgts4(y, x) == 0xffff00ff && __vseteq4(x, y) == 0x00000100;
    ok[3] = __vavgu4(x, y) == 0x02417f80 && __vhaddu4(x, y) == 0x01407f7f;
}

__global__ void means(int *ok, int a, unsigned b, unsigned high)    /* -3, 0xffffffff, 0x80000001 */
{
    ok[0] = __hadd(a, 2) == -1 && __rhadd(a, 2) == 0 && __rhadd(a, -1) == -2 && __rhadd(2147483647, 2147483647) == 2147483647;
    ok[1] = __uhadd(b, 2) == 0x80000000u && __urhadd(b, 2) == 0x80000001u && __urhadd(3u, 5u) == 4;
    ok[2] = __funnelshift_lc(high, 3, 32) == high && __funnelshift_rc(high, 3, 32) == 3 && __funnelshift_rc(high, 3, 40) == 3;
    ok[3] = __funnelshift_r(high, 3, 32) == high && __funnelshift_rc(high, 3, 1) == 0xc0000000u && __funnelshift_lc(high, 3, 1) == 7;
}

__global__ void products(int *ok, int a, unsigned b)        /* 0x80ff0102, the same */
{
    ok[0] = __dp4a(a, 0x01010101, 5) == -128 - 1 + 1 + 2 + 5;
    ok[1] = __dp4a(a, (int)0xff000000, 0) == 128;
    ok[2] = __dp4a(b, 0x01010101u, 5u) == 128 + 255 + 1 + 2 + 5;
    ok[3] = __dp4a(b, 0xff000000u, 0u) == 128 * 255;
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
    rule(all_ok(halves, 0x0001ffffu, 0x00020001u), "the two halves of a word are computed with one by one");
    rule(all_ok(bytes, 0x01807fffu, 0x02017f00u), "so are its four bytes, with their signs and without");
    rule(all_ok(means, -3, 0xffffffffu, 0x80000001u), "means round as their names say, and a shift that clamps ends at 32");
    rule(all_ok(products, (int)0x80ff0102, 0x80ff0102u), "products of four bytes are added up, with their signs and without");
    return rules_end();
}
