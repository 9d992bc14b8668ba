/* SPDX-License-Identifier: MIT */
/*
 * message.h - how the sentences of a termination are written: its message and its hint.
 */
#ifndef GRADER_JUDGE_TERMINATION_MESSAGE_H
#define GRADER_JUDGE_TERMINATION_MESSAGE_H

#include "trace/record/timeline.h"

/* A string of the log, made harmless. */
void message_copy(char *to, size_t size, const struct timeline *log, uint32_t number);

/* Write the text anew, or add to it. What is too long is cut. */
void message_write(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void message_add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Of the termination `e`. */
#define MESSAGE(...) message_write(e->message, sizeof e->message, __VA_ARGS__)
#define HINT(...) message_write(e->hint, sizeof e->hint, __VA_ARGS__)
#define ADD_HINT(...) message_add(e->hint, sizeof e->hint, __VA_ARGS__)

#endif
