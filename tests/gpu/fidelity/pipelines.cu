/* SPDX-License-Identifier: MIT */
/* To the device, through a kernel, back: 32 MiB in chunks over streams. */
#include "scenario.h"

enum { CHUNKS = 64 };
static const size_t TOTAL = 32 * (size_t)MIB;
static char *d, *host;
static struct streams s;

struct pipeline {
    int chunks, streams, blocks;
    long long kernel_ns;        /* of all of them together */
    bool depth_first;
};

static void step(const struct pipeline *p, int chunk, int which)
{
    size_t bytes = TOTAL / p->chunks, at = chunk * bytes;
    cudaStream_t stream = s.at[chunk % p->streams];
    if (which == 0)
        CHECK(cudaMemcpyAsync(d + at, host + at, bytes, cudaMemcpyHostToDevice, stream));
    else if (which == 1)
        busy<<<p->blocks, 256, 0, stream>>>(p->kernel_ns / p->chunks);
    else
        CHECK(cudaMemcpyAsync(host + at, d + at, bytes, cudaMemcpyDeviceToHost, stream));
}

static void run(const struct pipeline *p)
{
    for (int i = 0; i < 3 * p->chunks; i++)
        step(p, p->depth_first ? i / 3 : i % p->chunks, p->depth_first ? i % 3 : i / p->chunks);
}

static void measure(const char *name, struct pipeline p)
{
    char variant[64];
    snprintf(variant, sizeof variant, "%d chunks, %d streams, %s", p.chunks, p.streams,
             p.depth_first ? "depth-first" : "breadth-first");
    scenario(name, variant, [=] { run(&p); });
}

int main()
{
    begin_scenarios();
    d = device_memory(TOTAL);
    host = pinned_memory(TOTAL);
    s = make_streams(16);
    int all = full(256);
    const struct { const char *name; int blocks; long long ns; } kinds[] = {
        { "pipeline, copy-bound", all, 100000 },
        { "pipeline, balanced", all, 600000 },
        { "pipeline, kernel-bound", all, 3000000 },
        { "pipeline, balanced, kernels of one block", 1, 600000 },
        { "pipeline, kernel-bound, kernels of a quarter", all / 4, 3000000 },
    };
    for (auto &kind : kinds) {
        for (int chunks = 1; chunks <= CHUNKS; chunks *= 2)
            measure(kind.name, { chunks, chunks < 4 ? chunks : 4, kind.blocks, kind.ns, true });
        for (int streams = 1; streams <= 16; streams *= 2)
            for (int depth_first = 0; depth_first < 2; depth_first++)
                if (streams != 4 || !depth_first)
                    measure(kind.name, { 16, streams, kind.blocks, kind.ns, depth_first == 1 });
    }
    return 0;
}
