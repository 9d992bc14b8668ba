/* SPDX-License-Identifier: MIT */
/*
 * similar.h - which files of a class are alike beyond what everybody was given, by pairs, the most
 * alike first.
 *
 * Compared are the files of a lesson with each other (similarity.h). Given to
 * everybody are its starter, its contract and our solution. A fingerprint that more than
 * SIMILAR_COMMON students have, and more than a tenth of those who handed the
 * lesson in, is common knowledge. A pair's share is that of its own lexemes, of both together, that
 * lie in stretches which both have. Above the line are pairs with
 * SIMILAR_SHARE percent and SIMILAR_LEXEMES lexemes or more: worth a look, and no proof of
 * anything.
 */
#ifndef GRADER_BATCH_SIMILAR_SIMILAR_H
#define GRADER_BATCH_SIMILAR_SIMILAR_H

#include <stdio.h>

#include "grader/batch/intake/intake.h"
#include "grader/batch/similar/similarity.h"

#define SIMILAR_COMMON 10u
#define SIMILAR_SHARE 50u
#define SIMILAR_LEXEMES 40u
#define SIMILAR_FLOOR 20u       /* percent: pairs below are not listed */

struct pair {
    const struct handed_in *a, *b;
    unsigned share, share_a, share_b;   /* percent: of both, of each */
    size_t own_a, own_b;                /* lexemes */
    bool above;
    struct similarity similarity;
    /* Where in the text each stretch is, in bytes: by the similarity's list. */
    struct passage { size_t a, a_end, b, b_end; } *passages;
};

struct similar { struct pair *pairs; size_t count, capacity, above, files; };

/* `wanted`: by lessons[]. The pairs point into `in`. */
void similar_find(struct similar *s, const struct intake *in, const bool *wanted);
void similar_fini(struct similar *s);

/* What is said wherever pairs are shown. */
extern const char similar_word[];
/* OUT/similar.json, OUT/similar.html, and a table of the first pairs on stdout. `shown`: OUT as
 * people call it. */
void similar_report(const struct similar *s, const char *out, const char *shown);
void similar_page(FILE *out, const struct similar *s);

#endif
