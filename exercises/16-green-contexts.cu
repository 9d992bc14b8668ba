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
    /* TODO: the device is split above, into `urgent` and `bulk`. Use both parts.
     * - Each side has a context of its own, with all SMs of its part (context_of() makes one).
     * - Each stream has the SMs of its side's context, and waits for no default stream.
     */
    s->urgent_context = s->bulk_context = NULL;
    CHECK(cudaStreamCreateWithFlags(&s->urgent, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&s->bulk, cudaStreamNonBlocking));
    //< open
}

void sides_close(struct sides *s)
{
    //> close
    /* TODO: this comes back while work is queued, and gives back the streams alone.
     * - All work of both sides is done when the function returns.
     * - All that sides_open() made is given back, and nothing is used after it is gone.
     */
    CHECK(cudaStreamDestroy(s->urgent));
    CHECK(cudaStreamDestroy(s->bulk));
    //< close
}

/*
 * (b) Requests that wait for no bulk.
 */
void bulk_begin(struct sides *s, const struct bulk *b)
{
    //> begin
    /* TODO: no request can tell when the table is filled.
     * - A request can wait for tune() without waiting for crunch().
     * - The function comes back while the bulk is under way.
     */
    tune<<<1, THREADS, 0, s->bulk>>>(b->table);
    CHECK(cudaGetLastError());
    crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->table, b->n, b->tiles, 0);
    CHECK(cudaGetLastError());
    //< begin
}

void answer(struct sides *s, const struct request *r)
{
    size_t bytes = r->n * sizeof *r->in;
    CHECK(cudaMemcpyAsync(r->device, r->in, bytes, cudaMemcpyHostToDevice, s->urgent));
    //> answer
    /* TODO: reply() reads the table, and this waits for all of the bulk.
     * - The request's reply() comes after tune(), and runs beside crunch().
     */
    CHECK(cudaStreamSynchronize(s->bulk));
    reply<<<r->blocks, THREADS, r->shared, s->urgent>>>(r->device, r->table, r->n);
    CHECK(cudaGetLastError());
    //< answer
    CHECK(cudaMemcpyAsync(r->out, r->device, bytes, cudaMemcpyDeviceToHost, s->urgent));
    CHECK(cudaStreamSynchronize(s->urgent));
}

void bulk_end(struct sides *s)
{
    //> end
    /* TODO: the bulk may still be under way.
     * - The bulk is done when the function returns.
     * - What bulk_begin() made is given back.
     */
    (void)s;
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
    /* TODO: which counts keep both promises?
     * - The result is a count with which sides_open() gives both sides enough SMs on this device, whichever device it is.
     * - The result is 0 exactly where there is no such count. What is asked for is not always what a side gets.
     */
    long long waves = l->request_due_ns / l->request_block_ns;
    return (int)(l->request_blocks / (waves * l->per_sm));
    //< share
}
