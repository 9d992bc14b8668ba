/* SPDX-License-Identifier: MIT */
/*
 * (c): the batch in launches, and the requests that come meanwhile.
 *
 * DESIGN
 * When a request came is an input, counted from the label CLOCK; when it was
 * answered the driver's labels say. How late that may be is in patience.c, what
 * the batch may take in price.c.
 */
#include "batch.h"

#include <stdio.h>
#include <string.h>

/* ---- the part ---- */

uint32_t batch_next_grind(const struct view *v, const char *part, uint32_t from)
{
    return next_kernel(v, in_part(v, part, 0), "grind", from);
}

int64_t batch_wave(const struct view *v)
{
    return own_span(v, "grind")->blocks;
}

int64_t batch_items(const struct evidence *e, const struct view *v)
{
    return items_of(sizes_of(e), batch_wave(v));
}

/* The call at which the driver's label opens, or from which the arrivals count; ANY for none. */
uint32_t batch_mark(const struct view *v, const char *what, int k)
{
    char text[40];
    size_t first, end;
    snprintf(text, sizeof text, k < 0 ? "%s" : "%s%d", what, k);
    return measure_label(v->timeline, text, &first, &end) ? (uint32_t)first : ANY;
}

int64_t batch_begin(const struct view *v)
{
    return v->timeline->calls[batch_mark(v, CLOCK, -1)].end;
}

int64_t batch_came(const struct evidence *e, const struct view *v, int k)
{
    return batch_begin(v) + arrival_of(sizes_of(e), batch_wave(v), k);
}

/* How much longer request k took. */
int64_t batch_late_by(const struct evidence *e, const struct view *v, const struct view *reference,
                      int k)
{
    return v->timeline->calls[batch_mark(v, HANDED_OUT, k)].begin - batch_came(e, v, k)
           - request_alone(v, reference);
}

/* The copy that brings the answer of request k home; ANY for none. */
uint32_t batch_copy_home(const struct evidence *e, size_t view, const char *part, int k)
{
    const struct view *v = &e->yours[view];
    const struct places *places = exchange_output_of(e->exchange, view, OUT_PLACES, NULL);
    uint64_t from = places->out[k], to = from + (uint64_t)sizes_of(e)->request * sizeof(uint32_t);
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    uint32_t last = ANY;
    EACH_SPAN(node, v, s)
        if (call_of_node(v, node)->dst < to
            && from < call_of_node(v, node)->dst + call_of_node(v, node)->bytes)
            last = node;
    return last;
}

/* The reply() that this copy waits for; ANY for none. */
uint32_t batch_reply_before(const struct view *v, const char *part, uint32_t copy)
{
    uint32_t last = ANY;
    for (uint32_t node = next_kernel(v, in_part(v, part, 0), "reply", 0);
         copy != ANY && node != ANY; node = next_kernel(v, in_part(v, part, 0), "reply", node + 1))
        if (hb_before(v->order, node, copy, GUARANTEED))
            last = node;
    return last;
}

/* What a loop still does in the turn in which it hands the last request out begins that soon. */
#define AT_ONCE_NS 50000

/* The label under which the last of all requests was handed out; ANY: they were not. */
static uint32_t last_handed_out(const struct view *v)
{
    uint32_t last = 0;
    for (int k = 0; k < COMERS; k++) {
        uint32_t out = batch_mark(v, HANDED_OUT, k);
        if (out == ANY)
            return ANY;
        last = out > last ? out : last;
    }
    return last;
}

/* The call that held the host longest in that time: of this thread, or ANY. */
uint32_t batch_held_between(const struct view *v, const char *part, uint32_t thread, int64_t from,
                            int64_t to)
{
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    uint32_t longest = ANY;
    int64_t most = 0;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        int64_t low = c->begin > from ? c->begin : from, high = c->end < to ? c->end : to;
        if (c->kind != CALL_LABEL && c->kind != CALL_PART && (thread == ANY || c->thread == thread)
            && high - low > most) {
            most = high - low;
            longest = (uint32_t)i;
        }
    }
    return longest;
}

/* ---- what was done ---- */

/* Was request_came() called in two threads? Then the driver's list of requests may be in disorder,
 * and what is seen is what came of that: fills in `f`. */
static void explain_threads(const struct view *v, struct finding *f)
{
    const struct timeline *t = v->timeline;
    uint32_t first = ANY;
    for (size_t i = 0; i < t->call_count; i++) {
        if (label_number(v, i, TAKEN) < 0)
            continue;
        first = first == ANY ? (uint32_t)i : first;
        if (t->calls[i].thread == t->calls[first].thread)
            continue;
        f->call = ANY;
        f->function = "grind_all";
        f->word = "request_came";
        f->sure = true;
        expected(f, "request_came() is called in one host thread at a time, as lesson.h says");
        seen(f,
             "two threads called it and took requests, and nothing makes one wait for the other");
        why(f,
            "Two threads that call it at the same moment may get the same request, or half of one. Let one thread ask for requests, or hold a "
            "mutex around request_came().");
        return;
    }
}

void batch_explain(const struct evidence *e, const struct check *c, struct finding *f)
{
    if (strcmp(c->id, "c-hazard") == 0 && hazard_in_driver(&e->yours[f->view], f))
        explain_threads(&e->yours[f->view], f);
}

uint32_t batch_ground(uint32_t x) { return 22695477u * x + 1u; }

/* Of the results, those that one launch has made, or not (times == 0), or that two have. Runs of
 * items, from `first` to `last` the first run; its first item with an element is `has`. */
struct run_of_items {
    int64_t first, last, has, items;
    size_t runs;
};

/* The last of the items that have the elements before that one or end with it, as grind() divides;
 * where there are more items than elements some have none. */
static int64_t item_up_to(int64_t element, int64_t items, int64_t n)
{
    return element < 0 ? -1 : ((element + 1) * items - 1) / n;
}

static struct run_of_items done_so_often(const struct evidence *e, size_t view, uint32_t times)
{
    size_t bytes;
    const uint32_t *in = exchange_input(e->exchange, IN_BATCH, &bytes),
                   *out = exchange_output_of(e->exchange, view, OUT_BATCH, NULL);
    int64_t items = batch_items(e, &e->yours[view]), n = (int64_t)(bytes / sizeof *in), before = -2;
    struct run_of_items r = { .first = -1 };
    for (int64_t i = 0; i < n; i++) {
        if (out[i] != times * batch_ground(in[i]))
            continue;
        int64_t last = item_up_to(i, items, n), first = item_up_to(i - 1, items, n) + 1;
        first = first < last ? first : last;
        r.runs += i != before + 1;
        r.items += i == 0 || item_up_to(i - 1, items, n) != last ? last - first + 1 : 0;
        r.has = r.first < 0 ? last : r.has;
        r.first = r.first < 0 ? first : r.first;
        r.last = r.runs == 1 ? last : r.last;
        before = i;
    }
    return r;
}

/* The launch before which those before it, in the order of the calls, do that many items, and the
 * items that it does; ANY: none. */
static uint32_t launch_after(const struct evidence *e, const struct view *v, const char *part,
                             int64_t items, int64_t *its)
{
    const struct sizes *s = sizes_of(e);
    int64_t done = 0;
    for (uint32_t node = batch_next_grind(v, part, 0); node != ANY;
         node = batch_next_grind(v, part, node + 1)) {
        int64_t cost = declared_cost(v, node);
        if (cost < 0)
            return ANY;         /* a real card */
        if (done >= items)
            return node;
        *its = v->timeline->spans[node].blocks
               * ((cost - setup_of(s, batch_wave(v))) / item_of(s, batch_wave(v)));
        done += *its;
    }
    return ANY;
}

static uint32_t last_grind(const struct view *v, const char *part)
{
    uint32_t last = ANY;
    for (uint32_t node = batch_next_grind(v, part, 0); node != ANY;
         node = batch_next_grind(v, part, node + 1))
        last = node;
    return last;
}

/* Does the host ask for a request when the turn of the loop that queued this launch is over? */
static bool asks_after(const struct view *v, uint32_t launch)
{
    const struct timeline *t = v->timeline;
    int64_t turn = call_of_node(v, launch)->end + AT_ONCE_NS;
    for (size_t i = t->spans[launch].call; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_HOST_WORK && is_in_driver(t, &t->calls[i])
            && t->calls[i].begin > turn)
            return true;
    return false;
}

/* "item 4", "the items 4 to 7, and so on from launch to launch": the runs. */
struct run_text { char text[112]; };

static struct run_text text_of(struct run_of_items r)
{
    struct run_text t;
    const char *more = r.runs > 1 ? ", and so on from launch to launch" : "";
    if (r.first == r.last)
        snprintf(t.text, sizeof t.text, "item %lld%s", (long long)r.first, more);
    else
        snprintf(t.text, sizeof t.text, "the items %lld to %lld%s", (long long)r.first,
                 (long long)r.last, more);
    return t;
}

static bool why_left_out(const struct evidence *e, size_t view, struct finding *f, const char *part,
                         struct run_of_items none)
{
    const struct view *v = &e->yours[view];
    int64_t items = batch_items(e, v), its = 0;
    uint32_t first = batch_next_grind(v, part, 0),
             next = launch_after(e, v, part, none.first, &its);
    f->call = first == ANY ? ANY : v->timeline->spans[first].call;
    if (first == ANY)
        return why(f, "No launch does any item of the batch.");
    if (none.first == 0 && none.items < items)
        return why(f,
                   "The first launch does not begin with item 0: %s never done. Items are counted from 0.",
                   none.last == 0 ? "that one is" : "the first ones are");
    if (none.last == items - 1) {
        uint32_t last = last_grind(v, part), out = last_handed_out(v);
        f->call = v->timeline->spans[last].call;
        int64_t after = out == ANY ? 0 : call_of_node(v, last)->begin - v->timeline->calls[out].end;
        if (out != ANY && after < AT_ONCE_NS
            && v->timeline->spans[last].end + patience_of(sizes_of(e), batch_wave(v))
                   > v->timeline->calls[out].begin) {
            f->call = ANY;
            f->word = "while";
            return why(f,
                       "Item %lld and those after it are left, and no launch came later than the moment when the last request was handed out. Does the loop end "
                       "when all requests are answered? It has to go on until the last item is queued, too.",
                       (long long)none.first);
        }
        return why(f,
                   "Item %lld and those after it are left: they are fewer than a launch does, and none is made for them. The last launch takes "
                   "what is left, with as many blocks as that needs, rounded up.",
                   (long long)none.first);
    }
    if (next != ANY)
        f->call = v->timeline->spans[next].call;
    return why(f,
               "No launch does %s. A launch does as many items as it has blocks, times its last argument, and the next one "
               "has to begin with the item after those. Is what is launched the same as what `first` goes on by?",
               text_of(none).text);
}

bool batch_why_items(const struct evidence *e, size_t view, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[view];
    struct run_of_items none = done_so_often(e, view, 0), twice = done_so_often(e, view, 2);
    if (none.items > 0)
        return !why_left_out(e, view, f, part, none);
    if (twice.items == 0)
        return false;
    int64_t its = 0;
    uint32_t again = launch_after(e, v, part, twice.first + 1, &its), last = last_grind(v, part);
    f->function = "grind_all";
    f->word = "grind";
    f->call = ANY;
    if (twice.runs > 1 && again != ANY)
        f->call = v->timeline->spans[again].call;
    else if (again != ANY && last != ANY && launch_after(e, v, part, INT64_MAX, &its) == ANY
             && its == twice.items)
        f->call = v->timeline->spans[last].call;
    why(f,
        "Done twice: %s. A launch begins with what another one has done. The next launch begins at first + blocks * each, and none comes "
        "after the one that does the last item.",
        text_of(twice).text);
    return true;
}

bool judge_grinds(const struct evidence *e, struct finding *f, const char *part)
{
    const struct sizes *sizes = sizes_of(e);
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        int64_t items = batch_items(e, v), item = item_of(sizes, batch_wave(v)),
                setup = setup_of(sizes, batch_wave(v)), done = 0, rounded_up = 0, largest = 0;
        int64_t of_last = 0;        /* items of a block of the last launch */
        bool known = true;          /* how many items a block does; on a card no kernel says */
        f->view = view;
        f->call = ANY;
        for (uint32_t node = batch_next_grind(v, part, 0); node != ANY;
             node = batch_next_grind(v, part, node + 1)) {
            int64_t cost = declared_cost(v, node),
                    each = cost < 0 ? items : (cost - setup) / item;
            f->call = v->timeline->spans[node].call;
            known = known && cost >= 0;
            if (!has_its_shared(v, f, node, own_launch(v, "grind"), "b->shared"))
                return false;
            if (cost >= 0 && (each < 1 || cost != setup + each * item)) {
                expected(f, "a block of grind() takes setup_ns, and item_ns for each of its items");
                seen(f, "%lld ns", (long long)cost);
                return why(f, "Pass *b to grind() unchanged, and at least 1 as `each`.");
            }
            int64_t its = v->timeline->spans[node].blocks * each;
            of_last = each;
            done += its;
            rounded_up += each - 1;
            largest = its > largest ? its : largest;
        }
        if (done < items) {
            size_t launches;
            kernel_named(v, in_part(v, part, 0), "grind", &launches);
            expected(f, "grind() is launched for all %lld items of the batch", (long long)items);
            seen(f, "%zu %s, for %lld items", launches, launches == 1 ? "launch" : "launches",
                 (long long)done);
            f->function = "grind_all";
            f->word = "grind";
            f->looped = launches == 1 && f->call != ANY ? f->call : 0;
            struct run_of_items none = done_so_often(e, view, 0);
            if (known && none.first <= done && done <= none.has)
                none.first = done;
            if (known && items - done < of_last && none.first == done && none.last == items - 1)
                return why(f,
                           "The %s left over: too few to fill a block, so no block does them. Divide what is left by `each`, rounded up, to "
                           "get the number of blocks, and go on until nothing is left.",
                           items - done == 1 ? "last item is" : "last items are");
            if (none.items > 0)
                return why_left_out(e, view, f, part, none);
            return why(f,
                       "A launch does as many items as it has blocks, times `each`. The next launch begins with the item after "
                       "those, and the last one takes what is left, rounded up to a whole block.");
        }
        if (known && done > items + rounded_up + largest) {
            expected(f, "each of the %lld items of the batch is done once", (long long)items);
            seen(f, "the launches of grind() do %lld items", (long long)done);
            return why(f,
                       "Some are done more than once. Is a launch made twice, or does it begin with items that another one does? The next launch "
                       "begins at first + blocks * each.");
        }
        size_t replies = 0;
        for (uint32_t node = next_kernel(v, in_part(v, part, 0), "reply", 0); node != ANY;
             node = next_kernel(v, in_part(v, part, 0), "reply", node + 1), replies++)
            if (!has_its_shared(v, f, node, own_launch(v, "reply"), "r->shared")) {
                explain_threads(v, f);
                return false;
            }
        f->call = ANY;
        size_t taken = 0;
        while (taken < COMERS && batch_mark(v, TAKEN, (int)taken) != ANY)
            taken++;
        if (replies < taken) {
            expected(f, "each request that was taken goes through reply()");
            seen(f, "%zu %s taken, and reply() was launched %zu times in part (%s)", taken,
                 taken == 1 ? "was" : "were", replies, part);
            f->function = "grind_all";
            f->word = "answer";
            return why(f,
                       "answer() of part (b) does that. Give it each request that request_came() has brought.");
        }
    }
    return true;
}

/* Does the caller know that `node` is done? A host function after it may have told a thread, and no
 * log shows how. */
bool batch_is_known(const struct view *v, uint32_t node, uint32_t call)
{
    if (hb_before_call(v->order, node, v->timeline->calls, call, GUARANTEED))
        return true;
    for (size_t i = 0; i < call; i++)
        if (v->timeline->calls[i].kind == CALL_FUNCTION_BEGIN
            && hb_before(v->order, node, v->timeline->calls[i].node, GUARANTEED))
            return true;
    return false;
}

bool judge_handed(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++)
        for (int k = 0; k < COMERS; k++) {
            const struct view *v = &e->yours[view];
            uint32_t taken = batch_mark(v, TAKEN, k), out = batch_mark(v, HANDED_OUT, k),
                     copy = batch_copy_home(e, view, part, k);
            f->view = view;
            f->function = "grind_all";
            expected(f,
                     "each of the %d requests is handed out, after its answer has reached the host",
                     COMERS);
            uint32_t last = last_grind(v, part);
            if (taken == ANY && last != ANY && !asks_after(v, last)) {
                f->looped = v->timeline->spans[last].call;
                seen(f, "request %d came, and was never taken", k + 1);
                return why(
                    f,
                    "Nothing asked for a request any more after the last launch of grind(), in line %u. Does the loop end when the last item is "
                    "queued? b->requests requests come, and some are late: go on until they are answered, too.",
                    call_of_node(v, last)->line);
            }
            if (out == ANY) {
                f->word = taken == ANY ? "request_came" : "hand_out";
                seen(f,
                     taken == ANY ? "request %d came, and was never taken"
                                  : "request %d was taken, and never handed out",
                     k + 1);
                return why(
                    f,
                    taken == ANY
                        ? "b->requests requests come, and some are late. Go on asking for them when the last launch is "
                          "queued."
                        : "When answer() has returned, the answer is there. Give it to hand_out().");
            }
            f->word = "hand_out";
            if (copy == ANY) {
                seen(f, "nothing was copied to `out` of request %d", k + 1);
                return why(f,
                           "answer() of part (b) copies the answer to the host. Call it before hand_out().");
            }
            if (batch_is_known(v, copy, out))
                continue;
            if (v->timeline->spans[copy].call > out) {
                seen(f,
                     "request %d was handed out before the copy of its answer was queued (line %u)",
                     k + 1, call_of_node(v, copy)->line);
                return why(f,
                           "hand_out() gives away what is in r->out at that moment. Call answer() first, and hand_out() when it has returned.");
            }
            f->call = v->timeline->spans[copy].call;
            seen(f, "nothing had waited for %s when request %d was handed out",
                 node_name(v, copy).text, k + 1);
            return why_unwaited(v, f, copy, out,
                                "The call only queues the copy. The answer is there when a call that waits for it "
                                "has returned, as in answer().");
        }
    /* Where the last request comes when the batch is done, as on the first card, the loop's own
     * questions may see the end; elsewhere they do not. */
    for (f->view = 0; f->view < e->views; f->view++) {
        const struct view *v = &e->yours[f->view];
        if (!all_waited_for(v, f, in_part(v, part, ENGINES_DEVICE),
                            "the batch is done when grind_all() returns",
                            "The last launches are queued, and may still run. Call cudaStreamSynchronize() for each stream that has some, before "
                            "grind_all() returns."))
            return false;
    }
    return true;
}
