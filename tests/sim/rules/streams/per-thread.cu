/* SPDX-License-Identifier: MIT */
/* build: --default-stream per-thread */
/* Here "the default stream" is the thread's own. [G, S, M] */
#include <thread>
#include <vector>

#include "../rule.h"

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    cudaStream_t a = stream();

    long long ns = took([] {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++)
            threads.emplace_back([] {
                busy<<<1, 1>>>(LONG);
                busy<<<1, 1>>>(LONG);
                CHECK(cudaStreamSynchronize(0));
            });
        for (auto &t : threads)
            t.join();
    });
    rule(ns > LONG && ns < 6 * LONG, "four threads do not wait for each other in it");

    busy<<<1, 1, 0, a>>>(LONG);
    busy<<<1, 1>>>(0);
    rule(!is_long(took([] { CHECK(cudaStreamSynchronize(0)); })), "it does not wait for blocking streams");
    CHECK(cudaDeviceSynchronize());
    busy<<<1, 1, 0, cudaStreamLegacy>>>(LONG);
    busy<<<1, 1>>>(0);
    rule(is_long(took([] { CHECK(cudaStreamSynchronize(0)); })), "but for cudaStreamLegacy");
    busy<<<1, 1>>>(LONG);
    rule(cudaStreamQuery(0) == cudaErrorNotReady && cudaStreamQuery(cudaStreamPerThread) == cudaErrorNotReady,
         "it is cudaStreamPerThread");
    CHECK(cudaDeviceSynchronize());
    return rules_end();
}
