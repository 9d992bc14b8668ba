#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Arithmetic that would end a program on this machine, or would have another result here than on a GPU, where it cannot be mended.
. tests/sim/sim.bash

cat > "$dir/division.cu" << 'EOF'
#include <stdio.h>
#include <limits.h>
template <typename T> __global__ void divide(T *o, T x, T zero, const T *m)
{
    o[0] = x / zero;
    o[1] = x % zero;
    o[2] = x / m[threadIdx.x];
    o[3] = (T)(m[1] / (T)(-1 * (int)m[2]));
    o[4] = (T)(m[1] % (T)(-1 * (int)m[2]));
}
template <typename T> void show(T least)
{
    T *o, *m;
    cudaMallocManaged(&o, 5 * sizeof *o);
    cudaMallocManaged(&m, 3 * sizeof *m);
    m[0] = 0, m[1] = least, m[2] = 1;
    divide<<<1, 1>>>(o, (T)5, (T)0, m);
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 5; i++)
        printf(" %lld", (long long)o[i]);
    puts("");
}
__global__ void convert(int *o, float f, int ok) { o[0] = f; o[1] = (int)f; o[2] = ok + 0.5f; }
int main(int argc, char **argv)
{
    if (argc > 1) {
        volatile int zero = 0;
        return 7 / zero;
    }
    int *o;
    show(INT_MIN), show(LLONG_MIN), show((short)SHRT_MIN), show((signed char)SCHAR_MIN);
    cudaMallocManaged(&o, 3 * sizeof *o);
    convert<<<1, 1>>>(o, 3e9f, 1);
    cudaDeviceSynchronize();
    volatile float large = 3e9f;
    volatile int host = large;      /* the host's is the host's */
    printf("%d %d %d\n", o[1], o[2], host < 0);
}
EOF
wanted='cudaSuccess -1 -1 -1 -2147483648 0
cudaSuccess -1 -1 -1 -9223372036854775808 0
cudaSuccess -1 -1 -1 -32768 0
cudaSuccess -1 -1 -1 -128 0
2147483647 1 1'
for optimised in -O0 -O2; do
    build division $optimised
    for hazards in 1 0; do
        SIM_HAZARDS=$hazards play division
        ok "$optimised, hazards $hazards: a kernel goes on after a division by zero" eval 'ends 0 && prints "$wanted"'
        ok 'and a note says where' eval '[ "$(grep -c "note: .*kernel divide .* divides an integer by zero" "$dir/err")" -ge 4 ]'
        ok 'a conversion that nobody wrote, to an integer that has no room, is told of; those that were are not' eval \
            '[ "$(grep -c "note: .*converts a floating-point number" "$dir/err")" = 1 ] && grep -q "division.cu:23: kernel convert" "$dir/err"'
    done
done
cat > "$dir/small.cu" << 'EOF'
#include <stdio.h>
#include <math.h>
__global__ void convert(long long *o, const float *f)
{
    signed char c = 5;
    unsigned char u = f[0];
    short s = (double)f[1];
    unsigned short us = f[2];
    c += f[0];
    o[0] = c, o[1] = u, o[2] = s, o[3] = us;
}
__global__ void below(unsigned char *o, float f) { *o = f; }
__global__ void beyond(short *o, double d) { *o = d; }
__global__ void none(signed char *o, float f) { *o = f; }
int main()
{
    long long *o;
    float *f;
    cudaMallocManaged(&o, 4 * sizeof *o);
    cudaMallocManaged(&f, 3 * sizeof *f);
    f[0] = 300, f[1] = -70000, f[2] = 2e9f;
    convert<<<1, 1>>>(o, f);
    cudaDeviceSynchronize();
    printf("%lld %lld %lld %lld\n", o[0], o[1], o[2], o[3]);
    below<<<1, 1>>>((unsigned char *)o, -1.0f);
    beyond<<<1, 1>>>((short *)o, 3e9);
    none<<<1, 1>>>((signed char *)o, nanf(""));
    cudaDeviceSynchronize();
}
EOF
for optimised in -O0 -O2; do
    build small $optimised
    play small
    ok "$optimised, a conversion to 8 or 16 bits: the low bits of one to 32" eval \
        'ends 0 && prints "49 44 -4464 37888" && ! grep -q "kernel convert" "$dir/err"'
    ok 'and only where a GPU has other ones, a note says so' eval \
        '[ "$(sed -n "s/^note: .*: kernel \\([a-z]*\\) .* converts a .*/\\1/p" "$dir/err" | tr "\n" " ")" = "below beyond " ]'
done

play division host
ok 'the host ends there, as it does anywhere' ends 136
done_testing
