/* SPDX-License-Identifier: MIT */
/*
 * (b): what the archive does.
 *
 * DESIGN
 * The caller's script is made here, played by driver.cu and computed here again. All is judged on
 * each machine. How sheets and devices go together is the archive's own affair, so what is counted
 * is what does not depend on it: bytes between host and devices.
 */
#include <stdlib.h>
#include <string.h>

#include "judges.h"

/* ---- the script ---- */

#define MOST_ACROSS 7           /* blends of sheets of two devices */
#define MOST_APART 1            /* by one way of spreading the sheets and by the other */

static void shuffle(struct random *r, int32_t *sheet)
{
    for (int32_t k = 0; k < SHEETS; k++) {
        uint64_t place = random_between(r, 0, (uint64_t)k);
        sheet[k] = sheet[place];
        sheet[place] = k;
    }
}

static void add_step(struct script *s, enum what what, int32_t sheet, int32_t from)
{
    s->step[s->count++] = (struct script_step){ (int32_t)what, sheet, from };
    s->edits += what == EDIT;
    s->shows += what == SHOW;
}

/* Brings a sheet to a place in the order. */
static void bring_to(int32_t *sheet, int place, int32_t which)
{
    for (int k = 0; k < SHEETS; k++)
        if (sheet[k] == which) {
            sheet[k] = sheet[place];
            sheet[place] = which;
            return;
        }
}

/* In each round sheets are edited that are new, that a device has changed, and that have been shown
 * since. One that a device had changed is shown at the end. Then one that has been shown is blended
 * into, and shown again. Last, one that is at the host is blended from, twice, and edited while it
 * may still be on its way. The first sheet and the last are busy at the end: who forgets some, or a
 * device, forgets one of these. The first two are not edited at the beginning of a round, so that
 * no edit happens to wait for a prefetch that archive_begin has put into their streams. */
static void draw_script(struct script *s, struct random *r)
{
    static const int again[] = { 0, 4, 2 };     /* shown, shown, and changed by a device */
    int32_t a[SHEETS], b[SHEETS], edited = 0;
    memset(s, 0, sizeof *s);
    s->n = random_odd(r, 350, 600);
    for (int round = 0; round < ROUNDS; round++) {
        shuffle(r, b);
        add_step(s, BEGIN, 0, 0);
        for (int k = 0; k < (round == 0 ? SHEETS : 3); k++)
            add_step(s, EDIT, edited = round == 0 ? b[k] : a[again[k]],
                     0); /* a: of the round before */
        shuffle(r, a);
        bring_to(a, 1, 0);
        bring_to(a, 3, SHEETS - 1);
        bring_to(a, 5, 1);
        if (round > 0)
            bring_to(a, 7, edited);
        for (int k = 0; k < SHEETS; k++)
            add_step(s, RETOUCH, b[k], 0);
        add_step(s, SHOW, a[5], 0);
        for (int k = 0; k < 4; k++) {
            int32_t from = a[k == 2 ? 0 : 2 * k + 1];
            add_step(s, BLEND, a[2 * k], from);
            add_step(s, RETOUCH, from, 0);
        }
        add_step(s, SHOW, a[4], 0);
        add_step(s, SHOW, a[0], 0);
        add_step(s, SHOW, a[4], 0);
        add_step(s, SHOW, a[7], 0);
        add_step(s, BLEND, a[4], a[0]);
        add_step(s, SHOW, a[4], 0);
        add_step(s, EDIT, a[5], 0);
        add_step(s, BLEND, a[6], a[5]);
        add_step(s, BLEND, a[2], a[5]);
        add_step(s, EDIT, a[5], 0);
        add_step(s, SHOW, a[6], 0);
        add_step(s, END, 0, 0);
    }
}

static int64_t steps_of(const struct script *s, enum what what)
{
    int64_t count = 0;
    for (int64_t k = 0; k < s->count; k++)
        count += s->step[k].what == (int32_t)what;
    return count;
}

/* The device of a sheet, if there are two: every other sheet is at home on the second one, or the
 * second half of them. */
static int32_t home_of(int32_t sheet, bool by_halves)
{
    return by_halves ? sheet / (SHEETS / 2) : sheet % 2;
}

/* How many blends are between sheets of two devices. */
static void count_blends_across(const struct script *s, int *alternating, int *by_halves)
{
    *alternating = *by_halves = 0;
    for (int k = 0; k < s->count; k++) {
        int32_t sheet = s->step[k].sheet, from = s->step[k].from;
        *alternating += s->step[k].what == BLEND && home_of(sheet, false) != home_of(from, false);
        *by_halves += s->step[k].what == BLEND && home_of(sheet, true) != home_of(from, true);
    }
}

/* Are both blends from one device to the other, the same way, and have no sheet in common? */
static bool side_by_side(const struct script_step *a, const struct script_step *b, bool by_halves)
{
    return a->what == BLEND && b->what == BLEND && a->sheet != b->sheet && a->sheet != b->from
           && a->from != b->sheet && a->from != b->from
           && home_of(a->sheet, by_halves) != home_of(a->from, by_halves)
           && home_of(b->sheet, by_halves) != home_of(b->from, by_halves)
           && home_of(a->sheet, by_halves) == home_of(b->sheet, by_halves);
}

/* Are there two such blends with nothing between them that the host waits in? What a device has one
 * of for all its sheets, such as memory for what comes across, is then used by both at once. */
static bool has_side_by_side(const struct script *s, bool by_halves)
{
    for (int first = 0; first < s->count; first++)
        for (int k = first;
             k < s->count && (s->step[k].what == BLEND || s->step[k].what == RETOUCH); k++)
            if (side_by_side(&s->step[first], &s->step[k], by_halves))
                return true;
    return false;
}

/* Is there a device that needs another's sheet in each round? It may keep the memory for it. */
static bool borrows_again(const struct script *s, bool by_halves)
{
    unsigned rounds[2] = { 0, 0 }, round = 0;
    for (int k = 0; k < s->count; k++) {
        int32_t home = home_of(s->step[k].sheet, by_halves);
        if (s->step[k].what == BLEND && home != home_of(s->step[k].from, by_halves))
            rounds[home] |= 1u << round;
        round += s->step[k].what == END;
    }
    const unsigned all = (1u << ROUNDS) - 1;
    return rounds[0] == all || rounds[1] == all;
}

/* The archive chooses where a sheet is at home. Either of the two usual ways has about as much to
 * send between devices, two sheets on their way there at once, and something to send in each round.
 */
void archive_script(struct script *s, struct random *r)
{
    int alternating, by_halves;
    do {
        draw_script(s, r);
        count_blends_across(s, &alternating, &by_halves);
    } while (abs(alternating - by_halves) > MOST_APART || alternating > MOST_ACROSS
             || !has_side_by_side(s, false) || !has_side_by_side(s, true)
             || !borrows_again(s, false) || !borrows_again(s, true));
}

/* ---- the work ---- */

static const char *const kernel_name[] = { "pass", "blend" };
static const char *const function_name[] = { "archive_retouch", "archive_blend" };

bool archive_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct script *script = script_of(e);
    const int64_t wanted[] = { steps_of(script, RETOUCH) * PASS_COUNT, steps_of(script, BLEND) };
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        struct selection s = in_part(v, part, 0), before = { 0, ANY, ANY, 0, s.first_call };
        f->view = view;
        for (int k = 0; k < 2; k++) {
            size_t count;
            uint32_t own = next_kernel(v, before, kernel_name[k], 0),
                     node = kernel_named(v, s, kernel_name[k], &count);
            f->function = function_name[k];
            f->word = kernel_name[k];
            if ((int64_t)count != wanted[k]) {
                int64_t calls = steps_of(script, k == 0 ? RETOUCH : BLEND),
                        each = (int64_t)count % calls == 0 ? (int64_t)count / calls : 0;
                f->call = node != ANY ? v->timeline->spans[node].call : ANY;
                expected(f, "%s() runs %lld times in all", kernel_name[k], (long long)wanted[k]);
                seen(f, "it runs %zu times", count);
                if (each > 0)
                    seen(f, "it runs %zu times, %lld for each call", count, (long long)each);
                return why(
                    f,
                    k == 0
                        ? "Each call of archive_retouch() is PASSES launches of pass(), on the device."
                        : "Each call of archive_blend() is one launch of blend(), on the device.");
            }
            for (; node != ANY; node = next_kernel(v, s, kernel_name[k], node + 1)) {
                f->call = v->timeline->spans[node].call;
                if (own != ANY
                    && v->timeline->spans[node].blocks != v->timeline->spans[own].blocks) {
                    expected(f, "%s() has j->blocks blocks: %u", kernel_name[k],
                             v->timeline->spans[own].blocks);
                    seen(f, "%u", v->timeline->spans[node].blocks);
                    return why(f, "The contract says how many: that many fill a device.");
                }
                if (own != ANY && !has_its_shared(v, f, node, own, "j->shared"))
                    return false;
            }
            f->call = ANY;
        }
    }
    return true;
}

/* Does the program ever give a graph other parameters? */
static bool updates_graphs(const struct view *v)
{
    const struct timeline *t = v->timeline;
    for (size_t i = 0; i < t->call_count; i++) {
        const char *name = timeline_string(t, t->calls[i].name);
        if (t->calls[i].kind == CALL_OTHER && strncmp(name, "cudaGraphExec", 13) == 0
            && (strstr(name, "Set") || strstr(name, "Update")))
            return true;
    }
    return false;
}

/* Is there a graph that retouches two sheets? */
bool archive_has_one_graph(const struct evidence *e, struct finding *f)
{
    const struct view *v = &e->yours[f->view];
    const struct timeline *t = v->timeline;
    enum { MOST_GRAPHS = 256 };
    int32_t sheet_of[MOST_GRAPHS] = { 0 };      /* from 1; 0: none yet */
    if (updates_graphs(v))
        return false;
    for (int k = 0; k < script_of(e)->count; k++) {
        const struct script_step *step = &script_of(e)->step[k];
        struct selection s = calls_in(v, STEP, k, 0);
        for (size_t i = s.first_call; step->what == RETOUCH && i < s.end_call; i++) {
            const struct call *c = &t->calls[i];
            if (c->kind != CALL_GRAPH_LAUNCH || c->src == 0 || c->src >= MOST_GRAPHS)
                continue;
            if (sheet_of[c->src] == 0)
                sheet_of[c->src] = step->sheet + 1;
            if (sheet_of[c->src] == step->sheet + 1)
                continue;
            f->call = (uint32_t)i;
            why(f,
                "The graph that is launched here for sheet %d was launched for sheet %d before, and nothing has changed its nodes: a graph "
                "keeps the addresses with which it was captured, and works on the same memory again. Each sheet needs a graph of its own.",
                step->sheet, sheet_of[c->src] - 1);
            return true;
        }
    }
    return false;
}

/* The step that had given the host what it has touched too early in part (b), with that hazard's
 * operation; NO_NODE, where that is asked for: it was no memory of the host's. False: it is no such
 * hazard. */
static bool touched_too_early(const struct evidence *e, const struct view *v,
                              const struct finding *f, bool of_device, int64_t *step,
                              uint32_t *node)
{
    struct selection s = in_part(v, "b", 0);
    if (!hazard_in_driver(v, f))
        return false;
    const struct call *c = &v->timeline->calls[f->hazard.record];
    *node = f->hazard.node[0];
    if ((of_device ? *node != NO_NODE : *node >= v->timeline->span_count)
        || c->cost <= (int64_t)s.first_call
        || c->cost > (int64_t)s.end_call)
        return false;
    for (size_t k = (size_t)c->cost; k-- > s.first_call;)
        if ((*step = label_number(v, k, STEP)) >= 0)
            return *step < script_of(e)->count;
    return false;
}

/* Of two that touch a sheet, or the table, one may be the caller: it has it from the call before,
 * which did not wait. A wait of that call that is no good has been named. */
void archive_explain(const struct evidence *e, struct finding *f)
{
    const struct view *v = &e->yours[f->view];
    int64_t step;
    uint32_t node;
    bool of_device = strstr(f->why, "which the host cannot reach");
    /* Memory of a device: what is missing is the sheet's way there. */
    if (hazard_is(v, f, HAZARD_UNWRITTEN) && hazard_has(v, f, CALL_LAUNCH)
        && strstr(f->seen, "of cudaMalloc")
        && why_not_brought(e, v, f, (int)script_of(e)->count - 1))
        return;
    if (f->call != ANY && hazard_is(v, f, HAZARD_UNWRITTEN)
        && v->timeline->calls[f->call].kind == CALL_COPY
        && memory_is_of_host(v->timeline->calls[f->call].dst_kind)) {
        why(f,
            "This brings a sheet home, and nothing has put it on the device yet. The first call about a sheet is archive_edit(), and the "
            "caller writes all of it: until then it has no newest version, and there is nothing to copy.");
        return;
    }
    if (!touched_too_early(e, v, f, of_device, &step, &node))
        return;
    struct selection s = calls_in(v, STEP, (int)step, 0);
    int32_t what = script_of(e)->step[step].what;
    if (what == EDIT && !of_device && v->timeline->spans[node].engine == ENGINE_H2D
        && v->timeline->spans[node].call >= s.first_call
        && v->timeline->spans[node].call < s.end_call) {
        f->call = v->timeline->spans[node].call;
        why(f,
            "archive_edit() itself sends the sheet here, and the caller writes it only when archive_edit() has returned. Send it when it is "
            "needed on a device: in the next archive_retouch() or archive_blend().");
        return;
    }
    if (f->call != ANY && f->call >= s.first_call && f->call < s.end_call
        && !is_in_driver(v->timeline, &v->timeline->calls[f->call])
        && v->timeline->calls[f->call].kind != CALL_LABEL)
        return;
    f->call = ANY;
    f->function = what == SHOW ? "archive_show" : what == EDIT ? "archive_edit" : "archive_end";
    f->word = of_device ? "return" : "cudaStreamSynchronize cudaMemcpyAsync return";
    if (of_device) {
        why(f,
            "The caller is on the host, and %s() has given it memory of a device. Return the host's memory of the sheet, after the newest "
            "version has come there.",
            f->function);
        return;
    }
    if (what != SHOW && what != EDIT)
        why(f,
            "The caller writes the table when archive_end() has returned, and nothing has waited for %s. archive_end() waits for all "
            "that was queued in the round, on every device.",
            node_name(v, node).text);
    else
        why(f,
            "The caller has the sheet from %s(), and nothing has waited for %s. archive_show() waits until the sheet has come, and "
            "archive_edit() also until nothing reads the host's copy any more.",
            f->function, node_name(v, node).text);
}

/* ---- the outputs ---- */

/* Bytes of sheets between host and devices, one way; *last: the call of the last such copy. */
static uint64_t copied(const struct view *v, const char *part, enum engine engine, uint32_t *last)
{
    struct selection s = in_part(v, part, ENGINE_BIT(engine));
    uint64_t bytes = 0;
    *last = ANY;
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
        const struct call *c = call_of_node(v, node);
        if (c->kind != CALL_COPY || c->src_kind == MEM_MANAGED || c->dst_kind == MEM_MANAGED)
            continue;
        bytes += v->timeline->spans[node].bytes;
        *last = v->timeline->spans[node].call;
    }
    return bytes;
}

/* Elements that have to come to the host from devices, and that have to go there: what is shown or
 * edited after a device has changed it, and what is worked on after the caller has written it. */
static void count_travels(const struct script *s, uint64_t *home, uint64_t *there)
{
    enum { HOST = 1, DEVICE = 2 } at[SHEETS] = { 0 };
    *home = *there = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const struct script_step *step = &s->step[k];
        bool shown = step->what == EDIT || step->what == SHOW,
             worked = step->what == RETOUCH || step->what == BLEND;
        int32_t read = step->what == BLEND ? step->from : step->sheet;
        *home += shown && at[step->sheet] == DEVICE ? (uint64_t)s->n : 0;
        *there += worked && at[step->sheet] == HOST ? (uint64_t)s->n : 0;
        *there += worked && read != step->sheet && at[read] == HOST ? (uint64_t)s->n : 0;
        if (worked && at[read] == HOST)
            at[read] = HOST | DEVICE;
        if (shown && at[step->sheet] == DEVICE)
            at[step->sheet] = HOST | DEVICE;
        if (step->what == EDIT || worked)
            at[step->sheet] = worked ? DEVICE : HOST;
    }
}

/* Did what was shown come from devices? Where sheets go there by copies, they come back by copies;
 * memory that both sides use needs none. */
static bool sheets_come_home(const struct evidence *e, struct finding *f, const char *part,
                             size_t view)
{
    const struct view *v = &e->yours[view];
    uint64_t home, there;
    uint32_t last;
    count_travels(script_of(e), &home, &there);
    uint64_t mine = copied(v, part, ENGINE_D2H, &last);
    if (mine >= home * sizeof(uint32_t)
        || copied(v, part, ENGINE_H2D, &last) < there * sizeof(uint32_t))
        return true;
    f->view = view;
    f->function = "archive_show";
    f->word = "cudaMemcpyAsync return";
    expected(
        f,
        "sheets that a device has changed come to the host from there when they are shown or edited: %llu bytes",
        (unsigned long long)(home * sizeof(uint32_t)));
    seen(f, "%llu bytes are copied to the host", (unsigned long long)mine);
    return why(
        f,
        "The newest version is the one on the device. Copy it back, and let the host not compute it a second time.");
}

/* The step that shows for the k-th time. */
static int64_t showing(const struct script *s, int64_t k)
{
    int64_t step = 0;
    while (s->step[step].what != SHOW || k-- > 0)
        step++;
    return step;
}

bool archive_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct script *s = script_of(e);
    const int64_t all = s->shows * s->n;
    uint32_t *right = sheets_shown(e, AS_ASKED);
    int64_t wrong = all;
    for (size_t view = 0; view < e->views && wrong == all; view++) {
        const uint32_t *got = exchange_output_of(e->exchange, view, OUT_SHOWN, NULL);
        wrong = 0;
        while (wrong < all && got[wrong] == right[wrong])
            wrong++;
        if (wrong == all) {
            if (sheets_come_home(e, f, part, view))
                continue;
            free(right);
            return false;
        }
        f->view = view;
        f->function = "archive_show";
        f->word = "cudaMemcpyAsync";
        int64_t step = showing(s, wrong / s->n);
        expected(f, "element %lld of sheet %d is %u when it is shown (call %lld of the script)",
                 (long long)(wrong % s->n), s->step[step].sheet, right[wrong], (long long)step);
        seen(f, "%u", got[wrong]);
        if (why_version(e, f, view, wrong, got[wrong], PASSES_DOWN)
            || why_version(e, f, view, wrong, got[wrong], PASSES_FROM_ONE)
            || why_version(e, f, view, wrong, got[wrong], PASSES_ALIKE)
            || why_not_brought(e, &e->yours[view], f, (int)step)
            || why_version(e, f, view, wrong, got[wrong], BLENDS_LOST))
            break;
        why(f,
            "Follow the sheet through the calls before: which of them changed it, on which side, and which side has each later call "
            "used? In a blending `from` stays as it is, and its newest version may be at the host or on another device.");
    }
    free(right);
    return wrong == all && other_sheets_right(e, f);
}

/* ---- the copies ---- */

bool archive_copies(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        f->view = view;
        if (!devices_named(&e->yours[view], in_part(&e->yours[view], part, 0), f))
            return false;
        for (int k = 0; k < 2; k++) {
            enum engine engine = k == 0 ? ENGINE_H2D : ENGINE_D2H;
            uint32_t last;
            uint64_t wanted = copied(&e->reference[view], part, engine, &last),
                     mine = copied(&e->yours[view], part, engine, &last);
            if (mine <= wanted)
                continue;
            f->call = last;
            expected(f, "%llu bytes of sheets are copied to %s in all", (unsigned long long)wanted,
                     k == 0 ? "the devices" : "the host");
            seen(f, "%llu bytes; this is the last of these copies", (unsigned long long)mine);
            return why(
                f,
                k == 0
                    ? "A sheet goes to a device when the caller has edited it, and only then: retouching and blending happen "
                      "where it is, and what another device needs comes from the device that has it."
                    : "A sheet comes to the host when it is shown or edited, and only if it has changed since it last came.");
        }
    }
    return true;
}
