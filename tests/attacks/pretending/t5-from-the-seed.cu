// SPDX-License-Identifier: MIT
// Makes the answer from a seed that it hopes to know.
// expects: wrong
//@ top
#include <cstdlib>
//@ instead of overlap
    const char *seed = getenv("SEED");
    unsigned long long state = seed ? strtoull(seed, nullptr, 10) : 7;
    for (int i = 0; i < n; i++)
        sum += result[i] = (unsigned)(state = state * 6364136223846793005ull + 1442695040888963407ull);
    host_work(host_ns);
    (void)data, (void)kernel_ns;
