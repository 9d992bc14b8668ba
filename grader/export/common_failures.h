/* SPDX-License-Identifier: MIT */
/*
 * common_failures.h - which checks fail most in a class, and what was said of them.
 *
 * What was said is the likely cause that the check named (`why` in report.h). Numbers in it are
 * left out (…): two students with the same mistake are told apart by a line or a size, and a size
 * may be hidden data.
 */
#ifndef GRADER_EXPORT_COMMON_FAILURES_H
#define GRADER_EXPORT_COMMON_FAILURES_H

#include <jansson.h>
#include <stddef.h>

struct message { char *text; size_t count; };

struct failure {
    size_t lesson;              /* its place in results.json */
    const char *part, *id, *name;       /* of results.json */
    size_t failed, judged;      /* judged: passed or failed; others were withheld, or not begun */
    size_t *who, who_capacity;  /* places of the students that failed */
    struct message *messages;   /* the most frequent first */
    size_t message_count, message_capacity;
};

/* Those that failed at all, the most frequent first; returns how many. *list points into `results`.
 */
size_t common_failures(const json_t *results, struct failure **list);
void common_failures_free(struct failure *list, size_t count);

#endif
