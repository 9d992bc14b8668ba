/* SPDX-License-Identifier: MIT */
/*
 * intake.h - what strangers handed in: a list of files in memory, and the account of all that came.
 *
 * Each file that came in is graded, or left out with the reason, or a companion of those
 * (SHA256SUMS, `submission`, timestamp.txt, submission_metadata.yml): intake_adds_up compares. A
 * file of a group's counts for each of its people.
 *
 * Where a SHA256SUMS lies beside the files, as `make submit` packs it, one that is not what it says
 * is refused, and one that it names and that is not there is listed.
 *
 * Of several files of a student's for the same lesson one counts. One that could be read counts
 * before one that could not, one whose own name is of the lesson, then one that has all regions of
 * it, before others in its folder. Then the one that Canvas numbers highest counts, else the
 * newest, else one by itself before one in an archive beside it, else the last by name. The others
 * are left out, each named with the one that counts. The list is sorted by student and lesson,
 * whatever order files came in.
 *
 * When a file was handed in is known from what wrote it down (enum when_from). The times that files
 * and archives carry are those of a copy or a download.
 *
 * 1. unpack_class (unpack.h)   2. people_find (people.h): whose they are   3. intake_settle
 */
#ifndef GRADER_BATCH_INTAKE_INTAKE_H
#define GRADER_BATCH_INTAKE_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/batch/files/roster.h"
#include "grader/check.h"

#define INTAKE_FILE_MAX (1u << 20)              /* of a learner's file */
#define INTAKE_ARCHIVE_MAX (64u << 20)          /* of a learner's archive, unpacked */
#define INTAKE_NO_PROGRAM "it is no .cu file, no .zip and no .tar"
#define INTAKE_ENTRIES_MAX 2000u                /* in a learner's archive */

/* Who says when it was handed in; the later ones count more. */
enum when_from {
    WHEN_UNKNOWN,
    WHEN_FILE, /* the file's or the archive's own time: counts where the rubric says so */
    WHEN_CANVAS, /* LATE in the name, or not; no time */
    WHEN_NBGRADER, /* timestamp.txt */
    WHEN_GRADESCOPE, /* submission_metadata.yml */
    WHEN_MOODLE, /* the grading worksheet */
    WHEN_LOG, /* Moodle's log (times.h) */
    WHEN_GIVEN, /* the file of times (times.h) */
};
const char *when_source(enum when_from from);

/* A file that was met: its bytes, or why there are none. */
struct found {
    const char *outer, *inner;  /* owner.h */
    int64_t mtime;
    char *bytes;                /* taken over */
    size_t count;
    const char *refused;
};

struct handed_in {
    char *outer, *inner;        /* owner.h; inner NULL: in no archive of a student's */
    char *student; /* as the folder, the archive or the file name calls them; any UTF-8. NULL before
                      people_find */
    char *number;               /* of the student at Canvas, Moodle or Gradescope; NULL: none */
    bool rostered;              /* `student` is as the roster has it */
    const struct lesson *lesson;
    enum lesson_by { BY_FILE_NAME, BY_REGIONS,
                     BY_FOLDER } lesson_by;   /* what says so, the surest first */
    char *path;                 /* where it was found, for people */
    char *text;                 /* UTF-8; NULL where it is refused */
    size_t bytes;
    const char *encoding;       /* it was not UTF-8, and was taken for this; NULL: it was */
    int64_t when;               /* seconds since 1970, 0: not known */
    enum when_from when_from;
    bool late;                  /* Canvas says so */
    unsigned revision;          /* of Canvas: 03-events-2.cu is 2 */
    unsigned long long upload;  /* owner.h */
    int64_t mtime;              /* its own time, or its archive's */
    bool packed;                /* in an archive of a student's */
    size_t order;               /* it was met as this one */
    unsigned others;            /* files for the same lesson that do not count */
    char *refused;              /* one line, or NULL */
};

struct stray {
    char *outer, *inner;        /* as above; outer "?": its name cannot be read */
    char *path, *why;
    bool archive;               /* a student's, none of which could be read */
    bool nobodys; /* its path leads out of the archive: the student that it names is not believed */
    char *student, *number;     /* NULL: nobody's */
    const struct lesson *lesson;        /* NULL: no lesson's */
    bool absent;                /* it did not come in: a SHA256SUMS names it */
};
enum companion_kind { COMPANION_SUMS, COMPANION_SUBMISSION, COMPANION_TIMESTAMP,
                      COMPANION_GRADESCOPE, COMPANIONS };
/* Of the files in a folder: what their names begin with, and what is said of them. packed: it is in
 * an archive of a student's. */
struct companion { enum companion_kind kind; char *folder, *text; bool packed; };
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
    const struct roster *roster;        /* NULL: none */
    char **notes;               /* of what came and is not used; sentences without a full stop */
    size_t note_count, note_capacity;
    size_t met;                 /* files that came in, those in archives one by one */
    size_t shared;              /* further people that files are handed in by */
};

/* For unpack.c, in the order of its calls. A name as UTF-8, the caller's; a guess is noted, and
 * prefers who is on the roster. */
char *intake_name(struct intake *in, const char *name);
void intake_take(struct intake *in, struct found *f);
void intake_companion(struct intake *in, struct found *f, enum companion_kind kind);
/* It came in, and is not graded. */
struct stray *intake_skip(struct intake *in, const char *outer, const char *inner, const char *why);
/* All is there: compares SHA256SUMS, and makes programs UTF-8. */
void intake_look_through(struct intake *in);

/* Two of whom nothing is the same but the name are told apart by their numbers: "Smith, John
 * (1013)". */
void intake_tell_apart(struct intake *in);
/* The file is another person's as well: a copy of it, whose student is not known yet, is the last
 * of the list now. */
void intake_share(struct intake *in, size_t file);
/* The file is not graded, for this reason. */
void intake_leave_out(struct intake *in, size_t file, const char *why);
/* When all students have the names that they keep (roster.h): sorts, and leaves one file for each
 * lesson of each. */
void intake_settle(struct intake *in);
void intake_note(struct intake *in, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Is each file that came in one of those to grade, left out or a companion? */
bool intake_adds_up(const struct intake *in);
void intake_fini(struct intake *in);

#endif
