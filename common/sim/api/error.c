/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "sim/api/api_call.h"

static const struct { cudaError_t error; const char *name, *message; } errors[] = {
#define SIM_ERROR(name, number, message) { name, #name, message },
#include "sim/include/detail/sim_errors.h"
#undef SIM_ERROR
};

enum { ERRORS = sizeof errors / sizeof errors[0] };

static size_t find_error(cudaError_t error)
{
    size_t i = 0;
    while (i < ERRORS && errors[i].error != error)
        i++;
    return i;
}

const char *error_name(cudaError_t error)
{
    size_t i = find_error(error);
    return i < ERRORS ? errors[i].name : "unrecognized error code";
}

/* These two are no calls that a timeline should show. */
const char *cudaGetErrorName(cudaError_t error)
{
    call_site_pop(thread_self());
    return error_name(error);
}

const char *cudaGetErrorString(cudaError_t error)
{
    call_site_pop(thread_self());
    size_t i = find_error(error);
    return i < ERRORS ? errors[i].message : "unrecognized error code";
}

/* What they give is what they saw; neither fails itself. A lost device shows in
 * what other calls return: each leaves its error here again (measured on an H200). */
static cudaError_t last_error(const char *name, bool clear)
{
    struct api_call e;
    api_open(&e, CALL_OTHER, name);
    cudaError_t seen = e.thread->last;
    api_make(&e, cudaSuccess, NULL);
    api_close(&e, cudaSuccess);
    if (seen != cudaSuccess && !e.thread->site.unread)
        api_asked();
    if (clear)
        e.thread->last = cudaSuccess;
    return seen;
}

cudaError_t cudaGetLastError(void)
{
    return last_error("cudaGetLastError", true);
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error("cudaPeekAtLastError", false);
}
