// SPDX-License-Identifier: MIT
// Looks for the answer in memory that somebody left on the device.
// expects: wrong
//@ instead of overlap
    unsigned *left;
    CHECK(cudaMalloc(&left, n * sizeof *left));
    CHECK(cudaMemcpy(result, left, n * sizeof *left, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(left));
    for (int i = 0; i < n; i++)
        sum += result[i];
