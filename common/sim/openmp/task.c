/* SPDX-License-Identifier: MIT */
/* Tasks: each is carried out where it stands. */
#include "sim/openmp/openmp.h"

#include <string.h>

#include "trace/record/memory.h"

static void *aligned_arguments(char *room, long align)
{
    return (void *)(((uintptr_t)room + (uintptr_t)align - 1) / (uintptr_t)align * (uintptr_t)align);
}

/* A task's own copy of what it was given; to be freed by memory_resize. */
static char *copy_arguments(void **arguments, void *data, void (*copy)(void *, void *), long bytes,
                            long align)
{
    char *room = memory_resize(NULL, (size_t)(bytes + align + 1));
    *arguments = aligned_arguments(room, align > 0 ? align : 1);
    if (copy)
        copy(*arguments, data);
    else
        memcpy(*arguments, data, (size_t)bytes);
    return room;
}

OPENMP void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *),
                      long bytes, long align, bool deferred, unsigned flags, void **depends,
                      int priority, void *detach)
{
    (void)deferred, (void)flags, (void)depends, (void)priority, (void)detach;
    void *arguments;
    char *room = copy_arguments(&arguments, data, copy, bytes, align);
    function(arguments);
    memory_resize(room, 0);
}

/* The bounds are the first two of a task's arguments. */
#define TASKLOOP(name, type) \
    OPENMP void name(void (*function)(void *), void *data, void (*copy)(void *, void *), long bytes, long align, unsigned flags, \
                     unsigned long tasks, int priority, type start, type end, type step) \
    { \
        (void)tasks, (void)priority, (void)step; \
        enum { REDUCTION = 1 << 12 }; \
        if (flags & REDUCTION) \
            openmp_unsupported("reductions of tasks"); \
        if (start == end) \
            return; \
        void *arguments; \
        char *room = copy_arguments(&arguments, data, copy, bytes, align); \
        ((type *)arguments)[0] = start; \
        ((type *)arguments)[1] = end; \
        function(arguments); \
        memory_resize(room, 0); \
    }
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

OPENMP void GOMP_taskwait(void) {}
OPENMP void GOMP_taskwait_depend(void **depends) { (void)depends; }
OPENMP void GOMP_taskyield(void) { scheduler_yield("taskyield"); }
OPENMP void GOMP_taskgroup_start(void) {}
OPENMP void GOMP_taskgroup_end(void) {}
