/* SPDX-License-Identifier: MIT */
#include "simcc/product.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simcc/process/process.h"
#include "simcc/process/temporary.h"

static bool copy(int from, int to)
{
    char bytes[65536];
    for (ssize_t n; (n = read(from, bytes, sizeof bytes)) != 0;) {
        if (n < 0)
            return false;
        for (ssize_t done = 0, more; done < n; done += more)
            if ((more = write(to, bytes + done, (size_t)(n - done))) < 0)
                return false;
    }
    return true;
}

/* A device or a pipe takes the bytes. */
static void fill(int from, const char *path)
{
    int to = open(path, O_WRONLY | O_CLOEXEC);
    if (to < 0 || !copy(from, to) || close(to) != 0)
        trouble("%s: cannot be written: %s", path, strerror(errno));
}

/* A file beside it takes its place; where `path` is a link, that of the file which it means. */
static void replace(int from, mode_t mode, const char *path)
{
    char target[PATH_MAX], folder[PATH_MAX];
    if (!realpath(path, target))
        snprintf(target, sizeof target, "%s", path);
    snprintf(folder, sizeof folder, "%s", target);
    int to = temporary_beside(dirname(folder));
    if (to < 0 || !copy(from, to) || fchmod(to, mode) != 0 || close(to) != 0
        || !temporary_becomes(target))
        trouble("%s: cannot be written: %s", path, strerror(errno));
}

void product_deliver(const char *made, const char *path)
{
    struct stat its, there;
    int from = open(made, O_RDONLY | O_CLOEXEC);
    if (from < 0 || fstat(from, &its) != 0)
        trouble("%s: %s", made, strerror(errno));
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        fill(from, path);
    else
        replace(from, its.st_mode & 0777, path);
    close(from);
}
