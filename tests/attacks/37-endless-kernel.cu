// SPDX-License-Identifier: MIT
// A kernel that does not end.
// expects: timed out
// says: in part b
//@ top
__global__ void endless(volatile int *go) { while (*go >= 0) { } }
//@ in overlap
    int *go;
    CHECK(cudaMalloc(&go, 4));
    CHECK(cudaMemset(go, 0, 4));
    endless<<<1, 1>>>(go);
    CHECK(cudaDeviceSynchronize());
