/* SPDX-License-Identifier: MIT */
/* (b): did the host compute while the kernel ran, and read what was there? */
#include "judges.h"

#include <string.h>

#define OVERLAP_PERMILLE 1150   /* of the longer of kernel and host work */

/* `beside`: what of it was done while the kernel ran. */
struct host_work { uint32_t first, last; unsigned calls; int64_t begin, end, ns, beside; };

static struct host_work host_work_of(const struct scene *s)
{
    struct host_work w = { .first = ANY, .last = ANY };
    for (size_t k = s->first; k < s->end; k++) {
        const struct call *c = &s->t->calls[k];
        if (c->kind != CALL_HOST_WORK || strcmp(scene_name(s, (uint32_t)k), "host_work") != 0)
            continue;
        if (w.first == ANY) {
            w.first = (uint32_t)k;
            w.begin = c->begin;
        }
        w.last = (uint32_t)k;
        w.calls++;
        w.end = c->end;
        w.ns += c->end - c->begin;
        int64_t both = (s->kernel.end < c->end ? s->kernel.end : c->end)
                       - (s->kernel.start > c->begin ? s->kernel.start : c->begin);
        w.beside += both > 0 ? both : 0;
    }
    return w;
}

static bool is_all(const struct host_work *w, int64_t ns)
{
    return w->ns >= ns * 99 / 100 && w->ns <= ns * 11 / 10;
}

#define PIECES \
    "Pieces are as good as one call if their arguments add up to host_ns. If your loop runs until the device is done, they do not: " \
    "the number of pieces then depends on the device."

static bool work_again(const struct evidence *e, struct finding *f, const char *part, int64_t ns)
{
    struct scene s = launch_scene(&e->yours[0], part);
    struct host_work w = host_work_of(&s);

    if (!part_ran(&e->yours[0], part) || is_all(&w, ns))
        return true;
    f->call = w.last;
    expected(f,
             "called again, where the kernel takes %s than the host's work, host_work() is called for host_ns in all: %lld ns",
             task_of(e)->b_kernel_ns / 4 > ns ? "longer" : "less", (long long)ns);
    if (w.first == ANY) {
        why(f, SECOND_CALL);
        f->function = "work_meanwhile";
        f->word = "host_work";
        return seen(f, "it was not called");
    }
    why(f, w.calls > 1
               ? PIECES
               : "host_ns is another one in each call. Pass it to host_work() as it is given.");
    return seen(f, "the host worked for %lld ns, in %u call%s", (long long)w.ns, w.calls,
                w.calls > 1 ? "s" : "");
}

bool meanwhile_work(const struct evidence *e, struct finding *f, const char *part)
{
    int64_t ns = task_of(e)->b_host_ns;
    struct scene s = launch_scene(&e->yours[0], part);
    struct host_work w = host_work_of(&s);

    expected(f, "host_work() is called for host_ns in all: %lld ns", (long long)ns);
    f->call = w.first;
    if (w.first == ANY) {
        why(f, "The host has work of its own in this part. Call host_work(host_ns).");
        return seen(f, "it was not called in part (b)");
    }
    if (!is_all(&w, ns)) {
        uint32_t whole = ANY, extra = ANY;
        for (size_t k = s.first; k < s.end; k++) {
            const struct call *c = &s.t->calls[k];
            if (c->kind != CALL_HOST_WORK || strcmp(scene_name(&s, (uint32_t)k), "host_work") != 0)
                continue;
            if (whole == ANY && c->end - c->begin == ns)
                whole = (uint32_t)k;
            else
                extra = (uint32_t)k;
        }
        if (whole != ANY && extra != ANY) {
            f->call = extra;
            why(f, "host_work(host_ns) is called in line %u, and this call adds to it.",
                s.t->calls[whole].line);
            return seen(f, "the host worked for %lld ns", (long long)w.ns);
        }
        if (w.calls > 1) {
            why(f, PIECES);
            return seen(f, "the host worked for %lld ns, in %u calls", (long long)w.ns, w.calls);
        }
        why(f,
            "host_ns is in nanoseconds, and so is the argument of host_work(). Pass it unchanged.");
        return seen(f, "the host worked for %lld ns", (long long)w.ns);
    }
    return work_again(e, f, AGAIN "b", task_of(e)->again_host_ns)
           && work_again(e, f, LATER "b", task_of(e)->later_host_ns);
}

bool meanwhile_overlap(const struct evidence *e, struct finding *f, const char *part)
{
    struct scene s = launch_scene(&e->yours[0], part);
    struct host_work w = host_work_of(&s);
    int64_t begin = s.t->calls[s.launch].begin < w.begin ? s.t->calls[s.launch].begin : w.begin;
    int64_t total = (s.device_end > w.end ? s.device_end : w.end) - begin;
    int64_t longer = s.kernel_busy > w.ns ? s.kernel_busy : w.ns;
    int64_t held;

    unsigned asked = time_asked(&e->yours[0], OVERLAP_PERMILLE);
    const struct call *first = &s.t->calls[w.first], *launch = &s.t->calls[s.launch];
    bool early = first->thread == launch->thread && first->begin < launch->begin
                 && (first->end - first->begin) * 100 > w.ns;
    if (total * 1000 <= longer * asked && early) {
        f->call = w.first;
        f->sure = true;
        expected(f, "the kernel is queued before host_work() begins");
        seen(f, "at least %d %% of the host's work is done before the launch",
             scene_percent(first->end - first->begin, w.ns));
        return why(f,
                   "The device has nothing to do meanwhile. Here the time is still within the limit; with a longer kernel all of that time is lost. "
                   "Launch first, then work.");
    }
    if (total * 1000 <= longer * asked)
        return true;
    expected(f, "kernel and host_work() together take at most %u.%02u times the longer of the two",
             asked / 1000, asked / 10 % 100);
    seen(f, "they took %lld.%02lld times the longer: %d %% of the kernel ran while the host worked",
         (long long)(total / longer), (long long)(total * 100 / longer % 100),
         scene_percent(w.beside, s.kernel_busy));
    f->call = w.first;
    if (w.begin < s.t->calls[s.launch].begin)
        return why(f,
                   "host_work() was called before the launch, while the device had nothing to do. Launch first, then work.");
    uint32_t wait = scene_wait(&s, s.launch, w.first, &held), between = ANY;
    if (wait == ANY && w.first != w.last)
        between = scene_wait(&s, w.first, w.last, &held);
    if (between != ANY) {
        f->call = w.last;
        f->sure = true;
        return why(f,
                   "This part of the work comes after %s of line %u, which held the host for %d %% of the kernel's length. Do all of the work before it.",
                   scene_name(&s, between), s.t->calls[between].line,
                   scene_percent(held, s.kernel_busy));
    }
    if (wait == ANY)
        return why(f, "Call host_work() right after the kernel and the copy are queued.");
    f->call = wait;
    f->sure = true;
    bool copy = s.t->calls[wait].kind == CALL_COPY;
    if (copy && s.t->calls[wait].flags & CALL_ASYNC)
        return why(f,
                   "%s comes between the launch and host_work() and held the host for %d %% of the kernel's length, although its name says "
                   "Async: it copies to pageable memory. Copy to `result`, which is page-locked, or make the copy after host_work().",
                   scene_name(&s, wait), scene_percent(held, s.kernel_busy));
    return why(f,
               "%s comes between the launch and host_work() and held the host for %d %% of the kernel's length: %s",
               scene_name(&s, wait), scene_percent(held, s.kernel_busy),
               copy
                   ? "a copy to the host returns when the bytes have arrived, so it waits for the kernel first. Queue it with "
                     "cudaMemcpyAsync(), or make it after host_work()."
                   : "it returns when the kernel is done. Work first, then wait.");
}

static bool sum_again(const struct evidence *e, struct finding *f)
{
    const uint32_t *input = exchange_input(e->exchange, 1, NULL);
    uint64_t sum = 0;
    for (int64_t i = 0; i < fewer(task_of(e)->n); i++)
        sum += scrambled(input[i]);
    if (answer_of(e)->sum_again == sum || !part_ran(&e->yours[0], AGAIN "b"))
        return true;
    f->function = "work_meanwhile";
    f->word = "static";
    expected(f, "called again with a fifth of the elements, their sum: %llu",
             (unsigned long long)sum);
    seen(f, "%llu", (unsigned long long)answer_of(e)->sum_again);
    return why(f, SECOND_CALL);
}

bool meanwhile_sum(const struct evidence *e, struct finding *f, const char *part)
{
    const struct task *task = task_of(e);
    const uint32_t *input = exchange_input(e->exchange, 1, NULL);
    struct scene s = launch_scene(&e->yours[0], part);
    uint64_t sum = 0, early = 0;
    int64_t held;

    for (int64_t i = 0; i < task->n; i++) {
        sum += scrambled(input[i]);
        early += input[i];
    }
    if (answer_of(e)->sum == sum)
        return sum_again(e, f);
    f->call = scene_wait(&s, s.launch, s.end, &held);
    expected(f, "the sum of the %lld new elements: %llu", (long long)task->n,
             (unsigned long long)sum);
    seen(f, "%llu%s", (unsigned long long)answer_of(e)->sum,
         answer_of(e)->sum == early ? ", the sum of what `result` held before" : "");
    return answer_of(e)->sum == early
               ? why(f,
                     "`result` was read before the copy was done. The elements arrived after you had read it. Wait first, then read.")
               : why(f, "The sum covers all n elements, and needs 64 bits.");
}
