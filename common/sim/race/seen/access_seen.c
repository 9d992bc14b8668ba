/* SPDX-License-Identifier: MIT */
/* What is made of a program's loads and stores: runs, and which of them are to be looked at. */
#include "sim/race/seen/access_seen.h"

#include <string.h>

#include "sim/fiber/fiber.h"
#include "sim/memory/allocation.h"
#include "sim/race/seen/exchange_seen.h"
#include "sim/race/seen/initialised.h"
#include "sim/race/seen/open_run.h"
#include "sim/race/seen/promise.h"
#include "sim/race/seen/reach.h"
#include "sim/race/seen/shared_seen.h"
#include "sim/source_line.h"
#include "trace/record/memory.h"

/* A mark's bit besides those of its kind (access_runs.h): in memory of a kernel's thread or block,
 * nothing is kept of it. */
static const uintptr_t OWN_BIT = UINT64_C(1) << 60;

static uintptr_t watched, watched_bytes, variables, variables_bytes;
static struct { uintptr_t from, to; bool all; } named;      /* what `watched` is made of */
uintptr_t access_end = ALLOCATION_LOW + ALLOCATION_SPAN;
struct access_meetings access_meets, access_flags;
uint64_t (*access_polled)(const volatile void *at, const void *pc, uint64_t count);
bool access_polls_vain;
void (*access_trespassed)(uintptr_t address);

static void find_end(void)
{
    access_end = ALLOCATION_LOW + ALLOCATION_SPAN;
    if (access_end < watched + watched_bytes)
        access_end = watched + watched_bytes;
    if (access_end < variables + variables_bytes)
        access_end = variables + variables_bytes;
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
        access_runs_close(&open_runs.closed, pc, kind, run->from, run->to);
}

/* The ring changes, or looks at what it expects would have to be counted: they take the longer way
 * (comes_back). */
static SEEN void expect_nothing(struct stride *s)
{
    if (s->expecting)
        s->expecting->expected = NULL;
    s->expecting = NULL;
}

/* Its runs go on no more. */
static SEEN void empty_ring(struct stride *s)
{
    const struct left_run *ring = open_runs.left[s - open_runs.strides];
    for (unsigned i = 0; i < s->left_count; i++) {
        promise_ends(&ring[i].to);
        close_open(&(struct open_run){ s->mark, ring[i].from, ring[i].to, ring[i].known_to, NULL });
    }
    s->left_count = s->left_last = s->missed = 0;
    expect_nothing(s);
}

SEEN void access_close_all(void)
{
    promises_keep();
    open_runs.promise_count = 0;
    for (size_t i = 0; i < open_runs.used_count; i++) {
        close_open(open_runs.used[i]);
        *open_runs.used[i] = (struct open_run){ 0 };
    }
    open_runs.used_count = 0;
    for (size_t i = 0; i < open_runs.parked_count; i++) {
        struct open_run *run = &open_runs.parked[open_runs.parked_at[i]];
        if (run->mark != 0)
            close_open(run);
        run->mark = 0;
        open_runs.parked_once[open_runs.parked_at[i]] = false;
    }
    open_runs.parked_count = 0;
    while (open_runs.ring_count > 0) {
        struct stride *s = &open_runs.strides[open_runs.rings[--open_runs.ring_count]];
        s->listed = false;
        empty_ring(s);
    }
}

static inline __attribute__((always_inline)) struct open_run *parking_place(uintptr_t mark,
                                                                            uintptr_t at)
{
    return &open_runs.parked[((at / PARKED_PIECE + mark) * UINT64_C(0x9e3779b97f4a7c15)) >> 55];
}

static SEEN void put_into(struct open_run *place, const struct open_run *run)
{
    size_t i = (size_t)(place - open_runs.parked);
    if (!open_runs.parked_once[i]) {
        open_runs.parked_once[i] = true;
        open_runs.parked_at[open_runs.parked_count++] = (uint16_t)i;
    }
    uintptr_t mark = __atomic_load_n(&run->mark, __ATOMIC_RELAXED),
              from = __atomic_load_n(&run->from, __ATOMIC_RELAXED);
    uintptr_t to = __atomic_load_n(&run->to, __ATOMIC_RELAXED),
              known_to = __atomic_load_n(&run->known_to, __ATOMIC_RELAXED);
    *place = (struct open_run){ mark, from, to, known_to, NULL };
}

/* There are two places for it: the one that is parked moves to the second, and the one that was
 * there is closed. */
static SEEN void park(const struct open_run *run)
{
    struct open_run *place = parking_place(run->mark, run->to - 1),
                    *second = &open_runs.parked[(place - open_runs.parked) ^ 1];
    if (place->mark != 0) {
        if (second->mark != 0)
            close_open(second);
        put_into(second, place);
    }
    put_into(place, run);
}

/* Puts it into the ring of its instruction, in place of the one that comes next where that is full.
 */
static SEEN void leave(const struct open_run *run)
{
    struct stride *s = stride_place(run->mark);
    if (s->mark != run->mark || s->missed >= MISSES) {
        promise_ends(&run->to);
        park(run);
        return;
    }
    size_t number = (size_t)(s - open_runs.strides);
    if (!s->listed) {
        s->listed = true;
        open_runs.rings[open_runs.ring_count++] = (uint16_t)number;
    }
    unsigned i = s->left_count;
    struct left_run *ring = open_runs.left[number];
    expect_nothing(s);
    if (i < LEFT) {
        s->left_count++;
        ring[i].next = ring;
        if (i > 0)
            ring[i - 1].next = &ring[i];
    } else {
        i = s->left_last = (uint8_t)((s->left_last + 1) % LEFT);
        promise_ends(&ring[i].to);
        park(&(struct open_run){ s->mark, ring[i].from, ring[i].to, ring[i].known_to, NULL });
    }
    ring[i].from = run->from;
    ring[i].to = run->to;
    ring[i].known_to = run->known_to;
    promise_moves(&run->to, &ring[i]);
}

/* It comes back to more places than a ring has, and does without. */
static SEEN void park_ring(struct stride *s)
{
    const struct left_run *ring = open_runs.left[s - open_runs.strides];
    for (unsigned i = 0; i < s->left_count; i++) {
        promise_ends(&ring[i].to);
        park(&(struct open_run){ s->mark, ring[i].from, ring[i].to, ring[i].known_to, NULL });
    }
    s->left_count = s->left_last = 0;
    expect_nothing(s);
}

/* Makes it so. The numbers come one by one: a struct is written in words and read in pairs of them,
 * for which the processor waits. */
static SEEN void open_run(struct open_run *run, uintptr_t mark, uintptr_t from, uintptr_t to,
                          uintptr_t known_to)
{
    if (run->mark & OWN_BIT) {
        ;
    } else if (run->mark != 0) {
        leave(run);
    } else {
        open_runs.used = memory_grow(open_runs.used, open_runs.used_count, &open_runs.used_capacity,
                                     sizeof *open_runs.used);
        open_runs.used[open_runs.used_count++] = run;
    }
    run->mark = mark;
    run->from = from;
    run->to = to;
    run->known_to = known_to;
    run->expected = NULL;
}

static SEEN void add_access(uintptr_t at, size_t bytes, uintptr_t pc, uintptr_t kind,
                            struct open_run *own)
{
    struct open_run *run = own && (kind & ~WRITES_BIT) == 0 ? own : run_of(pc, kind);
    bool same = run->mark == (pc | kind);
    if (same && at == run->to) {
        run->to += bytes;
        promise_ends(&run->to);
        run->known_to = initialised_until(run->to, run->to + AHEAD);
        if ((kind & WRITES_BIT) && run->known_to <= run->to)
            promise_make(run);
        return;
    }
    if (same && at >= run->from && at + bytes <= run->to)
        return;
    uintptr_t from = at, to = at + bytes;
    if (bytes <= 16)
        access_runs_widen(&open_runs.closed, pc, kind, &from, &to);
    open_run(run, pc | kind, from, to, 0);
}

static inline __attribute__((always_inline)) bool is_there(const struct open_run *place,
                                                           uintptr_t at, uintptr_t mark)
{
    return place->mark == mark && at >= place->from && at <= place->to;
}

/* … or does the access go back to where it was before? The run is the one of then, even where the
 * access is still to be looked at. */
static SEEN bool goes_back(struct open_run *run, uintptr_t at, size_t bytes, uintptr_t mark)
{
    struct open_run *place = parking_place(mark, at - 1);
    if (!is_there(place, at, mark)) {
        place = &open_runs.parked[(place - open_runs.parked) ^ 1];
        if (!is_there(place, at, mark))
            return false;
    }
    struct stride *s = stride_place(mark);
    expect_nothing(s);
    if (s->left_count == LEFT && s->missed < MISSES && ++s->missed == MISSES)
        park_ring(s);
    uintptr_t from = place->from, to = place->to, known_to = place->known_to;
    place->mark = 0;
    open_run(run, mark, from, to, known_to);
    return goes_on(run, at, bytes);
}

void access_check_anew(void)
{
    access_close_all();
    access_runs_gather(&open_runs.closed);
}

/* A read: was not a byte of it written? A write is written from here on. */
static SEEN bool check_bits(uintptr_t address, size_t bytes, bool write)
{
    if (address - ALLOCATION_LOW >= initialised_span)
        return false;
    if (bytes > 16) {
        if (write)
            initialised_mark(address, bytes);
        return !write && !initialised_any(address, bytes)
               && !(promises_keep() && initialised_any(address, bytes));
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
    return !write && uninitialised && !(promises_keep() && initialised_any(address, bytes));
}

/* ---- strides ---- */

/* That of the instruction, which takes the place of another one. */
static SEEN struct stride *new_stride(struct stride *s, uintptr_t mark)
{
    if (!open_runs.left)
        open_runs.left = memory_resize(NULL, STRIDES * sizeof *open_runs.left);
    empty_ring(s);
    *s = (struct stride){ .mark = mark, .listed = s->listed };
    return s;
}

static inline __attribute__((always_inline)) struct stride *stride_of(uintptr_t mark)
{
    struct stride *s = stride_place(mark);
    return s->mark == mark ? s : new_stride(s, mark);
}

/* An instruction whose accesses do not touch each other, a member of an array's structs or a
 * column, would open a run for each: what it touches is kept by the line at once. True: so it
 * was. */
static SEEN bool strides(struct stride *s, uintptr_t at, size_t bytes)
{
    bool step = at == s->end, write = s->mark & WRITES_BIT;
    s->end = at + bytes;
    s->steps = step ? (uint16_t)(s->steps + 1) : 0;
    if (s->steps >= STEPS_ON)
        s->jumps = s->steps = 0;
    uintptr_t pc = s->mark & ~KIND_BITS, kind = s->mark & KIND_BITS;
    if (access_runs_has(&open_runs.closed, pc, kind, at, bytes, s->line))
        return true;
    if (at / ACCESS_LINE != (s->end - 1) / ACCESS_LINE)
        return false;
    kind |= check_bits(at, bytes, write) ? UNINITIALISED_BIT : 0;
    access_runs_touch(&open_runs.closed, pc, kind, at, s->end, &s->line);
    return true;
}

/* Of an access that neither follows the instruction's run nor one that was parked. */
static SEEN void count_jump(struct stride *s, const struct open_run *run, uintptr_t at,
                            size_t bytes)
{
    if (at != s->end && (run->mark != s->mark || at != run->to))
        s->jumps++;
    expect_nothing(s);
    s->end = at + bytes;
}

static SEEN void check(uintptr_t at, size_t bytes, uintptr_t pc, uintptr_t kind,
                       struct open_run *own)
{
    add_access(at, bytes, pc,
               kind | (check_bits(at, bytes, kind & WRITES_BIT) ? UNINITIALISED_BIT : 0), own);
}

/* A kernel touches the host's memory: that is its last run. Where there is none the processor
 * faults. */
static SEEN _Noreturn __attribute__((noinline)) void trespass(uintptr_t address, size_t bytes,
                                                              const void *pc, bool write)
{
    (void)*(const volatile char *)address;
    access_runs_add(
        &open_runs.closed,
        &(struct access_run){
            .from = address, .to = address + bytes, .pc = pc, .write = write, .trespass = true });
    access_trespassed(address);
    __builtin_unreachable();
}

static bool meets(uintptr_t from, uintptr_t to, uintptr_t at, uintptr_t bytes)
{
    return bytes > 0 && from < at + bytes && at < to;
}

/* A kernel's thread touches memory of its own, or of its block. The same instruction is not checked
 * again while it stays there, unless what the block's memory holds is watched. */
static SEEN void stay_in_own(struct open_run *own, uintptr_t address, uintptr_t pc)
{
    uintptr_t from, to;
    if (!shared_seen_wanted && reach_own(address, &from, &to)
        && !meets(from, to, watched, watched_bytes) && !meets(from, to, variables, variables_bytes))
        open_run(own, pc | OWN_BIT, from, to, 0);
}

static bool is_devices(uintptr_t address)
{
    return address - ALLOCATION_LOW < ALLOCATION_SPAN || address - variables < variables_bytes;
}

/* Where each access is to be seen, none goes on with what came before. */
static SEEN __attribute__((noinline)) void see_each(uintptr_t address, size_t bytes, bool write,
                                                    bool atomic, const void *pc)
{
    if (!atomic)
        exchange_seen_access(address, bytes, write, pc);
    atomic |= write && open_runs.fenced && allocation_is_common(address);
    uintptr_t kind = (write ? WRITES_BIT : 0) | (atomic ? ATOMIC_BIT : 0);
    kind |= check_bits(address, bytes, write) ? UNINITIALISED_BIT : 0;
    access_runs_close(&open_runs.closed, (uintptr_t)pc, kind, address, address + bytes);
}

/* Not inlined: the functions that most accesses call then have no registers to save. */
SEEN __attribute__((noinline)) void access_see_anew(uintptr_t address, size_t bytes, bool write,
                                                    bool atomic, const void *pc,
                                                    struct open_run *own)
{
    if (atomic)
        exchange_seen_orders();
    if (__builtin_expect(shared_seen_wanted, 0))
        shared_seen_access(address, bytes, write, pc);
    if (reach_asked && address - STACKS_LOW >= STACKS_SPAN
        && address - ALLOCATION_LOW >= ALLOCATION_SPAN && !reach_allows(address))
        trespass(address, bytes, pc, write);
    if (__builtin_expect(exchange_seen_wanted, 0) && is_devices(address)) {
        see_each(address, bytes, write, atomic, pc);
        return;
    }
    if (own && address - ALLOCATION_LOW < ALLOCATION_SPAN) {
        uintptr_t mark = (uintptr_t)pc | (write ? WRITES_BIT : 0);
        if (!atomic && !(write && open_runs.fenced)) {
            struct stride *s = stride_of(mark);
            if (open_runs.promise_count > 0)
                promises_change(s, own, address);
            if (s->jumps >= JUMPS) {
                if (strides(s, address, bytes))
                    return;
            } else if (goes_back(own, address, bytes, mark)) {
                if (s->jumps > 0)
                    s->jumps--;
                return;
            } else {
                count_jump(s, own, address, bytes);
            }
        }
    } else if (own && reach_asked) {
        stay_in_own(own, address, (uintptr_t)pc);
    }
    if (address >= access_end)
        return;
    atomic |= write && open_runs.fenced && allocation_is_common(address);
    if (is_devices(address) || address - watched < watched_bytes)
        check(address, bytes, (uintptr_t)(reach_asked ? pc : source_here(pc)),
              (write ? WRITES_BIT : 0) | (atomic ? ATOMIC_BIT : 0), own);
}

void access_see(const void *at, size_t bytes, bool write, const void *pc)
{
    see(at, bytes, write, false, pc);
}

bool access_watches(void)
{
    return watched_bytes != 0;
}

SEEN void access_see_update(const volatile void *at, size_t bytes, const void *pc)
{
    exchange_seen_orders();
    if (shared_seen_wanted)
        shared_seen_access((uintptr_t)at, bytes, false, pc);
    /* Recorded as a read, too, where that can find fresh memory or a flag that the host has set. */
    if (check_bits((uintptr_t)at, bytes, false) || allocation_is_common((uintptr_t)at))
        see(at, bytes, false, true, pc);
    see(at, bytes, true, true, pc);
}

const struct access_run *access_take(size_t *count)
{
    *count = 0;
    open_runs.fenced = false;
    if (open_runs.used_count == 0 && open_runs.closed.count == 0
        && open_runs.closed.lines.count == 0)
        return open_runs.closed.list;
    access_close_all();
    return access_runs_take(&open_runs.closed, count);
}

void access_add(const struct access_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        access_runs_add(&open_runs.closed, &runs[i]);
}

SEEN bool access_is_flag(const volatile void *at)
{
    return allocation_is_common((uintptr_t)at)
           || (named.all && (uintptr_t)at - ALLOCATION_LOW >= ALLOCATION_SPAN);
}
