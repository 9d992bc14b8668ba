/* SPDX-License-Identifier: MIT */
/* A convolution over pitched memory of four bytes a pixel, whose edges a texture repeats. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

const int RADIUS = 2;
__constant__ float c_Kernel[2 * RADIUS + 1];

__global__ void convolutionRows(uchar4 *dst, int pitch, int width, int height, cudaTextureObject_t texSrc)
{
    const int ix = blockDim.x * blockIdx.x + threadIdx.x, iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix >= width || iy >= height)
        return;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = -RADIUS; k <= RADIUS; k++) {
        uchar4 p = tex2D<uchar4>(texSrc, ix + 0.5f + k, iy + 0.5f);
        float weight = c_Kernel[RADIUS - k];
        sum.x += p.x * weight, sum.y += p.y * weight, sum.z += p.z * weight, sum.w += p.w * weight;
    }
    uchar4 *row = (uchar4 *)((char *)dst + iy * pitch);
    row[ix] = make_uchar4(sum.x, sum.y, sum.z, sum.w);
}

int main()
{
    const int width = 50, height = 30;
    static uchar4 image[height][width], result[height][width];
    const float weights[2 * RADIUS + 1] = { 0.125f, 0.25f, 0.25f, 0.25f, 0.125f };
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            image[y][x] = make_uchar4(x * 5, y * 8, (x * y) & 255, 255);
    uchar4 *d_image, *d_result;
    size_t pitch, result_pitch;
    cudaMallocPitch(&d_image, &pitch, width * sizeof(uchar4), height);
    cudaMallocPitch(&d_result, &result_pitch, width * sizeof(uchar4), height);
    cudaMemcpyToSymbol(c_Kernel, weights, sizeof weights);
    cudaMemcpy2D(d_image, pitch, image, sizeof image[0], sizeof image[0], height, cudaMemcpyHostToDevice);
    cudaResourceDesc resDesc = {};
    resDesc.resType = cudaResourceTypePitch2D;
    resDesc.res.pitch2D.devPtr = d_image;
    resDesc.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    resDesc.res.pitch2D.width = width;
    resDesc.res.pitch2D.height = height;
    resDesc.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc texDesc = {};
    texDesc.addressMode[0] = texDesc.addressMode[1] = cudaAddressModeClamp;
    texDesc.filterMode = cudaFilterModePoint;
    texDesc.readMode = cudaReadModeElementType;
    cudaTextureObject_t texSrc = 0;
    if (cudaCreateTextureObject(&texSrc, &resDesc, &texDesc, NULL) != cudaSuccess)
        return 1;
    convolutionRows<<<dim3(4, 4), dim3(16, 8)>>>(d_result, (int)result_pitch, width, height, texSrc);
    cudaMemcpy2D(result, sizeof result[0], d_result, result_pitch, sizeof result[0], height, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float sum[4] = { 0 };
            for (int k = -RADIUS; k <= RADIUS; k++) {
                const uchar4 p = image[y][x + k < 0 ? 0 : x + k >= width ? width - 1 : x + k];
                const float weight = weights[RADIUS - k];
                sum[0] += p.x * weight, sum[1] += p.y * weight, sum[2] += p.z * weight, sum[3] += p.w * weight;
            }
            const uchar4 r = result[y][x];
            wrong += r.x != (unsigned char)sum[0] || r.y != (unsigned char)sum[1] || r.z != (unsigned char)sum[2] || r.w != (unsigned char)sum[3];
        }
    printf(wrong ? "wrong: %d pixels\n" : "right\n", wrong);
    cudaDestroyTextureObject(texSrc);
    cudaFree(d_image);
    cudaFree(d_result);
    return wrong != 0;
}
