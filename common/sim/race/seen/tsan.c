/* SPDX-License-Identifier: MIT */
/* The functions that g++ -fsanitize=thread calls at each load, store and atomic operation. */
#include "sim/race/seen/access_seen.h"

#include <string.h>

#include "sim/memory/allocation.h"
#include "sim/race/seen/exchange_seen.h"
#include "sim/race/seen/look.h"
#include "sim/race/seen/open_run.h"
#include "sim/race/seen/reach.h"

#define HERE __builtin_return_address(0)

bool access_is_instrumented;

#pragma GCC visibility push(default)

void __tsan_init(void)
{
    access_is_instrumented = true;
}

void __tsan_vptr_update(void **at, void *value)
{
    (void)value;
    see(at, sizeof *at, true, false, HERE);
}

void __tsan_vptr_read(void **at)
{
    see(at, sizeof *at, false, false, HERE);
}

void __tsan_read_range(void *at, size_t bytes)
{
    see(at, bytes, false, false, HERE);
}

void __tsan_write_range(void *at, size_t bytes)
{
    see(at, bytes, true, false, HERE);
}

#define PLAIN(size) \
    SEEN void __tsan_read##size(void *at) { see_plain(at, size, false, HERE); } \
    SEEN void __tsan_write##size(void *at) { see_plain(at, size, true, HERE); } \
    SEEN void __tsan_unaligned_read##size(void *at) { see(at, size, false, false, HERE); } \
    SEEN void __tsan_unaligned_write##size(void *at) { see(at, size, true, false, HERE); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

static SEEN void tells(const volatile void *at)
{
    exchange_seen_orders();
    if (access_flags.tells && !reach_asked && allocation_is_common((uintptr_t)at))
        access_flags.tells(at);
    if (access_meets.tells)
        access_meets.tells(at);
}

static SEEN inline __attribute__((always_inline)) void hears_kernel(const volatile void *at)
{
    if (__builtin_expect(exchange_seen_wanted, 0))
        exchange_seen_orders();
    if (access_flags.hears && !reach_asked && allocation_is_common((uintptr_t)at))
        access_flags.hears(at);
}

static SEEN inline __attribute__((always_inline)) void hears(const volatile void *at)
{
    hears_kernel(at);
    if (access_meets.hears)
        access_meets.hears(at);
}

/* The host thread's latest volatile access: a read of `value` there, or, where `at` is NULL, a
 * store. */
static __thread struct {
    const volatile void *at;
    const void *pc;
    uint64_t value;
    size_t bytes;
} looked;

typedef uint16_t __attribute__((aligned(1), may_alias)) any_two;
typedef uint32_t __attribute__((aligned(1), may_alias)) any_four;
typedef uint64_t __attribute__((aligned(1), may_alias)) any_eight;

/* The same instruction has seen another value there before, and nothing else that is volatile
 * since: then the thread has waited for this one, in a loop. */
static SEEN __attribute__((noinline)) void look_by_host(const volatile void *at, size_t bytes,
                                                        const void *pc)
{
    /* Loads of this function's own: one that faults is its caller's (access_runs.h). */
    uint64_t value = bytes == 1   ? *(const volatile uint8_t *)at
                     : bytes == 2 ? *(const volatile any_two *)at
                     : bytes == 4 ? *(const volatile any_four *)at
                                  : *(const volatile any_eight *)at;
    bool waited = looked.at == at && looked.pc == pc && looked.value != value;
    looked.at = at;
    looked.pc = pc;
    looked.value = value;
    looked.bytes = bytes;
    (waited ? access_meets.hears : access_meets.looks)(at);
}

static SEEN inline __attribute__((always_inline)) void
hears_volatile(const volatile void *at, size_t bytes, const void *pc)
{
    hears_kernel(at);
    if (access_meets.looks && !reach_asked)
        look_by_host(at, bytes, pc);
}

/* Loads of one place, one after the other, that had the same value. Kernels make some of them
 * without a call: the program's code knows the first three members (simcc/instrumented.c). */
__thread struct {
    const volatile void *at;
    uint64_t value;
    int64_t left;                   /* of those that need no call; below 0: none is */
    uint64_t granted, count;        /* `count` does not include any that were granted then */
} sim_seen_repeats;

/* Called after see(): the memory can be read. The first look of several is not looked at. */
static SEEN inline __attribute__((always_inline)) void polls(const volatile void *at, size_t bytes,
                                                             const void *pc)
{
    uint64_t value = 0;
    if (sim_seen_repeats.at != at) {
        sim_seen_repeats.at = at;
        sim_seen_repeats.count = sim_seen_repeats.granted = 0;
        sim_seen_repeats.left = 0;
        return;
    }
    memcpy(&value, (const void *)at, bytes < sizeof value ? bytes : sizeof value);
    uint64_t left = sim_seen_repeats.left < 0 ? 0 : (uint64_t)sim_seen_repeats.left, granted = 0;
    sim_seen_repeats.count += sim_seen_repeats.granted - left;
    if (sim_seen_repeats.count == 0 || sim_seen_repeats.value != value) {
        sim_seen_repeats.value = value;
        sim_seen_repeats.count = 1;
    } else if (++sim_seen_repeats.count >= POLLS_UNASKED
               && (!reach_asked || sim_seen_repeats.count % POLLS_UNASKED == 0)) {
        sim_seen_repeats.count = access_polled ? access_polled(at, pc, sim_seen_repeats.count) : 0;
        granted = access_polls_vain ? POLLS_UNASKED - 1 : 0;
        hears(at);                  /* time may have passed since it was heard */
    }
    if (reach_asked)
        granted = POLLS_UNASKED - 1 - sim_seen_repeats.count % POLLS_UNASKED;
    sim_seen_repeats.granted = granted;
    sim_seen_repeats.left = (int64_t)granted;
}

/* The host polls in vain once more, which is counted and changes nothing. */
static SEEN inline __attribute__((always_inline)) bool polls_in_vain(const volatile void *at,
                                                                     size_t bytes)
{
    uint64_t value = 0;
    if (reach_asked || sim_seen_repeats.at != at || sim_seen_repeats.left <= 0)
        return false;
    memcpy(&value, (const void *)at, bytes < sizeof value ? bytes : sizeof value);
    if (sim_seen_repeats.value != value)
        return false;
    sim_seen_repeats.left--;
    return true;
}

/* The same out of line, for what is rarer than a spin on a volatile variable: there are 60
 * functions below. */
static SEEN __attribute__((noinline)) void hears_and_polls(const volatile void *at, size_t bytes,
                                                           const void *pc)
{
    hears(at);
    polls(at, bytes, pc);
}
static SEEN __attribute__((noinline)) void see_flag(const volatile void *at, size_t bytes,
                                                    bool write, const void *pc)
{
    see(at, bytes, write, access_is_flag(at), pc);
}
static SEEN __attribute__((noinline)) void store_flag(const volatile void *at, size_t bytes,
                                                      const void *pc)
{
    see_flag(at, bytes, true, pc);
    if (access_meets.stores && !reach_asked) {
        access_meets.stores(&(struct volatile_store){
            at, bytes, looked.at == at && looked.bytes == bytes ? looked.pc : NULL, pc });
        looked.at = NULL;
    }
    tells(at);
}
static SEEN __attribute__((noinline)) void see_unaligned_flag(const volatile void *at, size_t bytes,
                                                              const void *pc)
{
    hears_volatile(at, bytes, pc);
    see(at, bytes, false, access_is_flag(at), pc);
    polls(at, bytes, pc);
}

static SEEN inline __attribute__((always_inline)) void
see_volatile(const volatile void *at, size_t bytes, const void *pc, struct open_run *own)
{
    if (polls_in_vain(at, bytes))
        return;
    hears_volatile(at, bytes, pc);
    /* Where a kernel has seen that there is no flag, it need not look again. */
    struct open_run *run = own ? own : run_in_table(false, (uintptr_t)pc);
    if (!reach_asked || !run || !goes_on(run, (uintptr_t)at, bytes))
        access_see_anew((uintptr_t)at, bytes, false, access_is_flag(at), pc, own);
    polls(at, bytes, pc);
}

#pragma GCC visibility pop

static SEEN __attribute__((noinline)) void look_at_volatile(uintptr_t at, struct open_run *own,
                                                            unsigned how, const void *pc)
{
    see_volatile((const void *)at, how & LOOK_BYTES, pc, own);
}

void look_anew(uintptr_t at, struct open_run *own, unsigned how, const void *pc)
{
    bool write = how & LOOK_WRITES;
    if (how & LOOK_VOLATILE)
        look_at_volatile(at, own, how, pc);
    else if (own)
        access_see_anew(at, how & LOOK_BYTES, write, false, pc, own);
    else
        see_plain((const void *)at, how & LOOK_BYTES, write, pc);
}

#pragma GCC visibility push(default)

#define VOLATILE(size) \
    SEEN void __tsan_volatile_read##size(void *at) { see_volatile(at, size, HERE, NULL); } \
    SEEN void __tsan_volatile_write##size(void *at) { store_flag(at, size, HERE); } \
    SEEN void __tsan_unaligned_volatile_read##size(void *at) { see_unaligned_flag(at, size, HERE); } \
    SEEN void __tsan_unaligned_volatile_write##size(void *at) { store_flag(at, size, HERE); }
VOLATILE(1)
VOLATILE(2)
VOLATILE(4)
VOLATILE(8)
VOLATILE(16)

#define FETCH(bits, type, name) \
    SEEN type __tsan_atomic##bits##_fetch_##name(volatile type *at, type value, int order) \
    { (void)order; access_see_update(at, sizeof *at, HERE); tells(at), hears_and_polls(at, sizeof *at, HERE); \
      return __atomic_fetch_##name(at, value, __ATOMIC_SEQ_CST); }
#define EXCHANGE(bits, type, strength, weak) \
    SEEN int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *at, type *wanted, type value, int order, int failed) \
    { (void)order, (void)failed; access_see_update(at, sizeof *at, HERE); tells(at), hears_and_polls(at, sizeof *at, HERE); \
      return __atomic_compare_exchange_n(at, wanted, value, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); }
#define ATOMIC(bits, type) \
    SEEN type __tsan_atomic##bits##_load(const volatile type *at, int order) \
    { (void)order; \
      if (!polls_in_vain(at, sizeof *at)) see(at, sizeof *at, false, true, HERE), hears_and_polls(at, sizeof *at, HERE); \
      return __atomic_load_n(at, __ATOMIC_SEQ_CST); } \
    SEEN void __tsan_atomic##bits##_store(volatile type *at, type value, int order) \
    { (void)order; see(at, sizeof *at, true, true, HERE); tells(at); __atomic_store_n(at, value, __ATOMIC_SEQ_CST); } \
    SEEN type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order) \
    { (void)order; \
      if (allocation_is_common((uintptr_t)at)) see(at, sizeof *at, false, true, HERE); \
      see(at, sizeof *at, true, true, HERE); tells(at), hears_and_polls(at, sizeof *at, HERE); \
      return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST); } \
    FETCH(bits, type, add) FETCH(bits, type, sub) FETCH(bits, type, and) FETCH(bits, type, or) \
    FETCH(bits, type, xor) FETCH(bits, type, nand) \
    EXCHANGE(bits, type, strong, 0) EXCHANGE(bits, type, weak, 1)
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    exchange_seen_orders();
    if (reach_asked && !open_runs.fenced)
        access_close_all();           /* what is stored again is another kind of store now */
    open_runs.fenced = reach_asked;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

#pragma GCC visibility pop
