/* SPDX-License-Identifier: MIT */
/* Four host threads with two kernels of 20 ms each in "the default stream". */
#include <thread>
#include <vector>

#include "figure.h"

static double four_threads(cudaStream_t s)
{
    return ms(took([&] {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++)
            threads.emplace_back([&] {
                busy<<<1, 1, 0, s>>>(LONG);
                busy<<<1, 1, 0, s>>>(LONG);
                CHECK(cudaStreamSynchronize(s));
            });
        for (auto &t : threads)
            t.join();
    }));
}

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    figure("four threads share the legacy default stream", 160, four_threads(cudaStreamLegacy), "ms", 0.05);
    figure("four threads have default streams of their own", 40.5, four_threads(cudaStreamPerThread), "ms", 0.05);
    return rules_end();
}
