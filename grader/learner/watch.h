/* SPDX-License-Identifier: MIT */
/*
 * watch.h - runs a command each time a file has been saved.
 *
 * Editors save in many ways: they write over the file, put another one in its
 * place, do both, or take it away for a moment. What counts is that the bytes
 * are others than those that the command last ran with, and that nothing
 * happened for a moment. inotify says when to look; where it cannot be had, or
 * says nothing (files that Windows changes under WSL), the file is looked at
 * once a second. A command that still runs when the next version comes is ended.
 */
#ifndef GRADER_LEARNER_WATCH_H
#define GRADER_LEARNER_WATCH_H

/* Runs it once at the beginning. Ends with Ctrl-C, SIGTERM or SIGHUP, or when nobody reads any
 * more; returns then. environment.h's interrupt_init comes before. `argv` as for execv. */
void watch(const char *path, const char *const *argv);

#endif
