/* SPDX-License-Identifier: MIT */
/* Eight hardware queues. [M] */
#include "chains.h"

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    rule(shares(1, 8) && shares(4, 8) && shares(8, 8), "up to eight streams have a queue each");
    rule(shares(9, 8) && shares(12, 8) && shares(16, 8), "up to sixteen streams share them in twos, and hold each other up");
    rule(shares(24, 8) && shares(32, 8), "more share them in threes and fours");
    rule(shares(33, 8) && shares(64, 8) && shares(128, 8), "the most crowded queue decides how long it takes");
    rule(chains(8, false) < 4 && chains(32, false) < 4 && chains(128, false) < 4, "breadth first, no stream holds up another");

    /* Copies have channels of their own: with 20 streams, both orders take as long. */
    static cudaStream_t streams[20];
    const size_t bytes = 4 << 20;
    char *host = pinned<char>(20 * bytes), *device = on_device<char>(20 * bytes);
    for (auto &s : streams)
        s = stream();
    long long ns[3];
    for (int pass = 0; pass < 3; pass++)            /* the first warms up */
        ns[pass] = took([&] {
            for (int i = 0; i < 60; i++) {
                int which = pass == 1 ? i / 3 : i % 20, step = pass == 1 ? i % 3 : i / 20;
                if (step == 0)
                    CHECK(cudaMemcpyAsync(device + which * bytes, host + which * bytes, bytes, cudaMemcpyHostToDevice, streams[which]));
                else if (step == 1)
                    busy<<<1, 1, 0, streams[which]>>>(50000);
                else
                    CHECK(cudaMemcpyAsync(host + which * bytes, device + which * bytes, bytes, cudaMemcpyDeviceToHost, streams[which]));
            }
            CHECK(cudaDeviceSynchronize());
        });
    rule(ns[1] < 1.25 * ns[2] && ns[2] < 1.25 * ns[1], "pipelines of copies and kernels take as long in either order");
    return rules_end();
}
