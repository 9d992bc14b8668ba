/* SPDX-License-Identifier: MIT */
/* predict.cu - one slot, filled twice, and three looks at it from another process: when does each begin?
 *
 *   build/bin/simcc -Icommon -o predict lessons/17-two-processes/demos/predict.cu && ./predict */
#include "two.h"

enum { OFFERED, ONE, TWO, THREE, CLOSED };

static __global__ void fill(unsigned *slot, unsigned value)
{
    kernel_cost(2000000);
    slot[threadIdx.x] = value;
}

static __global__ void look(const unsigned *slot, unsigned *seen)
{
    kernel_cost(1000000);
    seen[threadIdx.x] = slot[threadIdx.x];
}

void driver_other(void)
{
    unsigned *slot;
    cudaEvent_t full;
    other_begins();
    cudaStream_t stream = new_stream();
    CHECK(cudaMalloc((void **)&slot, THREADS * sizeof *slot));
    CHECK(cudaEventCreateWithFlags(&full, cudaEventInterprocess | cudaEventDisableTiming));
    CHECK(cudaIpcGetMemHandle(&paper()->memory, slot));
    CHECK(cudaIpcGetEventHandle(&paper()->full[0], full));
    CHECK(cudaMemset(slot, 0, THREADS * sizeof *slot));
    CHECK(cudaDeviceSynchronize());
    tell(OFFERED);
    await(ONE);
    //> other
    fill<<<1, THREADS, 0, stream>>>(slot, 1);       // 2 ms
    CHECK(cudaEventRecord(full, stream));
    tell(TWO);
    host_work(200000);
    fill<<<1, THREADS, 0, stream>>>(slot, 2);       // 2 ms
    CHECK(cudaEventRecord(full, stream));
    tell(THREE);
    //< other
    await(CLOSED);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(slot));
    CHECK(cudaEventDestroy(full));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    unsigned *slot, *seen;
    cudaEvent_t full;
    we_begin();
    cudaStream_t stream = new_stream();
    CHECK(cudaMalloc((void **)&seen, 3 * THREADS * sizeof *seen));
    await(OFFERED);
    CHECK(cudaIpcOpenMemHandle((void **)&slot, paper()->memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenEventHandle(&full, paper()->full[0]));
    label_push("predict");
    //> own
    CHECK(cudaStreamWaitEvent(stream, full, 0));
    look<<<1, THREADS, 0, stream>>>(slot, seen);                    // 1 ms
    tell(ONE);                                                      // the other process begins
    await(TWO);
    CHECK(cudaStreamWaitEvent(stream, full, 0));
    look<<<1, THREADS, 0, stream>>>(slot, seen + THREADS);          // 1 ms
    await(THREE);
    CHECK(cudaStreamWaitEvent(stream, full, 0));
    look<<<1, THREADS, 0, stream>>>(slot, seen + 2 * THREADS);      // 1 ms
    //< own
    CHECK(cudaStreamSynchronize(stream));
    label_pop();
    CHECK(cudaIpcCloseMemHandle(slot));
    CHECK(cudaEventDestroy(full));
    tell(CLOSED);
    driver_other_ends();
    CHECK(cudaFree(seen));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
