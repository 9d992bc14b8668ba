/* SPDX-License-Identifier: MIT */
/* Copies from one device to another, and memory that both reach. [G] is the Programming Guide 13,
 * "Programming Systems with Multiple GPUs", [H] the comments of cuda_runtime_api.h 13.0. */
/* run: SIM_PROFILE=dual */
#include "../rule.h"

static int *d[2];
static cudaStream_t s[2];

static void use(int device)
{
    CHECK(cudaSetDevice(device));
}

__global__ void add(int *to, const int *one, const int *other)
{
    *to = *one + *other;
}

/* Sets an int of a device, and waits. */
static void let(int device, int value)
{
    use(device);
    CHECK(cudaMemcpy(d[device], &value, sizeof value, cudaMemcpyHostToDevice));
}

static int get(int device)
{
    int value = -1;
    use(device);
    CHECK(cudaMemcpy(&value, d[device], sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

/* Each kind of copy from device 0 to device 1 while `current` is current. */
static bool copies_arrive(int current)
{
    bool arrived = true;
    for (int way = 0; way < 4; way++) {
        let(1, -1);
        let(0, 10 + way);
        use(current);
        switch (way) {
        case 0: CHECK(cudaMemcpyPeer(d[1], 1, d[0], 0, sizeof(int))); break;
        case 1: CHECK(cudaMemcpyPeerAsync(d[1], 1, d[0], 0, sizeof(int), s[current])); break;
        case 2: CHECK(cudaMemcpy(d[1], d[0], sizeof(int), cudaMemcpyDeviceToDevice)); break;
        case 3: CHECK(cudaMemcpyAsync(d[1], d[0], sizeof(int), cudaMemcpyDefault, s[current])); break;
        }
        CHECK(cudaDeviceSynchronize());
        arrived = arrived && get(1) == 10 + way;
    }
    return arrived;
}

static void becoming_peers(void)
{
    int can = -1, back = -1, supported = -1, rank = -1;
    use(0);
    rule(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaSuccess && cudaDeviceCanAccessPeer(&back, 1, 0) == cudaSuccess &&
             can == back,
         "whether two devices can be peers is the same both ways here");
    rule(cudaDeviceGetP2PAttribute(&supported, cudaDevP2PAttrAccessSupported, 0, 1) == cudaSuccess && supported == can,
         "the attribute says the same");
    rule(cudaDeviceGetP2PAttribute(&back, cudaDevP2PAttrNativeAtomicSupported, 0, 1) == cudaSuccess && (can || !back),
         "atomic operations go no further than access does");
    rule(cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, 0, 1) == cudaSuccess && rank >= 0,
         "the way between two devices has a rank");
    rule(cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, 1, 1) == cudaErrorInvalidDevice,
         "there is no way from a device to itself: cudaErrorInvalidDevice [H]");
    rule(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled,
         "what is not enabled cannot be disabled: cudaErrorPeerAccessNotEnabled [H]");
    rule(cudaDeviceEnablePeerAccess(1, 1) == cudaErrorInvalidValue, "flags of peer access have to be 0: cudaErrorInvalidValue [H]");
    rule(cudaMemcpyPeer(d[0], 0, d[0], device_count(), sizeof(int)) == cudaErrorInvalidDevice,
         "a copy from a device that is not there: cudaErrorInvalidDevice");
    forget_errors();
}

static void access(void)
{
    use(0);
    rule(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess, "device 1 becomes a peer of device 0");
    rule(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled,
         "only once: cudaErrorPeerAccessAlreadyEnabled [H]");
    use(1);
    rule(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled, "that goes one way only [H]");
    forget_errors();

    let(0, 3);
    let(1, 4);
    use(0);
    add<<<1, 1>>>(d[0], d[0], d[1]);
    CHECK(cudaDeviceSynchronize());
    rule(get(0) == 7, "a kernel reads its peer's memory [G]");
    use(0);
    add<<<1, 1>>>(d[1], d[0], d[0]);
    CHECK(cudaDeviceSynchronize());
    rule(get(1) == 14, "a kernel writes its peer's memory [G]");
    rule(copies_arrive(0) && copies_arrive(1), "copies between peers arrive, in either device's streams");
    use(0);
    rule(cudaDeviceDisablePeerAccess(1) == cudaSuccess && cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled,
         "peers can part, once");
    forget_errors();
}

/* The rules of the default stream hold for copies between devices on both. */
static void order(void)
{
    let(0, 0);
    use(1);
    put<<<1, 1>>>(d[1], 21, LONG);
    use(0);
    CHECK(cudaMemcpyPeer(d[0], 0, d[1], 1, sizeof(int)));
    rule(get(0) == 21, "a copy between devices in the default stream waits for what was queued on the other device [G]");

    let(0, 22);
    put<<<1, 1>>>(d[0], 23, LONG);
    CHECK(cudaMemcpyPeer(d[1], 1, d[0], 0, sizeof(int)));
    use(1);
    cudaStream_t blocking = stream();
    copy_int<<<1, 1, 0, blocking>>>(d[1] + 1, d[1]);
    CHECK(cudaMemcpyAsync(d[1], d[1] + 1, sizeof(int), cudaMemcpyDeviceToDevice, blocking));
    CHECK(cudaStreamSynchronize(blocking));
    rule(get(1) == 23, "what is queued on the other device later waits for it [G]");
    CHECK(cudaStreamDestroy(blocking));

    let(0, 24);
    let(1, 0);
    cudaEvent_t arrived;
    use(0);
    CHECK(cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming));
    put<<<1, 1, 0, s[0]>>>(d[0], 25, LONG);
    CHECK(cudaMemcpyPeerAsync(d[1], 1, d[0], 0, sizeof(int), s[0]));
    CHECK(cudaEventRecord(arrived, s[0]));
    use(1);
    CHECK(cudaStreamWaitEvent(s[1], arrived, 0));
    copy_int<<<1, 1, 0, s[1]>>>(d[1] + 1, d[1]);
    CHECK(cudaMemcpyAsync(d[1], d[1] + 1, sizeof(int), cudaMemcpyDeviceToDevice, s[1]));
    CHECK(cudaStreamSynchronize(s[1]));
    rule(get(1) == 25, "a copy between devices has its place in its stream, and an event tells of it");
    CHECK(cudaEventDestroy(arrived));

    use(1);
    busy<<<1, 1, 0, s[1]>>>(LONG);
    use(0);
    CHECK(cudaMemcpyPeerAsync(d[1], 1, d[0], 0, sizeof(int), s[0]));
    rule(!is_long(took([] { CHECK(cudaStreamSynchronize(s[0])); })),
         "in another stream it waits for nothing on the other device [G]");
    use(1);
    CHECK(cudaDeviceSynchronize());
}

static int *host;

static void asynchronous(void)
{
    CHECK(cudaMemcpyPeerAsync(d[1], 1, d[0], 0, sizeof(int), 0));
}

/* Does the default stream of device 0, when `copy` has put something into it, wait for `stream` of device 1? */
template <typename F> static bool waits_for(cudaStream_t stream, F copy)
{
    use(1);
    busy<<<1, 1, 0, stream>>>(LONG);
    use(0);
    bool waited = is_long(took([=] {
        copy();
        CHECK(cudaStreamSynchronize(0));
    }));
    use(1);
    CHECK(cudaDeviceSynchronize());
    return waited;
}

/* Does `stream` of device 1 wait for what `copy` puts into the default stream of device 0, behind a long kernel? */
template <typename F> static bool is_waited_for(cudaStream_t stream, F copy)
{
    use(0);
    busy<<<1, 1>>>(LONG);
    copy();
    use(1);
    busy<<<1, 1, 0, stream>>>(0);
    bool waited = is_long(took([=] { CHECK(cudaStreamSynchronize(stream)); }));
    use(0);
    CHECK(cudaDeviceSynchronize());
    return waited;
}

static void order_in_default_streams(void)
{
    use(0);
    host = pinned<int>(1);
    use(1);
    cudaStream_t blocking = stream();
    auto to_it = [] { CHECK(cudaMemcpy(d[1], host, sizeof(int), cudaMemcpyHostToDevice)); };
    auto from_it = [] { CHECK(cudaMemcpy(host, d[1], sizeof(int), cudaMemcpyDeviceToHost)); };
    auto inside = [] { CHECK(cudaMemcpy(d[1], d[0], sizeof(int), cudaMemcpyDeviceToDevice)); };
    rule(waits_for(blocking, asynchronous),
         "cudaMemcpyPeerAsync in the default stream waits for a blocking stream of the other device [M]");
    rule(is_waited_for(blocking, asynchronous), "a blocking stream of the other device waits for it, too [M]");
    rule(!waits_for(s[1], asynchronous) && !is_waited_for(s[1], asynchronous), "a non-blocking one is out of it, both ways [M]");
    rule(waits_for(blocking, inside) && is_waited_for(blocking, inside),
         "cudaMemcpy between devices waits for a blocking stream of the other, and that for it [M]");
    rule(waits_for(blocking, to_it), "cudaMemcpy from the host to another device's memory waits for a blocking stream there [M]");
    rule(waits_for(blocking, from_it), "so does cudaMemcpy from there to the host [M]");
    CHECK(cudaStreamDestroy(blocking));
}

/* Host functions of two devices. */
static void functions(void)
{
    cudaHostFn_t sleeps = [](void *) { host_work(LONG); };
    long long both = took([=] {
        for (int i = 0; i < 2; i++)
            CHECK(cudaLaunchHostFunc(s[i], sleeps, NULL));
        for (int i = 0; i < 2; i++)
            CHECK(cudaStreamSynchronize(s[i]));
    });
    rule(both < LONG * 3 / 2, "host functions of two devices run at the same time [M]");
}

int main()
{
    if (device_count() < 2)
        return rules_skip("two devices");
    for (int i = 0; i < 2; i++) {
        use(i);
        d[i] = on_device<int>(4);
        warm_up(d[i]);
        add<<<1, 1>>>(d[i], d[i], d[i]);
        s[i] = stream(cudaStreamNonBlocking);
        CHECK(cudaDeviceSynchronize());
    }
    int can = 0;
    becoming_peers();
    rule(copies_arrive(0) && copies_arrive(1), "copies between devices that are no peers arrive, in either device's streams");
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (can)
        access();
    else
        rules_skip("devices that can be peers");
    order();
    order_in_default_streams();
    functions();
    return rules_end();
}
