/* SPDX-License-Identifier: MIT */
/*
 * arch.h - one text of two: a program as the host sees it, and as the device does, for which
 * __CUDA_ARCH__ is defined.
 *
 * nvcc compiles a file once for the host and once for the device. Here both are one program: where
 * the two texts differ, functions of the device are taken from the device's text, the rest from the
 * host's, and a function of both gets both bodies:
 *
 *   { if (::sim_on_device()) { … } else { … } }
 */
#ifndef SIMCC_REWRITE_ARCH_H
#define SIMCC_REWRITE_ARCH_H

#include <stddef.h>

/* malloc, zero-terminated; *out_length is its length. */
char *rewrite_arch(const char *host, size_t host_length, const char *device, size_t device_length,
                   size_t *out_length);

#endif
