/* SPDX-License-Identifier: MIT */
#include "sim/api/api_call.h"
#include "sim/api/error_text.h"

/* These two are no calls that a timeline should show. */
const char *cudaGetErrorName(cudaError_t error)
{
    call_site_pop(thread_self());
    return error_name(error);
}

const char *cudaGetErrorString(cudaError_t error)
{
    call_site_pop(thread_self());
    return error_message(error);
}

/* What they give is what they saw; neither fails itself. A lost device shows in
 * what other calls return: each leaves its error here again (measured on an H200). */
static cudaError_t last_error(const char *name, bool clear)
{
    struct api_call e;
    api_open(&e, CALL_OTHER, name);
    e.asks_for_error = true;
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
