/* SPDX-License-Identifier: MIT */
/* error_text.h - errors in words; none of this is a call of the program's. */
#ifndef SIM_API_ERROR_TEXT_H
#define SIM_API_ERROR_TEXT_H

#include "sim/sim.h"

/* "cudaErrorInvalidValue" */
const char *error_name(cudaError_t error);
/* "invalid argument" */
const char *error_message(cudaError_t error);

#endif
