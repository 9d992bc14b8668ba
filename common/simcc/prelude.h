/* SPDX-License-Identifier: MIT */
/*
 * prelude.h - the headers before each .cu file, precompiled for the options that are used all the
 * time.
 *
 * A prelude is a folder beside the simulator's library, named after the options that it was made
 * for (O2+g):
 *
 *     prelude.h prelude.h.gch       for g++ -E: what the headers define, and all their names
 *     plain.gch instrumented.gch    for the two builds: what they declare, as rewritten
 *     calls                         which calls of the runtime they declare, for the rewriter
 *     linker                        what links a program that needs the C library alone
 * (link.h)
 *
 * A compilation with other options, other than -I, -D and -W, has none. g++ uses one if it may, and
 * reads the headers otherwise: what is compiled is the same.
 */
#ifndef SIMCC_PRELUDE_H
#define SIMCC_PRELUDE_H

#include "simcc/options.h"

/* Makes the folder job->new_prelude for the other options of the job; ends simcc when it cannot. */
void prelude_make(struct job *job);

/* Sets job->prelude to the one for its options, "" when there is none. */
void prelude_find(struct job *job);

/* The options with which g++ -E reads the headers before a .cu file, precompiled or as they are. */
void prelude_include(struct words *command, const struct job *job);
/* Has g++ -E put it in the place of the headers? It does not where a macro of the command line is
 * in them. */
bool prelude_used(const struct bytes *text);
/* Which calls of the runtime it declares (malloc); "" when there is none. */
char *prelude_calls(const struct job *job);
/* The text with the prelude for this build in the place of the one for g++ -E (malloc). */
struct bytes prelude_choose(const struct job *job, const struct bytes *text, bool instrumented);
/* Does g++ say in its messages that it cannot use the prelude? */
bool prelude_refused(const struct job *job, const struct bytes *messages);

#endif
