/* SPDX-License-Identifier: MIT */
#include "grader/base/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "grader/base/text.h"

#define WIDTH_LEAST 40
#define WIDTH_MOST 100          /* longer lines are hard to read */

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] != '\0';
}

static bool is_on(const char *name)
{
    return is_set(name) && strcmp(getenv(name), "0") != 0;
}

static bool wants_color(FILE *out, enum color_mode option)
{
    if (option != COLOR_AUTO)
        return option == COLOR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    if (is_on("CLICOLOR_FORCE") || is_on("FORCE_COLOR"))
        return true;
    return isatty(fileno(out)) && is_set("TERM") && strcmp(getenv("TERM"), "dumb") != 0;
}

static int find_width(FILE *out)
{
    struct winsize size;
    int width = is_set("COLUMNS") ? atoi(getenv("COLUMNS")) : 0;
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    if (width <= 0)
        return 80;
    return width < WIDTH_LEAST ? WIDTH_LEAST : width > WIDTH_MOST ? WIDTH_MOST : width;
}

/* By the names alone: a locale that is not installed still says what its terminal shows. */
static bool utf8_locale(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_set(names[i])) {
            const char *value = getenv(names[i]);
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
        }
    return false;
}

void terminal_init(struct terminal *t, FILE *out, enum color_mode option, int width, bool ascii)
{
    t->out = out;
    t->color = wants_color(out, option);
    t->width = width > 0 ? width : find_width(out);
    t->ascii = ascii || !utf8_locale();
}

void terminal_print(const struct terminal *t, enum tone tone, const char *text)
{
    static const char *const code[TONES] = {
        [PLAIN] = "", [GOOD] = "\033[32m", [BAD] = "\033[1;31m", [HELD] = "\033[33m",
        [FAINT] = "\033[2m", [BOLD] = "\033[1m",
    };
    if (t->color && tone != PLAIN)
        fprintf(t->out, "%s%s\033[0m", code[tone], text);
    else
        fputs(text, t->out);
}

void terminal_wrap(const struct terminal *t, int indent, const char *head, enum tone tone,
                   const char *text)
{
    int column = head ? (int)text_columns(head) : indent;
    fputs(head ? head : "", t->out);
    for (; column < indent; column++)
        fputc(' ', t->out);
    bool first = true;
    for (text += strspn(text, " \n"); *text != '\0'; text += strspn(text, " \n")) {
        size_t length = strcspn(text, " \n");
        char word[512];
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        int columns = (int)text_columns(word);
        if (!first && column + 1 + columns > t->width) {
            fprintf(t->out, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', t->out);
            column++;
        }
        terminal_print(t, tone, word);
        column += columns;
        first = false;
        text += length;
    }
    fputc('\n', t->out);
}

bool terminal_bar(FILE *out, int64_t done, int64_t total, const char *what)
{
    char bar[25];
    int filled = total > 0 && done > 0
                     ? (int)((done < total ? done : total) * (int)(sizeof bar - 1) / total)
                     : 0;
    if (!isatty(fileno(out)) || !is_set("TERM") || strcmp(getenv("TERM"), "dumb") == 0)
        return false;
    memset(bar, '-', sizeof bar - 1);
    memset(bar, '#', (size_t)filled);
    if (filled < (int)sizeof bar - 1)
        bar[filled] = '>';
    bar[sizeof bar - 1] = '\0';
    if (done < 0)
        fputs("\r\033[K", out);
    else
        fprintf(out, "\r\033[K[%s] %s", bar, what);
    fflush(out);
    return true;
}
