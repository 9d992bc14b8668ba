/* SPDX-License-Identifier: MIT */
/*
 * link.h - from objects to a program: with the simulator, in each build that is wanted.
 *
 * Of a small program's link more than a third is g++, collect2, the plugin of link-time
 * optimisation and the names of all files in the folders where libraries may lie. So what g++ says
 * to gold is written down once, beside the precompiled headers (prelude.h), with each library as a
 * file, and what is made of objects alone is linked by gold itself. Where that fails, g++ is asked.
 */
#ifndef SIMCC_LINK_H
#define SIMCC_LINK_H

#include "simcc/options.h"

/* In a prelude's folder: gold's words, one a line, OBJECTS and PROGRAM where those stand. */
#define LINK_WORDS "linker"
/* Writes that file; none where g++ does not say where its libraries are. */
void link_write_words(const char *path);

/* The program goes to job->output. False: the linker has said why not. */
bool link_program(const struct job *job, const struct words *objects);
/* -lib */
bool link_archive(const struct job *job, const struct words *objects);
/* -dlink: code of the device is linked with the rest; an object with nothing in it. */
bool link_nothing(const struct job *job);

#endif
