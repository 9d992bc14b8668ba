/* SPDX-License-Identifier: MIT */
/*
 * (b): what sheets should be when they are shown, and what is missing where they are not.
 *
 * DESIGN
 * A kernel's arguments are in no log, but a copy's addresses are. In a call about one sheet alone
 * the host's end of a copy is that sheet's memory. The script says when a sheet is changed at which
 * side, and so between which two calls its copy has to come. It may come in any of them.
 */
#include <stdlib.h>
#include <string.h>

#include "judges.h"

uint32_t *sheets_shown(const struct evidence *e, enum version version)
{
    const struct script *s = script_of(e);
    const uint32_t *edit = exchange_input(e->exchange, IN_EDITS, NULL),
                   *table = exchange_input(e->exchange, IN_TABLES, NULL);
    const size_t n = (size_t)s->n;
    uint32_t *sheet = calloc(SHEETS * n, sizeof *sheet),
             *right = calloc((size_t)s->shows * n, sizeof *right), *next = right;
    bool written[SHEETS] = { false };
    if (!sheet || !right)
        abort();
    for (int64_t k = 0; k < s->count; k++) {
        uint32_t *x = sheet + (size_t)s->step[k].sheet * n;
        const uint32_t *from = sheet + (size_t)s->step[k].from * n;
        switch (s->step[k].what) {
        case EDIT:
            for (size_t i = 0; i < n; i++)
                x[i] = written[s->step[k].sheet] ? edited(x[i], edit[i]) : edit[i];
            written[s->step[k].sheet] = true;
            edit += n;
            break;
        case RETOUCH:
            archive_retouched(x, table, s->n, version);
            break;
        case BLEND:
            for (size_t i = 0; version != BLENDS_LOST && i < n; i++)
                x[i] = 3 * x[i] + from[i];
            break;
        case SHOW:
            memcpy(next, x, n * sizeof *x);
            next += n;
            break;
        case END:
            table += TABLE_ELEMENTS;
            break;
        default:
            break;
        }
    }
    free(sheet);
    return right;
}

bool why_version(const struct evidence *e, struct finding *f, size_t view, int64_t wrong,
                 uint32_t got, enum version version)
{
    static const char *const said[] = {
        [PASSES_DOWN] =
            "This is what comes of passes in the other order. archive_retouch() is pass() with k from 0 up: each pass reads what the "
            "one before it has written.",
        [PASSES_FROM_ONE] =
            "This is what comes of passes with k from 1 to PASSES. The first pass has k = 0, and the last one PASSES - 1.",
        [PASSES_ALIKE] =
            "This is what comes of passes that all have k = 0. The first pass of archive_retouch() has k = 0, and each of the others one more "
            "than the one before it.",
        [BLENDS_LOST] =
            "This is what the sheet is without its blendings. blend() changes its first argument, and reads the second: is the first one "
            "the memory of `sheet`, and is that the version that is shown?",
    };
    const struct view *v = &e->yours[view];
    uint32_t *other = sheets_shown(e, version),
             node =
                 next_kernel(v, in_part(v, "b", 0), version == BLENDS_LOST ? "blend" : "pass", 0);
    bool is_that = other[wrong] == got && node != ANY;
    free(other);
    if (!is_that)
        return false;
    f->call = v->timeline->spans[node].call;
    why(f, "%s", said[version]);
    return true;
}

static const char *const function_of[] = {
    [EDIT] = "archive_edit", [RETOUCH] = "archive_retouch",
    [BLEND] = "archive_blend", [SHOW] = "archive_show",
};

static uint64_t host_end(const struct call *c, enum engine way)
{
    return way == ENGINE_H2D ? c->src : c->dst;
}

/* Where the host has that sheet, as the copies in calls about it alone say; 0: not known. */
static uint64_t memory_of(const struct evidence *e, const struct view *v, int32_t sheet)
{
    static const enum engine ways[] = { ENGINE_H2D, ENGINE_D2H };
    const struct script *s = script_of(e);
    for (int k = 0; k < s->count; k++)
        for (int way = 0; way < 2; way++) {
            if (s->step[k].sheet != sheet || s->step[k].what == BLEND || s->step[k].what == BEGIN
                || s->step[k].what == END)
                continue;
            uint32_t node = next_span(v, calls_in(v, STEP, k, ENGINE_BIT(ways[way])), 0);
            if (node != ANY && call_of_node(v, node)->kind == CALL_COPY)
                return host_end(call_of_node(v, node), ways[way]);
        }
    return 0;
}

/* Was that sheet copied that way in the calls of steps [first, last]? */
static bool is_copied(const struct view *v, uint64_t memory, enum engine way, int first, int last)
{
    struct selection s = calls_in(v, STEP, first, ENGINE_BIT(way));
    s.end_call = calls_in(v, STEP, last, 0).end_call;
    EACH_SPAN(node, v, s) {
        const struct call *c = call_of_node(v, node);
        if (c->kind == CALL_COPY && (memory == 0 || host_end(c, way) == memory))
            return true;
    }
    return false;
}

/* A sheet's version that step `used` needs at one side, and that step `changed` made at the other.
 * `again`: a device has had the sheet before. */
struct need { int changed, used; int32_t sheet; enum engine way; bool again; };

/* The needs of the script, in order; the caller frees them. */
static struct need *needs_of(const struct script *s, size_t *count)
{
    int changed[SHEETS] = { 0 };
    bool at_host[SHEETS] = { false }, everywhere[SHEETS] = { false }, known[SHEETS] = { false };
    struct need *list = calloc((size_t)s->count * 2 + 1, sizeof *list);
    *count = 0;
    for (int k = 0; list && k < s->count; k++) {
        const struct script_step *step = &s->step[k];
        bool shown = step->what == EDIT || step->what == SHOW,
             worked = step->what == RETOUCH || step->what == BLEND;
        int32_t used[] = { step->sheet, step->what == BLEND ? step->from : step->sheet };
        for (int i = 0; i < 2 && (shown || worked); i++) {
            int32_t sheet = used[i];
            if ((i == 1 && used[1] == used[0]) || everywhere[sheet] || at_host[sheet] == shown)
                continue;
            if (!shown || changed[sheet] > 0)
                list[(*count)++] = (struct need){ changed[sheet], k, sheet,
                                                  shown ? ENGINE_D2H : ENGINE_H2D,
                                                  known[sheet] };
            everywhere[sheet] = true;
            known[sheet] |= worked;
        }
        if (step->what != EDIT && !worked)
            continue;
        changed[step->sheet] = k;
        at_host[step->sheet] = step->what == EDIT;
        everywhere[step->sheet] = false;
    }
    return list;
}

static bool is_met(const struct evidence *e, const struct view *v, const struct need *n)
{
    return is_copied(v, memory_of(e, v, n->sheet), n->way, n->changed, n->used);
}

/* Does any call of that kind, one that uses a sheet, get what it needs that way? */
static bool any_is_met(const struct evidence *e, const struct view *v, const struct need *list,
                       size_t count, int32_t what, enum engine way)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].way == way && script_of(e)->step[list[i].used].what == what
            && is_met(e, v, &list[i]))
            return true;
    return false;
}

/* Does archive_edit() leave the archive in the belief that a device has the newest version? So it
 * seems where sheets are sent the first time alone: else it is the call that needs the sheet. */
static bool edit_forgets(const struct evidence *e, const struct view *v, const struct need *list,
                         size_t count)
{
    bool first = false, again = false;
    for (size_t i = 0; i < count; i++)
        if (list[i].way == ENGINE_H2D && is_met(e, v, &list[i]))
            *(list[i].again ? &again : &first) = true;
    return first && !again;
}

/* The last launch of that step, of a kernel or a graph; ANY. */
static uint32_t launch_of_step(const struct view *v, int step)
{
    struct selection s = calls_in(v, STEP, step, 0);
    for (size_t i = s.end_call; i-- > s.first_call;) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_GRAPH_LAUNCH || (c->kind == CALL_LAUNCH && !(c->flags & GRAPH_NODE)))
            return (uint32_t)i;
    }
    return ANY;
}

bool why_not_brought(const struct evidence *e, const struct view *v, struct finding *f, int shown)
{
    const struct script_step *steps = script_of(e)->step;
    size_t count;
    struct need *list = needs_of(script_of(e), &count), *missing = NULL;
    for (size_t i = 0; list && i < count && list[i].used <= shown && !missing; i++)
        if (!is_met(e, v, &list[i]))
            missing = &list[i];
    if (missing && missing->way == ENGINE_D2H) {
        bool brings = any_is_met(e, v, list, count, steps[missing->used].what, ENGINE_D2H);
        f->call = brings ? launch_of_step(v, missing->changed) : ANY;
        f->function = brings ? NULL : function_of[steps[missing->used].what];
        f->word = "cudaMemcpyAsync";
        why(f,
            "Call %d of the script, %s(), changes sheet %d on a device, and call %d, %s(), needs it at the host: no copy brings it there in "
            "between. After %s() the newest version is on the device alone, and the archive has to know that%s%s%s.",
            missing->changed, function_of[steps[missing->changed].what], missing->sheet,
            missing->used, function_of[steps[missing->used].what],
            function_of[steps[missing->changed].what], brings ? "" : "; ",
            brings ? "" : function_of[steps[missing->used].what],
            brings ? "" : "() has to bring it home, as it never does");
    } else if (missing) {
        f->call = ANY;
        bool never = !any_is_met(e, v, list, count, RETOUCH, ENGINE_H2D)
                     && !any_is_met(e, v, list, count, BLEND, ENGINE_H2D);
        f->function = never || edit_forgets(e, v, list, count)
                          ? "archive_edit"
                          : function_of[steps[missing->used].what];
        f->word = strcmp(f->function, "archive_edit") == 0 ? "return" : "cudaMemcpyAsync";
        why(f,
            "The caller writes sheet %d after call %d of the script, archive_edit(), and call %d, %s(), needs it on a device: no copy "
            "brings it there in between. After archive_edit() the newest version is at the host alone, and the archive has to know that%s.",
            missing->sheet, missing->changed, missing->used,
            function_of[steps[missing->used].what],
            never ? "; then archive_retouch() and archive_blend() have to send it" : "");
    }
    bool found = missing;
    f->sure |= found;           /* what another machine never comes to is no reason */
    free(list);
    return found;
}
