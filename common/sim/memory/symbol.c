/* SPDX-License-Identifier: MIT */
#include "sim/memory/symbol.h"

#include <string.h>

#include "sim/sim.h"
#include "trace/record/memory.h"

static struct {
    struct symbol *list;
    size_t count, capacity;
    int device;                 /* whose values the variables have now */
} symbols;
static struct {
    struct symbol *list;
    size_t count, capacity;
} managed;

void symbol_add(void *at, size_t bytes, const char *name, bool constant)
{
    symbols.list =
        memory_grow(symbols.list, symbols.count, &symbols.capacity, sizeof *symbols.list);
    struct symbol *s = &symbols.list[symbols.count++];
    *s = (struct symbol){ at, bytes, name, constant, { NULL } };
    for (int device = 0; sim.card->devices > 1 && is_device(device); device++) {
        s->saved[device] = memory_resize(NULL, bytes);
        memcpy(s->saved[device], at, bytes);
    }
}

void symbols_become(int device)
{
    if (device == symbols.device)
        return;
    for (size_t i = 0; i < symbols.count; i++) {
        struct symbol *s = &symbols.list[i];
        memcpy(s->saved[symbols.device], s->at, s->bytes);
        if (memcmp(s->at, s->saved[device], s->bytes) != 0)      /* constants cannot be written */
            memcpy(s->at, s->saved[device], s->bytes);
    }
    symbols.device = device;
}

static const struct symbol *holder(const struct symbol *list, size_t count, const char *at)
{
    for (size_t i = 0; i < count; i++)
        if (at >= list[i].at && at < list[i].at + list[i].bytes)
            return &list[i];
    return NULL;
}

const struct symbol *symbol_find(const void *address)
{
    return holder(symbols.list, symbols.count, address);
}

extern char writable_begin[] __asm__("__data_start") __attribute__((weak));

const struct symbol *symbol_writable(uint64_t at)
{
    const struct symbol *s = symbol_find((const void *)(uintptr_t)at);
    return s && (uint64_t)(uintptr_t)writable_begin <= at ? s : NULL;
}

void symbol_add_managed(void *at, size_t bytes, const char *name)
{
    managed.list =
        memory_grow(managed.list, managed.count, &managed.capacity, sizeof *managed.list);
    managed.list[managed.count++] = (struct symbol){ .at = at, .bytes = bytes, .name = name };
}

const struct symbol *symbol_find_managed(const void *at)
{
    for (size_t i = 0; i < managed.count; i++)
        if (managed.list[i].at == at)
            return &managed.list[i];
    return NULL;
}

const struct symbol *symbol_around(const void *address)
{
    const struct symbol *s = holder(managed.list, managed.count, address);
    return s ? s : symbol_find(address);
}

uintptr_t symbol_past(uintptr_t from, uintptr_t to)
{
    const struct symbol *s = symbol_around((const void *)from);
    uintptr_t at = from;
    if (!s || s->constant)
        return 0;
    for (; s && at < to; s = symbol_around((const void *)at))
        at = (uintptr_t)s->at + s->bytes;
    return at < to ? at : 0;
}

const struct symbol *symbol_known(const void *symbol)
{
    const struct symbol *s = symbol_find(symbol);
    return s && s->at == symbol ? s : symbol_find_managed(symbol);
}
