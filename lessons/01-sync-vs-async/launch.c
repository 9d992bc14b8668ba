/* SPDX-License-Identifier: MIT */
/* What the timeline says of a launch, in (a) and in (b). */
#include "judges.h"

#include <string.h>

struct scene launch_scene(const struct view *v, const char *part)
{
    struct scene s = { .t = v->timeline, .launch = ANY };
    measure_part(v->timeline, part, &s.first, &s.end);
    for (size_t k = s.first; k < s.end && s.launch == ANY; k++)
        if (s.t->calls[k].kind == CALL_LAUNCH && s.t->calls[k].status == 0)
            s.launch = (uint32_t)k;
    struct interval device = { 0, 0 };
    measure_extent(s.t, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), &s.kernel);
    measure_extent(s.t, in_part(v, part, ENGINES_DEVICE), &device);
    s.kernel_busy = measure_busy(s.t, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)));
    s.device_end = device.end;
    return s;
}

uint32_t scene_wait(const struct scene *s, size_t first, size_t end, int64_t *ns)
{
    uint32_t call = measure_longest_wait(s->t, first, end);
    *ns = call == ANY ? 0 : s->t->calls[call].end - s->t->calls[call].begin;
    return call;
}

const char *scene_name(const struct scene *s, uint32_t call)
{
    return timeline_string(s->t, s->t->calls[call].name);
}

int scene_percent(int64_t part, int64_t whole)
{
    return whole > 0 ? (int)(part * 100 / whole) : 0;
}

/* ---- the work is what was asked for ---- */

const char *launch_error(int32_t error)
{
    static const struct { int32_t error; const char *name; } names[] = {
        { 0, "cudaSuccess" }, { 1, "cudaErrorInvalidValue" },
        { 9, "cudaErrorInvalidConfiguration" },
        { 600, "cudaErrorNotReady" }, { ILLEGAL_ADDRESS, "cudaErrorIllegalAddress" },
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].error == error)
            return names[k].name;
    return "another error";
}

static bool judge_kernel(const struct evidence *e, struct finding *f, const char *part, int64_t ns)
{
    struct scene s = launch_scene(&e->yours[0], part);
    if (s.launch == ANY) {
        expected(f, "scramble is launched once, over all %lld elements", (long long)task_of(e)->n);
        for (size_t k = s.first; k < s.end; k++) {
            const struct call *c = &s.t->calls[k];
            if (c->block[0] == 0)
                continue;
            f->call = (uint32_t)k;
            seen(f, "the launch was refused with %s: grid %u, block %u", launch_error(c->status),
                 c->grid[0], c->block[0]);
            return why(f,
                       "A block has 1 to %lld threads on this card, and a grid at least one block.",
                       (long long)e->yours[0].card->threads_per_block);
        }
        why(f, "Launch it with scramble<<<blocks, threads>>>(data, n, kernel_ns).");
        return seen(f, "nothing was launched in part (%s)", part);
    }
    f->call = s.launch;
    size_t launches;
    kernel_named(&e->yours[0], in_part(&e->yours[0], part, 0), "scramble", &launches);
    if (launches > 1)
        return true;            /* which is told first: by the elements, or for itself */
    if (s.kernel_busy < ns * 9 / 10) {
        expected(f, "the kernel takes kernel_ns = %lld ns", (long long)ns);
        why(f, "Pass kernel_ns to scramble unchanged.");
        return seen(f, "it took %lld ns", (long long)s.kernel_busy);
    }
    return costs_as_given(&e->yours[0], f,
                          next_kernel(&e->yours[0], in_part(&e->yours[0], part, 0), "scramble", 0),
                          ns, "kernel_ns");
}

/* `result` is not what the launch made of the elements. */
static bool why_not_copied(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    uint64_t bytes = (uint64_t)task_of(e)->n * sizeof(uint32_t);
    uint32_t copy = next_span(v, s, 0);
    struct selection there = in_part(v, part, ENGINE_BIT(ENGINE_H2D));
    f->word = "result";
    f->function = "work_meanwhile";
    if (copy == ANY && next_span(v, there, 0) != ANY) {
        f->call = v->timeline->spans[next_span(v, there, 0)].call;
        return why(f,
                   "This copy goes to the device, and none comes from there. The first argument is where the bytes go, the second where "
                   "they are: cudaMemcpy(result, data, n * sizeof *result, cudaMemcpyDeviceToHost).");
    }
    if (copy == ANY) {
        f->call = ANY;
        return why(f,
                   "Nothing is copied to the host. Copy the n elements of `data` to `result`, n * sizeof(unsigned) bytes.");
    }
    if (why_short_copy(v, f, s, bytes))
        return false;
    f->call = v->timeline->spans[copy].call;
    return why(f,
               "This copy brings as many bytes as n elements have. Does it go from `data` to `result`, after scramble over all n elements, "
               "and does nothing write to `result` after it?");
}

static bool judge_elements(const struct evidence *e, struct finding *f, const char *part, int slot)
{
    const struct task *task = task_of(e);
    const uint32_t *input = exchange_input(e->exchange, 1, NULL);
    const uint32_t *output = exchange_output(e->exchange, slot, NULL);
    struct scene s = launch_scene(&e->yours[0], part);
    int64_t wrong = 0, first = -1;
    bool twice = false, untouched = false;

    for (int64_t i = 0; i < task->n; i++)
        if (output[i] != scrambled(input[i])) {
            wrong++;
            if (first < 0) {
                first = i;
                twice = output[i] == scrambled(scrambled(input[i]));
                untouched = output[i] == input[i];
            }
        }
    if (wrong == 0)
        return true;
    f->call = s.launch;
    expected(f, "each of the %lld elements went through scramble once: element %lld is %u",
             (long long)task->n, (long long)first, scrambled(input[first]));
    seen(f, "%lld %s wrong, the first is element %lld: %u%s", (long long)wrong,
         wrong == 1 ? "is" : "are", (long long)first, output[first],
         twice       ? ", which is what two launches make of it"
         : untouched ? ", as it was before"
                     : "");
    if (twice)
        return why(
            f, "The kernel works in place. A launch to warm up changes the data like any other.");
    uint32_t node = s.launch == ANY ? NO_NODE : s.t->calls[s.launch].node;
    if (untouched && first > 0 && node < s.t->span_count
        && !has_threads_for(&e->yours[0], f, node, (uint64_t)task->n))
        return false;
    if (part[0] == 'a' || (untouched && first > 0))
        return why(f, "Launch once, over all n elements.");
    return why_not_copied(e, f, part);
}

/* Has the second call's launch as many blocks as its elements need? */
static bool fits_again(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const char *again = part[0] == 'a' ? AGAIN "a" : AGAIN "b";
    uint32_t kernel = part_ran(v, again) ? kernel_named(v, in_part(v, again, 0), "scramble", NULL)
                                         : ANY;
    return kernel == ANY || fits_elements(v, f, kernel, (uint64_t)fewer(task_of(e)->n), 0);
}

/* All n elements in one launch. */
static bool judge_once(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    size_t launches;
    uint32_t kernel = kernel_named(v, in_part(v, part, 0), "scramble", &launches);
    if (launches <= 1)
        return kernel == ANY
               || (fits_elements(v, f, kernel, (uint64_t)task_of(e)->n, 0)
                   && fits_again(e, f, part));
    f->call = v->timeline->spans[next_kernel(v, in_part(v, part, 0), "scramble", kernel + 1)].call;
    expected(f, "scramble is launched once, over all %lld elements", (long long)task_of(e)->n);
    seen(f, "%zu launches, each over some of them", launches);
    return why(f,
               "A grid may have as many blocks as the elements need. One launch is enough, and the host pays for it once.");
}

/* Where something comes back, it comes back after the kernel. */
static bool judge_back(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection backs = in_part(v, part, ENGINE_BIT(ENGINE_D2H));
    uint32_t kernel = next_kernel(v, in_part(v, part, 0), "scramble", 0),
             early = next_span(v, backs, 0);
    if (part[0] == 'a' || kernel == ANY || early == ANY)
        return true;
    bool after = false;
    EACH_SPAN(node, v, backs) {
        bool ordered = hb_before(v->order, kernel, node, GUARANTEED);
        after = after || ordered;
        early = ordered ? early : node;
    }
    f->call = v->timeline->spans[early].call;
    expected(f, "the kernel's output is copied to `result`: the copy comes after the kernel");
    if (after && hb_before(v->order, early, kernel, GUARANTEED)) {
        seen(f, "this copy comes before the kernel: it brings the elements as they were");
        return why(
            f, "The kernel makes the new elements. The host brings those home, and adds them up.");
    }
    if (after)
        return true;
    seen(f, "no copy back is bound to come after the kernel");
    return why_unordered(v, f, kernel, "the kernel", early, "the copy", NULL);
}

bool launch_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct task *task = task_of(e);
    bool first = part[0] == 'a';
    return judge_kernel(e, f, part, first ? task->a_kernel_ns : task->b_kernel_ns)
           && judge_back(e, f, part) && judge_elements(e, f, part, first ? 1 : 2)
           && judge_once(e, f, part);
}

/* The first call between the two that looks synchronous and is not, since it works within the
 * device; ANY for none. */
static uint32_t work_within(const struct timeline *t, size_t from, size_t end)
{
    for (size_t i = from + 1; i < end; i++) {
        const struct call *c = &t->calls[i];
        bool within = (c->kind == CALL_COPY && c->src_kind == MEM_DEVICE) || c->kind == CALL_SET;
        if (within && c->status == 0 && !(c->flags & CALL_ASYNC) && c->dst_kind == MEM_DEVICE)
            return (uint32_t)i;
    }
    return ANY;
}

bool launch_waited(const struct evidence *e, struct finding *f, const char *part)
{
    const char *before_what = part[0] == 'a' ? "m->done is taken" : "`result` is read";
    const struct view *v = &e->yours[0];
    struct scene s = launch_scene(v, part);
    struct selection all = in_part(v, part, ENGINES_DEVICE);

    EACH_SPAN(k, v, all) {
        if (hb_before_call(v->order, k, s.t->calls, s.end, GUARANTEED))
            continue;
        bool slept = false;
        for (size_t c = s.t->spans[k].call + 1; c < s.end; c++)
            slept |= s.t->calls[c].kind == CALL_HOST_WORK
                     && strcmp(scene_name(&s, (uint32_t)c), "host_work") != 0;
        f->call = s.t->spans[k].call;
        expected(f, "a call that waits for the device comes before %s", before_what);
        seen(f, "nothing waited for %s in part (%s)", timeline_string(s.t, s.t->spans[k].name),
             part);
        uint32_t within = work_within(s.t, s.t->spans[k].call, s.end);
        if (within != ANY) {
            f->call = within;
            return why(f,
                       "%s() is called after the launch, on memory of the device alone, and such a call returns at once: it asks, like the "
                       "launch. cudaDeviceSynchronize() or cudaStreamSynchronize() returns when the work is done.",
                       scene_name(&s, within));
        }
        uint32_t habit = part[0] == 'a' ? unpromised_wait(v, k, s.end) : ANY;
        if (habit != ANY)
            return why_unpromised(v, f, k, habit);
        return slept
                   ? why(f,
                         "A sleep is a guess: one that is long enough here is too short on a slower card. cudaDeviceSynchronize() "
                         "returns when the work is done.")
                   : why_unwaited(v, f, k, s.end,
                                  "The launch only queues the work, and no later call is bound to wait for it. "
                                  "cudaDeviceSynchronize(), cudaStreamSynchronize() or cudaEventSynchronize() "
                                  "returns when it is done.");
    }
    return true;
}
