/* SPDX-License-Identifier: MIT */
/*
 * The moments of (a) are the program's own readings of its clock. A reading
 * taken where the part begins ties that clock to the timeline; what is compared
 * is then a share of the kernel's length, so that it holds on any card.
 */
#include "judges.h"

#define JUST_BEFORE_NS 20000

/* A reading of the program's clock, as a time of the timeline. */
static int64_t moment(const struct evidence *e, const struct scene *s, int64_t reading)
{
    return (int64_t)((uint64_t)reading - (uint64_t)answer_of(e)->part_a)
           + s->t->calls[s->first].end;
}

/* Is that a time at which the program can have read its clock? In the simulator no time passes but
 * in calls, so that each reading is a moment where one begins or ends. */
static bool is_reading(const struct scene *s, int64_t at)
{
    for (size_t k = s->first; k < s->end; k++)
        if (s->t->calls[k].begin == at || s->t->calls[k].end == at)
            return true;
    return s->end < s->t->call_count && s->t->calls[s->end].begin == at;
}

bool moments_read(const struct evidence *e, struct finding *f, const char *part)
{
    const struct answer *a = answer_of(e);
    const struct { const char *name; int64_t reading; } moments[] = {
        { "before", a->before }, { "returned", a->returned }, { "done", a->done },
    };
    struct scene s = launch_scene(&e->yours[0], part);
    int64_t begin = s.t->calls[s.first].end, end = begin;
    for (size_t k = s.first; k < s.end; k++)
        if (s.t->calls[k].end > end)
            end = s.t->calls[k].end;

    for (size_t k = 0; k < sizeof moments / sizeof *moments; k++) {
        int64_t at = moment(e, &s, moments[k].reading);
        bool inside = at >= begin && at - end < s.kernel_busy;
        if (inside && (on_real_card(&e->yours[0]) || is_reading(&s, at)))
            continue;
        f->call = s.launch;
        expected(f, "m->before, m->returned and m->done are what now_ns() returned in part (%s)",
                 part);
        if (moments[k].reading == 0) {
            seen(f, "m->%s is 0", moments[k].name);
            return why(f,
                       "It was not set, or not to the clock's own reading. Store the readings unchanged: the caller computes the "
                       "differences.");
        }
        seen(f, "m->%s is %lld; when the part began now_ns() returned %lld", moments[k].name,
             (long long)moments[k].reading, (long long)a->part_a);
        if (inside) {
            f->call = ANY;
            f->function = "watch_launch";
            f->word = moments[k].name;
            return why(f,
                       "At that moment the program was inside a call and cannot have read the clock. It may be computed, from another reading "
                       "and kernel_ns. Read the clock three times.");
        }
        return why(f,
                   "That is not a time in this part. It may be a difference of two readings, or in another unit. Store what "
                   "now_ns() returned, unchanged.");
    }
    return true;
}

bool moments_returned(const struct evidence *e, struct finding *f, const char *part)
{
    const struct answer *a = answer_of(e);
    struct scene s = launch_scene(&e->yours[0], part);
    const struct call *launch = &s.t->calls[s.launch];
    int64_t before = moment(e, &s, a->before), returned = moment(e, &s, a->returned);
    int64_t held;

    f->call = s.launch;
    expected(f,
             "before and returned are taken right before and after the launch: hardly any of the kernel's length lies between");
    /* There are no delays in the simulator but the program's own. */
    int64_t most = on_real_card(&e->yours[0]) ? s.kernel_busy / 4 : JUST_BEFORE_NS;
    if (before > launch->begin + s.kernel_busy / 50 || before < launch->begin - most) {
        why(f, "Take m->before with now_ns() on the line before the launch.");
        return seen(f, "before was taken %s the launch",
                    before < launch->begin ? "long before" : "after");
    }
    if (returned <= before) {
        why(f,
            "Take m->returned with now_ns() on the line after the launch: the launch itself takes a little time.");
        return seen(f, "returned is not later than before");
    }
    if (returned - launch->end > s.kernel_busy / 4) {
        uint32_t wait = scene_wait(&s, s.launch + 1, s.end, &held);
        seen(f, "returned lies %d %% of the kernel's length after the launch came back",
             scene_percent(returned - launch->end, s.kernel_busy));
        if (wait == ANY || s.t->calls[wait].begin >= returned)
            return why(f,
                       "Something comes between the launch and now_ns(). Take m->returned on the very next line.");
        f->call = wait;
        return why(f,
                   "%s comes between the launch and now_ns(), and waits for the kernel. The launch itself came back long before. "
                   "Take m->returned on the line right after it.",
                   scene_name(&s, wait));
    }
    return true;
}

/* The first call that is bound to have waited for the kernel when it returns; ANY for none. */
static uint32_t first_wait(const struct view *v, const struct scene *s)
{
    uint32_t kernel = next_kernel(v, in_part(v, "a", 0), "scramble", 0);
    for (size_t k = s->launch; kernel != ANY && k < s->end; k++)
        if (hb_before_call(v->order, kernel, s->t->calls, k + 1, GUARANTEED))
            return (uint32_t)k;
    return ANY;
}

/* The host's own work or sleep in the part that took at least half of that time; ANY for none. */
static uint32_t longest_work(const struct scene *s, int64_t ns)
{
    for (size_t k = s->launch; k < s->end; k++)
        if (s->t->calls[k].kind == CALL_HOST_WORK
            && 2 * (s->t->calls[k].end - s->t->calls[k].begin) > ns)
            return (uint32_t)k;
    return ANY;
}

bool moments_done(const struct evidence *e, struct finding *f, const char *part)
{
    const struct answer *a = answer_of(e);
    struct scene s = launch_scene(&e->yours[0], part);
    int64_t late = moment(e, &s, a->done) - s.kernel.end;
    int64_t held;

    f->call = scene_wait(&s, s.launch, s.end, &held);
    expected(f, "done lies at the kernel's end, after a wait");
    if (late < -s.kernel_busy / 50) {
        why(f, "done was read before the program waited. Wait first, then take m->done.");
        return seen(f, "done lies %d %% of the kernel's length before the kernel's end",
                    scene_percent(-late, s.kernel_busy));
    }
    uint32_t waited = first_wait(&e->yours[0], &s);
    if (waited != ANY && !on_real_card(&e->yours[0])
        && moment(e, &s, a->done) < s.t->calls[waited].end) {
        f->call = waited;
        why(f,
            "The kernel may take longer than it was said to, and elapsed time is no wait. Take m->done on the line after this call.");
        return seen(
            f, "done was read before %s, the first call that waits for the kernel, had returned",
            scene_name(&s, waited));
    }
    if (late > s.kernel_busy / 4) {
        uint32_t between = longest_work(&s, late);
        if (between != ANY && waited != ANY && between < waited) {
            f->call = between;
            why(f,
                "%s comes between the launch and the wait, and the kernel ended meanwhile. Wait first: m->done is the moment when the "
                "kernel's end is known.",
                scene_name(&s, between));
        } else {
            why(f,
                "Something else was done before the clock was read. Take m->done on the line right after the wait.");
        }
        return seen(f, "done lies %d %% of the kernel's length after the kernel's end",
                    scene_percent(late, s.kernel_busy));
    }
    return true;
}
