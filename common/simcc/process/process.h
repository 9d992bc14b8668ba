/* SPDX-License-Identifier: MIT */
/* process.h - running the compiler: word lists, pipes, exit statuses. */
#ifndef SIMCC_PROCESS_PROCESS_H
#define SIMCC_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct words {
    const char **list;          /* NULL-terminated */
    size_t count, capacity;
};

void words_add(struct words *w, const char *word);
/* The C++ compiler that this was built with, "g++" if nothing else was said. */
void words_add_compiler(struct words *w);
void words_add_all(struct words *w, const struct words *more);
void words_add_list(struct words *w, const char *const *list, size_t count);
#define WORDS_ADD_LIST(w, list) words_add_list(w, list, sizeof(list) / sizeof *(list))

struct bytes {
    char *at;
    size_t count;
};

void bytes_add(struct bytes *b, const char *more, size_t count);

/* Ends simcc with status 2 and this line after "simcc: ". */
_Noreturn void trouble(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Commands are shown on stderr before they are run, as nvcc -v does. */
void process_show(void);
bool process_is_shown(void);
/* Runs a command to its end; `in`, if not NULL, is its standard input, and *out,
 * if not NULL, gets what it writes to descriptor `which`. Ends simcc when there is
 * no such command. Returns whether it ended with status 0. It dies with simcc. */
bool process_run(const struct words *command, const struct bytes *in, struct bytes *out, int which);
/* The same, *out from its standard output; *messages gets what it says on stderr. */
bool process_run_quietly(const struct words *command, struct bytes *out, struct bytes *messages);

/* Runs a command to its end: its exit status, 128 and the signal's number when one killed it. */
int process_status(const struct words *command);

/* Forks: 0 in the process that is to work beside its caller and to end with _exit. */
pid_t process_beside(void);
/* Waits for it: its exit status; 1 when it was killed. */
int process_join(pid_t child);
/* Has a process of its own do it, to its end: what that returned; *messages gets what it says on
 * stderr (malloc). */
bool process_try(bool (*what)(void *), void *with, struct bytes *messages);

#endif
