/* SPDX-License-Identifier: MIT */
/* back.cu - two streams empty the slots of one ring: in which order do the slots come back?
 *
 *   build/bin/simcc -o back lessons/07-callbacks/demos/back.cu && ./back */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include "streams.h"

enum { SLOTS = 4, BATCHES = 10, N = 1001 };

__global__ void compute(float *, long long ns) { kernel_cost(ns); }

static const int to[BATCHES] = { 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 };    // the first two batches go to stream 0
static const long long ns[2] = { 800000, 100000 };                  // and take long
static sem_t back[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order[BATCHES], came;

static void is_back(void *number)
{
    pthread_mutex_lock(&lock);                      // functions of two streams come here
    order[came++] = *(int *)number;
    pthread_mutex_unlock(&lock);
    sem_post(&back[*(int *)number]);
}

int main(void)
{
    cudaStream_t stream[2];
    float *slot[SLOTS], *inbox[2];
    int number[SLOTS];
    for (int m = 0; m < 2; m++) {
        CHECK(cudaStreamCreate(&stream[m]));
        CHECK(cudaMalloc((void **)&inbox[m], N * sizeof(float)));
    }
    for (int s = 0; s < SLOTS; s++) {
        CHECK(cudaMallocHost((void **)&slot[s], N * sizeof(float)));
        sem_init(&back[s], 0, 1);
        number[s] = s;
    }
    CHECK(cudaDeviceSynchronize());
    label_push("ring");
    //> ring
    for (int k = 0; k < BATCHES; k++) {
        int s = k % SLOTS, m = to[k];               // batch k: by way of slot s to stream m
        sem_wait(&back[s]);                         // until this slot has come back
        host_work(20000);                           // fills it
        CHECK(cudaMemcpyAsync(inbox[m], slot[s], N * sizeof(float), cudaMemcpyHostToDevice, stream[m]));
        CHECK(cudaLaunchHostFunc(stream[m], is_back, &number[s]));
        compute<<<8, 256, 0, stream[m]>>>(inbox[m], ns[m]);
        CHECK(cudaGetLastError());
    }
    //< ring
    CHECK(cudaDeviceSynchronize());
    label_pop();
    printf("the slots came back in this order:");
    for (int k = 0; k < BATCHES; k++)
        printf(" %d", order[k]);
    printf("\n");
    for (int m = 0; m < 2; m++) {
        CHECK(cudaStreamDestroy(stream[m]));
        CHECK(cudaFree(inbox[m]));
    }
    for (int s = 0; s < SLOTS; s++)
        CHECK(cudaFreeHost(slot[s]));
    return 0;
}
