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

uint32_t wanted(const uint32_t *in, uint64_t i, const uint32_t *gain)
{
    if (!gain)
        return 2654435761u * in[i] + (uint32_t)i;
    uint32_t x = in[i];
    for (; *gain != 0; gain++)  /* a gain is odd */
        x = *gain * x + 1;
    return x;
}

void gains_with(const struct settings *s, const uint32_t *in, uint32_t *gain, int64_t probes,
                int64_t stride)
{
    uint32_t next = (uint32_t)s->gain;
    for (int64_t round = 0; round < s->rounds; round++) {
        gain[round] = next | 1;
        gain[round + 1] = 0;
        next = 1;
        for (int64_t k = 0; k < s->probes; k++)
            next = 5 * next + (k < probes ? wanted(in, (uint64_t)(k * stride), gain) : 0);
    }
}

void gains_of(const struct settings *s, const uint32_t *in, uint32_t *gain)
{
    gains_with(s, in, gain, s->probes, s->stride);
}
