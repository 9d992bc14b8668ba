/* SPDX-License-Identifier: MIT */
#include "sim/memory/allocation.h"

#include <string.h>
#include <sys/mman.h>

#include "sim/memory/symbol.h"
#include "trace/record/memory.h"

enum { SMALL = 64 << 10, LARGE = 4 << 20 };

#define RANGE_BYTES (UINT64_C(1) << 40)
static const uintptr_t range_start[] = {
    [MEM_DEVICE] = ALLOCATION_LOW, [MEM_PINNED] = UINT64_C(0x210000000000),
    [MEM_MANAGED] = UINT64_C(0x220000000000),
};

static struct {
    struct allocation *list;    /* by address */
    size_t count, capacity;
} allocations;

/* How many begin at or before the address. */
static size_t count_up_to(uintptr_t at)
{
    size_t low = 0, high = allocations.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (allocations.list[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t pages(size_t bytes)
{
    return (bytes + SYSTEM_PAGE - 1) / SYSTEM_PAGE * SYSTEM_PAGE;
}

static void insert(struct allocation a)
{
    static uint32_t serial;
    a.process = thread_self()->process;
    a.serial = ++serial;
    size_t index = count_up_to(a.at);
    allocations.list = memory_grow(allocations.list, allocations.count, &allocations.capacity,
                                   sizeof *allocations.list);
    memmove(allocations.list + index + 1, allocations.list + index,
            (allocations.count - index) * sizeof *allocations.list);
    allocations.list[index] = a;
    allocations.count++;
}

/* The lowest gap of the range with that many bytes and a page before and after; 0 for none. */
static uintptr_t find_gap(enum memory_kind kind, size_t bytes)
{
    uintptr_t at = range_start[kind], end = at + RANGE_BYTES;
    for (size_t i = count_up_to(at - 1); i < allocations.count && allocations.list[i].at < end;
         i++) {
        if (allocations.list[i].at - at >= bytes + SYSTEM_PAGE)
            break;
        at = allocations.list[i].at + pages(allocations.list[i].bytes) + SYSTEM_PAGE;
    }
    return at + bytes <= end ? at : 0;
}

void *allocation_make(enum memory_kind kind, size_t bytes, int device)
{
    if (bytes > RANGE_BYTES / 2)
        return NULL;
    uintptr_t at = find_gap(kind, pages(bytes));
    if (at == 0)
        return NULL;
    void *memory = mmap((void *)at, pages(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    /* Fewer page faults, where the machine can: large pages, or all at once. Most managed memory is
     * not touched by the host. */
    if (bytes >= LARGE)
        madvise(memory, pages(bytes), MADV_HUGEPAGE);
    else if (bytes >= SMALL && kind != MEM_MANAGED)
        madvise(memory, pages(bytes), MADV_POPULATE_WRITE);
    insert((struct allocation){
        .at = at, .bytes = bytes, .asked = bytes, .kind = kind, .device = device });
    return memory;
}

/* Of registered memory, from the first byte to just past the last. */
static uintptr_t registered_from, registered_to;

static void find_registered(void)
{
    registered_from = registered_to = 0;
    for (const struct allocation *a = allocation_first(); a; a = allocation_after(a))
        if (a->registered) {
            registered_from = registered_to == 0 ? a->at : registered_from;
            registered_to = a->at + a->bytes;
        }
}

void allocation_registered(uintptr_t *from, uintptr_t *to)
{
    *from = registered_from;
    *to = registered_to;
}

bool allocation_register(void *at, size_t bytes, int device)
{
    uintptr_t start = (uintptr_t)at;
    size_t before = count_up_to(start);
    if (before > 0 && allocations.list[before - 1].at + allocations.list[before - 1].bytes > start)
        return false;
    if (before < allocations.count && allocations.list[before].at < start + bytes)
        return false;
    insert((struct allocation){ .at = start, .bytes = bytes, .asked = bytes, .kind = MEM_PINNED,
                                .device = device, .registered = true });
    find_registered();
    return true;
}

void allocation_set_flags(const void *at, unsigned flags)
{
    allocations.list[count_up_to((uintptr_t)at) - 1].flags = flags;
}

void allocation_set_reach(const void *at, const enum cudaMemAccessFlags *reach)
{
    allocations.list[count_up_to((uintptr_t)at) - 1].reach = reach;
}

void allocation_set_asked(const void *at, size_t asked)
{
    allocations.list[count_up_to((uintptr_t)at) - 1].asked = asked;
}

uint32_t allocation_open(const void *at, uint32_t process, int more)
{
    struct allocation *a = &allocations.list[count_up_to((uintptr_t)at) - 1];
    return a->opened[process] += (uint32_t)more;
}

uint32_t allocation_openings(const struct allocation *a)
{
    uint32_t all = 0;
    for (int k = 0; k < PROCESSES; k++)
        all += a->opened[k];
    return all;
}

void allocation_set_freed(const void *at)
{
    allocations.list[count_up_to((uintptr_t)at) - 1].freed = true;
}

void allocation_drop(const void *at)
{
    size_t index = count_up_to((uintptr_t)at) - 1;
    struct allocation a = allocations.list[index];
    if (!a.registered)
        munmap((void *)a.at, pages(a.bytes));
    allocations.count--;
    memmove(allocations.list + index, allocations.list + index + 1,
            (allocations.count - index) * sizeof *allocations.list);
    if (a.registered)
        find_registered();
}

const struct allocation *allocation_before(const void *address)
{
    size_t before = count_up_to((uintptr_t)address);
    return before > 0 ? &allocations.list[before - 1] : NULL;
}

const struct allocation *allocation_ahead(const void *address)
{
    size_t before = count_up_to((uintptr_t)address);
    const struct allocation *next = before < allocations.count ? &allocations.list[before] : NULL;
    if (next && before > 0) {
        const struct allocation *last = &allocations.list[before - 1];
        if ((uintptr_t)address < last->at + last->asked
            || (uintptr_t)address - last->at - last->asked <= next->at - (uintptr_t)address)
            return NULL;
    }
    return next;
}

const struct allocation *allocation_find(const void *address)
{
    const struct allocation *a = allocation_before(address);
    return a && (uintptr_t)address - a->at < a->bytes ? a : NULL;
}

const struct allocation *allocation_first(void)
{
    return allocations.count > 0 ? &allocations.list[0] : NULL;
}

const struct allocation *allocation_after(const struct allocation *a)
{
    return a + 1 < allocations.list + allocations.count ? a + 1 : NULL;
}

void allocation_protect(const struct allocation *a, int protection)
{
    mprotect((void *)a->at, pages(a->bytes), protection);
}

size_t allocation_total(enum memory_kind kind, int device)
{
    size_t total = 0;
    for (size_t i = 0; i < allocations.count; i++)
        if (allocations.list[i].kind == kind && allocations.list[i].device == device)
            total += pages(allocations.list[i].bytes);
    return total;
}

bool allocation_is_registered(uintptr_t at)
{
    if (at < registered_from || at >= registered_to)
        return false;
    const struct allocation *a = allocation_find((const void *)at);
    return a && a->registered;
}

/* __managed__ variables, from the linker; none: both are NULL. */
extern char managed_begin[] __asm__("__start_sim_managed") __attribute__((weak));
extern char managed_end[] __asm__("__stop_sim_managed") __attribute__((weak));

void managed_variables(uintptr_t *from, size_t *bytes)
{
    *from = (uintptr_t)managed_begin;
    *bytes = (size_t)(managed_end - managed_begin);
}

bool allocation_is_managed_variable(uintptr_t at)
{
    return at >= (uintptr_t)managed_begin && at < (uintptr_t)managed_end;
}

enum memory_kind memory_kind_of(const void *address, size_t bytes)
{
    uintptr_t at = (uintptr_t)address;
    const struct allocation *a = allocation_find(address);
    if (a)
        return a->bytes - (at - a->at) >= bytes ? a->kind : a->registered ? MEM_PAGEABLE : MEM_NONE;
    if (at >= (uintptr_t)managed_begin && at < (uintptr_t)managed_end)
        return MEM_MANAGED;
    const struct symbol *symbol = symbol_find(address);
    if (symbol)
        return symbol->bytes - (at - (uintptr_t)symbol->at) >= bytes ? MEM_DEVICE : MEM_NONE;
    for (enum memory_kind kind = MEM_PINNED; kind <= MEM_MANAGED; kind++)
        if (at - range_start[kind] < RANGE_BYTES)
            return MEM_NONE;
    return at < SYSTEM_PAGE ? MEM_NONE : MEM_PAGEABLE;
}
