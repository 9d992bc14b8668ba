/* SPDX-License-Identifier: MIT */
/* What host threads tell each other, by the object that passes between them. */
#include "sim/race/access.h"
#include "sim/race/seen/access_seen.h"
#include "sim/race/seen/reach.h"
#include "sim/source_line.h"
#include "trace/order/hazard_text.h"
#include "trace/record/memory.h"

#include <pthread.h>
#include <string.h>

/* Objects that are told apart; all others are one. */
enum { OBJECTS = 1 << 16 };
#define THE_OTHERS UINTPTR_MAX

static bool several, functions_only = true;
static struct vector_clocks *program;      /* NULL: hazards are off */
static void (*up_to_now)(void);
static void (*volatile_stored)(struct vector_clocks *clocks, const struct volatile_store *store);

void access_threads_begin(struct vector_clocks *clocks, void (*tell)(void),
                          void (*stored)(struct vector_clocks *clocks,
                                         const struct volatile_store *store))
{
    program = clocks;
    up_to_now = tell;
    volatile_stored = stored;
}

struct vector_clocks *access_clocks(void)
{
    return program;
}

/* Objects, hashed by address; of threads, by number. */
static struct objects {
    struct object { uintptr_t at; struct clock_news news; } *list;
    size_t count, capacity;         /* a power of two; 0 at first */
} objects;

static struct object *find_object(const struct objects *o, uintptr_t at)
{
    size_t i = (size_t)(at * UINT64_C(0x9e3779b97f4a7c15) >> 20);
    while (o->list[i &= o->capacity - 1].at != 0 && o->list[i].at != at)
        i++;
    return &o->list[i];
}

static void grow(void)
{
    struct objects larger = { .count = objects.count,
                              .capacity = objects.capacity ? 2 * objects.capacity : 64 };
    larger.list = memory_resize(NULL, larger.capacity * sizeof *larger.list);
    memory_zero(larger.list, larger.capacity * sizeof *larger.list);
    for (size_t i = 0; i < objects.capacity; i++)
        if (objects.list[i].at != 0)
            *find_object(&larger, objects.list[i].at) = objects.list[i];
    memory_resize(objects.list, 0);
    objects = larger;
}

static struct clock_news *news_of(uintptr_t at)
{
    if (2 * objects.count >= objects.capacity)
        grow();
    struct object *found = find_object(&objects, at);
    if (found->at == 0 && objects.count >= OBJECTS)
        found = find_object(&objects, at = THE_OTHERS);
    objects.count += found->at == 0;
    found->at = at;
    return &found->news;
}

/* NULL: what is done here is not the program's host code, or hazards are off. */
static struct vector_clocks *clocks_of_host(void)
{
    return !sim.in_effect && !source_frames_wanted && thread_self()->task ? access_clocks() : NULL;
}

/* Brings what was touched so far before what comes now; NULL: nobody is there to tell. No turn is
 * passed on. */
static struct vector_clocks *present_to(bool anybody)
{
    struct thread *thread = thread_self();
    struct vector_clocks *clocks = anybody ? clocks_of_host() : NULL;
    if (clocks) {
        thread->locks++;
        up_to_now();
        vector_clocks_made(clocks);
        thread->locks--;
    }
    return clocks;
}

static struct vector_clocks *present(void)
{
    return present_to(several);
}

static void tell(uintptr_t at)
{
    struct vector_clocks *clocks = present();
    if (clocks)
        vector_clocks_tell(clocks, thread_self()->number, news_of(at));
}

static void hear_by(uintptr_t at,
                    void (*how)(struct vector_clocks *c, uint32_t thread,
                                const struct clock_news *news))
{
    struct vector_clocks *clocks = objects.count > 0 ? present() : NULL;
    struct object *found = clocks ? find_object(&objects, at) : NULL;
    if (found && found->at == 0)
        found = find_object(&objects, THE_OTHERS);
    if (found && found->at != 0)
        how(clocks, thread_self()->number, &found->news);
}

static void hear(uintptr_t at)
{
    hear_by(at, vector_clocks_hear);
}

void access_tells(const volatile void *object)
{
    if (several)
        tell((uintptr_t)object);
}

void access_hears(const volatile void *object)
{
    if (several)
        hear((uintptr_t)object);
}

static void looks_at(const volatile void *object)
{
    hear_by((uintptr_t)object, vector_clocks_look);
}

static void stores_in(const struct volatile_store *store)
{
    struct vector_clocks *clocks = present();
    if (clocks)
        volatile_stored(clocks, store);
}

/* ---- what a thread holds, for what is told of a hazard ---- */

enum { HELD = 16 };     /* one that holds more is not believed to hold none */
static __thread struct held_locks {
    struct { struct held_lock lock; unsigned times; } list[HELD];
    size_t count;
} held;

/* What it has touched before is told as done without it; what the only thread has, is not told. It
 * may hold the lock still when there is another. */
void access_holds(const volatile void *lock, const void *pc)
{
    if (several ? !present() : !clocks_of_host())
        return;
    size_t i = 0;
    while (i < held.count && held.list[i].lock.lock != lock)
        i++;
    if (i == HELD)
        return;
    if (i == held.count)
        held.list[held.count++].times = 0;
    held.list[i].lock = (struct held_lock){ lock, pc ? source_here(pc) : NULL };
    held.list[i].times++;
}

const void *access_gives(const volatile void *lock)
{
    for (size_t i = held.count; i-- > 0;) {
        if (held.list[i].lock.lock != lock)
            continue;
        const void *pc = held.list[i].lock.pc;
        if (--held.list[i].times == 0) {
            held.count--;
            memmove(&held.list[i], &held.list[i + 1], (held.count - i) * sizeof *held.list);
        }
        return pc;
    }
    return NULL;
}

struct held_lock access_held(void)
{
    return held.count > 0 ? held.list[held.count - 1].lock : (struct held_lock){ NULL, NULL };
}

void access_say_held(const struct host_access *host, struct hazard_side *side)
{
    uint32_t file;
    if (!host || host->frees)
        return;
    side->locks_known = true;
    side->lock = (uint64_t)(uintptr_t)host->held.lock;
    side->lock_name = side->lock != 0 ? reach_variable((uintptr_t)side->lock) : NULL;
    if (host->held.pc && !source_line(host->held.pc, &file, &side->locked_line))
        side->locked_line = 0;
}

/* ---- flags that kernels and the host have in common ---- */

void access_tells_flag(const volatile void *at)
{
    struct vector_clocks *clocks = present_to(true);
    if (clocks)
        vector_clocks_tell(clocks, thread_self()->number, news_of((uintptr_t)at));
}

const struct clock_news *access_news(uintptr_t at)
{
    const struct object *found = objects.count > 0 ? find_object(&objects, at) : NULL;
    return found && found->at != 0 ? &found->news : NULL;
}

bool access_many_threads(void)
{
    return !functions_only;
}

bool access_many(void)
{
    return several;
}

bool access_stack(uintptr_t *from, uintptr_t *to)
{
    static __thread uintptr_t lowest, bytes;
    pthread_attr_t attributes;
    void *stack;
    size_t size;
    if (bytes == 0 && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &stack, &size) == 0)
            lowest = (uintptr_t)stack, bytes = size;
        pthread_attr_destroy(&attributes);
    }
    *from = lowest;
    *to = lowest + bytes;
    return bytes > 0;
}

bool access_own_stack(uintptr_t at)
{
    uintptr_t from, to;
    return access_stack(&from, &to) && at >= from && at < to;
}

/* ---- threads: no object of a program lies at so low an address ---- */

static uintptr_t thread_key(uint32_t thread)
{
    return (uintptr_t)thread + 1;
}

void access_thread_made(uint32_t thread, bool function)
{
    several = true;
    functions_only &= function;
    access_meets = access_clocks()
                       ? (struct access_meetings){ access_tells, access_hears, looks_at, stores_in }
                       : (struct access_meetings){ 0 };
    access_watch_all(access_clocks());
    struct vector_clocks *clocks = function ? NULL : present();
    if (clocks) {
        vector_clocks_tell(clocks, thread_self()->number, news_of(thread_key(thread)));
        vector_clocks_hear(clocks, thread, news_of(thread_key(thread)));
    }
}

void access_thread_ends(void)
{
    struct vector_clocks *clocks = access_clocks();
    tell(thread_key(thread_self()->number));
    if (clocks)
        vector_clocks_thread_ends(clocks, thread_self()->number);
}

void access_thread_joined(uint32_t thread)
{
    hear(thread_key(thread));
}
