#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Graphs in the simulator: what a hazard is in them, what the timeline shows, that a replay agrees.
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

cat > "$scratch/fork.cu" << 'EOF'
#include <stdio.h>
#include "streams.h"

__global__ void spin(long long ns)
{
    kernel_cost(ns);
}

/* A copy, two branches that set memory and compute, a copy back; launched three times. */
int main(int argc, char **argv)
{
    const size_t size = 1 << 20;
    bool overlap = argc > 1 && argv[1][0] == 'o', rest = argc > 1 && argv[1][0] == 'r';
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    char *d, *h;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaMalloc(&d, 2 * size));
    CHECK(cudaMallocHost(&h, 2 * size));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyAsync(d, h, 2 * size, cudaMemcpyHostToDevice, s));
    CHECK(cudaEventRecord(fork, s));
    CHECK(cudaStreamWaitEvent(t, fork, 0));
    CHECK(cudaMemsetAsync(d, 0, size, s));
    spin<<<1, 1, 0, s>>>(300000);
    CHECK(cudaMemsetAsync(d + (overlap ? size - 1 : size), 0, size, t));
    spin<<<1, 1, 0, t>>>(200000);
    CHECK(cudaEventRecord(join, t));
    CHECK(cudaStreamWaitEvent(s, join, 0));
    CHECK(cudaMemcpyAsync(h, d, 2 * size, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(exec, s));
    if (rest)
        h[0] = 1, CHECK(cudaMemcpyAsync(d, h, size, cudaMemcpyHostToDevice, t));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaStreamSynchronize(t));
    printf("%lld\n", now_ns());
    return 0;
}
EOF
build/bin/simcc "$scratch/fork.cu" -o "$scratch/fork" || exit 2

hazards() { # argument
    SIM_HAZARDS=1 "$scratch/fork" $1 > "$scratch/out" 2> "$scratch/errors"
    grep -c '^hazard:' "$scratch/errors"
}

[ "$(hazards '')" = 0 ]; say $? 'the edges of a graph and the order of its launches are order'
[ "$(hazards overlap)" -ge 1 ] && grep -q 'bytes 1048575 to 1048575 .* no dependency makes one wait for the other' "$scratch/errors"
say $? 'two branches that touch the same byte are a hazard'
[ "$(hazards rest)" -ge 1 ]; say $? 'another stream is not ordered with a graph by having been captured'

# Host calls of the traced program end when the program itself said that it ended: two models, one result.
build/bin/timeline --trace="$scratch/one.json" "$scratch/fork" > "$scratch/out" 2> "$scratch/errors"
build/bin/timeline --trace="$scratch/two.json" "$scratch/fork" > /dev/null 2>> "$scratch/errors"
cmp -s "$scratch/one.json" "$scratch/two.json"; say $? 'a graph program gives the same timeline every time'
"$scratch/fork" > "$scratch/end" 2>> "$scratch/errors"
last=$(sed -n 's/.*"cat":"call","name":"cudaStreamSynchronize".*"ts":\([0-9.]*\),"dur":\([0-9.]*\).*/\1 \2/p' "$scratch/one.json" |
    awk '{ end = $1 * 1000 + $2 * 1000; if (end > most) most = end } END { printf "%d", most + 0.5 }')
echo "replayed: $last" >> "$scratch/errors"
[ "$last" = "$(cat "$scratch/end")" ]; say $? 'a replay of the log ends when the program did'
[ "$(grep -c '"cat":"call","name":"cudaGraphLaunch"' "$scratch/one.json")" = 3 ]; say $? 'a launch is one call in the exported timeline'
[ "$(grep -c '"cat":"kernel","name":"spin"' "$scratch/one.json")" = 6 ]; say $? 'every node of every launch is in it'
grep -A1 '^stream 1' "$scratch/out" | tail -n 1 | grep -q '^  *│.*█'; say $? 'branches are drawn in rows of their own'
echo "1..$number"
