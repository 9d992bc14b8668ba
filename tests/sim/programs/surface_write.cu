/* SPDX-License-Identifier: MIT */
/* One kernel writes an array through a surface, the next one reads it through a texture. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define checkCudaErrors(call) do { if ((call) != cudaSuccess) { fprintf(stderr, "%s failed\n", #call); exit(1); } } while (0)

__global__ void surfaceWriteKernel(float *gIData, int width, cudaSurfaceObject_t outputSurface)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    surf2Dwrite(gIData[y * width + x], outputSurface, x * 4, y, cudaBoundaryModeTrap);
}

__global__ void transformKernel(float *gOData, int width, int height, cudaTextureObject_t tex)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    gOData[y * width + x] = 2 * tex2D<float>(tex, width - 1 - (int)x + 0.5f, height - 1 - (int)y + 0.5f);
}

int main()
{
    const int width = 64, height = 48;
    const size_t size = width * height * sizeof(float);
    float *h = (float *)malloc(size), *result = (float *)malloc(size), *d = NULL;
    for (int i = 0; i < width * height; i++)
        h[i] = i * 0.5f;
    checkCudaErrors(cudaMalloc((void **)&d, size));
    checkCudaErrors(cudaMemcpy(d, h, size, cudaMemcpyHostToDevice));
    cudaChannelFormatDesc channelDesc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray *cuArray;
    checkCudaErrors(cudaMallocArray(&cuArray, &channelDesc, width, height, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t outputSurface;
    cudaResourceDesc surfRes;
    memset(&surfRes, 0, sizeof(cudaResourceDesc));
    surfRes.resType = cudaResourceTypeArray;
    surfRes.res.array.array = cuArray;
    checkCudaErrors(cudaCreateSurfaceObject(&outputSurface, &surfRes));
    dim3 dimBlock(8, 8, 1), dimGrid(width / dimBlock.x, height / dimBlock.y, 1);
    surfaceWriteKernel<<<dimGrid, dimBlock>>>(d, width, outputSurface);
    cudaTextureObject_t tex;
    cudaTextureDesc texDescr;
    memset(&texDescr, 0, sizeof(cudaTextureDesc));
    texDescr.filterMode = cudaFilterModeLinear;
    texDescr.addressMode[0] = texDescr.addressMode[1] = cudaAddressModeWrap;
    texDescr.readMode = cudaReadModeElementType;
    checkCudaErrors(cudaCreateTextureObject(&tex, &surfRes, &texDescr, NULL));
    transformKernel<<<dimGrid, dimBlock>>>(d, width, height, tex);
    checkCudaErrors(cudaDeviceSynchronize());
    checkCudaErrors(cudaMemcpy(result, d, size, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < width * height; i++)
        wrong += result[i] != 2 * h[width * height - 1 - i];
    printf(wrong ? "wrong: %d pixels\n" : "right\n", wrong);
    checkCudaErrors(cudaDestroySurfaceObject(outputSurface));
    checkCudaErrors(cudaDestroyTextureObject(tex));
    checkCudaErrors(cudaFree(d));
    checkCudaErrors(cudaFreeArray(cuArray));
    free(h);
    free(result);
    return wrong != 0;
}
