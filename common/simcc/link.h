/* SPDX-License-Identifier: MIT */
/* link.h - from objects to a program: with the simulator, in each build that is wanted. */
#ifndef SIMCC_LINK_H
#define SIMCC_LINK_H

#include "simcc/options.h"

/* The program goes to job->output. False: the linker has said why not. */
bool link_program(const struct job *job, const struct words *objects);
/* -lib */
bool link_archive(const struct job *job, const struct words *objects);
/* -dlink: code of the device is linked with the rest; an object with nothing in it. */
bool link_nothing(const struct job *job);

#endif
