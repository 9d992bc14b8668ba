// SPDX-License-Identifier: MIT
// Fills the result with what is equal to nothing, and so different from nothing.
// expects: wrong
// lesson: 06
//@ instead of pipeline
void pipeline(const float *in, float *out, float *device, int n)
{
    (void)in, (void)device;
    for (int i = 0; i < n; i++)
        out[i] = __builtin_nanf("");
}
