/* SPDX-License-Identifier: MIT */
/* driver.cu - gives lesson 07's functions their inputs and hands back what they make of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static inline __attribute__((always_inline)) void note(const char *what, int number)
{
    char text[40];
    snprintf(text, sizeof text, "%s%d", what, number);
    label_push(text);
}

/* ---- (a) ---- */

static struct {
    struct harvest h;
    unsigned *sum;
    int chunks;
    const char *label;
} field;

void finish(int chunk)
{
    note(field.label, chunk);
    if (chunk >= 0 && chunk < field.chunks) {
        const unsigned *x = field.h.home + (size_t)chunk * field.h.chunk;
        unsigned sum = 0;
        for (int i = 0; i < chunk_size(&field.h, chunk); i++)
            sum = 31 * sum + x[i];
        field.sum[chunk] += sum;
    }
    host_work(FINISH_NS);
    label_pop();
}

/* What a program does when a function has returned: its stack and its heap are used for something else. */
static __attribute__((noinline)) void use_stack(void)
{
    volatile unsigned char room[4096];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = (unsigned char)LEFT_ON_STACK;
}

#define LARGEST 512
#define BLOCKS_EACH 16

static void use_heap(void *(*block)[BLOCKS_EACH])
{
    for (int k = 0; k < LARGEST / 16; k++)
        for (int i = 0; i < BLOCKS_EACH; i++) {
            block[k][i] = malloc(16 * k + 8);
            memset(block[k][i], (unsigned char)LEFT_ON_HEAP, 16 * k + 8);
        }
}

/* The program's variables as they are, for changed_since(). */
static unsigned char *variables_now(size_t *bytes);
/* How many bytes of them are not as they were. */
static size_t changed_since(unsigned char *before);

/* The second time more and smaller chunks, of the same elements. */
static void harvest(bool again)
{
    size_t bytes;
    const void *input = driver_input(SLOT_HARVEST, &bytes);
    const struct sizes *sizes = (const struct sizes *)driver_input(SLOT_SIZES, NULL);
    struct places *places = (struct places *)driver_output(SLOT_PLACES, NULL);
    static void *block[LARGEST / 16][BLOCKS_EACH];

    memset((void *)&field.h, 0xa5, sizeof field.h);     /* until it is filled in, no pointer there is valid */
    field.h.n = again ? (int)sizes->n_again : (int)(bytes / sizeof *field.h.home);
    field.h.chunk = (int)(again ? sizes->chunk_again : sizes->chunk);
    field.chunks = chunk_count(&field.h);
    field.sum = (unsigned *)calloc(field.chunks, sizeof *field.sum);
    field.label = again ? FINISH_AGAIN : FINISH;
    bytes = field.h.n * sizeof *field.h.home;
    CHECK(cudaMalloc((void **)&field.h.device, bytes));
    CHECK(cudaMallocHost((void **)&field.h.home, bytes));
    CHECK(cudaMemcpy(field.h.device, input, bytes, cudaMemcpyHostToDevice));
    memset(field.h.home, 0xff, bytes);
    if (!again)
        places->home = (uint64_t)(uintptr_t)field.h.home;
    CHECK(cudaDeviceSynchronize());

    if (again)
        label_push(AGAIN);
    else
        driver_part("a");
    size_t size;
    unsigned char *variables = variables_now(&size);
    harvest_begin(&field.h);
    places->changed[again] = changed_since(variables);
    use_stack();
    use_heap(block);
    label_push(OWN_WORK);
    host_work(OWN_WORK_NS);
    label_pop();
    harvest_end(&field.h);
    if (again)
        label_pop();
    else
        driver_part(NULL);

    memcpy(driver_output(again ? SLOT_AGAIN : SLOT_HARVEST, NULL), field.sum, field.chunks * sizeof *field.sum);
    CHECK(cudaDeviceSynchronize());
    for (auto &same : block)
        for (void *b : same)
            free(b);
    CHECK(cudaFreeHost(field.h.home));
    CHECK(cudaFree(field.h.device));
    free(field.sum);
    memset((void *)&field.h, 0, sizeof field.h);        /* no way to what was to be freed */
    memset((void *)block, 0, sizeof block);
}

/* ---- (b) ---- */

/* A total before its part begins; the notes in front of it are zeros. */
static unsigned *total_new(size_t bytes)
{
    unsigned *notes;
    CHECK(cudaMalloc((void **)&notes, NOTES * sizeof *notes + bytes));
    CHECK(cudaMemset(notes, 0, NOTES * sizeof *notes));
    CHECK(cudaMemset(notes + NOTES, TOTAL_BYTE, bytes));
    return notes + NOTES;
}

static struct feed mill;

/* What fill() fills in this part, and with what. */
static struct { unsigned *const *slot; int slots, count, n; const unsigned *all; } stock;

void fill(unsigned *slot, int batch)
{
    int k = 0;
    while (k < stock.slots && stock.slot[k] != slot)
        k++;
    if (k == stock.slots || batch < 0 || batch >= stock.count) {
        fprintf(stderr, k == stock.slots ? "fill(): that is no slot of this part\n" : "fill(): there is no batch %d\n", batch);
        exit(1);
    }
    const unsigned *elements = stock.all + (size_t)batch * stock.n;
    note(FILL, k);
    memcpy(slot, elements, stock.n * sizeof *elements);
    host_work(FILL_NS(*elements));
    label_pop();
}

/* The second time more and smaller batches, of the same elements. */
static void feed(bool again)
{
    const struct sizes *sizes = (const struct sizes *)driver_input(SLOT_SIZES, NULL);
    struct places *places = (struct places *)driver_output(SLOT_PLACES, NULL);
    mill.count = (int)(again ? more_batches(sizes->count) : sizes->count);
    mill.n = (int)(again ? sizes->n / SMALLER : sizes->n);
    size_t bytes = mill.n * sizeof(unsigned);
    for (int k = 0; k < RING; k++) {
        CHECK(cudaMallocHost((void **)&mill.ring[k], bytes));
        memset(mill.ring[k], 0xaa, bytes);
        if (!again)
            places->ring[k] = (uint64_t)(uintptr_t)mill.ring[k];
    }
    CHECK(cudaMalloc((void **)&mill.inbox, bytes));
    CHECK(cudaMemset(mill.inbox, 0, bytes));
    mill.total = total_new(bytes);
    cudaStream_t reader;
    CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    stock = { mill.ring, RING, mill.count, mill.n, (const unsigned *)driver_input(SLOT_FEED, NULL) };

    driver_part(again ? MORE_FEED : "b");
    feed_all(&mill);
    driver_part(NULL);

    /* A stream that waits for no other: what was left undone stays undone. */
    CHECK(cudaMemcpyAsync(driver_output(again ? SLOT_FEED_AGAIN : SLOT_FEED, NULL), mill.total, bytes, cudaMemcpyDeviceToHost, reader));
    CHECK(cudaDeviceSynchronize());
    if (!again)
        CHECK(notes_read(mill.total, (unsigned *)driver_output(SLOT_ABSORBED, NULL), mill.count));
    CHECK(cudaStreamDestroy(reader));
    for (int k = 0; k < RING; k++)
        CHECK(cudaFreeHost(mill.ring[k]));
    CHECK(cudaFree(mill.inbox));
    CHECK(cudaFree(mill.total - NOTES));
}

/* ---- (c) ---- */

static struct feeds both;

static void make_both(void)
{
    const struct plan *plan = (const struct plan *)driver_input(SLOT_PLAN, NULL);
    struct places *places = (struct places *)driver_output(SLOT_PLACES, NULL);
    size_t bytes = plan->n * sizeof(unsigned);
    both.count = (int)plan->count;
    both.n = (int)plan->n;
    for (int k = 0; k < POOL; k++) {
        CHECK(cudaMallocHost((void **)&both.slot[k], bytes));
        places->shared[k] = (uint64_t)(uintptr_t)both.slot[k];
    }
    for (int m = 0; m < TOTALS; m++) {
        CHECK(cudaMalloc((void **)&both.inbox[m], bytes));
        places->inbox[m] = (uint64_t)(uintptr_t)both.inbox[m];
    }
}

/* The second time each batch is for the other total. */
static void feed_two(bool again)
{
    const struct plan *plan = (const struct plan *)driver_input(SLOT_PLAN, NULL);
    unsigned *totals = (unsigned *)driver_output(again ? SLOT_TOTALS_AGAIN : SLOT_TOTALS, NULL);
    static int to[MOST_BATCHES];
    static long long ns[MOST_BATCHES];
    size_t bytes = plan->n * sizeof(unsigned);
    for (int k = 0; k < plan->count; k++) {
        to[k] = (int)plan->to[k] ^ again;
        ns[k] = plan->ns[k];
    }
    both.to = to;
    both.ns = ns;
    for (int k = 0; k < POOL; k++)
        memset(both.slot[k], 0xaa, bytes);
    for (int m = 0; m < TOTALS; m++) {
        CHECK(cudaMemset(both.inbox[m], 0, bytes));
        both.total[m] = total_new(bytes);
    }
    cudaStream_t reader;
    CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    stock = { both.slot, POOL, both.count, both.n, (const unsigned *)driver_input(SLOT_BATCHES, NULL) };

    driver_part(again ? MORE_BOTH : "c");
    feed_both(&both);
    driver_part(NULL);

    for (int m = 0; m < TOTALS; m++)    /* in a stream that waits for no other, as above */
        CHECK(cudaMemcpyAsync(totals + m * plan->n, both.total[m], bytes, cudaMemcpyDeviceToHost, reader));
    CHECK(cudaDeviceSynchronize());
    unsigned *blended = (unsigned *)driver_output(SLOT_BLENDED, NULL);
    for (int m = 0; m < TOTALS && !again; m++)
        CHECK(notes_read(both.total[m], blended + m * both.count, both.count));
    CHECK(cudaStreamDestroy(reader));
    for (int m = 0; m < TOTALS; m++)
        CHECK(cudaFree(both.total[m] - NOTES));
}

static void free_both(void)
{
    for (int k = 0; k < POOL; k++)
        CHECK(cudaFreeHost(both.slot[k]));
    for (int m = 0; m < TOTALS; m++)
        CHECK(cudaFree(both.inbox[m]));
}

/* Next to the program's own variables, as the last one here (GCC has it first): who writes beyond an array of his writes
 * here. */
static volatile unsigned char fence[1024];
extern unsigned char __bss_start[];    /* the linker's: the program's own variables lie from there to the fence */

#define MOST_VARIABLES (64 << 20)

/* Pages of their own: what is on the heap stays as it was. */
static unsigned char *variables_now(size_t *bytes)
{
    uintptr_t from = (uintptr_t)__bss_start, to = (uintptr_t)fence;
    *bytes = from < to && to - from <= MOST_VARIABLES ? to - from : 0;
    void *copy = mmap(NULL, *bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        abort();
    driver_peek(copy, __bss_start, *bytes);
    return (unsigned char *)copy;
}

static size_t changed_since(unsigned char *before)
{
    size_t changed = 0, bytes;
    unsigned char *now = variables_now(&bytes);
    for (size_t i = 0; i < bytes; i++)
        changed += before[i] != now[i];
    munmap(before, bytes + 1);
    munmap(now, bytes + 1);
    return changed;
}

int main(void)
{
    struct places *places = (struct places *)driver_output(SLOT_PLACES, NULL);
    harvest(false);
    feed(false);
    make_both();
    feed_two(false);
    harvest(true);
    places->overrun = 0;
    for (size_t i = 0; i < sizeof fence; i++)
        places->overrun += fence[i] != 0;
    feed(true);
    feed_two(true);
    free_both();
    return 0;
}
