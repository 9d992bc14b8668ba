/* SPDX-License-Identifier: MIT */
#include "grader/learner/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/atomic_file.h"
#include "grader/base/environment.h"
#include "trace/record/memory.h"

#define FILE_MOST (4u << 20)

bool text_read(const char *path, struct text *t)
{
    *t = (struct text){ .bytes = NULL };
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    if (fd < 0 && errno == ENOENT)
        return false;
    if (fd < 0 || fstat(fd, &status) != 0)
        die("cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode) || status.st_size > FILE_MOST)
        die("%s is not a text file", path);
    t->bytes = memory_resize(NULL, (size_t)status.st_size + 1);
    ssize_t n;
    while (t->count < (size_t)status.st_size
           && (n = read(fd, t->bytes + t->count, (size_t)status.st_size - t->count)) != 0)
        if (n > 0)
            t->count += (size_t)n;
        else if (errno != EINTR)
            die("cannot read %s: %s", path, strerror(errno));
    t->bytes[t->count] = '\0';
    close(fd);
    return true;
}

void text_need(const char *path, struct text *t)
{
    if (!text_read(path, t))
        die("%s does not exist", path);
}

void text_fini(struct text *t)
{
    t->bytes = memory_resize(t->bytes, 0);
}

bool text_same(const struct text *a, const struct text *b)
{
    return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

bool text_write_new(const char *path, const struct text *t)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return false;
    bool good = fd >= 0;
    for (size_t done = 0; good && done < t->count;) {
        ssize_t n = write(fd, t->bytes + done, t->count - done);
        good = n > 0;
        done += good ? (size_t)n : 0;
    }
    if (fd >= 0 && close(fd) != 0)
        good = false;
    if (!good) {
        int problem = errno;
        if (fd >= 0)
            unlink(path);
        die("cannot write %s: %s", path, strerror(problem));
    }
    return true;
}

void text_write(const char *path, const struct text *t)
{
    struct atomic_file file;
    if (!atomic_file_open(&file, path)
        || !atomic_file_close(&file, t->count == 0 || fwrite(t->bytes, t->count, 1, file.out) == 1))
        die("cannot write %s: %s", path, strerror(errno));
}
