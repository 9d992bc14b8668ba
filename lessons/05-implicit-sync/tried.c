/* SPDX-License-Identifier: MIT */
/* (a): an answer is wrong although the call was tried. */
#include "judges.h"

#include <string.h>

/* A launch of long_one() into the default stream, by the program; ANY: there is none. */
static uint32_t long_in_default(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    uint32_t node = next_kernel(v, s, "long_one", 0);
    for (; node != ANY; node = next_kernel(v, s, "long_one", node + 1))
        if (timeline_stream_flags(v->timeline, v->timeline->spans[node].stream) & STREAM_LEGACY)
            return v->timeline->spans[node].call;
    return ANY;
}

bool why_tried(const struct view *v, struct finding *f, const char *part, uint32_t call, bool waits,
               bool host)
{
    const struct call *c = &v->timeline->calls[call];
    bool device = strcmp(f->word, "device") == 0;
    uint32_t in_default = long_in_default(v, part);
    if (in_default != ANY && !waits) {
        f->call = in_default;
        return why(f,
                   "This kernel is in the default stream: whatever is launched into a blocking stream afterwards waits for it in any case. "
                   "Launch long_one() into a stream of its own, made with cudaStreamCreate().");
    }
    if (device && waits && host)
        return why(f,
                   "This call holds the host up until A's kernel is done. What is launched into B after the call then runs only when that is "
                   "done, too: effect[k].device is true wherever effect[k].host is.");
    if (!device && !waits)
        return why(f,
                   "The call was tried while A's kernel ran, and the call itself took %lld us. Does a question follow it that tells whether that kernel "
                   "still runs, cudaStreamQuery(a), and is its answer the one that stands in effect[k].host? If you measure with a clock, compare "
                   "with LONG_NS.",
                   (long long)(c->end - c->begin) / 1000);
    return why(f,
               "The call was tried while A's kernel ran. Does a question follow it that tells whether that kernel still runs, "
               "cudaStreamQuery(a), and is its answer the one that stands in effect[k].%s?",
               f->word);
}
