/* SPDX-License-Identifier: MIT */
/* standard.h - a source that a newer standard of C++ would take, or another order of its headers,
 * which g++'s messages do not say. */
#ifndef SIMCC_STANDARD_H
#define SIMCC_STANDARD_H

#include "simcc/process/process.h"

/* Could the standard be the cause of these errors? Most are for something else, and to compile with
 * another one takes longer than to look. */
bool standard_may_matter(const char *source, const struct bytes *messages);

/* The option for the next standard after that of the options, or after `than`, which was tried
 * (NULL: none was); NULL: there is none. */
const char *standard_after(const struct words *options, const char *than);

/* Compares what g++ says with the option `newer` and without: is the older standard the only cause
 * of an error? It is if the newer one gives no other errors, and not that one. Then a note follows
 * the first such error in *messages (malloc). */
bool standard_tell(const struct words *options, const char *newer, struct bytes *messages,
                   const struct bytes *with_newer);

/* CHECK of a call of the driver API where <cuda.h> comes too late: g++ says that a CUresult is no
 * cudaError_t, and not that streams.h, which looks whether <cuda.h> was there before it, would have
 * taken it. A note follows the first of these errors in *messages (malloc). */
void late_header_tell(struct bytes *messages);

#endif
