/* SPDX-License-Identifier: MIT */
/*
 * program.c SCENE: a program on a GPU, as the recorder sees one: it makes calls (through fake.c)
 * and leaves. program.c read: what read_log.c does.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "recording.h"

static const struct recording *hooks;
static char device[4096], pinned[4096], pageable[4096], managed[4096];

static uint32_t kind(CUdeviceptr at)
{
    const char *p = (const char *)(uintptr_t)at;
    return p >= device && p < device + sizeof device      ? 2
           : p >= pinned && p < pinned + sizeof pinned    ? 1
           : p >= managed && p < managed + sizeof managed ? 3
                                                          : 0;
}

/* ---- scenes ---- */

static void pipeline(void)
{
    void *at = device;
    int one = 1;
    cudaEvent_t event = (cudaEvent_t)0x5000;
    CALL("cudaMalloc", cudaMalloc_v3020, &at, 1000);
    cudaStream_t a = make_stream(0x1000), b = make_stream(0x2000);
    CALL("cudaEventCreateWithFlags", cudaEventCreateWithFlags_v3020, &event,
         cudaEventDisableTiming);
    uint32_t in = CALL("cudaMemcpyAsync", cudaMemcpyAsync_v3020, device, pinned, 1000,
                       cudaMemcpyHostToDevice, a);
    hooks->site("cudaMemcpyAsync(…)", "work/06.cu", 12);
    uint32_t kernel = launch(a);
    CALL("cudaGetLastError", cudaStreamSynchronize_v3020, NULL);
    hooks->site("cudaGetLastError()", "work/06.cu", 14);
    CALL("cudaEventRecord", cudaEventRecord_v3020, event, a);
    CALL("cudaStreamWaitEvent", cudaStreamWaitEvent_v3020, b, event, 0);
    cuLaunchHostFunc_params f = queue_function(b, &one);
    ran(COPY, in, 1000, 2000, 1000, 0);
    ran(KERNEL, kernel, 2500, 4000, 0, 0);
    ran(KERNEL, 7, 1, 2, 0, 0);         /* nobody's */
    /* To pageable memory: the call itself waits. */
    enter("cudaMemcpyAsync_ptsz",
          &(cudaMemcpyAsync_v3020_params){ pageable, device, 1000, cudaMemcpyDeviceToHost, NULL });
    ran(COPY, now.correlationId, 600, 700, 1000, 0);
    leave(0);
    f.fn(f.userData);
    CALL("cudaStreamSynchronize", cudaStreamSynchronize_v3020, b);
    CALL("cudaFree", cudaFree_v3020, device);
    if (hosted != 1 || device[0] != (char)0xa5 || device[999] != (char)0xa5 || device[1000] != 0)
        _exit(9);
}

static void graph(void)
{
    int one = 1;
    cudaGraphExec_t exec = (cudaGraphExec_t)0x7000;
    cudaGraph_t captured = (cudaGraph_t)0x8000;
    cudaStream_t a = make_stream(0x1000);
    CALL("cudaStreamBeginCapture", cudaStreamSynchronize_v3020, a);
    fake.capturing = (CUstream)a;
    launch(a);
    CALL("cudaMemset2DAsync", cudaMemset2DAsync_v3020, device, 64, 0, 16, 4, a);
    cuLaunchHostFunc_params f = queue_function(a, &one);
    fake.capturing = NULL;
    fake.host_node = (CUDA_HOST_NODE_PARAMS){ f.fn, f.userData };
    CALL("cudaStreamEndCapture", cudaStreamEndCapture_v10000, a, &captured);
    CALL("cudaGraphInstantiate", cudaGraphInstantiateWithFlags_v11040, &exec, captured, 0);
    for (uint64_t round = 0; round < 2; round++) {
        uint32_t id = CALL("cudaGraphLaunch", cudaGraphLaunch_v10000, exec, a);
        ran(KERNEL, id, 1000 + 9000 * round, 2000 + 9000 * round, 0, UINT64_C(2) << 32 | 3);
        ran(CUPTI_ACTIVITY_KIND_MEMSET, id, 3000 + 9000 * round, 4000 + 9000 * round, 400,
            UINT64_C(2) << 32 | 1);
        f.fn(f.userData);
        fake.set_width = 50;
        CALL("cudaGraphExecUpdate", cudaGraphExecUpdate_v10020, exec, captured, NULL);
    }
    CALL("cudaStreamSynchronize", cudaStreamSynchronize_v3020, a);
    CALL("cudaGraphExecDestroy", cudaGraphExecDestroy_v10000, exec);
    CALL("cudaGraphDestroy", cudaGraphDestroy_v10000, captured);
}

static cudaStream_t shared;         /* by two threads */

/* The inner graph's nodes are 1 to 3 there, and 8 to 10 where it runs: after those of the outer. */
static void graph_in_graph(void)
{
    cudaGraphExec_t exec = (cudaGraphExec_t)0x7000;
    cudaStream_t a = make_stream(0x1000);
    const uint64_t run = UINT64_C(2) << 32;
    int one = 1;
    cudaGraph_t captured = (cudaGraph_t)0x8000;
    CALL("cudaStreamBeginCapture", cudaStreamSynchronize_v3020, a);
    fake.capturing = (CUstream)a;
    cuLaunchHostFunc_params f = queue_function(a, &one);
    fake.capturing = NULL;
    fake.host_node = (CUDA_HOST_NODE_PARAMS){ f.fn, f.userData };
    CALL("cudaStreamEndCapture", cudaStreamEndCapture_v10000, a, &captured);
    CALL("cudaGraphInstantiate", cudaGraphInstantiateWithFlags_v11040, &exec,
         (cudaGraph_t)FAKE_OUTER, 0);
    uint32_t id = CALL("cudaGraphLaunch", cudaGraphLaunch_v10000, exec, a);
    ran(KERNEL, id, 1000, 2000, 0, run | 4);
    ran(KERNEL, id, 2000, 3000, 0, run | 10);
    ran(CUPTI_ACTIVITY_KIND_MEMSET, id, 3000, 4000, 400, run | 8);
    f.fn(f.userData);
    ran(KERNEL, id, 5000, 6000, 0, run | 6);
    CALL("cudaStreamSynchronize", cudaStreamSynchronize_v3020, a);
}

/* While one thread's call gives memory back, another is given it. */
static void *found_again(void *unused)
{
    void *at = device;
    CALL("cudaMallocAsync", cudaMallocAsync_v11020, &at, 64, shared);
    return unused;
}

static void lent_again(void)
{
    pthread_t other;
    void *at = device;
    shared = make_stream(0x1000);
    CALL("cudaMallocAsync", cudaMallocAsync_v11020, &at, 1000, shared);
    enter("cudaFreeAsync", &(cudaFreeAsync_v11020_params){ device, shared });
    pthread_create(&other, NULL, found_again, NULL);
    pthread_join(other, NULL);
    leave(0);
    enter("cudaFreeAsync", &(cudaFreeAsync_v11020_params){ device, shared });
    leave(1);
    CALL("cudaFreeAsync", cudaFreeAsync_v11020, device, shared);
}

/* One thread is in a wait while another queues: the wait is before it in the log, and written when
 * it is over. */
static void *beside(void *unused)
{
    ran(KERNEL, launch(shared), 5000, 6000, 0, 0);
    return unused;
}

static void threads(void)
{
    pthread_t other;
    shared = make_stream(0x1000);
    enter("cudaStreamSynchronize", &(cudaStreamSynchronize_v3020_params){ shared });
    pthread_create(&other, NULL, beside, NULL);
    pthread_join(other, NULL);
    leave(0);
}

static void dropped(void)
{
    ran(KERNEL, launch(make_stream(0x1000)), 1000, 2000, 0, 0);
    fake.dropped = 3;
}

static void timeless(void)
{
    cudaStream_t a = make_stream(0x1000);
    ran(KERNEL, launch(a), 0, 0, 0, 0);
    CALL("cudaStreamSynchronize", cudaStreamSynchronize_v3020, a);
}

/* The second kernel has a fault: the device never says when it ended. */
static void faulting(void)
{
    cudaStream_t a = make_stream(0x1000);
    ran(KERNEL, launch(a), 1000, 2000, 0, 0);
    CALL("cudaStreamSynchronize", cudaStreamSynchronize_v3020, a);
    hooks->part("");
    if (fake.record_count != 0)     /* taken when the part ended */
        _exit(9);
    hooks->part("b");
    ran(KERNEL, launch(a), 0, 0, 0, 0);
    fake.lost = 1;
    enter("cudaStreamSynchronize", &(cudaStreamSynchronize_v3020_params){ a });
    leave(719);
}

/* Asks for long, works, asks again; the last answer is another one. */
static void polling(void)
{
    cudaStream_t a = make_stream(0x1000);
    ran(KERNEL, launch(a), 1000, 2000, 0, 0);
    for (int i = 0; i < 2000; i++) {
        enter("cudaStreamQuery", &(cudaStreamSynchronize_v3020_params){ a });
        leave(i == 1999 ? 0 : 600);
        if (i == 999)
            hooks->host_work(100);
    }
}

/* A copy that the driver tells as one between peers, if it was asked for those. */
static void peers(void)
{
    cudaStream_t a = make_stream(0x1000);
    uint32_t copied =
        CALL("cudaMemcpyPeerAsync", cudaMemcpyPeerAsync_v4000, device, 0, device, 1, 1000, a);
    if (fake.enabled >> PEER & 1)
        ran(PEER, copied, 1000, 2000, 1000, 0);
    CALL("cudaStreamSynchronize", cudaStreamSynchronize_v3020, a);
}

static void managed_peers(void)
{
    void *at = managed;
    CALL("cudaMallocManaged", cudaMallocManaged_v6000, &at, 4096, 1);
    peers();
}

/* Pages that the program fetches, and pages that the driver moves because others were touched. */
static void pages(void)
{
    cudaStream_t a = make_stream(0x1000);
    CALL("cudaMemPrefetchAsync", cudaMemPrefetchAsync_v12020, managed, 4096,
         { cudaMemLocationTypeDevice, 0 }, 0, a);
    CALL("cudaStreamSynchronize", cudaStreamSynchronize_v3020, a);
    uint64_t now = fake.clock();
    for (int i = 0; i < 2; i++)
        fake.records[fake.record_count++].pages = (CUpti_ActivityUnifiedMemoryCounter3){
            CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
            i == 0 ? CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD
                   : CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
            4096,
            i == 0 ? now - 10 : now + 900000000,
            i == 0 ? now - 5 : now + 900001000,
            (uint64_t)(uintptr_t)managed,
            i == 0 ? CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_USER
                   : CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH
        };
    /* Two pages of one batch, and one of the next. */
    for (uint64_t i = 0; i < 3; i++)
        fake.records[fake.record_count++].pages = (CUpti_ActivityUnifiedMemoryCounter3){
            CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
            CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
            1,
            now - 50 + i / 2 * 20,
            now - 40 + i / 2 * 20,
            (uint64_t)(uintptr_t)managed + i,
            0
        };
}

/* For a kernel's fault the page that it wanted comes, then what the driver adds; another page comes
 * by itself. For the host's there is no record but of what comes. */
static void fault(void)
{
    cudaStream_t a = make_stream(0x1000);
    CALL("cudaStreamSynchronize", cudaStreamSynchronize_v3020, a);
    uint64_t now = fake.clock(), at = (uint64_t)(uintptr_t)managed & ~((UINT64_C(1) << 21) - 1);
    const struct { int kind; uint64_t value, start, end, at; } records[] = {
        { CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, 4096, now + 20, now + 30,
          at },
        { CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, 61440, now + 30, now + 60,
          at + 4096 },
        { CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, 8192, now + 60, now + 70,
          at + (1 << 20) },
        { CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT, 19, now, now + 80, at },
        { CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT, 3, now + 79, now + 120,
          at + (1 << 16) },
        { CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, 4096, now + 200,
          now + 210, at },
        { CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, 61440, now + 210,
          now + 240, at + 4096 },
        { CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, 4096, now + 300,
          now + 310, at + (1 << 16) },
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        fake.records[fake.record_count++].pages = (CUpti_ActivityUnifiedMemoryCounter3){
            CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
            records[i].kind,
            records[i].value,
            records[i].start,
            records[i].end,
            records[i].at,
            CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH
        };
}

static void missing(void)
{
    cudaStream_t a = make_stream(0x1000);
    launch(a);
    CALL("cudaStreamSynchronize", cudaStreamSynchronize_v3020, a);
}

static void reset(void)
{
    ran(KERNEL, launch(make_stream(0x1000)), 1000, 2000, 0, 0);
    CALL("cudaDeviceReset", cudaStreamSynchronize_v3020, NULL);
    if (fake.record_count != 0)     /* taken before the device forgets */
        _exit(9);
}

static void failing(void)
{
    enter("cudaMalloc", &(cudaMalloc_v3020_params){ (void *[]){ device }, 1 });
    leave(2);
    hooks->report(2, "cudaMalloc(&p, 1)", "cudaErrorMemoryAllocation: out of memory", "work/06.cu",
                  3);
    exit(1);
}

static void leaving(void) { dropped(); fake.dropped = 0; _exit(0); }
static void killed(void)
{
    dropped();
    CALL("cudaDeviceSynchronize", cudaStreamSynchronize_v3020, NULL);
    raise(SIGKILL);
}
static void nothing(void) {}

/* How many times are records asked for while the program waits 30 times like that, where it takes
 * so long? */
static void count_flushes(unsigned us, void (*wait)(void))
{
    fake.flush_us = us;
    hooks->part("b");
    unsigned before = fake.flushes;
    for (int k = 0; k < 30; k++)
        wait();
    fprintf(stderr, "flushes: %u\n", fake.flushes - before);
    fake.flush_us = 0;
}

static void wait_for_all(void)
{
    CALL("cudaDeviceSynchronize", cudaStreamSynchronize_v3020, NULL);
}

/* Something is under way beside it. */
static void wait_for_one(void)
{
    launch((cudaStream_t)0x1000);
    CALL("cudaEventRecord", cudaEventRecord_v3020, (cudaEvent_t)0x5000, (cudaStream_t)0x1000);
    launch((cudaStream_t)0x2000);
    CALL("cudaEventSynchronize", cudaEventSynchronize_v3020, (cudaEvent_t)0x5000);
}

/* And here nothing else. */
static void wait_for_last(void)
{
    launch((cudaStream_t)0x1000);
    CALL("cudaEventRecord", cudaEventRecord_v3020, (cudaEvent_t)0x5000, (cudaStream_t)0x1000);
    CALL("cudaEventSynchronize", cudaEventSynchronize_v3020, (cudaEvent_t)0x5000);
}

static void quick_flushes(void) { count_flushes(0, wait_for_all); }
static void slow_flushes(void) { count_flushes(5000, wait_for_all); }
static void busy_flushes(void) { count_flushes(0, wait_for_one); }
static void event_flushes(void) { count_flushes(0, wait_for_last); }

/* Writes into the log what a log holds. */
static void meddling(void)
{
    static const char line[] = "forged";
    if (write(3, line, sizeof line) < 0)
        exit(1);
    pipeline();
}

static const struct { const char *name; void (*play)(void); } scenes[] = {
    { "pipeline", pipeline }, { "graph", graph }, { "threads", threads }, { "dropped", dropped },
    { "graph_in_graph", graph_in_graph }, { "lent_again", lent_again },
    { "timeless", timeless },
    { "missing", missing }, { "faulting", faulting }, { "reset", reset }, { "polling", polling },
    { "peers", peers }, { "managed_peers", managed_peers },
    { "pages", pages }, { "fault", fault },
    { "failing", failing }, { "leaving", leaving }, { "killed", killed }, { "nothing", nothing },
    { "meddling", meddling }, { "quick_flushes", quick_flushes }, { "slow_flushes", slow_flushes },
    { "busy_flushes", busy_flushes }, { "event_flushes", event_flushes },
};

int main(int argc, char **argv)
{
    (void)argc;
    if (strcmp(argv[1], "read") == 0)
        return read_log();
    fake.memory_kind = kind;
    void *recorder = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
    int (*begin)(void);
    if (!recorder) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    *(void **)&begin = dlsym(recorder, "InitializeInjection");
    begin();
    if (!getenv("FAKE_TAKEN") && fake.clock)
        fake_call(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED,
                  &(CUpti_ResourceData){ (CUcontext)&fake });
    hooks = recording();
    if (getenv("WORKBOOK_INPUT"))
        hooks->start();
    hooks->part("a");
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (strcmp(argv[1], scenes[i].name) == 0)
            scenes[i].play();
    hooks->part("");
    if (getenv("WORKBOOK_LOG"))
        fprintf(stderr, "key: %s\n", getenv("WORKBOOK_KEY") ? "there" : "gone");
    exit(3);
}
