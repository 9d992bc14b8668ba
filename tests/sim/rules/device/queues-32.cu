/* SPDX-License-Identifier: MIT */
/* run: CUDA_DEVICE_MAX_CONNECTIONS=32 */
/* Thirty-two hardware queues: the most there are. [M] */
#include "chains.h"

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    rule(shares(8, 32) && shares(32, 32), "thirty-two streams have a queue each");
    rule(shares(33, 32), "the next one shares the first one's");
    return rules_end();
}
