/* SPDX-License-Identifier: MIT */
/* What the simulator does not have of OpenMP: a program that calls it ends, and is told what. */
#include "sim/openmp/openmp.h"

void openmp_unsupported(const char *what)
{
    sim_trouble(
        "OpenMP: the simulator does not have %s (parallel, for, sections, single, critical, ordered, task and taskloop are there)",
        what);
}

#define UNSUPPORTED(name, what) OPENMP void name(void) { openmp_unsupported(what); }
UNSUPPORTED(GOMP_target, "target")
UNSUPPORTED(GOMP_target_ext, "target")
UNSUPPORTED(GOMP_target_data, "target")
UNSUPPORTED(GOMP_target_data_ext, "target")
UNSUPPORTED(GOMP_target_update, "target")
UNSUPPORTED(GOMP_target_update_ext, "target")
UNSUPPORTED(GOMP_target_enter_exit_data, "target")
UNSUPPORTED(GOMP_teams, "teams")
UNSUPPORTED(GOMP_teams4, "teams")
UNSUPPORTED(GOMP_teams_reg, "teams")
UNSUPPORTED(GOMP_cancel, "cancellation")
UNSUPPORTED(GOMP_cancellation_point, "cancellation")
UNSUPPORTED(GOMP_barrier_cancel, "cancellation") UNSUPPORTED(GOMP_loop_end_cancel, "cancellation")
UNSUPPORTED(GOMP_sections_end_cancel, "cancellation")
UNSUPPORTED(GOMP_doacross_post, "doacross loops")
UNSUPPORTED(GOMP_doacross_wait, "doacross loops")
UNSUPPORTED(GOMP_doacross_ull_post, "doacross loops")
UNSUPPORTED(GOMP_doacross_ull_wait, "doacross loops")
UNSUPPORTED(GOMP_loop_doacross_static_start, "doacross loops")
UNSUPPORTED(GOMP_loop_doacross_dynamic_start, "doacross loops")
UNSUPPORTED(GOMP_loop_doacross_guided_start, "doacross loops")
UNSUPPORTED(GOMP_loop_doacross_runtime_start, "doacross loops")
UNSUPPORTED(GOMP_loop_doacross_start, "doacross loops")
UNSUPPORTED(GOMP_loop_ull_doacross_static_start, "doacross loops")
UNSUPPORTED(GOMP_loop_ull_doacross_dynamic_start, "doacross loops")
UNSUPPORTED(GOMP_loop_ull_doacross_guided_start, "doacross loops")
UNSUPPORTED(GOMP_loop_ull_doacross_runtime_start, "doacross loops")
UNSUPPORTED(GOMP_loop_ull_doacross_start, "doacross loops")
UNSUPPORTED(GOMP_loop_start, "reductions of tasks")
UNSUPPORTED(GOMP_loop_ull_start, "reductions of tasks")
UNSUPPORTED(GOMP_loop_ordered_start, "reductions of tasks")
UNSUPPORTED(GOMP_loop_ull_ordered_start, "reductions of tasks")
UNSUPPORTED(GOMP_sections2_start, "reductions of tasks")
UNSUPPORTED(GOMP_parallel_reductions, "reductions of tasks") UNSUPPORTED(GOMP_scope_start, "scope")
UNSUPPORTED(GOMP_taskgroup_reduction_register, "reductions of tasks")
UNSUPPORTED(GOMP_taskgroup_reduction_unregister, "reductions of tasks")
UNSUPPORTED(GOMP_task_reduction_remap, "reductions of tasks")
UNSUPPORTED(GOMP_workshare_task_reduction_unregister, "reductions of tasks")
