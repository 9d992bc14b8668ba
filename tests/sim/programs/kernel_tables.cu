/* SPDX-License-Identifier: MIT */
/* kernels by address, as pointers that were stored, deduced, cast by a helper or made a graph's node */
#include <cstdio>
#include <map>
#include <string>
#include <type_traits>

__global__ void square(int *p, int n) { *p = n * n; }
__global__ void cube(int *p, int n) { *p = n * n * n; }
__global__ void over(int *p, int n) { *p = 10 + n; }
__global__ void over(float *p, int n) { *p = 20.0f + n; }
template <typename T, int N = 5, typename = void> __global__ void add(T *p, T n) { *p = n + N; }
template <typename T, typename std::enable_if<std::is_integral<T>::value, int>::type = 0> __global__ void negate(T *p, T n) { *p = -n; }
template <typename... R> __global__ void count(int *p, R...) { *p = (int)sizeof...(R); }
template <typename F> __global__ void apply(int *p, F f) { *p = f(2); }
__global__ void declared(int *p, int n);

struct times {
    int factor;
    __device__ int operator()(int n) const { return n * factor; }
};

template <typename K> static void *address_of(K *kernel) { return (void *)kernel; }

static int wrong, *result;

static void launch(const void *kernel, int wanted, int n = 4)
{
    void *args[] = { &result, &n };
    *result = -1;
    bool good = cudaLaunchKernel(kernel, dim3(1), dim3(1), args, 0, 0) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess && *result == wanted;
    if (!good)
        fprintf(stderr, "%d was wanted, and %d has come\n", wanted, *result);
    wrong += !good;
}

static void in_graph(void *kernel, int wanted)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    int n = 3;
    void *args[] = { &result, &n };
    cudaKernelNodeParams how = {};
    void *which = kernel;
    how.func = which;
    how.gridDim = how.blockDim = dim3(1);
    how.kernelParams = args;
    *result = -1;
    bool good = cudaGraphCreate(&graph, 0) == cudaSuccess && cudaGraphAddKernelNode(&node, graph, NULL, 0, &how) == cudaSuccess &&
                cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess && cudaGraphLaunch(exec, 0) == cudaSuccess &&
                cudaDeviceSynchronize() == cudaSuccess && *result == wanted;
    wrong += !good;
}

int main()
{
    cudaMallocManaged(&result, sizeof *result);
    void *table[] = { (void *)square, (void *)cube, (void *)add<int>, (void *)&declared };
    const int wanted[] = { 16, 64, 9, 40 };
    for (int i = 0; i < 4; i++)
        launch(table[i], wanted[i]);
    auto deduced = square;
    launch((void *)deduced, 16);
    void (*chosen)(int *, int) = over;
    launch(reinterpret_cast<const void *>(chosen), 14);
    launch(address_of(add<int, 9>), 13);
    launch(address_of(negate<int>), -4);
    launch(address_of(count<int>), 1);
    std::map<std::string, void (*)(int *, int)> named = { { "square", square }, { "cube", cube }, { "negate", negate<int> } };
    launch((void *)named["cube"], 64);
    launch((void *)named["negate"], -4);
    auto by = apply<times>;
    launch((void *)by, 14, 7);
    in_graph(address_of(cube), 27);
    in_graph((void *)(wrong ? square : chosen), 13);
    if (cudaLaunchKernel((void *)&wrong, dim3(1), dim3(1), NULL, 0, 0) != cudaErrorInvalidDeviceFunction)
        wrong++;
    printf(wrong == 0 ? "right\n" : "%d launches went wrong\n", wrong);
    return wrong != 0;
}

__global__ void declared(int *p, int n) { *p = 10 * n; }
