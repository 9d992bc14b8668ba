/* SPDX-License-Identifier: MIT */
/*
 * The moments of (a) are the program's own readings of its clock. A reading
 * taken where the part begins ties that clock to the timeline; what is compared
 * is then a share of the kernel's length, so that it holds on any card.
 */
#include "judges.h"

/* A reading of the program's clock, as a time of the timeline. */
static int64_t moment(const struct evidence *e, const struct scene *s, int64_t reading)
{
    return (int64_t)((uint64_t)reading - (uint64_t)answer_of(e)->part_a)
           + s->t->calls[s->first].end;
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
        if (at >= begin && at - end < s.kernel_busy)
            continue;
        f->call = s.launch;
        expected(f, "m->before, m->returned and m->done are what now_ns() returned in part (%s)",
                 part);
        if (moments[k].reading == 0) {
            seen(f, "m->%s is 0", moments[k].name);
            return why(
                f,
                "It was not set, or not to the clock's own reading. Store the readings unchanged: the caller computes the "
                "differences.");
        }
        seen(f, "m->%s is %lld; when the part began now_ns() returned %lld", moments[k].name,
             (long long)moments[k].reading, (long long)a->part_a);
        return why(
            f,
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
    expected(
        f,
        "before and returned are taken right before and after the launch: hardly any of the kernel's length lies between");
    if (before > launch->begin + s.kernel_busy / 50 || before < launch->begin - s.kernel_busy / 4) {
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
            return why(
                f,
                "Something comes between the launch and now_ns(). Take m->returned on the very next line.");
        f->call = wait;
        return why(
            f,
            "%s comes between the launch and now_ns(), and waits for the kernel. The launch itself came back long before. "
            "Take m->returned on the line right after it.",
            scene_name(&s, wait));
    }
    return true;
}

bool moments_done(const struct evidence *e, struct finding *f, const char *part)
{
    const struct answer *a = answer_of(e);
    struct scene s = launch_scene(&e->yours[0], part);
    int64_t late = moment(e, &s, a->done) - s.kernel.end;
    int64_t held;

    f->call = scene_wait(&s, s.launch, s.end, &held);
    expected(f, "done lies at the kernel's end");
    if (late < -s.kernel_busy / 50) {
        why(f, "done was read before the program waited. Wait first, then take m->done.");
        return seen(f, "done lies %d %% of the kernel's length before the kernel's end",
                    scene_percent(-late, s.kernel_busy));
    }
    if (late > s.kernel_busy / 4) {
        why(f,
            "Something else was done before the clock was read. Take m->done on the line right after the wait.");
        return seen(f, "done lies %d %% of the kernel's length after the kernel's end",
                    scene_percent(late, s.kernel_busy));
    }
    return true;
}
