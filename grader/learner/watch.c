/* SPDX-License-Identifier: MIT */
#include "grader/learner/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/environment.h"

#define QUIET_MS 60             /* a save of several steps is over by then */
#define QUIET_MOST 16           /* in a folder that is never quiet */
#define FILE_POLL_MS 1000            /* without being told */
#define END_MS 2000             /* what a command that is ended may take */

struct watching {
    const char *path, *const *argv;
    int notice;                 /* inotify; -1: none */
    sigset_t waiting;           /* the mask to sleep with */
    uint64_t seen;              /* the version that the command last ran with; 0: none */
    pid_t child;                /* 0: none runs */
};

/* What the file holds, as a number that is not 0; 0: it is not there, or cannot be read right now.
 */
static uint64_t version_of(const char *path)
{
    unsigned char bytes[65536];
    uint64_t hash = 14695981039346656037u;      /* FNV-1a */
    ssize_t n;
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return 0;
    }
    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n; i++)
            hash = (hash ^ bytes[i]) * 1099511628211u;
    close(fd);
    return n < 0 ? 0 : hash | 1;
}

static void wake(int signal_number)
{
    (void)signal_number;
}

/* SIGCHLD and the signals that end us come only while we sleep: none is missed. */
static void hold_signals(struct watching *w)
{
    static const int signals[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP };
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&held, signals[i]);
    sigprocmask(SIG_BLOCK, &held, &w->waiting);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigdelset(&w->waiting, signals[i]);
    sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = wake }, NULL);
}

/* The folder is watched: a file that another one replaces is a new one. */
static void start_noticing(struct watching *w)
{
    char *folder = strdup(w->path);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    w->notice = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (w->notice >= 0
        && inotify_add_watch(w->notice, slash ? folder : ".",
                             IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE)
               < 0) {
        close(w->notice);
        w->notice = -1;
    }
    free(folder);
}

/* Sleeps until something happened, at most so long. True: in the folder. */
static bool sleep_until_noticed(struct watching *w, int ms)
{
    char events[4096];
    struct pollfd fd = { w->notice, POLLIN, 0 };
    struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
    bool noticed = ppoll(&fd, w->notice >= 0, &t, &w->waiting) > 0;
    while (w->notice >= 0 && read(w->notice, events, sizeof events) > 0)
        ;
    return noticed;
}

static void begin_command(struct watching *w)
{
    fflush(stdout);
    w->child = fork();
    if (w->child == 0) {
        sigprocmask(SIG_SETMASK, &w->waiting, NULL);
        signal(SIGPIPE, SIG_DFL);
        execv(w->argv[0], (char *const *)w->argv);
        fprintf(stderr, "cannot run %s: %s\n", w->argv[0], strerror(errno));
        _exit(2);
    }
    if (w->child < 0) {
        w->child = 0;
        die("cannot start another process: %s", strerror(errno));
    }
}

/* Is it gone? Then says goodbye. */
static bool command_gone(struct watching *w)
{
    if (w->child != 0 && waitpid(w->child, NULL, WNOHANG) == w->child)
        w->child = 0;
    return w->child == 0;
}

/* It cleans up after itself when it is asked to go. */
static void end_command(struct watching *w)
{
    if (command_gone(w))
        return;
    kill(w->child, SIGTERM);
    for (int waited = 0; waited < END_MS && !command_gone(w); waited += 20)
        ppoll(NULL, 0, &(struct timespec){ 0, 20000000 }, NULL);
    if (w->child != 0) {
        kill(w->child, SIGKILL);
        waitpid(w->child, NULL, 0);
        w->child = 0;
    }
}

void watch(const char *path, const char *const *argv)
{
    struct watching w = { .path = path, .argv = argv };
    hold_signals(&w);
    start_noticing(&w);
    w.seen = version_of(path);
    begin_command(&w);
    bool warned = false;
    while (interrupt_seen() == 0 && !reader_left(stdout)) {
        if (command_gone(&w) && !warned) {
            printf("\nWatching %s: save it, and it is graded again (Ctrl-C ends this).\n", path);
            fflush(stdout);
            warned = true;
        }
        bool noticed = sleep_until_noticed(&w, FILE_POLL_MS);
        for (int k = 0; noticed && k < QUIET_MOST && interrupt_seen() == 0; k++)
            noticed = sleep_until_noticed(&w, QUIET_MS);
        uint64_t now = version_of(path);
        if (interrupt_seen() != 0 || now == 0 || now == w.seen)
            continue;
        end_command(&w);
        w.seen = now;
        putchar('\n');
        begin_command(&w);
        warned = false;
    }
    end_command(&w);
    if (w.notice >= 0)
        close(w.notice);
    sigprocmask(SIG_SETMASK, &w.waiting, NULL);
}
