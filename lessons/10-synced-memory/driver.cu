/* SPDX-License-Identifier: MIT */
/* driver.cu - plays the steps of lesson 10 with the exercise's blocks, and writes down what it is given. */
#include "driver.h"
#include "lesson.h"
#include "slots.h"
#include "heap.h"

#define BUSY_NS 200000          /* what a stream is at when something is pushed into it */

/* ---- what the users of a block do ---- */

static __global__ void busy(void)
{
    kernel_cost(BUSY_NS);
}

static __global__ void look(const unsigned char *x, int n, unsigned *sum)
{
    unsigned mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine += x[i] * (2 * i + 1);
    atomicAdd(sum, mine);
}

static __global__ void change(unsigned char *x, int n, unsigned by)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = 3 * x[i] + i + by;
}

static unsigned sum_of(const unsigned char *x, int n)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * (2 * i + 1);
    return sum;
}

/* ---- memory of the driver's own ---- */

static struct { unsigned char *memory; size_t n; bool on_device, pinned; } foreign[FOREIGN_MAX];
static int foreign_count;

static int others(const void *memory)
{
    for (int k = 0; k < foreign_count; k++)
        if (foreign[k].memory == memory)
            return k;
    return -1;
}

static void foreign_new(int number, bool on_device, bool pinned, int n, unsigned salt)
{
    unsigned char *x = (unsigned char *)malloc(n), *memory = x;
    for (int i = 0; i < n; i++)
        x[i] = filling(salt, number, i);
    if (on_device)
        CHECK(cudaMalloc((void **)&memory, n));
    else if (pinned)
        CHECK(cudaMallocHost((void **)&memory, n));
    if (memory != x) {
        CHECK(cudaMemcpy(memory, x, n, cudaMemcpyDefault));
        free(x);
    }
    foreign[number].memory = memory;
    foreign[number].n = n;
    foreign[number].on_device = on_device;
    foreign[number].pinned = pinned;
    foreign_count = number + 1;
}

/* Where `bytes` of it lie. */
static enum place place_of(const void *memory, size_t bytes)
{
    struct cudaPointerAttributes a = {};
    if (!memory)
        return NOWHERE;
    if (cudaPointerGetAttributes(&a, memory) != cudaSuccess) {
        cudaGetLastError();
        return ELSEWHERE;
    }
    int number = piece_of(memory);
    return a.type == cudaMemoryTypeHost ? IN_PINNED : a.type == cudaMemoryTypeDevice ? ON_DEVICE
         : a.type == cudaMemoryTypeManaged ? IN_MANAGED : number < 0 ? ELSEWHERE : piece[number].bytes < bytes ? TOO_SMALL : ON_HEAP;
}

/* What is left of it at the end; the exercise may have taken it away and made that impossible. */
static void foreign_end(int play, struct totals *t)
{
    for (int k = 0; k < foreign_count; k++) {
        size_t bytes = foreign[k].n;
        unsigned char *copy = (unsigned char *)malloc(bytes), *from = foreign[k].memory;
        enum place place = place_of(from, bytes);
        bool heap = !foreign[k].on_device && !foreign[k].pinned;
        t->foreign[play][k].there = heap || place == (foreign[k].on_device ? ON_DEVICE : IN_PINNED);
        if (t->foreign[play][k].there)
            CHECK(cudaMemcpy(copy, from, bytes, cudaMemcpyDefault));
        t->foreign[play][k].sum = t->foreign[play][k].there ? sum_of(copy, foreign[k].n) : 0;
        free(copy);
        if (heap)
            free(from);
        else if (t->foreign[play][k].there && foreign[k].on_device)
            CHECK(cudaFree(from));
        else if (t->foreign[play][k].there)
            CHECK(cudaFreeHost(from));
    }
    foreign_count = 0;
}

/* ---- the steps ---- */

static struct user {
    struct synced m;
    int n;
    cudaStream_t own, stream;   /* stream: of its last push */
    bool pushed;                /* the last thing that was done with it */
    int pushes;
} user[BLOCKS_MAX];
static bool in_part;

/* A failed CHECK of the exercise's ends the program: the part is over, and what was done counts. */
static void leave(void)
{
    if (in_part)
        driver_part(NULL);
}

static const void *take_step(struct synced *m, const struct turn *s, cudaStream_t stream)
{
    switch (s->op) {
    case READ_HOST: return synced_read_host(m);
    case WRITE_HOST: return synced_write_host(m);
    case READ_DEVICE: return synced_read_device(m);
    case WRITE_DEVICE: return synced_write_device(m);
    case SET_HOST: synced_set_host(m, foreign[s->foreign].memory); return NULL;
    case SET_DEVICE: synced_set_device(m, foreign[s->foreign].memory); return NULL;
    case PUSH: synced_push(m, stream); return NULL;
    }
    return NULL;
}

/* Uses what a step has given, if it is on the right side. */
static void use(const void *given, enum place place, const struct turn *s, const struct user *u, unsigned by, cudaStream_t stream,
                unsigned *sum, unsigned *device_sum)
{
    unsigned char *x = (unsigned char *)given;
    bool host = s->op == READ_HOST || s->op == WRITE_HOST, writes = s->op == WRITE_HOST || s->op == WRITE_DEVICE;
    if (host && (place == ON_HEAP || place == IN_PINNED || others(given) >= 0)) {
        *sum = sum_of(x, u->n);
        for (int i = 0; i < u->n && writes; i++)
            x[i] = 5 * x[i] + i + by;
    } else if (!host && place == ON_DEVICE) {
        look<<<1, 128, 0, stream>>>(x, u->n, device_sum);
        if (writes)
            change<<<1, 128, 0, stream>>>(x, u->n, by);
        CHECK(cudaGetLastError());
    }
}

/* `last`: the number of the last block. */
static void step(int k, const struct turn *s, int last, struct made *out, unsigned *device_sum, unsigned salt)
{
    struct user *u = &user[s->block];
    /* Only what reads a block right after its push does so in the push's stream. */
    bool behind = s->op == READ_DEVICE && u->pushed;
    u->pushed = s->op == PUSH && u->m.head == AT_HOST;
    if (s->op != PUSH && !behind)
        CHECK(cudaDeviceSynchronize());
    if (s->op == PUSH) {
        u->stream = s->block == last && u->pushes++ % 2 ? NULL : u->own;
        busy<<<1, 32, 0, u->stream>>>();
        CHECK(cudaGetLastError());
    }
    note(STEP, k);
    const void *given = take_step(&u->m, s, u->stream);
    label_pop();
    enum place place = place_of(given, u->m.bytes);
    out->head = u->m.head;
    out->place = place;
    out->shown = given == (s->op == READ_HOST || s->op == WRITE_HOST ? u->m.host : u->m.device);
    out->foreign = given ? others(given) : -1;
    unsigned char own[2];           /* they may be anything */
    memcpy(&own[0], &u->m.own_host, 1);
    memcpy(&own[1], &u->m.own_device, 1);
    out->own = (own[0] != 0) | (own[1] != 0) << 1;
    use(given, place, s, u, salt + k, behind ? u->stream : NULL, &out->sum, device_sum);
    if (s->op != PUSH)
        CHECK(cudaDeviceSynchronize());
}

static void block_new(int play, int k, const struct block *b, struct totals *t)
{
    struct synced *m = &user[k].m;
    int current;
    CHECK(cudaGetDevice(&current));
    size_t bytes = (size_t)b->n;
    user[k].n = (int)b->n;
    user[k].pushed = false;
    user[k].pushes = 0;
    memset(m, 0xff, sizeof *m);
    note(INIT, k);
    synced_init(m, bytes, b->pinned != 0);
    label_pop();
    t->init[play][k] = (m->bytes == bytes ? INIT_BYTES : 0) | (m->head == UNINITIALIZED ? INIT_HEAD : 0)
        | (!m->host && !m->device ? INIT_MEMORY : 0) | (m->on == current ? INIT_ON : 0);
    unsigned char pinned;
    memcpy(&pinned, &m->pinned, 1);     /* it may be anything */
    t->init[play][k] |= pinned == (b->pinned != 0) ? INIT_PINNED : 0;
}

/* A new block is all zeros on the device and then on the host, and nothing waits in between. */
static void both_sides_at_once(bool pinned)
{
    struct synced m;
    memset(&m, 0xff, sizeof m);
    synced_init(&m, 1000, pinned);
    synced_read_device(&m);
    synced_read_host(&m);
    CHECK(cudaDeviceSynchronize());
    synced_fini(&m);
}

static void play(int number)
{
    size_t block_bytes, step_bytes;
    const struct block *b = (const struct block *)driver_input(IN_PLAY * number + IN_BLOCKS, &block_bytes);
    const struct turn *s = (const struct turn *)driver_input(IN_PLAY * number + IN_STEPS, &step_bytes);
    unsigned salt = ((const struct settings *)driver_input(IN_SETTINGS, NULL))->salt;
    struct made *made = (struct made *)driver_output(number, NULL);
    struct totals *t = (struct totals *)driver_output(OUT_TOTALS, NULL);
    int blocks = (int)(block_bytes / sizeof *b), steps = (int)(step_bytes / sizeof *s);
    unsigned *sums, *there;
    CHECK(cudaMalloc((void **)&sums, steps * sizeof *sums));
    CHECK(cudaMemset(sums, 0, steps * sizeof *sums));
    bool unlike[2] = {};            /* what is set first on the host, for a block of either kind, is of the other kind */
    for (int k = 0; k < steps; k++)
        if (s[k].foreign == foreign_count) {
            bool pinned = b[s[k].block].pinned != 0, on_device = s[k].op != SET_HOST, other = !on_device && !unlike[pinned];
            foreign_new((int)s[k].foreign, on_device, pinned != other, (int)b[s[k].block].n, salt);
            unlike[pinned] |= other;
        }
    for (int k = 0; k < foreign_count; k++)
        t->foreign[number][k].address = (uint64_t)(uintptr_t)foreign[k].memory;
    for (int k = 0; k < blocks; k++)
        CHECK(cudaStreamCreateWithFlags(&user[k].own, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());

    static const char *const part[] = { "a", "b", "c" };
    driver_part(part[number]);
    in_part = true;
    bool sized = true;              /* else the block's memory has no size that could be used */
    for (int k = 0; k < blocks; k++) {
        block_new(number, k, &b[k], t);
        sized = sized && t->init[number][k] & INIT_BYTES;
    }
    for (int k = 0; k < steps && sized; k++) {
        step(k, &s[k], blocks - 1, &made[k], &sums[k], salt);
        t->done[number] = k + 1;
    }
    CHECK(cudaDeviceSynchronize());
    if (number == 0 && sized)
        both_sides_at_once(true);
    for (int k = 0; k < blocks && sized; k++) {
        note(FINI, k);
        synced_fini(&user[k].m);
        label_pop();
    }
    in_part = false;
    driver_part(NULL);

    CHECK(cudaDeviceSynchronize());
    there = (unsigned *)malloc(steps * sizeof *there);
    CHECK(cudaMemcpy(there, sums, steps * sizeof *there, cudaMemcpyDeviceToHost));
    for (int k = 0; k < steps; k++)
        if (s[k].op == READ_DEVICE || s[k].op == WRITE_DEVICE)
            made[k].sum = there[k];
    free(there);
    foreign_end(number, t);
    for (int k = 0; k < blocks; k++)
        CHECK(cudaStreamDestroy(user[k].own));
    CHECK(cudaFree(sums));
}

/* ---- (d) ---- */

static void ask(struct right *r, const struct synced *m, int current, int memory_on, int host)
{
    int now;
    CHECK(cudaSetDevice(current));
    bool said = synced_here(m);
    CHECK(cudaGetDevice(&now));
    if (now != current && r->moved < 0)
        r->moved = r->count;
    r->question[r->count].current = current;
    r->question[r->count].made_on = m->on;
    r->question[r->count].memory_on = memory_on;
    r->question[r->count].host = host;
    r->question[r->count].own = m->own_device;
    r->question[r->count].synced = m->head == SYNCED;
    r->question[r->count++].said = said;
}

/* Every current device, with a block of each device, which has no device memory or has it on each device; without host
 * memory, and with some that is up to date: the heap's, or pinned while the other device was current. Whose the memory is, and
 * whether both sides are up to date, go with neither. */
static void right_device(void)
{
    struct right *r = (struct right *)driver_output(OUT_RIGHT, NULL);
    int devices;
    void *memory[2] = {}, *pinned[2] = {}, *heap = malloc(1024);
    CHECK(cudaGetDeviceCount(&devices));
    devices = devices < 2 ? devices : 2;
    r->devices = devices;
    r->count = 0;
    r->moved = -1;
    for (int k = 0; k < devices; k++) {
        CHECK(cudaSetDevice(k));
        CHECK(cudaMalloc(&memory[k], 1024));
        CHECK(cudaMallocHost(&pinned[k], 1024));
    }
    CHECK(cudaSetDevice(0));
    driver_part("d");
    for (int host = NOWHERE; host <= IN_PINNED; host++)
        for (int current = 0; current < devices; current++)
            for (int made_on = 0; made_on < devices; made_on++)
                for (int on = -1; on < devices; on++) {
                    struct synced m = {};
                    m.bytes = 1024;
                    m.on = made_on;
                    m.device = on < 0 ? NULL : memory[on];
                    m.host = host == NOWHERE ? NULL : host == ON_HEAP ? heap : pinned[devices - 1 - made_on];
                    m.pinned = host == IN_PINNED;
                    m.head = m.host && on >= 0 && made_on != 0 ? SYNCED : m.host ? AT_HOST : on < 0 ? UNINITIALIZED : AT_DEVICE;
                    m.own_device = on >= 0 && (made_on != 0) != (host == IN_PINNED);
                    ask(r, &m, current, on, host);
                }
    CHECK(cudaSetDevice(0));
    driver_part(NULL);
    for (int k = 0; k < devices; k++) {
        CHECK(cudaFree(memory[k]));
        CHECK(cudaFreeHost(pinned[k]));
    }
    free(heap);
}

int main(void)
{
    struct totals *t = (struct totals *)driver_output(OUT_TOTALS, NULL);
    memset(t, 0, sizeof *t);
    atexit(leave);
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    for (int number = 0; number < PLAYS; number++) {
        CHECK(cudaSetDevice(number == 0 ? devices - 1 : 0));    /* where there are two, not always the first */
        play(number);
    }
    right_device();
    return 0;
}
