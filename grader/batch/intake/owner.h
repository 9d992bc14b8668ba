/* SPDX-License-Identifier: MIT */
/* owner.h - whose file is it, and which lesson's: read off its path, and the lesson also off its
 * text. */
#ifndef GRADER_BATCH_INTAKE_OWNER_H
#define GRADER_BATCH_INTAKE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/check.h"

/* Whose way of naming files it is. */
enum platform { PLATFORM_NONE, PLATFORM_CANVAS, PLATFORM_MOODLE };

struct owner {
    char student[200];          /* "": nobody's */
    char number[32];            /* at Canvas or Moodle; "" none */
    const struct lesson *lesson;        /* NULL: no lesson's */
    bool named;                 /* by the file itself, and not by a folder or an archive */
    unsigned revision;
    unsigned long long upload;  /* Canvas' number of the file: the later, the larger */
    bool late;                  /* Canvas says so */
    enum platform platform;
    const char *rest;           /* owner.c's */
};

/* `outer`: path of the file, or of the archive that holds it, from the top of what was handed in;
 * `inner`: its path in that archive, NULL where there is none. `level`: which of its folders is the
 * student's, counted from the top, from 0; those of lessons ("03-events") and of everybody
 * ("submitted", "work") do not count. A path that is not so deep has its last, and one without
 * folders is named by the file. OWNER_FILE: first by the file, then by the last folder. */
#define OWNER_FILE SIZE_MAX
void owner_find(struct owner *o, const char *outer, const char *inner, size_t level);
/* How many folders of the path count. */
size_t owner_levels(const char *outer);

/* The one lesson whose regions (//> name) the text has, all of them; NULL: none, or more than one.
 */
const struct lesson *owner_lesson_inside(const char *text);

#endif
