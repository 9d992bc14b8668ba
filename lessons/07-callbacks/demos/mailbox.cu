/* SPDX-License-Identifier: MIT */
/* mailbox.cu - the host sleeps until any of three streams has a result, and gives that stream its next task.
 *
 *   build/bin/simcc -o mailbox lessons/07-callbacks/demos/mailbox.cu && ./mailbox */
#include <pthread.h>
#include <stdio.h>

#include "streams.h"

enum { STREAMS = 3, TASKS = 7 };

__global__ void compute(long long ns) { kernel_cost(ns); }

//> mailbox
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int letter[STREAMS], letters;

static void drop(void *stream)                      // the stream's side: short, and no CUDA
{
    pthread_mutex_lock(&lock);
    letter[letters++] = *(int *)stream;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static int next_letter(void)                        // the host's side: asleep while there is none
{
    pthread_mutex_lock(&lock);
    while (letters == 0)
        pthread_cond_wait(&changed, &lock);
    int stream = letter[--letters];
    pthread_mutex_unlock(&lock);
    return stream;
}
//< mailbox

int main(void)
{
    static const long long ns[TASKS] = { 700000, 200000, 300000, 200000, 200000, 300000, 200000 };
    cudaStream_t stream[STREAMS];
    int number[STREAMS];
    for (int k = 0; k < STREAMS; k++) {
        number[k] = k;
        CHECK(cudaStreamCreate(&stream[k]));
    }
    label_push("mailbox");
    //> main
    int next = 0;
    for (int k = 0; k < STREAMS; k++, next++) {
        compute<<<8, 256, 0, stream[k]>>>(ns[next]);
        CHECK(cudaLaunchHostFunc(stream[k], drop, &number[k]));
    }
    for (int done = 0; done < TASKS; done++) {
        int k = next_letter();
        host_work(20000);                           // 20 us: puts the result away
        if (next < TASKS) {
            compute<<<8, 256, 0, stream[k]>>>(ns[next++]);
            CHECK(cudaLaunchHostFunc(stream[k], drop, &number[k]));
        }
    }
    //< main
    label_pop();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%d tasks done\n", next);
    for (int k = 0; k < STREAMS; k++)
        CHECK(cudaStreamDestroy(stream[k]));
    return 0;
}
