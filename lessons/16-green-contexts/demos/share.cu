/* SPDX-License-Identifier: MIT */
/* share.cu - a request of 120 blocks and a bulk of 2,000, on sides of different sizes: how many waves does each take?
 *
 *   build/bin/simcc -Icommon -o share lessons/16-green-contexts/demos/share.cu && ./share */
#include "parts.h"

#define BLOCK_NS 1000000

static long waves(int blocks, cudaStream_t stream)
{
    long long begin = now_ns();
    work<<<blocks, THREADS, shared, stream>>>(BLOCK_NS);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream));
    return (long)((now_ns() - begin) / BLOCK_NS);
}

int main(void)
{
    ask_device();
    for (int sms = 8; sms <= 40; sms += 8) {
        struct part few = {}, many = {};
        split(sms, &few, &many);
        printf("%2u SMs: request %ld, bulk on %3u SMs %ld\n", few.sms.sm.smCount, waves(120, few.stream), many.sms.sm.smCount,
               waves(2000, many.stream));
        part_close(&few);
        part_close(&many);
    }
    return 0;
}
