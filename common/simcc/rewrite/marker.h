/* SPDX-License-Identifier: MIT */
/*
 * marker.h - the lines of g++ -E that say where the next line is from: # 12 "file.cu" 1 3
 */
#ifndef SIMCC_REWRITE_MARKER_H
#define SIMCC_REWRITE_MARKER_H

#include <stdbool.h>
#include <stddef.h>

struct marker {
    long line;                  /* of the line after it, from 1 */
    const char *path;           /* in the text, between the quotes: " and \ have a \ before them */
    size_t length;
    bool begins, returns;       /* a file begins (1); it goes on after another (2) */
    bool system;                /* it is a system header (3) */
};

/* What begins at `at` and ends before `end`, with its newline or without. False: it is no such line
 * (#pragma GCC diagnostic ignored "-Wall"), and *marker is as it was. */
bool marker_read(const char *at, const char *end, struct marker *marker);
/* Its path as open() takes it, cut to fit. */
void marker_path(const struct marker *marker, char *path, size_t size);

/* Does the path lie in one of these folders (NULL-terminated; NULL: none), other than the system's?
 */
bool path_is_theirs(const char *path, size_t length, const char *const *folders);

#endif
