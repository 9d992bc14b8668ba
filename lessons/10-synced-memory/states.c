/* SPDX-License-Identifier: MIT */
/* The state table, and what it costs: states, memory, transfers. Parts (a), (b) and (c); what is in
 * the blocks is in contents.c. */
#include <stdlib.h>

#include "blocks.h"

static const char *const side_name[] = { "host", "device" };

/* Memory taken in these calls, by side; *last: the call that did it last. */
static int taken(const struct view *v, struct stretch s, int side, uint32_t *last)
{
    int count = 0;
    for (size_t call = s.begin; call < s.end; call++) {
        const struct call *c = &v->timeline->calls[call];
        bool device =
            c->kind == CALL_MALLOC && (c->dst_kind == MEM_DEVICE || c->dst_kind == MEM_MANAGED);
        bool host = (c->kind == CALL_MALLOC && c->dst_kind == MEM_PINNED)
                    || label_number(v, call, HEAP_TAKE) >= 0;
        if (c->status != 0 || !(side == HOST ? host : device))
            continue;
        count++;
        if (c->kind == CALL_MALLOC)
            *last = (uint32_t)call;
    }
    return count;
}

/* Is what this step takes on the device no memory of a pool? */
static bool from_no_pool(const struct view *v, const struct game *g, struct finding *f)
{
    const struct turn *s = g->step;
    for (size_t call = g->stretch[g->k].begin; call < g->stretch[g->k].end; call++) {
        const struct call *c = &v->timeline->calls[call];
        if (c->kind != CALL_MALLOC || !(c->flags & CALL_ASYNC) || c->status != 0)
            continue;
        f->call = (uint32_t)call;
        expected(f, "a block's own memory on the device comes from cudaMalloc()");
        seen(f, "%s takes it from %s()", op_name(s->op), timeline_string(v->timeline, c->name));
        return why(f,
                   "Memory from a pool is ready only for later work in its stream. A block's memory is used in any stream, as soon as "
                   "the call has returned.");
    }
    return true;
}

struct moved { uint64_t bytes[2]; unsigned copies[2]; uint32_t call[2]; };

/* What was copied in these calls, by the side that it went to. */
static struct moved moved_in(const struct view *v, struct stretch s)
{
    struct moved m = { .call = { ANY, ANY } };
    struct selection all = { ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_D2H), ANY, ANY, s.begin,
                             s.end };
    EACH_SPAN(i, v, all) {
        int side = v->timeline->spans[i].engine == ENGINE_H2D ? DEVICE : HOST;
        m.bytes[side] += v->timeline->spans[i].bytes;
        m.copies[side]++;
        m.call[side] = v->timeline->spans[i].call;
    }
    return m;
}

/* Blocks that were made while another device than the first was current, where there is one. */
static bool made_on_current(const struct evidence *e, struct finding *f, const struct played *p)
{
    for (size_t view = 1; view < e->views; view++) {
        const struct totals *t = exchange_output_of(e->exchange, view, OUT_TOTALS, NULL);
        for (int k = 0; k < p->blocks; k++) {
            if (t->done[p->number] < p->steps || t->init[p->number][k] & INIT_ON)
                continue;
            f->view = view;
            expected(f, "m->on is the device that was the current one when the block was made");
            seen(f, "device 1 was current, and m->on is another");
            f->function = "synced_init";
            f->word = "on";
            return why(f,
                       "Device 0 is current only until another is set. cudaGetDevice(&m->on) says which one is.");
        }
    }
    return true;
}

bool judge_states(const struct evidence *e, struct finding *f, const char *part)
{
    struct game *g = game_new(e, part);
    static const char *const field[] = { "bytes", "pinned", "head", "host or device", "on" };
    struct stretch begin[BLOCKS_MAX];
    bool good = true;
    char text[300];
    stretches_of(&e->yours[0], part, INIT, begin, g->p.blocks);
    for (int k = 0; k < g->p.blocks && good; k++) {
        int64_t init = g->p.totals->init[g->p.number][k];
        int bit = 0;
        uint32_t call;
        if (taken(&e->yours[0], begin[k], HOST, &call)
                + taken(&e->yours[0], begin[k], DEVICE, &call)
            > 0)
            init |= INIT_MEMORY;        /* that it is too early is another matter */
        while (bit < 5 && (init & (1 << bit)))
            bit++;
        if (bit == 5)
            continue;
        good = false;
        expected(f,
                 "a new block has its size, whether it is pinned, no memory on either side, the current device, and is UNINITIALIZED");
        seen(f, "after synced_init() it does not hold for m->%s", field[bit]);
        f->function = "synced_init";
        f->word = bit == 3 ? NULL : field[bit];
        why(f,
            "The caller's struct holds old values: fill in every field. cudaGetDevice(&m->on) says which device is the current one.");
    }
    while (good && game_next(g)) {
        const struct made *made = &g->p.made[g->k];
        if (made->head == (int64_t)g->w.after)
            continue;
        good = false;
        int64_t op = g->step->op;
        /* The state's own case, where there is one. */
        static const char *const words[] = { [UNINITIALIZED] =
                                                 "UNINITIALIZED:head UNINITIALIZED head",
                                             [AT_HOST] = "AT_HOST:head AT_HOST head",
                                             [AT_DEVICE] = "AT_DEVICE:head AT_DEVICE head",
                                             [SYNCED] = "SYNCED:head SYNCED head" };
        if (g->w.before == g->w.after)
            expected(f, "%s leaves a block that is %s as it is", op_name(op),
                     head_name((int64_t)g->w.before));
        else
            expected(f, "%s turns %s into %s", op_name(op), head_name((int64_t)g->w.before),
                     head_name((int64_t)g->w.after));
        seen(f, "%s: %s", game_where(g, text, sizeof text), head_name(made->head));
        f->function = op_name(op);
        f->word = words[g->w.before];
        struct moved m = moved_in(&e->yours[0], g->stretch[g->k]);
        /* No zeros either, perhaps: it may have come back before. */
        f->returns = g->w.zeros && made->head == UNINITIALIZED;
        bool nothing_sent = op == PUSH && g->w.copies[DEVICE] && m.copies[DEVICE] == 0;
        if (nothing_sent) {
            f->word = NULL;
            f->returns = true;
        }
        if (op == PUSH && m.copies[DEVICE] > 0) {
            /* It has sent the block: what is wrong is the state that it leaves. */
            bool other = made->head >= UNINITIALIZED && made->head <= SYNCED
                         && made->head != (int64_t)g->w.before;
            f->word = other ? words[made->head] : NULL;
            f->call = other ? ANY : m.call[DEVICE];
            f->sure = true;
        }
        /* It has fetched what it had to: what it leaves is wrong, and not what it does. */
        if (g->w.side >= 0 && !g->w.zeros && (m.copies[HOST] > 0) == g->w.copies[HOST]
            && (m.copies[DEVICE] > 0) == g->w.copies[DEVICE])
            f->sure = true;
        bool stayed = is_set(g->step) && made->head == (int64_t)g->w.before;
        if (stayed) {
            f->word = NULL;
            f->returns = f->sure = true;
        }
        if (nothing_sent)
            why(f,
                "The host has the newest bytes, and synced_push() has queued no cudaMemcpyAsync(). Does it return too early?");
        else if (op == WRITE_HOST || op == WRITE_DEVICE)
            why(f,
                "A caller that asks for write access is about to write. From then on the other side is stale, whatever it was before.");
        else if (op == SET_HOST || op == SET_DEVICE)
            why(f,
                "The memory that was set holds the newest bytes, and only on this side: the other side is stale.%s",
                stayed
                    ? " The state has stayed what it was: does the function set it, or return too early?"
                    : "");
        else if (op == PUSH)
            why(f,
                "A push sends a block that is AT_HOST, and the block counts as synced from then on. In every other state there is "
                "nothing to send.%s",
                f->call != ANY
                    ? " This sends it, and the state has stayed what it was: m->head = SYNCED belongs here."
                    : "");
        else if (g->w.before == UNINITIALIZED)
            why(f,
                "A block that was never written is set to zeros on the side that is read, with memset() or cudaMemset(). From then on "
                "that side has the newest bytes.");
        else
            why(f,
                "Reading makes nothing stale. A copy leaves both sides up to date. Without a copy nothing changes.");
    }
    good = good && made_on_current(e, f, &g->p);
    free(g);
    return good;
}

bool judge_lazy(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct game *g = game_new(e, part);
    struct stretch init[BLOCKS_MAX];
    bool good = true;
    char text[300];
    stretches_of(v, part, INIT, init, g->p.blocks);
    for (int k = 0; k < g->p.blocks && good; k++)
        for (int side = HOST; side <= DEVICE && good; side++) {
            if (taken(v, init[k], side, &f->call) == 0)
                continue;
            good = false;
            expected(f, "a new block has no memory on either side: nothing has asked for it yet");
            seen(f, "synced_init() allocates memory on the %s", side_name[side]);
            why(f,
                "Many blocks live on one side only. Allocate a side's memory when the caller first asks for the block on that side.");
        }
    while (good && game_next(g)) {
        if (g->step->op == PUSH)
            good = from_no_pool(v, g, f);
        for (int side = HOST; side <= DEVICE && good; side++) {
            uint32_t call = ANY;
            int count = taken(v, g->stretch[g->k], side, &call);
            if (count == g->w.takes[side])
                continue;
            good = false;
            f->call = call;
            if (g->w.takes[side])
                expected(f, "%s allocates memory on the %s, where the block has none yet",
                         op_name(g->step->op), side_name[side]);
            else
                expected(f, "%s allocates no memory on the %s", op_name(g->step->op),
                         side_name[side]);
            seen(f, "%s: taken %d %s", game_where(g, text, sizeof text), count,
                 count == 1 ? "time" : "times");
            f->function = op_name(g->step->op);
            if (count == 0)
                why(f,
                    "%sUse cudaMalloc() on the device, cudaMallocHost() or heap_take() on the host, when the side is needed for the first "
                    "time.",
                    g->p.made[g->k].place == ELSEWHERE ? "This memory has the wrong origin. " : "");
            else if (g->step->op == PUSH && side == DEVICE && g->w.takes[DEVICE] == 0
                     && g->w.before != AT_HOST)
                why(f,
                    "There was nothing to send: the block is not AT_HOST. Check that first, then allocate.");
            else if (g->step->op == PUSH && g->w.before == AT_HOST)
                why(f,
                    "The copy goes from m->host to m->device, with nothing in between. A push needs no other memory than the block's two sides%s.",
                    side == HOST            ? ", and this one has its memory"
                    : g->w.takes[DEVICE] == 0 ? ", which are there"
                                            : "");
            else if (g->w.zeros && g->w.side != side)
                why(f,
                    "Nothing has written this block. Make its zeros on the side that is asked for: the %s has no part in it.",
                    side_name[side]);
            else if (g->w.side == side || (g->w.side < 0 && side == DEVICE))
                why(f,
                    "This side has its memory, which stays until synced_fini(). Allocate only while the pointer is NULL.");
            else
                why(f,
                    "Nothing has asked for the block on the %s. Many blocks are never used there.",
                    side_name[side]);
        }
    }
    free(g);
    return good;
}

/* The step that gave the block its memory on the side that is asked for, if nothing has taken other
 * memory there since: then that step has not kept it. -1: something has. */
static int lost_when_set(const struct view *v, const struct game *g)
{
    int op = g->w.side == HOST ? SET_HOST : SET_DEVICE;
    uint32_t call;
    for (int k = g->k; k >= 0; k--) {
        if (g->p.step[k].block != g->step->block)
            continue;
        if (g->p.step[k].op == op)
            return k;
        if (taken(v, g->stretch[k], g->w.side, &call) > 0)
            return -1;
    }
    return -1;
}

bool judge_sides(const struct evidence *e, struct finding *f, const char *part)
{
    static const char *const place_name[] = { "NULL",
                                              "memory from heap_take()",
                                              "pinned memory",
                                              "device memory",
                                              "managed memory",
                                              "other host memory",
                                              "fewer bytes from heap_take() than the block has" };
    struct game *g = game_new(e, part);
    bool good = true;
    char text[300];
    while (good && game_next(g)) {
        const struct made *made = &g->p.made[g->k];
        int64_t b = g->step->block;
        if (g->w.side < 0)
            continue;
        if (!(good = from_no_pool(&e->yours[0], g, f)))
            break;
        int64_t foreign = g->model[b].foreign[g->w.side];
        enum place place = g->w.side == DEVICE    ? ON_DEVICE
                           : g->p.block[b].pinned ? IN_PINNED
                                                  : ON_HEAP;
        bool right = foreign >= 0 ? made->foreign == foreign
                                  : made->foreign < 0 && made->place == (int64_t)place;
        if (right && made->shown)
            continue;
        good = false;
        int set = foreign >= 0 ? lost_when_set(&e->yours[0], g) : -1;
        f->function = op_name(set < 0 ? g->step->op : g->p.step[set].op);
        f->word = made->place == TOO_SMALL ? "heap_take" : NULL;
        if (right) {
            f->word = g->w.side == DEVICE ? "device own_device head" : "host own_host head";
            expected(f, "m->%s is the address that %s returns", side_name[g->w.side], f->function);
            seen(f, "%s: m->%s is another address", game_where(g, text, sizeof text),
                 side_name[g->w.side]);
            why(f,
                "The caller reads the block's fields, too. Set m->%s when the memory is allocated.",
                side_name[g->w.side]);
            break;
        }
        const char *got = made->place >= NOWHERE && made->place <= TOO_SMALL
                              ? place_name[made->place]
                              : "nothing";
        if (foreign >= 0) {
            expected(f,
                     "the block's bytes on the %s are those that the caller has set: %s returns their address",
                     side_name[g->w.side], op_name(g->step->op));
            seen(f, "%s: %s, and not what was set", game_where(g, text, sizeof text),
                 made->foreign >= 0 ? "what was set before" : got);
            why(f,
                "To set means to use this memory from now on. Keep the pointer, and do not copy the contents.");
        } else {
            expected(f, "%s returns %s", op_name(g->step->op), place_name[place]);
            seen(f, "%s: %s", game_where(g, text, sizeof text),
                 made->foreign >= 0 ? "the caller's memory, which this side no longer uses" : got);
            why(f,
                made->place == TOO_SMALL ? "The block is m->bytes long: allocate that many."
                : g->w.side == DEVICE || made->place == ON_DEVICE
                    ? "Each side has its own pointer: m->host is for the host, m->device for kernels."
                    : "m->pinned says where a block's own host memory comes from: cudaMallocHost() if it is set, heap_take() if not.");
        }
    }
    free(g);
    return good;
}

/* A copy that a thread of the learner's queues after the step, before the next one ends; ANY: there
 * is none. */
static uint32_t queued_by_a_thread(const struct view *v, const struct game *g)
{
    const struct timeline *t = v->timeline;
    size_t end = g->k + 1 < g->p.done ? g->stretch[g->k + 1].end : t->call_count;
    for (size_t call = g->stretch[g->k].begin; call < end; call++)
        if (t->calls[call].kind == CALL_COPY && !is_in_driver(t, &t->calls[call])
            && t->calls[call].thread != t->calls[g->stretch[g->k].begin].thread)
            return (uint32_t)call;
    return ANY;
}

bool judge_transfers(const struct evidence *e, struct finding *f, const char *part)
{
    static const char *const way[] = { "home", "to the device" };
    const struct view *v = &e->yours[0];
    struct game *g = game_new(e, part);
    bool good = true;
    char text[300];
    while (good && game_next(g)) {
        struct moved m = moved_in(v, g->stretch[g->k]);
        uint64_t all = (uint64_t)g->p.block[g->step->block].n;
        for (int side = HOST; side <= DEVICE && good; side++) {
            uint64_t wanted = g->w.copies[side] ? all : 0;
            if (m.bytes[side] == wanted)
                continue;
            good = false;
            f->call = m.call[side] != ANY ? m.call[side] : m.call[!side];
            f->function = op_name(g->step->op);
            f->word = g->step->op == PUSH ? "cudaMemcpyAsync" : "cudaMemcpy";
            if (wanted > 0)
                expected(f, "%s of a block that is %s: one transfer %s, of all its %llu bytes",
                         op_name(g->step->op), head_name((int64_t)g->w.before), way[side],
                         (unsigned long long)all);
            else
                expected(f, "%s of a block that is %s: nothing travels %s",
                         op_name(g->step->op), head_name((int64_t)g->w.before), way[side]);
            seen(f, "%s: %llu bytes %s in %u %s, %llu bytes %s", game_where(g, text, sizeof text),
                 (unsigned long long)m.bytes[side], way[side], m.copies[side],
                 m.copies[side] == 1 ? "copy" : "copies", (unsigned long long)m.bytes[!side],
                 way[!side]);
            if (g->w.copies[!side] && m.bytes[!side] == 0)
                why(f,
                    "This copy goes the wrong way: it overwrites the newest bytes with stale ones. In %s the destination, the first argument, is "
                    "%s.", op_name(g->step->op), side == HOST ? "m->device" : "m->host");
            else if (m.bytes[side] == 0 && m.bytes[!side] > 0)
                why(f,
                    "This copy goes the wrong way: it overwrites the newest bytes with stale ones. Copy to the side that the caller asks for.");
            else if (m.bytes[side] == 0
                     && (g->step->op == WRITE_HOST || g->step->op == WRITE_DEVICE))
                why(f,
                    "The caller may read before it writes, and may write only a part. So %s has to fetch the newest bytes first, "
                    "with cudaMemcpy().", op_name(g->step->op));
            else if (m.bytes[side] == 0 && g->step->op == PUSH
                     && (f->call = queued_by_a_thread(v, g)) != ANY)
                why(f,
                    "A thread queues this copy, and nothing was queued in synced_push() itself: what the caller queues next into the stream may come "
                    "first. Call cudaMemcpyAsync() in synced_push(): from pinned memory it does not hold the host up.");
            else if (m.bytes[side] == 0 && g->step->op == PUSH)
                why(f,
                    "The host has the newest bytes, and nothing was sent: synced_push() queues a cudaMemcpyAsync() to m->device in the stream.");
            else if (m.bytes[side] == 0)
                why(f,
                    "This side is stale, and %s has copied nothing to it. Fetch the newest bytes with cudaMemcpy().",
                    op_name(g->step->op));
            else if (m.bytes[side] < wanted || wanted > 0)
                why(f, "The size of a block is m->bytes, in bytes, and all of it travels, once.");
            else if (g->w.zeros)
                why(f,
                    "Nothing has written this block. Make zeros where they are needed, with memset() or cudaMemset().");
            else if (g->w.side < 0 && g->step->op != PUSH)
                why(f,
                    "Setting memory only says where the newest bytes are. A later access copies them if it has to.");
            else
                why(f,
                    "This side has the newest bytes, and there is nothing to fetch. Check m->head before you copy.");
        }
    }
    free(g);
    return good;
}

bool judge_arrived(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct game *g = game_new(e, part);
    bool good = true;
    while (good && game_next(g)) {
        struct stretch s = g->stretch[g->k];
        struct selection copies = { ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_D2H), ANY, ANY,
                                    s.begin, s.end };
        if (g->step->op == PUSH)
            continue;
        for (uint32_t node = next_span(v, copies, 0); node != ANY && good;
             node = next_span(v, copies, node + 1)) {
            if (!(call_of_node(v, node)->flags & CALL_ASYNC)
                || hb_before_call(v->order, node, v->timeline->calls, s.end, GUARANTEED))
                continue;
            good = false;
            f->call = v->timeline->spans[node].call;
            expected(f, "what %s copies has arrived when it returns", op_name(g->step->op));
            seen(f, "nothing has waited for %s", node_name(v, node).text);
            why_unwaited(v, f, node, s.end,
                         "The caller uses the block as soon as it has the pointer. cudaMemcpy() waits. After "
                         "cudaMemcpyAsync() you have to wait with cudaStreamSynchronize().");
        }
    }
    free(g);
    return good;
}
