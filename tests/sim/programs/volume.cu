/* SPDX-License-Identifier: MIT */
/* A slice through a volume of bytes: a 3D array, trilinear filtering, normalised float. */
#include <stdio.h>
#include <math.h>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned char VolumeType;

__global__ void d_render(float *d_output, uint imageW, uint imageH, float w, cudaTextureObject_t texObj)
{
    uint x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x / (float)imageW, v = y / (float)imageH;
    float voxel = tex3D<float>(texObj, u, v, w);
    if (x < imageW && y < imageH)
        d_output[y * imageW + x] = voxel;
}

int main()
{
    const cudaExtent volumeSize = make_cudaExtent(32, 16, 8);
    const uint imageW = 48, imageH = 40;
    const float w = 0.5f;
    std::vector<VolumeType> volume(volumeSize.width * volumeSize.height * volumeSize.depth);
    for (size_t i = 0; i < volume.size(); i++)
        volume[i] = (VolumeType)(i * 31 % 200);
    cudaChannelFormatDesc channelDesc = cudaCreateChannelDesc<VolumeType>();
    cudaArray *d_volumeArray = 0;
    cudaMalloc3DArray(&d_volumeArray, &channelDesc, volumeSize);
    cudaMemcpy3DParms copyParams = { 0 };
    copyParams.srcPtr = make_cudaPitchedPtr(volume.data(), volumeSize.width * sizeof(VolumeType), volumeSize.width, volumeSize.height);
    copyParams.dstArray = d_volumeArray;
    copyParams.extent = volumeSize;
    copyParams.kind = cudaMemcpyHostToDevice;
    if (cudaMemcpy3D(&copyParams) != cudaSuccess)
        return 1;
    cudaResourceDesc texRes = {};
    texRes.resType = cudaResourceTypeArray;
    texRes.res.array.array = d_volumeArray;
    cudaTextureDesc texDescr = {};
    texDescr.normalizedCoords = true;
    texDescr.filterMode = cudaFilterModeLinear;
    texDescr.addressMode[0] = texDescr.addressMode[1] = texDescr.addressMode[2] = cudaAddressModeClamp;
    texDescr.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t tex;
    if (cudaCreateTextureObject(&tex, &texRes, &texDescr, NULL) != cudaSuccess)
        return 1;
    float *d_output;
    std::vector<float> output(imageW * imageH);
    cudaMalloc(&d_output, output.size() * sizeof(float));
    d_render<<<dim3(3, 5), dim3(16, 8)>>>(d_output, imageW, imageH, w, tex);
    cudaMemcpy(output.data(), d_output, output.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int wrong = 0;
    auto voxel = [&](int x, int y, int z) {
        auto clamp = [](int i, size_t n) { return i < 0 ? 0 : i >= (int)n ? n - 1 : i; };
        return volume[(clamp(z, volumeSize.depth) * volumeSize.height + clamp(y, volumeSize.height)) * volumeSize.width + clamp(x, volumeSize.width)] / 255.0;
    };
    for (uint y = 0; y < imageH; y++)
        for (uint x = 0; x < imageW; x++) {
            double at[3] = { (double)x / imageW * volumeSize.width - 0.5, (double)y / imageH * volumeSize.height - 0.5, w * volumeSize.depth - 0.5 };
            int i[3];
            double f[3], expected = 0;
            for (int k = 0; k < 3; k++)
                i[k] = (int)floor(at[k]), f[k] = at[k] - i[k];
            for (int k = 0; k < 8; k++)
                expected += (k & 1 ? f[0] : 1 - f[0]) * (k & 2 ? f[1] : 1 - f[1]) * (k & 4 ? f[2] : 1 - f[2]) *
                            voxel(i[0] + (k & 1), i[1] + (k >> 1 & 1), i[2] + (k >> 2));
            wrong += fabs(expected - output[y * imageW + x]) > 0.01;
        }
    printf(wrong ? "wrong: %d pixels\n" : "right\n", wrong);
    cudaDestroyTextureObject(tex);
    cudaFreeArray(d_volumeArray);
    cudaFree(d_output);
    return wrong != 0;
}
