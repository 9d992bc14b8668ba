/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * The k-th develop() and the k-th gather() that were queued are frame k's: the
 * camera brings one frame after the other. A frame may be developed in several
 * launches, as long as all of them have as many blocks as there are tiles.
 */
#include <stdlib.h>
#include <string.h>

#include "judges.h"

/* The last copy of the selection's calls of this thread that it is not bound to have waited for at
 * their end. */
static uint32_t not_waited_for(const struct view *v, struct selection s, uint32_t thread)
{
    const struct timeline *t = v->timeline;
    uint32_t last = ANY;
    for (uint32_t node = next_span(v, s, 0); node != ANY && s.end_call < t->call_count;
         node = next_span(v, s, node + 1))
        if (call_of_node(v, node)->thread == thread
            && !hb_before_call(v->order, node, t->calls, s.end_call, GUARANTEED))
            last = node;
    return last;
}

/* The driver's own launch of develop(), before all others; ANY for none. */
static uint32_t first_develop(const struct view *v)
{
    return next_kernel(v, (struct selection){ 0, ANY, ANY, 0, v->timeline->call_count }, "develop",
                       0);
}

/* Blocks of develop() that run at once: as many as the driver's own launch has. */
static int64_t wave_of(const struct view *v)
{
    uint32_t node = first_develop(v);
    return node == ANY ? 0 : v->timeline->spans[node].blocks;
}

/* Have the blocks of launch `node` as many threads as those of the reference's? */
static bool has_its_threads(const struct evidence *e, struct finding *f, const char *part,
                            const char *kernel, uint32_t node)
{
    const struct view *r = &e->reference[0];
    const struct call *c = call_of_node(r, next_kernel(r, in_part(r, part, 0), kernel, 0));
    return fits_elements(&e->yours[0], f, node, 0,
                         (uint64_t)c->block[0] * c->block[1] * c->block[2]);
}

/* Has each launch of the kernel as many blocks as the reference's? `word` is the contract's for
 * that number. */
static bool has_its_blocks(const struct evidence *e, struct finding *f, const char *part,
                           const char *kernel, const char *word, const char *of)
{
    const struct view *v = &e->yours[0], *r = &e->reference[0];
    uint32_t theirs = next_kernel(r, in_part(r, part, 0), kernel, 0),
             asked = r->timeline->spans[theirs].blocks;
    struct selection s = in_part(v, part, 0);
    for (uint32_t node = next_kernel(v, s, kernel, 0); node != ANY;
         node = next_kernel(v, s, kernel, node + 1)) {
        if (!has_its_threads(e, f, part, kernel, node))
            return false;
        if (v->timeline->spans[node].blocks == asked)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "%s() has %s blocks: %u", kernel, word, asked);
        seen(f, "%u", v->timeline->spans[node].blocks);
        return why(
            f,
            "The contract says how many: with fewer a %s takes longer, with more it leaves less room for others.",
            of);
    }
    return true;
}

bool plant_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    int64_t frames = sizes_of(e)->frames, wanted = frames * tiles_of(sizes_of(e), wave_of(v)),
            blocks = 0;
    for (uint32_t node = next_kernel(v, s, "develop", 0); node != ANY;
         node = next_kernel(v, s, "develop", node + 1)) {
        blocks += v->timeline->spans[node].blocks;
        f->call = v->timeline->spans[node].call;
        if (!has_its_shared(v, f, node, first_develop(v), "j->shared")
            || !has_its_threads(e, f, part, "develop", node))
            return false;
    }
    if (blocks != wanted) {
        expected(f, "develop() is launched with as many blocks as the %lld frames have tiles: %lld",
                 (long long)frames, (long long)wanted);
        seen(f, "%lld blocks", (long long)blocks);
        return why(f, "Each frame goes through develop() once, j->tiles blocks of it.");
    }
    f->call = ANY;
    static const char *const kernels[] = { "gather", "reply" };
    const int64_t times[] = { frames, REQUESTS + 1 }; /* the driver's own; up to the part's end */
    struct selection all = { 0, ANY, ANY, 0, s.end_call };
    for (int k = 0; k < 2; k++) {
        size_t count;
        kernel_named(v, k == 0 ? s : all, kernels[k], &count);
        if ((int64_t)count == times[k])
            continue;
        expected(f, "%s() runs once for each of the %lld %s", kernels[k], (long long)times[k] - k,
                 k == 0 ? "frames" : "requests");
        seen(f, "it runs %zu times", count - (size_t)k);
        return why(
            f,
            "Every frame goes through all three stages and every request through reply(), on the device, each once.");
    }
    return has_its_blocks(e, f, part, "gather", "GATHER_BLOCKS", "frame")
           && has_its_blocks(e, f, part, "reply", "REPLY_BLOCKS", "request");
}

/* Does something guarantee that `after` waits for `before`? Blames what is missing if not. */
static bool ordered(const struct view *v, struct finding *f, uint32_t before, const char *one,
                    uint32_t after, const char *other)
{
    if (hb_before(v->order, before, after, GUARANTEED))
        return true;
    seen(f, "nothing makes it wait");
    return why_unordered(v, f, before, one, after, other, NULL);
}

bool plant_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, 0);
    int64_t tiles = tiles_of(sizes_of(e), wave_of(v));
    uint32_t develop = ANY, gather = ANY;
    for (int64_t k = 0; k < sizes_of(e)->frames; k++) {
        uint32_t earlier = gather;
        gather = next_kernel(v, s, "gather", gather == ANY ? 0 : gather + 1);
        expected(f, "gather() of frame %lld is bound to wait for develop() of that frame",
                 (long long)k);
        for (int64_t blocks = 0; blocks < tiles;) {
            develop = next_kernel(v, s, "develop", develop == ANY ? 0 : develop + 1);
            if (develop == ANY)
                return true;
            blocks += v->timeline->spans[develop].blocks;
            if (!ordered(v, f, develop, "develop()", gather, "gather()"))
                return false;
        }
        expected(f, "gather() of frame %lld is bound to wait for gather() of the frame before",
                 (long long)k);
        if (earlier != ANY && !ordered(v, f, earlier, "the gather() before", gather, "gather()"))
            return false;
    }
    f->expected[0] = '\0';
    return true;
}

bool plant_wait(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    const struct view *v = &e->yours[0];
    for (int k = 0; k < REQUESTS; k++) {
        struct selection s = calls_in(v, REQUEST, k, ENGINE_BIT(ENGINE_D2H));
        uint32_t node = not_waited_for(v, s, v->timeline->calls[s.first_call].thread);
        if (node == ANY)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "plant_answer() returns when `out` is complete");
        seen(f, "request %d: nothing waited for %s", k, node_name(v, node).text);
        return why_unwaited(
            v, f, node, s.end_call,
            "The caller reads `out` on its next line. cudaStreamSynchronize() or cudaEventSynchronize() "
            "comes before that line.");
    }
    const struct answers *a = answers_of(e);
    if (a->at_close >= sizes_of(e)->frames)
        return true;
    expected(f, "plant_close() returns when all %lld pages are sealed",
             (long long)sizes_of(e)->frames);
    seen(f, "%d were, and %d some time later", a->at_close, a->sealed);
    return why(
        f,
        "A stream that has been waited for has called its functions as well; a thread of your own has to be joined.");
}

void plant_explain(const struct evidence *e, const struct check *c, struct finding *f)
{
    const struct timeline *t = e->yours[0].timeline;
    bool follows = c->kind == HAZARD || strcmp(c->id, "b-output") == 0
                   || strcmp(c->id, "b-faults") == 0;
    if (strcmp(c->part, "b") == 0 && !(follows && archive_has_one_graph(e, f))
        && c->kind == HAZARD)
        archive_explain(e, f);
    if (c->kind == HAZARD && strcmp(c->part, "a") == 0
        && (explain_one_place(e, f) || explain_seals(e, f)))
        return;
    if (c->kind == HAZARD && strcmp(c->part, "a") == 0 && f->call != ANY
        && is_in_driver(t, &t->calls[f->call]) && f->hazard.host
        && t->calls[f->call].thread == camera(&e->yours[0]))
        explain_room(e, f);
}

/* What plant_open makes is made before the part. */
bool plant_leaks(const struct evidence *e, struct finding *f, const char *part)
{
    return judge_leaks(e, f, OPENS) && judge_leaks(e, f, part) && other_leaks(e, f, OTHER_PLANT);
}

/* That functions were called in the order of their frames may be luck: is each bound to wait for
 * the one before? */
static bool seals_are_bound(const struct evidence *e, struct finding *f)
{
    const struct view *v = &e->yours[0];
    uint32_t before = ANY, node;
    for (int k = 0; k < sizes_of(e)->frames; k++, before = node) {
        node = function_that_seals(v, k);
        if (before == ANY || node == ANY || hb_before(v->order, before, node, GUARANTEED))
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f,
                 "the function that seals page %d is bound to wait for the one that seals page %d",
                 k, k - 1);
        seen(f, "nothing makes it wait: they are in streams %u and %u",
             v->timeline->spans[node].stream, v->timeline->spans[before].stream);
        return why(
            f,
            "Functions of several streams are called in any order: that these came in the order of their frames was luck. Put "
            "all of them into one stream, or let the stream of each wait for an event that is recorded after the one before.");
    }
    return true;
}

bool plant_sealed(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    const struct answers *a = answers_of(e);
    int frames = (int)sizes_of(e)->frames;
    for (int k = 0; k < frames; k++)
        if (a->order[k] != k + 1) {
            expected(
                f,
                "the pages are sealed one by one, in the order of their frames: page %d comes next",
                k);
            if (a->order[k] == 0)
                seen(f, "no page is sealed after %d of them", k);
            else
                seen(f, "page %d is", a->order[k] - 1);
            if (a->order[k] > 0 && a->order[k] <= k)
                return why(
                    f,
                    "Page %d had been sealed before. Call seal() once for each call of plant_frame().",
                    a->order[k] - 1);
            return why(
                f,
                "Functions of one stream are called in order, those of several streams in any order. Let each wait for the "
                "one before, or put all of them into one stream.");
        }
    if (a->sealed == frames)
        return seals_are_bound(e, f);
    expected(f, "each page is sealed once");
    seen(f, "seal() was called %d times for %d pages", a->sealed, frames);
    return why(f, "Call seal() once for each call of plant_frame().");
}

/* What comes to the host, bytes of the selection's copies back that are bound to come after `node`:
 * a result is home when they make it up. Memory that both sides use, and kernels of the learner's
 * own that write to the host, need no copy: then that is no sign. */
static bool comes_home(const struct view *v, struct finding *f, const char *part,
                       struct selection s, uint32_t node, int64_t elements, const char *what)
{
    const struct timeline *t = v->timeline;
    static const char *const contract[] = { "develop", "gather", "reply" };
    uint64_t home = 0, wanted = (uint64_t)elements * sizeof(uint32_t);
    s.engines = ENGINE_BIT(ENGINE_D2H);
    for (uint32_t copy = next_span(v, s, 0); copy != ANY; copy = next_span(v, s, copy + 1))
        home += hb_before(v->order, node, copy, GUARANTEED) ? t->spans[copy].bytes : 0;
    if (home >= wanted || node == ANY
        || next_span(v, in_part(v, part, ENGINE_BIT(ENGINE_H2D)), 0) == ANY)
        return true;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_MALLOC && t->calls[i].dst_kind == MEM_MANAGED
            && !is_in_driver(t, &t->calls[i]))
            return true;
    struct selection kernels = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    for (uint32_t own = next_span(v, kernels, 0); own != ANY;
         own = next_span(v, kernels, own + 1)) {
        bool known = false;
        for (size_t k = 0; k < sizeof contract / sizeof *contract; k++)
            known = known || strcmp(timeline_string(t, t->spans[own].name), contract[k]) == 0;
        if (!known)
            return true;
    }
    f->call = t->spans[node].call;
    expected(f, "%s comes to the host from the device: %llu bytes", what,
             (unsigned long long)wanted);
    seen(f, "copies back that come after the kernel: %llu bytes", (unsigned long long)home);
    why(f,
        "What the device has computed is used when it has been copied back, with cudaMemcpyAsync(), and not computed a second time on the "
        "host.");
    return false;
}

/* No more is copied, either way, than frames and requests have elements. */
static bool copies_its_own(const struct evidence *e, struct finding *f, const char *part,
                           int64_t frames)
{
    const struct view *v = &e->yours[0];
    uint64_t wanted = (uint64_t)(frames + (REQUESTS - 1) * sizes_of(e)->request) * sizeof(uint32_t);
    for (int back = 0; back < 2; back++) {
        struct selection s = in_part(v, part, ENGINE_BIT(back ? ENGINE_D2H : ENGINE_H2D));
        uint64_t bytes = 0, most = 0;
        for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
            uint64_t mine = v->timeline->spans[node].bytes;
            bytes += mine;
            if (mine > most)
                most = mine, f->call = v->timeline->spans[node].call;
        }
        if (bytes <= wanted)
            continue;
        expected(
            f,
            "frames and requests are copied %s the device as long as they are: %llu bytes in all",
            back ? "from" : "to", (unsigned long long)wanted);
        seen(f, "%llu bytes", (unsigned long long)bytes);
        return why(
            f,
            "j->frame is the length of the longest frame. Each has its own n: n * sizeof(unsigned) bytes.");
    }
    f->call = ANY;
    return true;
}

/* Has the thread that opened this label copied fewer bytes in it, one way, than so many elements
 * have? Then it blames the last of those copies. Other threads' calls are among the label's. */
static bool why_too_short(const struct view *v, struct finding *f, struct selection s,
                          int64_t elements)
{
    const uint64_t wanted = (uint64_t)elements * sizeof(uint32_t);
    for (int back = 0; back < 2; back++) {
        uint64_t sum = 0;
        uint32_t last = ANY;
        s.engines = ENGINE_BIT(back ? ENGINE_D2H : ENGINE_H2D);
        EACH_SPAN(node, v, s)
            if (call_of_node(v, node)->thread == v->timeline->calls[s.first_call].thread) {
                sum += v->timeline->spans[node].bytes;
                last = node;
            }
        if (last == ANY || sum >= wanted)
            continue;
        f->call = v->timeline->spans[last].call;
        f->sure = true;
        why(f,
            "%llu of %llu bytes are copied %s. A copy's size is in bytes: n * sizeof of an element.",
            (unsigned long long)sum, (unsigned long long)wanted, back ? "back" : "to the device");
        return true;
    }
    return false;
}

bool plant_pages(const struct evidence *e, struct finding *f, const char *part)
{
    const struct sizes *sizes = sizes_of(e);
    const uint32_t *in = exchange_input(e->exchange, IN_FRAMES, NULL),
                   *out = exchange_output(e->exchange, OUT_PAGES, NULL);
    uint32_t *total = calloc((size_t)sizes->longest, sizeof *total);
    int64_t wrong = 0, frame = 0, element = 0, all = 0;
    uint32_t wanted = 0;
    bool as_it_came = false;
    for (int64_t k = 0; total && k < sizes->frames; in += sizes->frame[k], k++)
        for (int64_t i = 0; i < sizes->frame[k]; i++) {
            uint32_t before = total[i];
            total[i] = 3 * total[i] + 1664525u * in[i] + 1013904223u;
            if (out[k * sizes->longest + i] != total[i] && !wrong++) {
                as_it_came = out[k * sizes->longest + i] == 3 * before + in[i];
                frame = k;
                element = i;
                wanted = total[i];
            }
        }
    free(total);
    for (int k = 0; !wrong && k < sizes->frames; k++)
        if (answers_of(e)->length[k] != sizes->frame[k]) {
            expected(f, "page %d is sealed with %lld elements, as many as its frame has", k,
                     (long long)sizes->frame[k]);
            seen(f, "with %d", answers_of(e)->length[k]);
            return why(
                f,
                "The third argument of seal() is how many elements of `result` are this page's. Each frame has its own n: keep it with "
                "what the function that seals is given.");
        }
    const struct view *v = &e->yours[0];
    for (int64_t k = 0; k < sizes->frames; k++)
        all += sizes->frame[k];
    if (!wrong)
        return comes_home(v, f, part, in_part(v, part, 0),
                          next_kernel(v, in_part(v, part, 0), "gather", 0), all,
                          "what the pages show")
               && copies_its_own(e, f, part, all) && other_page_right(e, f);
    uint32_t node = next_kernel(v, in_part(v, part, 0), as_it_came ? "develop" : "gather", 0);
    f->call = node == ANY ? ANY : v->timeline->spans[node].call;
    expected(f, "element %lld of page %lld is %u", (long long)element, (long long)frame, wanted);
    seen(f, "%u; %lld elements of all pages are wrong, this is the first",
         out[frame * sizes->longest + element], (long long)wrong);
    if (as_it_came)
        return why(
            f,
            "This is the raw element, added to the total: develop() has left it out. develop() takes n elements, in p->job.tiles tiles.");
    if (why_too_short(v, f, calls_in(v, FRAME, (int)frame, 0), sizes->frame[frame]))
        return false;
    uint32_t again = frame > 0 ? same_place_again(v, (int)frame, ENGINE_D2H) : ANY;
    if (again != ANY) {
        f->call = v->timeline->spans[again].call;
        return why(
            f,
            "This brings frame %lld to the place to which frame %lld was brought, though the two lie in different rooms. Is that where "
            "the function that seals looks for it?",
            (long long)frame, (long long)frame - 1);
    }
    return why(
        f,
        frame == 0
            ? "Does the total begin with zeros, and do both copies and both kernels take all n elements of the frame?"
            : "The first page is right. Does each frame have its own n, and does the total keep what earlier frames "
              "have left in it?");
}

bool plant_answers(const struct evidence *e, struct finding *f, const char *part)
{
    size_t bytes;
    const uint32_t *in = exchange_input(e->exchange, IN_REQUESTS, &bytes),
                   *out = exchange_output(e->exchange, OUT_REQUESTS, NULL);
    int64_t n = (int64_t)(bytes / sizeof *in), wrong = 0, first = 0;
    for (int64_t i = 0; i < n; i++)
        if (out[i] != 5 * in[i] + 1 && !wrong++)
            first = i;
    const struct view *v = &e->yours[0];
    for (int k = 1; !wrong && k < REQUESTS; k++) {
        struct selection s = calls_in(v, REQUEST, k, 0);
        if (!comes_home(v, f, part, s, next_kernel(v, s, "reply", 0), sizes_of(e)->request,
                        "the answer"))
            return false;
    }
    int changed = answers_of(e)->changed;
    if (!wrong && changed) {
        f->function = "plant_answer";
        f->word = "in)";
        expected(f, "`in` is the caller's, and is only read");
        seen(f, "`in` of request %d is no longer what it was", changed - 1);
        return why(f, "The caller may need it once more. What you make belongs in `out`.");
    }
    if (!wrong)
        return other_answer_right(e, f);
    uint32_t node = next_kernel(v, in_part(v, part, 0), "reply", 0);
    f->call = node == ANY ? ANY : v->timeline->spans[node].call;
    expected(f, "element %lld of request %lld is %u", (long long)(first % sizes_of(e)->request),
             (long long)(first / sizes_of(e)->request), 5 * in[first] + 1);
    seen(f, "%u; %lld of %lld elements are wrong", out[first], (long long)wrong, (long long)n);
    struct selection asked =
        calls_in(v, REQUEST, (int)(first / sizes_of(e)->request), 0);
    return !why_too_short(v, f, asked, sizes_of(e)->request)
           && why(f, "Do both copies and reply() take all n elements of the request?");
}
