/* SPDX-License-Identifier: MIT */
/* long_log N: the log of a program of N operations, copies and kernels in four streams, which waits
 * for the device every thousandth time. Times are left out, as the simulator does. */
#include <stdio.h>
#include <stdlib.h>

#include "trace/record/log.h"

enum { STREAMS = 4 };

static void put(void *context, const void *bytes, size_t count)
{
    fwrite(bytes, 1, count, context);
}

int main(int argc, char **argv)
{
    long operations = argc > 1 ? atol(argv[1]) : 0;
    struct timeline strings;
    struct log_writer w = { .put = put, .context = stdout };
    timeline_init(&strings);
    log_begin(&w);
    struct call c = { .kind = CALL_STREAM_CREATE, .flags = STREAM_LEGACY, .node = NO_NODE };
    for (; c.stream < STREAMS; c.stream++, c.flags = 0)
        log_write(&w, &strings, &c);
    uint32_t copy = timeline_intern(&strings, "cudaMemcpyAsync", 15),
             kernel = timeline_intern(&strings, "work", 4);
    for (long i = 0; i < operations; i++) {
        bool copies = i % 3 != 0;
        c = (struct call){ .kind = copies ? CALL_COPY : CALL_LAUNCH, .name = copies ? copy : kernel,
                           .node = NO_NODE, .stream = (uint32_t)(i % STREAMS), .flags = CALL_ASYNC,
                           .bytes = 65536, .src_kind = MEM_PINNED, .dst_kind = MEM_DEVICE,
                           .grid = { 9, 1, 1 }, .block = { 32, 1, 1 } };
        log_write(&w, &strings, &c);
        if (i % 1000 == 999) {
            c = (struct call){ .kind = CALL_DEVICE_SYNC, .node = NO_NODE };
            log_write(&w, &strings, &c);
        }
    }
    timeline_fini(&strings);
    return fflush(stdout) != 0;
}
