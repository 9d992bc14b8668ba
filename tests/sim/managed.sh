#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Managed memory: which pages go where, as the log tells it; the same with
# hazards on or off and in a replay; a device that has too little room.
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

# Runs a case: its moves are in $scratch/moves, one a line.
moves() {
    WORKBOOK_LOG=9 SHOW=8 "$scratch/pages" "$@" 9> "$scratch/log" 8> "$scratch/shown" > "$scratch/out" 2> "$scratch/errors"
    status=$?
    sed -n 's/^page \(.*\): .*/\1/p' "$scratch/shown" > "$scratch/moves"
    cat "$scratch/moves" >> "$scratch/errors"
    [ $status = 0 ]
}

is() { [ "$(cat "$scratch/moves")" = "$1" ]; }

gcc -std=c11 -D_GNU_SOURCE -DIN_PROGRAM -Icommon -Icommon/sim -Icommon/sim/include -c tests/sim/replay.c \
    -o "$scratch/show.o" || exit 2
. tests/sim/open.bash
simcc=$(open_simcc "$scratch/open") || exit 2
cat > "$scratch/pages.cu" << 'END_OF_PROGRAM'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "streams.h"
__global__ void touch(volatile char *p, size_t bytes, size_t step)
{
    for (size_t i = 0; i < bytes; i += step)
        p[i] = (char)(p[i] + 1);
}
__global__ void late(volatile char *p)
{
    kernel_cost(1000000);
    p[0] = 1;
}
__global__ void read_one(const volatile char *p, int *d) { *d = p[0]; }

static void advise(void *p, size_t bytes, enum cudaMemoryAdvise advice, enum cudaMemLocationType type)
{
    CHECK(cudaMemAdvise(p, bytes, advice, { type, 0 }));
}

int main(int, char **argv)
{
    const size_t MIB = 1 << 20;
    char *p;
    int *d;
    CHECK(cudaMalloc(&d, 4));
    CHECK(cudaMallocManaged(&p, 4 * MIB));
    switch (atoi(argv[1])) {
    case 1:
        memset(p, 0, 4 * MIB);
        touch<<<1, 1>>>(p, 2 * MIB, 4096);
        break;
    case 2:
        touch<<<1, 1>>>(p, 1, 1);
        CHECK(cudaDeviceSynchronize());
        return p[3] + p[70000];
    case 3:
        memset(p, 0, 4 * MIB);
        touch<<<1, 1>>>(p, 4 * MIB, MIB);
        break;
    case 4:
        memset(p, 0, 4 * MIB);
        CHECK(prefetch(p, 3 * MIB, 0, 0));
        CHECK(prefetch(p, 4 * MIB, 0, 0));
        CHECK(prefetch(p, 4 * MIB, 0, 0));
        touch<<<1, 1>>>(p, 4 * MIB, 4096);
        break;
    case 5:
        p[0] = 1;
        advise(p, 4 * MIB, cudaMemAdviseSetReadMostly, cudaMemLocationTypeHost);
        read_one<<<1, 1>>>(p, d);
        CHECK(cudaDeviceSynchronize());
        p[1] = p[0];
        CHECK(cudaDeviceSynchronize());
        read_one<<<1, 1>>>(p, d);
        break;
    case 6:
        memset(p, 0, 4 * MIB);
        advise(p, MIB, cudaMemAdviseSetPreferredLocation, cudaMemLocationTypeHost);
        advise(p + MIB, MIB, cudaMemAdviseSetAccessedBy, cudaMemLocationTypeDevice);
        touch<<<1, 1>>>(p, 2 * MIB, MIB);
        CHECK(cudaDeviceSynchronize());
        return p[0] + p[MIB] - 2;
    case 7: {   /* a device of 8 MiB */
        char *q;
        CHECK(cudaMallocManaged(&q, 16 * MIB));
        memset(q, 0, 16 * MIB);
        CHECK(prefetch(q, 6 * MIB, 0, 0));
        CHECK(prefetch(q + 8 * MIB, 2 * MIB, 0, 0));
        CHECK(cudaDeviceSynchronize());
        size_t free, total;
        CHECK(cudaMemGetInfo(&free, &total));
        printf("%zu of %zu MiB\n", free / MIB, total / MIB);
        break;
    }
    case 8: {
        char *file = p + 100, back[8] = "";
        int ends[2];
        touch<<<1, 1>>>(p, 4096, 1);
        CHECK(cudaDeviceSynchronize());
        if (pipe(ends) != 0 || write(ends[1], p, 4) != 4)
            return 1;
        touch<<<1, 1>>>(p, 4096, 1);
        CHECK(cudaDeviceSynchronize());
        if (read(ends[0], file, 4) != 4 || write(ends[1], file, 4) != 4 || read(ends[0], back, 4) != 4)
            return 1;
        return memcmp(back, "\1\1\1\1", 4) != 0;
    }
    case 9:
        p[0] = 0;
        late<<<1, 1>>>(p);
        CHECK(cudaDeviceSynchronize());
        late<<<1, 1>>>(p);
        break;
    case 10: {
        char *h;
        CHECK(cudaMallocHost(&h, 100));
        CHECK(cudaMemset(p, 7, 100));
        CHECK(cudaMemcpy(h, p, 100, cudaMemcpyDefault));
        return h[99] - p[99];
    }
    }
    CHECK(cudaDeviceSynchronize());
}
END_OF_PROGRAM
"$simcc" -O1 "$scratch/pages.cu" "$scratch/show.o" -o "$scratch/pages" || exit 2

moves 1 && is 'in 65536 fault
in 65536 fault
in 131072 fault
in 262144 fault
in 524288 fault
in 1048576 fault'
say $? "a kernel's walk through 2 MiB faults six times, for 64 KiB growing to 1 MiB"
moves 2 && is 'in 0 fault
out 65536 fault'
say $? "a kernel's first touch of what nobody has touched moves nothing, the host's of the next page costs nothing"
moves 3 && is 'in 65536 fault
in 65536 fault
in 65536 fault
in 65536 fault'
say $? "touches far apart bring a page each"
moves 4 && is 'in 3145728 prefetch
in 1048576 prefetch
in 0 prefetch'
say $? "a prefetch moves what is not there yet, and leaves a kernel no fault"
moves 5 && is 'in 65536 fault
out 0 fault
in 65536 fault'
say $? "a read-mostly page is copied, and the copy goes when somebody writes"
moves 6 && is 'in 0 fault'
say $? "pages that prefer the host are mapped by a fault, those accessed by the device without one"
SIM_MEMORY_MIB=8 moves 7 && is 'in 6291456 prefetch
out 2097152 evicts
in 2097152 prefetch' && [ "$(cat "$scratch/out")" = '1 of 8 MiB' ]
say $? "a device that is full makes room: the block that came first leaves"
moves 8
say $? "read and write of the system bring pages, too"
moves 9 && is 'in 65536 fault'
say $? "a kernel that touches its pages at its end has its faults there, once"
moves 10 && is 'out 65536 fault'
say $? "copies and memsets go where a page is, and the host gets it by touching it"

same=0 replayed=0
for case in 1 2 3 4 5 6 7 8 9 10; do
    WORKBOOK_LOG=9 SIM_HAZARDS=0 "$scratch/pages" $case 9> "$scratch/plain" > /dev/null 2>&1
    moves $case
    cmp "$scratch/log" "$scratch/plain" >> "$scratch/errors" || same=1
    build/tests/sim/replay < "$scratch/log" > "$scratch/replayed"
    diff "$scratch/shown" "$scratch/replayed" >> "$scratch/errors" || replayed=1
done
say $same "hazards on or off, the log is the same"
say $replayed "a replay of the log moves the same pages at the same times"
build/bin/timeline --ascii "$scratch/pages" 1 > "$scratch/out" 2> "$scratch/errors" && grep -q 'pages in' "$scratch/out"
say $? "a picture has a lane for pages on their way"
echo "1..$number"
