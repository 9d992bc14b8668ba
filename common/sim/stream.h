/* SPDX-License-Identifier: MIT */
/* stream.h - handles of streams and the numbers behind them. */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include "entry.h"

/* The number of a handle, as the call's site understands "0", into the call.
 * A thread's own default stream is announced when it is first named. */
cudaError_t stream_find(struct entry *e, cudaStream_t handle);

/* Does stream `number` take part in its device's legacy stream's barrier? */
bool stream_meets_legacy(uint32_t number);
/* Is it a legacy stream itself? */
bool stream_is_legacy(uint32_t number);
/* The device that was current when it was made: its own. */
int stream_device(uint32_t number);

/* Announces the legacy stream of each device. */
void streams_begin(void);
/* Destroys all that the program made on a device. */
void streams_forget(int device);

#endif
