/* SPDX-License-Identifier: MIT */
#include "grader/base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/environment.h"

/* What is there and is no file (/dev/null, a pipe) is written into, and stays what it is. */
static bool is_other(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && !S_ISREG(there.st_mode);
}

bool atomic_file_open(struct atomic_file *w, const char *path)
{
    *w = (struct atomic_file){ .path = NULL };
    if (is_other(path))
        return (w->out = fopen(path, "we"));
    w->path = strdup(path);
    if (!w->path || asprintf(&w->temporary, "%s" ATOMIC_TEMPORARY "XXXXXX", path) < 0)
        abort();
    int fd = mkstemp(w->temporary);
    if (fd >= 0)
        flock(fd, LOCK_EX | LOCK_NB);   /* who sweeps sees that it is being written */
    if (fd >= 0 && (w->out = fdopen(fd, "w")))
        return true;
    int problem = errno;
    free(w->path);
    free(w->temporary);
    errno = problem;
    return false;
}

bool atomic_file_is_left(const char *path)
{
    size_t n = strlen(path), suffix = sizeof ATOMIC_TEMPORARY - 1 + 6;
    if (n <= suffix
        || strncmp(path + n - suffix, ATOMIC_TEMPORARY, sizeof ATOMIC_TEMPORARY - 1) != 0)
        return false;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat s;
    bool left =
        fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (fd >= 0)
        close(fd);
    return left;
}

bool atomic_file_close(struct atomic_file *w, bool keep)
{
    if (!w->path) {
        bool left = reader_left(w->out), written = !ferror(w->out);
        return (fclose(w->out) == 0 && written) || left;
    }
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fileno(w->out), 0666 & ~mask);       /* file systems without modes do without */
    bool good = keep && fflush(w->out) == 0 && !ferror(w->out);
    if (fclose(w->out) != 0)
        good = false;
    good = good && rename(w->temporary, w->path) == 0;
    int problem = errno;
    if (!good)
        unlink(w->temporary);
    free(w->path);
    free(w->temporary);
    errno = problem;
    return good;
}
