/* SPDX-License-Identifier: MIT */
#include "simcc/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/record/memory.h"

enum { NOT_STARTED = 127 };

/* Its words, a comma after each: CXX as make was told. */
#ifndef SIMCC_CXX
#define SIMCC_CXX "g++"
#endif

/* Not inlined, here and below: commands are put together at 150 places, and copies would be an
 * eighth of this folder's object code. */
__attribute__((noinline)) void words_add(struct words *w, const char *word)
{
    w->list = memory_grow(w->list, w->count + 1, &w->capacity, sizeof *w->list);
    w->list[w->count++] = word;
    w->list[w->count] = NULL;
}

void words_add_list(struct words *w, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words_add(w, list[i]);
}

void words_add_all(struct words *w, const struct words *more)
{
    words_add_list(w, more->list, more->count);
}

__attribute__((noinline)) void bytes_add(struct bytes *b, const char *more, size_t count)
{
    b->at = memory_resize(b->at, b->count + count);
    memcpy(b->at + b->count, more, count);
    b->count += count;
}

void words_add_compiler(struct words *w)
{
    static const char *const compiler[] = { SIMCC_CXX };
    WORDS_ADD_LIST(w, compiler);
}

static int shown_there = -1;           /* stderr, while another file takes what a command says */

_Noreturn void trouble(const char *format, ...)
{
    va_list arguments;
    if (shown_there >= 0)
        dup2(shown_there, STDERR_FILENO);
    va_start(arguments, format);
    fputs("simcc: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static void make_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        trouble("cannot make a pipe: %s", strerror(errno));
}

static _Noreturn void become(const struct words *command, const int *in, const int *out, int which,
                             pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)            /* it was gone before it could be watched */
        _exit(1);
    signal(SIGPIPE, SIG_DFL);
    if (in) {
        dup2(in[0], STDIN_FILENO);
        close(in[0]);
        close(in[1]);
    }
    if (out) {
        dup2(out[1], which);
        close(out[0]);
        close(out[1]);
    }
    execvp(command->list[0], (char *const *)command->list);
    _exit(NOT_STARTED);
}

/* A reader that ends early has said why on stderr. */
static void write_all(int to, const struct bytes *in)
{
    for (size_t done = 0; done < in->count;) {
        ssize_t n = write(to, in->at + done, in->count - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    close(to);
}

static void read_all(int from, struct bytes *out)
{
    size_t capacity = 1 << 20;
    *out = (struct bytes){ memory_resize(NULL, capacity), 0 };
    for (;;) {
        if (out->count == capacity)
            out->at = memory_resize(out->at, capacity *= 2);
        ssize_t n = read(from, out->at + out->count, capacity - out->count);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        out->count += n > 0 ? (size_t)n : 0;
    }
    close(from);
}

static bool shown;

void process_show(void)
{
    shown = true;
}

bool process_is_shown(void)
{
    return shown;
}

static void show(const struct words *command)
{
    struct bytes line = { 0 };
    if (!shown)
        return;
    bytes_add(&line, "#$", 2);
    for (size_t i = 0; i < command->count; i++) {
        bytes_add(&line, " ", 1);
        bytes_add(&line, command->list[i], strlen(command->list[i]));
    }
    fprintf(stderr, "%.*s\n", (int)line.count, line.at);
    memory_resize(line.at, 0);
}

/* As waitpid gives it, once the child is gone. */
static int wait_for(pid_t child)
{
    int status = 1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

bool process_run(const struct words *command, const struct bytes *in, struct bytes *out, int which)
{
    int in_ends[2], out_ends[2];
    if (in)
        make_pipe(in_ends);
    if (out)
        make_pipe(out_ends);
    show(command);
    signal(SIGPIPE, SIG_IGN);
    pid_t self = getpid(), child = fork();
    if (child < 0)
        trouble("cannot start %s: %s", command->list[0], strerror(errno));
    if (child == 0)
        become(command, in ? in_ends : NULL, out ? out_ends : NULL, which, self);
    if (in) {
        close(in_ends[0]);
        write_all(in_ends[1], in);
    }
    if (out) {
        close(out_ends[1]);
        read_all(out_ends[0], out);
    }
    int status = wait_for(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)
        trouble("cannot run %s: install g++, or look at your PATH", command->list[0]);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A file of memory or, where that is not permitted (a class's sandbox), one with no name where
 * temporary files lie. */
static int nameless_file(void)
{
    int file = memfd_create("messages", MFD_CLOEXEC);
    const char *folder = getenv("TMPDIR");
    return file >= 0 ? file : open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static int file_for_messages(void)
{
    int file = nameless_file();
    if (file < 0)
        trouble("cannot keep what the compiler says: %s", strerror(errno));
    return file;
}

/* A file takes what it says, so that one pipe is enough. */
bool process_run_quietly(const struct words *command, struct bytes *out, struct bytes *messages)
{
    int file = file_for_messages();
    show(command);
    shown_there = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    dup2(file, STDERR_FILENO);
    bool was_shown = shown;
    shown = false;
    bool fine = process_run(command, NULL, out, STDOUT_FILENO);
    shown = was_shown;
    dup2(shown_there, STDERR_FILENO);
    close(shown_there);
    shown_there = -1;
    lseek(file, 0, SEEK_SET);
    read_all(file, messages);
    return fine;
}

int process_status(const struct words *command)
{
    pid_t self = getpid(), child = process_beside();
    if (child == 0)
        become(command, NULL, NULL, 0, self);
    int status = wait_for(child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pid_t process_beside(void)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        trouble("cannot start another process: %s", strerror(errno));
    return child;
}

int process_join(pid_t child)
{
    int status = wait_for(child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

bool process_try(bool (*what)(void *), void *with, struct bytes *messages)
{
    int file = file_for_messages();
    pid_t child = process_beside();
    if (child == 0) {
        dup2(file, STDERR_FILENO);
        _exit(what(with) ? 0 : 1);
    }
    bool fine = process_join(child) == 0;
    lseek(file, 0, SEEK_SET);
    read_all(file, messages);
    return fine;
}
