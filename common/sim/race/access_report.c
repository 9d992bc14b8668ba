/* SPDX-License-Identifier: MIT */
/* Hazards and strays as the program's user sees them: a line on stderr, a record in the log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/call_log.h"
#include "sim/memory/allocation.h"
#include "sim/memory/peer.h"
#include "sim/memory/symbol.h"
#include "sim/race/access.h"
#include "sim/race/access_place.h"
#include "sim/race/seen/access_seen.h"
#include "sim/race/seen/exchange_seen.h"
#include "sim/race/seen/reach.h"
#include "sim/race/seen/shared_seen.h"
#include "trace/order/hazard_calls.h"
#include "trace/order/hazard_text.h"
#include "trace/record/memory.h"

enum { SHOWN = 100 };           /* more than these are counted, not shown */
enum { STRAY_BYTES = 4096 };    /* an access so far past an end is believed to be meant for it */

/* The top byte is a device's number (hazard_calls.h). */
static bool variable(uint64_t at, struct hazard_variable *v)
{
    if (IS_CONDITION(at)) {
        *v = (struct hazard_variable){ "a conditional handle's value", at, 0 };
        return true;
    }
    at &= (UINT64_C(1) << 56) - 1;
    const struct symbol *s = symbol_find((const void *)(uintptr_t)at);
    if (!s
        && (at >= VARIABLES_END || memory_kind_of((const void *)(uintptr_t)at, 1) != MEM_MANAGED))
        return false;
    *v = s ? (struct hazard_variable){ s->name, (uint64_t)(uintptr_t)s->at, s->bytes }
           : (struct hazard_variable){ "a __managed__ variable", at, 0 };
    return true;
}

struct hazard_scene access_scene(void)
{
    return (struct hazard_scene){ &sim.timeline, &sim.order, sim.timeline.call_count, variable };
}

static bool is_shown(void)
{
    const char *wanted = getenv("SIM_HAZARDS");
    return !wanted || strcmp(wanted, "log") != 0;
}

/* What one looks like another by: the lines of both sides, and of the memory. */
struct signature { struct { uint32_t file, line, name; } sides[2], memory; };

static struct shown { struct signature like; size_t more; const char *head; } *shown;
static size_t shown_count, shown_capacity;

/* NULL: nothing like it was shown before. */
static struct shown *shown_before(const struct signature *like)
{
    for (size_t i = 0; i < shown_count; i++)
        if (memcmp(&shown[i].like, like, sizeof *like) == 0)
            return &shown[i];
    return NULL;
}

static void show(const char *head, const char *message, const struct signature *like)
{
    struct shown *before = shown_before(like);
    if (before) {
        before->more++;
        return;
    }
    shown = memory_grow(shown, shown_count, &shown_capacity, sizeof *shown);
    shown[shown_count++] = (struct shown){ .like = *like, .head = head };
    if (shown_count <= SHOWN)
        fprintf(stderr, "%s: %s\n", head, message);
    else if (shown_count == SHOWN + 1)
        fprintf(stderr, "hazard: there are more than %d; the rest is in the log alone\n", SHOWN);
}

void access_show_more(void)
{
    for (size_t i = 0; i < shown_count && i < SHOWN && is_shown(); i++) {
        const struct signature *like = &shown[i].like;
        struct hazard_line l = { .used = 0 };
        for (int side = 0; side < 2; side++)
            if (like->sides[side].line != 0)
                hazard_say(&l, "%s%s:%u", l.used > 0 ? " and " : "",
                           timeline_string(&sim.timeline, like->sides[side].file),
                           like->sides[side].line);
        if (shown[i].more > 0)
            fprintf(stderr, "%s: %s: %zu more like it\n", shown[i].head,
                    l.used > 0 ? l.text : "the same lines", shown[i].more);
    }
}

static const struct call *call_of_node(uint32_t node)
{
    return &sim.timeline.calls[sim.timeline.spans[node].call];
}

/* `c`: the record, which has the place of the host, or of an instruction. */
static struct signature signature_of(const struct call *c, uint32_t first, uint32_t then)
{
    struct hazard_scene s = access_scene();
    const struct call *origin = hazard_origin(&s, c->dst);
    struct signature like = { .sides[1] = { c->file, c->line, 0 } };
    if (first != NO_NODE) {
        const struct call *a = call_of_node(first);
        like.sides[0].file = a->file, like.sides[0].line = a->line, like.sides[0].name = a->name;
    }
    if (then != NO_NODE)
        like.sides[1].name = call_of_node(then)->name;
    if (origin)
        like.memory.file = origin->file, like.memory.line = origin->line,
        like.memory.name = origin->name;
    return like;
}

static void tell_as(const char *head, struct call c, uint32_t first, uint32_t then,
                    const char *message)
{
    c.kind = CALL_HAZARD;
    c.name = call_string("hazard");
    c.message = call_string(message);
    c.node = then;
    c.src = first;
    if (c.line == 0 && then != NO_NODE) {
        const struct call *operation = call_of_node(then);
        c.file = operation->file;
        c.line = operation->line;
    }
    call_log_add(&c);
    struct signature like = signature_of(&c, first, then);
    if (is_shown())
        show(head, message, &like);
}

void access_tell(struct call c, uint32_t first, uint32_t then, const char *message)
{
    tell_as("hazard", c, first, then, message);
}

/* ---- two that meet ---- */

/* `host`: NULL for operations that no host function is. */
static struct hazard_side side_of(uint32_t node, uint32_t other, const struct host_access *host,
                                  bool writes)
{
    struct hazard_side side = { .node = node, .writes = writes, .line = host ? host->line : 0 };
    uint32_t file = host ? host->file : 0;
    side.locks = node != NO_NODE && thread_self()->locking == node + 1;
    if (host && ((host->pc && !source_line(host->pc, &file, &side.line))
                 || (host->frames && !source_line_of(host->frames, &file, &side.line))))
        side.line = 0;
    side.file = timeline_string(&sim.timeline, file);
    side.updates = host && host->updates;
    access_say_held(host, &side);
    if (node != NO_NODE)
        return side;
    side.verb = host->what, side.time = host->time, side.thread = host->thread;
    side.frees = host->frees, side.at_once = host->at_once;
    side.known_elsewhere = other != NO_NODE && vector_clocks_any_knows(access_clocks(), other);
    side.before = other != NO_NODE && sim.timeline.spans[other].call >= host->made;
    return side;
}

void access_report(const struct hazard *h, uint32_t first_node, uint32_t then_node,
                   const struct host_access *first_host, const struct host_access *then_host)
{
    struct hazard_side side[2] = { side_of(first_node, then_node, first_host, h->first_writes),
                                   side_of(then_node, first_node, then_host, h->then_writes) };
    struct hazard_scene s = access_scene();
    struct hazard_line l = { .used = 0 };
    first_host = first_node == NO_NODE ? first_host : NULL;
    then_host = then_node == NO_NODE ? then_host : NULL;
    hazard_describe(&l, &s, h->from, h->to, side);
    const struct hazard_side *then = &side[1];
    struct call c = { .dst = h->from,
                      .bytes = h->to - h->from,
                      .line = then->node == NO_NODE ? then->line : 0 };
    if (c.line != 0)
        c.file = call_string(then->file);
    if (then->node == NO_NODE)
        c.cost = (int64_t)(then_host ? then_host : first_host)->calls;
    if (first_host && then_host)
        c.src_pitch = first_host->calls;
    else if (first_host || then_host)
        c.dst_pitch = (then_host ? then_host : first_host)->thread + 1u;
    /* What every card does is order enough for a program from elsewhere; where work is judged it is
     * not. */
    const struct call *op = side[0].node != NO_NODE ? call_of_node(side[0].node) : NULL;
    bool waited =
        op && then_host && !then->before && !then->known_elsewhere
        && (then_host->waits || (call_waits_unpromised(op) && op->thread == then->thread));
    bool note = waited && !call_log_is_authenticated();
    tell_as(note ? "note" : "hazard", c, side[0].node, then->node, l.text);
}

/* ---- one alone: the head of its sentence, up to the verb ---- */

void access_say_who(struct hazard_line *l, const struct call *location, uint32_t node)
{
    hazard_say_location(l, timeline_string(&sim.timeline, location->file), location->line);
    if (node == NO_NODE) {
        hazard_say(l, "the host (at ");
        hazard_say_ms(l, model_now(&sim.model, thread_self()->number));
        hazard_say(l, " ms)");
        return;
    }
    const struct call *c = &sim.timeline.calls[sim.timeline.spans[node].call];
    hazard_say_operation(l, &sim.timeline, c);
    hazard_say(l, " in ");
    hazard_say_stream(l, &sim.timeline, c->stream);
    if (c->line != 0) {
        hazard_say(l, " (queued");
        hazard_say_line(l, &sim.timeline, c);
        hazard_say(l, ")");
    }
}

/* ---- strays ---- */

static bool stray_said_before(const void *pc)
{
    static const void **said;
    static size_t count, capacity;
    for (size_t i = 0; i < count; i++)
        if (said[i] == pc)
            return true;
    said = memory_grow(said, count, &capacity, sizeof *said);
    said[count++] = pc;
    return false;
}

/* The call that took the memory at `at` away; NULL: none did. */
static const struct call *taken_away(uint64_t at)
{
    for (size_t i = sim.timeline.call_count; i-- > 0;) {
        const struct call *c = &sim.timeline.calls[i];
        if (c->kind == CALL_FREE && at - c->dst < c->bytes)
            return c;
    }
    return NULL;
}

static void say_out_of_bounds(struct hazard_line *l, const struct allocation *a,
                              const struct access_run *run, bool by_host)
{
    struct hazard_scene s = access_scene();
    const struct call *from = hazard_origin(&s, a->at);
    uint64_t end = a->at + a->asked, first = run->from > end ? run->from : end;
    hazard_say(l, "bytes %llu to %llu of memory that has %llu (%s",
               (unsigned long long)(first - a->at), (unsigned long long)(run->to - 1 - a->at),
               (unsigned long long)a->asked,
               from ? timeline_string(&sim.timeline, from->name) : "?");
    if (from)
        hazard_say_line(l, &sim.timeline, from);
    hazard_say(l, "): out of bounds. Compare %s",
               by_host ? "the loop's end with the allocation"
                       : "the index with the number of elements, or allocate more");
}

static void say_too_low(struct hazard_line *l, const struct allocation *a,
                        const struct access_run *run)
{
    struct hazard_scene s = access_scene();
    const struct call *from = hazard_origin(&s, a->at);
    hazard_say(l, "what lies %llu bytes before the memory of %s",
               (unsigned long long)(a->at - run->from),
               from ? timeline_string(&sim.timeline, from->name) : "?");
    if (from)
        hazard_say_line(l, &sim.timeline, from);
    hazard_say(l, ": out of bounds. Look for an index below 0");
}

static void say_peer(struct hazard_line *l, const struct allocation *a, uint32_t node)
{
    uint32_t device = sim.timeline.spans[node].device;
    if (!peer_has_open(peer_process(node), a)) {
        hazard_say(l,
                   ": that is another process's memory, which is not open in this one. It is from "
                   "cudaIpcOpenMemHandle to cudaIpcCloseMemHandle");
        return;
    }
    hazard_say(l, ": that is memory of device %d, and the kernel runs on device %u. ", a->device,
               device);
    if (!sim.card->peer_access)
        hazard_say(l, "These two cannot reach each other's memory; copy it (cudaMemcpyPeer)");
    else if (a->reach)
        hazard_say(
            l,
            "It comes from a pool; let device %u have it (cudaMemPoolSetAccess), or copy it (cudaMemcpyPeer)",
            device);
    else
        hazard_say(
            l,
            "Let it reach there (cudaSetDevice(%u); cudaDeviceEnablePeerAccess(%d, 0)), or copy it (cudaMemcpyPeer)",
            device, a->device);
}

static void say_stray(struct hazard_line *l, const struct access_run *run, uint32_t node)
{
    bool by_host = access_by_host(node);
    const struct allocation *a = allocation_before((const void *)run->from),
                            *next = allocation_ahead((const void *)run->from);
    const struct call *gone = taken_away(run->from);
    struct hazard_scene s = access_scene();
    const struct symbol *variable = symbol_writable(run->from);
    uintptr_t past = symbol_past(run->from, run->to);
    if (run->trespass) {
        const char *name = reach_variable(run->from);
        hazard_say(
            l,
            "%s%s, which the device cannot reach: on a GPU the kernel ends here, with cudaErrorIllegalAddress. Give it memory "
            "from cudaMalloc or cudaMallocManaged",
            name ? "the host's variable "
                 : "the host's own memory (from malloc, new, or on the stack)",
            name ? name : "");
    } else if (past != 0) {
        const struct symbol *of = symbol_around((const void *)(past - 1));
        uintptr_t at = (uintptr_t)of->at;
        hazard_say(l,
                   "bytes %zu to %zu of the variable %s, which has %zu: out of bounds. Compare %s",
                   (size_t)(past - at), (size_t)(run->to - 1 - at), of->name, of->bytes,
                   by_host ? "the loop's end with the array"
                           : "the index with the number of elements, or declare more");
    } else if (variable && !by_host) {
        hazard_say(
            l,
            "the __constant__ variable %s, which no kernel can write: nvcc warns and leaves the store out. Write it with "
            "cudaMemcpyToSymbol, or make it __device__",
            variable->name);
    } else if (variable) {
        hazard_say(
            l,
            "the variable %s: that is the device's, and the host has another of the same name on a GPU, which no kernel "
            "sees. Copy with cudaMemcpyToSymbol and cudaMemcpyFromSymbol, or make it __managed__",
            variable->name);
    } else if (a && run->from - a->at < a->asked && run->to - a->at <= a->asked) {
        hazard_say_bytes(l, &s, run->from, run->to);
        if (by_host)
            hazard_say(
                l,
                ": that is memory of the device, which the host cannot reach; on a GPU the program crashes here. "
                "Copy it with cudaMemcpy, or take cudaMallocManaged");
        else
            say_peer(l, a, node);
    } else if (!gone && next && next->at - run->from < STRAY_BYTES) {
        say_too_low(l, next, run);
        hazard_say_short_of(l, &s, a ? a->at : 0, a ? a->asked : 0, run->from);
    } else if (a && run->from - a->at < a->asked + STRAY_BYTES) {
        say_out_of_bounds(l, a, run, by_host);
    } else if (gone) {
        hazard_say(l, "memory that %s", timeline_string(&sim.timeline, gone->name));
        hazard_say_line(l, &sim.timeline, gone);
        hazard_say(l,
                   " has given back: it is not the program's any more. Free it after its last use");
    } else {
        hazard_say(l, "address %#llx: there is no memory there. Look where the pointer comes from",
                   (unsigned long long)run->from);
        hazard_say_short_of(l, &s, a ? a->at : 0, a ? a->asked : 0, run->from);
    }
}

bool access_by_host(uint32_t node)
{
    return node == NO_NODE || sim.timeline.spans[node].engine == ENGINE_HOST_FUNC;
}

void access_report_stray(const struct access_run *run, uint32_t node)
{
    if (stray_said_before(run->pc))
        return;
    struct hazard_line l = { .used = 0 };
    struct call c = { .dst = run->trespass ? 0 : run->from,
                      .bytes = run->to - run->from,
                      .cost = (int64_t)call_log_count() };
    source_line(run->pc, &c.file, &c.line);
    access_say_who(&l, &c, node);
    hazard_say(&l, " %s ", run->write ? "writes" : "reads");
    say_stray(&l, run, node);
    access_tell(c, NO_NODE, node, l.text);
}

/* ---- blocks and warps ---- */

/* Here, too, the result may never be used: only the kernel's line is noted. */
static void note_once(uint32_t node, const void *pc, const char *what)
{
    struct hazard_line l = { .used = 0 };
    struct call c = { 0 };
    if (!is_shown() || stray_said_before(pc))
        return;
    source_line(pc, &c.file, &c.line);
    access_say_who(&l, &c, node);
    fprintf(stderr, "note: %s %s\n", l.text, what);
}

void access_report_shared(uint32_t node, const void *pc)
{
    note_once(
        node, pc,
        "reads shared memory that no thread of its block has written: it holds whatever was there before. Write all that "
        "is read, and have a __syncthreads() between");
}

void access_report_past(uint32_t node, const struct shared_past *past)
{
    struct hazard_line l = { .used = 0 };
    struct call c = { .bytes = past->bytes, .cost = (int64_t)call_log_count() };
    if (stray_said_before(past->pc))
        return;
    source_line(past->pc, &c.file, &c.line);
    access_say_who(&l, &c, node);
    hazard_say(&l, " %s bytes %zu to %zu of ", past->write ? "writes" : "reads", past->at,
               past->at + past->bytes - 1);
    hazard_say(
        &l,
        "dynamic shared memory, and its launch gives each block %zu: out of bounds. Give the bytes that a block needs as the "
        "third parameter of <<<...>>>",
        past->has);
    access_tell(c, NO_NODE, node, l.text);
}

void access_report_exchange(uint32_t node, const struct exchange *e)
{
    struct hazard_line l = { .used = 0 };
    struct call read = { 0 }, write = { 0 };
    if (!is_shown() || stray_said_before(e->read))
        return;
    source_line(e->read, &read.file, &read.line);
    source_line(e->write, &write.file, &write.line);
    access_say_who(&l, &read, node);
    hazard_say(&l, " reads what %s stores",
               e->blocks ? "another block" : "another thread of its block");
    hazard_say_line(&l, &sim.timeline, &write);
    hazard_say(&l,
               ", with nothing between that orders the two: here the %s came first, and a card promises nothing. ",
               e->read_first ? "read" : "store");
    fprintf(stderr, "note: %s%s\n", l.text,
            e->blocks
                ? "Let a kernel of its own read it, launched after this one, or have all blocks there at once "
                  "(cudaLaunchCooperativeKernel) and a grid.sync() between"
                : "Have a __syncthreads() between, or a __syncwarp() if they are of one warp");
}

void access_report_division(uint32_t node, const void *pc)
{
    note_once(
        node, pc,
        "divides an integer by zero: a GPU goes on with a number that CUDA does not specify, and here all its bits are ones");
}

void access_report_conversion(uint32_t node, const void *pc)
{
    note_once(
        node, pc,
        "converts a floating-point number to an integer that cannot hold it: a GPU takes the nearest integer that can be held (for NaN, "
        "0), and here the result is another one. Write the conversion, (int)x: then simcc does what the GPU does");
}

/* The value may be one that nobody looks at: no hazard, then. */
void access_report_lane(uint32_t node, const char *file, int line, const char *operation,
                        unsigned lane, unsigned source, bool ended)
{
    struct hazard_line l = { .used = 0 };
    struct call c = { .file = call_string(file), .line = (uint32_t)line };
    static struct call said;
    if (!is_shown() || (said.file == c.file && said.line == c.line))
        return;
    said = c;
    access_say_who(&l, &c, node);
    hazard_say(&l, ": in %s lane %u reads lane %u, which %s: the value is undefined. ", operation,
               lane, source, ended ? "has ended or never existed" : "the mask does not name");
    fprintf(
        stderr, "note: %s%s\n", l.text,
        ended
            ? "Let all lanes of the mask come to it, those with nothing to add with a neutral value"
            : "Name it in the mask");
}

void access_report_apart(uint32_t node, const char *file, int line, const char *other_file,
                         int other_line)
{
    struct hazard_line l = { .used = 0 };
    struct call c = { .file = call_string(file), .line = (uint32_t)line },
                there = { .file = call_string(other_file), .line = (uint32_t)other_line };
    static struct call said;
    if (!is_shown() || (said.file == c.file && said.line == c.line))
        return;
    said = c;
    access_say_who(&l, &c, node);
    hazard_say(&l, ": some threads of a block are at this __syncthreads while others are at that");
    hazard_say_line(&l, &sim.timeline, &there);
    fprintf(stderr, "note: %s: CUDA promises nothing then; here they go on together, "
                    "and so they do on a card unless it hangs. Take it out of the condition or loop that not all threads share\n",
            l.text);
}
