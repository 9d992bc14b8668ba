/* SPDX-License-Identifier: MIT */
/* Whose memory is it? Nothing is given back twice, too early, or for others; everything of a
 * block's own is. */
#include <string.h>

#include "blocks.h"

/* Who is in these calls: "synced_set_host(), step 12 …". */
struct scene {
    const char *call;
    int step, block;
    int may[2];
    bool owed[2];
};      /* owed: it was to go back before */

static int64_t foreign_at(const struct played *p, uint64_t address)
{
    for (int64_t k = 0; k < p->steps; k++)
        if (is_set(&p->step[k]) && address != 0
            && p->totals->foreign[p->number][p->step[k].foreign].address == address)
            return p->step[k].foreign;
    return -1;
}

/* The block's own field says that memory on this side is its own, and it is the caller's: the first
 * step before step `end` that has left it so; -1: none has. Where there is no memory yet the field
 * may say anything: to give NULL back does nothing. */
static int claimed(const struct played *p, int block, int side, int end)
{
    struct model m;
    block_new(&m);
    for (int k = 0; k < end && k < p->done; k++) {
        if (p->step[k].block != block)
            continue;
        block_step(&m, &p->step[k]);
        if (m.foreign[side] >= 0 && !m.own[side] && p->made[k].own & (1u << side))
            return k;
    }
    return -1;
}

/* Blames the step that has left it so, if one has. */
static bool blame_claim(struct finding *f, const struct played *p, int block, int side, int end)
{
    const char *field = side == HOST ? "own_host" : "own_device";
    int k = claimed(p, block, side, end);
    if (k < 0)
        return false;
    f->call = ANY;
    f->function = op_name(p->step[k].op);
    f->word = field;
    f->sure = true;
    why(f,
        "Memory is freed by its owner and by nothing else, and m->%s says whether the block has taken its memory on this side itself. "
        "After call %d, %s, it is true, and that memory is the caller's.",
        field, k + 1, f->function);
    return true;
}

static bool others_given(struct finding *f, const struct scene *s, const struct played *p, int side)
{
    expected(f, "memory that the caller has set stays the caller's, and the caller frees it");
    seen(f, "%s of block %d frees it", s->call, s->block);
    if (blame_claim(f, p, s->block, side, s->step))
        return false;
    if (p->number == 2)
        return why(f,
                   "A push does not change whose memory it is: own_device is true only where synced_push() itself has allocated it.");
    return why(f,
               "Memory is freed by its owner and by nothing else. m->own_host and m->own_device say what the block has allocated "
               "itself. They are false as soon as other memory is set.");
}

static bool twice_given(struct finding *f, const struct scene *s)
{
    expected(f,
             "each piece of memory that the block has allocated is freed once, by the call that belongs to its allocation");
    seen(f, "%s of block %d frees memory that is not allocated", s->call, s->block);
    return why(f,
               "It was freed before, was never allocated, or was allocated by another call: cudaMallocHost() goes with "
               "cudaFreeHost(), cudaMalloc() with cudaFree(), heap_take() with heap_give(). Once it is freed the block no longer "
               "owns it.");
}

/* The pinned memory that was taken for this block last, before that call; ANY: none was. */
static uint32_t pinned_for(const struct view *v, const struct played *p, int block, size_t end)
{
    struct stretch steps[STEPS_MAX];
    uint32_t found = ANY;
    stretches_of(v, (const char[]){ (char)('a' + p->number), '\0' }, STEP, steps, p->steps);
    for (int k = 0; k < p->steps; k++)
        for (size_t call = steps[k].begin; call < steps[k].end && call < end; call++) {
            const struct call *c = &v->timeline->calls[call];
            if (p->step[k].block == block && c->kind == CALL_MALLOC && c->dst_kind == MEM_PINNED
                && c->status == 0)
                found = (uint32_t)call;
        }
    return found;
}

static bool strange_given(const struct view *v, const struct played *p, struct finding *f,
                          const struct scene *s, size_t call)
{
    uint32_t pinned = p->block[s->block].pinned ? ANY : pinned_for(v, p, s->block, call);
    if (pinned == ANY)
        return twice_given(f, s);
    f->call = pinned;
    expected(f, "a block that is not pinned has its host memory from heap_take()");
    seen(f, "%s of block %d, which is not pinned, gives heap_give() memory from %s()", s->call,
         s->block, timeline_string(v->timeline, v->timeline->calls[pinned].name));
    return why(f,
               "This takes pinned memory for a block that is not pinned. m->pinned says which it is: cudaMallocHost() and "
               "cudaFreeHost() for a pinned block, heap_take() and heap_give() for any other.");
}

/* A copy that reads or writes memory at that address and which the host has not waited for when
 * call `end` is made; ANY for none. */
static uint32_t still_used(const struct view *v, struct stretch in, uint64_t address,
                           uint64_t bytes, size_t end)
{
    struct selection s = { ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_D2H), ANY, ANY, in.begin,
                           end };
    EACH_SPAN(node, v, s) {
        const struct call *c = call_of_node(v, node);
        bool reads = c->src < address + bytes && address < c->src + c->bytes,
             writes = c->dst < address + bytes && address < c->dst + c->bytes;
        if ((reads || writes)
            && !hb_before_call(v->order, node, v->timeline->calls, end, GUARANTEED))
            return node;
    }
    return ANY;
}

/* Memory that the step itself has taken for a while: how much; 0: it is none. */
static uint64_t passing(const struct view *v, struct stretch in, size_t freed)
{
    for (size_t call = in.begin; call < freed; call++) {
        const struct call *c = &v->timeline->calls[call];
        if (c->kind == CALL_MALLOC && c->status == 0 && c->dst == v->timeline->calls[freed].dst)
            return c->bytes;
    }
    return 0;
}

static bool look_at(const struct view *v, const struct played *p, struct stretch in,
                    const struct scene *s, int given[2], struct finding *f)
{
    for (size_t call = in.begin; call < in.end; call++) {
        const struct call *c = &v->timeline->calls[call];
        long refused = label_number(v, call, HEAP_REFUSED), heap = label_number(v, call, HEAP_GIVE);
        bool freed = c->kind == CALL_FREE && c->dst != 0;
        if (freed)
            f->call = (uint32_t)call;
        else if (refused >= 0 || heap >= 0)
            blame_label(f, call, 0);
        f->function = f->call == ANY ? NULL : s->call;
        if (refused == STRANGE)
            return strange_given(v, p, f, s, call);
        if (refused >= OTHERS || (freed && foreign_at(p, c->dst) >= 0))
            return others_given(f, s, p,
                                refused >= OTHERS || c->dst_kind == MEM_PINNED ? HOST : DEVICE);
        if (refused >= 0 || (freed && c->status != 0))
            return twice_given(f, s);
        uint64_t own = freed && c->status == 0 ? passing(v, in, call) : 0;
        uint32_t used = own > 0 ? still_used(v, in, c->dst, own, call) : ANY;
        if (used != ANY) {
            expected(f, "memory is freed when nothing uses it any more");
            seen(f, "%s frees the memory that it has just allocated, and nothing has waited for %s",
                 s->call, node_name(v, used).text);
            return why(f,
                       "The copy may still need it. The block's own memory is there for as long as the copy takes: copy from m->host to "
                       "m->device.");
        }
        if (own > 0)
            continue;
        int side = heap >= 0 || (freed && c->dst_kind == MEM_PINNED) ? HOST : DEVICE;
        if ((freed || heap >= 0) && ++given[side] > s->may[side]) {
            if (s->owed[side]) {
                expected(f,
                         "memory that a block has allocated goes back at once when the caller's takes its place");
                f->function = side == HOST ? "synced_set_host" : "synced_set_device";
                seen(f, "%s of block %d frees it, and the call that set the other memory did not",
                     s->call, s->block);
                return why(f,
                           "It is not needed from then on. Free it in %s(), before the pointer is overwritten.",
                           f->function);
            }
            expected(f,
                     "memory that a block has allocated stays until synced_fini(), or until other memory takes its place");
            f->function = s->call;
            seen(f, "%s frees memory on the %s, of block %d", s->call,
                 side == HOST ? "host" : "device", s->block);
            return why(f,
                       "The side may be stale, but its memory is still needed. The next access would have to allocate it again.");
        }
        f->call = ANY;
    }
    return true;
}

/* The memory that was taken for the block in these calls and has not all its bytes; ANY for none.
 */
static uint32_t too_small(const struct view *v, struct stretch in, uint64_t bytes)
{
    for (size_t call = in.begin; call < in.end; call++) {
        const struct call *c = &v->timeline->calls[call];
        if (c->kind == CALL_MALLOC && c->status == 0 && c->bytes < bytes)
            return (uint32_t)call;
    }
    return ANY;
}

/* The last CHECK of the part that ended the program: the call that failed, or CHECK itself where
 * that is not known. */
static uint32_t failed_check(const struct view *v, const char *part, const char **text)
{
    struct selection s = in_part(v, part, 0);
    for (size_t call = s.end_call; call-- > s.first_call;) {
        const struct call *c = &v->timeline->calls[call];
        if (c->kind != CALL_REPORT || c->status == 0)
            continue;
        *text = timeline_string(v->timeline, c->name);
        bool known =
            c->src > s.first_call && c->src <= call && v->timeline->calls[c->src - 1].line != 0;
        return known ? (uint32_t)(c->src - 1) : (uint32_t)call;
    }
    return ANY;
}

/* What the step was to do in which the program ended. */
static struct want wanted_of(const struct played *p)
{
    struct model m;
    struct want w = { .before = UNINITIALIZED };
    block_new(&m);
    for (int k = 0; k <= p->done && k < p->steps; k++)
        if (p->step[k].block == p->step[p->done < p->steps ? p->done : 0].block)
            w = block_step(&m, &p->step[k]);
    return w;
}

/* The step had no use for the call that failed: it ought to make no zeros there, or no copy. */
static bool is_needless(const char *name, const struct want *w)
{
    if (strncmp(name, "cudaMemset", strlen("cudaMemset")) == 0)
        return !w->zeros || w->side != DEVICE;
    return strncmp(name, "cudaMemcpy", strlen("cudaMemcpy")) == 0 && !w->copies[HOST]
           && !w->copies[DEVICE];
}

/* The call that failed was given NULL for a side that the block's caller has set: the number of the
 * last such step; p->steps: there is none. */
static int null_after_set(const struct view *v, const struct played *p, uint32_t failed)
{
    const struct timeline *t = v->timeline;
    const char *reason = timeline_string(t, t->calls[failed].message);
    int found = p->steps;
    if (p->done >= p->steps || !strstr(reason, "is NULL"))
        return found;
    for (int k = 0; k < p->done; k++)
        if (p->step[k].block == p->step[p->done].block && is_set(&p->step[k]))
            found = k;
    return found;
}

/* A check of the driver's that only told of an error: the call that had it, which nobody had looked
 * at; ANY: it was no such check. */
static uint32_t told_late(const struct view *v, uint32_t told)
{
    static const char *const asking[] = { "cudaGetLastError", "cudaPeekAtLastError" };
    const struct timeline *t = v->timeline;
    bool asks = false;
    for (uint32_t i = told; told != ANY && i + 1 > 0; i--) {
        const char *name = timeline_string(t, t->calls[i].name);
        bool is_one = strncmp(name, asking[0], strlen(asking[0])) == 0
                      || strncmp(name, asking[1], strlen(asking[1])) == 0;
        asks = asks || (i == told && is_one);
        if (!asks)
            return ANY;
        if (!is_one && t->calls[i].kind != CALL_REPORT
            && t->calls[i].status == t->calls[told].status && t->calls[i].line != 0)
            return i;
    }
    return ANY;
}

/* The program has ended before the part was over: what is to be blamed? */
static bool ended(const struct view *v, const struct played *p, const struct stretch *steps,
                  const char *part, struct finding *f)
{
    const char *text = NULL;
    uint32_t failed = failed_check(v, part, &text);
    expected(f, "all %d calls of the part return", p->steps);
    for (int k = 0; k <= p->done && k < p->steps; k++) {
        int64_t block = p->step[k].block;
        uint64_t bytes = (uint64_t)p->block[block].n;
        if (steps[k].end == 0 || (f->call = too_small(v, steps[k], bytes)) == ANY)
            continue;
        seen(f, "%s of block %d allocates %llu bytes, and the block has %llu",
             op_name(p->step[k].op), (int)block,
             (unsigned long long)v->timeline->calls[f->call].bytes, (unsigned long long)bytes);
        return why(f, "Each side of a block has room for all of it: m->bytes bytes.");
    }
    f->function = p->done < p->steps ? op_name(p->step[p->done].op) : "synced_fini";
    struct want w = wanted_of(p);
    if (p->done < p->steps && p->step[p->done].op == PUSH && w.before != AT_HOST) {
        seen(f, "the program ended in call %d: synced_push() of block %d", p->done + 1,
             (int)p->step[p->done].block);
        f->returns = true;
        return why(f,
                   "This block is not AT_HOST, so there is nothing to send, and synced_push() has to return at once. %s%s",
                   text ? text : "", text ? " failed there." : "");
    }
    f->call = failed;
    f->read = "Two copies and a state";
    if (p->done < p->steps)
        seen(f, "the program ended in call %d: %s of block %d", p->done + 1,
             op_name(p->step[p->done].op), (int)p->step[p->done].block);
    else
        seen(f, "the program ended in synced_fini()");
    int set = failed == ANY ? p->steps : null_after_set(v, p, failed);
    if (set < p->steps) {
        f->call = ANY;
        f->function = op_name(p->step[set].op);
        f->word = p->step[set].op == SET_HOST ? "host" : "device";
        return why(f,
                   "%s failed there, because it was given no memory, and CHECK ended the program. Call %d, %s, was the last to say which "
                   "memory this block has on the %s: is that what m->%s holds?",
                   text, set + 1, op_name(p->step[set].op),
                   p->step[set].op == SET_HOST ? "host" : "device",
                   p->step[set].op == SET_HOST ? "host" : "device");
    }
    uint32_t first = told_late(v, failed);
    if (first != ANY) {
        f->call = first;
        return why(f,
                   "This call had failed, and nothing looked at what it returned. %s told of it later, and CHECK ended the program.",
                   text);
    }
    const char *name =
        failed == ANY ? "" : timeline_string(v->timeline, v->timeline->calls[failed].name);
    int64_t block = p->done < p->steps ? p->step[p->done].block : 0;
    bool gives[] = { strcmp(name, "cudaHostUnregister") == 0 || strcmp(name, "cudaFreeHost") == 0,
                     strcmp(name, "cudaFree") == 0 };
    for (int side = HOST; side <= DEVICE && p->done < p->steps; side++)
        if (gives[side] && blame_claim(f, p, (int)block, side, p->done))
            return false;
    if (p->done < p->steps && is_needless(name, &w)) {
        f->guarded = true;
        if (w.zeros && w.side == HOST)
            return why(f,
                       "%s failed there, and CHECK ended the program. %s() is for memory of the device: zeros on the host are made with memset().",
                       text, name);
        return why(f,
                   "%s failed there, and CHECK ended the program. The block was %s, and %s has no use for a %s() then.",
                   text, head_name((int64_t)w.before), f->function, name);
    }
    if (failed != ANY && p->done < p->steps && (w.takes[HOST] || w.takes[DEVICE])
        && strstr(timeline_string(v->timeline, v->timeline->calls[failed].message), "is NULL")) {
        f->pieces = w.takes[HOST] ? "heap_take" : "cudaMalloc";
        return why(f,
                   "%s failed there, and CHECK ended the program. The block had no memory on the %s yet, and %s is the first to need some.",
                   text, w.takes[HOST] ? "host" : "device", f->function);
    }
    if (failed == ANY)
        return why(f,
                   "No runtime call has failed: does the function end the program itself?");
    return why(f, "%s failed there, and CHECK ended the program.", text);
}

bool judge_own(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct played p = played_of(e, part);
    struct model model[BLOCKS_MAX];
    struct stretch steps[STEPS_MAX], blocks[BLOCKS_MAX];
    stretches_of(v, part, STEP, steps, p.steps);
    bool owed[BLOCKS_MAX][2] = { { false } };
    for (int k = 0; k < p.blocks; k++)
        block_new(&model[k]);
    for (int k = 0; k < p.steps && steps[k].end > 0; k++) {
        int64_t block = p.step[k].block;
        struct want w = block_step(&model[block], &p.step[k]);
        struct scene s = { op_name(p.step[k].op),
                           k,
                           (int)block,
                           { w.gives[HOST], w.gives[DEVICE] },
                           { owed[block][HOST], owed[block][DEVICE] } };
        int given[2] = { 0, 0 };
        if (!look_at(v, &p, steps[k], &s, given, f))
            return false;
        for (int side = HOST; side <= DEVICE; side++)
            owed[block][side] |= w.gives[side] && given[side] == 0;
    }
    stretches_of(v, part, FINI, blocks, p.blocks);
    for (int k = 0; k < p.blocks; k++) {
        struct scene s = {
            "synced_fini()", p.steps, k, { 1, 1 }, { owed[k][HOST], owed[k][DEVICE] }
        };
        if (blocks[k].end > 0 && !look_at(v, &p, blocks[k], &s, (int[2]){ 0, 0 }, f))
            return false;
    }
    if (p.done == p.steps && p.blocks > 0 && blocks[p.blocks - 1].end > 0)
        return true;
    /* What went wrong before says more about it. */
    struct finding before = { .call = ANY };
    if (!judge_states(e, &before, part))
        return true;
    return ended(v, &p, steps, part, f);
}

/* How often memory that the runtime gave for that side goes back in these calls. */
static int frees_in(const struct view *v, struct stretch in, int side)
{
    int count = 0;
    for (size_t call = in.begin; call < in.end; call++) {
        const struct call *c = &v->timeline->calls[call];
        count += c->kind == CALL_FREE && c->dst != 0 && c->status == 0
                 && (c->dst_kind == MEM_PINNED ? HOST : DEVICE) == side;
    }
    return count;
}

/* Were the block's own bytes on a side dropped when the caller's took their place? Says so if a
 * step has freed none of them and nothing has later. */
static bool blame_drop(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct played p = played_of(e, part);
    struct stretch steps[STEPS_MAX], ends[BLOCKS_MAX];
    struct model model[BLOCKS_MAX];
    stretches_of(v, part, STEP, steps, p.steps);
    stretches_of(v, part, FINI, ends, p.blocks);
    for (int k = 0; k < p.blocks; k++)
        block_new(&model[k]);
    for (int k = 0; k < p.done; k++) {
        const struct turn *turn = &p.step[k];
        struct want w = block_step(&model[turn->block], turn);
        int side = turn->op == SET_HOST ? HOST : DEVICE;
        if (!is_set(turn) || !w.gives[side]
            || (side == HOST && !p.block[turn->block].pinned)
            || frees_in(v, steps[k], side) > 0)
            continue;
        int later = frees_in(v, ends[turn->block], side);
        for (int i = k + 1; i < p.done; i++)
            later += p.step[i].block == turn->block ? frees_in(v, steps[i], side) : 0;
        if (later > 0)
            continue;
        f->call = ANY;
        f->function = op_name(turn->op);
        f->word = side == HOST ? "host" : "device";
        f->sure = true;
        return why(f,
                   "Call %d, %s, gave block %d other memory while m->%s held what the block had taken itself, and freed nothing there. "
                   "Whatever the block owns is freed before the pointer is overwritten, with %s().",
                   k + 1, f->function, (int)turn->block, f->word,
                   side == HOST ? "cudaFreeHost" : "cudaFree");
    }
    return false;
}

bool judge_given_back(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    if (!judge_leaks(e, f, part))
        return blame_drop(e, f, part);
    long taken = 0, given = 0;
    for (size_t call = s.first_call; call < s.end_call; call++) {
        taken += label_number(v, call, HEAP_TAKE) >= 0;
        given += label_number(v, call, HEAP_GIVE) >= 0;
    }
    if (taken == given)
        return true;
    expected(f, "everything that part %s allocates is freed", part);
    seen(f, "heap_take() gave %ld pieces of memory, heap_give() got %ld back", taken, given);
    return why(f,
               "A block that is not pinned has its host memory from heap_take(). Give it back with heap_give(), in synced_fini() or "
               "when other memory takes its place.");
}
