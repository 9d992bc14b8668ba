/* SPDX-License-Identifier: MIT */
/* names.c - each name and each file once, by its number. */
#include <stdint.h>
#include <string.h>

#include "simcc/rewrite/space/inside.h"
#include "trace/record/memory.h"

static size_t hash_of(const char *at, size_t length)
{
    size_t hash = 5381;
    for (size_t i = 0; i < length; i++)
        hash = hash * 33 + (unsigned char)at[i];
    return hash;
}

static size_t slot_of(const struct spaces *s, const char *at, size_t length)
{
    return hash_of(at, length) % (sizeof s->heads / sizeof *s->heads);
}

static bool is_spelled(const char *name, const char *at, size_t length)
{
    return strncmp(name, at, length) == 0 && name[length] == '\0';
}

size_t space_known(const struct spaces *s, const char *at, size_t length)
{
    for (size_t i = s->heads[slot_of(s, at, length)]; i > 0; i = s->chains[i - 1].next)
        if (is_spelled(s->names[i - 1], at, length))
            return i - 1;
    return SIZE_MAX;
}

size_t space_name(struct spaces *s, const char *at, size_t length)
{
    size_t known = space_known(s, at, length), slot = slot_of(s, at, length);
    if (known != SIZE_MAX)
        return known;
    MEMORY_GROW(s->names, s->name_count, s->name_capacity);
    MEMORY_GROW(s->chains, s->chain_count, s->chain_capacity);
    s->names[s->name_count++] = strndup(at, length);
    s->chains[s->chain_count++] = (struct chain){ s->heads[slot], 0 };
    return (s->heads[slot] = s->name_count) - 1;
}

size_t space_file(struct spaces *s, const char *at, size_t length)
{
    for (size_t i = s->file_count; i-- > 0;)
        if (is_spelled(s->files[i], at, length))
            return i;
    MEMORY_GROW(s->files, s->file_count, s->file_capacity);
    s->files[s->file_count] = strndup(at, length);
    return s->file_count++;
}
