/* SPDX-License-Identifier: MIT */
/*
 * sim_clock.h - the device's clocks. Each look takes a thread some time, so
 * that a loop which looks until its time is over ends, and takes that time.
 *
 * asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)) becomes t = sim_register_globaltimer()
 * (rewrite.h), and so do the other special registers that are declared here.
 */
#ifndef SIM_INCLUDE_CLOCK_H
#define SIM_INCLUDE_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

long long clock64(void);                            /* cycles */
__clock_t clock(void) __THROW;                      /* the same, in kernels */
void __nanosleep(unsigned __ns);
void __trap(void) __attribute__((__noreturn__));    /* the device is lost */
void sim_grid_barrier(const char *__file, int __line);  /* of a cooperative launch; in others the device is lost */
int sim_grid_is_valid(void);                        /* was it one? */
static inline void __brkpt(void) { }                /* no debugger is there */
static inline void __prof_trigger(int __counter) { (void)__counter; }

void sim_kernel_cost(long long __ns);              /* streams.h's kernel_cost */
void sim_kernel_busy(long long __ns);              /* and its kernel_busy */
void sim_kernel_given(const volatile void *__at);  /* and its kernel_given */

unsigned long long sim_register_globaltimer(void);  /* ns */
long long sim_register_clock64(void);
unsigned sim_register_clock(void);
unsigned sim_register_laneid(void);
unsigned sim_register_warpid(void);
unsigned sim_register_smid(void);
unsigned sim_register_nsmid(void);

#ifdef __cplusplus
}
#endif
#endif
