/* SPDX-License-Identifier: MIT */
/* edit.h - the inside of the rewriter: where the scan is, and what it wants changed. */
#ifndef SIMCC_REWRITE_EDIT_H
#define SIMCC_REWRITE_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "simcc/rewrite/tokens.h"

struct edit {
    size_t at, drop;
    char *text;                 /* malloc */
    size_t sequence;
};

struct rewriter {
    struct tokens tokens;
    const char *const *own;
    bool one_core;
    struct edit *edits;
    size_t edit_count, edit_capacity;
    struct names {
        struct name { const char *at; size_t length; } *list;
        size_t count, capacity;
    } calls, kernels;           /* declared so far: calls of the runtime, kernels */
    bool system, ours;          /* whose header the scan is in */
    bool *braces;               /* those that are open: does it begin a body (of a function, a class)? */
    size_t brace_count, brace_capacity;
    size_t bodies;              /* how many of them do */
};

/* At byte `at` of the text, drop so many bytes and put this. */
void edit(struct rewriter *r, size_t at, size_t drop, const char *format, ...);
/* This instead of a token. */
void drop(struct rewriter *r, size_t token, const char *instead);
size_t start_of(const struct rewriter *r, size_t token);
size_t end_of(const struct rewriter *r, size_t token);

/* Is the token one of these names? */
bool is_one_of(const struct rewriter *r, const struct names *names, size_t token);

/* ---- address.c: kernels as addresses, at the token ---- */

/* A kernel's name: (void *)k */
void address_kernel(struct rewriter *r, size_t name);
/* A call of the runtime: cudaLaunchKernel((void *)f, …) */
void address_in_call(struct rewriter *r, size_t call);

/* ---- device.c: words of the device, at the token ---- */

/* { or }: keeps count of the bodies that the scan is in. */
void device_brace(struct rewriter *r, size_t token);
/* __shared__ */
void device_shared(struct rewriter *r, size_t word);
/* __device__, __constant__ */
void device_symbol(struct rewriter *r, size_t word);
/* asm: of a special register */
void device_assembly(struct rewriter *r, size_t word);

#endif
