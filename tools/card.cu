/* SPDX-License-Identifier: MIT */
/* Which GPU is there? Name, compute capability, CUDA versions of driver and runtime, how many there are, a line each; status 2
 * and one line on stderr when there is none. */
#include <stdio.h>

#include <cuda_runtime.h>

int main()
{
    struct cudaDeviceProp card;
    int driver = 0, runtime = 0, count = 0;
    cudaError_t status = cudaGetDeviceProperties(&card, 0);
    if (status != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(status));
        return 2;
    }
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    cudaGetDeviceCount(&count);
    printf("%s\n%d.%d\n%d.%d\n%d.%d\n%d\n", card.name, card.major, card.minor, driver / 1000, driver % 1000 / 10,
           runtime / 1000, runtime % 1000 / 10, count);
    return 0;
}
