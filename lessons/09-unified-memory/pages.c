/* SPDX-License-Identifier: MIT */
#include "pages.h"

#include <string.h>

size_t label_next(const struct view *v, struct selection s, const char *text, size_t from)
{
    for (size_t call = from > s.first_call ? from : s.first_call; call < s.end_call; call++)
        if (v->timeline->calls[call].kind == CALL_LABEL
            && strcmp(timeline_string(v->timeline, v->timeline->calls[call].name), text) == 0)
            return call;
    return s.end_call;
}

unsigned label_count(const struct view *v, struct selection s, const char *text)
{
    unsigned count = 0;
    for (size_t call = label_next(v, s, text, 0); call < s.end_call;
         call = label_next(v, s, text, call + 1))
        count++;
    return count;
}

uint32_t pages_last_launch(const struct view *v, const char *part, const char *kernel, size_t end)
{
    struct selection s = in_part(v, part, 0);
    uint32_t last = ANY;
    EACH_KERNEL(node, v, s, kernel)
        if (v->timeline->spans[node].call < end)
            last = v->timeline->spans[node].call;
    return last;
}

uint64_t pages_queued(const struct view *v, const char *part, bool to_host, bool prefetches_only)
{
    struct selection s = in_part(v, part, ENGINE_BIT(to_host ? ENGINE_D2H : ENGINE_H2D));
    uint64_t bytes = 0;
    EACH_SPAN(node, v, s)
        if (!prefetches_only || call_of_node(v, node)->kind == CALL_PREFETCH)
            bytes += v->timeline->spans[node].bytes;
    return bytes;
}

struct migration_sum pages_migrated(const struct view *v, const char *part, unsigned which)
{
    struct selection s = in_part(v, part, 0);
    return measure_migrations(v->timeline, which, s.first_call, s.end_call);
}

uint64_t pages_travelled(const struct view *v, const char *part, bool to_host)
{
    unsigned which = (to_host ? MIGRATIONS_TO_HOST : MIGRATIONS_TO_DEVICE) | MIGRATIONS_OF_KERNELS
                     | MIGRATIONS_OF_HOST;
    return pages_queued(v, part, to_host, false) + pages_migrated(v, part, which).bytes;
}

unsigned long long pages_kib(uint64_t bytes)
{
    return (bytes + 1023) / 1024;
}
