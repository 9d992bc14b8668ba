/* SPDX-License-Identifier: MIT */
/* disjoint.h - the reader of kernels whose blocks do not see each other (disjoint.c). */
#ifndef SIMCC_REWRITE_DISJOINT_DISJOINT_H
#define SIMCC_REWRITE_DISJOINT_DISJOINT_H

#include "simcc/rewrite/edit.h"

enum { NAMES = 64, FACTS = 32, TOUCHES = 16 };

enum what { NUMBER, POINTER, POINTER_TO_CONST, INDEX_X, INDEX_Y, INDEX_XY, STRIDE };

/* x, or y: block times `size`, plus thread. A token; 0: blockDim's own. */
struct along { size_t size, bound; bool loops; };

struct own {
    size_t name;
    enum what what;
    bool integer;
    bool assigned, fixed;       /* is it? does the proof need it not to be? */
    struct along x, y;          /* of an index */
    size_t width;
};

struct reader {
    struct rewriter *r;
    const struct tokens *t;
    size_t at;
    bool ok;
    unsigned loops;             /* round what is read */
    struct own own[NAMES];
    size_t count, parameters;   /* in scope; the first of them */
    struct fact { size_t variable, bound; } facts[FACTS];
    size_t fact_count;
    struct touch { size_t pointer; bool stores, known; struct along x, y; size_t width; }
        touches[TOUCHES];
    size_t touch_count;
};

/* ---- disjoint_names.c: words, names and operators ---- */

extern const char *const disjoint_integers[], *const disjoint_small[];  /* types; NULL ends them */
bool is_type(const struct tokens *t, size_t token);
/* Of mathematics: a name, whoever declares it. */
bool is_function(const struct tokens *t, size_t token);
/* 512, 0x20, 1e-3f: no number of the program's own making. */
bool is_number(const struct tokens *t, size_t token, bool *whole);
/* Of the program, at global scope. */
bool is_constant(const struct rewriter *r, size_t token);

/* At the reader's token; it is none of these kernels. */
bool disjoint_here(const struct reader *d, const char *what);
void disjoint_next(struct reader *d);
void disjoint_expect(struct reader *d, const char *what);
void disjoint_no(struct reader *d);

/* NULL: it is none of the kernel's. */
struct own *own_of(struct reader *d, size_t token);
/* It is, from now on. */
struct own *read_name(struct reader *d, size_t name, enum what what, bool integer);
void read_assigned(struct reader *d, struct own *o);
/* A number that is the same from the launch to the kernel's end: written there, a constant, or a
 * parameter. */
bool is_fixed(struct reader *d, size_t token);

/* The operator that begins at the token, as the language reads it: the longest. Returns how many
 * tokens it has; 0: it is none that is known. */
size_t operator_at(const struct tokens *t, size_t token, const char **which);
bool is_any_of(const char *what, const char *const *list);
bool assigns(const char *what);
bool counts(const char *what);
/* Where `what` stands in [from, to), outside of brackets; `to`: nowhere. */
size_t find_outside(const struct tokens *t, size_t from, size_t to, const char *what);

/* ---- disjoint_index.c: indices that no two blocks have in common ---- */

/* What [from, to) is. */
bool is_along(struct reader *d, size_t from, size_t to, char axis, size_t *size);
bool is_stride(const struct tokens *t, size_t from, size_t to);
bool is_index_xy(struct reader *d, size_t from, size_t to, struct touch *out);
/* What facts from that one on say of its end, the last said first; 0: nothing. */
size_t bound_of(const struct reader *d, size_t from, size_t variable);
/* pointer[from, to) */
void read_touch(struct reader *d, size_t pointer, size_t from, size_t to, bool stores);

/* ---- disjoint_say.c ---- */

/* The closure's text: what the launch is to be asked. */
char *disjoint_say(const struct reader *d);

#endif
