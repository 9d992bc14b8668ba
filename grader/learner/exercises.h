/* SPDX-License-Identifier: MIT */
/*
 * exercises.h - which exercises there are (exercises/NN-name.cu), whether or not
 * their checks are in this program.
 */
#ifndef GRADER_LEARNER_EXERCISES_H
#define GRADER_LEARNER_EXERCISES_H

#include <stddef.h>

/* The one with the next higher number, and the name of its folder; 0 after the last. */
int exercise_after(int number, char *folder, size_t size);
/* What its chapter is called; the folder's name where there is no chapter. */
void exercise_title(const char *folder, char *title, size_t size);

#endif
