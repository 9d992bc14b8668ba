/* SPDX-License-Identifier: MIT */
#include "grader/batch/files/dates.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wctype.h>

#include "grader/base/text.h"

#define DAY 86400

bool date_read(const char *text, int64_t *when)
{
    struct tm t = { .tm_hour = 0 };
    int used = 0, hours = 0, minutes = 0;
    char sign = '+', zone[8] = "";
    if (sscanf(text, "%4d-%2d-%2d%n", &t.tm_year, &t.tm_mon, &t.tm_mday, &used) != 3)
        return false;
    const char *rest = text + used;
    if (*rest == '\0') {        /* the whole of that day */
        t.tm_hour = 23, t.tm_min = 59, t.tm_sec = 59;
    } else {
        int n = 0;
        if (sscanf(rest, "%*1[T ]%2d:%2d%n", &t.tm_hour, &t.tm_min, &n) != 2)
            return false;
        rest += n;
        if (sscanf(rest, ":%2d%n", &t.tm_sec, &n) == 1)
            rest += n;
        if (strcmp(rest, "Z") != 0) {
            if (sscanf(rest, "%7s", zone) != 1
                || sscanf(zone, "%c%2d:%2d", &sign, &hours, &minutes) != 3
                || (sign != '+' && sign != '-'))
                return false;   /* a time of nowhere would mean another moment on another machine */
        }
    }
    struct tm asked = t;
    t.tm_year -= 1900, t.tm_mon -= 1;
    int64_t seconds = timegm(&t);
    if (t.tm_mon != asked.tm_mon - 1 || t.tm_mday != asked.tm_mday || t.tm_hour != asked.tm_hour
        || t.tm_min != asked.tm_min)
        return false;
    *when = seconds - (sign == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return true;
}

bool date_span(const char *text, int64_t *seconds)
{
    static const struct { char unit; int64_t seconds; } units[] = { { 's', 1 }, { 'm', 60 },
                                                                    { 'h', 3600 }, { 'd', DAY } };
    char *rest;
    long n = strtol(text, &rest, 10);
    if (rest == text || n < 0 || n > 1000000 || strlen(rest) != 1)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (*rest == units[i].unit) {
            *seconds = n * units[i].seconds;
            return true;
        }
    return false;
}

/* ---- in words ---- */

/* Each month in small letters, a word a language; the English ones in three letters as well. */
static const char *const months[12] = {
    "january jan januar januari janvier enero gennaio janeiro stycznia ledna января",
    "february feb februar februari février febrero febbraio fevereiro lutego února февраля",
    "march mar märz maart mars marzo março marca března марта",
    "april apr avril abril aprile kwietnia dubna апреля",
    "may mai mei maj mayo maggio maio maja května мая",
    "june jun juni juin junio giugno junho czerwca června июня",
    "july jul juli juillet julio luglio julho lipca července июля",
    "august aug augustus augusti août agosto sierpnia srpna августа",
    "september sep septembre septiembre settembre setembro września září сентября",
    "october oct oktober octobre octubre ottobre outubro października října октября",
    "november nov novembre noviembre novembro listopada listopadu ноября",
    "december dec dezember décembre diciembre dicembre dezembro grudnia prosince декабря",
};

/* From 1; 0: it is none. */
static int month_of(const char *word, size_t n)
{
    for (int m = 0; m < 12; m++)
        for (const char *at = months[m]; *at != '\0'; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            if (length == n && strncmp(at, word, n) == 0)
                return m + 1;
            at += length;
        }
    return 0;
}

struct words { int number[3], digits[3], count, month, hour, minute, second; bool dots, clock, am,
               pm; };

static size_t take_number(struct words *w, const char *at)
{
    int n = 0;
    if (!w->clock && sscanf(at, "%2d:%2d%n", &w->hour, &w->minute, &n) == 2 && n >= 4) {
        int more = 0;
        w->clock = true;
        return sscanf(at + n, ":%2d%n", &w->second, &more) == 1 ? (size_t)(n + more) : (size_t)n;
    }
    size_t digits = strspn(at, "0123456789");
    if (w->count < 3) {
        w->digits[w->count] = (int)digits;
        w->number[w->count++] = atoi(at);
        w->dots |= at[digits] == '.';
    }
    return digits;
}

/* Small letters, the word's length in bytes; what is longer is no month. */
static size_t take_word(struct words *w, const char *at)
{
    char small[64];
    size_t used = 0, n = 0, length;
    for (uint32_t c; (length = utf8_at(at + n, strlen(at + n), &c)) > 0 && iswalpha((wint_t)c);
         n += length) {
        char letter[8];
        int bytes = snprintf(letter, sizeof letter, "%lc", (wint_t)towlower((wint_t)c));
        if (bytes > 0 && used + (size_t)bytes < sizeof small) {
            memcpy(small + used, letter, (size_t)bytes);
            used += (size_t)bytes;
        }
    }
    int month = month_of(small, used);
    w->month = w->month == 0 ? month : w->month;
    w->am |= used == 2 && strncmp(small, "am", 2) == 0;
    w->pm |= used == 2 && strncmp(small, "pm", 2) == 0;
    return n > 0 ? n : 1;
}

static struct words take_apart(const char *text)
{
    struct words w = { .count = 0 };
    for (const char *at = text; *at != '\0';)
        at += isdigit((unsigned char)*at) ? take_number(&w, at) : take_word(&w, at);
    return w;
}

enum date_order date_order(const char *text)
{
    struct words w = take_apart(text);
    bool numbers = w.month == 0 && w.count == 3 && w.digits[0] <= 2;
    return !numbers                     ? ORDER_UNKNOWN
           : w.dots || w.number[0] > 12 ? DAY_FIRST
           : w.number[1] > 12           ? MONTH_FIRST
                                        : ORDER_UNKNOWN;
}

bool date_words(const char *text, enum date_order order, int64_t zone, int64_t *when)
{
    struct words w = take_apart(text);
    int day, month = w.month, year, *n = w.number;
    if (!w.clock)
        return false;
    if (month != 0 && w.count == 2) {           /* 10 January 2026, January 10 2026 */
        day = n[0], year = n[1];
    } else if (month == 0 && w.count == 3 && w.digits[0] == 4) {
        year = n[0], month = n[1], day = n[2];
    } else if (month == 0 && w.count == 3) {
        order = date_order(text) != ORDER_UNKNOWN ? date_order(text) : order;
        if (order == ORDER_UNKNOWN)
            return false;
        day = order == DAY_FIRST ? n[0] : n[1], month = order == DAY_FIRST ? n[1] : n[0],
        year = n[2];
    } else {
        return false;
    }
    if (w.am || w.pm)
        w.hour = w.hour % 12 + (w.pm ? 12 : 0);
    struct tm t = { .tm_year = year + (year < 100 ? 2000 : 0) - 1900, .tm_mon = month - 1,
                    .tm_mday = day, .tm_hour = w.hour, .tm_min = w.minute, .tm_sec = w.second };
    struct tm asked = t;
    *when = timegm(&t) - zone;
    return t.tm_mon == asked.tm_mon && t.tm_mday == asked.tm_mday && t.tm_hour == asked.tm_hour
           && t.tm_min == asked.tm_min;
}
