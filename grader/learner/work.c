/* SPDX-License-Identifier: MIT */
#include "grader/learner/work.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/atomic_file.h"
#include "grader/base/environment.h"
#include "trace/record/memory.h"

#define FILE_MOST (4u << 20)
#define COPIES_MOST 10000

struct text { char *bytes; size_t count; };

/* False: it is not there. */
static bool read_text(const char *path, struct text *t)
{
    *t = (struct text){ .bytes = NULL };
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    if (fd < 0 && errno == ENOENT)
        return false;
    if (fd < 0 || fstat(fd, &status) != 0)
        die("cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode) || status.st_size > FILE_MOST)
        die("%s is no file of text", path);
    t->bytes = memory_resize(NULL, (size_t)status.st_size + 1);
    ssize_t n;
    while (t->count < (size_t)status.st_size && (n = read(fd, t->bytes + t->count, (size_t)status.st_size - t->count)) != 0)
        if (n > 0)
            t->count += (size_t)n;
        else if (errno != EINTR)
            die("cannot read %s: %s", path, strerror(errno));
    close(fd);
    return true;
}

static void need_text(const char *path, struct text *t)
{
    if (!read_text(path, t))
        die("%s does not exist", path);
}

static void free_text(struct text *t)
{
    t->bytes = memory_resize(t->bytes, 0);
}

static bool same_bytes(const struct text *a, const struct text *b)
{
    return a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
}

static void make_folder(const char *name)
{
    char *path = project_display_path("%s", name);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        die("cannot make %s: %s", path, strerror(errno));
    free(path);
}

/* False: there is one already. */
static bool write_new(const char *path, const struct text *t)
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

static void write_over(const char *path, const struct text *t)
{
    struct atomic_file file;
    if (!atomic_file_open(&file, path)
        || !atomic_file_close(&file, t->count == 0 || fwrite(t->bytes, t->count, 1, file.out) == 1))
        die("cannot write %s: %s", path, strerror(errno));
}

/* ---- places ---- */

char *work_path(const struct lesson *lesson)
{
    return project_display_path("work/%s.cu", lesson->folder);
}

static char *starter_path(const struct lesson *lesson)
{
    return project_display_path("exercises/%s.cu", lesson->folder);
}

static char *contract_path(const struct lesson *lesson)
{
    return project_display_path("lessons/%s/lesson.h", lesson->folder);
}

static char *base_path(const struct lesson *lesson, const char *kind)
{
    return project_display_path("work/.base/%s.%s", lesson->folder, kind);
}

char *work_starter(const struct lesson *lesson)
{
    char *base = base_path(lesson, "cu");
    if (access(base, R_OK) == 0)
        return base;
    free(base);
    return starter_path(lesson);
}

/* From now on the copy belongs to the lesson as it is. */
static void remember_base(const struct lesson *lesson)
{
    char *(*const sources[])(const struct lesson *) = { starter_path, contract_path };
    static const char *const kinds[] = { "cu", "h" };
    make_folder("work");
    make_folder("work/.base");
    for (size_t i = 0; i < 2; i++) {
        struct text text;
        char *from = sources[i](lesson), *to = base_path(lesson, kinds[i]);
        need_text(from, &text);
        write_over(to, &text);
        free_text(&text);
        free(from);
        free(to);
    }
}

void work_begin(const struct lesson *lesson)
{
    char *path = work_path(lesson), *from = starter_path(lesson), *base = base_path(lesson, "cu");
    struct text starter;
    need_text(from, &starter);
    make_folder("work");
    if (access(path, F_OK) != 0) {
        remember_base(lesson);
        if (write_new(path, &starter))
            fprintf(stderr, "Made %s, your copy of the starter: that is the file to edit.\n", path);
    } else if (access(base, F_OK) != 0) {
        remember_base(lesson);      /* a file from elsewhere: of which starter, nobody knows */
    }
    free_text(&starter);
    free(path);
    free(from);
    free(base);
}

static bool differs(const char *path, char *base)
{
    struct text now, then;
    need_text(path, &now);
    bool known = read_text(base, &then), same = known && same_bytes(&now, &then);
    free_text(&now);
    free_text(&then);
    return known && !same;
}

static bool starter_changed(const struct lesson *lesson)
{
    char *now = starter_path(lesson), *then = base_path(lesson, "cu");
    bool changed = differs(now, then);
    free(now);
    free(then);
    return changed;
}

static bool contract_changed(const struct lesson *lesson)
{
    char *now = contract_path(lesson), *then = base_path(lesson, "h");
    bool changed = differs(now, then);
    free(now);
    free(then);
    return changed;
}

bool work_changed(const struct lesson *lesson)
{
    return starter_changed(lesson) || contract_changed(lesson);
}

void work_tell_change(const struct lesson *lesson)
{
    bool starter = starter_changed(lesson);
    if (!starter && !contract_changed(lesson))
        return;
    char *path = starter ? starter_path(lesson) : contract_path(lesson);
    fprintf(stderr, "%s has changed since you took your copy: `make merge%02d` takes that over and keeps your work.\n",
            path, lesson->number);
    free(path);
}

/* Keeps a copy of the learner's file under the first free name, which the caller frees. */
static char *put_aside(const struct lesson *lesson, const struct text *text)
{
    make_folder("work/kept");
    for (int k = 1; k < COPIES_MOST; k++) {
        char *path = project_display_path("work/kept/%s.%d.cu", lesson->folder, k);
        if (write_new(path, text))
            return path;
        free(path);
    }
    die("work/kept holds %d copies of lesson %02d: delete some", COPIES_MOST, lesson->number);
}

void work_reset(const struct lesson *lesson)
{
    char *path = work_path(lesson), *from = starter_path(lesson), *kept = NULL;
    struct text mine, starter;
    need_text(from, &starter);
    bool there = read_text(path, &mine);
    if (there && !same_bytes(&mine, &starter))
        kept = put_aside(lesson, &mine);
    remember_base(lesson);
    if (kept != NULL || !there)
        write_over(path, &starter);
    if (kept != NULL)
        printf("%s is the starter again. Yours is kept: %s\n", path, kept);
    else
        printf("%s %s the starter.\n", path, there ? "is as in" : "is made:");
    free_text(&mine);
    free_text(&starter);
    free(path), free(from), free(kept);
}

/* Three files in, one out: diff3's status is 0, or 1 when both changed the same lines. */
static int run_diff3(const char *mine, const char *base, const char *theirs, const char *out)
{
    pid_t child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
            _exit(126);
        execlp("diff3", "diff3", "-m", "-E", "-L", "yours", "-L", "before", "-L", "new", "--", mine, base, theirs, NULL);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
        die("cannot merge with diff3 (of the package diffutils)");
    return WEXITSTATUS(status);
}

/* Merges, keeps the copy of before, says so. */
static bool merge_starter(const struct lesson *lesson, const char *path)
{
    char *starter = starter_path(lesson), *base = base_path(lesson, "cu"), *out = NULL;
    struct text mine, merged;
    need_text(path, &mine);
    if (asprintf(&out, "%s/merged.cu", private_folder()) < 0)
        die("no memory left");
    bool clean = run_diff3(path, base, starter, out) == 0;
    need_text(out, &merged);
    char *kept = put_aside(lesson, &mine);
    write_over(path, &merged);
    printf("%s has the change in it%s. Yours of before is kept: %s\n", path,
           clean ? "" : ", but you changed the same lines: look for <<<<<<<", kept);
    free_text(&mine);
    free_text(&merged);
    free(starter), free(base), free(out), free(kept);
    return clean;
}

bool work_merge(const struct lesson *lesson)
{
    char *path = work_path(lesson), *contract = contract_path(lesson);
    bool clean = true, starter = starter_changed(lesson), new_contract = contract_changed(lesson);
    if (access(path, F_OK) != 0)
        die("%s does not exist: make lesson%02d makes it", path, lesson->number);
    if (starter)
        clean = merge_starter(lesson, path);
    if (new_contract)
        printf("The contract has changed, read it again: %s\n", contract);
    if (!starter && !new_contract)
        printf("Nothing has changed since you took %s.\n", path);
    remember_base(lesson);
    free(path);
    free(contract);
    return clean;
}
