/* SPDX-License-Identifier: MIT */
#include "sim/race/seen/reach.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/device_variables.h"
#include "sim/fiber/fiber.h"
#include "sim/memory/allocation.h"
#include "sim/memory/symbol.h"
#include "sim/program_symbols.h"
#include "sim/race/seen/exchange_seen.h"
#include "trace/record/memory.h"

bool reach_asked;
static struct { uintptr_t from; size_t bytes; } kernel_arguments;

void reach_begin(const void *at, size_t bytes)
{
    kernel_arguments.from = (uintptr_t)at;
    kernel_arguments.bytes = bytes;
    reach_asked = true;
}

void reach_end(void)
{
    reach_asked = false;
}

/* ---- the device's heap: blocks of powers of two, each after a word that says which ---- */

#define HEAP_LOW UINT64_C(0x270000000000)
#define HEAP_SPAN (UINT64_C(1) << 38)
enum { HEAD = 16, CLASSES = 39 };

static struct {
    uintptr_t end;              /* of what was ever given; 0: nothing was */
    void *spare[CLASSES]; /* blocks of 1 << n bytes that were freed, linked by their first word */
    bool taken;
} device_heap;

/* The blocks of a kernel may run on several cores. */
static void take_heap(void)
{
    while (__atomic_test_and_set(&device_heap.taken, __ATOMIC_ACQUIRE))
        ;
}

static void give_heap(void)
{
    __atomic_clear(&device_heap.taken, __ATOMIC_RELEASE);
}

static void *from_end(size_t bytes)
{
    if (device_heap.end == 0) {
        void *all = mmap((void *)HEAP_LOW, HEAP_SPAN, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (all == MAP_FAILED)
            return NULL;
        device_heap.end = HEAP_LOW;
    }
    if (HEAP_LOW + HEAP_SPAN - device_heap.end < bytes)
        return NULL;
    device_heap.end += bytes;
    return (void *)(device_heap.end - bytes);
}

void *reach_allocate(size_t bytes)
{
    unsigned class = 5;
    exchange_seen_orders();         /* another thread may have had the block before */
    while (class < CLASSES && ((size_t)1 << class) - HEAD < bytes)
        class++;
    if (class == CLASSES)
        return NULL;
    take_heap();
    char *block = device_heap.spare[class];
    if (block)
        device_heap.spare[class] = *(void **)(block + HEAD);
    else
        block = from_end((size_t)1 << class);
    give_heap();
    if (!block)
        return NULL;
    *(unsigned *)block = class;
    return block + HEAD;
}

bool reach_free(void *at)
{
    if ((uintptr_t)at - HEAP_LOW >= HEAP_SPAN)
        return false;
    char *block = (char *)at - HEAD;
    unsigned class = *(unsigned *)block;
    take_heap();
    *(void **)at = device_heap.spare[class];
    device_heap.spare[class] = block;
    give_heap();
    return true;
}

/* ---- the program's variables: those at file level are the host's, unless they made themselves
 * known ---- */

extern char data_begin[] __asm__("__data_start"), data_end[] __asm__("_end");

static struct { struct variable { uintptr_t from, to; char *name; } *list; size_t count,
                capacity; bool known; } host_variables;

/* What the linker calls those in functions, which kernels have too, and their guards. */
static bool is_in_function(const char *name)
{
    const char *dot = strrchr(name, '.');
    return (strncmp(name, "_ZZ", 3) == 0 && strncmp(name, "_ZZ4main", 8) != 0)
           || strncmp(name, "_ZGV", 4) == 0 || dot;
}

/* x, _ZL1x (static), _ZZ4mainE1x: x. Others are in namespaces or classes. */
static const char *plain_name(const char *name)
{
    const char *at = strncmp(name, "_ZL", 3) == 0         ? name + 3
                     : strncmp(name, "_ZZ4mainE", 9) == 0 ? name + 9
                                                          : name;
    while (at > name && *at >= '0' && *at <= '9')
        at++;
    return strncmp(at, "_Z", 2) == 0 ? "" : at;
}

static void add_host_variable(const ElfW(Sym) *s, const char *name)
{
    unsigned type = ELF64_ST_TYPE(s->st_info), binding = ELF64_ST_BIND(s->st_info);
    if (s->st_value < (uintptr_t)data_begin || s->st_value >= (uintptr_t)data_end
        || type != STT_OBJECT || (binding != STB_LOCAL && binding != STB_GLOBAL) || s->st_size == 0
        || is_in_function(name))
        return;
    host_variables.list = memory_grow(host_variables.list, host_variables.count,
                                      &host_variables.capacity, sizeof *host_variables.list);
    host_variables.list[host_variables.count++] =
        (struct variable){ s->st_value, s->st_value + s->st_size, strdup(plain_name(name)) };
}

const char *reach_variable(uintptr_t address)
{
    if (address < (uintptr_t)data_begin || address >= (uintptr_t)data_end
        || symbol_find((const void *)address)
        || memory_kind_of((const void *)address, 1) == MEM_MANAGED)
        return NULL;
    if (!host_variables.known)
        program_symbols_each(add_host_variable);
    host_variables.known = true;
    for (size_t i = 0; i < host_variables.count; i++)
        if (address >= host_variables.list[i].from && address < host_variables.list[i].to)
            return host_variables.list[i].name;
    return NULL;
}

/* ---- the question ---- */

struct own { uintptr_t from; size_t bytes; bool known; };
static __thread struct own
    thread_variables; /* the program's variables of this thread: shared memory is among them */

static int find_own(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size, (void)argument;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            thread_variables =
                (struct own){ (uintptr_t)info->dlpi_tls_data, info->dlpi_phdr[i].p_memsz, true };
    thread_variables.known = true;
    return 1;                           /* the program comes first */
}

static bool is_within(uintptr_t address, uintptr_t at, size_t bytes, uintptr_t *from, uintptr_t *to)
{
    *from = at;
    *to = at + bytes;
    return address - at < bytes;
}

bool reach_own(uintptr_t address, uintptr_t *from, uintptr_t *to)
{
    if (!thread_variables.known)
        dl_iterate_phdr(find_own, NULL);
    return is_within(address, thread_variables.from, thread_variables.bytes, from, to)
           || is_within(address, (uintptr_t)sim_shared_dynamic, SHARED_MOST, from, to)
           || is_within(address, STACKS_LOW, STACKS_SPAN, from, to)
           || is_within(address, SHARED_SLOTS_LOW, SHARED_SLOTS_SPAN, from, to)
           || is_within(address, kernel_arguments.from, kernel_arguments.bytes, from, to)
           || is_within(address, (uintptr_t)&blockDim, sizeof blockDim, from, to)
           || is_within(address, (uintptr_t)&gridDim, sizeof gridDim, from, to)
           || is_within(address, (uintptr_t)&sim_shared_is_used, sizeof sim_shared_is_used, from,
                        to);
}

/* The program's file: what lies before its data is constant. */
static bool is_of_program(uintptr_t address)
{
    static __thread uintptr_t from, to; /* what was allowed last */
    extern char program_begin[] __asm__("__executable_start");
    if (address < (uintptr_t)program_begin || address >= (uintptr_t)data_end)
        return false;
    if (address < (uintptr_t)data_begin || address - from < to - from)
        return true;
    if (reach_variable(address))
        return false;
    from = address & ~(uintptr_t)7;
    to = from + 8;
    return true;
}

bool reach_allows(uintptr_t address)
{
    uintptr_t from, to;
    if (address < SYSTEM_PAGE || reach_own(address, &from, &to))
        return true;
    const struct allocation *a = allocation_find((const void *)address);
    return address - HEAP_LOW < HEAP_SPAN || a || is_of_program(address);
}
