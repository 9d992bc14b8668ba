#!/bin/bash
# SPDX-License-Identifier: MIT
#
# simcc from outside: what it takes, what it says, what it leaves behind.
. tests/sim/sim.bash
simcc=$root/build/bin/simcc
mkdir "$dir/here" "$dir/tmp"
cd "$dir/here" || exit 2
export TMPDIR=$dir/tmp
cleanup() { umount "$dir/here/disk" 2> /dev/null; }

simcc() { run "$simcc" "$@"; }
# made PROGRAM LINE: it was, and prints that.
made() { ends 0 && is "$("./$1")" "$2"; }

# SENTENCE, PATTERN, simcc's arguments: one line that matches, status 2.
refuses() {
    local sentence=$1 pattern=$2
    shift 2
    simcc "$@"
    mapfile -t lines < "$dir/err"
    ok "$sentence" eval 'ends 2 && [ ${#lines[@]} = 1 ] && [[ ${lines[0]} == "simcc: "*"$pattern"* ]]'
}

# SENTENCE, LINE, PATTERN; x.cu from stdin: an error there, status 1.
error_at() {
    local at="^x.cu:$2: \(fatal \)*error: .*$3"
    cat > x.cu
    simcc x.cu -o x
    ok "$1" eval 'ends 1 && grep -q "$at" "$dir/err" && ! grep -q "$root\|$TMPDIR\|\^" "$dir/err"'
}

cat > good.cu <<'EOF'
#include <stdio.h>
__global__ void k(int *p) { *p = 42; }
int main()
{
    int *d, h = 0;
    cudaMalloc(&d, sizeof h);
    k<<<1, 1>>>(d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
}
EOF

simcc good.cu -o good
ok 'a program compiles from any folder, and runs' eval 'ends 0 && [ "$(./good)" = 42 ] && [ ! -s "$dir/err" ]'
simcc -arch=sm_90 -gencode arch=compute_80,code=sm_80 --generate-code arch=compute_70 -rdc=true -lineinfo -lcudart \
    -Xcompiler -Wall,-Wextra -std=c++14 -O3 -g good.cu -o good
ok "nvcc's arguments are taken" made good 42
cat > beyond.cu <<'EOF'
#include <stdio.h>
#include <stdlib.h>
__global__ void k(int *p, int at)
{
    int own[4] = { 0 };
    __syncthreads();
    own[at] = 42;
    __syncthreads();
    p[threadIdx.x] = own[at];
}
int main(int count, char **word)
{
    int *d, h = 0;
    cudaMalloc(&d, 64 * sizeof h);
    k<<<1, 64>>>(d, atoi(word[1]));
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
}
EOF
simcc -Xcompiler -fsanitize=address beyond.cu -o beyond
ok "the address sanitizer finds a kernel's mistake after a barrier, and no other" \
    eval 'ends 0 && [ "$(./beyond 3)" = 42 ] && ! ./beyond 4 > "$dir/out" 2> "$dir/err" &&
    complains stack-buffer-overflow && complains beyond.cu:7'
simcc -fsanitize=address "$root/tests/sim/programs/callbacks.cu" -o beyond
ok 'host functions run under it' eval 'ends 0 && [ "$(timeout 20 ./beyond 2> "$dir/err")" = right ] && [ ! -s "$dir/err" ]'
cat > threads.cu << 'EOF'
#include <stdlib.h>
#include <thread>
#include <vector>
__global__ void turn(int *p) { __shared__ int t[64]; t[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = t[63 - threadIdx.x]; }
int main(int, char **word)
{
    std::vector<int> found(3);
    std::thread threads[3];
    for (int i = 0; i < 3; i++)
        threads[i] = std::thread([&, i] {
            int *d, h[64] = { 0 };
            cudaMalloc(&d, sizeof h);
            cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
            turn<<<1, 64>>>(d);
            cudaDeviceSynchronize();
            cudaFree(d);
            found.data()[i + atoi(word[1])] = 1;
        });
    for (auto &t : threads)
        t.join();
}
EOF
simcc -fsanitize=address threads.cu -o beyond
ok 'and so do threads' eval 'ends 0 && timeout 20 ./beyond 0 > "$dir/out" 2> "$dir/err" && [ ! -s "$dir/err" ]'
run timeout 20 ./beyond 1
ok 'whose mistakes are found' eval '! ends 0 && complains heap-buffer-overflow && complains threads.cu:17'
refuses 'the thread sanitizer is refused, with the reason' 'take turns' -fsanitize=thread good.cu -o none
mkdir far
ok 'its headers and libraries are found from where it lies' \
    eval '[ "$(cd / && "$simcc" "$dir/here/good.cu" -o "$dir/here/far/good" && "$dir/here/far/good")" = 42 ]'

cat > two.cu <<'EOF'
#include "two.h"
__global__ void k(int *p) { *p = VALUE; }
void launch(int *p) { k<<<1, 1>>>(p); }
EOF
mkdir headers && echo 'void launch(int *p);' > headers/two.h
cat > main.cu <<'EOF'
#include <stdio.h>
#include "two.h"
int main()
{
    int *p;
    cudaMallocManaged(&p, sizeof *p);
    launch(p);
    cudaDeviceSynchronize();
    printf("%d\n", *p);
}
EOF
simcc -Iheaders -D VALUE=7 main.cu two.cu -o both
ok 'several files become one program' made both 7
simcc -I headers -DVALUE=8 -c two.cu && simcc -Iheaders main.cu two.o -o both
ok '-c makes an object, which can be linked' made both 8
simcc -I headers -DVALUE=9 -c two.cu -o other.o && ar qcs libtwo.a other.o && simcc -Iheaders main.cu -L. -ltwo -o both
ok 'a library can be linked' made both 9

cat > names.cu <<'EOF'
#include <stdio.h>
int real, block, graphs, cores, pools, copy, check;
extern "C" {
int replay(int n) { return n + 1; }
int list_add(int n) { return n; }
int memory_copy(int n) { return n; }
int model_step(void) { return 2; }
int log_write(int n) { return n; }
void environment_number(void) { }
}
__global__ void k(int *p) { *p = 39; }
int main()
{
    int *p;
    cudaMallocManaged(&p, sizeof *p);
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    printf("%d\n", *p + replay(0) + model_step() + list_add(block) + memory_copy(graphs) + log_write(cores + pools + copy + check));
}
EOF
simcc names.cu -o names
ok 'a program has names of its own that the simulator uses inside' made names 42
nm -g --defined-only "$root/build/lib/libsim.a" | awk 'NF == 3 { print $3 }' > visible
ok 'the library for programs shows none of those' \
    eval 'grep -qx cudaMalloc visible && ! grep -qxE "sim|block|(model|order|timeline|access|api|scheduler|memory|graph|stream)_.*" visible'

cat > stream.cu <<'EOF'
#include <stdio.h>
#include "streams.h"
__global__ void busy() { kernel_cost(1000000); }
int main()
{
    cudaStream_t s;
    cudaStreamCreate(&s);
    busy<<<1, 1>>>();
    busy<<<1, 1, 0, s>>>();
    long long begin = now_ns();
    cudaDeviceSynchronize();
    puts(now_ns() - begin > 1500000 ? "one after the other" : "together");
}
EOF
simcc stream.cu -o stream
ok 'the default stream is the legacy one' made stream 'one after the other'
simcc --default-stream per-thread stream.cu -o stream
ok '--default-stream per-thread makes it the per-thread one' made stream 'together'
{ echo '#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1'; cat stream.cu; } > late.cu
simcc late.cu -o late
ok 'its macro in a .cu comes too late, as with nvcc, and simcc says so' \
    eval 'made late "one after the other" &&
    complains "late.cu:1: warning: CUDA_API_PER_THREAD_DEFAULT_STREAM comes too late here"'

: > empty.cu
printf '\n \t\r\n' > blank.cu
printf 'int\0main' > binary.cu
mkdir folder.cu
refuses 'nothing to compile is refused' 'no file'
refuses 'a missing file is named' 'missing.cu: No such file' missing.cu -o x
refuses 'an empty file is named' 'empty.cu: the file is empty' empty.cu -o x
refuses 'a blank file is named' 'blank.cu: the file is empty' blank.cu -o x
refuses 'a folder is named' 'folder.cu: not a file' folder.cu -o x
refuses 'a file that is no text is named' 'binary.cu: not a text' binary.cu -o x
refuses 'an unknown kind of file is named' 'notes.txt: neither' notes.txt -o x
refuses 'a missing object is named' 'no.o: No such file' good.cu no.o -o x
refuses 'an unknown option is named' '--frobnicate' --frobnicate good.cu
refuses 'an option whose value is missing is named' '-o: its value is missing' good.cu -o
refuses 'an output folder that is not there is named' 'nowhere/x: cannot be written' good.cu -o nowhere/x
refuses 'an output that is a folder is named' 'headers: cannot be written' good.cu -o headers
refuses 'several files into one object are refused' 'several files' -c main.cu two.cu -o x.o
refuses 'a default stream that does not exist is named' 'default-stream often' --default-stream often good.cu
path=$PATH PATH=/nowhere
refuses 'a missing compiler is named' 'cannot run g++' good.cu -o x
PATH=$path
mkfifo pipe.cu
refuses 'a pipe is not waited for' 'pipe.cu: not a file' pipe.cu -o x
ln -s loop.cu round.cu && ln -s round.cu loop.cu
refuses 'a link that leads nowhere is named' 'loop.cu: Too many levels' loop.cu -o x
TMPDIR=/nowhere refuses 'a folder for temporary files that is not there is named' 'cannot make a folder in /nowhere' good.cu -o x
refuses 'a source is not taken for the output' 'that is what is to be compiled' good.cu -c -o good.cu

# What was there before stays until all is made.
echo old > before
for trouble in 'int main() { return typo; }' 'int nowhere(); int main() { return nowhere(); }'; do
    echo "$trouble" > wrong.cu
    simcc wrong.cu -o before
    ok "what was there before survives: $trouble" eval 'ends 1 && [ "$(cat before)" = old ]'
done
mkdir real && echo old > real/program && ln -s ../here/real/program link
simcc good.cu -o link
ok 'an output that is a link stays one' \
    eval 'ends 0 && [ -L link ] && [ "$(real/program)" = 42 ] && [ "$(ls -A real)" = program ]'
simcc good.cu -o /dev/null
ok '/dev/null takes a program and stays what it is' \
    eval 'ends 0 && [ -c /dev/null ] && { simcc -c good.cu -o /dev/null; ends 0 && [ -c /dev/null ]; }'
refuses 'a device with no space is no error of the source' '/dev/full: cannot be written: No space left' good.cu -o /dev/full

# Two at once, over and over: whoever looks finds a whole program.
"$simcc" good.cu -o both
for i in 1 2; do "$simcc" good.cu -o both || echo broken; done > "$dir/one" 2>&1 &
for i in 1 2; do "$simcc" good.cu -o both || echo broken; done > "$dir/out" 2>&1 &
for i in $(seq 40); do [ "$(./both)" = 42 ] || echo "half a program"; sleep .05; done > "$dir/err" 2>&1
wait
ok 'two simcc that make the same program do not disturb each other, nor who runs it' \
    eval '! [ -s "$dir/one" ] && ! [ -s "$dir/out" ] && ! [ -s "$dir/err" ]'

(exec <&- >&- 2>&-; "$simcc" good.cu -o closed)
status=$?
ok 'closed standard streams are no trouble' made closed 42
odd=$'a "b'\''c\nd \u00e9 $(e)'
mkdir "$odd" && cp good.cu "$odd/x y.cu" && simcc "$odd/x y.cu" -o "$odd/p q"
ok 'spaces, quotes, line breaks and other letters in names are no trouble' eval 'ends 0 && [ "$("./$odd/p q")" = 42 ]'

sentence='a full disk is told in one line, and what was there stays'
mkdir disk
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k tmpfs disk 2> /dev/null; then
    echo old > disk/x
    refuses "$sentence" 'disk/x: cannot be written: No space left' good.cu -o disk/x
    ok 'a full disk keeps what was on it, and nothing else' is "$(ls -A disk; cat disk/x)" $'x\nold'
    TMPDIR=$PWD/disk refuses 'a full disk for temporary files is no error of the source' 'no space left in' good.cu -o x
    umount disk || { sleep 1; umount disk; }
else
    for what in "$sentence" 'a full disk keeps what was on it, and nothing else' 'a full disk for temporary files is no error of the source'; do
        skip "$what" "mounting a small file system takes root"
    done
fi

error_at 'an error in a kernel is on its line' 4 ".typo. was not declared" <<'EOF'
__global__ void k(int *p)
{
    *p = 1;
    *p = typo;
}
int main() { }
EOF
ok 'a kernel is not called a lambda function' not grep -q 'lambda function' "$dir/err"
error_at 'a wrong argument of a launch is on its line' 5 ".double. to .int\*" <<'EOF'
__global__ void k(int *p) { *p = 1; }
int main()
{
    double x = 0;
    k<<<1, 1>>>(x);
}
EOF
error_at 'an argument too few is on its line, after a launch over many' 9 'too few arguments' <<'EOF'
__global__ void k(int *p, int n) { *p = n; }
int main()
{
    int *p = 0;
    k<<<1,
        1
        >>>(p,
            3);
    k<<<1, 1>>>(p);
}
EOF
error_at 'a wrong argument of a call is on its line, with no word of where our headers lie' 4 'cudaMemcpy' <<'EOF'
int main()
{
    int *p = 0;
    cudaMemcpy(p, p, "four", cudaMemcpyHostToDevice); cudaFree(3.5, cudaMemcpy(1));
}
EOF
error_at 'a callback of the older kind is no host function' 4 'to .cudaHostFn_t' <<'EOF'
static void callback(cudaStream_t, cudaError_t, void *) { }
int main()
{
    cudaLaunchHostFunc(0, callback, NULL);
}
EOF
error_at 'what the simulator does not have is named' 3 '__tensormap_x' <<'EOF'
__global__ void k()
{
    __tensormap_x();
}
int main() { }
EOF
cat > arch.h << 'EOF'
__host__ __device__ inline int in_header()
{
#ifdef __CUDA_ARCH__
    return __CUDA_ARCH__;
#else
    return -1;
#endif
}
EOF
cat > arch.cu << 'EOF'
#include <stdio.h>
#include "arch.h"
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#else
__device__ double atomicAdd(double *p, double v) { *p = -1; return v; }
#endif
#if __CUDA_ARCH__ < 200
__device__ int old()
{
    return 1;
}
#else
__device__ int old() { return 2; }
#endif
#ifdef __CUDA_ARCH__
#define HERE(x) (x + 100)
#else
#define HERE(x) (x)
#endif
__device__ __host__ int where(int x) { return HERE(x); }
struct pair { __host__ __device__ int a() const { return HERE(10); } __host__ __device__ int b() const { return HERE(20); } };
#define TWO(n) __host__ __device__ int n##1() { return HERE(30); } __host__ __device__ int n##2() { return HERE(40); }
TWO(n)
constexpr __host__ __device__ int folded(int x)
{
#ifdef __CUDA_ARCH__
    return x * 2;
#else
    return x * 3;
#endif
}
template <typename T> struct number {
    T v;
    __host__ __device__ number() : v{1} {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        v = 5;
#endif
    }
};
__global__ void k(double *p)
{
#if __CUDA_ARCH__ >= 700
    p[0] = 7;
#else
    p[0] = 3;
#endif
    p[1] = where(1); p[2] = in_header(); p[3] = old(); p[4] = number<int>().v; p[5] = __LINE__; p[6] = 0;
    auto f = [] __host__ __device__ (int i) { return HERE(i); };
    p[7] = f(2);
    p[8] = pair().a() + pair().b() + n1() + n2() + folded(1);
    atomicAdd(&p[6], 1.0);
}
int main()
{
    double *p;
    const int list[] = { __CUDA_ARCH_LIST__ };
    static_assert(folded(1) == 3, "the host works it out");
    cudaMallocManaged(&p, 9 * sizeof *p);
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    for (int i = 0; i < 9; i++)
        printf("%g ", p[i]);
    printf("host %d %d %d %d %d %zu %d\n", pair().a() + pair().b() + n1() + n2() + folded(1), where(1), in_header(), number<int>().v, __LINE__, sizeof list / sizeof *list, list[0]);
#ifdef __CUDA_ARCH__
    puts("the host has no architecture");
#endif
}
EOF
says_arch() { ends 0 && is "$(./arch)" "$1 host 103 1 -1 1 63 $2"; }
simcc arch.cu -o arch
ok '__CUDA_ARCH__ is the default card'"'"'s on the device, and undefined on the host' says_arch '7 101 900 2 5 47 1 102 502' '1 900'
cat > differs.cu << 'EOF'
#ifdef __CUDA_ARCH__
constexpr int size = 32;
#else
constexpr int size = 1;
#endif
__global__ void k(int *p) { *p = size; }
int main() { }
EOF
simcc differs.cu -o differs
ok 'what is no function, and another thing for each, is refused' eval 'ends 1 && complains "differs.cu:4: error" && complains "one program for the host and the device"'
simcc -gencode arch=compute_70,code=sm_70 -gencode=arch=compute_75,code=[sm_75,compute_75] arch.cu -o arch
ok 'of several architectures it is the last, and the list has them all' says_arch '7 101 750 2 1 47 1 102 502' '2 700'
simcc -arch=sm_90a arch.cu -o arch
ok 'a letter behind it is no trouble' says_arch '7 101 900 2 5 47 1 102 502' '1 900'
simcc -arch sm_52 arch.cu -o arch
ok 'an old one has what the program makes up for itself' says_arch '3 101 520 2 1 47 -1 102 502' '1 520'
sed -i 's/p\[7\] = f(2);/p[7] = typo;/' arch.cu
simcc arch.cu -o arch
ok 'an error is on its line' eval 'ends 1 && [ "$(grep -c error "$dir/err")" = 1 ] && grep -q "arch.cu:49: error: .typo. was not" "$dir/err"'

error_at 'a wait inside a kernel is refused in a sentence' 3 'CUDA 12 removed it there' <<'EOF'
__global__ void k(int n)
{
    cudaDeviceSynchronize();
}
int main() { }
EOF
ok 'and that is all' is "$(wc -l < "$dir/err")" 1
error_at 'a function of the host in a kernel is refused, as by nvcc' 5 'plus is a host function' <<'EOF'
#include <stdio.h>
int plus(int a, int b) { return a + b; }
__global__ void k(int *p)
{
    *p = plus(1, 2);
}
int main() { }
EOF
printf 'void k(int n);\n#define N 100\n__global__ void k(int) { }\nint main()\n{\n\tk<<<N, 1>>>(N)  // no end\n\tcudaDeviceSynchronize();\n}\n' > x.cu
simcc x.cu -o x
ok 'a missing ; after a launch is told as that, with its place' eval 'ends 1 && cmp "$dir/err" - << EOF
x.cu:6: error: a ; is missing after this launch
    	k<<<N, 1>>>(N)  // no end
    	              ^
EOF'
error_at 'a missing header is on its line' 2 'nowhere.h' <<'EOF'

#include "nowhere.h"
EOF
echo 'void f();  int main() { f(); }' > x.cu
simcc x.cu -o x
ok 'a function that is nowhere is named' eval 'ends 1 && grep -q "undefined reference.*f()" "$dir/err"'

ok 'no temporary file is left' [ -z "$(ls "$TMPDIR")" ]
{
    echo 'template <int N> struct s { enum { v = s<N - 1>::v + s<N - 2>::v }; };'
    echo 'int main() { int x = 0;'
    for i in $(seq 60000); do echo "x += $i * x + $i % 7; if (x > $i) x -= 3;"; done
    echo 'return x; }'
} > slow.cu
"$simcc" slow.cu -o slow > "$dir/out" 2>&1 &
process=$!
for _ in $(seq 100); do [ -n "$(ls "$TMPDIR")" ] && break; sleep 0.02; done
sleep 0.3
kill -TERM $process
wait $process 2> /dev/null
for _ in $(seq 100); do [ -z "$(ls "$TMPDIR")" ] && break; sleep 0.05; done
ok 'no temporary file is left when it is told to end' [ -z "$(ls "$TMPDIR")" ]
# What this very search is called does not count.
compiling() { grep -qsz "$TMPDIR/simc[c]-" /proc/[0-9]*/cmdline; }
for _ in $(seq 100); do compiling || break; sleep 0.05; done     # one that was ended may still be giving back its memory
ok 'no compiler is left either' not compiling

# What simcc does itself must not grow faster than a program's headers do.
cat > "$dir/headers.cu" << 'END'
#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <vector>
int main() { return 0; }
END
user_ms() { local TIMEFORMAT=%3U; { time "$@" > "$dir/out" 2>&1 || echo 0; } 2>&1 | tr -d '.'; }
keeps_up() {
    local own theirs
    own=$((10#$(user_ms "$simcc" -std=c++20 -c -o "$dir/headers.o" "$dir/headers.cu")))
    theirs=$((10#$(user_ms g++ -std=c++20 -O2 -x c++ -c -o "$dir/headers.o" "$dir/headers.cu")))
    echo "# simcc $own ms, g++ $theirs ms"
    [ "$own" -gt 0 ] && [ "$own" -lt $((6 * theirs)) ]
}
ok "a program with many headers takes simcc, with its two builds, at most six times what g++ takes" keeps_up
done_testing
