/* SPDX-License-Identifier: MIT */
/* arenas.h - memory of player.cu: taken once, and given to one program after another. For player.cu
 * alone. */
#ifndef ARENAS_H
#define ARENAS_H

/* Managed memory moves by parts of blocks of 2 MiB: a buffer has its own. */
static constexpr size_t ALIGNED[PLACES] = { 4096, 4096, 4096, 2 << 20, 4096 };
static struct { unsigned char *at; size_t bytes, used; } arenas[PLACES], scratch;

static size_t whole(int place, size_t bytes)
{
    return (bytes + ALIGNED[place] - 1) / ALIGNED[place] * ALIGNED[place];
}

static unsigned char *part(int place, size_t bytes)
{
    size_t begin = arenas[place].used;
    arenas[place].used += whole(place, bytes);
    if (arenas[place].used <= arenas[place].bytes)
        return arenas[place].at + begin;
    fprintf(stderr, "player: %s wants more than %zu MiB of %s memory\n", program.c_str(),
            arenas[place].bytes >> 20, places[place]);
    exit(2);
}

static void begin_memory()
{
    static const size_t mib[PLACES] = { 256, 192, 192, 128, 0 };
    for (int p = 0; p < PLACES; p++)
        arenas[p].bytes = mib[p] << 20;
    CHECK(cudaMalloc((void **)&arenas[DEVICE].at, arenas[DEVICE].bytes));
    CHECK(cudaMallocHost((void **)&arenas[PINNED].at, arenas[PINNED].bytes));
    CHECK(cudaMallocManaged((void **)&arenas[MANAGED].at,
                            arenas[MANAGED].bytes
                                + ALIGNED[MANAGED])); /* and a block for wake_up() */
    arenas[PAGEABLE].at = (unsigned char *)malloc(arenas[PAGEABLE].bytes);
    scratch.bytes = 64 << 20;
    scratch.at = (unsigned char *)malloc(scratch.bytes);
    memset(scratch.at, 1, scratch.bytes);       /* pages of its own */
}

/* The host writes a small copy into memory for commands, faster into what its hardware queue has
 * used before: 4 MiB for each on an H200. All of it is used here, so that no program's time depends
 * on how many came before it. */
static void use_command_memory()
{
    const char *wanted = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    int queues = wanted ? atoi(wanted) : 8;
    std::vector<cudaStream_t> used(queues > 0 ? queues : 8);
    for (cudaStream_t &s : used)
        CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    const size_t bytes = 64 << 10;
    for (int i = 0; i < 80; i++)
        for (size_t k = 0; k < used.size(); k++)
            CHECK(cudaMemcpyAsync(arenas[DEVICE].at + k * bytes, scratch.at, bytes,
                                  cudaMemcpyHostToDevice, used[k]));
    CHECK(cudaDeviceSynchronize());
    for (cudaStream_t s : used)
        CHECK(cudaStreamDestroy(s));
}

/* What the host has just written lies in its own cache, which may change what a copy of it takes.
 * RANDOM_FILL says what a play begins with: `hot`, as they are; `read`, after the host has read
 * something else; `flushed`, out of all caches; `again`, as the play before has left them
 * (player.cu). */
static void leave_caches(const unsigned char *at, size_t bytes)
{
    const char *wanted = getenv("RANDOM_FILL");
    static volatile unsigned char sum;
    if (!wanted || strcmp(wanted, "hot") == 0 || strcmp(wanted, "again") == 0)
        return;
#if defined __x86_64__ && !defined __SIMCC__
    if (strcmp(wanted, "flushed") == 0) {
        for (size_t i = 0; i < bytes; i += 64)
            __builtin_ia32_clflush(at + i);
        __builtin_ia32_mfence();
        return;
    }
#endif
    (void)at, (void)bytes;
    for (size_t i = 0; i < 16 << 20; i += 64)
        sum = (unsigned char)(sum + scratch.at[i]);
}

/* RANDOM_FILL=again: only the first play, which does not count, begins with filled buffers; the
 * others come right after it, with the driver's code and data in the caches. Programs with managed
 * memory are played as ever: where their pages are is what they are about. */
static bool plays_again()
{
    const char *wanted = getenv("RANDOM_FILL");
    return wanted && strcmp(wanted, "again") == 0;
}

static void fill()
{
    for (size_t i = 0; i < buffers.size(); i++) {
        struct buffer *b = &buffers[i];
        if (b->place == DEVICE)
            tried(cudaMemset(b->at, (int)i + 1, b->bytes));
        else if (b->place != POOL)
            memset(b->at, (int)i + 1, b->place == MANAGED ? whole(MANAGED, b->bytes) : b->bytes);
    }
    leave_caches(arenas[PINNED].at, arenas[PINNED].used);
    tried(cudaDeviceSynchronize());
}

static bool has_pages()
{
    bool managed = false;
    for (const struct buffer &b : buffers)
        managed |= b.place == MANAGED;
    return managed;
}

/* Pages that go to and fro within half a millisecond are kept where they are by the driver, and the
 * next play would find them there: a pause before they are filled, and one after. Then faults of
 * another page, on both sides: after a pause the first one takes twice as long. */
static void let_pages_rest()
{
    host_work(2000000);
}

static void wake_up()
{
    unsigned *page = (unsigned *)(void *)(arenas[MANAGED].at + arenas[MANAGED].bytes);
    for (int i = 0; i < 2; i++) {
        page[0] = 1;
        kernel<<<1, 1>>>(NULL, 0, page, 1, 1, 0);
        tried(cudaDeviceSynchronize());
    }
}

#endif
