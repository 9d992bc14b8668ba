/* SPDX-License-Identifier: MIT */
/*
 * editor.h - what lets clangd read a .cu file with no CUDA toolkit: included
 * first by the entries of compile_commands.json, by nothing else. Kernels are
 * kernels, and may call every function, as they may in the simulator.
 */
#ifndef EDITOR_H
#define EDITOR_H

#define __global__ __attribute__((global))
#include <new>
#include <cuda_runtime.h>
#pragma clang force_cuda_host_device begin

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                cudaStream_t stream = 0);
extern "C" cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);

#endif
