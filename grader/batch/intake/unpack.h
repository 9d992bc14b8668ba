/* SPDX-License-Identifier: MIT */
/*
 * unpack.h - a folder or an archive that strangers filled, file by file, into a list in memory
 * (intake.h).
 *
 * Taken are regular files alone. What is a link, a pipe or a device, too large, outside of its
 * archive by its name
 * (../, /, C:), or in an archive that unpacks to more than anybody writes, is left out, and so is
 * what is no program. A name from an archive is never used as a path. Archives inside (what `make
 * submit` packs) are opened, one level deep, in memory. Names may be in any encoding (encoding.h).
 */
#ifndef GRADER_BATCH_INTAKE_UNPACK_H
#define GRADER_BATCH_INTAKE_UNPACK_H

#include "grader/batch/intake/intake.h"

/* False: `trouble` says what is wrong with `path` as a whole. `roster`: who a name that is no UTF-8
 * may be; it must outlive the intake. */
bool unpack_class(struct intake *in, const char *path, const struct roster *roster, char *trouble,
                  size_t trouble_size);

#endif
