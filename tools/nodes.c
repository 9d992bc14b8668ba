/* SPDX-License-Identifier: MIT */
/*
 * nodes LOG - what a log of calls comes to, as lines for scripts: from a recorder's log what the
 * card did, from the simulator's what the card of the name $SIM_PROFILE does.
 *
 *   label   CALL TEXT                      a label opens at this call; TEXT is empty: the innermost
 * closes node    N CALL ENGINE NAME STREAM DEVICE START END BYTES DST SRC KIND edge    N BEFORE
 * node N is bound to wait for node BEFORE (GUARANTEED edges of happens_before.h alone)
 *
 * Fields are separated by tabs; times in ns, -1 for never; addresses are those of a copy, and KIND
 * is the memory that it reads. Status 2, and one line: the log is damaged or not whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/card.h"
#include "model/model.h"
#include "trace/record/log.h"
#include "trace/order/happens_before.h"
#include "trace/order/recorded.h"

static int trouble(const char *what, const char *why)
{
    fprintf(stderr, "nodes: %s: %s\n", what, why);
    return 2;
}

/* A name of the program's: nothing in it ends a field. */
static void put_text(const char *text)
{
    for (; *text; text++)
        putchar((unsigned char)*text < ' ' ? ' ' : *text);
}

static long long moment(int64_t t)
{
    return t == TIME_NEVER ? -1 : (long long)t;
}

static void put(const struct timeline *t, const struct happens_before *o)
{
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_LABEL) {
            printf("label\t%zu\t", i);
            put_text(timeline_string(t, t->calls[i].name));
            putchar('\n');
        }
    for (size_t k = 0; k < t->span_count; k++) {
        const struct span *s = &t->spans[k];
        const struct call *c = &t->calls[s->call];
        printf("node\t%zu\t%u\t%s\t", k, s->call,
               s->engine == ENGINE_NONE ? "none" : engine_name(s->engine));
        put_text(timeline_string(t, s->name));
        printf("\t%u\t%u\t%lld\t%lld\t%llu\t%llu\t%llu\t%s\n", s->stream, s->device,
               moment(s->start), moment(s->end), (unsigned long long)s->bytes,
               (unsigned long long)c->dst, (unsigned long long)c->src,
               c->src_kind == MEM_NONE ? "none" : memory_kind_name(c->src_kind));
        size_t count;
        const struct edge *edges = hb_edges(o, (uint32_t)k, &count);
        for (size_t e = 0; e < count; e++)
            if (edges[e].strength == GUARANTEED)
                printf("edge\t%zu\t%u\n", k, edges[e].from);
    }
}

int main(int argc, char **argv)
{
    static struct log_reader reader;
    static struct timeline log, t;
    static struct happens_before o;
    static char bytes[65536], why[RECORDED_TROUBLE];
    ssize_t n;
    if (argc != 2)
        return trouble("usage", "nodes LOG");
    int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return trouble(argv[1], strerror(errno));
    timeline_init(&log);
    timeline_init(&t);
    hb_init(&o);
    log_reader_init(&reader);
    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        log_read(&reader, &log, bytes, (size_t)n);
    close(fd);
    if (reader.error)
        return trouble(argv[1], reader.error);
    if (recorded_device(&log, 0)) {
        if (!recorded_replay(&log, &t, &o, why))
            return trouble(argv[1], why);
    } else {
        const char *option = getenv("SIM_PROFILE");
        const struct card *card = card_find(option && *option ? option : "h200");
        if (!card)
            return trouble(option, "there is no such card");
        model_replay(&log, card, &t, &o);
    }
    put(&t, &o);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : trouble("standard output", strerror(errno));
}
