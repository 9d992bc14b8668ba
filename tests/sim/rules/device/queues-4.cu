/* SPDX-License-Identifier: MIT */
/* run: CUDA_DEVICE_MAX_CONNECTIONS=4 */
/* Four hardware queues. [M] */
#include "chains.h"

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    rule(shares(4, 4), "four streams have a queue each");
    rule(shares(8, 4), "eight share them in twos");
    return rules_end();
}
