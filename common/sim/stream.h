/* SPDX-License-Identifier: MIT */
/* stream.h - the calls that make, ask and destroy streams. */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include "entry.h"
#include "stream_table.h"

/* The number of a handle, as the call's site understands "0", into the call.
 * A thread's own default stream is announced when it is first named. */
cudaError_t stream_find(struct entry *e, cudaStream_t handle);

/* Announces the legacy stream of each device. */
void streams_begin(void);
/* Destroys all that the program made on a device. */
void streams_forget(int device);

#endif
