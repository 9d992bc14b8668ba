/* SPDX-License-Identifier: MIT */
#include "overlap.h"

int main()
{
    int *d = on_device<int>(4);
    const size_t MI = 1 << 20;
    warm_up(d);
    demo_takes("4 Mi floats", overlap_demo(4 * MI, 0), { 0.73, 0.455, 0.457 });
    demo_takes("32 Mi floats", overlap_demo(32 * MI, 0), { 5.38, 3.34, 3.40 });
    /* Copies both ways take 4.86 ms; what is left of the sequential time is the kernel's. */
    demo_takes("32 Mi floats, 40 times over", overlap_demo(32 * MI, block_of(22.0 - 4.86, 32 * MI)), { 22.0, 18.34, 18.36 });
    demo_takes("32 Mi floats, 100 times over", overlap_demo(32 * MI, block_of(47.8 - 4.86, 32 * MI)), { 47.8, 44.11, 44.10 });

    /* Copy-bound: 256 MiB in 1 to 128 chunks over 8 streams, against the copy to the device alone. */
    const size_t all = 256 * MI;
    char *host = pinned<char>(all), *device = on_device<char>(all);
    static cudaStream_t streams[8];
    for (auto &s : streams)
        s = stream();
    auto copy = [&] {
        CHECK(cudaMemcpyAsync(device, host, all, cudaMemcpyHostToDevice, streams[0]));
        CHECK(cudaDeviceSynchronize());
    };
    double alone = ms(took(copy)), best = 1e9;
    for (int chunks = 1; chunks <= 128; chunks *= 2) {
        size_t part = all / chunks;
        double length = ms(took([&] {
            for (int i = 0; i < chunks; i++) {
                char *h = host + i * part, *on = device + i * part;
                CHECK(cudaMemcpyAsync(on, h, part, cudaMemcpyHostToDevice, streams[i % 8]));
                add_once<<<part / 1024, BLOCK, 0, streams[i % 8]>>>((float *)on, 0);
                CHECK(cudaMemcpyAsync(h, on, part, cudaMemcpyDeviceToHost, streams[i % 8]));
            }
            CHECK(cudaDeviceSynchronize());
        }));
        best = length < best ? length : best;
    }
    figure("the best of 1 to 128 chunks, in copies to the device alone", 1.16, best / alone, "times", 0.05);
    return rules_end();
}
