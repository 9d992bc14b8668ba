/* SPDX-License-Identifier: MIT */
#include "grader/batch/files/csv.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

size_t csv_record(char **at, char separator, char *field[CSV_COLUMNS])
{
    size_t count = 0;
    char *from = *at;
    while (count < CSV_COLUMNS) {
        char *to = from;
        field[count++] = to;
        bool quoted = *from == '"';
        if (quoted)
            from++;
        while (*from != '\0'
               && (quoted || (*from != separator && *from != '\n' && *from != '\r'))) {
            if (quoted && *from == '"') {
                if (from[1] != '"') {
                    quoted = false;
                    from++;
                    continue;
                }
                from++;
            }
            *to++ = *from++;
        }
        char end = *from;
        from += end != '\0';
        *to = '\0';
        if (end == separator)
            continue;
        if (end == '\r' && *from == '\n')
            from++;
        break;
    }
    *at = from;
    return count;
}

char csv_separator(const char *text)
{
    char best = ',';
    size_t most = 0;
    for (const char *c = ",;\t"; *c != '\0'; c++) {
        size_t n = 0;
        for (const char *s = text; *s != '\0' && *s != '\n'; s++)
            n += *s == *c;
        if (n > most) {
            most = n;
            best = *c;
        }
    }
    return best;
}

char *csv_trimmed(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    size_t n = strlen(s);
    while (n > 0 && isspace((unsigned char)s[n - 1]))
        s[--n] = '\0';
    return s;
}
