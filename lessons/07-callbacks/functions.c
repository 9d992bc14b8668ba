/* SPDX-License-Identifier: MIT */
#include "functions.h"

#include <stdlib.h>
#include <string.h>

#include "trace/record/memory.h"

#include "slots.h"

/* ---- labels ---- */

/* Is it a label that begins so, whatever follows? */
static bool is_label(const struct view *v, size_t call, const char *what)
{
    const struct call *c = &v->timeline->calls[call];
    return c->kind == CALL_LABEL
           && strncmp(timeline_string(v->timeline, c->name), what, strlen(what)) == 0;
}

bool reads_inbox(const struct view *v, struct finding *f, const char *part, const char *kernel,
                 const uint32_t *host, int64_t count)
{
    int64_t k = 0;
    while (k < count && !host[k])
        k++;
    uint32_t node = kernel_named(v, in_part(v, part, 0), kernel, NULL);
    if (k == count || node == ANY)
        return true;
    f->call = v->timeline->spans[node].call;
    f->sure = true;
    expected(f, "%s() reads the inbox, to which the batch was copied", kernel);
    seen(f, "it was given memory of the host's");
    return why(
        f,
        "A kernel can read a pinned slot, but each load then crosses the bus, the copy was for nothing, and the slot is in use "
        "until the kernel has ended. Pass the inbox.");
}

unsigned label_beside_device(const struct view *v, const char *part, const char *what)
{
    const struct timeline *t = v->timeline;
    struct interval *busy;
    size_t count = measure_intervals(t, in_part(v, part, ENGINES_DEVICE), &busy), first, end;
    int64_t device = 0, host = 0, both = 0;
    for (size_t k = 0; k < count; k++)
        device += busy[k].end - busy[k].start;
    measure_part(t, part, &first, &end);
    for (size_t i = first; i < end; i++) {
        size_t last = is_label(v, i, what) ? label_end(v, i) : t->call_count;
        if (last == t->call_count)
            continue;
        int64_t from = t->calls[i].begin, to = t->calls[last].end;
        host += to - from;
        for (size_t k = 0; k < count; k++) {
            int64_t low = from > busy[k].start ? from : busy[k].start,
                    high = to < busy[k].end ? to : busy[k].end;
            both += high > low ? high - low : 0;
        }
    }
    memory_resize(busy, 0);
    int64_t shorter = host < device ? host : device;
    return shorter ? (unsigned)(both * 1000 / shorter) : 0;
}

/* ---- functions ---- */

uint32_t function_of_call(const struct view *v, size_t call)
{
    const struct timeline *t = v->timeline;
    for (size_t i = call; i-- > 0;) {
        const struct call *c = &t->calls[i];
        if (c->thread != t->calls[call].thread)
            continue;
        if (c->kind == CALL_FUNCTION_BEGIN)
            return c->node < t->span_count ? c->node : ANY;
        if (c->kind == CALL_FUNCTION_END)
            return ANY;
    }
    return ANY;
}

bool function_known(const struct view *v, uint32_t node, size_t call)
{
    const struct timeline *t = v->timeline;
    uint32_t function = function_of_call(v, call);
    if ((function != ANY && hb_before(v->order, node, function, GUARANTEED))
        || hb_before_call(v->order, node, t->calls, call, GUARANTEED))
        return true;
    for (size_t i = 0; i < call; i++)
        if (t->calls[i].kind == CALL_FUNCTION_BEGIN
            && hb_before(v->order, node, t->calls[i].node, GUARANTEED))
            return true;
    return false;
}

/* ---- fill() ---- */

uint32_t copy_still_read(const struct view *v, const char *part, uint64_t from, uint64_t bytes,
                         size_t call)
{
    struct selection copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    uint32_t function = function_of_call(v, call);
    for (uint32_t node = next_span(v, copies, 0); node != ANY;
         node = next_span(v, copies, node + 1)) {
        const struct call *c = call_of_node(v, node);
        if (function != ANY && hb_before(v->order, function, node, GUARANTEED))
            continue;
        if (v->timeline->spans[node].call < call && c->src < from + bytes
            && from < c->src + c->bytes && !function_known(v, node, call))
            return node;
    }
    return ANY;
}

bool fills_later(const struct view *v, struct selection s, size_t call)
{
    s.first_call = call + 1;
    return thread_fills(v, s, v->timeline->calls[call].thread);
}

bool thread_fills(const struct view *v, struct selection s, uint32_t thread)
{
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (v->timeline->calls[i].thread == thread && label_number(v, i, FILL) >= 0)
            return true;
    return false;
}

size_t last_fill(const struct view *v, struct selection s)
{
    size_t last = s.first_call;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (label_number(v, i, FILL) >= 0)
            last = i;
    return last;
}

int slots_filled(const struct view *v, struct selection s, int slots)
{
    unsigned filled = 0;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        long slot = label_number(v, i, FILL);
        filled |= slot >= 0 && slot < slots ? 1u << slot : 0;
    }
    return __builtin_popcount(filled);
}

bool function_before_copies(const struct view *v, struct finding *f, const char *part,
                            uint32_t stream)
{
    struct selection functions = in_part(v, part, ENGINE_BIT(ENGINE_HOST_FUNC)),
                     copies = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    functions.stream = copies.stream = stream;
    uint32_t function = next_span(v, functions, 0), copy = next_span(v, copies, 0);
    if (function == ANY || copy == ANY || function > copy)
        return false;
    f->call = v->timeline->spans[function].call;
    f->instead = 0;
    why(f,
        "This function is queued before the first copy. It says that a slot is empty when that copy has not begun. Queue each "
        "function after its copy, in the same stream.");
    return true;
}

bool in_fill(const struct view *v, struct selection s, size_t call)
{
    for (size_t i = call; i-- > s.first_call;)
        if (v->timeline->calls[i].thread == v->timeline->calls[call].thread
            && label_number(v, i, FILL) >= 0)
            return label_end(v, i) > call;
    return false;
}

bool spins_at_event(const struct timeline *t, size_t call)
{
    if (t->calls[call].kind != CALL_EVENT_SYNC)
        return false;
    for (size_t i = call; i-- > 0;)
        if (t->calls[i].kind == CALL_EVENT_CREATE && t->calls[i].event == t->calls[call].event)
            return !(t->calls[i].flags & EVENT_BLOCKING_SYNC);
    return false;
}

/* Does the thread try semaphores fewer times than there are slots before it fills the next one, or
 * sleeps? A scan for the one that was posted ends, and a poll does not. */
static bool is_scan(const struct view *v, struct selection s, size_t call)
{
    const struct timeline *t = v->timeline;
    unsigned tries = 0;
    for (size_t i = call; i < s.end_call && tries < SHARED; i++) {
        if (t->calls[i].thread != t->calls[call].thread || t->calls[i].kind == CALL_COST
            || t->calls[i].kind == CALL_POLL)
            continue;
        if (label_number(v, i, FILL) >= 0 || t->calls[i].kind == CALL_THREAD_WAKE)
            return true;
        if (t->calls[i].kind != CALL_HOST_WORK
            || strcmp(timeline_string(t, t->calls[i].name), "sem_trywait") != 0)
            return false;
        tries++;
    }
    return false;
}

/* Had the device not done yet what this call waits for? */
static bool has_waited(const struct timeline *t, size_t call)
{
    return measure_longest_wait(t, call, call + 1) != ANY;
}

uint32_t poll_between_fills(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        bool asks = c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY
                    || c->kind == CALL_HOST_WORK || (spins_at_event(t, i) && has_waited(t, i));
        if (asks && fills_later(v, s, i) && !in_fill(v, s, i) && !is_scan(v, s, i))
            return (uint32_t)i;
    }
    return ANY;
}

static const char *poll_name(const struct view *v, uint32_t poll)
{
    const char *name = timeline_string(v->timeline, v->timeline->calls[poll].name);
    return strcmp(name, "a condition") == 0 ? "a wait for a condition, with a time limit" : name;
}

bool says_poll(const struct view *v, struct finding *f, uint32_t poll, const char *between,
               const char *wake)
{
    f->call = v->timeline->calls[poll].line != 0 ? poll : ANY;
    f->word = "while";          /* where a loop reads a variable, no call has a line */
    if (spins_at_event(v->timeline, poll)) {
        seen(f, "it waits in cudaEventSynchronize() for an event without cudaEventBlockingSync");
        f->sure = true;
        return why(f, WAKEFUL);
    }
    seen(f, "between two %s polls, or lets time pass: %s", between, poll_name(v, poll));
    return why(f, "A thread that polls keeps a processor busy, and notices late. %s", wake);
}

uint32_t wait_between_fills(const struct view *v, struct selection s)
{
    uint32_t call = measure_longest_wait(v->timeline, s.first_call, last_fill(v, s));
    return call != ANY && v->timeline->calls[call].kind == CALL_THREAD_WAKE ? ANY : call;
}

/* ---- judges ---- */

/* Has the function come to its end when this call is made? */
static bool has_run(const struct view *v, uint32_t function, size_t call)
{
    const struct timeline *t = v->timeline;
    for (size_t i = 0; i < call; i++)
        if (t->calls[i].kind == CALL_FUNCTION_END && t->calls[i].node == function)
            return true;
    return false;
}

/* The first finish() that has not come to its end when the part does; ANY for none. */
static uint32_t unfinished(const struct view *v, struct selection s)
{
    for (size_t i = s.first_call; i < v->timeline->call_count; i++)
        if (is_label(v, i, FINISH) && label_end(v, i) >= s.end_call)
            return (uint32_t)i;
    return ANY;
}

/* The last call of the part that waited for the device; ANY for none. */
static uint32_t last_wait(const struct timeline *t, struct selection s)
{
    for (size_t i = s.end_call; i-- > s.first_call;) {
        enum call_kind kind = t->calls[i].kind;
        if (kind == CALL_STREAM_SYNC || kind == CALL_DEVICE_SYNC || kind == CALL_EVENT_SYNC)
            return (uint32_t)i;
    }
    return ANY;
}

/* Was it queued by a thread that the program has begun, and that makes calls when the part is over?
 */
static bool is_of_left_thread(const struct view *v, struct selection s, uint32_t node)
{
    const struct timeline *t = v->timeline;
    uint32_t thread = t->calls[t->spans[node].call].thread;
    if (thread == t->calls[s.first_call].thread)
        return false;
    for (size_t i = s.end_call + 1; i < t->call_count; i++)
        if (t->calls[i].thread == thread)
            return true;
    return false;
}

bool judge_function_ends(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const char *end = part[0] == 'a'   ? "harvest_end()"
                      : part[0] == 'b' ? "feed_all()"
                                       : "feed_both()";
    struct selection s = in_part(v, part, ENGINES_DEVICE | ENGINE_BIT(ENGINE_HOST_FUNC));
    uint32_t last = ANY;
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
        bool function = v->timeline->spans[node].engine == ENGINE_HOST_FUNC;
        if (function ? !has_run(v, node, s.end_call) : !function_known(v, node, s.end_call))
            last = node;
    }
    if (last == ANY) {
        uint32_t finish = part[0] == 'a' ? unfinished(v, s) : ANY;
        if (finish == ANY)
            return true;
        f->call = last_wait(v->timeline, s);
        expected(f, "when %s returns all chunks are finished", end);
        seen(f, "finish(%ld), called by a thread that a function woke, had not come to its end",
             label_number(v, finish, FINISH));
        return why(
            f,
            "The functions have run by then, but they only wake the thread, and the stream does not know what the thread "
            "does next. Wait for the thread as well, with pthread_join(), or for a post that it makes after its last "
            "finish().");
    }
    f->call = v->timeline->spans[last].call;
    expected(f, "when %s returns all is done, and all functions have run", end);
    if (is_of_left_thread(v, s, last)) {
        seen(f, "the thread that queued this was still at work");
        return why(
            f,
            "The thread is the program's own, and %s returned without it: what it queues and waits for comes too late, and what lives in "
            "%s is gone for it. Join it (pthread_join(), or join() of a std::thread) before %s returns.",
            end, end, end);
    }
    if (v->timeline->spans[last].engine != ENGINE_HOST_FUNC) {
        seen(f, "nothing had waited for %s", node_name(v, last).text);
        return why_unwaited(
            v, f, last, s.end_call,
            "When a function wakes you, everything before the function is done. That says nothing "
            "about what comes after it or about another stream. Call cudaStreamSynchronize() for each stream before %s "
            "returns.",
            end);
    }
    seen(f, "%s had not come to its end", node_name(v, last).text);
    return why_unwaited(
        v, f, last, s.end_call,
        "A function is work in its stream, like a copy: cudaStreamSynchronize() returns when it has run. Call that for each "
        "stream that has functions, before %s returns.",
        end);
}

/* ---- short functions ---- */

/* Waiting for a lock is no more than its holder makes it; waiting for anything else is waiting for
 * what another thread does. */
static bool is_lock(const struct view *v, const struct call *c)
{
    const char *name = timeline_string(v->timeline, c->name);
    return strcmp(name, "a mutex") == 0 || strcmp(name, "a reader-writer lock") == 0;
}

/* A function of the part that has locked this mutex; ANY for none. */
static uint32_t function_that_locks(const struct view *v, struct selection s, uint64_t mutex)
{
    const struct timeline *t = v->timeline;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (t->calls[i].kind == CALL_FUNCTION_END && t->calls[i].dst == mutex
            && t->calls[i].node < t->span_count)
            return t->calls[i].node;
    return ANY;
}

/* Is a slot filled under the lock that a function has to take? Whether it was free when the
 * function came is luck. */
static bool judge_lock(const struct view *v, struct finding *f, struct selection s,
                       const char *behind)
{
    for (size_t i = s.first_call; i < s.end_call; i++) {
        bool fills = v->timeline->calls[i].dst != 0 && label_number(v, i, FILL) >= 0
                     && function_of_call(v, i) == ANY;
        uint32_t function = fills ? function_that_locks(v, s, v->timeline->calls[i].dst) : ANY;
        if (function == ANY)
            continue;
        blame_label(f, i, v->timeline->spans[function].call);
        expected(f, "a function that a stream calls waits for no thread that fills a slot");
        seen(
            f,
            "this thread held a mutex during fill(), and the function that line %u queued locks the same one",
            call_of_node(v, function)->line);
        return why(
            f,
            "A function that comes meanwhile waits until fill() has returned. %s Hold the mutex only while you look at what it protects, "
            "and unlock it before fill().",
            behind);
    }
    return true;
}

bool judge_function_short(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    bool fills_elsewhere = part[0] == 'b';      /* there a function that fills is another check's */
    struct selection s = in_part(v, part, 0);
    const char *behind =
        part[0] == 'b'
            ? "Its stream stands still until it returns, and so does all that is queued there after it."
            : "Its stream stands still until it returns, and the functions of the other stream may wait behind it.";
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        bool fills = label_number(v, i, FILL) >= 0, works = c->kind == CALL_FUNCTION_WORK;
        bool waits = c->kind == CALL_THREAD_WAKE && !is_lock(v, c);
        uint32_t function = fills || works || waits ? function_of_call(v, i) : ANY;
        if (function == ANY || (fills_elsewhere && (fills || in_fill(v, s, i))))
            continue;
        f->call = c->kind == CALL_FUNCTION_WORK && c->line != 0 && !is_in_driver(v->timeline, c)
                      ? (uint32_t)i
                      : v->timeline->spans[function].call;
        expected(f, "a function that a stream calls says which slot has come back, and returns");
        if (waits) {
            seen(f, "this one waits for %s, which another thread brings about",
                 timeline_string(v->timeline, c->name));
            return why(f, "%s Let a thread of your own do the waiting.", behind);
        }
        seen(f, fills ? "this one fills a slot itself" : "this one works or sleeps");
        return why(
            f,
            fills
                ? "%s Let a thread of your own fill the slot: the function only says which one has come back."
                : "%s Let a thread of your own do the work: the function only says which slot has come back.",
            behind);
    }
    return judge_lock(v, f, s, behind);
}

uint32_t function_after(const struct view *v, const char *part, uint32_t copy, uint32_t *second)
{
    uint32_t thread = call_of_node(v, copy)->thread, first = *second = ANY;
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_HOST_FUNC) | ENGINE_BIT(ENGINE_H2D));
    for (uint32_t node = next_span(v, s, copy + 1); node != ANY && *second == ANY;
         node = next_span(v, s, node + 1)) {
        if (call_of_node(v, node)->thread != thread)
            continue;
        if (v->timeline->spans[node].engine != ENGINE_HOST_FUNC)
            break;
        *(first == ANY ? &first : second) = node;
    }
    return first;
}

uint32_t functions_run(const struct view *v, const char *part, size_t call, uint32_t *queued)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_HOST_FUNC));
    uint32_t run = 0;
    *queued = 0;
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
        run += v->timeline->spans[node].end <= v->timeline->calls[call].begin;
        ++*queued;
    }
    return run;
}

struct counted counted_as_empty(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    const struct timeline *t = v->timeline;
    struct counted c = { .same = true };
    uint32_t fills = 0, empty = 0, queued;
    bool waited = false;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *call = &t->calls[i];
        if (call->kind == CALL_THREAD_WAKE && call->node < t->span_count
            && t->spans[call->node].end > call->begin) {     /* else the host came later */
            empty = fills - functions_run(v, part, i, &queued);
            waited = true;
        }
        if (label_number(v, i, FILL) < 0)
            continue;
        fills++;
        if (!waited)
            continue;
        c.first = c.waits++ == 0 ? empty : c.first;
        c.same = c.same && empty == c.first;
        c.last = empty;
        waited = false;
    }
    return c;
}
