/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "grader/batch/files/encoding.h"
#include "grader/batch/files/roster.h"
#include "trace/record/memory.h"

#define ROSTER_MOST (16u << 20)

bool roster_read(struct roster *r, const char *path, const char **guess, char *trouble,
                 size_t trouble_size)
{
    *r = (struct roster){ .people = NULL };
    *guess = NULL;
    if (!path)
        return true;
    char *text = encoding_file(path, ROSTER_MOST, guess);
    if (!text) {
        snprintf(trouble, trouble_size, "%s: %s", path, strerror(errno));
        return false;
    }
    bool good = roster_parse(r, text, path, trouble, trouble_size);
    memory_resize(text, 0);
    return good;
}
