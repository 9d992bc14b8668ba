/* SPDX-License-Identifier: MIT */
#include "grader/run/handover.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "trace/record/memory.h"

#define ALIGNMENT 64u
#define SEALS_SIZE (F_SEAL_SHRINK | F_SEAL_GROW)
#define ROOM ((size_t)1 << 32)  /* addresses for inputs, of which those in use have memory */

void exchange_init(struct exchange *x)
{
    *x = (struct exchange){ .input.magic = EXCHANGE_MAGIC,
                            .output.magic = EXCHANGE_MAGIC,
                            .authenticated = -1,
                            .open = -1 };
}

static void unmap(struct mapping *m)
{
    if (m->at)
        munmap(m->at, m->size);
    *m = (struct mapping){ .at = NULL };
}

void exchange_fini(struct exchange *x)
{
    unmap(&x->inputs);
    for (size_t i = 0; i < CARDS_RUN; i++)
        unmap(&x->taken[i]);
    if (x->authenticated >= 0)
        close(x->authenticated);
    if (x->open >= 0)
        close(x->open);
    while (x->ready_count > 0)
        close(x->ready[--x->ready_count].output);
    exchange_init(x);
}

/* The next offset in a block, whose size this is so far. */
static uint64_t next_offset(uint64_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint64_t end_of(const struct exchange_block *head)
{
    uint32_t n = head->count;
    return n == 0 ? sizeof *head : head->slot[n - 1].offset + head->slot[n - 1].bytes;
}

static void add(struct exchange_block *head, size_t bytes)
{
    assert(head->count < EXCHANGE_SLOTS);
    head->slot[head->count].offset = next_offset(end_of(head));
    head->slot[head->count].bytes = bytes;
    head->count++;
}

static int new_block(const char *name)
{
    return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/* What a lesson fills is the very memory that the child gets: it grows, and stays where it is. */
static void grow_inputs(struct exchange *x)
{
    if (x->open < 0) {
        void *at = MAP_FAILED;
        if ((x->open = new_block("inputs")) >= 0)
            at = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, x->open, 0);
        if (at == MAP_FAILED)
            die("cannot make the inputs: %s", strerror(errno));
        x->inputs = (struct mapping){ at, ROOM };
    }
    uint64_t end = next_offset(end_of(&x->input));
    if (end > ROOM || ftruncate(x->open, (off_t)end) != 0)
        die("cannot make the inputs: %s", strerror(end > ROOM ? ENOMEM : errno));
}

void *exchange_add_input(struct exchange *x, size_t bytes)
{
    assert(x->authenticated < 0);
    add(&x->input, bytes);
    grow_inputs(x);
    return x->inputs.at + x->input.slot[x->input.count - 1].offset;
}

void exchange_add_output(struct exchange *x, size_t bytes)
{
    add(&x->output, bytes);
}

static const void *slot_of(const struct exchange_block *head, const struct mapping *block, int slot,
                           size_t *bytes)
{
    assert(slot >= 0 && (uint32_t)slot < head->count && block->at);
    if (bytes)
        *bytes = head->slot[slot].bytes;
    return block->at + head->slot[slot].offset;
}

const void *exchange_input(const struct exchange *x, int slot, size_t *bytes)
{
    return slot_of(&x->input, &x->inputs, slot, bytes);
}

const void *exchange_output_of(const struct exchange *x, size_t run, int slot, size_t *bytes)
{
    assert(run < CARDS_RUN);
    return slot_of(&x->output, &x->taken[run], slot, bytes);
}

const void *exchange_output(const struct exchange *x, int slot, size_t *bytes)
{
    return exchange_output_of(x, 0, slot, bytes);
}

/* The whole block, as it is in this file; at NULL: errno says why not. */
static struct mapping map_block(const struct exchange_block *head, int file, int protection,
                                void *where)
{
    size_t size = next_offset(end_of(head));
    void *at =
        mmap(where, size, protection, MAP_SHARED | MAP_POPULATE | (where ? MAP_FIXED : 0), file, 0);
    return at == MAP_FAILED ? (struct mapping){ .at = NULL } : (struct mapping){ at, size };
}

/* Sealed memory can have no place from which it could be written: it goes, and comes again for
 * reading. */
bool exchange_seal(struct exchange *x)
{
    grow_inputs(x);
    memcpy(x->inputs.at, &x->input, sizeof x->input);
    void *where = x->inputs.at;
    unmap(&x->inputs);
    if (fcntl(x->open, F_ADD_SEALS, SEALS_SIZE | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
        return false;
    x->inputs = map_block(&x->input, x->open, PROT_READ, where);
    x->authenticated = x->open;
    x->open = -1;
    return x->inputs.at;
}

/* Two words at a time, half of them not a number as a float. */
static void poison(unsigned char *bytes, size_t count, struct random *r)
{
    for (size_t at = 0; at < count; at += 8) {
        uint64_t words = random_next(r), first = words >> 63, second = words >> 31 & 1;
        words |= first * UINT64_C(0x7fc00000) << 32 | second * UINT64_C(0x7fc00000);
        memcpy(bytes + at, &words, count - at < 8 ? count - at : 8);
    }
}

static struct random poison_of(uint64_t seed)
{
    return (struct random){ seed ^ 0x706f69736f6eu };
}

static int new_output(struct exchange *x, const uint64_t *seed)
{
    struct random r = poison_of(seed ? *seed : 0);
    struct mapping block = { .at = NULL };
    int fd = new_block("outputs");
    if (fd >= 0 && ftruncate(fd, (off_t)next_offset(end_of(&x->output))) == 0)
        block = map_block(&x->output, fd, PROT_READ | PROT_WRITE, NULL);
    if (block.at) {
        memcpy(block.at, &x->output, sizeof x->output);
        for (uint32_t i = 0; seed && i < x->output.count; i++)
            poison(block.at + x->output.slot[i].offset, x->output.slot[i].bytes, &r);
        unmap(&block);
        if (fcntl(fd, F_ADD_SEALS, SEALS_SIZE) == 0)
            return fd;
    }
    int problem = errno;
    if (fd >= 0)
        close(fd);
    errno = problem;
    return -1;
}

int exchange_poison(struct exchange *x, const uint64_t *seed)
{
    for (size_t i = 0; seed && i < x->ready_count; i++)
        if (x->ready[i].seed == *seed) {
            int output = x->ready[i].output;
            x->ready[i] = x->ready[--x->ready_count];
            return output;
        }
    return new_output(x, seed);
}

void exchange_poison_ahead(struct exchange *x, uint64_t seed)
{
    int output = x->ready_count < CARDS_RUN ? new_output(x, &seed) : -1;
    if (output >= 0)
        x->ready[x->ready_count++] = (struct poisoned){ seed, output };
}

/* Where nobody else can write to it any more the block itself is what is taken; else a copy. */
bool exchange_take(struct exchange *x, size_t run, int output)
{
    assert(run < sizeof x->taken / sizeof *x->taken);
    bool alone = fcntl(output, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) == 0;
    struct mapping block = map_block(&x->output, output, PROT_READ, NULL);
    if (block.at && !alone) {
        void *copy =
            mmap(NULL, block.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (copy != MAP_FAILED)
            memcpy(copy, block.at, block.size);
        munmap(block.at, block.size);
        block.at = copy != MAP_FAILED ? copy : NULL;
    }
    unmap(&x->taken[run]);
    x->taken[run] = block;
    return block.at;
}

/* By words, of which none is like its poison by chance; one that is cut off at a slot's end stays.
 */
static void respoil(unsigned char *bytes, const unsigned char *was, size_t count, struct random *r)
{
    for (size_t at = 0; at + 4 <= count; at += 4) {
        uint32_t other = (uint32_t)random_next(r);
        if (memcmp(bytes + at, was + at, 4) == 0)
            memcpy(bytes + at, &other, 4);
    }
}

struct exchange exchange_respoil(const struct exchange *x, size_t runs, uint64_t seed, size_t from)
{
    struct exchange copy = *x;
    assert(runs <= CARDS_RUN);
    for (size_t run = 0; run < runs; run++) {
        struct mapping *block = &copy.taken[run];
        uint64_t poisoned = exchange_poison_seed(seed, from + run);
        struct random r = poison_of(poisoned), other = poison_of(~poisoned);
        unsigned char *all = memory_resize(NULL, block->size);
        memcpy(all, block->at, block->size);
        block->at = all;
        for (uint32_t i = 0; i < x->output.count; i++) {
            size_t bytes = x->output.slot[i].bytes;
            unsigned char *was = memory_resize(NULL, bytes + 1);
            poison(was, bytes, &r);
            respoil(all + x->output.slot[i].offset, was, bytes, &other);
            memory_resize(was, 0);
        }
    }
    return copy;
}

void exchange_respoil_free(struct exchange *x, size_t runs)
{
    for (size_t run = 0; run < runs; run++)
        memory_resize(x->taken[run].at, 0);
}

struct exchange exchange_of_run(const struct exchange *x, size_t run)
{
    struct exchange one = *x;
    one.taken[0] = x->taken[run];
    return one;
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
    return span == 0 ? random_next(r)
                     : low + (uint64_t)((unsigned __int128)random_next(r) * span >> 64);
}

int64_t random_odd(struct random *r, uint64_t low, uint64_t high)
{
    uint64_t n = random_between(r, low, high) | 1, one_more = n - (n - 1) % 256;
    return (int64_t)(one_more >= low ? one_more : n);
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
