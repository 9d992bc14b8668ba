/* SPDX-License-Identifier: MIT */
/* roots.cu - why the largest error of lesson 06's four_streams.cu is what it is: how many of its roots come out above 1,
 * the same with sine and cosine rounded correctly, and how far sinf() and cosf() are off. */
#include <math.h>
#include <stdio.h>

#include "streams.h"

enum { BLOCK = 256, FLOATS = 4 << 20 };

struct found { float *root, *correct, *sine, *cosine; };        /* FLOATS each; of the last two the errors */

static __device__ float units_off(float got, double want)
{
    return (float)(fabs(got - want) / ldexp(1.0, ilogb(want) - 23));
}

__global__ void find(struct found f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = (float)i, s = sinf(x), c = cosf(x);
    f.root[i] = sqrtf(s * s + c * c);
    float sine = (float)sin((double)x), cosine = (float)cos((double)x);
    f.correct[i] = sqrtf(sine * sine + cosine * cosine);
    f.sine[i] = i ? units_off(s, sin((double)x)) : 0;
    f.cosine[i] = units_off(c, cos((double)x));
}

static float largest(const float *x, float less)
{
    float most = 0;
    for (int i = 0; i < FLOATS; i++)
        most = fmaxf(most, fabsf(x[i] - less));
    return most;
}

static void show(const char *what, const float *root)
{
    int above = 0;
    for (int i = 0; i < FLOATS; i++)
        above += root[i] > 1;
    printf("%s: largest error %.2e, %d of %d roots above 1\n", what, largest(root, 1), above, FLOATS);
}

int main(void)
{
    struct found f;
    float **all[] = { &f.root, &f.correct, &f.sine, &f.cosine };
    for (float **x : all)
        CHECK(cudaMallocManaged((void **)x, FLOATS * sizeof(float)));
    find<<<FLOATS / BLOCK, BLOCK>>>(f);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    show("as it is", f.root);
    show("rounded correctly", f.correct);
    printf("off by units in the last place: sinf %.2f, cosf %.2f\n", largest(f.sine, 0), largest(f.cosine, 0));
    for (float **x : all)
        CHECK(cudaFree(*x));
    return 0;
}
