/* SPDX-License-Identifier: MIT */
/* A log of calls: read authenticated and in pieces, replayed both ways, measured, drawn, exported.
 * The first two bytes choose card and size of the pieces. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "model/card_files.h"
#include "model/model.h"
#include "model/replay.h"
#include "trace/record/chrome.h"
#include "trace/draw/draw.h"
#include "trace/record/log.h"
#include "trace/record/measure.h"
#include "trace/record/authenticated_log.h"

static void join(void *context, const struct replay_piece *p)
{
    replay_put_together(context, p);
}

static void drop(void *context, const void *bytes, size_t count)
{
    (void)context, (void)bytes, (void)count;
}

static void read_authenticated(const uint8_t *bytes, size_t count, size_t piece)
{
    static struct authlog_reader r;
    memset(&r, 0, sizeof r);
    HOLDS(authlog_init(&r.authlog, "00112233445566778899aabbccddeeff"));
    for (size_t at = 0; at < count; at += piece)
        authlog_read(&r, bytes + at, count - at < piece ? count - at : piece, drop, NULL);
}

/* Does the same log come to the same timeline in pieces and as a whole? */
static void compare_replays(const struct timeline *a, const struct timeline *b)
{
    HOLDS(a->call_count == b->call_count && a->span_count == b->span_count
          && a->migration_count == b->migration_count);
    for (size_t i = 0; i < a->span_count; i++)
        HOLDS(a->spans[i].start == b->spans[i].start && a->spans[i].end == b->spans[i].end);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count < 2)
        return 0;
    const struct card *card = card_at(bytes[0] % card_count());
    size_t piece = 1 + bytes[1];
    bytes += 2, count -= 2;
    read_authenticated(bytes, count, piece);

    struct timeline log, whole, together;
    struct happens_before order;
    struct log_reader reader;
    timeline_init(&log), timeline_init(&whole), timeline_init(&together);
    hb_init(&order);
    log_reader_init(&reader);
    struct replay *replay = replay_new(card, join, &together);
    for (size_t at = 0; at < count; at += piece) {
        size_t n = count - at < piece ? count - at : piece;
        log_read(&reader, &log, bytes + at, n);
        replay_read(replay, bytes + at, n);
    }
    model_replay(&log, card, &whole, &order);
    const char *error = replay_end(replay);
    HOLDS((!error) == (!reader.error));
    compare_replays(&whole, &together);

    FILE *out = fopen("/dev/null", "w");
    struct drawing d = { .streams = true, .engines = true, .width = 100 };
    draw_text(out, &whole, &d);
    d.width = 1000;
    draw_svg(out, &whole, &d);
    chrome_write(out, &whole);
    fclose(out);
    measure_part(&whole, "a", &d.first_call, &d.end_call);
    log_reader_fini(&reader);
    hb_fini(&order);
    timeline_fini(&log), timeline_fini(&whole), timeline_fini(&together);
    return 0;
}
