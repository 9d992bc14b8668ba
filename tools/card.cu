/* SPDX-License-Identifier: MIT */
/*
 * Which GPU is there? Name, compute capability, CUDA versions of driver and runtime, how many there are, a line each;
 * status 2 and one line on stderr when there is none. With the argument `works` it has to run a kernel, too, and give
 * back what that wrote.
 */
#include <stdio.h>

#include <cuda_runtime.h>

static __global__ void answer(int *number)
{
    *number = *number * 2 + 1;
}

static int fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 2;
}

static cudaError_t run_kernel(int *number)
{
    int *on_card = NULL;
    cudaError_t status = cudaMalloc((void **)&on_card, sizeof *on_card);
    if (status == cudaSuccess)
        status = cudaMemcpy(on_card, number, sizeof *number, cudaMemcpyHostToDevice);
    if (status == cudaSuccess) {
        answer<<<1, 1>>>(on_card);
        status = cudaGetLastError();
    }
    if (status == cudaSuccess)
        status = cudaMemcpy(number, on_card, sizeof *number, cudaMemcpyDeviceToHost);
    if (on_card)
        cudaFree(on_card);
    return status;
}

int main(int argc, char **argv)
{
    struct cudaDeviceProp card;
    int driver = 0, runtime = 0, count = 0, number = 20;
    (void)argv;
    cudaError_t status = cudaGetDeviceProperties(&card, 0);
    if (status == cudaSuccess && argc > 1)
        status = run_kernel(&number);
    if (status != cudaSuccess)
        return fail(cudaGetErrorString(status));
    if (argc > 1 && number != 41)
        return fail("a kernel of one line gives the wrong answer");
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    cudaGetDeviceCount(&count);
    printf("%s\n%d.%d\n%d.%d\n%d.%d\n%d\n", card.name, card.major, card.minor, driver / 1000, driver % 1000 / 10,
           runtime / 1000, runtime % 1000 / 10, count);
    return 0;
}
