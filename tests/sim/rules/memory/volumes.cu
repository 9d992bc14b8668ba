/* SPDX-License-Identifier: MIT */
/* Memory, copies and memsets of three dimensions. */
#include <stdlib.h>

#include "../rule.h"

enum { WIDTH = 20, HEIGHT = 6, DEPTH = 5 };

static unsigned char host[DEPTH][HEIGHT][WIDTH], back[DEPTH][HEIGHT][WIDTH];

static bool is_in(int z, int y, int x, int from)
{
    return z >= from && z < from + 2 && y >= from && y < from + 3 && x >= from && x < from + 4;
}

/* Adds 1 to the box of 4 x 3 x 2 that begins at (1, 1, 1). */
__global__ void add_in_box(cudaPitchedPtr p)
{
    char *slice = (char *)p.ptr + (1 + threadIdx.z) * p.pitch * p.ysize;
    slice[(1 + threadIdx.y) * p.pitch + 1 + threadIdx.x] += 1;
}

static cudaMemcpy3DParms from_host(cudaPitchedPtr to)
{
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(host, WIDTH, WIDTH, HEIGHT);
    p.dstPtr = to;
    p.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    p.kind = cudaMemcpyHostToDevice;
    return p;
}

static cudaMemcpy3DParms to_host(cudaPitchedPtr from)
{
    cudaMemcpy3DParms p = {};
    p.srcPtr = from;
    p.dstPtr = make_cudaPitchedPtr(back, WIDTH, WIDTH, HEIGHT);
    p.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    p.kind = cudaMemcpyDeviceToHost;
    return p;
}

int main()
{
    cudaPitchedPtr d, e;
    cudaStream_t s = stream(cudaStreamNonBlocking);
    warm_up(on_device<int>(1));
    for (int i = 0; i < (int)sizeof host; i++)
        host[i / (WIDTH * HEIGHT)][i / WIDTH % HEIGHT][i % WIDTH] = (unsigned char)(i % 251);
    rule(cudaMalloc3D(&d, make_cudaExtent(WIDTH, HEIGHT, DEPTH)) == cudaSuccess && d.ptr && d.pitch >= WIDTH && d.pitch % 32 == 0 &&
         d.xsize == WIDTH && d.ysize == HEIGHT, "cudaMalloc3D gives rows that begin at multiples of 32 bytes, and says how many make a slice");
    CHECK(cudaMalloc3D(&e, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));

    cudaMemcpy3DParms in = from_host(d), out = to_host(d), over = {};
    CHECK(cudaMemcpy3D(&in));
    CHECK(cudaMemcpy3D(&out));
    rule(memcmp(host, back, sizeof host) == 0, "cudaMemcpy3D brings a volume to the device and back");
    add_in_box<<<1, dim3(4, 3, 2)>>>(d);
    CHECK(cudaMemcpy3D(&out));
    int wrong = 0;
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                wrong += back[z][y][x] != (unsigned char)(host[z][y][x] + is_in(z, y, x, 1));
    rule(wrong == 0, "a kernel finds a byte at slice * pitch * ysize + row * pitch + x");

    CHECK(cudaMemset3D(e, 7, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    over.srcPtr = d;
    over.dstPtr = e;
    over.srcPos = make_cudaPos(1, 1, 1);
    over.dstPos = make_cudaPos(2, 2, 2);
    over.extent = make_cudaExtent(4, 3, 2);
    over.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaMemcpy3D(&over));
    out = to_host(e);
    CHECK(cudaMemcpy3D(&out));
    wrong = 0;
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                wrong += back[z][y][x] != (is_in(z, y, x, 2) ? (unsigned char)(host[z - 1][y - 1][x - 1] + 1) : 7);
    rule(wrong == 0, "a box out of the middle of a volume is copied, and nothing beside it");

    static unsigned char packed[2][3][4];
    cudaMemcpy3DParms pack = {};
    pack.srcPtr = d;
    pack.srcPos = make_cudaPos(1, 1, 1);
    pack.dstPtr = make_cudaPitchedPtr(packed, 4, 4, 3);
    pack.extent = make_cudaExtent(4, 3, 2);
    pack.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&pack));
    wrong = 0;
    for (int i = 0; i < 24; i++)
        wrong += packed[i / 12][i / 4 % 3][i % 4] != (unsigned char)(host[1 + i / 12][1 + i / 4 % 3][1 + i % 4] + 1);
    rule(wrong == 0, "slices may have other numbers of rows at both ends of a copy");

    CHECK(cudaMemset3DAsync(e, 9, make_cudaExtent(3, 2, 2), s));
    out.kind = cudaMemcpyDefault;
    CHECK(cudaMemcpy3DAsync(&out, s));
    CHECK(cudaStreamSynchronize(s));
    rule(back[0][0][2] == 9 && back[1][1][2] == 9 && back[1][1][3] == 7 && back[1][2][2] == 7 && back[2][0][0] == 7,
         "a corner of a volume is set, and nothing beside it");
    unsigned char *pinned_volume = pinned<unsigned char>(sizeof host);
    in = from_host(d);
    in.srcPtr.ptr = pinned_volume;
    busy<<<1, 1, 0, s>>>(LONG);
    rule(!is_long(took([&] { CHECK(cudaMemcpy3DAsync(&in, s)); })), "cudaMemcpy3DAsync from pinned memory returns at once");
    busy<<<1, 1, 0, s>>>(LONG);
    rule(!is_long(took([&] { CHECK(cudaMemset3DAsync(d, 0, make_cudaExtent(WIDTH, HEIGHT, DEPTH), s)); })),
         "cudaMemset3DAsync returns at once");
    CHECK(cudaStreamSynchronize(s));

    in = from_host(d);
    in.srcPtr.ptr = NULL;
    rule(cudaMemcpy3D(&in) == cudaErrorInvalidValue, "cudaMemcpy3D from nowhere: cudaErrorInvalidValue");
    in = from_host(d);
    in.extent.depth = 1000000;
    rule(cudaMemcpy3D(&in) != cudaSuccess, "cudaMemcpy3D of more slices than there are fails");
    forget_errors();
    CHECK(cudaFree(d.ptr));
    CHECK(cudaFree(e.ptr));
    return rules_end();
}
