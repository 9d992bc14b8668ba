/* SPDX-License-Identifier: MIT */
#include "sim/race/seen/access_runs.h"

#include <stdlib.h>
#include <string.h>

#include "trace/record/memory.h"

enum { FIRST = 1 << 10, COMPACT = 1 << 16 };

/* ---- lines ---- */

/* The slot of a line, or the free one where it belongs. */
static uint32_t *find_slot(const struct access_lines *l, uintptr_t pc, uintptr_t at)
{
    size_t i = (size_t)((at / ACCESS_LINE * UINT64_C(0x9e3779b97f4a7c15)
                         ^ pc * UINT64_C(0xc2b2ae3d27d4eb4f))
                        >> 24);
    while (l->slot[i &= l->slots - 1] != 0
           && (l->list[l->slot[i] - 1].pc != pc || l->list[l->slot[i] - 1].at != at))
        i++;
    return &l->slot[i];
}

static void grow_slots(struct access_lines *l)
{
    l->slots = l->slots > 0 ? 2 * l->slots : FIRST;
    l->list = memory_resize(l->list, l->slots / 2 * sizeof *l->list);
    l->slot = memory_resize(l->slot, l->slots * sizeof *l->slot);
    memory_zero(l->slot, l->slots * sizeof *l->slot);
    for (uint32_t k = 0; k < l->count; k++)
        *find_slot(l, l->list[k].pc, l->list[k].at) = k + 1;
}

static uintptr_t line_at(uintptr_t address, uintptr_t kind)
{
    return address / ACCESS_LINE * ACCESS_LINE | kind;
}

/* Its number, from 0. */
static uint32_t number_of_line(struct access_lines *l, uintptr_t pc, uintptr_t at)
{
    if (2 * l->count >= l->slots)
        grow_slots(l);
    uint32_t *slot = find_slot(l, pc, at);
    if (*slot == 0) {
        l->list[l->count] = (struct access_line){ .pc = pc, .at = at };
        *slot = (uint32_t)++l->count;
    }
    return *slot - 1;
}

static bool is_line(const struct access_lines *l, uint32_t number, uintptr_t pc, uintptr_t at)
{
    return number < l->count && l->list[number].at == at && l->list[number].pc == pc;
}

static uint32_t guess_line(struct access_lines *l, uintptr_t pc, uintptr_t at, uint32_t before)
{
    if (is_line(l, before, pc, at))
        return before;
    uint32_t next = before < l->count ? l->list[before].next : 0;
    if (is_line(l, next, pc, at))
        return next;
    next = number_of_line(l, pc, at);
    if (before < l->count && l->list[before].pc == pc)
        l->list[before].next = next;
    return next;
}

static void add_to_line(struct access_lines *l, uint32_t number, uintptr_t from, uintptr_t to)
{
    struct access_line *line = &l->list[number];
    for (unsigned first = from % ACCESS_LINE, end = first + (unsigned)(to - from); first < end;
         first = first / 64 * 64 + 64) {
        unsigned count = end - first < 64 ? end - first : 64;
        line->bytes[first / 64] |= (~UINT64_C(0) >> (64 - count)) << first % 64;
    }
}

void access_runs_widen(const struct access_runs *r, uintptr_t pc, uintptr_t kind, uintptr_t *from,
                       uintptr_t *to)
{
    const struct access_lines *l = &r->lines;
    uintptr_t at = *from / ACCESS_LINE * ACCESS_LINE;
    if (l->count == 0 || *to > at + ACCESS_LINE)
        return;
    uint32_t slot = *find_slot(l, pc, at | kind);
    if (slot == 0)
        return;
    const struct access_line *line = &l->list[slot - 1];
    unsigned first = (unsigned)(*from - at), end = (unsigned)(*to - at);
    while (first > 0) {
        unsigned bits = first % 64 ? first % 64 : 64;       /* below it, in its word */
        uint64_t left = ~line->bytes[(first - 1) / 64] << (64 - bits);
        first -= left ? (unsigned)__builtin_clzll(left) : bits;
        if (left)
            break;
    }
    while (end < ACCESS_LINE) {
        uint64_t left = ~line->bytes[end / 64] >> end % 64;
        end += left ? (unsigned)__builtin_ctzll(left) : 64 - end % 64;
        if (left)
            break;
    }
    *from = at + first;
    *to = at + end;
}

static void clear_lines(struct access_lines *l)
{
    if (l->slots > FIRST && 16 * l->count < l->slots) {
        memory_resize(l->list, 0);
        memory_resize(l->slot, 0);
        *l = (struct access_lines){ 0 };
    } else if (l->count > 0) {
        memory_zero(l->slot, l->slots * sizeof *l->slot);
        l->count = 0;
    }
}

static SEEN int by_line(const void *a, const void *b)
{
    const struct access_line *left = a, *right = b;
    uintptr_t left_kind = left->at & KIND_BITS, right_kind = right->at & KIND_BITS;
    if (left->pc != right->pc)
        return left->pc < right->pc ? -1 : 1;
    if (left_kind != right_kind)
        return left_kind < right_kind ? -1 : 1;
    return (left->at > right->at) - (left->at < right->at);
}

/* The first byte from there on that was touched, or was not; ACCESS_LINE: there is none. */
static SEEN unsigned next_byte(const struct access_line *line, unsigned from, bool touched)
{
    while (from < ACCESS_LINE) {
        uint64_t left = (touched ? line->bytes[from / 64] : ~line->bytes[from / 64])
                        & ~UINT64_C(0) << from % 64;
        if (left != 0)
            return from / 64 * 64 + (unsigned)__builtin_ctzll(left);
        from = from / 64 * 64 + 64;
    }
    return ACCESS_LINE;
}

/* ---- the list ---- */

static SEEN int by_pc_and_address(const void *a, const void *b)
{
    const struct access_run *left = a, *right = b;
    if (left->pc != right->pc)
        return left->pc < right->pc ? -1 : 1;
    if (left->write != right->write)
        return left->write ? 1 : -1;
    if (left->uninitialised != right->uninitialised)
        return left->uninitialised ? 1 : -1;
    return (left->from > right->from) - (left->from < right->from);
}

static bool alike(const struct access_run *a, const struct access_run *b)
{
    return a->pc == b->pc && a->write == b->write && a->atomic == b->atomic
           && a->uninitialised == b->uninitialised && a->trespass == b->trespass;
}

/* From where on the list's end is in order. */
static SEEN size_t end_in_order(const struct access_run *list, size_t count)
{
    while (count > 1 && by_pc_and_address(&list[count - 2], &list[count - 1]) <= 0)
        count--;
    return count > 0 ? count - 1 : 0;
}

/* Both parts of the list are in order: so is all of it then. */
static SEEN void merge(struct access_run *list, size_t part, size_t count)
{
    if (part == 0 || part == count || by_pc_and_address(&list[part - 1], &list[part]) <= 0)
        return;
    size_t first = 0, then = part, to = 0;
    while (by_pc_and_address(&list[to], &list[part]) <= 0)
        to++;
    struct access_run *left = memory_resize(NULL, (part - to) * sizeof *left);
    memcpy(left, &list[to], (part - to) * sizeof *left);
    for (size_t left_count = part - to; first < left_count;) {
        bool takes_left = then == count || by_pc_and_address(&left[first], &list[then]) <= 0;
        list[to++] = takes_left ? left[first++] : list[then++];
    }
    memory_resize(left, 0);
}

/* The list begins with what was compact before, which is in order, and often ends with what lay in
 * lines, which is too: millions of runs, where an instruction has touched every third word. */
static SEEN void sort(struct access_runs *r)
{
    size_t end = end_in_order(r->list, r->count);
    size_t middle = r->sorted < end ? r->sorted : end;
    if (middle < end)
        qsort(&r->list[middle], end - middle, sizeof *r->list, by_pc_and_address);
    merge(&r->list[middle], end - middle, r->count - middle);
    merge(r->list, middle, r->count);
}

static SEEN void compact(struct access_runs *r)
{
    size_t kept = 0;
    sort(r);
    for (size_t i = 0; i < r->count; i++) {
        struct access_run *last = kept > 0 ? &r->list[kept - 1] : NULL;
        if (last && alike(last, &r->list[i]) && r->list[i].from <= last->to)
            last->to = r->list[i].to > last->to ? r->list[i].to : last->to;
        else
            r->list[kept++] = r->list[i];
    }
    r->count = r->sorted = kept;
    r->compact_at = 2 * kept > COMPACT ? 2 * kept : COMPACT;
}

SEEN void access_runs_add(struct access_runs *r, const struct access_run *run)
{
    if (r->compact_at == 0)
        r->compact_at = COMPACT;
    if (r->count >= r->compact_at)
        compact(r);
    r->list = memory_grow(r->list, r->count, &r->capacity, sizeof *r->list);
    r->list[r->count++] = *run;
}

static SEEN void add_run(struct access_runs *r, uintptr_t from, uintptr_t to, uintptr_t pc,
                         uintptr_t kind)
{
    access_runs_add(r, &(struct access_run){ from, to, (const void *)pc, kind & WRITES_BIT,
                                             kind & ATOMIC_BIT, kind & UNINITIALISED_BIT, false });
}

/* ---- both ---- */

SEEN void access_runs_close(struct access_runs *r, uintptr_t pc, uintptr_t kind, uintptr_t from,
                            uintptr_t to)
{
    if (from / ACCESS_LINE == (to - 1) / ACCESS_LINE)
        add_to_line(&r->lines, number_of_line(&r->lines, pc, line_at(from, kind)), from, to);
    else
        add_run(r, from, to, pc, kind);
}

SEEN void access_runs_touch(struct access_runs *r, uintptr_t pc, uintptr_t kind, uintptr_t from,
                            uintptr_t to, uint32_t *guess)
{
    *guess = guess_line(&r->lines, pc, line_at(from, kind), *guess);
    add_to_line(&r->lines, *guess, from, to);
}

/* There are fewer lines than runs: those are in order then. */
SEEN void access_runs_gather(struct access_runs *r)
{
    if (r->lines.count > 0)
        qsort(r->lines.list, r->lines.count, sizeof *r->lines.list, by_line);
    for (size_t i = 0; i < r->lines.count; i++) {
        const struct access_line *line = &r->lines.list[i];
        uintptr_t at = line->at & ~KIND_BITS;
        for (unsigned first = 0, end; (first = next_byte(line, first, true)) < ACCESS_LINE;
             first = end) {
            end = next_byte(line, first, false);
            add_run(r, at + first, at + end, line->pc, line->at & KIND_BITS);
        }
    }
    clear_lines(&r->lines);
}

const struct access_run *access_runs_take(struct access_runs *r, size_t *count)
{
    access_runs_gather(r);
    compact(r);
    *count = r->count;
    r->count = r->sorted = 0;
    return r->list;
}
