// SPDX-License-Identifier: MIT
// The first call does the work, and the second hands it out.
// expects: wrong, crashed
// lesson: 06
//@ instead of breadth_first
void breadth_first(const float *in, float *out, float *device, int n)
{
    static float kept[1 << 22];
    (void)in, (void)device;
    for (int i = 0; i < n && i < (1 << 22); i++)
        out[i] = kept[i];
}
