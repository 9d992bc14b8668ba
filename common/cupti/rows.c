/* SPDX-License-Identifier: MIT */
#include "rows.h"

void row_stream(struct made *m, cudaStream_t stream)
{
    m->stream = !stream && m->per_thread ? cudaStreamPerThread : stream;
    m->c->stream = stream_number(stream, m->per_thread, m->c->device);
}
