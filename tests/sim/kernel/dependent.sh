#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Dependent launches: a kernel that begins under the tail of the one before it, what it sees there, and what is said of one that
# does not wait.
. tests/sim/sim.bash

cat > "$dir/launch.h" << 'END'
#include <stdio.h>
#include "streams.h"
template <typename... P, typename... A> static void launch(bool early, cudaStream_t s, unsigned blocks, unsigned threads, void (*k)(P...), A... a)
{
    cudaLaunchAttribute at;
    at.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at.val.programmaticStreamSerializationAllowed = early;
    cudaLaunchConfig_t c = {};
    c.gridDim = blocks;
    c.blockDim = threads;
    c.stream = s;
    c.attrs = &at;
    c.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&c, k, a...));
}
__global__ void hold() { kernel_cost(100000); }
END

# Chains of eight: argv[1] is 1 for dependent launches, argv[2] whose kernels; with a third argument they are a graph. A
# kernel has a thousand threads; those of "many" have five.
build chain -I "$dir" -DN=1000 << 'END'
#include "launch.h"
enum { LINKS = 8 };
__device__ int of(int k, int i) { return k * i % 1001; }
/* A prologue of 4 us that writes shared memory, and 6 us that need the one before. */
__global__ void declared(int *x, const int *before, int k)
{
    __shared__ int own[256];
    kernel_cost(4000);
    cudaTriggerProgrammaticLaunchCompletion();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    own[threadIdx.x] = of(k, i);
    cudaGridDependencySynchronize();
    kernel_cost(6000);
    if (i < N)
        x[i] = before[i] + own[threadIdx.x];
}
/* The same, where one thread waits for its block, and triggers then. */
__global__ void by_one(int *x, const int *before, int k)
{
    __shared__ int own[256];
    kernel_cost(4000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    own[255 - threadIdx.x] = of(k, i);
    if (threadIdx.x == 0)
        cudaGridDependencySynchronize();
    __syncthreads();
    cudaTriggerProgrammaticLaunchCompletion();
    kernel_cost(6000);
    if (i < N)
        x[i] = before[i] + own[255 - threadIdx.x];
}
__device__ void spin(long long ns)
{
    unsigned long long from, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now < from + ns);
}
/* As programs from elsewhere are. */
__global__ void clocked(int *x, const int *before, int k)
{
    asm volatile("griddepcontrol.launch_dependents;");
    int i = blockIdx.x * blockDim.x + threadIdx.x, own = of(k, i);
    spin(4000);
    asm volatile("griddepcontrol.wait;" ::: "memory");
    spin(6000);
    if (i < N)
        x[i] = before[i] + own;
}
/* One that says where it is busy, longer before the wait than after it. The third triggers at its end: a part of no time is left. */
__global__ void says(int *x, const int *before, int k)
{
    if (k != 3)
        cudaTriggerProgrammaticLaunchCompletion();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    kernel_busy(1000);
    kernel_busy(5000);
    int own = of(k, i);
    cudaGridDependencySynchronize();
    kernel_busy(3000);
    kernel_busy(1000);
    if (i < N)
        x[i] = before[i] + own;
    if (k == 3)
        cudaTriggerProgrammaticLaunchCompletion();
}
int main(int, char **argv)          /* argv ends with NULL */
{
    static int h[N];
    int *a[LINKS + 1];
    cudaStream_t s;
    cudaEvent_t from, to;
    void (*kernels[])(int *, const int *, int) = { declared, by_one, clocked, says };
    void (*link)(int *, const int *, int) = kernels[atoi(argv[2])];
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    for (int i = 0; i <= LINKS; i++) {
        CHECK(cudaMalloc(&a[i], sizeof h));
        CHECK(cudaMemset(a[i], 0, sizeof h));
    }
    launch(false, s, (N + 255) / 256, 256, link, a[1], (const int *)a[0], 0);      /* it is loaded */
    hold<<<1, 1, 0, s>>>();
    CHECK(cudaEventRecord(from, s));
    cudaGraph_t g;
    cudaGraphExec_t e;
    if (argv[3])
        CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    for (int i = 1; i <= LINKS; i++)
        launch(argv[1][0] == '1', s, (N + 255) / 256, 256, link, a[i], (const int *)a[i - 1], i);
    if (argv[3]) {
        CHECK(cudaStreamEndCapture(s, &g));
        CHECK(cudaGraphInstantiate(&e, g, 0));
        CHECK(cudaGraphLaunch(e, s));
    }
    CHECK(cudaEventRecord(to, s));
    CHECK(cudaMemcpyAsync(h, a[LINKS], sizeof h, cudaMemcpyDefault, s));
    CHECK(cudaStreamSynchronize(s));
    float ms = 0;
    long long wrong = 0;
    CHECK(cudaEventElapsedTime(&ms, from, to));
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int k = 1; k <= LINKS; k++)
            sum += k * i % 1001;
        wrong += h[i] != sum;
    }
    printf("%lld wrong, %.0f ns\n", wrong, ms * 1e6);
}
END
cp "$dir/chain.cu" "$dir/many.cu"
build many -I "$dir" -DN=5000
# takes DEPENDENT KIND: how many ns it takes, with the right result and no hazard.
program=chain
takes() {
    play $program "$1" "$2" $graph
    ends 0 && grep -q '^0 wrong' "$dir/out" && [ ! -s "$dir/err" ] || echo "$1 $2: $(cat "$dir/out" "$dir/err")" >&2
    sed -n 's/.*, \([0-9]*\) ns/\1/p' "$dir/out"
}
graph=
# saves KIND FROM TO: seven prologues of 4 us, what a launch after an event takes, and a little more.
saves() {
    local plain early
    plain=$(takes 0 "$1" 2> "$dir/wrong") early=$(takes 1 "$1" 2>> "$dir/wrong")
    said="$plain ns, $early ns $(cat "$dir/wrong")"
    [ ! -s "$dir/wrong" ] && [ $((plain - early)) -ge "$2" ] && [ $((plain - early)) -le "$3" ]
}
ok 'a chain is shorter by its prologues, with the same result' saves 0 28000 40000
ok 'so is one whose blocks wait by one thread, and trigger when they have waited' saves 1 28000 40000
ok 'so is one of kernels that look at a clock, and wait in PTX' saves 2 28000 40000
ok 'so is one that says where it is busy' saves 3 38000 50000
takes_its_time() { local plain; plain=$(takes 0 3) && [ "$plain" -ge 80000 ] && [ "$plain" -le 97000 ]; }
ok 'and such a kernel takes that long, and not more, as a plain launch' takes_its_time
in_a_sandbox() { ulimit -d 4194304; program=many; saves 0 28000 40000; }
ok 'thousands of threads that wait fit into the memory of a sandbox' eval '(in_a_sandbox)'
in_graph() { graph=graph saves "$1" 28000 40000; }
ok 'so are they as graphs' eval 'in_graph 0 && in_graph 1 && in_graph 2'
on_older() { SIM_PROFILE=rtx2070s saves "$1" 0 0; }
ok 'a card from before compute capability 9.0 takes as long as for plain launches' eval 'on_older 0 && on_older 1 && on_older 2'
without() { SIM_HAZARDS=0 saves "$1" 28000 40000; }
ok 'and so it is where hazards are not looked for' eval 'without 0 && without 1 && without 2'
ok 'the log is the same in every run' eval '[ "$(different 3 chain 1 0)" = 0 ] && [ "$(different 3 chain 1 2)" = 0 ]'

# Two kernels and a third: the first one writes x in its last 50 us and has triggered at once.
build pair -I "$dir" << 'END'
#include <string.h>
#include <thread>
#include <unistd.h>
#include "launch.h"
enum { N = 3000 };
__global__ void first(int *x, const int *y, int *seen)
{
    cudaTriggerProgrammaticLaunchCompletion();
    kernel_cost(50000);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        if (y)
            seen[i] = y[i];
        x[i] = 7;
    }
}
__global__ void then(int *x, int *y, int how)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    if (how & 1)
        y[i] = x[i];
    if (how & 2)
        y[i] = 1;
    if (how & 4)
        cudaGridDependencySynchronize();
    if (how & 8)
        y[i] = x[i];
    if (how & 16)
        y[-(1 << 28)] = 1;
}
__global__ void third(const int *x, int *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        y[i] = 10 * y[i] + x[i];
}
static void naps(void *) { host_work(300000); }
int main(int, char **argv)
{
    static int h[N];
    int *x, *y, *seen, how = atoi(argv[1]);
    bool function = strcmp(argv[2], "function") == 0, thread = strcmp(argv[2], "thread") == 0, graph = strcmp(argv[2], "graph") == 0;
    cudaStream_t s, q;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&q));
    CHECK(cudaMalloc(&x, sizeof h));
    CHECK(cudaMalloc(&y, sizeof h));
    CHECK(cudaMalloc(&seen, sizeof h));
    CHECK(cudaMemset(x, 0, sizeof h));
    CHECK(cudaMemset(y, 0, sizeof h));
    CHECK(cudaMemset(seen, 0, sizeof h));
    first<<<1, 1, 0, s>>>(x, y, seen);                                      /* they are loaded */
    third<<<1, 1, 0, s>>>(x, y);
    launch(true, s, 1, 1, then, x, y, 4);
    CHECK(cudaMemsetAsync(x, 0, sizeof h, s));
    CHECK(cudaMemsetAsync(y, 0, sizeof h, s));
    CHECK(cudaStreamSynchronize(s));
    if (graph)
        CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    first<<<12, 256, 0, s>>>(x, how & 2 ? y : NULL, seen);
    launch(true, s, 12, 256, then, x, y, how);
    if (strcmp(argv[2], "third") == 0)
        third<<<12, 256, 0, s>>>(x, y);
    if (function)
        CHECK(cudaLaunchHostFunc(q, naps, NULL));
    if (graph) {
        cudaGraph_t g;
        cudaGraphExec_t e;
        CHECK(cudaStreamEndCapture(s, &g));
        CHECK(cudaGraphInstantiate(&e, g, 0));
        CHECK(cudaGraphLaunch(e, s));
    }
    std::thread other;
    if (thread)
        other = std::thread([] { for (int i = 0; i < 20; i++) usleep(10); });
    cudaError_t error = cudaDeviceSynchronize();
    if (thread)
        other.join();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorName(error));
        return 0;
    }
    CHECK(cudaMemcpy(h, y, sizeof h, cudaMemcpyDefault));
    printf("%d %d", h[0], h[N - 1]);
    CHECK(cudaMemcpy(h, seen, sizeof h, cudaMemcpyDefault));
    printf(" saw %d\n", h[0]);
}
END
line_of() { grep -n "$1" "$dir/pair.cu" | head -1 | cut -d: -f1; }
first=$(line_of 'first<<<12') then=$(grep -n cudaLaunchKernelEx "$dir/launch.h" | cut -d: -f1)
# gives LINE HAZARDS HOW CASE: it prints LINE, with HAZARDS hazards and with race detection off.
gives() {
    play pair "$3" "$4"
    ends 0 && prints "$1" && [ "$(hazards)" = "$2" ] && SIM_HAZARDS=0 play pair "$3" "$4" && prints "$1"
}
ok 'what waits first sees what the kernel before it wrote' gives '7 7 saw 0' 0 12 -
ok 'what is read before that is old, every time, and a hazard with both lines' eval \
    'gives "0 0 saw 0" 1 1 - && play pair 1 - && grep -q "^hazard: .*pair.cu:$first: kernel first .* writes .*launch.h:$then: kernel then .* reads them too: programmatic stream serialization .*Every thread of then that touches them has to call cudaGridDependencySynchronize" "$dir/err"'
ok 'so it is where the kernel waits too late' gives '0 0 saw 0' 1 5 -
ok 'to write early what that kernel reads is one, too' eval \
    'gives "1 1 saw 1" 1 2 - && play pair 2 - && grep -q "^hazard: .*kernel first .* reads .*kernel then .* writes them too" "$dir/err"'
ok 'a third kernel waits for both' eval 'gives "77 77 saw 0" 0 12 third && gives "7 7 saw 0" 0 0 third'
ok 'a kernel that waits goes on beside a host function, and beside another thread' eval \
    'gives "7 7 saw 0" 0 12 function && gives "7 7 saw 0" 0 12 thread'
older() { SIM_PROFILE=rtx2070s gives '7 7 saw 0' 0 1 -; }
ok 'a card from before compute capability 9.0 has no such launches' older
ok 'what a graph captured is as early, and as much a hazard' eval 'gives "7 7 saw 0" 0 12 graph && gives "0 0 saw 0" 1 1 graph'
# Two kernels of two streams, 50 us to the trigger and 100 behind it, and 100 and 200; a third after both, a dependent launch, in a
# graph that was captured or is built. argv[1]: whose x it reads before it waits (0: nobody's), argv[2]: who is a plain edge.
build join -I "$dir" << 'END'
#include "launch.h"
__global__ void branch(int *x, long long before, long long after)
{
    kernel_cost(before);
    cudaTriggerProgrammaticLaunchCompletion();
    kernel_cost(after);
    *x = 7;
}
__global__ void both(int *x, int early, int *seen)
{
    if (early)
        seen[0] = x[early - 1];
    cudaGridDependencySynchronize();
    seen[1] = x[0] + x[1];
}
int main(int argc, char **argv)
{
    int early = atoi(argv[1]), plain = atoi(argv[2]), *x, h[2] = { 0, 0 };
    cudaStream_t s[2];
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaMalloc(&x, 4 * sizeof *x));
    CHECK(cudaMemset(x, 0, 4 * sizeof *x));
    for (int i = 0; i < 2; i++)
        CHECK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeThreadLocal));
    CHECK(cudaEventRecord(fork, s[0]));
    CHECK(cudaStreamWaitEvent(s[1], fork, 0));
    branch<<<1, 1, 0, s[0]>>>(x, 50000LL, 100000LL);
    branch<<<1, 1, 0, s[1]>>>(x + 1, 100000LL, 200000LL);
    CHECK(cudaEventRecord(join, s[1]));
    CHECK(cudaStreamWaitEvent(s[0], join, 0));
    launch(true, s[0], 1, 1, both, x, early, x + 2);
    CHECK(cudaStreamEndCapture(s[0], &graph));
    if (plain) {
        cudaGraphNode_t from[4], to[4];
        cudaGraphEdgeData data[4];
        size_t count = 4;
        CHECK(cudaGraphGetEdges(graph, from, to, data, &count));
        CHECK(cudaGraphRemoveDependencies(graph, &from[plain - 1], &to[plain - 1], NULL, 1));
        CHECK(cudaGraphAddDependencies(graph, &from[plain - 1], &to[plain - 1], NULL, 1));
    }
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CHECK(cudaGraphLaunch(ready, s[0]));
    CHECK(cudaStreamSynchronize(s[0]));
    CHECK(cudaMemcpy(h, x + 2, sizeof h, cudaMemcpyDefault));
    printf("%d %d\n", h[0], h[1]);
}
END
joins() { SIM_HAZARDS=1 play join "$1" "$2" && ends 0 && prints "$3" && [ "$(hazards)" = "$4" ]; }
ok 'a node with two programmatic edges begins before either kernel has ended, and has waited for both' eval \
    'joins 0 0 "0 14" 0 && joins 1 0 "0 14" 1 && joins 2 0 "0 14" 1'
ok 'one of them as an ordinary edge is the end of that kernel' eval 'joins 1 1 "7 14" 0 && joins 2 1 "0 14" 1 && joins 2 2 "7 14" 0'
lost() { play pair "$1" - && prints cudaErrorIllegalAddress; }
ok 'a fault after the wait, and one in a kernel that never waits, lose the device' eval 'lost 20 && lost 16'

open_simulator
build again -I "$dir" -DN=1000 < "$dir/chain.cu"
build once -I "$dir" < "$dir/pair.cu"
ok 'a replay of the log gives the timeline that the program had' eval \
    'replays again 1 0 && replays again 1 1 && replays again 1 2 && replays again 1 3 && replays again 0 0 && replays once 12 third && replays once 0 third && replays again 1 0 graph'

build lost -I "$dir" << 'END'
#include "launch.h"
__global__ void link(int *x, int at)
{
    cudaTriggerProgrammaticLaunchCompletion();
    kernel_busy(4000);
    cudaGridDependencySynchronize();
    kernel_busy(6000);
    x[at] = 1;
}
int main()
{
    int *x;
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaMalloc(&x, 4));
    for (int i = 0; i < 6; i++)
        launch(true, s, 4, 64, link, x, i == 2 ? 1 << 28 : 0);
    printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(s)));
}
END
loses() { SIM_HAZARDS=0 replays lost && prints cudaErrorIllegalAddress; }
ok 'so does one of a program that loses the device while other kernels wait' loses

build after -I "$dir" << 'END'
#include "launch.h"
__global__ void link(int *x) { cudaGridDependencySynchronize(); x[threadIdx.x] += 1; }
__global__ void large(int *x, int n)
{
    volatile int room[30000];
    for (int i = 0; i < n; i++)
        room[i] = i;
    __syncthreads();
    x[threadIdx.x] += room[n - 1];
}
int main()
{
    int *x;
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaMallocManaged(&x, 4096));
    for (int i = 0; i < 3; i++)
        launch(true, s, 4, 1024, link, x);
    CHECK(cudaStreamSynchronize(s));
    large<<<1, 1024, 0, s>>>(x, 30000);
    printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(s)));
}
END
ok 'the stacks of such kernels are there for others afterwards' eval 'SIM_HAZARDS=0 run "$dir/after" && prints cudaSuccess'

done_testing
