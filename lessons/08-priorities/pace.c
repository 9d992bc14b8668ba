/* SPDX-License-Identifier: MIT */
#include "judges.h"

#define SLACK_PERMILLE 1100     /* of a wave, for a request; of the bulk's time */

/* Where the bulk begins to be queued. */
static struct selection bulk_calls(const struct view *v)
{
    struct selection s = { ENGINES_DEVICE, ANY, ANY, 0, 0 };
    measure_label(v->timeline, BULK, &s.first_call, &s.end_call);
    return s;
}

/* The part's crunch() that ends last. */
static uint32_t last_crunch(const struct view *v, const char *part)
{
    uint32_t last = ANY;
    EACH_KERNEL(node, v, in_part(v, part, 0), "crunch")
        if (last == ANY || v->timeline->spans[node].end > v->timeline->spans[last].end)
            last = node;
    return last;
}

static int64_t bulk_end(const struct view *v, const char *part)
{
    return v->timeline->spans[last_crunch(v, part)].end;
}

static int64_t latency(const struct view *v, int k)
{
    struct selection s = request_calls(v, k, 0);
    return v->timeline->calls[s.end_call].begin - v->timeline->calls[s.first_call].end;
}

int64_t request_alone(const struct view *v, const struct view *reference)
{
    int64_t own = latency(v, 0), most = 2 * latency(reference, 0);
    return own < most ? own : most;
}

bool judge_begin(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        struct selection s = bulk_calls(v);
        struct selection later = { 0, ANY, ANY, s.end_call, in_part(v, part, 0).end_call };
        uint32_t first = next_kernel(v, in_part(v, part, 0), "crunch", 0),
                 late = next_kernel(v, later, "crunch", 0);
        f->view = view;
        expected(f, "bulk_begin() queues the bulk and returns while it runs");
        if (late != ANY) {
            f->call = v->timeline->spans[late].call;
            if (late == first)
                seen(f,
                     "when it returned nothing of the bulk was queued; its first launch is this one");
            else
                seen(f,
                     "when it returned only a part of the bulk was queued; this launch came later");
            return why(f,
                       "A device that idles between the requests is no better than one that makes them wait. Queue all of the bulk "
                       "in bulk_begin().");
        }
        if (v->timeline->calls[s.end_call].begin >= bulk_end(v, part)) {
            f->call = first_standstill(v, s);
            seen(f, "when it returned the bulk was done");
            return why(f,
                       "The host cannot take a request that comes meanwhile. Wait for the bulk in service_close().");
        }
        uint32_t longest = measure_longest_wait(v->timeline, s.first_call, s.end_call);
        uint32_t held = longest != ANY ? longest : first_standstill(v, s);
        int64_t took = v->timeline->calls[s.end_call].begin - v->timeline->calls[s.first_call].end;
        if (held != ANY && took > wave_ns(v)) {
            f->call = held;
            seen(f, "it returned after %lld.%lld waves, and this call held it up",
                 (long long)(took / wave_ns(v)), (long long)(took * 10 / wave_ns(v) % 10));
            return why(f,
                       "The host cannot take a request that comes meanwhile. Queue all of the bulk: queued work needs no host to "
                       "begin.");
        }
    }
    return true;
}

/* Of the streams that the bulk is in, the one with the greatest priority. */
static const struct call *bulk_made(const struct view *v, const char *part)
{
    const struct call *first = NULL;
    EACH_KERNEL(node, v, in_part(v, part, 0), "crunch") {
        const struct call *c = timeline_stream_made(v->timeline, v->timeline->spans[node].stream);
        if (c
            && (!first
                || card_priority(v->card, c->priority) < card_priority(v->card, first->priority)))
            first = c;
    }
    return first;
}

static uint32_t own_blocks(const struct view *v, const char *kernel)
{
    return own_span(v, kernel)->blocks;
}

static unsigned threads_of(const struct call *launch)
{
    return launch->block[0] * launch->block[1] * launch->block[2];
}

/* When the last of the selection's spans ended. */
static int64_t done(const struct view *v, struct selection s)
{
    int64_t end = 0;
    s.engines = ENGINES_DEVICE | ENGINE_BIT(ENGINE_HOST_FUNC);
    EACH_SPAN(node, v, s)
        if (v->timeline->spans[node].end != TIME_NEVER && v->timeline->spans[node].end > end)
            end = v->timeline->spans[node].end;
    return end;
}

/* Is a step of the request bound to wait for the bulk? Says by which call. */
static bool bound_to_bulk(const struct view *v, struct finding *f, const char *part,
                          struct selection s)
{
    const struct timeline *t = v->timeline;
    uint32_t crunch = last_crunch(v, part), node = next_span(v, s, 0);
    while (node != ANY && !hb_before(v->order, crunch, node, GUARANTEED))
        node = next_span(v, s, node + 1);
    if (node == ANY)
        return false;
    const struct call *bulk = timeline_stream_made(t, t->spans[crunch].stream);
    if (bulk && (bulk->flags & STREAM_LEGACY)) {
        f->call = t->spans[crunch].call;
        why(f,
            "The bulk is in the default stream, and a blocking stream waits for everything there. Give the bulk a stream of its "
            "own, and make both streams with cudaStreamNonBlocking.");
        return true;
    }
    uint32_t call = stream_wait_between(v, in_part(v, part, 0), crunch, node);
    if (call == ANY)
        return false;
    f->call = call;
    why(f,
        "The event was recorded after the bulk, so the request is bound to wait for all of the bulk. No priority overrides an order "
        "that you made. A request needs no result of the bulk.");
    return true;
}

/* The call that makes this stream wait for span `node`; ANY for none. */
static uint32_t wait_in_stream(const struct view *v, const char *part, uint32_t stream,
                               uint32_t node)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_NONE));
    s.stream = stream;
    EACH_SPAN(wait, v, s)
        if (call_of_node(v, wait)->kind == CALL_STREAM_WAIT
            && hb_before(v->order, node, wait, GUARANTEED))
            return v->timeline->spans[wait].call;
    return ANY;
}

/* The last launch of the bulk in that stream that was queued before that call; ANY: there is none.
 */
static uint32_t crunch_in_stream(const struct view *v, const char *part, uint32_t stream,
                                 uint32_t call)
{
    uint32_t last = ANY;
    EACH_KERNEL(node, v, in_part(v, part, 0), "crunch")
        if (v->timeline->spans[node].stream == stream && v->timeline->spans[node].call < call)
            last = v->timeline->spans[node].call;
    return last;
}

/* What kept request k waiting. */
static bool why_late(const struct view *v, struct finding *f, const char *part, int k)
{
    const struct timeline *t = v->timeline;
    struct selection s = request_calls(v, k, ENGINES_DEVICE);
    uint32_t held = measure_longest_wait(t, s.first_call, s.end_call),
             stray = in_default_stream(v, s);
    uint32_t reply = next_kernel(v, s, "reply", 0),
             crunch = next_kernel(v, in_part(v, part, 0), "crunch", 0);
    if (stray != ANY) {
        f->call = stray;
        return why(f,
                   "This is in the default stream, which has priority 0 and waits for blocking streams. Name the request's stream "
                   "in cudaMemcpyAsync() and in the launch.");
    }
    if (reply == ANY)
        return why(f, "Look in the timeline for what the request waited for.");
    const struct span *mine = &t->spans[reply], *other = &t->spans[crunch];
    f->call = mine->call;
    if (mine->stream == other->stream)
        return why(f,
                   "The request is in the bulk's own stream, after all of the bulk. A priority belongs to a stream: within one "
                   "stream nothing overtakes what was queued earlier.");
    uint32_t astray = crunch_in_stream(v, part, mine->stream, mine->call);
    if (astray != ANY) {
        f->call = astray;
        return why(f,
                   "This part of the bulk is in the requests' stream, where reply() comes after it. A priority belongs to a stream: within one "
                   "nothing overtakes what was queued earlier. Queue all of the bulk in its own stream.");
    }
    uint32_t before = measure_longest_wait(t, s.first_call, mine->call);
    if (before == ANY
        || t->calls[before].end - t->calls[before].begin < wave_ns(v))    /* polling, or work */
        before = first_standstill(v, (struct selection){ 0, ANY, ANY, s.first_call, mine->call });
    if (before != ANY && t->calls[mine->call].begin - t->calls[s.first_call].end > wave_ns(v)) {
        f->call = before;
        return why(f,
                   "The host was held up here, and reply() was queued only afterwards. A priority helps only work that is queued. "
                   "Queue the request at once, and then wait for its own stream.");
    }
    if (held != ANY && t->calls[held].end - done(v, s) > wave_ns(v)) {
        f->call = held;
        if (t->calls[held].kind == CALL_FREE)
            return why(f,
                       "The request was done long before. Freeing memory waits for everything on the device, and so for the bulk. A "
                       "request brings its own memory.");
        uint32_t last = last_crunch(v, part),
                 wait = wait_in_stream(v, part, t->calls[held].stream, last);
        if (t->calls[held].kind == CALL_STREAM_SYNC && wait != ANY) {
            f->call = wait;
            return why(f,
                       "The request was done long before. This makes its stream wait for the bulk, and answer() waits for that stream "
                       "(line %u). A request needs no result of the bulk.",
                       t->calls[held].line);
        }
        f->read = "A request beside the bulk";
        return why(f,
                   "The request was done long before. This call waits for the bulk as well. Wait for the request's own stream only.");
    }
    if (bound_to_bulk(v, f, part, s))
        return false;
    const struct call *mine_made = timeline_stream_made(t, mine->stream),
                      *other_made = bulk_made(v, part);
    if (!mine_made || !other_made)
        return why(f, "Look in the timeline for what the request waited for.");
    int urgent = card_priority(v->card, mine_made->priority),
        bulk = card_priority(v->card, other_made->priority);
    f->call = (uint32_t)(mine_made - t->calls);
    if (mine_made->flags & STREAM_PER_THREAD) {
        f->call = mine->call;
        return why(f,
                   "The request is in a thread's default stream, which has priority 0, as any that no priority was given to. Make a stream for the requests with "
                   "cudaStreamCreateWithPriority() and the greatest priority.");
    }
    if (urgent == bulk && bulk == v->card->priority_greatest) {
        f->call = (uint32_t)(other_made - t->calls);
        return why(f,
                   "The request's stream has priority %d, and the bulk has the same here. A priority is a rank and not a speed. "
                   "Among equals the older work goes first. Give the bulk the least priority.",
                   urgent);
    }
    if (urgent == bulk)
        return why(f,
                   "Both streams have priority %d, so the bulk's blocks, which were queued first, all go first. Make this one with "
                   "cudaStreamCreateWithPriority() and the greatest priority.",
                   urgent);
    if (urgent > bulk)
        return why(f,
                   "The request's stream has priority %d and the bulk's %d. The lower number goes first, so these are the wrong way "
                   "round.",
                   urgent, bulk);
    size_t replies;
    kernel_named(v, s, "reply", &replies);
    /* Where one of them is in a stream of the bulk's priority, that one waits. */
    for (uint32_t node = reply; replies > 1 && node != ANY;
         node = next_kernel(v, s, "reply", node + 1)) {
        const struct call *its = timeline_stream_made(t, t->spans[node].stream);
        if (!its || card_priority(v->card, its->priority) < bulk)
            continue;
        f->call = (uint32_t)(its - t->calls);
        return why(f,
                   "One of the %zu launches of reply() is in this stream, which has priority %d, and the bulk's has %d. Make it with "
                   "cudaStreamCreateWithPriority() and the greatest priority.",
                   replies, card_priority(v->card, its->priority), bulk);
    }
    if (replies > 1) {
        f->call = mine->call;
        return why(f,
                   "The request launches reply() %zu times, and each launch may have to wait for free places again, which the bulk has taken "
                   "meanwhile. One launch does all elements.",
                   replies);
    }
    uint32_t asked = own_blocks(v, "reply");
    if (mine->blocks > asked) {
        f->call = mine->call;
        return why(f,
                   "The priorities are right (%d before %d). This launch has %u blocks, and REPLY_BLOCKS is %d: each of them needs a free place, and "
                   "the last gets one when more of the bulk's blocks have ended.",
                   urgent, bulk, mine->blocks, (int)asked);
    }
    f->call = held != ANY ? held : mine->call;
    return why(
        f, "The priorities are right (%d before %d). What else did the request have to wait for?",
        urgent, bulk);
}

bool judge_latency(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        /* Where there are no priorities, or one kernel at a time, no gain is asked. */
        if (v->card->priority_least == v->card->priority_greatest || v->card->concurrent_grids < 2)
            continue;
        int64_t wave = wave_ns(v), alone = request_alone(v, &e->reference[view]),
                theirs_alone = latency(&e->reference[view], 0);
        for (int k = 1; k < REQUESTS; k++) {
            int64_t late = latency(v, k) - alone,
                    best = latency(&e->reference[view], k) - theirs_alone;
            /* On a real card, where the bulk's waves do not end all at once, the reference takes
             * longer, too, and now and then one wave more: on an H200 right answers took up to 1.9,
             * wrong ones 16 and more. */
            int64_t most = best > wave ? best : wave;
            if (late <= (on_real_card(v) ? most + wave : most * SLACK_PERMILLE / 1000))
                continue;
            int64_t tenths = late * 10 / wave, theirs = best * 10 / wave;
            f->view = view;
            expected(f,
                     "beside the bulk a request takes at most one wave of the bulk longer than on an idle device");
            seen(f, "request %d took %lld.%lld waves longer (%lld.%lld in the reference solution)",
                 k, (long long)(tenths / 10), (long long)(tenths % 10), (long long)(theirs / 10),
                 (long long)(theirs % 10));
            return why_late(v, f, part, k);
        }
    }
    return true;
}

/* The wait by which a step of the request comes after something in the default stream; ANY: there
 * is none. */
static uint32_t wait_for_default(const struct view *v, const char *part, uint32_t step)
{
    const struct timeline *t = v->timeline;
    struct selection s =
        in_part(v, part, ENGINES_DEVICE | ENGINE_BIT(ENGINE_NONE) | ENGINE_BIT(ENGINE_HOST_FUNC));
    for (uint32_t node = next_span(v, s, 0); node != ANY && node < step;
         node = next_span(v, s, node + 1)) {
        const struct call *stream = timeline_stream_made(t, t->spans[node].stream);
        if (!stream || !(stream->flags & STREAM_LEGACY)
            || !hb_before(v->order, node, step, GUARANTEED))
            continue;
        uint32_t wait = stream_wait_between(v, s, node, step);
        if (wait != ANY)
            return wait;
    }
    return ANY;
}

/* A blocking stream waits for the default stream, whatever its priority; so does one that waits for
 * an event of that stream. */
bool judge_apart(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int k = 0; k < REQUESTS; k++) {
        struct selection s = request_calls(v, k, ENGINES_DEVICE);
        EACH_SPAN(node, v, s) {
            const struct call *stream =
                timeline_stream_made(v->timeline, v->timeline->spans[node].stream);
            uint32_t wait = stream && stream->flags & STREAM_NON_BLOCKING
                                ? wait_for_default(v, part, node)
                                : ANY;
            if (wait != ANY) {
                f->call = wait;
                expected(f, "no step of a request waits for the default stream");
                seen(f, "%s comes after an event that was recorded in the default stream",
                     node_name(v, node).text);
                return why(f,
                           "With this wait a request waits for any work that the caller had in the default stream before the event, although its "
                           "stream is non-blocking. Nothing of a request needs that work: take the wait out.");
            }
            if (!stream || stream->flags & STREAM_NON_BLOCKING)
                continue;
            bool yours = stream->line != 0 && !is_in_driver(v->timeline, stream);
            f->call =
                yours ? (uint32_t)(stream - v->timeline->calls) : v->timeline->spans[node].call;
            expected(f,
                     "each step of a request is in a stream that does not wait for the default stream");
            bool itself = (stream->flags & STREAM_LEGACY) != 0;
            seen(f, "%s is in %s", node_name(v, node).text,
                 itself ? "the default stream" : "a blocking stream");
            return why(f,
                       "A request then waits for any work that the caller has in the default stream, and that work may be waiting for the bulk. "
                       "The greatest priority does not help. %s",
                       yours ? "Make the stream with cudaStreamNonBlocking."
                       : itself
                           ? "Name the request's stream: cudaMemcpyAsync() and a launch take one."
                           : "Take a stream that you make with cudaStreamNonBlocking.");
        }
    }
    return true;
}

bool judge_bulk(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        int64_t blocks = wave_blocks(v), tiles = tiles_of(sizes_of(e), blocks), wave = wave_ns(v);
        int64_t begin = v->timeline->calls[bulk_calls(v).first_call].end, end = bulk_end(v, part),
                took = end - begin;
        int64_t alone = request_alone(v, &e->reference[view]),
                own = (tiles + blocks - 1) / blocks * wave;
        for (int k = 1; k < REQUESTS; k++)
            if (v->timeline->calls[request_calls(v, k, 0).first_call].end < end)
                own += alone;
        if (took * 1000 <= own * time_asked(v, SLACK_PERMILLE))
            continue;
        size_t launches;
        kernel_named(v, in_part(v, part, 0), "crunch", &launches);
        f->view = view;
        f->call = v->timeline->spans[last_crunch(v, part)].call;
        expected(f,
                 "the bulk takes at most %u.%u x the time of its waves and of the requests that came meanwhile",
                 time_asked(v, SLACK_PERMILLE) / 1000, time_asked(v, SLACK_PERMILLE) / 100 % 10);
        int64_t hundredths = (took * 100 + own - 1) / own; /* rounded up: 1.101 is more than 1.1 */
        seen(f, "%lld.%02lld x, in %zu %s", (long long)(hundredths / 100),
             (long long)(hundredths % 100), launches, launches == 1 ? "launch" : "launches");
        if (launches > 1 && v->card->concurrent_grids < 2)
            return why(f,
                       "This card runs one kernel at a time, whatever the streams, so every launch ends in a wave with empty "
                       "places. One launch is enough.");
        if (launches > 1)
            return why(f,
                       "In a stream each launch waits for all blocks of the one before, so every launch ends in a wave with empty "
                       "places. Where the card has priorities one launch is enough: requests get in between its waves.");
        unsigned threads = threads_of(call_of_node(v, last_crunch(v, part))),
                 asked = threads_of(call_of_node(v, own_launch(v, "crunch")));
        if (threads > asked)
            return why(f,
                       "This launch has blocks of %u threads, and THREADS is %u. With larger blocks fewer run at once, and there are more waves.",
                       threads, asked);
        return why(f,
                   "Something else was in its way. Look in the timeline for the time when no crunch() runs.");
    }
    return true;
}
