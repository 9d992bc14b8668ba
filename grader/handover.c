/* SPDX-License-Identifier: MIT */
#include "grader/handover.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/memory.h"

#define ALIGNMENT 64u
#define SEALS_SIZE (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

void exchange_init(struct exchange *x)
{
    *x = (struct exchange){ .sealed = -1 };
}

void exchange_fini(struct exchange *x)
{
    for (uint32_t i = 0; i < x->input_count; i++)
        memory_resize(x->input[i].bytes, 0);
    for (uint32_t i = 0; i < x->output_count; i++)
        memory_resize(x->output[i].bytes, 0);
    for (size_t i = 0; i < CARDS_RUN; i++)
        memory_resize(x->taken[i], 0);
    if (x->sealed >= 0)
        close(x->sealed);
    exchange_init(x);
}

static unsigned char *add(struct slot *slots, uint32_t *count, size_t bytes)
{
    assert(*count < EXCHANGE_SLOTS);
    struct slot *s = &slots[(*count)++];
    s->count = bytes;
    s->bytes = memory_resize(NULL, bytes + 1);
    memory_zero(s->bytes, bytes + 1);
    return s->bytes;
}

void *exchange_add_input(struct exchange *x, size_t bytes)
{
    assert(x->sealed < 0);
    return add(x->input, &x->input_count, bytes);
}

void exchange_add_output(struct exchange *x, size_t bytes)
{
    add(x->output, &x->output_count, bytes);
}

const void *exchange_input(const struct exchange *x, int slot, size_t *bytes)
{
    assert(slot >= 0 && (uint32_t)slot < x->input_count);
    if (bytes != NULL)
        *bytes = x->input[slot].count;
    return x->input[slot].bytes;
}

/* The head of a block; returns the size of the whole. */
static size_t lay_out(struct exchange_block *head, const struct slot *slots, uint32_t count)
{
    *head = (struct exchange_block){ .magic = EXCHANGE_MAGIC, .count = count };
    uint64_t at = sizeof *head;
    for (uint32_t i = 0; i < count; i++) {
        at = (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        head->slot[i].offset = at;
        head->slot[i].bytes = slots[i].count;
        at += slots[i].count;
    }
    return (size_t)(at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

const void *exchange_output_of(const struct exchange *x, size_t run, int slot, size_t *bytes)
{
    assert(slot >= 0 && (uint32_t)slot < x->output_count && run < CARDS_RUN && x->taken[run] != NULL);
    struct exchange_block head;
    lay_out(&head, x->output, x->output_count);
    if (bytes != NULL)
        *bytes = x->output[slot].count;
    return x->taken[run] + head.slot[slot].offset;
}

const void *exchange_output(const struct exchange *x, int slot, size_t *bytes)
{
    return exchange_output_of(x, 0, slot, bytes);
}

/* A memfd with the slots in it. */
static int make_block(const char *name, const struct slot *slots, uint32_t count, int seals)
{
    struct exchange_block head;
    size_t size = lay_out(&head, slots, count);
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    unsigned char *block = MAP_FAILED;
    if (ftruncate(fd, (off_t)size) == 0)
        block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (block != MAP_FAILED) {
        memcpy(block, &head, sizeof head);
        for (uint32_t i = 0; i < count; i++)
            memcpy(block + head.slot[i].offset, slots[i].bytes, slots[i].count);
        munmap(block, size);
        if (fcntl(fd, F_ADD_SEALS, seals) == 0)
            return fd;
    }
    int problem = errno;
    close(fd);
    errno = problem;
    return -1;
}

bool exchange_seal(struct exchange *x)
{
    x->sealed = make_block("inputs", x->input, x->input_count, SEALS_SIZE | F_SEAL_WRITE);
    return x->sealed >= 0;
}

int exchange_poison(struct exchange *x, uint64_t seed)
{
    struct random r = { seed ^ 0x706f69736f6eu };
    for (uint32_t i = 0; i < x->output_count; i++) {
        struct slot *s = &x->output[i];
        for (size_t at = 0; at < s->count; at += 4) {
            uint64_t bits = random_next(&r);
            uint32_t word = (uint32_t)bits;
            if (bits >> 63)
                word |= 0x7fc00000u;    /* as a float: not a number */
            memcpy(s->bytes + at, &word, s->count - at < 4 ? s->count - at : 4);
        }
    }
    return make_block("outputs", x->output, x->output_count, SEALS_SIZE);
}

bool exchange_take(struct exchange *x, size_t run, int output)
{
    assert(run < CARDS_RUN);
    struct exchange_block head;
    size_t size = lay_out(&head, x->output, x->output_count);
    const unsigned char *block = mmap(NULL, size, PROT_READ, MAP_SHARED, output, 0);
    if (block == MAP_FAILED)
        return false;
    x->taken[run] = memory_resize(x->taken[run], size);
    memcpy(x->taken[run], block, size);
    munmap((void *)block, size);
    return true;
}

uint64_t random_next(struct random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;       /* splitmix64 (Steele, Lea, Flood) */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t random_between(struct random *r, uint64_t low, uint64_t high)
{
    assert(low <= high);
    uint64_t span = high - low + 1;
    return span == 0 ? random_next(r) : low + (uint64_t)((unsigned __int128)random_next(r) * span >> 64);
}

int64_t random_odd(struct random *r, uint64_t low, uint64_t high)
{
    return (int64_t)random_between(r, low, high) | 1;
}

uint32_t *exchange_add_elements(struct exchange *x, struct random *r, int64_t n)
{
    uint32_t *element = exchange_add_input(x, (size_t)n * sizeof *element);
    for (int64_t i = 0; i < n; i++)
        element[i] = (uint32_t)random_next(r);
    return element;
}

float random_float(struct random *r)
{
    return (float)((int64_t)(random_next(r) >> 43) - (1 << 20)) / (float)(1 << 20);
}
