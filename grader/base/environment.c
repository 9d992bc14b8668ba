/* SPDX-License-Identifier: MIT */
#include "grader/base/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static char root[PATH_MAX];
static char folder[PATH_MAX];
static volatile sig_atomic_t signal_seen;

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

void descriptors_begin(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDONLY)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd >= 0)
        close(fd);
    signal(SIGPIPE, SIG_IGN);
}

bool reader_left(FILE *out)
{
    int problem = errno;
    struct pollfd fd = { fileno(out), 0, 0 };
    bool left = poll(&fd, 1, 0) > 0 && (fd.revents & (POLLERR | POLLNVAL)) != 0;
    errno = problem;
    return left;
}

const char *project_root(void)
{
    if (root[0] != '\0')
        return root;
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0)
        die("cannot find the project's folder: /proc/self/exe: %s", strerror(errno));
    program[n] = '\0';
    for (int level = 0; level < 3; level++) {   /* build/bin/grade */
        char *slash = strrchr(program, '/');
        if (!slash)
            die("cannot find the project's folder from %s", program);
        *slash = '\0';
    }
    strcpy(root, program);
    return root;
}

char *formatted_list(const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        die("no memory left");
    return text;
}

char *formatted(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = formatted_list(format, arguments);
    va_end(arguments);
    return text;
}

FILE *open_text(char **text, size_t *size)
{
    FILE *out = open_memstream(text, size);
    if (!out)
        die("no memory left");
    return out;
}

static char *under(const char *prefix, const char *format, va_list arguments)
{
    char *rest = formatted_list(format, arguments), *path = formatted("%s%s", prefix, rest);
    free(rest);
    return path;
}

char *project_path(const char *format, ...)
{
    char prefix[PATH_MAX + 1];
    snprintf(prefix, sizeof prefix, "%s/", project_root());
    va_list arguments;
    va_start(arguments, format);
    char *path = under(prefix, format, arguments);
    va_end(arguments);
    return path;
}

char *project_display_path(const char *format, ...)
{
    char here[PATH_MAX], prefix[PATH_MAX + 1] = "";
    if (!getcwd(here, sizeof here) || strcmp(here, project_root()) != 0)
        snprintf(prefix, sizeof prefix, "%s/", project_root());
    va_list arguments;
    va_start(arguments, format);
    char *path = under(prefix, format, arguments);
    va_end(arguments);
    return path;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    remove(path);
    return 0;
}

void folder_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void private_folder_remove(void)
{
    if (folder[0] != '\0')
        folder_remove(folder);
    folder[0] = '\0';
}

/* Who has a folder keeps it locked for as long as he lives; one that is just being made is not
 * locked yet. */
static void remove_orphan(const char *path)
{
    enum { MAKING_S = 60 };
    struct stat s;
    int it = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (it < 0)
        return;
    if (fstat(it, &s) == 0 && time(NULL) - s.st_mtime > MAKING_S
        && flock(it, LOCK_EX | LOCK_NB) == 0)
        folder_remove(path);
    close(it);
}

/* Folders of graders that were killed before they could remove them. */
static void remove_orphans(const char *base)
{
    glob_t found;
    char pattern[PATH_MAX];
    snprintf(pattern, sizeof pattern, "%s/grade-??????", base);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            remove_orphan(found.gl_pathv[i]);
    globfree(&found);
}

static void lock_folder(const char *path)
{
    int it = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (it >= 0)
        flock(it, LOCK_EX | LOCK_NB);       /* ends with the program */
}

const char *private_folder(void)
{
    if (folder[0] != '\0')
        return folder;
    const char *base = getenv("TMPDIR");
    char *own = NULL;
    if (!base || base[0] != '/') {
        base = own = project_path("build/tmp");
        if (mkdir(own, 0777) != 0 && errno != EEXIST)
            die("cannot write to %s: %s", own, strerror(errno));
        remove_orphans(base);
    }
    char name[PATH_MAX];
    if (snprintf(name, sizeof name, "%s/grade-XXXXXX", base) >= (int)sizeof name)
        die("the name of the temporary folder %s is too long", base);
    if (!mkdtemp(name))
        die("cannot write to %s: %s", base, strerror(errno));
    strcpy(folder, name);
    lock_folder(folder);
    atexit(private_folder_remove);
    free(own);
    return folder;
}

bool private_folder_full(void)
{
    struct statvfs fs;
    if (statvfs(private_folder(), &fs) != 0)
        return false;
    bool out_of_inodes = fs.f_files != 0 && fs.f_favail < 8;
    return out_of_inodes || (uint64_t)fs.f_bavail * fs.f_frsize < (uint64_t)8 << 20;
}

bool hazards_wanted(void)
{
    const char *text = getenv("SIM_HAZARDS");
    return text && strcmp(text, "1") == 0;
}

static void remember_signal(int signal_number)
{
    signal_seen = signal_number;
}

void interrupt_init(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = { .sa_handler = remember_signal, .sa_flags = (int)SA_RESETHAND };
        sigaction(signals[i], &action, NULL);
    }
}

int interrupt_seen(void)
{
    return signal_seen;
}

void interrupt_leave(void)
{
    private_folder_remove();
    fflush(NULL);
    signal(signal_seen, SIG_DFL);
    raise(signal_seen);
    _exit(128 + signal_seen);
}
