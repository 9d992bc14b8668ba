/* SPDX-License-Identifier: MIT */
/* run: CUDA_DEVICE_MAX_CONNECTIONS=1 */
#include "overlap.h"

int main()
{
    int *d = on_device<int>(4);
    const size_t MI = 1 << 20;
    warm_up(d);
    demo_takes("32 Mi floats, 40 times over, one queue", overlap_demo(32 * MI, block_of(22.6 - 4.86, 32 * MI)), { 22.6, 18.96, 19.0 });
    return rules_end();
}
