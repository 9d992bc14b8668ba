/* SPDX-License-Identifier: MIT */
/* A source is overwritten early on purpose; hazards: 1. */
/* Pitched memory, copies of rectangles, copies between devices; what pinned memory tells of itself. */
#include <stdlib.h>

#include "../rule.h"

static const size_t WIDTH = 100, HEIGHT = 50;

static bool is_at(const char *h, size_t pitch, size_t x, size_t y)
{
    return h[y * pitch + x] == (char)(x + 3 * y);
}

int main()
{
    char *d, *e = on_device<char>(1 << 20), *p = pinned<char>(1 << 20), *q = (char *)calloc(1 << 23, 1), *r;
    size_t pitch = 0;
    warm_up((int *)e);
    cudaStream_t s = stream(cudaStreamNonBlocking);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            p[y * 128 + x] = q[y * WIDTH + x] = (char)(x + 3 * y);

    rule(cudaMallocPitch(&d, &pitch, WIDTH, HEIGHT) == cudaSuccess && pitch >= WIDTH && pitch % 32 == 0,
         "cudaMallocPitch gives rows that begin at multiples of 32 bytes");
    CHECK(cudaMemset2D(d, pitch, 7, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2D(d, pitch, q, WIDTH, WIDTH - 1, HEIGHT, cudaMemcpyHostToDevice));
    char *back = pinned<char>(1 << 16);
    CHECK(cudaMemcpy2D(back, 256, d, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
    rule(is_at(back, 256, 0, 0) && is_at(back, 256, 98, 49) && back[49 * 256 + 99] == 7 && back[100] == 0,
         "a rectangle is copied and set, and nothing beside it");
    CHECK(cudaMemset2DAsync(d, pitch, 9, 2, HEIGHT, s));
    CHECK(cudaMemcpy2DAsync(e, 200, d, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToDevice, s));
    CHECK(cudaMemcpy2DAsync(back, 300, e, 200, WIDTH, HEIGHT, cudaMemcpyDefault, s));
    CHECK(cudaStreamSynchronize(s));
    rule(back[300] == 9 && is_at(back, 300, 2, 1) && is_at(back, 300, 98, 49), "so it is in a stream");

    busy<<<1, 1, 0, s>>>(LONG);
    CHECK(cudaMemcpy2DAsync(d, pitch, p, 128, WIDTH, HEIGHT, cudaMemcpyHostToDevice, s));
    p[128] = 77;
    CHECK(cudaMemcpy2DAsync(e, pitch, q, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice, s));
    q[WIDTH] = 77;
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaMemcpy(back, d + pitch, 1, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(back + 1, e + pitch, 1, cudaMemcpyDeviceToHost));
    rule(back[0] == 77 && back[1] == 3, "pinned rows are read when the engine gets there, pageable ones are staged");
    busy<<<1, 1, 0, s>>>(LONG);
    rule(is_long(took([&] { CHECK(cudaMemcpy2DAsync(q, WIDTH, d, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToHost, s)); })),
         "a copy of rows to pageable memory waits for its stream");
    rule(cudaMemcpy2D(d, WIDTH - 1, q, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue,
         "rows wider than their pitch: cudaErrorInvalidPitchValue [H]");
    rule(cudaMemcpy2D(NULL, WIDTH, NULL, WIDTH, 0, 0, cudaMemcpyHostToDevice) == cudaSuccess, "copying no rows succeeds");
    rule(cudaMemset2D(d, pitch, 0, pitch, 1 << 20) == cudaErrorInvalidValue, "setting more rows than there are: cudaErrorInvalidValue");
    forget_errors();

    CHECK(cudaMemset(e, 1, 64));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpyPeerAsync(d, 0, e, 0, 64, s));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemset(e, 2, 64));
    CHECK(cudaMemcpyPeer(d, 0, e, 0, 64));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(back, d, 64, cudaMemcpyDeviceToHost));
    rule(back[0] == 2 && back[63] == 2, "a copy from a device to itself is a copy");
    rule(cudaMemcpyPeer(d, 77, e, 0, 64) == cudaErrorInvalidDevice, "a copy to a device that is not there: cudaErrorInvalidDevice");
    forget_errors();

    unsigned flags = 0;
    void *mapped = NULL;
    CHECK(cudaHostAlloc(&r, 4096, cudaHostAllocWriteCombined | cudaHostAllocMapped));
    rule(cudaHostGetFlags(&flags, r) == cudaSuccess && (flags & cudaHostAllocWriteCombined) && (flags & cudaHostAllocMapped),
         "pinned memory knows its flags");
    rule(cudaHostGetDevicePointer(&mapped, r, 0) == cudaSuccess && mapped == r, "pinned memory has one address for host and device");
    rule(cudaHostGetDevicePointer(&mapped, q, 0) == cudaErrorInvalidValue, "pageable memory has none for the device: cudaErrorInvalidValue");
    rule(cudaHostGetDevicePointer(&mapped, r, 1) == cudaErrorInvalidValue, "the flags for asking must be 0: cudaErrorInvalidValue");
    rule(cudaHostGetFlags(&flags, q) == cudaErrorInvalidValue, "pageable memory has no flags: cudaErrorInvalidValue");
    forget_errors();
    free(q);
    return rules_end();
}
