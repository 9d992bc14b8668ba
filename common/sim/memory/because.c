/* SPDX-License-Identifier: MIT */
#include "sim/memory/because.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/call_log.h"
#include "sim/memory/allocation.h"
#include "sim/memory/symbol.h"

enum { REASONS = 1000, NEAR = 4096 };

cudaError_t because(struct call *c, cudaError_t error, const char *format, ...)
{
    static unsigned reasons;
    if (c->message != 0 || reasons == REASONS)
        return error;
    reasons++;
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    c->message = call_string(text);
    return error;
}

static struct words words(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct words words(const char *format, ...)
{
    struct words w;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w.text, sizeof w.text, format, arguments);
    va_end(arguments);
    return w;
}

/* ---- calls ---- */

static const char *string(uint32_t number)
{
    return timeline_string(&sim.timeline, number);
}

/* Places of two files are named in one sentence: each with its file. */
static bool files_named;

struct words words_of_location(const struct call *c)
{
    const char *file = string(c->file), *here = thread_self()->site.file,
               *slash = strrchr(file, '/');
    if (c->line == 0)
        return words("in a place that is not known");
    if (here && strcmp(file, here) == 0 && !files_named)
        return words("in line %u", c->line);
    return words("in %.100s:%u", slash ? slash + 1 : file, c->line);
}

struct words words_of_call(const struct call *c)
{
    if (c->kind == CALL_LAUNCH)
        return words("the launch of %.80s %s", string(c->name), words_of_location(c).text);
    return words("%.100s %s", c->name ? string(c->name) : "a call", words_of_location(c).text);
}

/* The latest call that `is` accepts; NULL for none. */
static const struct call *latest(bool (*is)(const struct call *c, const void *what),
                                 const void *what)
{
    for (size_t i = sim.timeline.call_count; i-- > 0;)
        if (sim.timeline.calls[i].status == 0 && is(&sim.timeline.calls[i], what))
            return &sim.timeline.calls[i];
    return NULL;
}

static bool covers(const struct call *c, const void *address)
{
    return (uint64_t)(uintptr_t)address - c->dst < c->bytes;
}

static bool gave(const struct call *c, const void *address)
{
    return (c->kind == CALL_MALLOC || c->kind == CALL_REGISTER) && covers(c, address);
}

static bool made_it(const struct call *c, const void *address)
{
    return c->kind == CALL_MALLOC && covers(c, address);
}

static bool took(const struct call *c, const void *address)
{
    return c->kind == CALL_FREE && covers(c, address);
}

/* Of this kind, made in the file where the thread's present call stands. */
static bool makes_such(const struct call *c, const void *what)
{
    const char *here = thread_self()->site.file;
    return c->kind == *(const uint32_t *)what && c->line != 0 && here
           && strcmp(string(c->file), here) == 0
           && !(c->kind == CALL_STREAM_CREATE && c->flags & (STREAM_LEGACY | STREAM_PER_THREAD));
}

/* ---- memory ---- */

/* `live`: the block is still there, even if the host has queued its free: what touched it runs
 * before that. */
static struct words words_of_block(const void *address, bool live)
{
    const struct allocation *a = allocation_find(address);
    const struct symbol *symbol = symbol_find(address);
    enum memory_kind kind = memory_kind_of(address, 1);
    if (!address)
        return words(
            "NULL: no cudaMalloc, cudaMallocHost, cudaHostAlloc, cudaMallocAsync or cudaMallocManaged has set it");
    const struct call *made = latest(gave, address), *freed = live ? NULL : latest(took, address);
    if (a && made && kind == MEM_DEVICE && (!freed || freed < made)) {
        const struct call *first = made->kind == CALL_REGISTER ? latest(made_it, address) : NULL;
        if (first) /* another process has opened it: how long it is was said where it was made */
            return words("device memory (%s, opened by %s)", words_of_call(first).text,
                         words_of_call(made).text);
        if (sim.card->devices > 1)
            return words("memory of device %d (%s)", a->device, words_of_call(made).text);
        return words("device memory (%s)", words_of_call(made).text);
    }
    if (freed && (!made || freed > made) && (!a || kind == MEM_DEVICE))
        return words("memory that %s has freed", words_of_call(freed).text);
    if (a && made)
        return words("%s memory (%s)", kind == MEM_MANAGED ? "managed" : "pinned host",
                     words_of_call(made).text);
    if (symbol)
        return words("the __device__ variable %.120s", symbol->name);
    if (kind == MEM_MANAGED)
        return words("a __managed__ variable");
    if (kind == MEM_PAGEABLE)
        return words("host memory that is not pinned");
    const struct call *last = latest(makes_such, &(uint32_t){ CALL_MALLOC });
    return last ? words("an address that no call returned (the latest that one returned is of %s)",
                        words_of_call(last).text)
                : words("an address that no call returned");
}

struct words words_of_memory(const void *address)
{
    return words_of_block(address, false);
}

/* May who touched this have meant the block that ends before it? Where the size was a number of
 * elements, the rest of it is up to seven times as long. */
static bool is_past(const struct allocation *before, uint64_t address)
{
    if (!before)
        return false;
    const uint64_t past = address - before->at - before->bytes;
    return past < NEAR || past < 7 * (uint64_t)before->bytes;
}

/* The block that ends before the address, where that may have been meant. */
static struct words words_of_past(const void *address)
{
    const struct allocation *before = allocation_before(address);
    if (!is_past(before, (uintptr_t)address))
        return words("%s", "");
    return words("; that is also %llu bytes past the end of the %llu bytes of %s",
                 (unsigned long long)((uintptr_t)address - before->at - before->bytes),
                 (unsigned long long)before->bytes,
                 words_of_block((const void *)before->at, true).text);
}

struct words words_of_missing(const void *address, size_t bytes)
{
    if (memory_kind_of(address, bytes) != MEM_NONE)
        return words("%s", "");
    const struct allocation *a = allocation_find(address);
    const struct symbol *symbol = symbol_find(address);
    if (!a && !symbol)
        return words("%s%s", words_of_memory(address).text, words_of_past(address).text);
    size_t all = a ? a->bytes : symbol->bytes,
           before = (size_t)((uintptr_t)address - (a ? a->at : (uintptr_t)symbol->at));
    return words("%s, with %zu bytes from there on", words_of_memory(address).text, all - before);
}

struct words words_of_size(size_t bytes)
{
    if (bytes <= SIZE_MAX / 2)
        return words("%zu bytes", bytes);
    return words("%zu bytes (that is %zd, a size below 0, as a size_t)", bytes, (ssize_t)bytes);
}

/* ---- devices ---- */

static bool sets_current(const struct call *c, const void *thread)
{
    return c->kind == CALL_OTHER && c->thread == *(const uint32_t *)thread && c->line != 0
           && strcmp(string(c->name), "cudaSetDevice") == 0;
}

static bool makes_event(const struct call *c, const void *number)
{
    return c->kind == CALL_EVENT_CREATE && c->event == *(const uint32_t *)number && c->line != 0;
}

static bool makes_stream(const struct call *c, const void *number)
{
    return c->kind == CALL_STREAM_CREATE && c->stream == *(const uint32_t *)number && c->line != 0;
}

static struct words in_brackets(const struct call *c)
{
    return c ? words(" (%s)", words_of_call(c).text) : words("%s", "");
}

struct words words_of_current(void)
{
    return in_brackets(latest(sets_current, &thread_self()->number));
}

struct words words_of_event(uint32_t number)
{
    return in_brackets(latest(makes_event, &number));
}

/* ---- handles ---- */

/* Which calls make what this one destroys. */
static const char *makers_of(const char *destroy)
{
    static const char *const makers[][2] = {
        { "cudaStreamDestroy", "cudaStreamCreate, cudaStreamCreateWithFlags and cudaStreamCreateWithPriority make streams" },
        { "cudaEventDestroy", "cudaEventCreate and cudaEventCreateWithFlags make events" },
        { "cudaGraphDestroy", "cudaGraphCreate, cudaGraphClone and cudaStreamEndCapture make graphs" },
        { "cudaGraphExecDestroy", "cudaGraphInstantiate makes executable graphs" },
        { "cudaGraphDestroyNode", "the cudaGraphAdd... calls make nodes" },
        { "cudaFreeArray", "cudaMallocArray and cudaMalloc3DArray make arrays" },
        { "cudaDestroyTextureObject", "cudaCreateTextureObject makes texture objects" },
        { "cudaDestroySurfaceObject", "cudaCreateSurfaceObject makes surface objects" },
    };
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(makers[i][0], destroy) == 0)
            return makers[i][1];
    return "was it ever created?";
}

static struct words words_of_none(const char *destroy, bool null)
{
    return words("%s (%s)", null ? "it is NULL" : "no call returned it", makers_of(destroy));
}

struct destroyed { uint64_t handle; const char *name; uint32_t kind, number; };

static bool destroyed_handle(const struct call *c, const void *what)
{
    const struct destroyed *d = what;
    uint64_t handle = c->kind == CALL_OTHER ? c->dst : c->kind == CALL_FREE ? c->src : 0;
    return handle == d->handle && strcmp(string(c->name), d->name) == 0;
}

static bool destroyed_number(const struct call *c, const void *what)
{
    const struct destroyed *d = what;
    return c->kind == d->kind
           && d->number == (d->kind == CALL_STREAM_DESTROY ? c->stream : c->event);
}

/* By what it was destroyed, and what had made it: two variables may have the same handle. */
static struct words words_of_end(const struct call *c)
{
    const struct call *made = c->kind == CALL_EVENT_DESTROY ? latest(makes_event, &c->event)
                              : c->kind == CALL_STREAM_DESTROY ? latest(makes_stream, &c->stream)
                                                               : NULL;
    if (!made)
        return words("it was destroyed by %s", words_of_call(c).text);
    return words("it was destroyed by %s, and made by %s", words_of_call(c).text,
                 words_of_call(made).text);
}

struct words words_of_handle(const struct handles *h, const void *handle, const char *destroy)
{
    if (!handle || !handle_was(h, handle))
        return words_of_none(destroy, !handle);
    const struct call *c = latest(
        destroyed_handle, &(struct destroyed){ .handle = (uintptr_t)handle, .name = destroy });
    return c ? words_of_end(c) : words("it was destroyed");
}

struct words words_of_latest(uint32_t kind)
{
    const struct call *made =
        latest(makes_such,
               &(uint32_t){ kind == CALL_STREAM_DESTROY ? CALL_STREAM_CREATE : CALL_EVENT_CREATE });
    return made ? words("; the latest is of %s", words_of_call(made).text) : words("%s", "");
}

struct words words_of_gone(uint32_t kind, uint32_t number, bool null)
{
    const struct call *c =
        number == NO_STREAM
            ? NULL
            : latest(destroyed_number, &(struct destroyed){ .kind = kind, .number = number });
    if (c)
        return words_of_end(c);
    struct words none =
        words_of_none(kind == CALL_STREAM_DESTROY ? "cudaStreamDestroy" : "cudaEventDestroy", null);
    return words("%s%s", none.text, words_of_latest(kind).text);
}

/* ---- faults ---- */

bool (*words_heap_maker)(const void *at, struct call *maker);

static struct words words_of_operation(const struct call *c)
{
    const char *how = c->flags & GRAPH_NODE    ? "put into a graph"
                      : c->kind == CALL_LAUNCH ? "launched"
                                               : "queued";
    if (c->kind == CALL_LAUNCH)
        return words("kernel %.80s, %s %s,", string(c->name), how, words_of_location(c).text);
    return words("the %s %s %s", call_kind_name(c->kind), how, words_of_location(c).text);
}

/* On this machine no access can be enabled. */
static const char *out_of_reach(void)
{
    return sim.card->peer_access ? ""
                                 : ", which cannot reach it here (cudaDeviceCanAccessPeer says so)";
}

static struct words words_of_address(uint64_t address, int device)
{
    const void *at = (const void *)(uintptr_t)address;
    const struct allocation *a = allocation_find(at), *before = allocation_before(at),
                            *next = allocation_ahead(at);
    if (address < SYSTEM_PAGE)
        return address == 0 ? words("touched NULL, or an invalid address (the processor reports 0)")
                            : words("touched address %#llx, which is next to NULL",
                                    (unsigned long long)address);
    struct call maker;
    if (!a && memory_kind_of(at, 1) == MEM_PAGEABLE && words_heap_maker
        && words_heap_maker(at, &maker))
        return words(
            "touched host memory that is not pinned, allocated %s: kernels reach what cudaMalloc(), cudaMallocManaged() and cudaMallocHost() give",
            words_of_location(&maker).text);
    if (!a && memory_kind_of(at, 1) == MEM_PAGEABLE)    /* where it lies differs from run to run */
        return words("touched %s", words_of_memory(at).text);
    const struct call *made =
        a && a->kind == MEM_DEVICE && a->device != device ? latest(gave, at) : NULL;
    if (made)               /* whether it has been freed meanwhile is not what went wrong */
        return words("touched memory of device %d (%s), and ran on device %d%s", a->device,
                     words_of_call(made).text, device, out_of_reach());
    if (a && a->kind == MEM_DEVICE && a->device != device)
        return words("touched %s, and ran on device %d%s", words_of_memory(at).text, device,
                     out_of_reach());
    if (!latest(took, at) && next && next->at - address < NEAR)
        return words("touched address %#llx, %llu bytes before the beginning of %s",
                     (unsigned long long)address, (unsigned long long)(next->at - address),
                     words_of_block((const void *)next->at, true).text);
    if (!latest(took, at) && !a && is_past(before, address))
        return words(
            "touched address %#llx, %llu bytes past the end of the %llu bytes of %s",
            (unsigned long long)address, (unsigned long long)(address - before->at - before->bytes),
            (unsigned long long)before->bytes, words_of_block((const void *)before->at, true).text);
    /* An index that is too large leads from a live block into one that was freed. */
    if (latest(took, at) && !a && is_past(before, address))
        return words("touched address %#llx, %s%s", (unsigned long long)address,
                     words_of_memory(at).text, words_of_past(at).text);
    return words("touched address %#llx, %s", (unsigned long long)address,
                 words_of_memory(at).text);
}

static struct words words_of_failure(uint32_t node, uint64_t address, cudaError_t error)
{
    const struct span *span = &sim.timeline.spans[node];
    const struct words who = words_of_operation(&sim.timeline.calls[span->call]);
    if (error == cudaErrorIllegalAddress)
        return words("%s %s", who.text, words_of_address(address, (int)span->device).text);
    return words("%s %s", who.text,
                 error == cudaErrorAssert          ? "failed an assert()"
                 : error == cudaErrorLaunchTimeout ? "did not come to an end"
                 : error == cudaErrorInvalidValue
                     ? "called cudaGraphSetConditional() with a handle that is not one of cudaGraphConditionalHandleCreate()"
                                                   : "failed while it ran");
}

struct words words_of_fault(uint32_t node, uint64_t address, cudaError_t error)
{
    const struct call *queued = &sim.timeline.calls[sim.timeline.spans[node].call];
    const char *here = thread_self()->site.file;
    files_named = here && strcmp(string(queued->file), here) != 0;
    struct words failure = words_of_failure(node, address, error);
    files_named = false;
    return failure;
}

struct words words_of_endless(uint32_t node, unsigned rounds, unsigned value, const char *set_by,
                              const char *set_another, bool empty)
{
    const struct words where =
        words_of_location(&sim.timeline.calls[sim.timeline.spans[node].call]);
    const char *ends = "the loop ends when a kernel calls cudaGraphSetConditional() with 0";
    if (empty)
        return words(
            "the conditional node added %s ran its body %u times, and its body is empty: what it repeats goes into the graph that "
            "conditional.phGraph_out[0] of its parameters names",
            where.text, rounds);
    if (!set_by && set_another)
        return words(
            "the conditional node added %s ran its body %u times, and its value stayed %u: %.80s() called cudaGraphSetConditional() with another "
            "handle than this node has",
            where.text, rounds, value, set_another);
    if (!set_by)
        return words(
            "the conditional node added %s ran its body %u times, and no kernel of this launch has set its value (%u): %s",
            where.text, rounds, value, ends);
    return words(
        "the conditional node added %s ran its body %u times, and its value was %u, set by %.80s(): %s",
        where.text, rounds, value, set_by, ends);
}
