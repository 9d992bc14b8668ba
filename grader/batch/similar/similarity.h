/* SPDX-License-Identifier: MIT */
/*
 * similarity.h - what two texts have in common that neither has from a third: winnowing.
 *
 * After Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for Document
 * Fingerprinting" (SIGMOD 2003). Of every SIMILARITY_GRAM lexemes in a row a hash;
 * of every SIMILARITY_WINDOW hashes in a row the smallest is a fingerprint. So
 *   what two texts share is found where it has SIMILARITY_SURE = GRAM + WINDOW - 1 lexemes or more,
 * and what has fewer than SIMILARITY_GRAM is never taken for shared. Hashes that stand in texts
 * which everybody was given (starter, contract, solution) are no fingerprints, and their lexemes
 * nobody's own.
 */
#ifndef GRADER_BATCH_SIMILAR_SIMILARITY_H
#define GRADER_BATCH_SIMILAR_SIMILARITY_H

#include <stdbool.h>
#include <stdint.h>

#include "grader/batch/similar/lexeme.h"

#define SIMILARITY_GRAM 12u
#define SIMILARITY_WINDOW 9u
#define SIMILARITY_SURE (SIMILARITY_GRAM + SIMILARITY_WINDOW - 1)

/* Hashes of texts that everybody has. */
struct given { uint64_t *list; size_t count, capacity; };
void given_add(struct given *g, const char *text, size_t bytes);
/* After the last text, before the first look. */
void given_settle(struct given *g);
void given_fini(struct given *g);

struct fingerprint { uint64_t hash; uint32_t at; };    /* at: its first lexeme */

struct print {
    struct lexemes lexemes;
    bool *own;                  /* by lexeme: not from a given text */
    size_t own_count;
    struct fingerprint *list;   /* by hash */
    size_t count, capacity;
};
void print_take(struct print *p, const char *text, size_t bytes, const struct given *g);
void print_fini(struct print *p);

struct stretch { uint32_t a, b, length; };      /* the same lexemes in both, all of them own */
struct similarity { struct stretch *list; size_t count,
                    capacity; size_t lexemes; };     /* by place in a; their sum */

/* `common` says which fingerprints count for nothing, since many have them (NULL: none). */
void similarity_find(struct similarity *l, const struct print *a, const struct print *b,
                     bool (*common)(const void *context, uint64_t hash), const void *context);
void similarity_fini(struct similarity *l);

#endif
