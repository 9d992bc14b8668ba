// SPDX-License-Identifier: MIT
// An attribute that keeps a function's loads and stores from being seen: it reads before the copy is waited for.
// expects: wrong
// says: the host keeps to its own memory
//@ top
__attribute__((noinline, no_sanitize("thread"))) static unsigned long long sum_of(const unsigned *p, int n)
{
    unsigned long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += *(volatile const unsigned *)&p[i];
    return sum;
}
//@ instead of overlap
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost));
    sum_of(result, n);
    host_work(host_ns);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        sum += result[i];
