/* SPDX-License-Identifier: MIT */
/* (c): a plate that stays on the device, and the probes that come home. */
#include "pages.h"

/* Is that address in memory that the program took with a call, or pinned? */
static bool is_of_cuda(const struct view *v, uint64_t address)
{
    const struct timeline *t = v->timeline;
    for (size_t call = 0; call < t->call_count; call++)
        if ((t->calls[call].kind == CALL_MALLOC || t->calls[call].kind == CALL_REGISTER)
            && t->calls[call].dst <= address && address < t->calls[call].dst + t->calls[call].bytes)
            return true;
    return false;
}

/* Did anything bring bytes to the host in these calls: a copy, a prefetch, a fault? */
static bool brought(const struct view *v, size_t from, size_t to)
{
    const struct timeline *t = v->timeline;
    for (size_t call = from; call < to; call++)
        if (t->calls[call].kind == CALL_COPY
            || (t->calls[call].kind == CALL_PREFETCH && t->calls[call].dst_kind != MEM_DEVICE))
            return true;
    for (size_t i = 0; i < t->migration_count; i++)
        if (t->migrations[i].to_host && t->migrations[i].call >= from && t->migrations[i].call < to)
            return true;
    return false;
}

/* Does each steer() come after the step() of its round, with cells that the device can have
 * written: in memory that it reaches, or brought since? A real device may reach all of the host's
 * memory. */
static bool each_round(const struct evidence *e, struct finding *f, struct selection s)
{
    const struct view *v = &e->yours[0];
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    size_t from = s.first_call, steered = label_next(v, s, STEER, from);
    for (int round = 0; steered < s.end_call && round < MOST_ROUNDS; round++) {
        uint32_t stepped = pages_last_launch(v, "c", "step", steered);
        f->function = "control";
        f->word = "steer";
        if (stepped == ANY || stepped < from) {
            expected(f,
                     "in each round step() is launched first, and steer() gets the cells that it has made");
            seen(f, "no step() had been launched in round %d when steer() was called", round);
            return why(f,
                       "steer() then gets cells that the device has not computed. Keep the order of the starter's loop.");
        }
        if (!on_real_card(v) && !places->reached[round] && !is_of_cuda(v, places->probe[round])
            && !brought(v, from, steered)) {
            expected(f, "steer() gets the cells of the probes as the device has left them");
            seen(f,
                 "in round %d it got pageable host memory, and nothing had come from the device since the round before",
                 round);
            return why(f,
                       "So the host computed these numbers itself. The device has them: collect() them there, and bring them to the host in "
                       "each round.");
        }
        from = label_end(v, steered);
        steered = label_next(v, s, STEER, steered + 1);
    }
    f->function = f->word = NULL;
    return true;
}

bool plate_rounds(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    size_t steps;
    kernel_named(v, s, "step", &steps);
    unsigned steered = label_count(v, s, STEER);
    int64_t rounds = settings_of(e)->rounds;
    if ((int64_t)steps == rounds && steered == rounds)
        return each_round(e, f, s);
    blame_count(v, f, s, "step", "control");
    expected(f, "%lld rounds: step() and steer() once in each", (long long)rounds);
    seen(f, "step(): %zu, steer(): %u", steps, steered);
    f->pieces = "step steer";
    if ((int64_t)steps == rounds) {
        f->call = ANY;
        f->looped = 0;
        f->function = "control";
        f->word = "steer";
        return why(f,
                   "steer() is called once in each round, after step() and with the cells that it has made. The starter's loop does that.");
    }
    return why(f, "The starter's loop has all the rounds. Change only what travels.");
}

/* The line where the host touched pages of the device's for the first time, or the copy that
 * brought most; ANY for none. */
static uint32_t who_brought(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    uint64_t most = PAGE;
    uint32_t blamed = ANY;
    EACH_SPAN(node, v, s)
        if (v->timeline->spans[node].bytes > most) {
            most = v->timeline->spans[node].bytes;
            blamed = v->timeline->spans[node].call;
        }
    for (size_t i = 0; i < v->timeline->migration_count && blamed == ANY; i++) {
        const struct migration *m = &v->timeline->migrations[i];
        if (is_touch(m, s))
            blamed = m->call;
    }
    return blamed;
}

static bool is_of_plate(const struct evidence *e, const char *part, uint64_t from, uint64_t bytes)
{
    const struct places *places = exchange_output(e->exchange, SLOT_PLACES, NULL);
    return from < places->plate + bytes_of(e, part) && places->plate < from + bytes;
}

/* Where the host touches a page of the plate that is on the device: a call; ANY for none. A real
 * card's records do not say whose page a fault is. */
static uint32_t plate_touched(const struct evidence *e, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    for (size_t i = 0; i < v->timeline->migration_count && !on_real_card(v); i++) {
        const struct migration *m = &v->timeline->migrations[i];
        if (m->fault && is_touch(m, s) && is_of_plate(e, part, m->address, m->bytes))
            return m->call;
    }
    return ANY;
}

bool plate_home(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct settings *s = settings_of(e);
    uint64_t home = pages_travelled(v, part, true);
    if (home <= (uint64_t)(s->rounds + 2) * PAGE) {
        if ((f->call = plate_touched(e, part)) == ANY)
            return true;
        expected(f, "the plate stays on the device, and none of its pages goes to the host");
        seen(f, "the host touches a page of the plate here, which moves to the host for that");
        return why(f,
                   "One cell takes its whole page along, and the next kernel that needs the page has to fetch it back. What the host needs of the "
                   "plate collect() puts into a small array.");
    }
    f->call = who_brought(v, part);
    bool fault = f->call != ANY && v->timeline->calls[f->call].kind == CALL_MIGRATE;
    expected(f, "in a round only %lld numbers travel to the host, a page at most",
             (long long)s->probes);
    seen(f, "%llu KiB in %lld rounds (the plate has %llu); page faults of the host: %zu",
         pages_kib(home), (long long)s->rounds, pages_kib(bytes_of(e, part)),
         pages_migrated(v, part, MIGRATIONS_TO_HOST | MIGRATIONS_OF_HOST).faults);
    if (fault)
        return why(f,
                   "To read one cell the host needs its page, and the next kernel has to fetch the page back. Let collect() put the "
                   "cells into a small array on the device, and read that.");
    size_t collected;
    kernel_named(v, in_part(v, part, 0), "collect", &collected);
    if (f->call != ANY && v->timeline->calls[f->call].kind == CALL_PREFETCH
        && is_of_plate(e, part, v->timeline->calls[f->call].src, v->timeline->calls[f->call].bytes)
        && (int64_t)collected >= s->rounds)
        return why(f,
                   "This sends the plate to the host. The device still needs the plate: its owner goes on with it there. collect() runs in "
                   "each round, and all that steer() needs is what it puts into its array. Leave this prefetch out.");
    if (f->call != ANY && v->timeline->calls[f->call].kind == CALL_PREFETCH
        && is_of_plate(e, part, v->timeline->calls[f->call].src, v->timeline->calls[f->call].bytes))
        return why(f,
                   "This sends the plate to the host. The device still needs the plate, and the host only a few of its cells. Let "
                   "collect() put them into a small array on the device, and prefetch that instead.");
    return why(f,
               "The host needs a few cells and not the plate. Let collect() put them into a small array on the device, and prefetch "
               "that to the host.");
}

uint32_t plate_copied(const struct evidence *e, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    uint64_t plate = bytes_of(e, part);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_COPY && c->status == 0 && c->bytes * 2 > plate
            && (is_of_plate(e, part, c->src, c->bytes) || is_of_plate(e, part, c->dst, c->bytes)))
            return (uint32_t)i;
    }
    return ANY;
}

bool plate_stays(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    if ((f->call = plate_copied(e, part)) != ANY) {
        expected(f, "step() works on the plate's own cells, and the plate is copied nowhere");
        seen(f, "this copies %llu KiB of the plate's %llu",
             pages_kib(v->timeline->calls[f->call].bytes), pages_kib(bytes_of(e, part)));
        return why(f,
                   "A second plate takes as much memory again, and each copy moves all cells. Managed memory is the device's as well: prefetch "
                   "p->cell, and give it to step() and collect().");
    }
    uint64_t plate = bytes_of(e, part), moved = pages_travelled(v, part, false);
    /* A real driver has filled what is beside the plate as well, and may take it along. */
    uint64_t whole = on_real_card(v) ? (plate + TOGETHER - 1) / TOGETHER * TOGETHER : plate;
    uint64_t most = whole + (uint64_t)(settings_of(e)->rounds + 2) * PAGE;
    if (moved >= plate && moved <= most)
        return true;
    expected(f, "the plate travels to the device once, %llu KiB, and stays there",
             pages_kib(plate));
    seen(f, "%llu KiB went to the device", pages_kib(moved));
    if (moved < plate) {
        f->call = pages_last_launch(v, part, "step", v->timeline->call_count);
        return why(f,
                   "Where was the plate when step() ran? A kernel that reads host memory for each element causes no faults, but "
                   "pays for the distance each time. prefetch(p->cell, …, 0, stream) before the loop.");
    }
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    EACH_SPAN(node, v, s)
        if (v->timeline->spans[node].bytes > PAGE)
            f->call = v->timeline->spans[node].call;
    return why(f,
               "The host never needs the plate, so it need not come back. Prefetch it before the loop, and only there.");
}
