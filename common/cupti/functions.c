/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * When the driver is given a function to call on the host, ours goes in its
 * place: it calls the program's and notes when. One that a graph has runs once
 * for each launch: launches say beforehand which call is next.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

#include "trace/record/memory.h"

struct function {
    CUhostFn fn;
    CUstreamCallback callback;
    void *data;
    /* Calls whose function it is, and when it ran: in the same order, each. */
    size_t *expected;
    size_t expected_count, expected_capacity;
    struct call *ran;
    size_t ran_count, ran_capacity;
};

static struct function **functions;
static size_t function_count, function_capacity;

static void expect(struct function *f, size_t number)
{
    MEMORY_GROW(f->expected, f->expected_count, f->expected_capacity);
    f->expected[f->expected_count++] = number;
}

static struct function *wrap_function(CUhostFn fn, CUstreamCallback callback, void *data)
{
    struct function *f = memory_resize(NULL, sizeof *f);
    *f = (struct function){ .fn = fn, .callback = callback, .data = data };
    MEMORY_GROW(functions, function_count, function_capacity);
    functions[function_count++] = f;
    if (call_current != NO_CALL)
        expect(f, call_current);
    return f;
}

static void ran(struct function *f, int64_t begin)
{
    struct call c = { .kind = CALL_RAN, .begin = begin, .end = record_now(), .node = NO_NODE };
    pthread_mutex_lock(&record_lock);
    c.thread = record_thread();
    MEMORY_GROW(f->ran, f->ran_count, f->ran_capacity);
    f->ran[f->ran_count++] = c;
    pthread_mutex_unlock(&record_lock);
}

void functions_finish(void)
{
    for (size_t i = 0; i < function_count; i++) {
        struct function *f = functions[i];
        for (size_t k = 0; k < f->ran_count && k < f->expected_count; k++) {
            f->ran[k].src = f->expected[k];
            record_ran(&f->ran[k]);
        }
    }
}

static void CUDA_CB trampoline(void *data)
{
    struct function *f = data;
    int64_t begin = record_now();
    f->fn(f->data);
    ran(f, begin);
}

static void CUDA_CB callback_trampoline(CUstream stream, CUresult status, void *data)
{
    struct function *f = data;
    int64_t begin = record_now();
    f->callback(stream, status, f->data);
    ran(f, begin);
}

static CUDA_HOST_NODE_PARAMS *replace(const CUDA_HOST_NODE_PARAMS *params)
{
    static __thread CUDA_HOST_NODE_PARAMS ours;     /* the driver copies it */
    ours = *params;
    ours.userData = wrap_function(params->fn, NULL, params->userData);
    ours.fn = trampoline;
    return &ours;
}

/* What the parameters point to is the driver's copy of its arguments: it takes them from there when
 * we return. */
void function_entered(const CUpti_CallbackData *data, CUpti_CallbackId id)
{
    (void)id;
    if (record_busy || !record_active())
        return;
    pthread_mutex_lock(&record_lock);
    if (strncmp(data->functionName, "cuLaunchHostFunc", 16) == 0) {
        cuLaunchHostFunc_params *p = (cuLaunchHostFunc_params *)data->functionParams;
        p->userData = wrap_function(p->fn, NULL, p->userData);
        p->fn = trampoline;
    } else if (strncmp(data->functionName, "cuStreamAddCallback", 19) == 0) {
        cuStreamAddCallback_params *p = (cuStreamAddCallback_params *)data->functionParams;
        p->userData = wrap_function(NULL, p->callback, p->userData);
        p->callback = callback_trampoline;
    } else if (strcmp(data->functionName, "cuGraphAddHostNode") == 0) {
        cuGraphAddHostNode_params *p = (cuGraphAddHostNode_params *)data->functionParams;
        p->nodeParams = replace(p->nodeParams);
    }
    pthread_mutex_unlock(&record_lock);
}

void function_expect(void *user_data, CUhostFn fn, size_t number)
{
    struct function *f = user_data;
    if (fn != trampoline)
        return;
    expect(f, number);
}
