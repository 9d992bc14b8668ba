/* SPDX-License-Identifier: MIT */
/* early.cu - one frame for another process: a wait that comes before the record, and one that comes after it.
 *
 *   build/bin/simcc -Icommon -o early lessons/17-two-processes/demos/early.cu && ./early */
#include "two.h"

enum { OFFERED, GO, MADE = GO + 2, READ = MADE + 2, OVER = READ + 2 };
static const int n = 100000, blocks = (n + THREADS - 1) / THREADS;

void driver_other(void)
{
    unsigned *frame;
    cudaEvent_t full;
    other_begins();
    cudaStream_t stream = new_stream();
    //> offer
    CHECK(cudaMalloc((void **)&frame, n * sizeof *frame));
    CHECK(cudaEventCreateWithFlags(&full, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaIpcGetMemHandle(&paper()->memory, frame));
    CHECK(cudaIpcGetEventHandle(&paper()->full[0], full));
    //< offer
    CHECK(cudaMemset(frame, 0, n * sizeof *frame));
    CHECK(cudaDeviceSynchronize());
    tell(OFFERED);
    for (int round = 0; round < 2; round++) {
        await(GO + round);
        host_work(200000);
        //> make
        produce<<<blocks, THREADS, 0, stream>>>(frame, n, 7);       // frame[0] becomes 7
        CHECK(cudaEventRecord(full, stream));
        tell(MADE + round);
        //< make
        await(READ + round);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemset(frame, 0, n * sizeof *frame));
        // The next round has an event of its own, so that it is one that was never recorded, too.
        CHECK(cudaEventDestroy(full));
        CHECK(cudaEventCreateWithFlags(&full, cudaEventInterprocess | cudaEventDisableTiming));
        CHECK(cudaIpcGetEventHandle(&paper()->full[1], full));
        CHECK(cudaDeviceSynchronize());
        tell(OVER + round);
    }
    CHECK(cudaFree(frame));
    CHECK(cudaEventDestroy(full));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    unsigned *frame, *result, first;
    cudaEvent_t full;
    we_begin();
    cudaStream_t stream = new_stream();
    CHECK(cudaMalloc((void **)&result, n * sizeof *result));
    await(OFFERED);
    for (int round = 0; round < 2; round++) {
        //> open
        CHECK(cudaIpcOpenMemHandle((void **)&frame, paper()->memory, cudaIpcMemLazyEnablePeerAccess));
        CHECK(cudaIpcOpenEventHandle(&full, paper()->full[round]));
        //< open
        label_push(round == 0 ? "at once" : "when told");
        tell(GO + round);
        if (round == 1)
            await(MADE + round);
        //> look
        CHECK(cudaStreamWaitEvent(stream, full, 0));
        examine<<<blocks, THREADS, 0, stream>>>(result, frame, n);  // 3 x + 1 of each element
        CHECK(cudaStreamSynchronize(stream));
        //< look
        label_pop();
        CHECK(cudaMemcpy(&first, result, sizeof first, cudaMemcpyDeviceToHost));
        printf("%-9s result[0] is %u\n", round == 0 ? "at once" : "when told", first);
        CHECK(cudaEventDestroy(full));
        CHECK(cudaIpcCloseMemHandle(frame));
        tell(READ + round);
        await(OVER + round);
    }
    driver_other_ends();
    CHECK(cudaFree(result));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
