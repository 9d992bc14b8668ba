/* SPDX-License-Identifier: MIT */
#include "grader/batch/intake/sums.h"

#include <sha256.h>
#include <string.h>
#include <strings.h>

#define DIGITS 64u

/* "SUM  NAME", or "SUM *NAME"; after either the line ends. */
static bool read_line(const char *line, size_t length, char sum[65], char name[SUMS_NAME_MAX])
{
    if (length > 0 && line[length - 1] == '\r')
        length--;
    if (length < DIGITS + 3 || length - DIGITS - 2 >= SUMS_NAME_MAX
        || strspn(line, "0123456789abcdefABCDEF") != DIGITS || line[DIGITS] != ' '
        || (line[DIGITS + 1] != ' ' && line[DIGITS + 1] != '*'))
        return false;
    memcpy(sum, line, DIGITS);
    sum[DIGITS] = '\0';
    memcpy(name, line + DIGITS + 2, length - DIGITS - 2);
    name[length - DIGITS - 2] = '\0';
    return true;
}

bool sums_next(const char **rest, char sum[65], char name[SUMS_NAME_MAX])
{
    while (**rest != '\0') {
        const char *line = *rest;
        size_t length = strcspn(line, "\n");
        *rest += length + (line[length] == '\n');
        if (read_line(line, length, sum, name))
            return true;
    }
    return false;
}

const char *sums_trouble(const char *sums, const char *name, const void *bytes, size_t count)
{
    char is[SHA256_DIGEST_STRING_LENGTH], was[DIGITS + 1], its[SUMS_NAME_MAX];
    while (sums_next(&sums, was, its)) {
        if (strcmp(its, name) != 0)
            continue;
        SHA256Data(bytes, count, is);
        return strcasecmp(is, was) == 0
                   ? NULL
                   : "it is not what its SHA256SUMS says: changed or damaged after `make submit` packed it";
    }
    return "its SHA256SUMS does not name it: added after `make submit` packed the others";
}
