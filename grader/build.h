/* SPDX-License-Identifier: MIT */
/*
 * build.h - from a learner's file to a program, with simcc.
 *
 * What the compiler says is shown with the learner's own line under each
 * message. A file that does not compile is a verdict; a compiler that cannot
 * run, or has no room to write, is the environment's trouble (one line, status 2).
 */
#ifndef GRADER_BUILD_H
#define GRADER_BUILD_H

#include "grader/check.h"
#include "grader/child.h"
#include "grader/submission.h"

#define BUILD_LIMIT_MS 60000

struct build {
    struct child child;
    char *program;              /* its path, in the private folder */
    bool good, timed_out;
    char *messages;             /* harmless text, "" for none */
};

/* Stops unless make has made this file of the lesson's. */
void build_need(const char *path, const struct lesson *lesson);

/* build_start, child_wait, build_finish, build_fini. `hazards`: so that loads and stores are seen, which takes longer. */
void build_start(struct build *b, const struct submission *s, const struct lesson *lesson, bool hazards);
void build_finish(struct build *b, const struct submission *s);
void build_fini(struct build *b);

#endif
