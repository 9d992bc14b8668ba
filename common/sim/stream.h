/* SPDX-License-Identifier: MIT */
/* stream.h - handles of streams and the numbers behind them. */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include "entry.h"

/* The number of a handle, as the call's site understands "0", into the call.
 * A thread's own default stream is announced when it is first named. */
cudaError_t stream_find(struct entry *e, cudaStream_t handle);

/* Does stream `number` take part in the legacy stream's barrier? */
bool stream_meets_legacy(uint32_t number);

/* Destroys all that the program made. */
void streams_forget(void);

#endif
