/* SPDX-License-Identifier: MIT */
/*
 * intake.h - what strangers hand in, from a folder or an archive to a list of files in memory.
 *
 * Taken are regular files alone: what is a link, a pipe or a device, too large,
 * or in an archive that unpacks to more than anybody writes, is listed with the
 * reason. A name from an archive says whose it is and which lesson's, and is
 * never used as a path. Archives inside (what `make submit` packs) are opened,
 * one level deep, in memory. The layouts that are known:
 *
 *   submitted/STUDENT/LESSON/any.cu, STUDENT/LESSON/any.cu      nbgrader
 *   STUDENT/03-events.cu, STUDENT.tar.gz                        folders, `make submit`
 *   Name_123_assignsubmission_file_/…                           Moodle
 *   lastfirst_123_456_03-events.cu, lastfirst_LATE_123_456_…    Canvas
 *   STUDENT-03-events.cu                                        plain files
 *
 * Where a SHA256SUMS lies beside the files, as `make submit` packs it, one that is not what it says is refused, and one
 * that it names and that is not there is listed.
 *
 * A lesson is 03-events, lesson03 or 03. Of several files for the same lesson
 * the one that Canvas numbers highest counts, else the newest, else the last by
 * name. The list is sorted by student and lesson, whatever order files came in.
 */
#ifndef GRADER_BATCH_INTAKE_H
#define GRADER_BATCH_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/check.h"

#define INTAKE_FILE_MAX (1u << 20)              /* of a learner's file */
#define INTAKE_ARCHIVE_MAX (64u << 20)          /* of a learner's archive, unpacked */
#define INTAKE_ENTRIES_MAX 2000u                /* in a learner's archive */

struct handed_in {
    char *student;              /* as the folder, the archive or the file name calls them; any UTF-8 */
    char *number;               /* of the student at Canvas or Moodle; NULL: none */
    const struct lesson *lesson;
    char *path;                 /* where it was found, for people */
    char *text;                 /* NULL where it is refused */
    size_t bytes;
    int64_t when;               /* seconds since 1970, 0: not known */
    bool late;                  /* Canvas says so */
    unsigned revision;          /* of Canvas: 03-events-2.cu is 2 */
    unsigned others;            /* files for the same lesson that do not count */
    char *refused;              /* one line, or NULL */
};

struct stray { char *path, *why; };             /* of nobody, or of no lesson */
struct sums { char *folder, *text; };           /* folder: what paths of its files begin with */

struct intake {
    struct handed_in *files;
    size_t count, capacity;
    struct stray *strays;
    size_t stray_count, stray_capacity;
    struct sums *sums;          /* sums.h */
    size_t sums_count, sums_capacity;
};

/* False: `trouble` says what is wrong with `path` as a whole. */
bool intake_read(struct intake *in, const char *path, char *trouble, size_t trouble_size);
/* When all students have the names that they keep (roster.h): sorts, and leaves one file for each lesson of each. */
void intake_settle(struct intake *in);
void intake_fini(struct intake *in);

#endif
