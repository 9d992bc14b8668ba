/* SPDX-License-Identifier: MIT */
/* build: -lcuda */
/* Green contexts: a stream's kernels run on some of the SMs. [cuda.h, M] */
#include <cuda.h>

#include "chains.h"

static const long long BLOCK = 2000000;         /* ns */
static CUdevice device;

struct part { CUdevResource sms; CUgreenCtx context; cudaStream_t stream; };

static bool is_good(CUresult r) { return r == CUDA_SUCCESS; }

static bool open(struct part *p)
{
    CUdevResourceDesc desc;
    CUstream s = NULL;
    bool good = is_good(cuDevResourceGenerateDesc(&desc, &p->sms, 1))
                && is_good(cuGreenCtxCreate(&p->context, desc, device, CU_GREEN_CTX_DEFAULT_STREAM))
                && is_good(cuGreenCtxStreamCreate(&s, p->context, CU_STREAM_NON_BLOCKING, 0));
    p->stream = s;
    return good;
}

static size_t large;                            /* dynamic shared memory: one block an SM */

__global__ void hold(long long ns)
{
    kernel_cost(ns);
}

__global__ void where(int *times)
{
    unsigned sm;
    kernel_cost(BLOCK / 4);
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0)
        atomicAdd(&times[sm], 1);
}

/* In halves of a block's time, rounded. */
static long halves(cudaStream_t s, int blocks)
{
    long long ns = took([&] {
        hold<<<blocks, 32, large, s>>>(BLOCK);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(s));
    });
    return (long)((2 * ns + BLOCK / 2) / BLOCK);
}

int main()
{
    int sms, optin;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    large = (size_t)optin;
    CHECK(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, optin));
    CHECK(cudaFree(0));
    CUdevResource all, none;
    struct part a = {}, b = {};
    unsigned one = 1;
    rule(is_good(cuInit(0)) && is_good(cuDeviceGet(&device, 0)) && is_good(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM))
         && all.sm.smCount == (unsigned)sms, "a device's resource has all of its SMs");
    const unsigned least = all.sm.minSmPartitionSize, step = all.sm.smCoscheduledAlignment;
    bool split = is_good(cuDevSmResourceSplitByCount(&a.sms, &one, &all, &b.sms, 0, least + 1));
    rule(split && one == 1 && a.sms.sm.smCount == least + step && a.sms.sm.smCount + b.sms.sm.smCount == (unsigned)sms,
         "a group has as many SMs as were asked for, rounded up, and the remaining has the rest");
    rule(cuDevSmResourceSplitByCount(&none, &one, &all, NULL, 0, (unsigned)sms + 1) == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
         "more SMs than there are cannot be asked for");
    rule(cuDevSmResourceSplitByCount(&none, &one, &a.sms, NULL, 0, least) == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
         "a group cannot be split again");
    CUdevResource written = a.sms;
    written.sm.smCount = least;
    CUdevResourceDesc desc;
    rule(cuDevResourceGenerateDesc(&desc, &written, 1) == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
         "a count that the program wrote is refused");
    rule(open(&a) && open(&b), "each part makes a context and a stream");
    CUstream s;
    rule(cuGreenCtxStreamCreate(&s, a.context, CU_STREAM_DEFAULT, 0) == CUDA_ERROR_INVALID_VALUE, "its streams are non-blocking");

    const int few = (int)a.sms.sm.smCount, many = (int)b.sms.sm.smCount;
    cudaStream_t ordinary = stream();
    halves(a.stream, 1), halves(b.stream, 1), halves(ordinary, 1);      /* warms up */
    rule(halves(a.stream, few) == 2 && halves(a.stream, few + 1) == 4 && halves(a.stream, 3 * few) == 6,
         "a kernel takes as many waves as its stream's SMs need");
    rule(halves(b.stream, many) == 2 && halves(b.stream, many + 1) == 4, "the remaining SMs are a part like any other");
    rule(halves(ordinary, sms) == 2, "an ordinary stream has all SMs, whatever parts there are");

    CHECK(cudaFuncSetAttribute(where, cudaFuncAttributeMaxDynamicSharedMemorySize, optin));
    int *on_a = on_device<int>(1024), *on_b = on_device<int>(1024), times[2][1024], used[2] = {}, both = 0;
    where<<<few, 32, large, a.stream>>>(on_a);
    where<<<many, 32, large, b.stream>>>(on_b);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(times[0], on_a, sizeof times[0], cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(times[1], on_b, sizeof times[1], cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1024; i++) {
        used[0] += times[0][i] > 0;
        used[1] += times[1][i] > 0;
        both += times[0][i] > 0 && times[1][i] > 0;
    }
    rule(used[0] == few && used[1] == many && both == 0, "its blocks run on its SMs, of which no other part has one");

    hold<<<4 * many, 32, large, b.stream>>>(BLOCK);
    rule(halves(a.stream, few) == 2 && cudaStreamQuery(b.stream) == cudaErrorNotReady, "a full part holds up no kernel of another part");
    rule(halves(ordinary, few) == 2 && cudaStreamQuery(b.stream) == cudaErrorNotReady, "an ordinary kernel runs on the SMs that a full part leaves");
    CHECK(cudaDeviceSynchronize());
    hold<<<2 * sms, 32, large, ordinary>>>(BLOCK);
    rule(halves(a.stream, 1) >= 4, "an ordinary kernel that waits for SMs holds up a part's");
    CHECK(cudaDeviceSynchronize());
    hold<<<1, 32, 0, a.stream>>>(4 * BLOCK);
    long long waited = took([] { CHECK(cudaDeviceSynchronize()); });
    rule(waited > 3 * BLOCK, "cudaDeviceSynchronize waits for a part's streams");

    cudaEvent_t event;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    hold<<<1, 32, 0, a.stream>>>(4 * BLOCK);
    CHECK(cudaEventRecord(event, a.stream));
    CHECK(cudaStreamWaitEvent(b.stream, event, 0));
    rule(halves(b.stream, 1) >= 8, "a stream waits for an event of another part");
    CHECK(cudaEventDestroy(event));

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(a.stream, cudaStreamCaptureModeThreadLocal));
    hold<<<3 * few, 32, large, a.stream>>>(BLOCK);
    CHECK(cudaStreamEndCapture(a.stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    long long ns = took([&] { CHECK(cudaGraphLaunch(exec, ordinary)); CHECK(cudaStreamSynchronize(ordinary)); });
    rule(ns > 5 * BLOCK / 2 && ns < 7 * BLOCK / 2, "a graph's kernel runs on the SMs of the stream that it was captured in");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));

    long long no_time = 1;
    void *args[] = { &no_time };
    rule(cudaLaunchCooperativeKernel((const void *)hold, few, 32, args, large, a.stream) == cudaSuccess
         && cudaLaunchCooperativeKernel((const void *)hold, few + 1, 32, args, large, a.stream) == cudaErrorCooperativeLaunchTooLarge,
         "a cooperative grid has to fit on its stream's SMs");
    (void)cudaGetLastError();
    CHECK(cudaDeviceSynchronize());

    CUgreenCtx of;
    rule(is_good(cuStreamGetGreenCtx(a.stream, &of)) && of == a.context && is_good(cuStreamGetGreenCtx(ordinary, &of)) && !of,
         "a stream knows its green context");
    rule(is_good(cuGreenCtxGetDevResource(b.context, &all, CU_DEV_RESOURCE_TYPE_SM)) && (int)all.sm.smCount == many
         && is_good(cuDevSmResourceSplitByCount(&none, &one, &all, NULL, 0, least)), "what a context reports can be split");
    hold<<<1, 32, 0, b.stream>>>(2 * BLOCK);
    rule(is_good(cuGreenCtxDestroy(b.context)), "a context can be destroyed while its work is queued");
    rule(cudaStreamSynchronize(b.stream) == cudaErrorContextIsDestroyed, "and its streams can then be used no more");
    (void)cudaGetLastError();
    rule(cudaStreamDestroy(b.stream) == cudaErrorContextIsDestroyed, "nor destroyed");
    (void)cudaGetLastError();
    rule(cudaStreamDestroy(a.stream) == cudaSuccess && is_good(cuGreenCtxDestroy(a.context)), "streams go first, then their context");
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(ordinary));
    CHECK(cudaFree(on_a));
    CHECK(cudaFree(on_b));
    return rules_end();
}
