/* SPDX-License-Identifier: MIT */
/* spans CARD LABEL < LOG: the spans of the label on that card as explore.mjs prints those of a
 * figure. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "model/model.h"
#include "trace/record/log.h"
#include "trace/record/measure.h"

static struct timeline log_of_calls, t;
static struct happens_before order;

static uint32_t place(uint32_t stream)
{
    static uint32_t seen[64], count;
    uint32_t i = 0;
    while (i < count && seen[i] != stream)
        i++;
    if (i == count && count < 64)
        seen[count++] = stream;
    return i;
}

int main(int argc, char **argv)
{
    static char bytes[1 << 16];
    struct log_reader reader;
    size_t first, end;
    if (argc != 3)
        return 2;
    timeline_init(&log_of_calls);
    timeline_init(&t);
    hb_init(&order);
    log_reader_init(&reader);
    for (ssize_t n; (n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0;)
        log_read(&reader, &log_of_calls, bytes, (size_t)n);
    model_replay(&log_of_calls, card_find(argv[1]), &t, &order);
    if (!measure_label(&t, argv[2], &first, &end))
        return 1;
    int64_t begin = INT64_MAX;
    for (size_t i = 0; i < t.span_count; i++) {
        const struct span *s = &t.spans[i];
        if (s->call >= first && s->call < end && s->engine > ENGINE_NONE && s->engine < ENGINE_WAIT
            && s->start < begin)
            begin = s->start;
    }
    for (size_t i = 0; i < t.span_count; i++) {
        const struct span *s = &t.spans[i];
        if (s->call >= first && s->call < end && s->engine > ENGINE_NONE && s->engine < ENGINE_WAIT)
            printf("%u %u %" PRId64 " %" PRId64 "\n", s->engine, place(s->stream), s->start - begin,
                   s->end - begin);
    }
    timeline_fini(&log_of_calls);
    timeline_fini(&t);
    hb_fini(&order);
    log_reader_fini(&reader);
    return 0;
}
