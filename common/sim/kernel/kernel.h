/* SPDX-License-Identifier: MIT */
/*
 * kernel.h - kernels run, block by block and thread by thread, on the host.
 *
 * A kernel that calls kernel_cost is stopped there in its first thread until
 * its virtual end, and runs then. One that does not runs whole at its start;
 * what its slowest thread spends on clocks and sleeps is added to its blocks' cost. Kernels that
 * trigger dependent launches, and dependent launches, do so part by part (parts.c).
 */
#ifndef SIM_KERNEL_KERNEL_H
#define SIM_KERNEL_KERNEL_H

#include "sim/kernel/effect.h"
#include "sim/memory/because.h"

/* At its virtual start: what a block costs, or COST_UNKNOWN. */
int64_t kernel_start(struct effect *effect, uint32_t node);
/* The first kernel with a loop whose time was nobody's to say, where none has declared its own;
 * NULL: there is none. */
const char *kernel_undeclared(void);
/* The operation touched what it must not: the device is lost, and the program learns of it at its
 * next call. */
void kernel_fault(uint32_t node, uint64_t address, cudaError_t error);
/* The same, where more is known than those say. */
void kernel_fault_as(uint32_t node, uint64_t address, cudaError_t error, struct words what);
void kernel_end(struct effect *effect, uint32_t node);
/* A part of its blocks' time is over, and it is not known how it ends; one begins, and it is not
 * known what it costs. Into its parts. */
void kernel_part_ends(struct effect *effect, uint32_t node);
void kernel_part_begins(struct effect *effect, uint32_t node);

/* A kernel whose threads are a call each, of `call`: its functions, and a copy of its closure. */
void kernel_calls(struct sim_kernel *kernel, size_t alignment, void (*call)(void *own));
/* Does a kernel run? */
bool kernel_runs(void);
void kernel_running(bool it_does);
/* Ends the one that runs: the device is lost, with this error. */
_Noreturn void kernel_fail(cudaError_t error);
/* Ends the program: the host called what is for kernels. */
_Noreturn void kernel_misused(const char *name);

#endif
