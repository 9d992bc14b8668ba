#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Hazards: small programs, each with one or with none, and what is said of them.
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

# finds CASE COUNT PATTERN...: so many hazards, and each pattern in a line that says so.
finds() {
    "$scratch/$program" "$1" > "$scratch/out" 2> "$scratch/errors"
    local status=$? count=$2 pattern
    shift 2
    [ $status = 0 ] && [ "$(grep -c '^hazard: ' "$scratch/errors")" = "$count" ] &&
        [ "$(wc -l < "$scratch/errors")" = "$count" ] || return 1
    for pattern; do
        grep -q "^hazard: .*$pattern" "$scratch/errors" || return 1
    done
}

program=copies
cat > "$scratch/copies.cu" << 'END'
#include <stdio.h>
#include "streams.h"
int main(int, char **argv)
{
    const size_t n = 1 << 20;
    cudaStream_t a, b, apart;
    cudaEvent_t e;
    char *d, *h, *g, *pageable = (char *)malloc(4 * n);
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&e));
    CHECK(cudaMalloc(&d, 4 * n));
    CHECK(cudaMallocHost(&h, 4 * n));
    CHECK(cudaMallocHost(&g, 4 * n));
    switch (atoi(argv[1])) {
    case 1: /* two streams */
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemcpyAsync(g, d + 16, n, cudaMemcpyDeviceToHost, b));
        break;
    case 2: /* the same with an event between */
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaEventRecord(e, a));
        CHECK(cudaStreamWaitEvent(b, e));
        CHECK(cudaMemcpyAsync(g, d + 16, n, cudaMemcpyDeviceToHost, b));
        break;
    case 3: /* the event is recorded too early */
        CHECK(cudaEventRecord(e, a));
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaStreamWaitEvent(b, e));
        CHECK(cudaMemcpyAsync(g, d + 16, n, cudaMemcpyDeviceToHost, b));
        break;
    case 4: /* chunks, readers */
        for (size_t i = 0; i < 4; i++) {
            CHECK(cudaMemcpyAsync(d + i * n, h + i * n, n, cudaMemcpyHostToDevice, i % 2 ? a : b));
            CHECK(cudaMemcpyAsync(g + i * n, d + i * n, n, cudaMemcpyDeviceToHost, i % 2 ? a : b));
        }
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpyAsync(g, d, 4 * n, cudaMemcpyDeviceToHost, a));
        CHECK(cudaMemcpyAsync(h, d, 4 * n, cudaMemcpyDeviceToHost, b));
        break;
    case 5: /* chunks that overlap by a byte */
        CHECK(cudaMemsetAsync(d, 1, n + 1, a));
        CHECK(cudaMemsetAsync(d + n, 2, n, b));
        break;
    case 6: /* the default stream orders what it does not leave out */
        CHECK(cudaMemsetAsync(d, 1, n, a));
        CHECK(cudaMemset(d, 2, n));
        CHECK(cudaMemsetAsync(d, 3, n, b));
        break;
    case 7:
        CHECK(cudaMemsetAsync(d, 1, n, apart));
        CHECK(cudaMemset(d, 2, n));
        break;
    case 8: /* given back while it is in use */
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaFree(d));
        d = NULL;
        break;
    case 9:
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaStreamSynchronize(b));
        CHECK(cudaFreeHost(h));
        h = NULL;
        break;
    case 10:
        CHECK(cudaHostRegister(pageable, n, 0));
        CHECK(cudaMemcpyAsync(d, pageable, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaHostUnregister(pageable));
        break;
    case 11: /* and after a wait */
        CHECK(cudaHostRegister(pageable, n, 0));
        CHECK(cudaMemcpyAsync(d, pageable, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemcpyAsync(d + n, h, n, cudaMemcpyHostToDevice, b));
        CHECK(cudaEventRecord(e, a));
        CHECK(cudaEventSynchronize(e));
        CHECK(cudaHostUnregister(pageable));
        CHECK(cudaStreamSynchronize(b));
        CHECK(cudaFree(d));
        CHECK(cudaMalloc(&d, n));
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, b));
        break;
    case 12: /* what a card happens to do */
        CHECK(cudaMemcpyAsync(d, pageable, 4 * n, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemsetAsync(d, 3, n, b));
        break;
    case 13: /* queued and never waited for */
        CHECK(cudaMemsetAsync(d, 1, n, a));
        CHECK(cudaMemsetAsync(d, 2, n, b));
        return 0;
    case 14: /* the same pair of lines again and again */
        for (int i = 0; i < 200; i++) {
            CHECK(cudaMemsetAsync(d + i, 1, 1, a));
            CHECK(cudaMemsetAsync(d + i, 2, 1, b));
        }
        break;
    case 15: /* columns of one rectangle */
        CHECK(cudaMemcpy2DAsync(d, 100, h, 50, 50, 30, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemset2DAsync(d + 50, 100, 1, 50, 30, b));
        break;
    case 16: /* columns that overlap by one */
        CHECK(cudaMemcpy2DAsync(d, 100, h, 51, 51, 30, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemset2DAsync(d + 50, 100, 1, 50, 30, b));
        break;
    }
    CHECK(cudaDeviceSynchronize());
    printf("%lld\n", now_ns());
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(h));
    CHECK(cudaFreeHost(g));
    free(pageable);
    return 0;
}
END
build/bin/simcc "$scratch/copies.cu" -o "$scratch/copies" || exit 2

finds 1 1 'copies.cu:18: cudaMemcpyAsync in stream 1 (.* ms) writes bytes 16 to 1048575 of the 4194304 of cudaMalloc in line 13, and .*copies.cu:19: cudaMemcpyAsync in stream 2 (.*) reads them too: no event, no wait of the host'
say $? 'two streams that touch the same bytes: both sides, the bytes, the reason'
finds 2 0; say $? 'an event between them orders them'
finds 3 1; say $? 'one that was recorded too early does not'
finds 4 0; say $? 'chunks of one buffer and readers of one buffer are no hazard'
finds 5 1 'bytes 1048576 to 1048576 of'; say $? 'chunks that overlap by one byte are'
finds 6 0; say $? 'the default stream orders blocking streams'
finds 7 1 'a cudaStreamNonBlocking stream and the default stream do not wait for each other'
say $? 'but no others'
finds 8 1 'copies.cu:57: the host gives them back .* this card waits .* no rule says that it must. Wait for stream 1'
say $? 'cudaFree of what a copy still writes'
finds 9 1 'reads bytes 0 to 1048575 of the 4194304 of cudaMallocHost .* gives them back'
say $? 'cudaFreeHost of what a copy still reads, though another stream was waited for'
finds 10 1 'cudaHostRegister .* unregisters them'; say $? 'cudaHostUnregister'
finds 11 0; say $? 'memory that was waited for may go and come again'
finds 12 1 'this card happens to run one after the other'; say $? 'what only a card does is no order'
finds 13 1 'still queued at the end'; say $? 'what was never waited for is looked at when the program ends'
finds 14 101 'there are more than 100'; say $? 'a flood is cut off'
finds 15 0; say $? 'columns of one rectangle are no hazard'
finds 16 1 'bytes 50 to 2950 of'; say $? 'columns that overlap are'

"$scratch/copies" 1 > "$scratch/with" 2> /dev/null
SIM_HAZARDS=0 "$scratch/copies" 1 > "$scratch/out" 2> "$scratch/errors"
[ ! -s "$scratch/errors" ] && cmp -s "$scratch/with" "$scratch/out"
say $? 'SIM_HAZARDS=0 says nothing, and virtual times are the same'
WORKBOOK_LOG=9 "$scratch/copies" 1 9> "$scratch/log" > "$scratch/out" 2> "$scratch/errors"
grep -aq 'cudaMemcpyAsync in stream 1 .* writes bytes 16' "$scratch/log"
say $? 'the log of calls has them'
echo "1..$number"
