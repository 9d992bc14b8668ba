/* SPDX-License-Identifier: MIT */
/* event.h - handles of events and the numbers behind them. */
#ifndef SIM_API_EVENT_H
#define SIM_API_EVENT_H

#include "sim/api/api_call.h"

/* What a graph's node needs of an event: its number, and the flags of CALL_EVENT_RECORD. Refuses a
 * handle that is none. */
cudaError_t event_of(struct api_call *e, cudaEvent_t handle, uint32_t *number, uint32_t *flags);
cudaEvent_t event_handle(uint32_t number);
/* The same for the event of a launch in the stream of the call: one of the stream's device, that
 * takes no time and is no other process's [H]. */
cudaError_t event_of_launch(struct api_call *e, cudaEvent_t handle, int flags, uint32_t *number);
/* A graph's node has recorded it. */
void event_recorded(uint32_t number, uint32_t node);
/* Did the caller's process make it so that others may open it? Its number then. */
bool event_may_be_opened(cudaEvent_t handle, uint32_t *number);
/* Is it there, and another process's than the caller's? */
bool event_is_of_other(uint32_t number);
/* One more event, which stands for that one; the call makes it. */
cudaEvent_t event_add_opened(struct api_call *e, uint32_t of);
/* Destroys all that the program made. */
void events_reset(int device);

#endif
