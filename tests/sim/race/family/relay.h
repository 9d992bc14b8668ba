/* SPDX-License-Identifier: MIT */
/* relay.h - threads that take turns by a plain variable: compiled apart, so that nobody sees it. */
#ifndef RELAY_H
#define RELAY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Has the thread do the step, and waits until it has; NULL: it is to end. */
void relay_ask(int thread, void (*step)(void));
/* Does what the thread is asked to. */
void relay_answer(int thread);

#ifdef __cplusplus
}
#endif
#endif
