// SPDX-License-Identifier: MIT
// Brings a cudaDeviceSynchronize of its own.
// expects: refused
// says: defines cudaDeviceSynchronize, a name of the runtime
//@ top
#include <cuda_runtime.h>
extern "C" __attribute__((used)) cudaError_t mine() asm("cudaDeviceSynchronize");
extern "C" cudaError_t mine() { return cudaSuccess; }
