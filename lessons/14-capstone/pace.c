/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * The pace is what the leaderboard shows, too: how long the device was at it,
 * from the part's first operation to its last, beside the reference's run on the
 * same machine. A request's own time is that of the quickest which the
 * reference answered, among them one while the device was idle; a wave is the driver's own launch
 * of develop(). On a real card the host's threads and the driver's calls take single requests aside
 * for many waves, the reference's as well: there a request's time is that of its reply() once it is
 * queued, and the middle one is asked. What a request waits for in the host the simulator says.
 */
#include <string.h>

#include "judges.h"

#define WAVES_PERMILLE 1500     /* of a wave that a request may take longer */
#define SLACK_PERMILLE 1250     /* of what the reference's takes longer, where that is more */

static int64_t latency(const struct view *v, int k)
{
    struct selection s = calls_in(v, REQUEST, k, 0);
    uint32_t reply =
        on_real_card(v) ? next_kernel(v, calls_in(v, REQUEST, k, ENGINES_DEVICE), "reply", 0) : ANY;
    if (reply != ANY)
        return v->timeline->spans[reply].end - v->timeline->spans[reply].queued;
    return v->timeline->calls[s.end_call].begin - v->timeline->calls[s.first_call].end;
}

static int64_t wave_ns(const struct view *v)
{
    uint32_t node =
        next_kernel(v, (struct selection){ 0, ANY, ANY, 0, v->timeline->call_count }, "develop", 0);
    return v->timeline->spans[node].end - v->timeline->spans[node].start;
}

static bool why_late(const struct view *v, struct finding *f, const char *part, int k)
{
    const struct timeline *t = v->timeline;
    struct selection s = calls_in(v, REQUEST, k, ENGINES_DEVICE), all = in_part(v, part, 0);
    uint32_t reply = next_kernel(v, s, "reply", 0), develop = next_kernel(v, all, "develop", 0);
    uint32_t held = longest_wait_of(v, s, t->calls[s.first_call].thread);
    if (reply == ANY || develop == ANY)
        return why(f, "Look in the timeline for what the request waited for.");
    f->call = t->spans[reply].call;
    int64_t done = t->spans[reply].end;
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1))
        if (call_of_node(v, node)->thread == t->calls[s.first_call].thread
            && t->spans[node].end != TIME_NEVER && t->spans[node].end > done)
            done = t->spans[node].end;
    if (held != ANY && t->calls[held].end - done > wave_ns(v)) {
        f->call = held;
        return why(
            f,
            "The request was done long before: this call waits for more than the request. Wait for its own stream only. "
            "cudaFree() waits for the whole device, cudaFreeAsync() does not wait.");
    }
    if (held != ANY && t->calls[held].end <= t->spans[reply].queued
        && t->calls[held].end - t->calls[held].begin > wave_ns(v)) {
        f->call = held;
        return why(f, "The host was held up here before it had queued the request.");
    }
    if (t->spans[reply].stream == t->spans[develop].stream)
        return why(
            f,
            "It is in a stream with frames, and waits for those that were queued before it. A request needs a stream of its own.");
    all.engines = ENGINE_BIT(ENGINE_KERNEL) | ENGINE_BIT(ENGINE_HOST_FUNC);
    all.stream = t->spans[reply].stream;
    EACH_SPAN(node, v, all)
        if (t->spans[node].engine == ENGINE_HOST_FUNC
            || strcmp(timeline_string(t, t->spans[node].name), "gather") == 0)
            return why(f,
                       "Its stream has %s of frames as well, and the request waits for those that were queued before it. A request needs a stream of "
                       "its own.",
                       t->spans[node].engine == ENGINE_HOST_FUNC ? "host functions" : "gather()");
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (t->calls[i].kind == CALL_MALLOC && t->calls[i].flags & POOL_GROWS) {
            f->call = (uint32_t)i;
            return why(f,
                       "For this allocation the pool takes memory from the device, which takes long: whenever the host waits, a pool gives what is free "
                       "back, down to its release threshold, and that is 0 by default. Set cudaMemPoolAttrReleaseThreshold to UINT64_MAX in plant_open(), "
                       "or keep memory for requests.");
        }
    const struct call *mine = timeline_stream_made(t, t->spans[reply].stream),
                      *other = timeline_stream_made(t, t->spans[develop].stream);
    if (mine && other && mine->flags & STREAM_LEGACY)
        return why(
            f,
            "It is in the default stream, which waits for every blocking stream and has priority 0.");
    if (mine && other
        && card_priority(v->card, mine->priority) >= card_priority(v->card, other->priority)) {
        int greatest = card_priority(v->card, INT32_MIN);
        /* Whichever of the two is not as it has to be. */
        f->call = (uint32_t)((card_priority(v->card, mine->priority) == greatest ? other : mine)
                             - t->calls);
        return why(
            f,
            "The stream of reply() has priority %d and that of develop() %d: the blocks that came first go first. In "
            "cudaStreamCreateWithPriority() the lowest number is the greatest priority. cudaDeviceGetStreamPriorityRange() "
            "tells which numbers there are.",
            card_priority(v->card, mine->priority), card_priority(v->card, other->priority));
    }
    return why(
        f,
        "Its priority is right. What else did it wait for: a lock, a copy, a host function, memory?");
}

/* The request than which that many are quicker. */
static int ranked(const struct view *v, int quicker)
{
    int64_t takes[REQUESTS];
    for (int k = 1; k < REQUESTS; k++)
        takes[k] = latency(v, k);
    for (int k = 1; k < REQUESTS; k++) {
        int before = 0;
        for (int i = 1; i < REQUESTS; i++)
            before += takes[i] < takes[k] || (takes[i] == takes[k] && i < k);
        if (before == quicker)
            return k;
    }
    return 1;
}

bool plant_latency(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0], *reference = &e->reference[0];
    int64_t wave = wave_ns(v), alone = latency(reference, 0),
            quickest = latency(reference, ranked(reference, 0));
    int asked = on_real_card(v) ? (REQUESTS - 1) / 2 : REQUESTS - 2, k = ranked(v, asked);
    alone = quickest < alone ? quickest : alone;
    int64_t best = latency(reference, ranked(reference, asked)) - alone,
            late = latency(v, k) - alone;
    int64_t limit = wave * WAVES_PERMILLE > best * SLACK_PERMILLE ? wave * WAVES_PERMILLE
                                                                  : best * SLACK_PERMILLE;
    if (late * 1000 <= limit)
        return true;
    expected(
        f,
        "in a busy plant a request takes at most one and a half waves of develop() longer than it has to");
    seen(f, "request %d took %lld.%lld waves longer (%s %lld.%lld in the reference solution)", k,
         (long long)(late / wave), (long long)(late * 10 / wave % 10),
         on_real_card(v) ? "the middle one" : "at most", (long long)(best / wave),
         (long long)(best * 10 / wave % 10));
    return why_late(v, f, part, k);
}

/* The first host_work() of the thread that fills frames which is not the driver's; ANY for none. */
static uint32_t own_work(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_HOST_WORK && c->thread == camera(v) && c->line != 0
            && !is_in_driver(v->timeline, c))
            return (uint32_t)i;
    }
    return ANY;
}

/* The first seal() for which a thread of the plant's own holds a mutex while the camera's thread
 * waits for that thread; ANY for none. */
static uint32_t seals_under_lock(const struct view *v, const char *part)
{
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        uint32_t thread = t->calls[i].thread;
        if (label_number(v, i, SEAL) < 0 || t->calls[i].dst == 0 || thread == camera(v))
            continue;
        for (size_t k = 0; k < t->span_count; k++) {
            const struct span *stands = &t->spans[k];
            const struct call *c = &t->calls[stands->call];
            if (stands->engine == ENGINE_WAIT && c->kind == CALL_THREAD_WAKE
                && c->thread == camera(v) && c->src == thread && stands->call > i
                && stands->start <= t->calls[i].begin && stands->end > t->calls[i].begin)
                return (uint32_t)i;
        }
    }
    return ANY;
}

/* How many rooms the frames lie in; 0 where that is not known of each. */
static int rooms_of(const struct evidence *e, const struct view *v)
{
    int rooms = 0, frames = (int)sizes_of(e)->frames;
    for (int k = 0; k < frames; k++) {
        int before = 0;
        while (before < k && room_of(v, before) != room_of(v, k))
            before++;
        if (room_of(v, k) == 0)
            return 0;
        rooms += before == k;
    }
    return rooms;
}

/* How long the camera is in plant_room(), ns: between two frames it is nowhere else. */
static int64_t time_in_room(const struct evidence *e, const struct view *v)
{
    const struct timeline *t = v->timeline;
    int64_t sum = 0;
    for (int k = 1; k < sizes_of(e)->frames; k++) {
        int64_t returned = t->calls[calls_in(v, FRAME, k - 1, 0).end_call].end,
                room = t->calls[calls_in(v, FILL, k, 0).first_call].begin;
        sum += room > returned ? room - returned : 0;
    }
    return sum;
}

static bool reaches(const struct evidence *e, struct finding *f, const char *part,
                    unsigned permille)
{
    const struct view *v = &e->yours[0];
    int64_t mine = part_makespan(v, part), theirs = part_makespan(&e->reference[0], part),
            share = mine > 0 ? theirs * 1000 / mine : 0;
    if (share >= share_asked(v, permille))
        return true;
    unsigned busy = measure_busy_share(v->timeline, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)),
                                       &(enum engine){ ENGINE_NONE });
    expected(f, "the plant reaches %u %% of the reference solution's pace",
             share_asked(v, permille) / 10);
    seen(f, "%lld %%; kernels are at work for %u %% of the time", (long long)share / 10, busy / 10);
    f->call = longest_wait_of(v, in_part(v, part, 0), camera(v));
    struct selection all = in_part(v, part, 0);
    size_t last = all.first_call; /* after it there is nothing to wait for but the end */
    for (uint32_t node = next_kernel(v, all, "develop", 0); node != ANY;
         node = next_kernel(v, all, "develop", node + 1))
        last = v->timeline->spans[node].call > last ? v->timeline->spans[node].call : last;
    for (size_t i = all.first_call; i < last && f->call == ANY; i++)
        if (v->timeline->calls[i].kind == CALL_DEVICE_SYNC) {
            f->call = (uint32_t)i;
            return why(
                f,
                "This waits for everything on the device, for later frames and requests as well. Wait only for what you "
                "need, with cudaEventSynchronize() or cudaStreamSynchronize().");
        }
    for (size_t i = all.first_call; i < last && f->call == ANY; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind != CALL_FREE || c->flags & CALL_ASYNC || is_in_driver(v->timeline, c)
            || c->end - c->begin < wave_ns(v))
            continue;
        f->call = (uint32_t)i;
        return why(f,
                   "This call waits %lld us here, until the device has nothing to do, and frames are late for it. Keep the memory until the plant "
                   "is closed, or take and give it in a stream: cudaMallocAsync() and cudaFreeAsync().",
                   (long long)(c->end - c->begin) / 1000);
    }
    uint32_t works = own_work(v, part);
    if (works != ANY) {
        f->call = works;
        return why(
            f,
            "The host works here while a frame waits to be queued, and everything after it waits as well.");
    }
    uint32_t seals = seals_under_lock(v, part);
    if (seals != ANY) {
        f->call = seals;
        return why(
            f,
            "The thread that calls seal() holds a mutex here, and the camera's thread waits for this thread meanwhile: no frame is filled, "
            "and none is queued. Take the page out under the mutex, wait for its copy and call seal() without it, and lock it again to "
            "give the room back.");
    }
    const struct view *r = &e->reference[0];
    int rooms = rooms_of(e, v);
    int64_t in_room = time_in_room(e, v), in_theirs = time_in_room(e, r);
    if (f->call == ANY && rooms > 0 && rooms < rooms_of(e, r) && in_room > in_theirs) {
        f->function = "plant_room";
        f->word = "sem_wait wait acquire return";
        f->sure = true;
        return why(
            f,
            "The camera is in plant_room() for %lld us, and in the reference solution for %lld: the frames lie in %d %s, and there "
            "in %d. With more rooms a frame is filled and copied while others are developed and sealed.",
            (long long)in_room / 1000, (long long)in_theirs / 1000, rooms,
            rooms == 1 ? "room" : "rooms", rooms_of(e, r));
    }
    return false;
}

bool plant_begins(const struct evidence *e, struct finding *f, const char *part)
{
    if (reaches(e, f, part, 600))
        return true;
    return f->why[0] == '\0'
               ? why(f,
                     "Too often nothing is developed while a frame is copied, gathered, sealed or filled. Let plant_frame() "
                     "return when all is queued, and have more than one room.")
               : false;
}

bool plant_keeps_up(const struct evidence *e, struct finding *f, const char *part)
{
    if (reaches(e, f, part, 900))
        return true;
    return f->why[0] == '\0'
               ? why(f,
                     "develop() is the longest stage, and the pace is how much of the time it runs. Look for the gaps "
                     "between two of them: what does the next one wait for? A room, a copy that could have been made "
                     "before, a stage in the same stream?")
               : false;
}
