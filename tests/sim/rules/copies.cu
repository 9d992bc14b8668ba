/* SPDX-License-Identifier: MIT */
/* What is overwritten or read too early is so on purpose; hazards: 5. */
/* Copies and memsets: when they return, when they read, what arrives. */
#include <stdlib.h>

#include "rule.h"

static const size_t MIB = 1 << 20;

static char first_byte(const char *device)
{
    char byte = 0;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&byte, device, 1, cudaMemcpyDeviceToHost));
    return byte;
}

/* What arrives when the source is overwritten right after the call, while the stream is still busy? */
static char arrives(char *device, char *host, size_t bytes, cudaStream_t s)
{
    memset(host, 'o', bytes);
    busy<<<1, 1, 0, s>>>(LONG);
    CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, s));
    memset(host, 'n', bytes);
    return first_byte(device);
}

/* Does this hold up the host while its stream is busy? */
template <typename F> static bool holds(cudaStream_t s, F something)
{
    CHECK(cudaDeviceSynchronize());
    busy<<<1, 1, 0, s>>>(LONG);
    bool held = is_long(took(something));
    CHECK(cudaDeviceSynchronize());
    return held;
}

int main()
{
    char *d = on_device<char>(8 * MIB), *e = on_device<char>(8 * MIB), *p = pinned<char>(8 * MIB);
    char *q = (char *)malloc(8 * MIB), *r = (char *)malloc(8 * MIB);
    char *managed;
    memset(q, 1, 8 * MIB);
    warm_up((int *)d);
    cudaStream_t s = stream(), zero = 0;

    /* A missing wait is wrong every time. */
    memset(p, 'x', MIB);
    CHECK(cudaMemset(d, 'y', MIB));
    CHECK(cudaDeviceSynchronize());
    busy<<<1, 1, 0, s>>>(LONG);
    CHECK(cudaMemcpyAsync(p, d, MIB, cudaMemcpyDeviceToHost, s));
    rule(p[0] == 'x' && p[MIB - 1] == 'x', "without a wait the host finds the old data");
    CHECK(cudaStreamSynchronize(s));
    rule(p[0] == 'y' && p[MIB - 1] == 'y', "after a wait the host finds the new data");

    rule(arrives(d, p, 4, s) == 'n' && arrives(d, p, 64 << 10, s) == 'n' && arrives(d, p, MIB, s) == 'n',
         "a pinned source that is overwritten too early is copied as overwritten");
    rule(arrives(d, q, 1024, s) == 'o' && arrives(d, q, 64 << 10, s) == 'o',
         "a small pageable source may be overwritten after the call");
    rule(arrives(d, q, 4 * MIB, s) == 'o', "a large pageable source may be overwritten after the call");

    rule(!holds(s, [&] { CHECK(cudaMemcpyAsync(d, p, MIB, cudaMemcpyHostToDevice, s)); }),
         "an asynchronous copy from pinned memory does not hold up the host");
    rule(!holds(s, [&] { CHECK(cudaMemcpyAsync(p, d, MIB, cudaMemcpyDeviceToHost, s)); }),
         "an asynchronous copy to pinned memory does not hold up the host");
    rule(!holds(s, [&] { CHECK(cudaMemcpyAsync(d, q, 64 << 10, cudaMemcpyHostToDevice, s)); }),
         "a small asynchronous copy from pageable memory returns when it is staged");
    rule(holds(s, [&] { CHECK(cudaMemcpyAsync(d, q, 4 * MIB, cudaMemcpyHostToDevice, s)); }),
         "a large asynchronous copy from pageable memory waits for its stream");
    rule(holds(s, [&] { CHECK(cudaMemcpyAsync(q, d, 4, cudaMemcpyDeviceToHost, s)); }),
         "an asynchronous copy to pageable memory waits for its stream, at any size");
    rule(holds(zero, [&] { CHECK(cudaMemcpy(d, q, 4, cudaMemcpyHostToDevice)); }),
         "cudaMemcpy from pageable memory waits for the default stream");
    rule(holds(zero, [&] { CHECK(cudaMemcpy(d, p, 4, cudaMemcpyHostToDevice)); }),
         "cudaMemcpy from pinned memory waits until it is done");
    rule(holds(zero, [&] { CHECK(cudaMemcpy(p, d, 4, cudaMemcpyDeviceToHost)); }),
         "cudaMemcpy to the host waits until it is done");
    rule(!holds(zero, [&] { CHECK(cudaMemcpy(e, d, MIB, cudaMemcpyDeviceToDevice)); }),
         "cudaMemcpy inside the device does not hold up the host");
    rule(holds(s, [&] { CHECK(cudaMemcpyAsync(r, q, 4, cudaMemcpyHostToHost, s)); }) && r[0] == q[0],
         "a copy from host to host is always synchronous");
    rule(!holds(zero, [&] { CHECK(cudaMemset(d, 0, MIB)); }), "cudaMemset does not hold up the host");
    rule(holds(zero, [&] { CHECK(cudaMemset(p, 3, MIB)); }) && p[7] == 3, "cudaMemset of pinned memory does");
    CHECK(cudaMallocManaged(&managed, MIB));
    rule(holds(zero, [&] { CHECK(cudaMemset(managed, 3, MIB)); }) && managed[7] == 3, "so does cudaMemset of managed memory [M]");
    CHECK(cudaFree(managed));

    memset(p, 'a', 64);
    CHECK(cudaMemcpyAsync(d, p, 64, cudaMemcpyDefault, s));
    CHECK(cudaMemcpyAsync(e, d, 64, cudaMemcpyDefault, s));
    CHECK(cudaMemcpyAsync(p + 64, e, 64, cudaMemcpyDefault, s));
    CHECK(cudaStreamSynchronize(s));
    rule(memcmp(p, p + 64, 64) == 0, "cudaMemcpyDefault takes the direction from the pointers");

    rule(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice) == cudaSuccess, "copying nothing from nowhere succeeds");
    rule(cudaMemcpy(d, p, 4, (enum cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection,
         "a direction that does not exist: cudaErrorInvalidMemcpyDirection");
    rule(cudaMemcpyAsync((void *)0x1234000, (void *)0x5678000, 4, cudaMemcpyHostToDevice, s) == cudaErrorInvalidValue,
         "a copy between wild pointers: cudaErrorInvalidValue at the call");
    rule(cudaMemcpy(q, d, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
         "a copy in the direction that the pointers contradict: cudaErrorInvalidValue");
    rule(cudaGetLastError() == cudaErrorInvalidValue, "a failed copy sets the last error");
    free(q);
    free(r);
    return rules_end();
}
