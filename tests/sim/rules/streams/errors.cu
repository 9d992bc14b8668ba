/* SPDX-License-Identifier: MIT */
/* Errors: which, when, and how long they are remembered. */
#include "../rule.h"

int main()
{
    int *d = on_device<int>(4), number;
    void *p = &number;
    cudaStream_t s;
    warm_up(d);

    busy<<<0, 1>>>(0);
    rule(cudaPeekAtLastError() == cudaErrorInvalidValue && cudaPeekAtLastError() == cudaErrorInvalidValue,
         "a launch without blocks sets the last error; a look at it leaves it");
    rule(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess,
         "cudaGetLastError clears it");
    busy<<<1, 2048>>>(0);
    rule(cudaGetLastError() == cudaErrorInvalidValue, "a launch with too many threads a block: cudaErrorInvalidValue");
    busy<<<dim3(1, 70000), 1>>>(0);
    rule(cudaGetLastError() == cudaErrorInvalidValue, "a launch with too many blocks in y: cudaErrorInvalidValue");
    busy<<<1, 1, 10 << 20>>>(0);
    rule(cudaGetLastError() == cudaErrorInvalidValue, "a launch with too much shared memory: cudaErrorInvalidValue");
    rule(cudaDeviceSynchronize() == cudaSuccess, "a launch that was refused does the device no harm");

    rule(cudaMalloc((void **)NULL, 16) == cudaErrorInvalidValue, "cudaMalloc to nowhere: cudaErrorInvalidValue");
    rule(cudaMalloc(&p, 0) == cudaSuccess && p == NULL, "cudaMalloc of nothing succeeds and gives NULL");
    rule(cudaMalloc(&p, (size_t)1 << 50) == cudaErrorMemoryAllocation, "cudaMalloc of too much: cudaErrorMemoryAllocation");
    rule(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaErrorMemoryAllocation,
         "a call that succeeds does not clear the last error");
    rule(cudaFree(NULL) == cudaSuccess && cudaFreeHost(NULL) == cudaSuccess, "freeing NULL succeeds");
    rule(cudaFree(&number) == cudaErrorInvalidValue, "freeing a pointer that is none of the device's: cudaErrorInvalidValue");
    rule(cudaFree(d + 1) == cudaErrorInvalidValue, "freeing the middle of an allocation: cudaErrorInvalidValue");
    rule(cudaSetDevice(77) == cudaErrorInvalidDevice, "a device that does not exist: cudaErrorInvalidDevice");
    rule(cudaGetDevice(&number) == cudaSuccess && number == 0, "the device is 0 after that, too");
    rule(cudaStreamCreateWithFlags(&s, 77) == cudaErrorInvalidValue, "flags of a stream that do not exist: cudaErrorInvalidValue");
    rule(cudaStreamDestroy(NULL) == cudaErrorInvalidResourceHandle &&
             cudaStreamDestroy(cudaStreamLegacy) == cudaErrorInvalidResourceHandle,
         "destroying a default stream: cudaErrorInvalidResourceHandle");
    rule(cudaStreamSynchronize(cudaStreamLegacy) == cudaSuccess && cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess,
         "the handles of the default streams can be waited for");
    rule(cudaLaunchHostFunc(0, NULL, NULL) == cudaErrorInvalidValue, "no host function: cudaErrorInvalidValue");
    forget_errors();

    rule(strcmp(cudaGetErrorName(cudaErrorNotReady), "cudaErrorNotReady") == 0, "errors have names");
    rule(strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument") == 0, "errors have messages");
    rule(strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code") == 0, "a number that is no error has no name");
    rule(cudaErrorIllegalAddress == 700 && cudaErrorNotReady == 600 && cudaErrorInvalidResourceHandle == 400,
         "errors have CUDA's numbers");
    return rules_end();
}
