/* SPDX-License-Identifier: MIT */
#include "grader/sandbox/sandbox.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/sandbox/gpu_files.h"

#define COMPILER_TMP "536870912"        /* bytes: texts and objects on their way */
#define COMPILER_MEMORY ((uint64_t)2 << 30)     /* bytes, however little a program may have */
#define PROGRAM_TMP "67108864"
#define PROCESSES "--nproc=1024"        /* threads included, in this sandbox alone: an answer to lesson 07 may have a thread for each chunk */
#define OPEN_FILES 256
#define OPEN_FILES_ON_CARD 1024         /* a driver has many open of every card that there is */

/* ---- the toolchain ---- */

/* Patterns under the project's folder: all that simcc and a lesson's file need. */
static const char *const needed[] = {
    "build/bin/simcc", "build/lib/libsim.a", "build/lib/prelude/*Og+g/*", "common/*.h",
    "common/sim/include/*.h", "common/sim/include/*/*.h", "common/trace/*.h", "lessons/*/*.h",
    "build/lessons/*/driver.o",
};

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST)
            die("cannot make %s: %s", path, strerror(errno));
        *slash = '/';
    }
}

static void copy_file(const char *from, char *to)
{
    char bytes[65536];
    struct stat s;
    ssize_t n = 0;
    make_folders(to);
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
    if (in >= 0 && fstat(in, &s) == 0)
        out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    while (out >= 0 && (n = read(in, bytes, sizeof bytes)) > 0)
        if (write(out, bytes, (size_t)n) != n)
            n = -1, errno = ENOSPC;
    if (out < 0 || n < 0 || fchmod(out, s.st_mode & 0100 ? 0755 : 0644) != 0 || close(out) != 0)
        die("cannot copy %s to %s: %s", from, to, strerror(errno));
    close(in);
}

/* What matches BASE/PATTERN, to FOLDER, under the same name after BASE. */
static void copy_matching(const char *base, const char *pattern, const char *folder)
{
    char from[PATH_MAX], to[PATH_MAX];
    glob_t found;
    if (snprintf(from, sizeof from, "%s/%s", base, pattern) >= (int)sizeof from)
        die("the name of %s is too long", base);
    int status = glob(from, 0, NULL, &found);
    if (status != 0 && !strchr(pattern, '*'))
        die("%s is missing: make grade builds it", from);
    for (size_t k = 0; status == 0 && k < found.gl_pathc; k++) {
        if (snprintf(to, sizeof to, "%s/%s", folder, found.gl_pathv[k] + strlen(base) + 1)
            >= (int)sizeof to)
            die("the name of %s is too long", folder);
        copy_file(found.gl_pathv[k], to);
    }
    if (status == 0)
        globfree(&found);
}

static void copy_to(char *from, const char *folder, const char *name)
{
    char to[PATH_MAX];
    if (snprintf(to, sizeof to, "%s/%s", folder, name) >= (int)sizeof to)
        die("the name of %s is too long", folder);
    copy_file(from, to);
    free(from);
}

static void stage_for_card(const char *folder)
{
    static const char *const made[] = { "streams.o", "driver.o", "*/driver.o" };
    char gpu[PATH_MAX], *from = gpu_path("");
    if (snprintf(gpu, sizeof gpu, "%s/gpu", folder) >= (int)sizeof gpu)
        die("the name of %s is too long", folder);
    from[strlen(from) - 1] = '\0';      /* a slash */
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        copy_matching(from, made[i], gpu);
    free(from);
    copy_to(project_path("tools/nvcc"), folder, "tools/nvcc");
    copy_to(gpu_recorder(), folder, SANDBOX_RECORDER);
    copy_to(gpu_path("card"), folder, SANDBOX_PROBE);
}

void sandbox_stage(const char *folder, bool card)
{
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        copy_matching(project_root(), needed[i], folder);
    if (card)
        stage_for_card(folder);
}

/* ---- paths ---- */

char *sandbox_path(const struct sandbox *s, bool outside, enum sandbox_folder folder,
                   const char *format, ...)
{
    static const char *const inside_names[SANDBOX_FOLDERS] = { "/workbook", "/submission", "/out",
                                                               "/tmp" };
    static const char *const outside_names[SANDBOX_FOLDERS] = { "", "/source", "/out", "/tmp" };
    va_list arguments;
    va_start(arguments, format);
    char *rest = formatted_list(format, arguments);
    va_end(arguments);
    const char *base = s->confined && !outside       ? ""
                       : folder == SANDBOX_TOOLCHAIN ? s->toolchain
                                                     : private_folder();
    const char *name = s->confined && !outside ? inside_names[folder] : outside_names[folder];
    char *path = formatted("%s%s%s%s", base, name, rest[0] != '\0' ? "/" : "", rest);
    free(rest);
    return path;
}

void sandbox_begin(const struct sandbox *s)
{
    static const enum sandbox_folder own[] = { SANDBOX_SOURCE, SANDBOX_OUT, SANDBOX_TMP };
    chmod(private_folder(), 0711);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        char *path = sandbox_path(s, true, own[i], "%s", "");
        bool writes = own[i] != SANDBOX_SOURCE;
        if (mkdir(path, 0755) != 0 || chmod(path, 0755) != 0
            || (writes && s->uid != 0 && chown(path, s->uid, s->gid) != 0))
            die("cannot make %s: %s", path, strerror(errno));
        free(path);
    }
}

char *sandbox_give(const struct sandbox *s, const char *from, const char *name)
{
    char *to = sandbox_path(s, true, SANDBOX_SOURCE, "%s", name);
    copy_file(from, to);
    free(to);
    return sandbox_path(s, false, SANDBOX_SOURCE, "%s", name);
}

/* ---- confinement ---- */

struct command { struct sandbox_entry *e; size_t argc, texts; };

static void add_word(struct command *c, const char *word)
{
    assert(c->argc + 1 < sizeof c->e->argv / sizeof *c->e->argv);
    c->e->argv[c->argc++] = word;
    c->e->argv[c->argc] = NULL;
}

static void add_all(struct command *c, const char *const *words)
{
    while (*words)
        add_word(c, *words++);
}

/* What lies in a folder of the private ones, or in the toolchain; "": all of it. */
static void bind(struct command *c, const struct sandbox *s, const char *how,
                 enum sandbox_folder folder, const char *what)
{
    char *text = c->e->text[c->texts++], *from = sandbox_path(s, true, folder, "%s", what);
    char *name = c->e->text[c->texts++], *to = sandbox_path(s, false, folder, "%s", what);
    assert(c->texts <= sizeof c->e->text / sizeof *c->e->text);
    snprintf(text, PATH_MAX, "%s", from);
    snprintf(name, PATH_MAX, "%s", to);
    add_all(c, (const char *const[]){ how, text, name, NULL });
    free(from), free(to);
}

/* /bin and its like are links into /usr on most machines. */
static void add_system(struct command *c)
{
    static const char *const folders[] = { "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32" };
    static const char *const files[] = { "/etc/ld.so.cache", "/etc/alternatives" };
    add_all(c, (const char *const[]){ "--ro-bind", "/usr", "/usr", NULL });
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct stat st;
        static char target[6][64];
        ssize_t n;
        if (lstat(folders[i], &st) != 0)
            continue;
        if (S_ISLNK(st.st_mode)
            && (n = readlink(folders[i], target[i], sizeof target[i] - 1)) > 0) {
            target[i][n] = '\0';
            add_all(c, (const char *const[]){ "--symlink", target[i], folders[i], NULL });
        } else {
            add_all(c, (const char *const[]){ "--ro-bind", folders[i], folders[i], NULL });
        }
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        add_all(c, (const char *const[]){ "--ro-bind-try", files[i], files[i], NULL });
}

static void add_same(struct command *c, const char *how, const char *path)
{
    add_all(c, (const char *const[]){ how, path, path, NULL });
}

/* What the kernel tells of the driver. */
static void add_kernels_word(struct command *c, const struct card_access *a)
{
    add_same(c, "--ro-bind-try", "/proc/driver/nvidia");
    add_same(c, "--ro-bind-try", "/proc/driver/nvidia-uvm");
    if (a->sees_sys)
        add_same(c, "--ro-bind", "/sys");
}

static const char *bubblewrap(void)
{
    static const char *const paths[] = { "/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap" };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (access(paths[i], X_OK) == 0)
            return paths[i];
    return paths[0];
}

void sandbox_enter(const struct sandbox *s, struct sandbox_entry *e, struct child_plan *plan,
                   enum sandbox_use use)
{
    struct command c = { e, 0, 0 };
    bool compiler = use == SANDBOX_COMPILER || use == SANDBOX_NVCC,
         on_card = use == SANDBOX_ON_CARD;
    assert(s->card || (use != SANDBOX_NVCC && !on_card));
    plan->limited = true;
    if (!s->confined) {
        char *folder = sandbox_path(s, true, SANDBOX_SOURCE, "%s", "");
        snprintf(e->text[0], sizeof e->text[0], "%s", folder);
        plan->folder = e->text[0];
        free(folder);
        return;
    }
    add_all(&c, (const char *const[]){ bubblewrap(), "--unshare-all", "--unshare-user",
                                       "--disable-userns", "--die-with-parent", "--uid", "65534",
                                       "--gid", "65534", "--hostname", "sandbox", "--cap-drop",
                                       "ALL", NULL });
    add_system(&c);
    add_all(&c, (const char *const[]){ "--proc", "/proc", "--dev", "/dev", "--size", "4096",
                                       "--tmpfs", "/dev/shm", NULL });
    for (size_t i = 0; on_card && i < s->card->file_count; i++)
        add_same(&c, "--dev-bind-try", s->card->files[i]);
    add_all(&c, (const char *const[]){ "--remount-ro", "/dev", "--size",
                                       compiler ? COMPILER_TMP : PROGRAM_TMP, "--tmpfs", "/tmp",
                                       NULL });
    if (on_card)
        add_kernels_word(&c, s->card);
    for (size_t i = 0; (on_card || use == SANDBOX_NVCC) && i < s->card->folder_count; i++)
        add_same(&c, "--ro-bind-try", s->card->folders[i]);
    bind(&c, s, "--ro-bind", SANDBOX_SOURCE, "");
    bind(&c, s, compiler ? "--bind" : "--ro-bind", SANDBOX_OUT, "");
    if (compiler || on_card)
        bind(&c, s, "--ro-bind", SANDBOX_TOOLCHAIN, on_card ? "card" : "");
    if (use == SANDBOX_PROGRAM)         /* no /proc/self/mem to write to */
        add_all(&c, (const char *const[]){ "--remount-ro", "/proc", NULL });
    add_all(&c, (const char *const[]){ "--remount-ro", "/", "--chdir", "/submission", "--seccomp",
                                       "6", "--info-fd", "7", "--", "/usr/bin/prlimit", PROCESSES,
                                       "--", NULL });
    _Static_assert(CHILD_FD_FILTER == 6 && CHILD_FD_INSIDE == 7, "as the command says");
    e->confinement =
        (struct confinement){ .argv = e->argv, .uid = s->uid, .gid = s->gid,
                              .memory = compiler && s->memory < COMPILER_MEMORY ? COMPILER_MEMORY
                                                                                : s->memory,
                              .filter = compiler  ? s->filter_compiler
                                        : on_card ? s->filter_on_card
                                                  : s->filter_program,
                              .open_files = on_card ? OPEN_FILES_ON_CARD : OPEN_FILES };
    plan->confinement = &e->confinement;
    if (compiler)
        plan->data = COMPILER_MEMORY;
    plan->folder = "/";
}
