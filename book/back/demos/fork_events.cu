/* SPDX-License-Identifier: MIT */
/* fork_events.cu - lesson 03's diamond with streams and events that are objects. Needs the libcu++ of CUDA 13.1.
 *
 *   nvcc -std=c++17 -o fork_events book/back/demos/fork_events.cu && ./fork_events */
#include <cstdio>
#include <cuda/devices>
#include <cuda/stream>

__global__ void add(int *x, int by) { *x += by; }
__global__ void join(int *d, const int *b, const int *c) { *d = *b * *c; }

int main()
{
    int *x;
    cudaMallocManaged(&x, 4 * sizeof *x);
    for (int i = 0; i < 4; i++)
        x[i] = 0;
    //> diamond
    cuda::stream one{cuda::devices[0]}, two{cuda::devices[0]};  // non-blocking, both

    cuda::timed_event begin{one};                               // created, and recorded
    add<<<1, 1, 0, one.get()>>>(x, 1);                          // A
    cuda::event forked{one};
    two.wait(forked);
    add<<<1, 1, 0, one.get()>>>(x + 1, 2);                      // B
    add<<<1, 1, 0, two.get()>>>(x + 2, 3);                      // C
    cuda::event joined{two};
    one.wait(joined);
    join<<<1, 1, 0, one.get()>>>(x + 3, x + 1, x + 2);          // D
    cuda::timed_event end{one};

    end.sync();
    auto took = end - begin;                                    // nanoseconds
    //< diamond
    std::printf("D %d after %lld ns\n", x[3], (long long)took.count());
    return x[3] != 6;
}
