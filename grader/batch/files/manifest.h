/* SPDX-License-Identifier: MIT */
/*
 * manifest.h - which files in a folder of OUT are ours: OUT/batch/written-FOLDER.json, a list of
 * their names.
 *
 * What a former batch wrote and this one does not, because a student is gone or a format is no
 * longer made, is removed, and a folder that is empty then with it. What anybody else put there
 * stays: it is on no list. Whoever is killed between two steps leaves a list that has all that is
 * there.
 *
 * 1. manifest_begin   2. manifest_add, for each file   3. manifest_ready   4. the files are written
 * 5. manifest_end
 */
#ifndef GRADER_BATCH_FILES_MANIFEST_H
#define GRADER_BATCH_FILES_MANIFEST_H

#include <jansson.h>

struct manifest { char *list; const char *out, *folder; json_t *before, *now; };

/* `out` and `folder` ("exports") live as long. */
void manifest_begin(struct manifest *w, const char *out, const char *folder);
/* Its name from there: "gradescope/anna.json". */
void manifest_add(struct manifest *w, const char *name);
void manifest_ready(struct manifest *w);
void manifest_end(struct manifest *w);

#endif
