/* SPDX-License-Identifier: MIT */
/* Memory: which calls wait for the device, what pointers are, managed memory. */
#include <stdlib.h>

#include "../rule.h"

__device__ __managed__ int shared_counter = 5;

__global__ void increment(int *p)
{
    *p += 1;
}

__global__ void increment_shared_counter()
{
    shared_counter += 1;
}

template <typename F> static bool holds(cudaStream_t s, F something)
{
    CHECK(cudaDeviceSynchronize());
    busy<<<1, 1, 0, s>>>(LONG);
    bool held = is_long(took(something));
    CHECK(cudaDeviceSynchronize());
    return held;
}

static enum cudaMemoryType type_of(const void *p)
{
    struct cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, p));
    return a.type;
}

int main()
{
    int *d = on_device<int>(1024), *e, *p, *m;
    void *host = aligned_alloc(4096, 1 << 20);
    warm_up(d);
    cudaStream_t s = stream(cudaStreamNonBlocking);

    rule(!holds(s, [&] { CHECK(cudaMalloc(&e, 1 << 20)); }), "cudaMalloc does not wait");
    rule(!holds(s, [&] { CHECK(cudaMallocHost(&p, 4096)); }), "cudaMallocHost does not wait");
    rule(!holds(s, [&] { CHECK(cudaHostRegister(host, 1 << 20, cudaHostRegisterDefault)); }), "cudaHostRegister does not wait");
    rule(!holds(s, [&] { CHECK(cudaMallocManaged(&m, 4096)); }), "cudaMallocManaged does not wait");

    rule(type_of(d) == cudaMemoryTypeDevice && type_of(p) == cudaMemoryTypeHost && type_of(m) == cudaMemoryTypeManaged &&
             type_of(&s) == cudaMemoryTypeUnregistered && type_of(host) == cudaMemoryTypeHost,
         "a pointer tells what memory it points to");
    rule(cudaHostRegister(host, 1 << 20, 0) == cudaErrorHostMemoryAlreadyRegistered,
         "registering twice: cudaErrorHostMemoryAlreadyRegistered");
    forget_errors();

    int *h = (int *)host;
    *h = 1;
    busy<<<1, 1, 0, s>>>(LONG);
    CHECK(cudaMemcpyAsync(d, h, sizeof *h, cudaMemcpyHostToDevice, s));
    *h = 2;     /* hazards: 1, this one */
    CHECK(cudaMemcpyAsync(h + 1, d, sizeof *h, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    rule(h[1] == 2, "registered memory is read when the copy engine gets there");

    rule(holds(s, [&] { CHECK(cudaHostUnregister(host)); }), "cudaHostUnregister waits for the whole device");
    rule(holds(s, [&] { CHECK(cudaFree(e)); }), "cudaFree waits for the whole device");
    rule(holds(s, [&] { CHECK(cudaFreeHost(p)); }), "cudaFreeHost waits for the whole device");
    rule(type_of(host) == cudaMemoryTypeUnregistered, "memory that is no longer registered is the host's own");

    m[0] = 41;
    increment<<<1, 1, 0, s>>>(m);
    CHECK(cudaStreamSynchronize(s));
    rule(m[0] == 42, "managed memory is reached from both sides");
    CHECK(prefetch(m, 4096, 0, s));
    CHECK(prefetch(m, 4096, cudaCpuDeviceId, s));
    CHECK(cudaStreamSynchronize(s));
    rule(m[0] == 42, "prefetching managed memory changes nothing in it");
#if CUDART_VERSION >= 13000
    struct cudaMemLocation device = { cudaMemLocationTypeDevice, 0 };
    rule(cudaMemPrefetchAsync(m, 4096, device, 0, s) == cudaSuccess &&
             cudaMemAdvise(m, 4096, cudaMemAdviseSetPreferredLocation, device) == cudaSuccess,
         "CUDA 13 prefetches to a location");
#endif
#ifdef __SIMCC__
    rule(cudaMemPrefetchAsync(m, 4096, 0, s) == cudaSuccess && cudaMemPrefetchAsync(m, 4096, 0, NULL) == cudaSuccess &&
             cudaMemAdvise(m, 4096, cudaMemAdviseSetReadMostly, 0) == cudaSuccess,
         "CUDA 12 prefetches to a device");
#endif
    rule(!holds(s, [&] { CHECK(prefetch(m, 4096, 0, s)); }), "a prefetch does not hold up the host");
    rule(prefetch(d, 4096, 0, s) == cudaErrorInvalidValue, "only managed memory can be prefetched: cudaErrorInvalidValue");
    forget_errors();

    increment_shared_counter<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    rule(shared_counter == 6, "a managed variable is reached from both sides");
    rule(type_of(&shared_counter) == cudaMemoryTypeManaged, "a managed variable is managed memory");
    CHECK(cudaFree(m));
    free(host);
    return rules_end();
}
