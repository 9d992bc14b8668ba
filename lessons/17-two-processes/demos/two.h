/* SPDX-License-Identifier: MIT */
/*
 * two.h - how the two processes of these programs talk: semaphores and handles in memory that both
 * see. What driver.h calls the other process is begun by common/driver.cu; in the simulator it is a
 * host thread.
 */
#ifndef TWO_H
#define TWO_H

#include <semaphore.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../lesson.h"
#include "driver.h"

enum { WORDS = 100 };

struct paper {
    int begun;                  /* `words` can be used */
    sem_t words[WORDS];
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t full[SLOTS], empty[SLOTS];
    struct cudaMemPoolPtrExportData block;
    int owner, file;            /* the other process, and a descriptor of its */
};
static_assert(sizeof(struct paper) <= DRIVER_SHARED, "more than fits");

static struct paper *paper(void) { return (struct paper *)driver_shared(); }

static void tell(int word) { sem_post(&paper()->words[word]); }

static void await(int word)
{
    while (sem_wait(&paper()->words[word]) != 0)
        ;
}

/* The first call of each of the two. */
[[maybe_unused]] static void we_begin(void)
{
    for (int k = 0; k < WORDS; k++)
        sem_init(&paper()->words[k], 1, 0);
    __atomic_store_n(&paper()->begun, 1, __ATOMIC_RELEASE);
    driver_other_begins();
}

[[maybe_unused]] static void other_begins(void)
{
    while (!__atomic_load_n(&paper()->begun, __ATOMIC_ACQUIRE))
        usleep(100);
    paper()->owner = getpid();
}

/* A descriptor of this process for what the other one has open. A socket would send it, too. */
[[maybe_unused]] static int fetched(int file)
{
    return (int)syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, paper()->owner, 0), file, 0);
}

static cudaStream_t new_stream(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

#endif
