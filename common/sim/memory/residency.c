/* SPDX-License-Identifier: MIT */
#include "sim/memory/residency.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sim/device_variables.h"
#include "sim/memory/allocation.h"
#include "sim/memory/managed_range.h"
#include "sim/memory/page_moves.h"
#include "trace/record/memory.h"

enum { PAGE = 64 << 10, BLOCK = 32 };
enum { ON_HOST = 1, ON_DEVICES = UINT16_MAX - ON_HOST };
_Static_assert(CARD_DEVICES < 16, "a bit for each device and the host");

struct page {
    uint16_t on;                /* bits, by side_bit() */
    uint8_t open;               /* protection that it has: PROT_… */
    bool mapped;                /* the device reaches it where it is, on the host */
    bool leaves;                /* a prefetch that is queued takes it from the host */
    struct prefetch_time taken; /* and when, if that is known */
};

struct region {
    uintptr_t at, end;          /* whole pages of the system */
    struct page *pages;
    size_t count;
    uint64_t *came;             /* by block: when pages came to the device last */
    struct region *next;
};

static struct {
    struct region *regions;
    enum toucher toucher;
    int device;                 /* of the kernel that touches */
    size_t on_device;           /* pages */
    uint64_t arrivals;
    /* Pages elsewhere that a kernel's block has touched, and that block. */
    struct touched { uintptr_t at; const void *pc; } *touched;
    size_t touched_count, touched_capacity;
    struct uint3 block;
    size_t served;              /* faults of who touches, so far */
} all;

static uint16_t side_bit(int side)
{
    return side == SIDE_HOST ? ON_HOST : (uint16_t)(2u << side);
}

static int side_of_toucher(void)
{
    return all.toucher == TOUCHER_HOST ? SIDE_HOST : all.device;
}

static struct region *find_region(uintptr_t address)
{
    struct region *r = all.regions;
    while (r && !(address >= r->at && address < r->end))
        r = r->next;
    return r;
}

static size_t bytes_of(const struct region *r, size_t page)
{
    size_t left = r->end - r->at - page * PAGE;
    return left < PAGE ? left : PAGE;
}

/* ---- protection: what is not on the side of whoever runs cannot be touched ---- */

static int protection_for(const struct page *p, enum toucher who)
{
    if (who == TOUCHER_COPY)
        return p->open;         /* opened as copies come to it */
    uint16_t side = side_bit(side_of_toucher());
    if (who == TOUCHER_HOST && p->leaves)
        return PROT_NONE;
    if (p->on & side)
        return p->on != side ? PROT_READ : PROT_READ | PROT_WRITE;
    return who == TOUCHER_KERNEL && p->mapped ? PROT_READ | PROT_WRITE : PROT_NONE;
}

static void protect(struct region *r, size_t first, size_t end, int protection)
{
    uintptr_t from = r->at + first * PAGE, to = end == r->count ? r->end : r->at + end * PAGE;
    int before = errno;
    mprotect((void *)from, to - from, protection);
    errno = before;
    for (size_t i = first; i < end; i++)
        r->pages[i].open = (uint8_t)protection;
}

static void protect_for(struct region *r, size_t first, size_t end, enum toucher who)
{
    while (first < end) {
        int protection = protection_for(&r->pages[first], who);
        size_t last = first + 1;
        if (protection != r->pages[first].open) {
            while (last < end && r->pages[last].open != protection
                   && protection_for(&r->pages[last], who) == protection)
                last++;
            protect(r, first, last, protection);
        }
        first = last;
    }
}

static void serve_touched(void);        /* below, with faults */

void residency_touched_by(enum toucher who, int device)
{
    if (who == all.toucher && device == all.device)
        return;
    serve_touched();
    all.served = 0;
    all.toucher = who;
    all.device = device;
    for (struct region *r = all.regions; r; r = r->next)
        protect_for(r, 0, r->count, who);
}

/* ---- regions ---- */

void residency_add(uintptr_t at, size_t bytes, bool on_host)
{
    uintptr_t end = (at + bytes + SYSTEM_PAGE - 1) / SYSTEM_PAGE * SYSTEM_PAGE;
    struct region *r = memory_resize(NULL, sizeof *r);
    size_t count = (end - at + PAGE - 1) / PAGE, blocks = (count + BLOCK - 1) / BLOCK;
    *r = (struct region){ at, end, memory_resize(NULL, count * sizeof *r->pages), count,
                          memory_resize(NULL, blocks * sizeof *r->came), all.regions };
    for (size_t i = 0; i < count; i++)
        r->pages[i] = (struct page){ .on = on_host ? ON_HOST : 0, .open = PROT_READ | PROT_WRITE };
    memory_zero(r->came, blocks * sizeof *r->came);
    all.regions = r;
    protect_for(r, 0, count, all.toucher);
}

static void set_on(struct page *p, uint16_t on)
{
    all.on_device += (on & ON_DEVICES) != 0;
    all.on_device -= (p->on & ON_DEVICES) != 0;
    p->on = on;
    p->leaves = false;
    if (on & ON_DEVICES)
        p->mapped = false;
}

void residency_drop(uintptr_t at)
{
    for (struct region **link = &all.regions; *link; link = &(*link)->next) {
        struct region *r = *link;
        if (r->at != at)
            continue;
        *link = r->next;
        for (size_t i = 0; i < r->count; i++)
            set_on(&r->pages[i], 0);
        memory_resize(r->pages, 0);
        memory_resize(r->came, 0);
        memory_resize(r, 0);
        return;
    }
}

bool residency_watches(void)
{
    return all.regions;
}

size_t residency_on_device(void)
{
    return all.on_device * PAGE;
}

/* __managed__ variables, from the linker: whole pages, since the last of them is ours. */
static char variables_end[SYSTEM_PAGE]
    __attribute__((section("sim_managed"), aligned(SYSTEM_PAGE), used));
extern char managed_start[] __asm__("__start_sim_managed");

void residency_begin(size_t (*by)(struct call *c))
{
    page_moves_begin(by);
    if (&variables_end[0] > &managed_start[0] && sim.card->managed)
        residency_add((uintptr_t)managed_start, (size_t)(variables_end - managed_start), true);
}

/* ---- moves ---- */

/* The block on the device whose pages came longest ago; NULL: there is none. */
static struct region *oldest(size_t *block)
{
    struct region *found = NULL;
    uint64_t came = UINT64_MAX;
    for (struct region *r = all.regions; r; r = r->next)
        for (size_t i = 0; i * BLOCK < r->count; i++)
            if (r->came[i] != 0 && r->came[i] < came) {
                came = r->came[i];
                found = r;
                *block = i;
            }
    return found;
}

static void evict(struct region *r, size_t block)
{
    size_t first = block * BLOCK, end = first + BLOCK < r->count ? first + BLOCK : r->count;
    uint64_t bytes = 0;
    for (size_t i = first; i < end; i++) {
        if (!(r->pages[i].on & ON_DEVICES))
            continue;
        bytes += r->pages[i].on & ON_HOST ? 0 : bytes_of(r, i);
        set_on(&r->pages[i], ON_HOST);
    }
    r->came[block] = 0;
    protect_for(r, first, end, all.toucher);
    page_moves_add(r->at + first * PAGE, bytes, true, MIGRATE_EVICTS, NULL);
}

/* For that many more pages on the device. */
static void make_room(size_t pages)
{
    size_t total = (size_t)sim.card->memory_mib << 20, taken = allocation_total(MEM_DEVICE, 0),
           block;
    size_t room = taken < total ? (total - taken) / PAGE : 0;
    while (all.on_device > 0 && all.on_device + pages > room) {
        struct region *r = oldest(&block);
        if (!r)
            return;
        evict(r, block);
    }
}

/* Puts the pages [first, end) on one side (`copied`: on both) and returns the bytes that travel. */
static uint64_t put_pages(struct region *r, size_t first, size_t end, int to, bool copied)
{
    uint16_t side = side_bit(to);
    size_t new_ones = 0;
    uint64_t bytes = 0;
    for (size_t i = first; i < end; i++)
        new_ones += !(r->pages[i].on & ON_DEVICES);
    if (to != SIDE_HOST && new_ones > 0)
        make_room(new_ones);
    for (size_t i = first; i < end; i++) {
        uint16_t on = r->pages[i].on;
        if (on != 0 && !(on & side))
            bytes += bytes_of(r, i);
        set_on(&r->pages[i], copied ? side | on : side);
    }
    if (to != SIDE_HOST)
        for (size_t block = first / BLOCK; block * BLOCK < end; block++)
            r->came[block] = ++all.arrivals;
    return bytes;
}

/* ---- faults ---- */

/* It is there, and no prefetch that is queued takes it. */
static bool stays_on(const struct page *p, uint16_t side)
{
    return (p->on & side) && !(side == ON_HOST && p->leaves);
}

/* The group of pages that the fault on `page` takes along (see the header). */
static void widen(const struct region *r, size_t page, uint16_t side, size_t *first, size_t *end)
{
    *first = page;
    *end = page + 1;
    for (size_t size = 2; size <= BLOCK; size *= 2) {
        size_t from = page / size * size, to = from + size < r->count ? from + size : r->count,
               there = 0;
        for (size_t i = from; i < to; i++)
            there += stays_on(&r->pages[i], side) || (i >= *first && i < *end);
        if (2 * there <= to - from)
            continue;
        *first = from;
        *end = to;
    }
}

/* The host touches what a prefetch was to take. */
static void comes_back(struct region *r, size_t page, const void *pc)
{
    size_t first, end;
    uint64_t bytes = 0;
    widen(r, page, ON_HOST, &first, &end);
    for (size_t i = first; i < end; i++) {
        bytes += r->pages[i].leaves ? bytes_of(r, i) : 0;
        r->pages[i].leaves = false;
    }
    page_moves_add(r->at + first * PAGE, bytes, true, MIGRATE_FAULT, pc);
    protect_for(r, first, end, all.toucher);
}

/* The page comes (`copied`: a copy of it), and those that it takes along. */
static void comes(struct region *r, size_t page, bool copied, uint32_t flags, const void *pc)
{
    int to = side_of_toucher();
    size_t first, end;
    all.served++;
    widen(r, page, side_bit(to), &first, &end);
    uint64_t bytes = put_pages(r, first, end, to, copied);
    page_moves_add(r->at + first * PAGE, bytes, to == SIDE_HOST, flags, pc);
    protect_for(r, first, end, all.toucher);
}

static void kernel_or_host_faults(struct region *r, size_t page, bool write, const void *pc)
{
    bool to_host = all.toucher == TOUCHER_HOST;
    struct page *p = &r->pages[page];
    uintptr_t at = r->at + page * PAGE;
    int to = side_of_toucher();
    uint16_t side = side_bit(to);
    struct range_advice advice = range_advice_of(at);
    if (to_host && p->leaves) {
        comes_back(r, page, pc);
        return;
    }
    if (!to_host && p->on == ON_HOST && (advice.by_device || advice.prefers_host)
        && !advice.read_mostly) {
        p->mapped = true;
        if (!advice.by_device)
            page_moves_add(at, 0, false, MIGRATE_FAULT, pc);
        protect_for(r, page, page + 1, all.toucher);
        return;
    }
    if (p->on & side) {         /* a write to what is on both sides */
        put_pages(r, page, page + 1, to, false);
        page_moves_add(at, 0, to_host, MIGRATE_FAULT, pc);
        protect_for(r, page, page + 1, all.toucher);
        return;
    }
    if (to_host && p->on == 0) {
        set_on(p, ON_HOST);
        protect_for(r, page, page + 1, all.toucher);
        return;
    }
    if (to_host || advice.read_mostly) {
        comes(r, page, advice.read_mostly && !write && p->on != 0, MIGRATE_FAULT, pc);
        return;
    }
    all.block = blockIdx;
    MEMORY_GROW(all.touched, all.touched_count, all.touched_capacity);
    all.touched[all.touched_count++] = (struct touched){ at, pc };
    protect(r, page, page + 1, PROT_READ | PROT_WRITE);
}

static int by_address(const void *one, const void *other)
{
    const struct touched *a = one, *b = other;
    return (a->at > b->at) - (a->at < b->at);
}

/* Before the driver is at the fault. */
static bool comes_by_prefetch(const struct page *p)
{
    int64_t its_turn = model_device_now(&sim.model) + sim.card->fault_first
                       + (int64_t)all.served * sim.card->fault_device;
    return p->leaves && p->taken.begin <= its_turn;
}

/* The pages that a block has touched come. */
static void serve_touched(void)
{
    size_t count = all.touched_count;
    if (count == 0)
        return;
    all.touched_count = 0;
    qsort(all.touched, count, sizeof *all.touched, by_address);
    for (size_t i = 0; i < count; i++) {
        const struct touched *t = &all.touched[i];
        struct region *r = find_region(t->at);
        size_t page = r ? (t->at - r->at) / PAGE : 0;
        if (r && comes_by_prefetch(&r->pages[page]))
            page_moves_wait(t->at, r->pages[page].taken.end, t->pc);
        else if (r && !(r->pages[page].on & side_bit(all.device)))
            comes(r, page, false, MIGRATE_FAULT | (i > 0 ? MIGRATE_TOGETHER : 0), t->pc);
    }
}

static bool is_of_block(void)
{
    return all.block.x == blockIdx.x && all.block.y == blockIdx.y && all.block.z == blockIdx.z;
}

static bool is_open(const struct page *p, bool write)
{
    return (p->open & PROT_WRITE) || (!write && (p->open & PROT_READ));
}

bool residency_fault(uintptr_t address, bool write, const void *pc)
{
    struct region *r = find_region(address);
    if (!r)
        return false;
    size_t page = (address - r->at) / PAGE;
    if (is_open(&r->pages[page], write))
        return false;           /* it is not that which was wrong */
    if (all.toucher == TOUCHER_COPY) {
        if (r->pages[page].on == 0)
            put_pages(r, page, page + 1, 0, false);
        protect(r, page, page + 1, PROT_READ | PROT_WRITE);
    } else {
        if (all.touched_count > 0 && !is_of_block())
            serve_touched();
        if (!is_open(&r->pages[page], write))   /* it has not come along */
            kernel_or_host_faults(r, page, write, pc);
    }
    return true;
}

void residency_touch(uintptr_t from, size_t bytes, bool write)
{
    uintptr_t end = from + bytes;
    struct region *r = bytes > 0 && all.regions ? find_region(from) : NULL;
    for (; r && from < end && from < r->end; from = r->at + ((from - r->at) / PAGE + 1) * PAGE)
        residency_fault(from, write, NULL);
}

/* ---- what the rest of the simulator asks for ---- */

int64_t residency_ran(uint32_t node)
{
    return page_moves_of_node(node);
}

void residency_kernel_begins(void)
{
    if (sim.card->concurrent_managed)
        return;
    for (struct region *r = all.regions; r; r = r->next) {
        uint64_t bytes = put_pages(r, 0, r->count, 0, false);
        if (bytes > 0)
            page_moves_add(r->at, bytes, false, 0, NULL);
    }
}

uint64_t residency_prefetch(uint32_t node, uintptr_t at, size_t bytes, int to)
{
    struct region *r = find_region(at);
    uint64_t moved = 0;
    if (r) {
        size_t first = (at - r->at) / PAGE, end = (at + bytes - r->at + PAGE - 1) / PAGE;
        end = end < r->count ? end : r->count;
        for (size_t i = first; i < end; i++)    /* one by one: advice may differ */
            moved +=
                put_pages(r, i, i + 1, to,
                          range_advice_of(r->at + i * PAGE).read_mostly && r->pages[i].on != 0);
        protect_for(r, first, end, all.toucher);
        residency_ran(node);     /* what left for it */
    }
    page_moves_of_prefetch(node, at, moved, to == SIDE_HOST);
    return moved;
}

void residency_leaves(uintptr_t at, size_t bytes, int to, uint32_t node)
{
    struct prefetch_time taken = model_prefetch_time(&sim.model, node);
    struct region *r = to == SIDE_HOST ? NULL : find_region(at);
    if (!r)
        return;
    size_t first = (at - r->at) / PAGE, end = (at + bytes - r->at + PAGE - 1) / PAGE;
    end = end < r->count ? end : r->count;
    for (size_t i = first; i < end; i++)
        if (r->pages[i].on == ON_HOST && !range_advice_of(r->at + i * PAGE).read_mostly) {
            if (!r->pages[i].leaves || taken.begin < r->pages[i].taken.begin)
                r->pages[i].taken = taken;
            r->pages[i].leaves = true;
        }
    protect_for(r, first, end, all.toucher);
}

uint64_t residency_elsewhere(uintptr_t at, size_t bytes, int to)
{
    struct region *r = find_region(at);
    uint64_t elsewhere = 0;
    for (uintptr_t from = at; r && from < at + bytes && from < r->end;) {
        size_t page = (from - r->at) / PAGE;
        uintptr_t next =
            r->at + (page + 1) * PAGE < at + bytes ? r->at + (page + 1) * PAGE : at + bytes;
        elsewhere += r->pages[page].on & side_bit(to) ? 0 : next - from;
        from = next;
    }
    return elsewhere;
}

void residency_host_calls(void)
{
    if (all.toucher == TOUCHER_HOST)
        page_moves_of_host();
}
