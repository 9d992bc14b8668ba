#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Memory that is not one's own to touch: the host's loads and stores of device
# memory, kernels that leave their buffers. And the lessons: free of hazards.
set -u
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
number=0

say() { # condition's status, sentence
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        sed 's/^/# /' "$scratch/out" "$scratch/errors"
    fi
}

# finds CASE STATUS PATTERN: one hazard that says so, and what the last call returned.
finds() {
    "$scratch/strays" "$1" > "$scratch/out" 2> "$scratch/errors"
    [ "$(grep -c '^hazard: ' "$scratch/errors")" = 1 ] && grep -q "^hazard: .*$3" "$scratch/errors" &&
        grep -q " $2\$" "$scratch/out"
}

cat > "$scratch/strays.cu" << 'END'
#include <stdio.h>
#include "streams.h"
__global__ void fill(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] = i; }
static void take(void *p) { fprintf(stderr, "%d\n", *(int *)p); }
int main(int, char **argv)
{
    int *d, *h, result = 0;
    CHECK(cudaMalloc(&d, 100 * sizeof(int)));
    CHECK(cudaMallocHost(&h, 100 * sizeof(int)));
    CHECK(cudaMemset(d, 0, 100 * sizeof(int)));
    CHECK(cudaDeviceSynchronize());
    switch (atoi(argv[1])) {
    case 1: result = d[3]; break;
    case 2: for (int i = 0; i < 100; i++) d[i] = 7; break;
    case 3: fill<<<1, 128>>>(d, 102); break;
    case 4: CHECK(cudaFree(d)); fill<<<1, 128>>>(d, 100); break;
    case 5: h[100] = 1; break;
    case 6: fill<<<1, 128>>>(d, 100); for (int i = 0; i < 100; i++) h[i] = i; break;
    }
    cudaError_t status = cudaDeviceSynchronize();
    if (result > 100) take(h);
    printf("%d %s\n", result, cudaGetErrorName(status));
    return 0;
}
END
build/bin/simcc "$scratch/strays.cu" -o "$scratch/strays" || exit 2
finds 1 cudaSuccess 'strays.cu:13: the host (at .* ms) reads bytes 12 to 15 of the 400 of cudaMalloc in line 8: that is memory of the device'
say $? 'the host reads through a device pointer'
finds 2 cudaSuccess 'strays.cu:14: the host .* writes bytes 0 to 399 of'
say $? 'the host writes through one: said once'
finds 3 cudaSuccess 'strays.cu:3: kernel fill in the default stream (queued in line 15) writes bytes 400 to 407 of memory that has 400 (cudaMalloc in line 8): out of bounds'
say $? 'a kernel leaves its buffer by two elements'
finds 4 cudaErrorIllegalAddress 'strays.cu:3: kernel fill .* writes memory that cudaFree in line 16 has given back'
say $? 'a kernel works on memory that is no longer there'
finds 5 cudaSuccess 'strays.cu:17: the host .* writes bytes 400 to 403 of memory that has 400 (cudaMallocHost'
say $? 'the host leaves a pinned buffer'
"$scratch/strays" 6 > "$scratch/out" 2> "$scratch/errors"
[ ! -s "$scratch/errors" ]
say $? 'a kernel and a host that stay where they may are left alone'

hazards_in() { # FILE: how many, when it is run by the grader
    local folder=${1%.cu}
    [[ $1 == solutions/* ]] || folder=$(dirname "$1")
    SIM_HAZARDS=1 build/bin/grade --run "$(basename "$folder" | cut -c 1-2)" "$1" > "$scratch/out" 2> "$scratch/errors"
    grep -c 'hazard:' "$scratch/out"
}
tests/edit all || exit 2
for file in solutions/*.cu build/styles/*/*.cu; do
    [ "$(hazards_in "$file")" = 0 ]
    say $? "$file has no hazard"
done
[ "$(hazards_in build/wrong/06-overlap/missing-wait.cu)" -gt 0 ]
say $? 'an answer to lesson 06 that lacks a wait has some'
echo "1..$number"
