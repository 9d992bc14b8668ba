// SPDX-License-Identifier: MIT
// Keeps what an earlier part computed, and hands that out.
// expects: wrong
//@ instead of overlap
    static unsigned kept[1 << 20];
    CHECK(cudaMemcpy(kept, data, n * sizeof *kept, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        sum += result[i] = kept[i];
    host_work(host_ns);
