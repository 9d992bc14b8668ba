#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Conditional nodes of graphs: If, While and Switch, in each other, by capture; what they take, what they touch, what is refused.
. tests/sim/sim.bash

cat > "$dir/nodes.h" << 'EOF'
#include "streams.h"
typedef cudaGraphConditionalHandle handle;
__global__ void set(handle h, const int *p) { cudaGraphSetConditional(h, *p); }
__global__ void add(int *p, int n) { atomicAdd(p, n); }
/* p[0] turns; each adds n to p[1]. */
__global__ void turn(handle h, int *p, int n) { p[1] += n; if (--p[0] == 0) cudaGraphSetConditional(h, 0); }
static cudaGraphNode_t kernel(cudaGraph_t g, const cudaGraphNode_t *after, void *function, void **arguments)
{
    cudaGraphNodeParams k = { cudaGraphNodeTypeKernel };
    cudaGraphNode_t node;
    k.kernel.func = function;
    k.kernel.gridDim = k.kernel.blockDim = dim3(1);
    k.kernel.kernelParams = arguments;
    CHECK(cudaGraphAddNode(&node, g, after, NULL, after ? 1 : 0, &k));
    return node;
}
static cudaError_t conditional(cudaGraph_t g, const cudaGraphNode_t *after, handle h, cudaGraphConditionalNodeType type, unsigned count,
                               cudaGraph_t **bodies, cudaGraphNode_t *node)
{
    cudaGraphNodeParams c = { cudaGraphNodeTypeConditional };
    c.conditional.handle = h;
    c.conditional.type = type;
    c.conditional.size = count;
    cudaError_t status = cudaGraphAddNode(node, g, after, NULL, after ? 1 : 0, &c);
    *bodies = c.conditional.phGraph_out;
    return status;
}
EOF
uses() { { cat "$dir/nodes.h"; cat; } > "$dir/$1.cu"; run build/bin/simcc -Icommon "$dir/$1.cu" -o "$dir/$1"; }

# Of each value, what If, If with two graphs and Switch do: 1, 10 or 20, 100 to 300.
uses choice << 'EOF'
int main()
{
    int *d, *sum, numbers[] = { 1, 10, 20, 100, 200, 300 }, got;
    CHECK(cudaMalloc(&d, 2 * sizeof *d));
    sum = d + 1;
    cudaGraph_t g, *bodies;
    cudaGraphNode_t last, node;
    CHECK(cudaGraphCreate(&g, 0));
    const struct { cudaGraphConditionalNodeType type; unsigned count; } kinds[] = { { cudaGraphCondTypeIf, 1 }, { cudaGraphCondTypeIf, 2 }, { cudaGraphCondTypeSwitch, 3 } };
    int number = 0;
    for (int k = 0; k < 3; k++) {
        handle h;
        CHECK(cudaGraphConditionalHandleCreate(&h, g));
        void *arguments[] = { &h, &d };
        node = kernel(g, k > 0 ? &last : NULL, (void *)set, arguments);
        CHECK(conditional(g, &node, h, kinds[k].type, kinds[k].count, &bodies, &last));
        for (unsigned i = 0; i < kinds[k].count; i++) {
            void *of_add[] = { &sum, &numbers[number++] };
            kernel(bodies[i], NULL, (void *)add, of_add);
        }
    }
    cudaGraphExec_t x;
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphDestroy(g));
    for (int value = 0; value < 4; value++) {
        int both[] = { value, 0 };
        CHECK(cudaMemcpy(d, both, sizeof both, cudaMemcpyHostToDevice));
        CHECK(cudaGraphLaunch(x, 0));
        CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
        printf("%d ", got);
    }
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaFree(d));
    puts("");
}
EOF
play choice
ok 'If, If with an else, and Switch run the graph that the value chooses' eval 'prints "120 211 311 11 " && [ ! -s "$dir/err" ]'

# A While whose body was captured: a kernel, an If in it, a copy, a memset. Its handle has 1 again at each launch.
uses loops << 'EOF'
__global__ void odd(handle h, const int *p) { cudaGraphSetConditional(h, p[0] & 1); }
__global__ void slow(int *p) { kernel_cost(100000); if (threadIdx.x == 0) atomicAdd(p, 1); }
int main()
{
    int *d, v[5], n = 10, *ones;
    cudaStream_t s, t;
    cudaGraph_t g, *bodies, *inner;
    cudaGraphNode_t node, last;
    handle h, of_if;
    CHECK(cudaMalloc(&d, sizeof v));
    ones = d + 4;
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    CHECK(conditional(g, NULL, h, cudaGraphCondTypeWhile, 1, &bodies, &node));
    CHECK(cudaGraphConditionalHandleCreate(&of_if, bodies[0]));
    void *arguments[] = { &of_if, &d };
    node = kernel(bodies[0], NULL, (void *)odd, arguments);
    CHECK(conditional(bodies[0], &node, of_if, cudaGraphCondTypeIf, 1, &inner, &last));
    CHECK(cudaStreamBeginCaptureToGraph(t, inner[0], NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    slow<<<1, 32, 0, t>>>(ones);
    CHECK(cudaStreamEndCapture(t, NULL));
    CHECK(cudaStreamBeginCaptureToGraph(t, bodies[0], &last, NULL, 1, cudaStreamCaptureModeGlobal));
    turn<<<1, 1, 0, t>>>(h, d, n);
    CHECK(cudaMemcpyAsync(d + 2, d + 1, sizeof *d, cudaMemcpyDeviceToDevice, t));
    CHECK(cudaMemsetAsync(d + 3, 1, 1, t));
    add<<<1, 1, 0, t>>>(d + 3, 1);
    CHECK(cudaStreamEndCapture(t, NULL));
    cudaGraphExec_t x;
    CHECK(cudaGraphInstantiate(&x, g, 0));
    float ms[4];
    for (int turns = 1; turns < 4; turns++) {
        cudaEvent_t a, b;
        CHECK(cudaEventCreate(&a));
        CHECK(cudaEventCreate(&b));
        const int begin[5] = { turns };
        CHECK(cudaMemcpy(d, begin, sizeof begin, cudaMemcpyHostToDevice));
        CHECK(cudaEventRecord(a, s));
        CHECK(cudaGraphLaunch(x, s));
        CHECK(cudaEventRecord(b, s));
        CHECK(cudaMemcpyAsync(v, d, sizeof v, cudaMemcpyDeviceToHost, s));
        CHECK(cudaStreamSynchronize(s));
        CHECK(cudaEventElapsedTime(&ms[turns], a, b));
        printf("%d %d %d %d %d, ", v[0], v[1], v[2], v[3], v[4]);
    }
    printf("%d %d\n", ms[1] > 0.1f && ms[2] - ms[1] < 0.05f, ms[3] > 0.2f && ms[3] < 0.3f);
}
EOF
play loops
ok 'a While runs its captured body, with an If in it, and takes what its kernels take' prints '0 10 10 2 1, 0 20 20 2 1, 0 30 30 2 2, 1 1'
first=$(cat "$dir/out")
SIM_CORES=2 play loops
ok 'on several cores, too' prints "$first"
SIM_HAZARDS=0 play loops
ok 'and where no hazards are looked for' prints "$first"
open_simulator
build loops -Icommon
ok 'a replay of the log gives the same times' replays loops
simcc=build/bin/simcc with=()

# A While whose value stays 1, and two kernels of a body that nothing orders.
uses endless << 'EOF'
__global__ void nothing() { }
__global__ void twice(int *p) { *p *= 2; }
__global__ void one(int *p) { ++*p; }
int main()
{
    int *d, got;
    cudaGraph_t g, *bodies;
    cudaGraphNode_t node, in;
    handle h;
    cudaGraphExec_t x;
    CHECK(cudaMalloc(&d, sizeof *d));
    CHECK(cudaMemset(d, 0, sizeof *d));
    void *arguments[] = { &d };
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    CHECK(conditional(g, NULL, h, cudaGraphCondTypeIf, 1, &bodies, &node));
    kernel(bodies[0], NULL, (void *)twice, arguments);
    kernel(bodies[0], NULL, (void *)one, arguments);
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphLaunch(x, 0));
    CHECK(cudaMemcpy(&got, d, sizeof got, cudaMemcpyDeviceToHost));
    printf("%d\n", got);
    fflush(stdout);
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    CHECK(conditional(g, NULL, h, cudaGraphCondTypeWhile, 1, &bodies, &node));
    in = kernel(bodies[0], NULL, (void *)nothing, NULL);
    (void)in;
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphLaunch(x, 0));
    CHECK(cudaDeviceSynchronize());
}
EOF
play endless
ok 'of two nodes of a body that nothing orders the last added runs first, and a While that does not end is stopped' \
    eval '[ "$(cat "$dir/out")" = 2 ] && grep -q "cudaErrorLaunchTimeout" "$dir/err" && grep -q "ran its body 100000 times, and no kernel of this launch has set its value (1)" "$dir/err"'
sed '/in = kernel(/d' "$dir/endless.cu" > "$dir/empty.cu"
sed 's/in = kernel(.*/{ handle other; CHECK(cudaGraphConditionalHandleCreate(\&other, g)); void *to[] = { \&other, \&d }; in = kernel(bodies[0], NULL, (void *)set, to); }/' \
    "$dir/endless.cu" > "$dir/another.cu"
for name in empty another; do run build/bin/simcc -Icommon "$dir/$name.cu" -o "$dir/$name"; play $name; cp "$dir/err" "$dir/$name.err"; done
ok 'of one that has nothing in it that is said' grep -q 'times, and its body is empty: ' "$dir/empty.err"
ok 'and of one whose kernel sets another value, too' \
    grep -q 'and its value stayed 1: set() called cudaGraphSetConditional() with another handle than this node has' "$dir/another.err"

uses race << 'EOF'
int main()
{
    int *d;
    cudaStream_t s, t;
    cudaGraph_t g, *bodies;
    cudaGraphNode_t node;
    handle h;
    CHECK(cudaMalloc(&d, 2 * sizeof *d));
    CHECK(cudaMemset(d, 0, 2 * sizeof *d));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    CHECK(conditional(g, NULL, h, cudaGraphCondTypeIf, 1, &bodies, &node));
    CHECK(cudaGraphAddMemcpyNode1D(&node, bodies[0], NULL, 0, d + 1, d, sizeof *d, cudaMemcpyDeviceToDevice));
    cudaGraphExec_t x;
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaMemsetAsync(d + 1, 0, sizeof *d, t));
    CHECK(cudaDeviceSynchronize());
}
EOF
play race
ok 'what a body touches is held against the rest of the program' eval '[ "$(hazards)" = 1 ] && grep -q "conditional node" "$dir/err"'

# The value of a handle: read by the node, set by a kernel that the node waits for (w), or does not (n); by two kernels (t) in any order.
uses value << 'EOF'
__global__ void give(handle h) { cudaGraphSetConditional(h, 0); }
int main(int, char **argv)
{
    cudaGraph_t g, *bodies;
    cudaGraphNode_t node;
    cudaStream_t s;
    handle h;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphConditionalHandleCreate(&h, g));
    void *arguments[] = { &h };
    node = kernel(g, NULL, (void *)give, arguments);
    if (*argv[1] == 't') {
        cudaGraphNode_t both[2] = { node, kernel(g, NULL, (void *)give, arguments) };
        CHECK(cudaGraphAddEmptyNode(&node, g, both, 2));
    }
    CHECK(conditional(g, *argv[1] == 'n' ? NULL : &node, h, cudaGraphCondTypeWhile, 1, &bodies, &node));
    kernel(bodies[0], NULL, (void *)give, arguments);
    kernel(bodies[0], NULL, (void *)give, arguments);
    cudaGraphExec_t x;
    CHECK(cudaGraphInstantiate(&x, g, 0));
    for (int k = *argv[1] == 'n'; k < 2; k++)
        CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaStreamSynchronize(s));
}
EOF
problems=
for case in w:0 t:0 n:1; do
    play value "${case%:*}"
    [ "$(hazards)" = "${case#*:}" ] || problems+="$case: $(cat "$dir/err")"$'\n'
done
grep -q "kernel give in .* writes 4 bytes of a conditional handle's value" "$dir/err" || problems+="n: $(cat "$dir/err")"
check 'a node that reads a handle comes after the kernels that set it' "$problems"

# A round: a kernel, and those of the argument, which touch what it touches, and before they wait something else. p: an ordinary launch; the
# others may begin early: w waits, o lets one thread wait for all, e does not wait, x does not, and touches other bytes. n: two nodes without an edge.
uses rounds << 'EOF'
__global__ void first(int *p) { cudaTriggerProgrammaticLaunchCompletion(); p[threadIdx.x] += 1; }
template <char how> __global__ void next(int *p)
{
    cudaTriggerProgrammaticLaunchCompletion();
    p[64 + threadIdx.x] = 1;
    if (how == 'w' || (how == 'o' && threadIdx.x == 0))
        cudaGridDependencySynchronize();
    __syncthreads();
    p[how == 'x' ? 128 + threadIdx.x : threadIdx.x] += 1;
}
__global__ void last(handle h, int *p) { cudaGraphSetConditional(h, ++p[64 + threadIdx.x] < 0); }
static void launch(void (*kernel)(int *), cudaStream_t s, int *p, int early)
{
    cudaLaunchAttribute a = {};
    cudaLaunchConfig_t c = {};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = early;
    c.gridDim = 1, c.blockDim = 32, c.stream = s, c.attrs = &a, c.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&c, kernel, p));
}
int main(int, char **argv)
{
    int *p, got[160];
    const char *how = argv[1];
    cudaGraph_t g, *bodies;
    cudaGraphNode_t node;
    cudaStream_t s;
    handle h;
    CHECK(cudaMalloc(&p, sizeof got));
    CHECK(cudaMemset(p, 0, sizeof got));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
    CHECK(conditional(g, NULL, h, cudaGraphCondTypeWhile, 1, &bodies, &node));
    if (how[0] == 'n') {
        void *arguments[] = { &p };
        kernel(bodies[0], NULL, (void *)first, arguments);
        kernel(bodies[0], NULL, (void *)next<'e'>, arguments);
    } else {
        CHECK(cudaStreamBeginCaptureToGraph(s, bodies[0], NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
        launch(first, s, p, 1);
        for (; *how; how++)
            launch(*how == 'w' ? next<'w'> : *how == 'o' ? next<'o'> : *how == 'x' ? next<'x'> : next<'e'>, s, p, *how != 'p');
        CHECK(cudaStreamEndCapture(s, &bodies[0]));
    }
    cudaGraphNode_t nodes[8], end;
    size_t count = 8;
    CHECK(cudaGraphGetNodes(bodies[0], nodes, &count));
    void *arguments[] = { &h, &p };
    cudaGraphNodeParams k = { cudaGraphNodeTypeKernel };
    k.kernel.func = (void *)last;
    k.kernel.gridDim = k.kernel.blockDim = dim3(1);
    k.kernel.kernelParams = arguments;
    CHECK(cudaGraphAddNode(&end, bodies[0], nodes, NULL, count, &k));
    cudaGraphExec_t x;
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaMemcpyAsync(got, p, sizeof got, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    printf("%d\n", got[0]);
}
EOF
problems=
for case in w:0:2 o:0:2 p:0:2 e:1:2 x:0:1 ww:1:3 xw:1:2 xe:2:2 n:1:2; do
    IFS=: read -r how wanted sum <<< "$case"
    play rounds "$how"
    [ "$(hazards)" = "$wanted" ] || problems+="$how: $(hazards) hazards: $(cat "$dir/err")"$'\n'
    [ "$(cat "$dir/out")" = "$sum" ] || problems+="$how: $(cat "$dir/out")"$'\n'
done
check 'what two steps of a round touch is compared where no edge, or a programmatic one, is between them' "$problems"

uses wrong << 'EOF'
static void nothing(void *) { }
__global__ void bad(handle h) { cudaGraphSetConditional(h + 7, 1); }
int main()
{
    int *d, pageable = 0;
    cudaGraph_t g, other, *bodies, body, clone;
    cudaGraphNode_t node, in;
    handle h;
    cudaGraphExec_t x;
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaMalloc(&d, 8));
    CHECK(cudaGraphCreate(&g, 0));
    CHECK(cudaGraphCreate(&other, 0));
    CHECK(cudaGraphConditionalHandleCreate(&h, g));
    const struct { cudaGraph_t graph; handle number; int type; unsigned count; } wrong[] = {
        { g, h + 1, cudaGraphCondTypeIf, 1 }, { other, h, cudaGraphCondTypeIf, 1 }, { g, h, 3, 1 }, { g, h, cudaGraphCondTypeIf, 3 },
        { g, h, cudaGraphCondTypeWhile, 2 }, { g, h, cudaGraphCondTypeSwitch, 0 } };
    for (auto &w : wrong)
        printf("%d ", conditional(w.graph, NULL, w.number, (cudaGraphConditionalNodeType)w.type, w.count, &bodies, &node));
    CHECK(conditional(g, NULL, h, cudaGraphCondTypeIf, 1, &bodies, &node));
    body = bodies[0];
    printf("%d\n", conditional(g, NULL, h, cudaGraphCondTypeIf, 1, &bodies, &node));
    printf("%s %s %s ", cudaGetErrorName(cudaGraphDestroy(body)), cudaGetErrorName(cudaGraphClone(&clone, g)),
           cudaGetErrorName(cudaGraphAddChildGraphNode(&in, other, NULL, 0, g)));
    cudaHostNodeParams f = { nothing, NULL };
    CHECK(cudaGraphAddHostNode(&in, body, NULL, 0, &f));
    printf("%s ", cudaGetErrorName(cudaGraphInstantiate(&x, g, 0)));
    CHECK(cudaGraphDestroyNode(in));
    CHECK(cudaGraphAddMemcpyNode1D(&in, body, NULL, 0, d, &pageable, 4, cudaMemcpyHostToDevice));
    printf("%s ", cudaGetErrorName(cudaGraphInstantiate(&x, g, 0)));
    CHECK(cudaGraphDestroyNode(in));
    CHECK(cudaGraphInstantiate(&x, g, 0));
    printf("%s ", cudaGetErrorName(cudaGraphExecUpdate(x, g, &info)));
    printf("%d ", info.result == cudaGraphExecUpdateErrorNotSupported);
    bad<<<1, 1>>>(h);
    cudaError_t status = cudaDeviceSynchronize();
    puts(cudaGetErrorName(status));
    CHECK(status);
}
EOF
play wrong
ok 'a kernel that sets the value of no handle is told' \
    grep -q 'called cudaGraphSetConditional() with a handle that is not one of cudaGraphConditionalHandleCreate()' "$dir/err"
ok 'wrong handles, sizes and bodies are refused' \
    prints $'1 1 1 1 1 1 1\ncudaErrorInvalidValue cudaErrorNotSupported cudaErrorNotSupported cudaErrorNotSupported cudaErrorNotSupported cudaErrorGraphExecUpdateFailure 1 cudaErrorInvalidValue'
done_testing
