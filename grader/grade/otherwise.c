/* SPDX-License-Identifier: MIT */
#include "grader/grade/otherwise.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/environment.h"
#include "model/hosted/card_open.h"
#include "model/hosted/card_varied.h"

enum { TIMES_SLOWER = 64, VARIABLE = 40 };

_Static_assert((int)OTHER_WAYS == OTHER_RUNS, "each way has room for its run");

static bool is_query(const struct timeline *log, const struct call *c)
{
    return (c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY)
           && !(c->flags & CALL_UNREAD) && !is_in_driver(log, c);
}

bool depends_on_time(const struct timeline *log)
{
    for (size_t i = 0; i < log->call_count; i++) {
        const struct call *c = &log->calls[i];
        if ((is_query(log, c) && c->status == 0)
            || (c->kind == CALL_HOST_WORK && c->flags & CALL_POLLS))
            return true;
    }
    return false;
}

/* Would the program ask so often that it is stopped? A device that takes n times as long is not
 * ready n times as often. */
static bool would_flood(const struct timeline *log)
{
    size_t not_ready = 0;
    for (size_t i = 0; i < log->call_count; i++)
        not_ready += is_query(log, &log->calls[i]) && log->calls[i].status != 0;
    return not_ready * TIMES_SLOWER > RUN_CALLS_MAX;
}

static bool has_call(const struct timeline *log, uint32_t kind)
{
    for (size_t i = 0; i < log->call_count; i++)
        if (log->calls[i].kind == kind)
            return true;
    return false;
}

/* The card as the run has it, and the variable that makes it so. */
static struct card vary(enum other_way way, const struct verdict *v, char variable[VARIABLE])
{
    struct card card = *v->card;
    switch (way) {
    case SLOWER:
        card = card_slowed(&card, TIMES_SLOWER);
        snprintf(card.title, sizeof card.title, "%.44s, %d times slower", v->card->title,
                 TIMES_SLOWER);
        snprintf(variable, VARIABLE, "SIM_SLOWER=%d", TIMES_SLOWER);
        break;
    case WIDER:
        card = card_widened(&card);
        snprintf(card.title, sizeof card.title, "%.32s, with a queue for each stream",
                 v->card->title);
        snprintf(variable, VARIABLE, "SIM_WIDER=1");
        break;
    case REORDERED:
    case OTHER_WAYS:
        snprintf(card.title, sizeof card.title, "%.36s, threads in another order", v->card->title);
        snprintf(variable, VARIABLE, "SIM_TURNS=%u", (unsigned)(v->seed % 1000000007 + 1));
    }
    return card;
}

static void start(struct otherwise *o, enum other_way way, const struct verdict *v)
{
    struct other_run *other = &o->way[way];
    char variable[VARIABLE];
    uint64_t poison = exchange_poison_seed(v->seed, CARDS_RUN + way);
    other->card = vary(way, v, variable);
    other->ran = run_start(&other->run, o->program, card_request(v->card), "log", variable,
                           o->exchange, &poison, o->time_limit_ms, private_folder(), o->sandbox);
    if (!other->ran)
        die("cannot run %s: %s", o->program, strerror(errno));
}

/* Can the way make a difference to a program with that log? */
static bool matters(enum other_way way, const struct timeline *log, const struct card *card)
{
    switch (way) {
    case SLOWER:
        return depends_on_time(log) && !would_flood(log);
    case WIDER:
        return card_is_narrow(card) && has_call(log, CALL_FUNCTION_BEGIN);
    case REORDERED:
    case OTHER_WAYS:
        break;
    }
    return has_call(log, CALL_THREAD_BEGIN);
}

void otherwise_start(struct otherwise *o, const struct timeline *log, const struct verdict *v)
{
    for (int way = 0; way < OTHER_WAYS; way++)
        if (!o->way[way].ran && matters(way, log, v->card))
            start(o, way, v);
}

void otherwise_replay_ahead(struct otherwise *o, const struct timeline *log, struct verdict *v)
{
    char variable[VARIABLE];
    for (int way = 0; way < OTHER_WAYS; way++)
        if (matters(way, log, v->card)) {
            o->way[way].card = vary(way, v, variable);
            judge_replay_ahead(v, &o->way[way].card, log);
        }
}

static void drop(struct other_run *other)
{
    if (other->ran)
        run_fini(&other->run);
    *other = (struct other_run){ .ran = false };
}

void otherwise_settle(struct otherwise *o, const struct timeline *log, const struct verdict *v)
{
    otherwise_start(o, log, v);
    for (int way = 0; way < OTHER_WAYS; way++)
        if (!matters(way, log, v->card))
            drop(&o->way[way]);
}

static void take(struct otherwise *o, enum other_way way, struct verdict *v)
{
    /* A thread that loses the processor seems to work or to sleep there, which judges of orders may
     * take for its own doing. */
    static const unsigned asked[OTHER_WAYS] = {
        [SLOWER] = 1u << ORDER | 1u << HAZARD | 1u << OUTPUT,
        [WIDER] = 1u << ORDER | 1u << HAZARD | 1u << OUTPUT,
        [REORDERED] = 1u << HAZARD | 1u << OUTPUT,
    };
    struct other_run *other = &o->way[way];
    struct termination e;
    run_need_sandbox(&other->run);
    termination_find(&e, &other->run, v->submission, other->card.title, o->time_limit_ms);
    if (e.how == ENDED_TIMED_OUT || e.how == ENDED_FLOODED)
        return;                 /* it may be for the device that it waited so long */
    run_finish(&other->run, o->exchange, CARDS_RUN + v->others);
    run_cut_unended(&other->run.log);
    struct logs logs = { &other->card, &other->run.log, o->reference };
    const struct timeline *replayed =
        judge_add_other(v, &logs, &(struct other_view){ asked[way], e });
    if (!judge_is_timely(&other->run.log, replayed))
        judge_drop_other(v);
    else if (e.how == ENDED_DAMAGED)
        v->termination = e;
}

void otherwise_take(struct otherwise *o, struct verdict *v)
{
    for (int way = 0; way < OTHER_WAYS; way++)
        if (o->way[way].ran)
            take(o, way, v);
}

void otherwise_fini(struct otherwise *o)
{
    for (int way = 0; way < OTHER_WAYS; way++)
        drop(&o->way[way]);
}
