/* SPDX-License-Identifier: MIT */
/*
 * cut.h - kernels whose text shows that all threads of a block come to the same barriers.
 *
 * DESIGN
 * Such a kernel is cut at its barriers. After the body's closure comes another one, which runs a
 * block whole: what lies between two barriers is a segment, a loop over the block's threads.
 *
 *   __global__ void k(float *a) {            [=]{ for each thread: s[threadIdx.x] = a[threadIdx.x];
 *       __shared__ float s[64];                   for (int d = 32; d > 0; d >>= 1)
 *       s[threadIdx.x] = a[threadIdx.x];              for each thread:
 *       for (int d = 32; d > 0; d >>= 1) {                if (threadIdx.x < d) …
 *           __syncthreads();                      … }
 *           if (threadIdx.x < d) …
 *
 * Threads run in the order in which they would come to these places as fibers, and do the same.
 * Where a segment ends with no barrier, at a loop's beginning or end, a fiber would go on before
 * the next one comes so far: there nothing that is on one side may touch what the other side
 * changes (cut_effects.c), so that even threads which race find what they would find. The closure
 * lies between two signs, CUT_BEGINS and CUT_ENDS: the build that looks at loads and stores goes
 * without it (simcc/compile.c). g++ warns of nothing there, and where it finds an error the source
 * is compiled again without cuts: a mistake of the reader's that leaves a name unknown, or changes
 * what it took for constant, costs time alone.
 *
 * Variables of the kernel's own that stand between barriers are of these kinds:
 *
 *   UNIFORM  an integer that is the same for all threads: set by nothing but numbers, parameters,
 *            blockIdx and the like, and others of its kind, where all threads come. One for all
 *   SAME     set once, by such things and threadIdx: set again in each segment that names it
 *   KEPT     in an array by threads, loaded where a segment begins and stored where it ends
 *   INNER    of one segment
 *
 * In a kernel with anything else, threads are fibers.
 */
#ifndef SIMCC_REWRITE_CUT_CUT_H
#define SIMCC_REWRITE_CUT_CUT_H

#include <stdio.h>

#include "simcc/rewrite/edit.h"

enum { CUT_LOCALS = 64, CUT_NODES = 512, CUT_SETS = 64, CUT_CALLED = 64 };

/* From CUT_INTEGER on: parameters of the kernel, and of its template. */
enum cut_kind { CUT_INNER, CUT_UNIFORM, CUT_SAME, CUT_KEPT, CUT_SHARED, CUT_INTEGER, CUT_POINTER,
                CUT_OTHER, CUT_NUMBER, CUT_TYPE };

/* A name, and the tokens in which it means this. */
struct cut_local {
    size_t name, from, to;
    enum cut_kind kind;
    size_t type, type_end;      /* its type's words; const and the like before and after */
    size_t declarator, dims, dims_end;  /* * const … name [ ] */
    size_t init, init_end;      /* init 0: it has none */
    unsigned dimensions;
    bool integer, pointer, automatic, constant; /* of a CUT_OTHER: integer: it is a number */
    bool moves;                 /* more than read, where no struct cut_set says how */
    size_t head;                /* the for in whose head it stands, or that alone sets it; 0 */
    unsigned segment;
    bool needed;                /* in the segment that is being written */
};

/* x = …, x /= …, x++ at the top of a statement, or in the head of a for. */
struct cut_set { size_t local, target, value, value_end, head; };

enum cut_node_kind { CUT_STATEMENT, CUT_DECLARES, CUT_VERBATIM, CUT_SETS_ALL, CUT_BARRIER, CUT_HEAD,
                     CUT_OPENS, CUT_CLOSES };
struct cut_node {
    enum cut_node_kind kind;
    size_t from, to;            /* tokens, to: the one after */
    size_t local;               /* that is declared */
    size_t head, closes; /* of { and }: the if or loop that it is of, counted from 1; its } */
    size_t set;                 /* it is that one, counted from 1; 0: none */
    unsigned segment;
};

struct cutter {
    struct rewriter *r;
    const struct tokens *t;
    size_t body, end;           /* its braces */
    bool ok, returns;
    struct cut_local locals[CUT_LOCALS];
    size_t local_count;
    struct cut_set sets[CUT_SETS];
    size_t set_count;
    struct cut_node nodes[CUT_NODES];
    size_t node_count;
    unsigned segments;
    /* Functions of the program that have been looked at, so that each is once. */
    struct cut_called { size_t name; bool known; } called[CUT_CALLED];
    size_t called_count;
};

/* ---- cut_names.c ---- */

/* The token after the statement that begins there. */
size_t cut_statement_end(const struct tokens *t, size_t from);
bool cut_meets(const struct tokens *t, size_t from, size_t to);
void cut_no(struct cutter *c);
bool cut_is_type_word(const struct tokens *t, size_t token);
bool cut_is_integer_word(const struct tokens *t, size_t token);
bool cut_is_vector_word(const struct tokens *t, size_t token);
/* Names a type of numbers, or a template's parameter: g++ refuses the cut unless that is such a
 * type. */
bool cut_is_plain_word(const struct cutter *c, size_t token);

size_t cut_local_at(const struct cutter *c, size_t token);      /* c->local_count: none */
struct cut_local *cut_add(struct cutter *c, size_t name, size_t to, enum cut_kind kind);
void cut_read_parameters(struct cutter *c, size_t word, size_t open);
bool cut_is_declaration(const struct cutter *c, size_t from);
/* Up to its ; a node for each variable. `head`: the for in whose head it stands; 0. */
void cut_read_declaration(struct cutter *c, size_t from, size_t end, size_t to, size_t head);

/* ---- cut_words.c ---- */

/* Is all of the body known, and nothing in it that may make threads meet? */
bool cut_words_are_known(struct cutter *c);
/* May a type stand in these brackets, and nothing else? */
bool cut_is_cast(const struct cutter *c, size_t open);
/* May it be called, as far as its name says, and does it touch no memory? */
bool cut_is_mathematics(const struct cutter *c, size_t name);
/* Is the & at the token one between two operands? */
bool cut_is_between(const struct cutter *c, size_t sign);
/* Does a break or continue in the statement lead out of it? */
bool cut_leaves(const struct tokens *t, size_t from, size_t to);

/* ---- cut_kinds.c ---- */

/* Reads [from, to) as x = …; false: it is none. */
bool cut_read_set(struct cutter *c, size_t from, size_t to, size_t head);
/* By what may a number be divided at any time? */
bool cut_is_divisor(const struct cutter *c, size_t token);
/* The same for all threads? */
bool cut_is_uniform(const struct cutter *c, size_t from, size_t to);
/* Says of what kind each variable is. */
void cut_choose_kinds(struct cutter *c);

/* The token after the name and its [ … ] and members. */
size_t cut_behind_element(const struct tokens *t, size_t name, bool *element);
/* Is it changed there, … ++x, x[…] = …, or is its address taken? `behind`: the token after it. */
bool cut_is_more_than_read(const struct cutter *c, size_t name, size_t behind);

/* ---- cut_effects.c ---- */

/* Do threads find what they would find as fibers, whatever they do? */
bool cut_keeps_order(struct cutter *c);

/* ---- cut_write.c ---- */

/* The closure (malloc). */
char *cut_written(struct cutter *c);

#endif
