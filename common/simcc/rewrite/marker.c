/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/marker.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool marker_read(const char *at, const char *end, struct marker *marker)
{
    if (end - at < 3 || at[0] != '#' || at[1] != ' ' || !isdigit((unsigned char)at[2]))
        return false;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    end = newline ? newline : end;
    const char *path = memchr(at, '"', (size_t)(end - at)), *close = path ? path + 1 : end;
    while (close < end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= end)
        return false;
    size_t flags = (size_t)(end - close);
    *marker = (struct marker){
        .line = strtol(at + 2, NULL, 10),
        .path = path + 1,
        .length = (size_t)(close - path - 1),
        .begins = memchr(close, '1', flags),
        .returns = memchr(close, '2', flags),
        .system = memchr(close, '3', flags),
    };
    return true;
}

void marker_path(const struct marker *marker, char *path, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < marker->length && n + 1 < size; i++) {
        i += marker->path[i] == '\\' && i + 1 < marker->length;
        path[n++] = marker->path[i];
    }
    path[n] = '\0';
}

bool path_is_theirs(const char *path, size_t length, const char *const *folders)
{
    for (size_t i = 0; folders && folders[i]; i++) {
        size_t n = strlen(folders[i]);
        bool system =
            strncmp(folders[i], "/usr/include", 12) == 0 || strncmp(folders[i], "/usr/lib", 8) == 0;
        if (!system && length > n && memcmp(path, folders[i], n) == 0
            && (path[n] == '/' || folders[i][n - 1] == '/'))
            return true;
    }
    return false;
}
