/* SPDX-License-Identifier: MIT */
/* Objects of the program's, counted, which graphs keep. */
#include "sim/graph/user_object.h"
#include "sim/api/graph/graph_parts.h"

static cudaError_t refuse_no_object(struct api_call *e, cudaError_t status,
                                    const struct user_object *object, cudaUserObject_t handle)
{
    return REFUSE(e, status, !object, cudaErrorInvalidValue, "the user object is not valid: %s",
                  words_of_handle(&user_objects, handle, "cudaUserObjectRelease").text);
}

static cudaError_t refuse_count(struct api_call *e, cudaError_t status, unsigned count)
{
    return REFUSE(e, status, count == 0 || count > INT32_MAX, cudaErrorInvalidValue,
                  "the number of references, count, is %u", count);
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy,
                                 unsigned int count, unsigned int flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaUserObjectCreate");
    status = refuse_null(&e, status, object, "first argument, object_out");
    status =
        REFUSE(&e, status, !destroy, cudaErrorInvalidValue, "the third argument, destroy, is NULL");
    status = REFUSE(&e, status, flags != cudaUserObjectNoDestructorSync, cudaErrorInvalidValue,
                    "the fifth argument, flags, is %#x and must be cudaUserObjectNoDestructorSync",
                    flags);
    status = refuse_count(&e, status, count);
    if (status == cudaSuccess)
        *object = user_object_new(data, destroy, count)->handle;
    return api_finish(&e, status);
}

static cudaError_t find_object(struct api_call *e, cudaError_t status, cudaUserObject_t handle,
                               unsigned count, struct user_object **object)
{
    *object = handle_find(&user_objects, handle);
    return refuse_count(e, refuse_no_object(e, status, *object, handle), count);
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned int count)
{
    struct api_call e;
    struct user_object *object;
    cudaError_t status =
        find_object(&e, api_open(&e, CALL_OTHER, "cudaUserObjectRetain"), handle, count, &object);
    if (status == cudaSuccess)
        object->references += count;
    return api_finish(&e, status);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned int count)
{
    struct api_call e;
    struct user_object *object;
    cudaError_t status =
        find_object(&e, api_open(&e, CALL_OTHER, "cudaUserObjectRelease"), handle, count, &object);
    status = REFUSE(&e, status, !user_object_release(object, count), cudaErrorInvalidValue,
                    "the object does not have %u references", count);
    return api_finish(&e, status);
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t handle,
                                      unsigned int count, unsigned int flags)
{
    struct api_call e;
    struct graph *g;
    struct user_object *object;
    cudaError_t status = find_object(&e, graph_open(&e, "cudaGraphRetainUserObject", graph, &g),
                                     handle, count, &object);
    status = REFUSE(&e, status, flags & ~(unsigned)cudaGraphUserObjectMove, cudaErrorInvalidValue,
                    "the fourth argument, flags, is %#x", flags);
    status = REFUSE(&e, status, flags && object->references < count, cudaErrorInvalidValue,
                    "the object does not have %u references", count);
    if (status == cudaSuccess) {
        object->references += flags ? 0 : count;
        user_list_add(&g->user, object, count);
    }
    return api_finish(&e, status);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t handle,
                                       unsigned int count)
{
    struct api_call e;
    struct graph *g;
    struct user_object *object;
    cudaError_t status = find_object(&e, graph_open(&e, "cudaGraphReleaseUserObject", graph, &g),
                                     handle, count, &object);
    status = REFUSE(&e, status, user_list_has(&g->user, object) < count, cudaErrorInvalidValue,
                    "the graph does not have %u references", count);
    if (status == cudaSuccess) {
        user_list_add(&g->user, object, -(int64_t)count);
        user_object_release(object, count);
    }
    return api_finish(&e, status);
}
