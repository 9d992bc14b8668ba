/* SPDX-License-Identifier: MIT */
#include "sim/race/flags.h"

#include <string.h>

#include "trace/record/call.h"

enum { FLAGS = 64 };

static struct flag { uint64_t from, to; uint32_t node; } flags[FLAGS];     /* the latest last */
static size_t flag_count;

void flag_stored(uint64_t from, uint64_t to, uint32_t node)
{
    if (flag_count == FLAGS)
        memmove(flags, flags + 1, --flag_count * sizeof *flags);
    flags[flag_count++] = (struct flag){ from, to, node };
}

uint32_t flag_last_stored(uint64_t at)
{
    for (size_t i = flag_count; i-- > 0;)
        if (at >= flags[i].from && at < flags[i].to)
            return flags[i].node;
    return NO_NODE;
}
