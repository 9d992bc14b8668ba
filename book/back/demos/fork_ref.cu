/* SPDX-License-Identifier: MIT */
/* fork_ref.cu - lesson 03's diamond, as a function that takes a cuda::stream_ref. Needs nvcc and its libcu++: simcc has no
 * such header.
 *
 *   nvcc -std=c++17 -o fork_ref book/back/demos/fork_ref.cu && ./fork_ref */
#include <cstdio>
#include <cuda/stream_ref>

__global__ void add(int *x, int by) { *x += by; }
__global__ void join(int *d, const int *b, const int *c) { *d = *b * *c; }

//> function
// One operation in `one`, from outside: A, then B beside C, then D.
void diamond(cuda::stream_ref one, cuda::stream_ref two, int *x)
{
    cudaEvent_t forked, joined;
    cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
    add<<<1, 1, 0, one.get()>>>(x, 1);                          // A
    cudaEventRecord(forked, one.get());
    cudaStreamWaitEvent(two.get(), forked, 0);
    add<<<1, 1, 0, one.get()>>>(x + 1, 2);                      // B
    add<<<1, 1, 0, two.get()>>>(x + 2, 3);                      // C
    cudaEventRecord(joined, two.get());
    cudaStreamWaitEvent(one.get(), joined, 0);
    join<<<1, 1, 0, one.get()>>>(x + 3, x + 1, x + 2);          // D
    cudaEventDestroy(forked);
    cudaEventDestroy(joined);
}
//< function

int main()
{
    int *x, four[4];
    cudaStream_t one, two;
    cudaMalloc(&x, sizeof four);
    cudaMemset(x, 0, sizeof four);
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaDeviceSynchronize();            // for the memset, which is in the default stream
    //> call
    diamond(one, two, x);               // each cudaStream_t becomes a stream_ref
    cuda::stream_ref ref = one;
    ref.wait();                         // cudaStreamSynchronize; in later releases: sync()
    bool done = ref.ready();            // cudaStreamQuery; in later releases: is_done()
    //< call
#ifdef MISTAKEN
    diamond(0, two, x);                 // does not compile
#endif
#ifdef MISTAKEN_TOO
    diamond(nullptr, two, x);
#endif
    cudaMemcpy(four, x, sizeof four, cudaMemcpyDeviceToHost);
    std::printf("A %d, B %d, C %d, D %d, done %d\n", four[0], four[1], four[2], four[3], done);
    return cudaGetLastError() != cudaSuccess || four[3] != 6;
}
