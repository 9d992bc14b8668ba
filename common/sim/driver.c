/* SPDX-License-Identifier: MIT */
#include "access.h"
#include "driver.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "entry.h"

/* Maps the block that the environment names, once. */
static struct exchange_block *block(const char *name, int protection, struct exchange_block **known)
{
    const char *text = getenv(name);
    if (*known)
        return *known;
    if (!text || !*text)
        sim_trouble("This program gets its inputs from the grader: make lessonNN, or make runNN to run it only.");
    struct stat s;
    int from = atoi(text);
    if (fstat(from, &s) != 0)
        sim_trouble("%s=%s is no open file", name, text);
    void *memory = mmap(NULL, (size_t)s.st_size, protection, MAP_SHARED, from, 0);
    if (memory == MAP_FAILED)
        sim_trouble("%s=%s cannot be mapped", name, text);
    *known = memory;
    assert((size_t)s.st_size >= sizeof **known && (*known)->magic == EXCHANGE_MAGIC);
    assert((*known)->count <= EXCHANGE_SLOTS);
    return *known;
}

static void *slot_of(struct exchange_block *b, int slot, size_t *bytes)
{
    assert(slot >= 0 && (uint32_t)slot < b->count);
    if (bytes)
        *bytes = (size_t)b->slot[slot].bytes;
    return (char *)b + b->slot[slot].offset;
}

const void *driver_input(int slot, size_t *bytes)
{
    static struct exchange_block *known;
    return slot_of(block(EXCHANGE_INPUT, PROT_READ, &known), slot, bytes);
}

void *driver_output(int slot, size_t *bytes)
{
    static struct exchange_block *known;
    return slot_of(block(EXCHANGE_OUTPUT, PROT_READ | PROT_WRITE, &known), slot, bytes);
}

void driver_part(const char *part)
{
    sim_lock();
    access_before_call();
    entry_note(&(struct call){ .kind = CALL_PART, .name = entry_string(part ? part : "") });
    sim_unlock();
}
