/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Events of one thread id must nest, so a stream's spans go to its first track
 * that is free when they start; a stream whose work never overlaps has one. So
 * have a thread's ranges in a domain: they nest there alone. All that is kept is
 * a number a track. What never finished lasts to the end of the trace and says so.
 */
#include "trace/record/chrome.h"

#include <errno.h>
#include <inttypes.h>

#include "trace/record/memory.h"
#include "trace/record/utf8.h"

/* Process numbers; 0 means something else to some viewers. */
enum { HOST_PROCESS = 1, FIRST_DEVICE = 2 };

/* Host threads have lower thread ids. */
enum { FIRST_NEST = 1 << 20 };

struct track {
    uint32_t device, stream, lane;      /* lane: 0, 1, … of its stream */
    uint32_t next;                      /* the stream's next track; its number + 1, 0 for none */
    int64_t free_from;
};

struct stream { uint32_t first, flags; };   /* first: track number + 1, 0 for none */
struct thread { bool seen; };
struct nest { uint32_t thread, domain, track; unsigned labels; };  /* labels: that are open */

struct chrome_writer {
    FILE *out;
    const struct timeline *t;           /* the piece */
    size_t first_span;
    size_t calls_before, spans_before;  /* in earlier pieces */
    int64_t horizon;                    /* the last moment that is known */
    bool begun;                         /* an event has been written */
    int error;                          /* errno of the first write that failed */
    struct stream *streams;
    size_t stream_count, stream_capacity;
    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct nest *nests;
    size_t nest_count, nest_capacity;
    struct track *tracks;
    size_t track_count, track_capacity;
};

/* ---- pieces of JSON ---- */

static void put_string(FILE *out, const char *s)
{
    fputc('"', out);
    for (uint32_t point; (point = utf8_next(&s)) != 0;) {
        char bytes[5];
        utf8_put(bytes, point);
        if (point == '"' || point == '\\')
            fprintf(out, "\\%s", bytes);
        else if (point < 0x20 || point == '<')      /* '<': may be put into HTML as it is */
            fprintf(out, "\\u%04x", (unsigned)point);
        else
            fputs(bytes, out);
    }
    fputc('"', out);
}

static void put_time(FILE *out, const char *key, int64_t ns)
{
    fprintf(out, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

/* Opens an event: phase, process, thread. The caller closes it with "}". */
static void begin_event(struct chrome_writer *w, char phase, uint32_t process, uint32_t thread)
{
    fprintf(w->out, "%s{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32,
            w->begun ? ",\n" : "\n", phase, process, thread);
    w->begun = true;
}

static void put_name(struct chrome_writer *w, const char *category, const char *name)
{
    fputs(",\"cat\":", w->out);
    put_string(w->out, category);
    fputs(",\"name\":", w->out);
    put_string(w->out, name);
}

static void put_location(struct chrome_writer *w, const struct call *c)
{
    if (c->line == 0)
        return;
    fputs(",\"file\":", w->out);
    put_string(w->out, timeline_string(w->t, c->file));
    fprintf(w->out, ",\"line\":%" PRIu32, c->line);
}

static void put_metadata(struct chrome_writer *w, uint32_t process, uint32_t thread,
                         const char *what, const char *name, unsigned order)
{
    begin_event(w, 'M', process, thread);
    fprintf(w->out, ",\"name\":\"%s_name\",\"args\":{\"name\":", what);
    put_string(w->out, name);
    fputs("}}", w->out);
    begin_event(w, 'M', process, thread);
    fprintf(w->out, ",\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%u}}", what, order);
}

static void put_instant(struct chrome_writer *w, uint32_t process, uint32_t thread,
                        const char *category, const char *name, int64_t at)
{
    begin_event(w, 'i', process, thread);
    put_name(w, category, *name ? name : category);
    put_time(w->out, "ts", at);
    fputs(",\"s\":\"t\"}", w->out);
}

/* ---- the host ---- */

static int64_t known(const struct chrome_writer *w, int64_t time)
{
    return time == TIME_NEVER ? w->horizon : time;
}

/* Those of the default domain lie among the thread's calls. */
static uint32_t make_track(struct chrome_writer *w, const struct call *c)
{
    const char *domain = timeline_string(w->t, c->message);
    char name[128];
    if (!*domain)
        return c->thread + 1;
    uint32_t track = FIRST_NEST + (uint32_t)w->nest_count;
    snprintf(name, sizeof name, "host thread %" PRIu32 ", %s", c->thread, domain);
    put_metadata(w, HOST_PROCESS, track, "thread", name, c->thread);
    return track;
}

/* Where the label opens or closes. */
static struct nest *find_nest(struct chrome_writer *w, const struct call *c)
{
    for (size_t i = 0; i < w->nest_count; i++)
        if (w->nests[i].thread == c->thread && w->nests[i].domain == c->message)
            return &w->nests[i];
    struct nest nest = { c->thread, c->message, make_track(w, c), 0 };
    MEMORY_GROW(w->nests, w->nest_count, w->nest_capacity);
    w->nests[w->nest_count] = nest;
    return &w->nests[w->nest_count++];
}

static void put_label(struct chrome_writer *w, const struct call *c)
{
    const char *name = timeline_string(w->t, c->name);
    struct nest *nest = find_nest(w, c);
    if (!*name && nest->labels == 0)
        return;
    begin_event(w, *name ? 'B' : 'E', HOST_PROCESS, nest->track);
    if (*name)
        put_name(w, "label", name);
    put_time(w->out, "ts", c->begin);
    fputs("}", w->out);
    nest->labels += *name ? 1 : -1u;
}

/* What the program says of itself is a moment; the rest of the calls take time. */
static const char *const instants[CALL_KINDS] = {
    [CALL_PART] = "part", [CALL_REPORT] = "report", [CALL_FAULT] = "fault", [CALL_CRASH] = "crash",
    [CALL_EXIT] = "exit", [CALL_HAZARD] = "hazard", [CALL_DEADLOCK] = "deadlock",
};

static void put_call(struct chrome_writer *w, size_t number)
{
    const struct call *c = &w->t->calls[number];
    w->threads[c->thread].seen = true;
    if (c->kind == CALL_LABEL || (c->kind == CALL_RANGE && c->flags == 0)) {
        put_label(w, c);
        return;
    }
    if (c->kind == CALL_RANGE || c->kind == CALL_NONE || c->kind == CALL_COST
        || c->kind == CALL_QUEUES || c->kind == CALL_POLL || c->kind >= CALL_KINDS
        || (c->kind >= CALL_FUNCTION_BEGIN && c->kind <= CALL_FUNCTION_END)
        || (c->kind == CALL_MIGRATE && c->node != NO_NODE))
        return;
    if ((c->flags & GRAPH_NODE) || c->kind == CALL_GRAPH_EDGE || c->kind == CALL_GRAPH_END)
        return;
    if (instants[c->kind]) {
        put_instant(w, HOST_PROCESS, c->thread + 1, instants[c->kind],
                    timeline_string(w->t, c->name), c->begin);
        return;
    }
    begin_event(w, 'X', HOST_PROCESS, c->thread + 1);
    put_name(w, "call", timeline_string(w->t, c->name));
    put_time(w->out, "ts", c->begin);
    put_time(w->out, "dur", known(w, c->end) - c->begin);
    fprintf(w->out, ",\"args\":{\"call\":%zu,\"kind\":\"%s\",\"status\":%" PRId32,
            w->calls_before + number, call_kind_name(c->kind), c->status);
    put_location(w, c);
    fputs("}}", w->out);
}

/* Inside its call, whatever the two say: a thread's events must nest. */
static void put_wait(struct chrome_writer *w, const struct span *s)
{
    const struct call *c = &w->t->calls[s->call];
    int64_t call_end = known(w, c->end), start = known(w, s->start), end = known(w, s->end);
    if (start < c->begin)
        start = c->begin;
    if (end > call_end)
        end = call_end;
    if (start > end)
        return;
    begin_event(w, 'X', HOST_PROCESS, c->thread + 1);
    put_name(w, "wait", s->end == TIME_NEVER ? "waits (never finished)" : "waits");
    put_time(w->out, "ts", start);
    put_time(w->out, "dur", end - start);
    fputs("}", w->out);
}

/* ---- devices ---- */

/* The stream's first track that is free at `start`, or a new one. */
static uint32_t find_track(struct chrome_writer *w, const struct span *s, int64_t start)
{
    uint32_t *link = &w->streams[s->stream].first, lane = 0;
    while (*link) {
        struct track *track = &w->tracks[*link - 1];
        if (track->device == s->device) {
            if (track->free_from <= start)
                return *link - 1;
            lane++;
        }
        link = &track->next;
    }
    *link = (uint32_t)w->track_count + 1;       /* before the array may move */
    w->tracks = memory_grow(w->tracks, w->track_count, &w->track_capacity, sizeof *w->tracks);
    w->tracks[w->track_count] = (struct track){
        .device = s->device, .stream = s->stream, .lane = lane, .free_from = INT64_MIN
    };
    return (uint32_t)w->track_count++;
}

static void put_flow(struct chrome_writer *w, size_t number, const struct span *s, uint32_t thread)
{
    size_t node = number - w->first_span + w->spans_before;
    const struct call *c = &w->t->calls[s->call];
    begin_event(w, 's', HOST_PROCESS, c->thread + 1);
    fprintf(w->out, ",\"cat\":\"queued\",\"name\":\"queued\",\"id\":%zu", node);
    put_time(w->out, "ts", c->begin);
    fputs("}", w->out);
    begin_event(w, 'f', FIRST_DEVICE + s->device, thread);
    fprintf(w->out, ",\"cat\":\"queued\",\"name\":\"queued\",\"id\":%zu,\"bp\":\"e\"", node);
    put_time(w->out, "ts", s->start);
    fputs("}", w->out);
}

static void put_operation(struct chrome_writer *w, size_t node)
{
    const struct span *s = &w->t->spans[node];
    const struct call *c = &w->t->calls[s->call];
    uint32_t process = FIRST_DEVICE + s->device;
    const char *name = timeline_string(w->t, s->name);
    if (c->kind == CALL_LAUNCH && s->engine == ENGINE_NONE)
        return;                 /* the rest of a kernel, which is there */
    bool begun = s->start != TIME_NEVER, instant = s->engine == ENGINE_NONE || !begun;
    int64_t start = begun ? s->start : known(w, s->queued), end = known(w, s->end);
    uint32_t thread = find_track(w, s, instant ? INT64_MAX : start) + 1;
    if (instant) {
        put_instant(w, process, thread, begun ? "moment" : "never begun", name, start);
        return;
    }
    w->tracks[thread - 1].free_from = s->end;
    begin_event(w, 'X', process, thread);
    put_name(w, engine_name(s->engine), name);
    put_time(w->out, "ts", start);
    put_time(w->out, "dur", (end > start ? end : start) - start);
    fprintf(w->out, ",\"args\":{\"call\":%zu,\"bytes\":%" PRIu64, w->calls_before + s->call,
            s->bytes);
    if (s->engine == ENGINE_KERNEL)
        fprintf(w->out,
                ",\"grid\":[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "],\"block\":[%" PRIu32 ",%" PRIu32
                ",%" PRIu32 "],\"shared\":%" PRIu32,
                c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2],
                c->shared);
    if (s->engine == ENGINE_PEER)
        fprintf(w->out, ",\"from\":%" PRIu32 ",\"to\":%" PRIu32 ",\"direct\":%s", c->src_device,
                c->dst_device, c->flags & COPY_DIRECT ? "true" : "false");
    if (s->end == TIME_NEVER)
        fputs(",\"finished\":false", w->out);
    put_location(w, c);
    fputs("}}", w->out);
    put_flow(w, node, s, thread);
}

/* The host's are calls already. A kernel's lie under it, in its stream's track: it lasts so much
 * longer. */
static void put_migration(struct chrome_writer *w, const struct migration *m)
{
    if (m->node == NO_NODE || m->start == TIME_NEVER || m->node >= w->t->span_count)
        return;
    const struct span *s = &w->t->spans[m->node];
    uint32_t thread = 0;
    while (thread < w->track_count
           && (w->tracks[thread].device != s->device || w->tracks[thread].stream != s->stream))
        thread++;
    if (thread == w->track_count)
        return;
    begin_event(w, 'X', FIRST_DEVICE + m->device, thread + 1);
    put_name(w, "migration", m->to_host ? "pages to the host" : "pages to the device");
    put_time(w->out, "ts", m->start);
    put_time(w->out, "dur", m->end - m->start);
    fprintf(w->out, ",\"args\":{\"bytes\":%" PRIu64 ",\"fault\":%s}}", m->bytes,
            m->fault ? "true" : "false");
}

/* ---- names ---- */

/* The first track of its device? */
static bool is_first(const struct chrome_writer *w, size_t track)
{
    for (size_t i = 0; i < track; i++)
        if (w->tracks[i].device == w->tracks[track].device)
            return false;
    return true;
}

static void name_tracks(struct chrome_writer *w)
{
    bool host_named = false;
    for (size_t i = 0; i < w->track_count; i++) {
        const struct track *track = &w->tracks[i];
        uint32_t process = FIRST_DEVICE + track->device, flags = w->streams[track->stream].flags;
        char name[64], lane[16] = "";
        if (track->lane)
            snprintf(lane, sizeof lane, " (%" PRIu32 ")", track->lane + 1);
        if (flags & (STREAM_LEGACY | STREAM_PER_THREAD))
            snprintf(name, sizeof name, "%s%s",
                     flags & STREAM_LEGACY ? "default stream" : "thread's default stream", lane);
        else
            snprintf(name, sizeof name, "stream %" PRIu32 "%s", track->stream, lane);
        put_metadata(w, process, (uint32_t)i + 1, "thread", name, track->stream);
        snprintf(name, sizeof name, "device %" PRIu32, track->device);
        if (is_first(w, i))
            put_metadata(w, process, (uint32_t)i + 1, "process", name, process);
    }
    for (uint32_t i = 0; i < w->thread_count; i++) {
        char name[32];
        if (!w->threads[i].seen)
            continue;
        snprintf(name, sizeof name, "host thread %" PRIu32, i);
        put_metadata(w, HOST_PROCESS, i + 1, "thread", name, i);
        if (!host_named)
            put_metadata(w, HOST_PROCESS, i + 1, "process", "host", HOST_PROCESS);
        host_named = true;
    }
}

static void close_labels(struct chrome_writer *w)
{
    for (size_t i = 0; i < w->nest_count; i++)
        for (; w->nests[i].labels > 0; w->nests[i].labels--) {
            begin_event(w, 'E', HOST_PROCESS, w->nests[i].track);
            put_time(w->out, "ts", w->horizon);
            fputs("}", w->out);
        }
}

static void know_stream(struct chrome_writer *w, uint32_t number)
{
    while (w->stream_count <= number) {
        w->streams =
            memory_grow(w->streams, w->stream_count, &w->stream_capacity, sizeof *w->streams);
        w->streams[w->stream_count++] = (struct stream){ 0, 0 };
    }
}

static void know_thread(struct chrome_writer *w, uint32_t number)
{
    while (w->thread_count <= number) {
        w->threads =
            memory_grow(w->threads, w->thread_count, &w->thread_capacity, sizeof *w->threads);
        w->threads[w->thread_count++] = (struct thread){ false };
    }
}

static void extend_horizon(struct chrome_writer *w, int64_t time)
{
    if (time != TIME_NEVER && time > w->horizon)
        w->horizon = time;
}

/* The piece's streams and threads, and the horizon. */
static void survey(struct chrome_writer *w)
{
    const struct timeline *t = w->t;
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        extend_horizon(w, c->end);
        extend_horizon(w, c->begin);
        know_thread(w, c->thread);
        if (c->kind == CALL_STREAM_CREATE) {
            know_stream(w, c->stream);
            w->streams[c->stream].flags = c->flags;
        }
    }
    for (size_t i = w->first_span; i < t->span_count; i++) {
        const struct span *s = &t->spans[i];
        extend_horizon(w, s->end != TIME_NEVER ? s->end : s->start);
        if (s->engine != ENGINE_WAIT)
            know_stream(w, s->stream);
    }
}

/* ---- a piece, and all of them ---- */

/* Said at once: what is done after a write that failed may say something else. */
static void note_failure(struct chrome_writer *w)
{
    if (w->error == 0 && ferror(w->out))
        w->error = errno;
}

struct chrome_writer *chrome_begin(FILE *out)
{
    struct chrome_writer *w = memory_resize(NULL, sizeof *w);
    *w = (struct chrome_writer){ .out = out };
    errno = 0;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
    note_failure(w);
    return w;
}

void chrome_add(struct chrome_writer *w, const struct timeline *t, size_t first_span)
{
    FILE *out = w->out;
    w->t = t;
    w->first_span = first_span;
    survey(w);
    for (size_t i = 0; i < t->call_count && !ferror(out); i++)
        put_call(w, i);
    for (size_t i = first_span; i < t->span_count && !ferror(out); i++) {
        if (t->spans[i].engine == ENGINE_WAIT)
            put_wait(w, &t->spans[i]);
        else
            put_operation(w, i);
    }
    for (size_t i = 0; i < t->migration_count && !ferror(out); i++)
        put_migration(w, &t->migrations[i]);
    w->calls_before += t->call_count;
    w->spans_before += t->span_count - first_span;
    note_failure(w);
}

bool chrome_end(struct chrome_writer *w)
{
    FILE *out = w->out;
    if (!ferror(out)) {
        close_labels(w);
        name_tracks(w);
        fputs("\n]}\n", out);
    }
    note_failure(w);
    if (w->error == 0 && fflush(out) == EOF)
        w->error = errno;
    int error = w->error;
    bool written = !ferror(out);
    memory_resize(w->streams, 0);
    memory_resize(w->threads, 0);
    memory_resize(w->nests, 0);
    memory_resize(w->tracks, 0);
    memory_resize(w, 0);
    errno = error;
    return written;
}

bool chrome_write(FILE *out, const struct timeline *t)
{
    struct chrome_writer *w = chrome_begin(out);
    chrome_add(w, t, 0);
    return chrome_end(w);
}
