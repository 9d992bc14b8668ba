/* SPDX-License-Identifier: MIT */
/* A card's record, as a program could forge it: read, given times and order, its device described,
 * measured, drawn. */
#include "tests/fuzz/fuzz.h"

#include "grader/judge/shared/real_card.h"
#include "trace/draw/draw.h"
#include "trace/record/log.h"
#include "trace/record/measure.h"
#include "trace/order/recorded.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct timeline log, t;
    struct happens_before order;
    struct log_reader reader;
    struct card card;
    char trouble[RECORDED_TROUBLE];
    timeline_init(&log), timeline_init(&t);
    hb_init(&order);
    log_reader_init(&reader);
    log_read(&reader, &log, bytes, count);
    bool whole = recorded_replay(&log, &t, &order, trouble);
    HOLDS(whole == (trouble[0] == '\0'));
    HOLDS(t.span_count <= t.call_count * 2);
    for (size_t i = 0; i < t.span_count; i++)
        HOLDS(t.spans[i].call < t.call_count);
    real_card(&card, &log);
    HOLDS(card.devices >= 1);

    /* What is not whole is not judged, and is drawn all the same. */
    FILE *out = fopen("/dev/null", "w");
    struct drawing d = { .streams = true, .engines = true, .width = 100 };
    measure_part(&t, "a", &d.first_call, &d.end_call);
    draw_text(out, &t, &d);
    d.width = 1000;
    draw_svg(out, &t, &d);
    fclose(out);
    log_reader_fini(&reader);
    hb_fini(&order);
    timeline_fini(&log), timeline_fini(&t);
    return 0;
}
