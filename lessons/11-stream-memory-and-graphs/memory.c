/* SPDX-License-Identifier: MIT */
/* (a), (b): memory that a stream takes and gives. */
#include "runs.h"

#include <stdlib.h>
#include <string.h>

static bool in_memory(const struct call *memory, const struct call *c)
{
    return c->dst == memory->dst;
}

/* The call that gives back what call `taken` took; ANY for none. */
static uint32_t given_back(const struct view *v, size_t taken, size_t end)
{
    const struct timeline *t = v->timeline;
    for (size_t i = taken + 1; i < end; i++)
        if (t->calls[i].kind == CALL_FREE && t->calls[i].status == 0
            && in_memory(&t->calls[taken], &t->calls[i]))
            return (uint32_t)i;
    return ANY;
}

/* The next call of the part from `call` on that takes device memory; ANY for none. */
static uint32_t next_taken(const struct view *v, struct selection s, size_t call)
{
    for (; call < s.end_call; call++) {
        const struct call *c = &v->timeline->calls[call];
        if (c->kind == CALL_MALLOC && c->status == 0 && c->dst_kind == MEM_DEVICE && c->dst != 0)
            return (uint32_t)call;
    }
    return ANY;
}

/* What round k of the part needs: in (a) a frame's memory. */
static uint64_t scratch_bytes(const struct evidence *e, const char *part, int64_t k)
{
    const int32_t *n = exchange_input(e->exchange, IN_SIZES, NULL);
    return (uint64_t)(part[0] == 'a' ? n[k] : settings_of(e)->relay_n) * sizeof(uint32_t);
}

static int64_t rounds_of(const struct evidence *e, const char *part)
{
    return part[0] == 'a' ? settings_of(e)->frames : settings_of(e)->rounds;
}

/* How often the part takes device memory; *fitting: how many rounds find some of their size. */
static int64_t taken_in(const struct evidence *e, const char *part, int64_t *fitting)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    int64_t all = 0;
    *fitting = 0;
    for (uint32_t take = next_taken(v, s, s.first_call); take != ANY;
         take = next_taken(v, s, take + 1), all++)
        *fitting += *fitting < rounds_of(e, part)
                    && v->timeline->calls[take].bytes == scratch_bytes(e, part, *fitting);
    return all;
}

/* The next call from `call` on that takes round k's scratch memory; ANY for none. It is the next
 * that takes device memory; where the part has more of these than rounds, the next of the round's
 * size: what else a program takes is no scratch memory. */
static uint32_t next_scratch(const struct evidence *e, const char *part, size_t call, int64_t k)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    int64_t rounds = rounds_of(e, part), fitting;
    uint32_t take = next_taken(v, s, call);
    bool others = taken_in(e, part, &fitting) > rounds && fitting == rounds;
    while (others && take != ANY
           && (k >= rounds || v->timeline->calls[take].bytes != scratch_bytes(e, part, k)))
        take = next_taken(v, s, take + 1);
    return take;
}

/* Both kernels of a part, once for each round, wherever. */
static bool both_ran(const struct evidence *e, struct finding *f, const char *part, const char *one,
                     const char *two, int64_t wanted)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    size_t ones, twos;
    kernel_named(v, s, one, &ones);
    kernel_named(v, s, two, &twos);
    if ((int64_t)ones == wanted && (int64_t)twos == wanted)
        return true;
    blame_count(v, f, s, (int64_t)ones != wanted ? one : two,
                part[0] == 'a' ? "frames_all" : "relay_all");
    expected(f, "%lld times %s(), %lld times %s()", (long long)wanted, one, (long long)wanted, two);
    seen(f, "%s(): %zu, %s(): %zu", one, ones, two, twos);
    return why(f,
               "The starter has all the work. Change only how its memory is allocated and freed.");
}

bool judge_frames(const struct evidence *e, struct finding *f, const char *part)
{
    return both_ran(e, f, part, "spread", "gather", settings_of(e)->frames);
}

bool judge_rounds(const struct evidence *e, struct finding *f, const char *part)
{
    return both_ran(e, f, part, "fill", "drain", settings_of(e)->rounds);
}

bool judge_by_stream(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    bool any = false;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        bool takes = c->kind == CALL_MALLOC, gives = c->kind == CALL_FREE;
        if ((!takes && !gives) || c->dst_kind != MEM_DEVICE || c->dst == 0)
            continue;
        any = true;
        if ((c->flags & CALL_ASYNC) && c->stream != NO_STREAM)
            continue;
        f->call = (uint32_t)i;
        expected(f, "scratch memory is allocated and freed in a stream, like work");
        seen(f, takes ? "this allocates on the device, not in a stream"
                      : "this frees memory, and is not work in a stream");
        return why(
            f,
            takes
                ? "Memory from cudaMalloc() is freed by cudaFree(), which waits for everything on the device. "
                  "cudaMallocAsync(&p, bytes, stream) allocates from a pool, in the stream's order."
                : "cudaFree() takes no stream, so the host has to know that nothing uses the memory any more. "
                  "cudaFreeAsync(p, stream) frees it after everything in the stream.");
    }
    if (any)
        return true;
    expected(f, "scratch memory is allocated and freed in a stream, like work");
    seen(f, "no device memory is allocated at all");
    return why(f,
               "Call cudaMallocAsync(&scratch, bytes, stream), and cudaFreeAsync(scratch, stream) after its last use.");
}

/* Each use of the memory comes after the call that took it and before the one that gives it back:
 * kernels of the names `user`, as the n-th memory of the part goes with the n-th of each. Memory
 * that is taken less often goes with none for certain, and is another check's. */
static bool used_in_time(const struct evidence *e, struct finding *f, const char *part,
                         const char *const user[2])
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    const struct timeline *t = v->timeline;
    uint32_t node[2] = { next_kernel(v, s, user[0], 0), next_kernel(v, s, user[1], 0) };
    int64_t round = 0, fitting;
    if (taken_in(e, part, &fitting) < rounds_of(e, part))
        return true;
    for (uint32_t take = next_scratch(e, part, s.first_call, 0);
         take != ANY && node[0] != ANY && node[1] != ANY;
         take = next_scratch(e, part, take + 1, ++round)) {
        uint32_t give = given_back(v, take, t->call_count);
        for (int k = 0; k < 2; k++) {
            if (t->calls[take].node != NO_NODE
                && !hb_before(v->order, t->calls[take].node, node[k], GUARANTEED)) {
                f->call = t->spans[node[k]].call;
                expected(f,
                         "%s() comes after the cudaMallocAsync() of its scratch memory, in an order that is guaranteed",
                         user[k]);
                seen(f, "nothing makes it wait for that (line %u)", t->calls[take].line);
                return why_unordered(
                    v, f, t->calls[take].node, "cudaMallocAsync()", node[k],
                    node_name(v, node[k]).text,
                    "You have the address at once, but the memory only for work that comes later in that stream. Another "
                    "stream has to wait for an event recorded after the allocation.");
            }
            if (give == ANY || t->calls[give].node == NO_NODE
                || hb_before(v->order, node[k], t->calls[give].node, GUARANTEED))
                continue;
            f->call = give;
            expected(f, "scratch memory is freed after %s(), in an order that is guaranteed",
                     user[k]);
            seen(f, "nothing makes the cudaFreeAsync() of line %u wait for %s", t->calls[give].line,
                 node_name(v, node[k]).text);
            return why_unordered(
                v, f, node[k], node_name(v, node[k]).text, t->calls[give].node, "cudaFreeAsync()",
                "From this point in the stream on, the pool may hand out the memory again. cudaFreeAsync() has to come "
                "after the last kernel that uses the memory: in the same stream, or after a wait for an event that was "
                "recorded after that kernel.");
        }
        node[0] = next_kernel(v, s, user[0], node[0] + 1);
        node[1] = next_kernel(v, s, user[1], node[1] + 1);
    }
    return true;
}

bool judge_lifetime(const struct evidence *e, struct finding *f, const char *part)
{
    static const char *const users[][2] = { { "spread", "gather" }, { "fill", "drain" } };
    return used_in_time(e, f, part, users[part[0] - 'a']);
}

/* The part's calls before a frame: those of later frames may have begun. */
static struct selection before_frame(const struct evidence *e, const char *part, int64_t frame)
{
    struct selection s = in_part(&e->yours[0], part, 0);
    uint32_t one = next_scratch(e, part, s.first_call, 0);
    for (int64_t k = 0; one != ANY && k < frame; k++)
        one = next_scratch(e, part, one + 1, k + 1);
    if (one != ANY)
        s.end_call = one;
    return s;
}

/* The last work in `s` that nothing has waited for when call `i` is made; ANY: all is done. */
static uint32_t under_way(const struct view *v, struct selection s, size_t i)
{
    uint32_t last = ANY;
    s.engines = ENGINES_DEVICE;
    s.end_call = s.end_call < i ? s.end_call : i;
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1))
        if (!hb_before_call(v->order, node, v->timeline->calls, i, GUARANTEED))
            last = node;
    return last;
}

/* The last scratch memory taken in `s` that has not been given back before call `i`; ANY: all of it
 * has. */
static uint32_t still_taken(const struct evidence *e, const char *part, struct selection s,
                            size_t i)
{
    uint32_t out = ANY, one = next_scratch(e, part, s.first_call, 0);
    for (int64_t k = 0; one != ANY && one < s.end_call && one < i;
         one = next_scratch(e, part, one + 1, ++k))
        if (given_back(&e->yours[0], one, i) == ANY)
            out = one;
    return out;
}

bool judge_between_frames(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    const int32_t *n = exchange_input(e->exchange, IN_SIZES, NULL);
    int64_t looked = 0, frames = settings_of(e)->frames, taken = 0;
    uint32_t scratch = next_scratch(e, part, s.first_call, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        long frame = label_number(v, i, LOOK);
        if (i == scratch) {
            if (taken < frames && c->bytes != (uint64_t)n[taken] * sizeof(uint32_t)) {
                f->call = (uint32_t)i;
                expected(f, "frame %lld has scratch memory of its own size: %lld bytes",
                         (long long)taken, (long long)n[taken] * (long long)sizeof(uint32_t));
                seen(f, "%llu bytes are taken", (unsigned long long)c->bytes);
                return why(f, "f->n[k] elements of four bytes.");
            }
            scratch = next_scratch(e, part, i + 1, ++taken);
        }
        if (frame < 0)
            continue;
        struct selection so_far = before_frame(e, part, looked + 1);
        uint32_t waiting = under_way(v, so_far, i), out = still_taken(e, part, so_far, i);
        if (frame == looked && out == ANY && waiting == ANY) {
            looked++;
            continue;
        }
        f->call = out != ANY ? out : waiting != ANY ? v->timeline->spans[waiting].call : ANY;
        expected(f,
                 "look() is called for each frame in its turn, after the frame is done and its scratch memory freed");
        seen(f,
             frame != looked ? "look(%ld), and frame %lld has not been looked at"
             : out != ANY    ? "look(%ld): memory is still allocated"
                             : "look(%ld): nothing has waited for all of the work before it",
             frame, (long long)looked);
        if (out == ANY && frame == looked)
            return why_unwaited(v, f, waiting, i,
                                "cudaStreamSynchronize(f->stream), or cudaEventSynchronize() of an event recorded "
                                "after this, then look().");
        uint32_t late =
            out != ANY && f->call != ANY ? given_back(v, f->call, v->timeline->call_count) : ANY;
        if (late != ANY && late > i) {
            f->call = late;
            return why(f,
                       "The memory is freed here, and look() came earlier. cudaFreeAsync() belongs after gather(), before you wait. "
                       "It holds nothing up.");
        }
        return why(
            f, out != ANY
                   ? "Free it after gather(), before you wait. cudaFreeAsync() holds nothing up."
                   : "Call look(k) once for each frame k, from 0 on.");
    }
    f->call = ANY;
    if (looked == frames)
        return true;
    expected(f, "look() is called for each of %lld frames", (long long)frames);
    seen(f, "it is called %lld times", (long long)looked);
    return why(f, "Call it once for each frame, after its result has arrived.");
}

bool judge_next_door(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    if (part_ends_before(v, part, "neighbour")
        || !part_ends_before(&e->reference[0], part, "neighbour"))
        return true;
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    f->call = measure_longest_wait(v->timeline, s.first_call, s.end_call);
    expected(f,
             "frames_all() returns while the neighbour's kernel is still running: it waits only for its own stream");
    seen(f, "it returned after that kernel had ended");
    return why(f,
               "What do you wait for here, and whose work is it? cudaStreamSynchronize(f->stream) waits for the frame and for "
               "nothing else.");
}

/* A pool takes memory from the device, and returns it, so much at a time (measured on an H200):
 * less is not kept. */
#define POOL_STEP ((uint64_t)32 << 20)

static bool is_named(const struct view *v, size_t call, const char *name)
{
    return strcmp(timeline_string(v->timeline, v->timeline->calls[call].name), name) == 0;
}

/* A pool of the learner's own: its threshold is in no log. */
static bool calls(const struct view *v, const struct selection *s, const char *name)
{
    for (size_t i = s->first_call; i < s->end_call; i++)
        if (is_named(v, i, name))
            return true;
    return false;
}

static bool makes_a_pool(const struct view *v, const struct selection *s)
{
    return calls(v, s, "cudaMemPoolCreate");
}

/* A call between two others that gives memory back to the device whatever the threshold is; ANY:
 * there is none. */
static uint32_t trims(const struct view *v, uint32_t first, uint32_t then)
{
    for (uint32_t i = first; i < then && then != ANY; i++)
        if (is_named(v, i, "cudaMemPoolTrimTo"))
            return i;
    return ANY;
}

/* The last call that set an attribute before a look(); ANY: there is none. */
static uint32_t last_set(const struct view *v, const struct selection *s)
{
    bool looks = false;
    for (size_t i = s->end_call; i-- > s->first_call;) {
        looks = looks || label_number(v, i, LOOK) >= 0;
        if (looks && is_named(v, i, "cudaMemPoolSetAttribute"))
            return (uint32_t)i;
    }
    return ANY;
}

bool judge_kept(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct pool *pool = exchange_output(e->exchange, OUT_POOL, NULL);
    struct selection s = in_part(v, part, 0);
    int grown = 0;
    uint32_t first = ANY;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (v->timeline->calls[i].kind == CALL_MALLOC
            && (v->timeline->calls[i].flags & POOL_GROWS)) {
            if (grown++ == 0)
                first = (uint32_t)i;
            else if (grown == 2)
                f->call = (uint32_t)i;
        }
    bool low = pool->least < POOL_STEP && !makes_a_pool(v, &s);
    if (grown <= 1 && !low)
        return true;
    expected(f, "the pool takes memory from the device once, for the first frame, and keeps it");
    if (low) {
        f->call = last_set(v, &s);
        f->argument = 3;
        seen(f, "at a look() its release threshold was %llu bytes",
             (unsigned long long)pool->least);
    } else
        seen(f, "%d times in %lld frames; this is the second time", grown,
             (long long)settings_of(e)->frames);
    uint32_t trim = low ? ANY : trims(v, first, f->call);
    if (trim != ANY) {
        f->call = trim;
        return why(f,
                   "cudaMemPoolTrimTo() gives free memory back to the device at once, whatever the release threshold is: the next "
                   "frame takes it anew. Leave it out, or trim once, after the last frame.");
    }
    if (!low && makes_a_pool(v, &s) && !calls(v, &s, "cudaDeviceSetMemPool")
        && is_named(v, f->call, "cudaMallocAsync"))
        return why(f,
                   "cudaMallocAsync() takes memory from the device's current pool, and the pool that cudaMemPoolCreate() has made here is another one: its "
                   "threshold holds for its own memory alone. cudaMallocFromPoolAsync() takes from that pool, or cudaDeviceSetMemPool() makes it "
                   "the current one.");
    return why(f,
               "When the host waits, free memory in a pool goes back to the device down to the release threshold, which is 0 by "
               "default. Pools take and return 32 MiB at a time, so a threshold below that keeps nothing. Set "
               "cudaMemPoolAttrReleaseThreshold to UINT64_MAX before the first frame: the attribute is a uint64_t, in bytes.");
}

bool judge_threshold(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct pool *pool = exchange_output(e->exchange, OUT_POOL, NULL);
    struct selection s = in_part(v, part, 0);
    if (pool->now == pool->before)
        return true;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (is_named(v, i, "cudaMemPoolSetAttribute"))
            f->call = (uint32_t)i;
    expected(f, "the pool's release threshold is what it was before: %llu bytes",
             (unsigned long long)pool->before);
    seen(f, pool->now == UINT64_MAX ? "UINT64_MAX: it keeps everything" : "%llu bytes",
         (unsigned long long)pool->now);
    return why(f,
               "The pool belongs to the device and serves the whole program. What it keeps for you is missing elsewhere. Call "
               "cudaMemPoolGetAttribute() first, and set the same value again at the end.");
}

/* ---- (b) ---- */

bool judge_filled(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    uint32_t fill = next_kernel(v, s, "fill", 0), drain = next_kernel(v, s, "drain", 0);
    for (; fill != ANY && drain != ANY; fill = next_kernel(v, s, "fill", fill + 1),
                                        drain = next_kernel(v, s, "drain", drain + 1)) {
        const struct span *one = &v->timeline->spans[fill], *two = &v->timeline->spans[drain];
        if (one->stream == two->stream) {
            f->call = two->call;
            expected(f, "fill() runs in one stream, drain() in the other");
            seen(f, "both are in the same stream: fill() of line %u and drain() of line %u",
                 call_of_node(v, fill)->line, call_of_node(v, drain)->line);
            return why(f,
                       "The stream is the fourth parameter of the launch: r->one for fill(), r->two for drain(). Then one round's "
                       "drain() can run beside the next round's fill().");
        }
        if (hb_before(v->order, fill, drain, GUARANTEED))
            continue;
        expected(f, "each drain() comes after its fill(), in an order that is guaranteed");
        seen(f, "nothing makes drain() of line %u wait for fill() of line %u",
             call_of_node(v, drain)->line, call_of_node(v, fill)->line);
        return why_unordered(v, f, fill, "fill()", drain, "drain()", NULL);
    }
    return true;
}

bool judge_queues_only(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    uint32_t call = first_standstill(v, in_part(v, part, 0));
    if (call == ANY)
        return true;
    f->call = call;
    expected(f, "relay_all() queues everything and returns: the host never waits");
    seen(f, "the host is held up here, or polls");
    return why(f,
               "The streams can wait for each other without the host: record an event after fill(), and call cudaStreamWaitEvent() "
               "before drain(). Memory that is freed in a stream needs no wait of the host, either.");
}

bool judge_own_scratch(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    int64_t rounds = settings_of(e)->rounds,
            bytes = settings_of(e)->relay_n * (int64_t)sizeof(uint32_t), taken = 0, right = 0;
    for (uint32_t take = next_scratch(e, part, s.first_call, 0); take != ANY;
         take = next_scratch(e, part, take + 1, ++taken)) {
        bool fits = (int64_t)v->timeline->calls[take].bytes == bytes
                    && v->timeline->calls[take].flags & CALL_ASYNC;
        right += fits;
        f->call = fits && f->call != ANY ? f->call : take;
    }
    if (taken == rounds && right == rounds)
        return true;
    expected(f, "%lld times %lld bytes are allocated in a stream: the n elements of a round",
             (long long)rounds, (long long)bytes);
    if (taken == rounds)
        seen(f, "%llu bytes", (unsigned long long)v->timeline->calls[f->call].bytes);
    else
        seen(f, "memory is allocated %lld time%s", (long long)taken, taken == 1 ? "" : "s");
    return why(f,
               "A round that allocates for itself holds memory only while it needs it, and the pool gives the same memory to the next one: call "
               "cudaMallocAsync() and cudaFreeAsync() in each round. Memory for all rounds at once grows with their number.");
}
