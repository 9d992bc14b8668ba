/* SPDX-License-Identifier: MIT */
/* ring.cu - frames for another process, through one slot and through three.
 *
 *   build/bin/simcc -Icommon -o ring lessons/17-two-processes/demos/ring.cu && ./ring */
#include "two.h"

#define FRAMES 6
#define FRAME_NS 400000
static const size_t n = 4u << 20;       /* elements: 16 MiB */

enum { OFFERED, GO, QUEUED, TAKEN = QUEUED + FRAMES, OVER = TAKEN + FRAMES, ROUND };

static __global__ void look(const unsigned *frame)
{
    kernel_cost(FRAME_NS);
    (void)frame[0];
}

static void send(int slots, int words, cudaStream_t stream, unsigned *frames, const unsigned *host, cudaEvent_t *full, cudaEvent_t *empty)
{
    for (int f = 0; f < FRAMES; f++) {
        int k = f % slots;
        //> send
        if (f >= slots) {
            await(words + TAKEN + f - slots);                   // empty[k] has been recorded
            CHECK(cudaStreamWaitEvent(stream, empty[k], 0));
        }
        CHECK(cudaMemcpyAsync(frames + k * n, host, n * sizeof *host, cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(full[k], stream));
        tell(words + QUEUED + f);                               // full[k] has been recorded
        //< send
    }
}

void driver_other(void)
{
    unsigned *frames, *host;
    cudaEvent_t full[SLOTS], empty[SLOTS];
    other_begins();
    cudaStream_t stream = new_stream();
    CHECK(cudaMalloc((void **)&frames, SLOTS * n * sizeof *frames));
    CHECK(cudaMallocHost((void **)&host, n * sizeof *host));
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < SLOTS; k++) {
            CHECK(cudaEventCreateWithFlags(&full[k], cudaEventInterprocess | cudaEventDisableTiming));
            CHECK(cudaEventCreateWithFlags(&empty[k], cudaEventInterprocess | cudaEventDisableTiming));
            CHECK(cudaIpcGetEventHandle(&paper()->full[k], full[k]));
            CHECK(cudaIpcGetEventHandle(&paper()->empty[k], empty[k]));
        }
        CHECK(cudaIpcGetMemHandle(&paper()->memory, frames));
        tell(round * ROUND + OFFERED);
        await(round * ROUND + GO);
        send(round == 0 ? 1 : SLOTS, round * ROUND, stream, frames, host, full, empty);
        await(round * ROUND + OVER);
        for (int k = 0; k < SLOTS; k++) {
            CHECK(cudaEventDestroy(full[k]));
            CHECK(cudaEventDestroy(empty[k]));
        }
    }
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(frames));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    unsigned *frames;
    cudaEvent_t full[SLOTS], empty[SLOTS];
    we_begin();
    cudaStream_t stream = new_stream();
    for (int round = 0; round < 2; round++) {
        int slots = round == 0 ? 1 : SLOTS, words = round * ROUND;
        await(words + OFFERED);
        CHECK(cudaIpcOpenMemHandle((void **)&frames, paper()->memory, cudaIpcMemLazyEnablePeerAccess));
        for (int k = 0; k < SLOTS; k++) {
            CHECK(cudaIpcOpenEventHandle(&full[k], paper()->full[k]));
            CHECK(cudaIpcOpenEventHandle(&empty[k], paper()->empty[k]));
        }
        long long begin = now_ns();
        label_push(round == 0 ? "one slot" : "three slots");
        tell(words + GO);
        for (int f = 0; f < FRAMES; f++) {
            int k = f % slots;
            await(words + QUEUED + f);
            CHECK(cudaStreamWaitEvent(stream, full[k], 0));
            look<<<66, THREADS, 0, stream>>>(frames + k * n);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(empty[k], stream));
            tell(words + TAKEN + f);
        }
        CHECK(cudaStreamSynchronize(stream));
        label_pop();
        printf("%-11s %.1f ms\n", round == 0 ? "one slot" : "three slots", (now_ns() - begin) / 1e6);
        for (int k = 0; k < SLOTS; k++) {
            CHECK(cudaEventDestroy(full[k]));
            CHECK(cudaEventDestroy(empty[k]));
        }
        CHECK(cudaIpcCloseMemHandle(frames));
        tell(words + OVER);
    }
    driver_other_ends();
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
