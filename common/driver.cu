/* SPDX-License-Identifier: MIT */
/*
 * driver.h with nvcc, on a GPU.
 *
 * A process that has just begun is slow at everything once: the context, the
 * first copy each way, the first launch. None of that is the exercise's, so that
 * it is done here, before the lesson's driver begins; the recorder (where there
 * is one) begins after it. For that the driver's main() is compiled as
 * driver_main(), and main() is here.
 */
#include "driver.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime.h>

#include "recording.h"
#include "slots.h"

#define WARM_BYTES (4u << 20)
#define WARM_ROUNDS 3

static void trouble(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static void must(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        trouble("The GPU cannot be used: %s: %s", what, cudaGetErrorString(status));
}
#define MUST(call) must((call), #call)

static __global__ void warm_kernel(int *numbers)
{
    numbers[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static void warm_up(void)
{
    void *device, *host;
    cudaStream_t stream[2];
    MUST(cudaMalloc(&device, WARM_BYTES));
    MUST(cudaMallocHost(&host, WARM_BYTES));
    MUST(cudaMemset(device, 0, WARM_BYTES));
    for (int i = 0; i < 2; i++)
        MUST(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
    for (int i = 0; i < WARM_ROUNDS; i++) {
        MUST(cudaMemcpyAsync(device, host, WARM_BYTES, cudaMemcpyHostToDevice, stream[0]));
        warm_kernel<<<8, 128, 0, stream[0]>>>((int *)device);
        MUST(cudaMemcpyAsync(host, device, WARM_BYTES / 2, cudaMemcpyDeviceToHost, stream[1]));
        MUST(cudaDeviceSynchronize());
    }
    for (int i = 0; i < 2; i++)
        MUST(cudaStreamDestroy(stream[i]));
    MUST(cudaFreeHost(host));
    MUST(cudaFree(device));
    MUST(cudaDeviceSynchronize());
}

/* ---- a second process, which begins before this one knows of the device ---- */

static pid_t other;

/* May processes share memory and events here? A container can forbid it, or a compute mode. The
 * other process offers both, and this one opens them. */
struct trial {
    sem_t offered, over;
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
    cudaError_t status;         /* of the other's calls */
    char what[48];
};
static struct seen_by_both {
    char bytes[DRIVER_SHARED];
    struct trial trial;
} *shared;

static void end_of_other(void)
{
    trouble("The second process did not come to its end.");
}

/* Remembers the call: none is made after one that fails. */
static void try_call(struct trial *t, cudaError_t status, const char *what)
{
    t->status = status;
    snprintf(t->what, sizeof t->what, "%.*s", (int)strcspn(what, "("), what);
}
#define TRY(trial, call) ((trial)->status == cudaSuccess ? try_call(trial, call, #call) : (void)0)

static void offer_trial(struct trial *t)
{
    void *memory = NULL;
    cudaEvent_t event = NULL;
    TRY(t, cudaMalloc(&memory, 4));
    TRY(t, cudaIpcGetMemHandle(&t->memory, memory));
    TRY(t, cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    TRY(t, cudaIpcGetEventHandle(&t->event, event));
    sem_post(&t->offered);
    while (sem_wait(&t->over) != 0 && errno == EINTR)
        ;
    if (event)
        TRY(t, cudaEventDestroy(event));
    if (memory)
        TRY(t, cudaFree(memory));
}

static void take_trial(struct trial *t)
{
    void *memory;
    cudaEvent_t event;
    for (; sem_trywait(&t->offered) != 0; usleep(200))
        if (waitpid(other, NULL, WNOHANG) == other)
            end_of_other();
    TRY(t, cudaIpcOpenMemHandle(&memory, t->memory, cudaIpcMemLazyEnablePeerAccess));
    TRY(t, cudaMemset(memory, 1, 4));
    TRY(t, cudaIpcCloseMemHandle(memory));
    TRY(t, cudaIpcOpenEventHandle(&event, t->event));
    TRY(t, cudaEventDestroy(event));
    if (t->status != cudaSuccess)
        trouble("Two processes cannot share the GPU's memory: %s: %s", t->what,
                cudaGetErrorString(t->status));
    sem_post(&t->over);
}

/* It is not recorded, and does not outlive this one. */
static void begin_other(void)
{
    shared = (struct seen_by_both *)mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || sem_init(&shared->trial.offered, 1, 0) != 0
        || sem_init(&shared->trial.over, 1, 0) != 0 || (other = fork()) < 0)
        trouble("no second process");
    if (other > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    unsetenv("CUDA_INJECTION64_PATH");
    offer_trial(&shared->trial);
    driver_other();
    _exit(0);
}

void *driver_shared(void)
{
    return shared;
}

void driver_other_begins(void)
{
}

void driver_other_ends(void)
{
    int status;
    if (waitpid(other, &status, 0) != other || status != 0)
        end_of_other();
}

int driver_main(void);

int main(void)
{
    if (!getenv(EXCHANGE_INPUT))
        trouble("This program gets its inputs from the grader: make lessonNN, or make runNN to run it only.");
    if (driver_other)
        begin_other();
    warm_up();
    if (other > 0)
        take_trial(&shared->trial);
    if (recording())
        recording()->start();
    return driver_main();
}

const void *driver_input(int slot, size_t *bytes)
{
    static struct exchange_block *known;
    return slots_at(slots_block(EXCHANGE_INPUT, PROT_READ, &known, trouble), slot, bytes);
}

void *driver_output(int slot, size_t *bytes)
{
    static struct exchange_block *known;
    return slots_at(slots_block(EXCHANGE_OUTPUT, PROT_READ | PROT_WRITE, &known, trouble), slot,
                    bytes);
}

void driver_peek(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

void driver_delays_question(long long)
{
}

void driver_device_makes(const void *, size_t)
{
}

void driver_part(const char *part)
{
    if (part)
        (void)cudaGetLastError();
    if (recording())
        recording()->part(part ? part : "");
}
