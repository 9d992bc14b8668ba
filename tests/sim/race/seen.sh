#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What programs say of their loads and stores (common/sim/race/seen/access_seen.c): in programs on x86-64 most of them are looked
# at in place (common/simcc/instrumented.c); elsewhere each is a call. Both say the same.
. tests/sim/sim.bash

cat > "$dir/placed.cu" << 'END'
#include <stdlib.h>
enum { N = 4096 };
__device__ unsigned draw(unsigned &s) { s = s * 1664525u + 1013904223u; return s >> 8; }
template <typename T> __global__ void touch(int how, T *a, const T *b)
{
    unsigned s = how + threadIdx.x + 7 * blockIdx.x;
    int n = N / (int)sizeof(T), from = 97 + (int)s % 5, i;
    switch (how) {
    case 0: for (i = from; i < n / 2; i++) a[i] = b[i]; break;                          /* onwards */
    case 1: for (i = n / 2; i > from; i--) a[i] = b[i]; break;                          /* backwards */
    case 2: for (i = from; i < n / 2; i += 3) a[i] = b[i + 1]; break;                   /* by strides */
    case 3: for (i = 0; i < 300; i++) a[draw(s) % n] = b[draw(s) % n]; break;           /* anywhere */
    case 4: for (i = 0; i < 900; i++) a[200 + draw(s) % 64] = b[100 + draw(s) % 40]; break;     /* in a small table */
    case 5: for (int k = 0; k < 3; k++) for (i = from; i < from + 50; i++) a[i] = b[i]; break;  /* again and again */
    case 6: for (i = 0; i < n; i++) if (i % 100 > 3) a[i] = b[i]; break;                /* with gaps */
    case 7: for (i = from; i < n / 2; i++) a[i] = b[i], a[i + 1] = b[i] + b[i - 1]; break;
    case 8: for (i = from; i < n / 2; i++) *(volatile T *)&a[i] = *(const volatile T *)&b[i]; break;
    case 9: for (i = 0; i < 5000; i++) a[7] = a[7] + *(const volatile T *)&b[i / 2500]; break;
    case 10: for (i = 0; i < 64; i++) { a[i % 40] = b[i]; if (i % 16 == 15) __threadfence_system(); } break;
    case 11: __shared__ T own[64]; for (i = 0; i < 64; i++) own[i] = b[i]; for (i = 0; i < 99; i++) a[i] = own[draw(s) % 64]; break;
    /* In turns, thread after thread, as a loop whose stride is the grid: to few places and back; to more than are kept; from the
     * end, and now and then elsewhere; with fences. */
    case 12: for (int t = 0; t < 24; t++) for (i = from + t; i < n; i += n / 4) a[i] = b[i]; break;
    case 13: for (int t = 0; t < 24; t++) for (i = t; i < n; i += n / 16) a[i] = a[i] + b[i]; break;
    case 14: for (int t = 23; t > 0; t--) for (i = from + t; i < n - 9; i += n / 5) a[i] = b[i] + b[i + draw(s) % 9]; break;
    case 15: for (int t = 0; t < 24; t++) { for (i = from + t; i < n; i += n / (3 + t % 7)) a[i] = b[i]; if (t % 8 == 7) __threadfence_system(); } break;
    }
}
template <typename T> void play(int how, int what, char *a, char *b, cudaStream_t one, cudaStream_t two)
{
    if (what & 1) cudaMemset(b, 1, N);
    else cudaMemset(b + 1000, 1, N / 3);
    cudaDeviceSynchronize();
    touch<T><<<what & 8 ? 5 : 1, what & 8 ? 3 : 1, 0, one>>>(how, (T *)a, (const T *)b);
    for (int k = 0; k < 64; k++) cudaMemsetAsync((what & 2 ? a : b) + k * (N / 64) + 5, 0, 3, two);
    cudaDeviceSynchronize();
}
int main(int, char **argv)
{
    int how = atoi(argv[1]), what = atoi(argv[2]), type = atoi(argv[3]);
    char *a, *b;
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    if (what & 4) cudaMallocManaged(&a, N), cudaMallocManaged(&b, N);
    else cudaMalloc(&a, N), cudaMalloc(&b, N);
    if (type == 1) play<unsigned char>(how, what, a, b, one, two);
    if (type == 2) play<short>(how, what, a, b, one, two);
    if (type == 4) play<float>(how, what, a, b, one, two);
    if (type == 8) play<double>(how, what, a, b, one, two);
    return cudaGetLastError();
}
END
build placed -O2 --hazards instrumented
mv "$dir/placed" "$dir/inside"      # a log names the source: both are made of one
build placed -O2 --hazards instrumented -Xcompiler -fPIC
mv "$dir/placed" "$dir/called" && mv "$dir/inside" "$dir/placed"

# How many places of a program call $2 to see a load or store of 4 bytes?
calls() { objdump -d --no-show-raw-insn "$dir/$1" | grep -cE "call .*<$2(read|write)4>$"; }
if [ "$(uname -m)" = x86_64 ]; then
    ok 'a program looks at its loads and stores in place' eval '[ "$(calls placed sim_seen_)" -gt 20 ] && [ "$(calls placed __tsan_)" = 0 ]'
else
    skip 'a program looks at its loads and stores in place' 'not on x86-64'
fi
ok 'code for libraries calls for each' eval '[ "$(calls called sim_seen_)" = 0 ]'

# Between looks a kernel's numbers stay in registers. There is room for 4,096 looks in a source; those after that are calls, and
# keep registers, too: the sums are those of a loop.
{
    echo '#define STEP s = s * t + a[n]; u = u * t + b[n++];'
    echo '#define SUMS const float *a, const double *b, float t) { int n = 0; float s = 1; double u = 7;'
    echo '#define TOTAL return s + u; }'
    echo '__attribute__((noinline)) __device__ double loop(SUMS for (int i = 0; i < 100; i++) { STEP } TOTAL'
    steps=$(for ((i = 0; i < 100; i++)); do echo STEP; done)
    for ((f = 0; f < 23; f++)); do echo "__attribute__((noinline)) __device__ double steps$f(SUMS $steps TOTAL"; done
    echo '__global__ void both(const float *a, const double *b, double *out) { out[0] = loop(a, b, 0.875f);'
    for ((f = 0; f < 23; f++)); do echo "out[1] += steps$f(a, b, 0.875f) == out[0];"; done
    echo '}'
    echo 'int main() { float *a; double *b, *out; cudaMallocManaged(&a, 512); cudaMallocManaged(&b, 1024); cudaMallocManaged(&out, 16), out[1] = 0;'
    echo 'for (int i = 0; i < 128; i++) a[i] = i % 7 / 16.0f, b[i] = i % 11 / 32.0;'
    echo 'both<<<1, 1>>>(a, b, out); return cudaDeviceSynchronize() || out[1] != 23 ; }'
} > "$dir/sums.cu"
build sums -O2 --hazards instrumented
ok 'registers live across looks, in place and called' "$dir/sums"
if [ "$(uname -m)" = x86_64 ]; then
    ok 'of a source with more looks than there is room for, the others are calls' eval '[ "$(calls sums __tsan_)" -gt 100 ] && [ "$(calls sums sim_seen_)" -gt 2000 ]'
    # What a look calls keeps 16 bytes of each vector.
    echo '__attribute__((target("avx2"))) float f(const float *a) { return a[0] + a[1]; } int main() { float a[2] = { 0, 0 }; return f(a); }' > "$dir/wide.cu"
    build wide -O2 --hazards instrumented
    ok 'a source whose vectors are wider keeps none across looks' eval '! nm "$dir/wide" | grep -q sim_looks_ && nm "$dir/sums" | grep -q sim_looks_'
else
    skip 'of a source with more looks than there is room for, the others are calls' 'not on x86-64'
    skip 'a source whose vectors are wider keeps none across looks' 'not on x86-64'
fi

# listen PROGRAM HOW WHAT TYPE: its log, and what stands on stderr
listen() {
    WORKBOOK_LOG=9 timeout 60 "$dir/$1" "${@:2}" 9> "$dir/$1.log" 2> "$dir/$1.err" > /dev/null
}
unlike=()
for ((how = 0; how < 16; how++)); do
    for what in 0 1 2 3 6 10 13; do
        for type in 1 2 4 8; do
            listen placed $how $what $type
            listen called $how $what $type
            [ -s "$dir/placed.log" ] && cmp -s "$dir/placed.log" "$dir/called.log" && cmp -s "$dir/placed.err" "$dir/called.err" || unlike+=("$how $what $type")
            cat "$dir/placed.err" >> "$dir/hazards"
        done
    done
done
check 'both write the same log, and the same hazards, in sixteen manners of touching memory' "${unlike[*]-}"
ok 'there are hazards in most' [ "$(grep -c '^hazard: ' "$dir/hazards")" -gt 600 ]
unlike=()
for ((how = 0; how < 16; how++)); do
    listen placed $how 10 4
    mv "$dir/placed.log" "$dir/first.log"
    SIM_CORES=2 listen placed $how 10 4
    cmp -s "$dir/placed.log" "$dir/first.log" || unlike+=("$how")
done
check 'several cores write the same log, too' "${unlike[*]-}"

build word -O2 << 'END'
__global__ void word(const volatile unsigned *w, unsigned *out) { unsigned s = 0; for (int i = 0; i < 1 << 23; i++) s += *w; out[threadIdx.x] = s; }
int main() { unsigned *d; cudaMalloc(&d, 512); cudaMemset(d, 1, 512); word<<<1, 64>>>(d + 64, d); return cudaDeviceSynchronize(); }
END
# A busy machine's processors are slower for a while: the best of three.
in_two_seconds() {
    for _ in 1 2 3; do
        run bash -c "ulimit -t 2; $dir/word"
        ! ends 0 || return 0
    done
    return 1
}
ok 'a kernel that loads one word half a billion times takes less than two seconds' in_two_seconds
done_testing
