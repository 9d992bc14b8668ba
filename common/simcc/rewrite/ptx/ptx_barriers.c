/* SPDX-License-Identifier: MIT */
/* The barriers of a block by their numbers: bar.sync 1, 64; the warp's; the cluster's. Fences, and
 * what holds a thread up or ends it. */
#include "simcc/rewrite/ptx/ptx.h"

#include <stdio.h>
#include <string.h>

static bool opens(const struct ptx *p, const char *what)
{
    char with[3][40];
    snprintf(with[0], sizeof *with, "bar.%s", what);
    snprintf(with[1], sizeof *with, "barrier.%s", what);
    snprintf(with[2], sizeof *with, "barrier.cta.%s", what);
    return ptx_begins(p->opcode, with[0]) || ptx_begins(p->opcode, with[1])
           || ptx_begins(p->opcode, with[2]);
}

/* Number 0 with no number of threads is __syncthreads. */
static bool by_number(const struct ptx *p, bool waits, char *out, size_t size)
{
    char number[PTX_LENGTH], threads[PTX_LENGTH] = "0";
    if (p->given_count < 1 || p->given_count > 2
        || !ptx_operand(p, p->given[0], number, sizeof number)
        || (p->given_count == 2 && !ptx_operand(p, p->given[1], threads, sizeof threads)))
        return false;
    if (waits && p->given_count == 1 && strcmp(p->given[0], "0") == 0)
        return snprintf(out, size, "::__syncthreads()") > 0;
    return snprintf(out, size, "::sim_named_barrier(%s,%s,%d,__builtin_FILE(),__builtin_LINE())",
                    number, threads, waits)
           < (int)size;
}

static bool barrier(const struct ptx *p, char *out, size_t size)
{
    char mask[PTX_LENGTH];
    if (ptx_begins(p->opcode, "bar.warp.sync"))
        return p->given_count == 1 && ptx_operand(p, p->given[0], mask, sizeof mask)
               && snprintf(out, size, "::__syncwarp(%s)", mask) < (int)size;
    if (ptx_begins(p->opcode,
                   "barrier.cluster.arrive"))     /* the wait that follows is the whole barrier */
        return snprintf(out, size, "((void)0)") > 0;
    if (ptx_begins(p->opcode, "barrier.cluster.wait"))
        return snprintf(out, size, "::sim_cluster_barrier(__builtin_FILE(),__builtin_LINE())") > 0;
    return (opens(p, "sync") && by_number(p, true, out, size))
           || (opens(p, "arrive") && p->given_count == 2 && by_number(p, false, out, size));
}

bool ptx_order(const struct ptx *p, char *out, size_t size)
{
    static const char *const none[] = { "prefetch", "prefetchu", "discard", "applypriority",
                                        "pmevent" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (ptx_begins(p->opcode, none[i]))
            return snprintf(out, size, "((void)0)") > 0;
    char value[PTX_LENGTH];
    if (ptx_begins(p->opcode, "griddepcontrol.wait"))
        return snprintf(out, size, "::sim_grid_dependency_synchronize()") > 0;
    if (ptx_begins(p->opcode, "griddepcontrol.launch_dependents"))
        return snprintf(out, size, "::sim_trigger_launch_completion()") > 0;
    if (ptx_begins(p->opcode, "membar") || ptx_begins(p->opcode, "fence"))
        return snprintf(out, size, "::__threadfence()") > 0;
    if (barrier(p, out, size))
        return true;
    if (strcmp(p->opcode, "trap") == 0 && p->given_count == 0)
        return snprintf(out, size, "::__trap()") > 0;
    if (strcmp(p->opcode, "brkpt") == 0 && p->given_count == 0)
        return snprintf(out, size, "::__brkpt()") > 0;
    if (ptx_begins(p->opcode, "nanosleep") && p->given_count == 1
        && ptx_operand(p, p->given[0], value, sizeof value))
        return snprintf(out, size, "::__nanosleep(%s)", value) < (int)size;
    return false;
}
