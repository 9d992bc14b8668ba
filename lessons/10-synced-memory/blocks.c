/* SPDX-License-Identifier: MIT */
#include "blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void block_new(struct model *m)
{
    *m = (struct model){ .head = UNINITIALIZED, .foreign = { -1, -1 } };
}

static void take_side(struct model *m, struct want *w, int side)
{
    if (m->there[side])
        return;
    w->takes[side] = m->there[side] = m->own[side] = true;
}

static void set_side(struct model *m, struct want *w, int side, int64_t foreign)
{
    w->gives[side] = m->own[side];
    m->there[side] = true;
    m->own[side] = false;
    m->foreign[side] = foreign;
    m->head = side == HOST ? AT_HOST : AT_DEVICE;
}

static void ask_side(struct model *m, struct want *w, int side, bool write)
{
    enum head mine = side == HOST ? AT_HOST : AT_DEVICE, stale = side == HOST ? AT_DEVICE : AT_HOST;
    take_side(m, w, side);
    w->side = side;
    w->zeros = m->head == UNINITIALIZED;
    w->copies[side] = m->head == stale;
    if (m->head == UNINITIALIZED || write)
        m->head = mine;
    else if (m->head == stale)
        m->head = SYNCED;
}

struct want block_step(struct model *m, const struct turn *s)
{
    struct want w = { .before = m->head, .side = -1 };
    switch (s->op) {
    case READ_HOST: case WRITE_HOST:
        ask_side(m, &w, HOST, s->op == WRITE_HOST);
        break;
    case READ_DEVICE: case WRITE_DEVICE:
        ask_side(m, &w, DEVICE, s->op == WRITE_DEVICE);
        break;
    case SET_HOST: case SET_DEVICE:
        set_side(m, &w, s->op == SET_HOST ? HOST : DEVICE, s->foreign);
        break;
    case PUSH:
        if (m->head != AT_HOST)
            break;
        take_side(m, &w, DEVICE);
        w.copies[DEVICE] = true;
        m->head = SYNCED;
    }
    w.after = m->head;
    return w;
}

const char *op_name(int64_t op)
{
    static const char *const names[OPS] = {
        "synced_read_host()", "synced_write_host()", "synced_read_device()",
        "synced_write_device()", "synced_set_host()",
        "synced_set_device()", "synced_push()",
    };
    return names[op];
}

const char *head_name(int64_t head)
{
    static const char *const names[] = { "UNINITIALIZED", "AT_HOST", "AT_DEVICE", "SYNCED" };
    return head >= UNINITIALIZED && head <= SYNCED ? names[head] : "none of the four";
}

struct played played_of(const struct evidence *e, const char *part)
{
    struct played p = { .number = part[0] - 'a' };
    size_t bytes;
    p.block = exchange_input(e->exchange, IN_PLAY * p.number + IN_BLOCKS, &bytes);
    p.blocks = (int)(bytes / sizeof *p.block);
    p.step = exchange_input(e->exchange, IN_PLAY * p.number + IN_STEPS, &bytes);
    p.steps = (int)(bytes / sizeof *p.step);
    p.made = exchange_output(e->exchange, p.number, NULL);
    p.totals = exchange_output(e->exchange, OUT_TOTALS, NULL);
    int64_t done = p.totals->done[p.number];
    p.done = done < 0 ? 0 : done > p.steps ? p.steps : (int)done;
    return p;
}

#define HISTORY 4

/* The last steps of that block, up to step k: "synced_write_host(), synced_read_device()". */
static void history_of(const struct played *p, int k, char *text, size_t size)
{
    int steps[HISTORY], count = 0;
    for (int i = k; i >= 0 && count < HISTORY; i--)
        if (p->step[i].block == p->step[k].block)
            steps[count++] = i;
    size_t used = 0;
    text[0] = '\0';
    while (count-- > 0 && used < size)
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                 op_name(p->step[steps[count]].op));
}

void stretches_of(const struct view *v, const char *part, const char *what, struct stretch *s,
                  int count)
{
    struct selection all = in_part(v, part, 0);
    memset(s, 0, (size_t)count * sizeof *s);
    for (size_t call = all.first_call; call < all.end_call; call++) {
        long number = label_number(v, call, what);
        if (number < 0 || number >= count || s[number].end != 0)
            continue;
        size_t end = label_end(v, call);
        s[number] = (struct stretch){ call, end < all.end_call ? end : all.end_call };
    }
}

/* ---- the steps of a part, played ---- */

struct game *game_new(const struct evidence *e, const char *part)
{
    struct game *g = calloc(1, sizeof *g);
    if (!g)
        abort();
    g->p = played_of(e, part);
    for (int k = 0; k < g->p.blocks; k++)
        block_new(&g->model[k]);
    stretches_of(&e->yours[0], part, STEP, g->stretch, g->p.steps);
    g->k = -1;
    return g;
}

bool game_next(struct game *g)
{
    if (++g->k >= g->p.done)
        return false;
    g->step = &g->p.step[g->k];
    g->w = block_step(&g->model[g->step->block], g->step);
    return true;
}

const char *game_where(const struct game *g, char *text, size_t size)
{
    char so_far[200];
    const struct block *b = &g->p.block[g->step->block];
    history_of(&g->p, g->k, so_far, sizeof so_far);
    snprintf(text, size, "block %d (%lld bytes, %s), after %s", (int)g->step->block,
             (long long)b->n, b->pinned ? "pinned" : "not pinned", so_far);
    return text;
}
