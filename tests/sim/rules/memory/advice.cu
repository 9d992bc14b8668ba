/* SPDX-License-Identifier: MIT */
/* What managed memory remembers of advice and prefetches. [H] is the comments of cuda_runtime_api.h 13.0. */
#include "../rule.h"

static const size_t MIB = 1 << 20;

static int attribute(enum cudaMemRangeAttribute which, const char *p, size_t bytes)
{
    int value = 77;
    CHECK(cudaMemRangeGetAttribute(&value, sizeof value, which, p, bytes));
    return value;
}

static cudaError_t advise(const char *p, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
#if CUDART_VERSION >= 13000
    struct cudaMemLocation where;
    where.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    where.id = device == cudaCpuDeviceId ? 0 : device;
    return cudaMemAdvise(p, bytes, advice, where);
#else
    return cudaMemAdvise(p, bytes, advice, device);
#endif
}

int main()
{
    char *m;
    int *d = on_device<int>(4), list[3] = { 7, 7, 7 };
    warm_up(d);
    CHECK(cudaMallocManaged(&m, 4 * MIB));
    memset(m, 0, 4 * MIB);

    rule(attribute(cudaMemRangeAttributeReadMostly, m, 4 * MIB) == 0 &&
             attribute(cudaMemRangeAttributePreferredLocation, m, 4 * MIB) == cudaInvalidDeviceId &&
             attribute(cudaMemRangeAttributeLastPrefetchLocation, m, 4 * MIB) == cudaInvalidDeviceId,
         "managed memory that nothing was said of has no advice and no place [H]");
    CHECK(advise(m, 2 * MIB, cudaMemAdviseSetReadMostly, 0));
    rule(attribute(cudaMemRangeAttributeReadMostly, m, 2 * MIB) == 1 &&
             attribute(cudaMemRangeAttributeReadMostly, m, 4 * MIB) == 0,
         "advice holds for a range when all of its pages have it [H]");
    CHECK(advise(m, 4 * MIB, cudaMemAdviseUnsetReadMostly, 0));
    rule(attribute(cudaMemRangeAttributeReadMostly, m, 2 * MIB) == 0, "advice can be taken back");
    CHECK(advise(m, 2 * MIB, cudaMemAdviseSetPreferredLocation, 0));
    CHECK(advise(m + 2 * MIB, 2 * MIB, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    rule(attribute(cudaMemRangeAttributePreferredLocation, m, 2 * MIB) == 0 &&
             attribute(cudaMemRangeAttributePreferredLocation, m + 2 * MIB, MIB) == cudaCpuDeviceId &&
             attribute(cudaMemRangeAttributePreferredLocation, m, 4 * MIB) == cudaInvalidDeviceId,
         "so does a preferred place");
    CHECK(prefetch(m, 4 * MIB, 0, 0));
    CHECK(prefetch(m, 2 * MIB, cudaCpuDeviceId, 0));
    CHECK(cudaDeviceSynchronize());
    rule(attribute(cudaMemRangeAttributeLastPrefetchLocation, m, 2 * MIB) == cudaCpuDeviceId &&
             attribute(cudaMemRangeAttributeLastPrefetchLocation, m + 2 * MIB, 2 * MIB) == 0 &&
             attribute(cudaMemRangeAttributeLastPrefetchLocation, m, 4 * MIB) == cudaInvalidDeviceId,
         "the place of the last prefetch is remembered");
    CHECK(advise(m, 4 * MIB, cudaMemAdviseSetAccessedBy, 0));
    CHECK(cudaMemRangeGetAttribute(list, sizeof list, cudaMemRangeAttributeAccessedBy, m, 4 * MIB));
    rule(list[0] == 0 && list[1] == cudaInvalidDeviceId && list[2] == cudaInvalidDeviceId, "who accesses it is a list of devices [H]");

    CHECK(advise(m, 4 * MIB, cudaMemAdviseUnsetAccessedBy, 0));
    CHECK(cudaMemRangeGetAttribute(list, sizeof list, cudaMemRangeAttributeAccessedBy, m, 4 * MIB));
    rule(list[0] == cudaInvalidDeviceId, "and whoever is taken off it is not in it any more [H]");
    int read_mostly = 7, preferred = 7;
    void *data[] = { &read_mostly, &preferred };
    size_t sizes[] = { sizeof(int), sizeof(int) };
    enum cudaMemRangeAttribute which[] = { cudaMemRangeAttributeReadMostly, cudaMemRangeAttributePreferredLocation };
    rule(cudaMemRangeGetAttributes(data, sizes, which, 2, m, 2 * MIB) == cudaSuccess && read_mostly == 0 && preferred == 0,
         "several attributes can be asked for at once");
    rule(cudaMemRangeGetAttribute(list, 2, cudaMemRangeAttributeReadMostly, m, MIB) == cudaErrorInvalidValue,
         "an answer that has no room: cudaErrorInvalidValue [H]");
    rule(cudaMemRangeGetAttribute(list, sizeof(int), cudaMemRangeAttributeReadMostly, d, 16) == cudaErrorInvalidValue,
         "memory that is not managed: cudaErrorInvalidValue");
    forget_errors();
    CHECK(cudaFree(m));
    return rules_end();
}
