/* SPDX-License-Identifier: MIT */
/* cuda_pipeline.h - a thread's own copies to shared memory. */
#include "../detail/sim_pipeline.h"
