/* SPDX-License-Identifier: MIT */
/*
 * call_log.h - where this process writes the calls it makes (trace/record/log.h), for who reads
 * them: the grader, `timeline`.
 *
 * Without a reader calls are counted, and not written.
 */
#ifndef SIM_CALL_LOG_H
#define SIM_CALL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call;

/* Opens it, as the environment says (common/exchange.h). */
void call_log_begin(void);

void call_log_write(const struct call *c);
/* A call that is for the log's readers alone: written, and not made here; passes no turn on. Fills
 * in the thread. */
void call_log_add(struct call *c);
/* From a signal handler. False: the log is just being written, try again after it. */
bool call_log_last_words(const struct call *c);
/* Set by who was told to try again; called when the log has been written. */
extern void (*volatile call_log_postponed)(void);

/* How many calls it has (or would have). */
size_t call_log_count(void);
/* Does somebody read it? */
bool call_log_is_read(void);
/* Is it authenticated: is this program judged? */
bool call_log_is_authenticated(void);
/* Is this program a stranger's (exchange.h)? */
bool call_log_is_guarded(void);

/* The number of a string, for a call's fields. */
uint32_t call_string(const char *s);

#endif
