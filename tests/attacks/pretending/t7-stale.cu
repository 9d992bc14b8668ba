// SPDX-License-Identifier: MIT
// Copies nothing, and hopes that the buffer has the answer of somebody before.
// expects: wrong
//@ instead of overlap
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    host_work(host_ns);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        sum += result[i];
