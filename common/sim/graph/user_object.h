/* SPDX-License-Identifier: MIT */
/*
 * user_object.h - objects of the program's that graphs keep: each has a count of references, and a
 * function that destroys it.
 *
 * A graph that has references gives as many to what is cloned or instantiated from it, and gives
 * them back when it goes. An object with none left is destroyed when the launches that needed it
 * have ended: by the host, at the end of one of its calls. An H200 with driver 580.159.04 does it
 * after such a call has returned, from a thread of the driver's own (3 of 3 runs, after
 * cudaGraphExecDestroy and cudaStreamSynchronize). A call of the runtime is refused there with
 * cudaErrorNotPermitted, as it is here.
 */
#ifndef SIM_GRAPH_USER_OBJECT_H
#define SIM_GRAPH_USER_OBJECT_H

#include "sim/handles.h"
#include "sim/sim.h"

struct user_object {
    void *data;
    cudaHostFn_t destroy;
    void *handle;
    uint64_t references;
    uint32_t first, end; /* operations of the last launch of a graph that had some: from the first
                            to before the end */
    struct user_object *next;
};

/* That a graph has. */
struct user_references { struct user_object *object; uint64_t count; };
struct user_list { struct user_references *list; size_t count, capacity; };

extern struct handles user_objects;

struct user_object *user_object_new(void *data, cudaHostFn_t destroy, uint64_t references);
/* False: there are not as many. */
bool user_object_release(struct user_object *object, uint64_t count);

/* The graph's references; `take` is negative for those that it gives back. */
uint64_t user_list_has(const struct user_list *l, const struct user_object *object);
void user_list_add(struct user_list *l, struct user_object *object, int64_t take);
void user_list_copy(struct user_list *to, const struct user_list *from);
void user_list_drop(struct user_list *l);
/* A launch made these operations. */
void user_list_used(const struct user_list *l, uint32_t first, uint32_t end);

/* Destroys the objects without references whose launches have ended. The caller holds no lock: this
 * runs the program's functions. */
void user_objects_sweep(void);

#endif
