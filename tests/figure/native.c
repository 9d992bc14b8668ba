/* SPDX-License-Identifier: MIT */
/*
 * native CARD... < CALLS: makes the calls on a figure of each card and shows what
 * came of them, as show.mjs does with the figure from WebAssembly.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "figure/figure.h"

/* Each line of CALLS is one: a function of figure.h and its numbers. */
static void make(const char *call, const long n[5])
{
    if (strcmp(call, "stream") == 0) figure_stream((uint32_t)n[0], (int32_t)n[1]);
    if (strcmp(call, "launch") == 0)
        figure_launch((uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], (int32_t)n[3]);
    if (strcmp(call, "copy") == 0)
        figure_copy((uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2], (uint32_t)n[3], n[4] != 0);
    if (strcmp(call, "record") == 0) figure_record((uint32_t)n[0]);
    if (strcmp(call, "wait") == 0) figure_wait((uint32_t)n[0], (uint32_t)n[1]);
    if (strcmp(call, "work") == 0) figure_work((uint32_t)n[0]);
    if (strcmp(call, "sync") == 0) figure_sync();
}

static void show(const char *card, const char *calls)
{
    snprintf(figure_name(), FIGURE_NAME, "%s", card);
    if (!figure_begin(0, 0)) {
        puts("no such card");
        return;
    }
    snprintf(figure_name(), FIGURE_NAME, "scale<&>");
    for (const char *line = calls; *line; line += strcspn(line, "\n") + 1) {
        char call[16];
        long n[5] = { 0 };
        if (sscanf(line, "%15s %ld %ld %ld %ld %ld", call, &n[0], &n[1], &n[2], &n[3], &n[4]) > 0)
            make(call, n);
    }
    for (uint32_t i = 0; i < figure_spans(); i++) {
        for (uint32_t field = FIGURE_ENGINE; field <= FIGURE_END; field++)
            printf("%s%" PRId64, field ? " " : "", figure_span(i, field));
        puts("");
    }
    printf("%" PRId64 " %" PRId64 " %" PRIu32 " %" PRId64 "\n", figure_length(), figure_drawn(),
           figure_busiest(), figure_busy(figure_busiest()));
    fputs(figure_svg(720, 0), stdout);
    fputs(figure_svg(720, 2 * figure_drawn()), stdout);
}

int main(int argc, char **argv)
{
    static char calls[1 << 16];
    calls[fread(calls, 1, sizeof calls - 1, stdin)] = '\0';
    for (int i = 1; i < argc; i++)
        show(argv[i], calls);
}
