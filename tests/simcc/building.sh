#!/bin/bash
# SPDX-License-Identifier: MIT
#
# simcc in the place of nvcc: its options, a Makefile, CMake, pkg-config.
. tests/sim/sim.bash
simcc=$root/build/bin/simcc
cd "$dir" || exit 2
simcc() { run "$simcc" "$@"; }
made() { ends 0 && is "$("./$1")" "$2"; }
refuses() {
    local why=$2
    simcc "${@:3}"
    ok "$1" eval 'ends 2 && [ "$(wc -l < "$dir/err")" = 1 ] && complains "$why"'
}

cat > kernels.h << 'EOF'
#ifdef __cplusplus
extern "C"
#endif
int helper(int x);
void launch(int *p);
void launch_shared(int *p);
int devices();
EOF
cat > kernels.cu << 'EOF'
#include "kernels.h"
__device__ int twice(int x) { return 2 * x; }
__global__ void k(int *p) { *p = twice(20); }
void launch(int *p) { k<<<1, 1>>>(p); }
EOF
cat > shared.cu << 'EOF'
#include "kernels.h"
__global__ void s(int *p) { *p += threadIdx.x == 0; }
void launch_shared(int *p) { s<<<1, 1>>>(p); }
EOF
cat > main.cu << 'EOF'
#include <stdio.h>
#include "kernels.h"
int main(int argc, char **argv)
{
    int *p;
    cudaMallocManaged(&p, sizeof *p);
    launch(p);
    launch_shared(p);
    cudaDeviceSynchronize();
    printf("%d %s\n", *p + helper(0) + devices(), argc > 1 ? argv[1] : "");
}
EOF
echo 'int helper(int x); int helper(int x) { return x; }' > helper.c
printf '#include <cuda_runtime.h>\nint devices() { int n = 0; cudaGetDeviceCount(&n); return n; }\n' > other.cpp
cat > alone.c << 'EOF'
#include <stdio.h>
#include <cuda_runtime.h>
int main(void)
{
    int *class = NULL;      /* no name in C++ */
    cudaError_t status = cudaMalloc((void **)&class, 64);
    printf("%s\n", cudaGetErrorString(status));
    return cudaFree(class);
}
EOF
printf '__global__ void k() { }\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n' > small.cu

# ---- options ----

simcc -run --run-args=a,b main.cu kernels.cu shared.cu helper.c other.cpp -o all
ok 'C, C++ and CUDA become one program, and -run runs it' eval 'ends 0 && prints "42 a"'
simcc alone.c -o alone
ok 'a program in C calls the runtime' made alone 'no error'
echo 'int main() { return 3; }' > three.cu
simcc -run three.cu -o three
ok '-run ends as the program does' ends 3
simcc -std c++14 --resource-usage --threads 0 -t=2 --ptxas-options=-v -lcudadevrt -Werror all-warnings --include-path=/tmp,/usr --define-macro A=1,B \
    -Wno-deprecated-gpu-targets --expt-extended-lambda --expt-relaxed-constexpr -res-usage -Xlinker=-rpath,/tmp -Xcudafe --display_error_number \
    --compiler-options -O1 --machine 64 -maxrregcount=32 --keep -m64 small.cu helper.c --output-file small
ok "nvcc's other options are taken" made small ''
simcc -t4 --gpu-code=sm_90 -time t.csv -save-temps --disable-warnings -idirafter /tmp -s --fmad false -ftz false -dopt on -Xcompiler "-Wall -O1" -lcublas -lcurand_static \
    -lnvToolsExt small.cu -o small && ./small
ok 'so are those that tune, measure or keep, and libraries that nothing is used of' ends 0
mkdir objects && simcc -odir objects -c small.cu && [ -s objects/small.o ]
ok '-odir says where objects go' ends 0
simcc --list-gpu-arch
ok '--list-gpu-arch lists them' eval 'ends 0 && says compute_90'
mkdir -p their && cat > their/vec.h << 'EOF'
#pragma once
struct vec {
    int x;
    __host__ __device__ __noinline__ vec(int from) : x(from) { }
    __host__ __device__ int where() const {
#ifdef __CUDA_ARCH__
        return x;
#else
        return -x;
#endif
    }
};
EOF
cat > their.cu << 'EOF'
#include <stdio.h>
#include "vec.h"
#if __CUDACC_EXTENDED_LAMBDA__ + __CUDACC_RELAXED_CONSTEXPR__ + __CUDACC_RDC__ + __CUDACC_DEBUG__ != 4
#error macros of options
#endif
__global__ void __maxnreg__(32) k(int *p) { *p = vec(5).where(); }
__noinline__ __global__ void __launch_bounds__(32) last(int *p) { *p += 1; }
int main() { int *p; cudaMallocManaged(&p, sizeof *p); k<<<1, 1>>>(p); last<<<1, 1>>>(p); cudaDeviceSynchronize(); printf("%d %d\n", *p, vec(7).where()); }
EOF
simcc -isystem their -rdc=true -G --extended-lambda --expt-relaxed-constexpr their.cu -o theirs
ok 'folders of -isystem may have code of the device; options define what nvcc defines; __noinline__ and __maxnreg__' made theirs '6 -7'
printf 'extern "C" int cublasCreate_v2(void **);\nint main() { void *h; return cublasCreate_v2(&h); }\n' > uses.cu
simcc uses.cu -lcublas -o uses
ok 'a function of a library that is not there is named when it is linked' eval \
    'ends 1 && [ "$(cat "$dir/err")" = "error: simcc has no cuBLAS: cublasCreate_v2 (book, \"What it does not do\")" ]'
printf -- '-O3 -DWITH="a b"\n main.cu kernels.cu\n' > options && echo 'shared.cu helper.c other.cpp -o all' > more && echo '@more' >> options
rm all
simcc @options
ok 'options come from a file, and from one that it names' made all '42 '
simcc -optf options -DMORE
ok '-optf names one, too' made all '42 '
echo '@round' > round
refuses 'files that name each other are refused' 'round: files of options name each other' @round
refuses 'a file of options that is not there is named' 'nowhere: No such file' @nowhere
refuses 'PTX is refused, with the reason' '-ptx: simcc makes no GPU code' -ptx small.cu
refuses 'and so is a cubin' '-cubin: simcc makes no GPU code' -cubin small.cu
simcc -forward-unknown-to-host-compiler -fno-strict-aliasing -rdynamic --param=ssp-buffer-size=4 small.cu -o small
ok "the host compiler's options are passed on" ends 0
simcc -Werror=cross-execution-space-call -Wext-lambda-captures-this -Wmissing-launch-bounds --extra-device-vectorization small.cu -o small
ok "nvcc's own warnings are no options of g++" ends 0

simcc -MMD -c kernels.cu -o k.o
ok '-MMD writes what the object depends on, without the system' eval 'ends 0 && [ "$(cat k.d)" = "k.o: kernels.cu kernels.h" ]'
simcc -MD -MF deep -MT target -MP -c kernels.cu -o k.o
ok '-MD, -MF, -MT and -MP do what they do for g++' eval 'ends 0 && grep -q "^target: kernels.cu" deep && grep -q /cuda_runtime.h deep && grep -q "^kernels.h:$" deep'
simcc -MM kernels.cu
ok '-MM prints it' eval 'ends 0 && prints "kernels.o: kernels.cu kernels.h"'
simcc -lib kernels.cu -o libk.a && simcc -shared -Xcompiler -fPIC shared.cu -o libs.so &&
    simcc main.cu helper.c other.cpp -L. -lk -ls -Xlinker -rpath -Xlinker "$dir" -o libraries
ok '-lib and -shared make libraries' made libraries '42 '
simcc --version
ok '--version names the release of CUDA as nvcc does' grep -q 'release 13.0, V13.0.0' "$dir/out"

# ---- a Makefile ----

cat > Makefile << 'EOF'
NVCC ?= nvcc
NVCCFLAGS := -O2 -arch=sm_80 -Xcompiler -Wall
OBJECTS := main.o kernels.o shared.o helper.o other.o
program: $(OBJECTS)
	$(NVCC) $(NVCCFLAGS) -o $@ $^ -lcudart
%.o: %.cu
	$(NVCC) $(NVCCFLAGS) -MMD -MP -c $< -o $@
%.o: %.c
	$(NVCC) $(NVCCFLAGS) -c $< -o $@
%.o: %.cpp
	$(NVCC) $(NVCCFLAGS) -c $< -o $@
-include $(OBJECTS:.o=.d)
EOF
rm -f ./*.o ./*.d
run make NVCC="$simcc" program
ok 'a Makefile takes it as NVCC' made program '42 '
touch -d '+1 minute' kernels.h
run make -n NVCC="$simcc" program
ok 'and knows what a header belongs to' eval '[ "$(grep -c " -c .*\.cu" "$dir/out")" = 3 ]'
"$simcc" -c -Xcompiler -fPIE main.cu kernels.cu shared.cu helper.c
pc=$dir/pc && mkdir "$pc"
"$root/tools/pkgconfig" /usr/local 1.2 | sed "s,^home=.*,home=$root," > "$pc/simcc.pc"
if command -v pkg-config > /dev/null; then
    run g++ helper.o $(PKG_CONFIG_PATH=$pc pkg-config --cflags simcc) other.cpp main.o kernels.o shared.o $(PKG_CONFIG_PATH=$pc pkg-config --libs simcc) -o linked
    ok 'g++ links its objects with what pkg-config says' made linked '42 '
    run g++ -pie helper.o $(PKG_CONFIG_PATH=$pc pkg-config --cflags simcc) other.cpp main.o kernels.o shared.o -L"$root/build/lib" -lsim -o linked
    ok 'and those that are compiled with -fPIE as it links by itself' made linked '42 '
    ok 'pkg-config names the compiler and its version' \
        [ "$(PKG_CONFIG_PATH=$pc pkg-config --variable=nvcc simcc) $(PKG_CONFIG_PATH=$pc pkg-config --modversion simcc)" = '/usr/local/bin/simcc 1.2' ]
else
    skip 'g++ links its objects with what pkg-config says' 'there is no pkg-config'
    skip 'pkg-config names the compiler and its version' 'there is no pkg-config'
fi

# ---- CMake ----

cat > CMakeLists.txt << 'EOF'
cmake_minimum_required(VERSION 3.18)
project(elsewhere LANGUAGES C CXX CUDA)
find_package(CUDAToolkit 12 REQUIRED)
set(CMAKE_CUDA_STANDARD 17)
add_executable(host asks.cc)
target_link_libraries(host PRIVATE CUDA::cudart CUDA::cuda_driver)
add_library(kernels STATIC kernels.cu)
set_target_properties(kernels PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
add_library(sh SHARED shared.cu)
add_executable(prog main.cu helper.c other.cpp)
target_link_libraries(prog PRIVATE kernels sh)
target_include_directories(prog PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_compile_options(prog PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -lineinfo -Xptxas=-v>)
add_executable(small small.cu)
target_link_libraries(small PRIVATE CUDA::cudart_static)
set_target_properties(small PROPERTIES CUDA_ARCHITECTURES "70;80")
EOF
printf '#include <cuda_runtime.h>\nint main() { int n = 0; return cudaGetDeviceCount(&n) != cudaSuccess || n != 1; }\n' > asks.cc
if command -v cmake > /dev/null; then
    run cmake -S . -B cmake -DCMAKE_CUDA_COMPILER="$simcc" -DCMAKE_BUILD_TYPE=Release
    ok 'CMake takes it as its compiler of CUDA' ends 0
    run cmake --build cmake
    ok 'and builds programs and libraries of C, C++ and CUDA' eval 'made cmake/prog "42 " && cmake/small && cmake/host'
    touch -d '+2 minutes' kernels.h
    run cmake --build cmake
    ok 'and builds again what depends on a header' eval 'ends 0 && grep -q "Building CUDA object .*main.cu.o" "$dir/out" && ! grep -q small.cu "$dir/out"'
else
    for what in 'CMake takes it as its compiler of CUDA' 'and builds programs and libraries of C, C++ and CUDA' 'and builds again what depends on a header'; do
        skip "$what" 'there is no cmake'
    done
fi
done_testing
