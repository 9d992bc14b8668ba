/* SPDX-License-Identifier: MIT */
/*
 * ledger.h - the folder of results: what is there, under which name, written whole.
 *
 *   OUT/results.json                         what came of it all (results.h)
 *   OUT/report.txt                           what to look at before the grades leave the house
 * (summary.h) OUT/feedback/STUDENT/LESSON.txt          for the student
 *   OUT/submissions/STUDENT/LESSON.cu        the file that was handed in
 *   OUT/attempts/STUDENT/LESSON/KEY.json     what came of one file: written once, then read
 *   OUT/attempts/STUDENT/LESSON/FILE.cu      what was handed in then, as it was judged
 *   OUT/attempts/STUDENT/LESSON/KEY.pictures its timelines (pictures.h), there before KEY.json
 *   OUT/attempts/STUDENT/LESSON/KEY.trouble  why it could not be graded, one line; goes when it has
 * been OUT/cards/NAME-SUM.card                  a simulated card that came from a file (plan.h)
 *   OUT/batch/plan.json, lock, seed          the work at hand
 *   OUT/batch/written-*.json                 which exports and feedback are ours (manifest.h)
 *
 * KEY is made of all that decides a verdict: FILE (the sum of what was handed in), the lesson, the
 * workbook's version and all of it that takes part (ingredients.h), where it is judged, the
 * simulated card, the seed and the limits. The same again is not graded again. Which GPU a machine
 * has is not in it. STUDENT is the student's name with everything but letters, digits, '-', '_' and
 * '.' as %XX. Files appear whole or not at all.
 */
#ifndef GRADER_BATCH_FILES_LEDGER_H
#define GRADER_BATCH_FILES_LEDGER_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define LEDGER_KEY 33           /* with its end */

/* A file name made of any text; the caller frees it. */
char *ledger_name(const char *text);

/* OUT/…, the caller's; the folders on the way are made. */
char *ledger_path(const char *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `backend`: "cuda", "both"; NULL for the simulator, whose keys have none. */
struct ledger_terms { const char *backend, *version, *card, *lesson, *ingredients; uint64_t seed,
                      memory; int64_t time_limit_ms; };
void ledger_key(char key[LEDGER_KEY], const struct ledger_terms *t, const char *file);
/* FILE: a sum of what was handed in. */
void ledger_file(char file[LEDGER_KEY], const void *text, size_t bytes);

/* What cannot be written is the environment's trouble. */
void ledger_write(const char *path, const void *bytes, size_t count);
void ledger_write_json(const char *path, const json_t *value);
/* NULL: it is not there, or damaged. */
json_t *ledger_read_json(const char *path);

/* Removes what writers that were killed left half written. */
void ledger_sweep(const char *out);

/* Holds OUT for this process until it ends; another batch there is the environment's trouble. */
void ledger_lock(const char *out);

#endif
