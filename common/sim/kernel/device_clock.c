/* SPDX-License-Identifier: MIT */
#include "sim/kernel/device_clock.h"

#include <stdbool.h>

#include "sim/host/wall_clock.h"
#include "sim/include/detail/sim_clock.h"
#include "sim/kernel/block.h"
#include "sim/fiber/fiber.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"
#include "sim/kernel/spin.h"
#include "sim/kernel/step.h"
#include "sim/kernel/warp.h"
#include "sim/stream_table.h"

enum { DEVICE_POLL_NS = 10, EVEN_POLLS = 64, SHARE = 256 };
/* No kernel takes so long: it waits for what never comes. */
static const int64_t ENDLESS = INT64_C(1000000000000);

static int64_t began;           /* the kernel, or what was left of it */
static bool said;               /* one of its threads has called kernel_busy */

void device_clock_begin(int64_t time)
{
    began = time;
    block->spent = 0;
    marks_clear(block);
}

int64_t device_clock_spent(void)
{
    return block->spent;
}

void device_clock_block(void)
{
    block->polls = false;
}

static inline __attribute__((always_inline)) struct device_thread *thread_of(unsigned number)
{
    struct device_thread *s = &block->threads[number];
    if (s->round != block->round) {
        s->round = block->round;
        s->elapsed = s->polling_since = 0;
        s->polls = 0;
    }
    return s;
}

static struct device_thread *this_thread(void)
{
    return thread_of(block_thread());
}

static _Noreturn void has_no_end(const struct device_thread *s)
{
    print_wrong(
        "%s: thread (%u,%u,%u) of block (%u,%u,%u) has waited for %lld s of the device's time\n",
        block->effect->kernel.name, threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x, blockIdx.y,
        blockIdx.z, (long long)(s->elapsed / 1000000000));
    kernel_fail(cudaErrorLaunchTimeout);
}

static inline __attribute__((always_inline)) void pass(struct device_thread *s, int64_t ns)
{
    struct block *b = block;
    b->polls = true;
    s->elapsed += ns;
    if (s->elapsed > b->spent)
        b->spent = s->elapsed;
    if (s->elapsed >= ENDLESS)
        has_no_end(s);
}

static inline __attribute__((always_inline)) int64_t look_at_device_clock(const char *name,
                                                                          const uintptr_t *state)
{
    if (!kernel_runs())
        kernel_misused(name);
    const unsigned number = block_thread();
    struct device_thread *s = thread_of(number);
    s->polled = true;
    spin_poll(s, number, began, state);
    const int64_t share = (s->elapsed - s->polling_since) / SHARE;
    pass(s, ++s->polls > EVEN_POLLS && share > DEVICE_POLL_NS ? share : DEVICE_POLL_NS);
    return began + s->elapsed;
}

void device_clock_meet(void)
{
    if (!block->polls)
        return;
    int64_t latest = 0;
    for (unsigned i = 0; i < block->count; i++)
        if (block->threads[i].round == block->round && block->threads[i].elapsed > latest)
            latest = block->threads[i].elapsed;
    for (unsigned i = 0; i < block->count; i++) {
        struct device_thread *s = &block->threads[i];
        s->round = block->round;
        s->elapsed = s->polling_since = latest;
        s->polls = 0;
    }
}

int64_t device_clock_elapsed(void)
{
    return this_thread()->elapsed;
}

void device_clock_part(void)
{
    block->spent = 0;
    for (unsigned i = 0; i < block->count; i++) {
        struct device_thread *s = &block->threads[i];
        s->round = block->round;
        s->elapsed = s->polling_since = 0;
        s->polls = 0;
    }
}

void device_clock_catch_up(void)
{
    struct device_thread *own = this_thread();
    for (unsigned i = 0; i < block->count; i++)
        if (block->threads[i].round == block->round && block->threads[i].elapsed > own->elapsed)
            own->elapsed = own->polling_since = block->threads[i].elapsed;
    own->polls = 0;
}

/* ---- from kernels ---- */

static inline __attribute__((always_inline)) int64_t cycles(const char *name,
                                                            const uintptr_t *state)
{
    return cycles_of(look_at_device_clock(name, state));
}

int64_t device_clock_cycles(void)
{
    return cycles("clock", SPIN_STATE);
}

long long clock64(void)
{
    return cycles("clock64", SPIN_STATE);
}

/* Others of the block may go on meanwhile. */
void __nanosleep(unsigned ns)
{
    if (!kernel_runs())
        kernel_misused("__nanosleep");
    struct device_thread *s = this_thread();
    pass(s, ns > 0 ? ns : 1);
    s->polling_since = s->elapsed;
    s->polls = 0;
    if (block->count == 1)
        return;
    block_stop("__nanosleep");
    device_thread_moves(block->running, DEVICE_THREAD_READY, DEVICE_THREAD_RESTS);
    step_stops(s, SPIN_STATE, 1, __builtin_return_address(0));
    fiber_stop();
}

VISIBLE void sim_kernel_busy(long long ns)
{
    if (!kernel_runs())
        return;
    struct device_thread *s = this_thread();
    pass(s, ns > 0 ? ns : 0);
    s->polling_since = s->elapsed;
    s->polls = 0;
    __atomic_store_n(&said, true, __ATOMIC_RELAXED);
}

bool device_clock_take_said(void)
{
    return __atomic_exchange_n(&said, false, __ATOMIC_RELAXED);
}

unsigned long long sim_register_globaltimer(void)
{
    return (unsigned long long)(WALL_CLOCK_BEGIN + look_at_device_clock("globaltimer", SPIN_STATE));
}

long long sim_register_clock64(void)
{
    return cycles("clock64", SPIN_STATE);
}

unsigned sim_register_clock(void)
{
    return (unsigned)cycles("clock", SPIN_STATE);
}

unsigned sim_register_laneid(void)
{
    return block_thread() % WARP;
}

unsigned sim_register_warpid(void)
{
    return block_thread() / WARP;
}

/* Blocks go round the multiprocessors that their stream has; those of a graph's node, which the
 * stream has where it was captured. */
unsigned sim_register_smid(void)
{
    uint64_t number =
        blockIdx.x + (uint64_t)gridDim.x * (blockIdx.y + (uint64_t)gridDim.y * blockIdx.z);
    const struct span *s = &sim.timeline.spans[sim.kernel_now];
    const struct call *c = &sim.timeline.calls[s->call];
    if (c->flags & GRAPH_NODE && c->dst_device == 0)
        return (unsigned)(number % (uint64_t)sim.card->sms);
    uint32_t stream = c->flags & GRAPH_NODE ? c->dst_device - 1 : s->stream;
    return stream_sm(stream, number % stream_sms(stream));
}

unsigned sim_register_nsmid(void)
{
    return (unsigned)sim.card->sms;
}
