/* SPDX-License-Identifier: MIT */
#include "sim/race/access_lines.h"

#include "trace/record/memory.h"

enum { FIRST = 1 << 10 };

static struct access_line *find_line(const struct access_lines *l, uintptr_t pc, uintptr_t at)
{
    size_t i = (size_t)((at / ACCESS_LINE * UINT64_C(0x9e3779b97f4a7c15) ^ pc * UINT64_C(0xc2b2ae3d27d4eb4f)) >> 24);
    while (l->list[i &= l->capacity - 1].pc != 0 && (l->list[i].pc != pc || l->list[i].at != at))
        i++;
    return &l->list[i];
}

static void make_lines(struct access_lines *l, size_t capacity)
{
    *l = (struct access_lines){ .list = memory_resize(NULL, capacity * sizeof *l->list), .capacity = capacity };
    memory_zero(l->list, capacity * sizeof *l->list);
}

static void grow_lines(struct access_lines *l)
{
    struct access_lines larger;
    make_lines(&larger, l->capacity > 0 ? 2 * l->capacity : FIRST);
    larger.count = l->count;
    for (size_t i = 0; i < l->capacity; i++)
        if (l->list[i].pc != 0)
            *find_line(&larger, l->list[i].pc, l->list[i].at) = l->list[i];
    memory_resize(l->list, 0);
    *l = larger;
}

void access_lines_add(struct access_lines *l, uintptr_t pc, uintptr_t kind, uintptr_t from, uintptr_t to)
{
    if (2 * l->count >= l->capacity)
        grow_lines(l);
    uintptr_t at = from / ACCESS_LINE * ACCESS_LINE | kind;
    struct access_line *line = find_line(l, pc, at);
    l->count += line->pc == 0;
    line->pc = pc;
    line->at = at;
    for (unsigned first = from % ACCESS_LINE, end = first + (unsigned)(to - from); first < end; first = first / 64 * 64 + 64) {
        unsigned count = end - first < 64 ? end - first : 64;
        line->bytes[first / 64] |= (~UINT64_C(0) >> (64 - count)) << first % 64;
    }
}

void access_lines_widen(const struct access_lines *l, uintptr_t pc, uintptr_t kind, uintptr_t *from, uintptr_t *to)
{
    uintptr_t at = *from / ACCESS_LINE * ACCESS_LINE;
    if (l->count == 0 || *to > at + ACCESS_LINE)
        return;
    const struct access_line *line = find_line(l, pc, at | kind);
    if (line->pc == 0)
        return;
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

void access_lines_clear(struct access_lines *l)
{
    if (l->capacity > FIRST && 16 * l->count < l->capacity) {
        memory_resize(l->list, 0);
        *l = (struct access_lines){ 0 };
    } else if (l->count > 0) {
        memory_zero(l->list, l->capacity * sizeof *l->list);
        l->count = 0;
    }
}
