/* SPDX-License-Identifier: MIT */
#include "simcc/process/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simcc/process/process.h"

static char folder[PATH_MAX];
static pid_t owner;
static char beside[PATH_MAX];      /* "": none */

static void remove_folder(void)
{
    if (*beside)
        unlink(beside);
    DIR *open = opendir(folder);
    if (!open)
        return;
    for (struct dirent *e; (e = readdir(open));)
        unlinkat(dirfd(open), e->d_name, 0);
    closedir(open);
    rmdir(folder);
}

static ssize_t read_file(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, out, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n;
}

/* Stopped, it starts nothing more; one that is just starting something stops when that is done. */
static void stop(pid_t process)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    kill(process, SIGSTOP);
    for (int i = 0; i < 2000 && read_file(path, text, sizeof text) > 0; i++) {
        const char *state = strrchr(text, ')');
        if (state && (state[2] == 'T' || state[2] == 'Z'))
            return;
        usleep(500);
    }
}

/* A process is stopped, its children are ended, and it after them: one that loses its parent
 * may end by itself, and leave its own children to nobody. */
static void end_children(pid_t parent)
{
    char path[64], list[4096];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    if (parent != getpid())
        stop(parent);
    read_file(path, list, sizeof list);
    char *rest = list;
    for (char *word; (word = strtok_r(rest, " ", &rest));)
        end_children((pid_t)atoi(word));
    if (parent != getpid())
        kill(parent, SIGKILL);
}

static void interrupted(int signal_number)
{
    end_children(getpid());
    remove_folder();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* A copy that is being made beside what failed is not waited for. */
static void leave(void)
{
    if (getpid() != owner)
        return;
    end_children(owner);
    while (wait(NULL) > 0)
        ;
    remove_folder();
}

void temporary_begin(void)
{
    const char *where = getenv("TMPDIR");
    if (!where || *where == '\0')
        where = "/tmp";
    int n = snprintf(folder, sizeof folder, "%s/simcc-XXXXXX", where);
    if (n >= (int)sizeof folder || !mkdtemp(folder))
        trouble("cannot make a folder in %s: %s", where, strerror(errno));
    owner = getpid();
    atexit(leave);
    setenv("TMPDIR", folder, 1);
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], interrupted);
}

_Noreturn static void disk_is_full(void)
{
    trouble("no space left in %s", dirname(strdup(folder)));
}

void temporary_trouble(const char *path)
{
    if (errno == ENOSPC)
        disk_is_full();
    trouble("%s: %s", path, strerror(errno));
}

void look_for_full_disk(const struct bytes *messages)
{
    /* as g++ says it, and the assembler */
    static const char full[] = ": No space left on device\n",
                      too[] = ": 'No space left on device'\n";
    if (memmem(messages->at, messages->count, full, sizeof full - 1)
        || memmem(messages->at, messages->count, too, sizeof too - 1))
        disk_is_full();
}

const char *temporary_name(void)
{
    static struct words names;
    char *path;
    if (asprintf(&path, "%s/%zu.o", folder, names.count) < 0)
        abort();
    words_add(&names, path);
    return path;
}

int temporary_beside(const char *where)
{
    if (snprintf(beside, sizeof beside, "%s/.simcc-XXXXXX", where) >= (int)sizeof beside) {
        *beside = '\0';
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        *beside = '\0';
    return fd;
}

bool temporary_becomes(const char *path)
{
    bool done = rename(beside, path) == 0;
    if (done)
        *beside = '\0';
    return done;
}
