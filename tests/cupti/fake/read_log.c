/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake.h"
#include "trace/order/recorded.h"
#include "trace/record/authenticated_log.h"
#include "trace/record/log.h"

static void print(const struct timeline *t, const struct call *c)
{
    printf("%s", call_kind_name(c->kind));
    if (c->name)
        printf(" %s", timeline_string(t, c->name));
    if (c->line)
        printf(" at %s:%u", timeline_string(t, c->file), c->line);
    if (c->kind == CALL_RAN)
        printf(" of %llu", (unsigned long long)c->src);
    else if (c->kind < CALL_STREAM_QUERY && c->kind != CALL_DEVICE_SYNC
             && c->kind != CALL_EVENT_SYNC)
        printf(" in %u", c->stream);
    if (c->bytes && c->kind != CALL_DEVICE)
        printf(" %llu bytes", (unsigned long long)c->bytes);
    if (c->dst_kind || c->src_kind)
        printf(" %s to %s", memory_kind_name(c->src_kind), memory_kind_name(c->dst_kind));
    if (c->kind == CALL_OTHER && c->bytes == 0 && c->dst != 0)
        printf(" graph %#llx", (unsigned long long)c->dst);
    if (c->thread)
        printf(" by %u", c->thread);
    if (c->status)
        printf(" status %d", c->status);
    if (c->message)
        printf(": %s", timeline_string(t, c->message));
    putchar('\n');
}

struct reading { struct timeline log; struct log_reader reader; };

static void take(void *context, const void *bytes, size_t count)
{
    struct reading *r = context;
    log_read(&r->reader, &r->log, bytes, count);
}

int read_log(void)
{
    static struct authlog_reader verifier;
    static char bytes[1 << 16], trouble[RECORDED_TROUBLE];
    struct timeline t;
    struct happens_before o;
    struct reading r;
    const char *key = getenv("WORKBOOK_KEY");
    bool authenticated = key && authlog_init(&verifier.authlog, key);
    timeline_init(&r.log);
    timeline_init(&t);
    hb_init(&o);
    log_reader_init(&r.reader);
    for (ssize_t n; (n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0;)
        if (authenticated)
            authlog_read(&verifier, bytes, (size_t)n, take, &r);
        else
            take(&r, bytes, (size_t)n);
    for (size_t i = 0; i < r.log.call_count; i++)
        print(&r.log, &r.log.calls[i]);
    puts(verifier.broken ? "something else wrote into it" : r.reader.error ? r.reader.error
         : recorded_replay(&r.log, &t, &o, trouble) ? "whole" : trouble);
    return 0;
}
