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
    uint32_t process;           /* whose thread made it */
    bool made;                  /* by cudaStreamCreate…, and not destroyed */
    void *green;                /* CUgreenCtx; NULL: it has the whole device */
    bool orphan;                /* its green context was destroyed before it */
    uint32_t sms[6];            /* with `green`: which SMs it has, a bit each */
    unsigned long long id;
};

/* Adds one; its id is its number. */
uint32_t stream_add(struct stream stream);
/* The stream of this number, destroyed or not; NULL: there are fewer. Valid until the next is
 * added. */
struct stream *stream_numbered(uint32_t number);
cudaStream_t stream_handle(uint32_t number);
/* What the program made and has not destroyed; NULL for any other handle. */
struct stream *stream_of(cudaStream_t handle, uint32_t *number);
/* The number that the handle has or had; NO_STREAM for none. */
uint32_t stream_number_of(cudaStream_t handle);

/* How many SMs its kernels may use; the number of one of them, from 0 up to that many. */
uint64_t stream_sms(uint32_t number);
uint32_t stream_sm(uint32_t number, uint64_t which);
/* Those of a green context that is gone are streams no longer. */
void streams_orphan(void *green);

/* Does stream `number` take part in its device's legacy stream's barrier? */
bool stream_meets_legacy(uint32_t number);
/* Is it a legacy stream itself? */
bool stream_is_legacy(uint32_t number);
/* The device that was current when it was made: its own. */
int stream_device(uint32_t number);

#endif
