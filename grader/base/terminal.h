/* SPDX-License-Identifier: MIT */
/*
 * terminal.h - how a report may look where it is shown.
 *
 * Colour, by the first that speaks: --color, NO_COLOR, CLICOLOR_FORCE or
 * FORCE_COLOR, else a terminal whose TERM is not "dumb". A word always stands
 * beside the colour. Width: --width, the terminal's, COLUMNS, or 80.
 */
#ifndef GRADER_BASE_TERMINAL_H
#define GRADER_BASE_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum tone { PLAIN, GOOD, BAD, HELD, FAINT, BOLD, TONES };

struct terminal {
    FILE *out;
    int width;
    bool color, ascii;
};

/* width 0: find out. ascii false: unless the locale is not UTF-8. */
void terminal_init(struct terminal *t, FILE *out, enum color_mode option, int width, bool ascii);

/* Prints text in a tone. */
void terminal_print(const struct terminal *t, enum tone tone, const char *text);
/* `head` and then the words of `text`, broken at the width; later lines begin at column `indent`.
 * head NULL: the cursor is at that column already. */
void terminal_wrap(const struct terminal *t, int indent, const char *head, enum tone tone,
                   const char *text);

/* "[####>---] what": on a terminal only (else false), over what it drew there before; `done` < 0
 * takes it away. */
bool terminal_bar(FILE *out, int64_t done, int64_t total, const char *what);

#endif
