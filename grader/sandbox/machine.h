/* SPDX-License-Identifier: MIT */
/*
 * machine.h - where to judge: on the simulator, on the GPU of this machine, or on both.
 *
 * Looking costs nothing where there is none: a few files are looked for, and no program is started.
 * Whether the GPU can really be used is found out when it is (gpu.h).
 */
#ifndef GRADER_SANDBOX_MACHINE_H
#define GRADER_SANDBOX_MACHINE_H

#include <limits.h>
#include <stdbool.h>

enum backend { SIMULATOR, CUDA = 2, BOTH = 3 };    /* bit 1: on a GPU, too */

struct machine {
    enum backend backend;
    char nvcc[PATH_MAX];        /* where CUDA is part of it */
    char cupti[PATH_MAX];       /* its libcupti.so; "": the loader may know */
    char why[400]; /* a sentence for the report; "" where there is nothing to choose from */
};

/* `option`: "sim", "cuda", "both", or NULL: both where there is a GPU and a toolkit. What cannot be
 * had is the environment's trouble when it was all that was asked for, and a sentence otherwise. */
void machine_choose(struct machine *m, const char *option);

/* "sim", "simulator", "cuda" or "both"; false: something else. */
bool backend_named(enum backend *backend, const char *name);
/* "simulator", "cuda", "both". */
const char *backend_name(enum backend backend);

#endif
