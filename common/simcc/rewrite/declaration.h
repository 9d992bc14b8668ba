/* SPDX-License-Identifier: MIT */
/*
 * declaration.h - the declaration of variables that a word such as
 * __shared__ stands in: which ones, and where it ends; functions of the device.
 */
#ifndef SIMCC_REWRITE_DECLARATION_H
#define SIMCC_REWRITE_DECLARATION_H

#include "simcc/rewrite/tokens.h"

enum { DECLARATORS = 16 };

struct declaration {
    size_t end;                 /* the token ';' */
    size_t count;
    size_t names[DECLARATORS];  /* tokens */
};

/* A word of a declaration that may have something in brackets: alignas(…), __launch_bounds__(…). */
bool declaration_is_attribute(const struct tokens *t, size_t word);

/* From the word on. False: it declares no variables (a function, a lambda), or more than
 * DECLARATORS. */
bool declaration_read(const struct tokens *t, size_t word, struct declaration *d);
/* Does `what` stand in the same statement before the word? Its token, else t->count. */
size_t declaration_before(const struct tokens *t, size_t word, const char *what);
/* The token `what` (extern, static) in the declaration that has `word` in it, before or after that;
 * t->count: there is none. */
size_t declaration_specifier(const struct tokens *t, size_t word, const char *what);
/* Is `what` in the statement that the word stands in, before its ; = or {? */
bool declaration_says(const struct tokens *t, size_t word, const char *what);
/* Does the { at `open` begin a namespace or extern "C"? */
bool declaration_is_outer(const struct tokens *t, size_t open);
/* … or a class, with its bases? */
bool declaration_is_class(const struct tokens *t, size_t open);

/* The token after the template's < at `open`; t->count: it is none. */
size_t declaration_angle_end(const struct tokens *t, size_t open);
/* The { of the function whose parameters begin at `open`; t->count: it is only declared. */
size_t declaration_body(const struct tokens *t, size_t open);

/* A function, or a lambda, that __device__ or __global__ stands before. */
struct device_function {
    size_t open;                /* the ( of its parameters; t->count: it is no function */
    size_t body;                /* its {; t->count: it is only declared */
    bool for_host, is_constexpr;
};
struct device_function device_function(const struct tokens *t, size_t word);

#endif
