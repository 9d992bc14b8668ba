/* SPDX-License-Identifier: MIT */
/*
 * sandbox.h - where strangers' files are compiled and run.
 *
 * A learner's own file at home needs none: wherever a sandbox is asked for, NULL
 * means none. Inside there are the system's programs, a copy of what compiling
 * needs (headers, libraries and drivers; no solution, no check), the one
 * submission, and a folder for what is made of it, which a program cannot write
 * to. /tmp is small and gone with the sandbox. No network, no other process, no
 * other user's file, no environment but what is given.
 *
 * Without confinement (`confined` false) the same files lie in the same order and nothing
 * holds a program there: for machines that have no bubblewrap or forbid user
 * namespaces, and for people whom one trusts.
 *
 * With a GPU (`card`) there is a compiler's sandbox for nvcc, in which the toolkit is and the card
 * is not, and a program's in which the card is as well (card_access.h), and the recorder. Other
 * system calls are open there (grader/batch/jobs/filter.h), and limits leave room for what a driver
 * reserves: no address space is limited, and more files may be open. A program shares its process
 * with the recorder, as it does with the simulator, and nobody replays what a card did: its record
 * is worth no more than the word of that process.
 *
 * 1. sandbox_stage, once; 2. in each grader sandbox_begin; 3. for each child sandbox_enter; its
 * paths by sandbox_path.
 */
#ifndef GRADER_SANDBOX_SANDBOX_H
#define GRADER_SANDBOX_SANDBOX_H

#include <limits.h>

#include "grader/sandbox/card_access.h"
#include "grader/sandbox/child.h"

struct sandbox {
    bool confined;
    char toolchain[PATH_MAX / 2];       /* the copy, on this machine */
    uid_t uid; /* the owner of its processes; 0: the user who grades (root runs them as the user
                  nobody: grader/batch/jobs/sandbox_policy.c) */
    gid_t gid;
    uint64_t memory;
    int filter_compiler, filter_program, filter_on_card; /* files; grader/batch/jobs/filter.h */
    const struct card_access *card;             /* NULL: this machine's GPU is none of its affair */
    /* False: `why` says why this object is not run; one line. NULL: all are. */
    bool (*allowed)(const struct sandbox *s, const char *object, char *why, size_t size);
};

enum sandbox_folder { SANDBOX_TOOLCHAIN, SANDBOX_SOURCE, SANDBOX_OUT, SANDBOX_TMP,
                      SANDBOX_FOLDERS };

/* Copies the toolchain to `folder`, which is there, and lets all read it. `card`: with what nvcc
 * made (gpu.h), in gpu/; the recorder and the probe in card/, which is all that a program sees of
 * it. */
void sandbox_stage(const char *folder, bool card);
#define SANDBOX_RECORDER "card/librecorder.so"
#define SANDBOX_PROBE "card/card"

/* Makes the folders for one submission in the private folder (environment.h). */
void sandbox_begin(const struct sandbox *s);

/* A path as a program in the sandbox knows it, or, `outside`, as the grader does; the caller frees
 * it. */
char *sandbox_path(const struct sandbox *s, bool outside, enum sandbox_folder folder,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Copies a file to SANDBOX_SOURCE, under this name, for the programs inside to read. Returns its
 * path as they know it; the caller frees it. */
char *sandbox_give(const struct sandbox *s, const char *from, const char *name);

/* What a plan needs to be a plan for inside: hold it as long as the plan. */
struct sandbox_entry {
    struct confinement confinement;
    const char *argv[320];
    char text[12][PATH_MAX];
};
/* A compiler writes to SANDBOX_OUT, starts processes, sees the toolchain. All begin in
 * SANDBOX_SOURCE. */
enum sandbox_use { SANDBOX_PROGRAM, SANDBOX_COMPILER, SANDBOX_NVCC, SANDBOX_ON_CARD };
void sandbox_enter(const struct sandbox *s, struct sandbox_entry *e, struct child_plan *plan,
                   enum sandbox_use use);

#endif
