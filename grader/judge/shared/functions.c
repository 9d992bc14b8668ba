/* SPDX-License-Identifier: MIT */
/* functions.c - what functions that streams call must not do. */
#include <string.h>

#include "trace/record/memory.h"

#include "grader/check.h"

/* The function, a node, in which the first call of the selection is made that is `wanted` and made
 * in a function; ANY for none. In one pass: a program may ask its streams 100,000 times. */
static uint32_t first_in_function(const struct view *v, struct selection s,
                                  bool (*wanted)(const struct view *v, const struct call *c),
                                  size_t *call)
{
    const struct timeline *t = v->timeline;
    struct { uint32_t thread, function; } *in = NULL;      /* who is in a function just now */
    size_t count = 0, capacity = 0;
    uint32_t found = ANY;
    for (size_t i = 0; i < s.end_call && found == ANY; i++) {
        const struct call *c = &t->calls[i];
        size_t k = 0;
        while (k < count && in[k].thread != c->thread)
            k++;
        if (k < count && i >= s.first_call && wanted(v, c)) {
            found = in[k].function;
            *call = i;
        }
        bool begins = c->kind == CALL_FUNCTION_BEGIN;
        if ((begins || c->kind == CALL_FUNCTION_END) && k < count)
            in[k] = in[--count];
        if (begins && c->node < t->span_count) {
            MEMORY_GROW(in, count, capacity);
            in[count].thread = c->thread;
            in[count++].function = c->node;
        }
    }
    memory_resize(in, 0);
    return found;
}

/* Is it refused in a function, or one of the two that only ask for the last error? */
static bool is_not_for_functions(const struct view *v, const struct call *c)
{
    const char *name = timeline_string(v->timeline, c->name);
    return c->kind != CALL_REPORT
           && (c->status != 0
               || (c->kind == CALL_OTHER
                   && (strcmp(name, "cudaGetLastError") == 0
                       || strcmp(name, "cudaPeekAtLastError") == 0)));
}

bool judge_function_calls(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    size_t i;
    uint32_t function = first_in_function(v, in_part(v, part, 0), is_not_for_functions, &i);
    if (function == ANY)
        return true;
    const struct call *c = &t->calls[i];
    f->call = (uint32_t)i;
    expected(f, "a host function in a stream makes no CUDA call");
    if (c->status == 0) {
        seen(f, "%s() is called in the host function that line %u queued",
             timeline_string(t, c->name), call_of_node(v, function)->line);
        return why(f,
                   "No CUDA call is permitted in a host function, not even this one. It asks for an error of the calling thread, and "
                   "the driver's thread, in which host functions run, has made none of your calls. Take it out.");
    }
    seen(f,
         "this call is made in the host function that line %u queued: it returns error %d (cudaErrorNotPermitted) "
         "and does nothing",
         call_of_node(v, function)->line, (int)c->status);
    return why(f,
               "The stream stands still until the host function has returned, so a call there that waits for the stream "
               "would wait for itself. No CUDA call is permitted in it. Let the function wake a thread that makes the call, "
               "or queue the work after the function, in the stream.");
}
