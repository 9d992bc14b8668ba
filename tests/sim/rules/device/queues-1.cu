/* SPDX-License-Identifier: MIT */
/* run: CUDA_DEVICE_MAX_CONNECTIONS=1 */
/* One hardware queue for all streams. [M] */
#include "chains.h"

int main()
{
    int *d = on_device<int>(4);
    warm_up(d);
    rule(shares(1, 1), "a stream has it to itself");
    rule(shares(8, 1), "eight streams share it and hold each other up");
    return rules_end();
}
