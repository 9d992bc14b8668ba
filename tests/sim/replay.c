/* SPDX-License-Identifier: MIT */
/*
 * Shows a timeline as text, to compare: replay < LOG shows what a replay of a
 * program's log gives on the card SIM_PROFILE. Compiled with -DIN_PROGRAM and linked into a
 * program, it shows the program's own timeline at its end, to descriptor SHOW.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/model.h"
#include "trace/record/log.h"

/* "page in 65536 fault: address" */
static void show_page(FILE *out, const struct call *c)
{
    fprintf(out, "page %s %" PRIu64 " %s: %" PRIx64 "\n", c->dst_kind == MEM_DEVICE ? "in" : "out",
            c->bytes,
            c->flags & MIGRATE_FAULT    ? "fault"
            : c->flags & MIGRATE_EVICTS ? "evicts"
                                        : "prefetch",
            c->dst);
}

static void show(FILE *out, const struct timeline *t)
{
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        fprintf(out,
                "%s %s thread %" PRIu32 " node %" PRId32 " status %" PRId32 ": %" PRId64 " %" PRId64
                "\n",
                call_kind_name(c->kind), timeline_string(t, c->name), c->thread, (int32_t)c->node,
                c->status, c->begin, c->end);
        if (c->kind == CALL_MIGRATE)
            show_page(out, c);
    }
    for (size_t i = 0; i < t->span_count; i++) {
        const struct span *s = &t->spans[i];
        fprintf(out,
                "%s %s device %" PRIu32 " stream %" PRIu32 " call %" PRIu32 ": %" PRId64 " %" PRId64
                " %" PRId64 "\n",
                engine_name(s->engine), timeline_string(t, s->name), s->device, s->stream, s->call,
                s->queued, s->start, s->end);
    }
    for (size_t i = 0; i < t->migration_count; i++) {
        const struct migration *m = &t->migrations[i];
        fprintf(out, "migration call %" PRIu32 ": %" PRId64 " %" PRId64 "\n", m->call, m->start,
                m->end);
    }
}

#ifdef IN_PROGRAM
#include "sim/sim.h"

__attribute__((destructor)) static void end(void)
{
    const char *to = getenv("SHOW");
    FILE *out = to ? fdopen(atoi(to), "w") : NULL;
    if (!out)
        return;
    show(out, &sim.timeline);
    fclose(out);
}
#else
int main(void)
{
    static char bytes[1 << 16];
    struct timeline log, t;
    struct happens_before order;
    struct log_reader reader;
    timeline_init(&log);
    timeline_init(&t);
    hb_init(&order);
    log_reader_init(&reader);
    for (ssize_t n; (n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0;)
        log_read(&reader, &log, bytes, (size_t)n);
    if (reader.error) {
        fprintf(stderr, "%s\n", reader.error);
        return 2;
    }
    const char *card = getenv("SIM_PROFILE");
    model_replay(&log, card_find(card ? card : "h200"), &t, &order);
    show(stdout, &t);
    timeline_fini(&log);
    timeline_fini(&t);
    hb_fini(&order);
    log_reader_fini(&reader);
}
#endif
