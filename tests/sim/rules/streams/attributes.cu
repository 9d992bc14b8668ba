/* SPDX-License-Identifier: MIT */
/* Attributes of streams and launches: what is taken, what is given back, what a wrong one is told. [H] is driver_types.h 13.0. */
#include "../rule.h"

__global__ void add(int *p, float value)
{
    atomicAdd(p, (int)value);
}

__global__ void add_after(int *p, int value)
{
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    atomicAdd(p, value);
}

static cudaStreamAttrValue window(void *base, size_t bytes, float ratio, enum cudaAccessProperty miss)
{
    cudaStreamAttrValue v;
    memset(&v, 0, sizeof v);
    v.accessPolicyWindow.base_ptr = base;
    v.accessPolicyWindow.num_bytes = bytes;
    v.accessPolicyWindow.hitRatio = ratio;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    v.accessPolicyWindow.missProp = miss;
    return v;
}

static cudaError_t set(cudaStream_t s, cudaStreamAttrID id, cudaStreamAttrValue v)
{
    return cudaStreamSetAttribute(s, id, &v);
}

static cudaStreamAttrValue get(cudaStream_t s, cudaStreamAttrID id)
{
    cudaStreamAttrValue v;
    memset(&v, 0x55, sizeof v);
    CHECK(cudaStreamGetAttribute(s, id, &v));
    return v;
}

static void windows(const struct cudaDeviceProp *prop, int *d)
{
    const cudaStreamAttrID id = cudaStreamAttributeAccessPolicyWindow;
    cudaStream_t s = stream(), t = stream();
    rule(get(s, id).accessPolicyWindow.num_bytes == 0 && get(s, id).accessPolicyWindow.base_ptr == NULL, "a stream has no access policy window at first [M]");
    cudaError_t taken = set(s, id, window(d, 4096, 0.6f, cudaAccessPropertyStreaming));
    struct cudaAccessPolicyWindow w = get(s, id).accessPolicyWindow;
    rule(taken == cudaSuccess && w.base_ptr == d && w.num_bytes == 4096 && w.hitRatio == 0.6f && w.hitProp == cudaAccessPropertyPersisting &&
             w.missProp == cudaAccessPropertyStreaming,
         "what is set is given back");
    rule(cudaStreamCopyAttributes(t, s) == cudaSuccess && get(t, id).accessPolicyWindow.num_bytes == 4096, "and copied to another stream");
    rule(set(s, id, window(d, 4096, 1.5f, cudaAccessPropertyNormal)) == cudaErrorInvalidValue &&
             set(s, id, window(d, 4096, -0.5f, cudaAccessPropertyNormal)) == cudaErrorInvalidValue,
         "a hit ratio is 0 to 1: cudaErrorInvalidValue [M]");
    rule(set(s, id, window(d, 4096, 1, cudaAccessPropertyPersisting)) == cudaErrorInvalidValue, "what misses does not persist: cudaErrorInvalidValue [H]");
    rule(set(s, id, window(d, (size_t)prop->accessPolicyMaxWindowSize + 1, 1, cudaAccessPropertyNormal)) == cudaErrorInvalidValue,
         "a window has a largest size: cudaErrorInvalidValue");
    rule(set(s, id, window(d, (size_t)prop->accessPolicyMaxWindowSize, 1, cudaAccessPropertyNormal)) == cudaSuccess && set(s, id, window(NULL, 0, 0, cudaAccessPropertyNormal)) ==
             cudaSuccess && set(NULL, id, window(d, 64, 1, cudaAccessPropertyNormal)) == cudaSuccess,
         "that size is taken, none at all, and one for the default stream");
    forget_errors();
}

static void others()
{
    cudaStream_t s = stream(), t;
    int least, greatest, priority = 7;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, greatest));
    cudaStreamAttrValue v;
    memset(&v, 0, sizeof v);
    v.syncPolicy = cudaSyncPolicyBlockingSync;
    rule(set(s, cudaStreamAttributeSynchronizationPolicy, v) == cudaSuccess &&
             get(s, cudaStreamAttributeSynchronizationPolicy).syncPolicy == cudaSyncPolicyBlockingSync,
         "how to wait for a stream can be set");
    v.syncPolicy = (enum cudaSynchronizationPolicy)5;
    rule(set(s, cudaStreamAttributeSynchronizationPolicy, v) == cudaErrorInvalidValue, "of the ways that there are: cudaErrorInvalidValue [M]");
    rule(get(t, cudaStreamAttributePriority).priority == greatest, "a stream's priority is an attribute");
    v.priority = greatest - 70;
    rule(set(s, cudaStreamAttributePriority, v) == cudaSuccess && cudaStreamGetPriority(s, &priority) == cudaSuccess && priority == greatest,
         "which can be set, to the nearest that there is [M]");
    rule(cudaStreamCopyAttributes(t, stream()) == cudaSuccess && get(t, cudaStreamAttributePriority).priority == least, "and is copied with the others [M]");
    memset(&v, 0, sizeof v);
    rule(set(s, cudaLaunchAttributeCooperative, v) == cudaErrorInvalidValue && set(s, (cudaStreamAttrID)99, v) == cudaErrorInvalidValue &&
             set(s, cudaLaunchAttributeIgnore, v) == cudaErrorInvalidValue,
         "a stream has no attributes of launches alone: cudaErrorInvalidValue [M]");
    forget_errors();
}

static void persisting(const struct cudaDeviceProp *prop)
{
    size_t most = (size_t)prop->persistingL2CacheMaxSize, value = 0;
    rule(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most) == cudaSuccess &&
             cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize) == cudaSuccess && value == most,
         "L2 cache can be set aside, as much as the device names");
    rule(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most + 1) == cudaErrorInvalidValue, "and no more: cudaErrorInvalidValue [M]");
    rule(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most / 3) == cudaSuccess &&
             cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize) == cudaSuccess && value >= most / 3 && value <= most,
         "in steps of the device's: at least what was asked for [M]");
    rule(cudaCtxResetPersistingL2Cache() == cudaSuccess, "and given back to normal use");
    forget_errors();
}

static void launches(int *d)
{
    cudaLaunchAttribute a[3];
    cudaLaunchConfig_t c;
    memset(a, 0, sizeof a);
    memset(&c, 0, sizeof c);
    c.gridDim = dim3(2);
    c.blockDim = dim3(32);
    c.stream = stream();
    c.attrs = a;
    a[0].id = cudaLaunchAttributePriority;
    a[0].val.priority = -1;
    a[1].id = cudaLaunchAttributeAccessPolicyWindow;
    a[1].val.accessPolicyWindow = window(d, 64, 1, cudaAccessPropertyNormal).accessPolicyWindow;
    a[2].id = cudaLaunchAttributeIgnore;
    c.numAttrs = 3;
    int sum = 0;
    CHECK(cudaMemset(d, 0, sizeof *d));
    CHECK(cudaDeviceSynchronize());
    /* The kernel's parameter is a float: an int becomes one. */
    rule(cudaLaunchKernelEx(&c, add, d, 3) == cudaSuccess, "a launch takes attributes, its arguments become the parameters' types");
    a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[0].val.programmaticStreamSerializationAllowed = 1;
    rule(cudaLaunchKernelEx(&c, add_after, d, 1) == cudaSuccess, "it may begin before its stream is done, and waits in the kernel");
    void *args[] = { &d, &sum };
    sum = 1;
    c.numAttrs = 0;
    rule(cudaLaunchKernelExC(&c, (const void *)add_after, args) == cudaSuccess, "so does one by address");
    CHECK(cudaMemcpyAsync(&sum, d, sizeof sum, cudaMemcpyDeviceToHost, c.stream));
    CHECK(cudaStreamSynchronize(c.stream));
    rule(sum == 64 * 5, "each of them ran once, in order");
    a[1].val.accessPolicyWindow.hitRatio = 2;
    c.numAttrs = 2;
    rule(cudaLaunchKernelEx(&c, add, d, 3) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue,
         "a launch with an attribute that is wrong: cudaErrorInvalidValue, and it is the last error");
    forget_errors();
}

/* A launch's own priority: where a full device lets one of two waiting kernels begin. */
static void urgent()
{
    cudaStream_t s = stream(cudaStreamNonBlocking), t = stream(cudaStreamNonBlocking), u = stream(cudaStreamNonBlocking);
    struct cudaDeviceProp prop;
    int least, greatest;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cudaLaunchAttribute a;
    cudaLaunchConfig_t c;
    memset(&a, 0, sizeof a);
    memset(&c, 0, sizeof c);
    unsigned full = (unsigned)(prop.multiProcessorCount * (prop.maxThreadsPerMultiProcessor / 1024));
    c.gridDim = dim3(full);
    c.blockDim = dim3(1024);
    c.stream = u;
    c.attrs = &a;
    c.numAttrs = 1;
    a.id = cudaLaunchAttributePriority;
    a.val.priority = greatest;
    cudaEvent_t plain = event(), first = event();
    float ms = 0;
    busy<<<full, 1024, 0, s>>>(LONG);
    busy<<<4 * full, 1024, 0, t>>>(LONG / 4);
    CHECK(cudaEventRecord(plain, t));
    CHECK(cudaLaunchKernelEx(&c, busy, LONG / 4));
    CHECK(cudaEventRecord(first, u));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, first, plain));
    rule(ms > 0.5f * (float)LONG / 1e6f, "a launch of greater priority overtakes blocks that wait");
}

/* ---- dependent launches ---- */

__global__ void ahead(int *at, long long before, long long after, bool triggers)
{
    kernel_cost(triggers ? before : before + after);
    if (triggers) {
        cudaTriggerProgrammaticLaunchCompletion();
        kernel_cost(after);
    }
    *at = 7;
}

__global__ void after(const int *from, int *to, long long prologue, long long rest, bool waits)
{
    kernel_cost(prologue);
    if (!waits)
        return;
    cudaGridDependencySynchronize();
    kernel_cost(rest);
    *to = *from;
}

static cudaLaunchConfig_t alone(cudaStream_t s, cudaLaunchAttribute *a)
{
    a->id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a->val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t c;
    memset(&c, 0, sizeof c);
    c.gridDim = c.blockDim = dim3(1);
    c.stream = s;
    c.attrs = a;
    c.numAttrs = 1;
    return c;
}

/* Of two kernels, in shares of LONG: a half or nothing until it may trigger, and one; a half before it waits, and a half. Then a
 * third one. */
static double takes(cudaStream_t s, int *d, bool triggers, bool waits)
{
    cudaLaunchAttribute a;
    cudaLaunchConfig_t c = alone(s, &a);
    cudaEvent_t from = event(), to = event();
    float ms = 0;
    CHECK(cudaMemset(d, 0, 3 * sizeof *d));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(from, s));
    ahead<<<1, 1, 0, s>>>(d, LONG / 2, LONG, triggers);
    CHECK(cudaLaunchKernelEx(&c, after, (const int *)d, d + 1, LONG / 2, LONG / 2, waits));
    copy_int<<<1, 1, 0, s>>>(d + 2, d);
    CHECK(cudaEventRecord(to, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    return ms * 1e6 / (double)LONG;
}

static bool is_about(double shares, double wanted) { return shares > 0.95 * wanted && shares < 1.05 * wanted; }

static void dependent(int *d)
{
    cudaStream_t s = stream(cudaStreamNonBlocking);
    takes(s, d, true, true);            /* they are loaded */
    rule(is_about(takes(s, d, true, true), 2), "a dependent launch begins when the kernel ahead triggers, and waits for its end");
    int seen[3];
    CHECK(cudaMemcpy(seen, d, sizeof seen, cudaMemcpyDeviceToHost));
    rule(seen[1] == 7, "what that kernel wrote last is there then");
    rule(is_about(takes(s, d, false, true), 2.5), "a kernel that does not trigger lets it begin with its end");
    rule(is_about(takes(s, d, true, false), 1.5), "one that does not wait goes on by itself");
    CHECK(cudaMemcpy(seen, d, sizeof seen, cudaMemcpyDeviceToHost));
    rule(seen[2] == 7, "and a third kernel waits for both");
}

int main()
{
    int *d = on_device<int>(1024);
    warm_up(d);
    add<<<1, 1>>>(d, 0);
    add_after<<<1, 1>>>(d, 0);
    CHECK(cudaDeviceSynchronize());
    struct cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    if (prop.accessPolicyMaxWindowSize == 0)
        return rules_skip("a device with access policy windows");
    windows(&prop, d);
    others();
    persisting(&prop);
    launches(d);
    urgent();
    if (prop.major >= 9)
        dependent(d);
    return rules_end();
}
