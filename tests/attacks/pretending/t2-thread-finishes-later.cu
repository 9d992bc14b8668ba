// SPDX-License-Identifier: MIT
// A thread finishes the work when the part is over.
// expects: wrong, crashed, timed out
//@ top
#include <thread>
//@ instead of overlap
    std::thread([=] {
        host_work(10 * kernel_ns);
        scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
        CHECK(cudaMemcpy(result, data, n * sizeof *result, cudaMemcpyDeviceToHost));
    }).detach();
    host_work(host_ns);
