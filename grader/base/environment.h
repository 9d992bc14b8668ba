/* SPDX-License-Identifier: MIT */
/*
 * environment.h - trouble that is nobody's mistake, and what must be gone when grade ends.
 *
 * die() is the one way out for a missing compiler, a full disk, a file
 * that cannot be written: one line on stderr, status 2. The private folder and
 * everything in it are removed however grade ends: by exit(), and on Ctrl-C by
 * the same road (child.h says when the flag is looked at).
 */
#ifndef GRADER_BASE_ENVIRONMENT_H
#define GRADER_BASE_ENVIRONMENT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints "PROGRAM: …" and ends with status 2. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* What a shell closed (`>&-`) is not opened again as a pipe or a file of ours, to be printed into:
 * writing there fails. And a reader that goes away is an error of writing, not a signal. First of
 * all. */
void descriptors_begin(void);
/* Has the reader of what is written there gone away (head, a pager that was left)? That is no
 * trouble. */
bool reader_left(FILE *out);

/* What is printed, into memory: the caller's, to be given to free(). No memory left is trouble. */
char *formatted(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *formatted_list(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
/* A file that is a text in memory: that of open_memstream(). */
FILE *open_text(char **text, size_t *size);

/* The project's folder: two levels above the program. Ends with a newline-free absolute path. */
const char *project_root(void);
/* A path under the root; the caller frees it. */
char *project_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, but relative when the current folder is the root: what a reader wants to see. */
char *project_display_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A private folder under $TMPDIR or build/tmp, made at the first call. From build/tmp those go that
 * graders left which were killed. */
const char *private_folder(void);
/* Removes a folder and all that is in it, as far as that can be removed. */
void folder_remove(const char *path);
/* True when the file system of the private folder has hardly any room left. */
bool private_folder_full(void);

/* Does SIM_HAZARDS=1 ask for hazards, as the program prints them? */
bool hazards_wanted(void);

/* Ctrl-C, SIGTERM and SIGHUP set a flag; a second one ends the program at once. */
void interrupt_init(void);
/* The signal that came, 0 for none. */
int interrupt_seen(void);
/* Cleans up and dies by that signal, as a shell expects. */
void interrupt_leave(void) __attribute__((noreturn));

#endif
