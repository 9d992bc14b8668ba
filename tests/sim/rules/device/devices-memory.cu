/* SPDX-License-Identifier: MIT */
/* Memory of two devices, and of all. [G] is the Programming Guide 13, [H] the comments of cuda_runtime_api.h 13.0. */
/* run: SIM_PROFILE=dual */
#include "../rule.h"

__device__ int counter = 5;
__constant__ int factor;

static int *d[2];

static void use(int device)
{
    CHECK(cudaSetDevice(device));
}

__global__ void count(int times)
{
    counter += times * factor;
}

__global__ void increment(int *where)
{
    ++*where;
}

static struct cudaPointerAttributes of(const void *pointer)
{
    struct cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, pointer));
    return a;
}

static size_t free_bytes(int device)
{
    size_t free, total;
    use(device);
    CHECK(cudaMemGetInfo(&free, &total));
    return free;
}

static void device_memory(void)
{
    rule(of(d[0]).device == 0 && of(d[1]).device == 1, "memory is the device's that was current when it was made [G]");
    use(0);
    rule(of(d[1]).devicePointer == NULL && of(d[0]).devicePointer == d[0], "there is no address for a device that cannot reach it [H]");
    size_t before[2] = { free_bytes(0), free_bytes(1) }, some = (size_t)256 << 20;
    char *more;
    CHECK(cudaMalloc(&more, some));
    rule(free_bytes(1) + some <= before[1] && free_bytes(0) + some / 2 > before[0], "each device has memory of its own");
    use(0);
    rule(cudaMemset(more, 0, 16) == cudaErrorInvalidValue, "a device that is no peer cannot set it: cudaErrorInvalidValue [M]");
    cudaStream_t its;
    use(1);
    CHECK(cudaStreamCreate(&its));
    use(0);
    rule(cudaMemsetAsync(more, 0, 16, its) == cudaSuccess && cudaStreamSynchronize(its) == cudaSuccess,
         "it can be set in a stream of its own device while another is current [M]");
    CHECK(cudaStreamDestroy(its));
    rule(cudaFree(more) == cudaSuccess && free_bytes(1) + some / 2 > before[1], "it can be freed while another is current");
}

/* Which device a free waits for while device 0 is current. */
static void giving_back(void)
{
    static int *one, *other, *host;
    cudaStream_t s[2];
    for (int i = 0; i < 2; i++) {
        use(i);
        s[i] = stream(cudaStreamNonBlocking);
    }
    CHECK(cudaMalloc(&one, 4096));
    CHECK(cudaMalloc(&other, 4096));
    use(0);
    CHECK(cudaMallocHost(&host, 4096));
    busy<<<1, 1, 0, s[0]>>>(LONG);
    rule(!is_long(took([] { CHECK(cudaFree(one)); })), "freeing another device's memory does not wait for the current device [M]");
    CHECK(cudaDeviceSynchronize());
    busy<<<1, 1, 0, s[1]>>>(LONG);
    rule(!is_long(took([] { CHECK(cudaFreeHost(host)); })), "freeing pinned memory of the current device does not wait for another [M]");
    rule(cudaStreamQuery(s[1]) == cudaErrorNotReady && is_long(took([] { CHECK(cudaFree(other)); })),
         "freeing a device's memory waits for that device, whichever is current [M]");
    for (int i = 0; i < 2; i++)
        CHECK(cudaStreamDestroy(s[i]));
}

static void memory_of_all(void)
{
    int *host, *managed, where = -1;
    use(1);
    CHECK(cudaMallocHost(&host, sizeof *host));
    CHECK(cudaMallocManaged(&managed, 4096));
    *host = *managed = 10;
    rule(of(host).device == 1, "pinned memory knows the device that was current when it was made [H]");
    for (int i = 0; i < 2; i++) {
        use(i);
        increment<<<1, 1>>>(host);
        increment<<<1, 1>>>(managed);
        CHECK(cudaDeviceSynchronize());
    }
    rule(*host == 12, "pinned memory can be reached from every device [G]");
    rule(*managed == 12, "so can managed memory [G]");
    CHECK(prefetch(managed, 4096, 1, 0));
    CHECK(cudaDeviceSynchronize());
    rule(cudaMemRangeGetAttribute(&where, sizeof where, cudaMemRangeAttributeLastPrefetchLocation, managed, 4096) ==
                 cudaSuccess && where == 1,
         "managed memory can be told to go to the other device");
    rule(prefetch(managed, 4096, device_count(), 0) != cudaSuccess, "not to one that is not there");
    forget_errors();
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(managed));
}

static void variables(void)
{
    int two = 2, three = 3, values[2];
    use(0);
    CHECK(cudaMemcpyToSymbol(factor, &two, sizeof two));
    use(1);
    CHECK(cudaMemcpyToSymbol(factor, &three, sizeof three));
    for (int i = 0; i < 2; i++) {
        use(i);
        count<<<1, 1>>>(10);
        CHECK(cudaMemcpyFromSymbol(&values[i], counter, sizeof values[i]));
    }
    rule(values[0] == 25 && values[1] == 35, "each device has __device__ and __constant__ variables of its own");
}

static void pools(void)
{
    cudaMemPool_t pool[2];
    CHECK(cudaDeviceGetDefaultMemPool(&pool[0], 0));
    CHECK(cudaDeviceGetDefaultMemPool(&pool[1], 1));
    rule(pool[0] != pool[1], "each device has a pool of its own [G]");
    rule(cudaDeviceSetMemPool(0, pool[1]) != cudaSuccess, "another device's pool cannot become its own [H]");
    forget_errors();

    int *p;
    use(1);
    cudaStream_t s = stream();
    use(0);
    CHECK(cudaMallocAsync(&p, sizeof *p, s));
    CHECK(cudaStreamSynchronize(s));
    rule(of(p).device == 1, "cudaMallocAsync takes the memory of the stream's device [H]");

    struct cudaMemAccessDesc wish = {};
    enum cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    wish.location.type = cudaMemLocationTypeDevice;
    wish.location.id = 1;
    rule(cudaMemPoolGetAccess(&flags, pool[1], &wish.location) == cudaSuccess && flags == cudaMemAccessFlagsProtReadWrite,
         "a device reaches its own pool's memory [G]");
    wish.flags = cudaMemAccessFlagsProtNone;
    rule(cudaMemPoolSetAccess(pool[1], &wish, 1) != cudaSuccess, "that cannot be taken from it [G]");
    forget_errors();
    wish.location.id = 0;
    rule(cudaMemPoolGetAccess(&flags, pool[1], &wish.location) == cudaSuccess && flags == cudaMemAccessFlagsProtNone,
         "another does not at first [G]");

    int can = 0, value = 5;
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (can) {
        struct cudaMemAccessDesc both[2] = { wish, wish };
        both[0].flags = both[1].flags = cudaMemAccessFlagsProtReadWrite;
        both[1].location.id = 77;
        rule(cudaMemPoolSetAccess(pool[1], both, 2) != cudaSuccess &&
                 cudaMemPoolGetAccess(&flags, pool[1], &wish.location) == cudaSuccess && flags == cudaMemAccessFlagsProtNone,
             "of a list with a mistake in it nothing is taken");
        forget_errors();
        wish.flags = cudaMemAccessFlagsProtReadWrite;
        rule(cudaMemPoolSetAccess(pool[1], &wish, 1) == cudaSuccess, "a pool can let a peer reach its memory [G]");
        CHECK(cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice));
        increment<<<1, 1>>>(p);
        CHECK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
        rule(value == 6, "then the peer's kernels read and write it, with no cudaDeviceEnablePeerAccess [G]");
    } else {
        rules_skip("devices that can be peers");
    }
    CHECK(cudaFreeAsync(p, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaStreamDestroy(s));
}

static void reset(void)
{
    int value = 3;
    use(0);
    cudaStream_t s = stream();
    CHECK(cudaMemcpy(d[0], &value, sizeof value, cudaMemcpyHostToDevice));
    use(1);
    int can = 0;
    size_t heap = 0, again = 0;
    CHECK(cudaDeviceCanAccessPeer(&can, 1, 0));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 * heap));
    if (can)
        CHECK(cudaDeviceEnablePeerAccess(0, 0));
    rule(cudaDeviceReset() == cudaSuccess, "one device can be reset");
    rule(cudaDeviceGetLimit(&again, cudaLimitMallocHeapSize) == cudaSuccess && again == heap, "its limits are those of the beginning [H]");
    rule(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled, "it has no peers any more [H]");
    forget_errors();
    use(0);
    increment<<<1, 1, 0, s>>>(d[0]);
    rule(cudaMemcpyAsync(&value, d[0], sizeof value, cudaMemcpyDeviceToHost, s) == cudaSuccess &&
             cudaStreamSynchronize(s) == cudaSuccess && value == 4,
         "the other one goes on: its memory and its streams are there [H]");
    rule(cudaFree(d[1]) != cudaSuccess, "the memory of the one that was reset is gone [H]");
    forget_errors();
    use(1);
    d[1] = on_device<int>(1);
    increment<<<1, 1>>>(d[1]);
    rule(cudaMemcpy(&value, d[1], sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess && value == 1,
         "it can be used again");
}

int main()
{
    if (device_count() < 2)
        return rules_skip("two devices");
    for (int i = 0; i < 2; i++) {
        use(i);
        d[i] = on_device<int>(4);
        warm_up(d[i]);
    }
    device_memory();
    giving_back();
    memory_of_all();
    variables();
    pools();
    reset();
    return rules_end();
}
