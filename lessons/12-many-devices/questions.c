/* SPDX-License-Identifier: MIT */
/* What (b) and (c) ask of a run. */
#include <stdio.h>
#include <string.h>

#include "judges.h"

struct selection full_runs(const struct view *v, const char *part, uint32_t engines)
{
    struct selection s = in_part(v, part, engines);
    char label[32];
    size_t first;
    snprintf(label, sizeof label, "%s%d", RUN, 0);
    if (part[0] == 'b')
        measure_label(v->timeline, label, &s.first_call, &first);
    snprintf(label, sizeof label, "%s%d", RUN, RUNS - 1);
    measure_label(v->timeline, part[0] == 'b' ? label : LINE, &first, &s.end_call);
    return s;
}

struct selection small_run(const struct view *v, const char *part, int k, uint32_t engines)
{
    struct selection s = in_part(v, part, engines);
    size_t end = s.end_call;
    for (size_t call = s.first_call; call < end; call++)
        if (label_number(v, call, SMALL) == k) {
            s.first_call = call;
            s.end_call = label_end(v, call);
            return s;
        }
    s.end_call = s.first_call;
    return s;
}

/* The learner's last cudaSetDevice() before a function came back with another device current than
 * it had found: one of those inside a label, or one of the others. ANY: not known. */
static uint32_t changes_device(const struct view *v, struct selection s, bool labelled)
{
    const struct timeline *t = v->timeline;
    uint32_t thread = ANY, found = 0, last = ANY;   /* whose calls these are; the device found */
    bool inside = false, label = false;
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind == CALL_LABEL) {
            label = timeline_string(t, c->name)[0] != '\0';
            continue;
        }
        if (c->line == 0 || (thread != ANY && c->thread != thread && !is_in_driver(t, c)))
            continue;
        if (is_in_driver(t, c)) {
            if (inside && c->thread == thread && c->device != found && last != ANY)
                return last;
            inside = inside && c->thread != thread;
            thread = inside ? thread : ANY;
            continue;
        }
        if (!inside) {
            inside = label == labelled;
            thread = inside ? c->thread : ANY;
            found = c->device;
            last = ANY;
        }
        if (inside && strcmp(timeline_string(t, c->name), "cudaSetDevice") == 0)
            last = (uint32_t)i;
    }
    return ANY;
}

bool current_left(const struct evidence *e, struct finding *f, bool line)
{
    static const char *const names[][3] = { { "team_open()", "team_run()", "team_close()" },
                                            { "line_open()", "line_run()", "line_close()" } };
    const char *const *name = names[line];
    for (size_t view = 0; view < e->views; view++)
        for (int k = 0; k < 3; k++) {
            const struct answers *a = answers_of(e, view);
            if (!((line ? a->line_left : a->team_left) & 1 << k))
                continue;
            f->view = view;
            expected(f, "the current device is the caller's: after %s it is the same as before",
                     name[k]);
            seen(f, "%s returned with another device current", name[k]);
            f->function = name[k];
            f->word = "cudaGetDevice";
            f->call = changes_device(&e->yours[view],
                                     in_part(&e->yours[view], line ? "c" : "b", 0), k == 1);
            if (f->call != ANY)
                return why(f,
                           "This is its last cudaSetDevice(), and another device was current when it was called: the caller's next "
                           "work would go to a device that it has not chosen. Ask cudaGetDevice(&before) before any "
                           "cudaSetDevice(), and set that device again at the end, whichever it is: cudaSetDevice(before).");
            return why(f,
                       "The caller's next work would go to a device that it has not chosen. Ask cudaGetDevice() at the beginning, "
                       "before any cudaSetDevice(), and set that device again at the end, whichever it is: cudaSetDevice(before).");
        }
    return true;
}

uint32_t maker_of(const struct view *v, uint32_t node)
{
    const struct timeline *t = v->timeline;
    const struct call *made = timeline_stream_made(t, t->spans[node].stream);
    return made && made->line != 0 ? (uint32_t)(made - t->calls) : t->spans[node].call;
}

bool together(const struct evidence *e, size_t view, const char *part, struct finding *f)
{
    const struct view *v = &e->yours[view], *reference = &e->reference[view];
    unsigned mine = average_width(v, full_runs(v, part, ENGINE_BIT(ENGINE_KERNEL)));
    unsigned theirs =
        average_width(reference, full_runs(reference, part, ENGINE_BIT(ENGINE_KERNEL)));
    unsigned asked = devices_of(v) > 2 ? SEVERAL_PERMILLE : TOGETHER_PERMILLE;
    if (mine * 1000 >= theirs * share_asked(v, asked))
        return true;
    f->view = view;
    expected(f, "the devices work at the same time");
    return seen(f,
                "from the first kernel to the last %u.%02u devices are at work on average (%u.%02u in the reference solution)",
                mine / 1000, mine % 1000 / 10, theirs / 1000, theirs % 1000 / 10);
}
