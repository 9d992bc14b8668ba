/* SPDX-License-Identifier: MIT */
/* predict.cu - two rooms, and a function that takes its time: who waits for whom?
 *
 *   build/bin/simcc -o predict lessons/14-capstone/demos/predict.cu && ./predict */
#include <semaphore.h>

#include "streams.h"

#define ROOMS 2

__global__ void develop(void)
{
    kernel_cost(1000000);
}

static sem_t empty;

static void finish(void *)
{
    host_work(1500000);                             // seals: 1.5 ms
    sem_post(&empty);
}

int main(void)
{
    cudaStream_t work, out;
    cudaEvent_t developed[ROOMS];
    sem_init(&empty, 0, ROOMS);
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking));
    for (cudaEvent_t &e : developed)
        CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    develop<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());

    label_push("predict");
    for (int k = 0; k < 4; k++) {
        sem_wait(&empty);                           // two rooms
        host_work(500000);                          // fills one: 0.5 ms
        develop<<<1, 1, 0, work>>>();               // 1 ms
        CHECK(cudaEventRecord(developed[k % ROOMS], work));
        CHECK(cudaStreamWaitEvent(out, developed[k % ROOMS], 0));
        CHECK(cudaLaunchHostFunc(out, finish, NULL));
    }
    CHECK(cudaStreamSynchronize(out));
    label_pop();
    for (cudaEvent_t e : developed)
        CHECK(cudaEventDestroy(e));
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaStreamDestroy(out));
    return 0;
}
