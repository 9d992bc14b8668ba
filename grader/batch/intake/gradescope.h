/* SPDX-License-Identifier: MIT */
/*
 * gradescope.h - submission_metadata.yml, which lies beside the folders of an exported assignment's
 * submissions.
 *
 *   submission_4711:
 *     :submitters:
 *     - :name: Anna Smith
 *       :sid: '1013'
 *       :email: anna@example.org
 *     :created_at: 2026-01-11 10:00:00.000000000 Z
 *
 * and more that means nothing here. No YAML but this: keys at these depths, values on their line,
 * plain or quoted.
 */
#ifndef GRADER_BATCH_INTAKE_GRADESCOPE_H
#define GRADER_BATCH_INTAKE_GRADESCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRADESCOPE_PEOPLE 16    /* of a group; more are left out */

struct gradescope_person { char name[200], sid[64], email[200]; };      /* "": not said */
struct gradescope_submission {
    char folder[64];
    struct gradescope_person people[GRADESCOPE_PEOPLE];
    size_t count;
    int64_t when;               /* seconds since 1970; 0: not said */
};

/* Takes the next submission off *rest. False: there is none. */
bool gradescope_next(const char **rest, struct gradescope_submission *s);

#endif
