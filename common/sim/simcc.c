/* SPDX-License-Identifier: MIT */
/*
 * simcc - compiles CUDA C++ for machines with no GPU.
 *
 *   simcc x.cu -o x
 *
 * Takes nvcc's arguments that matter; those that choose an architecture are
 * ignored. Each .cu goes through g++ -E, rewrite.h and g++ again; programs are
 * linked with the simulator. Exit status: 0 done, 1 the source has errors, 2
 * anything else.
 */
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rewrite.h"
#include "simcc_options.h"
#include "trace/memory.h"

/* ---- files ---- */

static bool ends_with(const char *word, const char *ending)
{
    size_t length = strlen(word), tail = strlen(ending);
    return length > tail && strcmp(word + length - tail, ending) == 0;
}

static bool is_cxx(const char *path)
{
    return ends_with(path, ".cpp") || ends_with(path, ".cc") || ends_with(path, ".cxx");
}

static bool is_source(const struct job *job, const char *word)
{
    if (word[0] == '-')
        return false;
    return ends_with(word, ".cu") || is_cxx(word) || (job->language && !ends_with(word, ".o") && !ends_with(word, ".a"));
}

static bool is_object(const char *word)
{
    return ends_with(word, ".o") || ends_with(word, ".a") || ends_with(word, ".so") || strstr(word, ".so.");
}

static void must_be_text(const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0)
        trouble("%s: %s", path, strerror(errno));
    if (!S_ISREG(s.st_mode))
        trouble("%s: not a file", path);
    FILE *in = fopen(path, "r");
    if (!in)
        trouble("%s: %s", path, strerror(errno));
    bool blank = true;
    for (int c; (c = fgetc(in)) != EOF;) {
        if (c == '\0')
            trouble("%s: not a text", path);
        blank &= c == ' ' || c == '\n' || c == '\t' || c == '\r';
    }
    fclose(in);
    if (blank)
        trouble("%s: the file is empty", path);
}

static void must_be_writable(const char *path)
{
    char copy[PATH_MAX];
    struct stat s;
    snprintf(copy, sizeof copy, "%s", path);
    const char *folder = dirname(copy);
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        trouble("%s: cannot be written: it is a folder", path);
    if (access(folder, W_OK) != 0)
        trouble("%s: cannot be written: %s: %s", path, folder, strerror(errno));
}

static void check_inputs(const struct job *job)
{
    size_t files = 0, sources = 0;
    for (size_t i = 0; i < job->inputs.count; i++) {
        const char *word = job->inputs.list[i];
        if (word[0] == '-' || (i > 0 && strcmp(job->inputs.list[i - 1], "-L") == 0))
            continue;
        files++;
        if (is_source(job, word)) {
            sources++;
            must_be_text(word);
        } else if (!is_object(word)) {
            trouble("%s: neither .cu, .cpp, .o nor .a", word);
        } else if (access(word, R_OK) != 0) {
            trouble("%s: %s", word, strerror(errno));
        }
    }
    if (files == 0)
        trouble("no file to compile (simcc --help)");
    if (job->only_compile && job->output && sources > 1)
        trouble("-c -o %s: several files cannot become one object", job->output);
    if (job->output)
        must_be_writable(job->output);
}

/* Headers and libraries lie where simcc does: build/bin, build/lib, common. */
static void find_home(struct job *job)
{
    char self[PATH_MAX - 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        trouble("cannot find where it lies: /proc: %s", strerror(errno));
    self[n] = '\0';
    char *bin = dirname(self), root[PATH_MAX];
    char up[PATH_MAX];
    snprintf(up, sizeof up, "%s/../..", bin);
    if (!realpath(up, root) || strlen(root) + 32 > PATH_MAX)
        trouble("cannot find where it lies: %s", bin);
    snprintf(job->common, sizeof job->common, "%.*s/common/", PATH_MAX - 32, root);
    snprintf(job->include, sizeof job->include, "%.*s/common/sim/include/", PATH_MAX - 32, root);
    snprintf(job->lib, sizeof job->lib, "%.*s/build/lib/", PATH_MAX - 32, root);
    if (access(job->include, R_OK) != 0)
        trouble("its headers are not in %s: build it where it lies", job->include);
}

/* ---- compiling ---- */

static char temporary[PATH_MAX];      /* folder of objects on their way to the linker */

static void remove_temporary(void)
{
    if (temporary[0] == '\0')
        return;
    char path[PATH_MAX + 16];
    for (int i = 0; i < 1000; i++) {
        snprintf(path, sizeof path, "%s/%d.o", temporary, i);
        if (unlink(path) != 0)
            break;
    }
    rmdir(temporary);
}

static void interrupted(int signal_number)
{
    remove_temporary();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void make_temporary(void)
{
    const char *folder = getenv("TMPDIR");
    int n = snprintf(temporary, sizeof temporary, "%s/simcc-XXXXXX", folder && *folder ? folder : "/tmp");
    if (n >= (int)sizeof temporary || !mkdtemp(temporary)) {
        temporary[0] = '\0';
        trouble("cannot make a folder in %s: %s", folder && *folder ? folder : "/tmp", strerror(errno));
    }
    atexit(remove_temporary);
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], interrupted);
}

/* Columns and carets would show the rewritten line. */
#define PLAIN_MESSAGES "-fno-diagnostics-show-caret", "-fno-show-column"

/* The text that goes to g++; false when g++ -E found an error. */
static bool rewritten(const struct job *job, const char *source, struct bytes *out)
{
    struct words command = { 0 };
    struct bytes text;
    static const char *const begin[] = { "g++", "-E", PLAIN_MESSAGES, "-D__SIMCC__=1", "-D__CUDACC__=1",
                                         "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0" };
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        words_add(&command, begin[i]);
    words_add_all(&command, &job->compile);
    words_add(&command, "-isystem");
    words_add(&command, job->include);
    words_add(&command, "-isystem");
    words_add(&command, job->common);
    bool cuda = job->language ? strcmp(job->language, "cu") == 0 : !is_cxx(source);
    if (cuda) {
        words_add(&command, "-include");
        words_add(&command, "cuda_runtime.h");
    }
    words_add(&command, "-x");
    words_add(&command, "c++");
    words_add(&command, source);
    bool fine = process_run(&command, NULL, &text, STDOUT_FILENO);
    memory_resize(command.list, 0);
    if (fine) {
        const char *own[] = { job->include, job->common, NULL };
        out->at = rewrite(text.at, text.count, own, &out->count);
    }
    memory_resize(text.at, 0);
    return fine;
}

/* g++ sees a kernel's body as a lambda, which its author has not written. */
static void print_messages(const struct bytes *messages)
{
    static const char seen[] = "In lambda function:", meant[] = "In a kernel (or lambda):";
    const char *at = messages->at, *end = at + messages->count;
    for (const char *next; (next = memmem(at, (size_t)(end - at), seen, sizeof seen - 1)) != NULL;
         at = next + sizeof seen - 1) {
        fwrite(at, 1, (size_t)(next - at), stderr);
        fputs(meant, stderr);
    }
    fwrite(at, 1, (size_t)(end - at), stderr);
}

static bool compile(const struct job *job, const char *source, const char *object)
{
    struct bytes text;
    if (!rewritten(job, source, &text))
        return false;
    if (job->only_rewrite) {
        fwrite(text.at, 1, text.count, stdout);
        memory_resize(text.at, 0);
        return true;
    }
    struct words command = { 0 };
    words_add(&command, "g++");
    words_add_all(&command, &job->compile);
    static const char *const rest[] = { PLAIN_MESSAGES, "-fno-pie", "-x", "c++-cpp-output", "-c", "-", "-o" };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        words_add(&command, rest[i]);
    words_add(&command, object);
    if (isatty(STDERR_FILENO))
        words_add(&command, "-fdiagnostics-color=always");
    struct bytes messages;
    bool fine = process_run(&command, &text, &messages, STDERR_FILENO);
    print_messages(&messages);
    memory_resize(command.list, 0);
    memory_resize(text.at, 0);
    memory_resize(messages.at, 0);
    return fine;
}

static bool link_program(const struct job *job, const struct words *objects)
{
    static const char *const libraries[] = { "libsim.a", "libmodel.a", "libtrace.a" };
    char path[3][PATH_MAX + 16];
    struct words command = { 0 };
    words_add(&command, "g++");
    words_add(&command, "-no-pie");
    words_add_all(&command, objects);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s%s", job->lib, libraries[i]);
        if (access(path[i], R_OK) != 0)
            trouble("%s is missing: make simcc", path[i]);
        if (i == 0)
            words_add(&command, "-Wl,--whole-archive");
        words_add(&command, path[i]);
        if (i == 0)
            words_add(&command, "-Wl,--no-whole-archive");
    }
    words_add(&command, "-o");
    words_add(&command, job->output ? job->output : "a.out");
    bool fine = process_run(&command, NULL, NULL, 0);
    memory_resize(command.list, 0);
    return fine;
}

/* x.cu compiled alone becomes ./x.o. */
static const char *object_name(const char *source, char *out, size_t size)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", source);
    char *name = basename(copy), *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    snprintf(out, size, "%.*s.o", (int)size - 3, name);
    return out;
}

static bool compile_only(const struct job *job)
{
    bool fine = true;
    for (size_t i = 0; i < job->inputs.count; i++) {
        char object[PATH_MAX];
        const char *source = job->inputs.list[i];
        if (is_source(job, source))
            fine &= compile(job, source, job->output ? job->output : object_name(source, object, sizeof object));
    }
    return fine;
}

static bool compile_and_link(const struct job *job)
{
    struct words objects = { 0 };
    bool fine = true;
    int count = 0;
    make_temporary();
    for (size_t i = 0; i < job->inputs.count; i++) {
        const char *word = job->inputs.list[i];
        if (!is_source(job, word)) {
            words_add(&objects, word);
            continue;
        }
        char *object;
        if (asprintf(&object, "%s/%d.o", temporary, count++) < 0)
            abort();
        fine = fine && compile(job, word, object);
        words_add(&objects, object);
    }
    return fine && link_program(job, &objects);
}

int main(int argc, char **argv)
{
    struct job job = { 0 };
    job_read(&job, argc, argv);
    check_inputs(&job);
    find_home(&job);
    if (!job.has_level)
        words_add(&job.compile, "-O1");
    if (!job.has_debug)
        words_add(&job.compile, "-g");
    bool fine = job.only_compile || job.only_rewrite ? compile_only(&job) : compile_and_link(&job);
    return fine ? 0 : 1;
}
