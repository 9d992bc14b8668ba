/* SPDX-License-Identifier: MIT */
/* stream_table.h - which streams there are: handles, and the numbers behind them. */
#ifndef SIM_STREAM_TABLE_H
#define SIM_STREAM_TABLE_H

#include "sim/sim.h"

struct stream {
    unsigned flags;
    int priority;
    bool priority_changed;      /* since it was made, perhaps: each launch has to name it */
    int device;
    bool made;                  /* by cudaStreamCreate…, and not destroyed */
    unsigned long long id;
};

/* Adds one; its id is its number. */
uint32_t stream_add(struct stream stream);
/* The stream of this number, destroyed or not; NULL: there are fewer. Valid until the next is added. */
struct stream *stream_numbered(uint32_t number);
cudaStream_t stream_handle(uint32_t number);
/* What the program made and has not destroyed; NULL for any other handle. */
struct stream *stream_of(cudaStream_t handle, uint32_t *number);
/* The number that the handle has or had; NO_STREAM for none. */
uint32_t stream_number_of(cudaStream_t handle);

/* Does stream `number` take part in its device's legacy stream's barrier? */
bool stream_meets_legacy(uint32_t number);
/* Is it a legacy stream itself? */
bool stream_is_legacy(uint32_t number);
/* The device that was current when it was made: its own. */
int stream_device(uint32_t number);

#endif
