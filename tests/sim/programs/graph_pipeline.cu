/* SPDX-License-Identifier: MIT */
/* A reduction as a graph, by capture of two streams and by explicit nodes, with a host node at the end. */
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
#define check(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
    printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

struct result { const char *name; double *value; int calls; };

__global__ void partial(const float *in, double *out, size_t n)
{
    __shared__ double part[128];
    double sum = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k)
            part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

__global__ void total(const double *in, double *out, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    *out = sum;
}

static void CUDART_CB show(void *data)
{
    ((result *)data)->calls++;
}

int main()
{
    const size_t n = 1 << 16;
    const int blocks = 16;
    std::vector<float> h(n, 0.5f);
    float *d;
    double *parts, *sum, value = 0;
    check(cudaMalloc(&d, n * sizeof(float)));
    check(cudaMalloc(&parts, blocks * sizeof(double)));
    check(cudaMalloc(&sum, sizeof(double)));
    result r = { "sum", &value, 0 };
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    check(cudaStreamCreate(&a));
    check(cudaStreamCreate(&b));
    check(cudaEventCreate(&fork));
    check(cudaEventCreate(&join));
    check(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    check(cudaEventRecord(fork, a));
    check(cudaStreamWaitEvent(b, fork, 0));
    check(cudaMemcpyAsync(d, h.data(), n * sizeof(float), cudaMemcpyDefault, a));
    check(cudaMemsetAsync(parts, 0, blocks * sizeof(double), b));
    check(cudaEventRecord(join, b));
    check(cudaStreamWaitEvent(a, join, 0));
    partial<<<blocks, 128, 0, a>>>(d, parts, n);
    total<<<1, 1, 0, a>>>(parts, sum, blocks);
    check(cudaMemcpyAsync(&value, sum, sizeof value, cudaMemcpyDefault, a));
    check(cudaLaunchHostFunc(a, show, &r));
    cudaGraph_t graph, clone;
    check(cudaStreamEndCapture(a, &graph));
    check(cudaGraphClone(&clone, graph));
    size_t count = 0;
    check(cudaGraphGetNodes(graph, nullptr, &count));
    cudaGraphExec_t exec;
    check(cudaGraphInstantiate(&exec, clone, 0));
    for (int i = 0; i < 3; i++)
        check(cudaGraphLaunch(exec, b));
    check(cudaStreamSynchronize(b));
    printf("%s %zu nodes, %d calls\n", value == n / 2 ? "right" : "wrong", count, r.calls);
    check(cudaGraphExecDestroy(exec));
    check(cudaGraphDestroy(clone));
    check(cudaGraphDestroy(graph));
}
