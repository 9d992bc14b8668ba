// SPDX-License-Identifier: MIT
// A kernel that polls what nothing changes: the simulator ends it, as a watchdog would.
// expects: wrong
// says: cudaErrorLaunchTimeout
//@ top
__global__ void endless(volatile int *go) { while (*go >= 0) { } }
//@ in overlap
    int *go;
    CHECK(cudaMalloc(&go, 4));
    CHECK(cudaMemset(go, 0, 4));
    endless<<<1, 1>>>(go);
    CHECK(cudaDeviceSynchronize());
