/* SPDX-License-Identifier: MIT */
/* pool.cu - memory of a pool for another process: freed by its owner too early, and in time.
 *
 *   build/bin/simcc -Icommon -o pool lessons/17-two-processes/demos/pool.cu && ./pool */
#include "two.h"

enum { OFFERED, QUEUED = OFFERED + 2, FREED = QUEUED + 2, OVER = FREED + 2 };
static const int n = 100000, blocks = (n + THREADS - 1) / THREADS;
static const size_t bytes = n * sizeof(unsigned);

static cudaEvent_t offered_event(cudaIpcEventHandle_t *handle)
{
    cudaEvent_t event;
    CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaIpcGetEventHandle(handle, event));
    return event;
}

void driver_other(void)
{
    unsigned *frame, *next;
    cudaMemPool_t pool;
    other_begins();
    cudaStream_t stream = new_stream();
    cudaEvent_t full = offered_event(&paper()->full[0]), empty = offered_event(&paper()->empty[0]);
    //> share
    struct cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;  // others may import it
    properties.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    CHECK(cudaMemPoolExportToShareableHandle(&paper()->file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    //< share
    for (int round = 0; round < 2; round++) {
        //> give
        CHECK(cudaMallocFromPoolAsync((void **)&frame, bytes, pool, stream));
        CHECK(cudaMemPoolExportPointer(&paper()->block, frame));
        produce<<<blocks, THREADS, 0, stream>>>(frame, n, 7);       // frame[0] becomes 7
        CHECK(cudaEventRecord(full, stream));
        //< give
        tell(OFFERED + round);
        await(QUEUED + round);
        //> back
        if (round == 1)
            CHECK(cudaStreamWaitEvent(stream, empty, 0));
        CHECK(cudaFreeAsync(frame, stream));
        CHECK(cudaMallocFromPoolAsync((void **)&next, bytes, pool, stream));
        produce<<<blocks, THREADS, 0, stream>>>(next, n, 1000);
        //< back
        CHECK(cudaFreeAsync(next, stream));
        CHECK(cudaStreamSynchronize(stream));
        tell(FREED + round);
    }
    await(OVER);
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaEventDestroy(full));
    CHECK(cudaEventDestroy(empty));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    unsigned *frame, *result, first;
    cudaMemPool_t pool;
    cudaEvent_t full, empty;
    we_begin();
    cudaStream_t stream = new_stream();
    CHECK(cudaMalloc((void **)&result, bytes));
    CHECK(cudaMemset(result, 0, bytes));
    // The first of each takes its time on a card, and waits for what runs: let nothing run yet.
    examine<<<1, THREADS, 0, stream>>>(result, result, 1);
    hold<<<1, 1, 0, stream>>>(1000);
    CHECK(cudaMallocAsync((void **)&frame, bytes, stream));
    CHECK(cudaFreeAsync(frame, stream));
    CHECK(cudaDeviceSynchronize());
    await(OFFERED);
    CHECK(cudaIpcOpenEventHandle(&full, paper()->full[0]));
    CHECK(cudaIpcOpenEventHandle(&empty, paper()->empty[0]));
    int file = fetched(paper()->file);
    //> import
    CHECK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)file, cudaMemHandleTypePosixFileDescriptor, 0));
    //< import
    close(file);
    for (int round = 0; round < 2; round++) {
        if (round == 1)
            await(OFFERED + round);
        label_push(round == 0 ? "too early" : "in time");
        //> take
        CHECK(cudaMemPoolImportPointer((void **)&frame, pool, &paper()->block));
        CHECK(cudaStreamWaitEvent(stream, full, 0));
        hold<<<1, 1, 0, stream>>>(2000000);                         // this process has something else to do first
        examine<<<blocks, THREADS, 0, stream>>>(result, frame, n);  // 3 x + 1 of each element
        CHECK(cudaFreeAsync(frame, stream));                        // not needed here any more
        CHECK(cudaEventRecord(empty, stream));
        //< take
        tell(QUEUED + round);
        await(FREED + round);
        CHECK(cudaStreamSynchronize(stream));
        label_pop();
        CHECK(cudaMemcpy(&first, result, sizeof first, cudaMemcpyDeviceToHost));
        printf("%-9s result[0] is %u\n", round == 0 ? "too early" : "in time", first);
    }
    CHECK(cudaMemPoolDestroy(pool));
    tell(OVER);
    driver_other_ends();
    CHECK(cudaEventDestroy(full));
    CHECK(cudaEventDestroy(empty));
    CHECK(cudaFree(result));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
