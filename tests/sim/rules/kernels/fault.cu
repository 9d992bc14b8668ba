/* SPDX-License-Identifier: MIT */
/* A kernel that touches what it must not: the device is lost. */
#include "../rule.h"

static int called, told;

static void count(void *)
{
    called++;
}

static void is_told(cudaStream_t, cudaError_t status, void *)
{
    told = (int)status;
}

int main()
{
    int *d = on_device<int>(4), *h = pinned<int>(1), *p;
    warm_up(d);
    put<<<1, 1>>>((int *)0x10, 1, LONG);
    rule(cudaGetLastError() == cudaSuccess, "launching a kernel that will fail succeeds");
    CHECK(cudaMemcpyAsync(h, d, sizeof *h, cudaMemcpyDeviceToHost, 0));
    CHECK(cudaLaunchHostFunc(0, count, NULL));
    CHECK(cudaStreamAddCallback(0, is_told, NULL, 0));
    rule(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "the wait for it gives cudaErrorIllegalAddress");
    rule(called == 0, "a host function after it is not called");
    host_work(LONG);
    rule(told != cudaSuccess, "a callback after it is, and is told [H]");
    rule(cudaPeekAtLastError() == cudaErrorIllegalAddress && cudaGetLastError() == cudaErrorIllegalAddress
             && cudaGetLastError() == cudaSuccess,
         "asking for the error takes it away from there");
    rule(cudaMalloc(&p, 4) == cudaErrorIllegalAddress && cudaStreamQuery(0) == cudaErrorIllegalAddress,
         "but every later call gives it again");
    int device = -1, count = -1;
    rule(cudaGetDevice(&device) == cudaSuccess && device == 0 && cudaGetDeviceCount(&count) == cudaSuccess
             && count > 0 && cudaGetLastError() == cudaErrorIllegalAddress,
         "what needs no device is told all the same");
    busy<<<1, 1>>>(0);
    rule(cudaGetLastError() == cudaErrorIllegalAddress, "so does a launch");
    rule(cudaDeviceReset() == cudaSuccess, "a reset succeeds");
    rule(cudaMalloc(&p, 4) == cudaErrorDevicesUnavailable, "but the device does not come back");
    return rules_end();
}
