/* SPDX-License-Identifier: MIT */
/* (a): its chunks, and the second run. */
#include "harvest.h"

#include <string.h>

#include "functions.h"
#include "slots.h"

struct field harvest_field(const struct evidence *e)
{
    size_t bytes;
    exchange_input(e->exchange, SLOT_HARVEST, &bytes);
    const struct sizes *sizes = exchange_input(e->exchange, SLOT_SIZES, NULL);
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    int64_t n = (int64_t)(bytes / sizeof(uint32_t));
    return (struct field){ n, sizes->chunk, (n + sizes->chunk - 1) / sizes->chunk, places->home };
}

uint32_t harvest_queued_by(const struct view *v, size_t call)
{
    uint32_t function = function_of_call(v, call);
    return function == ANY ? (uint32_t)call : v->timeline->spans[function].call;
}

bool harvest_runs_again(const struct view *v, size_t *first, size_t *end)
{
    return measure_label(v->timeline, AGAIN, first, end) && *end < v->timeline->call_count;
}

struct field harvest_field_again(const struct evidence *e)
{
    const struct sizes *sizes = exchange_input(e->exchange, SLOT_SIZES, NULL);
    int64_t n = sizes->n_again, chunk = sizes->chunk_again;
    return (struct field){ n, chunk, (n + chunk - 1) / chunk, 0 };
}

/* A program that keeps something for each chunk in its static variables changes more of them in the
 * second run, which has more chunks. Such a variable has a fixed size, however large. */
static bool has_room_for_any(struct finding *f, const struct places *places, struct field again)
{
    if (places->changed[1] < places->changed[0] + (uint64_t)again.chunks / 2)
        return true;
    f->call = ANY;
    f->function = "harvest_begin";
    f->word = "number";
    expected(f, "there is room for any number of chunks");
    seen(f,
         "in a second harvest, of %lld chunks, the program has written to %llu bytes of variables that are there for the whole "
         "program",
         (long long)again.chunks, (unsigned long long)places->changed[1]);
    return why(f,
               "An array that is such a variable has a fixed number of elements, and the next harvest may have more chunks. Make room "
               "for chunk_count(h) of them.");
}

bool harvest_stays_inside(const struct evidence *e, struct finding *f, struct field again)
{
    const struct view *v = &e->yours[0];
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    size_t first, end;
    if (!harvest_runs_again(v, &first, &end) || on_real_card(v))
        return true;
    if (places->overrun == 0)
        return has_room_for_any(f, places, again);
    f->call = ANY;
    f->function = "harvest_begin";
    f->word = "number";
    expected(f, "in a second harvest, of %lld chunks, the program writes to memory of its own",
             (long long)again.chunks);
    seen(f, "it has written beyond the end of a variable that is there for the whole program");
    return why(f,
               "What such a write hits is luck: here it was memory that nothing needed. Has an array a fixed number of elements? Make "
               "room for chunk_count(h) of them.");
}

bool harvest_finished_again(const struct view *v, struct finding *f, struct field field,
                            struct field again)
{
    size_t first, end;
    if (!harvest_runs_again(v, &first, &end))
        return true;
    int64_t chunks = again.chunks;
    unsigned times[MOST_CHUNKS_AGAIN] = { 0 };
    uint32_t last = ANY, by = ANY;      /* by a thread, not by a function of a stream */
    for (size_t i = first; i < v->timeline->call_count; i++)
        if (label_number(v, i, FINISH_AGAIN) >= 0 && (i >= end || label_end(v, i) >= end))
            return true;        /* nothing waited for it */
    struct selection functions = { ENGINE_BIT(ENGINE_HOST_FUNC), ANY, ANY, first, end };
    EACH_SPAN(node, v, functions)
        if (v->timeline->spans[node].end > v->timeline->calls[end].begin)
            return true;        /* and it finds what has been freed */
    for (size_t i = first; i < end; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind != CALL_LABEL
            || strncmp(timeline_string(v->timeline, c->name), FINISH_AGAIN, strlen(FINISH_AGAIN))
                   != 0)
            continue;
        long number = label_number(v, i, FINISH_AGAIN);
        last = harvest_queued_by(v, i);
        by = function_of_call(v, i) == ANY ? (uint32_t)i : by;
        if (number >= 0 && number < chunks && times[number]++ == 0)
            continue;
        f->call = last;
        expected(f, "in a second harvest, of %lld chunks, each is finished once as well",
                 (long long)chunks);
        seen(f, "finish(%ld) was called%s", number,
             number >= 0 && number < chunks ? " twice" : ", and no chunk has that number");
        return why(
            f,
            "The first harvest, of %lld chunks, was right. What is kept in variables that are there for the whole program? Has it room for "
            "this many chunks, and is it as it was when the second harvest begins? Let each function find its number at the address "
            "that you leave, h->number, with room for chunk_count(h) of them.",
            (long long)field.chunks);
    }
    for (long number = 0; number < chunks; number++) {
        if (times[number] == 1)
            continue;
        if (by != ANY && !thread_ends(v, by, v->timeline->call_count))
            return true;        /* nothing waited for the thread that finishes them */
        f->call = last;
        expected(f, "in a second harvest, of %lld chunks, each is finished once as well",
                 (long long)chunks);
        seen(f, "finish(%ld) was never called", number);
        return why(
            f,
            "The first harvest, of %lld chunks, was right. Has all that you keep room for chunk_count(h) chunks, and is anything in "
            "variables of the whole program still as it was left then?",
            (long long)field.chunks);
    }
    return true;
}
