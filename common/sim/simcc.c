/* SPDX-License-Identifier: MIT */
/*
 * simcc - compiles CUDA C++ for machines with no GPU.
 *
 *   simcc x.cu -o x
 *
 * Takes nvcc's arguments that matter; those that choose an architecture are
 * ignored. Each .cu goes through g++ -E, rewrite.h and g++ again; programs are
 * linked with the simulator. Exit status: 0 done, 1 the source has errors, 2
 * anything else; then what was there before is still there.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rewrite.h"
#include "simcc_inputs.h"
#include "simcc_options.h"
#include "simcc_product.h"
#include "simcc_temporary.h"
#include "simcc_witness.h"
#include "trace/memory.h"

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

/* Columns and carets would show the rewritten line. */
#define PLAIN_MESSAGES "-fno-diagnostics-show-caret", "-fno-show-column"

static bool is_cuda(const struct job *job, const char *source)
{
    return job->language ? strcmp(job->language, "cu") == 0 : !is_cxx(source);
}

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
    if (is_cuda(job, source)) {
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
        out->at = rewrite(text.at, text.count, own, job->one_core, &out->count);
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

/* A disk that is full is no error of the source. */
static void look_for_full_disk(const struct bytes *messages)
{
    static const char full[] = ": No space left on device\n";
    if (memmem(messages->at, messages->count, full, sizeof full - 1))
        trouble("no space left in %s", dirname(strdup(temporary_folder())));
}

/* `witness`: it is the second copy that is made; its messages are those of the first. */
static bool compile_text(const struct job *job, const struct bytes *text, const char *object, bool witness)
{
    struct words command = { 0 };
    words_add(&command, "g++");
    words_add_all(&command, &job->compile);
    if (witness)
        witness_options(&command);
    /* Code that is alike stays apart: else it has the line of one and serves for the other. nvcc knows
     * `#pragma unroll`, g++ need not. */
    static const char *const rest[] = { "-Wno-unknown-pragmas", "-fno-crossjumping", "-fno-tree-tail-merge", "-fno-ipa-icf", PLAIN_MESSAGES,
                                        "-fno-pie", "-x", "c++-cpp-output", "-c", "-", "-o" };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        words_add(&command, rest[i]);
    words_add(&command, object);
    if (isatty(STDERR_FILENO))
        words_add(&command, "-fdiagnostics-color=always");
    struct bytes messages;
    bool fine = process_run(&command, text, &messages, STDERR_FILENO);
    if (!fine && !witness)
        look_for_full_disk(&messages);
    if (!witness)
        print_messages(&messages);
    memory_resize(command.list, 0);
    memory_resize(messages.at, 0);
    return fine;
}

/* Runs beside its caller: 0 in the process that is to do the work and to end with _exit. */
static pid_t begin_beside(void)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        trouble("cannot start another process: %s", strerror(errno));
    return child;
}

static bool end_beside(pid_t child)
{
    int status = 1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void add_text(struct bytes *text, const char *more)
{
    size_t length = strlen(more);
    text->at = memory_resize(text->at, text->count + length);
    memcpy(text->at + text->count, more, length);
    text->count += length;
}

/* The header is there before the first line of the program, with nvcc too. */
static void warn_of_late_macro(const struct job *job, const char *source)
{
    static const char macro[] = "CUDA_API_PER_THREAD_DEFAULT_STREAM";
    for (size_t i = 0; i < job->compile.count; i++)
        if (strstr(job->compile.list[i], macro))
            return;             /* it was not left to the file */
    FILE *in = fopen(source, "r");
    char *line = NULL;
    size_t room = 0;
    for (int number = 1; in && getline(&line, &room, in) > 0; number++) {
        char directive[16] = "", name[sizeof macro + 1] = "";
        if (sscanf(line, " # %15s %35s", directive, name) == 2 && strcmp(directive, "define") == 0 &&
            strcmp(name, macro) == 0)
            fprintf(stderr, "%s:%d: warning: %s comes too late here: cuda_runtime.h is read before the first line; "
                    "compile with --default-stream per-thread\n", source, number, macro);
    }
    free(line);
    if (in)
        fclose(in);
}

static bool compile(const struct job *job, const char *source, const char *object)
{
    struct bytes text;
    if (is_cuda(job, source))
        warn_of_late_macro(job, source);
    if (!rewritten(job, source, &text))
        return false;
    if (job->only_rewrite) {
        fwrite(text.at, 1, text.count, stdout);
        memory_resize(text.at, 0);
        return true;
    }
    const char *witness = job->calls_only ? NULL : temporary_name();
    pid_t child = witness ? begin_beside() : -1;
    if (child == 0) {
        add_text(&text, witness_text);
        _exit(compile_text(job, &text, witness, true) ? 0 : 1);
    }
    bool fine = compile_text(job, &text, object, false);
    if (witness && end_beside(child) && fine)
        witness_append(object, witness);
    memory_resize(text.at, 0);
    return fine;
}

/* `witness`: as above. */
static bool link_to(const struct job *job, const struct words *objects, const char *program, bool witness)
{
    char library[PATH_MAX + 16];
    struct words command = { 0 };
    words_add(&command, "g++");
    words_add(&command, "-no-pie");
    words_add_all(&command, objects);
    snprintf(library, sizeof library, "%slibsim.a", job->lib);
    if (access(library, R_OK) != 0)
        trouble("%s is missing: make simcc", library);
    words_add(&command, "-Wl,--whole-archive");
    words_add(&command, library);
    words_add(&command, "-Wl,--no-whole-archive");
    words_add(&command, "-o");
    words_add(&command, program);
    struct bytes messages;
    bool fine = process_run(&command, NULL, &messages, STDERR_FILENO);
    if (!fine && !witness)
        look_for_full_disk(&messages);
    if (!witness)
        fwrite(messages.at, 1, messages.count, stderr);
    memory_resize(command.list, 0);
    memory_resize(messages.at, 0);
    return fine;
}

/* The second copies of those that have one, the rest as they are. False: none has. */
static bool second_copies(const struct words *objects, struct words *out)
{
    bool any = false;
    for (size_t i = 0; i < objects->count; i++) {
        const char *word = objects->list[i];
        const char *copy = ends_with(word, ".o") && word[0] != '-' ? temporary_name() : NULL;
        bool has = copy && witness_extract(word, copy);
        words_add(out, has ? copy : word);
        any |= has;
    }
    return any;
}

static bool link_program(const struct job *job, const struct words *objects)
{
    const char *program = temporary_name(), *witness = NULL;
    struct words copies = { 0 };
    pid_t child = -1;
    if (!job->calls_only && second_copies(objects, &copies)) {
        witness = temporary_name();
        child = begin_beside();
        if (child == 0)
            _exit(link_to(job, &copies, witness, true) ? 0 : 1);
    }
    bool fine = link_to(job, objects, program, false);
    if (witness && end_beside(child) && fine)
        witness_append(program, witness);
    if (fine)
        product_deliver(program, job->output ? job->output : "a.out");
    memory_resize(copies.list, 0);
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
        if (!is_source(job, source))
            continue;
        const char *made = temporary_name();
        bool whole = compile(job, source, made);
        if (whole && !job->only_rewrite)
            product_deliver(made, job->output ? job->output : object_name(source, object, sizeof object));
        fine &= whole;
    }
    return fine;
}

static bool compile_and_link(const struct job *job)
{
    struct words objects = { 0 };
    bool fine = true;
    for (size_t i = 0; i < job->inputs.count; i++) {
        const char *word = job->inputs.list[i];
        if (!is_source(job, word)) {
            words_add(&objects, word);
            continue;
        }
        const char *object = temporary_name();
        fine = fine && compile(job, word, object);
        words_add(&objects, object);
    }
    fine = fine && link_program(job, &objects);
    memory_resize(objects.list, 0);
    return fine;
}

/* What a shell closed (`>&-`) would be opened again as a source or an object; a
 * compiler that PATH does not lead to its parts says things that help nobody. */
static void settle(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDWR)) >= 0 && fd <= STDERR_FILENO)
        ;
    if (fd >= 0)
        close(fd);
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 0);
}

int main(int argc, char **argv)
{
    settle();
    struct job job = { 0 };
    job_read(&job, argc, argv);
    check_inputs(&job);
    find_home(&job);
    temporary_begin();
    if (!job.has_level)
        words_add(&job.compile, "-O2");
    if (!job.has_debug)
        words_add(&job.compile, "-g");
    bool fine = job.only_compile || job.only_rewrite ? compile_only(&job) : compile_and_link(&job);
    memory_resize(job.compile.list, 0);
    memory_resize(job.inputs.list, 0);
    return fine ? 0 : 1;
}
