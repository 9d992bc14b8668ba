/* SPDX-License-Identifier: MIT */
/*
 * Attributes of kernels' nodes. [H] is the comments of driver_types.h and cuda_runtime_api.h 13.0, [M] measured
 * (H200, driver 580.159.04) and written nowhere: what such a sentence expects stands in `chosen`.
 * Lines with # show what was found.
 */
#include "../rule.h"

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

enum stage { WHEN_SET, WHEN_INSTANTIATED, WHEN_LAUNCHED, NEVER };

static const struct {
    int new_priority;               /* of a node that is made from parameters */
    bool new_cluster_is_nothing;    /* its cluster is 0 x 0 x 0 */
    int new_remote_domain;          /* its domains are 0 and this */
    int new_carveout;
    bool priority_is_clamped;
    bool stream_gives_window, stream_gives_domain;  /* to what is captured in it */
    enum stage cooperative, cluster;    /* when a grid that does not fit is refused */
    cudaGraphExecUpdateResult other_cooperative, other_priority;
    bool carveout_is_one;
} chosen = {
    0, true, 1, 0, true, true, true, WHEN_SET, WHEN_SET,
    cudaGraphExecUpdateErrorAttributesChanged, cudaGraphExecUpdateErrorAttributesChanged, true,
};

__global__ void ring(int *out)
{
    out[1 + blockIdx.x] = (int)blockIdx.x + 1;
    cg::this_grid().sync();
    if (blockIdx.x == 0)
        out[0] = out[gridDim.x];
}

__global__ void cluster_of(int *out)
{
    out[0] = (int)__clusterSizeInBlocks();
}

__global__ void trivial(int *out)
{
    out[0] = 1;
}

static int *d;
static cudaStream_t s;

static void shows(const char *what, long long value)
{
    printf("# %s: %lld\n", what, value);
}

static cudaKernelNodeParams params_of(void (*kernel)(int *), unsigned blocks, unsigned threads)
{
    static void *arguments[] = { &d };
    cudaKernelNodeParams p = {};
    p.func = (void *)kernel;
    p.gridDim = dim3(blocks);
    p.blockDim = dim3(threads);
    p.kernelParams = arguments;
    return p;
}

static cudaGraphNode_t add(cudaGraph_t graph, void (*kernel)(int *), unsigned blocks = 4, unsigned threads = 32)
{
    cudaKernelNodeParams p = params_of(kernel, blocks, threads);
    cudaGraphNode_t node;
    CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p));
    return node;
}

static cudaGraph_t new_graph()
{
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    return graph;
}

static cudaKernelNodeAttrValue get(cudaGraphNode_t node, cudaKernelNodeAttrID id)
{
    cudaKernelNodeAttrValue v;
    memset(&v, 0x55, sizeof v);
    cudaError_t status = cudaGraphKernelNodeGetAttribute(node, id, &v);
    if (status != cudaSuccess)
        shows("a question for an attribute is refused; number", id);
    forget_errors();
    return v;
}

static cudaKernelNodeAttrValue value_of(int number)
{
    cudaKernelNodeAttrValue v;
    memset(&v, 0, sizeof v);
    v.priority = number;
    return v;
}

static cudaKernelNodeAttrValue cluster_value(unsigned x, unsigned y, unsigned z)
{
    cudaKernelNodeAttrValue v = value_of(0);
    v.clusterDim.x = x;
    v.clusterDim.y = y;
    v.clusterDim.z = z;
    return v;
}

static cudaKernelNodeAttrValue window_value(size_t bytes, float ratio, enum cudaAccessProperty miss)
{
    cudaKernelNodeAttrValue v = value_of(0);
    v.accessPolicyWindow.base_ptr = d;
    v.accessPolicyWindow.num_bytes = bytes;
    v.accessPolicyWindow.hitRatio = ratio;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    v.accessPolicyWindow.missProp = miss;
    return v;
}

static cudaError_t set(cudaGraphNode_t node, cudaKernelNodeAttrID id, cudaKernelNodeAttrValue v)
{
    cudaError_t status = cudaGraphKernelNodeSetAttribute(node, id, &v);
    forget_errors();
    return status;
}

static bool refused(cudaGraphNode_t node, cudaKernelNodeAttrID id, cudaKernelNodeAttrValue v)
{
    return set(node, id, v) == cudaErrorInvalidValue;
}

/* ---- a node that is made ---- */

static void new_nodes(size_t largest)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t a = add(graph, trivial), b = add(graph, trivial), memset_node;
    int priority = get(a, cudaKernelNodeAttributePriority).priority;
    shows("priority of a new node", priority);
    rule(priority == chosen.new_priority, "a new node has priority 0 [M]");
    cudaKernelNodeAttrValue v = get(a, cudaKernelNodeAttributeClusterDimension);
    shows("cluster of a new node, x", v.clusterDim.x);
    rule((v.clusterDim.x == 0 && v.clusterDim.y == 0 && v.clusterDim.z == 0) == chosen.new_cluster_is_nothing, "its cluster is 0 x 0 x 0 [M]");
    rule(get(a, cudaKernelNodeAttributeCooperative).cooperative == 0
             && get(a, cudaKernelNodeAttributeAccessPolicyWindow).accessPolicyWindow.num_bytes == 0
             && get(a, cudaKernelNodeAttributeClusterSchedulingPolicyPreference).clusterSchedulingPolicyPreference == cudaClusterSchedulingPolicyDefault,
         "it is not cooperative, has no window, and no wish for its clusters [M]");
    v = get(a, cudaKernelNodeAttributeMemSyncDomainMap);
    shows("its remote domain", v.memSyncDomainMap.remote);
    rule(v.memSyncDomainMap.default_ == 0 && v.memSyncDomainMap.remote == chosen.new_remote_domain
             && get(a, cudaKernelNodeAttributeMemSyncDomain).memSyncDomain == cudaLaunchMemSyncDomainDefault,
         "its domain is the default one of 0 and 1 [M]");
    v = get(a, cudaKernelNodeAttributePreferredSharedMemoryCarveout);
    shows("its carveout", (int)v.sharedMemCarveout);
    rule((int)v.sharedMemCarveout == chosen.new_carveout, "its carveout is 0 [M]");

    rule(set(a, cudaKernelNodeAttributePriority, value_of(-2)) == cudaSuccess && get(a, cudaKernelNodeAttributePriority).priority == -2
             && set(a, cudaKernelNodeAttributeCooperative, value_of(1)) == cudaSuccess && get(a, cudaKernelNodeAttributeCooperative).cooperative == 1
             && set(a, cudaKernelNodeAttributeMemSyncDomain, value_of(1)) == cudaSuccess
             && get(a, cudaKernelNodeAttributeMemSyncDomain).memSyncDomain == cudaLaunchMemSyncDomainRemote
             && set(a, cudaKernelNodeAttributeClusterSchedulingPolicyPreference, value_of(cudaClusterSchedulingPolicySpread)) == cudaSuccess
             && get(a, cudaKernelNodeAttributeClusterSchedulingPolicyPreference).clusterSchedulingPolicyPreference == cudaClusterSchedulingPolicySpread
             && set(a, cudaKernelNodeAttributeAccessPolicyWindow, window_value(4096, 0.5f, cudaAccessPropertyStreaming)) == cudaSuccess
             && get(a, cudaKernelNodeAttributeAccessPolicyWindow).accessPolicyWindow.num_bytes == 4096,
         "what is set is given back [H]");
    rule(set(a, cudaKernelNodeAttributeClusterDimension, cluster_value(2, 1, 1)) == cudaSuccess
             && get(a, cudaKernelNodeAttributeClusterDimension).clusterDim.x == 2,
         "a cluster, too [H]");
    rule((set(a, cudaKernelNodeAttributePreferredSharedMemoryCarveout, value_of(50)) == cudaSuccess) == chosen.carveout_is_one,
         "how much of an SM is shared memory is an attribute of nodes [M]");
    set(b, cudaKernelNodeAttributePriority, value_of(-700));
    priority = get(b, cudaKernelNodeAttributePriority).priority;
    shows("priority -700 becomes", priority);
    rule((priority != -700) == chosen.priority_is_clamped, "a priority becomes the nearest that the device has [M]");

    rule(cudaGraphKernelNodeCopyAttributes(b, a) == cudaSuccess && get(b, cudaKernelNodeAttributePriority).priority == -2
             && get(b, cudaKernelNodeAttributeCooperative).cooperative == 1 && get(b, cudaKernelNodeAttributeClusterDimension).clusterDim.x == 2
             && get(b, cudaKernelNodeAttributeAccessPolicyWindow).accessPolicyWindow.num_bytes == 4096
             && get(b, cudaKernelNodeAttributeMemSyncDomain).memSyncDomain == cudaLaunchMemSyncDomainRemote,
         "and all are copied to another node [H]");
    cudaKernelNodeParams p = params_of(trivial, 8, 32);
    rule(cudaGraphKernelNodeSetParams(a, &p) == cudaSuccess && get(a, cudaKernelNodeAttributePriority).priority == -2
             && get(a, cudaKernelNodeAttributeCooperative).cooperative == 1,
         "new parameters leave a node's attributes as they are [M]");

    cudaGraph_t clone;
    cudaGraphNode_t copy;
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphNodeFindInClone(&copy, a, clone));
    set(a, cudaKernelNodeAttributePriority, value_of(-1));
    rule(get(copy, cudaKernelNodeAttributePriority).priority == -2, "a clone has them, and keeps what it had [M]");

    rule(refused(a, cudaLaunchAttributeProgrammaticStreamSerialization, value_of(1)), "programmatic stream serialization is none of a node's [M]");
    cudaKernelNodeAttrValue any = value_of(0);
    rule(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeProgrammaticStreamSerialization, &any) == cudaErrorInvalidValue, "nor is it asked for [M]");
    rule(refused(a, cudaLaunchAttributeSynchronizationPolicy, value_of(1)) && refused(a, (cudaKernelNodeAttrID)99, value_of(0)),
         "nor what is of streams alone, or of nothing [H]");
    shows("attribute 0 (ignore) is", set(a, cudaLaunchAttributeIgnore, value_of(0)));
    rule(refused(a, cudaKernelNodeAttributeAccessPolicyWindow, window_value(4096, 1.5f, cudaAccessPropertyNormal))
             && refused(a, cudaKernelNodeAttributeAccessPolicyWindow, window_value(4096, 1, cudaAccessPropertyPersisting)),
         "a window is one that a stream could have: cudaErrorInvalidValue [M]");
    rule(refused(a, cudaKernelNodeAttributeAccessPolicyWindow, window_value(largest + 1, 1, cudaAccessPropertyNormal)), "and not larger [M]");
    v = value_of(0);
    v.memSyncDomainMap.default_ = 7;
    rule(refused(a, cudaKernelNodeAttributeMemSyncDomain, value_of(5)) && refused(a, cudaKernelNodeAttributeMemSyncDomain, value_of(-1))
             && refused(a, cudaKernelNodeAttributeMemSyncDomainMap, v),
         "of domains there are those that are named: cudaErrorInvalidValue [M]");
    rule(refused(a, cudaKernelNodeAttributePreferredSharedMemoryCarveout, value_of(101))
             && refused(a, cudaKernelNodeAttributePreferredSharedMemoryCarveout, value_of(cudaSharedmemCarveoutDefault)),
         "a carveout is from 0 to 100: cudaErrorInvalidValue [M]");
    rule(set(a, cudaKernelNodeAttributeClusterSchedulingPolicyPreference, value_of(9)) == cudaSuccess
             && get(a, cudaKernelNodeAttributeClusterSchedulingPolicyPreference).clusterSchedulingPolicyPreference == 9,
         "a wish for clusters is not looked at [M]");
    set(b, cudaKernelNodeAttributePriority, value_of(7));
    rule(get(b, cudaKernelNodeAttributePriority).priority == 0, "and 7 becomes the least [M]");

    cudaMemsetParams m;
    memset(&m, 0, sizeof m);
    m.dst = d;
    m.elementSize = 4;
    m.width = m.height = 1;
    CHECK(cudaGraphAddMemsetNode(&memset_node, graph, NULL, 0, &m));
    rule(refused(memset_node, cudaKernelNodeAttributePriority, value_of(0))
             && cudaGraphKernelNodeGetAttribute(memset_node, cudaKernelNodeAttributePriority, &any) == cudaErrorInvalidValue
             && cudaGraphKernelNodeCopyAttributes(memset_node, a) == cudaErrorInvalidValue
             && cudaGraphKernelNodeCopyAttributes(a, memset_node) == cudaErrorInvalidValue,
         "nodes of other kinds have none: cudaErrorInvalidValue [M]");
    forget_errors();
    CHECK(cudaGraphDestroy(clone));
    CHECK(cudaGraphDestroy(graph));
}

/* ---- a node that is captured ---- */

static cudaGraphNode_t captured(cudaStream_t stream, void (*kernel)(int *), cudaLaunchAttribute *a, unsigned count, cudaGraph_t *graph)
{
    cudaGraphNode_t node;
    size_t one = 1;
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(4);
    c.blockDim = dim3(32);
    c.stream = stream;
    c.attrs = a;
    c.numAttrs = count;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK(cudaLaunchKernelEx(&c, kernel, d));
    CHECK(cudaStreamEndCapture(stream, graph));
    CHECK(cudaGraphGetNodes(*graph, &node, &one));
    return node;
}

static void captures()
{
    int least, greatest;
    cudaStream_t urgent;
    cudaGraph_t graph;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
    cudaStreamAttrValue v = window_value(8192, 1, cudaAccessPropertyNormal);
    CHECK(cudaStreamSetAttribute(urgent, cudaStreamAttributeAccessPolicyWindow, &v));
    v = value_of(cudaLaunchMemSyncDomainRemote);
    CHECK(cudaStreamSetAttribute(urgent, cudaStreamAttributeMemSyncDomain, &v));

    cudaGraphNode_t node = captured(urgent, trivial, NULL, 0, &graph);
    rule(get(node, cudaKernelNodeAttributePriority).priority == greatest, "a captured kernel has its stream's priority [H]");
    size_t bytes = get(node, cudaKernelNodeAttributeAccessPolicyWindow).accessPolicyWindow.num_bytes;
    shows("bytes of the window of what a stream with one of 8192 captures", (long long)bytes);
    rule((bytes == 8192) == chosen.stream_gives_window, "and its window [M]");
    int domain = get(node, cudaKernelNodeAttributeMemSyncDomain).memSyncDomain;
    shows("domain of what a stream of domain 1 captures", domain);
    rule((domain == 1) == chosen.stream_gives_domain, "and its domain [M]");
    CHECK(cudaGraphDestroy(graph));

    cudaLaunchAttribute a[4];
    memset(a, 0, sizeof a);
    a[0].id = cudaLaunchAttributePriority;
    a[0].val.priority = greatest + 1;
    a[1].id = cudaLaunchAttributeCooperative;
    a[1].val.cooperative = 1;
    a[2].id = cudaLaunchAttributeAccessPolicyWindow;
    a[2].val = window_value(1024, 1, cudaAccessPropertyNormal);
    a[3].id = cudaLaunchAttributeMemSyncDomain;
    a[3].val.memSyncDomain = cudaLaunchMemSyncDomainDefault;
    node = captured(urgent, ring, a, 4, &graph);
    rule(get(node, cudaKernelNodeAttributePriority).priority == greatest + 1 && get(node, cudaKernelNodeAttributeCooperative).cooperative == 1
             && get(node, cudaKernelNodeAttributeAccessPolicyWindow).accessPolicyWindow.num_bytes == 1024
             && get(node, cudaKernelNodeAttributeMemSyncDomain).memSyncDomain == cudaLaunchMemSyncDomainDefault,
         "what the launch itself has goes before what its stream has [M]");
    CHECK(cudaGraphDestroy(graph));

    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val = cluster_value(2, 1, 1);
    a[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[1].val.programmaticStreamSerializationAllowed = 1;
    node = captured(s, cluster_of, a, 2, &graph);
    cudaKernelNodeAttrValue any;
    rule(get(node, cudaKernelNodeAttributeClusterDimension).clusterDim.x == 2
             && cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeProgrammaticStreamSerialization, &any) == cudaErrorInvalidValue,
         "its cluster is a node's attribute, programmatic stream serialization is not [M]");
    forget_errors();
    CHECK(cudaGraphDestroy(graph));
}

/* ---- what they do ---- */

/* Of a graph with one node: when it is refused, and with which error. */
static enum stage refused_when(void (*kernel)(int *), unsigned blocks, cudaKernelNodeAttrID id, cudaKernelNodeAttrValue v, cudaError_t *error)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = add(graph, kernel, blocks, kernel == ring ? 1024 : 32);
    cudaGraphExec_t exec = NULL;
    enum stage at = WHEN_SET;
    CHECK(cudaMemsetAsync(d, 0, sizeof *d, s));
    if ((*error = set(node, id, v)) == cudaSuccess) {
        at = WHEN_INSTANTIATED;
        *error = cudaGraphInstantiate(&exec, graph, 0);
    }
    if (at == WHEN_INSTANTIATED && *error == cudaSuccess) {
        at = WHEN_LAUNCHED;
        *error = cudaGraphLaunch(exec, s);
        if (*error == cudaSuccess)
            *error = cudaStreamSynchronize(s);
        if (*error == cudaSuccess)
            at = NEVER;
        CHECK(cudaGraphExecDestroy(exec));
    }
    forget_errors();
    CHECK(cudaGraphDestroy(graph));
    return at;
}

static int result()
{
    int value;
    CHECK(cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void launches(const struct cudaDeviceProp *prop)
{
    cudaError_t error;
    enum stage at = refused_when(ring, (unsigned)prop->multiProcessorCount, cudaKernelNodeAttributeCooperative, value_of(1), &error);
    rule(at == NEVER && result() == prop->multiProcessorCount, "the blocks of a cooperative node are there at once, and wait for each other [H]");
    at = refused_when(ring, 1000, cudaKernelNodeAttributeCooperative, value_of(1), &error);
    shows("a cooperative node of 1000 blocks of 1024 threads: error", error);
    shows("refused when (0 set, 1 instantiated, 2 launched, 3 never)", at);
    rule(at != NEVER && error == cudaErrorCooperativeLaunchTooLarge, "if there is no place for all of them: cudaErrorCooperativeLaunchTooLarge [M]");
    rule(at == chosen.cooperative, "which is said when it is set [M]");

    at = refused_when(cluster_of, 4, cudaKernelNodeAttributeClusterDimension, cluster_value(2, 1, 1), &error);
    rule(at == NEVER && result() == 2, "a node's blocks come in clusters [H]");
    at = refused_when(cluster_of, 5, cudaKernelNodeAttributeClusterDimension, cluster_value(2, 1, 1), &error);
    shows("a node of 5 blocks in clusters of 2: error", error);
    shows("refused when", at);
    rule(at != NEVER && error == cudaErrorInvalidClusterSize, "of a whole number of them: cudaErrorInvalidClusterSize [M]");
    rule(at == chosen.cluster, "which is said when it is set [M]");
    at = refused_when(cluster_of, 4, cudaKernelNodeAttributeClusterDimension, cluster_value(2, 0, 1), &error);
    shows("a node in clusters of 2 x 0 x 1: error", error);
    shows("refused when", at);
    rule(at != NEVER, "each of the three numbers is 1 at least [M]");
}

static cudaGraphExecUpdateResult updated(unsigned long long flags, cudaKernelNodeAttrID id, int value)
{
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = add(graph, trivial);
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo info;
    const cudaKernelNodeAttrValue other = value_of(value);
    CHECK(cudaGraphInstantiate(&exec, graph, flags));
    CHECK(cudaGraphKernelNodeSetAttribute(node, id, &other));
    memset(&info, 0, sizeof info);
    shows("an update with another value: error", cudaGraphExecUpdate(exec, graph, &info));
    forget_errors();
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    shows("and result", info.result);
    return info.result;
}

static void updates()
{
    cudaGraphExecUpdateResult result = updated(0, cudaKernelNodeAttributeCooperative, 1);
    rule(result != cudaGraphExecUpdateSuccess, "an executable graph's node does not become cooperative [H]");
    rule(result == chosen.other_cooperative, "cudaGraphExecUpdate says that an attribute has changed [M]");
    rule(updated(0, cudaKernelNodeAttributePriority, -1) == cudaGraphExecUpdateSuccess, "its priority may change [H]");
    result = updated(cudaGraphInstantiateFlagUseNodePriority, cudaKernelNodeAttributePriority, -1);
    rule(result != cudaGraphExecUpdateSuccess, "but not where the graph goes by its nodes' priorities [H]");
    rule(result == chosen.other_priority, "where it says the same [M]");
}

/* A full device, and blocks that wait: by which share of LONG does the graph's kernel come before their end? */
static double overtakes(unsigned full, unsigned long long flags, int stream_priority, int node_priority, bool set_later)
{
    cudaStream_t first = stream(cudaStreamNonBlocking), bulk = stream(cudaStreamNonBlocking), own;
    cudaEvent_t plain = event(), done = event();
    cudaGraph_t graph = new_graph();
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    cudaKernelNodeParams p = {};
    long long time = LONG / 4;
    void *arguments[] = { &time };
    const cudaKernelNodeAttrValue wanted = value_of(node_priority);
    float ms = 0;
    p.func = (void *)busy;
    p.gridDim = dim3(full);
    p.blockDim = dim3(1024);
    p.kernelParams = arguments;
    CHECK(cudaStreamCreateWithPriority(&own, cudaStreamNonBlocking, stream_priority));
    CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p));
    if (!set_later)
        CHECK(cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributePriority, &wanted));
    CHECK(cudaGraphInstantiate(&exec, graph, flags));
    if (set_later)
        CHECK(cudaGraphKernelNodeSetAttribute(node, cudaKernelNodeAttributePriority, &wanted));
    CHECK(cudaGraphUpload(exec, own));
    CHECK(cudaDeviceSynchronize());
    busy<<<full, 1024, 0, first>>>(LONG);
    busy<<<4 * full, 1024, 0, bulk>>>(LONG / 4);
    CHECK(cudaEventRecord(plain, bulk));
    CHECK(cudaGraphLaunch(exec, own));
    CHECK(cudaEventRecord(done, own));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, done, plain));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(own));
    shows("overtakes by percent of LONG", (long long)(ms * 1e8 / (double)LONG));
    return ms * 1e6 / (double)LONG;
}

static void priorities(const struct cudaDeviceProp *prop)
{
    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    const unsigned full = (unsigned)(prop->multiProcessorCount * (prop->maxThreadsPerMultiProcessor / 1024));
    const unsigned long long by_node = cudaGraphInstantiateFlagUseNodePriority;
    rule(overtakes(full, by_node, least, greatest, false) > 0.5, "with cudaGraphInstantiateFlagUseNodePriority a kernel has its node's priority [H]");
    rule(overtakes(full, 0, least, greatest, false) < 0.5, "and without it that of the stream of the launch [H]");
    rule(overtakes(full, 0, greatest, least, false) > 0.5, "which may be the greater one [H]");
    rule(overtakes(full, by_node, greatest, least, false) < 0.5, "and with it is not looked at [H]");
    rule(overtakes(full, by_node, least, greatest, true) < 0.5, "an executable graph keeps what its nodes had [M]");
}

int main()
{
    struct cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    if (prop.major < 9 || CUDART_VERSION < 13000)
        return rules_skip("a device of compute capability 9.0, and CUDA 13");
    d = on_device<int>(4096);
    s = stream(cudaStreamNonBlocking);
    warm_up(d);
    trivial<<<1, 1>>>(d);
    cluster_of<<<1, 1>>>(d);
    CHECK(cudaDeviceSynchronize());
    new_nodes((size_t)prop.accessPolicyMaxWindowSize);
    captures();
    launches(&prop);
    updates();
    priorities(&prop);
    return rules_end();
}
