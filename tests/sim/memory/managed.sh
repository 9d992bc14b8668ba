#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Managed memory: which pages go where, as the log tells it; the same with
# hazards on or off and in a replay; a device that has too little room.
. tests/sim/sim.bash

# moves CASE LINES: these pages go, and it ends well.
moves() {
    shows pages "$1"
    sed -n 's/^page \(.*\): .*/\1/p' "$dir/shown" > "$dir/moves"
    cat "$dir/moves" >> "$dir/err"
    ends 0 && is "$(cat "$dir/moves")" "$2"
}

open_simulator
build pages -O1 << 'END_OF_PROGRAM'
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
/* Each thread takes every eighth piece of 64 KiB. */
__global__ void touch_in_turn(volatile char *p, size_t bytes)
{
    for (size_t i = (size_t)threadIdx.x << 16; i < bytes; i += 8 << 16)
        p[i] = 1;
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
    case 13: {  /* a device of 8 MiB, and pages that the host has, too */
        char *q;
        CHECK(cudaMallocManaged(&q, 16 * MIB));
        memset(q, 0, 16 * MIB);
        advise(q, 2 * MIB, cudaMemAdviseSetReadMostly, cudaMemLocationTypeHost);
        CHECK(prefetch(q, 6 * MIB, 0, 0));
        CHECK(prefetch(q + 8 * MIB, 2 * MIB, 0, 0));
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
    case 11: {
        char *from;
        CHECK(cudaMallocHost(&from, 2 * MIB));
        memset(p, 0, 4 * MIB);
        CHECK(cudaMemsetAsync(p, 1, 1, 0));
        CHECK(cudaMemcpyAsync(p + 2 * MIB, from, 70000, cudaMemcpyDefault, 0));
        CHECK(cudaMemcpyAsync(from, p + MIB, 1, cudaMemcpyDefault, 0));
        CHECK(cudaMemcpyAsync(from, p, 100, cudaMemcpyDefault, 0));
        break;
    }
    case 12:
        memset(p, 0, 4 * MIB);
        for (int i = 0; i < 2; i++)
            CHECK(cudaMemPrefetchAsync(p, 4 * MIB, { cudaMemLocationTypeHost, 0 }, 0, 0));
        CHECK(cudaMemPrefetchAsync(p, 4 * MIB, { cudaMemLocationTypeDevice, 0 }, 0, 0));
        CHECK(cudaMemPrefetchAsync(p, 4 * MIB, { cudaMemLocationTypeDevice, 0 }, 0, 0));
        break;
    case 14:
        memset(p, 0, 4 * MIB);
        touch_in_turn<<<1, 8>>>(p, 2 * MIB);
        break;
    case 15:
        memset(p, 0, 4 * MIB);
        CHECK(prefetch(p, 4 * MIB, 0, 0));
        for (size_t i = 0; i < 2 * MIB; i += 65536)
            p[i] = 1;
        break;
    case 16: {
        cudaStream_t beside;
        CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));
        memset(p, 0, 2 * MIB);
        touch<<<1, 1>>>(p, 2 * MIB, 4096);
        CHECK(prefetch(p, 2 * MIB, 0, beside));
        break;
    }
    }
    CHECK(cudaDeviceSynchronize());
}
END_OF_PROGRAM

ok "a kernel's walk through 2 MiB faults six times, for 64 KiB growing to 1 MiB" moves 1 'in 65536 fault
in 65536 fault
in 131072 fault
in 262144 fault
in 524288 fault
in 1048576 fault'
ok "so does a block whose threads take its pages in turn: they come by address" moves 14 'in 65536 fault
in 65536 fault
in 131072 fault
in 262144 fault
in 524288 fault
in 1048576 fault'
ok "what the host touches before it waits for a prefetch comes back in the same pieces" moves 15 'out 65536 fault
out 65536 fault
out 131072 fault
out 262144 fault
out 524288 fault
out 1048576 fault
in 4194304 prefetch'
ok "a kernel's first touch of what nobody has touched moves nothing, the host's of the next page costs nothing" \
    moves 2 'in 0 fault
out 65536 fault'
ok "touches far apart bring a page each" moves 3 'in 65536 fault
in 65536 fault
in 65536 fault
in 65536 fault'
ok "a prefetch moves what is not there yet, and leaves a kernel no fault" moves 4 'in 3145728 prefetch
in 1048576 prefetch
in 0 prefetch'
ok "a prefetch into an idle stream takes what a kernel in another has not been served yet" moves 16 'in 65536 fault
in 0 fault
in 2031616 prefetch'
ok "a read-mostly page is copied, and the copy goes when somebody writes" moves 5 'in 65536 fault
out 0 fault
in 65536 fault'
ok "pages that prefer the host are mapped by a fault, those accessed by the device without one" moves 6 'in 0 fault'
moves_in_8_mib() { SIM_MEMORY_MIB=8 moves "$@" && prints '1 of 8 MiB'; }
ok "a device that is full makes room: the block that came first leaves" moves_in_8_mib 7 'in 6291456 prefetch
out 2097152 evicts
in 2097152 prefetch'
ok "what the host has, too, leaves without a copy" eval 'SIM_MEMORY_MIB=8 moves 13 "in 6291456 prefetch
out 0 evicts
in 2097152 prefetch"'
play pages 8
ok "read and write of the system bring pages, too" ends 0
ok "a kernel that touches its pages at its end has its faults there, once" moves 9 'in 65536 fault'
ok "a memset of fresh memory makes its page the device's, and the host gets it by touching it" moves 10 'in 0 fault
out 65536 fault'
ok "memsets and copies have a kernel's page faults, on either side, once" moves 11 'in 65536 fault
in 65536 fault
in 65536 fault
in 65536 fault'
# Which of the four prefetches take time: two of what is on the host, one that moves it, one of what is on the device.
prefetches() {
    shows pages 12
    awk '/^[DH]2[DH] cudaMemPrefetchAsync/ { print $1, ($NF > $(NF - 1) ? "moves" : "does nothing") }' "$dir/shown" > "$dir/spans"
    is "$(cat "$dir/spans")" "$1"
}
ok "a prefetch of what is there does nothing" prefetches 'D2H does nothing
D2H does nothing
H2D moves
H2D does nothing'

unlike= replayed=
for case in {1..16}; do
    WORKBOOK_LOG=9 SIM_HAZARDS=0 play pages $case 9> "$dir/plain"
    replays pages $case || replayed+="case $case: $(diff "$dir/shown" "$dir/replayed")"$'\n'
    unlike+=$(cmp "$dir/log" "$dir/plain" 2>&1)
done
check "hazards on or off, the log is the same" "$unlike"
check "a replay of the log moves the same pages at the same times" "$replayed"
run build/bin/timeline --ascii "$dir/pages" 1
ok "a picture has a lane for pages on their way" says 'pages in'
done_testing
