// SPDX-License-Identifier: MIT
// Says that its waits stand in the driver. (What is judged is what was called, and not where.)
// expects: wrong
// says: part b: not so: the host worked while the kernel ran
//@ instead of overlap
#line 38 "lessons/01-sync-vs-async/driver.cu"
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost));
    host_work(host_ns);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        sum += result[i];
