/* SPDX-License-Identifier: MIT */
/*
 * card_access.h - what of this machine a sandboxed program needs to use its GPU.
 *
 * The device's files: /dev/nvidiactl, /dev/nvidia0 and its like, nvidia-uvm, nvidia-uvm-tools
 * (drivers from 570 on open it, too), nvidia-caps/ where a card is divided, and WSL's dxg. Of
 * folders, read-only, what is not in /usr: the toolkit that nvcc and CUPTI are of, if it is one (of
 * an nvcc that lies in somebody's home, that file alone), and those of LD_LIBRARY_PATH that hold
 * the driver's library. /proc/driver/nvidia is the kernel's in every /proc; where a container has
 * put a file of its own there, that one is bound. /sys is not needed everywhere (it was not on an
 * H200 with driver 580; others report error 304 without it): grader/batch/jobs/device.h tries.
 *
 * A program of CUDA's did run in such a sandbox on that H200, without the filter of system calls,
 * and nvcc (12.4) builds in its own. All of it together has not been on a card yet:
 * tests/gpu/class/run is for who has one.
 */
#ifndef GRADER_SANDBOX_CARD_ACCESS_H
#define GRADER_SANDBOX_CARD_ACCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "grader/sandbox/machine.h"

#define CARD_FILES 64
#define CARD_FOLDERS 8

struct card_access {
    char nvcc[PATH_MAX];        /* links resolved, options after it */
    char architecture[16]; /* what nvcc compiles for in a sandbox, where it cannot see the card:
                              "sm_90" */
    bool sees_sys;
    char *files[CARD_FILES];
    char *folders[CARD_FOLDERS];        /* or a file */
    size_t file_count, folder_count;
};

/* `devices`: "/dev". The architecture and /sys are left to whoever looks at the card. */
void card_access_find(struct card_access *a, const struct machine *m, const char *devices);
void card_access_fini(struct card_access *a);

#endif
