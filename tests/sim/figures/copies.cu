/* SPDX-License-Identifier: MIT */
/* Copies: how long until the call returns, how long until they are done. */
#include <stdlib.h>

#include "figure.h"

static const size_t KIB = 1 << 10, MIB = 1 << 20;

struct times { long long call, done; };

template <typename F> static times of(cudaStream_t s, F copy)
{
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns(), called;
    copy();
    called = now_ns();
    CHECK(cudaStreamSynchronize(s));
    return { called - begin, now_ns() - begin };
}

int main()
{
    const size_t all = 256 * MIB;
    char *p = pinned<char>(all), *d = on_device<char>(all), *e = on_device<char>(all), *q = (char *)calloc(all, 1);
    cudaStream_t s = stream(), t = stream();
    warm_up((int *)d);

    auto in = [&](char *from, size_t bytes) {
        return of(s, [&] { CHECK(cudaMemcpyAsync(d, from, bytes, cudaMemcpyHostToDevice, s)); });
    };
    auto out = [&](char *to, size_t bytes) {
        return of(s, [&] { CHECK(cudaMemcpyAsync(to, d, bytes, cudaMemcpyDeviceToHost, s)); });
    };
    times x = in(p, all);
    figure("256 MiB from pinned memory, the call", 2, us(x.call), "us", 0.1);
    figure("256 MiB from pinned memory", 4.86, ms(x.done), "ms", 0.05);
    x = out(p, all);
    figure("256 MiB to pinned memory, the call", 2, us(x.call), "us", 0.1);
    figure("256 MiB to pinned memory", 4.85, ms(x.done), "ms", 0.05);
    x = in(q, all);
    figure("256 MiB from pageable memory, the call", 29.6, 33, ms(x.call), "ms", 0.05);
    figure("256 MiB from pageable memory", 29.6, 33, ms(x.done), "ms", 0.05);
    x = out(q, all);
    figure("256 MiB to pageable memory", 18.1, 19.5, ms(x.done), "ms", 0.05);
    x = in(q, 64 * MIB);
    figure("64 MiB from pageable memory, the call", 8, ms(x.call), "ms", 0.1);

    auto both = took([&] {
        CHECK(cudaMemcpyAsync(d, p, 128 * MIB, cudaMemcpyHostToDevice, s));
        CHECK(cudaMemcpyAsync(p + 128 * MIB, e, 128 * MIB, cudaMemcpyDeviceToHost, t));
        CHECK(cudaDeviceSynchronize());
    });
    figure("128 MiB each way at once", 2.65, ms(both), "ms", 0.05);
    figure("128 MiB from pinned memory", 2.45, ms(in(p, 128 * MIB).done), "ms", 0.05);
    auto two = took([&] {
        CHECK(cudaMemcpyAsync(d, p, 128 * MIB, cudaMemcpyHostToDevice, s));
        CHECK(cudaMemcpyAsync(e, p, 128 * MIB, cudaMemcpyHostToDevice, t));
        CHECK(cudaDeviceSynchronize());
    });
    figure("128 MiB from pinned memory, in two streams", 4.85, ms(two), "ms", 0.05);
    /* Its fixed part is a kernel's; the card's is 2 to 5 us more. */
    figure("64 MiB inside the device", 44.9,
           us(of(s, [&] { CHECK(cudaMemcpyAsync(e, d, 64 * MIB, cudaMemcpyDeviceToDevice, s)); }).done), "us", 0.15);
    figure("setting 256 MiB", 0.077, ms(of(s, [&] { CHECK(cudaMemsetAsync(d, 0, all, s)); }).done), "ms", 0.15);

    /* Calls are as they were measured behind a busy stream; here it was idle. */
    x = in(p, 4);
    figure("4 B from pinned memory, the call", 1.1, us(x.call), "us", 1);
    figure("4 B from pinned memory", 5.5, 7.34, us(x.done), "us", 0.2);
    x = in(p, 64 * KIB);
    figure("64 KiB from pinned memory, the call", 1.3, us(x.call), "us", 1);
    figure("64 KiB from pinned memory", 8.6, 10.2, us(x.done), "us", 0.1);
    figure("1 MiB from pinned memory", 26.7, us(in(p, MIB).done), "us", 0.1);
    /* The first of a stream take twice as long (2026-11-22). */
    x = in(q, 64 * KIB);
    figure("64 KiB from pageable memory, a stream's first, the call", 15, 16.9, us(x.call), "us", 0.1);
    figure("64 KiB from pageable memory, a stream's first", 23.8, 28.8, us(x.done), "us", 0.1);
    for (int k = 0; k < 64; k++)
        x = in(q, 64 * KIB);
    figure("64 KiB from pageable memory, the call", 5.6, 8.1, us(x.call), "us", 0.1);
    figure("64 KiB from pageable memory", 15.1, 17.9, us(x.done), "us", 0.1);
    /* The host sets memory aside at 13 to 21 GB/s. */
    x = in(q, MIB);
    figure("1 MiB from pageable memory, the call", 53, 82.9, us(x.call), "us", 0.1);
    figure("1 MiB from pageable memory", 78, 98.7, us(x.done), "us", 0.1);
    free(q);
    return rules_end();
}
