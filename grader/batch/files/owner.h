/* SPDX-License-Identifier: MIT */
/* owner.h - whose file is it, and which lesson's: read off the path alone. */
#ifndef GRADER_BATCH_FILES_OWNER_H
#define GRADER_BATCH_FILES_OWNER_H

#include <stdbool.h>

#include "grader/check.h"

/* Whose way of naming files it is. */
enum platform { PLATFORM_NONE, PLATFORM_CANVAS, PLATFORM_MOODLE };

struct owner {
    char student[200];          /* "": nobody's */
    char number[32];            /* at Canvas or Moodle; "" none */
    const struct lesson *lesson;        /* NULL: no lesson's */
    unsigned revision;
    unsigned long long upload;  /* Canvas' number of the file: the later, the larger */
    bool late;                  /* Canvas says so */
    enum platform platform;
};

/* `outer`: path of the file, or of the archive that holds it, from the top of what was handed in; `inner`: its path
 * in that archive, NULL where there is none. */
void owner_find(struct owner *o, const char *outer, const char *inner);

#endif
