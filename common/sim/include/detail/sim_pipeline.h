/* SPDX-License-Identifier: MIT */
/* sim_pipeline.h - a thread's own copies to shared memory, 4, 8 or 16 bytes at a time: done at once (sim_copy.h). */
#ifndef SIM_INCLUDE_PIPELINE_H
#define SIM_INCLUDE_PIPELINE_H

#include "../cuda_runtime.h"

/* The last `zeros` of the bytes are not copied, but set to 0. */
static inline void __pipeline_memcpy_async(void *__to, const void *__from, size_t __bytes, size_t __zeros = 0)
{
    if ((__bytes != 4 && __bytes != 8 && __bytes != 16) || __zeros > __bytes)
        __trap();
    memcpy(__to, __from, __bytes - __zeros);
    memset((char *)__to + (__bytes - __zeros), 0, __zeros);
}

static inline void __pipeline_commit(void) {}
static inline void __pipeline_wait_prior(size_t __groups) { (void)__groups; }

#endif
