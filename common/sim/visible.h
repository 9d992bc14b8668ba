/* SPDX-License-Identifier: MIT */
/*
 * visible.h - what a program can see of the simulator in it, and nothing else: included first in
 * all of its files.
 *
 * The simulator is compiled with hidden names, and those become local when it is
 * put together (libsim.a), so that a program can have a `replay` or a `block` of
 * its own. What is declared here is seen: CUDA's calls, what the headers
 * that simcc offers call, and the functions of the C library that the simulator
 * stands in for. What no header declares is marked VISIBLE where it is.
 */
#ifndef SIM_VISIBLE_H
#define SIM_VISIBLE_H

/* Before the first header: guards are left from other stacks (crash/crash.c), and the C library's
 * check of longjmp would not have it. */
#undef _FORTIFY_SOURCE

#define VISIBLE __attribute__((visibility("default")))

#pragma GCC visibility push(default)

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cuda_profiler_api.h"
#include "cuda_runtime_api.h"
#include "driver.h"
#include "detail/sim_block.h"
#include "detail/sim_clock.h"
#include "detail/sim_function.h"
#include "detail/sim_launch.h"
#include "detail/sim_math.h"
#include "detail/sim_texture.h"
#include "detail/sim_warp.h"
#include "nvtx3/sim_range.h"

#pragma GCC visibility pop

#endif
