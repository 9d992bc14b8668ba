// SPDX-License-Identifier: MIT
// Does on the host what the device is asked for.
// expects: wrong
//@ instead of overlap
    CHECK(cudaMemcpy(result, data, n * sizeof *result, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        unsigned x = result[i] * 2654435761u;
        sum += result[i] = x ^ x >> 15;
    }
    host_work(host_ns);
    (void)kernel_ns;
