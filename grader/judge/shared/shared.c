/* SPDX-License-Identifier: MIT */
/* What lessons share: how a finding is filled in, judges of more than one lesson. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/check.h"
#include "grader/judge/shared/real_card.h"
#include "trace/record/memory.h"

/* Names of kernels and calls come from the program: they reach no terminal as they are. */
static bool fill(char *field, size_t size, const char *format, va_list arguments)
{
    vsnprintf(field, size, format, arguments);
    text_harmless_to(field, size, field, strlen(field));
    return false;
}

bool expected(struct finding *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(f->expected, sizeof f->expected, format, arguments);
    va_end(arguments);
    return false;
}

bool seen(struct finding *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(f->seen, sizeof f->seen, format, arguments);
    va_end(arguments);
    return false;
}

bool why(struct finding *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fill(f->why, sizeof f->why, format, arguments);
    va_end(arguments);
    return false;
}

bool lesson_runs_on(const struct lesson *lesson, const struct card *card)
{
    return (card->concurrent_managed || !lesson->concurrent_managed)
           && card->devices >= lesson->devices && (card->major >= 6 || !lesson->pools)
           && (card->major >= 9 || !lesson->dependents)
           && (card->major >= 6 || !lesson->partitions)
           && (card->major >= 2 || !lesson->processes);
}

const struct card *lesson_card(const struct lesson *lesson, const struct card *card)
{
    if (lesson_runs_on(lesson, card))
        return card;
    for (const char *const *name = lesson->run_on; name && *name; name++)
        if (lesson_runs_on(lesson, card_find(*name)))
            return card_find(*name);
    return NULL;
}

bool on_real_card(const struct view *v)
{
    return strcmp(v->card->name, REAL_CARD) == 0;
}

bool has_its_shared(const struct view *v, struct finding *f, uint32_t node, uint32_t own,
                    const char *field)
{
    const struct call *c = call_of_node(v, node);
    uint32_t wanted = own == ANY ? 0 : call_of_node(v, own)->shared;
    if (c->shared >= wanted)
        return true;
    const char *name = timeline_string(v->timeline, c->name);
    char *kernel = text_harmless(name, strlen(name));
    f->call = v->timeline->spans[node].call;
    expected(f, "each block of %s() has %s bytes of shared memory: %u", kernel, field, wanted);
    seen(f, "%u bytes", c->shared);
    memory_resize(kernel, 0);
    return why(f,
               "The launch's third parameter says how much shared memory a block takes, and with it how many blocks run at once. "
               "With less there are fewer waves than the task has.");
}

bool has_threads_for(const struct view *v, struct finding *f, uint32_t node, uint64_t elements)
{
    const struct call *c = call_of_node(v, node);
    unsigned long long threads = (unsigned long long)c->block[0] * c->block[1] * c->block[2];
    unsigned long long blocks = v->timeline->spans[node].blocks, all = blocks * threads;
    if (all >= elements)
        return true;
    f->call = v->timeline->spans[node].call;
    bool down = threads > 1 && blocks == elements / threads;
    return why(
        f,
        "This launch has %llu %s of %llu %s, %llu in all, for %llu elements: for the last %llu there is no thread. The number of "
        "blocks is that of the elements, divided by the threads that a block of this launch has, and rounded up.%s",
        blocks, blocks == 1 ? "block" : "blocks", threads, threads == 1 ? "thread" : "threads", all,
        (unsigned long long)elements, (unsigned long long)elements - all,
        down           ? " C's division rounds down."
        : threads == 1 ? " Where nothing says how many threads a block has, it has one."
        : blocks == 1  ? " Where nothing says how many blocks there are, there is one."
                       : "");
}

bool fits_elements(const struct view *v, struct finding *f, uint32_t node, uint64_t elements,
                   uint64_t threads)
{
    const struct call *c = call_of_node(v, node);
    unsigned long long mine = (unsigned long long)c->block[0] * c->block[1] * c->block[2],
                       blocks = v->timeline->spans[node].blocks;
    const char *kernel = timeline_string(v->timeline, c->name);
    if (mine == 0 || c->kind != CALL_LAUNCH)
        return true;
    unsigned long long needed = (elements + mine - 1) / mine;
    bool too_many = elements > 0 && blocks > 2 * needed;
    if (!too_many && (threads == 0 || mine == threads))
        return true;
    f->call = v->timeline->spans[node].call;
    if (threads != 0 && mine != threads) {
        expected(f, "%s() is launched with blocks of THREADS threads: %llu", kernel,
                 (unsigned long long)threads);
        seen(f, "blocks of %llu threads", mine);
        return why(f,
                   "The first launch parameter is how many blocks there are, the second how many threads each of them has.");
    }
    expected(f, "%s() has a thread for each of the %llu elements: %llu %s of %llu threads", kernel,
             (unsigned long long)elements, needed, needed == 1 ? "block" : "blocks", mine);
    seen(f, "%llu blocks", blocks);
    return why(f,
               "Blocks without an element do nothing, and each still takes its time on the device. Their number is that of the elements, "
               "divided by the threads of a block and rounded up.");
}

unsigned share_asked(const struct view *v, unsigned permille)
{
    return on_real_card(v) ? permille * 3 / 4 : permille;
}

unsigned time_asked(const struct view *v, unsigned permille)
{
    return on_real_card(v) ? 1000 + (permille - 1000) * 4 / 3 : permille;
}

/* How long nothing of a sorted list runs between two times, ns. */
static int64_t idle_between(const struct interval *list, size_t count, int64_t from, int64_t to)
{
    int64_t idle = to > from ? to - from : 0;
    for (size_t i = 0; i < count; i++) {
        int64_t start = list[i].start > from ? list[i].start : from,
                end = list[i].end < to ? list[i].end : to;
        idle -= end > start ? end - start : 0;
    }
    return idle;
}

#define STALL_NS 100000         /* no call that only queues takes that long by itself */

/* Was it the driver that held the host up here, and not what the program asked for? Seen on an
 * H100: 0.1 to 0.7 ms in the first copy out of memory that was just registered. */
static bool is_drivers_time(const struct call *c)
{
    bool only_queues = c->kind == CALL_COPY && (c->flags & CALL_ASYNC)
                       && c->src_kind != MEM_PAGEABLE && c->dst_kind != MEM_PAGEABLE
                       && c->src_kind != MEM_MANAGED && c->dst_kind != MEM_MANAGED;
    return c->kind == CALL_GRAPH_LAUNCH || (only_queues && c->end - c->begin > STALL_NS);
}

unsigned busy_share(const struct view *v, const char *part, uint32_t engines, enum engine *which)
{
    struct selection s = in_part(v, part, engines);
    unsigned share = measure_busy_share(v->timeline, s, which);
    struct interval extent, *list;
    if (!on_real_card(v) || !measure_extent(v->timeline, s, &extent) || extent.end <= extent.start)
        return share;
    int64_t asked = extent.end - extent.start, held_up = 0;
    struct selection busiest = s;
    busiest.engines = ENGINE_BIT(*which);
    size_t count = measure_intervals(v->timeline, busiest, &list);
    for (size_t i = s.first_call; i < s.end_call && i < v->timeline->call_count; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (is_drivers_time(c))
            held_up += idle_between(list, count, c->begin > extent.start ? c->begin : extent.start,
                                    c->end < extent.end ? c->end : extent.end);
    }
    memory_resize(list, 0);
    return held_up > 0 && held_up < asked ? (unsigned)(share * asked / (asked - held_up)) : share;
}

bool busy_as_reference(const struct evidence *e, size_t view, const char *part, uint32_t engines,
                       unsigned permille, struct finding *f)
{
    const struct view *yours = &e->yours[view], *reference = &e->reference[view];
    enum engine mine = ENGINE_NONE, theirs = ENGINE_NONE;
    unsigned share = busy_share(yours, part, engines, &mine),
             best = busy_share(reference, part, engines, &theirs);
    permille = share_asked(yours, permille);
    if ((uint64_t)share * 1000 >= (uint64_t)best * permille)
        return true;
    f->view = view;
    struct selection s = in_part(yours, part, engines);
    f->call = measure_longest_wait(yours->timeline, s.first_call, s.end_call);
    expected(f,
             "the busiest engine of the card %s at work for at least %u.%u %% of the time "
             "(the reference solution: %u.%u %%)",
             yours->card->title, (unsigned)((uint64_t)best * permille / 10000),
             (unsigned)((uint64_t)best * permille / 1000 % 10), best / 10, best % 10);
    if (share == 0)
        return seen(f, "no work on the device in this part");
    return seen(f, "the busiest engine (%s) at work for %u.%u %% of the time, idle for the rest",
                engine_name(mine), share / 10, share % 10);
}

/* What comes and goes: which call makes it, which one gives it back, what names it. Calls that are
 * CALL_OTHER are told apart by their names: `makers` has those that make it, `cure` gives it back.
 */
static const struct {
    uint32_t make, give_back;
    uint32_t of;                /* kind of the memory; 0: any, or none */
    const char *one, *many, *cure;
    const char *driver;         /* the cure in the driver's API; NULL: the same, or none */
    const char *makers[3];
} things[] = {
    { .make = CALL_STREAM_CREATE, .give_back = CALL_STREAM_DESTROY, .one = "stream",
      .many = "streams", .cure = "cudaStreamDestroy", .driver = "cuStreamDestroy" },
    { .make = CALL_EVENT_CREATE, .give_back = CALL_EVENT_DESTROY, .one = "event", .many = "events",
      .cure = "cudaEventDestroy", .driver = "cuEventDestroy" },
    { .make = CALL_MALLOC, .give_back = CALL_FREE, .one = "block of memory",
      .many = "blocks of memory", .cure = "cudaFree", .driver = "cuMemFree" },
    { .make = CALL_REGISTER, .give_back = CALL_UNREGISTER, .of = MEM_PINNED,
      .one = "registered block", .many = "registered blocks", .cure = "cudaHostUnregister" },
    { .make = CALL_REGISTER, .give_back = CALL_UNREGISTER, .of = MEM_DEVICE,
      .one = "opening of another process's memory",
      .many = "openings of another process's memory", .cure = "cudaIpcCloseMemHandle" },
    { .make = CALL_OTHER, .give_back = CALL_OTHER, .one = "graph", .many = "graphs",
      .cure = "cudaGraphDestroy",
      .makers = { "cudaGraphCreate", "cudaStreamEndCapture", "cudaGraphClone" } },
    { .make = CALL_OTHER, .give_back = CALL_OTHER, .one = "executable graph",
      .many = "executable graphs", .cure = "cudaGraphExecDestroy",
      .makers = { "cudaGraphInstantiate" } },
    { .make = CALL_OTHER, .give_back = CALL_OTHER, .one = "green context", .many = "green contexts",
      .cure = "cuGreenCtxDestroy", .makers = { "cuGreenCtxCreate" } },
    { .make = CALL_OTHER, .give_back = CALL_OTHER, .one = "memory pool", .many = "memory pools",
      .cure = "cudaMemPoolDestroy", .makers = { "cudaMemPoolCreate" } },
    { .make = CALL_OTHER, .give_back = CALL_OTHER, .one = "texture object",
      .many = "texture objects", .cure = "cudaDestroyTextureObject",
      .makers = { "cudaCreateTextureObject" } },
    { .make = CALL_OTHER, .give_back = CALL_OTHER, .one = "surface object",
      .many = "surface objects", .cure = "cudaDestroySurfaceObject",
      .makers = { "cudaCreateSurfaceObject" } },
};

#define MAKERS (sizeof things->makers / sizeof *things->makers)

/* Is this a call that makes such a thing? */
static bool makes(const struct timeline *t, const struct call *c, size_t thing)
{
    if (c->kind != things[thing].make || c->status != 0
        || (things[thing].of != 0 && c->dst_kind != things[thing].of))
        return false;
    bool found = c->kind != CALL_OTHER;
    for (size_t k = 0; !found && c->dst != 0 && k < MAKERS && things[thing].makers[k]; k++)
        found = strcmp(timeline_string(t, c->name), things[thing].makers[k]) == 0;
    return found;
}

static bool same_thing(const struct call *a, const struct call *b)
{
    if (a->kind == CALL_STREAM_CREATE)
        return a->stream == b->stream;
    if (a->kind == CALL_EVENT_CREATE)
        return a->event == b->event;
    return a->dst == b->dst;
}

#define LEAKS_MAX 100u          /* counting stops here */

/* The call that gives back what call `made` has made; ANY for none. */
static uint32_t gives_it_back(const struct timeline *t, size_t made, size_t thing)
{
    size_t open = 1;            /* another process's memory can be opened again while it is open */
    for (size_t i = made + 1; i < t->call_count; i++) {
        if (!same_thing(&t->calls[made], &t->calls[i]))
            continue;
        if (t->calls[made].kind == CALL_REGISTER && makes(t, &t->calls[i], thing))
            open++;
        else if (t->calls[i].kind == things[thing].give_back
                 && (t->calls[i].kind != CALL_OTHER
                     || strcmp(timeline_string(t, t->calls[i].name), things[thing].cure) == 0)
                 && --open == 0)
            return (uint32_t)i;
    }
    return ANY;
}

/* The call that gives back others which the same line has made; ANY for none. */
static uint32_t gives_back_others(const struct timeline *t, size_t made, size_t thing)
{
    for (size_t i = 0; i < t->call_count; i++) {
        bool other = i != made && makes(t, &t->calls[i], thing)
                     && t->calls[i].line == t->calls[made].line
                     && t->calls[i].file == t->calls[made].file;
        uint32_t back = other ? gives_it_back(t, i, thing) : ANY;
        if (back != ANY && t->calls[back].line != 0)
            return back;
    }
    return ANY;
}

/* Host memory that a line of the learner's made among these calls, and that was never freed. */
static bool lost_by_host(const struct evidence *e, struct finding *f, size_t first, size_t end)
{
    const struct timeline *t = e->yours[0].timeline;
    uint64_t blocks = 0, bytes = 0;
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_HAZARD || !(c->flags & HAZARD_LOST) || is_in_driver(t, c)
            || c->cost <= (int64_t)first || c->cost > (int64_t)end)
            continue;
        if (blocks++ == 0)
            f->call = (uint32_t)i;
        bytes += c->bytes;
    }
    if (blocks == 0)
        return false;
    expected(f, "host memory that the part allocates is freed");
    seen(f, "%llu %s, %llu bytes in all, never freed, and no variable leads to %s any more%s",
         (unsigned long long)blocks, blocks == 1 ? "block" : "blocks", (unsigned long long)bytes,
         blocks == 1 ? "it" : "them", blocks == 1 ? "" : "; the first is this line's");
    return why(f, "malloc() needs its free(), new its delete, and new[] its delete[].") || true;
}

/* Is the call behind all parts? What comes between two may prepare the next one. */
static bool is_behind_parts(const struct timeline *t, size_t call)
{
    uint32_t name = 0;
    for (size_t i = 0; i < t->part_count && t->parts[i] < t->call_count; i++)
        if (t->parts[i] <= call || *timeline_string(t, t->calls[t->parts[i]].name) != '\0')
            name = t->calls[t->parts[i]].name;
    return *timeline_string(t, name) == '\0';
}

/* Is the call, behind all parts, of a line that makes such things in this part? There the driver
 * calls the part's functions again. Not where the program has not come to its end. */
static bool belongs_to_part(const struct timeline *t, size_t call, size_t thing, size_t first,
                            size_t end)
{
    const struct call *c = &t->calls[call], *last = &t->calls[t->call_count - 1];
    if (last->kind != CALL_EXIT || last->status != 0 || c->line == 0 || is_in_driver(t, c)
        || !is_behind_parts(t, call))
        return false;
    for (size_t i = first; i < end; i++)
        if (t->calls[i].line == c->line && t->calls[i].file == c->file
            && makes(t, &t->calls[i], thing))
            return true;
    return false;
}

/* What these calls make, `whose` calls; and what a line of theirs makes behind all parts. */
static bool gives_back_all(const struct evidence *e, struct finding *f, const char *whose,
                           size_t first, size_t end)
{
    const struct timeline *t = e->yours[0].timeline;
    for (size_t k = 0; k < sizeof things / sizeof *things; k++) {
        size_t count = 0, blamed = 0;
        for (size_t i = 0; i < t->call_count && count < LEAKS_MAX; i++) {
            const struct call *c = &t->calls[i];
            bool inside = i >= first && i < end;
            if (!makes(t, c, k) || (c->flags & (STREAM_LEGACY | STREAM_PER_THREAD)) != 0
                || (c->dst == 0 && (c->kind == CALL_MALLOC || c->kind == CALL_REGISTER))
                || gives_it_back(t, i, k) != ANY
                || (!inside && !belongs_to_part(t, i, k, first, end)))
                continue;
            if (count++ == 0)
                blamed = i;
        }
        if (count == 0)
            continue;
        const struct call *c = &t->calls[blamed];
        f->call = (uint32_t)blamed;
        const char *file = timeline_string(t, c->file), *name = timeline_string(t, c->name);
        char *shown = text_harmless(file, strlen(file)),
             *called = text_harmless(name, strlen(name));
        expected(f, "everything that %s makes is given back", whose);
        seen(f, "%s%zu %s made and never given back%s: %s at %s:%u",
             count == LEAKS_MAX ? "at least " : "", count,
             count == 1 ? things[k].one : things[k].many, count == 1 ? "" : ", the first by",
             called, shown, c->line);
        bool queued = c->kind == CALL_MALLOC && c->flags & CALL_ASYNC;
        bool array = c->kind == CALL_MALLOC && strstr(name, "Array"),
             pinned = c->kind == CALL_MALLOC && c->dst_kind == MEM_PINNED;
        bool by_driver = things[k].driver && !queued && !array && !pinned
                         && strncmp(name, "cu", 2) == 0 && strncmp(name, "cuda", 4) != 0;
        bool memory =
            c->kind == CALL_MALLOC
            || c->kind
                   == CALL_REGISTER; /* streams, events and graphs may go while work is under way */
        why(f, "each %s needs its %s%s%s%s", things[k].one, by_driver ? things[k].driver : "",
            by_driver ? " or " : "",
            queued   ? "cudaFreeAsync or cudaFree"
            : array  ? "cudaFreeArray"
            : pinned ? "cudaFreeHost"
                     : things[k].cure,
            memory ? ", after the work that uses it is done" : "");
        uint32_t others = gives_back_others(t, blamed, k);
        size_t used = strlen(f->why);
        if (others != ANY)
            snprintf(f->why + used, sizeof f->why - used,
                     ". Others that the same line has made go back in line %u (%s)",
                     t->calls[others].line, timeline_string(t, t->calls[others].name));
        memory_resize(shown, 0);
        memory_resize(called, 0);
        return false;
    }
    return !lost_by_host(e, f, first, end);
}

bool judge_leaks(const struct evidence *e, struct finding *f, const char *part)
{
    const struct timeline *t = e->yours[0].timeline;
    size_t first = 0, end = t->call_count;
    char whose[64], again[64];
    if (!part)
        return gives_back_all(e, f, "the program", first, end);
    snprintf(whose, sizeof whose, "part %s", part);
    if (measure_part(t, part, &first, &end) && !gives_back_all(e, f, whose, first, end))
        return false;
    snprintf(again, sizeof again, "again %s", part);
    snprintf(whose, sizeof whose, "part %s, called again,", part);
    return !part_ran(&e->yours[0], again) || !measure_part(t, again, &first, &end)
           || gives_back_all(e, f, whose, first, end);
}

uint32_t second_launch(const struct view *v, struct selection run)
{
    int launches = 0;
    for (size_t i = run.first_call; i < run.end_call; i++)
        if (v->timeline->calls[i].kind == CALL_GRAPH_LAUNCH && launches++ == 1)
            return (uint32_t)i;
    return ANY;
}
