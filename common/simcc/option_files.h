/* SPDX-License-Identifier: MIT */
/*
 * option_files.h - options that a file holds: @FILE, -optf FILE, --options-file FILE.
 *
 * Words in a file are parted by white space; quotes and backslashes are a shell's, without what
 * stands for something else ($, *). A file may name others.
 */
#ifndef SIMCC_OPTION_FILES_H
#define SIMCC_OPTION_FILES_H

#include "simcc/process/process.h"

/* Adds the words that were given to `all`, those of a file in place of the file's name. The words
 * of files are never freed: they live as long as simcc does. Ends simcc where a file cannot be
 * read, or files name each other. */
void option_files_expand(struct words *all, const struct words *given);

#endif
