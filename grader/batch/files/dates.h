/* SPDX-License-Identifier: MIT */
/* dates.h - dates and spans of time, as instructors write them and as platforms do. Moments are
 * seconds since 1970. */
#ifndef GRADER_BATCH_FILES_DATES_H
#define GRADER_BATCH_FILES_DATES_H

#include <stdbool.h>
#include <stdint.h>

/* "2026-12-01" (the end of that day), "2026-12-01T23:59:00Z", "...+01:00". False: it is no date of
 * a known zone. */
bool date_read(const char *text, int64_t *when);
/* "90s", "15m", "2h", "7d": seconds. */
bool date_span(const char *text, int64_t *seconds);

/* What stands first in 03/04/26. */
enum date_order { ORDER_UNKNOWN, DAY_FIRST, MONTH_FIRST };
/* What this date tells of that. */
enum date_order date_order(const char *text);
/* A date and a time of day in words or numbers: "Monday, 23 November 2026, 11:46 AM", "Samstag, 10.
 * Januar 2026, 12:59", "10.01.2026 12:59", "11/01/26, 13:30:05"; the names of months in English,
 * German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish, Czech and Russian. `zone`:
 * seconds east of Greenwich. False: it is none, or could be two. */
bool date_words(const char *text, enum date_order order, int64_t zone, int64_t *when);

#endif
