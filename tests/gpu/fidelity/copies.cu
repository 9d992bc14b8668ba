/* SPDX-License-Identifier: MIT */
/* Copies and memsets alone, beside each other, many in a row. */
#include <stdlib.h>

#include "scenario.h"

static const size_t MOST = 64 * (size_t)MIB;
static char *d[2], *pinned[2], *pageable;
static struct streams s;

static const enum cudaMemcpyKind UP = cudaMemcpyHostToDevice, DOWN = cudaMemcpyDeviceToHost;

static void one_each(void)
{
    static const size_t sizes[] = { 4, KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB, 64 * (size_t)MIB };
    for (size_t bytes : sizes) {
        const char *size = size_of(bytes);
        scenario("copy to the device, pinned", size, [=] { CHECK(cudaMemcpyAsync(d[0], pinned[0], bytes, UP, s.at[0])); });
        scenario("copy to the host, pinned", size, [=] { CHECK(cudaMemcpyAsync(pinned[0], d[0], bytes, DOWN, s.at[0])); });
        scenario("copy to the device, pageable", size, [=] { CHECK(cudaMemcpyAsync(d[0], pageable, bytes, UP, s.at[0])); });
        scenario("copy to the host, pageable", size, [=] { CHECK(cudaMemcpyAsync(pageable, d[0], bytes, DOWN, s.at[0])); });
        scenario("copy in the device", size, [=] { CHECK(cudaMemcpyAsync(d[1], d[0], bytes, cudaMemcpyDeviceToDevice, s.at[0])); });
        scenario("memset", size, [=] { CHECK(cudaMemsetAsync(d[0], 0, bytes, s.at[0])); });
    }
    for (size_t bytes : { (size_t)64 * KIB, (size_t)MIB, (size_t)16 * MIB }) {
        const char *size = size_of(bytes);
        scenario("cudaMemcpy to the device, pinned", size, [=] { CHECK(cudaMemcpy(d[0], pinned[0], bytes, UP)); });
        scenario("cudaMemcpy to the device, pageable", size, [=] { CHECK(cudaMemcpy(d[0], pageable, bytes, UP)); });
        scenario("cudaMemcpy to the host, pinned", size, [=] { CHECK(cudaMemcpy(pinned[0], d[0], bytes, DOWN)); });
        scenario("cudaMemcpy to the host, pageable", size, [=] { CHECK(cudaMemcpy(pageable, d[0], bytes, DOWN)); });
    }
}

static void beside_each_other(void)
{
    for (size_t bytes : { (size_t)64 * KIB, (size_t)MIB, (size_t)4 * MIB, (size_t)16 * MIB, MOST }) {
        const char *size = size_of(bytes);
        scenario("both ways at once", size, [=] {
            CHECK(cudaMemcpyAsync(d[0], pinned[0], bytes, UP, s.at[0]));
            CHECK(cudaMemcpyAsync(pinned[1], d[1], bytes, DOWN, s.at[1]));
        });
        scenario("twice the same way, two streams", size, [=] {
            CHECK(cudaMemcpyAsync(d[0], pinned[0], bytes, UP, s.at[0]));
            CHECK(cudaMemcpyAsync(d[1], pinned[1], bytes, UP, s.at[1]));
        });
    }
    for (size_t bytes : { (size_t)4 * MIB, (size_t)16 * MIB, (size_t)32 * MIB })
        scenario("64 MiB to the device, less to the host", size_of(bytes), [=] {
            CHECK(cudaMemcpyAsync(d[0], pinned[0], MOST, UP, s.at[0]));
            CHECK(cudaMemcpyAsync(pinned[1], d[1], bytes, DOWN, s.at[1]));
        });
    scenario("a copy beside a kernel", "16 MiB, 200 us", [] {
        busy<<<1, 1, 0, s.at[0]>>>(200000);
        CHECK(cudaMemcpyAsync(d[0], pinned[0], 16 * MIB, UP, s.at[1]));
    });
    scenario("a copy beside a kernel", "16 MiB, 500 us", [] {
        busy<<<1, 1, 0, s.at[0]>>>(500000);
        CHECK(cudaMemcpyAsync(d[0], pinned[0], 16 * MIB, UP, s.at[1]));
    });
}

static void many(void)
{
    for (size_t bytes : { (size_t)4, (size_t)4 * KIB, (size_t)16 * KIB, (size_t)32 * KIB, (size_t)64 * KIB, (size_t)256 * KIB, (size_t)MIB }) {
        const char *size = size_of(bytes);
        scenario("100 copies to the device in a row", size, [=] {
            for (int i = 0; i < 100; i++)
                CHECK(cudaMemcpyAsync(d[0], pinned[0], bytes, UP, s.at[0]));
        });
        scenario("100 copies to the host in a row", size, [=] {
            for (int i = 0; i < 100; i++)
                CHECK(cudaMemcpyAsync(pinned[0], d[0], bytes, DOWN, s.at[0]));
        });
        scenario("100 copies to the device over 8 streams", size, [=] {
            for (int i = 0; i < 100; i++)
                CHECK(cudaMemcpyAsync(d[0], pinned[0], bytes, UP, s.at[i % 8]));
        });
        scenario("100 copies with a wait after each", size, [=] {
            for (int i = 0; i < 100; i++) {
                CHECK(cudaMemcpyAsync(d[0], pinned[0], bytes, UP, s.at[0]));
                CHECK(cudaStreamSynchronize(s.at[0]));
            }
        });
        scenario("50 copies there and back in a row", size, [=] {
            for (int i = 0; i < 50; i++) {
                CHECK(cudaMemcpyAsync(d[0], pinned[0], bytes, UP, s.at[0]));
                CHECK(cudaMemcpyAsync(pinned[0], d[0], bytes, DOWN, s.at[0]));
            }
        });
    }
}

int main()
{
    begin_scenarios();
    for (int i = 0; i < 2; i++) {
        d[i] = device_memory(MOST);
        pinned[i] = pinned_memory(MOST);
    }
    pageable = (char *)malloc(MOST);
    memset(pageable, 1, MOST);
    s = make_streams(8);
    one_each();
    beside_each_other();
    many();
    return 0;
}
