#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A program's macros do not reach into our headers: their names are reserved ones, as those of the standard library.
. tests/sim/sim.bash

usual="check block kernel count data stream event error host grid thread lane mask tile group warp src from last low high bits file line
    size value name first begin end index rank pointer to status args call shared limit message memory buffer total node graph
    pool mode params parent peer priority properties attributes config function offset number address body run row drop"
{
    printf '%s\n' {a..z} {A..Z} {{a..z},{A..Z}}{{a..z},{A..Z},{0..9}} $usual
} | sort -u > "$dir/all"

# What C's and C++'s own headers use is left out, and so are fields and members that CUDA itself has.
printf '#include <%s>\n' assert.h math.h stdlib.h string.h stdio.h time.h cmath new initializer_list cstdint atomic utility type_traits > "$dir/std.cc"
{
    g++ -E -P "$dir/std.cc"
    echo 'x y z w f fn id message size value name to run any all add sub sync less plus stream priority sm address'
} | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u > "$dir/theirs"
comm -23 "$dir/all" "$dir/theirs" > "$dir/words"
{
    sed 's/.*/#define & =/' "$dir/words"
    printf '#define %s\n' 'min(a, b) ((a) < (b) ? (a) : (b))' 'max(a, b) ((a) > (b) ? (a) : (b))'
} > "$dir/macros.h"
ok 'the test has thousands of names' [ "$(wc -l < "$dir/words")" -gt 3000 ]
ok 'T, N, BS, check, block and kernel are among them' \
    eval '[ "$(grep -cxE "T|N|BS|check|block|kernel" "$dir/words")" = 6 ]'

# What is included without being named comes after the options' macros, as with nvcc.
echo '__global__ void KERNEL() { }' > "$dir/none.cu"
run "$simcc" -include "$dir/macros.h" -c "$dir/none.cu" -o "$dir/none.o"
ok 'cuda_runtime.h takes them from the command line' ends 0
# For hazards the same text would be compiled again: what differs there is cuda_runtime.h's, and was taken above.
# nvtx3.hpp has <string>, and a message of its own.
(cd common/sim/include && find . -type f | sed 's,^./,,' | grep -v '^detail/\|^cuda/std/\|README\|\.hpp$' | sort) > "$dir/headers"
while read -r header; do
    printf '#include "macros.h"\n#include <%s>\n__global__ void KERNEL() { }\n' "$header" > "$dir/one.cu"
    run "$simcc" --hazards calls -c "$dir/one.cu" -o "$dir/one.o"
    ok "$header takes them" ends 0
done < "$dir/headers"

# And -D, as programs of benchmarks are compiled.
cat > "$dir/x.cu" << 'EOF'
#include <stdio.h>
#include <cooperative_groups.h>
__global__ void k(T *p) { p[threadIdx.x] = (T)(F + threadIdx.x); }
int main()
{
    T *p;
    cudaMallocManaged(&p, BS * sizeof *p);
    k<<<1, BS>>>(p);
    cudaDeviceSynchronize();
    printf("%g\n", (double)p[BS - 1]);
}
EOF
run "$simcc" -DT=float -DF=1 -DBS=32 -DN=7 '-Dmin(a,b)=((a)<(b)?(a):(b))' '-Dmax(a,b)=((a)>(b)?(a):(b))' "$dir/x.cu" -o "$dir/x"
ok 'a program whose types and sizes are macros compiles, and runs' eval 'ends 0 && [ "$("$dir/x")" = 32 ]'
done_testing
