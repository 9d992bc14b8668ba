/* SPDX-License-Identifier: MIT */
/*
 * Lesson 16: green contexts.
 *
 * Grade it:  make lesson16        Run it:  make run16
 * Read:      lessons/16-green-contexts/chapter.md; lesson.h beside it is the
 *            contract, with the kernels.
 */
#include "lesson.h"

/* Device 0's SMs: a group with at least `sms` of them, and what remains. Returns whether any remain. Too few end the program. */
static bool split_device(int sms, CUdevResource *group, CUdevResource *rest)
{
    CUdevice device;
    CUdevResource all;
    unsigned groups = 1;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    CHECK(cuDevSmResourceSplitByCount(group, &groups, &all, rest, 0, (unsigned)sms));
    return groups == 1 && rest->type == CU_DEV_RESOURCE_TYPE_SM;
}

/* A green context that has these SMs. */
[[maybe_unused]] static CUgreenCtx context_of(CUdevResource *sms)
{
    CUdevResourceDesc desc;
    CUgreenCtx context;
    CHECK(cuDevResourceGenerateDesc(&desc, sms, 1));
    CHECK(cuGreenCtxCreate(&context, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    return context;
}

/*
 * (a) Two sides of a device.
 */
void sides_open(struct sides *s, int sms)
{
    CUdevResource urgent, bulk;
    split_device(sms, &urgent, &bulk);
    s->urgent_sms = (int)urgent.sm.smCount;
    s->bulk_sms = (int)bulk.sm.smCount;
    //> open
    s->urgent_context = context_of(&urgent);
    s->bulk_context = context_of(&bulk);
    CHECK(cuGreenCtxStreamCreate(&s->urgent, s->urgent_context, CU_STREAM_NON_BLOCKING, 0));
    CHECK(cuGreenCtxStreamCreate(&s->bulk, s->bulk_context, CU_STREAM_NON_BLOCKING, 0));
    //< open
}

void sides_close(struct sides *s)
{
    //> close
    CHECK(cudaStreamSynchronize(s->urgent));
    CHECK(cudaStreamSynchronize(s->bulk));
    CHECK(cudaStreamDestroy(s->urgent));        // a stream before its context: after it, the stream is lost
    CHECK(cudaStreamDestroy(s->bulk));
    CHECK(cuGreenCtxDestroy(s->urgent_context));
    CHECK(cuGreenCtxDestroy(s->bulk_context));
    //< close
}

/*
 * (b) Requests that wait for no bulk.
 */
void bulk_begin(struct sides *s, const struct bulk *b)
{
    //> begin
    CHECK(cudaEventCreateWithFlags(&s->tuned, cudaEventDisableTiming));
    tune<<<1, THREADS, 0, s->bulk>>>(b->table);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(s->tuned, s->bulk));
    crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->table, b->n, b->tiles, 0);
    CHECK(cudaGetLastError());
    //< begin
}

void answer(struct sides *s, const struct request *r)
{
    size_t bytes = r->n * sizeof *r->in;
    CHECK(cudaMemcpyAsync(r->device, r->in, bytes, cudaMemcpyHostToDevice, s->urgent));
    //> answer
    CHECK(cudaStreamWaitEvent(s->urgent, s->tuned, 0));
    reply<<<r->blocks, THREADS, r->shared, s->urgent>>>(r->device, r->table, r->n);
    CHECK(cudaGetLastError());
    //< answer
    CHECK(cudaMemcpyAsync(r->out, r->device, bytes, cudaMemcpyDeviceToHost, s->urgent));
    CHECK(cudaStreamSynchronize(s->urgent));
}

void bulk_end(struct sides *s)
{
    //> end
    CHECK(cudaStreamSynchronize(s->bulk));
    CHECK(cudaEventDestroy(s->tuned));
    //< end
}

/*
 * (c) How many SMs?
 */

/* How long that many blocks take on that many SMs, ns. */
[[maybe_unused]] static long long time_of(int blocks, int sms, int per_sm, long long block_ns)
{
    long long wave = (long long)sms * per_sm;
    return (blocks + wave - 1) / wave * block_ns;
}

int urgent_share(const struct load *l)
{
    //> share
    int sms;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (int asked = 1; asked < sms; asked++) {
        CUdevResource urgent, bulk;             // what the device would give, which is more than was asked
        if (split_device(asked, &urgent, &bulk)
            && time_of(l->request_blocks, (int)urgent.sm.smCount, l->per_sm, l->request_block_ns) <= l->request_due_ns
            && time_of(l->bulk_blocks, (int)bulk.sm.smCount, l->per_sm, l->bulk_block_ns) <= l->bulk_due_ns)
            return asked;
    }
    return 0;
    //< share
}
