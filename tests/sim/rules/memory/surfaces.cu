/* SPDX-License-Identifier: MIT */
/* Surface objects: kernels read and write arrays. */
#include "../rule.h"

enum { WIDTH = 16, HEIGHT = 8 };

static int plane[HEIGHT][WIDTH], back[HEIGHT][WIDTH];

__global__ void turn(cudaSurfaceObject_t to, cudaSurfaceObject_t from)
{
    int v = surf2Dread<int>(from, (int)(threadIdx.x * sizeof v), (int)threadIdx.y);
    surf2Dwrite(v, to, (int)((WIDTH - 1 - threadIdx.x) * sizeof v), (int)(HEIGHT - 1 - threadIdx.y));
}

__global__ void beside(int *to, cudaSurfaceObject_t s)
{
    to[0] = surf2Dread<int>(s, -4, 3, cudaBoundaryModeZero);
    to[1] = surf2Dread<int>(s, WIDTH * 4, 3, cudaBoundaryModeClamp);
    to[2] = surf2Dread<int>(s, 8, 99, cudaBoundaryModeClamp);
    surf2Dwrite(77, s, 8, HEIGHT, cudaBoundaryModeZero);
    surf2Dread(&to[3], s, 4, 1);
}

__global__ void line(cudaSurfaceObject_t s)
{
    float2 v = surf1Dread<float2>(s, (int)(threadIdx.x * sizeof v));
    surf1Dwrite(make_float2(v.y, v.x), s, (int)(threadIdx.x * sizeof v));
}

__global__ void look(int *to, cudaTextureObject_t t)
{
    to[threadIdx.y * WIDTH + threadIdx.x] = tex2D<int>(t, (float)threadIdx.x, (float)threadIdx.y);
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc r = resource_of(array);
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

int main()
{
    cudaArray_t from, to, pairs;
    cudaChannelFormatDesc whole = cudaCreateChannelDesc<int>(), two = cudaCreateChannelDesc<float2>();
    int *d = on_device<int>(WIDTH * HEIGHT), got[4];
    warm_up(d);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        plane[i / WIDTH][i % WIDTH] = 1000 + i;
    CHECK(cudaMallocArray(&from, &whole, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&to, &whole, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&pairs, &two, WIDTH, 0, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(from, 0, 0, plane, sizeof plane[0], sizeof plane[0], HEIGHT, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t in = surface_of(from), out = surface_of(to), ends = surface_of(pairs);
    turn<<<1, dim3(WIDTH, HEIGHT)>>>(out, in);
    CHECK(cudaMemcpy2DFromArray(back, sizeof back[0], to, 0, 0, sizeof back[0], HEIGHT, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += back[HEIGHT - 1 - y][WIDTH - 1 - x] != plane[y][x];
    rule(wrong == 0, "a kernel reads one array and writes another, with x in bytes");

    beside<<<1, 1>>>(d, in);
    CHECK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy2DFromArray(back, sizeof back[0], from, 0, 0, sizeof back[0], HEIGHT, cudaMemcpyDeviceToHost));
    rule(got[0] == 0 && memcmp(back, plane, sizeof plane) == 0, "cudaBoundaryModeZero: outside is 0, and what is written there is lost");
    rule(got[1] == plane[3][WIDTH - 1] && got[2] == plane[HEIGHT - 1][2], "cudaBoundaryModeClamp: outside are the last elements");
    rule(got[3] == plane[1][1], "a read may name where the value goes");

    float numbers[2 * WIDTH], swapped[2 * WIDTH];
    for (int i = 0; i < 2 * WIDTH; i++)
        numbers[i] = (float)i;
    CHECK(cudaMemcpy2DToArray(pairs, 0, 0, numbers, sizeof numbers, sizeof numbers, 1, cudaMemcpyHostToDevice));
    line<<<1, WIDTH>>>(ends);
    CHECK(cudaMemcpy2DFromArray(swapped, sizeof swapped, pairs, 0, 0, sizeof swapped, 1, cudaMemcpyDeviceToHost));
    wrong = 0;
    for (int i = 0; i < 2 * WIDTH; i++)
        wrong += swapped[i] != numbers[i ^ 1];
    rule(wrong == 0, "so it is in one dimension, with elements of two numbers");

    cudaResourceDesc r = resource_of(to), same;
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL));
    turn<<<1, dim3(WIDTH, HEIGHT)>>>(out, in);
    look<<<1, dim3(WIDTH, HEIGHT)>>>(d, t);
    CHECK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    rule(back[0][0] == plane[HEIGHT - 1][WIDTH - 1] && back[HEIGHT - 1][WIDTH - 2] == plane[0][1],
         "a later kernel sees through a texture what one has written through a surface");
    CHECK(cudaGetSurfaceObjectResourceDesc(&same, out));
    rule(same.resType == cudaResourceTypeArray && same.res.array.array == to, "a surface object knows what it was made of");
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroySurfaceObject(in));
    CHECK(cudaDestroySurfaceObject(out));
    CHECK(cudaDestroySurfaceObject(ends));
    CHECK(cudaFreeArray(from));
    CHECK(cudaFreeArray(to));
    CHECK(cudaFreeArray(pairs));
    return rules_end();
}
