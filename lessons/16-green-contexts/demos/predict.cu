/* SPDX-License-Identifier: MIT */
/* predict.cu - two contexts and an ordinary stream: which kernel has which SMs, and when?
 *
 *   build/bin/simcc -Icommon -o predict lessons/16-green-contexts/demos/predict.cu && ./predict */
#include "parts.h"

int main(void)
{
    struct part a = {}, b = {};
    cudaStream_t ordinary;
    ask_device();
    split(16, &a, &b);
    CHECK(cudaStreamCreateWithFlags(&ordinary, cudaStreamNonBlocking));
    int wave_a = a.sms.sm.smCount * fit, wave_b = b.sms.sm.smCount * fit;
    label_push("predict");
    //> predict
    work<<<2 * wave_b, THREADS, shared, b.stream>>>(1000000);       // two waves of 1 ms
    work<<<wave_a, THREADS, shared, a.stream>>>(1000000);           // one
    host_work(500000);
    work<<<wave_a, THREADS, shared, ordinary>>>(1000000);           // at 0.5 ms: blocks to fill a
    host_work(700000);
    work<<<wave_a, THREADS, shared, a.stream>>>(1000000);           // at 1.2 ms: one more wave
    //< predict
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    label_pop();
    part_close(&a);
    part_close(&b);
    CHECK(cudaStreamDestroy(ordinary));
    return 0;
}
