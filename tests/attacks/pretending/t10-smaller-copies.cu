// SPDX-License-Identifier: MIT
// Copies half, twice the same.
// expects: wrong
//@ instead of overlap
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(result, data, n / 2 * sizeof *result, cudaMemcpyDeviceToHost));
    host_work(host_ns);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        sum += result[i];
