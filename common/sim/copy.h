/* SPDX-License-Identifier: MIT */
/* copy.h - what is allowed between two places. */
#ifndef SIM_COPY_H
#define SIM_COPY_H

#include "sim.h"

/* May a copy of this direction go from and to memory of the call's kinds? */
bool copy_fits(enum cudaMemcpyKind direction, const struct call *c);

#endif
