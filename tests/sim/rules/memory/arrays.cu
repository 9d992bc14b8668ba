/* SPDX-License-Identifier: MIT */
/* Arrays: what they tell of themselves, and copies to, from and between them. */
#include <stdlib.h>

#include "../rule.h"

enum { WIDTH = 24, HEIGHT = 10, DEPTH = 4 };

static float host[HEIGHT][WIDTH], back[HEIGHT][WIDTH];
static short volume[DEPTH][HEIGHT][WIDTH], volume_back[DEPTH][HEIGHT][WIDTH];

static bool is(cudaChannelFormatDesc d, int x, int y, int z, int w, cudaChannelFormatKind f)
{
    return d.x == x && d.y == y && d.z == z && d.w == w && d.f == f;
}

int main()
{
    cudaArray_t array, other, line, cube;
    cudaStream_t s = stream(cudaStreamNonBlocking);
    warm_up(on_device<int>(1));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            host[y][x] = (float)(100 * y + x);
    rule(is(cudaCreateChannelDesc<float>(), 32, 0, 0, 0, cudaChannelFormatKindFloat) &&
         is(cudaCreateChannelDesc<uchar4>(), 8, 8, 8, 8, cudaChannelFormatKindUnsigned) &&
         is(cudaCreateChannelDesc<short2>(), 16, 16, 0, 0, cudaChannelFormatKindSigned) &&
         is(cudaCreateChannelDesc<int1>(), 32, 0, 0, 0, cudaChannelFormatKindSigned), "a format has the bits of each channel of its type");

    cudaChannelFormatDesc real = cudaCreateChannelDesc<float>(), small = cudaCreateChannelDesc<short>(), format;
    cudaExtent size;
    unsigned flags = 77;
    CHECK(cudaMallocArray(&array, &real, WIDTH, HEIGHT));
    CHECK(cudaMallocArray(&other, &real, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&line, &real, WIDTH));
    CHECK(cudaMalloc3DArray(&cube, &small, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    rule(cudaArrayGetInfo(&format, &size, &flags, array) == cudaSuccess && is(format, 32, 0, 0, 0, cudaChannelFormatKindFloat) &&
         size.width == WIDTH && size.height == HEIGHT && size.depth == 0 && flags == cudaArrayDefault,
         "an array knows its format, size and flags; what it does not have is 0");
    CHECK(cudaArrayGetInfo(NULL, &size, &flags, other));
    rule(flags == cudaArraySurfaceLoadStore, "so it does with a flag");
    CHECK(cudaArrayGetInfo(NULL, &size, NULL, line));
    rule(size.width == WIDTH && size.height == 0 && size.depth == 0, "an array of no height has one dimension");
    CHECK(cudaGetChannelDesc(&format, cube));
    CHECK(cudaArrayGetInfo(NULL, &size, NULL, cube));
    rule(is(format, 16, 0, 0, 0, cudaChannelFormatKindSigned) && size.depth == DEPTH, "an array of three dimensions has a depth");

    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], HEIGHT, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DFromArray(back, sizeof back[0], array, 0, 0, sizeof back[0], HEIGHT, cudaMemcpyDeviceToHost));
    rule(memcmp(host, back, sizeof host) == 0, "rows are copied to an array and back");
    CHECK(cudaMemcpy2DFromArray(back, sizeof back[0], array, 3 * sizeof(float), 2, 5 * sizeof(float), 4, cudaMemcpyDeviceToHost));
    rule(back[0][0] == 203 && back[3][4] == 507 && back[3][5] == host[3][5] && back[4][0] == host[4][0],
         "offsets in an array are in bytes and rows");
    CHECK(cudaMemcpy2DToArrayAsync(other, 4, 1, host, sizeof host[0], 8, 2, cudaMemcpyHostToDevice, s));
    CHECK(cudaMemcpy2DFromArrayAsync(back, sizeof back[0], other, 4, 1, 8, 2, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    rule(back[0][0] == 0 && back[0][1] == 1 && back[1][0] == 100 && back[1][1] == 101, "so it is in a stream");
    CHECK(cudaMemcpy2DArrayToArray(other, 0, 0, array, 4, 4, 8 * sizeof(float), 3, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy2DFromArray(back, sizeof back[0], other, 0, 0, 8 * sizeof(float), 3, cudaMemcpyDeviceToHost));
    rule(back[0][0] == 401 && back[2][7] == 608, "rectangles are copied from array to array");
    CHECK(cudaMemcpy2DToArray(line, 0, 0, host[3], sizeof host[3], sizeof host[3], 1, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DFromArray(back, sizeof back[0], line, 0, 0, sizeof back[0], 1, cudaMemcpyDeviceToHost));
    rule(memcmp(back[0], host[3], sizeof host[3]) == 0, "an array of one dimension has one row");

    for (int i = 0; i < WIDTH * HEIGHT * DEPTH; i++)
        volume[i / WIDTH / HEIGHT][i / WIDTH % HEIGHT][i % WIDTH] = (short)i;
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(volume, sizeof volume[0][0], WIDTH, HEIGHT);
    p.dstArray = cube;
    p.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    cudaMemcpy3DParms out = {};
    out.srcArray = cube;
    out.srcPos = make_cudaPos(2, 3, 1);
    out.dstPtr = make_cudaPitchedPtr(volume_back, sizeof volume_back[0][0], WIDTH, HEIGHT);
    out.dstPos = make_cudaPos(1, 1, 0);     /* the reference says bytes here; an H200 counts elements [M] */
    out.extent = make_cudaExtent(5, 4, 2);
    out.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&out));
    int wrong = 0;
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                bool inside = z < 2 && y >= 1 && y < 5 && x >= 1 && x < 6;
                wrong += volume_back[z][y][x] != (inside ? volume[z + 1][y + 2][x + 1] : 0);
            }
    rule(wrong == 0, "with an array cudaMemcpy3D counts in elements on both sides");

    busy<<<1, 1, 0, s>>>(LONG);
    CHECK(cudaStreamSynchronize(s));
    float *p_host = pinned<float>(WIDTH * HEIGHT);
    busy<<<1, 1, 0, s>>>(LONG);
    rule(!is_long(took([&] { CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, p_host, sizeof host[0], sizeof host[0], HEIGHT,
                                                            cudaMemcpyHostToDevice, s)); })),
         "a copy from pinned memory to an array returns at once in a stream");
    CHECK(cudaStreamSynchronize(s));

    rule(cudaMemcpy2DToArray(array, 0, 0, host, 8, 16, 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue,
         "rows wider than the host's pitch: cudaErrorInvalidPitchValue");
    forget_errors();
    const enum cudaMemcpyKind kinds[] = { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
    bool in = true, out_of = true, volumes = true;
    for (enum cudaMemcpyKind k : kinds) {
        bool to_device = k == cudaMemcpyHostToDevice || k == cudaMemcpyDeviceToDevice;
        bool from_device = k == cudaMemcpyDeviceToHost || k == cudaMemcpyDeviceToDevice;
        cudaMemcpy3DParms v = {};
        v.srcArray = cube;
        v.dstPtr = make_cudaPitchedPtr(p_host, sizeof volume[0][0], WIDTH, HEIGHT);
        v.extent = make_cudaExtent(WIDTH, 1, 1);
        v.kind = k;
        in &= cudaMemcpy2DToArray(array, 0, 0, p_host, sizeof host[0], sizeof host[0], 1, k) == (to_device ? cudaSuccess : cudaErrorInvalidMemcpyDirection);
        out_of &= cudaMemcpy2DFromArray(p_host, sizeof host[0], array, 0, 0, sizeof host[0], 1, k)
                  == (from_device ? cudaSuccess : cudaErrorInvalidMemcpyDirection);
        volumes &= cudaMemcpy3D(&v) == (from_device ? cudaSuccess : cudaErrorInvalidValue);
    }
    rule(in && out_of, "cudaMemcpy2DToArray and its mirror: a direction in which the array is the host's is cudaErrorInvalidMemcpyDirection");
    rule(volumes, "cudaMemcpy3D from an array: cudaErrorInvalidValue then");
    forget_errors();
    rule(cudaMemcpy2DToArray(array, 4, 0, host, sizeof host[0], sizeof host[0], 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
         "rows that end outside the array: cudaErrorInvalidValue");
    forget_errors();
    out.dstArray = array;
    rule(cudaMemcpy3D(&out) == cudaErrorInvalidValue, "a copy with two destinations: cudaErrorInvalidValue");
    forget_errors();
    out.dstPtr = make_cudaPitchedPtr(NULL, 0, 0, 0);
    rule(cudaMemcpy3D(&out) == cudaErrorInvalidValue, "arrays whose elements have other sizes: cudaErrorInvalidValue");
    forget_errors();
    rule(cudaFreeArray(NULL) == cudaSuccess, "freeing no array succeeds");
    CHECK(cudaFreeArray(array));
    CHECK(cudaFreeArray(other));
    CHECK(cudaFreeArray(line));
    CHECK(cudaFreeArray(cube));
    return rules_end();
}
