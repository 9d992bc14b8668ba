/* SPDX-License-Identifier: MIT */
/*
 * child.h - kernels that kernels launch.
 *
 * A child waits until its parent's grid has run. Then the children run one after
 * the other in the order of the blocks that launched them, each with its own
 * children before the next one; those in cudaStreamTailLaunch come last. That is one
 * of the orders that a card may take: a parent can wait for none of them. To the
 * model they are part of the kernel that the host launched, and take no time.
 */
#ifndef SIM_KERNEL_CHILD_H
#define SIM_KERNEL_CHILD_H

#include "sim/kernel/effect.h"

enum {
    CHILD_DEPTH = 1000
}; /* kernels below the host's, at most: an end to what has none. An H100 takes 30 without a word */

struct child {
    struct sim_kernel kernel;
    struct sim_configuration how;
    uint64_t number;            /* of the block that launched it, there: */
    const char *file;
    int line;
};

/* A launch of the thread that runs: where it stands, what is in <<<…>>>, the kernel. */
void child_site(const char *file, int line);
void child_configure(const struct sim_configuration *how);
void child_launch(const struct sim_kernel *kernel);

/* Says that the launch is refused, and why. */
void child_refuse(const struct child *child, cudaError_t error, const char *why);

#endif
