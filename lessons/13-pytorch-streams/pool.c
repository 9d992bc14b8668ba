/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Kernels' arguments are in no log: the k-th block that is taken, the k-th
 * fill() and the k-th audit() that are queued are batch k's. A block is given
 * back by the next cudaFreeAsync() of its address, since the pool hands the
 * same address out again.
 */
#include "judges.h"

static struct selection in_audit(const struct view *v)
{
    return in_label(v, AUDIT, -1, 0);
}

/* The next call from `from` on that takes a block from the pool; ANY for none. */
static uint32_t next_take(const struct view *v, struct selection s, size_t from)
{
    for (size_t i = from < s.first_call ? s.first_call : from; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_MALLOC && c->status == 0 && (c->flags & CALL_ASYNC))
            return (uint32_t)i;
    }
    return ANY;
}

/* Where the block that `take` took is given back; ANY: nowhere. */
static uint32_t give_back(const struct view *v, struct selection s, uint32_t take)
{
    for (size_t i = take + 1; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_FREE && c->status == 0 && c->dst == v->timeline->calls[take].dst)
            return (uint32_t)i;
    }
    return ANY;
}

bool pool_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_audit(v);
    int64_t blocks = sizes_of(e)->blocks, taken = 0;
    uint32_t mark = kernel_named(v, in_part(v, part, 0), "behind", NULL);
    const struct { const char *name, *stream; uint32_t number; } kernels[] = {
        { "fill", "current", legacy_stream(v) },
        { "audit", "side", mark == ANY ? ANY : v->timeline->spans[mark].stream },
    };
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        size_t count;
        uint32_t stray = ANY;
        kernel_named(v, s, kernels[k].name, &count);
        EACH_KERNEL(node, v, s, kernels[k].name)
            if (v->timeline->spans[node].stream != kernels[k].number && stray == ANY)
                stray = node;
        if (count == (size_t)blocks && stray == ANY)
            continue;
        blame_count(v, f, s, kernels[k].name, "audit_all");
        if (stray != ANY)
            f->call = v->timeline->spans[stray].call;
        expected(f, "%s() runs once for each of the %lld batches, in `%s`", kernels[k].name,
                 (long long)blocks, kernels[k].stream);
        if (stray == ANY)
            seen(f, "it ran %zu times", count);
        else
            seen(f, "this one is in another stream");
        if (stray == ANY)
            return why(f,
                       "Each batch is filled once and audited once: how many turns does the loop make, and does each come as far as %s()?",
                       kernels[k].name);
        return why(f,
                   "The stream is the fourth parameter of a launch: fill<<<…, current>>>, audit<<<…, side>>>.");
    }
    if (!in_given_stream(v, f, OTHER_AUDIT, "fill", "ahead", "current")
        || !in_given_stream(v, f, OTHER_AUDIT, "audit", "behind", "side"))
        return false;
    for (uint32_t take = next_take(v, s, 0); take != ANY; take = next_take(v, s, take + 1))
        taken++;
    if (taken == blocks)
        return true;
    f->call = next_take(v, s, 0);
    f->function = "audit_all";
    f->word = "cudaMallocAsync";
    expected(f, "each of the %lld batches gets a block of its own from the pool",
             (long long)blocks);
    seen(f, "cudaMallocAsync() was called %lld times", (long long)taken);
    for (size_t i = s.first_call; i < s.end_call && taken == 0; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind != CALL_MALLOC || c->status != 0)
            continue;
        f->call = (uint32_t)i;
        return why(f,
                   "This block is not from the pool, and %s() is not work in a stream. Memory of this kind is given back by a call that "
                   "waits for the whole device. Call cudaMallocAsync() in `current`, and cudaFreeAsync() after the audit().",
                   timeline_string(v->timeline, c->name));
    }
    return why(f,
               "A tensor created in a loop is a new one each time. Call cudaMallocAsync() once for each batch. The pool decides "
               "whether to reuse bytes.");
}

typedef bool judge_batch(const struct view *v, struct finding *f, struct selection s, int k,
                         uint32_t take, uint32_t fill, uint32_t audit);

/* Calls `judge` with take, fill and audit of each batch. */
static bool each_batch(const struct evidence *e, struct finding *f, struct selection s,
                       judge_batch *judge)
{
    const struct view *v = &e->yours[0];
    uint32_t take = next_take(v, s, 0), fill = next_kernel(v, s, "fill", 0),
             audit = next_kernel(v, s, "audit", 0);
    for (int k = 0; take != ANY && fill != ANY && audit != ANY; k++) {
        if (!judge(v, f, s, k, take, fill, audit))
            return false;
        take = next_take(v, s, take + 1);
        fill = next_kernel(v, s, "fill", fill + 1);
        audit = next_kernel(v, s, "audit", audit + 1);
    }
    return true;
}

/* Likewise, of all runs. */
static bool each_run(const struct evidence *e, struct finding *f, judge_batch *judge)
{
    const struct view *v = &e->yours[0];
    bool right = each_batch(e, f, in_audit(v), judge);
    for (int run = 0; run < OTHER_RUNS && right; run++)
        right = each_batch(e, f, in_label(v, OTHER_AUDIT, run, 0), judge)
                || seen_in_other(f, run);
    return right;
}

static bool made(const struct view *v, struct finding *f, struct selection s, int k, uint32_t take,
                 uint32_t fill, uint32_t audit)
{
    (void)s;
    uint32_t taken = v->timeline->calls[take].node;
    if (taken != NO_NODE && !hb_before(v->order, taken, fill, GUARANTEED)) {
        f->call = take;
        expected(f, "fill() of batch %d is bound to come after the cudaMallocAsync() of its block",
                 k);
        seen(f, "nothing makes %s wait for the cudaMallocAsync() of line %u",
             node_name(v, fill).text, v->timeline->calls[take].line);
        return why_unordered(
            v, f, taken, "cudaMallocAsync()", fill, "fill()",
            "The block may be used from that point in its stream on. Allocate it in `current`, where it is filled.");
    }
    if (hb_before(v->order, fill, audit, GUARANTEED))
        return true;
    f->call = v->timeline->spans[audit].call;
    expected(f, "audit() of batch %d is bound to wait for fill() of that batch", k);
    seen(f, "nothing makes it wait");
    return why_unordered(v, f, fill, "fill()", audit, "audit()", NO_WAIT, "fill()", "audit()");
}

bool pool_made(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return each_run(e, f, made);
}

static bool back(const struct view *v, struct finding *f, struct selection s, int k, uint32_t take,
                 uint32_t fill, uint32_t audit)
{
    const struct timeline *t = v->timeline;
    uint32_t free = give_back(v, s, take);
    (void)fill;
    if (free == ANY)
        return true;                            /* the leak is another check's */
    uint32_t node = t->calls[free].node;
    if (node == NO_NODE ? hb_before_call(v->order, audit, t->calls, free, GUARANTEED)
                        : hb_before(v->order, audit, node, GUARANTEED))
        return true;
    f->call = free;
    expected(f, "the block of batch %d is freed after its audit()", k);
    seen(f, "nothing makes the %s of line %u wait for %s",
         node == NO_NODE ? "cudaFree()" : "cudaFreeAsync()", t->calls[free].line,
         node_name(v, audit).text);
    if (node == NO_NODE)
        return why_unwaited(v, f, audit, free,
                            "cudaFree() of memory from a pool gives it back at once. Free the block in `side`, after audit(): "
                            "cudaFreeAsync().");
    return why_unordered(
        v, f, audit, "audit()", node, "cudaFreeAsync()",
        "cudaFreeAsync() takes its turn in its stream, and this stream does not know that `side` still reads. The next "
        "block allocated here gets the same bytes. Free the block in `side`, after audit(), or after this stream has "
        "waited for an event recorded after audit(). That is what record_stream() does.");
}

bool pool_back(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    return each_run(e, f, back);
}

bool pool_host(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    (void)part;
    bool right = only_queues(v, in_audit(v), f, "audit_all()");
    for (int run = 0; run < OTHER_RUNS && right; run++)
        right = only_queues(v, in_label(v, OTHER_AUDIT, run, 0), f, "audit_all()");
    return right;
}

/* The sums of one run. */
static bool summed(const struct evidence *e, struct finding *f, struct selection s,
                   const uint32_t *sums, int64_t n, int64_t blocks)
{
    const uint32_t *data = exchange_input(e->exchange, IN_DATA, NULL);
    const struct view *v = &e->yours[0];
    for (int64_t k = 0; k < blocks; k++) {
        uint32_t sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += data[k * n + i] ^ data[k * n + i] >> 9;
        if (sums[k] == sum)
            continue;
        f->call = call_number(v, kernel_named(v, s, "audit", NULL));
        expected(f, "the sum of batch %lld of %lld is %u", (long long)k, (long long)blocks, sum);
        seen(f, "%u", sums[k]);
        return why(f,
                   "fill(block, data + k * n, n), then audit(&sums[k], block, n): all n elements of batch k, and its own sum.");
    }
    return true;
}

bool pool_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct sizes *sizes = sizes_of(e);
    const uint32_t *more = exchange_output(e->exchange, OUT_MORE, NULL);
    (void)part;
    bool right = summed(e, f, in_audit(v), exchange_output(e->exchange, OUT_SUMS, NULL),
                        sizes->block, sizes->blocks);
    for (int run = 0; run < OTHER_RUNS && right; run++) {
        struct selection s = in_label(v, OTHER_AUDIT, run, 0);
        right = summed(e, f, s, more + count_before(sizes->blocks, run), sizes->few,
                       count_of_other(sizes->blocks, run))
                && takes_what_is_asked(v, f, s, (uint64_t)sizes->few * sizeof(uint32_t));
    }
    return right;
}

bool pool_beside(const struct evidence *e, struct finding *f, const char *part)
{
    struct which filled = { ENGINE_KERNEL, "fill" }, audited = { ENGINE_KERNEL, "audit" };
    if (beside_as_reference(e, f, part, filled, audited, "fill()"))
        return true;
    expected(f, "`current` fills the next block while `side` audits");
    const struct view *v = &e->yours[f->view];
    f->call = blocking_stream(v, in_audit(v));
    if (f->call != ANY)
        return why(f,
                   "This is a blocking stream: it and the legacy default stream, which is `current`, wait for each other. Make it "
                   "with cudaStreamCreateWithFlags() and cudaStreamNonBlocking.");
    for (uint32_t take = next_take(v, in_audit(v), 0); take != ANY;
         take = next_take(v, in_audit(v), take + 1)) {
        const struct call *c = &v->timeline->calls[take];
        if (c->stream == legacy_stream(v))
            continue;
        f->call = take;
        return why(f,
                   "This allocates the block in a stream other than `current`. The block may be used only when that stream has reached this call, "
                   "so all that is ahead of it there, even the audit() of the batch before, comes before fill(). Allocate in `current`, where the block is "
                   "filled.");
    }
    /* A wait behind the last fill() holds none up. */
    uint32_t last = ANY;
    EACH_KERNEL(node, v, in_audit(v), "fill")
        last = v->timeline->spans[node].call;
    f->call = last_stream_wait(v, in_audit(v), legacy_stream(v), last);
    f->function = "audit_all";
    if (f->call == ANY)
        return why(f,
                   "fill() and audit() take turns. What does each of them wait for: is audit() in `side`, and each block one of its own?");
    return why(f,
               "`current` waits for `side` here before it goes on, and need not. Free the block in `side`, or let `current` wait "
               "for the audit of an earlier batch, two or three back.");
}

/* Where the first of the blocks is given back that are allocated before call `end` and not freed by
 * then; ANY: nowhere. */
static uint32_t first_back(const struct view *v, struct selection s, size_t end)
{
    for (uint32_t take = next_take(v, s, 0); take != ANY && take < end;
         take = next_take(v, s, take + 1)) {
        uint32_t back = give_back(v, s, take);
        if (back == ANY || back > end)
            return back;
    }
    return ANY;
}

static bool few_are_out(const struct view *v, struct finding *f, struct selection s)
{
    int taken = 0;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if ((c->kind != CALL_MALLOC && c->kind != CALL_FREE) || c->status != 0 || c->dst == 0)
            continue;
        taken += c->kind == CALL_MALLOC ? 1 : -1;
        if (taken <= MOST_BLOCKS)
            continue;
        f->call = (uint32_t)i;
        expected(f, "at most %d blocks are allocated at a time", MOST_BLOCKS);
        seen(f, "this takes one more");
        uint32_t back = first_back(v, s, i);
        bool in_loop = back != ANY && next_take(v, s, back + 1) != ANY;
        if (in_loop && back > i)
            return why(f,
                       "The first of the blocks that are out is freed in line %u, in the loop, but only after this cudaMallocAsync(). Free it "
                       "before: a turn earlier, or above the allocation.",
                       v->timeline->calls[back].line);
        return why(f,
                   "If you keep all tensors until the end you need no record_stream(), but memory for all of them. Call "
                   "cudaFreeAsync() in the loop. It is queued like the rest, and the host need not wait for it.");
    }
    return true;
}

bool pool_few(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    (void)part;
    bool right = few_are_out(v, f, in_audit(v));
    for (int run = 0; run < OTHER_RUNS && right; run++)
        right = few_are_out(v, f, in_label(v, OTHER_AUDIT, run, 0));
    return right;
}
