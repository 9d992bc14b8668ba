/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <string.h>

const struct row *row_of(const char *name, size_t length)
{
    static const struct row *const tables[] = { rows_of_work, rows_of_order, rows_of_memory };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct row *row = tables[i]; row->name; row++)
            if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
                return row;
    return NULL;
}

void row_stream(struct made *m, cudaStream_t stream)
{
    m->stream = stream == NULL && m->per_thread ? cudaStreamPerThread : stream;
    m->c->stream = stream_number(stream, m->per_thread, m->c->device);
}
