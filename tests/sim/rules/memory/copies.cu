/* SPDX-License-Identifier: MIT */
/* What is overwritten or read too early is so on purpose; hazards: 5. A direction is wrong on purpose; notes: 1. */
/* Copies and memsets: when they return, when they read, what arrives. */
#include <stdlib.h>

#include "../rule.h"

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

struct side { char *at; bool pageable; };

/* Is the direction looked at where a side is pageable, and nowhere else? `copy` copies the four bytes "abc". */
template <typename F> static bool goes_by_addresses(const struct side *side, int sides, F copy)
{
    bool good = true;
    for (int to = 0; to < sides; to++)
        for (int from = 0; from < sides; from++)
            for (int k = cudaMemcpyHostToHost; k <= cudaMemcpyDefault && to != from; k++) {
                bool to_host = k == cudaMemcpyHostToHost || k == cudaMemcpyDeviceToHost || k == cudaMemcpyDefault;
                bool from_host = k == cudaMemcpyHostToHost || k == cudaMemcpyHostToDevice || k == cudaMemcpyDefault;
                bool taken = (!side[to].pageable || to_host) && (!side[from].pageable || from_host);
                char abc[4] = "abc", back[4] = "";
                CHECK(cudaMemcpy(side[from].at, abc, 4, cudaMemcpyDefault));
                CHECK(cudaMemset(side[to].pageable ? side[0].at + 64 : side[to].at, 0, 4));
                if (side[to].pageable)
                    memset(side[to].at, 0, 4);
                CHECK(cudaDeviceSynchronize());
                cudaError_t status = copy(side[to].at, side[from].at, (enum cudaMemcpyKind)k);
                CHECK(cudaDeviceSynchronize());
                cudaGetLastError();
                CHECK(cudaMemcpy(back, side[to].at, 4, cudaMemcpyDefault));
                good = good && (taken ? status == cudaSuccess && strcmp(back, abc) == 0 : status == cudaErrorInvalidValue && back[0] == 0);
            }
    return good;
}

static cudaError_t copy_by_graph(char *to, const char *from, enum cudaMemcpyKind kind)
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec = NULL;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaError_t status = cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, to, from, 4, kind);
    if (status == cudaSuccess)
        status = cudaGraphInstantiate(&exec, graph, 0);
    if (status == cudaSuccess)
        status = cudaGraphLaunch(exec, 0);
    CHECK(cudaDeviceSynchronize());
    if (exec)
        CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return status;
}

static cudaError_t copy_by_3d(char *to, const char *from, enum cudaMemcpyKind kind)
{
    struct cudaMemcpy3DParms p = {};
    p.dstPtr = make_cudaPitchedPtr(to, 4, 4, 1);
    p.srcPtr = make_cudaPitchedPtr((void *)from, 4, 4, 1);
    p.extent = make_cudaExtent(4, 1, 1);
    p.kind = kind;
    return cudaMemcpy3D(&p);
}

static void directions(char *device, char *other, char *pinned, char *ordinary, char *another, cudaStream_t s)
{
    char *managed;
    CHECK(cudaMallocManaged(&managed, 64));
    const struct side side[] = { { device, false }, { other, false }, { pinned, false }, { managed, false }, { ordinary, true }, { another, true } };
    const int sides = sizeof side / sizeof *side;
    rule(goes_by_addresses(side, sides, [&](char *to, const char *from, enum cudaMemcpyKind k) { return cudaMemcpy(to, from, 4, k); }),
         "cudaMemcpy looks at the direction where a side is pageable, and goes by the addresses otherwise");
    rule(goes_by_addresses(side, sides, [&](char *to, const char *from, enum cudaMemcpyKind k) { return cudaMemcpyAsync(to, from, 4, k, s); }),
         "cudaMemcpyAsync does the same");
    rule(goes_by_addresses(side, sides, [&](char *to, const char *from, enum cudaMemcpyKind k) { return cudaMemcpy2D(to, 4, from, 4, 4, 1, k); }),
         "cudaMemcpy2D does the same");
    rule(goes_by_addresses(side, sides, copy_by_3d), "cudaMemcpy3D does the same");
    rule(goes_by_addresses(side, sides, copy_by_graph), "a graph's node does the same");
    CHECK(cudaFree(managed));
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
    rule(holds(zero, [&] { CHECK(cudaMemcpy(managed, d, MIB, cudaMemcpyDefault)); })
         && holds(zero, [&] { CHECK(cudaMemcpy(d, managed, MIB, cudaMemcpyDefault)); })
         && holds(zero, [&] { CHECK(cudaMemcpy(managed, managed + 64, 64, cudaMemcpyDefault)); }),
         "so does cudaMemcpy from or to managed memory, though no side is the host's [M]");
    rule(!holds(s, [&] { CHECK(cudaMemcpyAsync(managed, d, MIB, cudaMemcpyDefault, s)); })
         && !holds(s, [&] { CHECK(cudaMemcpyAsync(d, managed, MIB, cudaMemcpyDefault, s)); }), "cudaMemcpyAsync there does not [M]");
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
    directions(d, e, p, q, r, s);
    free(q);
    free(r);
    return rules_end();
}
