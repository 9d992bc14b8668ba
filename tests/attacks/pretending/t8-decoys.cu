// SPDX-License-Identifier: MIT
// One stream does the work; others are busy with nothing, to look like overlap.
// expects: wrong
// lesson: 06
//@ instead of pipeline
__global__ void decoy() { kernel_cost(BRIGHTEN_NS); }

void pipeline(const float *in, float *out, float *device, int n)
{
    cudaStream_t stream[3];
    create(stream, 3);
    CHECK(cudaMemcpyAsync(device, in, n * sizeof(float), cudaMemcpyHostToDevice, stream[0]));
    for (int i = 0; i < 6; i++)
        decoy<<<64, BLOCK, 0, stream[1 + i % 2]>>>();
    brighten<<<blocks(n), BLOCK, 0, stream[0]>>>(device, 0, n);
    CHECK(cudaMemcpyAsync(out, device, n * sizeof(float), cudaMemcpyDeviceToHost, stream[0]));
    finish(stream, 3);
}
