/* SPDX-License-Identifier: MIT */
/*
 * shares < LOG: of each label of a recorded log its name, how long the device took from its first
 * operation to its last, in us, the busiest engine and its busy share in thousandths, by tabs.
 * Status 1: the log is not whole, and why.
 */
#include <stdio.h>
#include <unistd.h>

#include "trace/record/log.h"
#include "trace/record/measure.h"
#include "trace/order/recorded.h"

int main(void)
{
    static char bytes[1 << 16], trouble[RECORDED_TROUBLE];
    struct timeline log, t;
    struct happens_before order;
    struct log_reader reader;
    timeline_init(&log);
    timeline_init(&t);
    hb_init(&order);
    log_reader_init(&reader);
    for (ssize_t n; (n = read(STDIN_FILENO, bytes, sizeof bytes)) > 0;)
        log_read(&reader, &log, bytes, (size_t)n);
    if (!recorded_replay(&log, &t, &order, trouble)) {
        fprintf(stderr, "%s\n", trouble);
        return 1;
    }
    for (size_t i = 0; i < t.call_count; i++) {
        const struct call *c = &t.calls[i];
        if (c->kind != CALL_LABEL || c->name == 0)
            continue;
        struct selection s = { .engines = ENGINES_DEVICE, .device = ANY, .stream = ANY };
        struct interval extent;
        enum engine which;
        if (measure_label(&t, timeline_string(&t, c->name), &s.first_call, &s.end_call)
            && measure_extent(&t, s, &extent)) {
            unsigned share = measure_busy_share(&t, s, &which);
            printf("%s\t%.1f\t%s\t%u\n", timeline_string(&t, c->name),
                   (double)(extent.end - extent.start) / 1000, engine_name(which), share);
        }
    }
    return 0;
}
