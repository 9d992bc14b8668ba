/* SPDX-License-Identifier: MIT */
#include "simcc_temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simcc_process.h"

static char folder[PATH_MAX];

static void remove_folder(void)
{
    DIR *open = opendir(folder);
    if (open == NULL)
        return;
    for (struct dirent *e; (e = readdir(open)) != NULL;)
        unlinkat(dirfd(open), e->d_name, 0);
    closedir(open);
    rmdir(folder);
}

/* A process is asked for its children before it is ended: afterwards they are nobody's. */
static void end_children(pid_t parent)
{
    char path[64], list[4096];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, list, sizeof list - 1) : 0;
    if (fd >= 0)
        close(fd);
    list[n > 0 ? n : 0] = '\0';
    if (parent != getpid())
        kill(parent, SIGKILL);
    char *rest = list;
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;)
        end_children((pid_t)atoi(word));
}

static void interrupted(int signal_number)
{
    end_children(getpid());
    remove_folder();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void temporary_begin(void)
{
    const char *where = getenv("TMPDIR");
    if (where == NULL || *where == '\0')
        where = "/tmp";
    int n = snprintf(folder, sizeof folder, "%s/simcc-XXXXXX", where);
    if (n >= (int)sizeof folder || mkdtemp(folder) == NULL)
        trouble("cannot make a folder in %s: %s", where, strerror(errno));
    atexit(remove_folder);
    setenv("TMPDIR", folder, 1);
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], interrupted);
}

const char *temporary_name(void)
{
    static int count;
    char *path;
    if (asprintf(&path, "%s/%d.o", folder, count++) < 0)
        abort();
    return path;
}
