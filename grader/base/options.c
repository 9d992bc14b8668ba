/* SPDX-License-Identifier: MIT */
#include "grader/base/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "model/hosted/card_open.h"
#include "trace/record/chrome.h"
#include "trace/record/log.h"

int option_width(const char *option, const char *value)
{
    char *rest;
    long width = strtol(value, &rest, 10);
    if (*rest != '\0' || width < 40 || width > 1000)
        die("%s wants a number from 40 to 1000, not '%s'", option, value);
    return (int)width;
}

enum color_mode option_color(const char *value)
{
    static const char *const words[] = { [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always",
                                         [COLOR_NEVER] = "never" };
    for (enum color_mode option = COLOR_AUTO; option <= COLOR_NEVER; option++)
        if (strcmp(value, words[option]) == 0)
            return option;
    die("--color wants auto, always or never, not '%s'", value);
}

double option_time_limit(const char *value)
{
    char *rest;
    double seconds = strtod(value, &rest);
    if (*rest != '\0' || !(seconds >= 0.1 && seconds <= 3600))
        die("--time-limit wants seconds from 0.1 to 3600, not '%s'", value);
    return seconds;
}

const struct card *option_card(const char *name)
{
    char trouble[CARD_TROUBLE];
    const struct card *card = card_open(name ? name : getenv("SIM_PROFILE"), trouble);
    if (!card)
        die("%s", trouble);
    return card;
}

/* ---- files ---- */

FILE *file_create(const char *path)
{
    FILE *out = fopen(path, "we");
    if (!out)
        die("cannot write %s: %s", path, strerror(errno));
    return out;
}

void file_finish(const char *path, FILE *out)
{
    bool left = reader_left(out), good = !ferror(out);
    if ((fclose(out) != 0 || !good) && !left)
        die("cannot write %s: %s", path, strerror(errno));
}

static void put(void *context, const void *bytes, size_t count)
{
    fwrite(bytes, 1, count, context);
}

void export_log(const char *path, const struct timeline *t)
{
    if (!path)
        return;
    FILE *out = file_create(path);
    struct log_writer w = { .put = put, .context = out };
    log_begin(&w);
    for (size_t i = 0; i < t->call_count; i++)
        log_write(&w, t, &t->calls[i]);
    file_finish(path, out);
}

void export_trace(const char *path, const struct timeline *t)
{
    if (!path)
        return;
    FILE *out = file_create(path);
    chrome_write(out, t);           /* what it could not write shows in the stream */
    file_finish(path, out);
}

void export_svg(const char *path, const struct timeline *t, const struct drawing *d)
{
    if (!path)
        return;
    FILE *out = file_create(path);
    draw_svg(out, t, d);
    file_finish(path, out);
}
