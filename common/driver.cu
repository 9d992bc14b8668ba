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

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
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
static void *shared;

/* It is not recorded, and does not outlive this one. */
static void begin_other(void)
{
    shared = mmap(NULL, DRIVER_SHARED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || (other = fork()) < 0)
        trouble("no second process");
    if (other > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    unsetenv("CUDA_INJECTION64_PATH");
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
        trouble("The second process did not come to its end.");
}

int driver_main(void);

int main(void)
{
    if (!getenv(EXCHANGE_INPUT))
        trouble("This program gets its inputs from the grader: make lessonNN, or make runNN to run it only.");
    if (driver_other)
        begin_other();
    warm_up();
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
    return slots_at(slots_block(EXCHANGE_OUTPUT, PROT_READ | PROT_WRITE, &known, trouble), slot, bytes);
}

void driver_part(const char *part)
{
    if (recording())
        recording()->part(part ? part : "");
}
