/* SPDX-License-Identifier: MIT */
/* ring.cu - the same five frames, one at a time and in a ring of three.
 *
 *   build/bin/simcc -o ring lessons/14-capstone/ring.cu && ./ring */
#include <semaphore.h>
#include <stdio.h>

#include "streams.h"

#define N 8000
#define FRAMES 5
#define RING 3

__global__ void develop(unsigned *x)
{
    kernel_cost(100000);
    x[threadIdx.x] += 1;
}

__global__ void gather(unsigned *total, const unsigned *x)
{
    kernel_cost(30000);
    total[threadIdx.x] += x[threadIdx.x];
}

struct place {
    unsigned *room, *x, *result;
    cudaEvent_t developed;
};
static struct place ring[RING];
static cudaStream_t work, out;
static unsigned *total;
static sem_t empty;

static void fill(struct place *s)
{
    for (int i = 0; i < N; i++)
        s->room[i] = i;
    host_work(20000);
}

static void seal(struct place *)
{
    host_work(60000);
}

static void one_at_a_time(void)
{
    for (int k = 0; k < FRAMES; k++) {
        struct place *s = &ring[0];
        //> one
        fill(s);
        CHECK(cudaMemcpyAsync(s->x, s->room, N * sizeof(unsigned), cudaMemcpyHostToDevice, work));
        develop<<<1, 32, 0, work>>>(s->x);
        gather<<<1, 32, 0, work>>>(total, s->x);
        CHECK(cudaMemcpyAsync(s->result, total, N * sizeof(unsigned), cudaMemcpyDeviceToHost, work));
        CHECK(cudaStreamSynchronize(work));
        seal(s);
        //< one
    }
}

//> finish
static void finish(void *data)
{
    seal((struct place *)data);
    sem_post(&empty);
}
//< finish

static void in_a_ring(void)
{
    for (int k = 0; k < FRAMES; k++) {
        struct place *s = &ring[k % RING];
        //> ring
        sem_wait(&empty);
        fill(s);
        CHECK(cudaMemcpyAsync(s->x, s->room, N * sizeof(unsigned), cudaMemcpyHostToDevice, work));
        develop<<<1, 32, 0, work>>>(s->x);
        CHECK(cudaEventRecord(s->developed, work));
        CHECK(cudaStreamWaitEvent(out, s->developed, 0));
        gather<<<1, 32, 0, out>>>(total, s->x);
        CHECK(cudaMemcpyAsync(s->result, total, N * sizeof(unsigned), cudaMemcpyDeviceToHost, out));
        CHECK(cudaLaunchHostFunc(out, finish, s));
        //< ring
    }
    CHECK(cudaStreamSynchronize(out));
}

static void measure(const char *label, void (*f)(void))
{
    long long begin = now_ns();
    label_push(label);
    f();
    label_pop();
    printf("%s: %.0f us\n", label, (now_ns() - begin) / 1e3);
}

int main(void)
{
    sem_init(&empty, 0, RING);
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&total, N * sizeof(unsigned)));
    CHECK(cudaMemset(total, 0, N * sizeof(unsigned)));
    for (struct place &s : ring) {
        CHECK(cudaMallocHost((void **)&s.room, N * sizeof(unsigned)));
        CHECK(cudaMallocHost((void **)&s.result, N * sizeof(unsigned)));
        CHECK(cudaMalloc((void **)&s.x, N * sizeof(unsigned)));
        CHECK(cudaMemset(s.x, 0, N * sizeof(unsigned)));
        CHECK(cudaEventCreateWithFlags(&s.developed, cudaEventDisableTiming));
    }
    develop<<<1, 1>>>(ring[0].x);
    gather<<<1, 1>>>(total, ring[0].x);
    CHECK(cudaDeviceSynchronize());
    measure("one at a time", one_at_a_time);
    measure("in a ring", in_a_ring);
    for (struct place &s : ring) {
        CHECK(cudaFreeHost(s.room));
        CHECK(cudaFreeHost(s.result));
        CHECK(cudaFree(s.x));
        CHECK(cudaEventDestroy(s.developed));
    }
    CHECK(cudaFree(total));
    CHECK(cudaStreamDestroy(work));
    CHECK(cudaStreamDestroy(out));
    return 0;
}
