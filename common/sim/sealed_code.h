/* SPDX-License-Identifier: MIT */
/*
 * sealed_code.h - a stranger's program changes no code: not the simulator's, not a library's, and
 * not its own.
 *
 * From here on the kernel refuses this process whatever makes memory executable, and whatever makes
 * the program's code and tables writable or puts something else in their place. Filters of system
 * calls add up: this one is what the sandbox cannot know before the program is loaded, namely where
 * it lies.
 */
#ifndef SIM_SEALED_CODE_H
#define SIM_SEALED_CODE_H

/* When all libraries are loaded. Does nothing where the kernel has no such filters. */
void seal_code(void);

#endif
