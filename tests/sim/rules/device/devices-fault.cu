/* SPDX-License-Identifier: MIT */
/* A kernel that reaches for another device's memory, and is no peer of it. */
/* run: SIM_PROFILE=dual */
/* hazards: 1: it says so */
#include "../rule.h"

int main()
{
    if (device_count() < 2)
        return rules_skip("two devices");
    int *d[2], *more;
    for (int i = 0; i < 2; i++) {
        CHECK(cudaSetDevice(i));
        d[i] = on_device<int>(4);
        warm_up(d[i]);
    }
    CHECK(cudaSetDevice(0));
    int can = 0;
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (can)
        CHECK(cudaDeviceEnablePeerAccess(1, 0));
    CHECK(cudaSetDevice(1));

    copy_int<<<1, 1>>>(d[1], d[0]);
    rule(cudaGetLastError() == cudaSuccess, "the launch of a kernel that reads another device's memory succeeds");
    rule(cudaDeviceSynchronize() == cudaErrorIllegalAddress,
         "that its device is no peer's is found when it runs, though the other one is its peer: cudaErrorIllegalAddress");
    rule(cudaMalloc(&more, 4) == cudaErrorIllegalAddress, "every later call gives the error again");
    rule(cudaSetDevice(0) == cudaSuccess, "the other device can still be chosen [M]");
    rule(cudaMalloc(&more, 4) == cudaErrorIllegalAddress, "but its calls give the error, too: cudaMalloc [M]");
    copy_int<<<1, 1>>>(d[0], d[0] + 1);
    rule(cudaGetLastError() == cudaErrorIllegalAddress, "a launch [M]");
    rule(cudaStreamSynchronize(0) == cudaErrorIllegalAddress, "cudaStreamSynchronize [M]");
    return rules_end();
}
