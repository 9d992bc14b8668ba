/* SPDX-License-Identifier: MIT */
/*
 * submission.h - one file that a learner hands in: read, looked at, compared with the starter.
 *
 * It must be a regular file of UTF-8 text, not empty. Build options may stand
 * in its first lines: `// build: --default-stream per-thread`. What the marks
 * `//> name` and `//< name` enclose is what a part asks for; a part whose
 * regions are as in the starter (white space apart) was not attempted.
 */
#ifndef GRADER_RUN_SUBMISSION_H
#define GRADER_RUN_SUBMISSION_H

#include <stdbool.h>
#include <stddef.h>

#define SUBMISSION_BYTES_MAX (1u << 20)
#define SUBMISSION_OPTIONS 8

struct submission {
    char *path;                 /* as the compiler gets it and messages show it */
    char *text;
    size_t bytes;
    char option[SUBMISSION_OPTIONS][48];    /* for the compiler */
    size_t option_count;
};

/* False: `problem` is one line that says what is wrong with the file. */
bool submission_read(struct submission *s, const char *path, char *problem, size_t problem_size);
/* From now on it is known, and compiled, under this name; looks at the text again, so that
 * `problem` says it. */
bool submission_rename(struct submission *s, const char *name, char *problem, size_t problem_size);
void submission_fini(struct submission *s);

/* `marks`: names separated by spaces; NULL or "" means the whole file. A mark
 * that is missing or never closed in one of the two counts as attempted. A change
 * of comments or of white space alone does not, but for build options. The functions that the
 * starter has between a region's end and the next region's function count with the region: who
 * answers there has attempted it. */
bool submission_attempted(const struct submission *yours, const struct submission *starter,
                          const char *marks);

/* How many of these marks have a whole region in the file; *count gets how many marks there are. */
size_t submission_regions(const struct submission *s, const char *marks, size_t *count);

/* The names of the regions that open in it, separated by spaces: the caller frees them. */
char *submission_marks(const struct submission *s);

/* The line, from 1, on which the first of these marks opens; 1 where none does. */
unsigned submission_mark_line(const struct submission *s, const char *marks);

#endif
