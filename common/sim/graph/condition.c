/* SPDX-License-Identifier: MIT */
#include "sim/graph/condition.h"

#include "sim/call_log.h"
#include "sim/include/detail/sim_device_runtime.h"
#include "sim/kernel/block.h"
#include "sim/kernel/kernel.h"
#include "sim/race/access_place.h"
#include "sim/race/rounds.h"
#include "trace/record/memory.h"

/* ---- values ---- */

static struct { struct condition **list; size_t count, capacity; } conditions;

cudaGraphConditionalHandle condition_new(const struct graph *graph, unsigned initial, bool assigned)
{
    struct condition *c = memory_resize(NULL, sizeof *c);
    *c = (struct condition){
        .value = initial, .initial = initial, .assigned = assigned, .graph = graph,
        .handle = conditions.count + 1
    };
    conditions.list = memory_grow(conditions.list, conditions.count, &conditions.capacity,
                                  sizeof *conditions.list);
    conditions.list[conditions.count++] = c;
    return conditions.count;
}

struct condition *condition_find(cudaGraphConditionalHandle handle)
{
    return handle >= 1 && handle <= conditions.count ? conditions.list[handle - 1] : NULL;
}

/* The kernel that set a value last since a conditional node began: of whichever handle. */
static const char *set_last;

void sim_graph_set_conditional(cudaGraphConditionalHandle handle, unsigned int value)
{
    struct condition *c = condition_find(handle);
    if (!kernel_runs())
        kernel_misused("cudaGraphSetConditional");
    if (!c)
        kernel_fail(cudaErrorInvalidValue);
    __atomic_store_n(&c->value, value, __ATOMIC_RELAXED);
    access_condition_set(handle, __builtin_return_address(0));
    __atomic_store_n(&c->set_by, block->effect->kernel.name, __ATOMIC_RELAXED);
    __atomic_store_n(&set_last, block->effect->kernel.name, __ATOMIC_RELAXED);
}

/* ---- bodies ---- */

struct bodies *bodies_new(struct condition *condition, enum cudaGraphConditionalNodeType type,
                          size_t count)
{
    struct bodies *b = memory_resize(NULL, sizeof *b);
    *b = (struct bodies){ condition, type, count, memory_resize(NULL, count * sizeof *b->graphs),
                          memory_resize(NULL, count * sizeof *b->handles) };
    for (size_t i = 0; i < count; i++) {
        b->graphs[i] = graph_new(false);
        b->graphs[i]->is_body = true;
        b->handles[i] = handle_give(&graphs, b->graphs[i]);
    }
    return b;
}

void bodies_free(struct bodies *b)
{
    for (size_t i = 0; b && i < b->count; i++) {
        handle_take_back(&graphs, b->handles[i]);
        graph_free(b->graphs[i]);
    }
    if (b) {
        memory_resize(b->graphs, 0);
        memory_resize(b->handles, 0);
    }
    memory_resize(b, 0);
}

bool graph_has_condition(const struct graph *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i]->bodies)
            return true;
    return false;
}

bool graph_is_body(const struct graph *g)
{
    return g->is_body;
}

/* ---- what a node does ---- */

/* The nodes of a body, in order: what each does (NULL: nothing). */
struct steps { struct effect **list; size_t count; struct round_steps ranges; };

/* A node as it runs. Launches of an executable graph wait for each other: they can share it. */
struct conditional {
    struct condition *condition;
    enum cudaGraphConditionalNodeType type;
    size_t count;
    struct steps *bodies;
    /* Where it stands: in this body, before this step of it, or within it; over: no body is chosen
     * again. */
    struct steps *body;
    size_t at;
    bool begun, over;
    unsigned rounds;            /* that the launch under way has begun */
};

/* A While that has had this many rounds is taken for endless: on a card it would be. Where work is
 * judged that has to come well before the time is up, on a busy machine, too. */
enum { ROUNDS_MAX = 100000, ROUNDS_JUDGED = 4000 };

static void conditional_drop(void *closure)
{
    struct conditional *c = closure;
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; k < c->bodies[i].count; k++)
            effect_drop(c->bodies[i].list[k]);
        memory_resize(c->bodies[i].list, 0);
        round_steps_free(&c->bodies[i].ranges);
    }
    memory_resize(c->bodies, 0);
    memory_resize(c, 0);
}

/* The body that the value chooses now; NULL: none. */
static struct steps *choose(const struct conditional *c)
{
    size_t value = c->condition->value, body = value;
    if (c->type == cudaGraphCondTypeIf)
        body = value != 0 ? 0 : 1;
    if (c->type == cudaGraphCondTypeWhile)
        body = value != 0 ? 0 : c->count;
    return body < c->count ? &c->bodies[body] : NULL;
}

static struct steps *next_round(struct conditional *c)
{
    struct steps *body = c->over ? NULL : choose(c);
    if (!c->over)
        access_condition_read(c->condition->handle);
    if (c->rounds == 0)
        set_last = NULL;
    if (body && c->rounds++ == (call_log_is_authenticated() ? ROUNDS_JUDGED : ROUNDS_MAX))
        kernel_fault_as(sim.kernel_now, 0, cudaErrorLaunchTimeout,
                        words_of_endless(sim.kernel_now, c->rounds - 1, c->condition->value,
                                         c->condition->set_by, set_last, body->count == 0));
    return body;
}

/* The next kernel of this step; NULL: it is over. */
static struct effect *kernel_of(struct conditional *c, struct effect *step)
{
    bool begins = !c->begun;
    c->begun = true;
    if (begins)
        round_step_begins(&c->body->ranges, c->at);
    if (step && step->kind == EFFECT_KERNEL)
        return step->next ? step->next(step->kernel.closure) : begins ? step : NULL;
    if (step)
        effect_now(step, sim.kernel_now);
    return NULL;
}

static struct effect *next_kernel(void *closure)
{
    struct conditional *c = closure;
    while (sim.sticky == cudaSuccess && (c->body || (c->body = next_round(c)))) {
        while (c->at < c->body->count && sim.sticky == cudaSuccess) {
            struct effect *kernel = kernel_of(c, c->body->list[c->at]);
            if (kernel)
                return kernel;
            round_step_ends(&c->body->ranges, c->at++);
            c->begun = false;
        }
        c->body = NULL;
        c->at = 0;
        c->over = c->type != cudaGraphCondTypeWhile;
    }
    c->over = false;
    c->rounds = 0;
    c->condition->set_by = NULL;
    if (c->condition->assigned)
        c->condition->value = c->condition->initial;
    return NULL;
}

/* Never called: what such a node does is next_kernel's to say. */
static void no_block(void *closure, unsigned int first)
{
    (void)closure;
    (void)first;
}

/* False: some nodes wait for one another in a circle. */
static bool take_steps(const struct graph *body, struct steps *steps)
{
    struct graph *sorted = graph_copy(body, true);
    *steps = (struct steps){ 0 };
    if (!sorted)
        return false;
    steps->list = memory_resize(NULL, (sorted->count + 1) * sizeof *steps->list);
    for (size_t i = 0; i < sorted->count; i++) {
        const struct graph_node *node = sorted->nodes[i];
        struct effect *effect = node->effect ? effect_share(node->effect) : NULL;
        round_steps_add(&steps->ranges, &node->call);
        for (size_t k = 0; k < node->after_count; k++)
            round_step_waits(&steps->ranges, node->after[k].node,
                             effect && !effect->next ? node->after[k].port : 0);
        if (effect)
            effect->early = steps->ranges.list[i].early;
        steps->list[steps->count++] = effect;
    }
    round_steps_end(&steps->ranges);
    graph_free(sorted);
    return true;
}

struct effect *bodies_effect(const struct bodies *b)
{
    struct conditional *c = memory_resize(NULL, sizeof *c);
    *c = (struct conditional){ .condition = b->condition, .type = b->type, .count = b->count,
                               .bodies = memory_resize(NULL, b->count * sizeof *c->bodies) };
    bool sorted = true;
    for (size_t i = 0; i < b->count; i++)
        sorted = take_steps(b->graphs[i], &c->bodies[i]) && sorted;
    if (!sorted) {
        conditional_drop(c);
        return NULL;
    }
    return effect_new(&(struct effect){
        .kind = EFFECT_KERNEL, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .next = next_kernel,
        .kernel = { .name = "conditional node", .closure = c, .block = no_block,
                    .drop = conditional_drop },
    });
}
