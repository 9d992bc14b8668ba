/* SPDX-License-Identifier: MIT */
/* standard.h - a source that a newer standard of C++ would take, which g++'s messages do not say.
 */
#ifndef SIMCC_STANDARD_H
#define SIMCC_STANDARD_H

#include "simcc/process/process.h"

/* May the standard be what these errors are for? Most are for something else, and to compile with
 * another one takes longer than to look. */
bool standard_may_matter(const char *source, const struct bytes *messages);

/* The option for the next standard after that of the options, or after `than`, which was tried
 * (NULL: none was); NULL: there is none. */
const char *standard_after(const struct words *options, const char *than);

/* Of what is said with the option `newer` instead, and what is said without: is the older standard
 * all that an error is for? It is if the newer one has no other errors, and not that one. Then what
 * is said, *messages, says so behind the first such error (malloc). */
bool standard_tell(const struct words *options, const char *newer, struct bytes *messages,
                   const struct bytes *with_newer);

#endif
