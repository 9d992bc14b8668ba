/* SPDX-License-Identifier: MIT */
#include "grader/batch/intake/gradescope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/batch/files/dates.h"

/* ---- values ---- */

static void put(char *to, size_t size, size_t *used, char c)
{
    if (*used + 1 < size)
        to[(*used)++] = c;
}

/* What stands after a key, without its quotes. */
static void read_value(const char *at, size_t n, char *to, size_t size)
{
    size_t used = 0, i = 0;
    while (i < n && at[i] == ' ')
        i++;
    while (n > i && (at[n - 1] == ' ' || at[n - 1] == '\r'))
        n--;
    char quote = i < n && (at[i] == '\'' || at[i] == '"') ? at[i++] : '\0';
    for (; i < n; i++) {
        if (quote == '\'' && at[i] == '\'') {
            if (i + 1 == n || at[i + 1] != '\'')
                break;
            i++;
        } else if (quote == '"' && at[i] == '"') {
            break;
        } else if (quote == '"' && at[i] == '\\' && i + 1 < n) {
            i++;                /* it is a quote or a backslash: letters are written as they are */
        } else if (quote == '\0' && at[i] == '#' && i > 0 && at[i - 1] == ' ') {
            break;
        }
        put(to, size, &used, at[i]);
    }
    while (quote == '\0' && used > 0 && to[used - 1] == ' ')
        used--;
    to[used] = '\0';
    if (quote == '\0' && (strcmp(to, "null") == 0 || strcmp(to, "~") == 0))
        to[0] = '\0';
}

/* Is the line this key, so far to the right? Then its value. */
static bool value_of(const char *line, size_t n, const char *key, char *to, size_t size)
{
    size_t length = strlen(key);
    if (n < length || memcmp(line, key, length) != 0)
        return false;
    read_value(line + length, n - length, to, size);
    return true;
}

/* "2026-01-11 10:00:00.000000000 Z" */
static int64_t read_date(const char *text)
{
    char day[16], clock[16], zone[16] = "", date[64];
    int64_t when;
    if (sscanf(text, "%10[0-9-]%*1[ T]%8[0-9:]%*1[.]%*[0-9] %7s", day, clock, zone) != 3
        && sscanf(text, "%10[0-9-]%*1[ T]%8[0-9:] %7s", day, clock, zone) != 3)
        return 0;
    snprintf(date, sizeof date, "%sT%s%s", day, clock, strcmp(zone, "UTC") == 0 ? "Z" : zone);
    return date_read(date, &when) ? when : 0;
}

/* ---- lines ---- */

static void read_key(struct gradescope_submission *s, const char *line, size_t n)
{
    char text[64];
    bool item = n > 4 && memcmp(line, "  - ", 4) == 0;
    if (value_of(line, n, "  :created_at:", text, sizeof text)) {
        s->when = read_date(text);
        return;
    }
    if (item && s->count < GRADESCOPE_PEOPLE && memcmp(line, "  - :", 5) == 0)
        s->people[s->count++] = (struct gradescope_person){ .name = "" };
    if (s->count == 0 || n < 4 || (!item && memcmp(line, "    ", 4) != 0))
        return;
    struct gradescope_person *p = &s->people[s->count - 1];
    if (!value_of(line + 4, n - 4, ":name:", p->name, sizeof p->name)
        && !value_of(line + 4, n - 4, ":sid:", p->sid, sizeof p->sid))
        value_of(line + 4, n - 4, ":email:", p->email, sizeof p->email);
}

/* A line that begins at the left, and names a submission. */
static bool is_submission(const char *line, size_t n, char *folder, size_t size)
{
    while (n > 0 && (line[n - 1] == '\r' || line[n - 1] == ' '))
        n--;
    if (n < 2 || line[n - 1] != ':' || line[0] == ' ' || line[0] == '-')
        return false;
    read_value(line, n - 1, folder, size);
    return folder[0] != '\0';
}

bool gradescope_next(const char **rest, struct gradescope_submission *s)
{
    const char *end = *rest + strlen(*rest), *line, *before = *rest;
    size_t n;
    bool begun = false, people = false;
    *s = (struct gradescope_submission){ .count = 0 };
    while ((line = text_next_line(rest, end, &n))) {
        char folder[64];
        if (is_submission(line, n, folder, sizeof folder)) {
            if (begun) {
                *rest = before;         /* the next one's */
                return true;
            }
            begun = true;
            memcpy(s->folder, folder, sizeof folder);
        } else if (begun) {
            /* The list of people ends where the next key of the submission stands. */
            if (n > 2 && memcmp(line, "  :", 3) == 0)
                people = n >= 14 && memcmp(line, "  :submitters:", 14) == 0;
            if (people || (n > 2 && memcmp(line, "  :", 3) == 0))
                read_key(s, line, n);
        }
        before = *rest;
    }
    return begun;
}
