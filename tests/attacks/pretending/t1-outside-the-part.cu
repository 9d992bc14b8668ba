// SPDX-License-Identifier: MIT
// Does the work in another stream, which nobody waits for in the part.
// expects: wrong
//@ instead of overlap
    cudaStream_t other;
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    scramble<<<blocks_for(n, THREADS), THREADS, 0, other>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost, other));
    host_work(host_ns);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        sum += result[i];
