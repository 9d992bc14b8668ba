/* SPDX-License-Identifier: MIT */
/*
 * comparison.h - the calls of a part in two programs, by name, and what is said of how they differ
 * (difference.h).
 */
#ifndef GRADER_JUDGE_COMPARISON_H
#define GRADER_JUDGE_COMPARISON_H

#include "grader/judge/difference.h"

enum { NAMES = 64, YOURS = 0, THERE = 1 };


/* A name that is called in the part, with its calls in both programs. */
struct called {
    const char *name;
    uint32_t kind;
    bool polls;
    uint32_t *calls[2];
    size_t count[2], room[2];   /* of those that succeeded … */
    size_t refused[2];          /* … and of the others */
};

struct comparison {
    const struct view *view[2];
    struct called list[NAMES];
    size_t count;
    bool too_many;
    size_t kept_streams, kept_events,
        kept_memory;      /* that YOURS has when the part begins, and made itself */
    bool default_stream; /* one of the two has calls in a legacy default stream in the part */
    enum check_kind kind;       /* of the check that failed */
    struct difference *found;
};

/* Looks whether one of the two uses a legacy default stream in the part: else it does not matter
 * which streams are blocking. */
void comparison_look(struct comparison *c, const char *part);
/* Adds that program's calls in the part. Sets too_many where they are too many to compare. */
void comparison_collect(struct comparison *c, int side, const char *part);
/* The k-th call of that name. */
const struct call *comparison_call(const struct comparison *c, int side, const struct called *n,
                                   size_t k);

/* Add to the sentence: words; "cudaMemcpyAsync()"; "cudaMemcpyAsync() in line 12", which is blamed.
 */
void comparison_tell(struct comparison *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void comparison_tell_name(struct comparison *c, const struct called *n);
void comparison_tell_call(struct comparison *c, const struct called *n, size_t k);

/* ---- difference_arguments.c: 1: one difference is found, and told; 0: none; -1: more than one
 * ---- */

/* A number that the calls of one name are given. */
int difference_in_numbers(struct comparison *c);
/* The stream, or the event, that the calls of one line name. */
int difference_in_streams(struct comparison *c);
int difference_in_events(struct comparison *c);

#endif
