/* SPDX-License-Identifier: MIT */
/* Copy engines [M]: one copy at a time in each direction; both directions, and kernels, side by side. */
#include <stdlib.h>

#include "../rule.h"

static const size_t BYTES = 64 << 20;

static char *host, *device;
static cudaStream_t a, b;

/* A quarter of the memory for each stream and direction. */
static void in(cudaStream_t s)
{
    size_t at = s == a ? 0 : BYTES;
    CHECK(cudaMemcpyAsync(device + at, host + at, BYTES, cudaMemcpyHostToDevice, s));
}

static void out(cudaStream_t s)
{
    size_t at = s == a ? 2 * BYTES : 3 * BYTES;
    CHECK(cudaMemcpyAsync(host + at, device + at, BYTES, cudaMemcpyDeviceToHost, s));
}

template <typename F> static double length(F something)
{
    long long best = 1LL << 60;
    for (int i = 0; i < 3; i++) {
        long long ns = took([&] {
            something();
            CHECK(cudaDeviceSynchronize());
        });
        best = ns < best ? ns : best;
    }
    return (double)best;
}

/* Is an asynchronous copy done before those that were queued in another stream? `from`: its memory on the host; `kernel`:
 * how long the one takes that its own stream has before it, 0: none. */
static bool overtakes(size_t bytes, bool to_device, char *from, long long kernel = 0)
{
    auto copy = [&](char *there, char *here, size_t count, cudaStream_t s) {
        if (to_device)
            CHECK(cudaMemcpyAsync(there, here, count, cudaMemcpyHostToDevice, s));
        else
            CHECK(cudaMemcpyAsync(here, there, count, cudaMemcpyDeviceToHost, s));
    };
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 4; i++)
        copy(device, host, BYTES, a);
    if (kernel > 0)
        busy<<<1, 1, 0, b>>>(kernel);
    copy(device + BYTES, from, bytes, b);
    CHECK(cudaStreamSynchronize(b));
    bool busy = cudaStreamQuery(a) == cudaErrorNotReady;
    CHECK(cudaDeviceSynchronize());
    return busy;
}

int main()
{
    host = pinned<char>(4 * BYTES);
    device = on_device<char>(4 * BYTES);
    warm_up((int *)device);
    a = stream();
    b = stream();
    /* The link of a card that was idle is slow at first. */
    for (int k = 0; k < 10; k++) {
        in(a);
        out(b);
    }
    double one_in = length([] { in(a); }), one_out = length([] { out(a); });
    double two_in = length([] { in(a); in(b); }), two_out = length([] { out(a); out(b); });
    double both = length([] { in(a); out(b); }), turns = length([] { in(a); out(a); });
    rule(two_in > 1.8 * one_in && two_in < 2.2 * one_in, "two copies to the device take turns, in two streams, too");
    rule(two_out > 1.8 * one_out && two_out < 2.2 * one_out, "two copies to the host take turns, in two streams, too");
    rule(both < 0.75 * (one_in + one_out), "copies in both directions run at once");
    rule(turns > 0.9 * (one_in + one_out), "in one stream they take turns");
    long long kernel = (long long)one_in;
    double beside = length([&] { in(a); busy<<<1, 1, 0, b>>>(kernel); });
    rule(beside < 1.5 * one_in, "a copy and a kernel run at once");

    char *pinned = host + BYTES, *pageable = (char *)malloc(BYTES);
    memset(pageable, 1, BYTES);
    rule(overtakes(4, true, pinned) && overtakes(4 << 10, true, pinned) && overtakes(16 << 10, true, pinned),
         "asynchronous copies of up to 16 KiB from pinned memory to the device overtake those that wait for the engine [M]");
    rule(!overtakes(32 << 10, true, pinned) && !overtakes(1 << 20, true, pinned), "larger ones do not [M]");
    rule(!overtakes(4, false, pinned) && !overtakes(16 << 10, false, pinned), "nor does any copy to the host [M]");
    const long long some = 100000;
    rule(overtakes(4, true, pinned, some) && overtakes(1 << 10, true, pinned, some) && !overtakes(4 << 10, true, pinned, some),
         "behind a kernel those of up to 1 KiB do, larger ones do not [M]");
    rule(overtakes(4, true, pageable) && overtakes(64 << 10, true, pageable) && overtakes(64 << 10, true, pageable, some),
         "copies of up to 64 KiB from pageable memory do, behind a kernel, too [M]");
    rule(!overtakes((64 << 10) + 4, true, pageable), "nor do larger ones from there [M]");
    *(int *)host = 2;
    put<<<1, 1, 0, b>>>((int *)device, 1, LONG);
    CHECK(cudaMemcpyAsync(device, host, sizeof(int), cudaMemcpyHostToDevice, b));
    CHECK(cudaMemcpyAsync(host + BYTES, device, sizeof(int), cudaMemcpyDeviceToHost, b));
    CHECK(cudaStreamSynchronize(b));
    rule(*(int *)(host + BYTES) == 2, "but they wait for their own stream");

    double staged = length([&] { CHECK(cudaMemcpyAsync(device, pageable, BYTES, cudaMemcpyHostToDevice, a)); });
    rule(staged > 1.3 * one_in, "a copy from pageable memory takes longer than one from pinned memory");
    double inside = length([] { CHECK(cudaMemcpyAsync(device + BYTES, device, BYTES, cudaMemcpyDeviceToDevice, a)); });
    rule(inside < one_in, "a copy inside the device takes less than one to it");
    free(pageable);
    return rules_end();
}
