/* SPDX-License-Identifier: MIT */
/* Turns an image, sampled through a texture with normalised coordinates. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

__global__ void rotate_kernel(float *output, int width, int height, float theta, cudaTextureObject_t tex)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (float)x - (float)width / 2, v = (float)y - (float)height / 2;
    float tu = u * cosf(theta) - v * sinf(theta), tv = v * cosf(theta) + u * sinf(theta);
    tu /= (float)width;
    tv /= (float)height;
    output[y * width + x] = tex2D<float>(tex, tu + 0.5f, tv + 0.5f);
}

static float at(const float *image, int width, int height, int x, int y)
{
    return image[(y % height + height) % height * width + (x % width + width) % width];
}

int main()
{
    const int width = 128, height = 64;
    const size_t size = width * height * sizeof(float);
    const float angle = 0.5f;
    float *image = (float *)malloc(size), *output = (float *)malloc(size), *d_output;
    for (int i = 0; i < width * height; i++)
        image[i] = sinf(i % width * 0.1f) * cosf(i / width * 0.07f);
    cudaMalloc((void **)&d_output, size);
    cudaChannelFormatDesc channelDesc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray *cuArray;
    cudaMallocArray(&cuArray, &channelDesc, width, height);
    cudaMemcpyToArray(cuArray, 0, 0, image, size, cudaMemcpyHostToDevice);

    cudaTextureObject_t tex;
    cudaResourceDesc texRes;
    memset(&texRes, 0, sizeof(cudaResourceDesc));
    texRes.resType = cudaResourceTypeArray;
    texRes.res.array.array = cuArray;
    cudaTextureDesc texDescr;
    memset(&texDescr, 0, sizeof(cudaTextureDesc));
    texDescr.normalizedCoords = true;
    texDescr.filterMode = cudaFilterModeLinear;
    texDescr.addressMode[0] = cudaAddressModeWrap;
    texDescr.addressMode[1] = cudaAddressModeWrap;
    texDescr.readMode = cudaReadModeElementType;
    if (cudaCreateTextureObject(&tex, &texRes, &texDescr, NULL) != cudaSuccess)
        return 1;
    dim3 dimBlock(8, 8, 1), dimGrid(width / dimBlock.x, height / dimBlock.y, 1);
    rotate_kernel<<<dimGrid, dimBlock, 0>>>(d_output, width, height, angle, tex);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    cudaMemcpy(output, d_output, size, cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            double u = x - width / 2.0, v = y - height / 2.0;
            double tu = u * cos(angle) - v * sin(angle) + width / 2.0 - 0.5, tv = v * cos(angle) + u * sin(angle);
            tv = tv / height * height + height / 2.0 - 0.5;
            int i = (int)floor(tu), j = (int)floor(tv);
            double a = tu - i, b = tv - j;
            double expected = (1 - a) * (1 - b) * at(image, width, height, i, j) + a * (1 - b) * at(image, width, height, i + 1, j) +
                              (1 - a) * b * at(image, width, height, i, j + 1) + a * b * at(image, width, height, i + 1, j + 1);
            wrong += fabs(expected - output[y * width + x]) > 0.005;
        }
    printf(wrong ? "wrong: %d pixels\n" : "right\n", wrong);
    cudaDestroyTextureObject(tex);
    cudaFree(d_output);
    cudaFreeArray(cuArray);
    free(image);
    free(output);
    return wrong != 0;
}
