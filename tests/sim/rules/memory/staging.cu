/* SPDX-License-Identifier: MIT */
/* The staging table [M]: which asynchronous copies return while their own stream is busy? */
#include <stdlib.h>

#include "../rule.h"

static const size_t KIB = 1 << 10, MIB = 1 << 20;

static char *device, *pinned_memory, *pageable;
static cudaStream_t s;

static bool returns(char *host, size_t bytes, bool to_device)
{
    CHECK(cudaDeviceSynchronize());
    busy<<<1, 1, 0, s>>>(5 * LONG);
    long long ns = took([&] {
        CHECK(cudaMemcpyAsync(to_device ? device : host, to_device ? host : device, bytes,
                              to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, s));
    });
    CHECK(cudaDeviceSynchronize());
    return ns < 5 * LONG / 2;
}

int main()
{
    device = on_device<char>(64 * MIB);
    pinned_memory = pinned<char>(64 * MIB);
    pageable = (char *)malloc(64 * MIB);
    memset(pageable, 1, 64 * MIB);
    warm_up((int *)device);
    s = stream();
    const size_t small[] = { 4, KIB, 16 * KIB, 64 * KIB, 64 * KIB + 4, MIB }, large[] = { 4 * MIB, 16 * MIB, 64 * MIB };
    bool from_pinned = true, to_pinned = true, from_pageable = true, to_pageable = false, from_large = false;
    for (size_t bytes : small) {
        from_pinned = from_pinned && returns(pinned_memory, bytes, true);
        to_pinned = to_pinned && returns(pinned_memory, bytes, false);
        from_pageable = from_pageable && returns(pageable, bytes, true);
        to_pageable = to_pageable || returns(pageable, bytes, false);
    }
    for (size_t bytes : large) {
        from_large = from_large || returns(pageable, bytes, true);
        from_pinned = from_pinned && returns(pinned_memory, bytes, true);
    }
    rule(from_pinned && to_pinned, "copies from and to pinned memory return, whatever their size");
    rule(from_pageable, "copies from pageable memory return up to 1 MiB");
    rule(!from_large, "from 4 MiB on they wait");
    rule(!to_pageable, "copies to pageable memory wait, whatever their size");
    free(pageable);
    return rules_end();
}
