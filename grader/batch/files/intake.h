/* SPDX-License-Identifier: MIT */
/*
 * intake.h - what strangers hand in, from a folder or an archive to a list of files in memory.
 *
 * Taken are regular files alone. What is a link, a pipe or a device, too large, outside of its archive by its name
 * (../, /), or in an archive that unpacks to more than anybody writes, is left out, and so is what is no program. Each
 * file that came in is graded, or left out with the reason, or a companion of those (SHA256SUMS, `submission`,
 * timestamp.txt): intake_count compares. A name from an archive says whose it is and which lesson's, and is
 * never used as a path. Archives inside (what `make submit` packs) are opened,
 * one level deep, in memory. Names may be in any encoding (encoding.h). The layouts that are known:
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
 * A lesson is 03-events, lesson03 or 03. Of several files of a student's for the same lesson one counts. One that
 * could be read counts before one that could not. Then the one that Canvas numbers highest counts, else the newest, else
 * one by itself before one in an archive beside it, else the last by name. The others are left out, each named with the
 * one that counts. The list is sorted by student and lesson, whatever order files came in.
 *
 * When a file was handed in is known from what wrote it down (enum when_from). The times that files and archives carry
 * are those of a copy or a download.
 */
#ifndef GRADER_BATCH_FILES_INTAKE_H
#define GRADER_BATCH_FILES_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/check.h"

#define INTAKE_FILE_MAX (1u << 20)              /* of a learner's file */
#define INTAKE_ARCHIVE_MAX (64u << 20)          /* of a learner's archive, unpacked */
#define INTAKE_NO_PROGRAM "it is no .cu file, no .zip and no .tar"
#define INTAKE_ENTRIES_MAX 2000u                /* in a learner's archive */

/* Who says when it was handed in; the later ones count more. */
enum when_from {
    WHEN_UNKNOWN,
    WHEN_FILE,                  /* the file's or the archive's own time: counts where the rubric says so */
    WHEN_CANVAS,                /* LATE in the name, or not; no time */
    WHEN_NBGRADER,              /* timestamp.txt */
    WHEN_MOODLE,                /* the grading worksheet */
    WHEN_GIVEN,                 /* the file of times (times.h) */
};
const char *when_source(enum when_from from);

struct handed_in {
    char *student;              /* as the folder, the archive or the file name calls them; any UTF-8 */
    char *number;               /* of the student at Canvas or Moodle; NULL: none */
    bool rostered;              /* `student` is as the roster has it */
    const struct lesson *lesson;
    char *path;                 /* where it was found, for people */
    char *text;                 /* UTF-8; NULL where it is refused */
    size_t bytes;
    const char *encoding;       /* it was not UTF-8, and was taken for this; NULL: it was */
    int64_t when;               /* seconds since 1970, 0: not known */
    enum when_from when_from;
    bool late;                  /* Canvas says so */
    unsigned revision;          /* of Canvas: 03-events-2.cu is 2 */
    unsigned long long upload;  /* owner.h */
    int64_t written;            /* its own time, or its archive's */
    bool packed;                /* in an archive of a student's */
    size_t order;               /* it was met as this one */
    unsigned others;            /* files for the same lesson that do not count */
    char *refused;              /* one line, or NULL */
};

struct stray {
    char *path, *why;
    char *student, *number;     /* NULL: nobody's */
    const struct lesson *lesson;        /* NULL: no lesson's */
    bool absent;                /* it did not come in: a SHA256SUMS names it */
};
/* Of the files in a folder: what their names begin with, and what is said of them. */
struct companion { enum companion_kind { COMPANION_SUMS, COMPANION_SUBMISSION, COMPANION_TIMESTAMP, COMPANIONS } kind; char *folder, *text; };
/* So many names were no UTF-8, and were read as this. */
struct guess { const char *encoding; size_t count; char *example; };

struct intake {
    struct handed_in *files;
    size_t count, capacity;
    struct stray *strays;
    size_t stray_count, stray_capacity;
    struct companion *companions;
    size_t companion_count, companion_capacity;
    struct guess *guesses;
    size_t guess_count, guess_capacity;
    size_t met;                 /* files that came in, those in archives one by one */
};

/* False: `trouble` says what is wrong with `path` as a whole. */
bool intake_read(struct intake *in, const char *path, char *trouble, size_t trouble_size);
/* Two of whom nothing is the same but the name are told apart by their numbers: "Smith, John (1013)". */
void intake_tell_apart(struct intake *in);
/* The file is not graded, for this reason. */
void intake_leave_out(struct intake *in, size_t file, const char *why);
/* When all students have the names that they keep (roster.h): sorts, and leaves one file for each lesson of each. */
void intake_settle(struct intake *in);
/* Is each file that came in one of those to grade, left out or a companion? */
bool intake_adds_up(const struct intake *in);
void intake_fini(struct intake *in);

#endif
