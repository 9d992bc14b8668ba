/* SPDX-License-Identifier: MIT */
/* attributes.cu - what can this card do at the same time?
 *
 *   build/bin/simcc -o attributes lessons/02-stream-queues/demos/attributes.cu && ./attributes */
#include <stdio.h>

#include "streams.h"

int main(void)
{
    //> attributes
    static const struct { enum cudaDeviceAttr attribute; const char *name; } asked[] = {
        { cudaDevAttrAsyncEngineCount, "asyncEngineCount" },
        { cudaDevAttrConcurrentKernels, "concurrentKernels" },
        { cudaDevAttrMultiProcessorCount, "multiProcessorCount" },
    };
    for (auto &a : asked) {
        int value;
        CHECK(cudaDeviceGetAttribute(&value, a.attribute, 0));
        printf("%-20s %d\n", a.name, value);
    }
    //< attributes
    return 0;
}
