/* SPDX-License-Identifier: MIT */
/*
 * (b): is the table where the passes run, before they run?
 *
 * DESIGN
 * That no kernel waits for pages may be luck, so order is asked as well: in each round the passes
 * on a device wait for a prefetch to it, if there is one. Who copies the table, or leaves it to the
 * pages, has none.
 */
#include "judges.h"

/* Did a kernel of the selection hold still for these pages? What a copy of managed memory waits for
 * costs time alone. */
static bool held_up_kernel(const struct view *v, struct selection s, const struct migration *m)
{
    return m->node != NO_NODE && m->fault && !m->to_host && m->bytes > 0
           && v->timeline->spans[m->node].engine == ENGINE_KERNEL
           && v->timeline->spans[m->node].call >= s.first_call
           && v->timeline->spans[m->node].call < s.end_call;
}

static bool is_prefetch_to(const struct call *c, uint32_t device)
{
    return c->kind == CALL_PREFETCH && c->status == 0 && c->dst_kind == MEM_DEVICE
           && c->dst_device == device;
}

/* The last prefetch to that device of calls [first, end) which `node` does not wait for; ANY: it
 * waits for one, or there is none. */
static uint32_t prefetch_unawaited(const struct view *v, size_t first, size_t end, uint32_t node)
{
    uint32_t found = ANY;
    for (size_t i = first; i < end; i++)
        if (is_prefetch_to(&v->timeline->calls[i], v->timeline->spans[node].device)) {
            found = v->timeline->calls[i].node;
            if (hb_before(v->order, found, node, GUARANTEED))
                return ANY;
        }
    return found;
}

/* Once the table is brought to a device in a round, passes there wait for it: that it came in time
 * would be luck. */
static bool passes_wait_for_table(const struct evidence *e, struct finding *f, const struct view *v)
{
    const struct script *script = script_of(e);
    size_t from = 0;
    for (int64_t k = 0, begin = 0; k < script->count; k++) {
        begin = script->step[k].what == BEGIN ? k : begin;
        if (script->step[k].what != RETOUCH)
            continue;
        struct selection round = calls_from(v, from, STEP, (int)begin, 0);
        from = round.first_call;
        struct selection s = calls_from(v, from, STEP, (int)k, ENGINE_BIT(ENGINE_KERNEL));
        for (uint32_t node = next_kernel(v, s, "pass", 0); node != ANY;
             node = next_kernel(v, s, "pass", node + 1)) {
            uint32_t prefetch = prefetch_unawaited(v, round.first_call, s.end_call, node);
            if (prefetch == ANY)
                continue;
            f->call = v->timeline->spans[node].call;
            f->function = "archive_begin";
            f->word = "cudaStreamWaitEvent";
            expected(f, "pass() waits until the table has been brought to its device");
            seen(f, "nothing makes it wait for the prefetch of line %u",
                 call_of_node(v, prefetch)->line);
            static const char otherwise[] =
                "Every stream that runs pass() waits for an event that is recorded after the prefetch to its device: "
                "cudaStreamWaitEvent(), before pass() is queued.";
            why_unordered(v, f, prefetch, "the prefetch", node, "pass()", otherwise);
            uint32_t kind = f->call == ANY ? CALL_NONE : v->timeline->calls[f->call].kind;
            if (kind != CALL_STREAM_WAIT
                && kind != CALL_EVENT_RECORD) { /* a wait of the host's is for a sheet */
                f->call = v->timeline->spans[node].call;
                why(f, "%s", otherwise);
            }
            return false;
        }
    }
    return true;
}

/* Is this where they went last, so far? */
static void went(uint32_t device, int64_t when, const struct migration *m, uint32_t *to,
                 int64_t *latest)
{
    if (when >= m->start || when <= *latest)
        return;
    *latest = when;
    *to = device;
}

/* Of whose kernel they went there; of pages that no kernel held still for the record says it. */
static uint32_t device_of(const struct timeline *t, const struct migration *m)
{
    return m->node < t->span_count ? t->spans[m->node].device : m->device;
}

/* The device that these pages were on, though not the one whose kernel held still for them; ANY:
 * they came from the host. */
static uint32_t taken_from(const struct view *v, const struct migration *m)
{
    const struct timeline *t = v->timeline;
    const uint32_t mine = device_of(t, m);
    uint32_t to = ANY;
    int64_t latest = -1;
    for (const struct migration *before = t->migrations; before < m; before++)
        if (before->address < m->address + m->bytes && m->address < before->address + before->bytes)
            went(before->to_host ? ANY : device_of(t, before), before->start, m, &to, &latest);
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind == CALL_PREFETCH && c->status == 0 && c->node < t->span_count
            && c->src < m->address + m->bytes && m->address < c->src + c->bytes)
            went(c->dst_kind == MEM_DEVICE ? c->dst_device : ANY, t->spans[c->node].start, m, &to,
                 &latest);
    }
    return to == mine ? ANY : to;
}

/* The prefetch of the round of call `launch` that comes nearest to bringing these pages to
 * `device`: one to that device, else the last to any; ANY: there is none. *bytes: all that is
 * brought there.
 */
static uint32_t prefetch_meant(const struct evidence *e, const struct view *v, uint32_t launch,
                               uint32_t device, uint64_t *bytes)
{
    const struct script *script = script_of(e);
    uint32_t found = ANY;
    for (int64_t k = 0; k < script->count; k++) {
        struct selection s = calls_in(v, STEP, (int)k, 0);
        if (script->step[k].what == BEGIN && s.first_call < launch) {
            found = ANY;
            *bytes = 0;
        }
        for (size_t i = s.first_call; i < s.end_call && i < launch; i++) {
            const struct call *c = &v->timeline->calls[i];
            *bytes += is_prefetch_to(c, device) ? c->bytes : 0;
            if (c->kind == CALL_PREFETCH && c->status == 0 && c->dst_kind == MEM_DEVICE
                && (found == ANY || !is_prefetch_to(&v->timeline->calls[found], device)))
                found = (uint32_t)i;
        }
    }
    return found;
}

/* Is the prefetch the mistake: of less than the table, or to another device? Then it is blamed. */
static bool why_prefetched(const struct view *v, struct finding *f, uint32_t prefetch,
                           uint32_t device, uint64_t bytes)
{
    const uint64_t table = TABLE_ELEMENTS * sizeof(uint32_t);
    if (prefetch == ANY)
        return false;
    const struct call *c = &v->timeline->calls[prefetch];
    if (is_prefetch_to(c, device) && bytes < table)
        why(f,
            "prefetch() takes bytes: %llu of the table's %llu are brought to device %u, and passes wait for the rest page by page.",
            (unsigned long long)bytes, (unsigned long long)table, device);
    else if (!is_prefetch_to(c, device))
        why(f,
            "In this round nothing brings the table to device %u, on which this pass() runs: this prefetch goes to device %u. Each device "
            "needs one of its own.",
            device, c->dst_device);
    else
        return false;
    f->call = prefetch;
    return true;
}

static bool why_faulted(const struct evidence *e, const struct view *v, struct finding *f,
                        uint32_t from)
{
    const uint32_t device = v->timeline->spans[v->timeline->calls[f->call].node].device;
    uint64_t bytes = 0;
    uint32_t prefetch = prefetch_meant(e, v, f->call, device, &bytes);
    if (why_prefetched(v, f, prefetch, device, bytes))
        return false;
    if (from == ANY)
        return why(
            f,
            "The caller has written the table, so its pages are the host's when the round begins. prefetch() in archive_begin() "
            "brings them to each device, and pass() waits for that, in whatever stream it is.");
    return why(
        f,
        "These pages were on device %u, and device %u takes them from there. A page is in one place, unless cudaMemAdvise() with "
        "cudaMemAdviseSetReadMostly lets each device have a copy; then prefetch() brings one to each.",
        from, device);
}

bool archive_faults(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        f->view = view;
        if (!passes_wait_for_table(e, f, v))
            return false;
        size_t faults = 0;
        uint64_t bytes = 0;
        uint32_t from = ANY;
        for (size_t i = 0; i < v->timeline->migration_count; i++) {
            const struct migration *m = &v->timeline->migrations[i];
            if (!held_up_kernel(v, in_part(v, part, 0), m))
                continue;
            if (faults++ == 0) {
                f->call = v->timeline->spans[m->node].call;
                from = taken_from(v, m);
            }
            bytes += m->bytes;
        }
        if (faults == 0)
            continue;
        f->view = view;
        expected(f, "the table is where pass() runs before it runs: no page fault of a kernel");
        seen(f, "page faults of kernels: %zu, for %llu KiB", faults,
             (unsigned long long)bytes / 1024);
        return why_faulted(e, v, f, from);
    }
    return true;
}
