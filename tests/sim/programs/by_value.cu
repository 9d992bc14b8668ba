/* SPDX-License-Identifier: MIT */
/* objects with constructors and destructors as a kernel's arguments: the device gets their bits, and destroys nothing */
#include <cstdio>

static int copied, destroyed;

class vector_on_device {
public:
    explicit vector_on_device(int n) : at(NULL), n(n), owner(true) { cudaMalloc(&at, n * sizeof *at); }
    __host__ __device__ vector_on_device(const vector_on_device &other) : at(other.at), n(other.n), owner(false)
    {
#ifndef __CUDA_ARCH__
        copied++;
#endif
    }
    __host__ __device__ ~vector_on_device()
    {
#ifndef __CUDA_ARCH__
        destroyed++;
        if (owner)
            cudaFree(at);
#endif
    }
    __device__ int &operator[](int i) { return at[i]; }
    int *at;
    int n;
private:
    bool owner;
};

__global__ void fill(vector_on_device v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int shared[64];
    shared[threadIdx.x] = i;
    __syncthreads();                    /* each thread has a stack of its own from here on */
    if (i < v.n)
        v[i] = shared[blockDim.x - 1 - threadIdx.x];
    v.n = 0;                            /* a thread's own */
}

struct pair {
    int a, b;
    virtual ~pair() { destroyed++; }
    pair(int a, int b) : a(a), b(b) {}
};

__global__ void add(pair p, vector_on_device v)
{
    if (threadIdx.x < 64)
        v[threadIdx.x] += p.a + p.b;
}

int main()
{
    const int n = 256;
    int on_host[256];
    bool right = true;
    {
        vector_on_device v(n);
        fill<<<4, 64>>>(v);
        add<<<1, 128>>>(pair(10, 20), v);
        cudaMemcpy(on_host, v.at, sizeof on_host, cudaMemcpyDeviceToHost);
        destroyed = copied = 0;
    }
    right &= destroyed == 1 && copied == 0;
    for (int i = 0; i < n; i++)
        right &= on_host[i] == i / 64 * 64 + 63 - i % 64 + (i < 64 ? 30 : 0);
    puts(right && cudaDeviceSynchronize() == cudaSuccess ? "right" : "wrong");
}
