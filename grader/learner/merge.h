/* SPDX-License-Identifier: MIT */
/*
 * merge.h - an exercise that has changed, brought into a learner's copy.
 *
 * Region by region (`//> name` to `//< name`; `#>` in Python): one that the learner has left alone
 * is the new one; one of which the new exercise has changed the comments alone, or nothing, stays
 * as it is; where both changed its code, diff3 has to say. What is outside of regions goes through
 * diff3 without them, so that new parts find their place whatever stands in the old ones. A file
 * whose marks do not fit goes through diff3 as a whole.
 */
#ifndef GRADER_LEARNER_MERGE_H
#define GRADER_LEARNER_MERGE_H

#include <stdbool.h>

#include "grader/learner/text_file.h"

struct merged {
    struct text text;           /* the caller's from now on */
    bool clean; /* false: both changed the same lines, and both stand in it, marked */
    char comments[128]; /* regions that stay as they are although their comments changed, "" for
                           none: "held, photo" */
    char gone[128]; /* regions that the exercise has no more and the learner had written something
                       into */
};
/* `folder`: where the three may lie meanwhile. */
void merge_texts(struct merged *m, const char *folder, const struct text *mine,
                 const struct text *base, const struct text *theirs);

#endif
