/* SPDX-License-Identifier: MIT */
/* parts.h - for this lesson's demos: kernels of a given time a block, and how many of their blocks
 * an SM takes. */
#ifndef PARTS_H
#define PARTS_H

#include <cuda.h>
#include <stdio.h>

#include "streams.h"

#define THREADS 32

__global__ void work(long long ns)
{
    kernel_cost(ns);
}

static int shared, fit;         /* so much shared memory lets few blocks fit on an SM */
static CUdevice device;
static CUdevResource whole;
struct part;

static void ask_device(void)
{
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, work, THREADS, shared));
    work<<<1, 1>>>(1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetDevResource(device, &whole, CU_DEV_RESOURCE_TYPE_SM));
}

[[maybe_unused]] static void part_open(struct part *p);
[[maybe_unused]] static void part_close(struct part *p);

//> part
struct part { CUdevResource sms; CUgreenCtx context; cudaStream_t stream; };

static void part_open(struct part *p)
{
    CUdevResourceDesc desc;
    CHECK(cuDevResourceGenerateDesc(&desc, &p->sms, 1));
    CHECK(cuGreenCtxCreate(&p->context, desc, device, CU_GREEN_CTX_DEFAULT_STREAM));
    CHECK(cuGreenCtxStreamCreate(&p->stream, p->context, CU_STREAM_NON_BLOCKING, 0));
}

static void part_close(struct part *p)
{
    CHECK(cudaStreamSynchronize(p->stream));
    CHECK(cudaStreamDestroy(p->stream));
    CHECK(cuGreenCtxDestroy(p->context));
}
//< part

/* The device in two: at least `sms` SMs, and all others. */
[[maybe_unused]] static void split(int sms, struct part *few, struct part *many)
{
    //> split
    unsigned groups = 1;
    CHECK(cuDevSmResourceSplitByCount(&few->sms, &groups, &whole, &many->sms, 0, sms));
    //< split
    part_open(few);
    part_open(many);
}

#endif
