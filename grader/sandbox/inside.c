/* SPDX-License-Identifier: MIT */
#include "grader/sandbox/inside.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 4096               /* processes that are looked at */

static bool read_process_text(char *text, size_t size, const char *format, pid_t process)
{
    char path[96];
    snprintf(path, sizeof path, format, (int)process, (int)process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

pid_t inside_first(int pipe)
{
    char text[512];
    ssize_t n = read(pipe, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    const char *at = strstr(text, "\"child-pid\":");
    return at ? (pid_t)atoi(at + strlen("\"child-pid\":")) : 0;
}

/* The first and its descendants; returns how many. */
static size_t find_all(pid_t first, pid_t *all)
{
    static char text[1 << 16];
    size_t count = 1;
    all[0] = first;
    for (size_t i = 0; i < count; i++) {
        read_process_text(text, sizeof text, "/proc/%d/task/%d/children", all[i]);
        char *rest = text;
        for (char *word; count < MOST && (word = strtok_r(rest, " ", &rest));)
            all[count++] = (pid_t)atoi(word);
    }
    return count;
}

void inside_signal(pid_t first, int signal_number)
{
    static pid_t all[MOST];
    size_t count = find_all(first, all);
    for (size_t i = 1; i < count; i++)
        kill(all[i], signal_number);
}

uint64_t inside_memory(pid_t first)
{
    static pid_t all[MOST];
    size_t count = find_all(first, all);
    uint64_t pages = 0;
    for (size_t i = 0; i < count; i++) {
        char text[128];
        unsigned long resident = 0;
        if (read_process_text(text, sizeof text, "/proc/%d/statm", all[i])
            && sscanf(text, "%*u %lu", &resident) == 1)
            pages += resident;
    }
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

bool inside_is_busy(pid_t first)
{
    static pid_t all[MOST];
    size_t count = find_all(first, all);
    for (size_t i = 0; i < count; i++) {
        char text[512];         /* "4711 (cc1plus) R ..." */
        const char *state = read_process_text(text, sizeof text, "/proc/%d/stat", all[i])
                                ? strrchr(text, ')')
                                : NULL;
        if (state && (state[2] == 'R' || state[2] == 'D'))
            return true;
    }
    return false;
}

/* The longest that a thread of the process has waited so. */
static uint64_t waited_most(pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *threads = opendir(path);
    uint64_t most = 0;
    for (struct dirent *d; threads && (d = readdir(threads));) {
        char text[128];
        unsigned long long waited = 0;
        if (read_process_text(text, sizeof text, "/proc/%d/schedstat", (pid_t)atoi(d->d_name))
            && sscanf(text, "%*u %llu", &waited) == 1 && waited > most)
            most = waited;
    }
    if (threads)
        closedir(threads);
    return most;
}

int64_t inside_waited_ms(pid_t first)
{
    static pid_t all[MOST];
    size_t count = find_all(first, all);
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t waited = waited_most(all[i]);
        most = waited > most ? waited : most;
    }
    return (int64_t)(most / 1000000);
}
