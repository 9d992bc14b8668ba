/* SPDX-License-Identifier: MIT */
#include "sim/race/flags.h"

#include <string.h>

#include "sim/memory/allocation.h"
#include "sim/race/access.h"
#include "sim/race/seen/access_seen.h"

/* FLAG_BYTES: more are none. */
enum { FLAGS = 64, FLAG_BYTES = 64 };

static struct flag {
    uint64_t from, to;
    uint32_t node;
    bool copied;
} flags[FLAGS]; /* the latest last */
static size_t flag_count;

static void stored(struct flag flag)
{
    if (flag_count == FLAGS)
        memmove(flags, flags + 1, --flag_count * sizeof *flags);
    flags[flag_count++] = flag;
}

static const struct flag *last_stored(uint64_t at)
{
    for (size_t i = flag_count; i-- > 0;)
        if (at >= flags[i].from && at < flags[i].to)
            return &flags[i];
    return NULL;
}

uint32_t flag_last_stored(uint64_t at)
{
    const struct flag *flag = last_stored(at);
    return flag ? flag->node : NO_NODE;
}

static bool may_be_flag(uint64_t from, uint64_t to)
{
    return to - from <= FLAG_BYTES && allocation_is_common(from);
}

/* From the host, or from a copy: kernels order each other by what streams and events promise. */
static void hears(uint32_t node, uintptr_t at)
{
    const struct clock_news *news = access_news(at);
    const struct flag *flag = last_stored(at);
    if (news)
        vector_clocks_node_hears(access_clocks(), node, news);
    if (flag && flag->copied)
        vector_clocks_node_hears_node(access_clocks(), node, flag->node);
}

void flag_met(uint32_t node, const struct access_run *run)
{
    if (!run->atomic || !may_be_flag(run->from, run->to))
        return;
    if (run->write)
        stored((struct flag){ run->from, run->to, node, false });
    else
        for (uintptr_t at = run->from; at < run->to; at++)
            hears(node, at);
}

void flag_copied(uint32_t node, struct hazard_range *range)
{
    range->flag = range->write && may_be_flag(range->from, range->to);
    if (range->flag)
        stored((struct flag){ range->from, range->to, node, true });
}
