/* SPDX-License-Identifier: MIT */
/* The functions that g++ -fsanitize=thread calls, and what is made of them. */
#include "sim/race/access_seen.h"

#include <string.h>

#include "sim/fiber/fiber.h"
#include "sim/memory/allocation.h"
#include "sim/race/access_runs.h"
#include "sim/race/initialised.h"
#include "sim/race/reach.h"
#include "sim/race/shared_seen.h"
#include "trace/record/memory.h"

enum { OPEN = 1024, AHEAD = 4096, PARKED = 512, PARKED_PIECE = 256 };

/* A run that may go on. Most instructions of a program have their own, in a variable of the program's: simcc/instrumented.c
 * knows this struct, and asks before it calls what goes_on asks. The others share a table. */
struct open_run {
    uintptr_t mark;                 /* its instruction's pc and of what kind it is; 0: there is none */
    uintptr_t from, to;             /* the instruction has touched each byte of it: to do so again says nothing new */
    uintptr_t known_to;             /* up to there all is memory of the device that was written */
};

/* A mark's bit besides those of its kind (access_runs.h): in memory of a kernel's thread or block, nothing is kept of it. */
static const uintptr_t OWN_BIT = UINT64_C(1) << 60;

/* A run that its instruction has left for another place is parked, by instruction and where it ends: the threads of a block follow each other in
 * each turn of a loop whose stride is the grid, and come back to all these places. */
static __thread struct {
    struct open_run open[OPEN];     /* by pc: those of one loop lie close together */
    struct open_run parked[PARKED];
    bool parked_once[PARKED];       /* since all were closed; those places: */
    uint16_t parked_at[PARKED];
    size_t parked_count;
    struct open_run **used;         /* the open ones, there and in the program */
    size_t used_count, used_capacity;
    struct access_runs closed;      /* those that go on no more */
    bool fenced;                    /* what a kernel stores after a fence may be a flag for the host */
} mine;

static uintptr_t watched, watched_bytes, variables, variables_bytes;
static struct { uintptr_t from, to; bool all; } named;      /* what `watched` is made of */
static uintptr_t end_of_all = ALLOCATION_LOW + ALLOCATION_SPAN;     /* nothing above it is looked at: most stacks */
struct access_meetings access_meets, access_flags;
uint64_t (*access_polled)(const volatile void *at, const void *pc, uint64_t count);
void (*access_trespassed)(uintptr_t address);

static void find_end(void)
{
    end_of_all = ALLOCATION_LOW + ALLOCATION_SPAN;
    if (end_of_all < watched + watched_bytes)
        end_of_all = watched + watched_bytes;
    if (end_of_all < variables + variables_bytes)
        end_of_all = variables + variables_bytes;
}

static void apply_wanted(void)
{
    watched = named.all ? 1 : named.from;
    watched_bytes = named.all ? UINTPTR_MAX - 1 : named.to - named.from;
    find_end();
}

void access_watch(uintptr_t from, uintptr_t to)
{
    named.from = from;
    named.to = to;
    apply_wanted();
}

void access_watch_all(bool all)
{
    if (named.all == all)
        return;
    named.all = all;
    apply_wanted();
}

void access_watch_variables(uintptr_t from, uintptr_t to)
{
    variables = from;
    variables_bytes = to - from;
    find_end();
}

/* ---- runs ---- */

static SEEN void close_open(const struct open_run *run)
{
    uintptr_t kind = run->mark & KIND_BITS, pc = run->mark & ~KIND_BITS;
    if (!(run->mark & OWN_BIT))
        access_runs_close(&mine.closed, pc, kind, run->from, run->to);
}

static SEEN void close_all_open(void)
{
    for (size_t i = 0; i < mine.used_count; i++) {
        close_open(mine.used[i]);
        *mine.used[i] = (struct open_run){ 0 };
    }
    mine.used_count = 0;
    for (size_t i = 0; i < mine.parked_count; i++) {
        struct open_run *run = &mine.parked[mine.parked_at[i]];
        if (run->mark != 0)
            close_open(run);
        run->mark = 0;
        mine.parked_once[mine.parked_at[i]] = false;
    }
    mine.parked_count = 0;
}

static inline __attribute__((always_inline)) struct open_run *parking_place(uintptr_t mark, uintptr_t at)
{
    return &mine.parked[((at / PARKED_PIECE + mark) * UINT64_C(0x9e3779b97f4a7c15)) >> 55];
}

static SEEN void put_into(struct open_run *place, const struct open_run *run)
{
    size_t i = (size_t)(place - mine.parked);
    if (!mine.parked_once[i]) {
        mine.parked_once[i] = true;
        mine.parked_at[mine.parked_count++] = (uint16_t)i;
    }
    *place = *run;
}

/* There are two places for it: the one that is parked moves to the second, and the one that was there is closed. */
static SEEN void park(const struct open_run *run)
{
    struct open_run *place = parking_place(run->mark, run->to - 1), *second = &mine.parked[(place - mine.parked) ^ 1];
    if (place->mark != 0) {
        if (second->mark != 0)
            close_open(second);
        put_into(second, place);
    }
    put_into(place, run);
}

static SEEN void open_run(struct open_run *run, struct open_run as)
{
    if (run->mark & OWN_BIT) {
        ;
    } else if (run->mark != 0) {
        park(run);
    } else {
        mine.used = memory_grow(mine.used, mine.used_count, &mine.used_capacity, sizeof *mine.used);
        mine.used[mine.used_count++] = run;
    }
    *run = as;
}

/* An instruction reads or writes; those that are both, or of several kinds, have a place for each. */
static inline __attribute__((always_inline)) struct open_run *run_of(uintptr_t pc, uintptr_t kind)
{
    return &mine.open[(pc + (kind & ATOMIC_BIT ? OPEN / 2 : 0) + (kind & UNINITIALISED_BIT ? OPEN / 4 : 0)
                       + ((kind & ATOMIC_BIT) && (kind & WRITES_BIT) ? OPEN / 8 : 0)) % OPEN];
}

static SEEN void add_access(uintptr_t at, size_t bytes, uintptr_t pc, uintptr_t kind, struct open_run *own)
{
    struct open_run *run = own && (kind & ~WRITES_BIT) == 0 ? own : run_of(pc, kind);
    bool same = run->mark == (pc | kind);
    if (same && at == run->to) {
        run->to += bytes;
        run->known_to = initialised_until(run->to, run->to + AHEAD);
        return;
    }
    if (same && at >= run->from && at + bytes <= run->to)
        return;
    uintptr_t from = at, to = at + bytes;
    if (bytes <= 16)
        access_runs_widen(&mine.closed, pc, kind, &from, &to);
    open_run(run, (struct open_run){ .mark = pc | kind, .from = from, .to = to });
}

/* Does it follow what was touched before, where nothing is left to be looked at? */
static inline __attribute__((always_inline)) bool follows(struct open_run *run, uintptr_t at, size_t bytes)
{
    bool does = run->to == at && at + bytes <= run->known_to;
    if (__builtin_expect(does, 1))
        run->to = at + bytes;
    return does;
}

/* … or touch it again? Only aligned accesses of one size: of a larger one a part may never have been written. */
static inline __attribute__((always_inline)) bool goes_on(struct open_run *run, uintptr_t at, size_t bytes)
{
    return follows(run, at, bytes) || (at >= run->from && at + bytes <= run->to);
}

static inline __attribute__((always_inline)) bool is_there(const struct open_run *place, uintptr_t at, uintptr_t mark)
{
    return place->mark == mark && at >= place->from && at <= place->to;
}

/* … where it was before? The run is the one of then, even where the access is still to be looked at. */
static SEEN bool goes_back(struct open_run *run, uintptr_t at, size_t bytes, uintptr_t mark)
{
    struct open_run *place = parking_place(mark, at - 1), then;
    if (!is_there(place, at, mark)) {
        place = &mine.parked[(place - mine.parked) ^ 1];
        if (!is_there(place, at, mark))
            return false;
    }
    then = *place;
    place->mark = 0;
    open_run(run, then);
    return goes_on(run, at, bytes);
}

/* The run of its instruction, or NULL. */
static inline __attribute__((always_inline)) struct open_run *run_in_table(bool write, uintptr_t pc)
{
    struct open_run *run = run_of(pc, 0);
    return __builtin_expect(run->mark == (pc | (write ? WRITES_BIT : 0)), 1) ? run : NULL;
}

void access_check_anew(void)
{
    close_all_open();
    access_runs_gather(&mine.closed);
}

/* A read: was not a byte of it written? A write is written from here on. */
static SEEN bool check_bits(uintptr_t address, size_t bytes, bool write)
{
    if (address - ALLOCATION_LOW >= initialised_span)
        return false;
    if (bytes > 16) {
        if (write)
            initialised_mark(address, bytes);
        return !write && !initialised_any(address, bytes);
    }
    uint32_t bits, mask = ((1u << bytes) - 1) << address % 8;
    unsigned char *at = INITIALISED_BITS + (address - ALLOCATION_LOW) / 8;
    memcpy(&bits, at, sizeof bits);
    bool uninitialised = (bits & mask) == 0;
    if (write && (bits & mask) != mask) {
        if (initialised_by_many) {
            initialised_mark(address, bytes);
        } else {
            bits |= mask;
            memcpy(at, &bits, sizeof bits);
        }
    }
    return !write && uninitialised;
}

static SEEN void check(uintptr_t at, size_t bytes, uintptr_t pc, uintptr_t kind, struct open_run *own)
{
    add_access(at, bytes, pc, kind | (check_bits(at, bytes, kind & WRITES_BIT) ? UNINITIALISED_BIT : 0), own);
}

/* A kernel touches the host's memory: that is its last run. Where there is none the processor faults. */
static SEEN _Noreturn __attribute__((noinline)) void trespass(uintptr_t address, size_t bytes, const void *pc, bool write)
{
    (void)*(const volatile char *)address;
    access_runs_add(&mine.closed, &(struct access_run){ .from = address, .to = address + bytes, .pc = pc, .write = write, .trespass = true });
    access_trespassed(address);
    __builtin_unreachable();
}

static bool meets(uintptr_t from, uintptr_t to, uintptr_t at, uintptr_t bytes)
{
    return bytes > 0 && from < at + bytes && at < to;
}

/* A kernel's thread is in memory of its own, or of its block: wherever the instruction touches that, nobody asks again, unless
 * what the block's memory holds is watched. */
static SEEN void stay_in_own(struct open_run *own, uintptr_t address, uintptr_t pc)
{
    uintptr_t from, to;
    if (!shared_seen_wanted && reach_own(address, &from, &to) && !meets(from, to, watched, watched_bytes) && !meets(from, to, variables, variables_bytes))
        open_run(own, (struct open_run){ .mark = pc | OWN_BIT, .from = from, .to = to });
}

/* What goes_on has not settled. Not inlined: the functions that most accesses call then have no registers to save. */
static SEEN __attribute__((noinline)) void see_anew(uintptr_t address, size_t bytes, bool write, bool atomic, const void *pc,
                                                     struct open_run *own)
{
    if (__builtin_expect(shared_seen_wanted, 0))
        shared_seen_access(address, bytes, write, pc);
    if (reach_asked && address - STACKS_LOW >= STACKS_SPAN && address - ALLOCATION_LOW >= ALLOCATION_SPAN && !reach_allows(address))
        trespass(address, bytes, pc, write);
    if (own && address - ALLOCATION_LOW < ALLOCATION_SPAN) {
        if (!atomic && !(write && mine.fenced) && goes_back(own, address, bytes, (uintptr_t)pc | (write ? WRITES_BIT : 0)))
            return;
    } else if (own && reach_asked) {
        stay_in_own(own, address, (uintptr_t)pc);
    }
    if (address >= end_of_all)
        return;
    atomic |= write && mine.fenced && allocation_is_common(address);
    if (address - ALLOCATION_LOW < ALLOCATION_SPAN || address - watched < watched_bytes
        || address - variables < variables_bytes)
        check(address, bytes, (uintptr_t)pc, (write ? WRITES_BIT : 0) | (atomic ? ATOMIC_BIT : 0), own);
}

static inline __attribute__((always_inline)) void see(const volatile void *at, size_t bytes, bool write, bool atomic,
                                                      const void *pc)
{
    struct open_run *run = atomic ? NULL : run_in_table(write, (uintptr_t)pc);
    if (!run || !follows(run, (uintptr_t)at, bytes))
        see_anew((uintptr_t)at, bytes, write, atomic, pc, NULL);
}

static inline __attribute__((always_inline)) void see_plain(const void *at, size_t bytes, bool write, const void *pc)
{
    struct open_run *run = run_in_table(write, (uintptr_t)pc);
    if (!run || !goes_on(run, (uintptr_t)at, bytes))
        see_anew((uintptr_t)at, bytes, write, false, pc, NULL);
}

void access_see(const void *at, size_t bytes, bool write, const void *pc)
{
    see(at, bytes, write, false, pc);
}

bool access_watches(void)
{
    return watched_bytes != 0;
}

/* Reads and writes at once. */
static SEEN void see_update(const volatile void *at, size_t bytes, const void *pc)
{
    if (shared_seen_wanted)
        shared_seen_access((uintptr_t)at, bytes, false, pc);
    if (check_bits((uintptr_t)at, bytes, false))
        see(at, bytes, false, true, pc);
    see(at, bytes, true, true, pc);
}

const struct access_run *access_take(size_t *count)
{
    *count = 0;
    mine.fenced = false;
    if (mine.used_count == 0 && mine.closed.count == 0)
        return mine.closed.list;
    close_all_open();
    return access_runs_take(&mine.closed, count);
}

void access_add(const struct access_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        access_runs_add(&mine.closed, &runs[i]);
}

/* ---- what the compiler calls ---- */

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
    SEEN void sim_seen_read##size(void *at, struct open_run *own) { see_anew((uintptr_t)at, size, false, false, HERE, own); } \
    SEEN void sim_seen_write##size(void *at, struct open_run *own) { see_anew((uintptr_t)at, size, true, false, HERE, own); } \
    SEEN void __tsan_unaligned_read##size(void *at) { see(at, size, false, false, HERE); } \
    SEEN void __tsan_unaligned_write##size(void *at) { see(at, size, true, false, HERE); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

/* A volatile variable of the program's own is what threads may well meet by (a flag that is spun on), and one in memory
 * that both sides reach what the host and a kernel meet by: as good as an atomic one between them. In memory of
 * the device it is seen as any other. */
static SEEN bool is_flag(const volatile void *at)
{
    return allocation_is_common((uintptr_t)at) || (named.all && (uintptr_t)at - ALLOCATION_LOW >= ALLOCATION_SPAN);
}

static SEEN void tells(const volatile void *at)
{
    if (access_flags.tells && !reach_asked && allocation_is_common((uintptr_t)at))
        access_flags.tells(at);
    if (access_meets.tells)
        access_meets.tells(at);
}

static SEEN inline __attribute__((always_inline)) void hears(const volatile void *at)
{
    if (access_flags.hears && !reach_asked && allocation_is_common((uintptr_t)at))
        access_flags.hears(at);
    if (access_meets.hears)
        access_meets.hears(at);
}

/* Loads of one place, one after the other, that had the same value. Kernels make some of them without a call: the program's code
 * knows the first three members (simcc/instrumented.c). */
__thread struct {
    const volatile void *at;
    uint64_t value;
    int64_t left;                   /* of those that need no call; below 0: none is */
    uint64_t granted, count;        /* `count` does not include any that were granted then */
} sim_seen_repeats;

/* Called after see(): the memory can be read. The first look of several is not looked at. */
static SEEN inline __attribute__((always_inline)) void polls(const volatile void *at, size_t bytes, const void *pc)
{
    uint64_t value = 0;
    if (sim_seen_repeats.at != at) {
        sim_seen_repeats.at = at;
        sim_seen_repeats.count = sim_seen_repeats.granted = 0;
        sim_seen_repeats.left = 0;
        return;
    }
    memcpy(&value, (const void *)at, bytes < sizeof value ? bytes : sizeof value);
    uint64_t left = sim_seen_repeats.left < 0 ? 0 : (uint64_t)sim_seen_repeats.left;
    sim_seen_repeats.count += sim_seen_repeats.granted - left;
    if (sim_seen_repeats.count == 0 || sim_seen_repeats.value != value) {
        sim_seen_repeats.value = value;
        sim_seen_repeats.count = 1;
    } else if (++sim_seen_repeats.count >= POLLS_UNASKED && (!reach_asked || sim_seen_repeats.count % POLLS_UNASKED == 0)) {
        sim_seen_repeats.count = access_polled ? access_polled(at, pc, sim_seen_repeats.count) : 0;
        hears(at);                  /* time may have passed since it was heard */
    }
    sim_seen_repeats.granted = reach_asked ? POLLS_UNASKED - 1 - sim_seen_repeats.count % POLLS_UNASKED : 0;
    sim_seen_repeats.left = (int64_t)sim_seen_repeats.granted;
}

/* The same out of line, for what is rarer than a spin on a volatile variable: there are 60 functions below. */
static SEEN __attribute__((noinline)) void hears_and_polls(const volatile void *at, size_t bytes, const void *pc)
{
    hears(at);
    polls(at, bytes, pc);
}
static SEEN __attribute__((noinline)) void see_flag(const volatile void *at, size_t bytes, bool write, const void *pc)
{
    see(at, bytes, write, is_flag(at), pc);
}
static SEEN __attribute__((noinline)) void see_unaligned_flag(const volatile void *at, size_t bytes, const void *pc)
{
    hears(at);
    see(at, bytes, false, is_flag(at), pc);
    polls(at, bytes, pc);
}

static SEEN inline __attribute__((always_inline)) void see_volatile(const volatile void *at, size_t bytes, const void *pc, struct open_run *own)
{
    hears(at);
    /* Where a kernel has seen that there is no flag, it need not look again. */
    struct open_run *run = own ? own : run_in_table(false, (uintptr_t)pc);
    if (!reach_asked || !run || !goes_on(run, (uintptr_t)at, bytes))
        see_anew((uintptr_t)at, bytes, false, is_flag(at), pc, own);
    polls(at, bytes, pc);
}

#define VOLATILE(size) \
    SEEN void __tsan_volatile_read##size(void *at) { see_volatile(at, size, HERE, NULL); } \
    SEEN void sim_seen_volatile_read##size(void *at, struct open_run *own) { see_volatile(at, size, HERE, own); } \
    SEEN void __tsan_volatile_write##size(void *at) { see_flag(at, size, true, HERE), tells(at); } \
    SEEN void __tsan_unaligned_volatile_read##size(void *at) { see_unaligned_flag(at, size, HERE); } \
    SEEN void __tsan_unaligned_volatile_write##size(void *at) { see_flag(at, size, true, HERE), tells(at); }
VOLATILE(1)
VOLATILE(2)
VOLATILE(4)
VOLATILE(8)
VOLATILE(16)

#define FETCH(bits, type, name) \
    SEEN type __tsan_atomic##bits##_fetch_##name(volatile type *at, type value, int order) \
    { (void)order; see_update(at, sizeof *at, HERE); tells(at), hears_and_polls(at, sizeof *at, HERE); \
      return __atomic_fetch_##name(at, value, __ATOMIC_SEQ_CST); }
#define EXCHANGE(bits, type, strength, weak) \
    SEEN int __tsan_atomic##bits##_compare_exchange_##strength(volatile type *at, type *wanted, type value, int order, int failed) \
    { (void)order, (void)failed; see_update(at, sizeof *at, HERE); tells(at), hears_and_polls(at, sizeof *at, HERE); \
      return __atomic_compare_exchange_n(at, wanted, value, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); }
#define ATOMIC(bits, type) \
    SEEN type __tsan_atomic##bits##_load(const volatile type *at, int order) \
    { (void)order; see(at, sizeof *at, false, true, HERE); hears_and_polls(at, sizeof *at, HERE); return __atomic_load_n(at, __ATOMIC_SEQ_CST); } \
    SEEN void __tsan_atomic##bits##_store(volatile type *at, type value, int order) \
    { (void)order; see(at, sizeof *at, true, true, HERE); tells(at); __atomic_store_n(at, value, __ATOMIC_SEQ_CST); } \
    SEEN type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order) \
    { (void)order; see(at, sizeof *at, true, true, HERE); tells(at), hears_and_polls(at, sizeof *at, HERE); \
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
    if (reach_asked && !mine.fenced)
        close_all_open();           /* what is stored again is another kind of store now */
    mine.fenced = reach_asked;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

#pragma GCC visibility pop
