/* SPDX-License-Identifier: MIT */
/* Kernels: lengths, waves and tails, occupancy, how many run at once, priorities, a real one. */
#include "scenario.h"

static struct streams s;

static void lengths(void)
{
    for (int us : { 0, 5, 20, 100, 1000, 10000 })
        scenario("a kernel and a wait", named("%d us", us), [=] { busy<<<1, 1, 0, s.at[0]>>>(us * 1000LL); });
    for (int count : { 1, 10, 100, 1000 })
        scenario("empty kernels in a row", named("%d", count), [=] {
            for (int i = 0; i < count; i++)
                busy<<<1, 1, 0, s.at[0]>>>(0);
        });
    for (int streams : { 1, 4, 16, 64 })
        scenario("500 empty kernels over streams", named("%d", streams), [=] {
            for (int i = 0; i < 500; i++)
                busy<<<1, 1, 0, s.at[i % streams]>>>(0);
        });
    for (int us : { 2, 5, 10, 20, 50 })
        scenario("100 kernels in a row", named("%d us each", us), [=] {
            for (int i = 0; i < 100; i++)
                busy<<<1, 1, 0, s.at[0]>>>(us * 1000LL);
        });
    for (int us : { 0, 10, 50 })
        scenario("100 kernels with a wait after each", named("%d us each", us), [=] {
            for (int i = 0; i < 100; i++) {
                busy<<<1, 1, 0, s.at[0]>>>(us * 1000LL);
                CHECK(cudaStreamSynchronize(s.at[0]));
            }
        });
}

static void waves(void)
{
    for (int threads : { 128, 256, 1024 }) {
        int all = full(threads);
        for (int tenths : { 1, 5, 10, 11, 15, 20, 25, 100 })
            scenario(named("blocks of %d threads, 200 us", threads), named("%d tenths of a wave", tenths),
                     [=] { busy<<<all * tenths / 10, threads, 0, s.at[0]>>>(200000); });
    }
    struct cudaDeviceProp card;
    CHECK(cudaGetDeviceProperties(&card, 0));
    for (int kib : { 8, 16, 32, 48 })
        scenario("1056 blocks with shared memory, 200 us", named("%d KiB each", kib),
                 [=] { busy<<<1056, 64, kib * KIB, s.at[0]>>>(200000); });
    int all = full(256);
    for (int tenths : { 2, 5, 8, 10, 15 })
        scenario("two kernels in two streams, 500 us a block", named("%d tenths of the card each", tenths), [=] {
            busy<<<all * tenths / 10, 256, 0, s.at[0]>>>(500000);
            busy<<<all * tenths / 10, 256, 0, s.at[1]>>>(500000);
        });
    for (int streams : { 1, 2, 4, 8 })
        scenario("8 kernels of a quarter of the card, 300 us", named("%d streams", streams), [=] {
            for (int i = 0; i < 8; i++)
                busy<<<all / 4, 256, 0, s.at[i % streams]>>>(300000);
        });
    for (int streams : { 1, 2, 4, 8 })
        scenario("8 kernels of one and a half waves, 300 us", named("%d streams", streams), [=] {
            for (int i = 0; i < 8; i++)
                busy<<<all * 3 / 2, 256, 0, s.at[i % streams]>>>(300000);
        });
}

static void at_once(void)
{
    for (int count : { 1, 2, 8, 32, 64, 127, 128, 129, 160 })
        scenario("kernels of one block in a stream each, 2 ms", named("%d", count), [=] {
            for (int i = 0; i < count; i++)
                busy<<<1, 1, 0, s.at[i]>>>(2000000);
        });
}

/* Until the urgent one is done; and all. */
static void priorities(void)
{
    int least, greatest, all = full(256);
    cudaStream_t low, high;
    cudaEvent_t from, to;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    for (int urgent = 0; urgent < 2; urgent++) {
        CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, urgent ? greatest : least));
        const char *variant = urgent ? "urgent" : "no more urgent";
        auto both = [=] {
            CHECK(cudaEventRecord(from, low));
            busy<<<20 * all, 256, 0, low>>>(200000);
            host_work(900000);
            busy<<<all, 256, 0, high>>>(200000);
            CHECK(cudaEventRecord(to, high));
        };
        scenario_us("a kernel that comes while a long one runs is done", variant, [] {}, [=] {
            float ms;
            both();
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaEventElapsedTime(&ms, from, to));
            return ms * 1e3;
        });
        scenario("a kernel comes while a long one runs", variant, both);
    }
}

static void real_one(void)
{
    float *a = (float *)device_memory(64 * (size_t)MIB);
    for (int mib : { 1, 4, 16, 64 })
        scenario("the overlap demo's kernel", named("%d MiB", mib),
                 [=] { demo<<<mib * 1024, 256, 0, s.at[0]>>>(a, 0); });
    for (int streams : { 1, 2, 4 })
        scenario("the overlap demo's kernel, 16 MiB in parts", named("%d streams", streams), [=] {
            for (int i = 0; i < streams; i++)
                demo<<<16 * 1024 / streams, 256, 0, s.at[i]>>>(a, i * (4 * MIB / streams));
        });
}

int main()
{
    begin_scenarios();
    s = make_streams(160);
    lengths();
    waves();
    at_once();
    priorities();
    real_one();
    return 0;
}
