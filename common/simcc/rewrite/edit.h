/* SPDX-License-Identifier: MIT */
/* edit.h - the inside of the rewriter: where the scan is, and what it wants changed. */
#ifndef SIMCC_REWRITE_EDIT_H
#define SIMCC_REWRITE_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "simcc/rewrite/tokens.h"

struct edit {
    size_t at, drop;
    char *text;                 /* malloc */
    size_t sequence;
    bool foremost;
};

struct rewriter {
    struct tokens tokens;
    const char *const *own, *const *theirs;
    bool one_core, judged, cuts;
    struct edit *edits;
    size_t edit_count, edit_capacity;
    struct names {
        struct name { const char *at; size_t length; } *list;
        size_t count, capacity;
    } calls, kernels;           /* declared so far: calls of the runtime, kernels */
    struct names volatiles; /* the device's variables that are: owned by steps.c, as is */
    size_t steps_until; /* the token at which the function ends that it was in last */
    struct names constants,
        own_functions; /* what the program declares: owned by disjoint.c, as are */
    bool own_operators, own_literals;
    bool any_operators;         /* in classes, too */
    struct names device_functions; /* of the program */
    size_t device_from,
        device_until; /* tokens of the device function that the scan is in, or was in last */
    size_t computes_from,
        computes_until; /* the same of functions of both, too: owned by arithmetic.c */
    struct cut_place { size_t word, open, body; bool within; } *cut; /* kernels: owned by cut.c */
    size_t cut_count, cut_capacity;
    struct text { char *at; size_t length; } refused;   /* a line each (malloc) */
    bool system, ours;          /* whose header the scan is in */
    bool *braces; /* those that are open: does it begin a body (of a function, a class)? */
    size_t brace_count, brace_capacity;
    size_t bodies;              /* how many of them do */
};

/* At byte `at` of the text, drop that many bytes and put this. */
void edit(struct rewriter *r, size_t at, size_t drop, const char *format, ...);
/* The latest edit comes before those at its place that were noted earlier. */
void edit_foremost(struct rewriter *r);
/* This instead of a token. */
void drop(struct rewriter *r, size_t token, const char *instead);
size_t start_of(const struct rewriter *r, size_t token);
size_t end_of(const struct rewriter *r, size_t token);
/* What becomes of the bytes from `from` on, up to `until`; with_end: and what was noted for there.
 * edits_sort() comes before. */
void edits_sort(struct rewriter *r);
void write_edited(const struct rewriter *r, FILE *out, size_t from, size_t until, bool with_end);
/* The text of `length` bytes with all edits (malloc). */
char *edited(struct rewriter *r, size_t length, size_t *out_length);

/* Is the token one of these names? */
bool is_one_of(const struct rewriter *r, const struct names *names, size_t token);

void add_name(struct names *names, const char *at, size_t length);
/* Adds a name that is not yet among them. */
void learn_name(struct rewriter *r, struct names *names, size_t token);

/* ---- refuse.c: what nvcc refuses, or simcc does not have ---- */

/* The program has an error at this token: FILE:LINE: error: … */
void refuse(struct rewriter *r, size_t token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* unseen.c: what keeps loads and stores from being seen. Drops an attribute, true; refuses other
 * names where the program is judged. */
bool unseen(struct rewriter *r, size_t token);
/* asm: of the host, that is left as it is. */
void unseen_assembly(struct rewriter *r, size_t word);

/* timed.c: is it the name of a wait that gives up after a while, and ignored? Then says so to the
 * grader. */
bool gives_up(struct rewriter *r, size_t token);

/* Is the token in a function that is the device's alone? */
bool is_in_device_code(const struct rewriter *r, size_t token);
/* __global__ or __device__ at the token begins a function of the device, unless it is the host's,
 * too: notes where it ends. */
void refuse_from_word(struct rewriter *r, size_t word);
/* A name: of the host's library, where the device uses it. */
void refuse_name(struct rewriter *r, size_t name);
/* A kernel whose `__global__` is the token `word` and whose name is `name`: it returns nothing. */
void refuse_result(struct rewriter *r, size_t word, size_t name);

/* ---- arithmetic.c: shifts and conversions ---- */

/* __global__ or __device__ at the token begins a function. */
void arithmetic_from_word(struct rewriter *r, size_t word);
/* Any token. */
void arithmetic_token(struct rewriter *r, size_t token);

/* blocks.c: a semaphore that is a variable of a block inside a function, at any token. */
void semaphore_of_block(struct rewriter *r, size_t token);
/* disjoint.c: kernels whose blocks do not see each other. Any token: */
void disjoint_token(struct rewriter *r, size_t token);
/* A kernel, with its word __global__, the ( of its parameters and the { of its body: what closes
 * the body's closure and begins the one that says what it touches (malloc); NULL: it is none of
 * those. */
char *disjoint(struct rewriter *r, size_t word, size_t open, size_t body);

/* cut/cut.c: kernels that are cut at their barriers. One with its word __global__, the ( of its
 * parameters and the { of its body; all of them, when the rest has been noted. */
void cut_kernel(struct rewriter *r, size_t word, size_t open, size_t body);
void cut_kernels(struct rewriter *r);

/* space/space.c: marks functions by whose they are, the host's or the device's; NULL: the program
 * has no code of the device. */
struct spaces *space_read(struct rewriter *r);

/* own.c: threadIdx.x and its like in code of the device, at any token. */
void own_number(struct rewriter *r, size_t token);

/* ---- steps.c: threads of a warp that go in step ---- */

/* volatile, outside of functions: a variable of the device may be. */
void steps_volatile(struct rewriter *r, size_t word);
/* __global__ or __device__ at the token begins a function. */
void steps_from_word(struct rewriter *r, size_t word);

/* ---- address.c: kernels as addresses, at the token ---- */

/* A kernel's name: (void *)k */
void address_kernel(struct rewriter *r, size_t name);
/* A kernel's definition, with its name, the ( of its parameters and the { of its body: makes its
 * address known, of each instance of a template. */
void address_known(struct rewriter *r, size_t name, size_t open, size_t body);
/* A call of the runtime: cudaLaunchKernel((void *)f, …) */
void address_in_call(struct rewriter *r, size_t call);
/* A field of this name, where it is assigned to: params.func = (void *)f */
void address_in_field(struct rewriter *r, size_t field);

/* ---- device.c: words of the device, at the token ---- */

/* { or }: keeps count of the bodies that the scan is in. */
void device_brace(struct rewriter *r, size_t token);
/* __shared__ */
void device_shared(struct rewriter *r, size_t word);
/* __device__, __constant__ */
void device_symbol(struct rewriter *r, size_t word);
/* asm: of a special register */
void device_assembly(struct rewriter *r, size_t word);
/* ptx.c: another asm of the device's code, with its ( at `open`; refuses the program when it knows
 * none of it. */
bool ptx_rewrite(struct rewriter *r, size_t word, size_t open);

#endif
