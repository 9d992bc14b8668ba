/* SPDX-License-Identifier: MIT */
/* cuda_pipeline_primitives.h - a thread's own copies to shared memory. */
#include "../detail/sim_pipeline.h"
