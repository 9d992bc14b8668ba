/* SPDX-License-Identifier: MIT */
/* Two devices: which is current, whose a stream and an event are, what waits for what.
 * [G] is the Programming Guide 13, "Programming Systems with Multiple GPUs". */
/* run: SIM_PROFILE=dual */
#include <thread>

#include "../rule.h"

static int *d[2];
static cudaStream_t s[2];

static int current(void)
{
    int device = -1;
    CHECK(cudaGetDevice(&device));
    return device;
}

static void use(int device)
{
    CHECK(cudaSetDevice(device));
}

#if CUDART_VERSION >= 12080       /* cudaStreamGetDevice is no older */
static int device_of(cudaStream_t stream)
{
    int device = -1;
    CHECK(cudaStreamGetDevice(stream, &device));
    return device;
}
#endif

static void selection(void)
{
    int in_thread = -1, after = -1;
    use(1);
    std::thread([&] { in_thread = current(); use(0); after = current(); }).join();
    rule(in_thread == 0, "a host thread begins with device 0, whatever another has chosen [G]");
    rule(after == 0 && current() == 1, "each host thread has a current device of its own");
    rule(cudaSetDevice(device_count()) == cudaErrorInvalidDevice && current() == 1,
         "a device that is not there cannot be chosen: cudaErrorInvalidDevice");
    use(0);
    rule(cudaGetLastError() == cudaErrorInvalidDevice, "the last error is the thread's, not the device's");

    cudaDeviceProp one, two;
    CHECK(cudaGetDeviceProperties(&one, 0));
    CHECK(cudaGetDeviceProperties(&two, 1));
    rule(one.pciBusID != two.pciBusID || one.pciDomainID != two.pciDomainID || one.pciDeviceID != two.pciDeviceID,
         "two devices have places of their own on the bus");

    size_t before = 0, other = 0;
    CHECK(cudaDeviceGetLimit(&before, cudaLimitMallocHeapSize));
    use(1);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 4 * before));
    use(0);
    CHECK(cudaDeviceGetLimit(&other, cudaLimitMallocHeapSize));
    rule(other == before, "limits are set on one device alone");
}

static void streams(void)
{
    int value = -1, *pinned_value = pinned<int>(1);
    use(1);
#if CUDART_VERSION >= 12080
    rule(device_of(s[0]) == 0 && device_of(s[1]) == 1, "a stream belongs to the device that was current when it was made [G]");
    rule(device_of(cudaStreamLegacy) == 1 && device_of(cudaStreamPerThread) == 1, "each device has its own default streams [G]");
#endif
    put<<<1, 1, 0, s[0]>>>(d[0], 42, 0);
    rule(cudaGetLastError() == cudaSuccess && cudaStreamSynchronize(s[0]) == cudaSuccess,
         "a kernel can be launched into another device's stream, and runs there [M]");
    put<<<1, 1, 0, s[1]>>>(d[1], 41, 0);
    CHECK(cudaStreamSynchronize(s[1]));
    use(0);
    put<<<1, 1, 0, s[0]>>>(d[0], 40, 0);
    use(1);
    rule(cudaMemcpyAsync(pinned_value, d[0], sizeof(int), cudaMemcpyDeviceToHost, s[0]) == cudaSuccess &&
             cudaStreamSynchronize(s[0]) == cudaSuccess && *pinned_value == 40,
         "a copy in another device's stream is made, in its order [G]");
    rule(cudaMemcpy(&value, d[0], sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess && value == 40,
         "memory of another device can be copied to the host");

    use(0);
    busy<<<1, 1, 0, s[0]>>>(LONG);
    use(1);
    rule(cudaStreamQuery(s[0]) == cudaErrorNotReady, "another device's stream can be asked");
    rule(is_long(took([] { CHECK(cudaStreamSynchronize(s[0])); })), "another device's stream can be waited for");
}

static void events(void)
{
    use(0);
    cudaEvent_t zero = event(), again = event();
    use(1);
    cudaEvent_t one = event();
    rule(cudaEventRecord(one, s[0]) == cudaErrorInvalidResourceHandle,
         "an event is recorded in streams of its own device only: cudaErrorInvalidResourceHandle [G]");
    rule(cudaEventRecord(zero, 0) == cudaErrorInvalidResourceHandle, "the default stream is the current device's");
    forget_errors();
    rule(cudaEventRecord(zero, s[0]) == cudaSuccess && cudaEventSynchronize(zero) == cudaSuccess &&
             cudaEventQuery(zero) == cudaSuccess,
         "an event can be recorded, waited for and asked while another device is current [G]");

    float ms;
    CHECK(cudaEventRecord(one, s[1]));
    CHECK(cudaEventSynchronize(one));
    rule(cudaEventElapsedTime(&ms, zero, one) != cudaSuccess, "no time can be taken between events of two devices [G]");
    forget_errors();

    use(0);
    busy<<<1, 1, 0, s[0]>>>(LONG);
    CHECK(cudaEventRecord(again, s[0]));
    CHECK(cudaStreamWaitEvent(s[1], again, 0));
    use(1);
    busy<<<1, 1, 0, s[1]>>>(0);
    rule(is_long(took([] { CHECK(cudaStreamSynchronize(s[1])); })), "a stream can wait for another device's event [G]");
    CHECK(cudaEventDestroy(zero));
    CHECK(cudaEventDestroy(one));
    CHECK(cudaEventDestroy(again));
}

static void order(void)
{
    use(0);
    busy<<<1, 1>>>(LONG);
    use(1);
    busy<<<1, 1>>>(0);
    rule(!is_long(took([] { CHECK(cudaStreamSynchronize(0)); })), "default streams of two devices do not wait for each other [G]");
    rule(!is_long(took([] { CHECK(cudaDeviceSynchronize()); })), "cudaDeviceSynchronize waits for the current device alone");
    use(0);
    rule(is_long(took([] { CHECK(cudaDeviceSynchronize()); })), "and for all of that one");

    busy<<<1, 1, 0, cudaStreamPerThread>>>(LONG);
    use(1);
    busy<<<1, 1, 0, cudaStreamPerThread>>>(0);
    rule(!is_long(took([] { CHECK(cudaStreamSynchronize(cudaStreamPerThread)); })),
         "nor do a thread's own default streams");
    use(0);
    CHECK(cudaDeviceSynchronize());

    cudaStream_t blocking = stream();
    busy<<<1, 1, 0, blocking>>>(LONG);
    use(1);
    busy<<<1, 1>>>(LONG);
    long long both = took([] { CHECK(cudaDeviceSynchronize()); });
    use(0);
    both += took([] { CHECK(cudaDeviceSynchronize()); });
    rule(both < LONG * 3 / 2, "kernels of two devices run at the same time");
    CHECK(cudaStreamDestroy(blocking));
}

int main()
{
    if (device_count() < 2)
        return rules_skip("two devices");
    for (int i = 0; i < 2; i++) {
        use(i);
        d[i] = on_device<int>(4);
        warm_up(d[i]);
        busy<<<1, 1, 0, cudaStreamPerThread>>>(0);
        CHECK(cudaDeviceSynchronize());
        s[i] = stream(cudaStreamNonBlocking);
    }
    selection();
    streams();
    events();
    order();
    return rules_end();
}
