// SPDX-License-Identifier: MIT
// Knows what came out for one input.
// expects: wrong
//@ instead of overlap
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    CHECK(cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost));
    host_work(host_ns);
    CHECK(cudaDeviceSynchronize());
    sum = 8796028469121ull;
