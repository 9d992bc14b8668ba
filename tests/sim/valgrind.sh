#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Under valgrind no byte is read before it is written, or after it is freed, and
# none is lost: in the unit tests that take no time, simcc, grade, timeline, and
# a simulated program whose threads meet at a barrier. It takes seconds of
# computing, so that it runs for maintainers alone: VALGRIND=1.
set -u
cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch CMOCKA_MESSAGE_OUTPUT=TAP

count=0
ok() {      # sentence command...
    local sentence=$1
    shift
    count=$((count + 1))
    if "$@" > "$scratch/said" 2>&1; then
        echo "ok $count - $sentence"
    else
        echo "not ok $count - $sentence"
        head -n 30 "$scratch/said" | sed 's/^/# /'
    fi
}
watched() {     # command...
    valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
        --child-silent-after-fork=yes "$@"
}

wanting=
command -v valgrind > /dev/null || wanting="no valgrind here"
[ -n "${VALGRIND-}" ] || wanting="VALGRIND=1 asks for it"
if [ -n "$wanting" ]; then
    echo "ok 1 - nothing is read before it is written, or lost # SKIP $wanting"
    echo "1..1"
    exit 0
fi

# test_child and test_chrome have a test that fails under valgrind, though it
# reports no error in them: why is not known. The others take too long.
# test_replay measures memory, of which valgrind takes its share.
slow="grader/test_child trace/test_chrome trace/test_hazard trace/test_draw model/test_card model/test_replay"
for unit in tests/*/test_*.c; do
    unit=${unit#tests/} unit=${unit%.c}
    [[ " $slow " == *" $unit "* ]] || ok "$unit is clean" watched "build/tests/$unit"
done

cat > "$scratch/reverse.cu" <<'EOF'
#include <stdio.h>
__global__ void reverse(int *p)
{
    __shared__ int all[64];
    all[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = all[63 - threadIdx.x];
}
int main()
{
    int *p, h[64];
    for (int i = 0; i < 64; i++)
        h[i] = i;
    cudaMalloc(&p, sizeof h);
    cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
    reverse<<<1, 64>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(p);
    printf("%d %d\n", h[0], h[63]);
}
EOF
ok "simcc is clean" watched build/bin/simcc "$scratch/reverse.cu" -o "$scratch/reverse"
says_reversed() { watched "$scratch/reverse" > "$scratch/out" && [ "$(cat "$scratch/out")" = "63 0" ]; }
ok "a simulated program whose threads meet at a barrier is clean" says_reversed
ok "timeline is clean" watched build/bin/timeline "$scratch/reverse"
for lesson in 01-sync-vs-async 06-overlap; do
    ok "grade is clean on lesson ${lesson%%-*}" watched build/bin/grade "${lesson%%-*}" "solutions/$lesson.cu"
done
echo "1..$count"
