/* SPDX-License-Identifier: MIT */
/* Functions of the C library that touch memory where no instrumentation is: an instrumented build
 * (instrumented.h) calls these. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/call_log.h"
#include "sim/race/seen/access_seen.h"
#include "sim/race/seen/reach.h"
#include "trace/record/call.h"
#include "trace/record/memory.h"

#define HERE __builtin_return_address(0)
#define READS(at, bytes) access_see(at, bytes, false, HERE)
#define WRITES(at, bytes) access_see(at, bytes, true, HERE)

bool (*access_freeing)(uintptr_t block, size_t bytes);
void (*access_allocated)(uintptr_t block, size_t bytes);
void (*access_overran)(uintptr_t block, size_t bytes, size_t past, const void *made);

/* Blocks of the program's heap have more bytes than it asks for, and those are known: what it
 * writes past a block's end meets no other block, and is found when the block is freed. Of more
 * than WAYS blocks that share a place here the latest is known. */
enum { BEYOND = 64, BEYOND_BYTE = 0xb7, KNOWN_BLOCKS = 1 << 16, WAYS = 8 };
static struct known { const void *block, *made; size_t bytes, calls; } known[KNOWN_BLOCKS];
static bool in_use[KNOWN_BLOCKS / WAYS]; /* rows that anything has been put into */
static bool forgotten; /* one that was not freed */

static size_t row_of(const void *block)
{
    return ((uintptr_t)block >> 4) % (KNOWN_BLOCKS / WAYS);
}

/* Where it is; NULL: it is not there. Without `block`, a free place in the row of `of`. */
static struct known *known_in_row(const void *block, const void *of)
{
    struct known *row = &known[row_of(of) * WAYS];
    for (size_t i = 0; i < WAYS; i++)
        if (row[i].block == block)
            return &row[i];
    return NULL;
}

static struct known *known_place(const void *block)
{
    struct known *place = known_in_row(block, block);
    if (!place)
        place = known_in_row(NULL, block);
    if (place)
        return place;
    forgotten = true;
    return &known[row_of(block) * WAYS];
}

static bool has_room(size_t bytes)
{
    return bytes <= SIZE_MAX / 2;
}

/* `block` has BEYOND bytes more than that. */
static void *fenced(void *block, size_t bytes, const void *made)
{
    if (!block)
        return NULL;
    memset((char *)block + bytes, BEYOND_BYTE, BEYOND);
    in_use[row_of(block)] = true;
    *known_place(block) = (struct known){ block, made, bytes, call_log_count() };
    return block;
}

static void look_beyond(const void *block)
{
    struct known *k = block ? known_in_row(block, block) : NULL;
    if (!k)
        return;
    const unsigned char *end = (const unsigned char *)block + k->bytes;
    size_t past = BEYOND;
    while (past > 0 && end[past - 1] == BEYOND_BYTE)
        past--;
    k->block = NULL;
    if (past > 0 && access_overran && access_watches())
        access_overran((uintptr_t)block, k->bytes, past, k->made);
}

const void *access_made(const void *at)
{
    for (size_t i = 0; i < KNOWN_BLOCKS; i++)
        if (in_use[i / WAYS] && known[i].block
            && (uintptr_t)at - (uintptr_t)known[i].block < known[i].bytes)
            return known[i].made;
    return NULL;
}

/* ---- blocks that were never freed ---- */

static int by_place(const void *a, const void *b)
{
    const struct known *one = *(const struct known *const *)a,
                       *other = *(const struct known *const *)b;
    return one->block < other->block ? -1 : one->block > other->block;
}

/* The block that the address is in, of a sorted list, or at whose end; the list's end: none. */
static size_t block_at(struct known *const *list, size_t count, uintptr_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)list[middle]->block <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address - (uintptr_t)list[low - 1]->block <= list[low - 1]->bytes ? low - 1
                                                                                       : count;
}

/* Marks the blocks that these words lead to; new ones are added to `found`. */
static size_t follow(uintptr_t from, uintptr_t to, struct known *const *list, size_t count,
                     bool *marked, size_t *found, size_t so_far)
{
    for (from = (from + 7) & ~(uintptr_t)7; from + 8 <= to; from += 8) {
        if (from == (uintptr_t)known)
            from += sizeof known;
        size_t k = block_at(list, count, *(const uintptr_t *)from);
        if (k == count || marked[k])
            continue;
        marked[k] = true;
        found[so_far++] = k;
    }
    return so_far;
}

void access_each_lost(void (*lost)(size_t bytes, size_t calls, const void *made))
{
    extern char data_begin[] __asm__("__data_start"), data_end[] __asm__("_end");
    struct known **list = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < KNOWN_BLOCKS && !forgotten; i++)
        if (in_use[i / WAYS] && known[i].block) {
            MEMORY_GROW(list, count, capacity);
            list[count++] = &known[i];
        }
    if (count == 0)
        return;
    qsort(list, count, sizeof *list, by_place);
    bool *marked = memory_resize(NULL, count * sizeof *marked);
    size_t *found = memory_resize(NULL, count * sizeof *found);
    memset(marked, 0, count * sizeof *marked);
    size_t reached =
        follow((uintptr_t)data_begin, (uintptr_t)data_end, list, count, marked, found, 0);
    for (size_t i = 0; i < reached; i++) {
        uintptr_t at = (uintptr_t)list[found[i]]->block;
        reached = follow(at, at + list[found[i]]->bytes, list, count, marked, found, reached);
    }
    for (size_t i = 0; i < count; i++)
        if (!marked[i])
            lost(list[i]->bytes, list[i]->calls, list[i]->made);
    memory_resize(list, 0);
    memory_resize(marked, 0);
    memory_resize(found, 0);
}

/* ---- blocks that are freed ---- */

/* Blocks that were freed are spoilt, and not given away again for a while: what is found there by a
 * late user does not depend on who allocates next. Whoever asks (access_freeing) runs alone. */
enum { QUARANTINE_BLOCKS = 1024, QUARANTINE_BYTES = 1 << 22 };
static struct { void *block[QUARANTINE_BLOCKS]; size_t bytes[QUARANTINE_BLOCKS], first, count,
                total; } quarantine;

static void free_oldest(void)
{
    free(quarantine.block[quarantine.first]);
    quarantine.total -= quarantine.bytes[quarantine.first];
    quarantine.first = (quarantine.first + 1) % QUARANTINE_BLOCKS;
    quarantine.count--;
}

static void put_aside(void *block, size_t bytes)
{
    if (quarantine.count == QUARANTINE_BLOCKS)
        free_oldest();
    memset(block, SPOILT_BYTE, bytes);
    size_t last = (quarantine.first + quarantine.count++) % QUARANTINE_BLOCKS;
    quarantine.block[last] = block;
    quarantine.bytes[last] = bytes;
    quarantine.total += bytes;
    while (quarantine.total > QUARANTINE_BYTES)
        free_oldest();
}

/* Says so; true: the block is to be put aside. */
static bool freeing(void *block, size_t *bytes)
{
    look_beyond(block);
    if (!block || !access_freeing || !access_watches())
        return false;
    *bytes = malloc_usable_size(block);
    return access_freeing((uintptr_t)block, *bytes);
}

static void *allocated(void *block)
{
    if (block && access_allocated && access_watches())
        access_allocated((uintptr_t)block, malloc_usable_size(block));
    return block;
}

#pragma GCC visibility push(default)

void *sim_seen_memcpy(void *dst, const void *src, size_t bytes)
{
    READS(src, bytes), WRITES(dst, bytes);
    return memcpy(dst, src, bytes);
}

void *sim_seen_memmove(void *dst, const void *src, size_t bytes)
{
    READS(src, bytes), WRITES(dst, bytes);
    return memmove(dst, src, bytes);
}

void *sim_seen_mempcpy(void *dst, const void *src, size_t bytes)
{
    return (char *)sim_seen_memcpy(dst, src, bytes) + bytes;
}

void sim_seen_bcopy(const void *src, void *dst, size_t bytes)
{
    sim_seen_memmove(dst, src, bytes);
}

void *sim_seen_memset(void *dst, int value, size_t bytes)
{
    WRITES(dst, bytes);
    return memset(dst, value, bytes);
}

void sim_seen_bzero(void *dst, size_t bytes)
{
    sim_seen_memset(dst, 0, bytes);
}

int sim_seen_memcmp(const void *a, const void *b, size_t bytes)
{
    READS(a, bytes), READS(b, bytes);
    return memcmp(a, b, bytes);
}

void *sim_seen_memchr(const void *at, int c, size_t bytes)
{
    READS(at, bytes);
    return memchr(at, c, bytes);
}

size_t sim_seen_strlen(const char *s)
{
    size_t length = strlen(s);
    READS(s, length + 1);
    return length;
}

size_t sim_seen_strnlen(const char *s, size_t most)
{
    size_t length = strnlen(s, most);
    READS(s, length < most ? length + 1 : most);
    return length;
}

char *sim_seen_strcpy(char *dst, const char *src)
{
    size_t bytes = strlen(src) + 1;
    READS(src, bytes), WRITES(dst, bytes);
    return memcpy(dst, src, bytes);
}

char *sim_seen_strncpy(char *dst, const char *src, size_t bytes)
{
    size_t length = strnlen(src, bytes);
    READS(src, length < bytes ? length + 1 : bytes), WRITES(dst, bytes);
    memset(memcpy(dst, src, length) + length, 0, bytes - length);
    return dst;
}

int sim_seen_strcmp(const char *a, const char *b)
{
    READS(a, strlen(a) + 1), READS(b, strlen(b) + 1);
    return strcmp(a, b);
}

int sim_seen_strncmp(const char *a, const char *b, size_t bytes)
{
    READS(a, strnlen(a, bytes)), READS(b, strnlen(b, bytes));
    return strncmp(a, b, bytes);
}

size_t sim_seen_fread(void *dst, size_t size, size_t count, FILE *file)
{
    size_t n = fread(dst, size, count, file);
    WRITES(dst, size * n);
    return n;
}

size_t sim_seen_fwrite(const void *src, size_t size, size_t count, FILE *file)
{
    READS(src, size * count);
    return fwrite(src, size, count, file);
}

ssize_t sim_seen_read(int file, void *dst, size_t bytes)
{
    ssize_t n = read(file, dst, bytes);
    if (n > 0)
        WRITES(dst, (size_t)n);
    return n;
}

ssize_t sim_seen_write(int file, const void *src, size_t bytes)
{
    READS(src, bytes);
    return write(file, src, bytes);
}

/* ---- memory that comes and goes ---- */

void *sim_seen_malloc(size_t bytes)
{
    if (reach_asked)
        return reach_allocate(bytes);
    return allocated(has_room(bytes) ? fenced(malloc(bytes + BEYOND), bytes, HERE) : malloc(bytes));
}

void *sim_seen_calloc(size_t count, size_t size)
{
    size_t bytes;
    bool fits = !__builtin_mul_overflow(count, size, &bytes) && has_room(bytes);
    return allocated(fits ? fenced(calloc(1, bytes + BEYOND), bytes, HERE) : calloc(count, size));
}

void sim_seen_free(void *block)
{
    size_t bytes;
    if (reach_free(block))
        return;
    if (freeing(block, &bytes))
        put_aside(block, bytes);
    else
        free(block);
}

void *sim_seen_realloc(void *block, size_t bytes)
{
    size_t had;
    freeing(block, &had);
    return allocated(has_room(bytes) ? fenced(realloc(block, bytes + BEYOND), bytes, HERE)
                                     : realloc(block, bytes));
}

/* Is it the program's own, and not the library's? */
extern char text_begin[] __asm__("__executable_start"), text_end[] __asm__("etext");
static bool is_programs(uintptr_t function)
{
    return function >= (uintptr_t)text_begin && function < (uintptr_t)text_end;
}

/* C++'s own, which may be the program's. Where nothing else is the C++ library's, it is not linked,
 * and C's will do. */
#define DELETE(name, symbol) \
    extern void real_##name(void *block) __asm__(symbol) __attribute__((weak)); \
    void sim_seen_##name(void *block) \
    { \
        size_t bytes; \
        if (reach_free(block)) return; \
        if (freeing(block, &bytes) && !is_programs((uintptr_t)real_##name)) put_aside(block, bytes); \
        else if (real_##name) real_##name(block); \
        else free(block); \
    } \
    void sim_seen_##name##_sized(void *block, size_t bytes) { (void)bytes; sim_seen_##name(block); }
DELETE(delete, "_ZdlPv")
DELETE(delete_array, "_ZdaPv")
#define NEW(name, symbol) \
    extern void *real_##name(size_t bytes) __asm__(symbol) __attribute__((weak)); \
    void *sim_seen_##name(size_t bytes) \
    { \
        if (reach_asked) return reach_allocate(bytes); \
        if (!has_room(bytes) || is_programs((uintptr_t)real_##name)) return allocated(real_##name ? real_##name(bytes) : malloc(bytes)); \
        return allocated(fenced(real_##name ? real_##name(bytes + BEYOND) : malloc(bytes + BEYOND), bytes, HERE)); \
    }
NEW(new, "_Znwm")
NEW(new_array, "_Znam")

#pragma GCC visibility pop
