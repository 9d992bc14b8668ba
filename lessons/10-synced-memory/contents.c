/* SPDX-License-Identifier: MIT */
/* What is in the blocks: zeros at first, then what was written last. Parts (a), (b) and (c). */
#include <stdlib.h>
#include <string.h>

#include "blocks.h"

/* The bytes of a block, by side; those of the caller's memory are what was put there. */
struct contents { unsigned char *x[2]; };

static uint32_t sum_of(const unsigned char *x, int64_t n)
{
    uint32_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * (2 * (uint32_t)i + 1);
    return sum;
}

struct replayed {
    uint32_t sum[STEPS_MAX];            /* what a step had to find */
    uint32_t left[FOREIGN_MAX];         /* what is in the caller's memory at the end */
    bool zeros[STEPS_MAX];              /* the block was new */
};

static void replay(const struct evidence *e, const char *part, struct replayed *r)
{
    struct game *g = game_new(e, part);
    struct contents c[BLOCKS_MAX] = { { { NULL } } };
    uint32_t salt = ((const struct settings *)exchange_input(e->exchange, IN_SETTINGS, NULL))->salt;
    for (int k = 0; k < g->p.blocks; k++)
        for (int side = HOST; side <= DEVICE; side++)
            if (!(c[k].x[side] = calloc((size_t)g->p.block[k].n, 1)))
                abort();
    while (game_next(g)) {
        const struct turn *s = g->step;
        int64_t n = g->p.block[s->block].n, foreign;
        unsigned char **x = c[s->block].x;
        uint32_t by = salt + (uint32_t)g->k;
        for (int side = HOST; side <= DEVICE; side++)
            if (g->w.copies[side])
                memcpy(x[side], x[!side], (size_t)n);
        if (is_set(s))
            for (int64_t i = 0; i < n; i++)
                x[s->op != SET_HOST][i] = filling(salt, (uint32_t)s->foreign, (uint32_t)i);
        if (g->w.side >= 0) {
            r->sum[g->k] = sum_of(x[g->w.side], n);
            r->zeros[g->k] = g->w.zeros;
        }
        for (int64_t i = 0; i < n && (s->op == WRITE_HOST || s->op == WRITE_DEVICE); i++)
            x[g->w.side][i] = (unsigned char)((s->op == WRITE_HOST ? 5u : 3u) * x[g->w.side][i]
                                              + (uint32_t)i + by);
        for (int side = HOST; side <= DEVICE; side++)
            if ((foreign = g->model[s->block].foreign[side]) >= 0)
                r->left[foreign] = sum_of(x[side], n);
    }
    for (int k = 0; k < g->p.blocks; k++)
        for (int side = HOST; side <= DEVICE; side++)
            free(c[k].x[side]);
    free(g);
}

/* Does anything on the device write at least that many bytes in these calls? Fresh memory may be
 * zeros by chance. *last: the call that wrote last. */
static bool filled(const struct view *v, struct stretch s, uint64_t bytes, uint32_t *last)
{
    struct selection all = { ENGINES_DEVICE, ANY, ANY, s.begin, s.end };
    uint64_t sum = 0;
    EACH_SPAN(node, v, all) {
        sum += v->timeline->spans[node].engine == ENGINE_KERNEL ? bytes
                                                                : v->timeline->spans[node].bytes;
        *last = v->timeline->spans[node].call;
    }
    return sum >= bytes;
}

/* The copy that a step made which gave the block its memory on either side, the last before step k;
 * ANY: none did. */
static uint32_t copy_of_set(const struct view *v, const struct game *g)
{
    uint32_t copy = ANY;
    for (int k = 0; k < g->k; k++) {
        if (g->p.step[k].block != g->step->block || !is_set(&g->p.step[k]))
            continue;
        struct selection all = { ENGINES_DEVICE, ANY, ANY, g->stretch[k].begin, g->stretch[k].end };
        EACH_SPAN(node, v, all)
            if (call_of_node(v, node)->kind == CALL_COPY)
                copy = v->timeline->spans[node].call;
    }
    return copy;
}

static bool find_wrong(const struct evidence *e, struct finding *f, const char *part, bool new_ones)
{
    struct replayed *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    replay(e, part, r);
    struct game *g = game_new(e, part);
    bool good = true;
    char text[300];
    while (good && game_next(g)) {
        uint64_t bytes = (uint64_t)g->p.block[g->step->block].n;
        if (g->w.side < 0 || r->zeros[g->k] != new_ones)
            continue;
        uint32_t set = ANY;
        bool right = g->p.made[g->k].sum == r->sum[g->k],
             full = !new_ones || filled(&e->yours[0], g->stretch[g->k], bytes, &set);
        if (right && (g->w.side == HOST || full))
            continue;
        good = false;
        f->call = new_ones && g->w.side == DEVICE ? set : ANY;
        f->function = op_name(g->step->op);
        f->word = !new_ones ? NULL : g->w.side == HOST ? "memset" : "cudaMemset";
        seen(f, "%s: %s", game_where(g, text, sizeof text),
             right ? "not all of it was written" : "something else");
        if (new_ones) {
            expected(f,
                     "a block that was never written is all zeros on the side where it is first asked for");
            f->sure = !full;    /* what reads it later is not to blame */
            why(f, "Fresh memory holds old bytes. Clear all m->bytes of it with %s.%s",
                g->w.side == HOST ? "memset()" : "cudaMemset() or cudaMemsetAsync()",
                !full && set == ANY ? " In this call nothing has been written on the device." : "");
        } else {
            expected(f, "%s finds what was written last, on whichever side",
                     op_name(g->step->op));
            uint32_t copy = copy_of_set(&e->yours[0], g);
            if (copy != ANY) {
                f->call = copy;
                f->sure = true;
                why(f,
                    "Setting memory says that it holds the newest bytes. This copy, in the call that set it, overwrites them with what the "
                    "block had before. Nothing is copied there.");
                continue;
            }
            why(f,
                "Go through the block's last calls one by one: which side had the newest bytes before each of them?");
        }
    }
    for (int64_t k = 0; good && !new_ones && g->p.done == g->p.steps && k < g->p.steps; k++) {
        const struct turn *s = &g->p.step[k];
        if (!is_set(s))
            continue;
        if (g->p.totals->foreign[g->p.number][s->foreign].there
            && g->p.totals->foreign[g->p.number][s->foreign].sum != r->left[s->foreign]) {
            good = false;
            expected(f,
                     "the caller's memory holds what was last written while it was a side of the block");
            seen(f, "what was set by %s on block %d does not, at the end", op_name(s->op),
                 (int)s->block);
            why(f,
                "Use that memory itself, for reads and writes, while it is set, and not afterwards.");
        }
    }
    free(g);
    free(r);
    return good;
}

bool judge_zeros(const struct evidence *e, struct finding *f, const char *part)
{
    return find_wrong(e, f, part, true);
}

bool judge_bytes(const struct evidence *e, struct finding *f, const char *part)
{
    return find_wrong(e, f, part, false);
}
