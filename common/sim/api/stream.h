/* SPDX-License-Identifier: MIT */
/* stream.h - the calls that make, ask and destroy streams. */
#ifndef SIM_API_STREAM_H
#define SIM_API_STREAM_H

#include "sim/api/api_call.h"
#include "sim/stream_table.h"

/* The number of a handle, as the call's site understands "0", into the call.
 * A thread's own default stream is announced when it is first named. */
cudaError_t stream_find(struct api_call *e, cudaStream_t handle);

/* Announces the legacy stream of each device. */
void streams_begin(void);
/* Destroys all that the program made on a device. */
void streams_reset(int device);

#endif
