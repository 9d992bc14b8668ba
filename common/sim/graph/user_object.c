/* SPDX-License-Identifier: MIT */
#include "sim/graph/user_object.h"

#include "trace/record/memory.h"

struct handles user_objects = { .first = 8 };

static struct user_object *all;
static size_t without;          /* how many have no references any more */

struct user_object *user_object_new(void *data, cudaHostFn_t destroy, uint64_t references)
{
    struct user_object *object = memory_resize(NULL, sizeof *object);
    *object = (struct user_object){
        .data = data, .destroy = destroy, .references = references, .next = all
    };
    object->handle = handle_give(&user_objects, object);
    return all = object;
}

bool user_object_release(struct user_object *object, uint64_t count)
{
    if (object->references < count)
        return false;
    object->references -= count;
    if (object->references == 0) {
        handle_take_back(&user_objects, object->handle);
        without++;
    }
    return true;
}

uint64_t user_list_has(const struct user_list *l, const struct user_object *object)
{
    uint64_t has = 0;
    for (size_t i = 0; i < l->count; i++)
        has += l->list[i].object == object ? l->list[i].count : 0;
    return has;
}

void user_list_add(struct user_list *l, struct user_object *object, int64_t take)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->list[i].object == object) {
            l->list[i].count += (uint64_t)take;
            return;
        }
    MEMORY_GROW(l->list, l->count, l->capacity);
    l->list[l->count++] = (struct user_references){ object, (uint64_t)take };
}

void user_list_copy(struct user_list *to, const struct user_list *from)
{
    for (size_t i = 0; i < from->count; i++) {
        from->list[i].object->references += from->list[i].count;
        user_list_add(to, from->list[i].object, (int64_t)from->list[i].count);
    }
}

void user_list_drop(struct user_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->list[i].count > 0)
            user_object_release(l->list[i].object, l->list[i].count);
    memory_resize(l->list, 0);
    *l = (struct user_list){ 0 };
}

void user_list_used(const struct user_list *l, uint32_t first, uint32_t end)
{
    for (size_t i = 0; i < l->count; i++) {
        l->list[i].object->first = first;
        l->list[i].object->end = end;
    }
}

static bool is_used(const struct user_object *object)
{
    uint32_t node = object->first;
    while (node < object->end && sim.timeline.spans[node].end != TIME_NEVER)
        node++;
    return node < object->end && sim.sticky == cudaSuccess;
}

/* One that is to be destroyed, out of the list; NULL: there is none. */
static struct user_object *next_to_go(void)
{
    for (struct user_object **link = &all; without > 0 && *link; link = &(*link)->next) {
        struct user_object *object = *link;
        if (object->references > 0 || is_used(object))
            continue;
        *link = object->next;
        without--;
        return object;
    }
    return NULL;
}

void user_objects_sweep(void)
{
    struct thread *self = thread_self();
    if (without == 0 || self->destroys)
        return;
    for (struct user_object *object; (object = next_to_go());) {
        self->destroys = true;
        object->destroy(object->data);
        self->destroys = false;
        memory_resize(object, 0);
    }
}
