#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Counting in a volatile: a race between host threads, unless something besides looks at it orders them (common/sim/race/updates.h).
. tests/sim/sim.bash

build updates -std=c++20 << 'END'
#include <atomic>
#include <mutex>
#include <semaphore>
#include <stdio.h>
#include <string.h>
#include <thread>
#include "streams.h"

static volatile int v, done, filled, emptied;
static volatile long long wide;
static volatile unsigned char small[4];
static int volatile *pinned;
static std::mutex lock;
static std::counting_semaphore<8> told(0);
static std::atomic<int> count;
static cudaStream_t s, t;

static void late() { host_work(1000000); }
static void rest() { std::this_thread::yield(); }
static void add(void *) { v++; }
template <typename First, typename Then> static void apart(First first, Then then)
{
    std::thread one(first);
    std::thread other([&] { late(); then(); });
    one.join();
    other.join();
}
static void turns(int mine)
{
    for (int i = 0; i < 3; i++) {
        while (v % 2 != mine) rest();
        host_work(1000);
        v++;
    }
}
static void sets(void *) { host_work(100); done = 1; }
static void run(void (*f)(void *), cudaStream_t in) { CHECK(cudaLaunchHostFunc(in, f, NULL)); }

int main(int, char **argv)
{
    CHECK(cudaMallocHost((void **)&pinned, 64));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    *pinned = 0;
    switch (argv[1][0]) {
    case 'a': apart([] { v++; }, [] { v++; }); break;
    case 'b': apart([] { v = v + 2; }, [] { --v; }); break;
    case 'c': apart([] { wide += 3; }, [] { wide -= 3; }); break;
    case 'd': apart([] { small[1] |= 1; }, [] { small[1] ^= 2; }); break;
    case 'e': apart([] { ++*pinned; }, [] { *pinned = 7; }); break;
    case 'f': apart([] { v = 7; }, [] { v++; }); break;
    case 'g': run(add, s); v--; break;
    case 'h': /* the function wakes the host, and nothing tells the function of the host's store */
        v = 1;
        run(add, s);
        run([](void *) { v++; told.release(); }, s);
        v--;
        told.acquire();
        break;
    case 'i': run(add, s); run(add, t); break;
    case 'j': /* both look first, and neither has to wait */
        v = 1;
        apart([] { if (v < 3) v++; }, [] { while (v == 0) rest(); v--; });
        break;
    case 'k': { /* who waits is told of the first, and not of the second */
        std::thread one([] { v++; late(); v++; });
        while (v == 0) rest();
        v--;
        one.join();
        break; }
    case 'l': apart([] { v++; }, [] { while (v == 0) rest(); v--; }); break;

    case 'A': apart([] { std::lock_guard<std::mutex> hold(lock); v++; }, [] { std::lock_guard<std::mutex> hold(lock); v++; }); break;
    case 'B': { std::thread one([] { v++; told.release(); }); told.acquire(); v++; one.join(); break; }
    case 'C': { v++; std::thread one([] { v++; }); one.join(); v++; break; }
    case 'D': run(add, s); run(add, s); CHECK(cudaStreamSynchronize(s)); v++; run(add, s); break;
    case 'E': { /* one stream's function comes after the other's by an event */
        cudaEvent_t e;
        CHECK(cudaEventCreate(&e));
        run(add, s);
        CHECK(cudaEventRecord(e, s));
        CHECK(cudaStreamWaitEvent(t, e));
        run(add, t);
        CHECK(cudaEventDestroy(e));
        break; }
    case 'F': { /* an atomic tells */
        std::thread one([] { v++; count = 1; });
        late();
        if (count) v++;
        one.join();
        break; }
    case 'G': apart([] { __atomic_fetch_add(&v, 1, __ATOMIC_RELAXED); }, [] { __sync_fetch_and_sub(&v, 1); count++; }); break;
    case 'H': { std::thread one(turns, 0), other(turns, 1); one.join(); other.join(); break; }
    case 'I': case 'J': /* a flag that is set by a function and taken back by the host, which waits for it or finds it set */
        for (int i = 0; i < 3; i++) {
            run(sets, s);
            if (argv[1][0] == 'J') late();
            while (!done) rest();
            done = 0;
        }
        break;
    case 'K': /* one counts, the other looks and begins again */
        for (int i = 0; i < 3; i++) {
            run(add, s); run(add, s); run(add, s);
            if (i > 0) late();
            while (v < 3) rest();
            v = 0;
        }
        break;
    case 'L': { /* two counters, each with one who counts in it */
        std::thread one([] { for (int i = 0; i < 5; i++) { while (filled == emptied) rest(); host_work(50); emptied++; } });
        for (int i = 0; i < 5; i++) { while (filled - emptied == 2) rest(); filled++; }
        one.join();
        break; }
    case 'M': apart([] { v = 1; }, [] { v = 1; }); break;
    case 'N': apart([] { volatile int mine = 0; for (int i = 0; i < 9; i++) mine++; },
                    [] { volatile int mine = 0; for (int i = 0; i < 9; i++) mine++; }); break;
    case 'P':
        for (cudaStream_t to : { s, t })
            CHECK(cudaLaunchHostFunc(to, [](void *) { for (volatile int i = 0; i < 9; i++); }, NULL));
        break;
    case 'O': for (int i = 0; i < 2; i++) { std::thread one([] { volatile int *block = new int(0); ++*block; delete block; }); one.detach(); late(); } break;
    }
    CHECK(cudaDeviceSynchronize());
    return 0;
}
END
line_of() { awk -v words="$1" 'index($0, words) { print NR; exit }' "$dir/updates.cu"; }

while IFS='|' read -r how pattern sentence; do
    play updates "$how"
    ok "$sentence" eval 'ends 0 && [ "$(hazards)" -ge 1 ] && grep -q "^hazard: .*$pattern.*volatile does not make ++ or -- one step.*the same mutex.*std::atomic" "$dir/err"'
done << 'END'
a|thread 1 .* writes 4 bytes .* thread 2 .* writes them too: nothing makes one come after the other|two threads that count up
b|thread 2 .* writes them too|... or that count by a longer way
c|writes 8 bytes|... in a wide variable
d|writes 1 bytes|... or that change bits
e|bytes 0 to 3 of the 64 of cudaMallocHost|one that counts in pinned memory, and one that stores
f|thread 2 .* writes them too|one that stores, and one that counts
g|cudaLaunchHostFunc .* the host .* writes them too|a function that counts up, and the host that counts down
h|cudaLaunchHostFunc .* the host .* writes them too|a semaphore from the function to the host does not order what the host does first
i|cudaLaunchHostFunc .* cudaLaunchHostFunc .* writes them too|functions of two streams
j|writes them too|a look before it is no lock
k|the main thread .* thread 1|who has waited for one store has not waited for the next
l|writes them too|who finds at once what he would wait for has not waited
END
names_both() {
    play updates g
    grep -q "updates.cu:$(line_of 'static void add'): cudaLaunchHostFunc.*updates.cu:$(line_of "case 'g':"): the host" "$dir/err"
}
ok 'both lines are named' names_both

while IFS='|' read -r how sentence; do
    play updates "$how"
    ok "no race: $sentence" eval 'ends 0 && [ ! -s "$dir/err" ]'
done << 'END'
A|under one mutex
B|handed on by a semaphore
C|before a thread, in it and after its join
D|in functions of one stream, and after it was waited for
E|in functions of two streams, with an event between
F|handed on by an atomic
G|by the atomic functions of the compiler
H|threads that take turns, each waiting for its own
I|a flag that is waited for and taken back
J|... and that is set before anybody looks
K|one counts, another sees it reach a number and begins again
L|two counters, each with one who counts
M|two that store the same
N|each in a variable of its own stack
P|two host functions, each in a variable of its own
O|each in memory that is freed and allocated again
END
done_testing
