// SPDX-License-Identifier: MIT
// Takes all of the device's memory and keeps it.
// expects: wrong, crashed, timed out
//@ in overlap
    void *block;
    for (size_t size = (size_t)1 << 36; size > 4096; size /= 2)
        while (cudaMalloc(&block, size) == cudaSuccess) { }
    cudaGetLastError();
