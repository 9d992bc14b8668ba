/* SPDX-License-Identifier: MIT */
/*
 * build.h - from a learner's file to a program, with simcc, and with nvcc for a GPU.
 *
 * What the compiler says is shown with the learner's own line under each
 * message. A file that does not compile is a verdict; a compiler that cannot
 * run, or has no room to write, is the environment's trouble (one line, status 2).
 *
 * One that had no processor for as long as it may, because others had them, is the environment's
 * trouble as well.
 *
 * In a sandbox it has two steps: the object is looked at before it is linked, and
 * may be refused. There a compiler that runs out of its own time, of memory or of room is a
 * verdict, too: what it may have is enough for any exercise. No verdict comes of time that passes,
 * nor of a limit of processor time on a machine that is too slow.
 */
#ifndef GRADER_RUN_BUILD_H
#define GRADER_RUN_BUILD_H

#include "grader/check.h"
#include "grader/run/submission.h"
#include "grader/sandbox/child.h"
#include "grader/sandbox/sandbox.h"

#define BUILD_LIMIT_MS 60000    /* at home */
/* In a sandbox: of each process of the compiler; all of a file with <regex> took three where this
 * was measured. */
#define BUILD_CPU_S 20
#define BUILD_SANDBOX_MS (8 * 1000 * BUILD_CPU_S)      /* more than all its processes may have one after another */
#define BUILD_IDLE_MS 10000     /* without anything to do: it waits for what does not come */
#define BUILD_FEW_S 1           /* of a processor, for a few lines; elsewhere they take a tenth. A machine that takes longer is too slow for BUILD_CPU_S */

struct build {
    struct child child;
    char *program;              /* its path, in the private folder or the sandbox */
    bool good, timed_out;
    char refused[400];          /* why the object is not run; "": it is */
    char *messages;             /* harmless text, "" for none */
    /* Owned by build.c. */
    const struct sandbox *sandbox;
    const struct lesson *lesson;
    bool hazards, linking;
    enum {
        TIME_LEFT,
        TIME_OVER,
        TIME_JUDGED
    } time;    /* OVER: it had all that it may. JUDGED: and the machine is not to blame */
};

/* Stops unless make has made this file of the lesson's. */
void build_need(const char *path, const struct lesson *lesson);

/* build_start, child_wait, build_finish; again child_wait and build_finish as long as
 * build_goes_on; build_fini. `hazards`: so that loads and stores are seen, which takes longer. In a
 * sandbox (NULL: none) the submission's text is in its folder of sources, where build_put has
 * written it, under the name that its path is. */
void build_put(const struct submission *s, const struct sandbox *sandbox);
void build_start(struct build *b, const struct submission *s, const struct lesson *lesson,
                 bool hazards, const struct sandbox *sandbox);
/* The same with nvcc (its path, perhaps with options), for the GPU of this machine. In a sandbox
 * its object is not looked at: what a program makes its record say counts for nothing against the
 * simulator. */
void build_start_cuda(struct build *b, const struct submission *s, const struct lesson *lesson,
                      const char *nvcc, const struct sandbox *sandbox);
/* A compiler with these arguments, wherever it is (in a sandbox: SANDBOX_COMPILER or SANDBOX_NVCC);
 * of a processor each of its processes has `cpu_s`. Its environment has these two as well; NULL:
 * none. */
void build_compiler(struct build *b, enum sandbox_use use, unsigned cpu_s,
                    const char *const *argv, const char *one, const char *two);
void build_finish(struct build *b, const struct submission *s);
bool build_goes_on(struct build *b);
/* Instead of these: a program that is built. */
void build_take(struct build *b, const char *program);
void build_fini(struct build *b);

#endif
