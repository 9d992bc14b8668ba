/* SPDX-License-Identifier: MIT */
#include "trace/record/timeline.h"

#include "trace/record/memory.h"

void timeline_init(struct timeline *t)
{
    memory_zero(t, sizeof *t);
}

void timeline_fini(struct timeline *t)
{
    memory_resize(t->calls, 0);
    memory_resize(t->parts, 0);
    memory_resize(t->spans, 0);
    memory_resize(t->migrations, 0);
    memory_resize(t->text, 0);
    memory_resize(t->string_offset, 0);
    memory_resize(t->string_hash, 0);
    memory_zero(t, sizeof *t);
}

static uint32_t hash_bytes(const char *s, size_t length)
{
    uint32_t hash = 2166136261u;            /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)s[i]) * 16777619u;
    return hash;
}

static bool same_string(const struct timeline *t, uint32_t number, const char *s, size_t length)
{
    const char *have = t->text + t->string_offset[number];
    for (size_t i = 0; i < length; i++)
        if (have[i] != s[i])
            return false;
    return have[length] == '\0';
}

/* The slot that holds the string, or the empty one where it would go. The
 * table holds number + 1; 0 is empty. */
static size_t find_slot(const struct timeline *t, const char *s, size_t length)
{
    size_t at = hash_bytes(s, length) & (t->hash_capacity - 1);
    while (t->string_hash[at] != 0 && !same_string(t, t->string_hash[at] - 1, s, length))
        at = (at + 1) & (t->hash_capacity - 1);
    return at;
}

static void rehash(struct timeline *t)
{
    t->hash_capacity = t->hash_capacity > 0 ? 2 * t->hash_capacity : 64;
    t->string_hash =
        (uint32_t *)memory_resize(t->string_hash, t->hash_capacity * sizeof *t->string_hash);
    memory_zero(t->string_hash, t->hash_capacity * sizeof *t->string_hash);
    for (uint32_t number = 0; number < t->string_count; number++) {
        const char *s = t->text + t->string_offset[number];
        size_t length = 0;
        while (s[length] != '\0')
            length++;
        t->string_hash[find_slot(t, s, length)] = number + 1;
    }
}

static uint32_t add_string(struct timeline *t, const char *s, size_t length)
{
    if (2 * (t->string_count + 1) > t->hash_capacity)
        rehash(t);
    size_t slot = find_slot(t, s, length);
    MEMORY_GROW(t->string_offset, t->string_count, t->string_capacity);
    MEMORY_GROW(t->text, t->text_size + length, t->text_capacity);
    t->string_offset[t->string_count] = (uint32_t)t->text_size;
    memory_copy(t->text + t->text_size, s, length);
    t->text[t->text_size + length] = '\0';
    t->text_size += length + 1;
    t->string_hash[slot] = (uint32_t)t->string_count + 1;
    return (uint32_t)t->string_count++;
}

uint32_t timeline_intern(struct timeline *t, const char *s, size_t length)
{
    for (size_t i = 0; i < length; i++)     /* a string ends at its first zero */
        if (s[i] == '\0')
            length = i;
    if (t->string_count == 0)
        add_string(t, "", 0);
    size_t slot = find_slot(t, s, length);
    return t->string_hash[slot] != 0 ? t->string_hash[slot] - 1 : add_string(t, s, length);
}

const char *timeline_string(const struct timeline *t, uint32_t number)
{
    return number < t->string_count ? t->text + t->string_offset[number] : "";
}

void timeline_take_strings(struct timeline *t, const struct timeline *from)
{
    while (t->string_count < from->string_count) {
        const char *s = timeline_string(from, (uint32_t)t->string_count);
        size_t length = 0;
        while (s[length] != '\0')
            length++;
        timeline_intern(t, s, length);
    }
}

struct call *timeline_add_call(struct timeline *t, const struct call *c)
{
    MEMORY_GROW(t->calls, t->call_count, t->call_capacity);
    if (c->kind == CALL_PART) {
        MEMORY_GROW(t->parts, t->part_count, t->part_capacity);
        t->parts[t->part_count++] = (uint32_t)t->call_count;
    }
    t->calls[t->call_count] = *c;
    return &t->calls[t->call_count++];
}

void timeline_forget_calls(struct timeline *t)
{
    t->call_count = t->part_count = 0;
}

struct span *timeline_add_span(struct timeline *t, const struct span *s)
{
    MEMORY_GROW(t->spans, t->span_count, t->span_capacity);
    t->spans[t->span_count] = *s;
    return &t->spans[t->span_count++];
}

struct migration *timeline_add_migration(struct timeline *t, const struct migration *m)
{
    MEMORY_GROW(t->migrations, t->migration_count, t->migration_capacity);
    t->migrations[t->migration_count] = *m;
    return &t->migrations[t->migration_count++];
}

const struct call *timeline_stream_made(const struct timeline *t, uint32_t stream)
{
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && t->calls[i].stream == stream)
            return &t->calls[i];
    return NULL;
}

uint32_t timeline_stream_flags(const struct timeline *t, uint32_t stream)
{
    const struct call *made = timeline_stream_made(t, stream);
    return made ? made->flags : 0;
}

enum engine engine_of_call(const struct call *c)
{
    switch (c->kind) {
    case CALL_LAUNCH: return ENGINE_KERNEL;
    case CALL_SET: return ENGINE_MEMSET;
    case CALL_PREFETCH: return memory_is_of_host(c->dst_kind) ? ENGINE_D2H : ENGINE_H2D;
    case CALL_HOST_FUNC: return ENGINE_HOST_FUNC;
    case CALL_COPY:
        if (memory_is_of_host(c->src_kind))
            return memory_is_of_host(c->dst_kind) ? ENGINE_NONE : ENGINE_H2D;
        if (memory_is_of_host(c->dst_kind))
            return ENGINE_D2H;
        return call_between_devices(c) ? ENGINE_PEER : ENGINE_D2D;
    default: return ENGINE_NONE;
    }
}

uint32_t blocks_of_call(const struct call *c)
{
    uint64_t blocks = 1;
    for (int i = 0; i < 3; i++)
        if (c->grid[i] > 1 && blocks <= UINT32_MAX)
            blocks *= c->grid[i];
    return blocks <= UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
}

static const char *const engine_names[ENGINE_KINDS] = {
    [ENGINE_NONE] = "marker",
    [ENGINE_KERNEL] = "kernel",
    [ENGINE_H2D] = "H2D",
    [ENGINE_D2H] = "D2H",
    [ENGINE_D2D] = "D2D",
    [ENGINE_PEER] = "peer",
    [ENGINE_MEMSET] = "memset",
    [ENGINE_HOST_FUNC] = "host function",
    [ENGINE_WAIT] = "wait",
};

const char *engine_name(uint32_t engine)
{
    return engine < ENGINE_KINDS ? engine_names[engine] : "unknown";
}
